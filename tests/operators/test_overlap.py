"""out= and in-place destinations that share memory with an operand, for every operator: what a copy would give, or a
RuntimeError.

Each sample of the table runs with one of its tensors and the destination laid into one block of memory: the same
elements, shifted by one, in reverse, transposed. RUSHLIGHT_OVERLAP_SAMPLES=100 takes all samples instead of a few.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from checks import METADATA_ALONE, chosen, label, pick
from support import array, call, close, copy, find, flat, inputs_of, map_tensors, rtol_of, tensor

import rushlight as rl
from rushlight.core import dtypes as dt
from rushlight.core import raw
from rushlight.core import tensor as core
from rushlight.operators.table.define import METHODS
from rushlight.testing.samples import REGISTRY, OperatorSamples, Sample, load

load()
SAMPLES = int(os.environ.get("RUSHLIGHT_OVERLAP_SAMPLES", "2"))
MOST_ELEMENTS = 400
OF_STRIDES = {"as_strided_copy", "as_strided_scatter"}  # the strides of the operand are part of what they are asked


def c_strides(shape: Sequence[int]) -> list[int]:
    step, found = 1, []
    for n in reversed(shape):
        found.append(step)
        step *= max(n, 1)
    return found[::-1]


def f_strides(shape: Sequence[int]) -> list[int]:
    return c_strides(tuple(shape)[::-1])[::-1]


def _size(shape: Sequence[int]) -> int:
    n = 1
    for s in shape:
        n *= s
    return n


def _rows(shape: Sequence[int]) -> tuple[list[int], int]:
    return c_strides(shape), 0


def _columns(shape: Sequence[int]) -> tuple[list[int], int]:
    return f_strides(shape), 0


def _back(shape: Sequence[int]) -> tuple[list[int], int]:
    return [-s for s in c_strides(shape)], _size(shape) - 1


def _windows(shape: Sequence[int]) -> tuple[list[int], int]:
    return [1 for _ in shape], 0


Layout = Callable[[Sequence[int]], tuple[list[int], int]]

# How operand and destination lie: (layout, elements from the block's beginning) of each.
KINDS: dict[str, tuple[Layout, int, Layout, int]] = {
    "the same": (_rows, 1, _rows, 1),
    "the same columns": (_columns, 1, _columns, 1),
    "the destination one further": (_rows, 1, _rows, 2),
    "the destination one before": (_rows, 1, _rows, 0),
    "the destination in reverse": (_rows, 1, _back, 1),
    "the destination transposed": (_rows, 1, _columns, 1),
    "overlapping windows read": (_windows, 1, _rows, 1),
}


def laid(block: Any, dtype: Any, shape: Sequence[int], layout: Layout, first: int) -> Any:
    """A view of the block's bytes."""
    strides, start = layout(shape)
    return raw.tensor_from_storage(block.untyped_storage(), dtype, first + start, tuple(shape), tuple(strides))


def block_for(*tensors: Any) -> Any:
    n = max([t.numel() * t.itemsize for t in tensors]) + 4 * 16
    return rl.zeros(n, dtype=rl.uint8)


def put(place: Any, values: Any) -> None:
    METHODS["copy_"](place, values)


def suited(s: Sample) -> bool:
    tensors = inputs_of(s)
    return any(t.numel() > 1 for t in tensors) and all(t.numel() <= MOST_ELEMENTS and not t.is_meta for t in tensors)


def samples_of(spec: OperatorSamples) -> Iterator[Sample]:
    for dtype in pick(spec, dt.float32, dt.int64)[: 1 if SAMPLES < 100 else 2]:
        found = [s for s in chosen(spec, dtype, 40 if SAMPLES < 100 else 1000) if suited(s)]
        found.sort(key=lambda s: -max(t.ndim for t in inputs_of(s)))
        found = found[:1] + found[-1:] if SAMPLES == 2 and len(found) > 1 else found[:SAMPLES]
        yield from found
        yield from (s for s in map(squared, found) if s is not None and works(spec, s))


