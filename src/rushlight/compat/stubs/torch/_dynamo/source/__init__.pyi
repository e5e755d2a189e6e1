# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.source import Function as Function
from rushlight._dynamo.source import NotKnown as NotKnown
from rushlight._dynamo.source import _codes as _codes
from rushlight._dynamo.source import _files as _files
from rushlight._dynamo.source import _is_of as _is_of
from rushlight._dynamo.source import tree_of as tree_of
