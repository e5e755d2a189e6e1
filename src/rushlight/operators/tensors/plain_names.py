"""Names that the package itself has for functions of nn.functional, with the arguments in the order that they take
there.

A loss's reduction is a number here: 0 none, 1 mean, 2 sum. Its default is 0, as PyTorch's is when it runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.core.warning import noted, warn
from rushlight.operators.linalg.matmul import product, transposed
from rushlight.operators.nn.activation import INPLACE, rectified
from rushlight.operators.nn.dropout import dropped
from rushlight.operators.random.samplers import check_slopes, random_leaky, random_mask
from rushlight.operators.table.arguments import wrong_argument
from rushlight.operators.table.define import METHODS, TABLE, eager, function, operator
from rushlight.operators.table.tracer import P, Tracer
from rushlight.program.sym import hint

_F = "nn.functional."


def _plain(fn: Callable[..., Any]) -> Any:
    """A function of the package that is no method, and has no defaults for arguments of a wrong type."""

    return _checked(fn, method=False)


def _checked(fn: Callable[..., Any], **options: Any) -> Any:
    """An eager operator that looks at the types of all arguments before its body runs."""

    @functools.wraps(fn)
    def checked(*args: Any, **kwargs: Any) -> Any:
        values = [*args, *(kwargs.get(p.name, p.default) for p in op.params[len(args) :])]
        wrong = wrong_argument(op, values, failed=True)
        if wrong is not None:
            raise wrong
        by_name = {p.name: v for p, v in zip(op.params, values, strict=True) if p.keyword_only}
        return fn(*values[: len(values) - len(by_name)], **by_name)

    op = eager(checked, **options)
    return op


def _mode(reduction: int, name: str) -> str:
    if reduction not in (0, 1, 2):
        raise ValueError(f"{name}(): 'reduction' must be 0 (none), 1 (mean) or 2 (sum); found {reduction}")
    return ("none", "mean", "sum")[reduction]


# --------------------------------------------------------------------------------------------------------------- losses
@_plain
def kl_div(input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False) -> Tensor:
    """nn.functional.kl_div with its reduction as a number, and without its warning."""
    with noted():
        return TABLE[_F + "kl_div"](input, target, reduction=_mode(reduction, "kl_div"), log_target=log_target)


@_plain
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Any = None, pos_weight: Any = None, reduction: int = 0
) -> Tensor:
    """nn.functional.binary_cross_entropy_with_logits with its reduction as a number."""
    mode = _mode(reduction, "binary_cross_entropy_with_logits")
    return TABLE[_F + "binary_cross_entropy_with_logits"](input, target, weight, reduction=mode, pos_weight=pos_weight)


@_plain
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """nn.functional.cosine_embedding_loss with its reduction as a number."""
    return TABLE[_F + "cosine_embedding_loss"](
        input1, input2, target, margin, reduction=_mode(reduction, "cosine_embedding_loss")
    )


@_plain
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 0) -> Tensor:
    """nn.functional.hinge_embedding_loss with its reduction as a number."""
    return TABLE[_F + "hinge_embedding_loss"](input, target, margin, reduction=_mode(reduction, "hinge_embedding_loss"))


@_plain
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """nn.functional.margin_ranking_loss with its reduction as a number."""
    return TABLE[_F + "margin_ranking_loss"](
        input1, input2, target, margin, reduction=_mode(reduction, "margin_ranking_loss")
    )


@_plain
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    """nn.functional.poisson_nll_loss with its reduction as a number."""
    return TABLE[_F + "poisson_nll_loss"](
        input, target, log_input, full, eps=eps, reduction=_mode(reduction, "poisson_nll_loss")
    )


@_plain
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 0,
) -> Tensor:
    """nn.functional.triplet_margin_loss with its reduction as a number."""
    mode = _mode(reduction, "triplet_margin_loss")
    return TABLE[_F + "triplet_margin_loss"](anchor, positive, negative, margin, p, eps, swap, reduction=mode)


# ---------------------------------------------------------------------------------------------------- layers and tables
@_plain
def embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """nn.functional.embedding with the table first; padding_idx: -1 for none."""
    return TABLE[_F + "embedding"](
        indices, weight, None if padding_idx < 0 else padding_idx, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse
    )


@_plain
def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Scale the rows of a table that `indices` names down to a norm of at most max_norm, in place."""
    from rushlight.operators.nn.embedding import renormalize_

    renormalize_(input, indices, max_norm, norm_type)
    return input


