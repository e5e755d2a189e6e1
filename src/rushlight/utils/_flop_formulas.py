"""The floating point operations of a call: a formula for each operator that multiplies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rushlight.core.tensor import Tensor

Shape = Sequence[int]


def mm_flop(a_shape: Shape, b_shape: Shape, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """Of (m, k) @ (k, n)."""
    (m, k), (_, n) = a_shape, b_shape
    return 2 * m * n * k


def addmm_flop(self_shape: Shape, a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kwargs: Any) -> int:
    """Of the product in bias + a @ b."""
    return mm_flop(a_shape, b_shape)


def bmm_flop(a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kwargs: Any) -> int:
    """Of (b, m, k) @ (b, k, n)."""
    (b, m, k), (_, _, n) = a_shape, b_shape
    return 2 * b * m * n * k


def baddbmm_flop(self_shape: Shape, a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kwargs: Any) -> int:
    """Of the product in bias + a @ b, batched."""
    return bmm_flop(a_shape, b_shape)


def conv_flop_count(x_shape: Shape, w_shape: Shape, out_shape: Shape, transposed: bool = False) -> int:
    """Of a convolution of (N, C, *) by a weight (c_out, c_in / groups, *kernel): two for each element of the result and
    weight that reaches it.
    """
    return 2 * x_shape[0] * math.prod((x_shape if transposed else out_shape)[2:]) * math.prod(w_shape)


def conv_flop(
    x_shape: Shape,
    w_shape: Shape,
    _bias: Any,
    _stride: Any,
    _padding: Any,
    _dilation: Any,
    transposed: bool,
    *args: Any,
    out_shape: Any = None,
    **kwargs: Any,
) -> int:
    """Of a convolution, with the arguments of `convolution`."""
    return conv_flop_count(x_shape, w_shape, out_shape, transposed)


def sdpa_flop_count(query_shape: Shape, key_shape: Shape, value_shape: Shape) -> int:
    """Of the two products in attention: (b, h, s_q, d) by (b, h, s_k, d), and the weights by (b, h, s_k, d_v)."""
    *batch, s_q, d = query_shape
    s_k, d_v = value_shape[-2], value_shape[-1]
    return 2 * math.prod(batch) * s_q * s_k * (d + d_v)


def sdpa_flop(
    query_shape: Shape, key_shape: Shape, value_shape: Shape, *args: Any, out_shape: Any = None, **kwargs: Any
) -> int:
    """Of scaled_dot_product_attention."""
    return sdpa_flop_count(query_shape, key_shape, value_shape)


def _matmul_flop(a: Shape, b: Shape, *args: Any, out_shape: Shape, **kwargs: Any) -> int:
    # products with vectors are not counted, in PyTorch as well
    return 2 * math.prod(out_shape) * a[-1] if len(a) > 1 and len(b) > 1 else 0


def _linear_flop(x: Shape, w: Shape, *args: Any, out_shape: Shape, **kwargs: Any) -> int:
    return 2 * math.prod(out_shape) * x[-1]


def _plain_conv(transposed: bool) -> Callable[..., int]:
    def count(x: Shape, w: Shape, *args: Any, out_shape: Shape, **kwargs: Any) -> int:
        batch = [x[0]] if len(x) == len(w) else [1]
        spatial = (x if transposed else out_shape)[-(len(w) - 2) :]
        return 2 * math.prod(batch) * math.prod(spatial) * math.prod(w)

    return count


def _einsum_flop(equation: Any, *operands: Any, out_shape: Any = None, **kwargs: Any) -> int:
    shapes = operands[0] if len(operands) == 1 and operands[0] and not isinstance(operands[0][0], int) else operands
    if not isinstance(equation, str) or len(shapes) != 2 or "..." in equation:
        return 0
    left, _, right = equation.replace(" ", "").partition("->")
    sizes: dict[str, int] = {}
    for letters, shape in zip(left.split(","), shapes, strict=True):
        sizes.update(zip(letters, shape, strict=True))
    summed = set(sizes) - set(right) if right or "->" in equation else {c for c in sizes if left.count(c) > 1}
    return 2 * math.prod(sizes.values()) if summed else 0


def _tensordot_flop(a: Shape, b: Shape, dims: Any = 2, *args: Any, out_shape: Shape, **kwargs: Any) -> int:
    summed = (
        [a[len(a) - i - 1] for i in range(dims)]
        if isinstance(dims, int)
        else [a[d] for d in (dims[0] if isinstance(dims[0], (list, tuple)) else [dims[0]])]
    )
    return 2 * math.prod(out_shape) * math.prod(summed)


def _chain_flop(shapes: Any, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """The least of all orders of a chain of products; vectors at its ends are rows and columns."""
    shapes = [tuple(s) for s in shapes]
    if len(shapes[0]) == 1:
        shapes[0] = (1, *shapes[0])
    if len(shapes[-1]) == 1:
        shapes[-1] = (*shapes[-1], 1)
    sizes = [shapes[0][0], *(s[-1] for s in shapes)]
    best = {(i, i): 0 for i in range(len(shapes))}
    for length in range(1, len(shapes)):
        for i in range(len(shapes) - length):
            j = i + length
            best[i, j] = min(
                best[i, k] + best[k + 1, j] + 2 * sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j)
            )
    return best[0, len(shapes) - 1]


class Products(NamedTuple):
    """One of several products in a call: its operations forward and backward, and whether a bias is added."""

    forward: int
    backward: int
    biased: bool


def _times(rows: int, x: Tensor, w: Tensor, bias: Any, earlier: int = 0) -> Products:
    """Of rows of x with the weight w; `earlier`: how many of these rows are results of the same call, whose gradient is
    asked for whatever `x` says.
    """
    row = 2 * math.prod(w.shape)
    back = rows * w.requires_grad + (rows if x.requires_grad else earlier)
    return Products(rows * row, back * row, bias is not None)


def _cell_products(
    input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None
) -> list[Products]:
    h = hx if isinstance(hx, Tensor) else hx[0]
    rows = math.prod(h.shape[:-1])
    return [_times(rows, input, w_ih, b_ih), _times(rows, h, w_hh, b_hh)]


def _layer_products(
    mode: str, input: Tensor, h: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Any, b_hh: Any, *args: Any
) -> list[Products]:
    rows = math.prod(input.shape[:-1])
    later = rows - math.prod(h.shape[:-1])
    return [_times(rows, input, w_ih, b_ih), _times(rows, h, w_hh, b_hh, later)]


def _lstm_products(
    input: Tensor, h: Tensor, c: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Any, b_hh: Any, w_hr: Any, *args: Any
) -> Any:
    """Those of a layer with projections: PyTorch counts no others, which are one call there."""
    if w_hr is None:
        return []
    rows = math.prod(input.shape[:-1])
    return [*_layer_products("LSTM", input, h, w_ih, w_hh, b_ih, b_hh), _times(rows, h, w_hr, None, rows)]


# What makes several products in one call, by its name.
SEVERAL: dict[str, Callable[..., list[Products]]] = {
    **dict.fromkeys(("lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell"), _cell_products),
    "_recurrent_layer": _layer_products,
    "_lstm_layer": _lstm_products,
}

# By an operator's name: the formula takes the call's arguments with shapes in the place of tensors, and `out_shape`.
flop_registry: dict[str, Callable[..., int]] = {
    "mm": mm_flop,
    "addmm": addmm_flop,
    "bmm": bmm_flop,
    "baddbmm": baddbmm_flop,
    "matmul": _matmul_flop,
    "linear": _linear_flop,
    "scaled_dot_product_attention": sdpa_flop,
    "convolution": conv_flop,
    "_einsum": _einsum_flop,
    "tensordot": _tensordot_flop,
    "_chain_matmul": _chain_flop,
    "multi_dot": _chain_flop,
    **{f"conv{n}d": _plain_conv(False) for n in (1, 2, 3)},
    **{f"conv_transpose{n}d": _plain_conv(True) for n in (1, 2, 3)},
}


def flops_of(name: str, args: Any, kwargs: dict[str, Any], result: Any) -> int:
    """The floating point operations of one call forward: of a product, convolution, attention or recurrent layer; of an
    addition or multiplication its elements; 0 of what has no formula.
    """
    name = {"_attention": "scaled_dot_product_attention", "linalg_multi_dot": "multi_dot"}.get(name, name)
    if name in ("add", "mul", "add_", "mul_"):
        return result.numel() if isinstance(result, Tensor) else 0
    if name in SEVERAL:
        return sum(p.forward for p in SEVERAL[name](*args, **kwargs))
    formula = flop_registry.get(name)
    if formula is None:
        return 0
    if isinstance(formula, Raw):
        return formula(*args, **kwargs, out_val=result)
    return formula(*shapes(tuple(args)), **shapes_of(kwargs), out_shape=shapes(result))


def shapes(x: Any) -> Any:
    if isinstance(x, Tensor):
        return tuple(x.shape)
    return type(x)(shapes(v) for v in x) if isinstance(x, (list, tuple)) and not hasattr(x, "_fields") else x


class Raw:
    """A formula that takes the tensors themselves, and `out_val`."""

    def __init__(self, formula: Callable[..., int]) -> None:
        self.formula = formula

    def __call__(self, *args: Any, **kwargs: Any) -> int:
        return self.formula(*args, **kwargs)


def shapes_of(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {k: shapes(v) for k, v in kwargs.items()}
