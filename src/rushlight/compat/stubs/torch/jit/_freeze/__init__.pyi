# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit import freeze as freeze
from rushlight.jit import optimize_for_inference as optimize_for_inference
