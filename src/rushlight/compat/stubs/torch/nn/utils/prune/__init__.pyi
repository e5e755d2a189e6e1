# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.utils.prune import (
    BasePruningMethod as BasePruningMethod, CustomFromMask as CustomFromMask, Identity as Identity,
    L1Unstructured as L1Unstructured, LnStructured as LnStructured, PruningContainer as PruningContainer,
    RandomStructured as RandomStructured, RandomUnstructured as RandomUnstructured, _Ranked as _Ranked,
    _RankedSlices as _RankedSlices, custom_from_mask as custom_from_mask, global_unstructured as global_unstructured,
    identity as identity, is_pruned as is_pruned, l1_unstructured as l1_unstructured, ln_structured as ln_structured,
    random_structured as random_structured, random_unstructured as random_unstructured, remove as remove,
)