def squared(s: Sample) -> Sample | None:
    """The sample with all sizes 3, so that a transpose, a rotation or a choice of rows has the shape and the strides of
    its operand.
    """

    def change(t: Any) -> Any:
        shape = (3,) * t.ndim
        a = np.resize(array(t), shape)
        return tensor(a % 3 if a.dtype.kind in "iu" else a, t.dtype)

    return None if all(set(t.shape) <= {3} for t in inputs_of(s)) else map_tensors(change, s)


def works(spec: OperatorSamples, s: Sample) -> bool:
    try:
        call(find(spec.name), map_tensors(copy, s))
    except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError):
        return False
    return True


def with_out(spec: OperatorSamples) -> int:
    """Every out= against every input; returns how many calls were compared."""
    op, done = find(spec.name), 0
    for s in samples_of(spec):
        result = call(op, map_tensors(copy, s))
        if not isinstance(result, (core.Tensor, tuple)):
            continue
        expected = flat(result)
        inputs = inputs_of(s)
        for i, x in enumerate(inputs):
            for j, e in enumerate(expected):
                if not x.numel() or not e.numel():
                    continue
                for kind, (in_layout, in_first, out_layout, out_first) in KINDS.items():
                    if in_layout is _windows:
                        continue  # (it would change the operand's values)
                    block = block_for(x, e)
                    own = map_tensors(copy, s)
                    mine = laid(block, x.dtype, x.shape, in_layout, in_first)
                    put(mine, x)
                    taken = iter(range(len(inputs)))
                    own = map_tensors(lambda t, taken=taken, i=i, mine=mine: mine if next(taken) == i else t, own)
                    dests = [
                        laid(block, e.dtype, e.shape, out_layout, out_first)
                        if k == j
                        else raw.empty_strided_raw(o.dtype, o.shape, None)
                        for k, o in enumerate(expected)
                    ]
                    try:
                        call(op, own, out=dests[0] if isinstance(result, core.Tensor) else tuple(dests))
                    except RuntimeError as error:
                        assert "memory" in str(error), f"{label(s)}, {kind}: {error}"
                        continue
                    for d, o in zip(dests, expected, strict=True):
                        close(array(d), array(o), rtol_of(spec, o.dtype), f"{label(s)}: out {j} on input {i}, {kind}")
                    done += 1
    return done


def in_place(spec: OperatorSamples) -> int:
    """The destination against every other tensor; returns how many calls were compared."""
    other, done = METHODS.get(spec.name.rpartition(".")[2] + "_"), 0
    op = find(spec.name)
    if spec.name.endswith("_") and spec.name in METHODS:
        other = METHODS[spec.name]
    elif getattr(other, "functional", op) is not op:
        return 0  # that of another operator (masked.logaddexp)
    if other is None or spec.name in METADATA_ALONE | OF_STRIDES:
        return 0
    for s in samples_of(spec):
        inputs = inputs_of(s)
        if not s.args or not isinstance(s.args[0], core.Tensor):
            continue
        dest = s.args[0]
        for i, x in enumerate(inputs):
            if (
                i == 0
                or not x.numel()
                or not dest.numel()
                or (x.dtype is not dest.dtype and dt.bool_ in (x.dtype, dest.dtype))
            ):
                continue
            for kind, (in_layout, in_first, out_layout, out_first) in KINDS.items():
                block = block_for(x, dest)
                d = laid(block, dest.dtype, dest.shape, out_layout, out_first)
                mine = laid(block, x.dtype, x.shape, in_layout, in_first)
                put(d, dest)
                if in_layout is not _windows:
                    put(mine, x)  # (windows see what the destination holds)
                given = map_tensors(copy, s)
                taken = iter(range(len(inputs)))
                own = map_tensors(
                    lambda t, taken=taken, i=i, mine=mine, d=d: (
                        (d, mine)[k == i] if (k := next(taken)) in (0, i) else t
                    ),
                    given,
                )
                apart = map_tensors(lambda t, mine=mine, d=d: t.clone() if t is mine or t is d else t, own)
                try:
                    expected = call(other, apart) if spec.name.endswith("_") else call(op, apart)
                except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError):
                    continue
                if tuple(expected.shape) != tuple(dest.shape):
                    continue
                if expected.dtype is not dest.dtype:
                    if not dt.can_cast(expected.dtype, dest.dtype):
                        continue
                    expected = expected.to(dest.dtype)
                expected = expected.clone()
                try:
                    call(other, own)
                except RuntimeError as error:
                    assert "memory" in str(error), f"{label(s)}, {kind}: {error}"
                    continue
                close(
                    array(d),
                    array(expected),
                    rtol_of(spec, d.dtype),
                    f"{label(s)}: the destination on input {i}, {kind}",
                )
                done += 1
    return done


