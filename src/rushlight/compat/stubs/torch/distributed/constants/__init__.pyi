# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.distributed.groups import default_pg_timeout as default_pg_timeout
