# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data.dataset import items_at as items_at
from rushlight.utils.data.worker import DATA as DATA
from rushlight.utils.data.worker import END as END
from rushlight.utils.data.worker import ERROR as ERROR
from rushlight.utils.data.worker import Fetcher as Fetcher
from rushlight.utils.data.worker import WorkerInfo as WorkerInfo
from rushlight.utils.data.worker import get_worker_info as get_worker_info
from rushlight.utils.data.worker import seed_worker as seed_worker
from rushlight.utils.data.worker import worker_main as worker_main
from torch.utils.data import transport as transport
