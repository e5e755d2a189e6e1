"""Weight normalization (Salimans & Kingma 2016, arXiv:1602.07868) by a hook; parametrizations.weight_norm is the newer
form.
"""

from __future__ import annotations

from rushlight import Tensor
from rushlight.core.warning import warn
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

from ._weight_hook import M, WeightHook

__all__ = ["WeightNorm", "norm_except_dim", "remove_weight_norm", "weight_norm"]


def norm_except_dim(v: Tensor, pow: float = 2, dim: int = 0) -> Tensor:
    """The norm over all dimensions but one, which with the others of size 1 is the result's shape; dim -1: over all."""
    if dim == -1:
        return v.norm(pow)
    dim = dim % v.dim()
    others = [d for d in range(v.dim()) if d != dim]
    return v.norm(pow, others, keepdim=True) if others else v.abs()


def normed_weight(v: Tensor, g: Tensor, dim: int = 0) -> Tensor:
    """g * v / norm of v, the norm as norm_except_dim."""
    return v * (g / norm_except_dim(v, 2, dim))


class WeightNorm(WeightHook):
    """The hook that computes a weight from its direction and length before each forward.

    Args:
        name: the weight's name.
        dim: the dimension with a length for each index; None or -1: one length.
    """

    parts = ("g", "v")

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        """The weight, from the module's ``name_g`` and ``name_v``."""
        length, direction = (getattr(module, f"{self.name}_{part}") for part in self.parts)
        return normed_weight(direction, length, self.dim)

    current = compute_weight

    @staticmethod
    def apply(module: Module, name: str, dim: int | None) -> WeightNorm:
        """Replace a parameter by its length and direction and register the hook.

        Raises:
            RuntimeError: the parameter has weight norm already.
        """
        hook = WeightNorm(name, dim)
        hook.check_first(module)
        weight = getattr(module, name).detach()
        delattr(module, name)
        for part, value in zip(hook.parts, (norm_except_dim(weight, 2, hook.dim), weight)):
            module.register_parameter(f"{name}_{part}", Parameter(value))
        hook(module, ())
        module.register_forward_pre_hook(hook)
        return hook


def weight_norm(module: M, name: str = "weight", dim: int | None = 0) -> M:
    """Let a weight be ``name_g``, its length, times ``name_v``, its direction.

    Args:
        module: whose weight.
        name: the weight's name.
        dim: the dimension with a length for each index; None: one length for all.
    """
    warn("nn.utils.weight_norm() is deprecated; write nn.utils.parametrizations.weight_norm()", FutureWarning)
    WeightNorm.apply(module, name, dim)
    return module


remove_weight_norm = WeightNorm.remover("remove_weight_norm", "weight norm")
