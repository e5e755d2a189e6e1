"""Calls that PyTorch warns of, or not: small programs, each a function (warning_calls_*.py). Run as a script, it prints
how each warns, as JSON.

`python tests/parity/warning_programs.py` is PyTorch's answer, `python -m rushlight tests/parity/warning_programs.py`
ours.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

import warning_calls_modules
import warning_calls_tensors

PRELUDE = (
    "import copy, functools, io, itertools, math, pickle\nimport numpy as np\n"
    "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
    "import functorch, torch.utils.checkpoint, torch.utils.dlpack, torch.utils._pytree\n"
    "import torch.nn.attention, torch.masked, torch.fx, torch.profiler\n"
    "import torch.nn.utils.stateless, torch.nn.utils.parametrizations, torch.nn.utils.prune\n"
    "import torch.testing, torch.library\n"
    "counter = itertools.count().__next__\n"
    "def named_function(x): return x\n"
    "class PassesGradient(torch.autograd.Function):\n    @staticmethod\n    def backward(ctx, g): return g\n"
)


def programs() -> dict[str, Callable[[], Any]]:
    """The programs by their names, in order, for the torch that `import torch` gives."""
    space: dict[str, Any] = {}
    exec(PRELUDE, space)
    before = set(space)
    exec(warning_calls_tensors.SOURCE + warning_calls_modules.SOURCE, space)
    return {name: f for name, f in space.items() if name not in before and name != "make"}


def heard(program: Callable[[], Any]) -> list[str]:
    """The categories of what a program warns of, and the error that it ends with."""
    error = set()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            program()
        except Exception as e:
            error = {f"{type(e).__name__} raised"}
    return sorted({w.category.__name__ for w in found} | error)


def answers() -> dict[str, list[list[str]]]:
    """Of each program what it warns of at its first call, at its second, and where all warnings come always."""
    import torch

    found = {}
    for name, program in programs().items():
        first, second = heard(program), heard(program)
        torch.set_warn_always(True)
        found[name] = [first, second, heard(program)]
        torch.set_warn_always(False)
    return found


if __name__ == "__main__":
    print("ANSWERS", json.dumps(answers()))
