# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.optim._functional import adamw as adamw
from rushlight.optim.adam import AdamW as AdamW
