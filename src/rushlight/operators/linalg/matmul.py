"""Matrix products: everything that is a `dot` of two operands after some reshaping. Einstein sums are in
`contraction`.
"""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.table.arguments import undefined_for
from rushlight.operators.table.body import wide
from rushlight.operators.table.checks import check_argument, check_rank
from rushlight.operators.table.define import operator
from rushlight.operators.table.ranges import check_range
from rushlight.operators.table.tracer import (
    P,
    Tracer,
    broadcast_shapes,
    convert,
    expand_to,
    filled,
    is_number,
    result_type,
)
from rushlight.operators.table.types import Number, Sizes
from rushlight.program.sym import Int, hint, hints, prod


# ------------------------------------------------------------------------------------------------------------- helpers
def sizes(x: Tensor) -> str:
    """A shape as PyTorch's messages write it: 2x3."""
    return "x".join(str(hint(s)) for s in x.shape)


def fixed(s: Int) -> int:
    """A size as an int: the program is compiled for this size alone."""
    n = hint(s)
    if s != n:
        raise RuntimeError(f"the size {s} is not its own example {n}")
    return n


def check_dtypes(name: str, *operands: Tensor, products: bool = True) -> None:
    """RuntimeError unless all operands are of one dtype; NotImplementedError for bools, which have no matrix product,
    if `products` are wanted.
    """
    first = operands[0].dtype
    for x in operands[1:]:
        if x.dtype is not first:
            raise RuntimeError(f"{name}(): the operands must be of one dtype; found {first} and {x.dtype}")
    if first.kind == "b" and products:
        raise undefined_for(name, first)


def check_factors(name: str, *operands: Tensor) -> None:
    """`check_dtypes` of what is multiplied: matrices of bools have a product where one of them has no elements."""
    check_dtypes(name, *operands, products=False)
    if operands[0].dtype.kind != "b":
        return
    if all(x.ndim < 2 for x in operands) or all(s != 0 for x in operands for s in x.shape):
        raise undefined_for(name, operands[0].dtype)


def _dot(a: Tensor, b: Tensor) -> Tracer:
    """The product of batches of matrices; of bools, which have elements in one operand alone, False everywhere."""
    if a.dtype.kind == "b":
        return convert(P.dot(convert(a, dt.uint8), convert(b, dt.uint8)), a.dtype)
    return P.dot(a, b)


def check_ranks(name: str, *ranks: int, **factors: Tensor) -> None:
    """RuntimeError unless each of the factors, which are given by their arguments' names, is of its rank."""
    for rank, (argument, x) in zip(ranks, factors.items(), strict=True):
        if x.ndim != rank:
            raise RuntimeError(
                f"{name}(): '{argument}' must be {('a vector', 'a matrix', 'a batch of matrices')[rank - 1]}; found a "
                f"{x.ndim}-d tensor of the size "
                f"{sizes(x) or '()'}"
            )


