"""Quotients by a number that is the same for many vectors have the bits of a division (`vecmath/division.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as rl

WORDS = {np.float32: np.int32, np.float64: np.int64}
FLOATS = [np.float32, np.float64]


def check(found: Any, x: Any, y: Any) -> None:
    """Bits of NumPy's, which are the processor's instruction's."""
    with np.errstate(all="ignore"):
        expected = x / y
    assert expected.dtype == x.dtype
    got = found.numpy()
    word = WORDS[x.dtype.type]
    same = (got.view(word) == expected.view(word)) | (np.isnan(got) & np.isnan(expected))
    x, y = np.broadcast_to(x, got.shape)[~same], np.broadcast_to(y, got.shape)[~same]
    assert same.all(), (x[:5], y[:5], got[~same][:5], expected[~same][:5])


def check_rows(x: Any, y: Any) -> None:
    """Each row of x by a number of y."""
    check(rl.from_numpy(x) / rl.from_numpy(y[:, None]), x, y[:, None])


def check_all(x: Any, y: Any) -> None:
    """All of x by one number."""
    check(rl.from_numpy(x) / float(y), x, y)


def of_bits(bits: Any, dtype: Any) -> Any:
    """The numbers with these bits, and those of the other sign."""
    x = np.asarray(bits, WORDS[dtype]).view(dtype)
    return np.concatenate([x, -x])


def special(dtype: Any) -> Any:
    """Numbers at the edges of the format, and of what is divided by a reciprocal."""
    f, rng = np.finfo(dtype), np.random.default_rng(0)
    mantissa, edge, far = (23, 100, 60) if dtype == np.float32 else (52, 960, 500)
    count = 256 if dtype == np.float32 else 2048
    edges = [2.0**e * c for e in (-edge, edge, -far, far, 0) for c in (1.0, 1 - f.eps / 2, 1 + f.eps, 0.75, 1.5)]
    bits = np.arange(count)[:, None] << mantissa | rng.integers(0, 1 << mantissa, (count, 2))
    plain = np.array([0.0, np.inf, np.nan, f.max, f.tiny, f.smallest_subnormal, 3.0, 255.0, 0.1, *edges], dtype)
    return np.concatenate([plain, -plain, of_bits(bits.ravel(), dtype), of_bits(np.arange(1, 40), dtype)])


@pytest.mark.parametrize("y", [3.0, -7.0, 255.0, 0.229, 0.1, 1.9999999, 1.0000001, 5592405.0])
def test_every_mantissa_of_a_float(y: float) -> None:
    """Dividends of other exponents have the same roundings, until a residual is not a normal number."""
    check_all(np.arange(127 << 23, 128 << 23, dtype=np.int32).view(np.float32), np.float32(y))


@pytest.mark.parametrize("dtype", FLOATS)
def test_every_exponent_by_every_exponent(dtype: Any) -> None:
    numbers = special(dtype)
    every = numbers if dtype == np.float32 else numbers[np.random.default_rng(1).permutation(len(numbers))[:1500]]
    check_rows(np.broadcast_to(numbers, (len(every), len(numbers))).copy(), every)


@pytest.mark.parametrize("dtype", FLOATS)
def test_random_numbers(dtype: Any) -> None:
    rng = np.random.default_rng(2)
    x, y = (rng.standard_normal(shape).astype(dtype) for shape in ((2000, 1024), 2000))
    check_rows(x, y)


@pytest.mark.parametrize(("dtype", "bits"), [(np.float32, 24), (np.float64, 53)])
def test_next_to_where_rounding_changes(dtype: Any, bits: int) -> None:
    """Dividends x and divisors y with x 2^s = h y + d, h of one bit more than the format and odd: x / y is as near to
    half way between two numbers as d is to 0, and no quotient is half way.
    """
    rng = np.random.default_rng(3)
    low, high = 1 << (bits - 1), 1 << bits
    random_ones = [int(v) | 1 for v in rng.integers(low, high, 300)]
    divisors = [low + 1, low + 3, high - 1, high - 3, low * 4 // 3 | 1, *random_ones]
    found = np.zeros((len(divisors), 256), dtype)
    for row, y in zip(found, divisors, strict=True):
        inverse, near = pow(y, -1, 1 << (bits + 1)), []
        for d in (sign * k for k in range(1, 257, 2) for sign in (1, -1)):
            for shift in (bits, bits + 1):
                h = -d * inverse % (1 << shift) | (1 << bits if shift == bits else 0)
                x, rest = divmod(h * y + d, 1 << shift)
                if low <= x < high and h >> bits == 1:
                    assert rest == 0
                    near.append(float(x))
        row[: len(near)] = near
    assert (found != 0).mean() > 0.3
    check_rows(found, np.array(divisors, dtype))
    check_rows(-found, np.array(divisors, dtype))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", [0, 1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 1000])
def test_sizes_and_strides(dtype: Any, size: int) -> None:
    values = np.resize(special(dtype), 4 * size)
    x = rl.from_numpy(values)
    for stretch in (slice(0, size), slice(0, 2 * size, 2), slice(1, 3 * size + 1, 3)):
        check(x[stretch] / 3.0, values[stretch], dtype(3.0))
    check(x[:size].flip(0) / -5.0, values[:size][::-1].copy(), dtype(-5.0))
    check(x[:1].expand(size) / 3.0, np.resize(values[:1], size), dtype(3.0))
    inplace = x.clone()
    inplace /= 0.3
    check(inplace, values, dtype(0.3))


@pytest.mark.parametrize("dtype", FLOATS)
def test_channels_of_an_image(dtype: Any) -> None:
    x = np.random.default_rng(4).random((2, 3, 33, 65)).astype(dtype)
    std = np.array([0.229, 0.224, 0.225], dtype)[:, None, None]
    check(rl.from_numpy(x) / rl.from_numpy(std), x, std)
    last = rl.from_numpy(x).contiguous(memory_format=rl.channels_last)
    check((last / rl.from_numpy(std)).contiguous(), x, std)
    check((rl.from_numpy(x) / rl.from_numpy(std)).sub_(0.0), x, std)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(5, 300), (300, 5), (40, 70), (3, 200000)])
