# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.func.tree import Spec as Spec
from rushlight.func.tree import flatten as flatten
from rushlight.fx.graph import CodeGen as CodeGen
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.graph import PythonCode as PythonCode
from rushlight.fx.graph import _CodeTransformer as _CodeTransformer
from rushlight.fx.graph import _InsertPoint as _InsertPoint
from rushlight.fx.graph import _NodeList as _NodeList
from rushlight.fx.graph import _PyTreeCodeGen as _PyTreeCodeGen
from rushlight.fx.graph import _PyTreeInfo as _PyTreeInfo
from rushlight.fx.graph import _Text as _Text
from rushlight.fx.graph import _Writer as _Writer
from rushlight.fx.graph import path_text as path_text
from rushlight.fx.names import Namespace as Namespace
from rushlight.fx.names import module_of as module_of
from rushlight.fx.names import qualified_name as qualified_name
from rushlight.fx.names import type_name as type_name
from rushlight.fx.node import AUGMENTED as AUGMENTED
from rushlight.fx.node import Argument as Argument
from rushlight.fx.node import INFIX as INFIX
from rushlight.fx.node import Node as Node
from rushlight.fx.node import Target as Target
from rushlight.fx.node import map_arg as map_arg
from rushlight.fx.node import text_of as text_of
from rushlight.nn.modules.module import Module as Module
