"""Statistics that users of a release compute. To add one, write one file here and list its class in `ALL`."""

from shoal.statistics.base import Compared as Compared
from shoal.statistics.base import Figure as Figure
from shoal.statistics.base import Statistic as Statistic
from shoal.statistics.correlation import Correlation as Correlation
from shoal.statistics.prevalence import Prevalence as Prevalence
from shoal.statistics.regression import Regression as Regression

ALL: tuple[type[Statistic], ...] = (Prevalence, Correlation, Regression)
