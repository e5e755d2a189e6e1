# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.hub.download import load_state_dict_from_url as load_state_dict_from_url
from rushlight.utils.model_zoo import load_url as load_url
