"""Small tools of modules under PyTorch's names."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from ._sizes import ntuple

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """A function that makes an n-tuple of one value, or a tuple of several."""

    def parse(x: Any) -> tuple[Any, ...]:
        return ntuple(x, n)

    parse.__name__ = name
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t: tuple[Any, ...], n: int) -> tuple[Any, ...]:
    """The elements in reverse order, each n times: how F.pad takes symmetric amounts."""
    return tuple(chain.from_iterable([x] * n for x in t[::-1]))


def _rename(table: dict[str, Any], new_name: Callable[[str], str]) -> None:
    for key in list(table):
        new = new_name(key)
        if new != key:
            table[new] = table.pop(key)


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take a prefix, such as DataParallel's "module.", off the keys of a state dict, in place."""
    _rename(state_dict, lambda key: key.removeprefix(prefix))
    # There the prefix itself names the wrapper, whose entry becomes that of the whole.
    wrapper = prefix.rstrip(".")
    _rename(getattr(state_dict, "_metadata", {}), lambda key: "" if key == wrapper else key.removeprefix(prefix))
