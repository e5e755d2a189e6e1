# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit.scripted import load as load, save as save
