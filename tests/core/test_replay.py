"""core/replay.pyx: what a replay is made of, handed over wrong."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as rl
from rushlight.core.replay import NO_FIT, Act, Guard, Leaf, Line, Replay, Store, is_plain_leaf


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


def made(*turns: Any, leaves: list[Any] | None = None) -> Replay:
    """A replay of one tensor: value 0 is it, 1 and 2 are free."""
    return Replay(guard((X,), leaves=leaves or []), list(turns), 3, (0,), 0, (), None)  # type: ignore[arg-type]


def test_functions_and_gradients_handed_over_wrong() -> None:
    for wrong in (
        lambda: Act(3, ()),  # type: ignore[arg-type]
        lambda: made(Act(len, ((4, 0),))),
        lambda: made(Store((5, 0), (0, None))),
        lambda: Leaf("x", False, False, None),  # type: ignore[arg-type]
        lambda: made(Store((0, 3), (0, None)))((X,)),
        lambda: made(Store((1, 0), (0, 3)))((X,)),
        lambda: made(leaves=[3]),
    ):
        with pytest.raises(TypeError):
            wrong()
    for k in (-1, 3, 1 << 40):
        for wrong in (
            lambda k=k: made(Act(len, ((1, k),))),
            lambda k=k: made(Act(len, (), drops=(k,))),
            lambda k=k: made(Store((1, k), (0, None))),
            lambda k=k: made(Store((0, X), (1, k))),
            lambda k=k: made(leaves=[Leaf(k, False, False, None)]),
            lambda k=k: made(line(results=1, lets_go=(print, (k,), ()))),
            lambda k=k: made(line(results=1, lets_go=(print, (), ((1, k),)))),
            lambda k=k: made(line(results=1, writes={k: 1})),
        ):
            with pytest.raises(ValueError, match="found"):
                wrong()
    with pytest.raises(ValueError, match="found"):
        made(leaves=[Leaf(0, False, True, rl.ones(1), 7)])
    with pytest.raises(ValueError, match="must be known"):
        Leaf(0, False, False, rl.ones(1), 1)


def test_what_a_function_gives_is_a_value() -> None:
    x = rl.ones(2)
    replay = Replay(guard((x,)), [Act(lambda t: t * 3, ((1, 0),), 1)], 2, (0,), 1, (), None)  # type: ignore[arg-type]
    assert replay((x,)).tolist() == [3.0, 3.0]
    assert replay.calls == 0 and replay.runs == 1


def test_a_leaf_has_what_is_said_of_it() -> None:
    x = rl.ones(2, requires_grad=True)
    none = Replay(guard((x,), leaves=[Leaf(0, True, True, None)]), [], 1, (0,), 0, (), None)  # type: ignore[arg-type]
    some = Replay(
        guard((x,), leaves=[Leaf(0, True, True, rl.ones(2), 1)]),
        [],
        2,
        (0,),
        1,
        (),
        None,  # type: ignore[arg-type]
    )
    assert none.fits((x,)) and not some.fits((x,))
    assert not none.fits((x * 1,)) and not is_plain_leaf(x * 1)
    x.grad = rl.full((2,), 5.0)
    assert some.fits((x,)) and not none.fits((x,))
    assert some((x,)) is x.grad
    kept = x.grad
    assert not some.fits((x,)), "another holds it"
    del kept
    view = x.grad[:]
    assert not some.fits((x,)), "another lies on it"
    del view
    assert some.fits((x,))
    x.grad = rl.ones(4)[::2]
    assert not some.fits((x,)), "it lies in another way"
    x.grad = None
    handle = x.register_hook(lambda g: g)
    assert not none.fits((x,)) and not is_plain_leaf(x)
    handle.remove()
    assert none.fits((x,)) and is_plain_leaf(x)
