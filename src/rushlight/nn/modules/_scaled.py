"""The learned scale and shift of normalizations."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.nn import init
from rushlight.nn.parameter import Parameter

from .module import Module

__all__ = ["Scaled"]


class Scaled(Module):
    """What normalizations share: a scale, ``weight``, and a shift, ``bias``, each of them learned or None."""

    weight: Any
    bias: Any

    def _make_scale_(self, shape: Any, place: dict[str, Any], **learned: bool) -> None:
        """Register weight and bias, or the one of them that is named."""
        for name, wanted in learned.items():
            self.register_parameter(name, Parameter(rushlight.empty(shape, **place)) if wanted else None)

    def reset_parameters(self) -> None:
        """Set the weight to one and the bias to zero, where they are learned."""
        for name, fill in (("weight", init.ones_), ("bias", init.zeros_)):
            if getattr(self, name, None) is not None:
                fill(getattr(self, name))
