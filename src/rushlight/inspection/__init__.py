"""Showing tensors, operators and errors: their text, a call's way through the layers, tracebacks."""

from rushlight.inspection.tracebacks import full_tracebacks as full_tracebacks
from rushlight.inspection.tracebacks import set_full_tracebacks as set_full_tracebacks
