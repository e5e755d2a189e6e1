# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight import __version__ as __version__
from rushlight.version import cuda as cuda
from rushlight.version import debug as debug
from rushlight.version import git_version as git_version
from rushlight.version import hip as hip
from rushlight.version import xpu as xpu
