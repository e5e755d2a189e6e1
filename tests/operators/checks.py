"""The checks that every operator goes through; each takes the operator's samples and raises AssertionError.

A check raises `Inapplicable` where it says nothing about the operator (no in-place variant, no gradient ...).
"""

from __future__ import annotations

import math
import os
import random
import re
import warnings
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import vmap_loop
from jitted import jitted, jitted_writes
from new_values import new_values
from support import (
    Function,
    agree,
    agree_at_the_ends,
    array,
    at_the_ends,
    bind,
    by_columns,
    call,
    close,
    copy,
    differentiable,
    find,
    flat,
    float_dtypes,
    gradients,
    inner,
    inputs_of,
    is_traced,
    map_tensors,
    plain,
    reversed_copy,
    rtol_of,
    same_bits,
    scattered_copy,
    size_inner,
    tensor,
)

import rushlight as rl
from rushlight import transforms
from rushlight.core import dtypes as dt
from rushlight.core import raw
from rushlight.core import tensor as core
from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Kind
from rushlight.operators.table import compile as _compile
from rushlight.operators.table import trace as _trace
from rushlight.operators.table.arguments import EXACT_OUT, unfit_out
from rushlight.operators.table.define import METHODS
from rushlight.program.ir import Program
from rushlight.testing.samples import ErrorSample, Make, OperatorSamples, Sample

LIMIT = 6  # samples a check takes of an operator, spread over all it has


# What they give is memory that nobody has written.
UNDEFINED_MEMORY = frozenset(
    "empty empty_like new_empty empty_strided new_empty_strided empty_permuted resize_ resize_as_".split()
)

# Their in-place variants change the tensor's metadata and no value.
METADATA_ALONE = frozenset(
    {"detach", "squeeze", "unsqueeze", "transpose", "t", "swapaxes", "swapdims", "as_strided", "requires_grad"}
)


class Inapplicable(Exception):
    """The check says nothing about this operator; the text says why."""


# What these give, or whether they give anything, depends on the strides of their input.
LAYOUT_DEPENDENT = frozenset({"as_strided", "view", "view_as", "view_as_complex"})


def chosen(spec: OperatorSamples, dtype: Any, limit: int = LIMIT) -> list[Sample]:
    """At most `limit` samples, spread evenly."""
    found = spec.samples(dtype)
    if len(found) <= limit:
        return found
    return [found[round(i * (len(found) - 1) / (limit - 1))] for i in range(limit)]


def pick(spec: OperatorSamples, *wanted: Any) -> list[Any]:
    """Those of the wanted dtypes that the operator takes, else its first."""
    return [d for d in wanted if d in spec.dtypes] or [spec.dtypes[0]]


def label(sample: Sample) -> str:
    """A sample in few words."""

    def show(x: Any) -> str:
        if isinstance(x, core.Tensor):
            return f"{x.dtype.name}{list(x.shape)}"
        if isinstance(x, (tuple, list)):
            return "(" + ", ".join(map(show, x)) + ")"
        return repr(x)

    return ", ".join([*map(show, sample.args), *(f"{k}={show(v)}" for k, v in sample.kwargs.items())])


def reference(spec: OperatorSamples) -> None:
    """Values agree with the NumPy reference."""
    if spec.reference is None:
        raise Inapplicable("no NumPy reference; tests/parity compares it with PyTorch")
    fn = find(spec.name)
    for dtype in pick(spec, dt.float32, dt.complex128, dt.int64, dt.bool_):
        for s in chosen(spec, dtype, 40):
            n = map_tensors(array, s)
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = spec.reference(np, *n.args, **n.kwargs)
            got = flat(call(fn, s))
            want = list(expected) if isinstance(expected, (tuple, list)) else [expected]
            assert len(got) == len(want), f"{label(s)}: {len(got)} results, expected {len(want)}"
            for g, e in zip(got, want, strict=True):
                close(array(g), e, rtol_of(spec, g.dtype, dtype), label(s))


