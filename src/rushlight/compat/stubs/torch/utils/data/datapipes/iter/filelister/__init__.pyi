# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Made as _Made

class FileListerIterDataPipe(_Made): ...
