"""Convolutions and transposed convolutions in one to three dimensions."""

from __future__ import annotations

from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.operators.linalg.matmul import check_dtypes, reshape
from rushlight.operators.table.body import wide
from rushlight.operators.table.checks import check_argument, check_each, check_examples, check_least, check_spatial
from rushlight.operators.table.define import TABLE, eager, operator
from rushlight.operators.table.tracer import P, Tracer, convert
from rushlight.operators.table.types import Sizes
from rushlight.program.sym import Int, Sym, hint, hints, prod, sym_max


def per_dim(value: Any, n: int, name: str, argument: str) -> tuple[Any, ...]:
    """An int, or one for each spatial dimension, as a tuple."""
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if any(isinstance(v, (bool, float, str)) or not hasattr(v, "__index__") for v in values):
        raise TypeError(f"{name}(): argument '{argument}' must be int or tuple of ints, not {value!r}")
    values = tuple(v if isinstance(v, Sym) else v.__index__() for v in values)
    if len(values) == 1:
        return values * n
    if len(values) != n:
        raise RuntimeError(
            f"{name}(): '{argument}' must be an int or {n} of them, one for each spatial dimension; found "
            f"{hints(values)}"
        )
    return values


def _with_bias(y: Tracer, bias: Tensor | None) -> Tracer:
    """y, which is not yet rounded to a half type, and the bias of each channel."""
    return y if bias is None else y + P.broadcast_in_dim(convert(bias, y.dtype), shape=y.var.shape, dims=(1,))


def _checked(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    n: int,
    name: str,
    channels: Int,
    out: Int,
    groups: Int,
    **amounts: tuple[int, ...],
) -> bool:
    """The checks that both kinds share; whether the input has no batch dimension."""
    check_dtypes(name, input, weight, *([] if bias is None else [bias]))
    if weight.ndim != n + 2:
        raise RuntimeError(
            f"{name}(): 'weight' must be of {n + 2} dimensions; found {weight.ndim}, the shape {hints(weight.shape)}"
        )
    check_spatial(name, input, n)
    if not isinstance(groups, (int, Sym)) or groups <= 0:
        raise RuntimeError(
            f"{name}(): 'groups' must be an int of at least 1; found "
            f"{hint(groups) if isinstance(groups, Sym) else groups}"
        )
    for label, values in amounts.items():
        check_each(name, label, values, 1)
    check_least(name, "weight.shape[0]", weight.shape[0], 1)
    if name != "conv_tbc":  # whose kernel may be of no elements
        check_each(name, "weight.shape[2:]", weight.var.shape[2:], 1)
    have = input.shape[-n - 1]
    if have != channels:
        raise RuntimeError(
            f"{name}(): 'input' must have {hint(channels)} channels for groups={hint(groups)} and a weight of the "
            f"shape {hints(weight.shape)}; found "
            f"{hint(have)}, the shape {hints(input.shape)}"
        )
    if bias is not None and (bias.ndim != 1 or bias.shape[0] != out):
        raise RuntimeError(
            f"{name}(): 'bias' must be a vector of {hint(out)} elements for a weight of the shape "
            f"{hints(weight.shape)}; found the shape {hints(bias.shape)}"
        )
    # (a batch of no examples, or no channels, make a result of no elements, or of the bias alone)
    if input.ndim == n + 1 or prod(input.var.shape[:2]) != 0:
        check_examples(name, input, n)
    return input.ndim == n + 1


def _ends(weight: Tensor, groups: Int) -> tuple[Int, Int]:
    """The channels of the first and of the second dimension of a weight, all groups together."""
    return weight.var.shape[0] if weight.ndim else 1, weight.var.shape[1] * groups if weight.ndim > 1 else 1


