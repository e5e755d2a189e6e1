# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.export import draft_export as draft_export
from rushlight.export import export as export
from rushlight.export import load as load
from rushlight.export import register_dataclass as register_dataclass
from rushlight.export import save as save
from rushlight.export import unflatten as unflatten
from rushlight.export.decomp_utils import CustomDecompTable as CustomDecompTable
from rushlight.export.dynamic_shapes import AdditionalInputs as AdditionalInputs
from rushlight.export.dynamic_shapes import Constraint as Constraint
from rushlight.export.dynamic_shapes import Dim as Dim
from rushlight.export.dynamic_shapes import ShapesCollection as ShapesCollection
from rushlight.export.dynamic_shapes import dims as dims
from rushlight.export.exported_program import ExportedProgram as ExportedProgram
from rushlight.export.exported_program import ModuleCallEntry as ModuleCallEntry
from rushlight.export.exported_program import ModuleCallSignature as ModuleCallSignature
from rushlight.export.exported_program import default_decompositions as default_decompositions
from rushlight.export.graph_signature import ExportBackwardSignature as ExportBackwardSignature
from rushlight.export.graph_signature import ExportGraphSignature as ExportGraphSignature
from rushlight.export.unflatten import FlatArgsAdapter as FlatArgsAdapter
from rushlight.export.unflatten import UnflattenedModule as UnflattenedModule
from torch.export import decomp_utils as decomp_utils
from torch.export import dynamic_shapes as dynamic_shapes
from torch.export import exported_program as exported_program
from torch.export import graph_signature as graph_signature
