"""A fuzzer: random tables and plans, each release judged by plain definitions. `python -m tests.fuzz --help`."""
