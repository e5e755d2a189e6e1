"""Recurrent networks as modules: layers over whole sequences, and single cells."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.nn import init
from rushlight.nn.parameter import Parameter
from rushlight.operators.nn.recurrent import _gru_gates, _lstm_gates, _lstm_layer, _recurrent_layer
from rushlight.operators.table.types import Device, DType

from .module import Module, shown

__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNBase", "RNNCell", "RNNCellBase"]

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _draw(module: Any) -> None:
    """Draw all weights from uniform(-1/sqrt(hidden_size), 1/sqrt(hidden_size))."""
    for weight in module.parameters():
        init.uniform_(weight, -(module.hidden_size**-0.5), module.hidden_size**-0.5)


class RNNBase(Module):
    """What RNN, LSTM and GRU share: weights, stacking, directions, packed sequences.

    Args:
        mode: ``"LSTM"``, ``"GRU"``, ``"RNN_TANH"`` or ``"RNN_RELU"``.
        input_size: features of the input.
        hidden_size: features of the hidden state.
        num_layers: layers, each fed with the outputs of the one before.
        bias: whether biases are learned.
        batch_first: input and output are (N, L, features) instead of (L, N, features).
        dropout: probability of dropout between layers.
        bidirectional: run each layer in both directions.
        proj_size: LSTM only: size to which the hidden state is projected, if not 0.

    Raises:
        ValueError: a size, ``dropout`` or ``mode`` is out of range.
        TypeError: a size is not an int.
    """

    __constants__ = [
        "mode",
        "input_size",
        "hidden_size",
        "num_layers",
        "bias",
        "batch_first",
        "dropout",
        "bidirectional",
        "proj_size",
    ]

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Device = None,
        dtype: DType = None,
    ) -> None:
        super().__init__()
        self._check_arguments_(mode, hidden_size, num_layers, dropout, proj_size)
        self.mode, self.input_size, self.hidden_size, self.proj_size = mode, input_size, hidden_size, proj_size
        self.bias, self.batch_first, self.bidirectional = bias, batch_first, bidirectional
        self.num_layers, self.dropout = num_layers, float(dropout)
        self._all_weights: list[list[str]] = []
        gates = _GATES[mode] * hidden_size
        state_size = proj_size or hidden_size
        directions = 2 if bidirectional else 1
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        for layer in range(num_layers):
            layer_input = input_size if layer == 0 else state_size * directions
            for direction in range(directions):
                suffix = f"_l{layer}" + ("_reverse" if direction else "")
                shapes: dict[str, tuple[int, ...]] = {
                    "weight_ih": (gates, layer_input),
                    "weight_hh": (gates, state_size),
                }
                if bias:
                    shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                for name, shape in shapes.items():
                    self.register_parameter(name + suffix, Parameter(rushlight.empty(shape, **place)))
                self._all_weights.append([name + suffix for name in shapes])
        self.reset_parameters()

    def _check_arguments_(self, mode: str, hidden_size: Any, num_layers: int, dropout: Any, proj_size: int) -> None:
        """ValueError, or TypeError for a hidden_size that is no int, in the terms of the constructor."""
        name = type(self).__name__
        if not isinstance(hidden_size, int):
            raise TypeError(f"{name}: hidden_size must be an int; found {type(hidden_size).__name__}")
        number = isinstance(dropout, (int, float)) and not isinstance(dropout, bool)
        for argument, found, valid, expected in (
            ("mode", mode, mode in _GATES, "one of " + ", ".join(_GATES)),
            ("hidden_size", hidden_size, hidden_size > 0, "positive"),
            ("num_layers", num_layers, num_layers > 0, "positive"),
            ("dropout", dropout, number and 0 <= dropout <= 1, "a probability, from 0 to 1"),
            (
                "proj_size",
                proj_size,
                0 <= proj_size < hidden_size,
                f"less than hidden_size, {hidden_size}, or 0 for none",
            ),
        ):
            if not valid:
                raise ValueError(f"{name}: {argument} must be {expected}; found {found!r}")
        if dropout and num_layers == 1:
            import warnings

            warnings.warn(f"{name}: dropout={dropout} acts between layers, and num_layers=1 leaves none", stacklevel=4)

    def reset_parameters(self) -> None:
        """Draw all weights from uniform(-1/sqrt(hidden_size), 1/sqrt(hidden_size))."""
        _draw(self)

    def flatten_parameters(self) -> None:
        """Do nothing: it concerns libraries that want all weights in one block; programs still call it."""

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self) -> list[Tensor]:
        given: list[Tensor] | None = self.__dict__.get("_given_weights_")
        return [getattr(self, name) for name in self._flat_weights_names] if given is None else given

    @_flat_weights.setter
    def _flat_weights(self, weights: list[Tensor]) -> None:
        """Let calls use other tensors than the parameters, which stay what they are: programs that keep weights of
        their own do this. A weight that is assigned later counts again.
        """
        weights, names = list(weights), self._flat_weights_names
        if len(weights) != len(names) or not all(isinstance(w, Tensor) for w in weights):
            raise TypeError(
                f"{type(self).__name__}: '_flat_weights' must be {len(names)} tensors, {', '.join(names)}; found "
                f"{len(weights)}"
            )
        same = all(w is getattr(self, name) for w, name in zip(weights, names, strict=True))
        self.__dict__["_given_weights_"] = None if same else weights

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__dict__.get("_given_weights_") is not None and name in self._flat_weights_names:
            weights = self.__dict__["_given_weights_"]
            self.__dict__["_given_weights_"] = None
            super().__setattr__(name, value)
            weights[self._flat_weights_names.index(name)] = value
            self.__dict__["_given_weights_"] = weights
            return
        super().__setattr__(name, value)

    def __getstate__(self) -> dict[str, Any]:
        # A file for PyTorch has the lists that PyTorch keeps in the module.
        return {**vars(self), "_flat_weights_names": self._flat_weights_names, "_flat_weights": self._flat_weights}

    def __setstate__(self, values: dict[str, Any]) -> None:
        super().__setstate__({k: v for k, v in values.items() if not k.startswith("_flat_weight")})

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The weights of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def extra_repr(self) -> str:
        return shown(
            f"{self.input_size}, {self.hidden_size}",
            ("proj_size", self.proj_size, 0),
            ("num_layers", self.num_layers, 1),
            ("bias", self.bias, True),
            ("batch_first", self.batch_first, False),
            ("dropout", self.dropout, 0),
            ("bidirectional", self.bidirectional, False),
        )

    # Checks.

    def _check_input_(self, input: Tensor, ranks: tuple[int, ...]) -> None:
        if input.dim() not in ranks:
            words = " or ".join(f"{rank}-d" for rank in ranks)
            raise ValueError(f"{type(self).__name__}: the input must be {words}; found {input.dim()}-d")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"{type(self).__name__}: the input must have {self.input_size} features (input_size) in its last "
                "dimension; "
                f"found {input.size(-1)}"
            )
        self._check_dtype_(input)

    def _check_dtype_(self, input: Tensor) -> None:
        weight = self._weights_(0)["weight_ih"]
        if input.dtype is not weight.dtype and not rushlight.is_autocast_enabled("cpu"):
            raise ValueError(
                f"{type(self).__name__}: the input must have the dtype of the weights, {weight.dtype}; found "
                f"{input.dtype}"
            )

    def _check_states_(self, states: tuple[Tensor, ...], shapes: list[tuple[int, ...]]) -> None:
        names = ("h_0", "c_0") if self.mode == "LSTM" else ("hx",)
        for name, state, shape in zip(names, states, shapes, strict=True):
            if tuple(state.shape) != shape:
                raise RuntimeError(
                    f"{type(self).__name__}: {name} must have shape {shape} for this input; found {tuple(state.shape)}"
                )

    # The same under PyTorch's names, for layers that are derived from these.

    def _alive_(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, ...]:
        """The batch's size, or that of a packed sequence's first step; none for one sequence."""
        if batch_sizes is not None:
            return (int(batch_sizes[0]),)
        return (input.size(0 if self.batch_first else 1),) if input.dim() == 3 else ()

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """RuntimeError or ValueError for an input of the wrong rank or number of features; packed data with
        ``batch_sizes``.
        """
        self._check_input_(input, (2, 3) if batch_sizes is None else (2,))

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, ...]:
        """The shape of the first hidden state for an input."""
        return self._state_shapes_(self._alive_(input, batch_sizes))[0]

    def check_hidden_size(
        self,
        hx: Tensor,
        expected_hidden_size: tuple[int, ...],
        msg: str = "the hidden state must have shape {}; found {}",
    ) -> None:
        """RuntimeError, in the words of ``msg``, unless a state has the shape that is expected."""
        if tuple(hx.shape) != tuple(expected_hidden_size):
            raise RuntimeError(msg.format(tuple(expected_hidden_size), list(hx.shape)))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Check an input and its first state: a tensor, or (h, c) for LSTM."""
        self.check_input(input, batch_sizes)
        states = hidden if self.mode == "LSTM" else (hidden,)
        self._check_states_(tuple(states), self._state_shapes_(self._alive_(input, batch_sizes)))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """A state with its sequences in another order; as it is for None."""
        if permutation is None:
            return hx
        if isinstance(hx, tuple):
            return tuple(s.index_select(1, permutation) for s in hx)
        return hx.index_select(1, permutation)

    # Running. A state is a tuple of tensors (layers * directions, N, features): (h,), or (h, c) for LSTM.

    def _weights_(self, index: int) -> dict[str, Any]:
        weights = dict.fromkeys(("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"))
        for name in self._all_weights[index]:
            weights[name.split("_l")[0]] = getattr(self, name)
        given = self.__dict__.get("_given_weights_")
        if given is not None:
            for name, weight in zip(self._flat_weights_names, given, strict=True):
                if name in self._all_weights[index]:
                    weights[name.split("_l")[0]] = weight
        return weights

    def _run_layer_(
        self, x: Tensor, state: tuple[Tensor, ...], index: int, reverse: bool
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """One layer in one direction over (L, N, features)."""
        w = self._weights_(index)
        weights = w["weight_ih"], w["weight_hh"], w["bias_ih"], w["bias_hh"]
        # Autocast lowers the products of a layer.
        lowers = rushlight.is_autocast_enabled("cpu") and x.dtype is not rushlight.float64
        lower = rushlight.get_autocast_dtype("cpu") if lowers else None
        if self.mode == "LSTM":
            y, *last = _lstm_layer(x, *state, *weights, w["weight_hr"], reverse, lower)
        else:
            y, *last = _recurrent_layer(self.mode, x, *state, *weights, reverse, lower)
        return y, tuple(last)

    def _run_packed_(
        self, x: Tensor, sizes: list[int], state: tuple[Tensor, ...], index: int, reverse: bool
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """One layer in one direction over a packed sequence: at step t only the first ``sizes[t]`` sequences live.
        Steps with the same sequences are run at once.
        """
        runs = [(n, len(list(steps))) for n, steps in groupby(sizes)]
        parts = list(x.split([n * steps for n, steps in runs]))
        outputs: list[Any] = [None] * len(runs)
        order = range(len(runs) - 1, -1, -1) if reverse else range(len(runs))
        live = tuple(s[: runs[order[0]][0]] for s in state)
        ended: list[tuple[Tensor, ...]] = []
        for k in order:
            n, had = runs[k][0], live[0].size(0)
            if n < had:  # the shortest sequences have ended: their last state is final
                ended.append(tuple(s[n:] for s in live))
                live = tuple(s[:n] for s in live)
            elif n > had:  # backwards: longer ones have not started yet; they start from the initial state
                live = tuple(rushlight.cat([s, first[had:n]]) for s, first in zip(live, state, strict=True))
            y, live = self._run_layer_(parts[k].unflatten(0, (runs[k][1], n)), live, index, reverse)
            outputs[k] = y.flatten(0, 1)
        finals = [live, *reversed(ended)]
        final = tuple(rushlight.cat([part[k] for part in finals]) for k in range(len(state)))
        return rushlight.cat(outputs), final

    def _run_(self, x: Tensor, state: tuple[Tensor, ...], sizes: list[int] | None) -> tuple[Tensor, tuple[Tensor, ...]]:
        directions = 2 if self.bidirectional else 1
        finals: list[tuple[Tensor, ...]] = []
        # PyTorch casts a layer of LSTM as a whole under autocast, unless it has projections or a packed sequence.
        casts = self.mode == "LSTM" and not self.proj_size and sizes is None and x.dtype is not rushlight.float64
        lower = rushlight.get_autocast_dtype("cpu") if casts and rushlight.is_autocast_enabled("cpu") else None
        for layer in range(self.num_layers):
            outputs: list[Tensor] = []
            for direction in range(directions):
                index = layer * directions + direction
                first = tuple(s[index] for s in state)
                if sizes is None:
                    y, last = self._run_layer_(x, first, index, bool(direction))
                    if lower is not None:
                        y, last = y.to(lower), tuple(s.to(lower) for s in last)
                else:
                    y, last = self._run_packed_(x, sizes, first, index, bool(direction))
                outputs.append(y)
                finals.append(last)
            x = outputs[0] if directions == 1 else rushlight.cat(outputs, -1)
            if self.dropout and layer < self.num_layers - 1:
                x = F.dropout(x, self.dropout, self.training)
        return x, tuple(rushlight.stack([final[k] for final in finals]) for k in range(len(state)))

    def _state_shapes_(self, batch: tuple[int, ...]) -> list[tuple[int, ...]]:
        count = self.num_layers * (2 if self.bidirectional else 1)
        shapes = [(count, *batch, self.proj_size or self.hidden_size)]
        if self.mode == "LSTM":
            shapes.append((count, *batch, self.hidden_size))
        return shapes

    def _forward_(self, input: Any, state: tuple[Tensor, ...] | None) -> tuple[Any, tuple[Tensor, ...]]:
        if hasattr(input, "batch_sizes"):
            return self._forward_packed_(input, state)
        self._check_input_(input, (2, 3))
        batched = input.dim() == 3
        batch_dim = 0 if self.batch_first else 1
        batch = (input.size(batch_dim),) if batched else ()
        shapes = self._state_shapes_(batch)
        if state is None:
            state = tuple(rushlight.zeros(shape, dtype=input.dtype, device=input.device) for shape in shapes)
        self._check_states_(state, shapes)
        x = input
        if not batched:
            x = x.unsqueeze(1)
            state = tuple(s.unsqueeze(1) for s in state)
        elif self.batch_first:
            x = x.transpose(0, 1)
        if x.size(0) == 0:
            raise RuntimeError(
                f"{type(self).__name__}: the input must have at least one step; found {tuple(input.shape)}"
            )
        y, final = self._run_(x, state, None)
        if not batched:
            return y.squeeze(1), tuple(s.squeeze(1) for s in final)
        return (y.transpose(0, 1) if self.batch_first else y), final

    def _forward_packed_(self, input: Any, state: tuple[Tensor, ...] | None) -> tuple[Any, tuple[Tensor, ...]]:
        data, batch_sizes, sorted_indices, unsorted_indices = input
        self._check_input_(data, (2,))
        sizes = [int(n) for n in batch_sizes.tolist()]
        shapes = self._state_shapes_((sizes[0],))
        if state is None:
            state = tuple(rushlight.zeros(shape, dtype=data.dtype, device=data.device) for shape in shapes)
        else:
            self._check_states_(state, shapes)
            if sorted_indices is not None:
                state = tuple(s.index_select(1, sorted_indices) for s in state)
        y, final = self._run_(data, state, sizes)
        if unsorted_indices is not None:
            final = tuple(s.index_select(1, unsorted_indices) for s in final)
        return type(input)(y, batch_sizes, sorted_indices, unsorted_indices), final


def _refuse_projection(name: str, options: dict[str, Any]) -> None:
    if "proj_size" in options:
        raise ValueError(f"{name}: only LSTM takes proj_size; found proj_size={options['proj_size']}")


class RNN(RNNBase):
    """The Elman network h' = tanh(W_ih x + b_ih + W_hh h + b_hh); arguments as RNNBase.

    ``nonlinearity`` is ``"tanh"`` or ``"relu"``.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse_projection("RNN", kwargs)
        given = list(args)
        nonlinearity = given.pop(3) if len(given) > 3 else kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"RNN: nonlinearity must be 'tanh' or 'relu'; found {nonlinearity!r}")
        # Before Module.__init__, which leaves it there.
        self.__dict__["nonlinearity"] = nonlinearity
        super().__init__(f"RNN_{nonlinearity.upper()}", *given, **kwargs)

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        """Return the outputs of the last layer at every step, and the last state of every layer."""
        output, (h,) = self._forward_(input, None if hx is None else (hx,))
        return output, h


class LSTM(RNNBase):
    """Long short-term memory (Hochreiter & Schmidhuber 1997, with forget gates); arguments as RNNBase."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, ...]:
        """The shape of the first cell state for an input."""
        return self._state_shapes_(self._alive_(input, batch_sizes))[1]

    def forward(self, input: Any, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Any, tuple[Tensor, Tensor]]:
        """Return the outputs of the last layer at every step, and the last (h, c) of every layer."""
        output, (h, c) = self._forward_(input, None if hx is None else tuple(hx))
        return output, (h, c)


class GRU(RNNBase):
    """Gated recurrent units (Cho et al. 2014, arXiv:1406.1078, with the reset after the product)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse_projection("GRU", kwargs)
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        """Return the outputs of the last layer at every step, and the last state of every layer."""
        output, (h,) = self._forward_(input, None if hx is None else (hx,))
        return output, h


class RNNCellBase(Module):
    """What the three cells share."""

    __constants__ = ["input_size", "hidden_size", "bias"]

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Device = None, dtype: DType = None
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        gates = num_chunks * hidden_size
        shapes = {
            "weight_ih": (gates, input_size),
            "weight_hh": (gates, hidden_size),
            "bias_ih": (gates,),
            "bias_hh": (gates,),
        }
        for name, shape in shapes.items():
            learned = bias or name.startswith("weight")
            t = rushlight.empty(shape, device=device, dtype=dtype) if learned else None
            self.register_parameter(name, None if t is None else Parameter(t))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all weights from uniform(-1/sqrt(hidden_size), 1/sqrt(hidden_size))."""
        if self.hidden_size:
            _draw(self)

    def extra_repr(self) -> str:
        return shown(
            f"{self.input_size}, {self.hidden_size}",
            ("bias", str(self.bias), "True"),  # (a bias of 1 is shown, too)
            ("nonlinearity", self.__dict__.get("nonlinearity", "tanh"), "tanh"),
        )

    def _prepare_(
        self, input: Tensor, state: tuple[Tensor, ...] | None, count: int
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: the input must be 1-d or 2-d; found {input.dim()}-d")
        if input.size(-1) != self.input_size:
            raise RuntimeError(f"{name}: the input must have {self.input_size} features; found {input.size(-1)}")
        shape = (*input.shape[:-1], self.hidden_size)
        if state is None:
            state = (rushlight.zeros(shape, dtype=input.dtype, device=input.device),) * count
        for s in state:
            if tuple(s.shape) != shape:
                kind = RuntimeError if s.dim() in (1, 2) else ValueError
                raise kind(f"{name}: hx must have shape {shape} for this input; found {tuple(s.shape)}")
        return F.linear(input, self.weight_ih, self.bias_ih), state


class RNNCell(RNNCellBase):
    """One step of an Elman network."""

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Device = None,
        dtype: DType = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"RNNCell: nonlinearity must be 'tanh' or 'relu'; found {self.nonlinearity!r}")
        x, (h,) = self._prepare_(input, None if hx is None else (hx,), 1)
        both = x + F.linear(h, self.weight_hh, self.bias_hh)
        return rushlight.tanh(both) if self.nonlinearity == "tanh" else rushlight.relu(both)


class LSTMCell(RNNCellBase):
    """One step of an LSTM."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Device = None, dtype: DType = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        x, (h, c) = self._prepare_(input, None if hx is None else tuple(hx), 2)
        return _lstm_gates(x, F.linear(h, self.weight_hh, self.bias_hh), c)


class GRUCell(RNNCellBase):
    """One step of a GRU."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Device = None, dtype: DType = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        x, (h,) = self._prepare_(input, None if hx is None else (hx,), 1)
        return _gru_gates(x, F.linear(h, self.weight_hh, self.bias_hh), h)
