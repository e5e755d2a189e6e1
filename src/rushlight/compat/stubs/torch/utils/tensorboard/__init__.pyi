# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.tensorboard.writer import FileWriter as FileWriter
from rushlight.utils.tensorboard.writer import SummaryWriter as SummaryWriter