@_plain
def group_norm(
    input: Tensor, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5, cudnn_enabled: bool = True
) -> Tensor:
    """nn.functional.group_norm; cudnn_enabled is without effect."""
    return TABLE[_F + "group_norm"](input, num_groups, weight, bias, eps)


@_plain
def instance_norm(
    input: Tensor,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """nn.functional.instance_norm with the parameters first; cudnn_enabled is without effect."""
    return TABLE[_F + "instance_norm"](input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


@_plain
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """The maxima of windows that divide the last dimension, and their indices."""
    from rushlight.operators.nn.pooling import ADAPTIVE_MAX

    return ADAPTIVE_MAX[1](input, output_size)


@_plain
def affine_grid_generator(theta: Tensor, size: Any, align_corners: bool) -> Tensor:
    """nn.functional.affine_grid, which alone warns of sides of one element."""
    with noted():
        return TABLE[_F + "affine_grid"](theta, size, align_corners)


# -------------------------------------------------------------------------------------------------------------- dropout
def _make_dropout(name: str, *, alpha: bool, feature: bool) -> None:
    what = ("whole channels" if feature else "elements") + (
        " set to the value that keeps a SELU network's statistics" if alpha else " set to zero"
    )

    def body(input: Tensor, p: float, train: bool) -> Tensor:
        return dropped(input, p, train, False, name=name, alpha=alpha, feature=feature)

    def body_(input: Tensor, p: float, train: bool) -> Tensor:
        return dropped(input, p, train, True, name=f"{name}_", alpha=alpha, feature=feature)

    body.__doc__ = f"""{what.capitalize()} with probability p, the rest rescaled; the input itself unless train."""
    body_.__doc__ = f"""{name} in place."""
    for suffix, fn in (("", body), ("_", body_)):
        _checked(fn, name=name + suffix, method=False, shape_class="random")


for _name in ("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"):
    _make_dropout(_name, alpha="alpha" in _name, feature="feature" in _name)


@eager(method=False, shape_class="random")
def rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Any = None
) -> Tensor:
    """nn.functional.rrelu: leaky_relu whose slopes are random in training, by a generator of one's own if given."""
    return _leaky(input, lower, upper, training, generator, False)


@eager(method=False, shape_class="random")
def rrelu_(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Any = None
) -> Tensor:
    """rrelu in place."""
    return _leaky(input, lower, upper, training, generator, True)


def _leaky(input: Tensor, lower: float, upper: float, training: bool, generator: Any, inplace: bool) -> Tensor:
    check_slopes("rrelu_" if inplace else "rrelu", lower, upper)
    if not training:
        op = INPLACE["leaky_relu"] if inplace else TABLE[_F + "leaky_relu"]
        return op(input, (lower + upper) / 2)
    return random_leaky(input, float(lower), float(upper), inplace, generator)


# ----------------------------------------------------------------------------------------------- convolutions by a name
@_plain
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

    Args: input: (N, C, *) or (C, *); stride, padding, dilation, output_padding: one int for each spatial dimension.
    """
    n = weight.ndim - 2
    if n not in (1, 2, 3):
        raise RuntimeError(f"convolution(): 'weight' must be of 3 to 5 dimensions; found {weight.ndim}")
    if transposed:
        return TABLE[f"conv_transpose{n}d"](input, weight, bias, stride, padding, output_padding, groups, dilation)
    return TABLE[f"conv{n}d"](input, weight, bias, stride, padding, dilation, groups)


@eager(namespace=("", "nn.functional"), method=False)
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """conv1d of a sequence with time first and channels last.

    Args: input: (T, N, C). weight: (K, C, O). bias: (O). pad: zeros before and after. Returns: (T + 2 pad - K + 1, N,
    O).
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


# ------------------------------------------------------------------------------------------------------ recurrent cells
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
    *lead, size = gates.var.shape
    h = size // n
    return [
        P.slice(gates, starts=(*(0,) * len(lead), i * h), sizes=(*lead, h), steps=(1,) * gates.ndim) for i in range(n)
    ]


@operator(namespace=None, method=False, out=False, shape_class="contraction")
def _lstm_cell(
    input: Tensor, h: Tensor, c: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None, b_hh: Tensor | None
) -> tuple[Tensor, Tensor]:
    """One step of an LSTM: the new h and c. Source: Hochreiter and Schmidhuber, "Long short-term memory", 1997, with
    forget gates.
    """
    x, y = _gates(input, h, w_ih, w_hh, b_ih, b_hh, 4, "lstm_cell")
    i, f, g, o = _split(x + y, 4)
    c = P.sigmoid(f) * c + P.sigmoid(i) * P.tanh(g)
    return P.sigmoid(o) * P.tanh(c), c


@_plain
def lstm_cell(
    input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None
) -> tuple[Tensor, Tensor]:
    """One step of an LSTM. Args: hx: the pair (h, c), each (N, hidden). Returns: the new h and c."""
    if len(hx) != 2:
        raise RuntimeError(f"lstm_cell(): 'hx' must be two states, hidden and cell; found {len(hx)}")
    return _lstm_cell(input, hx[0], hx[1], w_ih, w_hh, b_ih, b_hh)


@operator(method=False, out=False, shape_class="contraction")
def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """One step of a gated recurrent unit. Args: hx: (N, hidden). Source: Cho et al., 2014, the variant with the reset
    after the product.
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


# In place functions that are methods too, and a second name.
for _name in ("gcd_", "lcm_", "as_strided_"):
    TABLE[_name] = METHODS[_name]
TABLE["native_channel_shuffle"] = TABLE["channel_shuffle"]


# ---------------------------------------------------------------------------------------------------------------- norms
@_plain
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The pow-norm over all dimensions but one, kept with size 1; dim: -1 for the norm over all."""
    if dim == -1:
        return TABLE["norm"](v, pow)
    if not 0 <= dim < v.ndim:
        raise IndexError(f"norm_except_dim(): 'dim' must be in [-1, {v.ndim - 1}] for a {v.ndim}-d tensor; found {dim}")
    return TABLE["norm"](v, pow, [d for d in range(v.ndim) if d != dim], True) if v.ndim > 1 else v.abs()


@_plain
def frobenius_norm(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """The 2-norm over dimensions; an empty list means all."""
    warn("frobenius_norm() is deprecated; write linalg.vector_norm(A, 2, dim, keepdim)", once="frobenius_norm")
    return TABLE["norm"](input, 2, dim, keepdim)


@function
def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: Any = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """nn.functional.embedding_bag with the table first and its mode as a number (0 sum, 1 mean, 2 max).

    Returns: (the bags, the bag of each index, the size of each bag, for maxima the chosen index of each element, else
    the sizes again).
    """
    if mode not in (0, 1, 2):
        raise ValueError(f"embedding_bag(): 'mode' must be 0 (sum), 1 (mean) or 2 (max); found {mode}")
    result = TABLE[_F + "embedding_bag"](
        indices,
        weight,
        offsets,
        mode=("sum", "mean", "max")[mode],
        scale_grad_by_freq=scale_grad_by_freq,
        per_sample_weights=per_sample_weights,
        include_last_offset=include_last_offset,
        padding_idx=padding_idx,
    )
    starts = offsets[:-1] if include_last_offset else offsets
    bag = (
        TABLE["searchsorted"](
            METHODS["contiguous"](starts), TABLE["arange"](indices.numel(), dtype=starts.dtype), right=True
        )
        - 1
    )
    counted = TABLE["ones_like"](bag) if padding_idx is None else METHODS["to"](indices != padding_idx, bag.dtype)
    sizes = METHODS["index_add"](TABLE["zeros"](starts.numel(), dtype=bag.dtype), 0, bag, counted)
    if mode == 2:
        return result, bag, sizes, _largest_of_bags(METHODS["detach"](weight), indices, bag, counted, starts.numel())
    return result, bag, sizes, sizes


def _largest_of_bags(weight: Tensor, indices: Tensor, bag: Tensor, counted: Tensor, n: int) -> Tensor:
    """For each bag and column the index of the largest row, the first one of equals; -1 for an empty bag."""
    found = TABLE["full"]((n, weight.shape[1]), -1, dtype=indices.dtype)
    best = TABLE["full"]((n, weight.shape[1]), float("-inf"), dtype=weight.dtype)
    for i, (b, there) in enumerate(zip(bag.tolist(), counted.tolist(), strict=True)):
        if there:
            row = weight[indices[i]]
            better = (row > best[b]) | (found[b] < 0)
            found[b], best[b] = TABLE["where"](better, indices[i], found[b]), TABLE["where"](better, row, best[b])
    return found


@function
def native_layer_norm(
    input: Tensor, normalized_shape: Any, weight: Any, bias: Any, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """nn.functional.layer_norm with the mean and the reciprocal deviation of each line: (result, mean, rstd), the
    latter two of size 1 in the last dimensions.
    """
    shape = list(normalized_shape)
    result = TABLE[_F + "layer_norm"](input, shape, weight, bias, eps)
    dims = list(range(input.ndim - len(shape), input.ndim))
    var, mean = TABLE["var_mean"](input, dims, correction=0, keepdim=True)
    return result, mean, TABLE["rsqrt"](var + eps)


@function
def native_group_norm(
    input: Tensor, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """nn.functional.group_norm of (N, C, *) with HxW elements a channel: (result, mean, rstd), the latter two (N,
    group).
    """
    if input.numel() != N * C * HxW:
        raise RuntimeError(
            f"native_group_norm(): 'input' must have N * C * HxW = {N * C * HxW} elements; found {input.numel()}"
        )
    result = TABLE[_F + "group_norm"](input, group, weight, bias, eps)
    var, mean = TABLE["var_mean"](METHODS["reshape"](input, (N, group, -1)), [-1], correction=0)
    return result, mean, TABLE["rsqrt"](var + eps)


@function
def native_batch_norm(
    input: Tensor,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """nn.functional.batch_norm with the parameters first: (result, mean, rstd) of the batch; the latter two empty where
    the running ones served.
    """
    if not training:
        empty = TABLE["zeros"](0, dtype=input.dtype)
        return (
            TABLE[_F + "batch_norm"](input, running_mean, running_var, weight, bias, False, momentum, eps),
            empty,
            empty,
        )
    dims = [0, *range(2, input.ndim)]
    var, mean = TABLE["var_mean"](input, dims, correction=0)
    return (
        TABLE[_F + "batch_norm"](input, running_mean, running_var, weight, bias, True, momentum, eps),
        mean,
        TABLE["rsqrt"](var + eps),
    )


@function
def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """(The input with elements dropped with probability p and the rest scaled, which were kept); without `train` all
    are kept.
    """
    if train is False:
        return input, TABLE["ones_like"](input, dtype=dt.bool_)
    if not 0 <= p <= 1:
        raise RuntimeError(f"native_dropout(): 'p' must be in [0, 1]; found {p}")
    if p == 1:
        return input * 0, TABLE["zeros_like"](input, dtype=dt.bool_)
    kept = random_mask("native_dropout", input, 1 - p)
    return input * kept / (1 - p), kept


@function
def _is_all_true(input: Tensor) -> Tensor:
    """Whether all elements of a bool tensor are True, as a tensor."""
    return TABLE["all"](_bools("_is_all_true", input))


@function
def _is_any_true(input: Tensor) -> Tensor:
    """Whether an element of a bool tensor is True, as a tensor."""
    return TABLE["any"](_bools("_is_any_true", input))


def _bools(name: str, input: Tensor) -> Tensor:
    if input.dtype is not dt.bool_:
        raise RuntimeError(f"{name}(): 'input' must be of dtype torch.bool; found {input.dtype}")
    return input


@function
def _assert_async(input: Tensor, assert_msg: str = "") -> None:
    """Raise RuntimeError unless the tensor's one element is true; at once, on the CPU."""
    if input.numel() != 1:
        raise RuntimeError(f"_assert_async(): 'input' must have one element; found {input.numel()}")
    if not input.item():
        raise RuntimeError(assert_msg or "_assert_async(): 'input' must be true; found " + str(input.item()))


# ------------------------------------------------------------------------------------------- derivatives by their names
@_plain
def _softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: Any) -> Tensor:
    """The gradient of softmax from its result: output * (grad_output - sum(output * grad_output, dim)), in
    input_dtype.
    """
    product = output * grad_output
    return (product - output * product.sum(dim, keepdim=True)).to(input_dtype)


@_plain
def _log_softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: Any) -> Tensor:
    """The gradient of log_softmax from its result: grad_output - exp(output) * sum(grad_output, dim), in
    input_dtype.
    """
    return (grad_output - output.exp() * grad_output.sum(dim, keepdim=True)).to(input_dtype)
