"""The shapes of containers as JSON and back, with the names of the operators' results in them (`topk`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rushlight import return_types
from rushlight.func.tree import Spec
from rushlight.utils import _pytree


def written_container(spec: Spec) -> list[Any]:
    """The shape of a container as JSON, with the names of the operators' results in it (`topk`)."""
    names = sorted(set(_results_in(spec)))
    _know(names)
    return [names, _pytree.treespec_dumps(spec)]


def read_container(found: list[Any]) -> Spec:
    """The shape that `written_container` has made into `found`."""
    names, text = found
    _know(names)
    return _pytree.treespec_loads(text)


def _results_in(spec: Spec) -> Iterator[str]:
    if getattr(spec.context, "__module__", "").endswith("return_types"):
        yield spec.context.__name__
    for child in spec.children():
        yield from _results_in(child)


def _know(names: list[str]) -> None:
    """Let named results of operators be written and read: PyTorch's shapes have no names for them."""
    for name in names:
        _pytree._register_namedtuple(getattr(return_types, name), serialized_type_name=f"rushlight.return_types.{name}")
