"""How many floating point operations products, convolutions and attention take: `FlopCounterMode` counts those of calls
in its block, and of their backward.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.func.tree import flatten
from rushlight.utils._python_dispatch import TorchDispatchMode

__all__ = [
    "FlopCounterMode",
    "addmm_flop",
    "baddbmm_flop",
    "bmm_flop",
    "conv_flop",
    "conv_flop_count",
    "flop_registry",
    "mm_flop",
    "register_flop_formula",
    "sdpa_flop",
    "sdpa_flop_count",
]

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


class _Products(NamedTuple):
    """One of several products in a call: its operations forward and backward, and whether a bias is added."""

    forward: int
    backward: int
    biased: bool


def _times(rows: int, x: Tensor, w: Tensor, bias: Any, earlier: int = 0) -> _Products:
    """Of rows of x with the weight w; `earlier`: how many of these rows are results of the same call, whose gradient is
    asked for whatever `x` says.
    """
    row = 2 * math.prod(w.shape)
    back = rows * w.requires_grad + (rows if x.requires_grad else earlier)
    return _Products(rows * row, back * row, bias is not None)


def _cell_products(input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None) -> Any:
    h = hx if isinstance(hx, Tensor) else hx[0]
    rows = math.prod(h.shape[:-1])
    return [_times(rows, input, w_ih, b_ih), _times(rows, h, w_hh, b_hh)]


def _layer_products(
    mode: str, input: Tensor, h: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Any, b_hh: Any, *args: Any
) -> Any:
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
_SEVERAL: dict[str, Callable[..., list[_Products]]] = {
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
_ATTENTION = ("scaled_dot_product_attention",)


def flops_of(name: str, args: Any, kwargs: dict[str, Any], result: Any) -> int:
    """The floating point operations of one call forward: of a product, convolution, attention or recurrent layer; of an
    addition or multiplication its elements; 0 of what has no formula.
    """
    name = {"_attention": "scaled_dot_product_attention", "linalg_multi_dot": "multi_dot"}.get(name, name)
    if name in ("add", "mul", "add_", "mul_"):
        return result.numel() if isinstance(result, Tensor) else 0
    if name in _SEVERAL:
        return sum(p.forward for p in _SEVERAL[name](*args, **kwargs))
    formula = flop_registry.get(name)
    if formula is None:
        return 0
    if isinstance(formula, _Raw):
        return formula(*args, **kwargs, out_val=result)
    return formula(*_shapes(tuple(args)), **_shapes_of(kwargs), out_shape=_shapes(result))


def _name(op: Any) -> str:
    name = getattr(op, "name", None) or getattr(op, "__name__", "")
    return str(name() if callable(name) else name).rpartition(".")[2].rpartition("::")[2]


def _overload(name: str, args: Any, kwargs: Any, backward: bool) -> Any:
    """What PyTorch counts a call under, a packet of `torch.ops.aten`: that of the product or convolution beneath; None
    where the call is none of these.
    """
    from rushlight import ops

    operands = [x for x in flatten((args, kwargs))[0] if isinstance(x, Tensor)]
    if name in ("linear", "addmm"):
        beneath = "addmm" if not backward and len(operands) == 3 else "mm"
    elif name in ("mm", "tensordot", "_chain_matmul", "multi_dot"):
        beneath = "mm"
    elif name in ("bmm", "baddbmm", "_einsum"):
        beneath = name if name == "baddbmm" and not backward else "bmm"
    elif name == "matmul":
        beneath = "mm" if len(operands) == 2 and min(x.ndim for x in operands) < 3 else "bmm"
    elif name.startswith("conv"):
        beneath = "convolution_backward" if backward else "convolution"
    else:
        return None
    return getattr(ops.aten, beneath, f"aten.{beneath}")


def _shapes(x: Any) -> Any:
    if isinstance(x, Tensor):
        return tuple(x.shape)
    return type(x)(_shapes(v) for v in x) if isinstance(x, (list, tuple)) and not hasattr(x, "_fields") else x


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A decorator: the function counts the operations of an operator, or of several.

    Args:
        targets: an operator, or a list.
        get_raw: the function takes tensors; else shapes, and `out_shape` by name.
    """

    def register(formula: Callable[..., int]) -> Callable[..., int]:
        counted = formula if not get_raw else _Raw(formula)
        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            flop_registry[_name(target)] = counted
        return formula

    return register


class _Raw:
    """A formula that takes the tensors themselves, and `out_val`."""

    def __init__(self, formula: Callable[..., int]) -> None:
        self.formula = formula

    def __call__(self, *args: Any, **kwargs: Any) -> int:
        return self.formula(*args, **kwargs)


