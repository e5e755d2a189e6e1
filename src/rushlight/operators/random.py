"""Random numbers: a counter-based generator, and everything drawn from it.

A generator is a seed and an offset. A call takes the next numbers of the counter and passes (seed, offset) to a program that
computes element i from (seed, offset + i) alone (Philox4x32-10, see prims/source.py), so the numbers depend neither on
the number of threads nor on how kernels are fused, and a backward pass can compute them again instead of keeping them.
"""
from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator, Stream, plain_draw, plain_redraw
from rushlight.core.tensor import Tensor, flat_of
from rushlight.operators._arrays import array_of, tensor_of
from rushlight.operators._define import FUNCTIONS, METHODS, eager, function, operator
from rushlight.operators._tracer import P, Tracer, align, broadcast_shapes, convert, default_dtype, expand_to
from rushlight.operators._types import Int, Ints, Number, Operand
from rushlight.operators.creation import (
    _BOUNDS,
    STANDS_FOR,
    check_options,
    place,
    plain_size,
    preserved_strides,
    raw_empty,
    row_major,
)
from rushlight.operators.reduction import tracer_of_size
from rushlight.program.ir import Builder
from rushlight.program.sym import prod

_dtype = dt.dtype
_TRANSFORM = _core.get_keys_flag_mask()["TRANSFORM"]
_SECOND = 1 << 62        # offset of the second stream, for what takes two random words an element


@function
class Generator(Stream):
    """A stream of random numbers: a seed and how far the stream has been used.

    Args: device: "cpu".
    """

    def __init__(self, device: Any = "cpu") -> None:
        self._device = place("Generator", device)
        self._seed, self._offset = 67280421310721, 0

    @property
    def device(self) -> Any:
        """The device that numbers are drawn on."""
        return self._device

    def get_offset(self) -> int:
        """How many numbers of the stream have been taken."""
        return self._offset

    def set_offset(self, offset: int) -> None:
        """Go to a place of the stream: the number of those taken, in [0, 2**64)."""
        if not 0 <= offset < 1 << 64:
            raise RuntimeError(f"set_offset(): 'offset' must be in [0, 2**64); found {offset}")
        self._offset = offset

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream of `seed`, an integer in [-2**63, 2**64); returns the generator."""
        seed = int(seed)
        if not -(1 << 63) <= seed < 1 << 64:
            raise RuntimeError(f"manual_seed(): 'seed' must be in [-2**63, 2**64), to fit into 64 bits; found {seed}")
        self._seed, self._offset = seed & 0xFFFFFFFFFFFFFFFF, 0
        return self

    def seed(self) -> int:
        """Start the stream of a seed that the operating system supplies, and return it."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little") >> 11)
        return self._seed

    def initial_seed(self) -> int:
        """The seed of the stream."""
        return self._seed

    def get_state(self) -> Tensor:
        """The state as a tensor of 16 bytes."""
        from rushlight.operators.interop import tensor

        return tensor(list(self._seed.to_bytes(8, "little") + self._offset.to_bytes(8, "little")), dtype=dt.uint8, device="cpu")

    def set_state(self, new_state: Tensor) -> None:
        """Go back to a state that get_state returned."""
        if not isinstance(new_state, Tensor) or new_state.dtype is not dt.uint8 or new_state.numel() != 16:
            raise TypeError("set_state(): 'new_state' must be a tensor of 16 bytes (uint8), as get_state() gives it")
        raw = bytes(new_state.tolist())
        self._seed, self._offset = int.from_bytes(raw[:8], "little"), int.from_bytes(raw[8:], "little")

    def clone_state(self) -> Generator:
        """A generator in the same state."""
        new = Generator(self.device)
        new._seed, new._offset = self._seed, self._offset
        return new

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (str(self.device), self._seed, self._offset)


def _rebuild(device: str, seed: int, offset: int) -> Generator:
    new = Generator(device)
    new._seed, new._offset = seed, offset
    return new


default_generator = FUNCTIONS["default_generator"] = Generator()


@function
def manual_seed(seed: int) -> Generator:
    """Seed the default generator; returns it."""
    return default_generator.manual_seed(seed)


@function
def seed() -> int:
    """Seed the default generator from the operating system; returns the seed."""
    return default_generator.seed()


@function
def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


@function
def get_rng_state() -> Tensor:
    """The state of the default generator, as a tensor of bytes."""
    return default_generator.get_state()


@function
def set_rng_state(new_state: Tensor) -> None:
    """Set the state of the default generator."""
    default_generator.set_state(new_state)


@function
@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, **options: Any) -> Iterator[None]:
    """Within the block random numbers are drawn as usual; after it the default generator is where it was before."""
    if not enabled:
        yield
        return
    state = (default_generator._seed, default_generator._offset)
    try:
        yield
    finally:
        default_generator._seed, default_generator._offset = state


