"""How calls are done of those operators of `torch.ops.aten` that graphs of exported programs hold, and that are never
handed to a dispatch mode here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.operators.table.define import METHODS, TABLE, public
from rushlight.operators.table.types import Device, DType

__all__ = ["GRAPH_CALLS"]


def _of_package(name: str) -> Any:
    """A function of the package that is no operator of the table."""
    import rushlight

    return getattr(rushlight, name)


def _metadata(
    a: Tensor, size: Any = None, stride: Any = None, dtype: DType = None, *, device: Device = None, layout: Any = None
) -> None:
    """RuntimeError: a tensor is of another kind than the graph was made for."""
    for what, found, expected in (
        ("dtype", a.dtype, dtype),
        ("device", a.device, device),
        ("layout", a.layout, layout),
        ("size", list(a.shape), None if size is None else list(size)),
        ("stride", list(a.stride()), None if stride is None else list(stride)),
    ):
        if expected is not None and found != expected:
            raise RuntimeError(f"the graph is for a tensor of {what} {expected}; found {found}")


def _normalized(training: bool) -> Callable[..., Any]:
    """Batch normalization with its statistics: (result, mean, 1 / deviation) of the batch, or nothing in evaluation."""

    def function(x: Any, weight: Any, bias: Any, *rest: Any) -> Any:
        mean, var = (None, None) if isinstance(rest[0], bool) else rest[:2]  # none in the overload "no_stats"
        momentum, eps = rest[-2:]
        train = bool(rest[-3]) if training else False
        y = public("nn.functional.batch_norm")(x, mean, var, weight, bias, train, momentum, eps)
        if not train:
            return y, x.new_empty(0), x.new_empty(0)
        dims = tuple(d for d in range(x.ndim) if d != 1)
        spread, center = TABLE["var_mean"](x, dim=dims, correction=0)
        return y, center, METHODS["rsqrt"](spread + eps)

    return function


def _functional(
    x: Any, weight: Any, bias: Any, mean: Any, var: Any, train: bool, momentum: float, eps: float
) -> tuple[Any, ...]:
    new_mean, new_var = METHODS["clone"](mean), METHODS["clone"](var)
    found = _normalized(True)(x, weight, bias, new_mean, new_var, train, momentum, eps)
    return (*found, new_mean, new_var)


def _safe_softmax(x: Any, dim: int, dtype: DType = None) -> Tensor:
    """Softmax with zeros where a row has nothing but -inf."""
    y = TABLE["softmax"](x, dim, dtype)
    none = TABLE["all"](TABLE["eq"](x, float("-inf")), dim, True)
    return TABLE["where"](none, 0.0, y)


def _grid_sampler(x: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
    return public("nn.functional.grid_sample")(
        x, grid, ("bilinear", "nearest", "bicubic")[mode], ("zeros", "border", "reflection")[padding], align_corners
    )


def _largest(n: int) -> Callable[..., Any]:
    name = f"nn.functional.adaptive_max_pool{n}d_with_indices"
    return lambda x, size: public(name)(x, tuple(size))


def _unpool(n: int) -> Callable[..., Any]:
    def function(x: Any, indices: Any, size: Any, *rest: Any) -> Tensor:
        # Windows that do not overlap give every place of this size.
        return TABLE[f"nn.functional.max_unpool{n}d"](x, indices, 1, None, 0, tuple(size))

    return function


def _recurrent(mode: str) -> Callable[..., Any]:
    """All layers of a recurrent network: the states of the last one at every step, and the last states of all."""

    def function(
        x: Any,
        hx: Any,
        params: Sequence[Tensor] | bool,
        has_biases: bool,
        num_layers: int,
        dropout: float = 0.0,
        train: bool = False,
        bidirectional: bool = False,
        batch_first: bool = False,
        *more: Any,
    ) -> Any:
        from rushlight.operators.nn.recurrent import _lstm_layer, _recurrent_layer

        if isinstance(params, bool):
            raise NotImplementedError(f"aten::{mode.lower()}.data: packed sequences are run by the module alone")
        lstm = mode == "LSTM"
        states = list(hx) if lstm else [hx]
        directions = 2 if bidirectional else 1
        each = len(params) // (num_layers * directions)
        x = METHODS["transpose"](x, 0, 1) if batch_first else x
        last: list[list[Any]] = [[] for _ in states]
        for layer in range(num_layers):
            outputs = []
            for d in range(directions):
                i = layer * directions + d
                own = list(params[i * each : (i + 1) * each])
                weights = [*own[:2], *(own[2:4] if has_biases else (None, None))]
                first = [s[i] for s in states]
                if lstm:
                    projection = own[-1] if each in (3, 5) else None
                    y, *rest = _lstm_layer(x, *first, *weights, projection, bool(d), None)
                else:
                    y, *rest = _recurrent_layer(mode, x, *first, *weights, bool(d), None)
                outputs.append(y)
                for k, s in enumerate(rest):
                    last[k].append(s)
            x = outputs[0] if directions == 1 else TABLE["cat"](outputs, -1)
            if dropout and train and layer + 1 < num_layers:
                x = TABLE["dropout"](x, dropout, True)
        return (METHODS["transpose"](x, 0, 1) if batch_first else x, *(TABLE["stack"](s) for s in last))

    return function


def _lift_fresh_copy(x: Tensor) -> Tensor:
    return METHODS["clone"](x)


def _stft(
    x: Any, n_fft: int, hop: Any = None, width: Any = None, window: Any = None, *rest: Any, **named: Any
) -> Tensor:
    """Both overloads: with `center` and `pad_mode` before the flags, and without padding."""
    names = ("center", "pad_mode", "normalized", "onesided", "return_complex", "align_to_window")
    if any(isinstance(r, str) for r in rest):
        given = dict(zip(names, rest, strict=False))
    else:
        given = {"center": False, **dict(zip(names[2:], rest, strict=False))}
    return TABLE["stft"](x, n_fft, hop, width, window, **{**given, **named})


def _weight_norm(v: Any, g: Any, dim: int = 0) -> Any:
    return v * (g / TABLE["linalg.vector_norm"](v, 2, tuple(d for d in range(v.ndim) if d != dim), True))


# By aten's name: the table's operator that it belongs to, and how a call with aten's arguments is done.
GRAPH_CALLS: dict[str, tuple[str, Callable[..., Any]]] = {
    "_assert_tensor_metadata": ("clone", _metadata),
    "_native_batch_norm_legit": ("nn.functional.batch_norm", _normalized(True)),
    "_native_batch_norm_legit_functional": ("nn.functional.batch_norm", _functional),
    "_native_batch_norm_legit_no_training": ("nn.functional.batch_norm", _normalized(False)),
    "_safe_softmax": ("softmax", _safe_softmax),
    "_weight_norm": ("mul", _weight_norm),
    "adaptive_max_pool1d": ("nn.functional.adaptive_max_pool1d", _largest(1)),
    "adaptive_max_pool2d": ("nn.functional.adaptive_max_pool2d", _largest(2)),
    "adaptive_max_pool3d": ("nn.functional.adaptive_max_pool3d", _largest(3)),
    "chain_matmul": ("matmul", lambda matrices: public("linalg.multi_dot")(list(matrices))),
    "contiguous": (
        "clone",
        lambda x, *, memory_format=None: (
            x.contiguous() if memory_format is None else x.contiguous(memory_format=memory_format)
        ),
    ),
    "detach_": ("clone", lambda x: x.detach_()),
    "einsum": ("matmul", lambda equation, tensors, *, path=None: _of_package("einsum")(equation, *tensors)),
    "gru": ("tanh", _recurrent("GRU")),
    "lstm": ("tanh", _recurrent("LSTM")),
    "rnn_relu": ("relu", _recurrent("RNN_RELU")),
    "rnn_tanh": ("tanh", _recurrent("RNN_TANH")),
    "flatten": ("clone", lambda x, start_dim=0, end_dim=-1: TABLE["flatten"](x, start_dim, end_dim)),
    "grid_sampler": ("nn.functional.grid_sample", _grid_sampler),
    "instance_norm": (
        "instance_norm",
        lambda x, w, b, mean, var, use, momentum, eps, cudnn: public("nn.functional.instance_norm")(
            x, mean, var, w, b, use, momentum, eps
        ),
    ),
    "item": ("clone", lambda x: x.item()),
    "lift_fresh_copy": ("clone", _lift_fresh_copy),
    "log_sigmoid": ("nn.functional.logsigmoid", lambda x: TABLE["nn.functional.logsigmoid"](x)),
    "mH": ("adjoint", lambda x: x.mH),
    "mT": ("transpose", lambda x: x.mT),
    "matrix_H": ("adjoint", lambda x: x.H),
    "max_unpool2d": ("nn.functional.max_unpool2d", _unpool(2)),
    "max_unpool3d": ("nn.functional.max_unpool3d", _unpool(3)),
    "numel": ("clone", lambda x: x.numel()),
    "numpy_T": ("t", lambda x: x.T),
    "sym_size": ("clone", lambda x, dim=None: x.size() if dim is None else x.size(dim)),
    "sym_stride": ("clone", lambda x, dim=None: x.stride() if dim is None else x.stride(dim)),
    "sym_numel": ("clone", lambda x: x.numel()),
    "sym_storage_offset": ("clone", lambda x: x.storage_offset()),
    "stft": ("stft", _stft),
    "tensordot": (
        "tensordot",
        lambda x, y, dims=2, others=None: TABLE["tensordot"](
            x, y, dims if others is None else (tuple(dims), tuple(others))
        ),
    ),
    "to": ("clone", lambda x, *args, **kwargs: _to(x, *args, **kwargs)),
    "unflatten": ("clone", lambda x, dim, sizes: _of_package("unflatten")(x, dim, tuple(sizes))),
    **{
        f"__{name}__": (f"bitwise_{operator}", lambda x, y, operator=operator: METHODS[f"bitwise_{operator}"](x, y))
        for name, operator in (
            ("and", "and"),
            ("or", "or"),
            ("xor", "xor"),
            ("lshift", "left_shift"),
            ("rshift", "right_shift"),
        )
    },
}


def _to(x: Tensor, *args: Any, **named: Any) -> Tensor:
    """All overloads: to(dtype), to(device, dtype), to(other), and each of them by name."""
    from rushlight.core.dtypes import dtype as dtype_class

    rest = list(args)
    if rest and isinstance(rest[0], Tensor):
        other = rest.pop(0)
        named |= {"dtype": other.dtype, "device": other.device}
    elif rest and isinstance(rest[0], dtype_class):
        named["dtype"] = rest.pop(0)
    else:
        named |= zip(("device", "dtype"), (rest.pop(0) for _ in range(min(2, len(rest)))), strict=False)
    named |= zip(("non_blocking", "copy", "memory_format"), rest, strict=False)
    return METHODS["to"](x, **{k: v for k, v in named.items() if k not in ("layout", "pin_memory", "non_blocking")})
