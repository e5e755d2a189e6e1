"""Dropout: random zeros whose bits are computed from (seed, offset), again in the backward rather than kept."""
from __future__ import annotations

import math
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.operators._define import operator
from rushlight.operators._rules import wide
from rushlight.operators._tracer import P, Tracer, convert
from rushlight.operators._types import Number
from rushlight.operators.activation import INPLACE, inplace_of
from rushlight.operators.reduction import filled

# Klambauer et al., "Self-normalizing neural networks", 2017: what dropped units of a SELU network are set to.
ALPHA = -1.7580993408473766


def kept(shape: tuple[Any, ...], like: tuple[Any, ...], threshold: Any, seed: Any, offset: Any) -> Tracer:
    """Which elements stay: those with random bits of at least `threshold` (of 2^32); drawn in `shape`, broadcast to `like`."""
    bits = P.random_bits(seed, offset, shape=shape, dtype=dt.uint32)
    stays = P.ge(bits, P.broadcast_in_dim(convert(threshold, dt.uint32), shape=shape, dims=()))
    return stays if len(shape) == len(like) else P.broadcast_in_dim(stays, shape=like, dims=tuple(range(len(shape))))


@operator(namespace=None, method=False, out=False, shape_class="pointwise")
def _dropout(input: Tensor, threshold: Number, scale: Number, seed: Number, offset: Number, feature: bool) -> Tensor:
    """input * scale where the random bits say so, 0 elsewhere; feature: one decision for each (example, channel)."""
    if input.dtype.kind not in "fc":
        raise RuntimeError(f"dropout(): 'input' must be of a float or complex dtype; found {input.dtype}")
    x = wide(input)
    shape = x.var.shape[:2] if feature else x.var.shape
    y = P.select(kept(shape, x.var.shape, threshold, seed, offset), P.mul(x, filled(scale, x)), filled(0, x))
    return convert(y, input.dtype)


@operator(namespace=None, method=False, out=False, shape_class="pointwise")
def _alpha_dropout(input: Tensor, threshold: Number, a: Number, b: Number, seed: Number, offset: Number, feature: bool) -> Tensor:
    """a * (input or ALPHA) + b, by the random bits."""
    if input.dtype.kind != "f":
        raise RuntimeError(f"alpha_dropout(): 'input' must be floating point; found {input.dtype}")
    x = wide(input)
    shape = x.var.shape[:2] if feature else x.var.shape
    y = P.select(kept(shape, x.var.shape, threshold, seed, offset), x, filled(ALPHA, x))
    return convert(P.add(P.mul(y, filled(a, y)), filled(b, y)), input.dtype)


inplace_of(_dropout)
inplace_of(_alpha_dropout)


def check_p(p: float, name: str) -> None:
    """ValueError unless p is a probability."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"{name}(): 'p' must be a probability, in [0, 1]; found {p}")


def draw(n: int) -> tuple[int, int]:
    """Seed and offset of the next n random elements of the default generator."""
    from rushlight.operators.random import default_generator

    seed, offset = default_generator.advance(n)
    return seed, offset


def threshold_of(p: float) -> int:
    """How many of the 2^32 values of the random bits mean dropped."""
    return min(int(p * 4294967296.0), 4294967295)


def dropped(input: Tensor, p: float, training: bool, inplace: bool, *, name: str, alpha: bool = False, feature: bool = False) -> Tensor:
    """The dropout family: what nn.functional's functions call."""
    check_p(p, name)
    if not training or p == 0.0:
        return input
    if feature and input.ndim < 2:
        raise RuntimeError(f"{name}(): 'input' must be of 2 dimensions (N, C) or more; found {input.ndim}")
    if p == 1.0:
        return input.mul_(0.0) if inplace else input * 0.0
    n = math.prod(input.shape[:2]) if feature else input.numel()
    seed, offset = draw(n)
    op: Operator = _alpha_dropout if alpha else _dropout
    if inplace:
        op = INPLACE[op.name]
    if alpha:
        a = 1.0 / math.sqrt((1 - p) * (1 + p * ALPHA * ALPHA))
        return op(input, threshold_of(p), a, -a * ALPHA * p, seed, offset, feature)
    return op(input, threshold_of(p), 1.0 / (1.0 - p), seed, offset, feature)
