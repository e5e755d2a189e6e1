"""Spectral normalization (Miyato et al. 2018, arXiv:1802.05957) by a hook; parametrizations.spectral_norm is the newer
form.
"""

from __future__ import annotations

from typing import cast

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from rushlight.nn.modules.module import Module

from ._weight_hook import M, WeightHook

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]


def default_dim(module: Module) -> int:
    """The dimension of the output features in a module's weight."""
    return 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """A weight as a matrix whose rows are the indices of ``dim``."""
    return weight.movedim(dim, 0).reshape(weight.size(dim), -1)


def power_step(matrix: Tensor, u: Tensor, v: Tensor, n: int, eps: float) -> None:
    """n steps of the power method: u and v, changed in place, come nearer to the first singular vectors; u is the first
    to change.
    """
    with rushlight.no_grad():
        for _ in range(n):
            u.copy_(F.normalize(matrix.mv(v), dim=0, eps=eps))
            v.copy_(F.normalize(matrix.t().mv(u), dim=0, eps=eps))


def check_iterations(what: str, n: int) -> None:
    """ValueError unless there is a step of the power method to do."""
    if n < 1:
        raise ValueError(f"{what}: n_power_iterations must be at least 1; found {n}")


def random_unit(like: Tensor, n: int, eps: float) -> Tensor:
    """A vector of n entries in a random direction, of length 1."""
    return F.normalize(like.new_empty(n).normal_(), dim=0, eps=eps)


class SpectralNorm(WeightHook):
    """The hook that divides a weight by its largest singular value before each forward.

    Args:
        name: the weight's name.
        n_power_iterations: steps of the power method at each forward in training.
        dim: the dimension of the output features.
        eps: keeps norms from 0.

    Raises:
        ValueError: there is no step.
    """

    _version = 1
    parts = ("u", "v", "orig")

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        check_iterations("spectral_norm()", n_power_iterations)
        self.name, self.dim, self.n_power_iterations, self.eps = name, dim, n_power_iterations, eps

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """The weight over its largest singular value; the module's vectors are brought nearer first, if asked."""
        u, v, weight = (getattr(module, f"{self.name}_{part}") for part in self.parts)
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            # Updated in place, so that copies of the module on other processes can share them; the graph gets copies.
            # v first, unlike the parametrization
            power_step(matrix.detach().t(), v, u, self.n_power_iterations, self.eps)
            u, v = u.clone(), v.clone()
        return cast("Tensor", weight / u.dot(matrix.mv(v)))

    def current(self, module: Module) -> Tensor:
        """The weight for a forward; in training the vectors come nearer."""
        return self.compute_weight(module, module.training)

    @staticmethod
    def apply(module: Module, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Rename a parameter to ``name_orig``, make the vectors and register the hook.

        Raises:
            RuntimeError: the parameter has spectral norm already.
            ValueError: the parameter is None; there is no step.
        """
        hook = SpectralNorm(name, n_power_iterations, dim, eps)
        hook.check_first(module)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"spectral_norm(): {name!r} of {type(module).__name__} is None, it must be a parameter")
        delattr(module, name)
        module.register_parameter(f"{name}_orig", weight)
        with rushlight.no_grad():
            for side, n in zip("uv", as_matrix(weight, dim).shape):
                module.register_buffer(f"{name}_{side}", random_unit(weight, n, eps))
        # A plain tensor until the first forward: a Parameter would be registered again.
        setattr(module, name, weight.detach())
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module: Module) -> None:
        """Make the weight a parameter again."""
        with rushlight.no_grad():
            self.settle(module, self.compute_weight(module, False))


def spectral_norm(
    module: M, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> M:
    """Let a weight be divided by its largest singular value, by a hook; arguments as parametrizations.spectral_norm."""
    SpectralNorm.apply(module, name, n_power_iterations, default_dim(module) if dim is None else dim, eps)
    return module


remove_spectral_norm = SpectralNorm.remover("remove_spectral_norm", "spectral norm")