def transposed(x: Tensor) -> Tracer:
    """The last two dimensions exchanged."""
    return P.permute(x, perm=(*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def reshape(x: Tensor, *shape: Int) -> Tracer:
    """The same elements in another shape."""
    return P.reshape(x, shape=shape)


def product(a: Tensor, b: Tensor, name: str = "matmul") -> Tracer:
    """The matrix product of tracers of any rank >= 1, batch dimensions broadcast; operands of one dtype."""
    if a.ndim == 0 or b.ndim == 0:
        raise RuntimeError(f"{name}(): the operands must have at least 1 dimension; found {a.ndim} and {b.ndim}")
    if a.ndim == 1 and b.ndim == 1 and a.shape[0] != b.shape[0]:
        raise RuntimeError(f"{name}(): the vectors must be of one length; found {sizes(a)} and {sizes(b)}")
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        raise RuntimeError(
            f"{name}(): the columns of the first operand must be as many as the rows of the second; found the sizes "
            f"{sizes(a)} and {sizes(b)}"
        )
    if a.ndim == 1:
        y = product(reshape(a, 1, a.var.shape[0]), b if b.ndim > 1 else reshape(b, b.var.shape[0], 1), name)
        return reshape(y, *y.var.shape[:-2], *([y.var.shape[-1]] if b.ndim > 1 else []))
    if b.ndim == 1:
        y = product(a, reshape(b, b.var.shape[0], 1), name)
        return reshape(y, *y.var.shape[:-1])
    (*batch_a, m, k), (*batch_b, _, n) = a.var.shape, b.var.shape
    if all(isinstance(s, int) and s == 1 for s in batch_b) and len(batch_b) <= len(batch_a):
        # One matrix for the whole batch: its rows are the rows of a single product.
        if not batch_a:
            return _dot(a, b)
        y = _dot(reshape(a, prod(batch_a) * m, k), reshape(b, k, n))
        return reshape(y, *batch_a, m, n)
    batch = broadcast_shapes(batch_a, batch_b)
    return _dot(expand_to(a, (*batch, m, k)), expand_to(b, (*batch, k, n)))


def _is(x: Any, value: int) -> bool:
    return not isinstance(x, Tensor) and x == value


def as_product(name: str, argument: str, x: Tensor, y: Tensor) -> Tracer:
    """A summand in the shape of the product that it is added to, which it does not change."""
    try:
        return expand_to(wide(x), y.var.shape)
    except (ValueError, TypeError, RuntimeError) as error:
        raise RuntimeError(
            f"{name}(): '{argument}' must broadcast to the shape of the product, {sizes(y) or '()'}; found {sizes(x)}"
        ) from error


def scaled_sum(input: Tensor, beta: Any, y: Tensor, alpha: Any, name: str, *, strict: bool = False) -> Tensor:
    """beta * input + alpha * y in the dtype of input, which is broadcast to y; beta == 0 leaves input out, NaN and all.
    Half types are rounded once.

    strict: integer operands take integer factors only; otherwise factors are cut to integers, as PyTorch does.
    Factors that the dtype of a matrix product's computation cannot hold are refused, or of a vector's own dtype.
    """
    for label, x in (("alpha", alpha), ("beta", beta)):
        check_range(name, x, input.dtype if name in ("addmv", "addr") else input.dtype.compute)
        if (
            strict
            and y.dtype.kind in "iu"
            and is_number(x)
            and (x.var.dtype.kind if isinstance(x, Tracer) else ("f" if isinstance(x, float) else "i")) in "fc"
        ):
            raise RuntimeError(f"{name}(): '{label}' must be an integer where the tensors hold integers; found a float")
    d, y = input.dtype, wide(y)
    if not _is(alpha, 1):
        y = y * filled(alpha, y)
    if _is(beta, 0):
        return convert(y, d)
    x = as_product(name, "input", input, y)
    if isinstance(beta, Tensor):
        # Only a launch knows whether beta is 0; then input is left out.
        b = filled(beta, x)
        x = P.select(b == 0, 0, b * x)
    elif not _is(beta, 1):
        x = x * filled(beta, x)
    return convert(x + y, d)


# ------------------------------------------------------------------------------------------------------------ products
# A beta of 0 leaves the input out, and a factor of 1 multiplies nothing.
_FACTORS = {"beta": (0, 1), "alpha": (1,)}


@operator(shape_class="contraction")
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The matrix product, as NumPy's @: vectors, matrices, and batches of matrices whose leading dimensions broadcast.

    Args:
        input, other: tensors of one dtype with at least 1 dimension.

    Raises:
        RuntimeError: sizes or dtypes do not fit.
    """
    check_factors("matmul", input, other)
    return product(input, other)


@operator(shape_class="contraction")
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices, (n, k) @ (k, m); no broadcasting."""
    check_ranks("mm", 2, 2, input=input, mat2=mat2)
    check_factors("mm", input, mat2)
    return product(input, mat2, "mm")


@operator(name="_int_mm", method=False, shape_class="contraction")
def _int_mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices of small integers in int32, (n, k) @ (k, m).

    Args:
        input: int8 or uint8.
        mat2: int8.

    Raises:
        RuntimeError: sizes or dtypes do not fit.
    """
    check_ranks("_int_mm", 2, 2, input=input, mat2=mat2)
    for argument, x, taken in (("input", input, (dt.int8, dt.uint8)), ("mat2", mat2, (dt.int8,))):
        if x.dtype not in taken:
            names = " or ".join(d.name for d in taken)
            raise RuntimeError(f"_int_mm(): '{argument}' must be of dtype {names}; found {x.dtype.name}")
    a, b = convert(input, dt.int32), convert(mat2, dt.int32)
    return product(a, b, "_int_mm")


def _check_batches(name: str, **factors: Tensor) -> None:
    check_ranks(name, 3, 3, **factors)
    a, b = factors.values()
    check_factors(name, a, b)
    if a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
        raise RuntimeError(
            f"{name}(): the second operand must be a batch of {hint(a.shape[0])} matrices of {hint(a.shape[2])} "
            f"rows; found {hint(b.shape[0])} "
            f"of {hint(b.shape[1])}"
        )


@operator(shape_class="contraction")
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Products of a batch of matrices, (b, n, k) @ (b, k, m); no broadcasting."""
    _check_batches("bmm", input=input, mat2=mat2)
    return _dot(input, mat2)


@operator(shape_class="contraction")
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector, (n, k) @ (k)."""
    check_ranks("mv", 2, 1, input=input, vec=vec)
    check_factors("mv", input, vec)
    if input.shape[1] != vec.shape[0]:
        raise RuntimeError(
            f"mv(): 'vec' must have an element for each of the {hint(input.shape[1])} columns of 'input'; found "
            f"{hint(vec.shape[0])}"
        )
    return product(input, vec, "mv")


def _vectors(name: str, a: Tensor, b: Tensor) -> None:
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"{name}(): the operands must be vectors; found {a.ndim} and {b.ndim} dimensions")
    check_dtypes(name, a, b)


@operator(shape_class="contraction")
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The inner product of two vectors, without conjugation."""
    _vectors("dot", input, tensor)
    return product(input, tensor, "dot")


@operator(shape_class="contraction")
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The inner product of two vectors, the first conjugated."""
    _vectors("vdot", input, other)
    return product(P.conj(input) if input.dtype.kind == "c" else input, other, "vdot")


@operator(shape_class="contraction")
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Sums of products over the last dimension of both; a product with a number for 0-d tensors."""
    if input.ndim == 0 or other.ndim == 0:
        return input * other
    check_factors("inner", input, other)
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            "inner(): the last dimensions of 'input' and 'other' must be of one size; found "
            f"{hints(input.shape)} and "
            f"{hints(other.shape)}"
        )
    k = input.var.shape[-1]
    a = reshape(input, prod(input.var.shape[:-1]), k)
    b = reshape(other, prod(other.var.shape[:-1]), k)
    return reshape(_dot(a, transposed(b)), *input.var.shape[:-1], *other.var.shape[:-1])


@operator(shape_class="contraction", aliases=("ger",))
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """The outer product of two vectors: out[i, j] = input[i] * vec2[j]."""
    if input.ndim != 1 or vec2.ndim != 1:
        raise RuntimeError(
            f"outer(): 'input' and 'vec2' must be vectors; found {input.ndim} and {vec2.ndim} dimensions"
        )
    return reshape(input, input.var.shape[0], 1) * vec2


def _added(name: str, input: Tensor, beta: Any, alpha: Any, rank: int, **factors: Tensor) -> Tensor:
    """beta * input + alpha times the product of a matrix and what is of this rank."""
    check_ranks(name, 2, rank, **factors)
    x, y = factors.values()
    check_dtypes(name, input, x, y)
    return scaled_sum(input, beta, product(wide(x), wide(y), name), alpha, name)


@operator(shape_class="contraction", inplace=True, specialize=_FACTORS, zero_gradient=True)
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2), input broadcast."""
    return _added("addmm", input, beta, alpha, 2, mat1=mat1, mat2=mat2)


@operator(shape_class="contraction", inplace=True, specialize=_FACTORS, zero_gradient=True)
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (mat @ vec), input broadcast."""
    return _added("addmv", input, beta, alpha, 1, mat=mat, vec=vec)


