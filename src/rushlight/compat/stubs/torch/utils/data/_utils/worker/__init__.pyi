# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data.worker import _generate_state as _generate_state
from rushlight.utils.data.worker import get_worker_info as get_worker_info
