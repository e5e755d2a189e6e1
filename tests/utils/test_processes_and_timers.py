"""rushlight.multiprocessing, distributed's answers, DistributedSampler, benchmark.Timer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight import distributed, multiprocessing
from rushlight.utils import benchmark
from rushlight.utils._pytree import tree_flatten, tree_map_only, tree_unflatten
from rushlight.utils.data import DistributedSampler


def write(rank: int, folder: str, x: Any) -> None:
    (Path(folder) / str(rank)).write_text(str((x * rank).sum().item()))


def fail(rank: int, how: str) -> None:
    if rank == 1:
        if how == "raise":
            raise KeyError("lost")
        os._exit(7)


def test_spawn(tmp_path: Path) -> None:
    x = rushlight.arange(4.0)
    assert multiprocessing.spawn(write, (str(tmp_path), x), nprocs=2) is None
    assert [(tmp_path / str(i)).read_text() for i in range(2)] == ["0.0", "6.0"]
    running = multiprocessing.start_processes(write, (str(tmp_path), x), nprocs=3, join=False, start_method="fork")
    assert running is not None and len(running.pids()) == 3
    while not running.join(timeout=30):
        pass
    assert (tmp_path / "2").read_text() == "12.0"
    with pytest.raises(multiprocessing.ProcessRaisedException, match="KeyError: 'lost'"):
        multiprocessing.start_processes(fail, ("raise",), nprocs=2, start_method="fork")
    with pytest.raises(multiprocessing.ProcessExitedException, match="exit code 7") as error:
        multiprocessing.start_processes(fail, ("exit",), nprocs=2, start_method="fork")
    assert error.value.exit_code == 7 and error.value.error_index == 1
    assert multiprocessing.get_context("spawn").Process and multiprocessing.get_start_method(allow_none=True) in (
        None,
        "fork",
        "spawn",
        "forkserver",
    )
    assert multiprocessing.get_sharing_strategy() == "file_descriptor"


def test_distributed_answers() -> None:
    assert distributed.is_available() and not distributed.is_initialized()
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        distributed.get_rank()


@pytest.mark.parametrize("drop_last", [True, False])
def test_distributed_sampler(drop_last: bool) -> None:
    data = list(range(10))
    parts = [DistributedSampler(data, 3, rank, seed=1, drop_last=drop_last) for rank in range(3)]
    for epoch in range(2):
        for part in parts:
            part.set_epoch(epoch)
        found = [list(part) for part in parts]
        assert {len(f) for f in found} == {len(parts[0])} == {3 if drop_last else 4}
        everything = [i for f in found for i in f]
        assert len(set(everything)) == (9 if drop_last else 10)
    assert list(parts[0]) != found[1]
    assert [list(DistributedSampler(data, 3, r, shuffle=False)) for r in range(3)] == [
        [0, 3, 6, 9],
        [1, 4, 7, 0],
        [2, 5, 8, 1],
    ]
    with pytest.raises(ValueError, match=r"DistributedSampler: 'rank' must be in \[0, 3\); found 3"):
        DistributedSampler(data, 3, 3)
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        DistributedSampler(data)


def test_timer() -> None:
    threads = rushlight.get_num_threads()
    slow = benchmark.Timer(
        "time.sleep(0.002)", setup="import time", label="wait", description="slow"
    ).blocked_autorange(min_run_time=0.05)
    assert 0.002 <= slow.median < 0.02 and slow.number_per_run >= 1 and sum(slow.raw_times) >= 0.05
    quick = benchmark.Timer(
        "x + 1", globals={"x": rushlight.ones(3)}, label="wait", description="quick", num_threads=1
    ).timeit(100)
    assert 0 < quick.mean < slow.mean and rushlight.get_num_threads() == threads
    assert repr(quick).splitlines()[1:3] == ["wait", "quick"] and repr(quick).endswith(
        "  1 measurement, 100 runs , 1 thread"
    )
    spread = benchmark.Measurement(
        10, [1e-3, 1.1e-3, 1.05e-3, 1.2e-3, 2e-3], benchmark.TaskSpec("x = 1\ny = 2", "pass")
    )
    assert repr(spread).splitlines()[1:] == [
        *("stmt:", "  x = 1", "  y = 2", "", "  Median: 110.00 us", "  IQR:    15.00 us (105.00 to 120.00)"),
        *(
            "  5 measurements, 10 runs per measurement, 1 thread",
            "  WARNING: the quartiles are 13.6% of the median apart.",
        ),
    ]
    table = str(benchmark.Compare([slow, quick]))
    assert "- wait -" in table and "slow" in table and "1 threads: ---" in table and "x + 1" in table
    with pytest.raises(NotImplementedError):
        benchmark.Timer("int x;", language="c++")
    with pytest.raises(ValueError, match=r"Timer\(\): 'stmt' must be a str; found function"):
        benchmark.Timer(lambda: 1)  # type: ignore[arg-type]
    with pytest.raises(OSError, match=r"collect_callgrind\(\): rushlight does not start Valgrind"):
        benchmark.Timer("1 + 1").collect_callgrind()


def test_pytree() -> None:
    tree = {"a": [1, (2, None)], "b": rushlight.ones(1)}
    leaves, spec = tree_flatten(tree)
    assert leaves[:3] == [1, 2, None] and tree_unflatten(leaves, spec)["a"] == [1, (2, None)]
    assert tree_map_only(int, lambda v: v + 1, tree["a"]) == [2, (3, None)]
    with pytest.raises(ValueError, match=r"(?s)tree_unflatten\(\): 'leaves' must be 4, .*; found 1"):
        tree_unflatten([1], spec)
