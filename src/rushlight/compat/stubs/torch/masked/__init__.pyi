# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.masked._operators import amax as amax
from rushlight.masked._operators import amin as amin
from rushlight.masked._operators import argmax as argmax
from rushlight.masked._operators import argmin as argmin
from rushlight.masked._operators import cumprod as cumprod
from rushlight.masked._operators import cumsum as cumsum
from rushlight.masked._operators import log_softmax as log_softmax
from rushlight.masked._operators import logaddexp as logaddexp
from rushlight.masked._operators import logsumexp as logsumexp
from rushlight.masked._operators import mean as mean
from rushlight.masked._operators import median as median
from rushlight.masked._operators import norm as norm
from rushlight.masked._operators import normalize as normalize
from rushlight.masked._operators import prod as prod
from rushlight.masked._operators import softmax as softmax
from rushlight.masked._operators import softmin as softmin
from rushlight.masked._operators import std as std
from rushlight.masked._operators import sum as sum
from rushlight.masked._operators import var as var
from rushlight.masked.tensor import MaskedTensor as MaskedTensor
from rushlight.masked.tensor import as_masked_tensor as as_masked_tensor
from rushlight.masked.tensor import is_masked_tensor as is_masked_tensor
from rushlight.masked.tensor import masked_tensor as masked_tensor
from torch.masked import tensor as tensor