def names(in_place_too: bool) -> list[str]:
    found = []
    for name in sorted(REGISTRY):
        if in_place_too and (name.rpartition(".")[2] + "_" in METHODS or (name.endswith("_") and name in METHODS)):
            found.append(name)
        elif not in_place_too and getattr(find(name), "takes_out", False) and name not in OF_STRIDES:
            found.append(name)
    return found


@pytest.mark.parametrize("name", names(False))
def test_out(name: str) -> None:
    if not with_out(REGISTRY[name]):
        pytest.skip("no sample of a tensor with more than one element, or its result is none")


@pytest.mark.parametrize("name", names(True))
def test_in_place(name: str) -> None:
    if not in_place(REGISTRY[name]):
        pytest.skip("takes no second tensor")


# ------------------------------------------------------------------------------------------------ several destinations
def test_destinations_that_overlap_are_written_in_order() -> None:
    memory = rl.zeros(6, dtype=rl.int64)
    x = rl.tensor([3, 1, 2])
    rl.sort(x, out=(memory[:3].view(rl.int64), memory[2:5]))
    assert memory.tolist() == [1, 2, 1, 2, 0, 0]  # values 1 2 3, then indices 1 2 0


def test_foreach_lists_that_overlap_are_worked_through_in_order() -> None:
    x = rl.zeros(5)
    rl._foreach_add_([x[:3], x[1:4], x], 1)
    assert x.tolist() == [2, 3, 3, 2, 1]
    y = rl.arange(5.0)
    rl._foreach_copy_([y[1:], y[:4]], [y[:4], y[1:]])
    assert y.tolist() == [0, 1, 2, 3, 3]


@pytest.mark.parametrize(
    "make",
    [
        lambda p: rl.optim.SGD(p, lr=1.0),
        lambda p: rl.optim.SGD(p, lr=1.0, momentum=0.9),
        lambda p: rl.optim.Adam(p, lr=1.0),
    ],
)
def test_parameters_that_share_memory_step_one_after_the_other(make: Any) -> None:
    def run(together: bool) -> list[float]:
        memory = rl.arange(6.0)
        params = [memory[:4].detach().requires_grad_(), memory[2:].detach().requires_grad_()]
        for p in params:
            p.grad = rl.ones(4)
        for opt in [make(params)] if together else [make([p]) for p in params]:
            opt.step()
        return memory.tolist()  # type: ignore[no-any-return]

    assert run(True) == run(False)


def test_a_gradient_that_is_the_parameter_itself() -> None:
    p = rl.arange(5.0).requires_grad_()
    p.grad = p.data
    rl.optim.SGD([p], lr=0.5, momentum=0.9).step()
    assert p.tolist() == [0, 0.5, 1, 1.5, 2]


def test_scatter_writes_what_it_scatters() -> None:
    """An in-place scatter into overlapping windows changes the elements that it names and no others."""
    x = rl.arange(8)
    x.unfold(0, 3, 1).index_fill_(0, rl.tensor([0, 2]), 9)
    assert x.tolist() == [9, 9, 9, 9, 9, 5, 6, 7]
    x = rl.zeros(200_000, dtype=rl.int64)
    x.unfold(0, 8, 1).index_fill_(0, rl.arange(0, 199_000, 2), 1)  # (many threads' worth)
    assert int(x.sum()) == 198_998 + 8
    y = rl.arange(8)
    y.unfold(0, 3, 1).scatter_(1, rl.zeros((6, 1), dtype=rl.int64), -1)
    assert y.tolist() == [-1, -1, -1, -1, -1, -1, 6, 7]
