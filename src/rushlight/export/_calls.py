"""A call of the table as PyTorch's export writes it: one overload of `torch.ops.aten` before it is taken apart, with
the arguments that are not the last defaults.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.devices import CPU
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor, device
from rushlight.library.aten import operator_of
from rushlight.library.aten_schemas import AtenArgument, AtenSchema, schema_of, schemas_of
from rushlight.library.dispatching import aten_name
from rushlight.library.leaves import LEAVES, Call
from rushlight.library.signatures import SIGNATURES
from rushlight.operators.random.generators import Generator
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.operators.table.node_names import Values
from rushlight.program.sym import Sym

__all__ = ["Unfit", "fitted", "written"]

Rule = Callable[[Values], Any]  # gives a name and the arguments by aten's names


class Unfit(Exception):
    """A value does not fit an argument."""


_NUMBERS = (bool, int, float, complex, Sym)


def _whole(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, Sym)):
        if not hasattr(value, "__index__") or isinstance(value, (bool, Tensor)):
            raise Unfit
        return value.__index__()
    return value


def _real(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unfit
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, (bool, int)):
        raise Unfit
    return bool(value)


def _of(*types: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not isinstance(value, types):
            raise Unfit
        return value

    return check


def _where(value: Any) -> Any:
    if isinstance(value, str):
        return device(value)
    return _of(device)(value)


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "T": _of(Tensor),
    "int": _whole,
    "float": _real,
    "bool": _flag,
    "number": _of(*_NUMBERS),
    "complex": _of(*_NUMBERS),
    "str": _of(str),
    "dtype": _of(dt.dtype),
    "layout": _of(dt.layout),
    "memory_format": _of(dt.memory_format),
    "device": _where,
    "generator": _of(Generator),
}


def _checked(kind: str, value: Any) -> Any:
    """A value as an argument of a kind: a list for a tuple, [2, 2] for 2 where the kind says how many.

    Raises:
        Unfit: it is none.
    """
    if kind.endswith("?"):
        return None if value is None else _checked(kind[:-1], value)
    if kind.endswith("]"):
        item, _, count = kind[:-1].rpartition("[")
        if isinstance(value, (list, tuple)):
            return [_checked(item, x) for x in value]
        if not count:
            raise Unfit
        return [_checked(item, value)] * int(count)
    check = _CHECKS.get(kind)
    if check is None:
        raise Unfit
    return check(value)


def _same(value: Any, a: AtenArgument) -> bool:
    """Whether a value is an argument's default."""
    if isinstance(a.default, str) and a.kind != "str":  # a word: contiguous_format, long
        return str(value).rpartition(".")[2] == a.default
    default = a.default
    if isinstance(default, int) and not isinstance(default, bool) and isinstance(value, list):
        default = [default] * len(value)
    if isinstance(value, (Tensor, Sym)) or isinstance(value, list) and any(isinstance(x, (Tensor, Sym)) for x in value):
        return False
    return type(value) is type(default) and bool(value == default)


