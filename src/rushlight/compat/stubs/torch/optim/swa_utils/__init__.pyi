# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.normalization import _BatchNorm as _BatchNorm
from rushlight.optim._schedule import (
    ANNEALING as ANNEALING, LRScheduler as LRScheduler, check_annealing as check_annealing, per_group as per_group,
    warn_of_get_lr as warn_of_get_lr,
)
from rushlight.optim.optimizer import Optimizer as Optimizer
from rushlight.optim.swa_utils import (
    AveragedModel as AveragedModel, SWALR as SWALR, get_ema_avg_fn as get_ema_avg_fn,
    get_ema_multi_avg_fn as get_ema_multi_avg_fn, get_swa_avg_fn as get_swa_avg_fn, get_swa_multi_avg_fn as get_swa_multi_avg_fn,
    update_bn as update_bn,
)
from rushlight.utils._checks import check_argument as check_argument
