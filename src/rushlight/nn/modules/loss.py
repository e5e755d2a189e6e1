"""Losses as modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight import Tensor
from rushlight.core.warning import warn

from ._functional import FunctionModule
from .distance import PairwiseDistance

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "NLLLoss2d",
    "PoissonNLLLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


def _reduction(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction that PyTorch's two old flags, when given, stand for."""
    if size_average is None and reduce is None:
        return reduction
    chosen = "none" if reduce is False else "sum" if size_average is False else "mean"
    warn(f"size_average and reduce are deprecated: reduction={chosen!r} says the same")
    return chosen


class _Loss(FunctionModule):
    reduction: str

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = _reduction(size_average, reduce, reduction)

    def _check_(self, argument: str, valid: bool, expected: str, found: Any) -> None:
        """ValueError unless an argument is valid."""
        if not valid:
            raise ValueError(f"{type(self).__name__}: {argument} must be {expected}; found {found}")

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return self._compute_(input, target)


class _UnweightedLoss(_Loss):
    """A loss of an input and a target, without weights."""

    __constants__ = ["reduction"]


class _WeightedLoss(_Loss):
    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class _MarginLoss(_Loss):
    """A loss with a margin."""

    __constants__ = ["margin", "reduction"]

    def __init__(
        self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin


class _PairLoss(_MarginLoss):
    """A loss of two inputs and a target, with a margin."""

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        return self._compute_(input1, input2, target)


class _TripletLoss(_Loss):
    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:  # type: ignore[override]
        return self._compute_(anchor, positive, negative)


class L1Loss(_UnweightedLoss, function="l1_loss"):
    """abs(x - y)."""


class MSELoss(_UnweightedLoss, function="mse_loss"):
    """(x - y)^2."""


class SmoothL1Loss(_UnweightedLoss, function="smooth_l1_loss"):
    """0.5 d^2 / ``beta`` where d = abs(x - y) < ``beta``, d - 0.5 ``beta`` elsewhere."""

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta


class HuberLoss(_Loss, function="huber_loss"):
    """0.5 d^2 where d = abs(x - y) < ``delta``, ``delta`` (d - 0.5 ``delta``) elsewhere."""

    __constants__ = ["reduction", "delta"]

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.delta = delta


class NLLLoss(_WeightedLoss, function="nll_loss"):
    """Minus the log-probability, given as input, of the target class.

    Args:
        weight: a weight for each class.
        ignore_index: a target that counts for nothing.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
    """

    __constants__ = ["ignore_index", "reduction"]

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index


class NLLLoss2d(NLLLoss):
    """The old name of NLLLoss over images."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn("NLLLoss2d is deprecated; write NLLLoss", FutureWarning)
        super().__init__(*args, **kwargs)


class PoissonNLLLoss(_Loss, function="poisson_nll_loss"):
    """Minus the Poisson log-likelihood of the target, with x the rate, or its log when ``log_input``."""

    __constants__ = ["log_input", "full", "eps", "reduction"]

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self._set_(log_input=log_input, full=full, eps=eps)

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return self._compute_(log_input, target)


class GaussianNLLLoss(_Loss, function="gaussian_nll_loss"):
    """Minus the normal log-likelihood of the target, with the input as mean."""

    __constants__ = ["full", "eps", "reduction"]

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self._set_(full=full, eps=eps)

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:  # type: ignore[override]
        return self._compute_(input, target, var)


class KLDivLoss(_UnweightedLoss, function="kl_div"):
    """target (log target - input), with the input log-probabilities; the target too when ``log_target``."""

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target


class BCELoss(_WeightedLoss, function="binary_cross_entropy"):
    """Binary cross entropy of probabilities."""

    __constants__ = ["reduction"]


class BCEWithLogitsLoss(_Loss, function="binary_cross_entropy_with_logits"):
    """Binary cross entropy of logits; ``pos_weight`` weighs the positive cases."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        for name, value in (("weight", weight), ("pos_weight", pos_weight)):
            self.register_buffer(name, value)


class HingeEmbeddingLoss(_MarginLoss, function="hinge_embedding_loss"):
    """x where y = 1, max(0, ``margin`` - x) where y = -1."""

    def __init__(
        self, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(margin, size_average, reduce, reduction)


class MultiLabelMarginLoss(_UnweightedLoss, function="multilabel_margin_loss"):
    """The multi-class hinge loss with several target classes."""


class SoftMarginLoss(_UnweightedLoss, function="soft_margin_loss"):
    """log(1 + exp(-y x))."""


class CrossEntropyLoss(_WeightedLoss, function="cross_entropy"):
    """Cross entropy of logits with class indices or class probabilities.

    Args:
        weight: a weight for each class.
        ignore_index: a target index that counts for nothing.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        label_smoothing: how much of the target is spread over all classes (Szegedy et al. 2015, arXiv:1512.00567).
    """

    __constants__ = ["ignore_index", "reduction", "label_smoothing"]

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self._set_(ignore_index=ignore_index, label_smoothing=label_smoothing)


class MultiLabelSoftMarginLoss(_WeightedLoss, function="multilabel_soft_margin_loss"):
    """The mean over classes of the binary cross entropy of logits."""

    __constants__ = ["reduction"]


class CosineEmbeddingLoss(_PairLoss, function="cosine_embedding_loss"):
    """1 - cos(x1, x2) where y = 1, max(0, cos(x1, x2) - ``margin``) where y = -1."""


class MarginRankingLoss(_PairLoss, function="margin_ranking_loss"):
    """max(0, -y (x1 - x2) + ``margin``)."""


class MultiMarginLoss(_WeightedLoss, function="multi_margin_loss"):
    """The multi-class hinge loss, to the power ``p`` (1 or 2).

    Raises:
        ValueError: ``p`` is neither 1 nor 2, or the weight is not 1-d.
    """

    __constants__ = ["p", "margin", "reduction"]

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self._check_("p", p in (1, 2), "1 or 2", p)
        if weight is not None:
            self._check_("weight", weight.dim() == 1, "1-d", f"a {weight.dim()}-d one")
        self._set_(p=p, margin=margin)


class TripletMarginLoss(_TripletLoss, function="triplet_margin_loss"):
    """max(0, d(anchor, positive) - d(anchor, negative) + ``margin``) with d a p-norm distance."""

    __constants__ = ["margin", "p", "eps", "swap", "reduction"]

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self._check_("margin", margin > 0, "positive", margin)
        self._set_(margin=margin, p=p, eps=eps, swap=swap)


class TripletMarginWithDistanceLoss(_TripletLoss, function="triplet_margin_with_distance_loss"):
    """TripletMarginLoss with a distance function of the user's."""

    __constants__ = ["margin", "swap", "reduction"]

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        self._check_("margin", margin > 0, "positive", margin)
        self.distance_function: Any = PairwiseDistance() if distance_function is None else distance_function
        self._set_(margin=margin, swap=swap)


class CTCLoss(_Loss, function="ctc_loss"):
    """The connectionist temporal classification loss (Graves et al. 2006).

    Args:
        blank: the index of the blank label.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        zero_infinity: count infinite losses, and their gradients, as zero.
    """

    __constants__ = ["blank", "reduction"]

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self._set_(blank=blank, zero_infinity=zero_infinity)

    def forward(  # type: ignore[override]
        self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any
    ) -> Tensor:
        return self._compute_(log_probs, targets, input_lengths, target_lengths)
