"""autocast and GradScaler where a comparison with PyTorch cannot go: the cache, threads, nesting, transforms, skipped
steps.
"""

from __future__ import annotations

import pickle
import threading
from typing import Any

import pytest

import rushlight
from rushlight import amp, nn
from rushlight.amp import autocast_mode
from rushlight.core import tensor as core

X = rushlight.linspace(-1, 1, 12).reshape(3, 4)


def test_nothing_is_left_behind() -> None:
    with amp.autocast("cpu"):
        assert core.add_modes(0) == 1 and rushlight.is_autocast_enabled("cpu") and not rushlight.is_autocast_enabled()
        assert (X @ X.T).dtype is rushlight.bfloat16
    assert core.add_modes(0) == 0 and (X @ X.T).dtype is rushlight.float32
    with pytest.raises(ZeroDivisionError), amp.autocast("cpu"):
        1 / 0  # noqa: B018
    assert core.add_modes(0) == 0 and not autocast_mode._state.cache


def test_nesting_and_dtypes() -> None:
    with amp.autocast("cpu", dtype=rushlight.float16):
        assert (X @ X.T).dtype is rushlight.float16
        with amp.autocast("cpu", enabled=False):
            assert (X @ X.T).dtype is rushlight.float32
        assert (X @ X.T).dtype is rushlight.float16 and (X.double() @ X.T.double()).dtype is rushlight.float64
        assert rushlight.einsum("ij,kj->ik", X, X).dtype is rushlight.chain_matmul(X, X.T).dtype is rushlight.float16
        assert rushlight.einsum("ij->i", X).dtype is rushlight.float32
        out = rushlight.empty(3, 3)
        assert rushlight.mm(X, X.T, out=out) is out and out.dtype is rushlight.float32
    with pytest.warns(UserWarning, match="not supported"), amp.autocast("cpu", dtype=rushlight.float64):
        assert (X @ X.T).dtype is rushlight.float32
    with pytest.warns(UserWarning, match="CUDA is not available"), amp.autocast("cuda"):
        assert (X @ X.T).dtype is rushlight.float32
    with pytest.raises(ValueError, match="autocast: 'device_type' must be a str; found"):
        amp.autocast(rushlight.bfloat16)  # type: ignore[arg-type]


def test_parameters_are_cast_once_and_never_stale() -> None:
    layer = nn.Linear(4, 2)
    with amp.autocast("cpu"):
        a = layer(X)
        (held,) = [c[4] for c in autocast_mode._state.cache.values() if c[0] is layer.weight]
        b = layer(X)
        assert [c[4] for c in autocast_mode._state.cache.values() if c[0] is layer.weight] == [held]
        (a.sum() + b.sum()).backward()
        with rushlight.no_grad():
            layer.weight.zero_()
            layer.bias.zero_()
            assert not layer(X).any()  # PyTorch's cache would give the old weights
        assert layer(X).requires_grad
    assert layer.weight.grad is not None and layer.weight.grad.dtype is rushlight.float32
    rushlight.testing.assert_close(layer.weight.grad, 2 * X.sum(0).expand(2, 4), rtol=0.02, atol=0.02)


def test_threads_have_their_own() -> None:
    seen: list[Any] = []
    with amp.autocast("cpu"):
        other = threading.Thread(target=lambda: seen.append((X @ X.T).dtype))
        other.start()
        other.join()
    assert seen == [rushlight.float32]


def test_under_transforms_and_modes() -> None:
    with amp.autocast("cpu"):
        assert rushlight.func.vmap(lambda r: rushlight.mm(r.unsqueeze(0), X.T))(X).dtype is rushlight.bfloat16
        g = rushlight.func.grad(lambda w: (X @ w).float().sum())(rushlight.ones(4, 2))
        assert g.dtype is rushlight.float32
        with rushlight.overrides.BaseTorchFunctionMode():
            assert (X @ X.T).dtype is rushlight.bfloat16


def test_custom_function() -> None:
    class Product(rushlight.autograd.Function):
        @staticmethod
        @amp.custom_fwd(device_type="cpu", cast_inputs=rushlight.float32)
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.save_for_backward(a, b)
            return a @ b

        @staticmethod
        @amp.custom_bwd(device_type="cpu")
        def backward(ctx: Any, g: Any) -> Any:
            a, b = ctx.saved_tensors
            return g @ b.T, a.T @ g

    x = X.clone().requires_grad_()
    with amp.autocast("cpu"):
        y = Product.apply(x.bfloat16(), X.T)
        assert y.dtype is rushlight.float32
    y.sum().backward()
    assert x.grad is not None and x.grad.dtype is rushlight.float32


def test_scaler_skips_and_grows() -> None:
    w = nn.Parameter(rushlight.ones(2))
    opt = rushlight.optim.SGD([w], lr=1.0)
    scaler = amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    for value, scale, left in ((1.0, 8.0, 0.0), (float("inf"), 4.0, 0.0), (1.0, 4.0, -1.0), (1.0, 8.0, -2.0)):
        opt.zero_grad()
        scaler.scale((w * value).sum()).backward()
        scaler.step(opt)
        scaler.update()
        assert scaler.get_scale() == scale and w.tolist() == [left, left]
    again = amp.GradScaler("cpu")
    again.load_state_dict(scaler.state_dict())
    assert again.state_dict() == scaler.state_dict() == pickle.loads(pickle.dumps(scaler)).state_dict()
    scaler.scale(w.sum()).backward()
    scaler.unscale_(opt)
    with pytest.raises(RuntimeError, match=r"GradScaler.unscale_: unscale_\(\) was called for this optimizer already"):
        scaler.unscale_(opt)
    scaler.step(opt)
    with pytest.raises(RuntimeError, match=r"GradScaler.step: step\(\) was called for this optimizer already"):
        scaler.step(opt)
    scaler.update()
    fresh = amp.GradScaler("cpu")
    for call, error, words in (
        (lambda: fresh.step(opt), AssertionError, r"GradScaler.step: scale\(\) must come first"),
        (lambda: scaler.update(), AssertionError, r"GradScaler.update: no gradients were unscaled"),
        (lambda: scaler.step(opt, closure=lambda: 0), RuntimeError, "GradScaler.step: 'closure'"),
        (lambda: scaler.scale(3), ValueError, "GradScaler.scale: 'outputs' must be a Tensor, or several; found int"),
        (lambda: scaler.load_state_dict({}), RuntimeError, "GradScaler.load_state_dict: 'state_dict'"),
    ):
        with pytest.raises(error, match=words):
            call()
    with pytest.warns(UserWarning, match="CUDA is not available"):
        off = amp.GradScaler()
    assert not off.is_enabled() and off.scale(w) is w and off.get_scale() == 1.0
    with pytest.raises(AssertionError, match=r"GradScaler: 'growth_factor' must be above 1; found 0\.5"):
        amp.GradScaler("cpu", growth_factor=0.5)
