"""The adaptive softmax: rare classes in clusters of their own, with smaller projections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor

from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module


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
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if cutoffs != sorted(set(cutoffs)) or cutoffs[0] <= 0 or cutoffs[-1] > n_classes - 1 or any(
            int(c) != c for c in cutoffs
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                f"value is between 1 and n_classes-1, got {cutoffs} for {n_classes} classes"
            )
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, **place)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            hidden = int(in_features // (div_value ** (i + 1)))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(
                Sequential(Linear(in_features, hidden, bias=False, **place), Linear(hidden, size, bias=False, **place))
            )

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        self.head.reset_parameters()
        for projection, out in self.tail:
            projection.reset_parameters()
            out.reset_parameters()

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
        batched = target_.dim() > 0
        if batched and (input_.dim() != 2 or input_.shape[0] != target_.shape[0]):
            if input_.dim() != 2:
                raise RuntimeError(
                    f"1D target tensor expects 2D input tensors, but found inputs with size {tuple(input_.size())}"
                )
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if not batched and input_.dim() != 1:
            raise RuntimeError(
                f"0D target tensor expects 1D input tensors, but found inputs with size {tuple(input_.size())}"
            )
        if target_.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        x = input_ if batched else input_.unsqueeze(0)
        target = target_ if batched else target_.unsqueeze(0)
        if target.numel() and not bool(((target >= 0) & (target < self.n_classes)).all()):
            low, high = int(target.min()), int(target.max())
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{low}, {high}] were found. "
            )
        # In the head, the targets of a cluster are the cluster's own class.
        head_index = target
        parts: list[tuple[Tensor, Tensor]] = []
        for i in range(self.n_clusters):
            low, high = self.cutoffs[i], self.cutoffs[i + 1]
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
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        head = F.log_softmax(head_output, dim=1)
        parts = [head[:, : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            at = self.shortlist_size + i
            parts.append(F.log_softmax(cluster(input), dim=1) + head[:, at : at + 1])
        return rushlight.cat(parts, dim=1)

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities of all classes, (N, n_classes), for an input (N, in_features)."""
        return self._full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """The most probable class of each example, (N,); clusters are computed only where one may win."""
        head_output = self.head(input)
        best = rushlight.argmax(head_output, dim=1)
        rows = (best >= self.shortlist_size).nonzero().squeeze(1)
        if not rows.numel():
            return best
        full = self._full_log_prob(input.index_select(0, rows), head_output.index_select(0, rows))
        return best.index_copy(0, rows, rushlight.argmax(full, dim=1))
