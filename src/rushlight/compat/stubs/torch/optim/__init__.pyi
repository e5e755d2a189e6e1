# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.optim.adam import Adam as Adam, AdamW as AdamW
from rushlight.optim.adam_kin import ASGD as ASGD, Adamax as Adamax, NAdam as NAdam, RAdam as RAdam
from rushlight.optim.adaptive import Adadelta as Adadelta, Adagrad as Adagrad, RMSprop as RMSprop, Rprop as Rprop
from rushlight.optim.lbfgs import LBFGS as LBFGS
from rushlight.optim.matrices import Adafactor as Adafactor, Muon as Muon
from rushlight.optim.optimizer import Optimizer as Optimizer
from rushlight.optim.sgd import SGD as SGD
from rushlight.optim.sparse_adam import SparseAdam as SparseAdam
from rushlight.optim.swap import swap_in_optimizer_params_and_state as swap_in_optimizer_params_and_state
from torch.optim import (
    adam as adam, adam_kin as adam_kin, adaptive as adaptive, lbfgs as lbfgs, lr_scheduler as lr_scheduler, matrices as matrices,
    optimizer as optimizer, sgd as sgd, sparse_adam as sparse_adam, swa_utils as swa_utils, swap as swap,
)
