# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data.worker import get_worker_info as get_worker_info
