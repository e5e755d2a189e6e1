# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.inplace import (
    COPIED as COPIED, SPECIAL as SPECIAL, _Region as _Region, _Write as _Write, cast as cast, check_inplace as check_inplace,
    check_nan as check_nan, input_metadata as input_metadata, install as install, kept_instead as kept_instead,
    modified_message as modified_message, note_traceback as note_traceback, of_inference as of_inference, rebase as rebase,
    record_inplace as record_inplace, refuse_view as refuse_view, regenerate_view as regenerate_view, rejoin as rejoin,
    saved_names as saved_names, saved_value as saved_value, show_traceback as show_traceback,
)
from rushlight.core.tensor import Tensor as Tensor
