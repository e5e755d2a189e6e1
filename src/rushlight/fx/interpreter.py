"""`Interpreter` runs a graph node by node; `Transformer` makes a new graph of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Argument, Node, Target, map_aggregate, map_arg
from rushlight.fx.proxy import Proxy
from rushlight.fx.tracing import Tracer
from rushlight.nn import Module

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Runs a GraphModule node by node; a subclass overrides what a kind of node does.

    module: the GraphModule. garbage_collect_values: free values after their last use. graph: run this graph instead
    of the module's own.
    """

    def __init__(self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None) -> None:
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph = graph if graph is not None else module.graph
        self.env: dict[Node, Any] = {}
        self.args_iter: Iterator[Any] = iter(())
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.user_to_last_uses: dict[Node, list[Node]] = {}
        if garbage_collect_values:
            seen: set[Node] = set()
            for node in reversed(self.graph.nodes):
                for n in node.all_input_nodes:
                    if n not in seen:
                        seen.add(n)
                        self.user_to_last_uses.setdefault(node, []).append(n)

    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True) -> Any:
        """The graph's output for these inputs.

        initial_env: values of nodes that are not run.

        Raises:
            What a node raises, with the node in its text; RuntimeError for a KeyError.
        """
        self.env = {} if initial_env is None else dict(initial_env)
        if enable_io_processing:
            args = self.graph.process_inputs(*args)
        self.args_iter = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                if self.extra_traceback:
                    first = f"{error.args[0]}\n\n" if error.args and error.args[0] else ""
                    text = f"{first}While executing {node.format_node()}\nOriginal traceback:\n{node.stack_trace}"
                    error.args = (text, *error.args[1:])
                    if isinstance(error, KeyError):  # whose text would be shown as a key
                        raise RuntimeError(*error.args) from error
                raise
            for gone in self.user_to_last_uses.get(node, []):
                self.env.pop(gone, None)
            if node.op == "output":
                found = self.env[node]
                return self.graph.process_outputs(found) if enable_io_processing else found
        return None

    def boxed_run(self, args_list: list[Any]) -> Any:
        """`run`, with the list of inputs emptied, so that they are freed early."""
        args = tuple(args_list)
        args_list.clear()
        return self.run(*args)

    def run_node(self, n: Node) -> Any:
        """The value of a node."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The next input, or the default. RuntimeError: there is neither."""
        assert isinstance(target, str)
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from None

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """An attribute of the module."""
        assert isinstance(target, str)
        return self.fetch_attr(target)

    def call_function(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a function."""
        assert not isinstance(target, str)
        return target(*args, **kwargs)

    def call_method(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a method of args[0]."""
        assert isinstance(target, str)
        return getattr(args[0], target)(*args[1:], **kwargs)

    def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a submodule."""
        assert isinstance(target, str)
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """What the graph returns."""
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """The attribute of the module at a path. RuntimeError: there is none."""
        found = self.module
        for i, part in enumerate(target.split(".")):
            if not hasattr(found, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(target.split('.')[: i + 1])}")
            found = getattr(found, part)
        return found

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The values of a node's arguments."""
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args: Argument, n: Node) -> Any:
        """An argument with nodes replaced by their values. RuntimeError: one has none yet."""

        def value(of: Node) -> Any:
            if of not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {of}! Run Graph.lint() to diagnose such issues"
                )
            return self.env[of]

        return map_arg(args, value)


class Transformer(Interpreter):
    """Makes a new GraphModule by running a graph on proxies; a subclass overrides what a kind of node becomes."""

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)
        outer = self

        class TransformerTracer(Tracer):
            def __init__(self, graph: Graph) -> None:
                super().__init__()
                self.graph = graph
                self.root = outer.module

            def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
                return True

        self.tracer = TransformerTracer(self.new_graph)

    def placeholder(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        """A proxy of a new placeholder."""
        assert isinstance(target, str)
        return self.tracer.proxy(self.new_graph.placeholder(target, default_value=args[0] if args else ...))

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        """A proxy of the attribute."""
        assert isinstance(target, str)
        return self.tracer.proxy(self.new_graph.get_attr(target))

    def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        """A call of the submodule, recorded."""
        assert isinstance(target, str)
        return self.tracer.create_proxy("call_module", target, args, kwargs)

    def call_function(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        """A call of the function, recorded."""
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """The new module."""
        result = super().run(enable_io_processing=False)
        if result is not None:
            old = self.graph.output_node()
            made = self.new_graph.output(
                map_aggregate(result, lambda x: x.node if isinstance(x, Proxy) else x), old.type
            )
            made.meta = dict(old.meta)
        return GraphModule(self.module, self.new_graph)
