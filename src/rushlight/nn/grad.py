"""Gradients of convolutions, from their sizes and the gradient of the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core.checks import check_argument
from rushlight.core.naming import named
from rushlight.core.tensor import Tensor
from rushlight.nn import functional as F
from rushlight.operators.nn.convolution import conv_weight

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]

Ints = int | Sequence[int]
Each = tuple[int, ...]


def _each(name: str, argument: str, value: Ints, n: int) -> tuple[int, ...]:
    given = (value,) * n if isinstance(value, int) else tuple(int(v) for v in value)
    check_argument(len(given) == n, f"{name}()", argument, f"be one int or {n} of them", lambda: list(given))
    return given


def _sizes(name: str, argument: str, size: Any, n: int) -> tuple[int, ...]:
    sizes = tuple(int(s) for s in size)
    check_argument(len(sizes) == n + 2, f"{name}()", argument, lambda: f"be {n + 2} sizes", lambda: list(sizes))
    return sizes


def _input_gradient(
    name: str, n: int, input_size: Any, weight: Tensor, grad_output: Tensor, s: Each, p: Each, d: Each, groups: int
) -> Tensor:
    sizes = _sizes(name, "input_size", input_size, n)[2:]
    least = [
        (g - 1) * s[i] - 2 * p[i] + d[i] * (k - 1) + 1
        for i, (g, k) in enumerate(zip(grad_output.shape[2:], weight.shape[2:], strict=True))
    ]
    rest = [size - m for size, m in zip(sizes, least, strict=True)]
    if any(not 0 <= r < step for r, step in zip(rest, s, strict=True)):
        most = [m + step - 1 for m, step in zip(least, s, strict=True)]
        raise RuntimeError(
            f"{name}(): 'input_size' must be of sizes between {least} and {most} for this grad_output; found "
            f"{list(sizes)}"
        )
    transposed: Callable[..., Tensor] = getattr(F, f"conv_transpose{n}d")
    return transposed(grad_output, weight, None, s, p, rest, groups, d)


def _weight_gradient(
    name: str, n: int, input: Tensor, weight_size: Any, grad_output: Tensor, s: Each, p: Each, d: Each, groups: int
) -> Tensor:
    sizes = _sizes(name, "weight_size", weight_size, n)
    samples, channels, *space = input.shape
    if groups < 1 or channels % groups or sizes[1] != channels // groups:
        raise RuntimeError(
            f"{name}(): 'weight_size' must have {channels} channels over {groups} groups; found {list(sizes)}"
        )
    out = [(v + 2 * a - b * (k - 1) - 1) // c + 1 for v, k, c, a, b in zip(space, sizes[2:], s, p, d, strict=True)]
    if tuple(grad_output.shape) != (samples, sizes[0], *out):
        raise RuntimeError(
            f"{name}(): 'grad_output' must be of the shape {[samples, sizes[0], *out]} for this input and weight; "
            f"found {list(grad_output.shape)}"
        )
    return conv_weight(input, grad_output, sizes[2:], s, p, d, groups)


def _public(n: int, of: str, rule: Callable[..., Tensor], arguments: dict[str, str]) -> Callable[..., Tensor]:
    """The gradient with respect to the input or the weight; arguments: what its first two are, by their names."""
    name = f"conv{n}d_{of}"

    def gradient(
        first: Any,
        second: Any,
        grad_output: Tensor,
        stride: Ints = 1,
        padding: Ints = 0,
        dilation: Ints = 1,
        groups: int = 1,
    ) -> Tensor:
        amounts = {"stride": stride, "padding": padding, "dilation": dilation}
        return rule(name, n, first, second, grad_output, *[_each(name, k, v, n) for k, v in amounts.items()], groups)

    one, other = (f"{argument}: {what.format(n=n)}" for argument, what in arguments.items())
    return named(gradient, name, _DOC.format(n=n, of=of, first=one, second=other), parameters=tuple(arguments))


_DOC = """The gradient of conv{n}d with respect to its {of}.

Args:
    {first}
    {second}
    grad_output: (N, C_out, *).
    stride, padding, dilation, groups: those of conv{n}d.

Returns:
    The gradient, of ``{of}_size``.

Raises:
    RuntimeError: for sizes that no such result has.
"""
_INPUT = {
    "input_size": "the sizes (N, C, *) of the input, with {n} after the channels.",
    "weight": "(C_out, C / groups, *).",
}
_WEIGHT = {
    "input": "(N, C, *), with {n} sizes after the channels.",
    "weight_size": "the sizes (C_out, C / groups, *) of the weight.",
}

conv1d_input, conv2d_input, conv3d_input = (_public(n, "input", _input_gradient, _INPUT) for n in (1, 2, 3))
conv1d_weight, conv2d_weight, conv3d_weight = (_public(n, "weight", _weight_gradient, _WEIGHT) for n in (1, 2, 3))
