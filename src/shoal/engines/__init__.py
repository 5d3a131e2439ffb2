"""Engines that carry out the work, one a file. The local one needs no module of its own."""
