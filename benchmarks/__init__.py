"""Measurements against PyTorch; `python -m benchmarks` prints the table of the README."""
