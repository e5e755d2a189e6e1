"""Pipes to iterate over."""

from __future__ import annotations

import copy
import fnmatch
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rushlight.core.checks import check_argument
from rushlight.utils.data.collate import default_collate
from rushlight.utils.data.sampler import SequentialSampler
from rushlight.utils.data.worker import get_worker_info

from .datapipe import Batches, DataChunk, IterDataPipe, column, functional_datapipe, name_classes, sources, with_column
from .map import Shuffled

__path__: list[str] = []  # PyTorch has a package here: its modules are namespaces, which compat/places.py lists
__all__ = [
    "Batcher",
    "Collator",
    "Concater",
    "Demultiplexer",
    "FileLister",
    "FileOpener",
    "Filter",
    "Forker",
    "Grouper",
    "IterableWrapper",
    "Mapper",
    "Multiplexer",
    "Sampler",
    "ShardingFilter",
    "Shuffler",
    "StreamReader",
    "UnBatcher",
    "Zipper",
]


def _length(pipe: Any) -> int:
    return len(pipe)


class IterableWrapper(IterDataPipe):
    """A pipe of what an iterable gives.

    Args:
        iterable: iterated over anew each time.
        deepcopy: whether each time a copy is.
    """

    def __init__(self, iterable: Iterable[Any], deepcopy: bool = True) -> None:
        self.iterable, self.deepcopy = iterable, deepcopy

    def __iter__(self) -> Iterator[Any]:
        yield from copy.deepcopy(self.iterable) if self.deepcopy else self.iterable

    def __len__(self) -> int:
        return _length(self.iterable)


class _OfOne(IterDataPipe):
    """A pipe with a source of its length.

    Args:
        datapipe: the source.
    """

    def __init__(self, datapipe: Iterable[Any]) -> None:
        self.datapipe = datapipe

    def __len__(self) -> int:
        return _length(self.datapipe)


@functional_datapipe("map")
class Mapper(_OfOne):
    """A function of each element.

    Args:
        datapipe: the source.
        fn: of an element, or of those columns that are named.
        input_col: an index, a key, or several; None: the whole element.
        output_col: where the result goes: -1 for one more at the end; by default in the place of the first input.
    """

    def __init__(
        self, datapipe: Iterable[Any], fn: Callable[..., Any], input_col: Any = None, output_col: Any = None
    ) -> None:
        super().__init__(datapipe)
        if input_col is None and output_col is not None:
            raise ValueError("map(): 'output_col' must be None where 'input_col' is")
        self.fn, self.input_col, self.output_col = fn, input_col, output_col

    def __iter__(self) -> Iterator[Any]:
        for data in self.datapipe:
            yield with_column(data, column(self.fn, data, self.input_col), self.input_col, self.output_col)


@functional_datapipe("filter")
class Filter(IterDataPipe):
    """The elements of which a function is true.

    Args:
        datapipe: the source.
        filter_fn: of an element, or of those columns that are named; a bool.
        input_col: as `map`'s.
    """

    def __init__(self, datapipe: Iterable[Any], filter_fn: Callable[..., bool], input_col: Any = None) -> None:
        self.datapipe, self.filter_fn, self.input_col = datapipe, filter_fn, input_col

    def __iter__(self) -> Iterator[Any]:
        for data in self.datapipe:
            kept = column(self.filter_fn, data, self.input_col)
            if not isinstance(kept, bool):
                raise ValueError(f"filter(): Boolean output is required for `filter_fn`; found a {type(kept).__name__}")
            if kept:
                yield data


@functional_datapipe("batch")
class Batcher(Batches, IterDataPipe):
    """Batches of consecutive elements of a pipe to iterate over."""

    def __iter__(self) -> Iterator[Any]:
        batch: list[Any] = []
        for x in self.datapipe:
            batch.append(x)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)


