# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.optim._cyclic import CyclicLR as CyclicLR, OneCycleLR as OneCycleLR
from rushlight.optim._schedule import (
    FactorLR as FactorLR, LRScheduler as LRScheduler, LRScheduler as _of__LRScheduler, attributes as attributes,
    check_optimizer as check_optimizer, function_state as function_state, per_group as per_group,
    restore_first_rates as restore_first_rates, set_option as set_option, warn_of_epoch as warn_of_epoch,
    warn_of_get_lr as warn_of_get_lr,
)
from rushlight.optim.lr_scheduler import (
    ChainedScheduler as ChainedScheduler, ConstantLR as ConstantLR, CosineAnnealingLR as CosineAnnealingLR,
    CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts, ExponentialLR as ExponentialLR, LambdaLR as LambdaLR,
    LinearLR as LinearLR, MultiStepLR as MultiStepLR, MultiplicativeLR as MultiplicativeLR, PolynomialLR as PolynomialLR,
    ReduceLROnPlateau as ReduceLROnPlateau, SequentialLR as SequentialLR, StepLR as StepLR, _ByFunction as _ByFunction,
    _Several as _Several,
)
from rushlight.optim.optimizer import Optimizer as Optimizer
from rushlight.utils._checks import check_argument as check_argument

_LRScheduler = _of__LRScheduler
