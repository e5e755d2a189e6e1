"""Operators that compute each element by itself: arithmetic, mathematics, comparison, special functions."""
