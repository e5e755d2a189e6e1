"""How many operations a program does: a rule for each primitive, in the sizes of a run.

An addition or a multiplication of floating-point numbers is one operation, and so is any other instruction on one
(a comparison, a choice, a conversion); a multiply-add is two. Of an elementary function the vector instructions of its
code are counted, each as a multiply-add (`functions.py`). Integers are counted in products, sorts and random numbers
alone; what moves elements is not counted. The program is the one that the operator table gives, before any pass of the
compiler, with the calls in it written out. Where the number of steps depends on values, the least is counted.

Factorisations have the counts of G. H. Golub and C. F. Van Loan (Matrix Computations, 4th ed.; chapters 3 to 5, 7 and
8), transforms 5 n log2 n of n complex numbers and half of that of n real ones, as is usual for them. A sort of n has
log2 n! comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from benchmarks.roofline import functions
from rushlight.program.ir import Eqn, Program, Var
from rushlight.program.sym import Int
from rushlight.transforms import inline_calls

Sizes = Callable[[Int], int]
Counts = dict[str, float]  # operations by dtype

# Kinds of primitives that move elements, or only look at them.
_MOVES = ("view", "index", "gather", "source", "call")
# Pointwise primitives that take apart, join or rename numbers.
_RENAMES = ("buffered", "real", "imag", "complex", "conj", "bitcast")
TWISTER = 13  # instructions of a word of 32 bits: five of the recurrence, eight of what turns its state to a word
_PHILOX = 60  # ten rounds: two products of 32 by 32 bits, of two instructions each, and two exclusive ors of three


def of_program(program: Program, sizes: Sequence[int] | None = None) -> Counts:
    """The operations of a program.

    Args:
        program: the program, with calls or without.
        sizes: the values of its first symbols, by their numbers; those of the trace where none are given.
    """
    env = program.env.copy()
    if sizes is not None:
        env.hints[: len(sizes)] = sizes
    return _of_equations(inline_calls(program), env.hint)


def added(several: Iterable[Counts]) -> Counts:
    """The sums of counts, dtype by dtype."""
    total: Counts = {}
    for counts in several:
        for dtype, n in counts.items():
            total[dtype] = total.get(dtype, 0) + n
    return {dtype: n for dtype, n in total.items() if n}


def _of_equations(program: Program, size: Sizes) -> Counts:
    return added(_of_equation(e, size) for e in program.eqns)


def _of_equation(e: Eqn, size: Sizes) -> Counts:
    kind, name = e.prim.kind, e.prim.name
    if name in _SEVERAL:
        return _SEVERAL[name](e, size)
    if name in _RULES:
        x = e.inputs[0] if e.inputs else e.outputs[0]
        return {dtype_of(x): _RULES[name](e, size)}
    if kind == "pointwise":
        return _pointwise(e, size)
    if kind == "reduce":
        return _elements(e.inputs[0], size)
    if kind in _MOVES:
        return {}
    if kind == "scatter":
        return {} if e.params["mode"] == "set" else _elements(e.inputs[-1], size)
    if kind == "scan":
        return _elements(e.outputs[0], size)
    raise NotImplementedError(f"no rule says how many operations the primitive {name} does")


def has_rule(name: str, kind: str) -> bool:
    """Whether the operations of a primitive are known."""
    return name in _RULES or name in _SEVERAL or kind in (*_MOVES, "pointwise", "reduce", "scatter", "scan")


def dtype_of(x: Var) -> str:
    """The dtype whose rate counts for a value: complex numbers are pairs; what a vector holds as many of as of a
    floating dtype goes as fast as that.
    """
    d = x.dtype
    if d.kind == "c":
        d = d.to_real()
    if d.kind == "f" and d.itemsize in (2, 4, 8):
        return str(d.name)
    return "float64" if d.itemsize == 8 else "float32"


def _numbers(x: Var, size: Sizes) -> int:
    return math.prod(map(size, x.shape))


def _elements(x: Var, size: Sizes) -> Counts:
    """One operation for each floating-point number, two for a complex one."""
    n = _numbers(x, size) * {"f": 1, "c": 2}.get(x.dtype.kind, 0)
    return {_computed(x): n}


def _computed(x: Var) -> str:
    """The dtype that a value is computed in element by element: float32 of half ones."""
    return "float64" if dtype_of(x) == "float64" else "float32"


def _function(name: str, x: Var, n: float, arity: int = 1) -> Counts:
    """An elementary function of n numbers of the dtype of x, computed in float32 of half ones."""
    dtype = _computed(x)
    of = {"float32": "complex64", "float64": "complex128"}[dtype] if x.dtype.kind == "c" else dtype
    return {dtype: n * functions.operations(name, of, arity)}


def _pointwise(e: Eqn, size: Sizes) -> Counts:
    name, out = e.prim.name, e.outputs[0]
    x = next((v for v in (*e.inputs, out) if v.dtype.kind in "fc"), None)
    if x is None or name in _RENAMES:
        return {}
    n = _numbers(out, size)
    if not e.prim.cost.cheap and functions.has_code(name, x.dtype.kind):
        return _function(name, x, n, len(e.inputs))
    each = 2 if name == "fma" else 1
    if x.dtype.kind == "c":
        each = {"mul": 6, "fma": 8}.get(name, 2)  # four products, and the sums of them
    return {_computed(x): n * each}


# ------------------------------------------------------------------------------------------------- products
def _complex(e: Eqn) -> int:
    """A product of complex numbers is four of real ones."""
    return 4 if e.inputs[0].dtype.kind == "c" else 1


def _dot(e: Eqn, size: Sizes) -> Counts:
    a = e.inputs[0]
    count = 2 * _complex(e) * _numbers(e.outputs[0], size) * size(a.shape[-1])
    return {"int64" if a.dtype.kind in "iu" and a.dtype.itemsize == 8 else dtype_of(a): count}


def pairs(n: int, m: int, kernel: int, stride: int, low: int, dilation: int) -> int:
    """How many pairs of one of m places and one of `kernel` taps reach one of n elements, not the padding beside."""
    total = 0
    for k in range(kernel):
        first = max(0, -((k * dilation - low) // stride))  # the first place whose element is not before the others
        last = min(m - 1, (n - 1 + low - k * dilation) // stride)
        total += max(0, last - first + 1)
    return total


def _convolution(e: Eqn, size: Sizes) -> float:
    """Two for each element of the image, weight and result's element that meet; padding meets none."""
    given = {"conv": ("x", "w", "g"), "conv_dx": ("g", "w", "x"), "conv_dw": ("x", "g", "w")}[e.prim.name]
    role = dict(zip(given, (*e.inputs, *e.outputs), strict=True))
    x, w, g = (tuple(map(size, role[k].shape)) for k in "xwg")
    total = 2 * _complex(e) * x[0] * w[0] * w[1]
    window = zip(e.params["stride"], e.params["padding"], e.params["dilation"], strict=True)
    for n, kernel, m, (stride, padding, dilation) in zip(x[2:], w[2:], g[2:], window, strict=True):
        total *= pairs(n, m, kernel, size(stride), size(padding[0]), size(dilation))
    return total


