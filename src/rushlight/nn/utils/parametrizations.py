"""Ready-made parametrizations: orthogonal matrices, spectral norm, weight norm."""

from __future__ import annotations

from typing import Any

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.nn.modules.module import Module

from .parametrize import register_parametrization
from .spectral_norm import as_matrix, check_iterations, default_dim, power_step, random_unit
from .weight_norm import norm_except_dim, normed_weight

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _tensor_of(module: Module, name: str, caller: str) -> Tensor:
    """The module's tensor of that name; ValueError when there is none."""
    found = getattr(module, name, None)
    if isinstance(found, Tensor):
        return found
    raise ValueError(f"{caller}: name must be that of a parameter or buffer of {type(module).__name__}, found {name!r}")


# Each map takes a matrix (..., m, n), m >= n, to one with orthonormal columns.


def _skew(x: Tensor) -> Tensor:
    """The (m, m) matrix L - L^H, L being x down from its diagonal, of which a real one leaves nothing."""
    lower = F.pad(x.tril(), (0, x.size(-2) - x.size(-1)))
    return lower - lower.mH


def _exponential(x: Tensor) -> Tensor:
    return rushlight.linalg.matrix_exp(_skew(x))[..., : x.size(-1)]


def _cayley(x: Tensor) -> Tensor:
    # (I + A/2) (I - A/2)^-1; the factors commute, so the columns wanted are the solution of one system.
    half = _skew(x) / 2
    one = rushlight.eye(x.size(-2), dtype=x.dtype, device=x.device)
    return rushlight.linalg.solve(one - half, (one + half)[..., : x.size(-1)])


def _householder(x: Tensor) -> Tensor:
    """The product of the reflections I - t v v^T, the columns below the diagonal being v; then the signs on the
    diagonal.
    """
    v = x.tril(-1)
    t = 2 / (1 + v.square().sum(-2))
    # Reflections alone cannot give every orthogonal matrix. A sign is not learned: no gradient.
    signs = _phases(x.detach().diagonal(dim1=-2, dim2=-1))
    return rushlight.linalg.householder_product(v, t) * signs[..., None, :]


_ORTHOGONAL_MAPS = {"matrix_exp": _exponential, "cayley": _cayley, "householder": _householder}


def _phases(z: Tensor) -> Tensor:
    """z / abs(z); 1 for 0."""
    return rushlight.where(z == 0, rushlight.ones_like(z), z.sgn())


def _columns(x: Tensor) -> Tensor:
    """The Q of x's QR decomposition, with the phases that make it x itself when that is orthogonal already."""
    q, r = rushlight.linalg.qr(x)
    return q * _phases(r.diagonal(dim1=-2, dim2=-1))[..., None, :]


