"""Memory lives as long as anything that can see it, no size wraps, nothing unfinished can be used, and no sequence is
believed; each in its own process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import rushlight as rl

HERE = Path(__file__).parent
# By hand: RUSHLIGHT_HUGE=0 for every number in every place (hours), RUSHLIGHT_LIARS=500, RUSHLIGHT_LIFETIMES=2 (pairs
# of changes), RUSHLIGHT_UNFINISHED=500.
HUGE = os.environ.get("RUSHLIGHT_HUGE", "1200")
LIARS = os.environ.get("RUSHLIGHT_LIARS", "6")
LIFETIMES = os.environ.get("RUSHLIGHT_LIFETIMES", "1")
UNFINISHED = os.environ.get("RUSHLIGHT_UNFINISHED", "3")


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a script of this folder in an empty one, where its calls of anything may write files."""

    def run(script: str, *args: str, guard: str = "") -> subprocess.CompletedProcess[str]:
        env = dict(os.environ, PYTHONFAULTHANDLER="1", TMPDIR=str(tmp_path))
        if guard:
            env["RUSHLIGHT_GUARD"] = guard
        return subprocess.run(
            [sys.executable, str(HERE / script), *args],
            env=env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            errors="replace",
        )

    return run


def fine(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, f"{done.returncode}: {done.stdout[-3000:]}\n{done.stderr[-3000:]}"


@pytest.mark.parametrize("guard", ["end", "start"])
def test_memory_outlives_what_was_exported(run: Run, guard: str) -> None:
    fine(run("lifetimes.py", LIFETIMES, guard=guard))


@pytest.mark.parametrize(("guard", "seed"), [("end", "0"), ("start", "1")])
def test_sequences_that_lie(run: Run, guard: str, seed: str) -> None:
    fine(run("liars.py", LIARS, seed, guard=guard))


def test_numbers_at_the_limits(run: Run) -> None:
    fine(run("huge.py", HUGE, "0"))


@pytest.mark.parametrize("part", range(2))
def test_unfinished_instances(run: Run, part: int) -> None:
    names = run("unfinished.py").stdout.split()
    assert "rushlight.core.tensor.Tensor" in names and len(names) > 30
    for name in names[part::2]:
        done = run("unfinished.py", name, UNFINISHED, str(part))
        assert done.returncode == 0, f"{name} ends with {done.returncode}: {done.stderr[-2000:]}"


def test_storages_move_under_their_tensors() -> None:
    x = rl.arange(10.0)
    view = x[3:]
    s = x.untyped_storage()
    s.resize_(4000)
    assert s is view.untyped_storage() and view.storage_offset() == 3 and view.tolist() == list(range(3, 10))
    x[4] = 50.0
    assert view[1].item() == 50.0 and view.data_ptr() == x.data_ptr() + 12 == s.data_ptr() + 12
    assert view.as_strided((997,), (1,)).shape == (997,)
    y = rl.ones(3)
    part = y[1:]
    y.resize_(1000)
    y[1] = 7
    assert part.tolist() == [7, 1] and part.untyped_storage() is y.untyped_storage()
    s.resize_(16)
    with pytest.raises(RuntimeError, match="made smaller"):
        x.tolist()
    assert x[:4].tolist() == [0, 1, 2, 3]


def test_storages_of_bad_sizes() -> None:
    for call in (
        lambda: rl.UntypedStorage(-1),
        lambda: rl.UntypedStorage(4).resize_(-5),
        lambda: rl.UntypedStorage(4).resize_(1 << 63),
    ):
        with pytest.raises(RuntimeError):
            call()
    with pytest.raises(TypeError):
        rl.UntypedStorage(2.5)
    with pytest.raises(MemoryError):
        rl.UntypedStorage(4).resize_(1 << 62)
    with pytest.raises(AttributeError):
        rl.UntypedStorage(4).size_bytes = 100
    assert rl.UntypedStorage([1, 2, 3]).nbytes() == 3 and rl.UntypedStorage().nbytes() == 0


def test_a_tensor_that_was_never_initialised_is_empty() -> None:
    x = rl.Tensor.__new__(rl.Tensor)
    assert x.shape == (0,) and x.dtype is rl.float32 and (x + 1).tolist() == [] and x.resize_(3).shape == (3,)

    class Sub(rl.Tensor):
        def __init__(self, n: int) -> None:
            self.n = n

    assert Sub(3).shape == (3,) and Sub(3).n == 3 and rl.Tensor(3).shape == (3,)  # arguments are for Tensor.__new__


def test_an_empty_tensor_does_not_grow_in_place() -> None:
    for x, y in (((0, 1), (0, 5)), ((0,), (1, 0)), ((0,), (2, 0)), ((0, 1), (0, 0)), ((1, 0), (2, 0))):
        dest = rl.ones(x)
        with pytest.raises(RuntimeError, match=r"the destination has the shape"):
            dest.add_(rl.ones(y))
        assert dest.shape == x
