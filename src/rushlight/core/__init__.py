"""The compiled core: storages, tensors, dtypes, dispatch, launch and the autograd engine. Knows nothing of
operators.
"""

# Before any class is derived of Tensor: the first completes the class, the second indexing.
from rushlight.core import indexing as _indexing
from rushlight.core import patched as _patched

del _indexing, _patched