WIDE = {"f": dt.float64, "c": dt.complex128, "i": dt.int64, "u": dt.int64, "b": dt.bool_}
# Ends of a dtype at which the wider dtype's values are others, by operator and kind of dtype, and why.
_PRODUCT = ("largest", "a product in between is beyond the dtype's range, and not beyond the wider one's")
ENDS_LEFT: dict[tuple[str, str], tuple[str, str]] = {
    **{(name, kind): _PRODUCT for name in ("addcdiv", "addcmul") for kind in "fc"},
    **{(name, "c"): _PRODUCT for name in ("lerp", "mul", "square", "pow", "sinc")},
    ("special.betaincinv", "f"): ("subnormal", "the quotient of two shapes below the normal numbers has few digits"),
}
# What speaks of the dtype's own ends: compared with the NumPy reference there.
OF_OWN_ENDS = frozenset({"nan_to_num", "nextafter"})


def dtypes(spec: OperatorSamples) -> None:
    """Every dtype works, and agrees with the same call in the widest dtype of its kind; elementwise operators also at
    the ends of the dtype.
    """
    fn = find(spec.name)
    wide = WIDE
    elementwise = is_traced(fn) and fn.definition.shape_class == "pointwise" and not spec.name.endswith("_")
    for dtype in spec.dtypes:
        samples = chosen(spec, dtype, 2)
        if (
            elementwise
            and samples
            and dtype is not wide[dtype.kind]
            and wide[dtype.kind] in spec.dtypes
            and _at_the_ends(spec, fn, samples[0], dtype)
        ):
            samples = samples[1:]
        for s in samples:
            got = flat(call(fn, s))
            if dtype is wide[dtype.kind] or wide[dtype.kind] not in spec.dtypes or spec.name in OF_OWN_ENDS:
                continue
            larger = map_tensors(
                lambda t, dtype=dtype: tensor(array(t), wide[dtype.kind]) if t.dtype is dtype else t, s
            )
            for g, e in zip(got, flat(call(fn, larger)), strict=True):
                a, b = array(g), array(e)
                if dtype.kind in "iu" and b.dtype.kind in "iu" and a.dtype != b.dtype:
                    b = b.astype(a.dtype)
                close(a, b, rtol_of(spec, g.dtype, dtype), f"{dtype} {label(s)}")
    if spec.name in OF_OWN_ENDS:
        return
    for dtype, wide_enough in NARROW.items():
        if wide_enough in spec.dtypes:
            _narrow(spec, dtype, wide_enough)
    if dt.float32 in spec.dtypes:
        for dtype in _met(spec, FLOATS_OF_8_BITS):
            _narrow(spec, dtype, dt.float32)
    if dt.int64 in spec.dtypes and spec.name not in WRAPS:
        for dtype in _met(spec, UNSIGNED):
            _narrow(spec, dtype, dt.int64)
    if dt.int64 in spec.dtypes and spec.name not in FLOAT32_ALWAYS:
        _follows_the_default(spec)


def _at_the_ends(spec: OperatorSamples, fn: Any, sample: Sample, dtype: Any) -> bool:
    """The sample with every combination of the dtype's extreme numbers, against the same in the widest dtype of its
    kind.
    """
    if spec.name in OF_OWN_ENDS and dtype is dt.bfloat16:  # which NumPy lacks
        return False
    leave, _ = ENDS_LEFT.get((spec.name, dtype.kind), ("", ""))
    for without in (frozenset(), frozenset({0})):  # (an integer over 0 is an error)
        ends = at_the_ends(sample, without, leave)
        if ends is None:
            return False
        try:
            got = flat(call(fn, map_tensors(copy, ends)))
            break
        except RuntimeError as error:
            assert not without, f"{dtype} {label(sample)} at the ends: {error}"
    if spec.name in OF_OWN_ENDS:
        given = map_tensors(array, ends)
        assert spec.reference is not None
        with np.errstate(all="ignore"):
            expected = [spec.reference(np, *given.args, **given.kwargs)]
    else:
        larger = map_tensors(lambda t: tensor(array(t), WIDE[t.dtype.kind]) if t.dtype is dtype else t, ends)
        expected = [array(e.to(g.dtype)) for g, e in zip(got, flat(call(fn, larger)), strict=True)]
    for g, e in zip(got, expected, strict=True):
        agree_at_the_ends(
            array(g), e, 2 * rtol_of(spec, g.dtype, dtype), inputs_of(ends), f"{dtype} {label(sample)} at the ends"
        )
    return True


