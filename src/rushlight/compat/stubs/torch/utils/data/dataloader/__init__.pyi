# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.running import in_range as in_range
from rushlight.utils.data.collate import default_collate as default_collate
from rushlight.utils.data.collate import default_convert as default_convert
from rushlight.utils.data.dataloader import DataLoader as DataLoader
from rushlight.utils.data.dataloader import T_co as T_co
from rushlight.utils.data.dataloader import _BaseDataLoaderIter as _BaseDataLoaderIter
from rushlight.utils.data.dataloader import _MultiProcessingDataLoaderIter as _MultiProcessingDataLoaderIter
from rushlight.utils.data.dataloader import _SingleProcessDataLoaderIter as _SingleProcessDataLoaderIter
from rushlight.utils.data.dataset import Dataset as Dataset
from rushlight.utils.data.dataset import IterableDataset as IterableDataset
from rushlight.utils.data.kinds import _DatasetKind as _DatasetKind
from rushlight.utils.data.kinds import _InfiniteConstantSampler as _InfiniteConstantSampler
from rushlight.utils.data.sampler import BatchSampler as BatchSampler
from rushlight.utils.data.sampler import RandomSampler as RandomSampler
from rushlight.utils.data.sampler import Sampler as Sampler
from rushlight.utils.data.sampler import SequentialSampler as SequentialSampler
from rushlight.utils.data.sampler import new_seed as new_seed
from rushlight.utils.data.worker import DATA as DATA
from rushlight.utils.data.worker import END as END
from rushlight.utils.data.worker import Fetcher as Fetcher
from rushlight.utils.data.worker import worker_main as worker_main
from torch.utils.data import transport as transport
