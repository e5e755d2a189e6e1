# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.sharing import rebuild_storage as rebuild_storage
from rushlight.core.sharing import rebuild_tensor as rebuild_tensor
from rushlight.core.sharing import reduce_storage as reduce_storage
from rushlight.core.sharing import reduce_tensor as reduce_tensor
from rushlight.core.storage import Storage as Storage
from rushlight.multiprocessing.reductions import StorageWeakRef as StorageWeakRef
from rushlight.multiprocessing.reductions import init_reductions as init_reductions
