# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.func.tree import Spec as Spec, flatten as flatten
from rushlight.fx.graph import (
    CodeGen as CodeGen, Graph as Graph, PythonCode as PythonCode, _CodeTransformer as _CodeTransformer,
    _InsertPoint as _InsertPoint, _NodeList as _NodeList, _PyTreeCodeGen as _PyTreeCodeGen, _PyTreeInfo as _PyTreeInfo,
    _Text as _Text, _Writer as _Writer, path_text as path_text,
)
from rushlight.fx.names import (
    Namespace as Namespace, module_of as module_of, qualified_name as qualified_name, type_name as type_name,
)
from rushlight.fx.node import (
    AUGMENTED as AUGMENTED, Argument as Argument, INFIX as INFIX, Node as Node, Target as Target, map_arg as map_arg,
    text_of as text_of,
)
