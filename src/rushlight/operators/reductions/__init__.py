"""Operators that take elements together: sums, scans, orders, integrals, and the masked ones."""
