"""The border of the core: a plan runs only on the tensors that it was made for, whoever hands them over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import rushlight as rl
from rushlight.core import raw
from rushlight.core.tape import From, Step, Tape
from rushlight.operators.table.define import TABLE, public
from rushlight.testing.samples import REGISTRY, Make, Sample, load


def tensors(x: Any) -> Iterator[Any]:
    """The tensors of an argument, in order."""
    if isinstance(x, rl.Tensor):
        yield x
    elif isinstance(x, (list, tuple)):
        for v in x:
            yield from tensors(v)


# What a plan may be handed in the place of a tensor: a hook's result, memory that was swapped.
WRONG: dict[str, Callable[[Any], Any]] = {
    "dtype": lambda t: rl.empty(t.shape, dtype=rl.int16 if t.dtype is not rl.int16 else rl.float64),
    "dimension more": lambda t: rl.empty((*t.shape, 1), dtype=t.dtype),
    "dimension less": lambda t: rl.empty(t.shape[1:], dtype=t.dtype) if t.ndim else rl.empty((2, 2), dtype=t.dtype),
    "meta": lambda t: rl.empty(t.shape, dtype=t.dtype, device="meta"),
    "layout": lambda t: rl.zeros(t.shape, dtype=t.dtype, layout=rl.sparse_coo),
}


@pytest.mark.parametrize("part", range(4))
def test_plans_refuse_what_they_were_not_made_for(part: int) -> None:
    load()
    done = 0
    for name in sorted(TABLE)[part::4]:
        op = public(name)
        if name not in REGISTRY or op.eager is not None:
            continue
        spec = REGISTRY[name]
        sample = next((s for s in spec.generate(Make(spec.dtypes[0], 0)) if isinstance(s, Sample)), None)
        if sample is None or sample.kwargs or not all(isinstance(a, (rl.Tensor, list, tuple)) for a in sample.args):
            continue
        given = [t for a in sample.args for t in tensors(a)]
        before = set(map(id, op.cached()))
        op(*sample.args)
        for call in op.cached():
            if id(call) in before or len(call.executable.plan.inputs) != len(given):
                continue
            for k in range(len(given)):
                for what, make in WRONG.items():
                    handed = [*given[:k], make(given[k]), *given[k + 1 :]]
                    with pytest.raises(RuntimeError, match=rf"{name.rpartition('.')[2].lstrip('_')}\(\): operand {k} "):
                        call.executable.launch(handed, [2] * 64, [1.0] * 16)
                        pytest.fail(f"{name} ran on operand {k} of another {what}")
                    done += 1
    assert done > 100


COTANGENTS: dict[str, Callable[[], Any]] = {
    "0-d": lambda: rl.ones(()),
    "2-d": lambda: rl.ones(3, 3),
    "one": lambda: rl.ones(1),
    "longer": lambda: rl.ones(4),
    "shorter": lambda: rl.ones(2),
    "empty": lambda: rl.ones(0),
    "meta": lambda: rl.ones(3, device="meta"),
    "unfinished": lambda: rl.Tensor.__new__(rl.Tensor),
}
FUNCTIONS: list[Callable[[Any], Any]] = [
    lambda x: x * x,
    lambda x: x.exp(),
    lambda x: x / 3,
    lambda x: x.cumsum(0),
    lambda x: x.sort().values,
    lambda x: x @ rl.eye(3),
    lambda x: x.flip(0),
]


@pytest.mark.parametrize("grad_mode", [False, True])
@pytest.mark.parametrize("what", COTANGENTS)
def test_backward_programs_refuse_other_cotangents(what: str, grad_mode: bool) -> None:
    for f in FUNCTIONS:
        node = f(rl.arange(3.0).requires_grad_()).grad_fn
        with rl.set_grad_enabled(grad_mode), pytest.raises(RuntimeError, match="Backward"):
            node(COTANGENTS[what]())


@pytest.mark.parametrize("dtype", [rl.float16, rl.float64, rl.int64])
def test_backward_programs_convert_cotangents_of_another_dtype(dtype: Any) -> None:
    for f in FUNCTIONS:
        node = f(rl.arange(3.0).requires_grad_()).grad_fn
        found, expected = node(rl.ones(3, dtype=dtype)), node(rl.ones(3))
        assert all(a.equal(b) for a, b in zip(tensors(found), tensors(expected), strict=True))


def test_saved_tensors_that_changed() -> None:
    for other in (rl.ones(1), rl.ones(5), rl.ones(3, 3)):
        w, x = rl.ones(3, requires_grad=True), rl.ones(3, requires_grad=True)
        y = (w * x).sum()
        w.data = other
        with pytest.raises(RuntimeError):
            y.backward()
    w, x = rl.full((3,), 2.0, requires_grad=True), rl.ones(3, requires_grad=True)
    y = (w * x).sum()
    w.data = w.data.half()
    y.backward()
    assert x.grad.tolist() == [2.0] * 3
    with pytest.raises(RuntimeError, match="device"):
        x.data = rl.empty(3, device="meta")


def test_storage_that_shrank() -> None:
    big, wide = rl.zeros(1000), rl.zeros(50, 20).t()
    for t in (big, wide, big[10:], big[::3], big.as_strided((4, 4), (100, 30))):
        storage = t.untyped_storage()
        storage.resize_(16)
        for call in (
            lambda t=t: t + 1,
            lambda t=t: t.sum(),
            lambda t=t: t.add_(1),
            lambda t=t: rl.add(rl.zeros(t.shape), 1, out=t),
        ):
            with pytest.raises(RuntimeError, match="reaches outside of its storage"):
                call()


def test_no_rank_or_extent_wraps() -> None:
    """lies_inside, through a view that no storage holds: made by hand, as a bug elsewhere would make it."""
    x = rl.zeros(8)
    for size, stride in (
        ((2,), (2**62,)),
        ((3, 3), (2**61, 2**61)),
        ((2,), (-(2**62),)),
        ((9,), (1,)),
        ((2, 2), (7, 1)),
    ):
        with pytest.raises(RuntimeError):
            raw.view_of(x, size, stride, 0)


def test_pending_tensors_are_given_what_was_said() -> None:
    """A pending tensor has no values before it is given a tensor in memory that lies as was said."""
    tape = Tape({})
    assert tape.begins() and tape.slot(rl.ones(1)) == 0
    like = rl.empty(2, 3, device="meta")
    (t,) = tape.results([like])
    assert tape.holds(t) and tape.held() == (1,)
    with pytest.raises(RuntimeError, match="has not run: the tensor has no values"):
        t.tolist()
    wrong = [rl.ones(3, 2), rl.ones(2, 3, dtype=rl.float64), rl.ones(3, 2).t(), rl.ones(2, 3, requires_grad=True)]
    for o in (*wrong, t, like, rl.zeros(2, 3, layout=rl.sparse_coo)):
        with pytest.raises(RuntimeError, match=r"fulfil\(\): expected"):
            tape.give(1, o)
    for o in (None, 3, [1.0]):
        with pytest.raises(TypeError):
            tape.give(1, o)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            tape.results([o])  # type: ignore[list-item]
    with pytest.raises(RuntimeError, match="waits for the calls of another function"):
        Tape({}).slot(t)
    assert tape.give(1, rl.ones(2, 3)) is t and t.tolist() == [[1.0] * 3] * 2


def test_steps_take_what_there_is() -> None:
    tape = Tape({})
    assert tape.begins()
    tape.slot(rl.ones(2))
    for args in ([], [(From.FROM_VALUE, 0)] * 2):
        with pytest.raises(ValueError, match="a step needs 1 arguments"):
            Step(TABLE["exp"], args, 1)
    for pair, error in (
        ((From.FROM_VALUE, 7), IndexError),
        ((From.FROM_VALUE, 1), RuntimeError),
        ((From.FROM_INT, 0), IndexError),
        ((From.FROM_NUMBER, -9), IndexError),
        ((From.FROM_SEVERAL, 3), TypeError),
        ((From.FROM_SEVERAL, (3,)), TypeError),
        (3, TypeError),
    ):
        step = Step(TABLE["exp"], [pair], 1)  # type: ignore[list-item]
        tape.results([rl.empty(2, device="meta")])
        with pytest.raises(error):
            tape.run_steps([step], (), [])
