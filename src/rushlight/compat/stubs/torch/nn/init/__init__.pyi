# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor, add_modes as add_modes
from rushlight.nn.init import (
    calculate_gain as calculate_gain, constant as constant, constant_ as constant_, dirac as dirac, dirac_ as dirac_, eye as eye,
    eye_ as eye_, kaiming_normal as kaiming_normal, kaiming_normal_ as kaiming_normal_, kaiming_uniform as kaiming_uniform,
    kaiming_uniform_ as kaiming_uniform_, normal as normal, normal_ as normal_, ones_ as ones_, orthogonal as orthogonal,
    orthogonal_ as orthogonal_, sparse as sparse, sparse_ as sparse_, trunc_normal_ as trunc_normal_, uniform as uniform,
    uniform_ as uniform_, xavier_normal as xavier_normal, xavier_normal_ as xavier_normal_, xavier_uniform as xavier_uniform,
    xavier_uniform_ as xavier_uniform_, zeros_ as zeros_,
)
