# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from torch._dynamo.backends import registry as registry
