"""What operators make of channels_last operands lies in memory as PyTorch's results do: strides of values, on the CPU
and on meta.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

# x is (2, 4, 6, 8), w a weight (6, 4, 3, 3), both in the format; v is 5-d.
CALLS: dict[str, Callable[[Any, Any, Any, Any, Any], Any]] = {
    "conv2d": lambda lib, F, x, w, v: F.conv2d(x, w),
    "conv2d, bias": lambda lib, F, x, w, v: F.conv2d(x, w, lib.ones(6), 2, 1),
    "conv2d, input alone": lambda lib, F, x, w, v: F.conv2d(x, w.contiguous()),
    "conv2d, weight alone": lambda lib, F, x, w, v: F.conv2d(x.contiguous(), w),
    "conv2d, groups": lambda lib, F, x, w, v: F.conv2d(x, w[:4, :1].contiguous(), groups=4),
    "conv2d, neither": lambda lib, F, x, w, v: F.conv2d(x.contiguous(), w.contiguous()),
    "conv3d": lambda lib, F, x, w, v: F.conv3d(v, lib.ones(3, 4, 2, 2, 2)),
    "conv_transpose2d": lambda lib, F, x, w, v: F.conv_transpose2d(x, w.transpose(0, 1)[:, :2].contiguous()),
    "module": lambda lib, F, x, w, v: lib.nn.Conv2d(4, 6, 3).to(memory_format=lib.channels_last)(x.contiguous()),
    "max_pool2d": lambda lib, F, x, w, v: F.max_pool2d(x, 2),
    "max_pool2d, indices": lambda lib, F, x, w, v: F.max_pool2d(x, 2, return_indices=True),
    "max_pool3d": lambda lib, F, x, w, v: F.max_pool3d(v, 2),
    "avg_pool2d": lambda lib, F, x, w, v: F.avg_pool2d(x, 3, 2, 1),
    "avg_pool3d": lambda lib, F, x, w, v: F.avg_pool3d(v, 2),
    "lp_pool2d": lambda lib, F, x, w, v: F.lp_pool2d(x, 2.0, 2),
    "adaptive_avg_pool2d": lambda lib, F, x, w, v: F.adaptive_avg_pool2d(x, (3, 2)),
    "adaptive_avg_pool2d, 1": lambda lib, F, x, w, v: F.adaptive_avg_pool2d(x, 1),
    "adaptive_max_pool2d": lambda lib, F, x, w, v: F.adaptive_max_pool2d(x, 2, return_indices=True),
    "adaptive_avg_pool3d": lambda lib, F, x, w, v: F.adaptive_avg_pool3d(v, 2),
    "nearest": lambda lib, F, x, w, v: F.interpolate(x, scale_factor=2),
    "nearest-exact": lambda lib, F, x, w, v: F.interpolate(x, size=(3, 5), mode="nearest-exact"),
    "bilinear": lambda lib, F, x, w, v: F.interpolate(x, size=(3, 5), mode="bilinear"),
    "bicubic": lambda lib, F, x, w, v: F.interpolate(x, size=(3, 5), mode="bicubic"),
    "area": lambda lib, F, x, w, v: F.interpolate(x, size=(3, 5), mode="area"),
    "antialias": lambda lib, F, x, w, v: F.interpolate(x, size=(3, 5), mode="bilinear", antialias=True),
    "nearest, 5-d": lambda lib, F, x, w, v: F.interpolate(v, scale_factor=2),
    "trilinear": lambda lib, F, x, w, v: F.interpolate(v, scale_factor=2, mode="trilinear"),
    "pad": lambda lib, F, x, w, v: F.pad(x, (1, 2)),
    "constant_pad_nd": lambda lib, F, x, w, v: lib.constant_pad_nd(x, (1, 2)),
    "max_unpool2d": lambda lib, F, x, w, v: F.max_unpool2d(x, lib.zeros_like(x, dtype=lib.int64), 2),
    "max_unpool2d, indices": lambda lib, F, x, w, v: F.max_unpool2d(
        x.contiguous(), lib.zeros_like(x, dtype=lib.int64), 2
    ),
    "max_unpool3d": lambda lib, F, x, w, v: F.max_unpool3d(v, lib.zeros_like(v, dtype=lib.int64), 2),
    "pad, 5-d": lambda lib, F, x, w, v: F.pad(v, (1, 1)),
    "reflect": lambda lib, F, x, w, v: F.pad(x, (1, 1, 2, 2), "reflect"),
    "replicate": lambda lib, F, x, w, v: F.pad(x, (1, 1, 2, 2), "replicate"),
    "crop": lambda lib, F, x, w, v: F.pad(x, (-1, -1)),
    "group_norm": lambda lib, F, x, w, v: F.group_norm(x, 2),
    "layers": lambda lib, F, x, w, v: lib.nn.GroupNorm(2, 4)(x),
    "batch_norm": lambda lib, F, x, w, v: lib.nn.BatchNorm2d(4)(x),
    "instance_norm": lambda lib, F, x, w, v: F.instance_norm(x),
    "cat": lambda lib, F, x, w, v: lib.cat([x, x], 1),
    "cat, mixed": lambda lib, F, x, w, v: lib.cat([x, x.contiguous()], 1),
    "cat, rows": lambda lib, F, x, w, v: lib.cat([x, x], 0),
    "cat, 5-d": lambda lib, F, x, w, v: lib.cat([v, v], 2),
    "channel_shuffle": lambda lib, F, x, w, v: F.channel_shuffle(x, 2),
    "pixel_shuffle": lambda lib, F, x, w, v: F.pixel_shuffle(x, 2),
    "pixel_unshuffle": lambda lib, F, x, w, v: F.pixel_unshuffle(x, 2),
    "local_response_norm": lambda lib, F, x, w, v: F.local_response_norm(x, 3),
    "relu": lambda lib, F, x, w, v: F.relu(x),
    "x * per channel": lambda lib, F, x, w, v: x * lib.ones(1, 4, 1, 1),
    "softmax": lambda lib, F, x, w, v: F.softmax(x, 1),
    "mean": lambda lib, F, x, w, v: x.mean((2, 3), keepdim=True),
    "one channel": lambda lib, F, x, w, v: F.conv2d(
        x[:, :1].contiguous(memory_format=lib.channels_last), w[:, :1].contiguous()
    ),
    "one channel, pool": lambda lib, F, x, w, v: F.avg_pool2d(x[:, :1].contiguous(memory_format=lib.channels_last), 2),
    "1 x 1": lambda lib, F, x, w, v: F.conv2d(x.contiguous(), lib.ones(6, 4, 1, 1)),
    "softmax, transposed": lambda lib, F, x, w, v: x[0, 0].t().softmax(0),
    "log_softmax, permuted": lambda lib, F, x, w, v: F.log_softmax(x.permute(3, 0, 1, 2), 0),
}


def made(lib: Any, call: Callable[..., Any], device: str) -> Any:
    x = lib.arange(384.0).reshape(2, 4, 6, 8).to(device).contiguous(memory_format=lib.channels_last)
    w = (lib.arange(216.0) % 7).reshape(6, 4, 3, 3).to(device).contiguous(memory_format=lib.channels_last)
    v = (lib.arange(512.0) % 5).reshape(2, 4, 4, 4, 4).to(device).contiguous(memory_format=lib.channels_last_3d)
    with lib.no_grad():
        result = call(lib, lib.nn.functional, x, w, v)
    return [
        (tuple(r.shape), tuple(s for s, n in zip(r.stride(), r.shape, strict=True) if n > 1))
        for r in (result if isinstance(result, tuple) and not hasattr(result, "numel") else [result])
    ]


@pytest.mark.parametrize("name", CALLS)
def test_strides(name: str) -> None:
    assert made(rushlight, CALLS[name], "cpu") == made(torch, CALLS[name], "cpu")


@pytest.mark.parametrize(
    "name",
    [
        "conv2d",
        "conv2d, bias",
        "conv_transpose2d",
        "max_pool2d, indices",
        "avg_pool2d",
        "bilinear",
        "pad",
        "group_norm",
        "cat",
        "pixel_shuffle",
    ],
)
def test_values_and_gradients_do_not_depend_on_the_format(name: str) -> None:
    found = []
    for change in (lambda t: t.contiguous(memory_format=rushlight.channels_last), lambda t: t):
        x = change(rushlight.arange(384.0).reshape(2, 4, 6, 8).sin()).requires_grad_()
        w = change((rushlight.arange(216.0) % 7).reshape(6, 4, 3, 3).sin()).requires_grad_()
        result = CALLS[name](rushlight, rushlight.nn.functional, x, w, x)
        result = result[0] if isinstance(result, tuple) else result
        (result * rushlight.arange(float(result.numel())).reshape(result.shape).cos()).sum().backward()
        found.append((result.detach().contiguous(), x.grad, w.grad))
    (a, dx, dw), (b, ex, ew) = found
    assert rushlight.equal(a, b) or rushlight.allclose(a, b, rtol=1e-5)
    assert rushlight.allclose(dx, ex, rtol=1e-4, atol=1e-4)
    assert dw is ew is None or rushlight.allclose(dw, ew, rtol=1e-4, atol=1e-3)


# (In PyTorch the gradients of a bicubic and of a 5-d nearest resize are contiguous.)
WITH_GRADIENTS = [
    n for n in CALLS if re.match("max_pool|avg_|lp_|adaptive|nearest|bilinear|area|pad|reflect|repl|crop", n)
]


@pytest.mark.parametrize("name", [n for n in WITH_GRADIENTS if n != "nearest, 5-d"])
def test_strides_of_gradients(name: str) -> None:
    """A gradient lies as its operand does, where the cotangent lies so too."""
    found = []
    for lib in (rushlight, torch):
        x = lib.arange(384.0).reshape(2, 4, 6, 8).sin().contiguous(memory_format=lib.channels_last)
        v = lib.arange(512.0).reshape(2, 4, 4, 4, 4).sin().contiguous(memory_format=lib.channels_last_3d)
        leaves = [x.requires_grad_(), v.requires_grad_()]
        y = CALLS[name](lib, lib.nn.functional, x, None, v)
        y = y[0] if isinstance(y, tuple) else y
        grads = lib.autograd.grad(y, leaves, lib.ones_like(y), allow_unused=True)
        found.append([None if g is None else g.stride() for g in grads])
    assert found[0] == found[1]


@pytest.mark.parametrize("shape", [(2, 3), (1, 2, 4), (2, 3, 4), (4, 2, 1, 3)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex64"])
def test_gradients_lie_as_their_leaves_do(shape: tuple[int, ...], dtype: str) -> None:
    """Of leaves in every order of dimensions, with gaps and without, whatever order the gradient comes in."""

    def found(M: Any) -> list[Any]:
        out = []
        for order in itertools.permutations(range(len(shape))):
            back = [order.index(d) for d in range(len(shape))]
            for gaps in (False, True):
                x = M.ones(shape, dtype=getattr(M, dtype)).permute(order).contiguous().permute(back).detach()
                x = M.stack([x, x], -1)[..., 0] if gaps else x
                for f in (lambda x: x * 2, lambda x: x.reshape(-1), lambda x: x[None].transpose(0, -1), M.sum, M.abs):
                    leaf = x.detach().requires_grad_()
                    y = f(leaf)
                    (M.view_as_real(y) if y.is_complex() else y).sum().backward()
                    out.append([s for s, n in zip(leaf.grad.stride(), shape, strict=True) if n > 1])
        return out

    assert found(rushlight) == found(torch)
