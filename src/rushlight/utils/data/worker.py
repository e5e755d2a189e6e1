"""What a DataLoader's worker process does."""

from __future__ import annotations

import gc
import queue
import random
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import rushlight

from . import transport
from .dataset import items_at

__all__ = ["WorkerInfo", "get_worker_info"]

# Kinds of reply.
DATA, END, ERROR = "data", "end", "error"


class WorkerInfo:
    """Who a worker is: ``id``, ``num_workers``, ``seed`` and its copy of the ``dataset``. It cannot be changed."""

    id: int
    num_workers: int
    seed: int
    dataset: Any

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: Any) -> None:
        raise RuntimeError(f"Cannot assign attributes to {type(self).__name__} objects")

    def __repr__(self) -> str:
        items = ", ".join(f"{name}={value}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({items})"


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Return who the worker process is that this is called in; None in the main process."""
    return _info


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """Four numbers of 32 bits to seed NumPy with, of their own for each worker of each loader: NumPy's `SeedSequence`
    of both (M. E. O'Neill's seed_seq).
    """
    from numpy.random import SeedSequence

    seeds = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32 & 0xFFFFFFFF, 0]
    return [int(n) for n in SeedSequence(seeds).generate_state(4)]


class Fetcher:
    """Turns indices into a batch.

    Args:
        dataset: the dataset.
        iterable: whether it is a stream.
        batched: whether the indices are lists, to be collated.
        collate_fn: makes a batch of a list of samples (or converts a single one).
        drop_last: whether a stream's short last batch is left out.
    """

    def __init__(
        self, dataset: Any, iterable: bool, batched: bool, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> None:
        self.dataset, self.batched, self.collate_fn, self.drop_last = dataset, batched, collate_fn, drop_last
        self.stream = iter(dataset) if iterable else None
        self.ended = False

    def fetch(self, indices: Any) -> Any:
        """Return the batch; StopIteration when the stream has ended."""
        if self.stream is not None:
            found = self._next(self.stream, indices)
        else:
            found = items_at(self.dataset, indices) if self.batched else self.dataset[indices]
        return self.collate_fn(found)

    def _next(self, stream: Iterator[Any], indices: Any) -> Any:
        """As many of the stream's next samples as there are indices."""
        if self.ended:
            raise StopIteration
        if not self.batched:
            return next(stream)
        samples: list[Any] = []
        try:  # asked by `next` alone: a stream that is its own iterator may begin anew when `iter` is called
            while len(samples) < len(indices):
                samples.append(next(stream))
        except StopIteration:
            self.ended = True
        if not samples or (self.ended and self.drop_last):
            raise StopIteration
        return samples


def seed_worker(base_seed: int, worker_id: int) -> None:
    """Seed this process's generators: Python's, rushlight's and, where it is loaded, NumPy's."""
    random.seed(base_seed + worker_id)
    rushlight.manual_seed(base_seed + worker_id)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(_generate_state(base_seed, worker_id))


def _read_tasks(tasks: Any, inbox: queue.SimpleQueue[Any], parent: Any) -> None:
    """Move tasks from the pipe to memory.

    The main process must never wait for a worker to take a task while that worker waits for it to take a result; so a
    thread always listens. It also notices when the main process is gone.
    """
    while True:
        try:
            while not tasks.poll(2.0):
                if parent is not None and not parent.is_alive():
                    inbox.put(None)
                    return
            task = tasks.recv()
        except (EOFError, OSError):
            task = None
        inbox.put(task)
        if task is None:
            return


def worker_main(
    worker_id: int,
    num_workers: int,
    tasks: Any,
    results: Any,
    close_inherited: Callable[[tuple[Any, ...]], None] | None,
    collect: bool,
    base_seed: int,
    dataset: Any,
    make_fetcher: Callable[[], Fetcher],
    init_fn: Callable[[int], None] | None,
) -> None:
    """Answer tasks until asked to stop.

    Args:
        worker_id, num_workers: which worker of how many.
        tasks: the pipe's end for ``(epoch, number, indices)``; ``(epoch, None, None)`` starts an epoch, None ends all.
        results: the pipe's end for ``(epoch, number, kind, value)``.
        close_inherited: closes the pipe ends that a fork left open here, but the two given: while one is open, nobody
        sees that
            the main process is gone.
        collect: whether garbage is collected.
        base_seed: what the worker's seed is counted from.
        dataset: the dataset.
        make_fetcher: makes a Fetcher, anew for each epoch.
        init_fn: the user's function to call first.
    """
    global _info
    import multiprocessing

    # What was garbage before a fork is the main process's: an object that waits for threads of its own when it goes, as
    # FFmpeg's codecs do, would wait for ever here, where they are not.
    gc.freeze()
    if collect:
        gc.enable()
    if close_inherited is not None:
        close_inherited((tasks, results))
    where = f"in DataLoader worker process {worker_id}"
    rushlight.set_num_threads(1)  # the other processors belong to the other workers
    seed = base_seed + worker_id
    seed_worker(base_seed, worker_id)
    _info = WorkerInfo(id=worker_id, num_workers=num_workers, seed=seed, dataset=dataset)
    inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
    listener = threading.Thread(target=_read_tasks, args=(tasks, inbox, multiprocessing.parent_process()), daemon=True)
    listener.start()
    fetcher: Fetcher | None = None
    broken: transport.RemoteError | None = None
    reply: tuple[str, Any]
    try:
        try:
            if init_fn is not None:
                init_fn(worker_id)
            fetcher = make_fetcher()
        except Exception as error:
            broken = transport.RemoteError(where, error)
        ended = False
        while (task := inbox.get()) is not None:
            epoch, number, indices = task
            if number is None:
                ended = False
                try:
                    fetcher = make_fetcher()
                except Exception as error:
                    broken = transport.RemoteError(where, error)
                continue
            if broken is not None:
                reply = (ERROR, broken)
                broken = None
            elif ended or fetcher is None:
                reply = (END, None)
            else:
                try:
                    reply = (DATA, fetcher.fetch(indices))
                except StopIteration as error:
                    ended = fetcher.stream is not None
                    # From a dataset with indices it is an error like another.
                    reply = (END, None) if ended else (ERROR, transport.RemoteError(where, error))
                except Exception as error:
                    reply = (ERROR, transport.RemoteError(where, error))
            try:
                transport.send(results, (epoch, number, *reply))
            except (BrokenPipeError, ConnectionError):
                return
            except Exception as error:  # the sample cannot be pickled; nothing of it was written yet
                transport.send(results, (epoch, number, ERROR, transport.RemoteError(where, error)))
    except KeyboardInterrupt:
        return  # the main process got it too, and reports it
    except (BrokenPipeError, ConnectionError):
        return
