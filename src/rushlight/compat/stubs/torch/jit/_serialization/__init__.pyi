# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit.scripted import load as load
from rushlight.jit.scripted import save as save
