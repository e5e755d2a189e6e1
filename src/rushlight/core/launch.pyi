# What launch.pyx offers to Python.
PAIRED_FROM: int
