# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
