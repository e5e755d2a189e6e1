# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.optim._functional import muon as muon
from rushlight.optim.matrices import Muon as Muon
