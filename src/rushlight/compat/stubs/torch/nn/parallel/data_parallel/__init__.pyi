# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parallel.data_parallel import DataParallel as DataParallel
from rushlight.nn.parallel.data_parallel import data_parallel as data_parallel
