"""Functions that run the graphs of compiled functions, by name."""
