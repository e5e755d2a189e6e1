"""Random numbers: programs that make them of the words of a stream, factories, and tensors that are filled in place.

How many words a number takes, and what becomes of them, are PyTorch's rules, so that a seed gives its numbers; numbers
are rounded as its are. They depend neither on the number of threads nor on how kernels are fused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import raw as _raw
from rushlight.core.draw import Draw, Drawn, DrawnAround, DrawnBetween, draw_permutation, draw_vector
from rushlight.core.draw import redraw as _redraw
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.creation.placement import (
    LIKE,
    NEW,
    STANDS_FOR,
    Options,
    place,
    plain_size,
    raw_empty,
    row_major,
)
from rushlight.operators.random.generators import Generator, default_generator, generator_of, noted
from rushlight.operators.table.arguments import warn_of_resize
from rushlight.operators.table.checks import check_least, check_positive
from rushlight.operators.table.define import METHODS, eager, operator
from rushlight.operators.table.ranges import INT_RANGES
from rushlight.operators.table.tracer import P, Tracer, convert, default_dtype, expand_to
from rushlight.operators.table.types import Ints, Number, Operand, Random, SizeLike
from rushlight.program.ir import Builder
from rushlight.program.sym import Sym


# ------------------------------------------------------------------------------------------- programs: words -> numbers
def _const(value: Any, d: dt.dtype, shape: Any) -> Tracer:
    return expand_to(convert(value, d), shape)


def _integer(words: Any) -> Tracer:
    """The words of a source (traced), two of them with the first one high, as uint64."""
    shape, u = words.var.shape, dt.uint64
    if words.dtype is dt.uint32:
        return convert(words, u)
    half = _const(32, u, shape)
    return P.shl(words, half) | P.shr(words, half)


def unit_uniform(words: Any) -> Tracer:
    """Uniform numbers in [0, 1) (traced): of 24 bits in float32 for one word each (uint32), of 53 in float64 for two
    (uint64).
    """
    shape = words.var.shape
    bits, word, compute = (24, dt.uint32, dt.float32) if words.dtype is dt.uint32 else (53, dt.uint64, dt.float64)
    low = (words if word is dt.uint32 else _integer(words)) & _const((1 << bits) - 1, word, shape)
    return convert(P.bitcast(low, dtype=dt.int32 if word is dt.uint32 else dt.int64), compute) * _const(
        2.0 ** (-bits), compute, shape
    )


def _split(x: Tracer) -> tuple[Any, Any]:
    """Two halves of a float64 that products of are exact (Dekker, "A floating-point technique for extending the
    available precision", 1971).
    """
    t = x * 134217729.0
    high = t - (t - x)
    return high, x - high


def _scaled(x: Tensor, factor: Any, shift: Any, d: dt.dtype) -> Any:
    """x * factor + shift, numbers of dtype d, rounded once; x is float32 or float64."""
    shape = x.var.shape
    c = dt.float64 if d is dt.float64 else dt.float32

    def number(value: Any) -> Tracer:
        return convert(_const(value, c, shape), dt.float64)

    x, a, b = convert(x, dt.float64), number(factor), number(shift)
    y = x * a
    if c is dt.float32:
        return convert(convert(y + b, c), d)  # the product is exact
    (x1, x2), (a1, a2) = _split(x), _split(a)
    rest = ((x1 * a1 - y) + x1 * a2 + x2 * a1) + x2 * a2
    total = y + b
    part = total - y
    return total + (((y - (total - part)) + (b - part)) + rest)


@operator(name="rand", register=False)
def _unit(words: Tensor, *, dtype: dt.dtype) -> Tensor:
    """Numbers in [0, 1); what a half type rounds to 1 is 0."""
    u = unit_uniform(words)
    if dtype.itemsize > 2:
        return convert(u, dtype)
    return convert(P.select(convert(convert(u, dtype), u.dtype) >= 1.0, 0.0, u), dtype)


@operator(name="uniform", register=False)
def _uniform(words: Tensor, low: Number, high: Number, *, dtype: dt.dtype) -> Tensor:
    """Numbers in [low, high); what rounds to high is low."""
    c = _compute(dtype)
    span = convert(high, c) - convert(low, c)
    x = convert(_scaled(unit_uniform(words), span, low, dtype), c)
    lo, hi = (convert(_const(v, dtype, words.var.shape), c) for v in (low, high))
    return convert(P.select(x == hi, lo, x), dtype)


@operator(name="normal", register=False)
def _normal(z: Tensor, mean: Number, std: Number, *, dtype: dt.dtype) -> Tensor:
    """Standard normal numbers, scaled and shifted."""
    return convert(_scaled(z, std, mean, dt.float64), dtype)


@operator(name="normal", register=False)
def _normal_blocks(
    radii: Tensor, angles: Tensor, mean: Number, std: Number, *, dtype: dt.dtype
) -> tuple[Tensor, Tensor]:
    """Normal numbers by pairs: sqrt(-2 ln(1 - u)) times the cosine and the sine of 2 pi v (Box and Muller, "A note on
    the generation of random normal deviates", 1958).
    """
    u, v = unit_uniform(radii), unit_uniform(angles)
    radius = P.sqrt(P.log(1.0 - u) * -2.0)
    angle = v * (2 * math.pi)
    cosine, sine = (_scaled(radius * wave, std, mean, dtype) for wave in (P.cos(angle), P.sin(angle)))
    return convert(cosine, dtype), convert(sine, dtype)


@operator(name="log_normal", register=False)
def _log_normal(z: Tensor, mean: Number, std: Number, *, dtype: dt.dtype) -> Tensor:
    """exp of normal numbers."""
    return convert(P.exp(_scaled(z, std, mean, dt.float64)), dtype)


@operator(name="random_integers", register=False)
def _integers(words: Tensor, low: Number, count: Number, *, dtype: dt.dtype) -> Tensor:
    """The remainders of words by `count`, and `low` more; count: 0 for 2**64."""
    shape = words.var.shape
    if words.dtype is dt.uint32:  # in float64, whose quotient of such integers is never rounded up to the next
        w, k = convert(words, dt.float64), _const(count, dt.float64, shape)
        x = convert(w - P.floor(w / k) * k, dt.int64)
    else:
        k = _const(P.bitcast(convert(count, dt.int64), dtype=dt.uint64), dt.uint64, shape)
        none, w = k == 0, _integer(words)
        x = P.bitcast(P.select(none, w, P.rem(w, P.select(none, 1, k))), dtype=dt.int64)
        return convert(P.select(none, x, x + _const(low, dt.int64, shape)), dtype)
    return convert(x + _const(low, dt.int64, shape), dtype)


@operator(name="exponential", register=False)
def _exponential(words: Tensor, lambd: Number, *, dtype: dt.dtype) -> Tensor:
    """Numbers of density lambd exp(-lambd x)."""
    u = unit_uniform(words)
    return convert(-P.log1p(-u) / _const(lambd, u.dtype, u.var.shape), dtype)


@operator(name="geometric", register=False)
def _geometric(words: Tensor, p: Number, *, dtype: dt.dtype) -> Tensor:
    """Numbers of trials until the first success, at least 1."""
    u = unit_uniform(words)
    k = P.ceil(P.log(u) / P.log1p(-_const(p, u.dtype, u.var.shape)))
    return convert(P.max(k, 1.0), dtype)


@operator(name="cauchy", register=False)
def _cauchy(words: Tensor, median: Number, sigma: Number, *, dtype: dt.dtype) -> Tensor:
    """Cauchy numbers by the inverse of the distribution function."""
    u = unit_uniform(words)
    return convert(_scaled(P.tan((u - 0.5) * math.pi), sigma, median, dt.float64), dtype)


UNIT, UNIFORM, NORMAL = Draw(_unit, "unit"), Draw(_uniform, "unit"), Draw(_normal, "normal", _normal_blocks)
LOG_NORMAL, EXPONENTIAL, GEOMETRIC, CAUCHY = (
    Draw(_log_normal, "normal"),
    Draw(_exponential, "pair"),
    Draw(_geometric, "pair"),
    Draw(_cauchy, "pair"),
)
UNIT_DOUBLE, _NARROW, _WIDE = Draw(_unit, "pair"), Draw(_integers, "word"), Draw(_integers, "pair")


def _compute(dtype: dt.dtype) -> dt.dtype:
    return dt.float64 if dtype is dt.float64 else dt.float32


# -------------------------------------------------------------------------------------------------------------- drawing
def draw(
    how: Draw,
    name: str,
    size: tuple[int, ...],
    dtype: dt.dtype,
    where: Any,
    generator: Random,
    *numbers: Any,
    blocks: bool = True,
    order: Sequence[int] | None = None,
) -> Tensor:
    """A new tensor of random numbers.

    Args:
        blocks: whether normal numbers may be made by blocks, as PyTorch makes what is contiguous.
        order: of the dimensions in memory, for a tensor of a trace.
    """
    if Builder.active():
        values = tuple([x if isinstance(x, (int, float, complex)) else float(x) for x in numbers])
        return noted.draw(
            name,
            lambda size: draw(how, name, size, dtype, where, generator, *values, blocks=blocks),
            (how, dtype, generator, tuple(map(repr, values)), blocks),
            size,
            dtype,
            order,
        )
    gen = generator_of(generator, name)
    if dtype.kind == "c":  # the real parts and the imaginary ones in turn
        if how is NORMAL:
            return _complex_normal(name, size, dtype, where, gen, *numbers)
        return METHODS["view"](draw(how, name, (*size, 2), dtype.to_real(), where, gen, *numbers), dtype).reshape(size)
    n, device = math.prod(size), place(name, where)
    if n >> 63:
        raise RuntimeError(f"{name}(): a tensor of size {list(size)} has more than 2**63 elements: overflow")
    if n == 0 or device.type == "meta":
        return raw_empty(name, size, dtype, device)
    flat = draw_vector(how, gen, n, dtype, numbers, blocks, size)
    if flat.ndim != len(size):
        flat = _raw.tensor_from_storage(flat.untyped_storage(), dtype, 0, size, row_major(size))
    return flat if device.type == "cpu" else METHODS["to"](flat, device)


def _complex_normal(
    name: str, size: tuple[int, ...], dtype: dt.dtype, where: Any, gen: Generator, mean: Any, std: Any
) -> Tensor:
    """Complex numbers, with a variance of std ** 2 / 2 in each part."""
    parts = METHODS["view"](
        draw(NORMAL, name, (*size, 2), dtype.to_real(), where, gen, 0.0, std * math.sqrt(0.5)), dtype
    ).reshape(size)
    return parts + complex(mean, mean) if mean else parts  # (PyTorch gives each part the mean)


def memory_order(t: Tensor) -> list[int]:
    """The dimensions of a tensor in the order of its memory, in which numbers are drawn for it."""
    strides = t.stride()
    return sorted(range(t.ndim), key=lambda d: -strides[d])


def redraw(how: Draw, name: str, t: Tensor, generator: Random, *numbers: Any) -> Tensor:
    """Fill a tensor in place with random numbers."""
    gen = generator_of(generator, name)
    if not Builder.active() and t.dtype.kind != "c" and _redraw(how, gen, t, numbers):
        return t
    if t.is_meta:
        return t
    if t._keys_ & STANDS_FOR:
        here = noted.lies(t)
        drawn = draw(
            how,
            name,
            tuple(t.shape),
            t.dtype,
            t.device,
            gen,
            *numbers,
            blocks=here is t or here.is_contiguous(),
            order=None if here is t else memory_order(here),
        )
        return METHODS["copy_"](t, drawn)
    ordered = METHODS["permute"](t, memory_order(t))
    drawn = draw(how, name, tuple(ordered.shape), t.dtype, t.device, gen, *numbers, blocks=t.is_contiguous())
    METHODS["copy_"](ordered, drawn)
    return t


def not_for_storage(name: str, d: dt.dtype) -> None:
    """NotImplementedError for a dtype that numbers are stored in alone."""
    if d.format is not None:
        raise NotImplementedError(
            f"{name}(): random numbers are not drawn in a dtype for storage; found {d}: draw floats, and convert "
            "them with .to(dtype)"
        )


def _float_only(name: str, d: dt.dtype, kinds: str = "fc") -> None:
    if d.kind not in kinds or d.format is not None:
        raise NotImplementedError(f"{name}(): not defined for dtype {d}, only for floating point ones")


def _real_mean(name: str, mean: Any) -> None:
    if isinstance(mean, complex):
        raise TypeError(f"{name}(): 'mean' must be a real number, or a complex tensor; found {mean}")


def _factory(name: str, how: Draw, numbers: tuple[float, ...], what: str) -> None:
    def make(size: Ints, *options: Any, generator: Random = None, out: Tensor | None = None) -> Tensor:
        new = Options(*options).checked(name)
        d = new.dtype or (out.dtype if out is not None else default_dtype())
        _float_only(name, d)
        drawn = draw(how, name, plain_size(size, name), d, new.device, generator, *numbers)
        return new.finish(drawn, name, out)

    factory = eager(
        name=name,
        method=False,
        varargs="size",
        out=True,
        options=NEW,
        doc=f"""{what}

    Args:
        size: ints or a sequence of ints.
        generator: default the default generator.
        dtype: floating point or complex.
    """,
    )(make)
    factory.usually(Drawn(factory, how, default_generator, numbers))

    def make_like(input: Tensor, *options: Any, generator: Random = None) -> Tensor:
        new = Options(*options).checked(name + "_like")
        _float_only(name + "_like", new.dtype or input.dtype)
        return _drawn_like(how, name + "_like", input, new, generator, *numbers)

    like = eager(
        name=name + "_like",
        method=False,
        options=LIKE,
        doc=what + " In the shape of `input`, and its dtype and device unless they are given.",
    )(make_like)
    like.usually(Drawn(like, how, default_generator, numbers))


def _drawn_like(how: Draw, name: str, input: Tensor, new: Options, generator: Random, *numbers: Any) -> Tensor:
    """Random numbers in the shape of `input`, in the order of dimensions that `*_like` keeps."""
    here = noted.lies(input) if Builder.active() else input
    dtype, strides = new.dtype or input.dtype, new.strides(here, name)
    where = input.device if new.device is None else new.device
    if here is not input and strides is not None:
        order = sorted(range(here.ndim), key=lambda d: -strides[d])
        t = draw(how, name, tuple(input.shape), dtype, where, generator, *numbers, blocks=False, order=order)
        return new.finish(t)
    if strides is None or place(name, where).type != "cpu":
        t = draw(how, name, tuple(input.shape), dtype, where, generator, *numbers)
    else:
        t = redraw(how, name, _raw.empty_strided_raw(dtype, tuple(input.shape), strides), generator, *numbers)
        _raw.unwritten(t)  # as far as its owner can tell
    return new.finish(t)


_factory("rand", UNIT, (), "Uniform numbers in [0, 1).")
_factory("randn", NORMAL, (0.0, 1.0), "Normal numbers of mean 0 and variance 1.")


# The largest number below which a dtype holds every integer.
_WHOLE = {dt.float16: 2**11, dt.bfloat16: 2**8, dt.float32: 2**24, dt.float64: 2**53}


def _range(name: str, low: Any, high: Any, d: dt.dtype) -> tuple[Draw, int, int]:
    """How integers in [low, high) are drawn: of a word each, or of two for a wide range; low and the count as the
    program takes them.
    """
    low, high = int(low), int(high)
    if low >= high:
        raise RuntimeError(f"{name}(): 'to' must be greater than 'from'; found {high} and {low}")
    if d.kind in "iub":
        lo, hi = (0, 1) if d.kind == "b" else INT_RANGES[d]
        for value, what in ((low, "from"), (high - 1, "to - 1")):
            if not lo <= value <= hi:
                raise RuntimeError(f"{name}(): '{what}' must be in [{lo}, {hi}], what dtype {d} holds; found {value}")
    elif d in _WHOLE:
        if d is dt.float16 and not -65504 <= low <= high - 1 <= 65504:
            raise RuntimeError(f"{name}(): 'from' and 'to - 1' must be in [-65504, 65504]; found {low} and {high - 1}")
        most = _WHOLE[d]
        for value, what in ((low, "from"), (high - 1, "to - 1")):
            if not -most <= value <= most:
                warn(
                    f"{name}(): '{what}' should be in [-{most}, {most}], where {d} holds every integer; found {value}, "
                    "beyond which not all are drawn"
                )
    count = high - low
    if count > 1 << 64:
        raise RuntimeError(f"{name}(): 'to' - 'from' must be at most 2**64; found {count}")
    return (_NARROW if count < 1 << 28 else _WIDE), (low if low < 1 << 63 else low - (1 << 64)), _signed(count)


def _signed(count: int) -> int:
    """A count of up to 2**64 as the int64 of the same bits."""
    return (count + (1 << 63)) % (1 << 64) - (1 << 63)


def _bounds(name: str, low: Any, high: Any, size: Sequence[int] | int | None) -> tuple[Any, Any, Any]:
    if size is None:  # randint(high, size)
        if high is None:
            raise TypeError(f"{name}() missing 1 required positional argument: 'high'")
        if isinstance(high, (tuple, list)):
            return 0, low, high
    return (0, low, size) if high is None else (low, high, size)


@eager(method=False, out=True, options=NEW)
def randint(
    low: Any = None,
    high: Any = None,
    size: SizeLike | None = None,
    *options: Any,
    generator: Random = None,
    out: Tensor | None = None,
) -> Tensor:
    """Integers in [low, high): randint(high, size) or randint(low, high, size).

    Args:
        low, high: ints.
        size: sequence of ints.
        dtype: default int64.

    Raises:
        RuntimeError: for an empty range or bounds that the dtype does not hold.
    """
    low, high, size = _bounds("randint", low, high, size)
    if low is None:
        low = 0
    if size is None or high is None:
        raise TypeError(
            "randint() missing 1 required positional argument: 'size'"
            if size is None
            else "randint() missing 1 required positional argument: 'high'"
        )
    new = Options(*options).checked("randint")
    d = new.dtype or (out.dtype if out is not None else dt.int64)
    how, start, count = _range("randint", low, high, d)
    drawn = draw(how, "randint", plain_size(size, "randint"), d, new.device, generator, start, count)
    return new.finish(drawn, "randint", out)


randint.usually(DrawnBetween(randint, _NARROW, default_generator))


@eager(method=False, options=LIKE)
def randint_like(input: Tensor, low: Any = None, high: Any = None, *options: Any, generator: Random = None) -> Tensor:
    """Integers in [low, high) in the shape of `input`: randint_like(x, high) or randint_like(x, low, high)."""
    new = Options(*options).checked("randint_like")
    low, high = (0, low) if high is None else (low or 0, high)
    if high is None:
        raise TypeError("randint_like() missing 1 required positional argument: 'high'")
    how, start, count = _range("randint_like", low, high, new.dtype or input.dtype)
    return _drawn_like(how, "randint_like", input, new, generator, start, count)


randint_like.usually(DrawnBetween(randint_like, _NARROW, default_generator))


@eager(method=False, out=True, options=NEW | {"dtype": ("DType", dt.int64)})
def randperm(n: Any, *options: Any, generator: Random = None, out: Tensor | None = None) -> Tensor:
    """A random permutation of 0 ... n - 1."""
    new = Options(*options).checked("randperm")
    (count,) = plain_size((n,), "randperm")
    d, where = new.dtype or dt.int64, place("randperm", new.device)
    if d.kind not in "iuf" or d.format is not None:
        raise NotImplementedError(f"randperm(): not defined for dtype {d}, only for integers and floating point ones")
    if isinstance(count, Sym):  # of a function that is being traced

        def permutation(size: tuple[int, ...]) -> Tensor:
            return METHODS["to"](draw_permutation(generator_of(generator, "randperm"), size[0]), d)

        made = noted.draw("randperm", permutation, (d, generator), (count,), d)
    elif where.type == "meta":
        made = raw_empty("randperm", (count,), d, where)
    else:
        made = METHODS["to"](draw_permutation(generator_of(generator, "randperm"), count), d)
    return new._replace(dtype=None).finish(made, "randperm", out)


@operator(name="some_negative", register=False)
def _some_negative(x: Tensor) -> Tensor:
    """Whether there are negative elements, as a tensor."""
    return (x < 0).any()


@operator(name="normal", register=False, zero_gradient=True)
def _normal_of(drawn: Tensor, mean: Operand, std: Operand) -> Tensor:
    """Standard normal numbers, scaled and shifted; differentiable by mean and std (with gradient zero)."""
    return P.stop_gradient(convert(METHODS["add"](METHODS["mul"](drawn, std), mean), drawn.dtype))


@eager(method=False, out=True, options=NEW)
def normal(
    mean: Any = 0.0,
    std: Any = 1.0,
    size: SizeLike | None = None,
    *options: Any,
    generator: Random = None,
    out: Tensor | None = None,
) -> Tensor:
    """Normal numbers: normal(mean, std, size) for numbers, normal(mean, std) with a tensor for one or both.

    Raises:
        RuntimeError: for a negative standard deviation.
    """
    new = Options(*options)
    if not isinstance(mean, Tensor) and not isinstance(std, Tensor):
        if size is None:
            raise TypeError(
                "normal() missing 1 required positional argument: 'size' (the mean and the standard deviation are "
                "numbers)"
            )
        _real_mean("normal", mean)
        if not std >= 0:
            raise RuntimeError(f"normal(): 'std' must be at least 0; found {std}")
        d = new.checked("normal").dtype or (out.dtype if out is not None else default_dtype())
        _float_only("normal", d)
        drawn = draw(NORMAL, "normal", plain_size(size, "normal"), d, new.device, generator, mean, std)
        return new.finish(drawn, "normal", out)
    tensors = [x for x in (mean, std) if isinstance(x, Tensor)]
    if isinstance(std, Tensor):
        if std.is_complex():
            raise RuntimeError(f"normal(): 'std' must be real; found {std.dtype}")
        if std.numel() and not std.is_meta and bool(_some_negative(METHODS["detach"](std))):
            raise RuntimeError("normal(): the elements of 'std' must be at least 0; found negative ones")
    elif not std >= 0:
        raise RuntimeError(f"normal(): 'std' must be at least 0; found {std}")
    from rushlight.operators.shapes.join import broadcast_shapes

    first = tensors[0]
    _float_only("normal", first.dtype)
    shape = tuple(broadcast_shapes(*[t.shape for t in tensors]))
    z = draw(NORMAL, "normal", shape, first.dtype, first.device, generator, 0.0, 1.0)
    result = _normal_of(z, mean, std)
    if out is not None and out.numel() and tuple(out.shape) != shape:
        warn_of_resize("normal", out, list(shape))
    return Options().finish(result, "normal", out)


normal.usually(DrawnAround(normal, NORMAL, default_generator))


# ------------------------------------------------------------------------------------------------------------- in place
@eager(name="uniform_", namespace=None)
def uniform_(input: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Random = None) -> Tensor:
    """Fill with uniform numbers in [from, to)."""
    _float_only("uniform_", input.dtype)
    if from_ > to:
        raise RuntimeError(f"uniform_(): 'to' must be at least 'from'; found {to} and {from_}")
    if not to - from_ < math.inf:
        raise RuntimeError(f"uniform_(): 'from' and 'to' must be finite; found {from_} and {to}")
    return redraw(UNIFORM, "uniform_", input, generator, float(from_), float(to))


@eager(name="normal_", namespace=None)
def normal_(input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Random = None) -> Tensor:
    """Fill with normal numbers."""
    _float_only("normal_", input.dtype)
    _real_mean("normal_", mean)
    check_least("normal_", "std", std, 0)
    return redraw(NORMAL, "normal_", input, generator, mean, std)


def _redraw_of_scale(how: Draw, name: str, scale: str, input: Tensor, generator: Random, *numbers: float) -> Tensor:
    """Fill with numbers of a distribution of floats, the last of whose numbers, `scale`, is positive."""
    _float_only(name, input.dtype, "f")
    check_positive(name, scale, numbers[-1])
    return redraw(how, name, input, generator, *numbers)


@eager(name="log_normal_", namespace=None)
def log_normal_(input: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Random = None) -> Tensor:
    """Fill with exp of normal numbers of the given mean and standard deviation."""
    return _redraw_of_scale(LOG_NORMAL, "log_normal_", "std", input, generator, mean, std)


@eager(name="exponential_", namespace=None)
def exponential_(input: Tensor, lambd: float = 1.0, *, generator: Random = None) -> Tensor:
    """Fill with exponential numbers of rate lambd."""
    return _redraw_of_scale(EXPONENTIAL, "exponential_", "lambd", input, generator, lambd)


@eager(name="geometric_", namespace=None)
def geometric_(input: Tensor, p: float, *, generator: Random = None) -> Tensor:
    """Fill with the number of trials until the first success, of probability p each."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_(): 'p' must be in (0, 1); found {p}")
    if input.dtype.kind in "cb":
        _float_only("geometric_", input.dtype)
    return redraw(GEOMETRIC, "geometric_", input, generator, p)


@eager(name="cauchy_", namespace=None)
def cauchy_(input: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Random = None) -> Tensor:
    """Fill with Cauchy numbers."""
    return _redraw_of_scale(CAUCHY, "cauchy_", "sigma", input, generator, median, sigma)


@eager(name="random_", namespace=None)
def random_(input: Tensor, from_: Any = None, to: Any = ..., *, generator: Random = None) -> Tensor:
    """Fill with integers in [from, to): random_(), random_(to), random_(from, to).

    Without bounds: up to the dtype's largest value, or the largest integer that all smaller ones are exact with; with
    to=None all integers from `from` on.
    """
    d = input.dtype
    if d.kind == "c" or d.format is not None:
        raise NotImplementedError(f"random_(): not defined for dtype {d}, only for real ones")
    most = (
        1
        if d.kind == "b"
        else INT_RANGES[d][1]
        if d.kind in "iu"
        else 1 << {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}[d.name]
    )
    if from_ is None and (to is None or to is ...):
        # A word is enough for dtypes of one, whatever the range.
        return redraw(_WIDE if d.itemsize == 8 else _NARROW, "random_", input, generator, 0, _signed(most + 1))
    if to is ...:
        from_, to = 0, from_
    how, start, count = _range("random_", from_ or 0, most + 1 if to is None else to, d)
    return redraw(how, "random_", input, generator, start, count)
