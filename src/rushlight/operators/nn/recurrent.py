"""Cells of recurrent networks: one step of each."""

from __future__ import annotations

from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.operators.linalg.matmul import product, transposed
from rushlight.operators.nn.activation import part_of, rectified
from rushlight.operators.table.define import eager, operator
from rushlight.operators.table.tracer import P, Tracer
from rushlight.program.sym import hint


def _gates(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None, b_hh: Tensor | None, n: int, name: str
) -> tuple[Tracer, Tracer]:
    """The products of input and state with their weights, biases added: (*, n * hidden) each."""
    hidden = hx.shape[-1]
    if input.ndim != hx.ndim or any(a != b for a, b in zip(input.shape[:-1], hx.shape[:-1], strict=True)):
        raise RuntimeError(
            f"{name}(): 'input' and 'hx' must be of one batch; found the shapes {list(map(hint, input.shape))} and "
            f"{list(map(hint, hx.shape))}"
        )
    for b, label in ((b_ih, "b_ih"), (b_hh, "b_hh")):
        if b is not None and (b.ndim != 1 or b.dtype is not input.dtype):
            raise RuntimeError(
                f"{name}(): '{label}' must be a vector of the dtype of 'input', {input.dtype}; found {b.dtype} of "
                f"{b.ndim} dimensions"
            )
    for x, w, label in ((input, w_ih, "w_ih"), (hx, w_hh, "w_hh")):
        if w.ndim != 2 or w.shape[0] != n * hidden or w.shape[1] != x.shape[-1]:
            raise RuntimeError(
                f"{name}(): '{label}' must have the shape [{n * hint(hidden)}, {hint(x.shape[-1])}]; found "
                f"{[hint(s) for s in w.shape]}"
            )
    parts = []
    for x, w, bias in ((input, w_ih, b_ih), (hx, w_hh, b_hh)):
        y: Any = product(x, transposed(w), name)
        parts.append(y if bias is None else y + bias)
    return parts[0], parts[1]


def _split(gates: Any, n: int) -> list[Tracer]:
    """n equal parts of the last dimension."""
    h = gates.var.shape[-1] // n
    return [part_of(gates, gates.ndim - 1, i * h, h) for i in range(n)]


@operator(namespace=None, method=False, out=False, shape_class="contraction")
def _lstm_cell(
    input: Tensor, h: Tensor, c: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None, b_hh: Tensor | None
) -> tuple[Tensor, Tensor]:
    """One step of an LSTM: the new h and c.

    Source:
        Hochreiter and Schmidhuber, "Long short-term memory", 1997, with forget gates.
    """
    x, y = _gates(input, h, w_ih, w_hh, b_ih, b_hh, 4, "lstm_cell")
    i, f, g, o = _split(x + y, 4)
    c = P.sigmoid(f) * c + P.sigmoid(i) * P.tanh(g)
    return P.sigmoid(o) * P.tanh(c), c


@eager(method=False, checked=True)
def lstm_cell(
    input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None
) -> tuple[Tensor, Tensor]:
    """One step of an LSTM.

    Args:
        hx: the pair (h, c), each (N, hidden).

    Returns:
        The new h and c.
    """
    if len(hx) != 2:
        raise RuntimeError(f"lstm_cell(): 'hx' must be two states, hidden and cell; found {len(hx)}")
    return _lstm_cell(input, hx[0], hx[1], w_ih, w_hh, b_ih, b_hh)


@operator(method=False, out=False, shape_class="contraction")
def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """One step of a gated recurrent unit.

    Args:
        hx: (N, hidden).

    Source:
        Cho et al., 2014, the variant with the reset after the product.
    """
    x, y = _gates(input, hx, w_ih, w_hh, b_ih, b_hh, 3, "gru_cell")
    (rx, ux, nx), (rh, uh, nh) = _split(x, 3), _split(y, 3)
    new = P.tanh(nx + P.sigmoid(rx + rh) * nh)
    return new + P.sigmoid(ux + uh) * (hx - new)


@operator(method=False, out=False, shape_class="contraction")
def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """One step of a simple recurrent network: tanh(w_ih x + b_ih + w_hh h + b_hh)."""
    x, y = _gates(input, hx, w_ih, w_hh, b_ih, b_hh, 1, "rnn_tanh_cell")
    return P.tanh(x + y)


@operator(method=False, out=False, shape_class="contraction")
def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """One step of a simple recurrent network: relu(w_ih x + b_ih + w_hh h + b_hh)."""
    x, y = _gates(input, hx, w_ih, w_hh, b_ih, b_hh, 1, "rnn_relu_cell")
    return rectified(x + y)
