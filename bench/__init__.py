"""Benchmarks: our learners and their peers on the same arrays in the same run. See `python -m bench.run --help`."""
