"""`grad_fn._saved_self` and its family: what a recorded call keeps for its backward, by PyTorch's names.

Everything is read from what the node has anyway: the residuals of the derived backward, the sizes, and the arguments
that are part of the compiled call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rushlight.core.devices import CPU, Size
from rushlight.core.dispatch import Operator
from rushlight.core.engine import AccumulateGrad, CallbackNode
from rushlight.core.record import PlanNode
from rushlight.core.tensor import Tensor
from rushlight.operators.table.define import TABLE
from rushlight.operators.table.tracer import RealNumber, Tracer
from rushlight.program.sym import Sym
from rushlight.transforms.rename import substitute

_INPUT, _OUTPUT = 0, 1
_UNREADABLE = frozenset({"dtype", "device", "layout", "memory_format", "out"})
# PyTorch puts numbers among the operands of these into tensors of their own.
_WRAPPED = frozenset({"mul", "div", "true_divide", "rdiv"})
# Names of PyTorch's that are not those of the arguments here, by node.
_RENAMED = {
    "MmBackward0": {"other": "mat2"},
    "DotBackward0": {"other": "tensor"},
    "MvBackward0": {"other": "vec"},
    "EmbeddingBackward0": {"self": "indices"},
    "SplitWithSizesBackward0": {"lengths": "split_sizes"},
    **{
        f"{name}Backward0": {"self": "input"}
        for name in (
            "Convolution",
            "NativeLayerNorm",
            "NativeGroupNorm",
            "NativeBatchNorm",
            "GridSampler2D",
            "GridSampler3D",
            "LinalgHouseholderProduct",
        )
    },
}
for _kind, _n in (
    *(("Nearest", n) for n in (1, 2, 3)),
    *(("NearestExact", n) for n in (1, 2, 3)),
    ("Linear", 1),
    ("Bilinear", 2),
    ("Bicubic", 2),
    ("Trilinear", 3),
):
    _factors = {"width": "scales"} if _n == 1 else {side: f"scales_{side[0]}" for side in ("depth", "height", "width")}
    _RENAMED[f"Upsample{_kind}{_n}DBackward0"] = {"size": "output_size", **_factors}
_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
_WITHOUT_SIZES = frozenset(("CatBackward0", "StackBackward0", "UnbindBackward0"))
# Nodes whose dimension is a list there, though one was given.
_LISTED = frozenset(
    {
        "SumBackward1",
        "MeanBackward1",
        "StdBackward0",
        "VarBackward0",
        "AmaxBackward0",
        "AminBackward0",
        "LogsumexpBackward0",
        "NansumBackward0",
        "StdMeanBackward0",
        "VarMeanBackward0",
        "NormBackward1",
        "LinalgVectorNormBackward0",
        "RollBackward0",
        "FlipBackward0",
    }
)


class SavedTensor:
    """One saved tensor, as `grad_fn._raw_saved_self`: hooks may be put in its place before the backward."""

    def __init__(self, node: PlanNode, place: int) -> None:
        self._node, self._place = node, place

    @property
    def data(self) -> Tensor:
        """The tensor itself."""
        return self._node.kept(self._place)

    def unpack(self) -> Tensor:
        """The tensor itself."""
        return self._node.kept(self._place)

    def register_hooks(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        """Keep pack_hook(tensor) in the tensor's place, and make the tensor of it by unpack_hook when the backward
        needs it.

        Raises:
            RuntimeError: hooks are there already.
            TypeError: for what cannot be called.
        """
        if not callable(pack_hook) or not callable(unpack_hook):
            raise TypeError("register_hooks(): 'pack_hook' and 'unpack_hook' must be functions")
        self._node.hook_kept(self._place, pack_hook, unpack_hook)


def _name_of(node: PlanNode, op: Operator, i: int) -> str:
    name = op.params[i].name
    name = "self" if i == 0 and name == "input" else name
    return _RENAMED.get(node.label, {}).get(name, name)


def _entries(node: PlanNode) -> dict[str, Callable[[], Any]]:
    """A function for each saved value of the node, which reads it."""
    about = getattr(node, "about", None) if isinstance(node, CallbackNode) else None
    if about is not None:
        return {name: (lambda x=x: x) for name, x in about["saved"].items()}  # type: ignore[misc]
    origin = node.derivative.origin if isinstance(node, PlanNode) else None
    if origin is None or origin.op.definition.of_calls:  # (what a program keeps has no names)
        return {}
    op, bound, inputs, structure = origin.op, origin.bound, origin.inputs, origin.structure
    places = {source: k for k, source in reversed(list(enumerate(map(tuple, node.derivative.residuals))))}
    number = {v: i for i, v in enumerate(inputs)}
    n_tensors = len([v for v in inputs if v.kind != "scalar"])
    found: dict[str, Callable[[], Any]] = {}

    def tensor(x: Any) -> int | None:
        return places.get((_INPUT, number[x.var])) if isinstance(x, Tracer) and x.var.kind != "scalar" else None

    def add(name: str, x: Any) -> None:
        if isinstance(x, Tracer) and x.var.kind == "scalar":
            if node.number(number[x.var] - n_tensors) is not None:
                found[name] = lambda: _number(op, node.number(number[x.var] - n_tensors))
            elif isinstance(x, RealNumber) and any(
                fact[:2] == (x.place, "==") and fact[3] < 0 and fact[4] for fact in x.found
            ):
                found[name] = lambda: _number(op, float(x.value))  # the program is for this number only
        elif isinstance(x, Tracer):
            k = tensor(x)
            if k is not None:
                found[name] = lambda: node.kept(k)
        elif isinstance(x, list):
            kept = [tensor(v) for v in x]
            if any(k is not None for k in kept):
                found[name] = lambda: tuple(None if k is None else node.kept(k) for k in kept)
        elif not callable(x):
            found[name] = lambda: _plain(node, name, substitute(x, node.ints()) if _has_size(x) else x)

    for i, x in enumerate(bound):
        if op.params[i].name not in _UNREADABLE:
            add(_name_of(node, op, i), x)
    first = next((v for v in inputs if v.kind != "scalar"), None)
    if first is not None and (_INPUT, 0) not in places and node.label not in _WITHOUT_SIZES:
        found["self_sym_sizes"] = lambda: substitute(tuple(first.shape), node.ints())
    if node.label == "SplitBackward0" and "lengths" in found:
        lengths = found.pop("lengths")
        found["split_size"] = lambda: lengths()[0]
    if node.label == "SelectBackward0" and "kinds" in found:
        _select(found, bound[1], bound[2], node)
    fields = getattr(structure, "_fields", ()) or getattr(_closed(structure), "_fields", ())
    for (kind, j), k in places.items():
        if kind == _OUTPUT:
            name = fields[j] if fields else "result" if structure is None else f"result{j}"
            found[name] = lambda k=k: node.kept(k)  # type: ignore[misc]
    return found


def _select(found: dict[str, Callable[[], Any]], kinds: str, ints: Any, node: PlanNode) -> None:
    """x[..., i]: the dimension and the place of the one int; of several views in one index only the last could be
    named.
    """
    del found["kinds"], found["ints"]
    if kinds.strip(":") == "i":
        found["dim"] = lambda: kinds.index("i")
        found["index"] = lambda: substitute(ints[0], node.ints())


def _closed(structure: Any) -> Any:
    """The class of named results that a call's structure makes (trace.flatten_result); None of any other."""
    return structure.args[0] if isinstance(structure, partial) else None


