"""What the checks of the operator suite share: calls, copies of tensors, comparison, derivatives by finite
differences.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import rushlight as rl
from rushlight.core import dtypes as dt
from rushlight.core import engine, raw, storage
from rushlight.core import tensor as core
from rushlight.core.dispatch import Operator
from rushlight.operators.table.arrays import array_of
from rushlight.operators.table.define import METHODS, TABLE, operator_of, public
from rushlight.testing.samples import OperatorSamples, Sample

# Relative errors that one operator may make, by dtype of the result.
RTOL = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 1e-5, "complex64": 1e-5, "float64": 1e-10, "complex128": 1e-10}


def find(name: str) -> Any:
    """The operator (or plain function) that a name of the table means."""
    if name in TABLE:
        return operator_of(name) or public(name)
    if name in METHODS:
        return METHODS[name]
    return functools.reduce(getattr, name.split("."), rl)


def find_public(name: str) -> Any:
    """What a program calls by this name; the operator of the table where it is a method alone."""
    found: Any = rl
    for part in name.split("."):
        found = getattr(found, part, None)
    return find(name) if found is None else found


def call(fn: Any, sample: Sample, **more: Any) -> Any:
    """Call `fn` as the sample says."""
    return fn(*sample.args, **sample.kwargs, **more)


def flat(result: Any) -> list[Any]:
    """The tensors of a result, in order."""
    if isinstance(result, core.Tensor):
        return [result]
    if isinstance(result, (tuple, list)):
        return [t for r in result for t in flat(r)]
    return []


def plain(result: Any) -> Any:
    """The part of a result that is not tensors: numbers, strings, structure."""
    if isinstance(result, core.Tensor):
        return "tensor"
    if isinstance(result, (tuple, list)):
        return [plain(r) for r in result]
    return result


def map_tensors(f: Callable[[Any], Any], x: Any) -> Any:
    """x with f applied to its tensors, through tuples, lists and Samples."""
    if isinstance(x, core.Tensor):
        return f(x)
    if isinstance(x, (tuple, list)) and type(x) in (tuple, list):
        return type(x)(map_tensors(f, v) for v in x)
    if isinstance(x, Sample):
        return Sample(*map_tensors(f, x.args), **{k: map_tensors(f, v) for k, v in x.kwargs.items()})
    return x


def inputs_of(sample: Sample) -> list[Any]:
    """The tensors of a sample's arguments."""
    return flat(list(sample.args)) + flat(list(sample.kwargs.values()))


def copy(t: Any, grad: bool = False) -> Any:
    """The same tensor on memory of its own, strides kept; with grad, a leaf that requires it if the sample says so."""
    if t.is_meta:
        return raw.empty_meta(t.dtype, t.shape, t.stride())
    new = raw.tensor_from_storage(
        storage._storage_from_bytes(bytes(memoryview(t.untyped_storage()))),
        t.dtype,
        t.storage_offset(),
        t.shape,
        t.stride(),
    )
    if differentiable(t):
        new._differentiate = True
        if grad:
            new.requires_grad = True
    return new


def differentiable(t: Any) -> bool:
    """Whether the suite differentiates by this input."""
    return bool(getattr(t, "_differentiate", False)) and t.dtype.kind in "fc"


def array(t: Any) -> Any:
    """A NumPy copy of a tensor's values (bfloat16 as float32); other values as they are."""
    if not isinstance(t, core.Tensor):
        return t
    return np.array(array_of(raw.alias_of(t), "array"))


def tensor(a: Any, dtype: Any) -> Any:
    """A tensor of a NumPy array, as dtype."""
    from rushlight.operators.table.arrays import tensor_of

    return tensor_of(a, dtype)


def _least(info: Any) -> float:
    return float(info.smallest_subnormal if hasattr(info, "smallest_subnormal") else info.tiny / 4)


