"""Samples of `rushlight.operators.indexing.gather`."""
