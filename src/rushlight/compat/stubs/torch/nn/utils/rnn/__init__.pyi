# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.utils.rnn import PackedSequence as PackedSequence
from rushlight.nn.utils.rnn import _Packed as _Packed
from rushlight.nn.utils.rnn import invert_permutation as invert_permutation
from rushlight.nn.utils.rnn import pack_padded_sequence as pack_padded_sequence
from rushlight.nn.utils.rnn import pack_sequence as pack_sequence
from rushlight.nn.utils.rnn import pad_packed_sequence as pad_packed_sequence
from rushlight.nn.utils.rnn import pad_sequence as pad_sequence
from rushlight.nn.utils.rnn import unpack_sequence as unpack_sequence
from rushlight.nn.utils.rnn import unpad_sequence as unpad_sequence
