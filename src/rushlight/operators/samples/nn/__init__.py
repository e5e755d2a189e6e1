"""Samples of `rushlight.operators.nn`."""
