# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.distributed.stores import (
    DistBackendError as DistBackendError, DistError as DistError, DistStoreError as DistStoreError, FileStore as FileStore,
    HashStore as HashStore, PrefixStore as PrefixStore, Store as Store, TCPStore as TCPStore,
)
