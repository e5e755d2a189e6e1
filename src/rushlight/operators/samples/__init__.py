"""Samples of every operator, one file a family; read by the tests alone."""
