# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.hub.download import download_url_to_file as download_url_to_file
from rushlight.hub.download import fetch as fetch
from rushlight.hub.folders import get_dir as get_dir
from rushlight.hub.repositories import CONF as CONF
from rushlight.hub.repositories import help as help
from rushlight.hub.repositories import list as list
from rushlight.hub.repositories import load as load
