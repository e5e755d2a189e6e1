# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules._sizes import ntuple as ntuple
from rushlight.nn.modules.utils import (
    _ntuple as _ntuple, _rename as _rename, _reverse_repeat_tuple as _reverse_repeat_tuple,
    consume_prefix_in_state_dict_if_present as consume_prefix_in_state_dict_if_present,
)
