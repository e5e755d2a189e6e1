"""Elementwise operators on sparse tensors: those that keep zeros, sums, products and quotients."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import raw
from rushlight.core import tensor as core
from rushlight.core.tensor import Tensor
from rushlight.operators.sparse import parts as p
from rushlight.operators.sparse.handling import COALESCES, check_leaf, sparse_operator
from rushlight.operators.table.define import FUNCTIONS, TABLE
from rushlight.operators.table.node_names import usual_name
from rushlight.operators.table.types import DType

# f(0) = 0, and f(a + b) is not f(a) + f(b): the entries are summed first.
_NONLINEAR = (
    "abs asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac isinf isnan isneginf isposinf log1p nan_to_num "
    "rad2deg relu round sgn sign signbit sin sinh sqrt square tan tanh trunc"
).split()
_LINEAR = ("conj_physical",)


def _label(name: str) -> str:
    return "PowBackward0" if name == "square" else usual_name(name, "")


def _of_values(name: str, coalesces: bool) -> Callable[..., Tensor]:
    """The operator of a sparse tensor: that of its values."""
    op = TABLE.get(name) or TABLE["nn.functional." + name]

    def call(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if coalesces:
            input = p.coalesced(input)
        return p.remade(input, op(p.values_of(input), *args, **kwargs), _label(name))

    return call


for _name in _NONLINEAR:
    sparse_operator(_name)(_of_values(_name, True))
    COALESCES.add(_name)
for _name in _LINEAR:
    sparse_operator(_name)(_of_values(_name, False))


@sparse_operator("neg")
def _neg(input: Tensor) -> Tensor:
    with p.unrecorded():
        made = p.remade(input, TABLE["neg"](p.parts(input).values), "")
    return p.record(made, "NegBackward0", [input], lambda g: [-g])


@sparse_operator("positive", "conj", "resolve_conj", "resolve_neg", "_conj", "real")
def _same(input: Tensor) -> Tensor:
    return input if input.dtype.kind != "c" else p.remade(input, p.values_of(input).conj(), "ConjPhysicalBackward0")


@sparse_operator("real")
def _real(input: Tensor) -> Tensor:
    return input if input.dtype.kind != "c" else p.remade(input, p.values_of(input).real, "RealBackward0")


@sparse_operator("imag")
def _imag(input: Tensor) -> Tensor:
    return p.remade(input, p.values_of(input).imag, "ImagBackward0")


@sparse_operator("pow")
def _pow(input: Any, exponent: Any) -> Tensor:
    if not p.is_sparse(input) or isinstance(exponent, Tensor):
        raise NotImplementedError("pow(): 'exponent' must be a number where 'input' is sparse; found other operands")
    if exponent == 0:
        raise RuntimeError(
            "pow(): 'exponent' must not be 0 for a sparse tensor, whose zeros would become ones; found 0"
        )
    input = p.coalesced(input)
    return p.remade(input, TABLE["pow"](p.values_of(input), exponent), "PowBackward0")


# ------------------------------------------------------------------------------------------------------ sums
def _check_sizes(name: str, a: Tensor, b: Tensor) -> None:
    if tuple(a.shape) != tuple(b.shape):
        raise RuntimeError(
            f"{name}(): sparse operands must have one shape, expected sizes to match; found {list(a.shape)} and "
            f"{list(b.shape)}"
        )


@sparse_operator("rsub")
def _rsub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    return _sum("sub", other, input, -alpha)


def _sum(name: str, a: Any, b: Any, alpha: Any) -> Tensor:
    """a + alpha * b; `name` is that of the call."""
    if p.is_sparse(a) and not p.is_sparse(b):
        raise RuntimeError(
            f"{name}(): {name}(sparse, dense) is not supported; found a sparse first operand and another that is not. "
            f"Use {name}(dense, sparse) instead"
        )
    if not isinstance(a, Tensor):
        raise RuntimeError(f"{name}(): the operand beside a sparse tensor must be a tensor of its shape; found {a!r}")
    if not p.is_sparse(a):
        return _dense_and_sparse(name, a, b, alpha)
    _check_sizes(name, a, b)
    if p.sparse_dim(a) != p.sparse_dim(b):
        raise RuntimeError(
            f"{name}(): sparse operands must have as many sparse dimensions; found {p.sparse_dim(a)} and "
            f"{p.sparse_dim(b)}"
        )
    kind = FUNCTIONS["result_type"](p.parts(a).values, p.parts(b).values)
    with p.unrecorded():
        first, second = p.parts(a).values.to(kind), p.parts(b).values.to(kind)
        if alpha != 1:
            second = second * alpha
        # Entries of both, one after the other; those of two coalesced tensors are merged.
        indices = TABLE["cat"]([p.parts(x).indices for x in (a, b)], 1)
        made = p.plain(indices, TABLE["cat"]([first, second], 0), a.shape)
        if p.parts(a).coalesced and p.parts(b).coalesced:
            made = p.coalesced(made)
    kinds = a.dtype, b.dtype
    return p.record(
        made, _label(name), [a, b], lambda g: [g.to(kinds[0]), (g if alpha == 1 else g * alpha).to(kinds[1])]
    )


def _dense_and_sparse(name: str, a: Tensor, b: Tensor, alpha: Any) -> Tensor:
    """The dense a + alpha * b; both get the dense gradient."""
    kind = FUNCTIONS["result_type"](a, p.parts(b).values)
    shape = FUNCTIONS["broadcast_shapes"](tuple(a.shape), tuple(b.shape))
    if shape != tuple(a.shape) or tuple(b.shape) != shape:
        _check_sizes(name, a, b)
    with p.unrecorded():
        result = a.to(kind, copy=True).contiguous()
        add_entries(result, b, alpha)
    return p.record(
        result, _label(name), [a, b], lambda g: [g.to(a.dtype), (g if alpha == 1 else g * alpha).to(b.dtype)]
    )


def add_entries(to: Tensor, x: Tensor, alpha: Any) -> None:
    """Add alpha times a sparse tensor to a dense one, in place and unrecorded."""
    own = p.parts(x)
    values = own.values.to(to.dtype) if alpha == 1 else (own.values * alpha).to(to.dtype)
    n_sparse = p.sparse_dim(x)
    if n_sparse == 0:
        to.add_(values.sum(0))
    else:
        to.index_put_(tuple(own.indices.unbind(0)), values, accumulate=True)


def _sum_(name: str, to: Tensor, other: Any, alpha: Any) -> Tensor:
    check_leaf(name, to)
    if not p.is_sparse(to) and not (core.is_grad_enabled() and (to.requires_grad or other.requires_grad)):
        _check_sizes(name, to, other)
        if not dt.can_cast(other.dtype, to.dtype):
            raise RuntimeError(
                f"{name}(): a result of dtype {other.dtype} can't be cast to that of the destination, {to.dtype}"
            )
        add_entries(to, other, alpha)
        return to
    result = _sum(name[:-1], to, other, alpha)
    if not p.is_sparse(to):
        return to.copy_(result)
    if not dt.can_cast(result.dtype, to.dtype):
        raise RuntimeError(
            f"{name}(): a result of dtype {result.dtype} can't be cast to that of the destination, {to.dtype}"
        )
    return p.replace(to, result if result.dtype is to.dtype else result.to(to.dtype))


def _make_sum(name: str, signed: Callable[[Any], Any]) -> None:
    """add or sub, and its in-place variant."""

    @sparse_operator(name)
    def _(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
        return _sum(name, input, other, signed(alpha))

    @sparse_operator(f"{name}_")
    def _(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
        return _sum_(f"{name}_", input, other, signed(alpha))


_make_sum("add", lambda alpha: alpha)
_make_sum("sub", operator.neg)


# -------------------------------------------------------------------------------------------------- products
def _number_like(x: Any) -> bool:
    return not isinstance(x, Tensor) or (x.ndim == 0 and not x._keys_ & p.LAYOUT)


@sparse_operator("mul")
def _mul(input: Any, other: Any) -> Tensor:
    if not p.is_sparse(input):
        if not p.is_sparse(other):  # a gradient that is dense, and an operand that is
            return TABLE["mul"](input, other)
        input, other = other, input
    if _number_like(other):
        return _by_number("mul", input, other)
    if not p.is_sparse(other):
        return _times_dense(input, other)
    if input.ndim == 0 or other.ndim == 0:
        raise NotImplementedError("mul(): 0-d sparse operands are not defined beside sparse ones; found one")
    _check_sizes("mul", input, other)
    if p.sparse_dim(input) != p.sparse_dim(other):
        raise RuntimeError(
            f"mul(): sparse operands must have as many sparse dimensions; found {p.sparse_dim(input)} and "
            f"{p.sparse_dim(other)}"
        )
    with p.unrecorded():
        a, b = (other, input) if p.parts(input).coalesced else (input, other)
        own, with_ = p.parts(a), p.parts(p.coalesced(b))  # of one operand the entries may be parts of an element
        at, hit = p.found_at(p.linear(own.indices, a.shape), p.linear(with_.indices, a.shape))
        kept = TABLE["nonzero"](hit).flatten()
        values = TABLE["mul"](own.values[kept], with_.values[at[kept]])
        made = p.plain(own.indices[:, kept], values, a.shape, own.coalesced)
    return _recorded_product(made, input, other)


def _recorded_product(made: Tensor, a: Tensor, b: Tensor) -> Tensor:
    kinds = a.dtype, b.dtype
    return p.record(
        made,
        "MulBackward0",
        [a, b],
        lambda g: [
            _mul(g, b.conj()).to(kinds[0]) if a.requires_grad else None,
            _mul(g, a.conj()).to(kinds[1]) if b.requires_grad else None,
        ],
        saved=[t for t, other in ((a, b), (b, a)) if other.requires_grad],
    )


def _times_dense(x: Tensor, other: Tensor) -> Tensor:
    """The product with a dense tensor: entries where the sparse one has some."""
    shape = FUNCTIONS["broadcast_shapes"](tuple(x.shape), tuple(other.shape))
    if tuple(shape) != tuple(x.shape):
        raise NotImplementedError(
            f"mul(): a dense operand must broadcast to the shape of the sparse one, {list(x.shape)}; found "
            f"{list(other.shape)}"
        )
    if tuple(other.shape) == tuple(x.shape):
        with p.unrecorded():
            factors = p.picked(other, p.parts(x).indices, x.shape)
            made = p.remade(x, TABLE["mul"](p.parts(x).values, factors), "")
        return _recorded_product(made, x, other)
    factors = p.picked(other.expand(x.shape), p.parts(x).indices, x.shape)
    return p.remade(x, TABLE["mul"](p.values_of(x), factors), "MulBackward0")


@sparse_operator("mul_")
def _mul_(input: Tensor, other: Any) -> Tensor:
    check_leaf("mul_", input)
    if p.is_sparse(input):
        result = _mul(p.kept(input), other)
        if tuple(result.shape) != tuple(input.shape) or not dt.can_cast(result.dtype, input.dtype):
            raise RuntimeError(
                f"mul_(): a result of shape {list(result.shape)} and dtype {result.dtype} can't be cast to the "
                f"destination, of {list(input.shape)} and {input.dtype}"
            )
        return p.replace(input, result if result.dtype is input.dtype else result.to(input.dtype))
    _check_sizes("mul_", input, other)
    with p.unrecorded():
        before = input.clone() if other.requires_grad else None
        result = p.dense(_mul(other, input))
    kinds = input.dtype, other.dtype
    p.record(
        result,
        "MulBackward0",
        [input, other],
        lambda g: [_mul(g, other.conj()).to(kinds[0]), None if before is None else _mul(g, before.conj()).to(kinds[1])],
    )
    return input.copy_(result)


@sparse_operator("div")
def _div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    if not _number_like(other) or not p.is_sparse(input):
        shape = list(other.shape) if isinstance(other, Tensor) else []
        raise RuntimeError(
            "div(): Sparse division requires a scalar or zero-dim dense tensor divisor; found "
            f"{'a sparse divisor' if p.is_sparse(other) else f'the shape {shape}'}"
        )
    if rounding_mode is not None:
        input = p.coalesced(input)  # a quotient of a sum is rounded once
        return p.remade(input, TABLE["div"](p.values_of(input), other, rounding_mode=rounding_mode), "DivBackward0")
    return _by_number("div", input, other)


def _by_number(name: str, x: Tensor, number: Any) -> Tensor:
    """The product with a number, or the quotient by it; a dense gradient stays one."""
    label = usual_name(name, "")
    if isinstance(number, Tensor) and number.requires_grad:
        return p.remade(x, TABLE[name](p.values_of(x), number), label)
    with p.unrecorded():
        made = p.remade(x, TABLE[name](p.parts(x).values, number), label)
    factor = number.conj() if isinstance(number, Tensor) else number.conjugate()
    kind = x.dtype
    return p.record(made, label, [x], lambda g: [TABLE[name](g, factor).to(kind)])


@sparse_operator("floor_divide")
def _floor_divide(input: Any, other: Any) -> Tensor:
    if not _number_like(other) or not p.is_sparse(input):
        raise RuntimeError(
            "floor_divide(): Sparse floor division requires a scalar or zero-dim dense tensor divisor; found another "
            "operand"
        )
    with p.unrecorded():
        whole = p.coalesced(input)
        made = p.remade(whole, TABLE["floor_divide"](p.parts(whole).values, other), "")
    return p.without_derivative("floor_divide", made, [input])


@sparse_operator("zero_")
def _zero_(input: Tensor) -> Tensor:
    check_leaf("zero_", input)
    return p.replace(input, empty_like(input))


def empty_like(x: Tensor, dtype: DType = None) -> Tensor:
    """A sparse tensor of the same shape and sparse dimensions, without entries."""
    return without_entries(tuple(x.shape), p.sparse_dim(x), dtype or x.dtype)


def without_entries(size: Sequence[int], n_sparse: int, dtype: dt.dtype) -> Tensor:
    """A sparse tensor that is zero everywhere."""
    size = tuple(size)
    indices = TABLE["zeros"]((n_sparse, 0), dtype=dt.int64)
    values = TABLE["zeros"]((0, *size[n_sparse:]), dtype=dtype)
    return raw.layout_tensor(dtype, size, p.Coo(indices, values, True))
