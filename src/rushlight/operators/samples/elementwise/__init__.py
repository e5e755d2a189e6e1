"""Samples of `rushlight.operators.elementwise`."""
