"""The table as integers: domains, counted rows, class statistics, partitions, recodings and their loss."""

from shoal.coded.counted import Coded, Counted, coded_values
from shoal.coded.partition import Partition
from shoal.coded.stats import ClassStats, ValueCounts, stats_of

__all__ = ["ClassStats", "Coded", "Counted", "Partition", "ValueCounts", "coded_values", "stats_of"]
