"""DataLoader: batches of a dataset, made in this process or in worker processes."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, NoReturn, TypeVar

from rushlight import Generator
from rushlight.autograd.running import in_range
from rushlight.core import locks
from rushlight.core.checks import check_argument, check_type
from rushlight.core.warning import warn

from . import transport
from .collate import default_collate, default_convert
from .dataset import Dataset, IterableDataset
from .kinds import _collate_fn_t, _DatasetKind, _InfiniteConstantSampler  # noqa: F401  where packages look for them
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, new_seed
from .worker import DATA, END, Fetcher, worker_main

__all__ = ["DataLoader"]

T_co = TypeVar("T_co", covariant=True)

_FIXED = frozenset({"batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"})


def _exclude(what: str, others: set[str]) -> None:
    if others:
        raise ValueError(f"DataLoader: {what} leaves no choice of {', '.join(sorted(others))}; found both")


class DataLoader(Generic[T_co]):
    """Iterates over a dataset in batches.

    Args:
        dataset: samples by index, or an IterableDataset.
        batch_size: samples in a batch; None gives single samples.
        shuffle: visit the samples in random order.
        sampler: the order in which to visit them.
        batch_sampler: the batches, as lists of indices.
        num_workers: processes that make batches; 0 makes them in this one.
        collate_fn: makes a batch of a list of samples.
        pin_memory: accepted and not needed without an accelerator.
        drop_last: leave out a last batch that is short.
        timeout: seconds to wait for a worker; 0 waits for ever.
        worker_init_fn: called in each worker with its number, after it was seeded.
        multiprocessing_context: how workers are started: a context or the name of a start method.
        generator: the source of randomness for the order and for the workers' seeds.
        prefetch_factor: batches that each worker makes ahead; 2 unless given.
        persistent_workers: keep the workers from epoch to epoch.
        pin_memory_device: accepted and not needed.
        in_order: give batches in order, rather than as they come.

    Raises:
        ValueError: arguments are out of their range or exclude each other.
    """

    dataset: Any
    batch_size: int | None
    _iterator: _MultiProcessingDataLoaderIter | None = None
    _ready_ = False

    def __init__(
        self,
        dataset: Dataset[T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler[Any] | Iterable[Any] | None = None,
        batch_sampler: Sampler[list[Any]] | Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[T_co]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        parallel = num_workers > 0
        ahead = prefetch_factor is None or (parallel and prefetch_factor >= 1)
        for name, value, expected, ok in (
            ("num_workers", num_workers, "at least 0", num_workers >= 0),
            ("timeout", timeout, "at least 0", timeout >= 0),
            ("prefetch_factor", prefetch_factor, "at least 1 with workers, and None without", ahead),
            ("persistent_workers", persistent_workers, "False without workers", parallel or not persistent_workers),
        ):
            check_argument(ok, "DataLoader", name, f"be {expected}", repr(value), ValueError)
        self._is_stream_ = isinstance(dataset, IterableDataset)
        options = {
            "batch_size": batch_size != 1,
            "shuffle": shuffle,
            "sampler": sampler is not None,
            "batch_sampler": batch_sampler is not None,
            "drop_last": drop_last,
        }
        given = {name for name, there in options.items() if there}
        if self._is_stream_:
            _exclude("an IterableDataset", given & {"shuffle", "sampler", "batch_sampler"})
        if "sampler" in given:
            _exclude("'sampler'", given & {"shuffle"})
        if "batch_sampler" in given:
            _exclude("'batch_sampler'", given - {"batch_sampler"})
            batch_size = None
        elif batch_size is None:
            _exclude("batch_size=None", given & {"drop_last"})
        self.dataset, self.generator = dataset, generator
        self.sampler = self._order_(bool(shuffle)) if sampler is None else sampler
        if batch_size is not None:
            batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)
        self.batch_size, self.batch_sampler, self.drop_last = batch_size, batch_sampler, drop_last
        default = default_convert if batch_sampler is None else default_collate
        self.collate_fn: Callable[[Any], Any] = default if collate_fn is None else collate_fn
        self.num_workers, self.persistent_workers = num_workers, persistent_workers
        self.worker_init_fn, self.multiprocessing_context = worker_init_fn, multiprocessing_context
        self.prefetch_factor = 2 if parallel and prefetch_factor is None else prefetch_factor
        self.timeout, self.in_order = timeout, in_order
        self.pin_memory, self.pin_memory_device = pin_memory, pin_memory_device
        if pin_memory_device:
            warn("DataLoader: 'pin_memory_device' is deprecated, and without effect")
        self._ready_ = True
        if parallel:
            self._warn_of_too_many_workers_()

    def _order_(self, shuffle: bool) -> Sampler[Any]:
        """The order in which samples are visited when none is given."""
        if self._is_stream_:
            return _InfiniteConstantSampler()
        return RandomSampler(self.dataset, generator=self.generator) if shuffle else SequentialSampler(self.dataset)

    def _warn_of_too_many_workers_(self) -> None:
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if self.num_workers > available:
            warnings.warn(
                f"DataLoader: {self.num_workers} workers for {available} processors will get in each other's way",
                stacklevel=4,
            )

    def __setattr__(self, name: str, value: Any) -> None:
        if self._ready_ and name in _FIXED:
            raise ValueError(f"{type(self).__name__}: '{name}' is fixed once the loader is made")
        if name == "multiprocessing_context" and value is not None:
            _check_context(type(self).__name__, value, self.num_workers)
        super().__setattr__(name, value)

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    def _make_fetcher_(self) -> Callable[[], Fetcher]:
        return functools.partial(
            Fetcher, self.dataset, self._is_stream_, self._auto_collation, self.collate_fn, self.drop_last
        )

    def __iter__(self) -> Iterator[Any]:
        if self.pin_memory:
            warn("DataLoader: there is no accelerator to pin memory for; pin_memory=True has no effect")
        if self.num_workers == 0 or not self.persistent_workers:
            made: Iterator[Any] = self._get_iterator()
            return made
        if self._iterator is None or self._iterator.closed:
            self._iterator = self._get_iterator()
        else:
            self._iterator.start_epoch()
        return self._iterator

    def _get_iterator(self) -> Any:
        """A new iterator: what packages put in its place, or do when one is made."""
        return (_MultiProcessingDataLoaderIter if self.num_workers else _SingleProcessDataLoaderIter)(self)

    def __len__(self) -> int:
        if not self._is_stream_:
            return len(self._index_sampler)
        n = len(self.dataset)
        if self.batch_size is None:
            return n
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)


class _BaseDataLoaderIter:
    """What a DataLoader's iterators have in common: to ask `isinstance` for."""

    def __getstate__(self) -> NoReturn:
        raise NotImplementedError(f"{type(self).__name__} cannot be pickled: pickle its DataLoader")


