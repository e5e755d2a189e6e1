"""How samples become a batch, where PyTorch has it."""

from __future__ import annotations

import re

from rushlight.utils.data.collate import *  # noqa: F403
from rushlight.utils.data.collate import __all__ as _functions

__all__ = [*_functions, "np_str_obj_array_pattern"]

# The kinds of NumPy's dtypes whose elements are no numbers: programs look for them before they make tensors.
np_str_obj_array_pattern = re.compile(r"[SaUO]")
