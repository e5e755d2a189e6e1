"""Operators that give elements another shape or order, or join and split tensors."""
