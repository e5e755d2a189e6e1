"""`grad_fn.next_functions` as PyTorch lays it out: an edge for each tensor argument of the call, `(None, 0)` for one
that wants no gradient.

The engine keeps only the edges that carry a gradient, in the order of the program's inputs. The other edges, and
PyTorch's order, are found from the arguments of the compiled call when somebody asks.
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.core.flatten import Kind
from rushlight.core.record import Derivative
from rushlight.operators.table.traced import Edges
from rushlight.operators.table.tracer import Tracer

# Arguments that have no derivative in PyTorch, whatever they hold: no edge leads to them. Nor does an edge lead to
# integers, unless they are operands of arithmetic.
_WITHOUT = frozenset({"condition", "mask", "running_mean", "running_var", "samples", "rcond", "rtol", "atol"})
# By node: further arguments of that kind.
_WITHOUT_BY_NODE = {
    "CloneBackward0": {"input"},
    "BinaryCrossEntropyBackward0": {"weight"},
    "BinaryCrossEntropyWithLogitsBackward0": {"weight", "pos_weight"},
    "FakeQuantizePerChannelAffineCachemaskBackward0": {"scale", "zero_point"},
    "MultiMarginLossBackward0": {"target", "weight"},
    "MultilabelMarginLossBackward0": {"target"},
    "NllLossBackward0": {"target", "weight"},
    "NllLoss2DBackward0": {"target", "weight"},
    "SoftMarginLossBackward0": {"target"},
    "StandardGammaGradBackward0": {"output"},
}
# By node: the arguments in PyTorch's order, where it is another.
_ORDER = {"AddmmBackward0": ("bias", "input", "weight"), "LinalgLuSolveBackward0": ("LU_data", "input")}
# By operator and node: the arguments in the order in which PyTorch's engine reaches them through the several nodes that
# the call has there.
_REACHED = {("linear", "ViewBackward0"): ("bias", "weight", "input"), ("rms_norm", "MulBackward0"): ("weight", "input")}
# Nodes of calls in which a number is a tensor in PyTorch.
_NUMBERS = frozenset(
    {"AddBackward0", "SubBackward0", "MulBackward0", "DivBackward0", "WhereBackward0", "LdexpBackward0"}
)
# Nodes that have an edge for an argument that is left out.
_LEFT_OUT = {
    "ClampBackward0": {"min", "max"},
    "ConvolutionBackward0": {"bias"},
    "EmbeddingBagBackward0": {"per_sample_weights"},
    "NativeBatchNormBackward0": {"weight", "bias"},
    "NativeGroupNormBackward0": {"weight", "bias"},
    "NativeLayerNormBackward0": {"weight", "bias"},
}


def visits(derivative: Derivative) -> tuple[int, ...] | None:
    """The edges in the order in which PyTorch's engine goes along them, None where the arguments have that order."""
    if derivative.origin is None:
        return None
    known: Edges | None = derivative.origin.edges
    if known is not None:
        return known[1]
    order = _ORDER.get(derivative.label) or _REACHED.get((derivative.origin.op.name, derivative.label))
    return None if order is None else tuple(k for k in _places(derivative, order) if k >= 0)


def places(derivative: Derivative) -> tuple[int, ...]:
    """For each edge that PyTorch's node of this call would have, the number of ours, -1 for one that leads nowhere."""
    if derivative.origin is None:
        return tuple(range(len(derivative.active)))
    known: Edges | None = derivative.origin.edges
    if known is not None:
        return known[0]
    return _places(derivative, _ORDER.get(derivative.label, ()))


def _places(derivative: Derivative, order: Sequence[str]) -> tuple[int, ...]:
    """`places`, with the arguments in an order, if the call has them all."""
    ours = tuple(range(len(derivative.active)))
    op, bound, inputs = derivative.origin.op, derivative.origin.bound, derivative.origin.inputs
    tensors = {v: i for i, v in enumerate(inputs) if v.kind != "scalar"}
    edge = {place: k for k, place in enumerate(derivative.active)}
    by_name = {p.name: (p, x) for p, x in zip(op.params, bound, strict=True)}
    label = derivative.label
    names = order if order and set(order) <= set(by_name) else tuple(by_name)
    without = _WITHOUT | _WITHOUT_BY_NODE.get(label, set())
    laid: list[int] = []
    for name in names:
        parameter, x = by_name[name]
        if x is None and name in _LEFT_OUT.get(label, ()):
            laid.append(-1)
        for t in x if parameter.kind == Kind.P_TENSORS and isinstance(x, (tuple, list)) else (x,):
            if isinstance(t, Tracer) and t.var in tensors:
                counts = parameter.kind == Kind.P_OPERAND or t.dtype.is_floating_point or t.dtype.is_complex
                found = edge.get(tensors[t.var], -1)
                if found >= 0 or counts and name not in without:
                    laid.append(found)
            elif label in _NUMBERS and parameter.kind == Kind.P_OPERAND:
                laid.append(-1)
    return tuple(laid) if sorted(k for k in laid if k >= 0) == list(ours) else ours
