"""Embedding tables as modules."""

from __future__ import annotations

from typing import Any, Self

import rushlight
from rushlight import Tensor
from rushlight.nn import init
from rushlight.nn.parameter import Parameter
from rushlight.operators.table.types import Device, DType

from ._functional import FunctionModule

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(FunctionModule):
    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None
    weight: Any

    def _set_up_(self, shape: tuple[int, int], options: Any, weight: Tensor | None, freeze: bool, **place: Any) -> None:
        """Keep the sizes and the options, in the order of ``_options``, and make the weight, or take the one given."""
        super().__init__()
        self._set_(num_embeddings=shape[0], embedding_dim=shape[1], **dict(zip(self._options_, options)))
        rows, name = self.num_embeddings, type(self).__name__
        if self.padding_idx is not None:
            if not -rows <= self.padding_idx < rows:
                raise AssertionError(f"{name}: padding_idx must be in [{-rows}, {rows - 1}]; found {self.padding_idx}")
            self.padding_idx %= rows
        if weight is not None and tuple(weight.shape) != shape:
            raise AssertionError(f"{name}: _weight must have shape {shape}; found {tuple(weight.shape)}")
        self.weight = Parameter(rushlight.empty(shape, **place) if weight is None else weight, not freeze)
        if weight is None:
            self.reset_parameters()

    @classmethod
    def _over_(cls, embeddings: Tensor, freeze: bool, options: Any, **more: Any) -> Self:
        """A table whose weight is a given 2-d tensor."""
        if embeddings.dim() != 2:
            raise AssertionError(
                f"{cls.__name__}.from_pretrained(): embeddings must be 2-d; found {embeddings.dim()}-d"
            )
        rows, columns = embeddings.shape
        more |= dict(zip(cls._options_, options))
        table = cls(num_embeddings=rows, embedding_dim=columns, _weight=embeddings, **more)
        table.weight.requires_grad_(not freeze)
        return table

    def reset_parameters(self) -> None:
        """Draw the weight from the standard normal distribution; the padding row is zero."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight[self.padding_idx])

    def _parts_(self, names: tuple[str, ...]) -> str:
        """The sizes, and those of the named options that are not at their defaults."""
        defaults = {"norm_type": 2.0, "scale_grad_by_freq": False, "sparse": False}
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        for name in names:
            value = getattr(self, name)
            if value != defaults.get(name):
                parts.append(f"{name}={value!r}")
        return ", ".join(parts)


class Embedding(_Table, function="embedding"):
    """A table of vectors, looked up by index.

    Args:
        num_embeddings: rows of the table.
        embedding_dim: size of a row.
        padding_idx: a row that is zero and gets no gradient.
        max_norm: rows looked up are first scaled down to this norm.
        norm_type: the p of that norm.
        scale_grad_by_freq: divide a row's gradient by how often it was looked up.
        sparse: give the table a sparse gradient.

    Raises:
        AssertionError: ``padding_idx`` is outside the table.
    """

    __constants__ = [
        "num_embeddings",
        "embedding_dim",
        "padding_idx",
        "max_norm",
        "norm_type",
        "scale_grad_by_freq",
        "sparse",
    ]

    _options_ = ("padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse")

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Device = None,
        dtype: DType = None,
    ) -> None:
        options = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        self._set_up_((num_embeddings, embedding_dim), options, _weight, _freeze, device=device, dtype=dtype)

    def forward(self, input: Tensor) -> Tensor:
        return self._compute_(input, self.weight)

    def extra_repr(self) -> str:
        return self._parts_(self._options_)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """Return an Embedding over a given 2-d tensor, by default one that is not trained."""
        options = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        return cls._over_(embeddings, freeze, options, _freeze=freeze)


class EmbeddingBag(_Table, function="embedding_bag"):
    """Sums, means or maxima over bags of rows of a table.

    The other arguments are those of Embedding.

    Args:
        mode: ``"sum"``, ``"mean"`` or ``"max"``.
        include_last_offset: ``offsets`` has one more element, the end of the last bag.
    """

    __constants__ = [
        "num_embeddings",
        "embedding_dim",
        "max_norm",
        "norm_type",
        "scale_grad_by_freq",
        "mode",
        "sparse",
        "include_last_offset",
        "padding_idx",
    ]

    _options_ = ("max_norm", "norm_type", "scale_grad_by_freq", "mode", "sparse", "include_last_offset", "padding_idx")

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Device = None,
        dtype: DType = None,
    ) -> None:
        options = (max_norm, norm_type, scale_grad_by_freq, mode, sparse, include_last_offset, padding_idx)
        self._set_up_((num_embeddings, embedding_dim), options, _weight, False, device=device, dtype=dtype)

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        return self._compute_(input, self.weight, offsets, per_sample_weights=per_sample_weights)

    def extra_repr(self) -> str:
        return self._parts_(("max_norm", "norm_type", "scale_grad_by_freq", "mode", "padding_idx"))

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """Return an EmbeddingBag over a given 2-d tensor, by default one that is not trained."""
        options = (max_norm, norm_type, scale_grad_by_freq, mode, sparse, include_last_offset, padding_idx)
        return cls._over_(embeddings, freeze, options)