# Narrow dtypes that every operator meets, whether it says so or not, and those in which it is asked the same. Of the
# floats of eight bits and the unsigned integers each operator meets one, or with RUSHLIGHT_DTYPES=all every one.
NARROW = {dt.complex32: dt.complex64}
FLOATS_OF_8_BITS = [dt.float8_e4m3fn, dt.float8_e5m2, dt.float8_e4m3fnuz, dt.float8_e5m2fnuz, dt.float8_e8m0fnu]
UNSIGNED = [dt.uint16, dt.uint32, dt.uint64]
# of differences, which wrap first (as in PyTorch)
WRAPS = {"nn.functional.margin_ranking_loss", "nn.functional.triplet_margin_loss", "pairwise_distance"}
ALL_DTYPES = os.environ.get("RUSHLIGHT_DTYPES") == "all"
# What says its result's dtype itself.
FLOAT32_ALWAYS = {"float", "cfloat"}


def _met(spec: OperatorSamples, many: list[Any]) -> list[Any]:
    """All of these dtypes, or the one that falls to the operator."""
    return many if ALL_DTYPES else [many[zlib.crc32(spec.name.encode()) % len(many)]]


def _narrow(spec: OperatorSamples, dtype: Any, wide: Any) -> None:
    """A narrow dtype gives what the wide one gives, rounded, or is refused in words: never another value, never an
    error from inside.
    """

    def widened(t: Any) -> Any:
        t = copy(t)
        return t.to(wide) if t.dtype is dtype else t.to(dt.float32) if t.dtype is dt.float16 else t

    def held(x: Any) -> Any:
        """A number as a storage dtype has it: float8_e8m0fnu has no zero."""
        number = isinstance(x, float) and math.isfinite(x) and dtype.format is not None
        return rl.tensor(x).to(dtype).to(wide).item() if number else x

    try:
        found = chosen(spec, dtype, 2)[-1:]
    except NotImplementedError:  # the samples themselves compute
        return
    except RuntimeError as error:
        assert "storage" in str(error) or "dtype" in str(error), error
        return
    for s in found:
        if all(t.dtype is not dtype for t in inputs_of(s)):
            continue
        state = rl.get_rng_state()
        try:
            got = flat(call(find(spec.name), map_tensors(copy, s)))
        except (NotImplementedError, RuntimeError) as error:
            assert re.search("not defined|dtype|storage", str(error)), f"{dtype} {label(s)}: {error}"
            continue
        rl.set_rng_state(state)
        # A product of three is rounded twice.
        rtol = (
            2e-2
            if dtype.format is None
            else 0.25
            if getattr(find(spec.name), "shape_class", "") == "contraction"
            else 0.0
        )
        other = map_tensors(widened, s)
        other.args, other.kwargs = tuple(map(held, other.args)), {k: held(x) for k, x in other.kwargs.items()}
        for g, e in zip(got, flat(call(find(spec.name), other)), strict=True):
            if not g.is_meta and spec.name not in UNDEFINED_MEMORY:
                close(
                    np.array(g.tolist()),
                    np.array((e.to(dtype) if g.dtype is dtype else e).tolist()),
                    rtol,
                    f"{dtype} {label(s)}",
                )


def _follows_the_default(spec: OperatorSamples) -> None:
    """What integers become follows the default dtype, also in a call that was compiled under another one."""
    for s in chosen(spec, dt.int64, 2)[-1:]:
        if any(t.dtype.kind in "fc" for t in inputs_of(s)) or any(
            isinstance(x, dt.dtype) or str(x).endswith("Tensor")
            for x in (*s.args, *s.kwargs.values())
            if isinstance(x, (dt.dtype, str))
        ):
            continue
        before = flat(call(find(spec.name), map_tensors(copy, s)))
        rl.set_default_dtype(dt.float64)
        try:
            after = flat(call(find(spec.name), map_tensors(copy, s)))
        finally:
            rl.set_default_dtype(dt.float32)
        for x, y in zip(before, after, strict=True):
            expected = {dt.float32: dt.float64, dt.complex64: dt.complex128}.get(x.dtype, x.dtype)
            assert y.dtype is expected, (
                f"{label(s)}: {y.dtype} under the default dtype float64, {x.dtype} under float32"
            )


