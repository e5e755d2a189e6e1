"""Loading data: datasets, samplers, and the DataLoader that makes batches of them."""

from __future__ import annotations

import importlib
from typing import Any

from .collate import default_collate, default_convert
from .dataloader import DataLoader
from .dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .distributed import DistributedSampler
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler
from .worker import WorkerInfo, get_worker_info

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataChunk",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterDataPipe",
    "IterableDataset",
    "MapDataPipe",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "WorkerInfo",
    "default_collate",
    "default_convert",
    "functional_datapipe",
    "get_worker_info",
    "random_split",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


_PIPES = ("DataChunk", "IterDataPipe", "MapDataPipe", "functional_datapipe")  # loaded when they are asked for


def __getattr__(name: str) -> Any:
    if name == "_utils":
        return importlib.import_module(f"{__name__}._utils")
    if name in (*_PIPES, "datapipes"):
        datapipes = importlib.import_module(f"{__name__}.datapipes")
        return datapipes if name == "datapipes" else getattr(datapipes, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
