"""Print, as JSON, what every public name of torch says of itself: path -> [kind, __module__, __name__, __qualname__].

Run by plain Python (PyTorch) and by `python -m rushlight`; test_identity.py compares.
"""

from __future__ import annotations

import importlib
import json
import sys
import types
import warnings
from typing import Any

warnings.simplefilter("ignore")
SPACES = (
    "torch",
    "torch.amp",
    "torch.autograd",
    "torch.autograd.forward_ad",
    "torch.autograd.functional",
    "torch.autograd.graph",
    "torch.distributions",
    "torch.fft",
    "torch.func",
    "torch.fx",
    "torch.hub",
    "torch.linalg",
    "torch.masked",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.modules",
    "torch.nn.parameter",
    "torch.nn.utils",
    "torch.nn.utils.parametrize",
    "torch.nn.utils.rnn",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.optim.swa_utils",
    "torch.overrides",
    "torch.profiler",
    "torch.random",
    "torch.return_types",
    "torch.serialization",
    "torch.signal.windows",
    "torch.special",
    "torch.storage",
    "torch.Tensor",
    "torch.testing",
    "torch.torch_version",
    "torch.utils",
    "torch.utils.checkpoint",
    "torch.utils.data",
    "torch.utils.dlpack",
    "torch.utils.hooks",
)


def text(x: Any, attribute: str) -> str | None:
    """An attribute of a name, where it is a string."""
    found = getattr(x, attribute, None)
    return found if isinstance(found, str) else None


def names_of(space: str) -> dict[str, list[str | None]]:
    """What the public names of a namespace say."""
    import torch

    try:
        owner: Any = torch.Tensor if space == "torch.Tensor" else importlib.import_module(space)
    except ImportError:
        return {}
    found = {}
    for name in sorted({n for n in getattr(owner, "__all__", None) or dir(owner) if not n.startswith("_")}):
        try:
            value = getattr(owner, name)
        except (AttributeError, ImportError):
            continue
        if isinstance(value, types.ModuleType) or not (callable(value) or hasattr(value, "__name__")):
            continue
        kind = "class" if isinstance(value, type) else "callable"
        found[f"{space}.{name}"] = [kind, *(text(value, a) for a in ("__module__", "__name__", "__qualname__"))]
    return found


if __name__ == "__main__":
    import torch

    every = {path: said for space in SPACES for path, said in names_of(space).items()}
    json.dump({"dir": dir(torch), "names": every}, sys.stdout)
