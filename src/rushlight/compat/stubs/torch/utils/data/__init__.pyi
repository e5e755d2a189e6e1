# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data.collate import default_collate as default_collate, default_convert as default_convert
from rushlight.utils.data.dataloader import DataLoader as DataLoader
from rushlight.utils.data.datapipes.datapipe import (
    DataChunk as DataChunk, IterDataPipe as IterDataPipe, MapDataPipe as MapDataPipe, functional_datapipe as functional_datapipe,
)
from rushlight.utils.data.dataset import (
    ChainDataset as ChainDataset, ConcatDataset as ConcatDataset, Dataset as Dataset, IterableDataset as IterableDataset,
    StackDataset as StackDataset, Subset as Subset, TensorDataset as TensorDataset, random_split as random_split,
)
from rushlight.utils.data.distributed import DistributedSampler as DistributedSampler
from rushlight.utils.data.sampler import (
    BatchSampler as BatchSampler, RandomSampler as RandomSampler, Sampler as Sampler, SequentialSampler as SequentialSampler,
    SubsetRandomSampler as SubsetRandomSampler, WeightedRandomSampler as WeightedRandomSampler,
)
from rushlight.utils.data.worker import WorkerInfo as WorkerInfo, get_worker_info as get_worker_info
from torch.utils.data import (
    collate as collate, dataloader as dataloader, datapipes as datapipes, dataset as dataset, distributed as distributed,
    kinds as kinds, sampler as sampler, transport as transport, worker as worker,
)
