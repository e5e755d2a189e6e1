"""`Graph`: a straight-line program over nodes, which can be edited, checked, printed and written as Python."""

from __future__ import annotations

import copy
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from rushlight.core.checks import check_argument, check_that
from rushlight.core.dispatch import Operator
from rushlight.core.named import Named
from rushlight.core.warning import warn
from rushlight.func.tree import Spec, flatten
from rushlight.fx.names import Namespace, module_of, qualified_name, type_name
from rushlight.fx.node import AUGMENTED, INFIX, Argument, Node, Target, map_arg, text_of
from rushlight.nn.modules.module import Module

__all__ = ["CodeGen", "Graph", "PythonCode"]


@dataclass
class PythonCode:
    """The source of a function and the objects that it finds among its globals."""

    src: str
    globals: dict[str, Any]


class CodeGen:
    """Writes a graph as a function; a subclass may change its first line and what it returns."""

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """The line `def forward(self, ...):`."""
        if not free_vars or free_vars[0] != "self":
            free_vars = ["self", *free_vars]
        return f"def forward({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Argument) -> str:
        """The line that returns; `output_args` has a repr that is source text."""
        return f"return {output_args!r}"

    def process_inputs(self, *args: Any) -> tuple[Any, ...]:
        """The graph's inputs, of what the function is called with."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """What the function returns, of the graph's outputs."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Further globals of the function: pairs of a name and an object."""
        return []


class _PyTreeInfo(NamedTuple):
    """orig_args: the names of the function's parameters. in_spec: the shape of the tuple of them. out_spec: that of
    what it returns; None: a leaf."""

    orig_args: list[str]
    in_spec: Spec
    out_spec: Spec | None


class _PyTreeCodeGen(CodeGen):
    """Writes a function whose arguments are nested containers: it begins by taking the graph's inputs out of them, and
    ends by putting what it returns into one."""

    def __init__(self, pytree_info: _PyTreeInfo) -> None:
        self.pytree_info = pytree_info

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """The first line, and the one that takes the containers apart."""
        names = self.pytree_info.orig_args
        head = super().gen_fn_def(names[1:] if names[:1] == ["self"] else names, maybe_return_annotation)
        free = list(free_vars)
        if len(free) < self.pytree_info.in_spec.num_leaves:
            free.insert(0, "self")  # of a module: its leaf in the shape
        if not free:
            return head
        free = [v.split(" = ")[0] for v in free]  # the caller gives all of the containers, so there is no default
        typed = [v + "; " for v in free if ":" in v]
        taken = [v.split(":")[0] for v in free]
        return (
            head
            + (f"\n    {''.join(typed)}\n" if typed else "")
            + f"\n    {', '.join(taken)}, = fx_pytree.tree_flatten_spec([{', '.join(names)}], self._in_spec)"
        )

    def generate_output(self, output_args: Argument) -> str:
        """The line that returns."""
        if self.pytree_info.out_spec is None:
            return super().generate_output(output_args)
        return f"return pytree.tree_unflatten({output_args!r}, self._out_spec)"

    def process_inputs(self, *inputs: Any) -> Any:
        """The leaves of the arguments."""
        return flatten(inputs)[0]

    def process_outputs(self, outputs: Any) -> Any:
        """The container of the graph's outputs."""
        out_spec = self.pytree_info.out_spec
        if out_spec is None:
            return outputs
        return out_spec.unflatten(outputs if isinstance(outputs, (list, tuple)) else [outputs])


class _Text:
    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class _NodeList:
    """The nodes of a graph, from the first to the last; while iterating, nodes may be added and erased."""

    def __init__(self, graph: Graph, backward: bool = False) -> None:
        self.graph, self.backward = graph, backward

    def __len__(self) -> int:
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        root = self.graph._root
        n = root._prev if self.backward else root._next
        while n is not root:
            ahead = n._prev if self.backward else n._next
            if not n._erased:
                yield n
                # What the caller put behind the node is visited, too.
                ahead = (n._prev if self.backward else n._next) if not n._erased else ahead
            n = ahead

    def __reversed__(self) -> _NodeList:
        return _NodeList(self.graph, not self.backward)


class _InsertPoint:
    def __init__(self, graph: Graph, insert: Callable[[Node], None]) -> None:
        self.graph = graph
        self.old, graph._insert = graph._insert, insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        self.graph._insert = self.old


def _has_path(module: Module, path: str) -> bool:
    for name in path.split("."):
        if not hasattr(module, name):
            return False
        module = getattr(module, name)
    return True


