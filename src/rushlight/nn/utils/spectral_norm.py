"""Spectral normalization (Miyato et al. 2018, arXiv:1802.05957) by a hook; parametrizations.spectral_norm is the newer form."""

from __future__ import annotations

from typing import Any, TypeVar

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]

M = TypeVar("M", bound=Module)


def default_dim(module: Module) -> int:
    """The dimension of the output features in a module's weight."""
    return 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """A weight as a matrix whose rows are the indices of ``dim``."""
    if dim != 0:
        weight = weight.permute(dim, *(d for d in range(weight.dim()) if d != dim))
    return weight.reshape(weight.size(0), -1)


def power_step(matrix: Tensor, u: Tensor, v: Tensor, n: int, eps: float) -> None:
    """n steps of the power method: u and v, changed in place, come nearer to the first singular vectors."""
    with rushlight.no_grad():
        for _ in range(n):
            u.copy_(F.normalize(matrix.mv(v), dim=0, eps=eps))
            v.copy_(F.normalize(matrix.t().mv(u), dim=0, eps=eps))


class SpectralNorm:
    """The hook that divides a weight by its largest singular value before each forward.

    Args:
        name: the weight's name.
        n_power_iterations: steps of the power method at each forward in training.
        dim: the dimension of the output features.
        eps: keeps norms from 0.
    """

    _version = 1

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.dim, self.n_power_iterations, self.eps = name, dim, n_power_iterations, eps

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """The weight over its largest singular value; the module's vectors are brought nearer first, if asked."""
        weight, u, v = (getattr(module, f"{self.name}_{part}") for part in ("orig", "u", "v"))
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            # Updated in place, so that copies of the module on other processes can share them; the graph gets copies.
            power_step(matrix.detach(), u, v, self.n_power_iterations, self.eps)
            u, v = u.clone(), v.clone()
        return weight / rushlight.dot(u, rushlight.mv(matrix, v))

    @staticmethod
    def apply(module: Any, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Rename a parameter to ``name_orig``, make the vectors and register the hook."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        fn = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        with rushlight.no_grad():
            matrix = as_matrix(weight, dim)
            u, v = (F.normalize(weight.new_empty(n).normal_(0, 1), dim=0, eps=eps) for n in matrix.shape)
        del module._parameters[name]
        module.register_parameter(name + "_orig", weight)
        # A plain tensor until the first forward: a Parameter would be registered again.
        setattr(module, name, weight.detach())
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(fn)
        return fn

    def remove(self, module: Any) -> None:
        """Make the weight a parameter again."""
        with rushlight.no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        delattr(module, self.name)
        for part in ("u", "v", "orig"):
            delattr(module, f"{self.name}_{part}")
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))


def spectral_norm(
    module: M, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> M:
    """Let a weight be divided by its largest singular value, which the power method estimates.

    Args:
        module: whose weight.
        name: the weight's name.
        n_power_iterations: steps at each forward in training.
        eps: keeps norms from 0.
        dim: the dimension of the output features; None: 1 for transposed convolutions, else 0.
    """
    SpectralNorm.apply(module, name, n_power_iterations, default_dim(module) if dim is None else dim, eps)
    return module


def remove_spectral_norm(module: M, name: str = "weight") -> M:
    """Make a weight an ordinary parameter again, with its present values.

    Raises:
        ValueError: it has no spectral norm.
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"spectral_norm of '{name}' not found in {module}")
