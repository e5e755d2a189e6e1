"""What the inputs and outputs of an exported graph are."""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

__all__ = [
    "ConstantArgument",
    "CustomObjArgument",
    "ExportBackwardSignature",
    "ExportGraphSignature",
    "InputKind",
    "InputSpec",
    "OutputKind",
    "OutputSpec",
    "SymBoolArgument",
    "SymFloatArgument",
    "SymIntArgument",
    "TensorArgument",
]


@dataclass
class TensorArgument:
    """A tensor: the name of its node."""

    name: str


@dataclass
class TokenArgument:
    """A token, which orders calls with effects: the name of its node."""

    name: str


@dataclass
class SymIntArgument:
    """A size: the name of its node."""

    name: str


@dataclass
class SymFloatArgument:
    """A number computed of sizes: the name of its node."""

    name: str


@dataclass
class SymBoolArgument:
    """A comparison of sizes: the name of its node."""

    name: str


@dataclass
class CustomObjArgument:
    """An object of a class of the program's: the names of its node and of its class."""

    name: str
    class_fqn: str
    fake_val: Any = None


@dataclass
class ConstantArgument:
    """A value of Python, which is the same in every call."""

    name: str
    value: int | float | bool | str | None


ArgumentSpec = (
    TensorArgument
    | SymIntArgument
    | SymFloatArgument
    | SymBoolArgument
    | ConstantArgument
    | CustomObjArgument
    | TokenArgument
)


class InputKind(enum.Enum):
    """What an input of the graph is."""

    USER_INPUT = enum.auto()
    PARAMETER = enum.auto()
    BUFFER = enum.auto()
    CONSTANT_TENSOR = enum.auto()
    CUSTOM_OBJ = enum.auto()
    TOKEN = enum.auto()


@dataclass
class InputSpec:
    """An input of the graph.

    target: the path of the parameter, buffer or constant. persistent: whether the state dict has the buffer.
    """

    kind: InputKind
    arg: ArgumentSpec
    target: str | None
    persistent: bool | None = None

    def __post_init__(self) -> None:
        if self.kind is InputKind.BUFFER and self.persistent is None:
            raise AssertionError("InputSpec: a BUFFER must say whether it is persistent; found None")

    def __str__(self) -> str:
        target = "" if self.target is None else f" target='{self.target}'"
        persistent = "" if self.persistent is None else f" persistent={self.persistent}"
        return f"{self.arg.name}: {self.kind.name}{target}{persistent}"


class OutputKind(enum.Enum):
    """What an output of the graph is."""

    USER_OUTPUT = enum.auto()
    LOSS_OUTPUT = enum.auto()
    BUFFER_MUTATION = enum.auto()
    PARAMETER_MUTATION = enum.auto()
    GRADIENT_TO_PARAMETER = enum.auto()
    GRADIENT_TO_USER_INPUT = enum.auto()
    USER_INPUT_MUTATION = enum.auto()
    TOKEN = enum.auto()


@dataclass
class OutputSpec:
    """An output of the graph; target: the path of what it is the new value or the gradient of."""

    kind: OutputKind
    arg: ArgumentSpec
    target: str | None

    def __str__(self) -> str:
        target = "" if self.target is None else f" target='{self.target}'"
        return f"{self.arg.name}: {self.kind.name}{target}"


@dataclass
class ExportBackwardSignature:
    """The gradients that a graph with a backward gives, by the names of their nodes."""

    gradients_to_parameters: dict[str, str]
    gradients_to_user_inputs: dict[str, str]
    loss_output: str


def _shown(arg: ArgumentSpec) -> Any:
    """What stands for an input or output of the caller's: the name of its node, or the constant."""
    return arg.value if isinstance(arg, ConstantArgument) else arg.name


def _targets(kind: InputKind, doc: str, persistent: bool | None = None) -> Collection[str]:
    """A property of ExportGraphSignature: the paths of the inputs of a kind; persistent: of those that say so alone."""

    def get(self: ExportGraphSignature) -> Collection[str]:
        found = (s for s in self.input_specs if s.kind is kind and persistent in (None, s.persistent))
        return tuple(s.target for s in found if s.target is not None)

    made: Any = property(get, doc=doc)
    return made


def _paths(specs: Sequence[InputSpec] | Sequence[OutputSpec], kind: InputKind | OutputKind) -> dict[str, str]:
    return {s.arg.name: s.target for s in specs if s.kind is kind and s.target is not None}