def _attention(e: Eqn, size: Sizes) -> Counts:
    """Two products of the scores that are seen, five for the gradients; the exponential of each score."""
    (*batch, m, width), (*_, n, wide) = (tuple(map(size, v.shape)) for v in (e.inputs[0], e.inputs[2]))
    seen = math.prod(batch) * (sum(min(i + 1, n) for i in range(m)) if e.params["causal"] else m * n)
    widths = width + wide if e.prim.name == "attention" else 3 * width + 2 * wide
    return added([{dtype_of(e.inputs[0]): 2 * seen * widths}, _function("exp", e.inputs[0], seen)])


def _recurrence(e: Eqn, size: Sizes) -> Counts:
    """A step's, as often as there are rows. How long a step waits for the one before is not counted."""
    steps = size(e.outputs[0].shape[0])
    return {dtype: n * steps for dtype, n in _of_equations(inline_calls(e.params["body"]), size).items()}


def _band(e: Eqn, size: Sizes) -> Counts:
    """A sum of as many products as there are bands; among logarithms, an exponential of each and a logarithm."""
    n, bands = _numbers(e.outputs[0], size), len(e.inputs) - 1
    if e.prim.name == "bandrec":
        return {_computed(e.outputs[0]): 2 * n * bands}
    return added([_function("exp", e.outputs[0], n * bands), _function("log", e.outputs[0], n)])