_as_range = in_range(lambda self: f"enumerate(DataLoader)#{type(self).__name__}.__next__")


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Makes batches in this process."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._indices = iter(loader._index_sampler)
        # Not used, but drawn, so that the random numbers that follow do not depend on the number of workers.
        self._base_seed = new_seed(loader.generator)
        self._fetcher = loader._make_fetcher_()()
        self._length = loader

    def __iter__(self) -> _SingleProcessDataLoaderIter:
        return self

    @_as_range
    def __next__(self) -> Any:
        return self._fetcher.fetch(next(self._indices))

    def __len__(self) -> int:
        return len(self._length._index_sampler)


# A forked worker inherits the pipes of every loader at work, not only of its own; it must close them all. So no fork
# comes between the making of pipes and their entry here: ends that may be open in this process, by their id, with the
# inodes of their pipes.
_pipes: dict[int, tuple[Any, int]] = {}
_pipes_lock = locks.Section()


def _check_context(owner: str, context: Any, num_workers: int) -> None:
    """How workers are started must be the name of a start method, or a context, and there must be workers."""
    import multiprocessing
    from multiprocessing.context import BaseContext

    names = multiprocessing.get_all_start_methods()
    if num_workers == 0:
        raise ValueError(f"{owner}: 'multiprocessing_context' is for worker processes; found num_workers=0")
    if isinstance(context, str) and context not in names:
        raise ValueError(f"{owner}: 'multiprocessing_context' must be one of {names}, or a context; found {context!r}")
    check_type(
        owner, "multiprocessing_context", context, (str, BaseContext), "the name of a start method, or a context"
    )