# ----------------------------------------------------------------------------------------- programs: (seed, offset) -> values
def _const(value: Any, d: dt.dtype, shape: Any) -> Tracer:
    return expand_to(convert(value, d), shape)


_UNIT_BITS = {dt.float16: 11, dt.bfloat16: 8, dt.float32: 24, dt.float64: 53}


def unit_uniform(seed: Any, offset: Any, shape: tuple[Any, ...], dtype: dt.dtype) -> Tracer:
    """Independent uniform numbers in [0, 1) (traced): multiples of 2**-k, where k bits fit into the significand.

    Args: seed, offset: traced ints from Generator.advance(number of elements).
    """
    bits = _UNIT_BITS[dtype]
    word, signed = (dt.uint64, dt.int64) if bits > 32 else (dt.uint32, dt.int32)
    raw = P.random_bits(seed, offset, shape=shape, dtype=word)
    top = P.bitcast(P.shr(raw, _const(8 * word.itemsize - bits, word, shape)), dtype=signed)
    compute = dt.float64 if bits > 32 else dt.float32
    return convert(P.mul(convert(top, compute), _const(2.0 ** -bits, compute, shape)), dtype)


def unit_normal(seed: Any, offset: Any, shape: tuple[Any, ...], dtype: dt.dtype, sine: bool = False) -> Tracer:
    """Independent standard normal numbers (traced), one counter an element.

    Box and Muller, "A note on the generation of random normal deviates", 1958: sqrt(-2 ln u) cos(2 pi v), u in (0, 1].
    """
    if dtype is dt.float64:
        u = convert(P.bitcast(P.shr(P.random_bits(seed, offset, shape=shape, dtype=dt.uint64), _const(11, dt.uint64, shape)), dtype=dt.int64), dt.float64)
        u = P.mul(P.add(u, _const(1.0, dt.float64, shape)), _const(2.0 ** -53, dt.float64, shape))
        second = P.add(convert(offset, dt.int64), convert(_SECOND, dt.int64))
        v = P.mul(convert(P.bitcast(P.shr(P.random_bits(seed, second, shape=shape, dtype=dt.uint64), _const(11, dt.uint64, shape)), dtype=dt.int64), dt.float64),
                  _const(2.0 ** -53, dt.float64, shape))
        compute = dt.float64
    else:
        compute = dt.float32
        raw = P.random_bits(seed, offset, shape=shape, dtype=dt.uint64)
        low = convert(P.bitcast(P.and_(raw, _const(0xFFFFFFFF, dt.uint64, shape)), dtype=dt.int64), compute)
        high = convert(P.bitcast(P.shr(raw, _const(40, dt.uint64, shape)), dtype=dt.int64), compute)
        u = P.add(P.mul(low, _const(2.0 ** -32, compute, shape)), _const(2.0 ** -33, compute, shape))
        v = P.mul(high, _const(2.0 ** -24, compute, shape))
    radius = P.sqrt(P.mul(_const(-2.0, compute, shape), P.log(u)))
    angle = P.mul(v, _const(2 * math.pi, compute, shape))
    return convert(P.mul(radius, P.sin(angle) if sine else P.cos(angle)), dtype)


def _compute(dtype: dt.dtype) -> dt.dtype:
    if dtype.format is not None:
        raise NotImplementedError(f"random numbers are not drawn in a dtype for storage; found {dtype}: draw floats, and convert them with .to(dtype)")
    return dt.float64 if dtype is dt.float64 else dt.float32


@operator(name="uniform", register=False)
def _uniform(n: Int, seed: Number, offset: Number, low: Number, high: Number, *, dtype: Any) -> Tensor:
    """n numbers in [low, high)."""
    shape, d = (n,), dtype.to_real()
    c = _compute(d)

    def draw(at: Any) -> Tracer:
        u = convert(unit_uniform(seed, at, shape, d), c)
        lo, hi = _const(low, c, shape), _const(high, c, shape)
        return convert(P.add(P.mul(u, P.sub(hi, lo)), lo), d)
    if dtype.kind == "c":
        return P.complex(draw(offset), draw(P.add(convert(offset, dt.int64), convert(_SECOND, dt.int64))))
    return draw(offset)


