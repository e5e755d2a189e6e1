"""Pipes with an index."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

import rushlight

from .datapipe import Batches, IterDataPipe, MapDataPipe, functional_datapipe, name_classes, sources

__path__: list[str] = []  # PyTorch has a package here: its modules are namespaces, which compat/places.py lists
__all__ = ["Batcher", "Concater", "Mapper", "SequenceWrapper", "Shuffler", "Zipper"]


class SequenceWrapper(MapDataPipe):
    """A pipe of the items of a sequence, or the values of a mapping.

    Args:
        sequence: what has an index.
        deepcopy: whether to copy it, so that writes to the original do not change the pipe.
    """

    def __init__(self, sequence: Sequence[Any] | Mapping[Any, Any], deepcopy: bool = True) -> None:
        self.sequence = copy.deepcopy(sequence) if deepcopy else sequence

    def __getitem__(self, index: Any) -> Any:
        return self.sequence[index]

    def __len__(self) -> int:
        return len(self.sequence)


@functional_datapipe("map")
class Mapper(MapDataPipe):
    """The function `fn` of each element of the source."""

    def __init__(self, datapipe: MapDataPipe, fn: Callable[[Any], Any] = lambda x: x) -> None:
        self.datapipe, self.fn = datapipe, fn

    def __getitem__(self, index: Any) -> Any:
        return self.fn(self.datapipe[index])

    def __len__(self) -> int:
        return len(self.datapipe)


@functional_datapipe("batch")
class Batcher(Batches, MapDataPipe):
    """Batches of consecutive elements of a pipe with an index."""

    def __getitem__(self, index: int) -> Any:
        n = len(self.datapipe)
        start, end = index * self.batch_size, (index + 1) * self.batch_size
        if not 0 <= start < n or end > n and self.drop_last:
            raise IndexError(f"batch(): index {index} is out of range for {len(self)} batches")
        return self.wrapper_class([self.datapipe[i] for i in range(start, min(end, n))])


class _OfSeveral(MapDataPipe):
    """A pipe of several sources.

    Args:
        datapipes: the sources, at least one.
    """

    _name_: str

    def __init__(self, *datapipes: MapDataPipe) -> None:
        none = f"{self._name_}(): there must be at least one DataPipe; found none"
        others = f"{self._name_}(): all inputs must be MapDataPipes; found others"
        self.datapipes: tuple[MapDataPipe, ...] = sources(MapDataPipe, datapipes, none, others)


@functional_datapipe("concat")
class Concater(_OfSeveral):
    """One pipe after the other."""

    _name_ = "concat"

    def __getitem__(self, index: int) -> Any:
        left = index
        for pipe in self.datapipes:
            n = len(pipe)
            if left < n:
                return pipe[left]
            left -= n
        raise IndexError(f"concat(): index {index} is out of range for {len(self)} elements")

    def __len__(self) -> int:
        return sum(len(d) for d in self.datapipes)


@functional_datapipe("zip")
class Zipper(_OfSeveral):
    """Tuples of an element of each pipe, as many as the shortest has."""

    _name_ = "zip"

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(d[index] for d in self.datapipes)

    def __len__(self) -> int:
        return min(len(d) for d in self.datapipes)


class Shuffled(IterDataPipe):
    """A pipe in random order, which can be turned off, and seeded."""

    _enabled = True
    _seed: int | None = None

    def set_shuffle(self, shuffle: bool = True) -> Self:
        """Whether to shuffle; returns the pipe."""
        self._enabled = shuffle
        return self

    def set_seed(self, seed: int) -> Self:
        """The seed of the next iteration; by default one is drawn from the default generator. Returns the pipe."""
        self._seed = seed
        return self

    def _draw(self) -> random.Random:
        """The numbers of one iteration."""
        seed, self._seed = self._seed, None
        return random.Random(int(rushlight.empty((), dtype=rushlight.int64).random_().item()) if seed is None else seed)


class Shuffler(Shuffled):
    """The elements in random order, a pipe to iterate over.

    Args:
        datapipe: the source.
        indices: those of the source; by default 0 to its length.
    """

    def __init__(self, datapipe: MapDataPipe, *, indices: list[Any] | None = None) -> None:
        self.datapipe = datapipe
        self.indices = list(range(len(datapipe))) if indices is None else indices

    def __iter__(self) -> Iterator[Any]:
        order = self.indices
        if self._enabled:
            order = self._draw().sample(self.indices, len(self.indices))[::-1]
        for i in order:
            yield self.datapipe[i]

    def __len__(self) -> int:
        return len(self.datapipe)


MapDataPipe.register_datapipe_as_function("shuffle", Shuffler)
name_classes(globals(), ("Batcher", "Concater", "Mapper", "SequenceWrapper", "Zipper"), "MapDataPipe")
name_classes(globals(), ("Shuffler",), "IterDataPipe")
