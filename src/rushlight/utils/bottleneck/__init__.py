"""`python -m rushlight.utils.bottleneck SCRIPT ARGS`: where a program's time goes, by Python's functions and by
operators.
"""