@operator(shape_class="contraction", inplace=True, specialize=_FACTORS, zero_gradient=True)
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * outer(vec1, vec2), input broadcast; bools with `or` and `and`."""
    for label, v in (("vec1", vec1), ("vec2", vec2)):
        check_rank("addr", label, v, 1)
    d = result_type(input, vec1, vec2)
    y = reshape(convert(vec1, d), vec1.var.shape[0], 1) * convert(vec2, d)
    if d.kind == "b":
        for label, factor in (("alpha", alpha), ("beta", beta)):
            if result_type(factor).kind in "fc":
                raise RuntimeError(f"addr(): '{label}' must be a bool or an integer where the tensors are bools")
        x = expand_to(input, y.var.shape)
        return (x & filled(beta, x)) | (y & filled(alpha, y))
    return scaled_sum(convert(input, d), beta, y, alpha, "addr", strict=True)


@operator(shape_class="contraction", inplace=True, specialize=_FACTORS, zero_gradient=True)
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * bmm(batch1, batch2), input broadcast."""
    _check_batches("baddbmm", batch1=batch1, batch2=batch2)
    check_dtypes("baddbmm", input, batch1)
    return scaled_sum(input, beta, P.dot(wide(batch1), wide(batch2)), alpha, "baddbmm")


@operator(shape_class="contraction", inplace=True, specialize=_FACTORS, zero_gradient=True)
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (the sum over the batch of batch1 @ batch2), input broadcast."""
    _check_batches("addbmm", batch1=batch1, batch2=batch2)
    check_dtypes("addbmm", input, batch1)
    # The sum over the batch is part of the inner dimension of one product.
    b, n, k = batch1.var.shape
    left = reshape(P.permute(wide(batch1), perm=(1, 0, 2)), n, b * k)
    return scaled_sum(input, beta, P.dot(left, reshape(wide(batch2), b * k, batch2.var.shape[2])), alpha, "addbmm")


@operator(shape_class="contraction", namespace="nn.functional", method=False)
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias.

    Args:
        input: (*, in_features).
        weight: (out_features, in_features), or (in_features).
        bias: (out_features), or ().

    Returns:
        (*, out_features), or (*).

    Raises:
        RuntimeError: the sizes or dtypes do not fit.
    """
    if weight.ndim not in (1, 2) or input.ndim == 0:
        raise RuntimeError(
            f"linear(): 'input' must be of 1 dimension or more and 'weight' of 1 or 2; found {input.ndim} and "
            f"{weight.ndim}"
        )
    if bias is None:
        check_factors("linear", input, weight)
    else:
        check_dtypes("linear", input, weight, bias)
    if input.shape[-1] != weight.shape[-1]:
        raise RuntimeError(
            f"linear(): the last dimension of 'input' must be that of 'weight', {hint(weight.shape[-1])}; found "
            f"{hint(input.shape[-1])}"
        )
    w = weight if weight.ndim == 1 else transposed(weight)
    if bias is None:
        return product(input, w, "linear")
    y = product(wide(input), wide(w), "linear")
    return convert(y + as_product("linear", "bias", bias, y), input.dtype)


