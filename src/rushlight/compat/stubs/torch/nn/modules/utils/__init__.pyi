# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules._sizes import ntuple as ntuple
from rushlight.nn.modules.utils import _ntuple as _ntuple
from rushlight.nn.modules.utils import _rename as _rename
from rushlight.nn.modules.utils import _reverse_repeat_tuple as _reverse_repeat_tuple
from rushlight.nn.modules.utils import (
    consume_prefix_in_state_dict_if_present as consume_prefix_in_state_dict_if_present,
)
