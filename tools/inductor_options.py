"""Write `src/rushlight/_inductor/options.txt`: the settings of PyTorch's compiler of kernels and their values, as an
installed torch says.

    .venv/bin/python tools/inductor_options.py

A line is a name and a value of Python; settings that follow from the machine (paths, what the environment says) have
the value None.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import rushlight

PATH = Path(rushlight.__file__).parent / "_inductor" / "options.txt"


def _plain(value: Any) -> Any:
    """The value, or None where its text is not Python's."""
    try:
        return value if ast.literal_eval(repr(value)) == value else None
    except (ValueError, SyntaxError):
        return None


def lines() -> list[str]:
    """The table's lines."""
    from torch._inductor import config, list_options

    found = config.get_config_copy()
    public = [name for name in list_options() if name != "TYPE_CHECKING" and not name.startswith("_")]
    names = sorted(name for name in public if "/" not in str(found[name]))
    return [f"{name} {_plain(found[name])!r}" for name in names]


if __name__ == "__main__":
    PATH.write_text("\n".join(lines()) + "\n")
    print(f"writes {PATH}")