def test_by_what_a_reduction_found(dtype: Any, shape: tuple[int, int]) -> None:
    x = np.random.default_rng(5).standard_normal(shape).astype(dtype)
    t = rl.from_numpy(x)
    for dim in (0, 1):
        one_kernel = rl.compile(lambda t, dim: t / t.amax(dim, keepdim=True), fullgraph=True)
        check(one_kernel(t, dim), x, x.max(dim, keepdims=True))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(7, 300), (300, 300), (3, 70000), (70000, 3)])
def test_within_other_kernels(dtype: Any, shape: tuple[int, int]) -> None:
    """Sums along rows and columns, scans, and transposed operands."""
    x = np.random.default_rng(6).standard_normal(shape).astype(dtype)
    t = rl.from_numpy(x)
    check(t.t() / 3.0, x.T, dtype(3.0))
    check((t / t[:1]).t().contiguous().t() / 1.0, x / x[:1], dtype(1.0))
    quotient = t / 3.0
    check(quotient, x, dtype(3.0))
    for f in (
        lambda v: v.sum(0),
        lambda v: v.sum(1),
        lambda v: v.sum(),
        lambda v: v.cumsum(1),
        lambda v: v.amax((0, 1)),
    ):
        one_kernel = rl.compile(lambda t, f=f: f(t / 3.0), fullgraph=True)
        assert rl.equal(one_kernel(t), f(quotient))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_halves(name: str) -> None:
    """They are divided as floats, and rounded."""
    every = rl.arange(-(1 << 15), 1 << 15).to(rl.int16).view(getattr(rl, name))
    for y in (3.0, 0.1, -255.0):
        divisor = rl.tensor(y, dtype=every.dtype).float()
        with np.errstate(all="ignore"):
            expected = rl.from_numpy(every.float().numpy() / divisor.numpy()).to(every.dtype)
        assert rl.equal((every / divisor.to(every.dtype)).nan_to_num(7.0), expected.nan_to_num(7.0))


def _towards_zero(x: Any, y: Any) -> tuple[Any, Any]:
    """Quotients and remainders of int64, towards zero."""
    q = np.abs(x) // np.abs(y) * np.sign(x) * np.sign(y)
    return q, x - q * y


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32])
def test_integers(dtype: Any) -> None:
    """Quotients and remainders of all pairs of bytes; of wider integers, next to where a quotient changes."""
    info, rng = np.iinfo(dtype), np.random.default_rng(7)
    if info.bits == 8:
        x, y = (v.ravel() for v in np.meshgrid(*[np.arange(info.min, info.max + 1)] * 2))
    else:
        y = np.concatenate([2 ** rng.integers(0, info.bits, 60_000), rng.integers(1, info.max, 60_000)])
        y = np.concatenate([y, np.arange(1, 3000), info.max - np.arange(3000)]) % info.max + 1
        q = rng.integers(0, info.max, y.size) // y + rng.integers(0, 2, y.size)
        x = np.clip(q * y + rng.integers(-1, 2, y.size), info.min, info.max)
        if info.min:
            x, y = (v * rng.choice([-1, 1], v.size) for v in (x, y))
            x[:9], y[:9] = info.min, np.arange(-4, 5)
    x, y = (np.clip(v, info.min, info.max)[y != 0] for v in (x, y))
    q, r = _towards_zero(x, y)
    low, sign = q - ((r != 0) & ((x < 0) != (y < 0))), np.where((r != 0) & ((x < 0) != (y < 0)), y, 0)
    a, b = (rl.from_numpy(v.astype(dtype)) for v in (x, y))
    for found, wanted in (
        (a // b, low),
        (a % b, r + sign),
        (rl.fmod(a, b), r),
        (rl.div(a, b, rounding_mode="trunc"), q),
        (a[5:] // b[5], x[5:] // y[5]),
    ):
        assert np.array_equal(found.numpy(), wanted.astype(dtype))
