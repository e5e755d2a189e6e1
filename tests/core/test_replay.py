"""core/replay.pyx: what a replay is made of, handed over wrong."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as rl
from rushlight.core.replay import NO_FIT, Guard, Line, Replay


def guard(args: tuple[Any, ...] = (), **more: Any) -> Guard:
    names = ("constants", "written", "stands", "types", "kinds", "contents", "items", "attributes", "empty", "leaves")
    return Guard(args, more.get("by_name", ()), more.get("objects", {}), **{name: more.get(name, []) for name in names})


def line(args: list[Any] | None = None, results: Any = 1, **more: Any) -> Line:
    return Line(rl.neg, [(1, 0)] if args is None else args, results, **more)  # type: ignore[arg-type]


X = rl.ones(3)


def test_one_that_is_right() -> None:
    found = Replay(guard((X,)), [line()], 2, (0,), 1, (), None)  # type: ignore[arg-type]
    for other in ((rl.ones(4),), (), (3,), (X, X), ([X],)):
        assert found(other) is NO_FIT
    assert found((X,), ("x",)) is NO_FIT
    assert rl.equal(found((X,)), -X)
    assert found.runs == 1 and found.calls == 1


@pytest.mark.parametrize(
    "more",
    [
        {"stands": [(1, 2)]},
        {"stands": [({}, "a", 1), 3]},
        {"stands": [([], "a", 1)]},
        {"types": [("int", "a", 1)]},
        {"types": [(int, 1, 1)]},
        {"kinds": [(1, 2)]},
        {"kinds": [(1, int)]},
        {"objects": {1: X}},
        {"items": [((), ())]},
        {"attributes": [(1, 2, 3)]},
        {"written": [3]},
        {"empty": [[]]},
        {"contents": [3]},
        {"contents": [None]},
        {"constants": [3]},
        {"constants": [None]},
    ],
    ids=str,
)
def test_a_guard_of_what_is_none(more: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        guard((), **more)


@pytest.mark.parametrize("k", [-1, 2, 1 << 70, "a", None])
def test_numbers_of_values_that_there_are_not(k: Any) -> None:
    made = [
        lambda: Replay(guard((X,)), [line([(1, k)])], 2, (0,), 1, (), None),  # type: ignore[arg-type]
        lambda: Replay(guard((X,)), [line(results=(1, k))], 2, (0,), 1, (), None),  # type: ignore[arg-type]
        lambda: Replay(guard((X,)), [line(drops=(k,))], 2, (0,), 1, (), None),  # type: ignore[arg-type]
        lambda: Replay(guard((X,)), [line(out=(2, ((1, k),)))], 2, (0,), 1, (), None),  # type: ignore[arg-type]
        lambda: Replay(guard((X,)), [line()], 2, (k,), 1, (), None),  # type: ignore[arg-type]
        lambda: Replay(guard((X,)), [line()], 2, (0,), -1, ((1, k),), None),  # type: ignore[arg-type]
    ]
    for make in made:
        with pytest.raises((ValueError, TypeError), match="replay"):
            make()


def test_lines_that_are_none() -> None:
    for pair in ((3, 0), (1,), [1, 0], 5, (2, [1])):
        with pytest.raises(TypeError, match="a source"):
            Replay(guard((X,)), [line([pair])], 2, (0,), 1, (), None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a line needs 1 arguments; found 2"):
        line([(1, 0), (1, 0)])
    with pytest.raises(TypeError, match="'lines' must have Turn alone; found int"):
        Replay(guard((X,)), [3], 2, (0,), 1, (), None)  # type: ignore[arg-type, list-item]
    with pytest.raises(ValueError, match="the guard has 1 arguments; found 0 places"):
        Replay(guard((X,)), [], 2, (), 1, (), None)  # type: ignore[arg-type]
