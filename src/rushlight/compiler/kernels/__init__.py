"""Kernels: loop nests with the machine code of their variants, kept in memory and on disk."""
