# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.export._unlift import assign as assign
from rushlight.export._unlift import folder as folder
from rushlight.export.exported_program import ExportedProgram as ExportedProgram
from rushlight.export.graph_signature import InputKind as InputKind
from rushlight.export.graph_signature import OutputKind as OutputKind
from rushlight.export.unflatten import FlatArgsAdapter as FlatArgsAdapter
from rushlight.export.unflatten import InterpreterModule as InterpreterModule
from rushlight.export.unflatten import UnflattenedModule as UnflattenedModule
from rushlight.export.unflatten import _Callable as _Callable
from rushlight.export.unflatten import _Unflattening as _Unflattening
from rushlight.export.unflatten import unflatten as unflatten
from rushlight.func.tree import Spec as Spec
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.interpreter import Interpreter as Interpreter
from rushlight.fx.node import Node as Node
from rushlight.fx.node import map_arg as map_arg
from rushlight.nn.modules.module import Module as Module
