"""Parameters to one vector and back."""

from __future__ import annotations

from collections.abc import Iterable

import rushlight
from rushlight import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return all parameters, flattened, in one vector."""
    return rushlight.cat([param.reshape(-1) for param in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Make the parameters views of consecutive parts of a vector.

    Raises:
        TypeError: ``vec`` is not a tensor.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"vector_to_parameters(): vec must be a tensor; found {type(vec).__name__}")
    listed = list(parameters)
    sizes = [p.numel() for p in listed]
    # A vector that is longer than the parameters keeps its end to itself.
    for param, part in zip(listed, vec.detach()[: sum(sizes)].split(sizes)):
        param.data = part.view(param.shape)
