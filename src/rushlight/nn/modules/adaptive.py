"""The adaptive softmax: rare classes in clusters of their own, with smaller projections."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.operators.table.types import Device, DType

from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """An approximate softmax for many classes of uneven frequency (Grave et al. 2017, arXiv:1609.04309).

    Classes are ordered by frequency, the most frequent first. Those below ``cutoffs[0]`` are in the head; each further
    range has a cluster, which the head knows as one more class.

    Args:
        in_features: size of the input's last dimension.
        n_classes: the number of classes.
        cutoffs: where the clusters begin: increasing, each in [1, n_classes - 1].
        div_value: by what power of it a cluster's projection is smaller than the input: cluster i has size
            in_features // div_value**(i + 1).
        head_bias: whether the head has a bias.

    Raises:
        ValueError: the cutoffs are not as described.
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Device = None,
        dtype: DType = None,
    ) -> None:
        super().__init__()
        bounds = [0, *cutoffs, n_classes]
        if len(bounds) == 2 or any(a >= b or int(b) != b for a, b in pairwise(bounds)):
            raise ValueError(
                "AdaptiveLogSoftmaxWithLoss: cutoffs must be ints that rise from at least 1 to at most "
                f"{n_classes - 1} "
                f"(n_classes - 1); found {list(cutoffs)}"
            )
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, bounds[1:]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = bounds[1], len(bounds) - 2
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, **place)
        self.tail = ModuleList()
        for i, (first, end) in enumerate(pairwise(self.cutoffs)):
            hidden = int(in_features // div_value ** (i + 1))
            sizes = ((in_features, hidden), (hidden, end - first))
            self.tail.append(Sequential(*(Linear(a, b, bias=False, **place) for a, b in sizes)))

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        for part in (self.head, *(linear for cluster in self.tail for linear in cluster)):
            part.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """Log-probabilities of the targets.

        Args:
            input_: (N, in_features) or (in_features,).
            target_: (N,) or (), classes.

        Returns:
            ``output``, (N,) or (): the log-probability of each target; ``loss``: minus their mean.

        Raises:
            RuntimeError: sizes do not fit, or a target is not in [0, n_classes - 1].
        """
        batched = target_.dim() == 1
        name = "AdaptiveLogSoftmaxWithLoss"
        if target_.dim() > 1:
            raise RuntimeError(
                f"{name}: target_ must hold one class a sample, (N,) or (); found shape {tuple(target_.shape)}"
            )
        if input_.dim() != target_.dim() + 1 or input_.shape[:-1] != target_.shape:
            wanted = (*target_.shape, self.in_features)
            raise RuntimeError(f"{name}: input_ must have shape {wanted} for this target_; found {tuple(input_.shape)}")
        x, target = (input_, target_) if batched else (input_[None], target_[None])
        wrong = target[(target < 0) | (target >= self.n_classes)]
        if wrong.numel():
            raise RuntimeError(f"{name}: target_ must be in [0, {self.n_classes - 1}], found {int(wrong[0])}")
        # In the head, the targets of a cluster are the cluster's own class.
        head_index = target
        parts: list[tuple[Tensor, Tensor]] = []
        for i, (low, high) in enumerate(pairwise(self.cutoffs)):
            inside = (target >= low) & (target < high)
            rows = inside.nonzero().squeeze(1)
            head_index = rushlight.where(inside, self.shortlist_size + i, head_index)
            if rows.numel():
                scores = F.log_softmax(self.tail[i](x.index_select(0, rows)), dim=1)
                parts.append((rows, scores.gather(1, (target.index_select(0, rows) - low).unsqueeze(1)).squeeze(1)))
        output = F.log_softmax(self.head(x), dim=1).gather(1, head_index.unsqueeze(1)).squeeze(1)
        for rows, log_probability in parts:
            output = output.index_add(0, rows, log_probability.to(output.dtype))
        loss = (-output).mean()
        return _ASMoutput(output if batched else output[0], loss)

    def _full_log_prob_(self, input: Tensor, head_output: Tensor) -> Tensor:
        head = F.log_softmax(head_output, dim=1)
        parts = [head[:, : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            at = self.shortlist_size + i
            parts.append(F.log_softmax(cluster(input), dim=1) + head[:, at : at + 1])
        return rushlight.cat(parts, dim=1)

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities of all classes, (N, n_classes), for an input (N, in_features)."""
        return self._full_log_prob_(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """The most probable class of each example, (N,); clusters are computed only where one may win."""
        head_output = self.head(input)
        best = rushlight.argmax(head_output, dim=1)
        rows = (best >= self.shortlist_size).nonzero().squeeze(1)
        if not rows.numel():
            return best
        full = self._full_log_prob_(input.index_select(0, rows), head_output.index_select(0, rows))
        return best.index_copy(0, rows, rushlight.argmax(full, dim=1))