@operator(shape_class="contraction", method=False, aliases=())
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """y[..., o] = input1[..., i] weight[o, i, j] input2[..., j] + bias[o].

    Args:
        input1: (*, I).
        input2: (*, J).
        weight: (O, I, J).
        bias: (O).
    """
    check_dtypes("bilinear", input1, input2, weight, *([] if bias is None else [bias]))
    if bias is not None and (bias.ndim != 1 or bias.shape[0] != weight.shape[0]):
        raise RuntimeError(
            f"bilinear(): 'bias' must be a vector of {hint(weight.shape[0])} elements; found the shape "
            f"{hints(bias.shape)}"
        )
    if input1.ndim != input2.ndim or any(a != b for a, b in zip(input1.shape[:-1], input2.shape[:-1], strict=True)):
        raise RuntimeError(
            "bilinear(): 'input1' and 'input2' must be of one shape apart from the last dimension; found "
            f"{hints(input1.shape)} and "
            f"{hints(input2.shape)}"
        )
    for x, d, label in ((input1, 1, "input1"), (input2, 2, "input2")):
        if x.shape[-1] != weight.shape[d]:
            raise RuntimeError(
                f"bilinear(): the last dimension of '{label}' must be dimension {d} of 'weight', "
                f"{hint(weight.shape[d])}; found "
                f"{hint(x.shape[-1])}"
            )
    (*lead, i), j, o = input1.var.shape, input2.var.shape[-1], weight.var.shape[0]
    n = prod(lead)
    left = P.dot(reshape(wide(input1), n, i), reshape(P.permute(wide(weight), perm=(1, 0, 2)), i, o * j))
    y = P.reduce_sum(reshape(left, n, o, j) * reshape(wide(input2), n, 1, j), dims=(2,))
    y = reshape(y, *lead, o)
    return convert(y if bias is None else y + wide(bias), input1.dtype)


