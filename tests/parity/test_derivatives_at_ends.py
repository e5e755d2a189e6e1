"""Where PyTorch's derivative is a number, ours is one: at zeros, infinities and large numbers, back and forwards, where
1 flows and where nothing does; of one operand the second one too.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

POINTS = (0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 6.0, math.inf, -math.inf, 1e308, -1e308, 20.0, 100.0)
POINTS += (-100.0, 709.5, -745.5)
FEW = (0.0, -0.0, 1.0, -1.0, 2.0, -0.5, math.inf, -math.inf)

ONE = """neg abs sign exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh
tanh asinh acosh atanh erf erfc erfinv lgamma sigmoid square sinc logit i0 frac deg2rad sgn nan_to_num special.i0e
special.i1 special.i1e special.ndtr special.ndtri special.log_ndtr special.erfcx special.entr nn.functional.relu
nn.functional.relu6 nn.functional.elu nn.functional.selu nn.functional.celu nn.functional.gelu nn.functional.silu
nn.functional.mish nn.functional.softplus nn.functional.softsign nn.functional.hardtanh nn.functional.hardswish
nn.functional.hardsigmoid nn.functional.leaky_relu nn.functional.logsigmoid nn.functional.tanhshrink
nn.functional.hardshrink nn.functional.softshrink""".split()
TWO = """add sub mul div pow atan2 hypot maximum minimum fmax fmin fmod remainder xlogy special.xlog1py logaddexp
logaddexp2 copysign dist nn.functional.mse_loss nn.functional.smooth_l1_loss nn.functional.huber_loss
nn.functional.l1_loss nn.functional.kl_div nn.functional.poisson_nll_loss
nn.functional.binary_cross_entropy_with_logits""".split()


def named(lib: Any, name: str) -> Any:
    for part in name.split("."):
        lib = getattr(lib, part)
    return lib


def derivatives(lib: Any, fn: Callable[..., Any], point: tuple[float, ...]) -> dict[str, float]:
    """Those that exist, by what they are."""
    found: dict[str, float] = {}
    for flows in (1.0, 0.0):
        xs = [lib.tensor(v, dtype=lib.float64, requires_grad=True) for v in point]
        try:
            y = fn(*xs)
            grads = lib.autograd.grad(y, xs, lib.full_like(y, flows), create_graph=True, allow_unused=True)
        except RuntimeError:
            return {}
        for i, g in enumerate(grads):
            if g is None:
                continue
            found[f"by operand {i} where {flows} flows back"] = g.item()
            if not flows or not g.requires_grad or len(point) > 1:
                continue
            try:
                second = lib.autograd.grad(g, xs, retain_graph=True, allow_unused=True)
                found |= {f"by operands {i} and {j}": h.item() for j, h in enumerate(second) if h is not None}
            except RuntimeError:  # PyTorch has none, or (of sign) a tensor without memory
                continue
    for i in range(len(point)):
        rest = [lib.tensor(v, dtype=lib.float64) for v in point]

        def of_one(x: Any, i: int = i, rest: list[Any] = rest) -> Any:
            return fn(*rest[:i], x, *rest[i + 1 :])

        try:
            slope = lib.func.jvp(of_one, (rest[i],), (lib.ones_like(rest[i]),))[1]
        except RuntimeError:
            continue
        found[f"forwards, by operand {i}"] = slope.item()
    return found


@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_where_pytorch_has_a_number(name: str) -> None:
    failed = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for point in itertools.product(FEW, FEW) if name in TWO else [(v,) for v in POINTS]:
            theirs = derivatives(torch, named(torch, name), point)
            ours = derivatives(rushlight, named(rushlight, name), point) if theirs else {}
            failed += [
                f"at {point} {what}: {value} in PyTorch, NaN here"
                for what, value in theirs.items()
                if math.isfinite(value) and math.isnan(ours.get(what, 0.0))
            ]
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("name", ["xlogy", "special.xlog1py"])
@pytest.mark.parametrize("scalar", [False, True])
def test_where_nothing_flows_back_the_logarithm_counts_for_nothing(name: str, scalar: bool) -> None:
    for x, y in itertools.product((0.0, 1.0, -2.0), (-3.0, -1.0, 0.0, math.inf, 0.5)):
        results = []
        for lib in (torch, rushlight):
            leaf = lib.tensor([x], dtype=lib.float64, requires_grad=True)
            other = y if scalar else lib.tensor([y], dtype=lib.float64)
            results.append(lib.autograd.grad(named(lib, name)(leaf, other), leaf, lib.zeros(1, dtype=lib.float64))[0])
        assert results[0].item() == results[1].item() == 0.0, (x, y)


# (PyTorch's special.i1 and i1e take a NaN for a small number there: 1/2.)
OF_NAN = [name for name in ONE if name not in ("special.i1", "special.i1e")]
CALLS: dict[str, Callable[..., Any]] = {
    "clamp": lambda lib, x: lib.clamp(x, -1, 1),
    "clamp by tensors": lambda lib, x: lib.clamp(x, lib.full_like(x, -1), lib.ones_like(x)),
    "clamp_min": lambda lib, x: lib.clamp_min(x, 0),
    "clamp_max": lambda lib, x: lib.clamp_max(x, 0),
    "threshold": lambda lib, x: lib.nn.functional.threshold(x, 0.5, 2.0),
    "angle": lambda lib, x: lib.angle(x),
    "margin_ranking_loss": lambda lib, x: lib.nn.functional.margin_ranking_loss(x, x.detach(), lib.ones_like(x)),
    "hinge_embedding_loss": lambda lib, x: lib.nn.functional.hinge_embedding_loss(x, -lib.ones_like(x)),
}


@pytest.mark.parametrize("name", [*OF_NAN, *CALLS])
def test_what_pytorch_says_of_a_nan(name: str) -> None:
    slopes = []
    for lib in (torch, rushlight):
        x = lib.full(
            (64,), math.nan, dtype=lib.float32, requires_grad=True
        )  # (PyTorch's vectors decide, not its tails)
        y = CALLS[name](lib, x) if name in CALLS else named(lib, name)(x)
        slopes.append(lib.autograd.grad(y, x, lib.ones_like(y))[0][0].item())
    assert slopes[0] == slopes[1] or math.isnan(slopes[0]), slopes


BOUNDS = (0.0, -0.0, 1.0, -1.0, math.nan, math.inf, -math.inf, 0.5)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_bounds_of_every_order(dtype: str) -> None:
    for low, high, scalar in itertools.product((*BOUNDS, None), (*BOUNDS, None), (True, False)):
        if low is high is None:
            continue
        found = []
        for lib in (torch, rushlight):
            leaves = [lib.tensor(BOUNDS, dtype=getattr(lib, dtype), requires_grad=True)]
            bounds = [low, high]
            for i in range(2):
                if not scalar and bounds[i] is not None:
                    leaves.append(lib.full((8,), bounds[i], dtype=getattr(lib, dtype), requires_grad=True))
                    bounds[i] = leaves[-1]
            y = lib.clamp(leaves[0], *bounds)
            found.append([y.tolist(), *(g.tolist() for g in lib.autograd.grad(y, leaves, lib.ones_like(y)))])
        assert repr(found[0]).replace("-0.0", "0.0") == repr(found[1]).replace("-0.0", "0.0"), (low, high, scalar)