@functional_datapipe("unbatch")
class UnBatcher(IterDataPipe):
    """The elements of batches.

    Args:
        datapipe: the source.
        unbatch_level: how many levels of lists to open, -1 for all.
    """

    def __init__(self, datapipe: Iterable[Any], unbatch_level: int = 1) -> None:
        self.datapipe, self.unbatch_level = datapipe, unbatch_level

    def __iter__(self) -> Iterator[Any]:
        if self.unbatch_level < -1:
            raise ValueError(f"unbatch(): 'unbatch_level' must be -1 or more; found {self.unbatch_level}")
        for element in self.datapipe:
            yield from self._opened(element, self.unbatch_level)

    def _opened(self, element: Any, level: int) -> Iterator[Any]:
        if level == 0:
            yield element
        elif not isinstance(element, list):
            if level > 0:
                raise IndexError(f"unbatch(): 'unbatch_level' {self.unbatch_level} exceeds the depth of the DataPipe")
            yield element
        else:
            for item in element:
                yield from self._opened(item, level - 1 if level > 0 else level)


@functional_datapipe("collate")
class Collator(_OfOne):
    """Batches made tensors.

    Args:
        datapipe: the source, of batches.
        conversion: a function of a batch, in the place of collate_fn.
        collate_fn: a function of a batch; default utils.data.default_collate.
    """

    def __init__(
        self, datapipe: Iterable[Any], conversion: Any = default_collate, collate_fn: Callable[..., Any] | None = None
    ) -> None:
        super().__init__(datapipe)
        if collate_fn is None and not callable(conversion):
            raise NotImplementedError("collate(): a 'conversion' by columns is not there; give 'collate_fn'")
        self.collate_fn = conversion if collate_fn is None else collate_fn

    def __iter__(self) -> Iterator[Any]:
        for batch in self.datapipe:
            yield self.collate_fn(batch)


@functional_datapipe("shuffle")
class Shuffler(Shuffled, _OfOne):
    """The elements in random order, by way of a buffer.

    Args:
        datapipe: the source.
        buffer_size: how many elements the next is drawn of.
        unbatch_level: levels of batches to open first.
    """

    def __init__(self, datapipe: IterDataPipe, *, buffer_size: int = 10000, unbatch_level: int = 0) -> None:
        check_argument(buffer_size > 0, "shuffle()", "buffer_size", "be at least 1", buffer_size, ValueError)
        super().__init__(datapipe if unbatch_level == 0 else datapipe.unbatch(unbatch_level=unbatch_level))
        self.buffer_size = buffer_size

    def __iter__(self) -> Iterator[Any]:
        if not self._enabled:
            yield from self.datapipe
            return
        draw = self._draw()
        buffer: list[Any] = []
        for x in self.datapipe:
            if len(buffer) < self.buffer_size:
                buffer.append(x)
            else:
                i = draw.randint(0, len(buffer) - 1)
                out, buffer[i] = buffer[i], x
                yield out
        while buffer:
            yield buffer.pop(draw.randint(0, len(buffer) - 1))


class Sampler(IterDataPipe):
    """The elements that a sampler chooses.

    Args:
        datapipe: the source, which has a length.
        sampler: a class of samplers.
        sampler_args, sampler_kwargs: its arguments other than the source.
    """

    def __init__(
        self,
        datapipe: Iterable[Any],
        sampler: Any = SequentialSampler,
        sampler_args: tuple[Any, ...] | None = None,
        sampler_kwargs: dict[str, Any] | None = None,
    ) -> None:
        self.datapipe = datapipe
        self.sampler = sampler(*(sampler_args or ()), data_source=datapipe, **(sampler_kwargs or {}))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.sampler)

    def __len__(self) -> int:
        return _length(self.sampler)


