"""Ready-made parametrizations: spectral norm, weight norm."""

from __future__ import annotations

from typing import Any

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.nn.modules.module import Module

from .parametrize import register_parametrization
from .spectral_norm import as_matrix, default_dim, power_step
from .weight_norm import norm_except_dim, normed_weight

__all__ = ["spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return normed_weight(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Let a weight be a length, ``original0``, times a direction, ``original1`` (Salimans & Kingma 2016).

    State dicts that the hook ``nn.utils.weight_norm`` made can be loaded.

    Args:
        module: whose weight.
        name: the weight's name.
        dim: the dimension with a length for each index; None: one length for all.
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        old = [f"{prefix}{name}_{part}" for part in "gv"]
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(rename)
    return module


class _SpectralNorm(Module):
    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        if dim >= weight.dim() or dim < -weight.dim():
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{weight.dim()}, {weight.dim() - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim % weight.dim()
        self.eps = eps
        self.n_power_iterations = n_power_iterations
        if weight.dim() > 1:
            with rushlight.no_grad():
                matrix = as_matrix(weight, self.dim)
                for side, n in zip(("_u", "_v"), matrix.shape, strict=True):
                    start = F.normalize(matrix.new_empty(n).normal_(0, 1), dim=0, eps=eps)
                    self.register_buffer(side, start)
                # A good start: training may take one step at a time from here.
                power_step(matrix, self._u, self._v, 15, eps)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.dim() == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            power_step(matrix.detach(), self._u, self._v, self.n_power_iterations, self.eps)
        # Copies: the next forward changes the vectors in place.
        u, v = self._u.clone(), self._v.clone()
        return weight / rushlight.dot(u, rushlight.mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        # Any value may be assigned; it is divided by its own norm when read.
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Let a weight be divided by its largest singular value, which the power method estimates (Miyato et al. 2018).

    Args:
        module: whose weight.
        name: the weight's name.
        n_power_iterations: steps at each forward in training.
        eps: keeps norms from 0.
        dim: the dimension of the output features; None: 1 for transposed convolutions, else 0.

    Raises:
        ValueError: there is no such weight, or no step.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    made = _SpectralNorm(weight, n_power_iterations, default_dim(module) if dim is None else dim, eps)
    return register_parametrization(module, name, made)
