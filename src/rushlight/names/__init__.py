"""What stands at the root of the package beside operators: settings, streams, symbolic numbers, names kept for their
messages.
"""
