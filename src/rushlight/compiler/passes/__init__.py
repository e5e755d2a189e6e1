"""The passes from a program of primitives to a plan."""
