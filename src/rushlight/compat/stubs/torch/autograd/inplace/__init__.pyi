# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.inplace import COPIED as COPIED
from rushlight.autograd.inplace import SPECIAL as SPECIAL
from rushlight.autograd.inplace import _Region as _Region
from rushlight.autograd.inplace import _Write as _Write
from rushlight.autograd.inplace import cast as cast
from rushlight.autograd.inplace import check_inplace as check_inplace
from rushlight.autograd.inplace import check_nan as check_nan
from rushlight.autograd.inplace import edge_places as edge_places
from rushlight.autograd.inplace import edge_visits as edge_visits
from rushlight.autograd.inplace import input_metadata as input_metadata
from rushlight.autograd.inplace import install as install
from rushlight.autograd.inplace import kept_instead as kept_instead
from rushlight.autograd.inplace import modified_message as modified_message
from rushlight.autograd.inplace import note_traceback as note_traceback
from rushlight.autograd.inplace import of_inference as of_inference
from rushlight.autograd.inplace import rebase as rebase
from rushlight.autograd.inplace import record_inplace as record_inplace
from rushlight.autograd.inplace import refuse_view as refuse_view
from rushlight.autograd.inplace import regenerate_view as regenerate_view
from rushlight.autograd.inplace import rejoin as rejoin
from rushlight.autograd.inplace import saved_names as saved_names
from rushlight.autograd.inplace import saved_value as saved_value
from rushlight.autograd.inplace import show_traceback as show_traceback
from rushlight.core.tensor import Tensor as Tensor
