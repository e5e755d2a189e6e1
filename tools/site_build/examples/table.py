"""The table of examples, and how its lines are written."""

from __future__ import annotations

SEED = "_ = torch.manual_seed(0)\n"
EXAMPLES: dict[str, str] = {}


def each(names: str, code: str) -> None:
    """One example for several names, which stand in its place `{name}`."""
    EXAMPLES.update({path: code.replace("{name}", path.rpartition(".")[2]) for path in names.split()})


def within(namespace: str, names: str) -> str:
    """Names with their namespace before them."""
    return " ".join(f"{namespace}.{n}" for n in names.split())
