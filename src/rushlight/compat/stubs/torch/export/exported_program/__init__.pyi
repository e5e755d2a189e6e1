# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.export.exported_program import CallSpec as CallSpec
from rushlight.export.exported_program import ExportedProgram as ExportedProgram
from rushlight.export.exported_program import ModuleCallEntry as ModuleCallEntry
from rushlight.export.exported_program import ModuleCallSignature as ModuleCallSignature
from rushlight.export.exported_program import default_decompositions as default_decompositions
from rushlight.export.graph_signature import ArgumentSpec as ArgumentSpec
from rushlight.export.graph_signature import ExportGraphSignature as ExportGraphSignature
from rushlight.export.graph_signature import InputKind as InputKind
from rushlight.func.tree import Spec as Spec
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter
