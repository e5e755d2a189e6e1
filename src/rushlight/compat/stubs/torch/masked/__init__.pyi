# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.masked._operators import (
    amax as amax, amin as amin, argmax as argmax, argmin as argmin, cumprod as cumprod, cumsum as cumsum,
    log_softmax as log_softmax, logaddexp as logaddexp, logsumexp as logsumexp, mean as mean, median as median, norm as norm,
    normalize as normalize, prod as prod, softmax as softmax, softmin as softmin, std as std, sum as sum, var as var,
)
from rushlight.masked.tensor import (
    MaskedTensor as MaskedTensor, as_masked_tensor as as_masked_tensor, is_masked_tensor as is_masked_tensor,
    masked_tensor as masked_tensor,
)
from torch.masked import tensor as tensor