def _by_name(kind: InputKind | OutputKind, doc: str) -> Mapping[str, str]:
    """A property of ExportGraphSignature: the paths of the inputs or outputs of a kind by the names of their nodes."""

    def get(self: ExportGraphSignature) -> Mapping[str, str]:
        specs = self.input_specs if isinstance(kind, InputKind) else self.output_specs
        return MappingProxyType(_paths(specs, kind))

    made: Any = property(get, doc=doc)
    return made


@dataclass
class ExportGraphSignature:
    """The inputs and outputs of an exported graph, in order: first what it refers to, then what the caller gives; first
    what it writes, then what it returns.
    """

    input_specs: list[InputSpec]
    output_specs: list[OutputSpec]

    parameters = _targets(InputKind.PARAMETER, "The paths of the parameters.")
    buffers = _targets(InputKind.BUFFER, "The paths of the buffers.")
    non_persistent_buffers = _targets(InputKind.BUFFER, "The paths of the buffers that no state dict has.", False)
    lifted_tensor_constants = _targets(InputKind.CONSTANT_TENSOR, "The paths of the constants.")
    lifted_custom_objs = _targets(InputKind.CUSTOM_OBJ, "The paths of objects: none here.")

    @property
    def user_inputs(self) -> Collection[Any]:
        """What the caller gives: names of nodes, and constants."""
        return tuple(_shown(s.arg) for s in self.input_specs if s.kind is InputKind.USER_INPUT)

    @property
    def user_outputs(self) -> Collection[Any]:
        """What the caller gets: names of nodes, and constants."""
        kinds = (OutputKind.USER_OUTPUT, OutputKind.LOSS_OUTPUT)
        return tuple(_shown(s.arg) for s in self.output_specs if s.kind in kinds)

    inputs_to_parameters = _by_name(InputKind.PARAMETER, "The paths of parameters by the names of their nodes.")
    inputs_to_buffers = _by_name(InputKind.BUFFER, "The paths of buffers by the names of their nodes.")
    inputs_to_lifted_tensor_constants = _by_name(
        InputKind.CONSTANT_TENSOR, "The paths of constants by the names of their nodes."
    )
    inputs_to_lifted_custom_objs = _by_name(
        InputKind.CUSTOM_OBJ, "The paths of objects by the names of their nodes: none here."
    )
    buffers_to_mutate = _by_name(
        OutputKind.BUFFER_MUTATION,
        "The paths of the buffers that are written, by the names of the nodes of their new values.",
    )
    parameters_to_mutate = _by_name(
        OutputKind.PARAMETER_MUTATION,
        "The paths of the parameters that are written, by the names of the nodes of their new values.",
    )
    user_inputs_to_mutate = _by_name(
        OutputKind.USER_INPUT_MUTATION, "The inputs that are written, by the names of the nodes of their new values."
    )

    @property
    def backward_signature(self) -> ExportBackwardSignature | None:
        """The gradients among the outputs; None where there is no loss."""
        loss = [s.arg.name for s in self.output_specs if s.kind is OutputKind.LOSS_OUTPUT]
        if not loss:
            return None
        return ExportBackwardSignature(
            _paths(self.output_specs, OutputKind.GRADIENT_TO_PARAMETER),
            _paths(self.output_specs, OutputKind.GRADIENT_TO_USER_INPUT),
            loss[0],
        )

    @property
    def assertion_dep_token(self) -> Mapping[int, str] | None:
        """None: no token orders assertions."""
        return None

    @property
    def input_tokens(self) -> Collection[str]:
        """Tokens among the inputs: none here."""
        return tuple(s.arg.name for s in self.input_specs if s.kind is InputKind.TOKEN)

    @property
    def output_tokens(self) -> Collection[str]:
        """Tokens among the outputs: none here."""
        return tuple(s.arg.name for s in self.output_specs if s.kind is OutputKind.TOKEN)

    def replace_all_uses(self, old: str, new: str) -> None:
        """Let the inputs and outputs of a node's name be another's."""
        if not isinstance(old, str) or not isinstance(new, str):
            raise AssertionError(f"replace_all_uses(): both names must be str; found {old!r} and {new!r}")
        for arg in (*(s.arg for s in self.input_specs), *(s.arg for s in self.output_specs)):
            if arg.name == old:
                arg.name = new

    def __str__(self) -> str:
        inputs = "\n".join(map(str, self.input_specs))
        outputs = "\n".join(map(str, self.output_specs))
        return f"\n# inputs\n{inputs}\n\n# outputs\n{outputs}\n"
