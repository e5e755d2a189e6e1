"""Samples of `rushlight.operators.signal`."""
