# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.module import shown as shown
from rushlight.nn.modules.rnn import GRU as GRU
from rushlight.nn.modules.rnn import GRUCell as GRUCell
from rushlight.nn.modules.rnn import LSTM as LSTM
from rushlight.nn.modules.rnn import LSTMCell as LSTMCell
from rushlight.nn.modules.rnn import RNN as RNN
from rushlight.nn.modules.rnn import RNNBase as RNNBase
from rushlight.nn.modules.rnn import RNNCell as RNNCell
from rushlight.nn.modules.rnn import RNNCellBase as RNNCellBase
from rushlight.nn.parameter import Parameter as Parameter
from torch.nn import functional as _of_F
from torch.nn import init as init

F = _of_F
