"""Calls of the table that PyTorch composes of others: the calls that they consist of, whose operators are passed on in
their turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.library import recurrent
from rushlight.operators.table.define import METHODS, TABLE, public
from rushlight.operators.table.node_names import Values


def _linear(v: Values) -> Tensor:
    x, b = v["input"], v["bias"]
    if v["weight"].ndim == 1:
        y = TABLE["matmul"](x, v["weight"])
        return y if b is None else TABLE["add"](y, b)
    if x.ndim == 2:
        w = TABLE["t"](v["weight"])
        return TABLE["addmm"](b, x, w) if b is not None else TABLE["mm"](x, w)
    rows = METHODS["view"](x, (x.shape[:-1].numel(), x.shape[-1]))
    w = TABLE["t"](v["weight"])
    y = TABLE["addmm"](b, rows, w) if b is not None else TABLE["mm"](rows, w)
    return METHODS["view"](y, (*x.shape[:-1], w.shape[-1]))


def _matmul(v: Values) -> Any:
    a, b = v["input"], v["other"]
    ranks = a.ndim, b.ndim
    plain = {(1, 1): "dot", (2, 2): "mm", (2, 1): "mv"}.get(ranks)
    if plain is not None:
        return TABLE[plain](a, b)
    view, expand = METHODS["view"], METHODS["expand"]
    if ranks == (1, 2):
        return TABLE["squeeze"](TABLE["mm"](TABLE["unsqueeze"](a, 0), b), 0)
    if b.ndim <= 2:
        rows = view(a, (a.shape[:-1].numel(), a.shape[-1]))
        return (
            _unsafe_view(TABLE["mm"](rows, b), (*a.shape[:-1], b.shape[-1]))
            if b.ndim == 2
            else view(TABLE["mv"](rows, b), a.shape[:-1])
        )
    if a.ndim == 1:
        return TABLE["squeeze"](_matmul(Values(input=TABLE["unsqueeze"](a, 0), other=b)), -2)
    lead = _broadcast(tuple(a.shape[:-2]), tuple(b.shape[:-2]))
    n = 1
    for s in lead:
        n *= s
    left = METHODS["reshape"](expand(a, (*lead, *a.shape[-2:])), (n, *a.shape[-2:]))
    right = METHODS["reshape"](expand(b, (*lead, *b.shape[-2:])), (n, *b.shape[-2:]))
    return _unsafe_view(TABLE["bmm"](left, right), (*lead, a.shape[-2], b.shape[-1]))


def _broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    n = max(len(a), len(b))
    a, b = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    return tuple(y if x == 1 else x for x, y in zip(a, b, strict=True))


def _reduced(y: Tensor, reduction: Any) -> Tensor:
    return TABLE["mean"](y) if reduction in ("mean", 1) else TABLE["sum"](y) if reduction in ("sum", 2) else y


def _kl_div(v: Values) -> Tensor:
    x, y = v["input"], v["target"]
    if v["log_target"]:
        difference = TABLE["sub"](y, x)
        losses = TABLE["mul"](TABLE["exp"](y), difference)
    else:
        product = TABLE["mul"](y, x)
        losses = TABLE["sub"](TABLE["xlogy"](y, y), product)
    if v["reduction"] == "batchmean":
        return TABLE["div"](TABLE["sum"](losses), x.shape[0])
    return _reduced(losses, v["reduction"])


def _poisson(v: Values) -> Tensor | None:
    x, y = v["input"], v["target"]
    if v["full"]:
        return None
    if v["log_input"]:
        product = TABLE["mul"](y, x)
        losses = TABLE["sub"](TABLE["exp"](x), product)
    else:
        losses = TABLE["sub"](x, TABLE["mul"](y, TABLE["log"](TABLE["add"](x, v["eps"]))))
    return _reduced(losses, v["reduction"])


def _cross_entropy(v: Values) -> Tensor:
    logs = TABLE["nn.functional.log_softmax"](v["input"], 1 if v["input"].ndim > 1 else 0)
    return TABLE["nn.functional.nll_loss"](
        logs, v["target"], v["weight"], None, v["ignore_index"], None, v["reduction"]
    )


def _copied_reshape(v: Values) -> Any:
    return _unsafe_view(TABLE["clone"](v["input"], memory_format=dt.contiguous_format), v["size"])


def _unsafe_view(x: Tensor, size: Any) -> Any:
    from rushlight.library.operator import namespace

    return namespace("aten")._unsafe_view.default(x, list(size))


# Operators with a program, and no body in Python, that PyTorch composes.
COPIES: dict[str, Callable[[Values], Any]] = {"reshape": _copied_reshape}
# Operators that PyTorch composes of others: each of those is passed on.
STEPS: dict[str, Callable[[Values], Any]] = {
    "linear": _linear,
    "matmul": _matmul,
    "rdiv": lambda v: TABLE["mul"](TABLE["reciprocal"](v["input"]), v["other"]),
    "outer": lambda v: TABLE["mul"](METHODS["view"](v["input"], (v["input"].shape[0], 1)), v["vec2"]),
    "l1_loss": lambda v: _reduced(TABLE["abs"](TABLE["sub"](v["input"], v["target"])), v["reduction"]),
    "kl_div": _kl_div,
    "poisson_nll_loss": _poisson,
    "softmin": lambda v: TABLE["nn.functional.softmax"](TABLE["neg"](v["input"]), v["dim"]),
    "softsign": lambda v: TABLE["div"](v["input"], TABLE["add"](TABLE["abs"](v["input"]), 1)),
    "tanhshrink": lambda v: TABLE["sub"](v["input"], TABLE["tanh"](v["input"])),
    "square": lambda v: TABLE["pow"](v["input"], 2),
    "contiguous": lambda v: (
        v["input"]
        if v["input"].is_contiguous(memory_format=v["memory_format"])
        else TABLE["clone"](v["input"], memory_format=v["memory_format"] or dt.contiguous_format)
    ),
    "flatten": lambda v: METHODS["reshape"](v["input"], _flat(v)),
    "cross_entropy": lambda v: (
        _cross_entropy(v) if v["target"].dtype.kind == "i" and not v["label_smoothing"] else None
    ),
    "real": lambda v: (
        METHODS["select"](TABLE["view_as_real"](v["input"]), v["input"].ndim, 0)
        if v["input"].is_complex()
        else v["input"]
    ),
    "imag": lambda v: (
        METHODS["select"](TABLE["view_as_real"](v["input"]), v["input"].ndim, 1) if v["input"].is_complex() else None
    ),
    "argsort": lambda v: TABLE["sort"](v["input"], v["dim"], v["descending"])[1] if not v["stable"] else None,
    **recurrent.STEPS,
    "max_pool2d": lambda v: public("nn.functional.max_pool2d_with_indices")(*v.values())[0],
}


def _flat(v: Values) -> tuple[int, ...]:
    shape = tuple(v["input"].shape)
    start, end = (d % max(1, len(shape)) for d in (v["start_dim"] or 0, -1 if v["end_dim"] is None else v["end_dim"]))
    n = 1
    for s in shape[start : end + 1]:
        n *= s
    return (*shape[:start], n, *shape[end + 1 :])
