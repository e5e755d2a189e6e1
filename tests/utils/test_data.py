"""DataLoader, datasets and samplers; with worker processes too."""

from __future__ import annotations

import gc
import itertools
import os
import pickle
import signal
import threading
import time
from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.utils import data
from rushlight.utils.data import dataloader

Pair = namedtuple("Pair", "x y")


class Numbers(data.Dataset):
    """0 to 11, with a random number each."""

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> Any:
        return index, rushlight.rand(2)


class Stream(data.IterableDataset):
    """0 to 16, shared out among the workers."""

    def __iter__(self) -> Iterator[int]:
        info = data.get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(first, 17, step))


class Fails(Numbers):
    def __getitem__(self, index: int) -> Any:
        if index == 5:
            raise KeyError("boo")
        return index


class Dies(Numbers):
    def __getitem__(self, index: int) -> Any:
        if index == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return index


class Sleeps(Numbers):
    def __getitem__(self, index: int) -> Any:
        time.sleep(1)
        return index


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_in_order(workers: int) -> None:
    dataset = data.TensorDataset(rushlight.arange(10), rushlight.arange(20.0).reshape(10, 2))
    loader = data.DataLoader(dataset, batch_size=4, num_workers=workers)
    assert len(loader) == 3
    for _ in range(2):
        assert [x.tolist() for x, _ in loader] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert len(list(data.DataLoader(dataset, batch_size=4, num_workers=workers, drop_last=True))) == 2


@pytest.mark.parametrize("persistent", [False, True])
def test_workers_are_seeded(persistent: bool) -> None:
    runs = []
    for _ in range(2):
        rushlight.manual_seed(5)
        loader = data.DataLoader(Numbers(), 4, shuffle=True, num_workers=2, persistent_workers=persistent)
        runs.append([(i.tolist(), r.tolist()) for _ in range(2) for i, r in loader])
    assert runs[0] == runs[1]
    values = [tuple(row) for _, r in runs[0] for row in r]
    assert len(set(values)) == len(values)  # no two workers or epochs draw the same


def test_order_does_not_depend_on_workers() -> None:
    orders = []
    for workers in (0, 2):
        rushlight.manual_seed(1)
        orders.append([i.tolist() for i, _ in data.DataLoader(Numbers(), 5, shuffle=True, num_workers=workers)])
    assert orders[0] == orders[1]


@pytest.mark.parametrize("workers", [0, 1, 3])
@pytest.mark.parametrize("batch_size", [None, 3])
def test_streams(workers: int, batch_size: int | None) -> None:
    found = []
    for batch in data.DataLoader(Stream(), batch_size, num_workers=workers):
        found += batch.tolist() if batch_size else [batch]
    assert sorted(found) == list(range(17))


def test_worker_errors_come_with_their_traceback() -> None:
    with pytest.raises(KeyError, match="Caught KeyError in DataLoader worker process") as caught:
        list(data.DataLoader(Fails(), 2, num_workers=2))
    assert "boo" in str(caught.value) and "__getitem__" in str(caught.value)


def test_worker_death_is_noticed() -> None:
    with pytest.raises(RuntimeError, match="killed by signal"):
        list(data.DataLoader(Dies(), 2, num_workers=2))


def test_timeout() -> None:
    with pytest.raises(RuntimeError, match=r"timed out after 0\.1 seconds"):
        list(data.DataLoader(Sleeps(), 1, num_workers=1, timeout=0.1, prefetch_factor=1))


def test_abandoned_iterator_stops_its_workers() -> None:
    iterator = iter(data.DataLoader(Numbers(), 1, num_workers=2))
    next(iterator)
    processes = list(iterator._processes)
    del iterator
    assert not any(process.is_alive() for process in processes)


def test_tensors_travel_unchanged() -> None:
    class Kinds(data.Dataset):
        def __len__(self) -> int:
            return 1

        def __getitem__(self, index: int) -> Any:
            return [
                rushlight.ones(3, dtype=rushlight.bfloat16),
                rushlight.tensor(True),
                rushlight.zeros(0, 2),
                rushlight.arange(6).reshape(2, 3).t(),
                np.arange(3),
            ]

    here = next(iter(data.DataLoader(Kinds(), None)))
    there = next(iter(data.DataLoader(Kinds(), None, num_workers=1)))
    for a, b in zip(here, there, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape and a.tolist() == b.tolist()
    there[3].add_(1)  # what arrives can be written to


class Unsized(data.Dataset):
    def __getitem__(self, index: int) -> int:
        return index


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_workers": -1}, "DataLoader: 'num_workers' must be at least 0; found -1"),
        ({"timeout": -1}, "DataLoader: 'timeout' must be at least 0; found -1"),
        ({"prefetch_factor": 2}, "DataLoader: 'prefetch_factor' must be .* None without; found 2"),
        ({"prefetch_factor": 0, "num_workers": 1}, "DataLoader: 'prefetch_factor' must be at least 1 .*; found 0"),
        ({"persistent_workers": True}, "DataLoader: 'persistent_workers' must be False without workers"),
        ({"shuffle": True, "sampler": [1]}, "DataLoader: 'sampler' leaves no choice of shuffle"),
        (
            {"batch_sampler": [[1]], "batch_size": 2, "drop_last": True},
            "'batch_sampler' leaves no choice of batch_size, drop_last",
        ),
        ({"batch_size": None, "drop_last": True}, "DataLoader: batch_size=None leaves no choice of drop_last"),
        ({"batch_size": 0}, "BatchSampler: 'batch_size' must be a positive int; found 0"),
    ],
)
def test_bad_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        data.DataLoader(Numbers(), **options)


