"""Samples of `rushlight.operators.creation.creation`."""
