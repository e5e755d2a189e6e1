"""Operands and destinations with random strides against their contiguous copies, for every operator, its gradient, out=
and in place.

Strides are permuted, negative, with gaps, 0 where values repeat, anything along sizes of 1; values are made to repeat,
to lie in overlapping windows, and sizes of 0, 1 and 2 are put between the others. A run takes an eighth of the
operators, since most of the time is spent on compiling their kernels; RUSHLIGHT_STRIDED_ROUNDS=1 (or more) takes them
all, RUSHLIGHT_STRIDED_SEED another seed. Under RUSHLIGHT_GUARD=end (or start) a byte out of bounds is a fault.
"""

from __future__ import annotations

import os
import random
import warnings
import zlib
from typing import Any

import numpy as np
import pytest
import support
from checks import LAYOUT_DEPENDENT, METADATA_ALONE, chosen, label, pick

import rushlight as rl
from rushlight.core import dtypes as dt
from rushlight.core import raw
from rushlight.core import tensor as core
from rushlight.operators.table.define import METHODS
from rushlight.testing.samples import REGISTRY, OperatorSamples, Sample, load

load()
ROUNDS = int(os.environ.get("RUSHLIGHT_STRIDED_ROUNDS", "1"))
SHARE = 1 if "RUSHLIGHT_STRIDED_ROUNDS" in os.environ else 8
SEED = int(os.environ.get("RUSHLIGHT_STRIDED_SEED", "0"))
REFUSED = (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError)

# Their results are random, or whatever the memory held, or tell of the strides.
UNSTABLE = LAYOUT_DEPENDENT | {
    "as_strided_copy",
    "as_strided_scatter",
    "as_strided_",
    "stride",
    "is_contiguous",
    "storage_offset",
    "data_ptr",
    "dim_order",
    "is_non_overlapping_and_dense",
    "untyped_storage",
    "element_size",
    "nbytes",
    "contiguous",
    "__array_interface__",
    "view_as_complex_copy",
    "detach_",
}


def marked(new: Any, old: Any) -> Any:
    if support.differentiable(old):
        new._differentiate = True
    return new


def relaid(t: Any, r: random.Random, shared: bool = True) -> Any:
    """The values of `t` with random strides, in a block that ends where they end."""
    if t.is_meta:
        return t
    a, n = support.array(t), t.ndim
    order = list(range(n))
    r.shuffle(order)
    strides, step = [0] * n, r.choice([1, 1, 1, 2])
    low = high = 0
    for d in order:
        size = a.shape[d]
        if size <= 1 or (shared and r.random() < 0.7 and repeats(a, d)):
            strides[d] = 0 if size > 1 else r.choice([0, 1, 3, -7, 1000, step])
            continue
        strides[d] = step * r.choice([1, 1, -1])
        low, high = low + min(strides[d], 0) * (size - 1), high + max(strides[d], 0) * (size - 1)
        step = step * size + r.choice([0, 0, 1, 3])
    before = r.choice([0, 0, 1, 5])
    base = raw.empty_strided_raw(t.dtype, (before + high - low + 1 if t.numel() else before,), None)
    METHODS["zero_"](base)
    new = raw.tensor_from_storage(base.untyped_storage(), t.dtype, before - low, t.shape, tuple(strides))
    if t.numel():
        view = new
        for d in range(n):
            if strides[d] == 0:
                view = view.narrow(d, 0, 1)
        METHODS["copy_"](
            view, support.tensor(a[tuple(slice(0, 1) if strides[d] == 0 else slice(None) for d in range(n))], t.dtype)
        )
    return marked(new, t)


def repeats(a: Any, d: int) -> bool:
    return bool((a == np.take(a, [0], d)).all())


def dense(t: Any) -> Any:
    return (
        t
        if t.is_meta
        else marked(support.tensor(np.ascontiguousarray(support.array(t)), t.dtype).reshape(tuple(t.shape)), t)
    )


