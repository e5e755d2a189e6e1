"""Functions of `torchvision.transforms.v2.functional` on inputs and parameters drawn at random (`cases/drawn.py`):
DRAWN_CASES of them, by DRAWN_SEED, by rushlight and by PyTorch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import comparing
import numpy as np

_HALF = {"torch.float16": 2**-9, "torch.bfloat16": 2**-6}  # two steps
_BYTES = ("uint8", "int8", "bool")


def _rounded(ours: Any, theirs: Any) -> bool:
    """Whether whole numbers differ as they do where floats were rounded: of more than a byte by a part of the largest
    in float32, bytes by one, and few of them.
    """
    if isinstance(ours, (list, tuple)) and isinstance(theirs, (list, tuple)) and len(ours) == len(theirs):
        return all(map(_rounded, ours, theirs))
    if not isinstance(ours, np.ndarray) or ours.dtype.kind in "fc" or ours.shape != theirs.shape:
        return not comparing.difference(ours, theirs)
    apart = np.abs(ours.astype(np.float64) - theirs.astype(np.float64))
    if ours.dtype in _BYTES:
        return bool(apart.max(initial=0) <= 1 and np.mean(apart > 0) <= 0.02)
    return bool(apart.max(initial=0) <= 1 + 1e-6 * np.abs(theirs.astype(np.float64)).max(initial=0))


def _moved(ours: Any, theirs: Any) -> bool:
    """Whether only few numbers differ: pixels taken from a place half way between two, but for the last bit."""
    if isinstance(ours, (list, tuple)) and isinstance(theirs, (list, tuple)) and len(ours) == len(theirs):
        return all(map(_moved, ours, theirs))
    if not isinstance(ours, np.ndarray) or ours.shape != theirs.shape:
        return not comparing.difference(ours, theirs)
    return bool(np.mean(~np.isclose(ours, theirs, rtol=1e-4, atol=1e-5, equal_nan=True)) <= 0.02)


def _difference(name: str, ours: Any, theirs: Any) -> str:
    step = _HALF.get(theirs[1], 0.0) if isinstance(theirs, tuple) and len(theirs) > 1 else 0.0
    found = comparing.difference(ours, theirs, *([step, step] if step else []))
    if found and name.split()[1] in ("affine", "rotate", "perspective", "elastic") and _moved(ours, theirs):
        return ""
    return "" if found and _rounded(ours, theirs) else found


def _undefined(result: Any) -> bool:
    """Whether PyTorch lacks a kernel for the dtype, which rushlight may have."""
    return comparing.raised(result) and ("not implemented for" in result[2] or result[1] == "NotImplementedError")


def test_drawn_calls(tmp_path: Path) -> None:
    ours, theirs = comparing.run("drawn", tmp_path)
    assert ours.keys() == theirs.keys()
    wrong = [f"{k}: {d}" for k in theirs if not _undefined(theirs[k]) and (d := _difference(k, ours[k], theirs[k]))]
    assert not wrong, "\n".join(wrong)
    assert sum(map(comparing.raised, theirs.values())) < 0.5 * len(theirs)