@operator(name="normal", register=False)
def _normal(n: Int, seed: Number, offset: Number, mean: Number, std: Number, *, dtype: Any) -> Tensor:
    """n normal numbers; complex ones have a variance of std ** 2 / 2 in each part."""
    shape, d = (n,), dtype.to_real()
    c = _compute(d)

    def scaled(z: Tracer, factor: float, shift: Any) -> Tracer:
        return convert(P.add(P.mul(P.mul(z, _const(std, c, shape)), _const(factor, c, shape)), _const(shift, c, shape)), d)
    if dtype.kind == "c":
        half = math.sqrt(0.5)
        m = mean if isinstance(mean, Tracer) and mean.dtype.kind != "c" else P.real(mean)
        k = 0.0 if isinstance(mean, Tracer) and mean.dtype.kind != "c" else P.imag(mean)
        return P.complex(scaled(unit_normal(seed, offset, shape, c), half, m), scaled(unit_normal(seed, offset, shape, c, sine=True), half, k))
    z = unit_normal(seed, offset, shape, c)
    return convert(P.add(P.mul(z, _const(std, c, shape)), _const(mean, c, shape)), d)


@operator(name="random_integers", register=False)
def _integers(n: Int, seed: Number, offset: Number, low: Number, count: Number, wide: bool, *, dtype: Any) -> Tensor:
    """n integers in [low, low + count).

    The high half of a 64 bit word times count (Lemire, "Fast random integer generation in an interval", 2019): the bias is count / 2**64.
    wide: count needs more than 32 bits; the remainder then.
    """
    shape, u = (n,), dt.uint64
    raw = P.random_bits(seed, offset, shape=shape, dtype=u)
    k = _const(P.bitcast(convert(count, dt.int64), dtype=u), u, shape)
    if wide:
        x = P.rem(raw, k)
    else:
        s = _const(32, u, shape)
        low_half, high_half = P.and_(raw, _const(0xFFFFFFFF, u, shape)), P.shr(raw, s)
        x = P.shr(P.add(P.mul(high_half, k), P.shr(P.mul(low_half, k), s)), s)
    x = P.add(P.bitcast(x, dtype=dt.int64), _const(low, dt.int64, shape))
    return convert(x, dtype)


@operator(name="random_words", register=False)
def _words(n: Int, seed: Number, offset: Number) -> Tensor:
    """n integers of 64 random bits."""
    return P.bitcast(P.random_bits(seed, offset, shape=(n,), dtype=dt.uint64), dtype=dt.int64)


@operator(name="randperm", register=False)
def _permutation(n: Int, seed: Number, offset: Number, *, dtype: Any) -> Tensor:
    """The order that sorts n random words."""
    keys = P.bitcast(P.random_bits(seed, offset, shape=(n,), dtype=dt.uint64), dtype=dt.int64)
    return convert(P.sort(keys, dim=0, descending=False, stable=True)[1], dtype)


@operator(name="exponential", register=False)
def _exponential(n: Int, seed: Number, offset: Number, lambd: Number, *, dtype: Any) -> Tensor:
    """n numbers of density lambd exp(-lambd x)."""
    shape, c = (n,), _compute(dtype)
    u = unit_uniform(seed, offset, shape, c)
    return convert(P.div(P.neg(P.log1p(P.neg(u))), _const(lambd, c, shape)), dtype)


@operator(name="geometric", register=False)
def _geometric(n: Int, seed: Number, offset: Number, p: Number, *, dtype: Any) -> Tensor:
    """n numbers of trials until the first success, at least 1."""
    shape, c = (n,), dt.float64
    u = unit_uniform(seed, offset, shape, c)
    k = P.ceil(P.div(P.log1p(P.neg(u)), P.log1p(P.neg(_const(p, c, shape)))))
    return convert(P.max(k, _const(1.0, c, shape)), dtype)


@operator(name="cauchy", register=False)
def _cauchy(n: Int, seed: Number, offset: Number, median: Number, sigma: Number, *, dtype: Any) -> Tensor:
    """n Cauchy numbers by the inverse of the distribution function."""
    shape, c = (n,), _compute(dtype)
    u = unit_uniform(seed, offset, shape, c)
    x = P.tan(P.mul(P.sub(u, _const(0.5, c, shape)), _const(math.pi, c, shape)))
    return convert(P.add(P.mul(x, _const(sigma, c, shape)), _const(median, c, shape)), dtype)


@operator(name="log_normal", register=False)
def _log_normal(n: Int, seed: Number, offset: Number, mean: Number, std: Number, *, dtype: Any) -> Tensor:
    """exp of n normal numbers."""
    shape, c = (n,), _compute(dtype)
    z = unit_normal(seed, offset, shape, c)
    return convert(P.exp(P.add(P.mul(z, _const(std, c, shape)), _const(mean, c, shape))), dtype)


# -------------------------------------------------------------------------------------------------------------------- drawing
def generator_of(generator: Any, name: str) -> Generator:
    """The generator to draw from."""
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        raise TypeError(f"{name}(): argument 'generator' must be torch.Generator, not {type(generator).__name__}")
    return generator


