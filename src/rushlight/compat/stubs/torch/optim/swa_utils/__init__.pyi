# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.batchnorm import _BatchNorm as _BatchNorm
from rushlight.nn.modules.module import Module as Module
from rushlight.optim._schedule import ANNEALING as ANNEALING
from rushlight.optim._schedule import LRScheduler as LRScheduler
from rushlight.optim._schedule import check_annealing as check_annealing
from rushlight.optim._schedule import per_group as per_group
from rushlight.optim._schedule import warn_of_get_lr as warn_of_get_lr
from rushlight.optim.optimizer import Optimizer as Optimizer
from rushlight.optim.swa_utils import AveragedModel as AveragedModel
from rushlight.optim.swa_utils import SWALR as SWALR
from rushlight.optim.swa_utils import get_ema_avg_fn as get_ema_avg_fn
from rushlight.optim.swa_utils import get_ema_multi_avg_fn as get_ema_multi_avg_fn
from rushlight.optim.swa_utils import get_swa_avg_fn as get_swa_avg_fn
from rushlight.optim.swa_utils import get_swa_multi_avg_fn as get_swa_multi_avg_fn
from rushlight.optim.swa_utils import update_bn as update_bn
