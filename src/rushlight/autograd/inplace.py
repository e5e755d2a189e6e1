"""In-place operations and autograd: what is refused, and the history that a mutated tensor, its base and its views get.

A plain tensor becomes an output of the call's node. A view's call is recorded on its *base*: the base's new node passes
the gradient of the region that was written to the call's node, and the rest to the base's old history. The history of
every view of the base, the mutated one too, is then out of date; when it is next asked for, the view gets a node that
reads its region of the base.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any

from rushlight.core import engine
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.engine import Node
from rushlight.core.flatten import Kind
from rushlight.core.lines import writer_of
from rushlight.core.record import PlanNode
from rushlight.core.tensor import Tensor
from rushlight.core.upcalls import upcalls
from rushlight.operators.table.arguments import type_name
from rushlight.operators.table.define import METHODS, TABLE

SPECIAL = sum(v for k, v in _core.get_keys_flag_mask().items() if k != "META")

_RECORDED = "must not be written to while gradients are recorded; found"


def check_inplace(op: Any, t: Tensor) -> None:
    """Refuse to record an in-place call on a leaf, a view of a leaf, or a view whose history cannot be rewritten."""
    name = op if isinstance(op, str) else op.name
    meta = t._meta_ if t._is_view() else None
    if meta is not None:
        if meta.why_no_inplace == "custom":
            raise RuntimeError(
                f"{name}(): a view that a custom Function returned {_RECORDED} one, whose derivative the Function "
                "has defined. clone() what forward returns"
            )
        if meta.why_no_inplace:
            maker = "" if t.grad_fn is None else f", of {t.grad_fn.name()}"
            raise RuntimeError(
                f"{name}(): a view that came with others from one call {_RECORDED} view {t.output_nr}{maker}. Use "
                "the out-of-place operator"
            )
        base = t._base
        assert base is not None
        if t.requires_grad and base.is_leaf and meta.view_fn is not None:
            raise RuntimeError(
                f"{name}(): a view of a leaf Variable that requires grad is being used in an in-place operation"
            )
        if meta.view_fn is None:
            raise RuntimeError(
                f"{name}(): a view that was made inside of no_grad() {_RECORDED} one, whose place in the graph is "
                "not known. Make the view and "
                "write to it both inside of no_grad(), or both outside"
            )
    if t.requires_grad and t.is_leaf:
        raise RuntimeError(f"{name}(): a leaf Variable that requires grad is being used in an in-place operation")


# Operators that PyTorch computes in steps, so that its nodes save a value computed from an input where ours save the
# input.
COPIED = frozenset(
    (
        "_standard_gamma_grad cosine_embedding_loss cosine_similarity ctc_loss cumulative_trapezoid gru_cell "
        "hinge_embedding_loss hypot igamma igammac instance_norm kl_div ldexp ldl_solve linear_cross_entropy "
        "margin_ranking_loss multilabel_soft_margin_loss pairwise_distance poisson_nll_loss polar rms_norm "
        "scaled_dot_product_attention soft_margin_loss stft take_along_dim tensordot trapezoid trapz "
        "triplet_margin_loss"
    ).split()
)


def kept_instead(name: str, t: Tensor) -> Tensor:
    """What a node of operator `name` keeps for the inference tensor `t`: a copy where PyTorch would not keep `t`
    itself, else RuntimeError.

    A function transform is done with what it keeps before anybody can write to it.
    """
    if name.rpartition(".")[2] in COPIED:
        return _raw.ordinary(t).clone()
    levels = sys.modules.get("rushlight.func.levels")
    if levels is not None and any(level.kind == "grad" for level in levels.in_force()):
        return t
    raise RuntimeError(
        f"{name}(): a tensor made in inference_mode() cannot be saved for the backward; found one. clone() makes an "
        "ordinary tensor of it"
    )


# In these PyTorch turns a number into a tensor, and records a clone of any tensor.
_NUMBER_IS_TENSOR = frozenset(
    {"mul", "add", "sub", "rsub", "true_divide", "div", "remainder", "floor_divide", "fmod", "xlogy", "where"}
)
_RECORDED_ALONE = frozenset({"clone"})
# Arguments of which PyTorch takes a view before anything else: a view of an inference tensor has no history.
_VIEWED = {"linear": "weight", "prelu": "weight"}
# PyTorch keeps the weight whatever it is needed for.
_KEEPS = {
    **dict.fromkeys((f"{name}{n}d" for n in (1, 2, 3) for name in ("conv", "conv_transpose")), "weight"),
    **dict.fromkeys(("layer_norm", "group_norm", "batch_norm"), "weight"),
}


def of_inference(op: Any, values: list[Any]) -> list[Any] | None:
    """The arguments of a call, with those inference tensors detached for which PyTorch records nothing; None where all
    stay.

    A call on inference tensors alone is not recorded, though they require grad: parameters of a module that was built
    in inference mode.

    Raises:
        RuntimeError: PyTorch would keep one for the backward.
    """
    if op.inplace:
        return None
    name = op.name.rpartition(".")[2]
    tensors = [t for v in values for t in (v if isinstance(v, (tuple, list)) else (v,)) if isinstance(t, Tensor)]
    numbers = any(
        p.kind == Kind.P_OPERAND and isinstance(v, (int, float, complex))
        for p, v in zip(op.params, values, strict=True)
    )
    alone = all(t.is_inference() for t in tensors) and name not in _RECORDED_ALONE
    if alone and not (numbers and name in _NUMBER_IS_TENSOR):
        return [_cut(v) for v in values]
    if name in _KEEPS:
        kept = values[op.index[_KEEPS[name]]]
        if isinstance(kept, Tensor) and kept.is_inference():
            kept_instead(name, kept)
    viewed = values[op.index[_VIEWED[name]]] if name in _VIEWED else None
    if viewed is not None and _cut(viewed) is not viewed:
        return [_cut(v) if v is viewed else v for v in values]
    return None


def _cut(value: Any) -> Any:
    """An argument with its inference tensors, alone or in a sequence, as tensors without a gradient."""
    if isinstance(value, Tensor):
        return value.detach() if value.is_inference() and value.requires_grad else value
    return type(value)(map(_cut, value)) if type(value) in (tuple, list) else value


def record_inplace(op: Any, dests: Sequence[Tensor], node: Node, outputs: Sequence[int]) -> None:
    """Make output i of `node` the history of the mutated tensor dests[outputs[i]]."""
    own = 0 if getattr(op, "inplace", False) and node.derivative.active[:1] == [0] else None
    for nr, j in enumerate(outputs):
        rebase(dests[j], node, nr, own)


def rebase(t: Tensor, node: Node, nr: int, own: int | None) -> None:
    """Make `t` output `nr` of `node` after its memory was written; for a view, through its base.

    own: which edge of the node leads to the old place of `t` in the graph, None where it had none.
    """
    if t.dtype.kind not in "fc":
        return
    base = t._base
    if base is None or t._meta_.view_fn is None:
        engine.set_history(t, node, nr)
        return
    write = _Write(node, nr, own, _region_of(t, base))
    edges = [engine.edge_of(base), *(e for i, e in enumerate(node.edges) if i != own)]
    engine.set_history(base, engine.CallbackNode("torch::autograd::CopySlices", write, edges, 1), 0)
    # The view's own node is made again from the base's; other views get theirs when somebody asks.
    t._meta_.view_version = -1
    _ = t.grad_fn


class _Write:
    """The derivative of a recorded write to a view: cotangents of the base's old value, and of the written one.

    The region's old contents belong to the base's old value; the view's former node takes no part in it, nor do hooks
    on that node.
    """

    def __init__(self, node: Node, nr: int, own: int | None, region: Any) -> None:
        self.node: Node | None = node
        self.nr, self.own, self.region = nr, own, region

    def __call__(self, grads: list[Any]) -> list[Any]:
        node, g = self.node, grads[0]
        if node is None:
            engine.raise_freed()
        if g is None:
            return [None] * (len(node.edges) + (self.own is None))
        inside, outside = self.region.split(g)
        cotangents: list[Any] = [None] * node.n_outputs
        cotangents[self.nr] = inside
        found = node.cotangents(tuple(cotangents))
        if self.own is not None:
            g = found.pop(self.own)
            if g is not None:
                outside = self.region.join(outside, g)
        return [outside, *found]

    def release(self) -> None:
        """Forget the call, and with it the values that it has saved."""
        self.node = None


def _region_of(t: Tensor, base: Tensor) -> Any:
    """The part of its base that a view covers: of memory, or of a wrapper, which has none, by what makes the view."""
    made = t._meta_.view_fn
    return _Region(t, base) if made is True else made


class _Region:
    """The part of a base's memory that a view covers: sizes, strides and offsets of both, counted in the view's
    elements.
    """

    def __init__(self, view: Tensor, base: Tensor) -> None:
        from rushlight.operators.creation.placement import strided_extent

        self.dtype, self.base_dtype = view.dtype, base.dtype
        self.size, self.stride = tuple(view.shape), view.stride()
        self.base_size, self.base_stride = tuple(base.shape), base.stride()
        a, b = view.itemsize, base.itemsize
        start, base_start = view.storage_offset() * a, base.storage_offset() * b
        low = min(_lowest(start, self.size, self.stride, a), _lowest(base_start, self.base_size, self.base_stride, b))
        self.offset, self.base_offset = (start - low) // a, (base_start - low) // b
        span = (
            max(
                start + a * strided_extent(self.size, [max(s, 0) for s in self.stride]),
                base_start + b * strided_extent(self.base_size, [max(s, 0) for s in self.base_stride]),
            )
            - low
        )
        self.length, self.base_length = span // a, span // b

    def split(self, g: Tensor) -> tuple[Tensor, Tensor]:
        """The gradient of the region, and the gradient with the region set to zero."""
        zero, clone = METHODS["zero_"], METHODS["clone"]
        if self.plain(g):
            memory = _raw.empty_strided_raw(g.dtype, (self.length,), None)
            rest = _raw.view_of(memory, self.base_size, self.base_stride, self.base_offset)
            METHODS["copy_"](rest, g)
            part = _raw.view_of(memory, self.size, self.stride, self.offset)
            inside = clone(part)
            zero(part)
            return inside, rest
        inside = self.read(g)
        with_region = self.write(TABLE["ones_like"](inside.detach()))
        return inside, TABLE["where"](TABLE["eq"](with_region, 0), g, TABLE["zeros_like"](g))

    def join(self, outside: Tensor, inside: Tensor) -> Tensor:
        """A gradient that is zero in the region, with that of the region; `outside` is ours to write to."""
        if self.plain(outside) and not inside._keys_ & SPECIAL and not inside.is_meta:
            part = _raw.view_of(_raw.uncounted(outside), self.size, self.stride, self.offset)
            METHODS["copy_"](part, inside)
            return outside
        return TABLE["add"](outside, self.write(inside))

    def plain(self, g: Tensor) -> bool:
        """Whether the region may be treated as memory: nothing is recorded or transformed, and `g` can be laid out as
        the base is.
        """
        return (
            not _core.is_grad_enabled()
            and not _core.modes_in_force()
            and not g._keys_ & SPECIAL
            and not g.is_meta
            and self.dtype is self.base_dtype
            and min(self.base_stride, default=0) >= 0
        )

    def read(self, g: Tensor) -> Tensor:
        """The region of a tensor like the base."""
        from rushlight.operators.shapes.view import strided_gather, strided_scatter

        memory = _as_dtype(strided_scatter(g, self.base_length, self.base_stride, self.base_offset), self.dtype)
        return strided_gather(memory, self.size, self.stride, self.offset)

    def write(self, g: Tensor) -> Tensor:
        """A tensor like the base with zeros outside of the region."""
        from rushlight.operators.shapes.view import strided_gather, strided_scatter

        memory = _as_dtype(strided_scatter(g, self.length, self.stride, self.offset), self.base_dtype)
        return strided_gather(memory, self.base_size, self.base_stride, self.base_offset)


def _lowest(start: int, size: Sequence[int], stride: Sequence[int], item: int) -> int:
    return start + item * sum((n - 1) * s for n, s in zip(size, stride, strict=True) if s < 0 and n)


def _as_dtype(memory: Tensor, dtype: Any) -> Tensor:
    """A one-dimensional memory of real numbers as complex ones, and the other way round."""
    if memory.dtype is dtype:
        return memory
    if dtype.kind == "c":
        return TABLE["view_as_complex"](METHODS["reshape"](memory, (-1, 2)))
    return METHODS["reshape"](TABLE["view_as_real"](memory), (-1,))


def refuse_view(t: Tensor) -> None:
    """The error for a view that has lost its place in the graph because its base was written since."""
    meta = t._meta_
    if meta.why_no_inplace == "custom":
        what = "a view that a custom Function returned"
    elif meta.why_no_inplace:
        what = f"a view that came with others from one call (view {t.output_nr})"
    else:
        what = "a view that was made inside of no_grad()"
    raise RuntimeError(
        f"grad_fn: the base of {what} must not be written to before the view is used while gradients are recorded; "
        "found one that was. "
        "Take the view again after the write"
    )


def regenerate_view(t: Tensor) -> None:
    """Give a view whose base was written since it was made a node that reads its region of the base."""
    base = t._base
    assert base is not None
    region = _region_of(t, base)
    node = engine.CallbackNode(
        "AsStridedBackward0",
        lambda grads: [None if grads[0] is None else region.write(grads[0])],
        [engine.edge_of(base)],
        1,
    )
    engine.set_history(t, node, 0)


def cast(t: Tensor, dtype: Any) -> Tensor:
    """A saved tensor or gradient in the dtype that the call recorded."""
    if t.dtype.kind == "c" and dtype.kind != "c":
        t = METHODS["real"](t)
    return METHODS["to"](t, dtype)


def rejoin(t: Tensor, node: Node, nr: int) -> Tensor:
    """A tensor on the memory of `t` with output `nr` of `node` as its history; `t` itself when there is no such
    output.
    """
    if node is None or nr < 0:
        return t
    if isinstance(node, Tensor):
        node = engine.CallbackNode("AliasBackward0", list, [(node, 0)], 1)
    new = _raw.alias_of(t)
    engine.set_history(new, node, nr)
    return new


def modified_message(node: Node, t: Tensor, version: int) -> str:
    """The error about a saved value that an in-place operation has overwritten, with the lines of both."""
    writer = writer_of(t, version)
    line = node.line
    kind = type_name(t.dtype)
    return (
        f"{node.name()}: a value that was saved for the backward was modified by an inplace operation: "
        f"the torch.{kind}Tensor of shape {tuple(t.shape)} is at version {t._version}, and was at version {version}. "
        f"It was saved by the call at {line or 'an unknown line'} and overwritten by the in-place call at "
        f"{writer or 'a line that is no longer remembered'}"
    )


def note_traceback(node: Node) -> None:
    """Keep the stack of the call that made `node`, for anomaly detection."""
    import traceback

    node.metadata["traceback_"] = traceback.format_stack()[:-1]


def show_traceback(node: Node) -> None:
    """Warn with the forward call whose backward failed."""
    kept = node.metadata.get("traceback_")
    told = "is unknown: anomaly detection was off then" if kept is None else f"was made at\n{''.join(kept)}"
    warnings.warn(f"{node.name()} failed; its forward call {told}", UserWarning, stacklevel=2)


def check_nan(node: Node, grads: Sequence[Any]) -> None:
    """RuntimeError when a gradient that `node` has computed holds a nan."""
    for i, g in enumerate(grads or ()):
        if (
            isinstance(g, Tensor)
            and not g._keys_ & SPECIAL
            and not g.is_meta
            and bool(TABLE["isnan"](g.detach()).any())
        ):
            raise RuntimeError(f"{node.name()}: gradient {i} of those that it computed has nan")


def saved_value(node: PlanNode, name: str) -> Any:
    """What a node has saved, by PyTorch's name of it."""
    from rushlight.autograd import saved

    return saved.value(node, name)


