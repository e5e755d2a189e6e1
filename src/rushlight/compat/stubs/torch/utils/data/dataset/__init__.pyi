# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.utils._checks import check_argument as check_argument
from rushlight.utils.data.dataset import (
    ChainDataset as ChainDataset, ConcatDataset as ConcatDataset, Dataset as Dataset, IterableDataset as IterableDataset,
    StackDataset as StackDataset, Subset as Subset, T_co as T_co, TensorDataset as TensorDataset, items_at as items_at,
    random_split as random_split,
)