def draw(op: Operator, name: str, size: tuple[int, ...], dtype: dt.dtype, where: Any, generator: Any, *numbers: Any) -> Tensor:
    """A new tensor whose elements a program (n, seed, offset, *numbers) draws."""
    gen = generator_of(generator, name)
    if where is None or where is _core.CPU:
        made = plain_draw(op, gen, size, dtype, numbers, False)
        if made is not None:
            return made
    if Builder.active():
        raise RuntimeError(f"{name}(): random numbers cannot be drawn while an operator is traced; take (seed, offset) from the generator first")
    n, device = prod(size), place(name, where)
    if n >> 63:
        raise RuntimeError(f"{name}(): a tensor of size {list(size)} has more than 2**63 elements: overflow")
    if n == 0 or device.type == "meta":
        return raw_empty(name, size, dtype, device)
    s, o = gen.advance(n)
    flat = op(n, s, o, *numbers, dtype=dtype)
    if len(size) != 1:
        flat = _core.tensor_from_storage(flat.untyped_storage(), dtype, 0, size, row_major(size))
    return flat if device.type == "cpu" else METHODS["to"](flat, device)


def redraw(op: Operator, name: str, t: Tensor, generator: Any, *numbers: Any) -> Tensor:
    """Fill a tensor in place with what a program draws."""
    if plain_redraw(op, generator_of(generator, name), t, numbers):
        return t
    if t.requires_grad and _core.is_grad_enabled() or t.keys & STANDS_FOR or t.device.type not in ("cpu", "meta") or not t.is_contiguous() or not t.numel():
        size = tuple(t.shape)
        return METHODS["copy_"](t, draw(op, name, size, t.dtype, t.device if not t.is_meta else "meta", generator, *numbers))
    if t.is_meta:
        return t
    s, o = generator_of(generator, name).advance(t.numel())
    op(t.numel(), s, o, *numbers, dtype=t.dtype, out=flat_of(t))
    return t


def finish(t: Tensor, out: Tensor | None, requires_grad: bool, name: str, dtype: Any) -> Tensor:
    """Put a result into out=, or mark it as requiring grad."""
    if out is not None:
        from rushlight.operators.creation import into_out
        return METHODS["copy_"](into_out(name, out, tuple(t.shape), dtype), t)
    if requires_grad:
        t.requires_grad = True
    return t


def _float_only(name: str, d: dt.dtype, kinds: str = "fc") -> None:
    if d.kind not in kinds:
        raise NotImplementedError(f"{name}(): not defined for dtype {d}, only for floating point ones")


def _factory(name: str, op: Any, numbers: tuple[float, float], what: str) -> None:
    def make(size: Ints, *, generator: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
             pin_memory: bool = False, out: Tensor | None = None) -> Tensor:
        if layout is None and device is None and out is None and not pin_memory and (dtype is None or (dtype.__class__ is _dtype and dtype.kind in "fc")):
            made = plain_draw(op, default_generator if generator is None else generator_of(generator, name), size, dtype, numbers, requires_grad)
            if made is not None:
                return made
        check_options(name, dtype, layout, pin_memory)
        d = dtype or (out.dtype if out is not None else default_dtype())
        _float_only(name, d)
        return finish(draw(op, name, plain_size(size, name), d, device, generator, *numbers), out, requires_grad, name, dtype)
    make.__name__ = name
    make.__doc__ = f"""{what}

    Args: size: ints or a sequence of ints. generator: default the default generator. dtype: floating point or complex.
    """
    eager(make, name=name, method=False, varargs="size", out=True)

    def make_like(input: Tensor, *, generator: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
                  pin_memory: bool = False, memory_format: Any = None) -> Tensor:
        if layout is None and device is None and memory_format is None and not pin_memory and not input.keys and input.is_contiguous():
            d = input.dtype if dtype is None else dtype
            if d.__class__ is _dtype and d.kind in "fc":
                made = plain_draw(op, default_generator if generator is None else generator_of(generator, name + "_like"), input.shape, d, numbers, requires_grad)
                if made is not None:
                    return made
        check_options(name + "_like", dtype, layout, pin_memory)
        _float_only(name + "_like", dtype or input.dtype)
        return like_order(draw(op, name + "_like", tuple(input.shape), dtype or input.dtype, input.device if device is None else device, generator, *numbers),
                          input, memory_format, requires_grad)
    make_like.__name__ = name + "_like"
    make_like.__doc__ = what + " In the shape of `input`, and its dtype and device unless they are given."
    eager(make_like, name=name + "_like", method=False)


def like_order(t: Tensor, input: Tensor, memory_format: Any, requires_grad: bool) -> Tensor:
    """Give a drawn tensor the order of dimensions that `*_like` keeps."""
    from rushlight.operators.creation import format_strides

    keep = memory_format is None or memory_format is dt.preserve_format
    strides = preserved_strides(input) if keep else format_strides(t.shape, memory_format, "rand_like")
    if strides is not None and not t.is_meta:
        t = METHODS["copy_"](_core.empty_strided_raw(t.dtype, tuple(t.shape), strides), t)
    if requires_grad:
        t.requires_grad = True
    return t


