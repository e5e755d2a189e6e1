"""Elementwise operators at the ends of every dtype, against PyTorch: zeros of both signs, the least and largest
numbers, infinities and NaN, in every combination.
"""

# ruff: noqa: E402  (what is beside the tests is found by its folders)

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight.core import dtypes as dt
from rushlight.testing.samples import REGISTRY, load

torch = pytest.importorskip("torch")
sys.path[:0] = [str(Path(__file__).parents[1] / "operators"), str(Path(__file__).parent)]

from checks import chosen, label
from support import agree_at_the_ends, array, at_the_ends, copy, find, flat, inputs_of, is_traced, map_tensors, rtol_of
from test_operators import counterpart, to_torch, torch_array, torch_call, torch_flat, torch_sample

load()
# Every dtype that PyTorch computes in. Without RUSHLIGHT_DTYPES=all those that `tests/operators` has compiled already,
# and what integers become.
DTYPES = [
    dt.by_name[n]
    for n in "float32 float16 bfloat16 complex64 int8 int16 int32 uint8 bool float64 complex128 int64".split()
]
ALL = os.environ.get("RUSHLIGHT_DTYPES") == "all"

_SUM = "PyTorch rounds the sum and the product together; complex numbers with an infinite part as below"
_INFINITE = "docs/differences.md: complex numbers with an infinite part"
_LIMIT = "docs/differences.md: PyTorch lacks the limit"
_DIGITS = "docs/differences.md: PyTorch keeps fewer digits"
_CONSTANT = "PyTorch's polynomial of degree 0 is 1 at NaN, and those of higher ones are NaN where they overflow"
# Where PyTorch's numbers are others, by the kinds of dtypes ("f", "c", "i" for integers): the reason.
DIFFERENT: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        (
            "add",
            "sub",
            "rsub",
            "logaddexp",
            "expm1",
            "log1p",
            "pow",
            "float_power",
            "reciprocal",
            "rsqrt",
            "sigmoid",
            "div",
            "nn.functional.tanhshrink",
        ),
        ("c", _INFINITE),
    ),
    "lerp": ("fc", _SUM),
    "addcmul": ("fc", _SUM),
    "addcdiv": ("fc", _SUM),
    "exp2": ("c", "PyTorch rounds the product with log 2 before it finds the angle"),
    "erf": ("f", "PyTorch gives 0 for the least numbers of bfloat16"),
    **dict.fromkeys(("fmod", "remainder"), ("f", "PyTorch gives NaN where the quotient is beyond the range")),
    **dict.fromkeys(
        ("i0", "special.i0", "special.i1", "special.modified_bessel_i0", "special.modified_bessel_i1", "special.zeta"),
        ("fi", _LIMIT),
    ),
    "sinc": ("fic", _LIMIT),  # and rounds the product with pi, so that sinc of an integer is not 0
    **dict.fromkeys(("igamma", "igammac"), ("f", "docs/differences.md: NaN is NaN")),
    **dict.fromkeys(
        ("special.airy_ai", "special.bessel_j0", "special.bessel_j1", "special.bessel_y0", "special.bessel_y1"),
        ("fi", _DIGITS),
    ),
    "special.ndtr": ("fi", _DIGITS),
    "logaddexp2": ("f", _DIGITS),
    **dict.fromkeys(
        (
            *(f"special.{shifted}chebyshev_polynomial_{k}" for shifted in ("", "shifted_") for k in "tuvw"),
            "special.hermite_polynomial_h",
            "special.hermite_polynomial_he",
            "special.laguerre_polynomial_l",
            "special.legendre_polynomial_p",
        ),
        ("fi", _CONSTANT),
    ),
    **dict.fromkeys(("sin", "sinh"), ("c", "the sign of an infinity beside NaN is anyone's, by C99")),
    **dict.fromkeys(
        (
            "special.modified_bessel_k0",
            "special.modified_bessel_k1",
            "special.scaled_modified_bessel_k0",
            "special.scaled_modified_bessel_k1",
        ),
        ("f", "PyTorch loses numbers below the normal ones"),
    ),
    "polygamma": ("fi", "docs/differences.md: poles"),
    "nn.functional.softsign": ("i", "PyTorch adds 1 to the integer's modulus, which wraps"),
    "nn.functional.hardswish": ("f", "PyTorch multiplies the largest numbers by 6 first"),
    "sgn": ("c", "PyTorch gives 0 where the modulus is beyond the range"),
    "ldexp": ("f", "PyTorch keeps the low 32 bits of an exponent"),
    "nn.functional.silu": ("c", "a product in between is beyond the range"),
}
if bool(torch.nn.functional.gelu(torch.full((16,), float("inf"))).isnan().any()):
    DIFFERENT["nn.functional.gelu"] = (
        "f",
        "on some processors PyTorch's vectors are NaN at infinity, a single number is not",
    )
