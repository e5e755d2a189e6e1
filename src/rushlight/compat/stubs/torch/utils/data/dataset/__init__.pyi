# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.utils.data.dataset import ChainDataset as ChainDataset
from rushlight.utils.data.dataset import ConcatDataset as ConcatDataset
from rushlight.utils.data.dataset import Dataset as Dataset
from rushlight.utils.data.dataset import IterableDataset as IterableDataset
from rushlight.utils.data.dataset import StackDataset as StackDataset
from rushlight.utils.data.dataset import Subset as Subset
from rushlight.utils.data.dataset import T_co as T_co
from rushlight.utils.data.dataset import TensorDataset as TensorDataset
from rushlight.utils.data.dataset import items_at as items_at
from rushlight.utils.data.dataset import random_split as random_split
