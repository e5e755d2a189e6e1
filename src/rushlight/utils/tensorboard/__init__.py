"""Logs for TensorBoard: `SummaryWriter`, on the writers of the `tensorboard` package, which must be installed."""

from __future__ import annotations

import importlib.util

if importlib.util.find_spec("tensorboard") is None:
    raise ModuleNotFoundError(
        "utils.tensorboard: the package 'tensorboard' must be installed (pip install tensorboard); found none",
        name="tensorboard",
    )

from rushlight.utils.tensorboard.writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]
