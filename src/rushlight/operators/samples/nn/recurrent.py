"""Samples of recurrent cells."""

from __future__ import annotations

from collections.abc import Callable

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples


def _cell(n: int, pair: bool) -> Callable[[Make], Samples]:
    def generate(make: Make) -> Samples:
        state = (make((2, 4)), make((2, 4))) if pair else make((2, 4))
        yield Sample(make((2, 3)), state, make((4 * n, 3)), make((4 * n, 4)), make((4 * n,)), make((4 * n,)))
        yield Sample(make((2, 3)), state, make((4 * n, 3)), make((4 * n, 4)))
        yield ErrorSample(
            RuntimeError,
            rf"'w_ih' must have the shape \[{4 * n}, 3\]; found \[{4 * n}, 2\]",
            make((2, 3)),
            state,
            make((4 * n, 2)),
            make((4 * n, 4)),
        )

    return generate


for _name, _n in (("lstm_cell", 4), ("gru_cell", 3), ("rnn_tanh_cell", 1), ("rnn_relu_cell", 1)):
    samples(_name, dtypes="float32 float64", tolerance=8.0)(_cell(_n, _name == "lstm_cell"))
