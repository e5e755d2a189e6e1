# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.distributed.state_dicts import StateDictOptions as StateDictOptions
from rushlight.distributed.state_dicts import get_model_state_dict as get_model_state_dict
from rushlight.distributed.state_dicts import get_optimizer_state_dict as get_optimizer_state_dict
from rushlight.distributed.state_dicts import get_state_dict as get_state_dict
from rushlight.distributed.state_dicts import set_model_state_dict as set_model_state_dict
from rushlight.distributed.state_dicts import set_optimizer_state_dict as set_optimizer_state_dict
from rushlight.distributed.state_dicts import set_state_dict as set_state_dict
