# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.utils.prune import BasePruningMethod as BasePruningMethod
from rushlight.nn.utils.prune import CustomFromMask as CustomFromMask
from rushlight.nn.utils.prune import Identity as Identity
from rushlight.nn.utils.prune import L1Unstructured as L1Unstructured
from rushlight.nn.utils.prune import LnStructured as LnStructured
from rushlight.nn.utils.prune import PruningContainer as PruningContainer
from rushlight.nn.utils.prune import RandomStructured as RandomStructured
from rushlight.nn.utils.prune import RandomUnstructured as RandomUnstructured
from rushlight.nn.utils.prune import _Ranked as _Ranked
from rushlight.nn.utils.prune import _RankedSlices as _RankedSlices
from rushlight.nn.utils.prune import custom_from_mask as custom_from_mask
from rushlight.nn.utils.prune import global_unstructured as global_unstructured
from rushlight.nn.utils.prune import identity as identity
from rushlight.nn.utils.prune import is_pruned as is_pruned
from rushlight.nn.utils.prune import l1_unstructured as l1_unstructured
from rushlight.nn.utils.prune import ln_structured as ln_structured
from rushlight.nn.utils.prune import random_structured as random_structured
from rushlight.nn.utils.prune import random_unstructured as random_unstructured
from rushlight.nn.utils.prune import remove as remove
