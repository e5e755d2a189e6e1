"""Samplers: in which order a dataset's indices are visited."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

import rushlight
from rushlight import Generator
from rushlight.core.checks import check_argument

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

T_co = TypeVar("T_co", covariant=True)


class Sampler(Generic[T_co]):
    """Base class: a subclass defines ``__iter__`` over indices (or lists of them) and, mostly, ``__len__``."""

    def __init__(self, data_source: Any = None) -> None:
        pass

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """All indices in order."""

    data_source: Sized

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


def new_seed(generator: Generator | None = None) -> int:
    """Draw a seed from a generator, or the default one."""
    seed = rushlight.zeros(1, dtype=rushlight.int64)
    return int(seed.random_(generator=generator))


def _check_count(owner: str, name: str, value: int) -> None:
    positive = isinstance(value, int) and not isinstance(value, bool) and value > 0
    check_argument(positive, owner, name, "be a positive int", lambda: repr(value), ValueError)


def _check_bool(owner: str, name: str, value: bool, error: type[Exception] = ValueError) -> None:
    check_argument(isinstance(value, bool), owner, name, "be a bool", lambda: repr(value), error)


class RandomSampler(Sampler[int]):
    """Indices at random, without replacement unless asked for.

    Args:
        data_source: the dataset.
        replacement: draw each index anew.
        num_samples: how many; the dataset's length unless given.
        generator: the source of randomness.

    Raises:
        TypeError: ``replacement`` is not a bool.
        ValueError: ``num_samples`` is not a positive int.
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        owner = type(self).__name__
        _check_bool(owner, "replacement", replacement, TypeError)
        self.data_source, self._num_samples = data_source, num_samples
        _check_count(owner, "num_samples", self.num_samples)
        self.replacement, self.generator = replacement, generator

    @property
    def num_samples(self) -> int:
        """How many indices are given; the dataset's length may change between epochs."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        n = len(self.data_source)
        generator = self.generator
        if generator is None:
            generator = rushlight.Generator()
            generator.manual_seed(new_seed())
        if self.replacement:
            for done in range(0, self.num_samples, 32):
                yield from rushlight.randint(
                    high=n, size=(min(self.num_samples - done, 32),), dtype=rushlight.int64, generator=generator
                ).tolist()
            return
        whole, rest = divmod(self.num_samples, n) if n else (0, 0)
        for _ in range(whole):
            yield from rushlight.randperm(n, generator=generator).tolist()
        # Also for a rest of 0: the generator is then where PyTorch's is.
        yield from rushlight.randperm(n, generator=generator).tolist()[:rest]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Given indices in random order."""

    indices: Sequence[int]

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        order = rushlight.randperm(len(self.indices), generator=self.generator)
        yield from map(self.indices.__getitem__, order.tolist())

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices drawn in proportion to their weights.

    Args:
        weights: one for each index; they need not sum to one.
        num_samples: how many indices to draw.
        replacement: whether an index may be drawn again.
        generator: the source of randomness.

    Raises:
        ValueError: an argument is out of its range.
    """

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Generator | None = None
    ) -> None:
        owner = type(self).__name__
        _check_count(owner, "num_samples", num_samples)
        _check_bool(owner, "replacement", replacement)
        self.weights = rushlight.as_tensor(weights, dtype=rushlight.double)
        check_argument(
            self.weights.dim() == 1, owner, "weights", "be a sequence of numbers", lambda: repr(weights), ValueError
        )
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        drawn = self.weights.multinomial(self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of ``batch_size`` indices from another sampler; the last may be shorter unless ``drop_last``.

    Raises:
        ValueError: ``batch_size`` is not a positive int, or ``drop_last`` not a bool.
    """

    def __init__(self, sampler: Sampler[Any] | Iterable[Any], batch_size: int, drop_last: bool) -> None:
        owner = type(self).__name__
        _check_count(owner, "batch_size", batch_size)
        _check_bool(owner, "drop_last", drop_last)
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        n = len(self.sampler)  # type: ignore[arg-type]
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)
