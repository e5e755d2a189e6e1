"""Arguments of aten's operators, where they are others than those of the table's operator of the same meaning.

A line says aten's parameters in their order, then the public function that does the call: a parameter `input` is aten's
`self`; `reduction` is aten's number (0: none, 1: mean, 2: sum) and the function's word.
"""

from __future__ import annotations

import inspect
from ast import literal_eval
from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from rushlight.operators.nn.loss import mode_of

_REDUCTIONS = ("none", "mean", "sum")

_LINES = """
binary_cross_entropy(input, target, weight=None, reduction=1) nn.functional.binary_cross_entropy
binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=1) \
nn.functional.binary_cross_entropy_with_logits
cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=1) nn.functional.cosine_embedding_loss
cross_entropy_loss(input, target, weight=None, reduction=1, ignore_index=-100, label_smoothing=0.0) \
nn.functional.cross_entropy
ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=1, zero_infinity=False) \
nn.functional.ctc_loss
hinge_embedding_loss(input, target, margin=1.0, reduction=1) nn.functional.hinge_embedding_loss
huber_loss(input, target, reduction=1, delta=1.0) nn.functional.huber_loss
kl_div(input, target, reduction=1, *, log_target=False) nn.functional.kl_div
l1_loss(input, target, reduction=1) nn.functional.l1_loss
margin_ranking_loss(input1, input2, target, margin=0.0, reduction=1) nn.functional.margin_ranking_loss
mse_loss(input, target, reduction=1) nn.functional.mse_loss
multi_margin_loss(input, target, p=1, margin=1, weight=None, reduction=1) nn.functional.multi_margin_loss
multilabel_margin_loss(input, target, reduction=1) nn.functional.multilabel_margin_loss
nll_loss(input, target, weight=None, reduction=1, ignore_index=-100) nn.functional.nll_loss
nll_loss2d(input, target, weight=None, reduction=1, ignore_index=-100) nn.functional.nll_loss
nll_loss_nd(input, target, weight=None, reduction=1, ignore_index=-100) nn.functional.nll_loss
poisson_nll_loss(input, target, log_input, full, eps, reduction) nn.functional.poisson_nll_loss
smooth_l1_loss(input, target, reduction=1, beta=1.0) nn.functional.smooth_l1_loss
soft_margin_loss(input, target, reduction=1) nn.functional.soft_margin_loss
triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction=1) \
nn.functional.triplet_margin_loss
group_norm(input, num_groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=True) group_norm
layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True) layer_norm
instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled) \
instance_norm
embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, \
include_last_offset=False, padding_idx=None) embedding_bag
unfold(input, dimension, size, step) Tensor.unfold
add.Scalar(input, other, alpha=1) add
add_.Scalar(input, other, alpha=1) Tensor.add_
sub.Scalar(input, other, alpha=1) sub
sub_.Scalar(input, other, alpha=1) Tensor.sub_
subtract.Scalar(input, other, alpha=1) subtract
subtract_.Scalar(input, other, alpha=1) Tensor.subtract_
rsub.Scalar(input, other, alpha=1) rsub
"""


def _parameters(text: str) -> inspect.Signature:
    made, by_name = [], False
    for part in text.split(","):
        name, _, default = part.strip().partition("=")
        if name == "*":
            by_name = True
            continue
        kind = inspect.Parameter.KEYWORD_ONLY if by_name else inspect.Parameter.POSITIONAL_OR_KEYWORD
        value = literal_eval(default) if default else inspect.Parameter.empty
        made.append(inspect.Parameter(name, kind, default=value))
    return inspect.Signature(made)


class ByAten:
    """A call with aten's arguments, done by a public function."""

    def __init__(self, name: str, parameters: str, function: str) -> None:
        self.name, self.signature, self.function = name, _parameters(parameters), function
        self.first = next(iter(self.signature.parameters))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        import rushlight

        out = {"out": kwargs.pop("out")} if "out" in kwargs else {}
        if "self" in kwargs and self.first == "input":
            kwargs = {"input": kwargs.pop("self"), **kwargs}
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"aten::{self.name}(): {error}; expected {self.signature}") from None
        bound.apply_defaults()
        values = bound.arguments
        if "reduction" in values:
            values["reduction"] = self.reduction(values["reduction"])
        # Where the public function knows its operand by another name.
        operand = values.pop(self.first)
        function = attrgetter(self.function)(rushlight)
        return function(operand, **values, **out)

    def places(self, values: Mapping[str, Any]) -> tuple[list[Any], tuple[Any, ...], dict[str, Any]]:
        """A call of the table as aten's: the values by position, the defaults of the last of them, and the values given
        by name.
        """
        given, defaults, named = [], [], {}
        for name, p in self.signature.parameters.items():
            value = values[name]
            if name == "reduction":
                value = mode_of(values["size_average"], values["reduce"], value, self.name, ("batchmean",))
                value = _REDUCTIONS.index(value)
            if p.kind is p.KEYWORD_ONLY:
                named[name] = value if value != p.default else None
                continue
            given.append(value)
            if p.default is not p.empty:
                defaults.append(p.default)
        return given, tuple(defaults), named

    def reduction(self, value: Any) -> str:
        """The function's word for aten's number; ValueError for another. A word is the function's to judge."""
        if isinstance(value, str):
            return value
        if type(value) is not int or not 0 <= value < len(_REDUCTIONS):
            raise ValueError(f"aten::{self.name}(): 'reduction' must be 0 (none), 1 (mean) or 2 (sum); found {value!r}")
        return _REDUCTIONS[value]


def _read() -> dict[str, ByAten]:
    made: dict[str, ByAten] = {}
    for line in _LINES.strip().splitlines():
        name, _, rest = line.partition("(")
        parameters, _, function = rest.rpartition(") ")
        made[name] = ByAten(name, parameters, function)
    return made


# By aten's name, or by that of one overload of it.
SIGNATURES = _read()