_factory("rand", _uniform, (0.0, 1.0), "Uniform numbers in [0, 1).")
_factory("randn", _normal, (0.0, 1.0), "Normal numbers of mean 0 and variance 1.")


def _range(name: str, low: Any, high: Any, d: dt.dtype) -> tuple[int, int, bool]:
    low, high = int(low), int(high)
    if low >= high:
        raise RuntimeError(f"{name}(): 'to' must be greater than 'from'; found {high} and {low}")
    if d.kind in "iub":
        lo, hi = (0, 1) if d.kind == "b" else _BOUNDS[d]
        for value, what in ((low, "from"), (high - 1, "to - 1")):
            if not lo <= value <= hi:
                raise RuntimeError(f"{name}(): '{what}' must be in [{lo}, {hi}], what dtype {d} holds; found {value}")
    count = high - low
    if count >= 1 << 64:
        raise RuntimeError(f"{name}(): 'to' - 'from' must be less than 2**64; found {count}")
    return (low if low < 1 << 63 else low - (1 << 64)), (count if count < 1 << 63 else count - (1 << 64)), count >= 1 << 32


def _bounds(name: str, low: Any, high: Any, size: Any) -> tuple[Any, Any, Any]:
    if size is None:                # randint(high, size)
        if high is None:
            raise TypeError(f"{name}() missing 1 required positional argument: 'high'")
        if isinstance(high, (tuple, list)):
            return 0, low, high
    return (0, low, size) if high is None else (low, high, size)


@eager(method=False, out=True)
def randint(low: Any = None, high: Any = None, size: Any = None, *, generator: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
            requires_grad: bool = False, pin_memory: bool = False, out: Tensor | None = None) -> Tensor:
    """Integers in [low, high): randint(high, size) or randint(low, high, size).

    Args: low, high: ints. size: sequence of ints. dtype: default int64.
    Errors: RuntimeError for an empty range or bounds that the dtype does not hold.
    """
    low, high, size = _bounds("randint", low, high, size)
    if low is None:
        low = 0
    if size is None or high is None:
        raise TypeError("randint() missing 1 required positional argument: 'size'" if size is None else "randint() missing 1 required positional argument: 'high'")
    check_options("randint", dtype, layout, pin_memory)
    d = dtype or (out.dtype if out is not None else dt.int64)
    start, count, wide = _range("randint", low, high, d)
    return finish(draw(_integers, "randint", plain_size(size, "randint"), d, device, generator, start, count, wide), out, requires_grad, "randint", dtype)


@eager(method=False)
def randint_like(input: Tensor, low: Any = None, high: Any = None, *, generator: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
                 requires_grad: bool = False, pin_memory: bool = False, memory_format: Any = None) -> Tensor:
    """Integers in [low, high) in the shape of `input`: randint_like(x, high) or randint_like(x, low, high)."""
    check_options("randint_like", dtype, layout, pin_memory)
    low, high = (0, low) if high is None else (low or 0, high)
    if high is None:
        raise TypeError("randint_like() missing 1 required positional argument: 'high'")
    d = dtype or input.dtype
    start, count, wide = _range("randint_like", low, high, d)
    t = draw(_integers, "randint_like", tuple(input.shape), d, input.device if device is None else device, generator, start, count, wide)
    return like_order(t, input, memory_format, requires_grad)


@eager(method=False, out=True)
def randperm(n: Any, *, generator: Any = None, dtype: Any = dt.int64, layout: Any = None, device: Any = None, requires_grad: bool = False,
             pin_memory: bool = False, out: Tensor | None = None) -> Tensor:
    """A random permutation of 0 ... n - 1."""
    check_options("randperm", dtype, layout, pin_memory)
    size = plain_size((n,), "randperm")
    return finish(draw(_permutation, "randperm", size, dtype or dt.int64, device, generator), out, requires_grad, "randperm", None)


