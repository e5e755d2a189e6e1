"""Samples of `rushlight.operators.reductions`."""
