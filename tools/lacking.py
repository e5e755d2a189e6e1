"""Write src/rushlight/compat/lacking.py: PyTorch's public names that rushlight lacks, so that an error tells a gap
from a typing mistake.

Needs PyTorch (`make parity` installs it). A name that has been added here since does no harm: nothing asks for it.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import textwrap
import types
import warnings
from pathlib import Path
from typing import Any

# Namespaces whose names are compared; of the others of PyTorch the list has the name alone.
SPACES = (
    "",
    "Tensor",
    "autograd",
    "backends",
    "cpu",
    "cuda",
    "distributed",
    "distributions",
    "fft",
    "func",
    "fx",
    "hub",
    "jit",
    "library",
    "linalg",
    "multiprocessing",
    "nn",
    "nn.functional",
    "nn.init",
    "nn.utils",
    "nn.utils.rnn",
    "nn.parallel",
    "onnx",
    "optim",
    "optim.lr_scheduler",
    "overrides",
    "profiler",
    "random",
    "serialization",
    "signal.windows",
    "special",
    "storage",
    "testing",
    "utils",
    "utils.data",
)


def reach(root: str, space: str) -> Any:
    """The namespace in one of the two libraries, or None."""
    found: Any = importlib.import_module(root)
    for part in filter(None, space.split(".")):
        if isinstance(found, types.ModuleType) and not hasattr(found, part):
            try:
                importlib.import_module(f"{found.__name__}.{part}")
            except ImportError:
                return None
        found = getattr(found, part, None)
    return found


def public(space: Any) -> set[str]:
    """Public names that are PyTorch's, no modules that a file happens to import."""
    found = {n for n in dir(space) if not n.startswith("_")}
    found = {
        n
        for n in found
        if not isinstance(getattr(space, n, None), types.ModuleType) or getattr(space, n).__name__.startswith("torch")
    }
    if isinstance(space, types.ModuleType) and hasattr(space, "__path__"):
        found |= {m.name for m in pkgutil.iter_modules(space.__path__) if not m.name.startswith("_")}
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    lines = []
    for space in SPACES:
        theirs, ours = reach("torch", space), reach("rushlight", space)
        if theirs is None or ours is None:
            continue
        have = set(dir(ours)) | (
            {m.name for m in pkgutil.iter_modules(ours.__path__)} if hasattr(ours, "__path__") else set()
        )
        lacking = sorted(n for n in public(theirs) - have if "." not in n)
        if lacking:
            lines.append(f'    "{".".join(filter(None, ("torch", space)))}":')
            chunks = textwrap.wrap(" ".join(lacking), 80)
            lines += [f'        "{chunk}{" " if i + 1 < len(chunks) else ""}"' for i, chunk in enumerate(chunks)]
            lines[-1] += ","
    text = (
        '"""Public names of PyTorch 2.13 that rushlight lacks, a line a namespace; written by '
        'tools/lacking.py."""\nfrom __future__ import annotations\n\n'
        "LACKING: dict[str, str] = {\n" + "\n".join(lines) + "\n}\n"
    )
    (Path(__file__).parents[1] / "src" / "rushlight" / "compat" / "lacking.py").write_text(text)


if __name__ == "__main__":
    sys.exit(main())