def test_bad_options_with_a_stream() -> None:
    for options in ({"shuffle": True}, {"sampler": [1]}, {"batch_sampler": [[1]]}):
        with pytest.raises(
            ValueError, match=f"DataLoader: an IterableDataset leaves no choice of {next(iter(options))}"
        ):
            data.DataLoader(Stream(), **options)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (
            lambda: data.RandomSampler(range(3), replacement=1),
            TypeError,
            "RandomSampler: 'replacement' must be a bool; found 1",
        ),
        (
            lambda: data.RandomSampler(range(3), num_samples=0),
            ValueError,
            "RandomSampler: 'num_samples' must be a positive int; found 0",
        ),
        (lambda: data.DataLoader(Unsized(), shuffle=True), TypeError, "no len"),
        (
            lambda: data.WeightedRandomSampler([[1.0]], 1),
            ValueError,
            "WeightedRandomSampler: 'weights' must be a sequence",
        ),
        (
            lambda: data.TensorDataset(rushlight.ones(2), rushlight.ones(3)),
            AssertionError,
            r"'tensors' must be of one length; found \[2, 3\]",
        ),
        (
            lambda: data.StackDataset(),
            ValueError,
            "StackDataset: datasets must be given by position or by name; found none",
        ),
        (lambda: data.StackDataset(range(2), a=range(2)), ValueError, "StackDataset: .* found both"),
        (
            lambda: data.StackDataset(range(2), range(3)),
            ValueError,
            r"StackDataset: 'datasets' must be of one length; found \[2, 3\]",
        ),
        (lambda: data.ConcatDataset([]), AssertionError, "ConcatDataset: 'datasets' must be one or more"),
        (
            lambda: data.ConcatDataset([range(2)])[-3],
            ValueError,
            r"ConcatDataset: 'index' must be in \[-2, 2\); found -3",
        ),
        (
            lambda: list(data.ChainDataset([Numbers()])),
            AssertionError,
            "ChainDataset: each must be an IterableDataset; found Numbers",
        ),
        (lambda: data.random_split(Numbers(), [1.5, -0.5]), ValueError, r"random_split: 'lengths' must be in \[0, 1\]"),
    ],
)
def test_errors_name_class_argument_and_value(make: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make()


def test_default_collate() -> None:
    batch = data.default_collate([{"a": 1, "b": Pair(1.0, "s")}, {"a": 2, "b": Pair(2.0, "t")}])
    assert batch["a"].tolist() == [1, 2] and batch["a"].dtype == rushlight.int64
    assert batch["b"].x.dtype == rushlight.float64 and list(batch["b"].y) == ["s", "t"]
    assert data.default_collate([np.arange(2), np.arange(2)]).shape == (2, 2)
    with pytest.raises(RuntimeError, match=r"collate: the sequences of a batch must have one length; found \[1, 2\]"):
        data.default_collate([[1], [1, 2]])
    with pytest.raises(TypeError, match="default_collate"):
        data.default_collate([object()])


def test_random_split() -> None:
    parts = data.random_split(Numbers(), [0.5, 0.3, 0.2], rushlight.Generator().manual_seed(0))
    assert [len(part) for part in parts] == [7, 3, 2]
    assert sorted(i for part in parts for i in part.indices) == list(range(12))
    with pytest.raises(ValueError, match="random_split: 'lengths' must be parts of 12"):
        data.random_split(Numbers(), [3, 3])


def test_samplers() -> None:
    rushlight.manual_seed(0)
    assert sorted(data.RandomSampler(range(9))) == list(range(9))
    assert len(list(data.RandomSampler(range(9), replacement=True, num_samples=70))) == 70
    assert set(data.WeightedRandomSampler([0.0, 1.0, 0.0], 5)) == {1}
    assert list(data.BatchSampler(range(5), 2, False)) == [[0, 1], [2, 3], [4]]
    assert sorted(data.SubsetRandomSampler([4, 7])) == [4, 7]


def test_dataset_arithmetic() -> None:
    both = Numbers() + Numbers()
    assert len(both) == 24 and both[-1][0] == 11 and both[12][0] == 0
    assert list(Stream() + Stream()) == [*range(17), *range(17)]
    assert data.StackDataset(a=range(3), b=range(3))[1] == {"a": 1, "b": 1}
    assert data.StackDataset(a=range(3), b=range(3)).__getitems__([2, 0]) == [{"a": 2, "b": 2}, {"a": 0, "b": 0}]
    assert data.StackDataset(range(3), range(3)).__getitems__([2]) == [(2, 2)]
    with pytest.raises(IndexError):
        both[24]


def test_loaders_that_end_while_another_starts() -> None:
    """A loader that is collected, or closed in another thread, while a third collects what its workers must close."""
    stop = threading.Event()

    def start_and_end() -> None:
        while not stop.is_set():
            iterator = iter(data.DataLoader(Numbers(), 1, num_workers=1))
            next(iterator)
            del iterator

    other = threading.Thread(target=start_and_end)
    other.start()
    try:
        for _ in range(12):
            assert len(list(data.DataLoader(Numbers(), 4, num_workers=2))) > 0
    finally:
        stop.set()
        other.join()


def test_a_worker_starts_while_a_pipe_is_closed() -> None:
    """A fork between the closing of another loader's pipe and the mark that it is closed: its number may be a new
    pipe's by then.
    """
    first = iter(data.DataLoader(Numbers(), 1, num_workers=1))
    assert isinstance(first, dataloader._MultiProcessingDataLoaderIter)
    number = first._tasks[0].fileno()
    os.close(number)
    try:
        assert len(list(data.DataLoader(Numbers(), 4, num_workers=2))) == 3
    finally:
        null = os.open(os.devnull, os.O_RDONLY)
        if null != number:
            os.dup2(null, number)
            os.close(null)
        first.close()


class _Restarting:
    """An iterator that begins anew whenever it is asked for an iterator."""

    def __iter__(self) -> Iterator[int]:
        self.left = iter(range(7))
        return self

    def __next__(self) -> int:
        return next(self.left)


class _RestartingStream(data.IterableDataset):
    def __iter__(self) -> Iterator[int]:
        return iter(_Restarting())


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("drop_last", [False, True])
def test_a_stream_is_asked_for_an_iterator_once(workers: int, drop_last: bool) -> None:
    loader = data.DataLoader(_RestartingStream(), batch_size=3, num_workers=workers, drop_last=drop_last)
    expected = [[0, 1, 2], [3, 4, 5], [6]]
    assert [batch.tolist() for batch in itertools.islice(loader, 5)] == expected[: 2 if drop_last else 3]


@pytest.mark.parametrize(("workers", "persistent", "made"), [(0, False, 2), (1, False, 2), (1, True, 1)])
def test_a_class_may_make_the_iterator(workers: int, persistent: bool, made: int) -> None:
    class Counting(data.DataLoader[int]):
        count = 0

        def _get_iterator(self) -> Any:
            Counting.count += 1
            return super()._get_iterator()

    loader = Counting(range(4), num_workers=workers, persistent_workers=persistent)  # type: ignore[arg-type]
    assert [len(list(loader)) for _ in range(2)] == [4, 4]
    assert Counting.count == made


def test_workers_are_stopped_by_name() -> None:
    loader = data.DataLoader(Numbers(), batch_size=3, num_workers=1, persistent_workers=True)
    batches = iter(loader)
    next(batches)
    processes = batches._processes  # type: ignore[attr-defined]
    with pytest.raises(NotImplementedError, match="_MultiProcessingDataLoaderIter cannot be pickled"):
        pickle.dumps(batches)
    batches._shutdown_workers()  # type: ignore[attr-defined]
    assert not any(process.is_alive() for process in processes)
    assert len(list(loader)) == 4


class Collecting(data.Dataset):
    """Collects garbage, and gives what was noted when it went."""

    def __init__(self, noted: list[int]) -> None:
        self.noted = noted

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> int:
        gc.collect()
        return len(self.noted)


def test_workers_leave_the_garbage_of_the_main_process_alone() -> None:
    """An object may wait for threads when it goes, which a worker does not have: FFmpeg's codecs do."""

    class Cycle:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            noted.append(os.getpid())

    noted: list[int] = []
    gc.collect()
    gc.disable()
    try:
        Cycle()
        assert list(data.DataLoader(Collecting(noted), num_workers=2, batch_size=None)) == [0, 0]
        assert not gc.isenabled()
    finally:
        gc.enable()
    gc.collect()
    assert noted == [os.getpid()]