@eager(method=False, out=True)
def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
           requires_grad: bool = False, pin_memory: bool = False, out: Tensor | None = None) -> Tensor:
    """Normal numbers: normal(mean, std, size) for numbers, normal(mean, std) with a tensor for one or both.

    Errors: RuntimeError for a negative standard deviation.
    """
    if not isinstance(mean, Tensor) and not isinstance(std, Tensor):
        if size is None:
            raise TypeError("normal() missing 1 required positional argument: 'size' (the mean and the standard deviation are numbers)")
        if std < 0:
            raise RuntimeError(f"normal(): 'std' must be at least 0; found {std}")
        d = dtype or (out.dtype if out is not None else default_dtype())
        _float_only("normal", d)
        return finish(draw(_normal, "normal", plain_size(size, "normal"), d, device, generator, mean, std), out, requires_grad, "normal", dtype)
    tensors = [x for x in (mean, std) if isinstance(x, Tensor)]
    if isinstance(std, Tensor):
        if std.is_complex():
            raise RuntimeError(f"normal(): 'std' must be real; found {std.dtype}")
        if std.numel() and not std.is_meta and bool(METHODS["any"](METHODS["lt"](METHODS["detach"](std), 0))):
            raise RuntimeError("normal(): the elements of 'std' must be at least 0; found negative ones")
    elif std < 0:
        raise RuntimeError(f"normal(): 'std' must be at least 0; found {std}")
    from rushlight.operators.join import broadcast_shapes

    first = tensors[0]
    _float_only("normal", first.dtype)
    shape = tuple(broadcast_shapes(*[t.shape for t in tensors]))
    z = draw(_normal, "normal", shape, first.dtype, first.device, generator, 0.0, 1.0)
    result = METHODS["detach"](METHODS["add"](METHODS["mul"](z, std), mean))
    return finish(result, out, False, "normal", None)


def _check_probability(name: str, p: Tensor) -> None:
    if p.keys & _TRANSFORM:
        return      # the examples of a batch are not looked at
    inside = METHODS["all"](METHODS["logical_and"](METHODS["ge"](p, 0), METHODS["le"](p, 1)))
    if not p.is_meta and p.numel() and not bool(inside):
        raise RuntimeError(f"{name}(): probabilities must be in [0, 1]; found others")


@eager(out=True)
def bernoulli(input: Tensor, p: Any = None, *, generator: Any = None, out: Tensor | None = None) -> Tensor:
    """Zeros and ones, each 1 with the probability that `input` holds (or p, where it is given)."""
    _float_only("bernoulli", input.dtype, "f")
    probability = METHODS["detach"](input) if p is None else p
    if p is None:
        _check_probability("bernoulli", probability)
    elif not isinstance(p, Tensor) and not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli(): 'p' must be in [0, 1]; found {p}")
    u = draw(_uniform, "bernoulli", tuple(input.shape), _compute(input.dtype), input.device, generator, 0.0, 1.0)
    return finish(_less(input, u, probability), out, False, "bernoulli", None)


# What is drawn depends on its parameters by jumps alone: the results require grad where the parameters do, and the gradients are zero.
@operator(name="bernoulli", register=False, zero_gradient=True)
def _less(input: Tensor, u: Tensor, p: Operand) -> Tensor:
    """Where u < p, as input's dtype; differentiable by input (with gradient zero)."""
    return convert(P.lt(*align(u, p)), input.dtype)


@operator(name="poisson", register=False, zero_gradient=True)
def _poisson_counts(input: Tensor, counts: Tensor) -> Tensor:
    """Counts as input's dtype; differentiable by input (with gradient zero)."""
    return convert(counts, input.dtype)


@operator(name="binomial", register=False, zero_gradient=True)
def _binomial_counts(count: Tensor, prob: Tensor, counts: Tensor) -> Tensor:
    """Counts as count's dtype; differentiable by count and prob (with gradient zero)."""
    return convert(counts, count.dtype)


def _numpy_generator(generator: Any, name: str, n: int) -> Any:
    """NumPy's generator on the same counter-based stream (Philox4x64), for distributions that are sampled by rejection."""
    import numpy as np

    s, o = generator_of(generator, name).advance(n)
    return np.random.Generator(np.random.Philox(key=s & 0xFFFFFFFFFFFFFFFF, counter=[0, o, 0, 0]))


# Set by func/random_mode.py: draws for tensors that a transform wraps.
draw_wrapped: Callable[[Callable[..., Tensor], tuple[Tensor, ...], Generator], Tensor] | None = None


def draw_for(name: str, generator: Any, body: Callable[..., Tensor], *parameters: Tensor) -> Tensor:
    """body(*parameters), which draws numbers for parameters that it must see the values of; under transforms, for the tensors inside.

    Args: body: takes parameters with further dimensions in front, those of batches, and draws for each element of them.
    """
    parameters = tuple(METHODS["detach"](p) for p in parameters)
    if draw_wrapped is not None and any(p.keys & _TRANSFORM for p in parameters):
        return draw_wrapped(body, parameters, generator_of(generator, name))
    return body(*parameters)


@eager(method=False)
def poisson(input: Tensor, generator: Any = None) -> Tensor:
    """Poisson numbers whose rates are the elements of `input`.

    Errors: RuntimeError for a rate that is negative or NaN.
    """
    _float_only("poisson", input.dtype, "f")
    if input.is_meta:
        return raw_empty("poisson", tuple(input.shape), input.dtype, input.device)

    def body(rates: Tensor) -> Tensor:
        rate = array_of(rates, "poisson").astype("float64")
        if not (rate >= 0).all():
            raise RuntimeError("poisson(): the elements of 'input', rates, must be at least 0; found others")
        return tensor_of(_numpy_generator(generator, "poisson", rate.size).poisson(rate), dt.int64)
    return _poisson_counts(input, draw_for("poisson", generator, body, input))


