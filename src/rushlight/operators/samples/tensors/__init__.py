"""Samples of `rushlight.operators.tensors`."""