class Graph:
    """A list of nodes in which each takes earlier ones.

    owning_module: the GraphModule whose graph this is. tracer_cls: the class of the tracer that made it, for pickling.
    """

    def __init__(
        self, owning_module: Any = None, tracer_cls: type | None = None, tracer_extras: dict[str, Any] | None = None
    ) -> None:
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend
        self._len = 0
        self._namespace = Namespace()
        self._owning_module = owning_module
        self._tracer_cls, self._tracer_extras = tracer_cls, tracer_extras
        self._codegen = CodeGen()
        self._transform_code: list[Callable[[list[str]], list[str]]] = []

    @property
    def owning_module(self) -> Any:
        """The GraphModule whose graph this is, or None."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, module: Module) -> None:
        self._owning_module = module

    @property
    def nodes(self) -> _NodeList:
        """The nodes in order; `reversed` and `len` work too."""
        return _NodeList(self)

    def position(self, node: Node) -> int:
        """The place of a node in the order. ValueError: it is not in the graph."""
        for i, n in enumerate(self.nodes):
            if n is node:
                return i
        raise ValueError(f"position(): {node.name} is no node of this graph")

    def find_nodes(self, *, op: str, target: Target | None = None, sort: bool = True) -> list[Node]:
        """The nodes with an opcode and, for those that have one, a target."""
        return [n for n in self.nodes if n.op == op and (target is None or op == "output" or n.target == target)]

    def output_node(self) -> Node:
        """The output. RuntimeError: there is none yet."""
        found = self.find_nodes(op="output")
        check_that(len(found) == 1, "output_node()", "the graph", "have one output", len(found))
        return found[0]

    # ---- making nodes
    def create_node(
        self,
        op: str,
        target: Target,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """A new node at the point of insertion, which is the end unless `inserting_before` or `inserting_after` is in
        force.

        Raises:
            TypeError: for args that are no tuple and kwargs that are no dict; see Node for the targets.
        """
        args, kwargs = () if args is None else args, {} if kwargs is None else kwargs
        check_argument(isinstance(args, tuple), "create_node()", "args", "be a tuple", type(args).__name__, TypeError)
        if not isinstance(kwargs, dict):
            raise TypeError(f"create_node(): 'kwargs' must be a dict; found {type(kwargs).__name__}")
        free = self._namespace.create_name(name if name is not None else _name_for(target), None)
        node = Node(self, free, op, target, args, kwargs, type_expr)
        self._namespace.associate(free, node)
        self._insert(node)
        self._len += 1
        return node

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """An argument of the function; `default_value` makes it optional."""
        args = () if default_value is ... else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """An attribute of the module, by its path."""
        if self.owning_module is not None and not _has_path(self.owning_module, qualified_name):
            warn(f"get_attr(): the graph's module has no attribute {qualified_name!r}; add it before the graph runs")
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(
        self,
        module_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """A call of a submodule, by its path."""
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self,
        method_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """A call of a method of args[0]."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self,
        the_function: Callable[..., Any],
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
        name: str | None = None,
    ) -> Node:
        """A call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        """What the function returns."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Argument] = lambda x: x) -> Node:
        """A copy of a node of another graph; `arg_transform` gives for each of its argument nodes the one of this
        graph.
        """
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        made = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = copy.copy(node.meta)
        return made

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Any:
        """Copy the nodes of `g` but its output to here; returns what the output returned, in nodes of this graph.

        val_map: from nodes of `g` to their copies; those that are in it already are not copied. return_output_node:
        return a pair of that and the output node of `g`.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                found = map_arg(node.args[0], lambda n: val_map[n])
                return (found, node) if return_output_node else found
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def inserting_before(self, n: Node | None = None) -> _InsertPoint:
        """In a with block, or until the next call: new nodes go before `n` (None: to the very beginning)."""
        if n is None:
            return self.inserting_after(self._root)
        self._own(n, "inserting_before")
        return _InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> _InsertPoint:
        """In a with block, or until the next call: new nodes go behind `n` (None: to the end), in the order in which
        they are made.
        """
        if n is None:
            return self.inserting_before(self._root)
        self._own(n, "inserting_after")
        last = n

        def insert(x: Node) -> None:
            nonlocal last
            last.append(x)
            last = x

        return _InsertPoint(self, insert)

    def _own(self, n: Node, what: str) -> None:
        if n.graph is not self:
            raise AssertionError(f"{what}(): {n.name} must be a node of this graph")

    def erase_node(self, to_erase: Node) -> None:
        """Take a node out. RuntimeError: another one takes it."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: "
                f"{to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"erase_node(): {to_erase.name} must be a node of this graph")
        if to_erase._erased:
            warnings.warn(f"erase_node({to_erase}) on an already erased node", stacklevel=2)
            return
        ahead = to_erase._prev, to_erase._next
        to_erase._remove_from_list()
        to_erase._prev, to_erase._next = ahead  # an iteration that stands at it goes on
        to_erase._erased = True
        self._len -= 1
        to_erase._update((), {})

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Erase nodes without users and effects; returns whether there were any."""
        self.lint()
        impure = is_impure_node or Node.is_impure
        changed = False
        for node in reversed(self.nodes):
            if not node.users and node.op not in ("placeholder", "output") and not impure(node):
                self.erase_node(node)
                changed = True
        return changed

    # ---- checks and text
    def lint(self) -> None:
        """Check that each node takes earlier nodes of this graph, that names are unique and paths lead to modules.

        Raises:
            RuntimeError, AssertionError, ValueError: that name the node.
        """
        seen: set[Node] = set()
        names: set[str] = set()
        for node in self.nodes:
            if node.graph is not self:
                raise RuntimeError(f"lint(): node {node.name} belongs to another graph")
            for n in node.all_input_nodes:
                if n.graph is not self:
                    raise RuntimeError(
                        f"Argument '{n}' of Node '{node}' does not belong to this Graph, but was used as an argument! "
                        "If you are copying nodes from another graph, make sure to use ``arg_transform`` on node_copy()"
                    )
                if n not in seen:
                    raise RuntimeError(
                        f"Argument '{n}' of Node '{node}' was used before it has been defined! Please check that "
                        "Nodes in the graph are topologically ordered"
                    )
            seen.add(node)
            if node.name in names:
                raise RuntimeError(f"lint(): the name {node.name} is given twice")
            names.add(node.name)
            if self.owning_module is not None and node.op in ("get_attr", "call_module"):
                at = self.owning_module
                assert isinstance(node.target, str)
                for part in node.target.split("."):
                    if not hasattr(at, part):
                        raise RuntimeError(
                            f"Node {node} target {node.target} references nonexistent attribute {part} of {node.target}"
                        )
                    at = getattr(at, part)
                if node.op == "call_module" and not callable(at):
                    raise RuntimeError(
                        f"lint(): the target {node.target} of {node.name} must be callable; found {type(at).__name__}"
                    )

    def __str__(self) -> str:
        names: list[str] = []
        kind = [""]
        lines = [line for line in (n.format_node(None, kind) for n in self.nodes) if line is not None]
        return f"graph({', '.join(names)}){kind[0]}:" + "".join(f"\n    {line}" for line in lines)

    def print_tabular(self) -> None:
        """Print opcode, name, target and arguments of the nodes in columns."""
        rows = [["opcode", "name", "target", "args", "kwargs"]]
        rows += [[n.op, n.name, str(n.target), str(n.args), str(n.kwargs)] for n in self.nodes]
        widths = [max(len(r[i]) for r in rows) for i in range(5)]
        rows.insert(1, ["-" * w for w in widths])
        print("\n".join("  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in rows))

    # ---- code
    def set_codegen(self, codegen: CodeGen) -> None:
        """Write the function by another CodeGen."""
        self._codegen = codegen

    def on_generate_code(self, make_transformer: Callable[[Any], Callable[[list[str]], list[str]]]) -> _CodeTransformer:
        """Let a function change the lines of code whenever they are written: it is made by `make_transformer(the one
        before or None)`.

        Returns a handle: as a with block it restores the one before.
        """
        before = self._transform_code[-1] if self._transform_code else None
        handle = _CodeTransformer(self, list(self._transform_code))
        self._transform_code = [make_transformer(before)]
        return handle

    def process_inputs(self, *args: Any) -> Any:
        """The graph's inputs, of what the function is called with."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """What the function returns, of the graph's outputs."""
        return self._codegen.process_outputs(out)

    def python_code(
        self,
        root_module: str,
        *,
        verbose: bool = False,
        include_stride: bool = False,
        include_device: bool = False,
        **kwargs: Any,
    ) -> PythonCode:
        """The graph as a function `forward`, whose module is called `root_module` in its body.

        verbose: values whose `meta` knows their dtype and shape are annotated with them, as in `x: "f32[2, 3]"`;
        with include_stride and include_device as in `x: "f32[2, 3][3, 1]cpu"`.
        """
        return _write(self, root_module, (include_stride, include_device) if verbose else None)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Graph:
        memo = {} if memo is None else memo
        new = Graph(tracer_cls=self._tracer_cls, tracer_extras=self._tracer_extras)
        memo[id(self)] = new
        copied: dict[Node, Node] = {}
        found = new.graph_copy(self, copied, return_output_node=True)
        for old, made in copied.items():
            memo[id(old)] = made
            made.meta = copy.copy(old.meta)
        if found is not None:
            result, old_output = found
            output = new.output(result, type_expr=old_output.type)
            output.meta = copy.copy(old_output.meta)
            memo[id(old_output)] = output
        new._codegen, new._transform_code = copy.deepcopy(self._codegen, memo), list(self._transform_code)
        return new


class _CodeTransformer:
    def __init__(self, graph: Graph, old: list[Callable[[list[str]], list[str]]]) -> None:
        self.graph, self.old = graph, old

    def __enter__(self) -> _CodeTransformer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.graph._transform_code = self.old


def _name_for(target: Target) -> str:
    """The name that a value gets from what makes it: the last word, as_words."""
    if isinstance(target, str):
        name = target.lstrip("_") if target.startswith("__") and target.endswith("__") else target
        name = name.rstrip("_") if target.startswith("__") else name
    else:
        name = getattr(target, "__name__", type(target).__name__)
        if isinstance(target, (Operator, Named)):
            name = qualified_name(target).rsplit(".", 1)[-1]
        if name.startswith("__") and name.endswith("__"):
            name = name.strip("_")
    return (
        re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: "_" + m[1].lower(), name.replace(".", "_")).lower()
        if any(c.isupper() for c in name)
        else name.replace(".", "_")
    )


def path_text(root: str, path: str) -> str:
    """The attribute at a path, as source text; parts that are no identifiers are asked for by getattr."""
    text = root
    for part in path.split("."):
        text = f"{text}.{part}" if part.isidentifier() else f'getattr({text}, "{part}")'
    return text


class _Writer:
    """Writes one graph as a function; kinds: annotates values with their (strides, device) too."""

    def __init__(self, graph: Graph, root: str, kinds: tuple[bool, bool] | None) -> None:
        import rushlight
        from rushlight.fx import _pytree as fx_pytree
        from rushlight.utils import _pytree as pytree

        self.graph, self.root, self.kinds = graph, root, kinds
        self.globals: dict[str, Any] = {
            "inf": float("inf"),
            "nan": float("nan"),
            "NoneType": type(None),
            "torch": rushlight,
            "device": rushlight.device,
            "fx_pytree": fx_pytree,
            "pytree": pytree,
        }
        self.globals.update(graph._codegen.additional_globals())
        self.free: list[str] = []
        self.body: list[str] = []
        self.returns = ""
        self.wrapped: dict[str, None] = {}

    def global_name(self, hint: str, obj: Any) -> str:
        """What the code calls an object that it finds among its globals."""
        module = module_of(obj)
        if hint.startswith("torch."):
            if _reachable(hint, obj):
                return hint
        elif module == "builtins" and not isinstance(obj, type):
            return hint.removeprefix("builtins.")
        elif isinstance(obj, type) and module == "builtins":
            return hint
        name = hint.replace(".", "_").replace("<", "_").replace(">", "_")
        while self.globals.get(name, obj) is not obj:
            name += "_"
        self.globals[name] = obj
        return name

    def text(self, x: Any) -> str:
        return text_of(x, repr, self.global_name)

    def arguments(self, node: Node, skip: int = 0) -> str:
        return ", ".join(
            [self.text(a) for a in node.args[skip:]] + [f"{k} = {self.text(v)}" for k, v in node.kwargs.items()]
        )

    def annotation(self, node: Node, between: str = " : ") -> str:
        if self.kinds is not None:
            kind = _kind_of_tensor(node.meta.get("val", node.meta.get("tensor_meta")), *self.kinds)
            if kind is not None:
                return f': "{kind}"'
        return f"{between}{_annotated(node.type, self)}" if node.type is not None else ""

    def line(self, node: Node) -> str | None:
        """The statement of a node, without what it lets go of."""
        name, target = node.name, node.target
        if node.op == "placeholder":
            assert isinstance(target, str)
            default = f" = {self.text(node.args[0])}" if node.args else ""
            self.free.append(f"{target}{self.annotation(node)}{default}")
            plain = target.lstrip("*")
            return f"{name} = {plain}" if plain != name else None
        if node.op == "output":
            if node.type is not None:
                self.returns = self.annotation(node, " -> ")
            return self.graph._codegen.generate_output(_Text(self.text(node.args[0])))
        left = f"{name}{self.annotation(node)} = "
        if node.op == "get_attr":
            return left + path_text(self.root, str(target))
        if node.op == "call_module":
            return f"{left}{path_text(self.root, str(target))}({self.arguments(node)})"
        if node.op == "call_method":
            first = self.text(node.args[0])
            owner = first if isinstance(node.args[0], Node) else f"({first})"
            return f"{left}{owner}.{target}({self.arguments(node, 1)})"
        if not node.kwargs and target in INFIX and INFIX[target].count("{}") == len(node.args):
            return left + INFIX[target].format(*[self.text(a) for a in node.args])
        if not node.kwargs and target in AUGMENTED and len(node.args) == 2:
            return (
                AUGMENTED[target].format(*[self.text(a) for a in node.args]) + f";  {name} = {self.text(node.args[0])}"
            )
        if target is getattr and len(node.args) == 2 and isinstance(node.args[1], str) and node.args[1].isidentifier():
            return f"{left}{self.text(node.args[0])}.{node.args[1]}"
        name_of = qualified_name(target)  # type: ignore[arg-type]
        called = self.global_name(f"_{name_of}" if name_of.startswith("operator.") else name_of, target)
        if node.meta.get("is_wrapped"):
            self.wrapped[called] = None  # traced again, the call stays one
        return f"{left}{called}({self.arguments(node)})"


def _reachable(dotted: str, obj: Any) -> bool:
    """Whether `torch.a.b` leads to the object."""
    import rushlight

    found: Any = rushlight
    for part in dotted.split(".")[1:]:
        found = getattr(found, part, None)
        if found is None:
            return False
    return found is obj


def _annotated(kind: Any, writer: _Writer) -> str:
    text = type_name(kind)
    if isinstance(kind, type):
        return writer.global_name(text, kind)
    name = f"annotation_{len(writer.globals)}"
    writer.globals[name] = kind
    return name


def _kind_of_tensor(value: Any, strides: bool, device: bool) -> str | None:
    """Dtype and shape of a tensor, or of what `ShapeProp` noted of one, as in "f32[2, 3]"; None for other values."""
    from rushlight import Tensor, dtype

    if isinstance(value, Tensor):
        kind, shape, steps, where = value.dtype, value.shape, value.stride(), str(value.device)
    elif isinstance(getattr(value, "dtype", None), dtype):
        kind, shape, steps, where = value.dtype, value.shape, value.stride, ""
    else:
        return None
    name = str(kind).removeprefix("torch.").removeprefix("rushlight.")
    text = f"{_short(name)}{list(shape)}"
    return text + (str(list(steps)) if strides else "") + (where if device else "")


def _short(name: str) -> str:
    """A dtype's name in a word: f32, i64, b8, bf16, f8e4m3fn."""
    if name == "bool":
        return "b8"
    for long, short in (("float", "f"), ("uint", "u"), ("int", "i"), ("complex", "c"), ("_", "")):
        name = name.replace(long, short)
    return name


