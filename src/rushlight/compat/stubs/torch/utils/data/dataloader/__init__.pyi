# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils._checks import check_argument as check_argument
from rushlight.utils.data.collate import default_collate as default_collate, default_convert as default_convert
from rushlight.utils.data.dataloader import (
    DataLoader as DataLoader, T_co as T_co, _BaseDataLoaderIter as _BaseDataLoaderIter,
    _MultiProcessingDataLoaderIter as _MultiProcessingDataLoaderIter, _SingleProcessDataLoaderIter as _SingleProcessDataLoaderIter,
)
from rushlight.utils.data.dataset import Dataset as Dataset, IterableDataset as IterableDataset
from rushlight.utils.data.kinds import _DatasetKind as _DatasetKind, _InfiniteConstantSampler as _InfiniteConstantSampler
from rushlight.utils.data.sampler import (
    BatchSampler as BatchSampler, RandomSampler as RandomSampler, Sampler as Sampler, SequentialSampler as SequentialSampler,
    new_seed as new_seed,
)
from rushlight.utils.data.worker import DATA as DATA, END as END, Fetcher as Fetcher, worker_main as worker_main
from torch.utils.data import transport as transport
