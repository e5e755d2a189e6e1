"""`FxGraphDrawer`: a graph as a drawing in Graphviz' language, by the package pydot."""

from __future__ import annotations

import hashlib
import itertools
import operator
from types import ModuleType
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.names import module_of, qualified_name
from rushlight.fx.node import Node, text_of
from rushlight.fx.operator_schemas import normalize_function
from rushlight.fx.passes.shape_prop import TensorMetadata

__all__ = ["FxGraphDrawer"]

_COLORS = {
    "placeholder": '"AliceBlue"',
    "call_module": "LemonChiffon1",
    "get_param": "Yellow2",
    "get_attr": "LightGrey",
    "output": "PowderBlue",
}
_TARGET_COLORS = (
    "CadetBlue1 Coral DarkOliveGreen1 DarkSeaGreen1 GhostWhite Khaki1 LavenderBlush1 LightSkyBlue MistyRose1 "
    "MistyRose2 PaleTurquoise2 PeachPuff1 Salmon Thistle1 Thistle3 Wheat1"
).split()
_WEIGHT = {"fillcolor": "Salmon", "style": '"filled,rounded"', "fontcolor": "#000000"}


def _pydot() -> ModuleType:
    try:
        import pydot
    except ImportError:
        raise RuntimeError(
            "FXGraphDrawer requires the pydot package to be installed. Please install pydot through your favorite "
            "Python package manager."
        ) from None
    found: ModuleType = pydot
    return found


class FxGraphDrawer:
    """Draws a graph: a box for each node, with its target, its arguments and what a pass has found of its value.

    Args:
        graph_module: the module whose graph is drawn.
        name: the drawing's.
        ignore_getattr: leave out attributes.
        ignore_parameters_and_buffers: leave out those of the modules that are called.
        skip_node_names_in_args: of the arguments those that are no nodes; the lines show the others.
        parse_stack_trace: show where a value was made.
        dot_graph_shape: of the boxes, "record" by default.
        normalize_args: show arguments by name.

    Raises:
        RuntimeError: pydot is not installed.
    """

    def __init__(
        self,
        graph_module: GraphModule,
        name: str,
        ignore_getattr: bool = False,
        ignore_parameters_and_buffers: bool = False,
        skip_node_names_in_args: bool = True,
        parse_stack_trace: bool = False,
        dot_graph_shape: str | None = None,
        normalize_args: bool = False,
    ) -> None:
        self._pydot = _pydot()
        self._name = name
        self.dot_graph_shape = dot_graph_shape if dot_graph_shape is not None else "record"
        self.normalize_args = normalize_args
        self._ignore = ignore_getattr, ignore_parameters_and_buffers
        self._skip_nodes, self._traces = skip_node_names_in_args, parse_stack_trace
        self._dot_graphs: dict[str, Any] = {name: self._draw(graph_module, name)}
        for node in graph_module.graph.nodes:
            if node.op != "call_module":
                continue
            inner = operator.attrgetter(str(node.target))(graph_module)
            if isinstance(inner, GraphModule):
                self._dot_graphs[f"{name}_{node.target}"] = self._draw(inner, f"{name}_{node.target}")

    def get_dot_graph(self, submod_name: str | None = None) -> Any:
        """The drawing, a pydot.Dot: `write_svg` and its family make a file of it. submod_name: that of a submodule."""
        return self.get_main_dot_graph() if submod_name is None else self.get_submod_dot_graph(submod_name)

    def get_main_dot_graph(self) -> Any:
        """The drawing of the module's own graph."""
        return self._dot_graphs[self._name]

    def get_submod_dot_graph(self, submod_name: str) -> Any:
        """The drawing of a submodule that is a GraphModule, by its name."""
        return self._dot_graphs[f"{self._name}_{submod_name}"]

    def get_all_dot_graphs(self) -> dict[str, Any]:
        """All drawings, by their names."""
        return self._dot_graphs

    # ---- boxes and lines
    def _draw(self, module: GraphModule, name: str) -> Any:
        drawing = self._pydot.Dot(name, rankdir="TB")
        skip_attributes, skip_weights = self._ignore
        for node in module.graph.nodes:
            if skip_attributes and node.op == "get_attr":
                continue
            drawing.add_node(self._pydot.Node(node.name, label=self._label(module, node), **self._style(node)))
            if node.op != "call_module" or skip_weights:
                continue
            inner = operator.attrgetter(str(node.target))(module)
            if isinstance(inner, GraphModule):
                continue
            for path, weight in itertools.chain(inner.named_parameters(), inner.named_buffers()):
                self._weight(drawing, node, path, weight, "." not in path and path in inner._parameters)
        for node in module.graph.nodes:
            if skip_attributes and node.op == "get_attr":
                continue
            for user in node.users:
                drawing.add_edge(self._pydot.Edge(node.name, user.name))
        return drawing

    def _weight(self, drawing: Any, node: Node, path: str, weight: Tensor, is_parameter: bool) -> None:
        name = f"{node.name}.{path}"
        head = f"{name}|op_code=get_parameter" if is_parameter else r"buffer\l"
        drawing.add_node(
            self._pydot.Node(name, label=f"{{{head}{_kind(weight)}\\n}}", **_WEIGHT, shape=self.dot_graph_shape)
        )
        drawing.add_edge(self._pydot.Edge(name, node.name))

    def _style(self, node: Node) -> dict[str, str]:
        color = _COLORS.get(node.op)
        if color is None:
            text = node._pretty_print_target(node.target)
            color = _TARGET_COLORS[int(hashlib.md5(text.encode()).hexdigest()[:8], 16) % len(_TARGET_COLORS)]
        return {"shape": self.dot_graph_shape, "fillcolor": color, "style": '"filled,rounded"', "fontcolor": "#000000"}

    def _label(self, module: GraphModule, node: Node) -> str:
        text = rf"{{name=%{node.name}|op_code={node.op}\n"
        if node.op == "call_module":
            inner = operator.attrgetter(str(node.target))(module)
            kind = type(inner)
            extra = "\n" if kind is not type(inner) else ""
            constants = r"\n".join(f"{c}: {getattr(inner, c, None)}" for c in getattr(kind, "__constants__", ()))
            text += rf"\n{module_of(kind)}.{kind.__qualname__}{extra}\n|{constants}\n"
        else:
            text += rf"|target={self._target(node)}\n"
            args, kwargs = tuple(node.args), dict(node.kwargs)
            if self.normalize_args and callable(node.target):
                found = normalize_function(
                    node.target, args, kwargs, tuple(map(type, args)), {}, normalize_to_only_use_kwargs=True
                )
                args, kwargs = found if found is not None else (args, kwargs)
            text += self._arguments("args", args) + self._arguments("kwargs", kwargs)
            text += rf"|num_users={len(node.users)}\n"
        meta = node.meta.get("tensor_meta")
        text += _metadata(meta)
        if self._traces and node.meta.get("stack_trace"):
            last = node.meta["stack_trace"].strip().split("\n")[-2:]
            text += f"|{_escaped(' '.join(line.strip() for line in last))}" + r"\n"
        return text + "}"

    def _target(self, node: Node) -> str:
        if isinstance(node.target, str):
            return node.target
        name = qualified_name(node.target)
        return f"_{name}" if name.startswith("operator.") else name

    def _arguments(self, what: str, values: Any) -> str:
        is_dict = isinstance(values, dict)
        items = values.items() if is_dict else enumerate(values)
        shown = [(f"{k}: " if is_dict else "") + _text(v) for k, v in items if not (self._skip_nodes and _of_nodes(v))]
        if not shown:
            return ""
        left, right = (r"\{", r"\}") if is_dict else ("(", ")")
        if len(shown) == 1:
            return f"|{what}={left}{shown[0]},{right}"
        lines = "".join(rf"{s},\n" for s in shown)
        return rf"|{what}={left}\l{lines}{right}\l"