def _has_size(x: Any) -> bool:
    return isinstance(x, Sym) or isinstance(x, (tuple, list)) and any(map(_has_size, x))


def _number(op: Operator, value: Any) -> Any:
    return TABLE["tensor"](value) if op.definition.name.strip("_") in _WRAPPED else value


def _plain(node: PlanNode, name: str, x: Any) -> Any:
    """An argument as PyTorch shows it: dimensions are unsigned there, a reduction is a number."""
    if name == "reduction" and isinstance(x, str):
        return _REDUCTIONS.get(x, x)
    if isinstance(x, int) and node.label in _LISTED and name in ("dim", "dims", "shifts"):
        x = (x,)
    if isinstance(x, (tuple, list)):
        return tuple(_unsigned(name, v) for v in x)
    return _unsigned(name, x)


def _unsigned(name: str, x: Any) -> Any:
    return x + (1 << 64) if name.startswith("dim") and type(x) is int and x < 0 else x


class InputMetadata:
    """What the gradient of one result of a call must be."""

    is_nested_tensor = is_cpp_nested_tensor = False

    def __init__(self, shape: Any, dtype: Any, device: Any) -> None:
        self.shape, self.dtype, self.device = Size(shape), dtype, device

    def __repr__(self) -> str:
        return f"InputMetadata(shape={self.shape}, dtype={self.dtype}, device={self.device})"