for _alias, _name in {
    "__radd__": "add",
    "__rsub__": "sub",
    "subtract": "sub",
    "divide": "div",
    "true_divide": "div",
    "special.expit": "sigmoid",
    "special.log1p": "log1p",
    "special.expm1": "expm1",
    "special.exp2": "exp2",
    "special.erf": "erf",
    "special.sinc": "sinc",
    "special.gammainc": "igamma",
    "special.gammaincc": "igammac",
    "special.polygamma": "polygamma",
    "__rpow__": "pow",
}.items():
    DIFFERENT.setdefault(_alias, DIFFERENT[_name])
NAMES = [
    n
    for n in sorted(REGISTRY)
    if not n.endswith("_")
    and is_traced(find(n))
    and find(n).definition.shape_class == "pointwise"
    and counterpart(n) is not None
]


def kind_of(d: Any) -> str:
    return "i" if d.kind in "iub" else str(d.kind)


@pytest.mark.parametrize("name", NAMES)
def test_at_the_ends(name: str) -> None:
    spec, fn = REGISTRY[name], counterpart(name)
    for dtype in [d for d in (DTYPES if ALL else DTYPES[:9]) if d in spec.dtypes]:
        if kind_of(dtype) in DIFFERENT.get(name, ("", ""))[0]:
            continue
        s = chosen(spec, dtype, 2)[0]
        # PyTorch ends the process where the least integer is divided by -1.
        ends = at_the_ends(s, frozenset({0, -1}) if dtype.kind in "iu" and len(inputs_of(s)) > 1 else frozenset())
        if ends is None:
            continue
        expected = torch_call(fn, *torch_sample(map_tensors(copy, ends)))
        if isinstance(expected, Exception):
            continue
        given = map_tensors(copy, ends)
        for g, e in zip(flat(find(name)(*given.args, **given.kwargs)), torch_flat(expected), strict=True):
            assert g.dtype.name == str(e.dtype).rpartition(".")[2], (
                f"{name} {dtype}: {g.dtype}, PyTorch gives {e.dtype}"
            )
            agree_at_the_ends(
                array(g),
                torch_array(e),
                4 * rtol_of(spec, g.dtype, dtype),
                inputs_of(ends),
                f"{name} {dtype} {label(s)}",
            )


FLOATS = [
    np.inf,
    -np.inf,
    np.nan,
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.5,
    -1.0,
    -1.5,
    200.0,
    -200.0,
    300.0,
    -300.0,
    70000.0,
    -70000.0,
    2.0**31,
    -(2.0**31),
    -(2.0**31) - 1,
    3e9,
    -3e9,
    2.0**32 + 5,
    1e10,
    -1e10,
    2.0**62,
    2.0**63,
    -(2.0**63),
    9.3e18,
    -9.3e18,
    1e30,
    -1e30,
]


@pytest.mark.parametrize("source", ["float64", "float32", "float16", "bfloat16", "complex64"])
def test_conversion_of_floats_out_of_range(source: str) -> None:
    """To every integer dtype, as long vectors and one by one."""
    y = torch.tensor(FLOATS, dtype=torch.float64).to(getattr(torch, source))
    x = rl.tensor(FLOATS, dtype=rl.float64).to(getattr(rl, source))
    for to in ("int64", "int32", "int16", "int8", "uint8", "uint16", "uint64", "uint32"):
        # (PyTorch's of uint32 depend on the length)
        many = y.repeat_interleave(67).to(getattr(torch, to)).reshape(-1, 67) if to != "uint32" else None
        for i, v in enumerate(FLOATS):
            right = y[i : i + 1].to(getattr(torch, to)).item()
            assert x[i : i + 1].to(getattr(rl, to)).item() == right, (v, to)
            if many is not None:
                assert set(many[i].tolist()) == {right} and set(x[i].repeat(67).to(getattr(rl, to)).tolist()) == {
                    right
                }, (v, to)
        wide = x.reshape(1, -1).expand(2, -1).t().to(getattr(rl, to))
        assert wide[:, 0].tolist() == x.to(getattr(rl, to)).tolist()


