"""The table as integers: domains, counted rows, class statistics, partitions, recodings and their loss."""