def inplace(spec: OperatorSamples) -> None:
    """name_ gives its destination the values of name, and counts the change."""
    op, other = find(spec.name), METHODS.get(spec.name.rpartition(".")[2] + "_")
    if other is None or spec.name.endswith("_"):
        raise Inapplicable("no in-place variant, as in PyTorch")
    writes = spec.name not in METADATA_ALONE
    done = 0
    for dtype in pick(spec, dt.float32, dt.int64):
        for s in chosen(spec, dtype):
            if not s.args or not isinstance(s.args[0], core.Tensor):
                continue
            expected = call(op, s)
            own = map_tensors(copy, s)
            dest = own.args[0]
            if writes and (tuple(expected.shape) != tuple(dest.shape) or not dt.can_cast(expected.dtype, dest.dtype)):
                error: BaseException | None = None
                try:
                    call(other, own)
                except RuntimeError as e:
                    error = e
                assert error is not None, (
                    f"{label(s)}: the result ({expected.dtype}, {list(expected.shape)}) does not fit the "
                    "destination, and no error was raised"
                )
                continue
            before = dest._version
            got = call(other, own)
            assert got is dest, f"{label(s)}: the destination itself is the result"
            assert dest._version > before or not writes, f"{label(s)}: the version counter has not moved"
            same_bits(dest, expected if expected.dtype is dest.dtype else expected.to(dest.dtype), label(s))
            done += 1
    assert done, "no sample whose result fits its first argument"


def out(spec: OperatorSamples) -> None:
    """out= receives the result, is resized when it has another shape, and refuses a dtype that it cannot hold."""
    op = find(spec.name)
    if not getattr(op, "takes_out", False):
        raise Inapplicable("no out=, as in PyTorch")
    s0 = chosen(spec, pick(spec, dt.float32)[0], 3)
    elementwise = getattr(op, "shape_class", "") == "pointwise"
    if elementwise:
        s0 = [*s0, *[map_tensors(by_columns, s) for s in s0[:1]]]
    for s in s0:
        expected = flat(call(op, s))
        if not expected or not isinstance(call(op, s), (core.Tensor, tuple)):
            continue
        single = isinstance(call(op, s), core.Tensor)
        kinds: dict[str, Callable[[Any], Any]] = {
            "right shape": lambda e: raw.empty_strided_raw(e.dtype, e.shape, None),
            "strided": lambda e: (
                raw.empty_strided_raw(e.dtype, tuple(reversed(e.shape)), None).permute(*range(e.ndim - 1, -1, -1))
                if e.ndim > 1
                else raw.empty_strided_raw(e.dtype, e.shape, None)
            ),
            "empty": lambda e: raw.empty_strided_raw(e.dtype, (0,), None),
            "too large": lambda e: raw.empty_strided_raw(e.dtype, (e.numel() + 3,), None),
        }
        for kind, make in list(kinds.items())[: 3 if spec.name in EXACT_OUT else None]:
            dests = [make(e) for e in expected]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore" if kind == "too large" else "default")
                got = call(op, s, out=dests[0] if single else tuple(dests))
            for d, g, e in zip(dests, flat(got), expected, strict=True):
                assert g is d, f"{label(s)}: out= ({kind}) must itself be the result"
                same_bits(d, e, f"{label(s)}, out= ({kind})")
                if elementwise and kind in ("empty", "too large"):
                    assert d.stride() == e.stride(), f"{label(s)}: out= ({kind}) must lie as a new result does"
        narrow = {"f": dt.int64, "c": dt.float32, "i": dt.bool_, "u": dt.bool_}.get(expected[0].dtype.kind)
        if narrow is not None and single and inputs_of(s):
            dest = raw.empty_strided_raw(narrow, expected[0].shape, None)
            if op.definition.out_decides and s.kwargs.get("dtype") is None:
                own = op(*s.args, **{**s.kwargs, "dtype": narrow})
                same_bits(call(op, s, out=dest), own, f"{label(s)}, out= of {narrow}")
                continue
            try:
                call(op, s, out=dest)
            except type(unfit_out(spec.name, expected[0].dtype, narrow)):
                continue
            raise AssertionError(f"{label(s)}: no error for out= of {narrow} and a {expected[0].dtype}")


def _why_no_gradient(spec: OperatorSamples) -> str:
    """What the operator's results say about it."""
    op = find(spec.name)
    if spec.name.endswith("_"):
        return "an in-place form; the operator itself is checked"
    if not any(d.kind in "fc" for d in spec.dtypes):
        return "takes integers and bools"
    outputs = [t for s in chosen(spec, pick(spec, dt.float64)[0], 3) for t in flat(call(op, map_tensors(copy, s)))]
    if not any(o.dtype.kind in "fc" for o in outputs):
        return "gives integers or bools" if outputs else "gives no tensor"
    kind = getattr(op, "shape_class", "")
    return {"factory": "depends on no tensor's values", "random": "draws random numbers"}.get(
        kind, "has no derivative, in PyTorch neither"
    )


