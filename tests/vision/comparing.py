"""Results of the cases in `cases/` compared: those of rushlight and those of PyTorch, each from a process of its
own.
"""

from __future__ import annotations

import importlib.util
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

HERE = Path(__file__).parent
NAMES = "the public names"
# Public names of which a result needs a package that is not installed for the tests.
ERRORS_ONLY = {
    *("io.decode_avif", "io.decode_heic"),  # torchvision's extra decoders
    *("CocoCaptions", "CocoDetection", "PCAM", "LSUN", "LSUNClass"),  # pycocotools, h5py, lmdb
}


def raised(result: Any) -> bool:
    """Whether a case raised an error."""
    return isinstance(result, tuple) and result[:1] == ("raised",)


def run(name: str, folder: Path, arguments: list[str] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the cases of a file give here and in PyTorch, by name; skips where torchvision or PyTorch is not
    installed.
    """
    for package in ("torch", "torchvision", "PIL"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    found = []
    for prefix in (["-m", "rushlight"], []):
        path = folder / f"{name}-{len(found)}.pickle"
        command = [sys.executable, *prefix, str(HERE / "cases" / "run.py"), name, str(path), *(arguments or [])]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": ""}
        done = subprocess.run(command, capture_output=True, text=True, timeout=7200, env=environment)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
        with open(path, "rb") as file:
            found.append(pickle.load(file))
    return found[0], found[1]


def difference(ours: Any, theirs: Any, rtol: float = 1e-4, atol: float = 1e-5) -> str:
    """How two results differ; "" where they do not. Numbers that were rounded differently at some step may differ by
    the tolerance, whole numbers not.
    """
    if type(ours) is not type(theirs):
        return f"{_shown(ours)} for {_shown(theirs)}"
    if isinstance(ours, np.ndarray):
        if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
            return f"{ours.dtype} {ours.shape} for {theirs.dtype} {theirs.shape}"
        if ours.dtype.kind not in "fc":
            apart = np.abs(ours.astype(np.int64) - theirs.astype(np.int64))
            return f"{np.mean(apart > 0):.2%} of the numbers, by up to {apart.max()}" if apart.any() else ""
        # The tolerance is of the largest number: what cancels is as exact as what it is made of.
        scale = float(np.abs(theirs[np.isfinite(theirs)]).max(initial=0.0))
        if np.allclose(ours, theirs, rtol=rtol, atol=atol + rtol * scale, equal_nan=True):
            return ""
        return f"by up to {np.abs(ours - theirs).max()} of {scale}"
    if isinstance(ours, (list, tuple)):
        if ours and ours[0] == "raised" and len(theirs) > 1:
            return "" if theirs[:2] == ours[:2] else f"{_shown(ours)} for {_shown(theirs)}"
        if len(ours) != len(theirs):
            return f"{len(ours)} results for {len(theirs)}"
        return next((d for a, b in zip(ours, theirs, strict=True) if (d := difference(a, b, rtol, atol))), "")
    if isinstance(ours, dict):
        if ours.keys() != theirs.keys():
            return f"{sorted(ours)} for {sorted(theirs)}"
        return next((f"{k}: {d}" for k in ours if (d := difference(ours[k], theirs[k], rtol, atol))), "")
    if isinstance(ours, float):
        return "" if np.isclose(ours, theirs, rtol=rtol, atol=atol, equal_nan=True) else f"{ours} for {theirs}"
    return "" if ours == theirs else f"{_shown(ours)} for {_shown(theirs)}"


def _shown(x: Any) -> str:
    return repr(x)[:200]
