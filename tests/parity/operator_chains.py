"""Random chains of calls from the whole table, of every dtype, run by PyTorch and by rushlight line by line.

A chain is a list of Python lines over tensors t0, t1, ...; it is written while PyTorch runs it. After each line all
tensors are compared: values, dtype, shape, strides, whether a gradient is required; a line that one library alone
refuses is a difference. At the end the gradients of all leaves are.

    python tests/parity/operator_chains.py CHAINS SEED      # differences are printed, with their lines
"""

from __future__ import annotations

import random
import re
import sys
import warnings
from typing import Any

import numpy as np
import torch

import rushlight

FLOATS = ("float64", "float64", "float64", "float32", "float32", "float16", "bfloat16")
OTHERS = ("int64", "int32", "uint8", "bool", "complex128", "int8")
NUMBERS = ("0", "1", "2", "-1", "3", "0.5", "-1.5", "2.0", "1e-3", "float('inf')", "float('nan')", "1j")
STEPS = 15
LARGEST = 3000  # elements

# Names that take one tensor, or two; a dimension; what else there is, as lines: {a} {b} {c} stand for tensors, {d} for
# a dimension of {a}, {n} for a number, {i} for indices along {d}, {k} for whether to keep a dimension.
ONE = """abs neg exp sin cos tanh sigmoid relu sqrt log square reciprocal floor ceil round trunc frac sign erf expm1
log1p rsqrt isnan isinf isfinite logical_not sgn angle atan asinh positive bitwise_not real conj deg2rad lgamma
digamma erfinv exp2 log2 log10 sinc i0 signbit nan_to_num cosh ravel tril triu diag_embed trace nonzero argmax
count_nonzero any all sum prod mean aminmax nansum atleast_2d combinations fliplr""".split()
TWO = """add sub mul div maximum minimum pow eq ne lt le gt ge logical_and logical_or logical_xor atan2 fmod remainder
floor_divide copysign bitwise_and bitwise_or bitwise_xor fmax fmin xlogy ldexp rsub matmul mm bmm dot mv outer inner
cross isclose equal allclose isin dist tensordot vdot cdist""".split()
DIMENSION = """sum mean prod amax amin std var logsumexp any all nansum nanmean median argmin max min cumsum cumprod
cummax logcumsumexp softmax log_softmax unsqueeze squeeze unbind diff trapezoid cumulative_trapezoid
nanmedian""".split()
SHAPED = """{a}.transpose({d}, 0)|{a}.flatten({d})|{a}.reshape(-1)|{a}.view(-1, 1)|{a}.expand(2, *{a}.shape)|{a}.T
{a}.narrow({d}, 0, 1)|{a}.select({d}, -1)|{a}.diagonal()|{a}.movedim({d}, 0)|{a}.unfold({d}, 2, 1)|{a}.split(2, {d})
{a}.chunk(2, {d})|{a}.expand_as({b})|{a}.detach()|{a}[:]|{a}.contiguous()|{a}.clone()|{a}.mT|{a}.unflatten({d}, (1, -1))
M.broadcast_tensors({a}, {b})|{a}.permute(*reversed(range({a}.ndim)))|{a}.swapaxes(0, {d})|{a}.tensor_split(2, {d})
M.cat([{a}, {b}], {d})|M.stack([{a}, {b}], {d})|M.hstack([{a}, {b}])|M.vstack([{a}, {b}])|{a}.tile(2)|{a}.roll(1, {d})
M.meshgrid({a}, {b}, indexing='ij')|M.block_diag({a}, {b})|{a}.repeat_interleave(2, {d})|{a}.flip({d})
{a}.sum({d}, keepdim={k})|{a}.amax({d}, {k})|{a}.norm(3, {d}, {k})
{a}.std({d}, keepdim={k})|{a}.sum({d}, dtype=M.float64)
M.sort({a}, dim={d}, stable=True)|M.argsort({a}, dim={d}, stable=True)|{a}.topk(1, {d})[0]|{a}.quantile(0.3, {d})"""
INDEXED = """{a}[0]|{a}[..., -1]|{a}[1:]|{a}[:, None]|{a}[::2]|{a}[{i}]|{a}[:, {i}]|{a}[{a} > 0.37]|{a}[{b} > 0.37]
{a}.index_select({d}, M.tensor({i}, dtype=M.int64))
{a}.take(M.tensor({i}, dtype=M.int64))|{a}.gather({d}, M.argsort({a}, dim={d}))
M.take_along_dim({a}, M.argsort({a}, dim={d}, stable=True), {d})
{a}.masked_select({b} > 0.37)|M.where({a} > 0.37, {b}, {c})
M.where({a} > 0.37, {b}, {n})|{a}.masked_fill({b} > 0.37, {n})|{a}.index_fill({d}, M.tensor({i}, dtype=M.int64), {n})
{a}.index_add({d}, M.tensor({i}, dtype=M.int64), {a}.index_select({d}, M.tensor({i}, dtype=M.int64)))
{a}.scatter_add({d}, M.zeros_like({b}, dtype=M.int64), {b})|{a}.masked_scatter({a} > 0.37, {b})
{a}.scatter_reduce({d}, M.zeros_like({b}, dtype=M.int64), {b}, 'prod')
{a}.put(M.tensor({i}, dtype=M.int64), {a}.flatten()[:2])
{a}.index_put((M.tensor({i}, dtype=M.int64),), {b}, accumulate={k})
M.nn.functional.embedding(M.tensor({i}, dtype=M.int64), {a})"""
WRITTEN = """{a}.add_({b})|{a}.sub_({n})|{a}.mul_({b})|{a}.mul_({n})
{a}.div_({b})|{a}.copy_({b})|{a}.fill_({n})|{a}.zero_()
{a}.exp_()|{a}.neg_()|{a}.clamp_(min={n})|{a}.masked_fill_({a} > 0.37, {n})
{a}.t_()|{a}.squeeze_()|{a}.tanh_()|{a}.pow_(2)
{a}.__setitem__(0, {n})|{a}.__setitem__(slice(1, None), {b})
{a}.__setitem__({a} > 0.37, {n})|{a}.__setitem__({a} > 0.37, {b})
{a}.__setitem__({i}, {b})|{a}.__setitem__((..., 0), {b})
M.add({a}, {b}, out={c}.detach())|M.exp({a}, out={b}.detach())"""
NUMBERED = """{a} + {n}|{a} * {n}|{n} - {a}|{a} / {n}|{a} ** {n}
{n} ** {a}|{a} // {n}|{a} % {n}|{a} == {n}|{a} > {n}|{a}.clamp(-1, {n})
M.add({a}, {b}, alpha={n})|{a}.clamp({b}, {c})|M.lerp({a}, {b}, 0.3)|M.addcmul({a}, {b}, {c})|M.addmm({a}, {b}, {c})
M.div({a}, {b}, rounding_mode='floor')|{a}.logit(0.1)|{a}.float_power(2)|{a}.renorm(2, 0, 1.0)
{a}.to(M.float64)|{a}.to(M.float32)|{a}.to(M.int64)|{a}.to(M.bool)|{a}.to(M.complex128)|{a}.type_as({b})|{a}.double()
M.einsum('...i,...i->...', {a}, {b})|{a} @ {a}.mT|M.zeros_like({a})|{a}.new_full((2,), {n})|M.full_like({a}, {n})"""
LAYERS = """layer_norm({a}, {a}.shape[-1:])|gelu({a})|softplus({a})
elu({a})|silu({a})|hardtanh({a})|normalize({a})|glu({a}, {d})
pad({a}, (1, 1))|pad({a}, (1, 1), 'reflect')|pad({a}, (-1, 2), value={n})
mse_loss({a}, {b})|l1_loss({a}, {b}, reduction='sum')
huber_loss({a}, {b})|linear({a}, {b})|conv1d({a}, {b}, padding=1)
binary_cross_entropy_with_logits({a}, {b})|max_pool1d({a}, 2)|avg_pool1d({a}, 2)|group_norm({a}, 1)|one_hot({a})
batch_norm({a}, None, None, training=True)|interpolate({a}, scale_factor=2)
leaky_relu({a}, 0.1)|kl_div({a}, {b}, reduction='sum')"""


