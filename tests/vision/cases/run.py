"""Runs the cases of one file with whatever `torch` is here, and writes what each gives:
`python run.py NAME out.pickle`.

A case is a function without arguments. Before each, all generators of random numbers are seeded; what it raises
counts as what it gives.
"""

from __future__ import annotations

import importlib
import os
import pickle
import random
import sys
import warnings
from typing import Any

import numpy as np
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
if "rushlight" not in sys.modules:
    import fused_products
    import without_cuda

    without_cuda.prepare()
    fused_products.prepare()


def plain(x: Any) -> Any:
    """A result in terms of NumPy and Python."""
    from PIL import Image

    if isinstance(x, torch.Tensor):
        kept = {k: str(v) for k, v in vars(x).items() if k in ("format", "canvas_size", "clamping_mode")}
        values = x.detach().as_subclass(torch.Tensor)
        if values.dtype in (torch.bfloat16, torch.float16):
            values = values.float()
        return type(x).__name__, str(x.dtype), kept, values.numpy().copy(), x.requires_grad
    if isinstance(x, np.ndarray):
        return "ndarray", x.copy()
    if isinstance(x, Image.Image):
        return "picture", x.mode, x.size, np.asarray(x)
    if isinstance(x, dict):
        return {str(k): plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [type(x).__name__, *map(plain, x)]
    if x is None or isinstance(x, (bool, int, float, str, bytes)):
        return x
    return f"<{type(x).__name__}>"


def outcome(case: Any) -> Any:
    """What a case gives, plain, or the type of what it raises."""
    random.seed(7)
    np.random.seed(7)
    torch.manual_seed(7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(case())
        except Exception as error:
            return "raised", type(error).__name__, str(error)[:300]


def main(name: str, path: str) -> None:
    subject = importlib.import_module(name)
    found = {key: outcome(case) for key, case in subject.cases()}
    if hasattr(subject, "names"):
        found["the public names"] = subject.names()
    with open(path, "wb") as file:
        pickle.dump(found, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