def _conv(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: Int, n: int
) -> Tracer:
    name = f"conv{n}d"
    s, d = per_dim(stride, n, name, "stride"), per_dim(dilation, n, name, "dilation")
    out, channels = _ends(weight, groups)
    single = _checked(input, weight, bias, n, name, channels, out, groups, stride=s, dilation=d)
    if weight.shape[0] % groups != 0:
        raise RuntimeError(
            f"{name}(): the output channels of 'weight' must be a multiple of groups={hint(groups)}; found "
            f"{hint(weight.shape[0])}, the shape "
            f"{hints(weight.shape)}"
        )
    x = reshape(input, 1, *input.var.shape) if single else input
    kernel = weight.var.shape[2:]
    pads: tuple[tuple[Int, Int], ...]
    if isinstance(padding, str):
        if padding == "valid":
            pads = ((0, 0),) * n
        elif padding == "same":
            if any(v != 1 for v in s):
                raise RuntimeError(f"{name}(): padding='same' needs a stride of 1; found {hints(s)}")
            totals = [q * (k - 1) for q, k in zip(d, kernel, strict=True)]
            pads = tuple((t // 2, t - t // 2) for t in totals)
        else:
            raise RuntimeError(f"{name}(): 'padding' must be 'valid', 'same' or ints; found {padding!r}")
    else:
        low = per_dim(padding, n, name, "padding")
        check_each(name, "padding", low, 0)
        pads = tuple((v, v) for v in low)
    for size, k, (lo, hi), q in zip(x.var.shape[2:], kernel, pads, d, strict=True):
        if size + lo + hi < q * (k - 1) + 1:
            padded = " x ".join(str(hint(m + a + b)) for m, (a, b) in zip(x.var.shape[2:], pads, strict=True))
            raise RuntimeError(
                f"{name}(): 'weight' must fit into the padded input; found a kernel of "
                f"{' x '.join(str(hint(v)) for v in kernel)} with dilation "
                f"{hints(d)} for {padded}"
            )
    y = convert(
        _with_bias(P.conv(wide(x), wide(weight), stride=s, padding=pads, dilation=d, groups=groups), bias), input.dtype
    )
    return reshape(y, *y.var.shape[1:]) if single else y


def _conv_transpose(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: Int,
    dilation: Any,
    n: int,
) -> Tracer:
    name = f"conv_transpose{n}d"
    s, d = per_dim(stride, n, name, "stride"), per_dim(dilation, n, name, "dilation")
    p, more = per_dim(padding, n, name, "padding"), per_dim(output_padding, n, name, "output_padding")
    channels, out = _ends(weight, groups)
    single = _checked(input, weight, bias, n, name, channels, out, groups, stride=s, dilation=d)
    check_least(name, "weight.shape[1]", weight.shape[1], 1)
    if any(v < 0 for v in (*p, *more)):
        raise RuntimeError(
            f"{name}(): 'padding' and 'output_padding' must be at least 0; found {hints(p)} and {hints(more)}"
        )
    if any(v >= sym_max(a, b) for v, a, b in zip(more, s, d, strict=True)):
        raise RuntimeError(
            f"{name}(): 'output_padding' must be less than the stride or the dilation in each dimension; found "
            f"{hints(more)} with stride "
            f"{hints(s)} and dilation {hints(d)}"
        )
    x = reshape(input, 1, *input.var.shape) if single else input
    # What output_padding adds is taken off the high padding; where that is less, the rest is zeros, added behind.
    high = tuple(sym_max(v - m, 0) for v, m in zip(p, more, strict=True))
    extra = tuple(sym_max(m - v, 0) for v, m in zip(p, more, strict=True))
    sizes = tuple(
        (m - 1) * a + b * (k - 1) + 1 - lo - hi
        for m, a, b, k, lo, hi in zip(x.var.shape[2:], s, d, weight.var.shape[2:], p, high, strict=True)
    )
    for v, e in zip(sizes, extra, strict=True):
        if v + e < 1:
            raise RuntimeError(
                f"{name}(): the output must have a positive size in each dimension; found "
                f"{' x '.join(str(hint(a + b)) for a, b in zip(sizes, extra, strict=True))} for an input of "
                f"{' x '.join(str(v) for v in hints(x.shape)[2:])}"
            )
    y = P.conv_dx(
        wide(x),
        wide(weight),
        stride=s,
        padding=tuple(zip(p, high, strict=True)),
        dilation=d,
        groups=groups,
        in_spatial=sizes,
    )
    if any(e != 0 for e in extra):
        y = P.pad(y, convert(0, y.dtype), low=(0,) * (n + 2), high=(0, 0, *extra), interior=(0,) * (n + 2))
    y = convert(_with_bias(y, bias), input.dtype)
    return reshape(y, *y.var.shape[1:]) if single else y


_DOC = """Cross-correlation in {n} dimension{s}.

    Args:
        input: (N, C, {dims}) or (C, {dims}).
        weight: (O, C / groups, {kernel}).
        bias: (O).
        stride, dilation: ints > 0, or one for each dimension.
        padding: zeros on both sides, or "valid" or "same".
        groups: channels are split into as many.

    Returns:
        (N, O, ...).

    Raises:
        RuntimeError: sizes or dtypes do not fit.
    """


_DOC_T = """The transpose of convolution in {n} dimension{s}.

    Args:
        input: (N, C, {dims}) or (C, {dims}).
        weight: (C, O / groups, {kernel}).
        bias: (O).
        stride, dilation: ints > 0, or one for each dimension.
        padding: how much is taken off both sides.
        output_padding: how much is added on the high side.

    Returns:
        (N, O, ...).

    Raises:
        RuntimeError: sizes or dtypes do not fit.
    """


def _make(n: int) -> None:
    """The convolution in n dimensions, and its transpose."""

    def conv(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: Sizes = 1,
    ) -> Tensor:
        return _conv(input, weight, bias, stride, padding, dilation, groups, n)

    def conv_transpose(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: Sizes = 1,
        dilation: Sizes = 1,
    ) -> Tensor:
        return _conv_transpose(input, weight, bias, stride, padding, output_padding, groups, dilation, n)

    for body, doc in ((conv, _DOC), (conv_transpose, _DOC_T)):
        operator(
            name=f"{body.__name__}{n}d",
            namespace=("nn.functional", ""),
            method=False,
            out=False,
            shape_class="contraction",
            memory_format="any" if n > 1 else "",
            doc=(
                doc.format(
                    n=("one", "two", "three")[n - 1],
                    s="s" * (n > 1),
                    dims=("L", "H, W", "D, H, W")[n - 1],
                    kernel=("k", "kH, kW", "kD, kH, kW")[n - 1],
                )
            ),
        )(body)


for _n in (1, 2, 3):
    _make(_n)


@operator(name="conv_weight", namespace=None, method=False, shape_class="contraction")
def conv_weight(
    input: Tensor,
    grad_output: Tensor,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    groups: Sizes = 1,
) -> Tensor:
    """The gradient of a convolution with respect to its weight.

    Args:
        input: (N, C, *).
        grad_output: (N, O, *).
        kernel_size, stride, padding, dilation: one int for each spatial dimension.

    Returns:
        (O, C / groups, *kernel_size).

    Raises:
        RuntimeError: the sizes are not those of such a convolution.
    """
    check_dtypes("conv_weight", input, grad_output)
    n = input.ndim - 2
    amounts = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    kernel, s, p, d = (per_dim(v, n, "conv_weight", label) for label, v in amounts.items())
    pads = tuple((v, v) for v in p)
    y = P.conv_dw(wide(input), wide(grad_output), stride=s, padding=pads, dilation=d, groups=groups, kernel=kernel)
    return convert(y, input.dtype)


# ----------------------------------------------------------------------------------------------- convolutions by a name
@eager(method=False, checked=True)
def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Tensor:
    """nn.functional's conv1d to conv3d, or conv_transpose1d to conv_transpose3d when transposed, by the input's rank.

    Args:
        input: (N, C, *) or (C, *).
        stride, padding, dilation, output_padding: one int for each spatial dimension.
    """
    n = weight.ndim - 2
    check_argument(n in (1, 2, 3), "convolution()", "weight", "be of 3 to 5 dimensions", weight.ndim)
    if isinstance(output_padding, (tuple, list)) and len(output_padding) not in (1, n):
        raise RuntimeError(
            f"convolution(): argument 'output_padding' must have 1 or {n} elements; found {len(output_padding)}"
        )
    if transposed:
        return TABLE[f"conv_transpose{n}d"](input, weight, bias, stride, padding, output_padding, groups, dilation)
    return TABLE[f"conv{n}d"](input, weight, bias, stride, padding, dilation, groups)


@eager(namespace=("", "nn.functional"), method=False)
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """conv1d of a sequence with time first and channels last.

    Args:
        input: (T, N, C).
        weight: (K, C, O).
        bias: (O).
        pad: zeros before and after.

    Returns:
        (T + 2 pad - K + 1, N, O).
    """
    for x, label, rank in ((input, "input", 3), (weight, "weight", 3), (bias, "bias", 1)):
        if x.ndim != rank:
            raise RuntimeError(f"conv_tbc(): '{label}' must be of {rank} dimension(s); found {x.ndim}")
    if input.shape[2] != weight.shape[1]:
        raise RuntimeError(
            f"conv_tbc(): 'input' must have {weight.shape[1]} channels, as 'weight' has; found {input.shape[2]}"
        )
    if weight.shape[2] != bias.shape[0]:
        raise RuntimeError(
            f"conv_tbc(): 'bias' must have {weight.shape[2]} elements, one an output channel; found {bias.shape[0]}"
        )
    return TABLE["conv1d"](input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad).permute(2, 0, 1)