def _directional(spec: OperatorSamples, body: Callable[[Function, str], bool | None]) -> None:
    if not spec.grad:
        raise Inapplicable(_why_no_gradient(spec))
    if not float_dtypes(spec):
        raise Inapplicable("takes no tensor of double precision")
    done: list[bool | None] = []
    for dtype in float_dtypes(spec):
        for s in chosen(spec, dtype, 4):
            if any(differentiable(t) and t.numel() for t in inputs_of(s)) and all(
                np.isfinite(array(t)).all() for t in inputs_of(s)
            ):
                fn = find(spec.name)
                done.append(body(Function(spec.through(fn) if spec.through else fn, s), f"{dtype} {label(s)}"))
    if not any(d is not None for d in done):
        raise Inapplicable("gives no tensor of double precision")
    assert any(done), "no sample has an output with a derivative"


def gradcheck(spec: OperatorSamples) -> None:
    """Gradients agree with finite differences along a random direction."""

    def body(f: Function, what: str) -> bool | None:
        leaves, outputs = f.run()
        if not any(o.requires_grad for o in outputs):
            return False if outputs else None
        ws, ds = f.directions(outputs), f.directions(leaves)
        grads = gradients(outputs, ws, leaves)
        for g, x in zip(grads, leaves, strict=True):
            assert g is None or (g.dtype is x.dtype and g.shape == x.shape), (
                f"{what}: gradient {g.dtype} {list(g.shape)} of an input {x.dtype} {list(x.shape)}"
            )
        pairs = [(array(g), d) for g, d in zip(grads, ds, strict=True) if g is not None]
        analytic = inner([g for g, _ in pairs], [d for _, d in pairs])
        step = 1e-6
        above, below = ([array(o) for o in f.run(ds, s)[1]] for s in (step, -step))
        differences = [np.subtract(a, b) / (2 * step) for a, b in zip(above, below, strict=True)]
        agree(analytic, inner(ws, differences), size_inner(ws, differences), what)
        return True

    _directional(spec, body)


def gradgradcheck(spec: OperatorSamples) -> None:
    """Second derivatives agree with finite differences of gradients."""

    def body(f: Function, what: str) -> bool | None:
        leaves, outputs = f.run()
        if not any(o.requires_grad for o in outputs):
            return False if outputs else None
        ws, ds, us = f.directions(outputs), f.directions(leaves), f.directions(leaves)
        grads = gradients(outputs, ws, leaves, create_graph=True)
        at = [i for i, g in enumerate(grads) if g is not None]
        second = gradients([grads[i] for i in at], [us[i] for i in at], leaves)
        pairs = [(array(g), d) for g, d in zip(second, ds, strict=True) if g is not None]
        analytic = inner([g for g, _ in pairs], [d for _, d in pairs])
        step = 1e-6

        def slopes(s: float) -> list[Any]:
            moved, results = f.run(ds, s)
            found = gradients(results, ws, moved)
            return [np.zeros_like(us[i]) if found[i] is None else array(found[i]) for i in at]

        differences = [np.subtract(a, b) / (2 * step) for a, b in zip(slopes(step), slopes(-step), strict=True)]
        agree(
            analytic, inner([us[i] for i in at], differences), size_inner([us[i] for i in at], differences), what, 1e-4
        )
        return True

    _directional(spec, body)


def _func(name: str) -> Any:
    try:
        import rushlight.func
    except ModuleNotFoundError as error:
        raise Inapplicable("rushlight.func does not exist yet") from error
    if not hasattr(rushlight.func, name):
        raise Inapplicable(f"rushlight.func.{name} does not exist yet")
    return rushlight.func


def forward(spec: OperatorSamples) -> None:
    """Forward-mode derivatives agree with finite differences."""
    func = _func("jvp")

    def body(f: Function, what: str) -> bool | None:
        sample, leaves = f.fresh()
        ds = f.directions(leaves)
        step = 1e-6
        above, below = (f.run(ds, s)[1] for s in (step, -step))
        if not any(o.requires_grad for o in above):
            return False if above else None
        primals = [raw.alias_of(x) for x in leaves]

        def apply(*xs: Any) -> tuple[Any, ...]:
            put = {id(a): b for a, b in zip(leaves, xs, strict=True)}
            return tuple(
                o
                for o in flat(call(f.fn, map_tensors(lambda t: put.get(id(t), t), sample)))
                if o.dtype in (dt.float64, dt.complex128)
            )

        _, tangents = func.jvp(
            apply, tuple(primals), tuple(tensor(d, x.dtype) for d, x in zip(ds, primals, strict=True))
        )
        ws = f.directions(tangents)
        differences = [np.subtract(array(a), array(b)) / (2 * step) for a, b in zip(above, below, strict=True)]
        agree(inner(ws, [array(t) for t in tangents]), inner(ws, differences), size_inner(ws, differences), what)
        return True

    _directional(spec, body)