@functional_datapipe("sharding_filter")
class ShardingFilter(IterDataPipe):
    """Every n-th element: of the share that was set, in a DataLoader's worker the worker's.

    Args:
        source_datapipe: the source.
        sharding_group_filter: accepted.
    """

    def __init__(self, source_datapipe: Any, sharding_group_filter: Any = None) -> None:
        self.source_datapipe, self.sharding_group_filter = source_datapipe, sharding_group_filter
        self._share: tuple[int, int] | None = None

    def apply_sharding(self, num_of_instances: int, instance_id: int, sharding_group: Any = None) -> None:
        """Keep the elements whose number leaves `instance_id` when divided by `num_of_instances`.

        Raises:
            ValueError: there is no such instance.
        """
        if instance_id >= num_of_instances:
            raise ValueError(
                f"apply_sharding(): instance_id({instance_id}) should be smaller than num_of_instances"
                f"({num_of_instances})"
            )
        self._share = (num_of_instances, instance_id)

    def _of(self) -> tuple[int, int]:
        worker = get_worker_info()
        return self._share or ((1, 0) if worker is None else (worker.num_workers, worker.id))

    def __iter__(self) -> Iterator[Any]:
        n, own = self._of()
        for i, item in enumerate(self.source_datapipe):
            if i % n == own:
                yield item

    def __len__(self) -> int:
        n, own = self._of()
        length = _length(self.source_datapipe)
        return length // n + (own < length % n)


class _OfSeveral(IterDataPipe):
    """A pipe of several sources.

    Args:
        datapipes: the sources, at least one.
    """

    def __init__(self, *datapipes: Any) -> None:
        name = type(self).__name__
        none = f"{name}(): expected at least one DataPipe; found none"
        others = f"{name}(): expected all inputs to be IterDataPipes; found others"
        self.datapipes = sources(IterDataPipe, datapipes, none, others)


@functional_datapipe("concat")
class Concater(_OfSeveral):
    """One pipe after the other."""

    def __iter__(self) -> Iterator[Any]:
        for pipe in self.datapipes:
            yield from pipe

    def __len__(self) -> int:
        return sum(map(_length, self.datapipes))


@functional_datapipe("zip")
class Zipper(_OfSeveral):
    """Tuples of an element of each pipe, until one ends."""

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        yield from zip(*self.datapipes, strict=False)

    def __len__(self) -> int:
        return min(map(_length, self.datapipes))


@functional_datapipe("mux")
class Multiplexer(_OfSeveral):
    """An element of each pipe in turn, until one ends."""

    def __iter__(self) -> Iterator[Any]:
        for row in zip(*self.datapipes, strict=False):
            yield from row

    def __len__(self) -> int:
        return min(map(_length, self.datapipes)) * len(self.datapipes)


class _Run:
    """One pass of the branches of a fork through its source: what a branch has not read yet waits for it."""

    def __init__(self, source: Any, branches: int) -> None:
        self.source = iter(source)
        self.waiting: list[deque[Any]] = [deque() for _ in range(branches)]
        self.begun: set[int] = set()


class _Branches:
    """The source of several branches.

    Args:
        source: the pipe.
        branches: how many.
        buffer_size: how many elements may wait, -1 for any number.
        which: of an element, the branches that get it.
        name: of the operation, for errors.
    """

    def __init__(
        self, source: Any, branches: int, buffer_size: int, which: Callable[[Any], Iterable[int]], name: str
    ) -> None:
        check_argument(branches >= 1, f"{name}()", "num_instances", "be at least 1", branches, ValueError)
        if not (buffer_size == -1 or buffer_size > 0):
            raise ValueError(f"{name}(): 'buffer_size' must be -1, or at least 1; found {buffer_size}")
        self.source, self.branches, self.buffer_size, self.which, self.name = source, branches, buffer_size, which, name
        self.run = _Run(source, 0)

    def read(self, branch: int) -> Iterator[Any]:
        """The elements of a branch; one that is read again begins a new pass for all."""
        if not self.run.waiting or branch in self.run.begun:
            self.run = _Run(self.source, self.branches)
        run = self.run
        run.begun.add(branch)
        while True:
            while run.waiting[branch]:
                yield run.waiting[branch].popleft()
            try:
                item = next(run.source)
            except StopIteration:
                return
            for b in self.which(item):
                run.waiting[b].append(item)
            if 0 < self.buffer_size < max(map(len, run.waiting)):
                raise BufferError(
                    f"{self.name}(): one branch is {self.buffer_size} elements ahead of another, which is all that "
                    "'buffer_size' lets wait"
                )


