"""An exported program as the JSON document of a `.pt2` file."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor, device
from rushlight.export._symbols import text_of_size
from rushlight.export.graph_signature import (
    ConstantArgument,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymIntArgument,
)
from rushlight.fx.node import Node
from rushlight.library.aten_schemas import AtenSchema, schema_of
from rushlight.library.operator import OpOverload
from rushlight.program.sym import Int, Sym
from rushlight.utils._pytree import treespec_dumps

__all__ = ["DTYPES", "LAYOUTS", "MEMORY_FORMATS", "document_of", "tensor_meta"]

# The numbers that files have for dtypes, layouts and memory formats.
DTYPES: dict[str, int] = {
    "uint8": 1,
    "int8": 2,
    "int16": 3,
    "int32": 4,
    "int64": 5,
    "float16": 6,
    "float32": 7,
    "float64": 8,
    "complex32": 9,
    "complex64": 10,
    "complex128": 11,
    "bool": 12,
    "bfloat16": 13,
    "uint16": 28,
    "float8_e4m3fn": 29,
    "float8_e5m2": 30,
    "float8_e4m3fnuz": 31,
    "float8_e5m2fnuz": 32,
    "float8_e8m0fnu": 33,
    "uint32": 34,
    "uint64": 35,
}
LAYOUTS = {"sparse_coo": 1, "sparse_csr": 2, "sparse_csc": 3, "sparse_bsr": 4, "sparse_bsc": 5, "strided": 7}
MEMORY_FORMATS = {"contiguous_format": 1, "channels_last": 2, "channels_last_3d": 3, "preserve_format": 4}
_BY_PLACE, _BY_NAME = 1, 2
_FUNCTIONS = {
    operator.add: "_operator.add",
    operator.sub: "_operator.sub",
    operator.mul: "_operator.mul",
    operator.floordiv: "_operator.floordiv",
    operator.mod: "_operator.mod",
    operator.pow: "_operator.pow",
    operator.neg: "_operator.neg",
}
_PARAMETERS = ("a", "b")  # of Python's arithmetic


def _number(kinds: dict[str, int], x: Any) -> int:
    name = str(x).rpartition(".")[2]
    if name not in kinds:
        raise NotImplementedError(f"export.save(): files have no number for {x}")
    return kinds[name]


def size(x: Int) -> dict[str, Any]:
    """A size of a tensor."""
    if not isinstance(x, Sym):
        return {"as_int": int(x)}
    return {"as_expr": {"expr_str": text_of_size(x), "hint": {"as_int": x.env.hint(x)}}}


def place(where: device) -> dict[str, Any]:
    """A device."""
    return {"type": where.type, "index": where.index}


def tensor_meta(t: Tensor) -> dict[str, Any]:
    """The description of a tensor in a file, without its elements."""
    return {
        "dtype": _number(DTYPES, t.dtype),
        "sizes": [size(s) for s in t.shape],
        "requires_grad": t.requires_grad,
        "device": place(t.device),
        "strides": [{"as_int": int(s)} for s in t.stride()],
        "storage_offset": {"as_int": int(t.storage_offset())},
        "layout": _number(LAYOUTS, t.layout),
    }


def _real(x: float) -> str | float:
    return x if math.isfinite(x) else "NaN" if math.isnan(x) else "Infinity" if x > 0 else "-Infinity"


def argument(x: Any, kind: str = "") -> dict[str, Any]:
    """A value as the argument of a call; kind: what the operator takes there.

    Raises:
        NotImplementedError: for one that files have no form for.
    """
    if isinstance(x, Node):
        val = x.meta.get("val")
        if isinstance(val, (Sym, int)) and not isinstance(val, bool):
            return {"as_sym_int": {"as_name": x.name}}
        if isinstance(val, (list, tuple)):
            raise NotImplementedError(f"export.save(): {x.name} is a list of tensors, which no argument can be")
        return {"as_tensor": {"name": x.name}}
    if x is None:
        return {"as_none": True}
    if isinstance(x, bool):
        return {"as_bool": x}
    if isinstance(x, int):
        return {"as_float": float(x)} if kind.startswith("float") else {"as_int": x}
    if isinstance(x, float):
        return {"as_float": _real(x)}
    if isinstance(x, complex):
        return {"as_complex": {"real": x.real, "imag": x.imag}}
    if isinstance(x, str):
        return {"as_string": x}
    if isinstance(x, dt.dtype):
        return {"as_scalar_type": _number(DTYPES, x)}
    if isinstance(x, dt.layout):
        return {"as_layout": _number(LAYOUTS, x)}
    if isinstance(x, dt.memory_format):
        return {"as_memory_format": _number(MEMORY_FORMATS, x)}
    if isinstance(x, device):
        return {"as_device": place(x)}
    if isinstance(x, (list, tuple)):
        return _list(list(x), kind.rstrip("?"))
    raise NotImplementedError(f"export.save(): files have no form for an argument of type {type(x).__name__}")


def _list(x: list[Any], kind: str) -> dict[str, Any]:
    tensors = [isinstance(v, Node) and isinstance(v.meta.get("val"), Tensor) for v in x]
    if kind.startswith("T?"):
        return {"as_optional_tensors": [{"as_none": True} if v is None else {"as_tensor": {"name": v.name}} for v in x]}
    if kind.startswith("T[") or x and all(tensors):
        return {"as_tensors": [{"name": v.name} for v in x]}
    if any(isinstance(v, Node) for v in x):
        return {"as_sym_ints": [{"as_name": v.name} if isinstance(v, Node) else {"as_int": int(v)} for v in x]}
    if kind.startswith("float") or any(isinstance(v, float) for v in x):
        return {"as_floats": [_real(float(v)) for v in x]}
    if x and all(isinstance(v, bool) for v in x):
        return {"as_bools": x}
    if all(isinstance(v, int) for v in x):
        return {"as_ints": x}
    if all(isinstance(v, str) for v in x):
        return {"as_strings": x}
    if all(isinstance(v, (list, tuple)) and all(isinstance(n, int) for n in v) for v in x):
        return {"as_int_lists": [list(v) for v in x]}
    raise NotImplementedError(f"export.save(): files have no form for the list {x!r}")


def _called(node: Node) -> tuple[str, AtenSchema | None]:
    target = node.target
    if isinstance(target, OpOverload):
        name, short = target.overloadpacket.__name__, target._overloadname
        return f"torch.ops.{target.namespace}.{name}.{short}", (
            schema_of(name, short) if target.namespace == "aten" else None
        )
    if target in _FUNCTIONS:
        return _FUNCTIONS[target], None
    if target in (rushlight.sym_min, rushlight.sym_max, rushlight.sym_not, rushlight.sym_float):
        return f"torch.{target.__name__}", None
    raise NotImplementedError(f"export.save(): files have no form for a call of {target}")


def _inputs(node: Node, schema: AtenSchema | None) -> list[dict[str, Any]]:
    places: Sequence[Any] = [a for a in schema.arguments if not a.by_name] if schema is not None else ()
    by_name = {a.name: a.kind for a in schema.arguments} if schema is not None else {}
    if schema is None and isinstance(node.target, OpOverload) and hasattr(node.target, "_schema"):
        names = [a.name for a in node.target._schema.arguments]
    else:
        names = list(_PARAMETERS)
    found = []
    for i, x in enumerate(node.args):
        name, kind = (places[i].name, places[i].kind) if i < len(places) else (names[i] if i < len(names) else "", "")
        found.append({"name": name, "arg": argument(x, kind), "kind": _BY_PLACE})
    for name, x in node.kwargs.items():
        found.append({"name": name, "arg": argument(x, by_name.get(name, "")), "kind": _BY_NAME})
    return found


def _outputs(node: Node) -> list[dict[str, Any]]:
    val = node.meta.get("val")
    if val is None:
        return []
    if isinstance(val, Tensor):
        return [{"as_tensor": {"name": node.name}}]
    if isinstance(val, (Sym, int)):
        return [{"as_sym_int": {"as_name": node.name}}]
    names = {u.args[1]: u.name for u in node.users if u.op == "call_function" and u.target is operator.getitem}
    items = [names.get(i, f"{node.name}_unused_{i}") for i in range(len(val))]
    if isinstance(val, list):
        return [{"as_tensors": [{"name": name} for name in items]}]
    return [
        {"as_tensor": {"name": name}} if isinstance(v, Tensor) else {"as_none": True}
        for name, v in zip(items, val, strict=True)
    ]


def _metadata(node: Node) -> dict[str, str]:
    found = {}
    if node.meta.get("stack_trace"):
        found["stack_trace"] = str(node.meta["stack_trace"])
    stack = node.meta.get("nn_module_stack")
    if stack:
        found["nn_module_stack"] = ";".join(f"{key},{path},{kind}" for key, (path, kind) in stack.items())
    return found


def _graph(graph: Any) -> dict[str, Any]:
    tensors: dict[str, Any] = {}
    sizes: dict[str, Any] = {}
    inputs, nodes, outputs = [], [], []

    def note(name: str, val: Any) -> None:
        if isinstance(val, Tensor):
            tensors[name] = tensor_meta(val)
        elif isinstance(val, (Sym, int)) and not isinstance(val, bool):
            sizes[name] = size(val)

    for node in graph.nodes:
        val = node.meta.get("val")
        if node.op == "placeholder":
            inputs.append({"as_tensor": {"name": node.name}} if isinstance(val, Tensor) else argument(val))
            if isinstance(val, Tensor):
                note(node.name, val)
        elif node.op == "output":
            outputs = [argument(x) for x in node.args[0]]
        elif node.op != "call_function":
            raise NotImplementedError(f"export.save(): files have no form for a node {node.op} of {node.target}")
        elif node.target is operator.getitem:
            note(node.name, val)
        else:
            target, schema = _called(node)
            written = _outputs(node)
            nodes.append(
                {
                    "target": target,
                    "inputs": _inputs(node, schema),
                    "outputs": written,
                    "metadata": _metadata(node),
                    "is_hop_single_tensor_return": None,
                    "name": node.name,
                }
            )
            if isinstance(val, (list, tuple)):
                flat = written[0]["as_tensors"] if isinstance(val, list) else [w.get("as_tensor") for w in written]
                for entry, v in zip(flat, val, strict=True):
                    if entry is not None:
                        note(entry["name"], v)
            else:
                note(node.name, val)
    return {
        "inputs": inputs,
        "outputs": outputs,
        "nodes": nodes,
        "tensor_values": tensors,
        "sym_int_values": sizes,
        "sym_bool_values": {},
        "is_single_tensor_return": False,
        "custom_obj_values": {},
        "sym_float_values": {},
    }


def _input_spec(s: InputSpec) -> dict[str, Any]:
    arg = {"name": s.arg.name}
    if s.kind is InputKind.PARAMETER:
        return {"parameter": {"arg": arg, "parameter_name": s.target}}
    if s.kind is InputKind.BUFFER:
        return {"buffer": {"arg": arg, "buffer_name": s.target, "persistent": s.persistent}}
    if s.kind is InputKind.CONSTANT_TENSOR:
        return {"tensor_constant": {"arg": arg, "tensor_constant_name": s.target}}
    if s.kind is not InputKind.USER_INPUT:
        raise NotImplementedError(f"export.save(): files have no form here for an input {s.kind.name}")
    if isinstance(s.arg, ConstantArgument):
        return {"constant_input": {"name": s.arg.name, "value": argument(s.arg.value)}}
    return {"user_input": {"arg": {"as_tensor": arg}}}


def _output_spec(s: OutputSpec) -> dict[str, Any]:
    arg = {"name": s.arg.name}
    if s.kind is OutputKind.BUFFER_MUTATION:
        return {"buffer_mutation": {"arg": arg, "buffer_name": s.target}}
    if s.kind is OutputKind.PARAMETER_MUTATION:
        return {"parameter_mutation": {"arg": arg, "parameter_name": s.target}}
    if s.kind is OutputKind.USER_INPUT_MUTATION:
        return {"user_input_mutation": {"arg": arg, "user_input_name": s.target}}
    if s.kind is not OutputKind.USER_OUTPUT:
        raise NotImplementedError(f"export.save(): files have no form here for an output {s.kind.name}")
    if isinstance(s.arg, ConstantArgument):
        return {"user_output": {"arg": argument(s.arg.value)}}
    if isinstance(s.arg, SymIntArgument):
        return {"user_output": {"arg": {"as_sym_int": {"as_name": s.arg.name}}}}
    return {"user_output": {"arg": {"as_tensor": arg}}}


def _module_call(entry: Any) -> dict[str, Any]:
    signature = entry.signature
    if signature is None:
        return {"fqn": entry.fqn, "signature": None}
    return {
        "fqn": entry.fqn,
        "signature": {
            "inputs": [],
            "outputs": [],
            "in_spec": treespec_dumps(signature.in_spec, 1),
            "out_spec": treespec_dumps(signature.out_spec, 1),
            "forward_arg_names": signature.forward_arg_names,
        },
    }


def _bound(x: float) -> int | None:
    return None if abs(x) == math.inf else int(x)


def document_of(ep: Any, opset_version: dict[str, int] | None = None) -> dict[str, Any]:
    """The JSON document of an exported program."""
    return {
        "graph_module": {
            "graph": _graph(ep.graph),
            "signature": {
                "input_specs": [_input_spec(s) for s in ep.graph_signature.input_specs],
                "output_specs": [_output_spec(s) for s in ep.graph_signature.output_specs],
            },
            "module_call_graph": [_module_call(entry) for entry in ep.module_call_graph],
            "metadata": {},
            "treespec_namedtuple_fields": {},
        },
        "opset_version": {"aten": 10, **(opset_version or {})},
        "range_constraints": {
            repr(s): {"min_val": _bound(r.lower), "max_val": _bound(r.upper)}
            for s, r in ep.range_constraints.items()
            if " " not in repr(s)
        },
        "schema_version": {"major": 8, "minor": 20},
        "verifiers": [ep.dialect],
        "torch_version": rushlight.__version__,
        "guards_code": [],
    }