# Every subset of an operator's tensors mapped, and more of its samples: `RUSHLIGHT_VMAP=all pytest tests/operators -k
# vmap` (half an hour on one core).
EVERYTHING = os.environ.get("RUSHLIGHT_VMAP") == "all"


def vmap(spec: OperatorSamples) -> None:
    """vmap gives what a loop gives, with any of the inputs mapped over any dimension, also nested (vmap_loop.py)."""
    func = _func("vmap")
    op = find(spec.name)
    done = 0
    rng = random.Random(spec.name)
    for dtype in pick(spec, dt.float32):
        many = [spec.samples(dtype, seed) for seed in range(3)]
        limit = 4 * LIMIT if EVERYTHING else LIMIT
        picked = (
            range(len(many[0]))
            if len(many[0]) <= limit
            else [round(i * (len(many[0]) - 1) / (limit - 1)) for i in range(limit)]
        )
        for k in picked:
            samples = [m[k] for m in many]
            slots = list({id(t): t for t in inputs_of(samples[0])}.values())
            rows = [
                [{id(a): b for a, b in zip(inputs_of(samples[0]), inputs_of(s), strict=True)}[id(t)] for t in slots]
                for s in samples
                if len(inputs_of(s)) == len(inputs_of(samples[0]))
            ]
            if not slots or any(
                [(list(t.shape), t.dtype) for t in row] != [(list(t.shape), t.dtype) for t in slots] for row in rows
            ):
                continue

            def apply(*xs: Any, s: Sample = samples[0], slots: list[Any] = slots) -> tuple[Any, ...]:
                put = {id(a): b for a, b in zip(slots, xs, strict=True)}
                return tuple(flat(call(op, map_tensors(lambda x: put[id(x)], s))))

            for case in vmap_loop.cases([t.ndim for t in slots], rng, EVERYTHING, spec.name.endswith("_")):
                done += vmap_loop.check(
                    apply, rows, case, func.vmap, lambda d: 10 * rtol_of(spec, d), label(samples[0])
                )
    if not done:
        raise Inapplicable("takes no tensor")


def meta(spec: OperatorSamples) -> None:
    """On the meta device the result has the shape, dtype and strides of the real one."""
    op = find(spec.name)
    done = 0
    for dtype in pick(spec, dt.float32, dt.int64):
        for s in chosen(spec, dtype):
            if not inputs_of(s):
                continue
            got = call(op, map_tensors(lambda t: raw.empty_meta(t.dtype, t.shape, t.stride()), s))
            expected = call(op, map_tensors(copy, s))
            for g, e in zip(flat(got), flat(expected), strict=True):
                assert g.is_meta, f"{label(s)}: the result is on {g.device}"
                assert (g.dtype, tuple(g.shape), tuple(g.stride())) == (e.dtype, tuple(e.shape), tuple(e.stride())), (
                    f"{label(s)}: meta gives {g.dtype} {tuple(g.shape)} {g.stride()}, cpu gives {e.dtype} "
                    f"{tuple(e.shape)} {e.stride()}"
                )
            done += 1
    if not done:
        raise Inapplicable("takes no tensor")


def _relayout(spec: OperatorSamples, change: Callable[[Any], Any]) -> None:
    op = find(spec.name)
    if spec.name in LAYOUT_DEPENDENT:
        raise Inapplicable("depends on the strides of its input")
    done = 0
    for dtype in pick(spec, dt.float32, dt.int64):
        for s in chosen(spec, dtype):
            if not any(t.numel() > 1 for t in inputs_of(s)):
                continue
            expected = call(op, map_tensors(copy, s))
            got = call(op, map_tensors(change, s))
            assert plain(got) == plain(expected), f"{label(s)}: {plain(got)}, expected {plain(expected)}"
            for g, e in zip(flat(got), flat(expected), strict=True):
                assert g.dtype is e.dtype
                close(array(g), array(e), rtol_of(spec, g.dtype), label(s))
            done += 1
    if not done:
        raise Inapplicable("takes no tensor of more than one element")


