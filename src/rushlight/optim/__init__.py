"""Optimizers and learning rate schedules."""

from __future__ import annotations

from . import lr_scheduler, optimizer, swa_utils
from .adam import Adam, AdamW
from .adam_variants import ASGD, Adamax, NAdam, RAdam
from .adaptive import Adadelta, Adagrad, RMSprop, Rprop
from .lbfgs import LBFGS
from .matrices import Adafactor, Muon
from .optimizer import Optimizer
from .sgd import SGD
from .sparse_adam import SparseAdam
from .swap import swap_in_optimizer_params_and_state

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
    "SparseAdam",
    "lr_scheduler",
    "optimizer",
    "swa_utils",
    "swap_in_optimizer_params_and_state",
]
