"""The part of a dataset that one of several processes reads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sized
from typing import Any

import rushlight
from rushlight.core.checks import check_argument

from .sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every `num_replicas`-th index of a permutation that is the same in all processes.

    Args:
        dataset: its length counts.
        num_replicas: the number of processes.
        rank: this one's; by default the process group's.
        shuffle: whether indices are permuted, anew for each epoch that `set_epoch` tells.
        seed: of the permutation.
        drop_last: leave the tail out, rather than repeat indices, when the length is not divisible.

    Raises:
        ValueError: for a rank outside; where num_replicas or rank is None, and there is no process group to ask.
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            from rushlight import distributed

            num_replicas = distributed.get_world_size() if num_replicas is None else num_replicas
            rank = distributed.get_rank() if rank is None else rank
        check_argument(
            0 <= rank < num_replicas,
            "DistributedSampler",
            "rank",
            f"be in [0, {num_replicas})",
            lambda: repr(rank),
            ValueError,
        )
        self.dataset: Sized = dataset
        self.num_replicas, self.rank, self.epoch, self.drop_last, self.shuffle, self.seed = (
            num_replicas,
            rank,
            0,
            drop_last,
            shuffle,
            seed,
        )
        n = len(dataset)
        self.num_samples = n // num_replicas if drop_last else math.ceil(n / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        indices = list(range(len(self.dataset)))
        if self.shuffle:
            # The same in all processes, another one each epoch.
            source = rushlight.Generator().manual_seed(self.seed + self.epoch)
            indices = rushlight.randperm(len(indices), generator=source).tolist()
        while len(indices) < self.total_size and indices:
            indices += indices[: self.total_size - len(indices)]
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Tell the epoch: the next iteration permutes by seed + epoch."""
        self.epoch = epoch