def extremes(d: Any, leave: str = "") -> list[Any]:
    """Numbers of a dtype at its ends: zeros of both signs, the least and the largest, infinities and NaN; and a few
    between. `leave` names the ends of floats that are left out: "largest" or "subnormal".
    """
    if d.kind == "b":
        return [False, True]
    if d.kind in "iu":
        least, most = np.iinfo(d.name).min, np.iinfo(d.name).max
        return [0, 1, 2, 3, 7, most // 2, most - 1, most, *([-1, -2, -5, least + 1, least] if d.kind == "i" else [])]
    info = rl.finfo(d.to_real())
    ends = [
        np.inf,
        -np.inf,
        np.nan,
        *([info.max, -info.max] if leave != "largest" else []),
        info.tiny,
        *([_least(info)] if leave != "subnormal" else []),
    ]
    if d.kind == "f":
        return [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 100.0, *ends]
    parts = [0.0, -0.0, 1.0, -2.5, *ends[: 4 if leave != "largest" else 3]]
    return [complex(x, y) for x in parts for y in parts]


def at_the_ends(sample: Sample, without: frozenset[Any] = frozenset(), leave: str = "") -> Sample | None:
    """An elementwise operator's sample with every combination of extremes for its tensors; None where it has none, or
    more than three.
    """
    slots = list({id(t): t for t in inputs_of(sample)}.values())
    if not 1 <= len(slots) <= 3:
        return None
    values = [[v for v in extremes(t.dtype, leave) if v not in without] for t in slots]
    if len(slots) == 3:
        values = [v[:: 1 + len(v) // 12] for v in values]
    places = np.meshgrid(*[np.arange(len(v)) for v in values], indexing="ij")
    put = {
        id(t): rl.tensor([v[i] for i in p.ravel().tolist()], dtype=t.dtype)
        for t, v, p in zip(slots, values, places, strict=True)
    }
    return map_tensors(lambda t: put[id(t)], sample)


def agree_at_the_ends(got: Any, expected: Any, rtol: float, given: list[Any], what: str) -> None:
    """Assert that arrays agree: integers exactly, each part of each float to rtol, and to the least number of its
    dtype.
    """
    assert got.shape == expected.shape and got.dtype == expected.dtype, (
        f"{what}: {got.dtype} {got.shape}, expected {expected.dtype} {expected.shape}"
    )
    good = np.ones(got.shape, bool)
    for g, e in [(got.real, expected.real), (got.imag, expected.imag)] if got.dtype.kind == "c" else [(got, expected)]:
        if g.dtype.kind != "f":
            good &= g == e
            continue
        with np.errstate(all="ignore"):
            size = np.where(np.isfinite(expected), np.abs(expected), np.where(np.isfinite(e), np.abs(e), 0))
            good &= (
                (g == e)
                | (np.isnan(g) & np.isnan(e))
                | (np.abs(g.astype(np.float64) - e) <= rtol * size + np.finfo(g.dtype).tiny * rtol)
            )
    if not good.all():
        i = tuple(map(int, np.argwhere(~good)[0]))
        at = ", ".join(str(array(t)[i] if t.ndim else array(t)) for t in given)
        raise AssertionError(
            f"{what}: {int((~good).sum())} of {good.size} differ; of ({at}) got {got[i]!r}, expected {expected[i]!r}"
        )


def by_columns(t: Any) -> Any:
    """A copy with the strides of its transpose, without history."""
    return t.detach().mT.contiguous().mT if t.ndim > 1 else t


def reversed_copy(t: Any) -> Any:
    """The same values with every stride negative."""
    if t.numel() == 0 or t.ndim == 0:
        return t
    a = array(t)
    back = tensor(np.ascontiguousarray(np.flip(a)), t.dtype)
    new = raw.view_of(back, t.shape, [-s for s in back.stride()], t.numel() - 1)
    if differentiable(t):
        new._differentiate = True
    return new


def scattered_copy(t: Any) -> Any:
    """The same values, every other element of a permuted, larger block of memory."""
    if t.numel() == 0 or t.ndim == 0:
        return t
    a = array(t)
    order = tuple(reversed(range(a.ndim)))
    wide = np.zeros([2 * n for n in a.transpose(order).shape], a.dtype)
    wide[tuple(slice(None, None, 2) for _ in order)] = a.transpose(order)
    base = tensor(wide, t.dtype)
    strides = [2 * base.stride()[i] for i in range(a.ndim)]
    new = raw.view_of(base, t.shape, strides[::-1], 0)
    if differentiable(t):
        new._differentiate = True
    return new


def close(got: Any, expected: Any, rtol: float, what: str) -> None:
    """Assert that arrays agree to rtol, relative to each value and to the largest one."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape, f"{what}: shape {got.shape}, expected {expected.shape}"
    if not got.size:
        return
    kind = np.complex128 if "c" in (got.dtype.kind, expected.dtype.kind) else np.float64
    if got.dtype.kind in "biu" and expected.dtype.kind in "biu":
        assert (got == expected).all(), f"{what}: got {got.ravel()[:8]}, expected {expected.ravel()[:8]}"
        return
    g, e = got.astype(kind), expected.astype(kind)
    with np.errstate(all="ignore"):
        finite = np.isfinite(e)
        scale = max(1.0, float(np.abs(e[finite]).max())) if finite.any() else 1.0
        good = (g == e) | (np.isnan(g) & np.isnan(e)) | (np.abs(g - e) <= rtol * (scale + np.abs(e)))
    if not good.all():
        i = tuple(map(int, np.argwhere(~good)[0]))
        raise AssertionError(
            f"{what}: {int((~good).sum())} of {good.size} differ; at {i} got {got[i]!r}, expected {expected[i]!r}"
        )


def same_bits(got: Any, expected: Any, what: str) -> None:
    """Assert that tensors have equal shape, dtype and bits (any NaN equals any NaN)."""
    assert got.dtype is expected.dtype, f"{what}: dtype {got.dtype}, expected {expected.dtype}"
    a, b = array(got), array(expected)
    assert a.shape == b.shape, f"{what}: shape {a.shape}, expected {b.shape}"
    parts = [(a.real, b.real), (a.imag, b.imag)] if a.dtype.kind == "c" else [(a, b)]
    for x, y in parts:
        if x.dtype.kind == "f":
            good = ((x == y) & (np.signbit(x) == np.signbit(y))) | (np.isnan(x) & np.isnan(y))
        else:
            good = x == y
        if not np.all(good):
            i = tuple(map(int, np.argwhere(~np.asarray(good))[0]))
            raise AssertionError(
                f"{what}: {int((~good).sum())} of {np.size(good)} bits differ; at {i} got {x[i]!r}, expected {y[i]!r}"
            )


def rtol_of(spec: OperatorSamples, *dtypes: Any) -> float:
    """The tolerance for an operator's results of these dtypes."""
    return max((RTOL.get(d.name, 0.0) for d in dtypes), default=0.0) * spec.tolerance


# ---------------------------------------------------------------------------------------------------------- derivatives
class Function:
    """A sample as a function of its differentiable inputs, weighted to one number: Re <w, outputs>."""

    def __init__(self, fn: Any, sample: Sample, seed: int = 0) -> None:
        self.fn, self.sample = fn, sample
        self.leaves: list[Any] = []
        self.random = np.random.default_rng(seed)

    def fresh(self, shift: Sequence[Any] | None = None, step: float = 0.0) -> tuple[Sample, list[Any]]:
        """The sample on copies, its differentiable inputs as leaves, moved by step * shift."""
        leaves: list[Any] = []
        seen: dict[int, Any] = {}

        def take(t: Any) -> Any:
            if id(t) in seen:
                return seen[id(t)]
            new = copy(t, grad=True)
            seen[id(t)] = new
            if differentiable(t):
                if shift is not None:
                    a = array_of(raw.alias_of(new), "fresh")
                    a[...] = a + step * shift[len(leaves)]
                leaves.append(new)
            return new

        return map_tensors(take, self.sample), leaves

    def directions(self, tensors: Sequence[Any]) -> list[Any]:
        """A random array for each tensor."""
        found = []
        for t in tensors:
            d = self.random.standard_normal(tuple(t.shape))
            found.append(d + 1j * self.random.standard_normal(tuple(t.shape)) if t.dtype.kind == "c" else d)
        return found

    def run(self, shift: Sequence[Any] | None = None, step: float = 0.0) -> tuple[list[Any], list[Any]]:
        """(leaves, outputs that may have a derivative and are precise enough for finite differences)."""
        sample, leaves = self.fresh(shift, step)
        return leaves, [o for o in flat(call(self.fn, sample)) if o.dtype in (dt.float64, dt.complex128)]


def inner(ws: Sequence[Any], xs: Sequence[Any]) -> float:
    """Re sum conj(w) x over lists of arrays."""
    return float(sum(np.sum(np.real(np.conj(w) * x)) for w, x in zip(ws, xs, strict=True)))


def size_inner(ws: Sequence[Any], xs: Sequence[Any]) -> float:
    """The sum of the absolute values of what `inner` adds: the scale of its rounding error."""
    return float(sum(np.sum(np.abs(w) * np.abs(x)) for w, x in zip(ws, xs, strict=True)))


def gradients(
    outputs: Sequence[Any], weights: Sequence[Any], leaves: Sequence[Any], create_graph: bool = False
) -> list[Any]:
    """The gradients of Re <w, outputs> by the leaves; None where there is none."""
    pairs = [(o, tensor(w, o.dtype)) for o, w in zip(outputs, weights, strict=True) if o.requires_grad]
    if not pairs:
        return [None] * len(leaves)
    return engine.run_backward(
        [o for o, _ in pairs], [w for _, w in pairs], create_graph, create_graph, list(leaves), False
    )


def agree(analytic: float, numeric: float, scale: float, what: str, tol: float = 2e-5) -> None:
    """Assert that a directional derivative agrees with its finite difference."""
    assert abs(analytic - numeric) <= tol * max(1.0, scale), (
        f"{what}: {analytic} by the derivative, {numeric} by finite differences (scale {scale:.3g})"
    )


def float_dtypes(spec: OperatorSamples, count: int = 2) -> list[Any]:
    """The double-precision dtypes that an operator takes."""
    return [d for d in (dt.float64, dt.complex128) if d in spec.dtypes][:count]


def is_traced(op: Any) -> bool:
    """Whether the operator is a program of its own (not an eager composition)."""
    return isinstance(op, Operator) and op.eager is None


def bind(op: Any, sample: Sample) -> list[Any]:
    """The sample's arguments in the order of the operator's parameters."""
    params = list(op.params)
    values: dict[int, Any] = {}
    args = list(sample.args)
    for i, p in enumerate(params):
        if p.keyword_only or not args:
            break
        if (
            p.varargs
            and not isinstance(args[0], (tuple, list))
            and args[0] is not None
            and not isinstance(args[0], str)
        ):
            values[i], args = tuple(args), []
        else:
            values[i] = args.pop(0)
    for k, v in sample.kwargs.items():
        values[op.index[k]] = v
    return [values.get(i, p.default) for i, p in enumerate(params)]
