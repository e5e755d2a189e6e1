"""Names that packages which derive from the DataLoader need: kinds of datasets, and the sampler of streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .sampler import Sampler
from .worker import Fetcher

__all__ = ["_DatasetKind", "_InfiniteConstantSampler", "_collate_fn_t"]

_collate_fn_t = Callable[[list[Any]], Any]  # makes a batch of a list of samples


class _DatasetKind:
    """Whether a dataset is asked by indices or is a stream."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(
        kind: int, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> Fetcher:
        """What turns indices into batches of a dataset of that kind."""
        return Fetcher(dataset, kind == _DatasetKind.Iterable, auto_collation, collate_fn, drop_last)


class _InfiniteConstantSampler(Sampler[None]):
    """None, without an end: the indices of a stream."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None