@eager(method=False)
def binomial(count: Tensor, prob: Tensor, generator: Any = None) -> Tensor:
    """How many of `count` trials succeed, each with probability `prob`; the arguments broadcast.

    Args: count, prob: floating point tensors of one dtype.
    Errors: RuntimeError for counts or probabilities out of range, or different dtypes.
    """
    _float_only("binomial", count.dtype, "f")
    if count.dtype is not prob.dtype:
        raise RuntimeError(f"binomial(): 'count' and 'prob' must be of one dtype; found {count.dtype} and {prob.dtype}")
    shape = broadcast_shapes(count.shape, prob.shape)
    if count.is_meta or prob.is_meta:
        return raw_empty("binomial", shape, count.dtype, count.device)

    def body(counts: Tensor, probs: Tensor) -> Tensor:
        import numpy as np

        n, p = np.broadcast_arrays(*(array_of(t, "binomial").astype("float64") for t in (counts, probs)))
        if not ((n >= 0).all() and ((p >= 0) & (p <= 1)).all()):
            raise RuntimeError("binomial(): the elements of 'count' must be at least 0 and those of 'prob' in [0, 1]; found others")
        return tensor_of(_numpy_generator(generator, "binomial", n.size).binomial(n.astype("int64"), p), dt.int64)
    return _binomial_counts(count, prob, draw_for("binomial", generator, body, METHODS["expand"](count, shape), METHODS["expand"](prob, shape)))


@operator(name="multinomial", register=False)
def _choose_again(p: Tensor, u: Tensor) -> Tensor:
    """With replacement: how many entries of the distribution function are not above u times the total."""
    rows, k, m = p.var.shape[0], p.var.shape[1], u.var.shape[1]
    cdf = P.cumsum(convert(p, dt.float64), dim=1, reverse=False)
    total = P.slice(cdf, starts=(0, k - 1), sizes=(rows, 1), steps=(1, 1))
    shape = (rows, m, k)
    target = P.mul(u, P.broadcast_in_dim(P.reshape(total, shape=(rows,)), shape=(rows, m), dims=(0,)))
    below = P.le(P.broadcast_in_dim(cdf, shape=shape, dims=(0, 2)), P.broadcast_in_dim(target, shape=shape, dims=(0, 1)))
    found = P.reduce_sum(convert(below, dt.int64), dims=(2,))
    return P.min(found, expand_to(P.sub(convert(tracer_of_size(k), dt.int64), convert(1, dt.int64)), (rows, m)))


@operator(name="multinomial", register=False)
def _choose(p: Tensor, u: Tensor, num: Int) -> Tensor:
    """Without replacement: the places of the smallest exponential numbers of rate p (Efraimidis and Spirakis, 2006)."""
    shape = p.var.shape
    q = convert(p, dt.float64)
    time = P.div(P.neg(P.log1p(P.neg(u))), q)
    never = P.le(q, _const(0.0, dt.float64, shape))
    time = P.select(never, _const(math.inf, dt.float64, shape), time)
    order = P.sort(time, dim=1, descending=False, stable=True)[1]
    return P.slice(order, starts=(0, 0), sizes=(shape[0], num), steps=(1, 1))


@eager(out=True)
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None, out: Tensor | None = None) -> Tensor:
    """Indices drawn with probabilities in proportion to the weights in each row.

    Args: input: weights >= 0, a vector or a matrix. num_samples: how many indices a row. replacement: whether one may be drawn again.
    Errors: RuntimeError for weights that are negative, not finite or all zero, or too many samples.
    """
    if input.ndim not in (1, 2):
        raise RuntimeError(f"multinomial(): 'input' must be a vector or a matrix; found a {input.ndim}-d tensor")
    _float_only("multinomial", input.dtype, "f")
    k = input.shape[-1]
    if num_samples <= 0:
        raise RuntimeError(f"multinomial(): 'num_samples' must be at least 1; found {num_samples}")
    if not replacement and num_samples > k:
        raise RuntimeError(f"multinomial(): 'num_samples' must be at most {k}, the number of weights, unless replacement=True; found {num_samples}")
    if k == 0:
        raise RuntimeError(f"multinomial(): each row of 'input', weights, must have elements; found the shape {list(input.shape)}")

    def body(p: Tensor) -> Tensor:
        if not p.is_meta and p.numel():
            if not bool(METHODS["all"](METHODS["logical_and"](METHODS["ge"](p, 0), METHODS["lt"](p, math.inf)))):
                raise RuntimeError("multinomial(): the elements of 'input', the probabilities, must be finite and at least 0; probability tensor contains either `inf`, `nan` or element < 0")
            if bool(METHODS["any"](METHODS["le"](METHODS["amax"](p, -1), 0))):
                raise RuntimeError("multinomial(): each row of 'input', weights, must have a positive sum; found one without")
        rows = prod(p.shape[:-1])
        flat = METHODS["reshape"](p, (rows, k))
        u = draw(_uniform, "multinomial", (rows, num_samples if replacement else k), dt.float64, p.device, generator, 0.0, 1.0)
        found = _choose_again(flat, u) if replacement else _choose(flat, u, num_samples)
        return METHODS["reshape"](found, (*p.shape[:-1], num_samples))
    return finish(draw_for("multinomial", generator, body, input), out, False, "multinomial", None)


