# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.hub.download import HASH_REGEX as HASH_REGEX
from rushlight.hub.download import download_url_to_file as download_url_to_file
from rushlight.hub.download import load_state_dict_from_url as load_state_dict_from_url
from rushlight.hub.folders import get_dir as get_dir
from rushlight.hub.folders import set_dir as set_dir
from rushlight.hub.repositories import help as help
from rushlight.hub.repositories import list as list
from rushlight.hub.repositories import load as load
from torch.hub import download as download
from torch.hub import folders as folders
from torch.hub import progress as progress
from torch.hub import repositories as repositories
