"""A call of the table as PyTorch's dispatcher would pass it on: one overload of `torch.ops.aten` with its arguments, or
the calls that it consists of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor, device
from rushlight.library.signatures import SIGNATURES
from rushlight.operators.shapes.view import moved_order
from rushlight.operators.table.node_names import Values

Call = tuple[str, tuple[Any, ...], dict[str, Any]]  # "add.Tensor", arguments, keyword arguments
Rule = Callable[[Values], Call]


def _is(x: Any) -> bool:
    return isinstance(x, Tensor)


def call(name: str, *args: Any, defaults: tuple[Any, ...] = (), **kwargs: Any) -> Call:
    """A call without the trailing arguments that are their defaults, and without keyword arguments that are None."""
    given = list(args)
    for default in reversed(defaults):
        if not (type(given[-1]) is type(default) and given[-1] == default):
            break
        given.pop()
    return name, tuple(given), {k: v for k, v in kwargs.items() if v is not None}


def _list(x: Any, n: int = 0) -> list[Any]:
    if isinstance(x, (tuple, list)):
        return list(x) * n if n and len(x) == 1 else list(x)
    return [x] * (n or 1)


def _arithmetic(name: str) -> Rule:
    def rule(v: Values) -> Call:
        alpha = v["alpha"]
        return call(f"{name}.Tensor", v["input"], v["other"], alpha=None if alpha in (None, 1) else alpha)

    return rule


def _rsub(v: Values) -> Call:
    alpha = v["alpha"]
    if _is(v["other"]):
        return call("rsub.Tensor", v["input"], v["other"], alpha=None if alpha in (None, 1) else alpha)
    return call("rsub.Scalar", v["input"], v["other"], 1 if alpha is None else alpha, defaults=(1,))


def _with_scalar(name: str, second: str = "other") -> Rule:
    return lambda v: call(f"{name}.{'Tensor' if _is(v[second]) else 'Scalar'}", v["input"], v[second])


def _dims(name: str, overload: str, *, several: bool = True) -> Rule:
    """A reduction: of everything, or over dimensions."""

    def rule(v: Values) -> Call:
        if v["dim"] is None:
            return call(f"{name}.default", v["input"], dtype=v["dtype"])
        return call(
            f"{name}.{overload}",
            v["input"],
            _list(v["dim"]) if several else v["dim"],
            bool(v["keepdim"]),
            defaults=(False,),
            dtype=v["dtype"],
        )

    return rule


def _listed(name: str) -> Rule:
    return lambda v: call(
        f"{name}.default",
        v["input"],
        _list(v["dim"]) if v["dim"] not in (None, ()) else [],
        bool(v["keepdim"]),
        defaults=([], False),
    )


def _spread(name: str) -> Rule:
    def rule(v: Values) -> Call:
        unbiased = v["dim"] if isinstance(v["dim"], bool) else v["unbiased"]
        correction = v["correction"] if unbiased is None else int(unbiased)
        dim = None if v["dim"] is None or isinstance(v["dim"], bool) else _list(v["dim"])
        return call(
            f"{name}.correction",
            v["input"],
            dim,
            defaults=(None,),
            correction=None if correction in (None, 1) else correction,
            keepdim=v["keepdim"] or None,
        )

    return rule


def _softmax(name: str) -> Rule:
    return lambda v: call(f"{name}.default", v["input"], v["dim"], False)


def _convolution(spatial: int, transposed: bool) -> Rule:
    def rule(v: Values) -> Call:
        output_padding = _list(v["output_padding"] or 0, spatial)
        padding = v["padding"]
        if isinstance(padding, str):
            sizes, dilations = v["weight"].shape[2:], _list(v["dilation"], spatial)
            padding = (
                [0] * spatial
                if padding == "valid"
                else [d * (k - 1) // 2 for k, d in zip(sizes, dilations, strict=True)]
            )
        return call(
            "convolution.default",
            v["input"],
            v["weight"],
            v["bias"],
            _list(v["stride"], spatial),
            _list(padding, spatial),
            _list(v["dilation"], spatial),
            transposed,
            output_padding,
            v["groups"],
        )

    return rule


def _pow(v: Values) -> Call:
    if not _is(v["input"]):
        return call("pow.Scalar", v["input"], v["exponent"])
    return call(f"pow.Tensor_{'Tensor' if _is(v['exponent']) else 'Scalar'}", v["input"], v["exponent"])


def _clamp(v: Values) -> Call:
    overload = "Tensor" if _is(v["min"]) or _is(v["max"]) else "default"
    return call(f"clamp.{overload}", v["input"], v["min"], v["max"], defaults=(None, None))


def _squeeze(v: Values) -> Call:
    if v["dim"] is None:
        return call("squeeze.default", v["input"])
    return (
        call("squeeze.dims", v["input"], list(v["dim"]))
        if isinstance(v["dim"], (tuple, list))
        else call("squeeze.dim", v["input"], v["dim"])
    )


def _sized(name: str, argument: str) -> Rule:
    return lambda v: call(name, v["input"], _list(v[argument]))


def _factory(name: str, *arguments: str) -> Rule:
    """zeros(size) and its family, by the arguments that come first; those of every factory are keywords."""

    def rule(v: Values) -> Call:
        given = [_list(v[a]) if a == "size" else v[a] for a in arguments]
        return call(
            name,
            *given,
            dtype=v["dtype"],
            layout=None if v["layout"] in (None, dt.strided) else v["layout"],
            device=_cpu() if v["device"] is None else v["device"],
            pin_memory=False,
        )

    return rule


def _like(name: str, *arguments: str) -> Rule:
    return lambda v: call(
        name,
        v["input"],
        *(_list(v[a]) if a == "size" else v[a] for a in arguments),
        dtype=v["dtype"],
        device=v["device"],
        pin_memory=False,
    )


def _cpu() -> device:
    from rushlight.core.devices import CPU

    return CPU


def basic_index(v: Values) -> list[Call]:
    """x[...] by ints, slices and None, one view after another; None stands for the view before."""
    calls: list[Call] = []
    values, d = iter(v["ints"]), 0
    for k in v["kinds"]:
        if k == "n":
            calls.append(call("unsqueeze.default", None, d))
            d += 1
        elif k == "i":
            calls.append(call("select.int", None, d, next(values)))
        elif k == ":":
            d += 1
        else:
            start, size = next(values), next(values)
            step = next(values) if k != "[" else 1
            calls.append(call("slice.Tensor", None, d, start, start + size * step, step, defaults=(1,)))
            d += 1
    return calls


def _upsample(v: Values) -> Call:
    kind, spatial = {"nearest-exact": "nearest_exact"}.get(v["mode"], v["mode"]), v["input"].ndim - 2
    scales = [None] * spatial if v["scale_factor"] is None else [float(s) for s in _list(v["scale_factor"], spatial)]
    size = (
        v["size"] if v["size"] is not None else [int(n * s) for n, s in zip(v["input"].shape[2:], scales, strict=True)]
    )
    if kind == "area":
        return call(
            f"{'_' if spatial > 1 else ''}adaptive_avg_pool{spatial}d.default", v["input"], _list(size, spatial)
        )
    corners = () if kind.startswith("nearest") else (bool(v["align_corners"]),)
    name = (
        f"_upsample_{kind}{spatial}d_aa"
        if v["antialias"]
        else f"{'_' if kind == 'nearest_exact' else ''}upsample_{kind}{spatial}d"
    )
    return call(f"{name}.default", v["input"], _list(size, spatial), *corners, *scales, defaults=(None,) * spatial)


def _signed(name: str) -> Rule:
    """A call by aten's signature: a loss, whose reduction is a number."""

    def rule(v: Values) -> Call:
        given, defaults, named = SIGNATURES[name].places(v)
        return call(f"{name}.default", *given, defaults=defaults, **named)

    return rule


