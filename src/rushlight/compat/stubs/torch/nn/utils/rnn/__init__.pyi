# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.utils.rnn import (
    PackedSequence as PackedSequence, _Packed as _Packed, invert_permutation as invert_permutation,
    pack_padded_sequence as pack_padded_sequence, pack_sequence as pack_sequence, pad_packed_sequence as pad_packed_sequence,
    pad_sequence as pad_sequence, unpack_sequence as unpack_sequence, unpad_sequence as unpad_sequence,
)
