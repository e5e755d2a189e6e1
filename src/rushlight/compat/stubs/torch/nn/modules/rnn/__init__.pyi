# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.rnn import (
    GRU as GRU, GRUCell as GRUCell, LSTM as LSTM, LSTMCell as LSTMCell, RNN as RNN, RNNBase as RNNBase, RNNCell as RNNCell,
    RNNCellBase as RNNCellBase,
)
from rushlight.nn.parameter import Parameter as Parameter
from torch.nn import functional as _of_F, init as init

F = _of_F