def fitted(
    schema: AtenSchema, values: Mapping[str, Any], numbers: bool = False
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call by aten's names, as they are written: by place without the last defaults, and by name.

    numbers: a number may stand for any tensor but the first.

    Raises:
        Unfit: they are not this overload's.
    """
    names = {a.name for a in schema.arguments}
    if any(name not in names for name in values):
        raise Unfit
    places: list[tuple[Any, AtenArgument]] = []
    named: dict[str, Any] = {}
    for a in schema.arguments:
        if a.name in values:
            number = numbers and places and a.kind == "T" and isinstance(values[a.name], _NUMBERS)
            value = values[a.name] if number else _checked(a.kind, values[a.name])
        elif a.has_default:
            value = a.default
        else:
            raise Unfit
        if a.by_name:
            if a.name in values and not _same(value, a):
                named[a.name] = value
        else:
            places.append((value, a))
    while places and places[-1][1].has_default and _same(*places[-1]):
        places.pop()
    return tuple(value for value, _ in places), named


# ------------------------------------------------------------------------------------- operators whose arguments differ
_AS_ATEN = {  # names of the table's, where aten has another
    "true_divide": "div",
    "max_all": "max",
    "max_dim": "max",
    "min_all": "min",
    "min_dim": "min",
    "local_scalar_dense": "item",
    "nll_loss": "nll_loss_nd",
    "cross_entropy": "cross_entropy_loss",
    "adaptive_max_pool1d_with_indices": "adaptive_max_pool1d",
    "adaptive_max_pool2d_with_indices": "adaptive_max_pool2d",
    "adaptive_max_pool3d_with_indices": "adaptive_max_pool3d",
    "logsigmoid": "log_sigmoid",
    "fold": "col2im",
    "affine_grid": "affine_grid_generator",
    "linalg_matmul": "matmul",
}
# Leaves of PyTorch's dispatcher that its export writes as they are; it takes others apart.
_LEAVES = frozenset(
    """
    add sub mul true_divide div eq ne lt le gt ge remainder fmod bitwise_and bitwise_or bitwise_xor copysign xlogy
    masked_fill pow clamp fill lerp squeeze sum mean nansum prod all any median nanmedian amax amin logsumexp
    max_all min_all max_dim min_dim transpose select index index_by_masks leaky_relu expand permute flip
    repeat unbind roll split split_with_sizes as_strided scatter zeros ones empty full randn rand randperm randint
    arange linspace eye zeros_like ones_like empty_like rand_like randn_like full_like new_zeros new_ones new_empty
    new_full detach clone copy zero cat stack bernoulli nonzero masked_select equal index_select sort topk multinomial
    view elu to_copy
    """.split()
)


def _to(v: Values) -> tuple[str, dict[str, Any]]:
    target = v["target"]
    rest = {k: v[k] for k in ("non_blocking", "copy", "memory_format") if v[k]}
    other = v["other"] if v["other"] is not None else target if isinstance(target, Tensor) else None
    if other is not None:
        return "to.other", {"self": v["input"], "other": other, **rest}
    dtype = target if isinstance(target, dt.dtype) else v["dtype"]
    where = v["device"] if v["device"] is not None else None if isinstance(target, (dt.dtype, type(None))) else target
    if where is None:
        return "to.dtype", {"self": v["input"], "dtype": dtype, **rest}
    if dtype is None:
        return "to.dtype_layout", {"self": v["input"], "device": device(where), "dtype": v["input"].dtype, **rest}
    return "to.device", {"self": v["input"], "device": device(where), "dtype": dtype, **rest}


def _spread(name: str) -> Rule:
    def rule(v: Values) -> tuple[str, dict[str, Any]]:
        unbiased = v["dim"] if isinstance(v["dim"], bool) else v["unbiased"]
        dim = None if isinstance(v["dim"], bool) else v["dim"]
        if v["correction"] not in (None, 1):
            return f"{name}.correction", {
                "self": v["input"], "dim": dim, "correction": v["correction"], "keepdim": bool(v["keepdim"])
            }  # fmt: skip
        if dim is None and unbiased is None:
            return f"{name}.correction", {"self": v["input"], "keepdim": bool(v["keepdim"])}
        if dim is None:
            return f"{name}.default", {"self": v["input"], "unbiased": unbiased}
        return f"{name}.dim", {
            "self": v["input"],
            "dim": dim,
            "unbiased": True if unbiased is None else unbiased,
            "keepdim": bool(v["keepdim"]),
        }

    return rule


def _convolution(name: str) -> Rule:
    def rule(v: Values) -> tuple[str, dict[str, Any]]:
        if isinstance(v["padding"], str):
            return f"{name}.padding", dict(v)
        return f"{name}.{'input' if name in ('conv_transpose2d', 'conv_transpose3d') else 'default'}", dict(v)

    return rule


def _interpolate(v: Values) -> tuple[str, dict[str, Any]] | None:
    spatial = v["input"].ndim - 2
    kind = {"nearest-exact": "nearest_exact"}.get(v["mode"], v["mode"])
    if kind == "area":
        return f"adaptive_avg_pool{spatial}d.default", {"self": v["input"], "output_size": v["size"]}
    if v["recompute_scale_factor"]:
        return None
    prefix = "_" if kind == "nearest_exact" or v["antialias"] else ""
    name = f"{prefix}upsample_{kind}{spatial}d{'_aa' if v['antialias'] else ''}"
    factor, size = v["scale_factor"], v["size"]
    given: dict[str, Any] = {
        "input": v["input"],
        "output_size": None if size is None else list(size) if isinstance(size, (list, tuple)) else [size] * spatial,
        "scale_factors": None
        if factor is None
        else [float(f) for f in (factor if isinstance(factor, (list, tuple)) else [factor] * spatial)],
    }
    if not kind.startswith("nearest"):
        given["align_corners"] = bool(v["align_corners"])
    return f"{name}.vec", given


def _narrow(v: Values) -> tuple[str, dict[str, Any]]:
    return f"narrow.{'Tensor' if isinstance(v['start'], Tensor) else 'default'}", {
        "self": v["input"], "dim": v["dim"], "start": v["start"], "length": v["length"]
    }  # fmt: skip


def _norm(v: Values) -> tuple[str, dict[str, Any]] | None:
    order = v["p"]
    if v["dtype"] is not None or isinstance(order, str) and order != "fro":
        return None
    order = 2 if order in (None, "fro") else order
    dim = None if v["dim"] is None else v["dim"] if isinstance(v["dim"], (list, tuple)) else [v["dim"]]
    return "linalg_vector_norm.default", {
        "self": v["input"], "ord": order, "dim": dim, "keepdim": bool(v["keepdim"])
    }  # fmt: skip


def _by_signature(name: str) -> Rule:
    def rule(v: Values) -> tuple[str, dict[str, Any]]:
        if isinstance(v["reduction"], int):
            return f"{name}.default", {k: x for k, x in v.items() if x is not None}
        given, _, named = SIGNATURES[name].places(v)
        places = [p for p in SIGNATURES[name].signature.parameters.values() if p.kind is not p.KEYWORD_ONLY]
        values = {p.name: x for p, x in zip(places, given, strict=True)}
        return f"{name}.default", {**values, **{k: x for k, x in named.items() if x is not None}}

    return rule


def _tensordot(v: Values) -> tuple[str, dict[str, Any]] | None:
    dims = v["dims"]
    if isinstance(dims, int):
        pair: Any = (list(range(v["a"].ndim - dims, v["a"].ndim)), list(range(dims)))
    elif isinstance(dims, (list, tuple)):
        pair = [[d] if isinstance(d, int) else list(d) for d in dims]
    else:
        return None
    return "tensordot.default", {"self": v["a"], "other": v["b"], "dims_self": pair[0], "dims_other": pair[1]}


def _grid_sample(v: Values) -> tuple[str, dict[str, Any]]:
    modes, paddings = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
    return "grid_sampler.default", {
        "input": v["input"],
        "grid": v["grid"],
        "interpolation_mode": modes.index(v["mode"]),
        "padding_mode": paddings.index(v["padding_mode"]),
        "align_corners": bool(v["align_corners"]),
    }


def _im2col(v: Values) -> tuple[str, dict[str, Any]]:
    if v["kernel_size"] is None:
        return "unfold.default", {k: v[k if k != "self" else "input"] for k in ("self", "dimension", "size", "step")}
    return "im2col.default", {
        "self": v["input"], **{k: v[k] for k in ("kernel_size", "dilation", "padding", "stride")}
    }  # fmt: skip


def _index_put(v: Values) -> tuple[str, dict[str, Any]]:
    if v["dims"] is None:
        return "index_put.default", dict(v)
    places: list[Any] = [None] * (max(v["dims"]) + 1)
    for d, t in zip(v["dims"], v["indices"], strict=True):
        places[d] = t
    return "index_put.default", {
        "self": v["input"], "indices": places, "values": v["values"], "accumulate": bool(v["accumulate"])
    }  # fmt: skip


def _rsub(v: Values) -> tuple[str, dict[str, Any]]:
    kind = "Tensor" if isinstance(v["other"], Tensor) else "Scalar"
    given = {"self": v["input"], "other": v["other"], "alpha": v["alpha"]}
    return f"rsub.{kind}", {k: x for k, x in given.items() if x is not None}


def _at_least(name: str) -> Rule:
    def rule(v: Values) -> Any:
        if len(v["tensors"]) == 1:
            return f"{name}.default", {"self": v["tensors"][0]}
        return f"{name}.Sequence", {"tensors": list(v["tensors"])}

    return rule


def _instance_norm(v: Values) -> tuple[str, dict[str, Any]] | None:
    if v["use_input_stats"] is None:
        return None
    return "instance_norm.default", {**v, "cudnn_enabled": False}


def _kl_div(v: Values) -> Any:
    return None if v["reduction"] == "batchmean" else _by_signature("kl_div")(v)


_CONVERSIONS = {
    "float": dt.float32,
    "double": dt.float64,
    "half": dt.float16,
    "bfloat16": dt.bfloat16,
    "bool": dt.bool_,
    "cfloat": dt.complex64,
    "cdouble": dt.complex128,
    "int": dt.int32,
    "long": dt.int64,
    "short": dt.int16,
    "char": dt.int8,
    "byte": dt.uint8,
}


def _conversion(name: str) -> Rule:
    return lambda v: ("to.dtype", {"self": v["input"], "dtype": _CONVERSIONS[name]})


# By the operator: its overload, and the arguments by aten's names (`input` stands for `self` where aten has that).
_RULES: dict[str, Rule] = {
    "to": _to,
    "std": _spread("std"),
    "var": _spread("var"),
    "interpolate": _interpolate,
    "narrow": _narrow,
    "norm": _norm,
    **{f"conv{n}d": _convolution(f"conv{n}d") for n in (1, 2, 3)},
    **{f"conv_transpose{n}d": _convolution(f"conv_transpose{n}d") for n in (1, 2, 3)},
    "nn.functional.batch_norm": lambda v: ("batch_norm.default", {**v, "cudnn_enabled": False}),
    "batch_norm": lambda v: ("batch_norm.default", {**v, "cudnn_enabled": False}),
    "layer_norm": lambda v: ("layer_norm.default", {**v, "cudnn_enable": False}),
    "group_norm": lambda v: ("group_norm.default", {**v, "cudnn_enabled": False}),
    "softmax": lambda v: ("softmax.int", dict(v)),
    "log_softmax": lambda v: ("log_softmax.int", dict(v)),
    "flatten": lambda v: (
        "flatten.using_ints",
        {"self": v["input"], "start_dim": v["start_dim"] or 0, "end_dim": -1 if v["end_dim"] is None else v["end_dim"]},
    ),
    "reshape": lambda v: ("reshape.default", {"self": v["input"], "shape": v["shape"]}),
    "unflatten": lambda v: ("unflatten.int", dict(v)),
    "embedding": lambda v: (
        (
            "embedding.default",
            {
                "weight": v["weight"],
                "indices": v["input"],
                "padding_idx": -1 if v["padding_idx"] is None else v["padding_idx"],
                "scale_grad_by_freq": bool(v["scale_grad_by_freq"]),
                "sparse": bool(v["sparse"]),
            },
        )
        if v["max_norm"] is None
        else None
    ),
    "gather": lambda v: ("gather.default", {k: x for k, x in v.items() if k != "out"}),
    "movedim": lambda v: (
        f"movedim.{'int' if isinstance(v['source'], int) else 'intlist'}",
        {"self": v["input"], "source": v["source"], "destination": v["destination"]},
    ),
    "pad": lambda v: ("pad.default", dict(v)),
    "contiguous": lambda v: (
        "contiguous.default",
        {"self": v["input"], **({"memory_format": v["memory_format"]} if v["memory_format"] is not None else {})},
    ),
    "argmax": lambda v: ("argmax.default", dict(v)),
    "cumsum": lambda v: ("cumsum.default", dict(v)),
    **{
        name: _by_signature(name)
        for name, by_aten in SIGNATURES.items()
        if "reduction" in by_aten.signature.parameters and "." not in name and name not in ("nll_loss2d", "nll_loss_nd")
    },
    "cross_entropy": _by_signature("cross_entropy_loss"),
    "kl_div": _kl_div,
    "tensordot": _tensordot,
    "einsum": lambda v: ("einsum.default", {"equation": v["equation"], "tensors": list(v["operands"])}),
    "stft": lambda v: ("stft.center", dict(v)),
    "grid_sample": _grid_sample,
    "unfold": _im2col,
    "index_put": _index_put,
    "rsub": _rsub,
    **{name: _at_least(name) for name in ("atleast_1d", "atleast_2d", "atleast_3d")},
    "floor_divide": lambda v: ("floor_divide.default", dict(v)),
    "instance_norm": _instance_norm,
    **{name: _conversion(name) for name in _CONVERSIONS},
    "nll_loss": lambda v: ("nll_loss_nd.default", {**_by_signature("nll_loss")(v)[1]}),
}


def _normalize(v: Values) -> Any:
    length = TABLE["linalg.vector_norm"](v["input"], v["p"], v["dim"], True)
    return v["input"] / METHODS["expand_as"](METHODS["clamp_min"](length, v["eps"]), v["input"])


def _batchmean(v: Values) -> Any:
    if v["reduction"] != "batchmean":
        return None
    total = TABLE["nn.functional.kl_div"](v["input"], v["target"], reduction="sum", log_target=v["log_target"])
    return total / v["input"].shape[0]


def _perhaps_with_indices(n: int) -> Rule:
    def compose(v: Values) -> Tensor:
        found = TABLE[f"nn.functional.adaptive_max_pool{n}d_with_indices"](v["input"], v["output_size"])
        return found if v["return_indices"] else found[0]

    return compose


def _layer(v: Values) -> Any:
    """A layer of a recurrent network in one direction, as aten's network of one layer."""
    import rushlight

    if v["lower"] is not None:
        return None
    aten = rushlight.ops.aten
    biases = v["b_ih"] is not None and v["b_hh"] is not None
    if not biases and (v["b_ih"] is not None or v["b_hh"] is not None):
        return None
    x = METHODS["flip"](v["input"], (0,)) if v["reverse"] else v["input"]
    weights = [v["w_ih"], v["w_hh"], *([v["b_ih"], v["b_hh"]] if biases else [])]
    h = METHODS["unsqueeze"](v["h"], 0)
    if v["mode"] is None:
        weights += [] if v["w_hr"] is None else [v["w_hr"]]
        state: Any = [h, METHODS["unsqueeze"](v["c"], 0)]
        call = aten.lstm.input
    else:
        state = h
        call = {"GRU": aten.gru, "RNN_TANH": aten.rnn_tanh, "RNN_RELU": aten.rnn_relu}[v["mode"]].input
    y, *last = call(x, state, weights, biases, 1, 0.0, False, False, False)
    y = METHODS["flip"](y, (0,)) if v["reverse"] else y
    return (y, *(METHODS["squeeze"](s, 0) for s in last))


# Operators that aten lacks, with the calls that they consist of.
COMPOSED: dict[str, Rule] = {
    "_lstm_layer": _layer,
    "_recurrent_layer": _layer,
    "normalize": _normalize,
    "kl_div": _batchmean,
    **{f"adaptive_max_pool{n}d": _perhaps_with_indices(n) for n in (1, 2, 3)},
}
SPACES = (None, "", "nn.functional", "linalg", "special", "fft")
_WITH_MORE = frozenset(COMPOSED) - {"kl_div"}  # operators whose namesake in aten has another result
_REDUCING = ("size_average", "reduce")


def _slices(v: Values) -> list[Call]:
    """x[...] by ints, slices and None, one view after another; None stands for the view before."""
    calls: list[Call] = []
    values, d, sizes = iter(v["ints"]), 0, list(v["input"].shape)
    for k in v["kinds"]:
        if k == "n":
            calls.append(("unsqueeze.default", (None, d), {}))
            sizes.insert(d, 1)
            d += 1
        elif k == "i":
            calls.append(("select.int", (None, d, next(values)), {}))
            del sizes[d]
        elif k == ":":
            d += 1
        else:
            start, size = next(values), next(values)
            step = next(values) if k != "[" else 1
            end = start + size * step
            # A slice that ends where the dimension ends is one without an end.
            if _certainly(end, ">=", sizes[d]):
                end = _LAST
            calls.append(("slice.Tensor", (None, d, start, end, *([] if step == 1 else [step])), {}))
            sizes[d] = size
            d += 1
    return calls


_LAST = 2**63 - 1


def _certainly(a: Any, op: str, b: Any) -> bool:
    """Whether a >= b for all sizes, as far as their form tells."""
    difference = a - b
    return not isinstance(difference, Sym) and difference >= 0


def _by_names(op: Operator, name: str, v: Values) -> Call | None:
    """A call of the first overload that its arguments fit, each by its name; arguments that were not given are left
    out."""
    given = {
        p.name: v[p.name]
        for p in op.params
        if p.required
        or not (v[p.name] is p.default or v[p.name] is None)
        or p.default is None
        and v[p.name] is not None
    }
    for schema, numbers in [(s, False) for s in schemas_of(name)] + [(s, True) for s in schemas_of(name)]:
        names = {a.name for a in schema.arguments}
        values: dict[str, Any] = {}
        for i, (key, value) in enumerate(given.items()):
            aten = "self" if key == "input" and "input" not in names else key
            if aten not in names and i == 0 and op.params[0].name == key:
                aten = schema.arguments[0].name
            values[aten] = value
        # The table's own defaults, where aten has none or another one.
        for a in schema.arguments:
            key = "input" if a.name == "self" else a.name
            if a.name not in values and key in v and v[key] is not None:
                values[a.name] = v[key]
        values = {k: x for k, x in values.items() if not (k in _REDUCING and x is None)}
        try:
            args, kwargs = fitted(schema, values, numbers)
        except Unfit:
            continue
        return f"{schema.name}.{schema.overload}", args, kwargs
    return None


def _of_rule(found: Any) -> Call | None:
    if found is None:
        return None
    name, values = found
    short, _, overload = name.partition(".")
    schema = schema_of(short, overload)
    if schema is None:
        return None
    names = {a.name for a in schema.arguments}
    if "self" in names and "self" not in values and "input" in values:
        values = {"self" if k == "input" else k: x for k, x in values.items()}
    values = {k: x for k, x in values.items() if k in names or x is not None}
    try:
        args, kwargs = fitted(schema, values, True)
    except Unfit:
        return None
    return name, args, kwargs


_FACTORY = frozenset("zeros ones empty full randn rand randperm randint arange linspace eye logspace".split())


def written(op: Operator, values: Sequence[Any]) -> list[Call] | None:
    """A call of the table as aten's, or the views that it consists of: for each the name ("add.Tensor") and the
    arguments. None: there is no such operator.
    """
    v = Values((p.name, x) for p, x in zip(op.params, values, strict=True))
    key = op.definition.name.strip("_") if not op.definition.name.startswith("__") else op.definition.name
    if key == "slice_view":
        return _slices(v)
    spaced = f"{op.definition.namespace}.{key}" if op.definition.namespace else key
    if key in _WITH_MORE or op.definition.namespace not in SPACES:
        return None
    public = operator_of(key)
    if public not in (None, op) and op.definition.name.startswith("_") and not set(op.index) <= set(public.index):
        return None  # a part of another one, that is called like it
    rule = _RULES.get(spaced) or _RULES.get(key)
    found: Call | None = None
    if rule is not None:
        found = _of_rule(rule(v))
    elif key in _LEAVES and op.definition.namespace in (None, "", "nn.functional"):
        found = _leaf(key, v)
    if found is None and rule is None:
        name = aten_name(op).removesuffix("_") if op.inplace else aten_name(op)
        found = _by_names(op, _AS_ATEN.get(name, name), v)
        if found is None and op.definition.name.endswith("_"):
            found = _by_names(op, op.definition.name, v)
    if found is None:
        return None
    name, args, kwargs = found
    if op.inplace:
        base, _, overload = name.partition(".")
        inplace = schema_of(f"{base}_", overload)
        if inplace is None:
            return None
        name = f"{base}_.{overload}"
    return [(name, args, kwargs)]


def _leaf(key: str, v: Values) -> Call | None:
    name, args, kwargs = LEAVES[key](v)
    kwargs = {k: x for k, x in kwargs.items() if x is not None}
    if key in _FACTORY:
        kwargs = {k: CPU if k == "device" and x is None else x for k, x in kwargs.items()}
    return name, args, kwargs


@functools.cache
def returns_of(name: str) -> tuple[str, ...]:
    """What an overload ("max.dim") returns; one tensor where that is not known."""
    short, _, overload = name.partition(".")
    schema = schema_of(short, overload)
    return ("T",) if schema is None else schema.returns