class _Branch(IterDataPipe):
    """One branch of a fork.

    Args:
        branches: the fork.
        number: which of them.
        sized: whether it has the source's length.
    """

    def __init__(self, branches: _Branches, number: int, sized: bool) -> None:
        self.main_datapipe, self.instance_id, self.sized = branches, number, sized

    def __iter__(self) -> Iterator[Any]:
        return self.main_datapipe.read(self.instance_id)

    def __len__(self) -> int:
        if not self.sized:
            raise TypeError("a branch that gets some of the elements has no length before they are read")
        return _length(self.main_datapipe.source)


def Forker(datapipe: Iterable[Any], num_instances: int, buffer_size: int = 1000, copy: str | None = None) -> list[Any]:
    """Pipes that each give all elements of one.

    Args:
        datapipe: the source.
        num_instances: how many.
        buffer_size: how far one may be ahead of another, -1 for any number.
        copy: None: all give the same objects; "shallow" and "deep": copies of them.
    """
    copies: dict[str | None, Callable[[Any], Any]] = {"shallow": _shallow, "deep": _deep}
    if copy is not None and copy not in copies:
        raise ValueError(f"fork(): 'copy' must be None, 'shallow' or 'deep'; found {copy!r}")
    everywhere = range(num_instances)
    shared = _Branches(datapipe, num_instances, buffer_size, lambda item: everywhere, "fork")
    pipes: list[Any] = [_Branch(shared, i, True) for i in everywhere]
    return pipes if copy is None else [Mapper(p, copies[copy]) for p in pipes]


def _shallow(x: Any) -> Any:
    return copy.copy(x)


def _deep(x: Any) -> Any:
    return copy.deepcopy(x)


def Demultiplexer(
    datapipe: Iterable[Any],
    num_instances: int,
    classifier_fn: Callable[[Any], int | None],
    drop_none: bool = False,
    buffer_size: int = 1000,
) -> list[Any]:
    """Pipes that share the elements of one among them.

    Args:
        datapipe: the source.
        num_instances: how many.
        classifier_fn: of an element, the number of the pipe that gets it.
        drop_none: whether it may be None: none gets it.
        buffer_size: how many elements may wait, -1 for any number.
    """

    def which(item: Any) -> tuple[int, ...]:
        found = classifier_fn(item)
        if found is None and drop_none:
            return ()
        if found is None or not 0 <= found < num_instances:
            raise ValueError(
                f"demux(): Output of the classification fn should be between 0 and {num_instances - 1}; found {found}"
            )
        return (found,)

    shared = _Branches(datapipe, num_instances, buffer_size, which, "demux")
    return [_Branch(shared, i, False) for i in range(num_instances)]


IterDataPipe.register_function("fork", Forker)
IterDataPipe.register_function("demux", Demultiplexer)


@functional_datapipe("groupby")
class Grouper(IterDataPipe):
    """Lists of elements of one key.

    Args:
        datapipe: the source.
        group_key_fn: of an element, its key.
        keep_key: whether to give pairs (key, list).
        buffer_size: how many elements may wait; when it is full, the largest group goes on.
        group_size: how many are a group; None: as many as there are.
        guaranteed_group_size: how many a group that goes on for want of room must have.
        drop_remaining: whether to leave out those that have fewer, rather than raise an error.
    """

    def __init__(
        self,
        datapipe: Iterable[Any],
        group_key_fn: Callable[[Any], Any],
        *,
        keep_key: bool = False,
        buffer_size: int = 10000,
        group_size: int | None = None,
        guaranteed_group_size: int | None = None,
        drop_remaining: bool = False,
    ) -> None:
        if guaranteed_group_size is None:
            guaranteed_group_size = group_size if drop_remaining else None
        elif group_size is None or not 0 < guaranteed_group_size <= group_size:
            raise ValueError(
                "groupby(): 'guaranteed_group_size' must be at least 1 and at most 'group_size'; found "
                f"{guaranteed_group_size} and {group_size}"
            )
        self.datapipe, self.group_key_fn, self.keep_key, self.buffer_size = (
            datapipe,
            group_key_fn,
            keep_key,
            buffer_size,
        )
        self.group_size, self.guaranteed_group_size, self.drop_remaining = (
            group_size,
            guaranteed_group_size,
            drop_remaining,
        )

    def _given(self, key: Any, group: list[Any]) -> tuple[Any, DataChunk] | DataChunk:
        return (key, DataChunk(group)) if self.keep_key else DataChunk(group)

    def __iter__(self) -> Iterator[Any]:
        groups: dict[Any, list[Any]] = {}
        waiting = 0
        for x in self.datapipe:
            key = self.group_key_fn(x)
            groups.setdefault(key, []).append(x)
            waiting += 1
            if self.group_size is not None and len(groups[key]) == self.group_size:
                waiting -= self.group_size
                yield self._given(key, groups.pop(key))
            if waiting == self.buffer_size:
                largest = max(groups, key=lambda k: len(groups[k]))
                group = groups.pop(largest)
                waiting -= len(group)
                if len(group) >= (self.guaranteed_group_size or 0):
                    yield self._given(largest, group)
                elif not self.drop_remaining:
                    raise RuntimeError(
                        f"groupby(): the buffer is full, and its largest group has {len(group)} elements, fewer than "
                        f"'guaranteed_group_size', {self.guaranteed_group_size}"
                    )
        while groups:
            largest = max(groups, key=lambda k: len(groups[k]))
            yield self._given(largest, groups.pop(largest))


