"""Operators that make tensors of numbers, of sequences, and of other tensors' data."""
