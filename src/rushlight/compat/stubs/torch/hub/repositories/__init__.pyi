# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.hub.download import download_url_to_file as download_url_to_file, fetch as fetch
from rushlight.hub.folders import get_dir as get_dir
from rushlight.hub.repositories import CONF as CONF, help as help, list as list, load as load