def _lines(text: str, before: str = "") -> list[str]:
    return [before + line for row in text.splitlines() for line in row.split("|")]


CALLS = (
    [f"M.{name}({{a}})" for name in ONE],
    [f"M.{name}({{a}}, {{b}})" for name in TWO],
    [f"M.{name}({{a}}, {{d}})" for name in DIMENSION],
    _lines(SHAPED),
    _lines(INDEXED),
    _lines(WRITTEN),
    _lines(NUMBERED),
    _lines(LAYERS, "M.nn.functional."),
)

# What PyTorch alone refuses (docs/differences.md, or a dtype that it lacks), by its words; all NotImplementedErrors
# too.
THEIRS = (
    "don't support automatic differentiation",
    "does not support automatic differentiation",
    "Autograd not support dtype",
    "modified by an inplace operation",
    "single memory location",
    "not resizable",
    "view size is not compatible",
    "is out of bounds for dimension with size 0",  # no index of a row is there
    "Dimension specified as 0",
    "Dimension out of range",  # repeat_interleave of a 0-d tensor
    "Boolean alpha",
    "destination dtypes match",  # where no element is put
    "self.dtype to be equal to src.dtype",  # likewise
    "not supported for complex",
    "INTERNAL ASSERT",
    "can't be cast to the desired output type",
    "invalid gradient",
    "is not implemented",
    "doesn't match the broadcast shape",
    "Expected 2D or 3D",
    "should be positive",
    "with a bool tensor is not supported",
    "on a bool tensor, is not supported",
    "The shape of the mask",
    "Found dtype Long but expected",
    "Converting complex Scalar",
    "Only zero batch or zero channel",
    "Expected more than 1 value per channel",
)
# What is refused here alone, each in docs/differences.md.
OURS = (
    "must keep every element in a place of its own",
    "the operands must be of one dtype",  # of einsum
    "saved for the backward was modified",
    "a leaf Variable that requires grad is being used",
    "is a view and its base",
    "the destination has the shape",
    "softmax(): not defined for dtype",  # of no elements, as the next
    "cummax(): not defined for dtype",
    "inner(): not defined for dtype",
    "einsum(): not defined for dtype",  # of products without a sum
)
TOLERANCE = {"float64": 1e-7, "float32": 2e-3, "float16": 5e-2, "bfloat16": 3e-1, "complex128": 1e-7, "complex64": 2e-3}