class _OfFiles(IterDataPipe):
    """A pipe of files, whose number may be given."""

    length: int

    def __len__(self) -> int:
        if self.length < 0:
            raise TypeError("a pipe of files has no length before they are listed")
        return self.length


@functional_datapipe("list_files")
class FileLister(_OfFiles):
    """The paths of the files in folders.

    Args:
        root: a folder, several, or a pipe of them.
        masks: patterns that a file's name must fit one of; none: all files.
        recursive: whether to enter folders.
        abspath: whether to give whole paths.
        non_deterministic: accepted; files come in order.
        length: how many there are, if known.
    """

    def __init__(
        self,
        root: Any = ".",
        masks: str | list[str] = "",
        *,
        recursive: bool = False,
        abspath: bool = False,
        non_deterministic: bool = False,
        length: int = -1,
    ) -> None:
        self.datapipe = [root] if isinstance(root, (str, os.PathLike)) else root
        self.masks = [masks] if isinstance(masks, str) else list(masks)
        self.recursive, self.abspath, self.length = recursive, abspath, length

    def __iter__(self) -> Iterator[str]:
        for root in self.datapipe:
            for folder, folders, files in os.walk(os.path.abspath(root) if self.abspath else root):
                folders.sort()
                for name in sorted(files):
                    if self.masks in ([""], []) or any(fnmatch.fnmatch(name, m) for m in self.masks):
                        yield os.path.join(folder, name)
                if not self.recursive:
                    break


@functional_datapipe("open_files")
class FileOpener(_OfFiles):
    """Pairs of a path and the file, open.

    Args:
        datapipe: paths.
        mode, encoding: as open()'s.
        length: how many there are, if known.
    """

    def __init__(self, datapipe: Iterable[Any], mode: str = "r", encoding: str | None = None, length: int = -1) -> None:
        if mode not in ("b", "t", "rb", "rt", "r"):
            raise ValueError(f"open_files(): 'mode' must be one of b, t, rb, rt and r; found {mode!r}")
        self.datapipe, self.mode, self.encoding = datapipe, mode if "r" in mode else "r" + mode, encoding
        self.length = length

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        for path in self.datapipe:
            yield path, open(path, self.mode, encoding=self.encoding)  # the consumer closes it


@functional_datapipe("read_from_stream")
class StreamReader(IterDataPipe):
    """Pairs of a path and what its file holds, at once or in pieces.

    Args:
        datapipe: pairs of a path and an open file.
        chunk: the size of a piece; None: all.
    """

    def __init__(self, datapipe: Iterable[Any], chunk: int | None = None) -> None:
        self.datapipe, self.chunk = datapipe, chunk

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        for path, stream in self.datapipe:
            with stream:
                while piece := stream.read(-1 if self.chunk is None else self.chunk):
                    yield path, piece


name_classes(globals(), __all__, "IterDataPipe")
