"""Datasets: collections of samples, by index or as a stream."""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import rushlight
from rushlight import Generator, Tensor
from rushlight.core.checks import check_argument

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Samples by index: a subclass defines ``__getitem__`` and, nearly always, ``__len__``."""

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError(f"{type(self).__name__} does not define __getitem__")

    def __add__(self, other: Dataset[Any]) -> ConcatDataset[Any]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co], Iterable[T_co]):
    """Samples as a stream: a subclass defines ``__iter__``.

    Each worker of a DataLoader iterates over its own copy: use ``get_worker_info`` to give each its share.
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(f"{type(self).__name__} does not define __iter__")

    def __add__(self, other: Dataset[Any]) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Rows of tensors that agree in their first dimension.

    Raises:
        AssertionError: they do not.
    """

    def __init__(self, *tensors: Tensor) -> None:
        lengths = [tensor.size(0) for tensor in tensors]
        check_argument(
            len(set(lengths)) <= 1,
            "TensorDataset",
            "tensors",
            "be of one length",
            lambda: repr(lengths),
            AssertionError,
        )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset[Any]):
    """Samples of several datasets of one length side by side, in a tuple, or in a dictionary when given by name.

    Raises:
        ValueError: lengths differ, none is given, or both ways are mixed.
    """

    def __init__(self, *args: Dataset[Any], **kwargs: Dataset[Any]) -> None:
        if bool(args) == bool(kwargs):
            found = "both" if args else "none"
            raise ValueError(f"StackDataset: datasets must be given by position or by name; found {found}")
        self.datasets: Any = args or kwargs
        lengths = [len(member) for member in self._members_()]
        check_argument(
            len(set(lengths)) == 1, "StackDataset", "datasets", "be of one length", lambda: repr(lengths), ValueError
        )
        self._length = lengths[0]

    def _members_(self) -> Iterable[Any]:
        return self.datasets.values() if isinstance(self.datasets, dict) else self.datasets

    def _sample_(self, parts: Iterable[Any]) -> dict[Any, Any] | tuple[Any, ...]:
        return dict(zip(self.datasets, parts, strict=True)) if isinstance(self.datasets, dict) else tuple(parts)

    def __getitem__(self, index: Any) -> Any:
        return self._sample_(member[index] for member in self._members_())

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        columns = [items_at(member, indices) for member in self._members_()]
        for member, column in zip(self._members_(), columns, strict=True):
            if len(column) != len(indices):
                raise ValueError(
                    f"StackDataset: __getitems__ of {type(member).__name__} must give a sample for each of "
                    f"{len(indices)} indices; found {len(column)}"
                )
        return [self._sample_(row) for row in zip(*columns, strict=True)]

    def __len__(self) -> int:
        return self._length


def items_at(dataset: Any, indices: list[Any]) -> Any:
    """Samples at several indices, in one call where the dataset offers that."""
    at_once = getattr(dataset, "__getitems__", None)
    return at_once(indices) if callable(at_once) else [dataset[index] for index in indices]


class ConcatDataset(Dataset[T_co]):
    """Datasets one after the other.

    Raises:
        AssertionError: there are none, or one is an IterableDataset.
    """

    datasets: list[Dataset[T_co]]
    cumulative_sizes: list[int]

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """Return where each dataset ends."""
        return list(itertools.accumulate(len(member) for member in sequence))

    def __init__(self, datasets: Iterable[Dataset[Any]]) -> None:
        self.datasets = list(datasets)
        kinds = [type(dataset).__name__ for dataset in self.datasets]
        indexed = not any(isinstance(dataset, IterableDataset) for dataset in self.datasets)
        fits = bool(kinds) and indexed
        check_argument(
            fits, "ConcatDataset", "datasets", "be one or more, with indices", lambda: repr(kinds), AssertionError
        )
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> T_co:
        total = len(self)
        check_argument(
            idx >= -total, "ConcatDataset", "index", f"be in [{-total}, {total})", lambda: repr(idx), ValueError
        )
        place = idx % total if idx < 0 else idx
        which = bisect.bisect_right(self.cumulative_sizes, place)
        # An index beyond the last dataset is an IndexError here, where a loop over the samples ends.
        dataset, end = self.datasets[which], self.cumulative_sizes[which]
        return dataset[place - end + len(dataset)]  # type: ignore[arg-type]


class ChainDataset(IterableDataset[Any]):
    """Streams one after the other."""

    def __init__(self, datasets: Iterable[Dataset[Any]]) -> None:
        super().__init__()
        self.datasets = datasets

    def _checked_(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError(f"ChainDataset: each must be an IterableDataset; found {type(dataset).__name__}")
            yield dataset

    def __iter__(self) -> Iterator[Any]:
        for dataset in self._checked_():
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self._checked_())


class Subset(Dataset[T_co]):
    """The samples of a dataset at given indices."""

    dataset: Dataset[T_co]
    indices: Sequence[int]

    def __init__(self, dataset: Dataset[T_co], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx: Any) -> T_co:
        several = isinstance(idx, list)
        own = [self.indices[i] for i in idx] if several else self.indices[idx]
        return self.dataset[own]

    def __getitems__(self, indices: list[int]) -> list[T_co]:
        return items_at(self.dataset, [self.indices[i] for i in indices])  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[Any], lengths: Sequence[int | float], generator: Generator | None = None
) -> list[Subset[Any]]:
    """Split a dataset at random.

    Args:
        dataset: what to split.
        lengths: sizes of the parts, or fractions that sum to 1; what rounding leaves over goes to the first parts.
        generator: the source of randomness.

    Raises:
        ValueError: a fraction is outside [0, 1], or the lengths do not sum to the dataset's.
    """
    total = len(dataset)  # type: ignore[arg-type]
    sizes: list[Any] = list(lengths)
    if math.isclose(sum(sizes), 1) and sum(sizes) <= 1:
        sizes = _apportioned(total, sizes)
    check_argument(
        sum(sizes) == total,
        "random_split",
        "lengths",
        f"be parts of {total}, or fractions that sum to 1",
        lambda: repr(lengths),
        ValueError,
    )
    order = rushlight.randperm(total, generator=generator)
    return [Subset(dataset, part.tolist()) for part in order.split(sizes)]


def _apportioned(total: int, fractions: list[float]) -> list[int]:
    """The sizes of parts of ``total``; what rounding down leaves over goes round from the first."""
    within = all(0 <= fraction <= 1 for fraction in fractions)
    check_argument(within, "random_split", "lengths", "be in [0, 1]", lambda: repr(fractions), ValueError)
    sizes = [math.floor(total * fraction) for fraction in fractions]
    share, rest = divmod(total - sum(sizes), len(sizes))
    sizes = [size + share + (i < rest) for i, size in enumerate(sizes)]
    if 0 in sizes:
        warnings.warn(f"random_split: part {sizes.index(0)} is empty", stacklevel=3)
    return sizes
