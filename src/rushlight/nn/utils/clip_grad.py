"""Bounding gradients before a step."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterable
from types import GeneratorType
from typing import Any

import rushlight
from rushlight import Tensor


def _listed(parameters: Tensor | Iterable[Tensor], caller: str) -> list[Tensor]:
    if isinstance(parameters, Tensor):
        return [parameters]
    found = list(parameters)
    if not found and caller == "clip_grad_norm_" and isinstance(parameters, GeneratorType):
        warnings.warn(
            f"{caller}(): parameters is a generator with nothing left in it; nothing is clipped", stacklevel=3
        )
    return found


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Return the p-norm of all tensors taken as one vector.

    Args:
        tensors: one tensor or several.
        norm_type: p; may be infinite.
        error_if_nonfinite: raise when the norm is infinite or not a number.
        foreach: accepted and not needed.

    Raises:
        RuntimeError: the norm is not finite and ``error_if_nonfinite``.
    """
    listed = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    p = float(norm_type)
    if not listed:
        return rushlight.tensor(0.0)
    device = listed[0].device
    norms = [rushlight.linalg.vector_norm(t, p).to(device) for t in listed]
    total = rushlight.linalg.vector_norm(rushlight.stack(norms), p)
    if error_if_nonfinite and not bool(rushlight.isfinite(total)):
        raise RuntimeError(
            f"get_total_norm(): with error_if_nonfinite=True the {p}-norm must be finite; found {total.item()}"
        )
    return total


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale gradients in place as if their norm, given, were to be at most ``max_norm``."""
    grads = [p.grad for p in _listed(parameters, "clip_grads_with_norm_") if p.grad is not None]
    if not grads:
        return
    # The small term keeps a zero norm from dividing; clamping instead of a branch never waits for the value.
    scale = rushlight.clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
    with rushlight.no_grad():
        for grad in grads:
            grad.mul_(scale.to(grad.device))


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale the gradients in place so that the norm of all of them together is at most ``max_norm``.

    Args:
        parameters: one tensor or several; those without a gradient are passed over.
        max_norm: the bound.
        norm_type: the p of the norm; may be infinite.
        error_if_nonfinite: raise when the norm is infinite or not a number.
        foreach: accepted and not needed.

    Returns:
        The norm before scaling.

    Raises:
        RuntimeError: the norm is not finite and ``error_if_nonfinite``.
    """
    listed = _listed(parameters, "clip_grad_norm_")
    max_norm = float(max_norm)  # what is no number is refused also where there is no gradient to clip
    with rushlight.no_grad():
        grads = [p.grad for p in listed if p.grad is not None]
        total_norm = get_total_norm(grads, norm_type, error_if_nonfinite, foreach)
        clip_grads_with_norm_(listed, max_norm, total_norm, foreach)
    return total_norm


@functools.wraps(clip_grad_norm_, assigned=())
def clip_grad_norm(*args: Any, **kwargs: Any) -> Tensor:
    """Deprecated: use :func:`clip_grad_norm_`."""
    warnings.warn(
        "nn.utils.clip_grad_norm() is deprecated: call clip_grad_norm_(), with the same arguments",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(*args, **kwargs)


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Hold each element of the gradients within [-``clip_value``, ``clip_value``], in place."""
    bound = float(clip_value)
    with rushlight.no_grad():
        for p in _listed(parameters, "clip_grad_value_"):
            if p.grad is not None:
                p.grad.clamp_(min=-bound, max=bound)