def varied(s: Sample, r: random.Random) -> Sample:
    """The sample with other values or more dimensions: what broadcasts, repeats, or lies in windows."""
    kind = r.choice(["as it is", "repeated", "windows", "between", "between", "empty"])
    at = r.randint(0, 3)
    some = r.random() < 0.5
    sizes = [r.choice([1, 2]) for _ in range(16)]

    def change(t: Any) -> Any:
        if t.is_meta or t.ndim == 0 or (t.numel() == 0 and kind != "between"):
            return t
        a = support.array(t)
        if kind == "repeated" and t.dtype.kind in "fcb" and r.random() < 0.6:
            d = r.randrange(t.ndim)
            a = np.repeat(np.take(a, [0], d), a.shape[d], d)
        elif kind == "windows" and t.ndim >= 2 and t.dtype.kind in "fc" and r.random() < 0.6:
            line = np.resize(a, sum(n - 1 for n in a.shape) + 1)
            places = sum(
                np.arange(n).reshape([-1 if k == d else 1 for k in range(a.ndim)]) for d, n in enumerate(a.shape)
            )
            a = line[places]
        elif kind in ("between", "empty") and t.ndim > at:
            size = 0 if kind == "empty" else sizes[0] if some else sizes[r.randrange(16)]
            a = np.repeat(np.expand_dims(a, t.ndim - at), size, t.ndim - at)
        else:
            return t
        return marked(support.tensor(np.ascontiguousarray(a), t.dtype), t)

    return support.map_tensors(change, s)


def bits_promised(op: Any) -> bool:
    """Whether the operator's calls are our own kernels alone, whose bits do not depend on strides."""
    return support.is_traced(op) and all(
        hasattr(step, "kernel") for c in op.cached() for step in c.executable.plan.steps
    )


def compare(got: Any, expected: Any, spec: OperatorSamples, bits: bool, what: str) -> None:
    assert support.plain(got) == support.plain(expected), (
        f"{what}: {support.plain(got)}, expected {support.plain(expected)}"
    )
    for g, e in zip(support.flat(got), support.flat(expected), strict=True):
        assert g.dtype is e.dtype and tuple(g.shape) == tuple(e.shape), (
            f"{what}: {g.dtype} {list(g.shape)}, expected {e.dtype} {list(e.shape)}"
        )
        if g.is_meta:
            continue
        if bits:
            support.same_bits(g, e, what)
        else:
            support.close(support.array(g), support.array(e), support.rtol_of(spec, g.dtype), what)


def result_of(fn: Any, s: Sample, **more: Any) -> tuple[Any, Exception | None]:
    try:
        return support.call(fn, s, **more), None
    except REFUSED as error:
        return None, error


def shown(s: Sample) -> str:
    return f"{label(s)} with strides {[t.stride() for t in support.inputs_of(s)]}"


def check_calls(spec: OperatorSamples, s: Sample, own: Sample) -> Any:
    op = support.find(spec.name)
    expected, error = result_of(op, support.map_tensors(dense, s))
    got, mine = result_of(op, own)
    assert (error is None) == (mine is None), f"{shown(own)}: raises {mine!r}, and {error!r} for contiguous operands"
    if error is None:
        compare(got, expected, spec, bits_promised(op), shown(own))
    return expected


def check_gradients(spec: OperatorSamples, s: Sample, own: Sample) -> None:
    if not spec.grad:
        return
    fn = spec.through(support.find(spec.name)) if spec.through else support.find(spec.name)

    def derive(x: Sample) -> tuple[list[Any], Exception | None]:
        leaves = [t for t in support.inputs_of(x) if support.differentiable(t)]
        for t in leaves:
            t.requires_grad = True
        try:
            outputs = [o for o in support.flat(support.call(fn, x)) if o.requires_grad]
            random_ = np.random.default_rng(0)
            weights = [random_.standard_normal(tuple(o.shape)) for o in outputs]
            return support.gradients(outputs, weights, leaves), None
        except REFUSED as error:
            return [], error
        finally:
            for t in leaves:
                t.requires_grad = False

    expected, error = derive(support.map_tensors(dense, s))
    got, mine = derive(own)
    assert (error is None) == (mine is None), (
        f"{shown(own)}: the gradient raises {mine!r}, and {error!r} for contiguous operands"
    )
    for g, e in zip(got, expected, strict=True):
        assert (g is None) == (e is None)
        if g is not None and np.isfinite(support.array(e)).all():
            assert g.dtype is e.dtype and tuple(g.shape) == tuple(e.shape)
            support.close(
                support.array(g), support.array(e), 10 * support.rtol_of(spec, g.dtype), f"gradient of {shown(own)}"
            )


def destination(like: Any, r: random.Random) -> tuple[Any, Any, Any]:
    """(a tensor of random strides that shares no element, all of its memory, what that memory must hold after `like` is
    written).
    """
    new = relaid(like, r, shared=False)
    n = new.untyped_storage().nbytes() // max(new.itemsize, 1)
    memory = raw.tensor_from_storage(new.untyped_storage(), new.dtype, 0, (n,), (1,))
    return new, memory, support.array(memory).copy()