class FlopCounterMode(TorchDispatchMode):
    """Inside, the operations of products, convolutions and attention are counted, by module.

    Args:
        mods: accepted: modules are known when they are called.
        depth: how deep the table goes into modules.
        display: whether the table is printed at the end.
        custom_mapping: formulas by operator, beside those that are registered.

    A backward inside counts as many products as inputs need a gradient.
    """

    sees_whole_calls = True

    def __init__(
        self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: dict[Any, Any] | None = None
    ) -> None:
        super().__init__()
        self.depth, self.display = depth, display
        self.formulas = {**flop_registry, **{_name(op): formula for op, formula in (custom_mapping or {}).items()}}
        self.flop_counts: defaultdict[str, defaultdict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self._inside: list[str] = []
        self._names: dict[int, str] = {}
        self._handles: list[Any] = []

    def get_total_flops(self) -> int:
        """All that was counted."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """By module ("Global" for all), by operator."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """The counts as text: a line a module, with the operators below it."""
        depth = self.depth if depth is None else depth
        total = max(self.get_total_flops(), 1)
        rows = [("Module", "FLOP", "% Total")]
        for name in ["Global", *(n for n in self.flop_counts if n != "Global")]:
            level = 0 if name == "Global" else name.count(".") + 1
            if level > depth:
                continue
            counts = self.flop_counts[name]
            rows.append(
                (" " * level + name, _amount(sum(counts.values())), f"{100 * sum(counts.values()) / total:.2f}%")
            )
            rows += [
                (
                    " " * level + f" - {_name(op) if isinstance(op, Operator) else op}",
                    _amount(n),
                    f"{100 * n / total:.2f}%",
                )
                for op, n in counts.items()
            ]
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines = ["  ".join((row[0].ljust(widths[0]), row[1].rjust(widths[1]), row[2].rjust(widths[2]))) for row in rows]
        return "\n".join([lines[0], "  ".join("-" * w for w in widths), *lines[1:]])

    def __enter__(self) -> FlopCounterMode:
        from rushlight.nn.modules import module

        self.flop_counts.clear()
        self._handles = [
            module.register_module_forward_pre_hook(self._enter),
            module.register_module_forward_hook(self._leave, always_call=True),
        ]
        super().__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        super().__exit__(*exc)
        for handle in self._handles:
            handle.remove()
        self._inside.clear()
        if self.display:
            print(self.get_table())

    def _enter(self, module: Any, inputs: Any) -> None:
        if not self._inside:
            root = type(module).__name__
            self._names = {id(m): f"{root}.{name}" if name else root for name, m in module.named_modules()}
        self._inside.append(self._names.get(id(module), type(module).__name__))

    def _leave(self, module: Any, inputs: Any, output: Any) -> None:
        self._inside.pop()

    def _count(self, where: list[str], op: Any, n: int) -> None:
        for name in ("Global", *dict.fromkeys(where)):
            self.flop_counts[name][op] += n

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = _name(func)
        formula = self.formulas.get(name)
        if formula is None:
            out = func(*args, **kwargs)
            if name in _SEVERAL:
                self._count_several(_SEVERAL[name](*args, **kwargs), out)
            return out
        out = func(*args, **kwargs)
        first = out[0] if isinstance(out, (tuple, list)) else out
        if isinstance(formula, _Raw):
            n = formula(*args, **kwargs, out_val=out)
        else:
            n = formula(*_shapes(args), **_shapes_of(kwargs), out_shape=_shapes(out))
        where = list(self._inside)
        self._count(where, _overload(name, args, kwargs, False) or func, n)
        if n and isinstance(first, Tensor) and first.requires_grad and first.grad_fn is not None:
            first.register_hook(
                lambda g: self._count(
                    where, _overload(name, args, kwargs, True) or func, self._backward(name, args, kwargs, n)
                )
            )
        return out

    def _count_several(self, products: list[_Products], out: Any) -> None:
        from rushlight import ops

        where, first = list(self._inside), out[0] if isinstance(out, tuple) else out
        for p in products:
            self._count(where, ops.aten.addmm if p.biased else ops.aten.mm, p.forward)
        back = sum(p.backward for p in products)
        if back and first.grad_fn is not None:  # of the call, whichever of its results is used
            first.grad_fn.register_prehook(lambda grads: self._count(where, ops.aten.mm, back))

    def _backward(self, name: str, args: Any, kwargs: Any, n: int) -> int:
        tensors = [x for x in flatten((args, kwargs))[0] if isinstance(x, Tensor)]
        if name in ("addmm", "baddbmm"):
            tensors = tensors[1:]
        needing = sum(t.requires_grad for t in tensors[: 3 if name in _ATTENTION else 2])
        if name in _ATTENTION:
            return n * 5 // 2 if needing else 0  # the weights are computed again
        return n * needing


def _shapes_of(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {k: _shapes(v) for k, v in kwargs.items()}


def _amount(n: int) -> str:
    for unit, size in (("T", 10**12), ("B", 10**9), ("M", 10**6), ("K", 10**3)):
        if n >= size:
            return f"{n / size:.3f}{unit}"
    return str(n)
