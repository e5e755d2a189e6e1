"""Samples of `rushlight.operators.linalg`."""