class Difference(Exception):
    """The two libraries differ."""


class Ended(Exception):
    """The chain cannot go on: what differs is listed, or follows from it."""


def leaf(q: random.Random) -> str:
    """The line of a new tensor: contiguous, transposed or strided, maybe with gradients."""
    shape = [q.choice((0, 1, 1, 2, 3, 3, 4, 5)) for _ in range(q.choice((0, 1, 1, 2, 2, 2, 3, 3, 4)))]
    dtype = q.choice(FLOATS if q.random() < 0.7 else OTHERS)
    values = [_value(q, dtype) for _ in range(int(np.prod(shape)))]
    text = f"M.tensor({values}, dtype=M.{dtype}).reshape({shape})"
    how = q.choice(("", "", ".transpose(0, -1).contiguous().transpose(0, -1)", ".repeat_interleave(2, -1)[..., ::2]"))
    grad = ".requires_grad_()" if q.random() < 0.5 and dtype.startswith(("f", "bf", "c")) else ""
    return f"{text}{how if shape else ''}.detach(){grad}"


def _value(q: random.Random, dtype: str) -> Any:
    x = q.gauss(0, 1.5)
    if dtype == "bool":
        return x > 0
    if dtype in ("int64", "int32", "int8", "uint8"):
        return abs(round(2 * x)) if dtype == "uint8" else round(2 * x)
    return complex(x, q.gauss(0, 1)) if dtype == "complex128" else x