def noncontiguous(spec: OperatorSamples) -> None:
    """Inputs with gaps and permuted strides give the same values."""
    _relayout(spec, scattered_copy)


def negative_strides(spec: OperatorSamples) -> None:
    """Inputs with negative strides give the same values."""
    _relayout(spec, reversed_copy)


def empty(spec: OperatorSamples) -> None:
    """Tensors without elements work: the samples have one, and elementwise operators keep the empty shape."""
    op = find(spec.name)
    dtype = pick(spec, dt.float32)[0]
    if not any(inputs_of(s) for s in spec.samples(dtype)):
        raise Inapplicable("takes no tensor")
    if is_traced(op) and op.definition.shape_class == "pointwise":
        make = Make(dtype, 0)
        s = next(s for s in spec.samples(dtype) if inputs_of(s))
        got = call(op, map_tensors(lambda t: make((0, 3), dtype=t.dtype), s))
        assert all(tuple(g.shape) == (0, 3) for g in flat(got)), (
            f"{label(s)}: empty inputs give {[list(g.shape) for g in flat(got)]}"
        )
    elif not any(t.numel() == 0 for s in spec.samples(dtype) for t in inputs_of(s)):
        _empty_batch(spec, dtype)


def _empty_batch(spec: OperatorSamples, dtype: Any) -> None:
    """A sample whose tensors have lost all their rows is computed, with the shape that meta tensors give, or refused by
    an error that names the operator.
    """
    op = find(spec.name)
    s = next((s for s in spec.samples(dtype) if any(t.ndim for t in inputs_of(s))), None)
    if s is None:
        raise Inapplicable("its tensors have no dimensions")
    rows = next(t.shape[0] for t in inputs_of(s) if t.ndim)

    def without_rows(t: Any, meta: bool) -> Any:
        shape = (0, *t.shape[1:]) if t.ndim and t.shape[0] == rows else tuple(t.shape)
        if meta:
            return raw.empty_meta(t.dtype, shape)
        return copy(t) if shape == tuple(t.shape) else raw.empty_strided_raw(t.dtype, shape, None)

    names = {spec.name.rpartition(".")[2].strip("_"), getattr(op, "name", spec.name).strip("_")}
    try:
        got = call(op, map_tensors(lambda t: without_rows(t, False), s))
    except (RuntimeError, ValueError, IndexError, TypeError) as error:
        assert any(n in str(error) for n in names) or _AT_RUN_TIME.search(str(error)), (
            f"{label(s)} without rows: the message does not name the operator: {error}"
        )
        return
    try:
        expected = call(op, map_tensors(lambda t: without_rows(t, True), s))
    except (NotImplementedError, RuntimeError):
        return  # needs data: the check of meta tensors says whether it may
    for g, e in zip(flat(got), flat(expected), strict=True):
        assert (g.dtype, tuple(g.shape)) == (e.dtype, tuple(e.shape)), (
            f"{label(s)} without rows: {g.dtype} {list(g.shape)}, meta gives {e.dtype} {list(e.shape)}"
        )


def unfused(spec: OperatorSamples) -> None:
    """The program run primitive by primitive has the bits of the fused kernels."""
    op = find(spec.name)
    if not is_traced(op):
        raise Inapplicable("runs as a composition of other operators")
    for dtype in pick(spec, dt.float32):
        for s in chosen(spec, dtype, 3):
            expected = flat(call(op, s))
            values = bind(op, s)
            program, args, _ = _trace.trace(op, values, False)
            program = transforms.inline_calls(program)
            _same_sizes(args, program)
            given = [t for v, p in zip(values, op.params, strict=True) for t in _tensors_of(v, p)]
            numbers = [_number(v) for v in _trace.numbers_given(op, values)]
            for g, e in zip(step_by_step(program, given, numbers), expected, strict=True):
                same_bits(g, e, label(s))


def _same_sizes(args: Any, program: Program) -> None:
    assert len(args.tensors) + len(args.scalars) == len(program.inputs)


def _tensors_of(v: Any, p: Any) -> list[Any]:
    if p.kind == Kind.P_TENSORS:
        return [t for t in v if t is not None] if v is not None else []
    return [v] if isinstance(v, core.Tensor) and p.kind in (Kind.P_TENSOR, Kind.P_OPERAND) else []


