# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.edges import places as places
from rushlight.autograd.edges import visits as visits