def input_metadata(node: PlanNode) -> list[Any]:
    """What the gradient of each result of a node's call must be."""
    from rushlight.autograd import saved

    return saved.metadata(node)


def saved_names(node: PlanNode) -> list[str]:
    """The names of all that a node has saved."""
    from rushlight.autograd import saved

    return saved.names(node)


def edge_places(derivative: Any) -> tuple[int, ...]:
    """Where a call's edges stand in `next_functions`."""
    from rushlight.autograd import edges

    return edges.places(derivative)


def edge_visits(derivative: Any) -> tuple[int, ...] | None:
    """A call's edges in PyTorch's order, None where that is the order of its arguments."""
    from rushlight.autograd import edges

    return edges.visits(derivative)


def install() -> None:
    """Supply the core with these functions."""
    upcalls.check_inplace = check_inplace
    upcalls.kept_instead = kept_instead
    upcalls.of_inference = of_inference
    upcalls.record_inplace = record_inplace
    upcalls.regenerate_view = regenerate_view
    upcalls.refuse_view = refuse_view
    upcalls.rejoin = rejoin
    upcalls.cast = cast
    upcalls.modified_message = modified_message
    upcalls.note_traceback = note_traceback
    upcalls.show_traceback = show_traceback
    upcalls.check_nan = check_nan
    upcalls.saved_value = saved_value
    upcalls.saved_names = saved_names
    upcalls.edge_places = edge_places
    upcalls.edge_visits = edge_visits
    upcalls.input_metadata = input_metadata
