# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.distributed.distributed_c10d import default_pg_timeout as default_pg_timeout