class _Orthogonal(Module):
    """Q = B f(X), f one of the maps and B, the base, a fixed orthogonal matrix: what was assigned last."""

    base: Tensor | None

    def __init__(self, weight: Tensor, orthogonal_map: str, use_trivialization: bool) -> None:
        super().__init__()
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        self.use_trivialization = use_trivialization
        self.register_buffer("base", None)

    def forward(self, x: Tensor) -> Tensor:
        wide = x.size(-2) < x.size(-1)
        q = _ORTHOGONAL_MAPS[self.orthogonal_map](x.mT if wide else x)
        if self.base is not None:
            q = self.base @ q
        return q.mT if wide else q

    def right_inverse(self, value: Tensor) -> Tensor:
        if value.shape != self.shape:
            raise ValueError(
                f"orthogonal(): a value assigned must have shape {tuple(self.shape)}; found {tuple(value.shape)}"
            )
        wide = value.size(-2) < value.size(-1)
        x = value.mT if wide else value
        if self.use_trivialization:
            x = self._rebase(x)
        elif self.orthogonal_map == "householder":
            x = self._reflections(x)
        else:
            raise NotImplementedError(
                f"orthogonal(): with use_trivialization=False a value can be assigned only for the map 'householder', "
                f"found {self.orthogonal_map!r}"
            )
        return x.mT if wide else x

    def _rebase(self, x: Tensor) -> Tensor:
        """Make x, made orthogonal and completed to a square matrix, the base; returns where the map is the identity."""
        columns = _columns(x)
        m, n = x.shape[-2:]
        if n < m:  # completed in random directions
            columns = _columns(rushlight.cat([columns, x.new_empty((*x.shape[:-2], m, m - n)).normal_()], -1))
        self.base = columns
        origin = rushlight.zeros_like(x)
        if self.orthogonal_map == "householder":  # v = 0 is a reflection of its own: the sign undoes it
            origin.diagonal(dim1=-2, dim2=-1).fill_(-1)
        return origin

    @staticmethod
    def _reflections(x: Tensor) -> Tensor:
        """The map's argument for x, which LAPACK's QR decomposition gives in nearly the form that the map takes."""
        a, t = rushlight.geqrf(x)
        signs = _phases(a.diagonal(dim1=-2, dim2=-1))
        # LAPACK leaves a reflection out where v is 0; the map does not.
        signs = rushlight.where(t == 0, -signs, signs)
        return a.tril(-1) + F.pad(rushlight.diag_embed(signs), (0, 0, 0, x.size(-2) - x.size(-1)))


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Let a weight be an orthogonal (or unitary) matrix, or a batch of such matrices.

    An (m, n) weight Q has Q^H Q = I for m >= n, Q Q^H = I otherwise. It begins as the weight that was there, which is
    made orthogonal by its QR decomposition; by a map that has no inverse here, as the map of it.

    Args:
        module: whose weight.
        name: the weight's name.
        orthogonal_map: ``"matrix_exp"``, the exponential of a skew-symmetric A; ``"cayley"``, (I + A/2)(I - A/2)^-1;
            ``"householder"``, a product of reflections, for real weights. None: ``"matrix_exp"`` for square or complex
            weights, else ``"householder"``.
        use_trivialization: whether a base, by which the map is multiplied, is kept at what was assigned last, so that
            learning begins near the map's origin (Lezcano-Casado 2019, arXiv:1909.09501).

    Raises:
        ValueError: there is no such weight, it is no matrix, or the map is not one of these.
    """
    weight = _tensor_of(module, name, "orthogonal()")
    if weight.dim() < 2:
        raise ValueError(f"orthogonal(): the weight must be 2-d, or a batch of 2-d ones; found {weight.dim()}-d")
    square = weight.size(-2) == weight.size(-1)
    chosen = orthogonal_map or ("matrix_exp" if square or weight.is_complex() else "householder")
    if chosen not in _ORTHOGONAL_MAPS:
        known = ", ".join(map(repr, _ORTHOGONAL_MAPS))
        raise ValueError(f"orthogonal(): orthogonal_map must be one of {known}; found {chosen!r}")
    if chosen == "householder" and weight.is_complex():
        raise ValueError(f"orthogonal(): orthogonal_map='householder' is for real weights; found {weight.dtype}")
    # Assigning moves the base, so the checks, which call the inverse, are left out for what is parametrized already.
    return register_parametrization(module, name, _Orthogonal(weight, chosen, use_trivialization), unsafe=True)


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
        if not -weight.dim() <= dim < weight.dim():
            raise IndexError(
                f"spectral_norm(): dim must be in [{-weight.dim()}, {weight.dim() - 1}] for a {weight.dim()}-d weight; "
                f"found {dim}"
            )
        check_iterations("spectral_norm()", n_power_iterations)
        self.dim, self.eps, self.n_power_iterations = dim % weight.dim(), eps, n_power_iterations
        if weight.dim() > 1:
            with rushlight.no_grad():
                matrix = as_matrix(weight, self.dim)
                for side, n in zip(("_u", "_v"), matrix.shape):
                    self.register_buffer(side, random_unit(matrix, n, eps))
                # A good start: training may take one step at a time from here.
                power_step(matrix, self._u, self._v, 15, eps)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.dim() < 2:  # the only singular value of a vector is its length
            return F.normalize(weight, dim=self.dim, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            power_step(matrix.detach(), self._u, self._v, self.n_power_iterations, self.eps)
        # Copies: the next forward changes the vectors in place.
        u, v = self._u.clone(), self._v.clone()
        return weight / u.dot(matrix.mv(v))

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
    weight = _tensor_of(module, name, "spectral_norm()")
    at = default_dim(module) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, at, eps))