# By a chain or a rule of their own.
_LOSSES_OF_PARTS = frozenset(("ctc_loss", "cross_entropy_loss", "nll_loss", "nll_loss2d", "nll_loss_nd"))


def _pool(name: str, v: Values, *dilation: list[int]) -> Call:
    windows = (_list(v["kernel_size"], 2), [] if v["stride"] is None else _list(v["stride"], 2), _list(v["padding"], 2))
    defaults = ([], [0, 0], *([1, 1] for _ in dilation), False)
    return call(name, v["input"], *windows, *dilation, bool(v["ceil_mode"]), defaults=defaults)


def _blocks(name: str, v: Values, *before: Any) -> Call:
    windows = (_list(v[k], 2) for k in ("kernel_size", "dilation", "padding", "stride"))
    return call(f"{name}.default", v["input"], *before, *windows)


def _arange(v: Values) -> Call:
    if v["end"] is None:
        return _factory("arange.default", "start")(v)
    return (
        _factory("arange.start", "start", "end")(v)
        if v["step"] in (None, 1)
        else _factory("arange.start_step", "start", "end", "step")(v)
    )


def _narrow(v: Values) -> Call:
    start = int(v["start"])
    start += v["input"].shape[v["dim"]] if start < 0 else 0
    return call("slice.Tensor", v["input"], v["dim"], start, start + v["length"])


