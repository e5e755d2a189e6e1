# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight import __version__ as __version__
from rushlight.version import cuda as cuda, debug as debug, git_version as git_version, hip as hip, xpu as xpu
