# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.collect_env import main as main