def _nll(v: Values) -> Call:
    how = {"none": 0, "mean": 1, "sum": 2}.get(v["reduction"], v["reduction"])
    return call("nll_loss_forward.default", v["input"], v["target"], v["weight"], how, v["ignore_index"])


def _norm(v: Values) -> Call:
    order = v["p"] if v["ord"] is None else v["ord"]
    order = 2 if order in (None, "fro") else order
    dim = None if v["dim"] is None else _list(v["dim"])
    return call(
        "linalg_vector_norm.default",
        v["input"] if v["x"] is None else v["x"],
        order,
        dim,
        bool(v["keepdim"]),
        defaults=(2, None, False),
        dtype=v["dtype"],
    )


def _adaptive(v: Values) -> Call:
    size = _list(v["output_size"], 2)
    return (
        call("mean.dim", v["input"], [-1, -2], True)
        if size == [1, 1]
        else call("_adaptive_avg_pool2d.default", v["input"], size)
    )


def _indices(v: Values) -> list[Any]:
    """Index tensors by dimension, None for a whole one."""
    found: list[Any] = [None] * (max(v["dims"]) + 1)
    for d, t in zip(v["dims"], v["indices"], strict=True):
        found[d] = t
    return found


def _chunk(v: Values) -> Call:
    n = v["input"].shape[v["dim"]]
    if not n:
        return call("split_with_sizes.default", v["input"], [0] * v["chunks"], v["dim"], defaults=(0,))
    return call("split.Tensor", v["input"], -(-n // v["chunks"]) or 1, v["dim"], defaults=(0,))


# Python bodies here that are one operator in PyTorch, with the same arguments.
WHOLE = frozenset(
    """normal uniform exponential geometric log_normal cauchy random bernoulli nonzero multinomial unique bincount
    histc histogram unique_consecutive
    allclose segment_reduce _convert_indices_from_coo_to_csr
    _convert_indices_from_csr_to_coo set t transpose swapaxes swapdims squeeze unsqueeze view_as_real view_as_complex
    lstsq _local_scalar_dense""".split()
)


def _view(v: Values) -> Call:
    if isinstance(v["size"], dt.dtype) or v["dtype"] is not None:
        return call("view.dtype", v["input"], v["size"] if v["dtype"] is None else v["dtype"])
    return call("view.default", v["input"], _list(v["size"]))


LEAVES: dict[str, Rule] = {
    **{n: _arithmetic(n) for n in ("add", "sub", "mul")},
    "true_divide": _arithmetic("div"),
    "div": lambda v: call(
        f"div.{'Tensor' if v['rounding_mode'] is None else 'Tensor_mode'}",
        v["input"],
        v["other"],
        rounding_mode=v["rounding_mode"],
    ),
    **{
        n: _with_scalar(n)
        for n in "eq ne lt le gt ge remainder fmod bitwise_and bitwise_or bitwise_xor copysign xlogy".split()
    },
    "rsub": _rsub,
    "masked_fill": lambda v: call(
        f"masked_fill.{'Tensor' if _is(v['value']) else 'Scalar'}", v["input"], v["mask"], v["value"]
    ),
    "pow": _pow,
    "clamp": _clamp,
    "clamp_min": lambda v: call("clamp.default", v["input"], v["min"]),
    "fill": _with_scalar("fill", "value"),
    "lerp": lambda v: call(f"lerp.{'Tensor' if _is(v['weight']) else 'Scalar'}", v["input"], v["end"], v["weight"]),
    "where": lambda v: call("where.self", v["condition"], v["input"], v["other"]),
    "squeeze": _squeeze,
    "sum": _dims("sum", "dim_IntList"),
    "mean": _dims("mean", "dim"),
    "nansum": _dims("nansum", "default"),
    "prod": _dims("prod", "dim_int", several=False),
    **{n: _dims(n, "dim", several=False) for n in ("all", "any", "median", "nanmedian")},
    "amax": _listed("amax"),
    "amin": _listed("amin"),
    "logsumexp": lambda v: call(
        "logsumexp.default", v["input"], _list(v["dim"]), bool(v["keepdim"]), defaults=(False,)
    ),
    "max_all": lambda v: call("max.default", v["input"]),
    "min_all": lambda v: call("min.default", v["input"]),
    "var": _spread("var"),
    "std": _spread("std"),
    "max_dim": lambda v: call("max.dim", v["input"], v["dim"], bool(v["keepdim"]), defaults=(False,)),
    "min_dim": lambda v: call("min.dim", v["input"], v["dim"], bool(v["keepdim"]), defaults=(False,)),
    "softmax": _softmax("_softmax"),
    "log_softmax": _softmax("_log_softmax"),
    "transpose": lambda v: call("transpose.int", v["input"], v["dim0"], v["dim1"]),
    "select": lambda v: call("select.int", v["input"], v["dim"], v["index"]),
    "chunk": _chunk,
    "index": lambda v: call("index.Tensor", v["input"], _indices(v)),
    "index_by_masks": lambda v: call("index.Tensor", v["input"], list(v["indices"])),
    "index_put": lambda v: call(
        "index_put.default", v["input"], _indices(v), v["values"], bool(v["accumulate"]), defaults=(False,)
    ),
    "elu": lambda v: call("elu.default", v["input"], v["alpha"]),  # aten has an int for its default
    "leaky_relu": lambda v: call("leaky_relu.default", v["input"], v["negative_slope"], defaults=(0.01,)),
    "to_copy": lambda v: call("_to_copy.default", v["input"], dtype=v["dtype"]),
    "narrow": _narrow,
    "nll_loss": _nll,
    "norm": _norm,
    "adaptive_avg_pool2d": _adaptive,
    "vector_norm": _norm,
    "linalg_vector_norm": _norm,
    "view": _view,
    "expand": _sized("expand.default", "size"),
    "swapaxes": lambda v: call("transpose.int", v["input"], v["axis0"], v["axis1"]),
    "movedim": lambda v: call(
        "permute.default", v["input"], list(moved_order(v["input"].ndim, v["source"], v["destination"]))
    ),
    "permute": lambda v: call(
        "permute.default", v["input"], _list(v["dims"]) if v["dims"] is not None else list(range(v["input"].ndim))[::-1]
    ),
    "flip": _sized("flip.default", "dims"),
    "repeat": _sized("repeat.default", "repeats"),
    "unbind": lambda v: call("unbind.int", v["input"], v["dim"], defaults=(0,)),
    "roll": lambda v: call(
        "roll.default",
        v["input"],
        _list(v["shifts"]),
        _list(v["dims"]) if v["dims"] is not None else [],
        defaults=([],),
    ),
    "split": lambda v: call(
        "split.Tensor" if isinstance(v["split_size_or_sections"], int) else "split_with_sizes.default",
        v["tensor"],
        v["split_size_or_sections"],
        v["dim"],
        defaults=(0,),
    ),
    "split_with_sizes": lambda v: call(
        "split_with_sizes.default", v["input"], _list(v["split_sizes"]), v["dim"], defaults=(0,)
    ),
    "as_strided": lambda v: call(
        "as_strided.default", v["input"], _list(v["size"]), _list(v["stride"]), v["storage_offset"], defaults=(None,)
    ),
    **{f"conv{n}d": _convolution(n, False) for n in (1, 2, 3)},
    **{f"conv_transpose{n}d": _convolution(n, True) for n in (1, 2, 3)},
    "scatter": lambda v: call(
        f"scatter.{'src' if _is(v['src']) else 'value'}", v["input"], v["dim"], v["index"], v["src"], reduce=v["reduce"]
    ),
    **{
        name: _signed(name)
        for name, by_aten in SIGNATURES.items()
        if "reduction" in by_aten.signature.parameters and name not in _LOSSES_OF_PARTS
    },
    "unfold": lambda v: (
        call("unfold.default", v["input"], v["dimension"], v["size"], v["step"])
        if v["kernel_size"] is None
        else _blocks("im2col", v)
    ),
    "fold": lambda v: _blocks("col2im", v, _list(v["output_size"], 2)),
    "embedding": lambda v: call(
        "embedding.default",
        v["weight"],
        v["input"],
        -1 if v["padding_idx"] is None else v["padding_idx"],
        defaults=(-1,),
    ),
    "interpolate": _upsample,
    "avg_pool2d": lambda v: _pool("avg_pool2d.default", v),
    "max_pool2d_with_indices": lambda v: _pool("max_pool2d_with_indices.default", v, _list(v["dilation"], 2)),
    "pad": lambda v: (
        call("constant_pad_nd.default", v["input"], _list(v["pad"]), v["value"] or 0.0)
        if v["mode"] in (None, "constant")
        else call("pad.default", v["input"], _list(v["pad"]), v["mode"])
    ),
    "zeros": _factory("zeros.default", "size"),
    "ones": _factory("ones.default", "size"),
    "empty": _factory("empty.memory_format", "size"),
    "full": _factory("full.default", "size", "fill_value"),
    "randn": _factory("randn.default", "size"),
    "rand": _factory("rand.default", "size"),
    "randperm": lambda v: (lambda c: (c[0], c[1], {k: x for k, x in c[2].items() if (k, x) != ("dtype", dt.int64)}))(
        _factory("randperm.default", "n")(v)
    ),
    "randint": lambda v: (
        _factory("randint.low", "low", "high", "size")(v)
        if v["high"] is not None
        else _factory("randint.default", "low", "size")(v)
    ),
    "arange": _arange,
    "linspace": _factory("linspace.default", "start", "end", "steps"),
    "eye": lambda v: (_factory("eye.default", "n") if v["m"] is None else _factory("eye.m", "n", "m"))(v),
    "zeros_like": _like("zeros_like.default"),
    "ones_like": _like("ones_like.default"),
    "empty_like": _like("empty_like.default"),
    "rand_like": _like("rand_like.default"),
    "randn_like": _like("randn_like.default"),
    "full_like": _like("full_like.default", "fill_value"),
    "new_zeros": _like("new_zeros.default", "size"),
    "new_ones": _like("new_ones.default", "size"),
    "new_empty": _like("new_empty.default", "size"),
    "new_full": _like("new_full.default", "size", "fill_value"),
    "detach": lambda v: call("detach.default", v["input"]),
    "clone": lambda v: call("clone.default", v["input"], memory_format=v["memory_format"]),
    "copy": lambda v: call("copy.default", v["input"], v["src"], bool(v["non_blocking"]), defaults=(False,)),
    "zero": lambda v: call("zero.default", v["input"]),
    "cat": lambda v: call("cat.default", list(v["tensors"]), v["dim"], defaults=(0,)),
    "stack": lambda v: call("stack.default", list(v["tensors"]), v["dim"], defaults=(0,)),
    "local_scalar_dense": lambda v: call("_local_scalar_dense.default", v["input"]),
    "bernoulli": lambda v: call("bernoulli.default", v["input"]),
    "nonzero": lambda v: call("nonzero.default", v["input"]),
    "masked_select": lambda v: call("masked_select.default", v["input"], v["mask"]),
    "equal": lambda v: call("equal.default", v["input"], v["other"]),
    "index_select": lambda v: call("index_select.default", v["input"], v["dim"], v["index"]),
    "sort": lambda v: call("sort.default", v["input"], v["dim"], bool(v["descending"]), defaults=(-1, False)),
    "topk": lambda v: call(
        "topk.default", v["input"], v["k"], v["dim"], v["largest"], v["sorted"], defaults=(-1, True, True)
    ),
    "conj_physical": lambda v: call("_conj_physical.default", v["input"]),
    "multinomial": lambda v: call(
        "multinomial.default", v["input"], v["num_samples"], bool(v["replacement"]), defaults=(False,)
    ),
    "layer_norm": lambda v: call(
        "native_layer_norm.default", v["input"], _list(v["normalized_shape"]), v["weight"], v["bias"], v["eps"]
    ),
    "group_norm": lambda v: call(
        "native_group_norm.default",
        v["input"],
        v["weight"],
        v["bias"],
        v["input"].shape[0],
        v["input"].shape[1],
        v["input"].numel() // max(1, v["input"].shape[0] * v["input"].shape[1]),
        v["num_groups"],
        v["eps"],
    ),
}
