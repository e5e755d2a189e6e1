# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules.loss import CosineSimilarity as CosineSimilarity
from rushlight.nn.modules.loss import PairwiseDistance as PairwiseDistance