# ------------------------------------------------------------------------------------------------------------------- in place
@eager(name="uniform_", namespace=None)
def uniform_(input: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with uniform numbers in [from, to)."""
    _float_only("uniform_", input.dtype)
    if from_ > to:
        raise RuntimeError(f"uniform_(): 'to' must be at least 'from'; found {to} and {from_}")
    return redraw(_uniform, "uniform_", input, generator, float(from_), float(to))


uniform_.index["from"] = uniform_.index.pop("from_")


@eager(name="normal_", namespace=None)
def normal_(input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with normal numbers."""
    _float_only("normal_", input.dtype)
    if std < 0:
        raise RuntimeError(f"normal_(): 'std' must be at least 0; found {std}")
    return redraw(_normal, "normal_", input, generator, mean, std)


@eager(name="log_normal_", namespace=None)
def log_normal_(input: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Any = None) -> Tensor:
    """Fill with exp of normal numbers of the given mean and standard deviation."""
    _float_only("log_normal_", input.dtype, "f")
    if std <= 0:
        raise RuntimeError(f"log_normal_(): 'std' must be greater than 0; found {std}")
    return redraw(_log_normal, "log_normal_", input, generator, mean, std)


@eager(name="exponential_", namespace=None)
def exponential_(input: Tensor, lambd: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with exponential numbers of rate lambd."""
    _float_only("exponential_", input.dtype, "f")
    if lambd <= 0:
        raise RuntimeError(f"exponential_(): 'lambd' must be greater than 0; found {lambd}")
    return redraw(_exponential, "exponential_", input, generator, lambd)


@eager(name="geometric_", namespace=None)
def geometric_(input: Tensor, p: float, *, generator: Any = None) -> Tensor:
    """Fill with the number of trials until the first success, of probability p each."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_(): 'p' must be in (0, 1); found {p}")
    if input.dtype.kind in "cb":
        _float_only("geometric_", input.dtype)
    return redraw(_geometric, "geometric_", input, generator, p)


@eager(name="cauchy_", namespace=None)
def cauchy_(input: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with Cauchy numbers."""
    _float_only("cauchy_", input.dtype, "f")
    if sigma <= 0:
        raise RuntimeError(f"cauchy_(): 'sigma' must be greater than 0; found {sigma}")
    return redraw(_cauchy, "cauchy_", input, generator, median, sigma)


@eager(name="bernoulli_", namespace=None)
def bernoulli_(input: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Fill with zeros and ones, 1 with probability p (a number or a tensor)."""
    if isinstance(p, Tensor):
        _check_probability("bernoulli_", METHODS["detach"](p))
    elif not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_(): 'p' must be in [0, 1]; found {p}")
    u = draw(_uniform, "bernoulli_", tuple(input.shape), dt.float32, input.device, generator, 0.0, 1.0)
    return METHODS["copy_"](input, METHODS["lt"](u, METHODS["detach"](p) if isinstance(p, Tensor) else p))


@eager(name="random_", namespace=None)
def random_(input: Tensor, from_: Any = None, to: Any = None, *, generator: Any = None) -> Tensor:
    """Fill with integers in [from, to): random_(), random_(to), random_(from, to).

    Without bounds: up to the dtype's largest value, or the largest integer that all smaller ones are exact with.
    """
    d = input.dtype
    if d.kind == "c" or d.format is not None:
        raise NotImplementedError(f"random_(): not defined for dtype {d}, only for real ones")
    if from_ is not None and to is None:
        from_, to = 0, from_
    if to is None:
        top = 2 if d.kind == "b" else _BOUNDS[d][1] + 1 if d.kind in "iu" else (1 << {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}[d.name]) + 1
        from_, to = from_ or 0, top
    start, count, wide = _range("random_", from_ or 0, to, d)
    return redraw(_integers, "random_", input, generator, start, count, wide)


random_.index["from"] = random_.index.pop("from_")
