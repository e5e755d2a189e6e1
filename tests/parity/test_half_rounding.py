"""Half types are rounded once: the results of operators that do several things are as near to the exact ones as
PyTorch's.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

# Of each: a call, of (library, its nn.functional, tensors of one dtype).
CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "matmul": lambda t, F, a: a.x @ a.w.T,
    "linear": lambda t, F, a: F.linear(a.x, a.w, a.b),
    "addmm": lambda t, F, a: t.addmm(a.c, a.x, a.w.T, beta=0.7, alpha=1.3),
    "addmm, plain": lambda t, F, a: t.addmm(a.c, a.x, a.w.T),
    "baddbmm": lambda t, F, a: t.baddbmm(a.square, a.left, a.right, beta=0.7, alpha=1.3),
    "addbmm": lambda t, F, a: t.addbmm(a.square[0], a.left, a.right, beta=0.7, alpha=1.3),
    "addmv": lambda t, F, a: t.addmv(a.c[:, 0], a.x, a.v),
    "addr": lambda t, F, a: t.addr(a.c[:32], a.v, a.b),
    "bilinear": lambda t, F, a: F.bilinear(a.x[:, :8], a.x[:, 8:12], a.three, a.b),
    "einsum": lambda t, F, a: t.einsum("bij,bjk->bik", a.left, a.right),
    "attention": lambda t, F, a: F.scaled_dot_product_attention(a.left, a.left, a.left),
    "conv2d": lambda t, F, a: F.conv2d(a.image, a.kernel, a.b[:6]),
    "conv2d in groups": lambda t, F, a: F.conv2d(a.image, a.kernel[:4, :1], a.b[:4], groups=4, padding=1),
    "conv_transpose2d": lambda t, F, a: F.conv_transpose2d(a.image, a.kernel[:4], a.b[:4]),
    "add": lambda t, F, a: t.add(a.x, a.y, alpha=0.3),
    "sub": lambda t, F, a: t.sub(a.x, a.y, alpha=0.3),
    "addcmul": lambda t, F, a: t.addcmul(a.x, a.x, a.y, value=0.3),
    "addcdiv": lambda t, F, a: t.addcdiv(a.x, a.x, a.y.abs() + 1, value=0.3),
    "lerp": lambda t, F, a: t.lerp(a.x, a.y, 0.3),
    "layer_norm": lambda t, F, a: F.layer_norm(a.x, (32,), a.v, a.v),
    "rms_norm": lambda t, F, a: F.rms_norm(a.x, (32,), a.v),
    "group_norm": lambda t, F, a: F.group_norm(a.image, 2, a.v[:4], a.v[4:8]),
    "batch_norm": lambda t, F, a: F.batch_norm(a.image, None, None, a.v[:4], a.v[4:8], True),
    "instance_norm": lambda t, F, a: F.instance_norm(a.image),
    "softmax": lambda t, F, a: a.x.softmax(-1),
    "log_softmax": lambda t, F, a: a.x.log_softmax(-1),
    "cross_entropy": lambda t, F, a: F.cross_entropy(a.c, t.arange(64) % 48, label_smoothing=0.1),
    "mse_loss": lambda t, F, a: F.mse_loss(a.x, a.y),
    "smooth_l1_loss": lambda t, F, a: F.smooth_l1_loss(a.x, a.y),
    "binary_cross_entropy_with_logits": lambda t, F, a: F.binary_cross_entropy_with_logits(a.x, a.y.sigmoid()),
    "gaussian_nll_loss": lambda t, F, a: F.gaussian_nll_loss(a.x, a.y, a.x.abs() + 1),
    "var": lambda t, F, a: a.x.var(-1),
    "std": lambda t, F, a: a.x.std(0),
    "logsumexp": lambda t, F, a: a.x.logsumexp(-1),
    "norm": lambda t, F, a: a.x.norm(dim=-1),
    "normalize": lambda t, F, a: F.normalize(a.x),
    "cosine_similarity": lambda t, F, a: F.cosine_similarity(a.x, a.y),
    "cumsum": lambda t, F, a: a.x.cumsum(-1),
    "trapezoid": lambda t, F, a: t.trapezoid(a.x),
    "interpolate": lambda t, F, a: F.interpolate(a.image, scale_factor=1.7, mode="bilinear"),
    "avg_pool2d": lambda t, F, a: F.avg_pool2d(a.image, 3, 2, 1),
    "gelu": lambda t, F, a: F.gelu(a.x),
    "mish": lambda t, F, a: F.mish(a.x),
    "celu": lambda t, F, a: F.celu(a.x, 0.7),
    "glu": lambda t, F, a: F.glu(a.x),
    "prelu": lambda t, F, a: F.prelu(a.x, a.b[:1]),
    "logaddexp": lambda t, F, a: t.logaddexp(a.x, a.y),
    "hypot": lambda t, F, a: t.hypot(a.x, a.y),
}
SHAPES = {
    "x": (64, 32),
    "y": (64, 32),
    "w": (48, 32),
    "b": (48,),
    "c": (64, 48),
    "v": (32,),
    "left": (4, 16, 8),
    "right": (4, 8, 16),
    "square": (4, 16, 16),
    "three": (48, 8, 4),
    "image": (2, 4, 9, 9),
    "kernel": (6, 4, 3, 3),
}


def result(lib: Any, name: str, half: Any, dtype: str) -> np.ndarray:
    """The call on numbers that a half type has, in a dtype."""
    r = np.random.default_rng(0)
    arrays = {k: torch.from_numpy(r.standard_normal(s)).to(half).double().numpy() for k, s in SHAPES.items()}
    tensors = SimpleNamespace(**{k: lib.from_numpy(v).to(getattr(lib, dtype)) for k, v in arrays.items()})
    return np.asarray(CALLS[name](lib, lib.nn.functional, tensors).double().numpy())


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_results_are_as_near_as_pytorchs(name: str, dtype: str) -> None:
    half = getattr(torch, dtype)
    exact = result(torch, name, half, "float64")
    with np.errstate(divide="ignore"):
        # Nearer to zero than this the order of a sum in float32 counts for as much as the rounding.
        step = np.exp2(np.floor(np.log2(np.maximum(np.abs(exact), 2e-3)))) * (
            2.0**-7 if dtype == "bfloat16" else 2.0**-10
        )
    ours, theirs = (float((np.abs(result(lib, name, half, dtype) - exact) / step).max()) for lib in (rushlight, torch))
    # Half a step is the least that rounding costs.
    assert ours <= 1.3 * theirs + 0.3, f"off by {ours:.2f} steps of {dtype}, PyTorch by {theirs:.2f}"


# Numbers, and 0-d tensors behind another, beside a half type: some are rounded to it first, and some are not.
BESIDE: dict[str, Callable[[Any, Any], Any]] = {
    "x * n": lambda t, x: x * 0.1,
    "n * x": lambda t, x: 0.1 * x,
    "x / n": lambda t, x: x / 3.3,
    "n / x": lambda t, x: 0.1 / x,
    "x + n": lambda t, x: x + 0.1,
    "n - x": lambda t, x: 0.1 - x,
    "x // n": lambda t, x: x // 0.3,
    "x % n": lambda t, x: x % 0.3,
    "truncated": lambda t, x: x.div(3.3, rounding_mode="trunc"),
    "floored": lambda t, x: x.div(3.3, rounding_mode="floor"),
    "in place": lambda t, x: x.clone().mul_(0.1).div_(0.7),
    "x * 0-d": lambda t, x: x * t.tensor(0.1),
    "0-d * x": lambda t, x: t.tensor(0.1) * x,
    "x / 0-d": lambda t, x: x / t.tensor(0.3),
    "0-d / x": lambda t, x: t.tensor(0.3) / x,
    "x * 0-d of x's dtype": lambda t, x: x * t.tensor(0.1, dtype=x.dtype),
    "x * 1-d": lambda t, x: x * t.tensor([0.1], dtype=x.dtype),
    "lists": lambda t, x: t._foreach_mul([x], 0.1)[0],
    "lists of numbers": lambda t, x: t._foreach_div([x], [0.7])[0],
    "out=": lambda t, x: t.mul(x, 0.1, out=t.empty_like(x)),
    # Of a length that PyTorch adds in vectors all of; what is left over is rounded twice there.
    "x + alpha y": lambda t, x: t.add(x[:256], x[32:288], alpha=0.587),
    "x - alpha y": lambda t, x: x[:256].sub(x[32:288], alpha=0.587),
    "y - alpha x": lambda t, x: t.rsub(x[:256], x[32:288], alpha=0.587),
    "x + alpha n": lambda t, x: x[:256].add(0.1, alpha=0.587),
    "in place, alpha y": lambda t, x: x[:256].clone().add_(x[32:288], alpha=0.114),
    "lists, alpha y": lambda t, x: t._foreach_add([x[:256]], [x[32:288]], alpha=0.587)[0],
}


@pytest.mark.parametrize("name", BESIDE)
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_numbers_beside_half_types_are_rounded_where_pytorch_rounds_them(name: str, dtype: str) -> None:
    numbers = [(i * 37 % 101 - 50) / 17 for i in range(300)]
    ours, theirs = (
        BESIDE[name](lib, lib.tensor(numbers, dtype=getattr(lib, dtype))).double().tolist()
        for lib in (rushlight, torch)
    )
    np.testing.assert_array_equal(ours, theirs)
