"""Distances and similarities of vectors."""

from __future__ import annotations

from rushlight import Tensor

from ._functional import FunctionModule

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(FunctionModule, function="pairwise_distance"):
    """The p-norm of x1 - x2 + ``eps`` over the last dimension."""

    __constants__ = ["norm", "eps", "keepdim"]

    _options_ = ("eps", "keepdim")

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self._set_(norm=p, eps=eps, keepdim=keepdim)

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return self._compute_(x1, x2, self.norm)


class CosineSimilarity(FunctionModule, function="cosine_similarity"):
    """x1 . x2 over the product of their norms, along ``dim``; each norm is at least ``eps``."""

    __constants__ = ["dim", "eps"]

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self._set_(dim=dim, eps=eps)

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return self._compute_(x1, x2)
