# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data.dataset import items_at as items_at
from rushlight.utils.data.worker import (
    DATA as DATA, END as END, ERROR as ERROR, Fetcher as Fetcher, WorkerInfo as WorkerInfo, get_worker_info as get_worker_info,
    seed_worker as seed_worker, worker_main as worker_main,
)
from torch.utils.data import transport as transport
