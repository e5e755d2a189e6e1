"""Layers of recurrent networks as what they are composed of in PyTorch: products and elementwise operators, step by
step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.operators.table.node_names import Values


def _lstm_gates(x: Any, y: Any, c: Any) -> tuple[Any, Any]:
    i, f, g, o = TABLE["chunk"](TABLE["add"](x, y), 4, -1)
    sigmoid, tanh, mul = TABLE["sigmoid"], TABLE["tanh"], TABLE["mul"]
    c = TABLE["add"](mul(sigmoid(f), c), mul(sigmoid(i), tanh(g)))
    return mul(sigmoid(o), tanh(c)), c


def _gru_gates(x: Any, y: Any, h: Any) -> Tensor:
    (rx, ux, nx), (rh, uh, nh) = TABLE["chunk"](x, 3, -1), TABLE["chunk"](y, 3, -1)
    add, mul = TABLE["add"], TABLE["mul"]
    reset, update = TABLE["sigmoid"](add(rx, rh)), TABLE["sigmoid"](add(ux, uh))
    new = TABLE["tanh"](add(nx, mul(reset, nh)))
    return add(new, mul(update, TABLE["sub"](h, new)))


def _product(x: Any, w: Any, bias: Any, lower: Any) -> Tensor:
    if lower is not None:
        x, w = METHODS["to"](x, lower), METHODS["to"](w, lower)
        bias = bias if bias is None else METHODS["to"](bias, lower)
    return TABLE["nn.functional.linear"](x, w, bias)


def _over_steps(v: Values, step: Callable[..., tuple[Any, ...]], first: Sequence[Any]) -> tuple[Any, ...]:
    """The states of all steps, and the last ones."""
    rows = list(TABLE["unbind"](_product(v["input"], v["w_ih"], v["b_ih"], v["lower"]), 0))
    states, carried = [], tuple(first)
    for x in reversed(rows) if v["reverse"] else rows:
        carried = step(x, *carried)
        states.append(carried[0])
    return (TABLE["stack"](states[::-1] if v["reverse"] else states), *carried)


def _lstm_layer(v: Values) -> tuple[Any, ...]:
    def step(x: Any, h: Any, c: Any) -> tuple[Any, Any]:
        h, c = _lstm_gates(x, _product(h, v["w_hh"], v["b_hh"], v["lower"]), c)
        return h if v["w_hr"] is None else _product(h, v["w_hr"], None, v["lower"]), c

    return _over_steps(v, step, (v["h"], v["c"]))


def _recurrent_layer(v: Values) -> tuple[Any, ...]:
    def step(x: Any, h: Any) -> tuple[Any]:
        y = _product(h, v["w_hh"], v["b_hh"], v["lower"])
        if v["mode"] == "GRU":
            return (_gru_gates(x, y, h),)
        return (TABLE["tanh" if v["mode"] == "RNN_TANH" else "relu"](TABLE["add"](x, y)),)

    return _over_steps(v, step, (v["h"],))


STEPS: dict[str, Callable[[Values], Any]] = {
    "lstm_gates": lambda v: _lstm_gates(v["x"], v["y"], v["c"]),
    "gru_gates": lambda v: _gru_gates(v["x"], v["y"], v["h"]),
    "lstm_layer": _lstm_layer,
    "recurrent_layer": _recurrent_layer,
}