class Side:
    """One library with the tensors of a chain."""

    def __init__(self, M: Any) -> None:
        self.M, self.tensors = M, []  # type: ignore[var-annotated]

    def run(self, line: str) -> Any:
        """What a line gives, or the exception that it raises."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return eval(line, {"M": self.M, **{f"t{i}": t for i, t in enumerate(self.tensors)}})
        except Exception as error:
            return error

    def array(self, t: Any) -> np.ndarray:
        t = t.detach().resolve_conj().resolve_neg()
        t = t.float() if t.dtype in (self.M.float16, self.M.bfloat16) else t
        t = t.to(self.M.complex64) if t.dtype is self.M.complex32 else t
        return np.asarray(t.numpy(force=True))


def compare(a: Side, b: Side, x: Any, y: Any, what: str, loose: float = 1.0) -> None:
    """Difference where two tensors, or what else a call gives, are not alike. loose: times the tolerance."""
    if not isinstance(x, torch.Tensor) or not isinstance(y, rushlight.Tensor):
        alike = isinstance(y, rushlight.Tensor) == isinstance(x, torch.Tensor) and type(x).__name__ == type(y).__name__
        if not alike or (isinstance(x, (bool, int)) and x != y):
            raise Difference(f"{what}: {x!r} in PyTorch, {y!r} here")
        return
    # Results of several tensors, and of lists of indices, may lie row by row here where PyTorch's do not.
    in_order = len(set(re.findall(r"\bt\d+\b", what))) < 2 and not re.search(r", \[| after ", what)
    facts = [
        (
            str(t.dtype),
            tuple(t.shape),
            t.requires_grad,
            [s for s, n in zip(t.stride(), t.shape, strict=True) if n > 1 and t.numel() and in_order],
        )
        for t in (x, y)
    ]
    if facts[0][2] != facts[1][2] and 0 in {t.numel() for t in a.tensors}:
        raise Ended  # where nothing is put, joined or taken, a result here has no graph
    if facts[0] != facts[1]:
        raise Difference(f"{what}: {facts[0]} in PyTorch, {facts[1]} here")
    u, v, dtype = a.array(x), b.array(y), facts[0][0].partition(".")[2]
    if dtype not in TOLERANCE:
        wrong = u != v
    else:
        with np.errstate(all="ignore"):
            finite = np.isfinite(u) & np.isfinite(v)
            largest = np.max(np.abs(u[finite]), initial=0)
            # (A float64 may be made of what was rounded to 16 bits before.)
            coarsest = max([TOLERANCE[dtype], *(TOLERANCE.get(str(t.dtype)[6:], 0.0) for t in a.tensors)])
            wrong = finite & (np.abs(u - v) > loose * coarsest * (1 + np.abs(u) + 0.01 * largest))
            wrong |= np.isfinite(u) != np.isfinite(v)
            if coarsest > TOLERANCE["float64"]:  # near the end of the range either may come out infinite
                wrong &= ~(np.abs(np.nan_to_num(u)) > 1e4)
    if wrong.any():
        raise Difference(f"{what}: {u[wrong].tolist()[:4]} in PyTorch, {v[wrong].tolist()[:4]} here ({dtype})")


def flat(x: Any) -> list[Any]:
    return [y for v in x for y in flat(v)] if isinstance(x, (tuple, list)) else [x]


def step(q: random.Random, a: Side) -> str:
    """The next line."""
    n = len(a.tensors)
    if q.random() < 0.05:
        return leaf(q)
    i = n - 1 if q.random() < 0.5 else q.randrange(n)
    t = a.tensors[i]
    d = q.randint(-t.ndim, t.ndim - 1) if t.ndim else q.choice((0, -1))
    size = t.shape[d] if t.ndim else 1
    return q.choice(q.choice(CALLS)).format(
        a=f"t{i}",
        b=f"t{q.randrange(n)}",
        c=f"t{q.randrange(n)}",
        d=d,
        n=q.choice(NUMBERS),
        i=[q.randint(0, max(size - 1, 0)) for _ in range(q.choice((1, 2, 3)))],
        k=q.random() < 0.5,
    )


def refused(line: str, x: Any, y: Any) -> bool:
    """Whether both libraries refuse a line. Ended where one does and that is listed."""
    theirs, ours = isinstance(x, Exception), isinstance(y, Exception)
    if theirs and ours:
        return True
    if theirs:
        if isinstance(x, NotImplementedError) or any(text in str(x) for text in THEIRS):
            raise Ended
        raise Difference(f"{line}: {x!r} in PyTorch, none here")
    if ours:
        if any(text in str(y) for text in OURS):
            raise Ended
        raise Difference(f"{line}: {y!r} here alone")
    return False


def run(seed: int, lines: list[str]) -> None:
    """Write and run a chain, noting its lines. Raises Difference."""
    q, a, b = random.Random(seed), Side(torch), Side(rushlight)
    try:
        for k in range(q.randint(5, STEPS)):
            line = leaf(q) if k < 2 else step(q, a)
            lines.append(line)
            x, y = a.run(line), b.run(line)
            if not refused(line, x, y):
                xs, ys = flat(x), flat(y)
                if len(xs) != len(ys):
                    raise Difference(f"{line}: {len(xs)} results in PyTorch, {len(ys)} here")
                for u, v in zip(xs, ys, strict=True):
                    compare(a, b, u, v, line)
                    known = isinstance(u, torch.Tensor) and any(u is t for t in a.tensors)
                    if isinstance(u, torch.Tensor) and u.numel() <= LARGEST and not known:
                        lines[-1] = f"t{len(a.tensors)} = {lines[-1]}"
                        a.tensors.append(u)
                        b.tensors.append(v)
            for k, (u, v) in enumerate(zip(a.tensors, b.tensors, strict=True)):
                compare(a, b, u, v, f"t{k} after {line}")
        lines.append("backward")
        backward(q, a, b)
    except Ended:
        pass
    except RuntimeError as error:
        if "is a view and its base" not in str(error):  # PyTorch asks a view for its graph, and it has none left
            raise


def backward(q: random.Random, a: Side, b: Side) -> None:
    """Compare the gradients of the last two results by all leaves."""
    ends = [k for k, t in enumerate(a.tensors) if t.requires_grad and not t.is_leaf][-2:]
    if not ends:
        return
    seed = q.randrange(1 << 30)
    results = []
    for side in (a, b):
        weights = np.random.default_rng(seed)
        try:
            total = 0
            for t in (side.tensors[k] for k in ends):
                w = side.M.tensor(weights.normal(size=tuple(t.shape)).tolist(), dtype=side.M.float64)
                total = total + ((t.real if t.is_complex() else t) * w.reshape(tuple(t.shape))).sum()
            total.backward()
            results.append(None)
        except Exception as error:
            results.append(error)
    if not refused("backward", *results):
        for k, (u, v) in enumerate(zip(a.tensors, b.tensors, strict=True)):
            if u.is_leaf and v.is_leaf and u.requires_grad:
                compare(a, b, u.grad, v.grad, f"t{k}.grad", loose=20.0)


def main(count: int, first: int) -> None:
    """Run chains, and print those that differ."""
    found = 0
    for seed in range(first, first + count):
        lines: list[str] = []
        try:
            run(seed, lines)
        except Difference as error:
            found += 1
            print(f"--- chain {seed}: {error}", *lines, sep="\n  ", flush=True)
    print(f"{found} of {count} chains differ")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
