# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fx._symbolic_trace import symbolic_trace as symbolic_trace
from rushlight.fx.experimental.optimization import fuse as fuse
from rushlight.fx.experimental.optimization import matches_module_pattern as matches_module_pattern
from rushlight.fx.experimental.optimization import remove_dropout as remove_dropout
from rushlight.fx.experimental.optimization import replace_node_module as replace_node_module
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.interpreter import Transformer as Transformer
from rushlight.fx.node import Node as Node
from rushlight.nn.utils.fusion import fuse_conv_bn_eval as fuse_conv_bn_eval
from torch import nn as nn
