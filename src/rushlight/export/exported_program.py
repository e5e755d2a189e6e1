"""`ExportedProgram`: a graph of `torch.ops.aten`, the tensors that it refers to, and the meaning of its inputs and
outputs."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from rushlight.core.naming import reads
from rushlight.core.tensor import Tensor
from rushlight.export.graph_signature import ArgumentSpec, ExportGraphSignature, InputKind
from rushlight.func.tree import Spec
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["ExportedProgram", "ModuleCallEntry", "ModuleCallSignature", "default_decompositions"]


@dataclass
class ModuleCallSignature:
    """The arguments and results of a module's call, and their containers."""

    inputs: list[ArgumentSpec]
    outputs: list[ArgumentSpec]
    in_spec: Spec
    out_spec: Spec
    forward_arg_names: list[str] | None = None

    def replace_all_uses_with(self, original_node: Any, new_node: Any) -> None:
        """Let the arguments and results of a node's name be another's."""
        for arg in (*self.inputs, *self.outputs):
            if arg.name == original_node.name:
                arg.name = new_node.name


@dataclass
class ModuleCallEntry:
    """A module by its path; `signature` where it is to be kept as a call."""

    fqn: str
    signature: ModuleCallSignature | None = None


@dataclass
class CallSpec:
    """The containers of the arguments, (args, kwargs), and of the result."""

    in_spec: Spec | None
    out_spec: Spec | None


def default_decompositions() -> Any:
    """The operators that `run_decompositions()` takes apart: those that are no core ones."""
    from rushlight.export.decomp_utils import CustomDecompTable

    return CustomDecompTable()


