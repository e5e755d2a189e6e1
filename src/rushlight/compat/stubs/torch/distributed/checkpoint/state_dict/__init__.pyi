# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from collections.abc import Callable
from typing import Any

get_model_state_dict: Callable[..., Any]
get_optimizer_state_dict: Callable[..., Any]
get_state_dict: Callable[..., Any]
set_model_state_dict: Callable[..., Any]
set_optimizer_state_dict: Callable[..., Any]
set_state_dict: Callable[..., Any]
