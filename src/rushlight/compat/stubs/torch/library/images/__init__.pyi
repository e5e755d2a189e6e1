# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.library.operator import define as define
from rushlight.library.schema import parse_schema as parse_schema
