"""Samples of `rushlight.operators.random.random`."""