def _number(v: Any) -> Any:
    return v if isinstance(v, (bool, int, float, complex)) else v.item()


def step_by_step(program: Program, tensors: list[Any], numbers: list[Any]) -> list[Any]:
    """The outputs of a program, each equation compiled and run by itself."""
    value: dict[Any, Any] = dict(zip(program.inputs, [*tensors, *numbers], strict=True))
    sizes = tuple(program.env.hints)
    for e in program.eqns:
        distinct = list(dict.fromkeys(e.inputs))
        distinct.sort(key=lambda v: v.kind == "scalar")
        part = Program(program.env, distinct, [e], e.outputs)
        op = _compile.program_operator(part, "Step")
        given = [value[v] for v in distinct]
        k = len([v for v in distinct if v.kind != "scalar"])
        value.update(zip(e.outputs, op(given[:k], sizes, *given[k:]), strict=True))
    outputs = []
    for v in program.outputs:
        x = value[v]
        outputs.append(x if isinstance(x, core.Tensor) else tensor(np.asarray(x), v.dtype))
    return outputs


# Found by LAPACK, or by the storage: they tell the place, and the traceback the operator.
_AT_RUN_TIME = re.compile("within its storage|linalg.*Batch element")


def errors(spec: OperatorSamples) -> None:
    """Wrong arguments raise the error type and message that the samples say, and the message names the operator; so
    does a wrong type.
    """
    op = find(spec.name)
    names = {spec.name.rpartition(".")[2].strip("_"), getattr(op, "name", spec.name).strip("_")}
    found = [s for s in spec.generate(Make(pick(spec, dt.float32)[0], 0)) if isinstance(s, ErrorSample)]
    wrong = _wrong_type(spec, op)
    if not found and wrong is None:
        raise Inapplicable("takes no tensor, and no wrong argument is among its samples")
    for s in [*found, *([wrong] if wrong is not None else [])]:
        raised: BaseException | None = None
        try:
            op(*s.args, **s.kwargs)
        except Exception as e:
            raised = e
        what = label(Sample(*s.args, **s.kwargs))
        types = getattr(s.error, "__name__", s.error)
        assert s.match, f"{what}: an error sample says a part of the message"
        assert raised is not None, f"{what}: raised nothing, expected {types}"
        assert isinstance(raised, s.error) and re.search(s.match, str(raised)), (
            f"{what}: raised {type(raised).__name__}({raised}), expected {types} matching {s.match!r}"
        )
        assert "internal:" not in str(raised), f"{what}: {raised}"
        assert any(n in str(raised) for n in names) or _AT_RUN_TIME.search(str(raised)), (
            f"{what}: the message does not name the operator: {raised}"
        )


class _Stranger:
    """Of no use to any operator."""


def _wrong_type(spec: OperatorSamples, op: Any) -> ErrorSample | None:
    """The operator's first sample with something else for its first tensor; None where it takes none by position."""
    sample = next(
        (s for s in spec.samples(pick(spec, dt.float32)[0]) if any(isinstance(a, core.Tensor) for a in s.args)), None
    )
    if sample is None or not isinstance(op, Operator):
        return None
    i = next(i for i, a in enumerate(sample.args) if isinstance(a, core.Tensor))
    args = [_Stranger() if j == i else a for j, a in enumerate(sample.args)]
    return ErrorSample(TypeError, "_Stranger", *args, **sample.kwargs)


CHECKS: dict[str, Callable[[OperatorSamples], None]] = {
    f.__name__: f
    for f in (
        reference,
        dtypes,
        inplace,
        out,
        gradcheck,
        gradgradcheck,
        forward,
        vmap,
        meta,
        noncontiguous,
        negative_strides,
        empty,
        unfused,
        errors,
        new_values,
        jitted,
        jitted_writes,
    )
}
# Other names that samples may use in `skip`.
GROUPS = {
    "grad": ("gradcheck", "gradgradcheck", "forward"),
    "jvp": ("forward",),
    # it decides by the values of its tensors: where there are none yet, it cannot
    "data": ("vmap", "meta", "jitted", "jitted_writes"),
}


def skipped(spec: OperatorSamples, check: str) -> str | None:
    """The reason why an operator leaves a check out, or None."""
    for name, reason in spec.skip.items():
        if name == check or check in GROUPS.get(name, ()):
            return reason
    return None
