# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.formulas import _FUNCTIONS as _FUNCTIONS
from rushlight._dynamo.formulas import _NODES as _NODES
from rushlight._dynamo.formulas import _NO_PLAIN as _NO_PLAIN
from rushlight._dynamo.formulas import _NUMBERS as _NUMBERS
from rushlight._dynamo.formulas import check_formula as check_formula
from rushlight._dynamo.reads import Reads as Reads
from rushlight._dynamo.source import NotKnown as NotKnown
from rushlight._dynamo.source import tree_of as tree_of
