# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.passes.infra.pass_base import PassResult as PassResult
from rushlight.fx.passes.infra.pass_manager import PassManager as PassManager
from rushlight.fx.passes.infra.pass_manager import pass_result_wrapper as pass_result_wrapper
from rushlight.fx.passes.infra.pass_manager import this_before_that_pass_constraint as this_before_that_pass_constraint
from rushlight.nn.modules.module import Module as Module