def _logarithmic(e: Eqn, size: Sizes) -> Counts:
    """A running sum among logarithms: an exponential and a logarithm each."""
    y = e.outputs[0]
    return added(_function(name, y, _numbers(y, size)) for name in ("exp", "log1p"))


# ------------------------------------------------------------------------------------------------- transforms, sorts
def _fourier(share: float) -> Callable[[Eqn, Sizes], float]:
    """share * N log2 n: 5 for complex numbers, half of it for real ones; N all numbers, n those of one transform."""

    def rule(e: Eqn, size: Sizes) -> float:
        x = max((*e.inputs, *e.outputs), key=lambda v: _numbers(v, size) * (1 + (v.dtype.kind != "c")))
        real = e.inputs[0].dtype.kind == "f" and e.prim.name == "fft"
        points = math.prod(size(x.shape[d]) for d in e.params["dims"])
        return (share / 2 if real else share) * _numbers(x, size) * math.log2(max(points, 1))

    return rule


def _sort(e: Eqn, size: Sizes) -> float:
    """What tells the orders of `count` among n apart, log2 n! / (n - count)! comparisons, and at least one an
    element, each an instruction.
    """
    x = e.inputs[0]
    n = size(x.shape[e.params["dim"]])
    count = size(e.params.get("count", n))
    if n < 2:
        return 0
    told = (math.lgamma(n + 1) - math.lgamma(n - count + 1)) / math.log(2)
    return 2 * _numbers(x, size) / n * max(told, n - 1)


# ------------------------------------------------------------------------------------------------- factorisations
def _lapack(count: Callable[[int, int, int], float], solves: bool = False) -> Callable[[Eqn, Sizes], float]:
    """By m >= n, the sizes of the matrix, and by the columns of the solution or 0."""

    def rule(e: Eqn, size: Sizes) -> float:
        *batch, a, b = map(size, e.inputs[0].shape)
        m, n = max(a, b), min(a, b)
        columns = size(e.outputs[0].shape[-1]) if solves else 0
        return _complex(e) * math.prod(batch) * count(m, n, columns)

    return rule


def _spectral(with_vectors: Callable[[int, int], float], alone: Callable[[int, int], float]) -> Any:
    def rule(e: Eqn, size: Sizes) -> float:
        count = with_vectors if e.params.get("vectors", True) else alone
        return _lapack(lambda m, n, _: count(m, n))(e, size)

    return rule


# ------------------------------------------------------------------------------------------------- images
def _regions(e: Eqn, size: Sizes) -> float:
    """Four multiply-adds a sample; one sample a bin where the boxes say how many. A whole bin's average is of at
    least a pixel.
    """
    bins = e.outputs[0] if e.prim.name == "region_average" else e.inputs[0]
    if e.params["mode"] == "ps_whole":
        return _numbers(bins, size)
    return 8 * _numbers(bins, size) * max(size(e.params["sampling"]), 1) ** 2


def _taps(n: int, m: int, reach: int, antialias: bool) -> float:
    """Elements that a filter reaches: of a step from n to m, or of one element."""
    return min(2 * reach * (max(n / m, 1.0) if antialias else 1.0), n)


