# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.tensorboard.writer import FileWriter as FileWriter, SummaryWriter as SummaryWriter
from torch.utils.tensorboard import summary as summary