def test_nan_keeps_its_sign_in_bfloat16() -> None:
    words = np.array([0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF, 0x7FFF8000, 0x80000000], np.uint32).view(
        np.float32
    )
    x = rl.from_numpy(words)
    for y in (x.bfloat16(), rl.stack([x, x], 1).bfloat16()[:, 0], x.double().bfloat16()):
        assert y.isnan().tolist() == [True] * 5 + [False]
        assert y.signbit().tolist() == np.signbit(words).tolist()
    assert to_torch(x.bfloat16()).signbit().tolist() == np.signbit(words).tolist()


@pytest.mark.parametrize("name", ["arange", "range"])
@pytest.mark.filterwarnings("ignore")
def test_sequences_of_fractions_in_integers(name: str) -> None:
    r = np.random.default_rng(5)
    for dtype in ("int8", "int16", "int32", "int64", "uint8"):
        for _ in range(60):
            start, end = (float(v) if r.random() < 0.7 else int(v) for v in r.uniform(-9, 9, 2))
            step = float(r.choice([1, 2, 0.4, 1.5, -1, -0.3, -1.7]))
            if name == "range" and abs(step) < 1:  # PyTorch divides by its integer part
                continue
            found: list[Any] = []
            for m in (rl, torch):
                try:
                    found.append(getattr(m, name)(start, end, step, dtype=getattr(m, dtype)).tolist())
                except (RuntimeError, ValueError) as error:
                    found.append(type(error))
            assert found[0] == found[1], (dtype, start, end, step)


def test_norms_of_nothing_by_an_integer_order() -> None:
    for order in (2, -2, 1, -1, 3):
        for shape in ((5, 5), (0, 5), (5, 0), (0, 0), (5,)):
            found: list[Any] = []
            for m in (rl, torch):
                try:
                    found.append(m.linalg.norm(m.ones(shape), order).item())
                except (RuntimeError, ValueError, IndexError):
                    found.append("refused")
            assert found[0] == pytest.approx(found[1], abs=1e-6), (order, shape)


def test_bins_in_disorder_and_empty_runs() -> None:
    r = np.random.default_rng(1)
    for _ in range(20):
        points, edges = r.standard_normal((40, 2)), [r.standard_normal(k) for k in (4, 7)]
        a, b = (m.histogramdd(m.tensor(points), [m.tensor(e) for e in edges]).hist.tolist() for m in (rl, torch))
        assert a == b
        a, b = (
            m.histogram(m.tensor(points[:, 0]), m.tensor(edges[1]), density=True).hist.tolist() for m in (rl, torch)
        )
        np.testing.assert_allclose(a, b)
    for shape, dim in (((5, 0, 5), 1), ((0,), 0), ((0, 3), 0), ((0, 3), None)):
        found = [
            [tuple(t.shape) for t in m.unique_consecutive(m.zeros(shape), True, True, dim=dim)] for m in (rl, torch)
        ]
        assert found[0] == found[1], (shape, dim)


def test_ldexp_by_infinities() -> None:
    """A factor of 2**inf or 2**-inf multiplies as these do: 0 * inf is NaN."""
    ends = [0.0, -0.0, 1.0, -2.5, 1e30, np.inf, -np.inf, np.nan]
    x = np.repeat(np.array(ends, np.float32), 3)
    e = np.tile(np.array([np.inf, -np.inf, np.nan], np.float32), len(ends))
    right = torch.ldexp(torch.from_numpy(x), torch.from_numpy(e)).numpy()
    np.testing.assert_array_equal(rl.ldexp(rl.from_numpy(x), rl.from_numpy(e)).numpy(), right)


def test_logaddexp_of_complex_infinities() -> None:
    parts = [0.0, 1.0, -2.0, np.inf, -np.inf, np.nan]
    ends = np.array([complex(a, b) for a in parts for b in parts], np.complex64)
    a, b = (x.reshape(-1).copy() for x in np.meshgrid(ends, ends))
    right = torch.logaddexp(torch.from_numpy(a), torch.from_numpy(b)).numpy()
    found = rl.logaddexp(rl.from_numpy(a), rl.from_numpy(b)).numpy()
    for part in ("real", "imag"):
        np.testing.assert_allclose(getattr(found, part), getattr(right, part), rtol=1e-5, atol=1e-6)
