# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.distributed.stores import DistBackendError as DistBackendError
from rushlight.distributed.stores import DistError as DistError
from rushlight.distributed.stores import DistStoreError as DistStoreError
from rushlight.distributed.stores import FileStore as FileStore
from rushlight.distributed.stores import HashStore as HashStore
from rushlight.distributed.stores import PrefixStore as PrefixStore
from rushlight.distributed.stores import Store as Store
from rushlight.distributed.stores import TCPStore as TCPStore
