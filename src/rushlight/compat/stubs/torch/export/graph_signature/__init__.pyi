# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.export.graph_signature import ArgumentSpec as ArgumentSpec
from rushlight.export.graph_signature import ConstantArgument as ConstantArgument
from rushlight.export.graph_signature import CustomObjArgument as CustomObjArgument
from rushlight.export.graph_signature import ExportBackwardSignature as ExportBackwardSignature
from rushlight.export.graph_signature import ExportGraphSignature as ExportGraphSignature
from rushlight.export.graph_signature import InputKind as InputKind
from rushlight.export.graph_signature import InputSpec as InputSpec
from rushlight.export.graph_signature import OutputKind as OutputKind
from rushlight.export.graph_signature import OutputSpec as OutputSpec
from rushlight.export.graph_signature import SymBoolArgument as SymBoolArgument
from rushlight.export.graph_signature import SymFloatArgument as SymFloatArgument
from rushlight.export.graph_signature import SymIntArgument as SymIntArgument
from rushlight.export.graph_signature import TensorArgument as TensorArgument
from rushlight.export.graph_signature import TokenArgument as TokenArgument
