# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.optim._cyclic import CyclicLR as CyclicLR
from rushlight.optim._cyclic import OneCycleLR as OneCycleLR
from rushlight.optim._schedule import FactorLR as FactorLR
from rushlight.optim._schedule import LRScheduler as LRScheduler
from rushlight.optim._schedule import LRScheduler as _of__LRScheduler
from rushlight.optim._schedule import attributes as attributes
from rushlight.optim._schedule import check_optimizer as check_optimizer
from rushlight.optim._schedule import function_state as function_state
from rushlight.optim._schedule import per_group as per_group
from rushlight.optim._schedule import restore_first_rates as restore_first_rates
from rushlight.optim._schedule import set_option as set_option
from rushlight.optim._schedule import warn_of_epoch as warn_of_epoch
from rushlight.optim._schedule import warn_of_get_lr as warn_of_get_lr
from rushlight.optim.lr_scheduler import ChainedScheduler as ChainedScheduler
from rushlight.optim.lr_scheduler import ConstantLR as ConstantLR
from rushlight.optim.lr_scheduler import CosineAnnealingLR as CosineAnnealingLR
from rushlight.optim.lr_scheduler import CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts
from rushlight.optim.lr_scheduler import ExponentialLR as ExponentialLR
from rushlight.optim.lr_scheduler import LambdaLR as LambdaLR
from rushlight.optim.lr_scheduler import LinearLR as LinearLR
from rushlight.optim.lr_scheduler import MultiStepLR as MultiStepLR
from rushlight.optim.lr_scheduler import MultiplicativeLR as MultiplicativeLR
from rushlight.optim.lr_scheduler import PolynomialLR as PolynomialLR
from rushlight.optim.lr_scheduler import ReduceLROnPlateau as ReduceLROnPlateau
from rushlight.optim.lr_scheduler import SequentialLR as SequentialLR
from rushlight.optim.lr_scheduler import StepLR as StepLR
from rushlight.optim.lr_scheduler import _ByFunction as _ByFunction
from rushlight.optim.lr_scheduler import _Several as _Several
from rushlight.optim.optimizer import Optimizer as Optimizer

_LRScheduler = _of__LRScheduler
