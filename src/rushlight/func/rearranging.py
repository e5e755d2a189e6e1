"""`rearrange`: a tensor's dimensions by a pattern of names, in the language of einops."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.operators.table.define import METHODS, TABLE

_REST = "…"
_TOKEN = re.compile(r"\s*(\.\.\.|\(|\)|[A-Za-z_]\w*|\d+)")


def rearrange(tensor: Tensor | Sequence[Tensor], pattern: str, **axes_lengths: int) -> Tensor:
    """Reorder, split and merge dimensions.

    Args:
        tensor: a tensor, or several of one shape, which are stacked along a new first dimension.
        pattern: the dimensions' names before and after, "b (h w) c -> b h w c": parentheses group names into one
            dimension, an ellipsis stands for all that are not named, 1 for a dimension of that size.
        axes_lengths: sizes of names within groups.

    Raises:
        ValueError: for a pattern that says nothing sensible, or sizes that do not fit.
    """
    x: Tensor = tensor if isinstance(tensor, Tensor) else TABLE["stack"](list(tensor))
    left, arrow, right = pattern.partition("->")
    if not arrow or "->" in right:
        raise ValueError(f"rearrange(): 'pattern' must be two lists of names with -> between them; found {pattern!r}")
    before, after = _groups(left, pattern), _groups(right, pattern)
    names, wanted = [n for g in before for n in g], [n for g in after for n in g]
    if sorted(names) != sorted(wanted):
        raise ValueError(
            "rearrange(): 'pattern' must have the same names on both sides; found "
            f"{sorted(set(names) ^ set(wanted))} on one of them in {pattern!r}"
        )
    for name in axes_lengths:
        if name not in names:
            raise ValueError(f"rearrange(): 'axes_lengths' must be of names in the pattern; found {name!r}")
    sizes, rest = _sizes(x, before, axes_lengths, pattern)

    def expanded(group: list[str]) -> list[str]:
        return [n for name in group for n in (rest if name == _REST else [name])]

    order = expanded(names)
    flat = METHODS["reshape"](x, [sizes[n] for n in order])
    moved = METHODS["permute"](flat, [order.index(n) for n in expanded(wanted)])
    shape: list[Any] = []
    for group in after:
        inner = expanded(group)
        if group == [_REST] and not isinstance(group, _Merged):
            shape += [sizes[n] for n in inner]
        else:
            shape.append(math.prod(sizes[n] for n in inner))
    return METHODS["reshape"](moved, shape)


class _Merged(list[str]):
    """Names within parentheses."""


def _groups(side: str, pattern: str) -> list[list[str]]:
    """The dimensions of one side, each a list of names; a size of 1 is an empty one."""
    found: list[list[str]] = []
    inside, at = False, 0
    while side[at:].strip():
        token = _TOKEN.match(side, at)
        if token is None:
            raise ValueError(
                f"rearrange(): 'pattern' must be of names, parentheses, ... and 1; found {side[at:].strip()[0]!r} in "
                f"{pattern!r}"
            )
        at, word = token.end(), token[1]
        if word in "()":
            if inside == (word == "("):
                raise ValueError(
                    f"rearrange(): 'pattern' must have parentheses in pairs, none within others; found {pattern!r}"
                )
            inside = word == "("
            if inside:
                found.append(_Merged())
            continue
        if word[0].isdigit() and word != "1":
            raise ValueError(
                f"rearrange(): 'pattern' must have names, and 1 alone as a number; found {word} in {pattern!r}"
            )
        name = [] if word == "1" else [_REST if word == "..." else word]
        if name and any(name[0] in g for g in found):
            raise ValueError(
                f"rearrange(): 'pattern' must have each name once on a side; found {word!r} twice in {pattern!r}"
            )
        if inside:
            found[-1] += name
        else:
            found.append(name)
    if inside:
        raise ValueError(f"rearrange(): 'pattern' must have parentheses in pairs; found {pattern!r}")
    return found


def _sizes(
    tensor: Tensor, before: list[list[str]], given: dict[str, int], pattern: str
) -> tuple[dict[str, Any], list[str]]:
    """The size of each name, and names for the dimensions that an ellipsis stands for."""
    grouped_rest = any(_REST in g and isinstance(g, _Merged) for g in before)
    if grouped_rest:
        raise ValueError(
            f"rearrange(): 'pattern' must have its ellipsis outside of parentheses on the left; found {pattern!r}"
        )
    more = tensor.ndim - len([g for g in before if g != [_REST]])
    if more < 0 or (more > 0 and [_REST] not in before):
        raise ValueError(f"rearrange(): 'pattern' must be for a tensor of {tensor.ndim} dimensions; found {pattern!r}")
    rest = [f"{_REST}{i}" for i in range(more)]
    sizes: dict[str, Any] = dict(given)
    shape = list(tensor.shape)
    dim = 0
    for group in before:
        if group == [_REST]:
            sizes.update(zip(rest, shape[dim : dim + more], strict=True))
            dim += more
            continue
        unknown = [n for n in group if n not in sizes]
        known = math.prod(sizes[n] for n in group if n in sizes)
        if len(unknown) > 1:
            raise ValueError(
                f"rearrange(): 'axes_lengths' must have all sizes but one of the group ({' '.join(group)}); found "
                f"none for {unknown}"
            )
        if known != shape[dim] if not unknown else (known == 0 or shape[dim] % known):
            raise ValueError(
                f"rearrange(): dimension {dim} must have the size of ({' '.join(group)}), a multiple of {known}; "
                f"found {shape[dim]}"
            )
        if unknown:
            sizes[unknown[0]] = shape[dim] // known
        dim += 1
    return sizes, rest
