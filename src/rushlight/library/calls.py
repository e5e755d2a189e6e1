"""Calls with aten's arguments, where those of the table's operators are others."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.library.graph_calls import GRAPH_CALLS
from rushlight.library.inner import INNER
from rushlight.library.signatures import SIGNATURES
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.operators.table.types import Device, DType


def function_of(name: str) -> Callable[..., Any] | None:
    """How a call with aten's arguments is done, None where they are the table's."""
    return _TAKES.get(name)


def function_of_overload(name: str, short: str) -> Callable[..., Any] | None:
    """The same of one overload."""
    return SIGNATURES.get(f"{name}.{short}") or SIGNATURES.get(name) or (_TAKES[name] if is_leaf(name, short) else None)


def is_leaf(name: str, short: str) -> bool:
    """Whether calls are passed on under this name, though the parameters of the table's operator do not show that the
    overload exists.
    """
    return name in _TAKES and short == ("Tensor" if name in ("slice", "index") else "default")


def _public(name: str) -> Any:
    """A function of the package, of those that are made when they are first asked for."""
    import rushlight

    return functools.reduce(getattr, name.split("."), rushlight)


def _slice(x: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    return x[(slice(None),) * (dim % max(1, x.ndim)) + (slice(start, end, step),)]


def _convolve(
    x: Any, w: Any, b: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any, groups: int
) -> Any:
    return _public("convolution")(
        x, w, b, tuple(stride), tuple(padding), tuple(dilation), transposed, tuple(output_padding), groups
    )


def _mean_var_std(name: str) -> Callable[..., Any]:
    return lambda x, dim=None, *, correction=1, keepdim=False: TABLE[name](
        x, dim=dim, correction=1 if correction is None else correction, keepdim=keepdim
    )


def _copied(x: Any, *, dtype: DType = None, layout: Any = None, device: Device = None, **rest: Any) -> Any:
    made = METHODS["to"](x, device=device, dtype=dtype, copy=True, memory_format=rest.get("memory_format"))
    return made if layout is None or layout is made.layout else _public("Tensor.to_sparse")(made, layout=layout)


def _nll_loss(x: Any, target: Any, weight: Any, reduction: int, ignore: int) -> tuple[Tensor, Tensor]:
    """The loss, and what the weights of the rows that count are together (0 for the losses of each row)."""
    word = ("none", "mean", "sum")[reduction]
    loss = TABLE["nn.functional.nll_loss"](x, target, weight, ignore_index=ignore, reduction=word)
    if reduction == 0:
        return loss, METHODS["new_zeros"](x, ())
    counts = TABLE["ne"](target, ignore)
    if weight is None:
        return loss, TABLE["sum"](METHODS["to"](counts, x.dtype))
    rows = TABLE["where"](
        counts,
        TABLE["index_select"](weight, 0, METHODS["reshape"](TABLE["where"](counts, target, 0), (-1,))).reshape(
            target.shape
        ),
        0,
    )
    return loss, TABLE["sum"](rows)


def _elu(x: Any, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Tensor:
    if input_scale == 1:
        y = TABLE["nn.functional.elu"](x, alpha)
    else:
        y = TABLE["where"](
            METHODS["gt"](x, 0), x, METHODS["mul"](METHODS["expm1"](METHODS["mul"](x, input_scale)), alpha)
        )
    return y if scale == 1 else METHODS["mul"](y, scale)


def _resized(mode: str, antialias: bool = False) -> Callable[..., Any]:
    def function(x: Any, size: Any, *rest: Any) -> Tensor:
        spatial = x.ndim - 2
        corners, scales = (None, rest) if mode.startswith("nearest") else (rest[0], rest[1:])
        if scales and isinstance(scales[0], (tuple, list)):  # the overload "vec": one list of scales, or a size
            scales = tuple(scales[0])
        if size is None:
            return TABLE["nn.functional.interpolate"](
                x, scale_factor=tuple(scales), mode=mode, align_corners=corners, antialias=antialias
            )
        given = [*scales, *[None] * spatial][:spatial]
        if None not in given and [int(n * s) for n, s in zip(x.shape[2:], given, strict=True)] == list(size):
            return TABLE["nn.functional.interpolate"](
                x, scale_factor=tuple(given), mode=mode, align_corners=corners, antialias=antialias
            )
        return TABLE["nn.functional.interpolate"](
            x, size=tuple(size), mode=mode, align_corners=corners, antialias=antialias
        )

    return function


def _factory(name: str) -> Callable[..., Any]:
    def function(*args: Any, pin_memory: bool | None = None, **kwargs: Any) -> Tensor:
        return TABLE[name](*(tuple(x) if isinstance(x, list) else x for x in args), **kwargs)

    return function


# How a call with aten's arguments is done, for overloads whose arguments are not the table's.
_TAKES: dict[str, Callable[..., Any]] = {
    **SIGNATURES,
    "alias": lambda x: METHODS["view"](x, tuple(x.shape)),
    "index": lambda x, indices: x[tuple(slice(None) if i is None else i for i in indices)],
    "index_put_": lambda x, indices, values, accumulate=False: METHODS["index_put_"](
        x, tuple(slice(None) if i is None else i for i in indices), values, accumulate
    ),
    "_to_copy": _copied,
    "_unsafe_view": lambda x, size: METHODS["view"](x, tuple(size)),
    "clone": lambda x, *, memory_format=None: (
        TABLE["clone"](x) if memory_format is None else TABLE["clone"](x, memory_format=memory_format)
    ),
    "slice": _slice,
    "nll_loss_forward": lambda x, t, w, reduction, ignore: _nll_loss(x, t, w, reduction, ignore),
    "_softmax": lambda x, dim, half_to_float: TABLE["softmax"](x, dim),
    "_log_softmax": lambda x, dim, half_to_float: TABLE["log_softmax"](x, dim),
    "convolution": _convolve,
    "var": _mean_var_std("var"),
    "std": _mean_var_std("std"),
    "embedding": lambda w, i, padding_idx=-1, scale_grad_by_freq=False, sparse=False: _public("embedding")(
        w, i, padding_idx, scale_grad_by_freq, sparse
    ),
    "elu": _elu,
    **{f"upsample_nearest{n}d": _resized("nearest") for n in (1, 2, 3)},
    **{f"_upsample_nearest_exact{n}d": _resized("nearest-exact") for n in (1, 2, 3)},
    "upsample_linear1d": _resized("linear"),
    "upsample_bilinear2d": _resized("bilinear"),
    "upsample_bicubic2d": _resized("bicubic"),
    "upsample_trilinear3d": _resized("trilinear"),
    "_upsample_bilinear2d_aa": _resized("bilinear", True),
    "_upsample_bicubic2d_aa": _resized("bicubic", True),
    "_upsample_lanczos2d_aa": _resized("lanczos", True),
    **{
        f"_adaptive_avg_pool{n}d": lambda x, size, n=n: TABLE[f"nn.functional.adaptive_avg_pool{n}d"](x, tuple(size))
        for n in (2, 3)
    },
    "constant_pad_nd": lambda x, pad, value=0.0: TABLE["nn.functional.pad"](x, tuple(pad), "constant", value),
    "fractional_max_pool2d": lambda x, k, size, samples: _public("nn.functional.fractional_max_pool2d_with_indices")(
        x, k, size, _random_samples=samples
    ),
    "fractional_max_pool3d": lambda x, k, size, samples: _public("nn.functional.fractional_max_pool3d_with_indices")(
        x, k, size, _random_samples=samples
    ),
    "max_pool2d_with_indices": lambda x, k, s=(), p=0, d=1, c=False: _public("nn.functional.max_pool2d_with_indices")(
        x, k, s or None, p, d, c
    ),
    "linalg_vector_norm": lambda x, ord=2, dim=None, keepdim=False, *, dtype=None: TABLE["linalg.vector_norm"](
        x, ord, dim, keepdim, dtype=dtype
    ),
    "amax": lambda x, dim=(), keepdim=False: TABLE["amax"](x, tuple(dim), keepdim),
    "amin": lambda x, dim=(), keepdim=False: TABLE["amin"](x, tuple(dim), keepdim),
    "roll": lambda x, shifts, dims=(): TABLE["roll"](x, tuple(shifts), tuple(dims) or None),
    "linalg_inv_ex": lambda x: TABLE["linalg.inv_ex"](x),
    "lift_fresh": lambda x: x,
    "native_layer_norm": lambda x, shape, w, b, eps: _public("native_layer_norm")(x, tuple(shape), w, b, eps),
    "native_group_norm": lambda x, w, b, n, c, hw, g, eps: _public("native_group_norm")(x, w, b, n, c, hw, g, eps),
    **{
        name: _factory(name)
        for name in (
            "zeros",
            "ones",
            "empty",
            "full",
            "randn",
            "rand",
            "randperm",
            "linspace",
            "eye",
            "zeros_like",
            "ones_like",
            "empty_like",
            "rand_like",
            "randn_like",
            "full_like",
            "tril_indices",
            "triu_indices",
        )
    },
}


# Inner names that the table lacks -> the operator whose calls are passed on under them.
_SHOWS: dict[str, str] = {
    "nll_loss_forward": "nn.functional.nll_loss",
    "nll_loss2d": "nn.functional.nll_loss",
    "nll_loss_nd": "nn.functional.nll_loss",
    "cross_entropy_loss": "nn.functional.cross_entropy",
    "max_pool2d_with_indices": "max_pool2d",
    "lift_fresh": "clone",
    "native_layer_norm": "nn.functional.layer_norm",
    "native_group_norm": "nn.functional.group_norm",
    **{f"_adaptive_avg_pool{n}d": f"nn.functional.adaptive_avg_pool{n}d" for n in (2, 3)},
    **{name: "nn.functional.interpolate" for name in _TAKES if "upsample_" in name},
}


def inner_call(name: str) -> tuple[str, Callable[..., Any]] | None:
    """Of an inner name that a call of the table is handed on by: the table's operator, and how the call is done."""
    found = INNER.get(name) or ((_SHOWS[name], _TAKES[name]) if name in _SHOWS else None)
    return found or GRAPH_CALLS.get(name)


# Where PyTorch's result has more parts than the table's.
_TAKES_OUT: dict[str, Callable[[Any], Any]] = {
    name: lambda r: r[0] if isinstance(r, tuple) else r
    for name in ("native_layer_norm", "native_group_norm", "linalg_inv_ex", "nll_loss_forward")
}
