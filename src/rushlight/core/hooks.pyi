# What hooks.pyx offers to Python: nothing.
