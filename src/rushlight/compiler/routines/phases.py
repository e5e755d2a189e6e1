"""Routines of plans that check derivatives of what is determined up to phases, or refuse one that does not exist."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.compiler.routines.arrays import array_of
from rushlight.core.tensor import Tensor


def refuse(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """A derivative that does not exist was asked for."""
    raise RuntimeError(params["message"])


def phases(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """The tangents as they are: their phases are chosen by the rule that made them."""
    for t, out in zip(inputs[::2], outputs, strict=True):
        array_of(out)[...] = array_of(t)


def phase_check(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """Cotangents as they are; RuntimeError when they belong to a function of the arbitrary phases of the vectors."""
    import numpy as np

    turn = 0.0
    scale = 0.0
    for g, v, out in zip(inputs[::2], inputs[1::2], outputs, strict=True):
        cotangent = array_of(g)
        turn = turn + np.einsum("...ij,...ij->...j", array_of(v).conj(), cotangent).imag
        scale = max(scale, float(np.abs(cotangent).max(initial=0.0)))
        array_of(out)[...] = cotangent
    most = float(np.abs(turn).max(initial=0.0))
    if most > 1e-2 * max(1.0, scale):
        raise RuntimeError(
            f"{params['name']}_backward: the vectors of a complex matrix are determined up to a factor exp(i phi); "
            "the function that is "
            f"differentiated depends on phi (by {most:.3g}), so it has no derivative."
        )
