"""Samples of `rushlight.operators.shapes`."""
