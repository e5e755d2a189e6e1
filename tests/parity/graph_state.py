"""What a call leaves behind beside its values, asked of each operator's samples in several layouts, by PyTorch and by
rushlight: strides, sharing of memory, views and their bases, versions, leaves, the same object.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from test_operators import counterpart, to_torch
from test_saved_values import REGISTRY

import rushlight
from rushlight.core import dtypes as dt

import torch  # isort: skip

Fact = tuple[str, Any]
# PyTorch reads their arguments as if they lay in rows and writes behind its result where they do not.
UNSAFE_THERE = frozenset({"_convert_indices_from_coo_to_csr", "_convert_indices_from_csr_to_coo"})


def plain(M: Any, t: Any) -> Any:
    return t.clone(memory_format=M.contiguous_format)


def turned(M: Any, t: Any) -> Any:
    """Column by column."""
    order = tuple(reversed(range(t.ndim)))
    return t.permute(order).clone(memory_format=M.contiguous_format).permute(order)


def gaps(M: Any, t: Any) -> Any:
    """Every other element along the last dimension of a larger tensor."""
    if not t.ndim:
        return plain(M, t)
    return M.stack([t, t], -1).reshape(*t.shape[:-1], 2 * t.shape[-1])[..., ::2]


def expanded(M: Any, t: Any) -> Any:
    """The first slice along the first dimension, repeated in place."""
    return t[:1].clone(memory_format=M.contiguous_format).expand(t.shape) if t.ndim and t.shape[0] else plain(M, t)


def behind(M: Any, t: Any) -> Any:
    """Behind other elements of its storage."""
    return M.cat([t[:1], t])[1:] if t.ndim and t.shape[0] else plain(M, t)


LAYOUTS: dict[str, Callable[[Any, Any], Any]] = {f.__name__: f for f in (plain, turned, gaps, expanded, behind)}


def laid(M: Any, x: Any, layout: Callable[[Any, Any], Any], grad: str, found: list[Any]) -> Any:
    """An argument with its tensors laid out anew, each of them put into `found`."""
    if isinstance(x, M.Tensor):
        t = plain(M, x.detach())
        wants = t.dtype.is_floating_point or t.dtype.is_complex
        if grad == "behind a leaf" and wants:
            t = layout(M, t.requires_grad_() * 1)
        else:
            t = layout(M, t).detach()
            if grad == "leaf" and wants:
                t.requires_grad_()
        found.append(t)
        return t
    if type(x) in (list, tuple):
        return type(x)(laid(M, v, layout, grad, found) for v in x)
    return x


def tensors(M: Any, x: Any) -> Iterator[Any]:
    if isinstance(x, M.Tensor):
        yield x
    elif isinstance(x, (tuple, list)):
        for v in x:
            yield from tensors(M, v)


def place(t: Any) -> int:
    return t.untyped_storage().data_ptr()


def strides(t: Any) -> tuple[int, ...]:
    return tuple(s for s, n in zip(t.stride(), t.shape, strict=True) if n > 1) if t.numel() else ()


def facts(
    M: Any, f: Callable[..., Any], args: Any, kwargs: Any, layout: Callable[[Any, Any], Any], grad: str
) -> list[Fact] | None:
    """What is seen after the call; None where it is refused."""
    inputs: list[Any] = []
    args, kwargs = (
        laid(M, list(args), layout, grad, inputs),
        {k: laid(M, v, layout, grad, inputs) for k, v in kwargs.items()},
    )
    before = [t._version for t in inputs]
    M.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            results = list(tensors(M, f(*args, **kwargs)))
        except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError, AttributeError):
            return None
    seen: list[Fact] = [("writes", [t._version - v for t, v in zip(inputs, before, strict=True)])]
    seen.append(("leaves among arguments", [t.is_leaf for t in inputs]))
    for r in results:
        if r.layout is not M.strided or r.device.type != "cpu":
            continue
        same = next((i for i, t in enumerate(inputs) if t is r), None)
        base = (
            None
            if r._base is None
            else next((i for i, t in enumerate(inputs) if t is r._base or t._base is r._base), "another")
        )
        seen += [
            ("the same object", same),
            ("strides", strides(r)),
            (
                "shared memory",
                [
                    i
                    for i, t in enumerate(inputs)
                    if t.layout is M.strided and t.numel() and r.numel() and place(t) == place(r)
                ],
            ),
            ("view", same is None and r._is_view()),
            ("base", base if same is None else None),
            ("version", r._version),
            ("leaf", r.is_leaf),
            ("requires grad", r.requires_grad),
            ("offset", r.storage_offset() if r.numel() and place(r) else 0),
            ("output", r.output_nr),
        ]
    return seen


def differences(names: list[str], limit: int) -> tuple[dict[str, dict[str, Any]], int]:
    """By what differs: operator -> (layout, grad, PyTorch's, ours), the first that was met; and how many calls were
    compared.
    """
    from checks import chosen

    found: dict[str, dict[str, Any]] = {}
    compared = 0
    for name in names:
        theirs, ours = counterpart(name), _own(name)
        if theirs is None or name in UNSAFE_THERE:
            continue
        for dtype in (dt.float64, dt.int64):
            if dtype not in REGISTRY[name].dtypes:
                continue
            for s in chosen(REGISTRY[name], dtype, limit):
                for label, layout in LAYOUTS.items():
                    for grad in ("none", "leaf", "behind a leaf") if dtype is dt.float64 else ("none",):
                        given = to_torch(list(s.args)), {k: to_torch(v) for k, v in s.kwargs.items()}
                        b = facts(rushlight, ours, s.args, s.kwargs, layout, grad)
                        if b is None:
                            continue
                        a = facts(torch, theirs, *given, layout, grad)
                        if a is None or len(a) != len(b):
                            continue
                        compared += 1
                        for (what, p), (_, q) in zip(a, b, strict=True):
                            if p != q:
                                found.setdefault(what, {}).setdefault(name, (label, grad, p, q))
    return found, compared


def _own(name: str) -> Any:
    from support import find

    return find(name)
