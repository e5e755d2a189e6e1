"""Cells of recurrent networks: one step of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight import prims
from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.linalg.matmul import product, transposed
from rushlight.operators.nn.activation import part_of, rectified
from rushlight.operators.table.define import eager, operator
from rushlight.operators.table.tracer import P, Tracer, convert, tracer, var_of
from rushlight.prims.emit import trace
from rushlight.program.ir import Var
from rushlight.program.sym import hint, hints


def _gates(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None, b_hh: Tensor | None, n: int, name: str
) -> tuple[Tracer, Tracer]:
    """The products of input and state with their weights, biases added: (*, n * hidden) each."""
    hidden = hx.shape[-1]
    if input.ndim != hx.ndim or any(a != b for a, b in zip(input.shape[:-1], hx.shape[:-1], strict=True)):
        raise RuntimeError(
            f"{name}(): 'input' and 'hx' must be of one batch; found the shapes {hints(input.shape)} and "
            f"{hints(hx.shape)}"
        )
    _check_weights(input, hx, w_ih, w_hh, b_ih, b_hh, n * hidden, name)
    parts = []
    for x, w, bias in ((input, w_ih, b_ih), (hx, w_hh, b_hh)):
        y = product(x, transposed(w), name)
        parts.append(y if bias is None else y + bias)
    return parts[0], parts[1]


def _check_weights(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None,
    b_hh: Tensor | None,
    rows: int,
    name: str,
) -> None:
    """RuntimeError for a bias or a weight that does not fit; `rows` is what the weights must have."""
    for b, label in ((b_ih, "b_ih"), (b_hh, "b_hh")):
        if b is not None and (b.ndim != 1 or b.dtype is not w_ih.dtype):
            raise RuntimeError(
                f"{name}(): '{label}' must be a vector of the dtype of 'w_ih', {w_ih.dtype}; found {b.dtype} of "
                f"{b.ndim} dimensions"
            )
    for x, w, label in ((input, w_ih, "w_ih"), (hx, w_hh, "w_hh")):
        if w.ndim != 2 or w.shape[0] != rows or w.shape[1] != x.shape[-1]:
            raise RuntimeError(
                f"{name}(): '{label}' must have the shape [{hint(rows)}, {hint(x.shape[-1])}]; found {hints(w.shape)}"
            )


def _split(gates: Tensor, n: int) -> list[Tracer]:
    """n equal parts of the last dimension."""
    h = gates.var.shape[-1] // n
    return [part_of(gates, gates.ndim - 1, i * h, h) for i in range(n)]


# One step of each kind, from the products of input and state with their weights, biases added: the values for the next
# step, and behind them those that its derivative reads.


def _lstm(x: Tensor, y: Tensor, c: Tensor) -> tuple[Tensor, ...]:
    i, f, g, o = _split(x + y, 4)
    i, f, g, o = P.sigmoid(i), P.sigmoid(f), P.tanh(g), P.sigmoid(o)
    c = f * c + i * g
    return o * P.tanh(c), c, i, f, g, o


def _gru(x: Tensor, y: Tensor, h: Tensor) -> tuple[Tensor, ...]:
    (rx, ux, nx), (rh, uh, nh) = _split(x, 3), _split(y, 3)
    reset, update = P.sigmoid(rx + rh), P.sigmoid(ux + uh)
    new = P.tanh(nx + reset * nh)
    return new + update * (h - new), reset, update, new, nh


@operator(namespace=None, method=False, out=False)
def _lstm_gates(x: Tensor, y: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """A step of an LSTM behind its products: the new h and c."""
    h, c, *_ = _lstm(x, y, c)
    return h, c


@operator(namespace=None, method=False, out=False)
def _gru_gates(x: Tensor, y: Tensor, h: Tensor) -> Tensor:
    """A step of a gated recurrent unit behind its products."""
    return _gru(x, y, h)[0]


@operator(namespace=None, method=False, out=False, shape_class="contraction")
def _lstm_cell(
    input: Tensor, h: Tensor, c: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None, b_hh: Tensor | None
) -> tuple[Tensor, Tensor]:
    """One step of an LSTM: the new h and c.

    Source:
        Hochreiter and Schmidhuber, "Long short-term memory", 1997, with forget gates.
    """
    x, y = _gates(input, h, w_ih, w_hh, b_ih, b_hh, 4, "lstm_cell")
    h, c, *_ = _lstm(x, y, c)
    return h, c


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
    return _gru(x, y, hx)[0]


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


# A layer in one direction over a whole sequence. The input's product with its weights is one for all steps; a step is
# the product of the state, and then the formulas of `_lstm_gates` and the like, with the biases in the same kernel.


def _over_steps(
    step: Callable[..., tuple[Tensor, ...]],
    constants: Sequence[Tensor | None],
    x: Tensor,
    first: Sequence[Tensor],
    back: bool,
) -> list[Tracer]:
    """The results of step(constants, row of x, *carried) for each row; the first results of a step are carried to the
    next."""
    there = [t for t in constants if t is not None]
    n = len(there)

    def run(*values: Var) -> tuple[Var, ...]:
        given = map(tracer, values[:n])
        own = [None if t is None else next(given) for t in constants]
        return tuple(var_of(t) for t in step(own, *map(tracer, values[n:])))

    operands = [var_of(t) for t in (*there, x, *first)]
    body = trace(run, operands, [v.shape[1:] if k == n else v.shape for k, v in enumerate(operands)])
    return [tracer(v) for v in prims.recurrence.several(*operands, body=body, counts=(n, 1), reverse=back)]


def _check_layer(
    input: Tensor, h: Tensor, hidden: int, weights: tuple[Any, Any, Any, Any], n: int, lower: dt.dtype | None, name: str
) -> None:
    batch = input.shape[1]
    if h.shape[0] != batch:
        raise RuntimeError(
            f"{name}(): the input and the state must be of one batch; found the sizes {hint(batch)} and "
            f"{hint(h.shape[0])}"
        )
    w_ih, w_hh, b_ih, b_hh = weights
    for x, label in ((h, "the state"), (w_ih, "'w_ih'"), (w_hh, "'w_hh'")):
        if x.dtype is not input.dtype and lower is None:
            raise RuntimeError(f"{name}(): {label} must be of the dtype of the input, {input.dtype}; found {x.dtype}")
    _check_weights(input, h, w_ih, w_hh, b_ih, b_hh, n * hidden, name)


def _with_weights(x: Tensor, w: Tensor, bias: Tensor | None, lower: dt.dtype | None, name: str) -> Tensor:
    """The product of rows with weights, and a bias if there is one."""
    if lower is not None:
        x, w = convert(x, lower), convert(w, lower)
    y = product(x, transposed(w), name)
    return y if bias is None else y + convert(bias, y.dtype)


def _both(b_ih: Tensor | None, b_hh: Tensor | None) -> Tensor | None:
    return b_ih if b_hh is None else b_hh if b_ih is None else b_ih + b_hh


def _last(states: Tracer, back: bool) -> Tracer:
    from rushlight.prims.recurrence import last

    return tracer(last(states.var, back))


@operator(namespace=None, method=False, out=False, shape_class="contraction")
def _lstm_layer(
    input: Tensor,
    h: Tensor,
    c: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None,
    b_hh: Tensor | None,
    w_hr: Tensor | None,
    reverse: bool = False,
    lower: dt.dtype | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """A layer of an LSTM in one direction: the states h of all steps, (steps, N, hidden), and the last h and c.

    Args:
        input: (steps, N, features).
        w_hr: projects a step's h.
        lower: the dtype that products are made in, if not their operands'.
    """
    _check_layer(input, h, c.shape[-1], (w_ih, w_hh, b_ih, b_hh), 4, lower, "lstm")
    x = _with_weights(input, w_ih, None, lower, "lstm")

    if lower is not None and w_hr is not None:
        h = convert(h, lower)  # in the dtype in which steps return it

    def step(own: list[Any], x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, ...]:
        w_hh, bias, w_hr = own
        h, *rest = _lstm(x, _with_weights(h, w_hh, bias, lower, "lstm"), c)
        return (h, *rest) if w_hr is None else (_with_weights(h, w_hr, None, lower, "lstm"), *rest, h)

    states, cells, *_ = _over_steps(step, (w_hh, _both(b_ih, b_hh), w_hr), x, (h, c), reverse)
    return states, _last(states, reverse), _last(cells, reverse)


@operator(namespace=None, method=False, out=False, shape_class="contraction")
def _recurrent_layer(
    mode: str,
    input: Tensor,
    h: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None,
    b_hh: Tensor | None,
    reverse: bool = False,
    lower: dt.dtype | None = None,
) -> tuple[Tensor, Tensor]:
    """A layer of a simple recurrent network or of gated recurrent units in one direction: the states of all steps,
    (steps, N, hidden), and the last one.

    Args:
        mode: "GRU", "RNN_TANH" or "RNN_RELU".
        input, lower: as for an LSTM.
    """
    name = mode.lower()
    _check_layer(input, h, h.shape[-1], (w_ih, w_hh, b_ih, b_hh), 3 if mode == "GRU" else 1, lower, name)
    x = _with_weights(input, w_ih, None, lower, name)

    def gated(own: list[Any], x: Tensor, h: Tensor) -> tuple[Tensor, ...]:
        w_hh, b_hh, b_ih = own
        x = x if b_ih is None else x + convert(b_ih, x.dtype)
        return _gru(x, _with_weights(h, w_hh, b_hh, lower, name), h)

    def simple(own: list[Any], x: Tensor, h: Tensor) -> tuple[Tensor, ...]:
        w_hh, bias = own
        y = x + _with_weights(h, w_hh, bias, lower, name)
        return (P.tanh(y) if mode == "RNN_TANH" else rectified(y),)

    if mode == "GRU":
        states, *_ = _over_steps(gated, (w_hh, b_hh, b_ih), x, (h,), reverse)
    else:
        h = h if lower is None else convert(h, lower)  # as a step leaves it
        states, *_ = _over_steps(simple, (w_hh, _both(b_ih, b_hh)), x, (h,), reverse)
    return states, _last(states, reverse)