def check_destinations(spec: OperatorSamples, s: Sample, expected: Any, r: random.Random) -> None:
    op = support.find(spec.name)
    if (
        getattr(op, "takes_out", False)
        and isinstance(expected, (core.Tensor, tuple))
        and support.flat(expected)
        and all(isinstance(e, core.Tensor) for e in support.flat(expected))
    ):
        places = [destination(e, r) for e in support.flat(expected)]
        for d, _, _ in places:
            METHODS["zero_"](d)
        own = support.map_tensors(lambda t: relaid(t, r), s)
        dests = [d for d, _, _ in places]
        support.call(op, own, out=dests[0] if isinstance(expected, core.Tensor) else tuple(dests))
        compare(
            dests if not isinstance(expected, core.Tensor) else dests[0],
            list(expected) if isinstance(expected, tuple) else expected,
            spec,
            False,
            f"out= of {shown(own)}",
        )
        for d, memory, whole in places:
            support.close(
                support.array(memory),
                whole,
                support.rtol_of(spec, d.dtype),
                f"memory of out= {d.stride()} of {shown(own)}",
            )
    other = METHODS.get(spec.name.rpartition(".")[2] + "_")
    if (
        other is None
        or getattr(other, "functional", None) is not op
        or spec.name in METADATA_ALONE
        or not isinstance(s.args[0], core.Tensor)
    ):
        return
    if tuple(expected.shape) != tuple(s.args[0].shape) or not dt.can_cast(expected.dtype, s.args[0].dtype):
        return
    result = expected if expected.dtype is s.args[0].dtype else expected.to(s.args[0].dtype)
    d, memory, whole = destination(result, r)
    METHODS["copy_"](d, s.args[0])
    rest = support.map_tensors(lambda t: relaid(t, r), Sample(*s.args[1:], **s.kwargs))
    support.call(other, Sample(d, *rest.args, **rest.kwargs))
    support.close(
        support.array(memory),
        whole,
        support.rtol_of(spec, d.dtype),
        f"memory of the destination {d.stride()} of {spec.name}_ {shown(rest)}",
    )


def names() -> list[str]:
    found = [
        n
        for n in sorted(REGISTRY)
        if n.rpartition(".")[2] not in UNSTABLE
        and getattr(support.find(n), "shape_class", "") not in ("random", "factory")
    ]
    return [n for n in found if zlib.crc32(n.encode()) % SHARE == 0]


@pytest.mark.parametrize("name", names())
def test_strided_operands(name: str) -> None:
    spec = REGISTRY[name]
    r = random.Random(SEED * 1_000_003 + zlib.crc32(name.encode()))
    done = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for dtype in pick(spec, dt.float64, dt.int64)[:1]:
            found = [
                s
                for s in chosen(spec, dtype, 40)
                if any(t.numel() > 1 for t in support.inputs_of(s))
                and all(t.numel() <= 5000 for t in support.inputs_of(s))
            ]
            for _ in range(ROUNDS):
                for s in r.sample(found, min(len(found), 2)):
                    s = varied(support.map_tensors(support.copy, s), r)
                    expected = check_calls(spec, s, support.map_tensors(lambda t: relaid(t, r), s))
                    if expected is not None:
                        if not name.endswith("_"):
                            check_destinations(spec, s, expected, r)
                        check_gradients(spec, s, support.map_tensors(lambda t: relaid(t, r), s))
                    done += 1
    if not done:
        pytest.skip("takes no tensor of more than one element")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int16", "uint8", "complex64"])
@pytest.mark.parametrize("step", [-2, -1, 2, 3])
def test_rows_of_any_length_whose_elements_lie_apart(dtype: str, step: int) -> None:
    """Vectors and what is left behind them, to the last element of the memory."""
    for n in (*range(1, 36), 64):
        for before in (0, 1):
            x = np.arange(1, 3 * (abs(step) * (n - 1) + 1 + before) + 1, dtype=dtype).reshape(3, -1)
            wanted = x[:, before:][:, ::step]
            t = rl.from_numpy(x).clone()[:, before:]
            rows = t[:, ::step] if step > 0 else t.flip(1)[:, ::-step]
            assert np.array_equal((rows + rows).numpy(), wanted + wanted), (n, before)
