"""Random tensors, samplers of distributions, and their implicit derivatives."""
