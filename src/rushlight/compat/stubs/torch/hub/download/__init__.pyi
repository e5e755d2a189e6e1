# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.hub.download import HASH_REGEX as HASH_REGEX
from rushlight.hub.download import download_url_to_file as download_url_to_file
from rushlight.hub.download import fetch as fetch
from rushlight.hub.download import load_state_dict_from_url as load_state_dict_from_url
from rushlight.hub.folders import get_dir as get_dir
