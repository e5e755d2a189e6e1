# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.operator import define as define
from rushlight.library.schema import parse_schema as parse_schema
from torch.library import codecs as codecs
