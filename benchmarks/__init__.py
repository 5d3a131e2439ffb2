"""Benchmarks: what Shoal costs next to the best tools there are. Run one with `make bench BENCH=name`."""
