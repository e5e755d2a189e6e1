"""Ready-made parametrizations: orthogonal matrices, spectral norm, weight norm."""

from __future__ import annotations

from typing import Any

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.nn.modules.module import Module

from .parametrize import register_parametrization
from .spectral_norm import as_matrix, default_dim, power_step
from .weight_norm import norm_except_dim, normed_weight

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _adjoint(x: Tensor) -> Tensor:
    return x.transpose(-2, -1).conj() if x.is_complex() else x.transpose(-2, -1)


def _near_identity(q: Tensor) -> bool:
    """Whether the columns of q are orthonormal, up to rounding."""
    n = q.size(-1)
    gram = _adjoint(q) @ q
    eps = 10 * n * rushlight.finfo(gram.dtype).eps
    return bool(rushlight.allclose(gram, rushlight.eye(n, dtype=gram.dtype, device=gram.device), atol=eps))


class _Orthogonal(Module):
    """Matrices with orthonormal columns (rows, when there are more columns) from arbitrary ones.

    The maps: exp(A) and the Cayley map (I + A/2)(I - A/2)^-1 of a skew-symmetric A, or a product of Householder
    reflections (Lezcano-Casado & Martínez-Rubio 2019, arXiv:1901.08428). With a trivialization (Lezcano-Casado 2019,
    arXiv:1909.09501) the map starts at ``base``, so that any orthogonal matrix is reached.
    """

    base: Tensor

    def __init__(self, weight: Tensor, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        n, k = X.size(-2), X.size(-1)
        wide = n < k
        if wide:
            X = _adjoint(X)
            n, k = k, n
        if self.orthogonal_map == "householder":
            A = X.tril(diagonal=-1)
            tau = 2.0 / (1.0 + (A * A).sum(dim=-2))
            Q = rushlight.linalg.householder_product(A, tau)
            # Signs that make the map the identity's inverse: the diagonal keeps them.
            Q = Q * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            A = X.tril()
            if n != k:
                A = rushlight.cat([A, A.new_zeros((*A.shape[:-1], n - k))], dim=-1)
            A = A - _adjoint(A)
            if self.orthogonal_map == "matrix_exp":
                Q = rushlight.linalg.matrix_exp(A)
            else:
                eye = rushlight.eye(n, dtype=A.dtype, device=A.device)
                Q = rushlight.linalg.solve(eye - A / 2, eye + A / 2)
            if n != k:
                Q = Q[..., :k]
        if getattr(self, "base", None) is not None:
            Q = self.base @ Q
        return _adjoint(Q) if wide else Q

    @rushlight.no_grad()
    def right_inverse(self, Q: Tensor) -> Tensor:
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {tuple(self.shape)}. Got a tensor of shape "
                f"{tuple(Q.shape)}."
            )
        wide = Q.size(-2) < Q.size(-1)
        if wide:
            Q = _adjoint(Q)
        n, k = Q.size(-2), Q.size(-1)
        if not hasattr(self, "base"):
            # Without a base only the Householder map can be turned round.
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            A, tau = rushlight.geqrf(Q)
            A.diagonal(dim1=-2, dim2=-1).sign_()
            A.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1
            return _adjoint(A) if wide else A
        if n == k:
            base = Q.clone() if _near_identity(Q) else _orthonormal(Q)
        else:
            # Filled up to a square matrix: its further columns are orthogonal to the first.
            fill = rushlight.randn((*Q.shape[:-1], n - k), dtype=Q.dtype, device=Q.device)
            base = _orthonormal(rushlight.cat([Q, fill], dim=-1))
        self.base = base
        start = rushlight.zeros_like(Q)
        if self.orthogonal_map == "householder":
            start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return _adjoint(start) if wide else start


def _orthonormal(A: Tensor) -> Tensor:
    """Q of the QR decomposition, with the signs that keep the columns of an orthonormal A."""
    Q, R = rushlight.linalg.qr(A)
    return Q * R.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Let a weight be an orthogonal (unitary) matrix, or a batch of them.

    Args:
        module: whose weight.
        name: the weight's name.
        orthogonal_map: ``"matrix_exp"``, ``"cayley"`` or ``"householder"``; None: the first for square or complex
            matrices, else the last.
        use_trivialization: whether the map starts at the present weight, made orthogonal.

    Raises:
        ValueError: the weight is no matrix, or the map unknown.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.dim() < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.dim()} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)


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
