"""Fake quantization has PyTorch's bits and gradients, and refuses what is refused there."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

VALUES = [-1e9, -3.0, -0.26, -0.25, 0.05, 0.15, 0.25, 0.35, 1.0, float("inf"), float("-inf"), float("nan"), 300.0]


def outcome(module: Any, name: str, dtype: str, shape: tuple[int, ...], make: Any, rest: tuple[Any, ...]) -> Any:
    values = [v for v in VALUES if shape[0] == 1 or abs(v) != float("inf")]  # which wrap there, along channels
    if dtype == "int32":
        values = list(range(13))
    x = module.tensor(values[: shape[0] * shape[1]], dtype=getattr(module, dtype)).reshape(shape)
    x.requires_grad_(x.is_floating_point())
    try:
        y = getattr(module, name)(x, *make(module), *rest)
    except (TypeError, IndexError) as error:
        return type(error).__name__
    except RuntimeError:  # and NotImplementedError, which is one
        return "refused"
    (grad,) = module.autograd.grad(y.sum(), x)
    return str((y.dtype, y.double().tolist(), grad.tolist())).replace("rushlight.", "torch.")


SCALES = (0.1, 3.3, 1, 0.0, -1.0, lambda m: m.tensor(0.1), lambda m: m.tensor([0.37]), lambda m: m.ones(2))
ZEROS = (0, 10, 300, 0.5, lambda m: m.tensor(10), lambda m: m.tensor([10], dtype=m.int32), lambda m: m.tensor(300))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int32"])
def test_of_whole_tensors(dtype: str) -> None:
    def given(x: Any, module: Any) -> Any:
        return x(module) if callable(x) else x

    for s in SCALES:
        for z in ZEROS:
            for bounds in ((0, 255), (-128, 127), (127, -128)):
                call = (
                    "fake_quantize_per_tensor_affine",
                    dtype,
                    (1, 13),
                    lambda m, s=s, z=z: (given(s, m), given(z, m)),
                )
                assert outcome(rushlight, *call, bounds) == outcome(torch, *call, bounds), (s, z, bounds)


@pytest.mark.parametrize("zeros", [[0, 1, 2], [0, 3, 4, 5], [0, 1, 30]])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int32"])
def test_of_channels(dtype: str, zeros: list[int]) -> None:
    for scale, of in (([0.1, 0.2, 0.3], "float32"), ([0.1, 0.2, 0.3, 0.4], "float32"), ([0.1, 0.2, 0.3], "float64")):
        for kind in ("int32", "int64", "float32"):
            for axis in (0, 1, -1, 3):

                def make(m: Any, scale: Any = scale, of: str = of, kind: str = kind) -> Any:
                    return m.tensor(scale, dtype=getattr(m, of)), m.tensor(zeros, dtype=getattr(m, kind))

                call = (
                    "fake_quantize_per_channel_affine",
                    dtype,
                    (2, 4) if len(scale) == 4 else (3, 3),
                    make,
                    (axis, 0, 20),
                )
                assert outcome(rushlight, *call) == outcome(torch, *call), (scale, kind, axis)


def test_of_what_does_not_depend_on_the_steps() -> None:
    x = rushlight.ones(2, requires_grad=True)
    scale = rushlight.tensor(0.1, requires_grad=True)
    with pytest.raises(RuntimeError, match="not differentiable with respect to 'scale'"):
        rushlight.fake_quantize_per_tensor_affine(x, scale, rushlight.tensor(0), 0, 255)
