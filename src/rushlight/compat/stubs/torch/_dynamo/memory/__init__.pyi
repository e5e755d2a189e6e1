# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.memory import _GROUP as _GROUP
from rushlight._dynamo.memory import _SYSTEM as _SYSTEM
from rushlight._dynamo.memory import available as available
