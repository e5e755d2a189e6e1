"""`match` in a replayed function: a value takes the case that it takes in Python, and variables get the same values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import rushlight as rl


@dataclass
class Pair:
    first: Any
    second: Any = 2


class Modes:
    FAST = 1
    SLOW = 2


def taken(v: Any) -> Any:
    """Which case a value takes, and what its variables are."""
    match v:
        case Pair(int(n), second=s) if n == 0:
            return "pair of zero", s
        case Pair(first=Pair() as inner):
            return "pairs", inner.second
        case Pair(a, b):
            return "pair", a, b
        case Modes.FAST | Modes.SLOW as mode:
            return "mode", mode
        case None | True:
            return ("nothing",)
        case int(n) if n > 10:
            return "large", n
        case int() | float():
            return "number", v
        case "a" | "b":
            return "letter", v
        case str(text):
            return "text", text
        case []:
            return ("empty",)
        case [1, *rest]:
            return "one", rest
        case [x, [y, *_], z]:
            return "nested", x, y, z
        case (x, y):
            return "two", x, y
        case [*_, last]:
            return "many", last
        case {"k": 1, "more": [a, b]}:
            return "k", a, b
        case {"k": value, **others}:
            return "mapping", value, others
        case {}:
            return ("dict",)
        case _:
            return ("other",)


VALUES = [
    1, 2, True, False, None, 7, 70, 1.5, "a", "abc", [], (), [1], [1, 2, 3], (1, (2, 3), 4), (5, (2, 3), 4), (8, 9),
    [2, 3, 4, 5], {"k": 1, "more": (2, 3)}, {"k": 1}, {"k": 2, "x": 3, "y": (1,)}, {"z": 1}, {}, Pair(0),
    Pair(Pair(3, 4)), Pair(3, 4), b"abc",
]  # fmt: skip


@pytest.mark.parametrize("v", VALUES, ids=repr)
def test_a_value_takes_the_case_that_it_takes_in_python(v: Any) -> None:
    found: list[Any] = []

    def f(x: Any) -> Any:
        case = taken(v)
        return x * len(case) + 1, case

    compiled: Any = rl.compile(f)
    x = rl.ones(3)
    for _ in range(3):
        found.append(compiled(x))
    assert all(case == taken(v) and type(case) is tuple for _, case in found)
    assert all(y.tolist() == [len(taken(v)) + 1.0] * 3 for y, _ in found)
    assert sum(r.runs for r in compiled._context_.replays) == 2, compiled._context_.why_not


def test_tensors_in_a_pattern() -> None:
    def f(x: Any) -> Any:
        match x.shape, {"x": x, "y": (x * 2, 3)}:
            case (n, 4), {"y": (rl.Tensor() as y, int(k))} if n > 2:
                return y * k + n
            case _:
                return x - 1

    compiled: Any = rl.compile(f)
    for n in (3, 3, 3, 2, 2, 2):
        x = rl.randn(n, 4)
        assert rl.equal(compiled(x), f(x))
    assert sum(r.runs for r in compiled._context_.replays) == 4, compiled._context_.why_not


def test_a_pattern_of_what_is_no_plain_value_needs_python() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    odd = Odd()

    def f(x: Any) -> Any:
        match odd:
            case 5:
                return x + 1
            case _:
                return x

    compiled: Any = rl.compile(f)
    for _ in range(3):
        assert compiled(rl.zeros(2)).tolist() == [1.0, 1.0]
    assert not compiled._context_.replays


def test_what_is_looked_at_is_not_held_in_the_case() -> None:
    import weakref

    seen: list[Any] = []

    def f(x: Any) -> Any:
        match x * 2:
            case y:
                z = y + 1
                del y
        return z * 3

    for g in (f, rl.compile(f)):
        x = rl.ones(2)
        seen.append(weakref.ref(x))
        assert g(x).tolist() == [9.0, 9.0]
        del x
        assert seen[-1]() is None
