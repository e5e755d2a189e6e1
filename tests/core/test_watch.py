"""core/watch.pyx: whether all that a traced call relies on stands where it stood."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight.core.watch import Watch


def cell_of(x: Any) -> Any:
    def f() -> Any:
        return x

    assert f.__closure__ is not None
    return f.__closure__[0]


def set_cell(cell: Any, value: Any) -> None:
    cell.cell_contents = value


def clear_cell(cell: Any) -> None:
    del cell.cell_contents


STANDS: dict[str, tuple[Callable[[Any], Any], Any, list[Callable[[Any, Any], Any]]]] = {
    "dict": (lambda v: {"a": v}, "a", [lambda h, k: h.pop(k), lambda h, k: h.update(a=object())]),
    "list": (lambda v: [0, v], 1, [lambda h, k: h.pop(), lambda h, k: h.insert(0, 1), lambda h, k: h.clear()]),
    "cell": (cell_of, None, [lambda h, k: set_cell(h, 1), lambda h, k: clear_cell(h)]),
}


@pytest.mark.parametrize(
    ("kind", "change"), [(kind, k) for kind, (_, _, changes) in STANDS.items() for k in range(len(changes))]
)
def test_what_stands_elsewhere_is_seen(kind: str, change: int) -> None:
    make, key, changes = STANDS[kind]
    value = object()
    holder = make(value)
    watch = Watch(1, True, [], [(holder, key, value), ((value,), 0, value)])
    x = (rl.ones(2),)
    assert watch.holds(x)
    changes[change](holder, key)
    assert not watch.holds(x)


def test_the_call_must_be_alike() -> None:
    empty: list[Any] = []
    watch, x = Watch(2, True, empty, []), rl.ones(2)
    assert watch.holds((x, x))
    assert not watch.holds((x,)) and not watch.holds((x, 1.0)) and not watch.holds((x, rl.nn.Parameter(x)))
    with rl.no_grad():
        assert not watch.holds((x, x)) and Watch(2, False, empty, []).holds((x, x))
    with rl.inference_mode():
        assert watch.holds((x, x)) == rl.is_grad_enabled()
    empty.append(1)
    assert not watch.holds((x, x))


def test_bad_arguments() -> None:
    with pytest.raises(TypeError, match="a dict, a list, a tuple or a cell"):
        Watch(1, True, [], [(1, "a", 1)])
    for bad in ([3], [(1, 2)], None):
        with pytest.raises((TypeError, ValueError)):
            Watch(1, True, [], bad)  # type: ignore[arg-type]
    watch = Watch(1, True, [], [({1: 2}, [], 3)])
    with pytest.raises(TypeError, match="unhashable"):
        watch.holds((rl.ones(1),))
    with pytest.raises(TypeError):
        watch.holds([rl.ones(1)])  # type: ignore[arg-type]