def _last_users(graph: Graph) -> dict[Node, list[Node]]:
    """For each node, the values that no later node uses."""
    seen: set[Node] = set()
    found: dict[Node, list[Node]] = {}
    for node in reversed(graph.nodes):
        gone = [n for n in node.all_input_nodes if n not in seen]
        seen.update(gone)
        if not node.users and node.op not in ("placeholder", "output"):
            gone.append(node)
        found[node] = gone
    return found


def _write(graph: Graph, root: str, kinds: tuple[bool, bool] | None) -> PythonCode:
    writer = _Writer(graph, root, kinds)
    gone = _last_users(graph)
    for node in graph.nodes:
        line = writer.line(node)
        if line is None:
            continue
        dead = gone.get(node, []) if node.op not in ("placeholder", "output") else []
        writer.body.append(line + (f";  {' = '.join(n.name for n in dead)} = None" if dead else "") + "\n")
    if not any(n.op == "output" for n in graph.nodes):
        writer.body.append("pass\n")
    body = writer.body
    for transform in graph._transform_code:
        body = transform(body)
    head = graph._codegen.gen_fn_def(writer.free, writer.returns)
    wraps = "\n".join(f'torch.fx._symbolic_trace.wrap("{name}")' for name in writer.wrapped)
    lines = "".join(f"    {line}\n" if line else "\n" for line in "".join(body).rstrip("\n").split("\n"))
    return PythonCode(f"\n{wraps}\n\n{head}\n{lines}    ", writer.globals)
