"""The public names at the root of the package that are no operators: settings, streams, symbolic numbers, and names
kept for their error messages.
"""
