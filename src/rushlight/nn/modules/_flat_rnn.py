"""Recurrent networks as functions of a flat list of weights: `torch.lstm`, `gru`, `rnn_tanh`, `rnn_relu`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight import Tensor

from .module import Module
from .rnn import RNNBase

__all__ = ["gru", "lstm", "rnn_relu", "rnn_tanh"]


class _Flat(RNNBase):
    """A network whose weights are given: for each layer and direction the matrices, then the biases, then a
    projection.
    """

    def __init__(
        self,
        mode: str,
        params: Sequence[Tensor],
        has_biases: bool,
        num_layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> None:
        Module.__init__(self)
        self.mode, self.bias, self.num_layers, self.dropout = mode, has_biases, num_layers, float(dropout)
        self.bidirectional, self.batch_first, self.training = bidirectional, batch_first, train
        self._flat = list(params)
        count = num_layers * (2 if bidirectional else 1)
        plain = 4 if has_biases else 2
        each = len(self._flat) // count if count else 0
        if len(self._flat) != each * count or each not in (plain, plain + (mode == "LSTM")):
            raise RuntimeError(
                f"{mode.lower()}(): 'params' must be {plain} tensors for each of {count} layers and directions; "
                f"found {len(self._flat)}"
            )
        self._each = each
        self.input_size, self.hidden_size = (
            self._flat[0].size(1),
            self._flat[0].size(0) // {"LSTM": 4, "GRU": 3}.get(mode, 1),
        )
        self.proj_size = self._flat[plain].size(0) if each > plain else 0

    def _check_dtype_(self, input: Tensor) -> None:
        """A function's error is a RuntimeError, the operator's."""

    def _weights_(self, index: int) -> dict[str, Any]:
        names = (
            ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
            if self.bias
            else ("weight_ih", "weight_hh", "weight_hr")
        )
        found: dict[str, Any] = dict.fromkeys(("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"))
        found.update(zip(names, self._flat[index * self._each : (index + 1) * self._each], strict=False))
        return found


def _call(mode: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Tensor, ...]:
    """A call in either form: (input, hx, params, ...), or (data, batch_sizes, hx, params, ...) of a packed sequence."""
    names = ["input", "hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional", "batch_first"]
    packed = "batch_sizes" in kwargs or "data" in kwargs or (len(args) > 3 and isinstance(args[3], (tuple, list)))
    if packed:
        names = ["data", "batch_sizes", *names[1:-1]]
    bound = dict(zip(names, args, strict=False))
    if (
        len(args) > len(names)
        or bound.keys() & kwargs.keys()
        or not set(kwargs) <= set(names)
        or len(bound) + len(kwargs) != len(names)
    ):
        raise TypeError(
            f"{mode.lower()}(): must be called with ({', '.join(names)}); found {len(args)} positional arguments and "
            f"{sorted(kwargs)}"
        )
    bound.update(kwargs)
    net = _Flat(
        mode,
        bound["params"],
        bound["has_biases"],
        bound["num_layers"],
        bound["dropout"],
        bound["train"],
        bound["bidirectional"],
        bound.get("batch_first", False),
    )
    state = tuple(bound["hx"]) if mode == "LSTM" else (bound["hx"],)
    if packed:
        sizes = [int(n) for n in bound["batch_sizes"].tolist()]
        net._check_states_(state, net._state_shapes_((sizes[0],)))
        y, final = net._run_(bound["data"], state, sizes)
    else:
        y, final = net._forward_(bound["input"], state)
    return (y, *final)


def lstm(*args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
    """An LSTM of given weights.

    Args:
        args: input, hx (h_0, c_0), params, has_biases, num_layers, dropout, train, bidirectional, batch_first; or data
            and batch_sizes of a packed sequence in the place of the input, and no batch_first.
        kwargs: the same by name.

    Returns:
        (output, h_n, c_n).
    """
    return _call("LSTM", args, kwargs)


def gru(*args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
    """A GRU of given weights; the arguments are those of `lstm`, hx is h_0.

    Returns:
        (output, h_n).
    """
    return _call("GRU", args, kwargs)


def rnn_tanh(*args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
    """An Elman network with tanh; the arguments are those of `gru`."""
    return _call("RNN_TANH", args, kwargs)


def rnn_relu(*args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
    """An Elman network with relu; the arguments are those of `gru`."""
    return _call("RNN_RELU", args, kwargs)
