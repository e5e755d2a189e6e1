"""Optimizers and learning rate schedules."""

from __future__ import annotations

from . import lr_scheduler, optimizer
from .adam import Adam, AdamW
from .adam_kin import ASGD, Adamax, NAdam, RAdam
from .adaptive import Adadelta, Adagrad, RMSprop, Rprop
from .lbfgs import LBFGS
from .matrices import Adafactor, Muon
from .optimizer import Optimizer
from .sgd import SGD

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
    "optimizer",
]