class ExportedProgram:
    """A program of a module: `module()` makes a module of it that can be called.

    Args:
        root: a module whose attributes the graph refers to, or a dict of them.
        graph: its inputs are parameters, buffers and constants, then what the caller gives.
        graph_signature: what the inputs and outputs are.
        state_dict: parameters and buffers by their paths.
        range_constraints: the bounds of symbols.
        module_call_graph: the modules of which it was made, the whole first.
        example_inputs: (args, kwargs).
        constants: constants, and buffers that no state dict has, by their paths.
    """

    def __init__(
        self,
        root: Module | dict[str, Any],
        graph: Graph,
        graph_signature: ExportGraphSignature,
        state_dict: dict[str, Any],
        range_constraints: dict[Any, Any],
        module_call_graph: list[ModuleCallEntry],
        example_inputs: tuple[tuple[Any, ...], dict[str, Any]] | None = None,
        constants: dict[str, Any] | None = None,
        *,
        verifiers: list[Any] | None = None,
        dialect: str = "TRAINING",
    ) -> None:
        if isinstance(root, GraphModule) and root.graph is graph:
            self._graph_module = root
        else:
            self._graph_module = GraphModule(root, graph)
        self._graph_signature = graph_signature
        self._state_dict = state_dict
        self._range_constraints = range_constraints
        self._module_call_graph = module_call_graph
        self._example_inputs = example_inputs
        self._constants = constants or {}
        self._dialect = dialect
        self.validate()

    # ---- what it consists of
    @property
    def graph_module(self) -> GraphModule:
        """The graph as a module, of flat inputs and outputs."""
        return self._graph_module

    @graph_module.setter
    def graph_module(self, value: Any) -> None:
        raise RuntimeError("ExportedProgram: graph_module cannot be set; make another program")

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph_module.graph

    @graph.setter
    def graph(self, value: Any) -> None:
        raise RuntimeError("ExportedProgram: graph cannot be set; make another program")

    @property
    def graph_signature(self) -> ExportGraphSignature:
        """What the inputs and outputs of the graph are."""
        return self._graph_signature

    state_dict = reads("_state_dict", dict[str, Any], "Parameters and buffers by their paths.")
    constants = reads("_constants", dict[str, Any], "Constants by their paths, and buffers that no state dict has.")
    tensor_constants = reads("_constants", dict[str, Any], "The constants.")
    range_constraints = reads("_range_constraints", dict[Any, Any], "The bounds of symbols.")

    @property
    def module_call_graph(self) -> list[ModuleCallEntry]:
        """The modules of which it was made, the whole first."""
        return self._module_call_graph

    @property
    def example_inputs(self) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """The arguments that it was made with: (args, kwargs)."""
        return self._example_inputs

    @example_inputs.setter
    def example_inputs(self, value: Any) -> None:
        if value is not None:
            if not (
                isinstance(value, tuple)
                and len(value) == 2
                and isinstance(value[0], tuple)
                and isinstance(value[1], dict)
            ):
                raise ValueError(f"example_inputs: must be a tuple of a tuple and a dict; found {type(value).__name__}")
        self._example_inputs = value

    @property
    def call_spec(self) -> CallSpec:
        """The containers of the arguments and of the result."""
        signature = self._module_call_graph[0].signature
        if signature is None:
            return CallSpec(None, None)
        return CallSpec(signature.in_spec, signature.out_spec)

    @property
    def dialect(self) -> str:
        """ "TRAINING": as the module called, with writes; "ATEN": core operators without."""
        return self._dialect

    def parameters(self) -> Iterator[Parameter]:
        """The parameters."""
        return (p for _, p in self.named_parameters())

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their paths."""
        for path in self._graph_signature.parameters:
            yield path, self._state_dict[path]

    def buffers(self) -> Iterator[Tensor]:
        """The buffers."""
        return (b for _, b in self.named_buffers())

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their paths."""
        loose = set(self._graph_signature.non_persistent_buffers)
        for path in self._graph_signature.buffers:
            yield path, self._constants[path] if path in loose else self._state_dict[path]

    # ---- calls
    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refused: RuntimeError; call `module()`."""
        raise RuntimeError("an ExportedProgram is not called itself; call the module that its module() gives")

    def module(self, check_guards: bool = True) -> GraphModule:
        """A module with the parameters and buffers, which takes and returns what the exported one did.

        check_guards: calls check shapes and constants against those that the program is for (AssertionError).
        """
        from rushlight.export._unlift import unlifted

        return unlifted(self, check_guards)

    def run_decompositions(
        self, decomp_table: Mapping[Any, Callable[..., Any]] | None = None, decompose_custom_triton_ops: bool = False
    ) -> ExportedProgram:
        """The same program in core operators, which write to nothing: what was written is an output.

        decomp_table: from an overload to the function that does its calls, in the place of `default_decompositions()`.
        """
        from rushlight.export._decompose import decomposed

        return ExportedProgram(**decomposed(self, decomp_table))

    def validate(self) -> None:
        """Check that the graph is well formed and has the inputs and outputs of its signature.

        Raises:
            AssertionError, RuntimeError: that name what does not fit.
        """
        self.graph.lint()
        names = [n.name for n in self.graph.nodes if n.op == "placeholder"]
        told = [s.arg.name for s in self._graph_signature.input_specs]
        if names != told:
            raise AssertionError(f"ExportedProgram: the graph's inputs {names} must be those of its signature, {told}")
        for s in self._graph_signature.input_specs:
            if s.kind is InputKind.PARAMETER and s.target not in self._state_dict:
                raise AssertionError(f"ExportedProgram: the state dict lacks the parameter {s.target!r}")
        outputs = self.graph.output_node().args[0]
        if not isinstance(outputs, (tuple, list)) or len(outputs) != len(self._graph_signature.output_specs):
            raise AssertionError("ExportedProgram: the graph must return as many values as its signature has outputs")

    def __str__(self) -> str:
        code = self._graph_module.print_readable(print_output=False).replace("\n", "\n    ")
        signature = str(self._graph_signature).replace("\n", "\n    ")
        return (
            f"ExportedProgram:\n    {code}\nGraph signature: {signature}\n"
            f"Range constraints: {self._range_constraints}\n"
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> ExportedProgram:
        graph_module = copy.deepcopy(self._graph_module, memo)
        return ExportedProgram(
            root=graph_module,
            graph=graph_module.graph,
            graph_signature=copy.deepcopy(self._graph_signature, memo),
            state_dict=copy.deepcopy(self._state_dict, memo),
            range_constraints=dict(self._range_constraints),
            module_call_graph=list(self._module_call_graph),
            example_inputs=copy.deepcopy(self._example_inputs, memo),
            constants=copy.deepcopy(self._constants, memo),
            dialect=self._dialect,
        )
