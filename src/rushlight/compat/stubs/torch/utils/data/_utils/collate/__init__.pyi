# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data.collate import default_collate as default_collate, default_convert as default_convert