def _close(end: Any) -> None:
    """Close an end of a pipe. Takes no lock, since the garbage collector may ask for it at any time."""
    end.close()
    _pipes.pop(id(end), None)


def _close_inherited(own: tuple[Any, ...]) -> None:
    """In a forked worker: close the ends of all pipes but its own.

    The fork may have come while another thread closed an end. Its number is then nobody's, or that of a pipe made
    since; so what is closed is known by its inode.
    """
    for end, inode in list(_pipes.values()):
        if end.closed or any(end is mine for mine in own):
            continue
        try:
            same = os.fstat(end.fileno()).st_ino == inode
        except OSError:  # closed a moment before the fork
            continue
        if same:
            end.close()


@contextlib.contextmanager
def _garbage_stays() -> Iterator[None]:
    """Nothing is collected from here until the worker has put aside what a fork left it (`worker_main`)."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Has batches made by worker processes.

    Tasks are numbered and go round the workers in turn, so that which worker makes which batch, and hence all random
    numbers, depends on nothing but the seed. A worker has at most ``prefetch_factor`` tasks at a time.
    """

    closed = False
    # of the epoch, which `_begin` begins
    _indices: Iterator[Any]
    _sent: int  # the number of the next task to hand out
    _next: int  # the number of the next batch to give
    _pending: dict[int, int]  # tasks without an answer, and whose they are
    _done: dict[int, tuple[str, Any]]
    _active: list[bool]
    _turn: int
    _exhausted: bool

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._loader = loader
        self._n = loader.num_workers
        self._owner = os.getpid()
        self._timeout = loader.timeout or None
        self._in_order = loader.in_order
        self._epoch = -1
        self._processes: list[Any] = []
        self._tasks: list[Any] = []
        self._results: list[Any] = []
        self._ends: list[Any] = []  # all that may be open in this process
        # a sampler that draws numbers when it is asked does so here and in `_begin`, as in PyTorch
        iter(loader._index_sampler)
        base_seed = new_seed(loader.generator)
        try:
            self._start_workers(base_seed)
        except BaseException:
            self.close()
            raise
        self._begin()

    def _start_workers(self, base_seed: int) -> None:
        import multiprocessing

        context = self._loader.multiprocessing_context
        if context is None:
            context = "fork" if sys.platform == "linux" else None
        if not hasattr(context, "Process"):
            context = multiprocessing.get_context(context)
        forked = context.get_start_method() == "fork"
        for i in range(self._n):
            with _pipes_lock:
                task_reader, task_writer = context.Pipe(duplex=False)
                result_reader, result_writer = context.Pipe(duplex=False)
                ends = (task_writer, result_reader, task_reader, result_writer)
                self._ends += ends
                _pipes.update({id(end): (end, os.fstat(end.fileno()).st_ino if forked else 0) for end in ends})
            self._tasks.append(task_writer)
            self._results.append(result_reader)
            process = context.Process(
                target=worker_main,
                args=(
                    i,
                    self._n,
                    task_reader,
                    result_writer,
                    _close_inherited if forked else None,
                    gc.isenabled(),
                    base_seed,
                    self._loader.dataset,
                    self._loader._make_fetcher_(),
                    self._loader.worker_init_fn,
                ),
                daemon=True,
            )
            with _garbage_stays():
                process.start()
            self._processes.append(process)
            # The worker has these ends now; with ours closed, its death is seen as the end of the stream.
            _close(task_reader)
            _close(result_writer)

    def _begin(self) -> None:
        self._indices = iter(self._loader._index_sampler)
        self._epoch += 1
        self._sent = self._next = 0
        self._pending, self._done = {}, {}
        self._active = [True] * self._n
        self._turn = 0
        self._exhausted = False
        for _ in range(self._n * self._loader.prefetch_factor):  # type: ignore[operator]
            self._hand_out()

    def start_epoch(self) -> None:
        """Begin anew with the same workers; answers to tasks of the epoch before are passed over as they come."""
        for i in range(self._n):
            self._send(i, (self._epoch + 1, None, None))
        self._begin()

    def _send(self, worker: int, task: Any) -> None:
        try:
            self._tasks[worker].send(task)
        except (BrokenPipeError, ConnectionError):
            self._fail_for_dead(worker)

    def _hand_out(self) -> None:
        """Give the next indices, if there are any, to the next worker that is not at its stream's end."""
        if self._exhausted or not any(self._active):
            return
        try:
            indices = next(self._indices)
        except StopIteration:
            self._exhausted = True
            return
        while not self._active[self._turn]:
            self._turn = (self._turn + 1) % self._n
        worker = self._turn
        self._turn = (worker + 1) % self._n
        self._pending[self._sent] = worker
        self._send(worker, (self._epoch, self._sent, indices))
        self._sent += 1

    def _receive(self) -> None:
        """Wait for one answer and file it."""
        from multiprocessing.connection import wait

        waited_for = set(self._pending.values())
        connections = {self._results[i]: i for i in waited_for}
        ready = wait(list(connections), self._timeout)
        if not ready:
            raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
        worker = connections[ready[0]]
        try:
            epoch, number, kind, value = transport.receive(self._results[worker])
        except (EOFError, ConnectionError):
            self._fail_for_dead(worker)
        if epoch != self._epoch:
            return
        del self._pending[number]
        if kind == END:
            self._active[worker] = False
            self._hand_out()
        else:
            self._done[number] = (kind, value)

    def _fail_for_dead(self, worker: int) -> None:
        process = self._processes[worker]
        process.join(5)
        code = process.exitcode
        pid = process.pid
        self.close()
        if code is not None and code < 0:
            import signal

            raise RuntimeError(f"DataLoader worker (pid {pid}) was killed by signal: {signal.strsignal(-code)}")
        raise RuntimeError(f"DataLoader worker (pid {pid}) ended, with exit code {code}, before its work")

    def __iter__(self) -> _MultiProcessingDataLoaderIter:
        return self

    @_as_range
    def __next__(self) -> Any:
        if self.closed:
            raise StopIteration
        while True:
            number = self._pick()
            if number is not None:
                break
            if not self._pending:
                if not self._loader.persistent_workers:
                    self.close()
                raise StopIteration
            try:
                self._receive()
            except BaseException:
                # After a time-out or an interrupt the pipes may hold half a message.
                self.close()
                raise
        kind, value = self._done.pop(number)
        self._hand_out()
        if kind == DATA:
            return value
        value.reraise()

    def _pick(self) -> int | None:
        """The number of an answer that may be given now."""
        if not self._in_order:
            return next(iter(self._done), None)
        # Numbers that are neither here nor awaited were answered by the end of a stream.
        while self._next < self._sent and self._next not in self._pending and self._next not in self._done:
            self._next += 1
        if self._next not in self._done:
            return None
        self._next += 1
        return self._next - 1

    def __len__(self) -> int:
        return len(self._loader._index_sampler)

    def close(self) -> None:
        """Stop the workers."""
        if self.closed or self._owner != os.getpid():  # a forked child has a copy of this object, not the workers
            return
        self.closed = True
        for end in self._ends:
            # A closed pipe tells a worker to stop, wherever it is: waiting for a task or sending an answer.
            _close(end)
        deadline = time.monotonic() + 5
        for process in self._processes:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():  # deep in a sample
                process.terminate()
                process.join()

    _shutdown_workers = close  # what packages call, which PyTorch's has

    def __del__(self) -> None:
        if hasattr(self, "_processes"):
            self.close()
