"""Methods that Python calls by operators (`x[i] = y`) have PyTorch's names of arguments: packages call them by name."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch

import rushlight

METHODS = ("__getitem__", "__setitem__", "__delitem__", "__contains__", "__iadd__", "__ior__")


def _cases() -> list[tuple[str, str, str]]:
    """Methods that a class of PyTorch writes itself, in namespaces where both have the class."""
    found = []
    for space in ("nn", "optim", "utils.data", "distributions"):
        theirs: Any = _at(torch, space)
        for name, cls in vars(theirs).items():
            if isinstance(cls, type) and cls.__module__.startswith("torch.") and hasattr(_at(rushlight, space), name):
                found += [(space, name, m) for m in METHODS if inspect.isfunction(cls.__dict__.get(m))]
    return found


def _at(root: Any, path: str) -> Any:
    for part in path.split("."):
        root = getattr(root, part)
    return root


@pytest.mark.parametrize(("space", "name", "method"), _cases())
def test_names_of_arguments(space: str, name: str, method: str) -> None:
    def names(root: Any) -> list[str]:
        function = getattr(getattr(_at(root, space), name), method)
        return [p.name for p in inspect.signature(function).parameters.values()]

    assert names(rushlight) == names(torch)
