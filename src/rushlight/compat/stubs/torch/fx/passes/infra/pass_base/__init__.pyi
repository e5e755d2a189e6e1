# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.passes.infra.pass_base import PassBase as PassBase
from rushlight.fx.passes.infra.pass_base import PassResult as PassResult