def _of_nodes(x: Any) -> bool:
    """Whether a value is a node, or holds nothing else."""
    if isinstance(x, (tuple, list)):
        return bool(x) and all(map(_of_nodes, x))
    if isinstance(x, dict):
        return bool(x) and all(map(_of_nodes, x.values()))
    return isinstance(x, Node)


def _text(x: Any) -> str:
    """An argument as it is shown: strings and keys without quotes."""
    if isinstance(x, str):
        return _escaped(x)
    if isinstance(x, dict):
        return r"\{" + ", ".join(f"{k}: {_text(v)}" for k, v in x.items()) + r"\}"
    if isinstance(x, tuple) and not hasattr(x, "_fields"):
        return f"({', '.join(map(_text, x))}{',' if len(x) == 1 else ''})"
    if isinstance(x, list):
        return f"[{', '.join(map(_text, x))}]"
    return _escaped(text_of(x, lambda n: f"%{n.name}", lambda name, obj: name))


def _escaped(text: str) -> str:
    return text.replace("{", r"\{").replace("}", r"\}").replace("<", r"\<").replace(">", r"\>")


def _kind(x: Tensor) -> str:
    return f"{repr(x.dtype).replace('rushlight.', 'torch.')}[{', '.join(map(str, x.shape))}]"


def _metadata(meta: Any) -> str:
    if isinstance(meta, TensorMetadata):
        rows = {
            "dtype": repr(meta.dtype).replace("rushlight.", "torch."),
            "shape": str(tuple(meta.shape)),
            "requires_grad": str(meta.requires_grad),
            "stride": str(meta.stride),
        }
        return "".join(rf"|{k}={v}\n" for k, v in rows.items())
    if isinstance(meta, dict):
        return "".join(map(_metadata, meta.values()))
    if isinstance(meta, (tuple, list)):
        return "".join(map(_metadata, meta))
    return ""