def _resample_along(e: Eqn, size: Sizes) -> float:
    x, y = e.inputs[0], e.outputs[0]
    n, m = size(x.shape[e.params["dim"]]), size(y.shape[e.params["dim"]])
    if e.params["turned"]:
        x, y, n, m = y, x, m, n
    return 2 * _numbers(y, size) * _taps(n, m, e.params["reach"], True)


def _resample_bytes(e: Eqn, size: Sizes) -> float:
    """The cheaper of the two orders. Numbers of 16 bits: an instruction does twice as many as of float32."""
    *batch, h, w = map(size, e.inputs[0].shape)
    high, wide = map(size, e.params["size"])
    down, across = (
        _taps(n, m, e.params["reach"], e.params["antialias"]) if n != m else 0 for n, m in ((h, high), (w, wide))
    )
    orders = (h * wide * across + high * wide * down, high * w * down + high * wide * across)
    return math.prod(batch) * min(orders)


# Operations of the dtype of the first operand.
_RULES: dict[str, Callable[[Eqn, Sizes], float]] = {
    **dict.fromkeys(("conv", "conv_dx", "conv_dw"), _convolution),
    "fft": _fourier(5),
    **dict.fromkeys(("rfft", "irfft", "trig"), _fourier(2.5)),
    **dict.fromkeys(("sort", "sort_keys"), _sort),
    "linrec": lambda e, size: 2 * _complex(e) * _numbers(e.outputs[0], size),
    "random_bits": lambda e, size: 2 * _PHILOX * _numbers(e.outputs[0], size),
    "cholesky": _lapack(lambda m, n, _: n**3 / 3),
    "ldl": _lapack(lambda m, n, _: n**3 / 3),
    "lu": _lapack(lambda m, n, _: m * n**2 - n**3 / 3),
    "triangular_solve": _lapack(lambda m, n, k: n**2 * k, True),
    **dict.fromkeys(("lu_solve", "ldl_solve"), _lapack(lambda m, n, k: 2 * n**2 * k, True)),
    "geqrf": _lapack(lambda m, n, _: 2 * m * n**2 - 2 * n**3 / 3),
    "qr": _lapack(lambda m, n, _: 4 * m * n**2 - 4 * n**3 / 3),
    "lstsq": _lapack(lambda m, n, k: 2 * m * n**2 - 2 * n**3 / 3 + 4 * m * n * k, True),
    "eigh": _spectral(lambda m, n: 9 * n**3, lambda m, n: 4 * n**3 / 3),
    "eig": _spectral(lambda m, n: 25 * n**3, lambda m, n: 10 * n**3),
    "svd": _spectral(lambda m, n: 14 * m * n**2 + 8 * n**3, lambda m, n: 4 * m * n**2 - 4 * n**3 / 3),
    # a polynomial of degree 13 by six products, and a quotient of matrices
    "matrix_exp": _lapack(lambda m, n, _: 12 * n**3 + 8 * n**3 / 3),
    "matrix_exp_change": _lapack(lambda m, n, _: 8 * (12 * n**3 + 8 * n**3 / 3)),
    **dict.fromkeys(("pivots_to_permutation", "refuse", "phases", "phase_check"), lambda e, size: 0),
    **dict.fromkeys(("region_average", "region_spread"), _regions),
    "region_largest": lambda e, size: _numbers(e.outputs[0], size),
    # each box is compared with another once, at least: an intersection, and its share of the union
    "boxes_keep": lambda e, size: 12 * size(e.inputs[0].shape[0]),
    # the corners of either in the other's frame
    "boxes_turned": lambda e, size: 8 * 4 * _numbers(e.outputs[0], size),
    "resample_along": _resample_along,
    "resample_bytes": _resample_bytes,
}
# Those of several dtypes, or of one that is not their first operand's.
_SEVERAL: dict[str, Callable[[Eqn, Sizes], Counts]] = {
    "dot": _dot,
    **dict.fromkeys(("attention", "attention_grad"), _attention),
    "recurrence": _recurrence,
    **dict.fromkeys(("bandrec", "logbandrec"), _band),
    "cumlogsumexp": _logarithmic,
}