def metadata(node: PlanNode) -> list[InputMetadata | None]:
    """`grad_fn._input_metadata`; AttributeError for a node of which it is not known."""
    if isinstance(node, PlanNode):
        outputs = node.derivative.origin.outputs
        return [
            InputMetadata(substitute(tuple(v.shape), node.ints()), v.dtype, CPU)
            for v in (outputs[i] for i in node.derivative.cotangent_outputs)
        ]
    if isinstance(node, AccumulateGrad):
        return [InputMetadata(node.variable.shape, node.variable.dtype, node.variable.device)]
    about = getattr(node, "about", None)
    if about is None:
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '_input_metadata'")
    return [None if kind is None else InputMetadata(*kind) for kind in about["results"]]


def names(node: PlanNode) -> list[str]:
    """`_saved_*` of a node, and `_raw_saved_*` of its tensors."""
    entries = _entries(node)
    return [f"_saved_{name}" for name in entries] + [
        f"_raw_saved_{name}" for name in entries if _place(node, name) is not None
    ]


def _place(node: PlanNode, name: str) -> int | None:
    """The residual that stands under a name; None for a value that is no tensor."""
    if not isinstance(node, PlanNode):
        return None
    origin = node.derivative.origin
    op, bound, inputs, structure = origin.op, origin.bound, origin.inputs, origin.structure
    number = {v: i for i, v in enumerate(inputs)}
    fields = getattr(structure, "_fields", ()) or getattr(_closed(structure), "_fields", ())
    for k, (kind, j) in enumerate(node.derivative.residuals):
        if kind == _OUTPUT and name == (fields[j] if fields else "result" if structure is None else f"result{j}"):
            return k
        if kind == _INPUT:
            at = next((i for i, x in enumerate(bound) if isinstance(x, Tracer) and number.get(x.var) == j), None)
            if at is not None and _name_of(node, op, at) == name:
                return k
    return None


def _is_operand(node: PlanNode, name: str) -> bool:
    """Whether a tensor of the call goes by that name."""
    origin = node.derivative.origin if isinstance(node, PlanNode) else None
    return origin is not None and any(
        isinstance(x, Tracer) and _name_of(node, origin.op, i) == name for i, x in enumerate(origin.bound)
    )


def value(node: PlanNode, attribute: str) -> Any:
    """The value under "_saved_name" or "_raw_saved_name"; AttributeError for one that the node has not kept."""
    raw = attribute.startswith("_raw")
    name = attribute.removeprefix("_raw").removeprefix("_saved_")
    read = _entries(node).get(name)
    place = _place(node, name) if raw and read is not None else None
    if read is None and not raw and _is_operand(node, name):
        return None  # not needed for the gradients that were due: `_saved_self` of x * 2
    if read is None or raw and place is None:
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '{attribute}'")
    return SavedTensor(node, place) if place is not None else read()
