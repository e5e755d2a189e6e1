# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx.operator_schemas import ArgsKwargsPair as ArgsKwargsPair