@operator(shape_class="contraction")
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: blocks input[i, ...] * other, missing leading dimensions counted as 1."""
    n = max(input.ndim, other.ndim)
    a = [1] * (n - input.ndim) + list(input.var.shape)
    b = [1] * (n - other.ndim) + list(other.var.shape)
    left = reshape(input, *[s for pair in zip(a, [1] * n, strict=True) for s in pair])
    right = reshape(other, *[s for pair in zip([1] * n, b, strict=True) for s in pair])
    return reshape(left * right, *[x * y for x, y in zip(a, b, strict=True)])


def _observations(input: Tensor, name: str) -> Tensor:
    check_argument(input.ndim <= 2, f"{name}()", "input", "be of at most 2 dimensions", input.ndim)
    check_argument(input.dtype.kind != "b", f"{name}()", "input", "be numbers", "dtype torch.bool")
    x = input if input.dtype.kind in "fc" else convert(input, dt.float32)
    return reshape(x, 1, prod(x.var.shape)) if x.ndim < 2 else x


def _covariance(x: Tensor, correction: Int, fweights: Tensor | None, aweights: Tensor | None) -> Tracer:
    """The covariance of the rows of x, real or complex."""
    n = x.var.shape[1]
    w = None
    for label, given, kinds in (("fweights", fweights, "iu"), ("aweights", aweights, "f")):
        if given is None:
            continue
        if given.ndim > 1 or given.dtype.kind not in kinds or (given.shape[0] if given.ndim else 1) != n:
            raise RuntimeError(
                f"cov(): '{label}' must be one {'integer' if kinds == 'iu' else 'floating point'} weight for each of "
                f"the {hint(n)} columns; "
                f"found {given.dtype} of the shape {hints(given.shape)}"
            )
        g = expand_to(convert(given, x.dtype), (n,))
        w = g if w is None else w * g
    from rushlight.operators.table.body import tracer_of_size

    total = convert(tracer_of_size(n), x.dtype) if w is None else P.reduce_sum(w, dims=(0,))
    mean = P.reduce_sum(x if w is None else x * expand_to(w, x.var.shape), dims=(1,)) / total
    if w is not None and aweights is not None and not (isinstance(correction, int) and correction == 0):
        a = expand_to(convert(aweights, x.dtype), (n,))
        freedom = total - convert(tracer_of_size(correction), x.dtype) * P.reduce_sum(w * a, dims=(0,)) / total
    else:
        freedom = total - convert(tracer_of_size(correction), x.dtype)
        if w is None and n <= correction:
            warn(
                f"cov(): the correction {hint(correction)} leaves no degree of freedom of {hint(n)} observations; the "
                "result is infinite, or NaN"
            )
    if x.dtype.kind == "f":
        freedom = P.max(freedom, 0)
    c = x - reshape(mean, x.var.shape[0], 1)
    left = c if w is None else c * expand_to(w, c.var.shape)
    y = P.dot(left, transposed(P.conj(c) if c.dtype.kind == "c" else c)) / freedom
    return y


@operator(shape_class="contraction", out=False)
def cov(
    input: Tensor, *, correction: Sizes = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariance matrix of variables (rows) over observations (columns).

    Args:
        input: up to 2-d.
        correction: degrees of freedom to take off.
        fweights, aweights: integer and real observation weights.
    """
    x = _observations(input, "cov")
    if aweights is not None:
        x = convert(x, result_type(x, aweights))
    y = _covariance(x, correction, fweights, aweights)
    return y if x.shape[0] != 1 else reshape(y)


@operator(shape_class="contraction", out=False)
def corrcoef(input: Tensor) -> Tensor:
    """The matrix of Pearson correlation coefficients of variables (rows) over observations (columns)."""
    x = _observations(input, "corrcoef")
    c = _covariance(x, 1, None, None)
    if x.shape[0] == 1:
        c = reshape(c)
        return c / c
    scale = P.sqrt(
        P.real(P.diagonal(c, offset=0, dim1=0, dim2=1))
        if c.dtype.kind == "c"
        else P.diagonal(c, offset=0, dim1=0, dim2=1)
    )
    n = c.var.shape[0]
    y = c / convert(reshape(scale, n, 1), c.dtype) / convert(scale, c.dtype)
    if c.dtype.kind == "c":
        return P.complex(_unit(P.real(y)), _unit(P.imag(y)))
    return _unit(y)


def _unit(x: Tensor) -> Tracer:
    return P.min(P.max(x, -1), 1)
