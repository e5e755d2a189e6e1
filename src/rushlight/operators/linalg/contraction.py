"""Sums of products over named dimensions: einsum, tensordot, chain_matmul."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import tensor as _core
from rushlight.core.dtypes import bool_, int64, promote_types, uint8
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.linalg.matmul import check_dtypes, check_factors, product, reshape
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.body import wrap_dim
from rushlight.operators.table.checks import check_argument, check_dtype
from rushlight.operators.table.define import FUNCTIONS, METHODS, TABLE, eager, function, operator
from rushlight.operators.table.tracer import P, Tracer, convert
from rushlight.operators.table.types import Tensors
from rushlight.program.sym import Int, hint, prod

Labels = list[Any]


def _one(s: Int) -> bool:
    return isinstance(s, int) and s == 1


def _arranged(x: Tensor, labels: Labels, order: Sequence[Any]) -> Tensor:
    """x with its dimensions in `order`; labels that it lacks get size 1."""
    have = [c for c in order if c in labels]
    perm = tuple(labels.index(c) for c in have)
    y = x if perm == tuple(range(len(perm))) else P.permute(x, perm=perm)
    if len(have) == len(order):
        return y
    size = dict(zip(have, y.var.shape, strict=True))
    return reshape(y, *[size.get(c, 1) for c in order])


def _summed(x: Tensor, labels: Labels, keep: set[Any]) -> tuple[Tensor, Labels]:
    """x summed over the labels that no other operand needs: integers and bools as int64, as sum() does."""
    gone = tuple(i for i, c in enumerate(labels) if c not in keep)
    if not gone:
        return x, labels
    return P.reduce_sum(convert(x, int64) if x.dtype.kind in "biu" else x, dims=gone), [c for c in labels if c in keep]


def _dropped(x: Tensor, labels: Labels, keep: set[Any]) -> tuple[Tensor, Labels]:
    """x without the dimensions of size 1 that no other operand needs."""
    left = [(c, s) for c, s in zip(labels, x.var.shape, strict=True) if c in keep or not _one(s)]
    return (x, labels) if len(left) == len(labels) else (reshape(x, *[s for _, s in left]), [c for c, _ in left])


def contract(a: Tensor, la: Labels, b: Tensor, lb: Labels, keep: set[Any]) -> tuple[Tensor, Labels]:
    """The sum of products of two operands over the labels that are not kept; a matrix product where there is one."""
    a, la = _summed(*_dropped(a, la, keep | set(lb)), keep | set(lb))
    b, lb = _summed(*_dropped(b, lb, keep | set(la)), keep | set(la))
    d = promote_types(a.dtype, b.dtype)  # one may have been summed
    a, b = convert(a, d), convert(b, d)
    batch = [c for c in la if c in lb and c in keep]
    inner = [c for c in la if c in lb and c not in keep]
    if inner and d is bool_:
        check_factors("einsum", a, b)
        y, out = contract(convert(a, uint8), la, convert(b, uint8), lb, keep)
        return convert(y, d), out
    rows = [c for c in la if c not in lb]
    cols = [c for c in lb if c not in la]
    out = batch + rows + cols
    if not inner or not (rows or cols):
        y = _arranged(a, la, out + inner) * _arranged(b, lb, out + inner)
        n = len(out)
        return (P.reduce_sum(y, dims=tuple(range(n, n + len(inner)))) if inner else y), out
    a, b = _arranged(a, la, batch + rows + inner), _arranged(b, lb, batch + inner + cols)
    n, r, k = len(batch), len(rows), len(inner)
    head, mid, tail = a.var.shape[:n], a.var.shape[n : n + r], b.var.shape[n + k :]
    y = P.dot(
        reshape(a, *head, prod(mid), prod(a.var.shape[n + r :])),
        reshape(b, *head, prod(b.var.shape[n : n + k]), prod(tail)),
    )
    return reshape(y, *head, *mid, *tail), out


def next_pair(todo: Sequence[Labels], out: Labels, size: dict[Any, Int]) -> tuple[int, int, int, set[Any]]:
    """The two operands whose contraction has the fewest elements, by their places; how many that are; and the labels
    that are needed further.
    """
    best: tuple[int, int, int, set[Any]] | None = None
    for i in range(len(todo)):
        for j in range(i + 1, len(todo)):
            others = set(out).union(*[labels for m, labels in enumerate(todo) if m not in (i, j)])
            cost = hint(prod(size[c] for c in (set(todo[i]) | set(todo[j])) & others))
            if best is None or cost < best[2]:
                best = (i, j, cost, others)
    assert best is not None
    return best


def contraction_path(equation: str, shapes: Sequence[Sequence[int]]) -> list[str]:
    """The pairs in which einsum contracts operands of these shapes, a line each."""
    inputs, out = _parse(equation, [len(s) for s in shapes])
    size: dict[Any, Int] = {}
    for labels, shape in zip(inputs, shapes, strict=True):
        for c, n in zip(labels, shape, strict=True):
            size[c] = max(int(n), int(size.get(c, 1)))

    def named(labels: Iterable[object]) -> str:
        return "".join(c if isinstance(c, str) else "." for c in labels)

    todo = [(f"operand {k}", list(dict.fromkeys(labels))) for k, labels in enumerate(inputs)]
    lines: list[str] = []
    while len(todo) > 1:
        i, j, elements, others = next_pair([labels for _, labels in todo], out, size)
        (a, la), (b, lb) = todo[i], todo[j]
        kept = [c for c in dict.fromkeys([*la, *lb]) if c in others]
        result = "the result" if len(todo) == 2 else f"product {len(lines)}"
        lines.append(
            f"{result}: {a} with {b}, {named(la)},{named(lb)}->{named(out if len(todo) == 2 else kept)}, {elements} "
            "elements"
        )
        todo = [t for m, t in enumerate(todo) if m not in (i, j)] + [(result, kept)]
    return lines


def contract_all(operands: Sequence[tuple[Tensor, Labels]], out: Labels) -> Tensor:
    """Contract operands pair by pair, the pair with the smallest result first; sizes of 1 broadcast."""
    size: dict[Any, Int] = {}
    seen: dict[Any, int] = {}  # the operand that a size is of
    for k, (x, labels) in enumerate(operands):
        for c, s in zip(labels, x.var.shape, strict=True):
            if c not in size or _one(size[c]):
                size[c], seen[c] = s, k
            elif not _one(s) and s != size[c]:
                what = f"the dimension {c} of '...'" if isinstance(c, int) else f"subscript {c}"
                raise RuntimeError(
                    f"einsum(): {what} must have one size, or 1, in all operands; found {hint(size[c])} in operand "
                    f"{seen[c]} and {hint(s)} in operand {k}"
                )
    todo: list[tuple[Tensor, Labels]] = []
    for x, labels in operands:
        # A dimension of size 1 that broadcasts carries no information.
        kept = [c for c, s in zip(labels, x.var.shape, strict=True) if not (_one(s) and not _one(size[c]))]
        todo.append((x if len(kept) == len(labels) else reshape(x, *[size[c] for c in kept]), kept))
    while len(todo) > 1:
        i, j, _, others = next_pair([labels for _, labels in todo], out, size)
        new = contract(*todo[i], *todo[j], others)
        todo = [t for m, t in enumerate(todo) if m not in (i, j)] + [new]
    x, labels = _summed(*todo[0], set(out))
    return _arranged(x, labels, out)


# -------------------------------------------------------------------------------------------------------------- einsum
def _parse(equation: str, ndims: list[int]) -> tuple[list[Labels], Labels]:
    """The labels of each operand and of the output; dimensions of "..." get integer labels counted from the right."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(ndims):
        raise RuntimeError(f"einsum(): the equation '{equation}' is for {len(parts)} operands; found {len(ndims)}")
    inputs: list[Labels] = []
    widest = 0
    for part, ndim in zip(parts, ndims, strict=True):
        named = part.replace("...", "", 1)
        bad = [c for c in named if not (c.isascii() and c.isalpha())]
        if bad:
            raise RuntimeError(
                f"einsum(): subscripts must be letters, a-z or A-Z; found {bad[0]!r} at position "
                f"{equation.index(bad[0])} of the equation"
            )
        if "..." in part:
            n = ndim - len(named)
            if n < 0:
                raise RuntimeError(
                    f"einsum(): '{part}' names {len(named)} dimensions; its operand has {ndim}, which is too few"
                )
            first, last = part.split("...", 1)
            inputs.append([*first, *range(-n, 0), *last])
            widest = max(widest, n)
        else:
            if len(named) != ndim:
                raise RuntimeError(
                    f"einsum(): '{part}' names {len(named)} dimensions; its operand has {ndim} (write '...' for "
                    "those without a name)"
                )
            inputs.append([*named])
    dots: Labels = list(range(-widest, 0))
    seen = [c for labels in inputs for c in labels]
    if not arrow:
        return inputs, dots + sorted({c for c in seen if isinstance(c, str) and seen.count(c) == 1})
    named = right.replace("...", "", 1)
    for c in named:
        if not (c.isascii() and c.isalpha()):
            raise RuntimeError(f"einsum(): subscripts must be letters, a-z or A-Z; found {c!r} behind '->'")
        if c not in seen:
            raise RuntimeError(
                f"einsum(): each subscript behind '->' must be one of an operand; found {c!r}, which is of none"
            )
        if named.count(c) > 1:
            raise RuntimeError(f"einsum(): each subscript behind '->' must stand there once; found {c!r} twice or more")
    first, _, last = right.partition("...")
    return inputs, [*first, *(dots if "..." in right else []), *last]


@operator(shape_class="contraction", namespace=None, method=False)
def _einsum(equation: str, operands: Tensors) -> Tensor:
    """einsum with a parsed call form."""
    check_dtypes("einsum", *operands, products=False)
    inputs, out = _parse(equation, [x.ndim for x in operands])
    todo = []
    for x, given in zip(operands, inputs, strict=True):
        labels = list(given)
        for c in dict.fromkeys(labels):
            while labels.count(c) > 1:
                i = labels.index(c)
                j = labels.index(c, i + 1)
                if x.shape[i] != x.shape[j]:
                    raise RuntimeError(
                        f"einsum(): subscript {c!r} stands for two dimensions of an operand, which must be of one "
                        "size; found "
                        f"{hint(x.shape[i])} and {hint(x.shape[j])}"
                    )
                x = P.diagonal(x, offset=0, dim1=i, dim2=j)
                labels = [v for m, v in enumerate(labels) if m not in (i, j)] + [c]
        todo.append((x, labels))
    return contract_all(todo, out)


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _subscripts(labels: Sequence[Any]) -> str:
    out = []
    for c in labels:
        if c is Ellipsis:
            out.append("...")
        elif isinstance(c, int) and 0 <= c < 52:
            out.append(_LETTERS[c])
        else:
            raise ValueError(f"einsum(): a subscript of a list must be an int in [0, 52) or Ellipsis; found {c!r}")
    return "".join(out)


def subscripts(args: Sequence[Any]) -> tuple[str, list[Tensor]]:
    """The equation and the operands of a call of einsum, in either of its forms."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): 'operands' must begin with an equation and a tensor, or with a tensor and its list of subscripts"
        )
    if isinstance(args[0], str):
        equation, operands = args[0], list(args[1:])
        if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
            operands = list(operands[0])
    else:
        pairs = len(args) // 2
        operands = list(args[0 : 2 * pairs : 2])
        equation = ",".join(_subscripts(s) for s in args[1 : 2 * pairs : 2])
        if len(args) % 2:
            equation += "->" + _subscripts(args[-1])
    return equation, operands


@function
def einsum(*args: Any) -> Tensor:
    """Sums of products of operands' elements in Einstein's notation.

    Args:
        args: an equation such as "bij,bjk->bik" followed by the operands (one by one, or one sequence); or, operand by
            operand, a tensor and the list of its subscripts (ints in [0, 52) and Ellipsis), and at last, if wanted,
            the output's list.

    Returns:
        The contraction; pairs are contracted in the order of the smallest intermediate result.

    Raises:
        RuntimeError: the equation does not fit the operands.
    """
    if _core.add_readers(0) or any(
        type(x) is not Tensor and not isinstance(x, (str, tuple, list)) and _dispatch.overrides(type(x))
        for x in _dispatch.leaves_of(args)
    ):
        if len(args) == 2 and isinstance(args[0], str) and isinstance(args[1], (tuple, list)):
            args = (args[0], *args[1])  # one by one is how those who are asked get them
        found: Tensor = _dispatch.ask(FUNCTIONS["einsum"], "einsum", list(args), args, {})
        if found is not NotImplemented:
            return found
    return _einsum(*subscripts(args))


# ----------------------------------------------------------------------------------------------------------- tensordot
@operator(shape_class="contraction", method=False, memory_format="rows")
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """The sum of products over pairs of dimensions.

    Args:
        a, b: tensors of one dtype.
        dims: how many last dimensions of a go with the first of b; or the two lists of dimensions.
    """
    check_factors("tensordot", a, b)
    if isinstance(dims, (tuple, list)):
        if len(dims) != 2:
            raise RuntimeError(f"tensordot(): 'dims' must be an int or two lists of dimensions; found {dims!r}")
        da, db = ([d] if isinstance(d, int) else list(d) for d in dims)
    else:
        if dims < 0 or dims > min(a.ndim, b.ndim):
            raise RuntimeError(
                f"tensordot(): 'dims' must be in [0, {min(a.ndim, b.ndim)}] for tensors of {a.ndim} and {b.ndim} "
                f"dimensions; found {dims}"
            )
        da, db = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    if len(da) != len(db):
        raise RuntimeError(f"tensordot(): the two lists of 'dims' must be of one length; found {da} and {db}")
    la: Labels = [("a", i) for i in range(a.ndim)]
    lb: Labels = [("b", i) for i in range(b.ndim)]
    for i, j in zip(da, db, strict=True):
        i, j = wrap_dim(i, a.ndim, "tensordot"), wrap_dim(j, b.ndim, "tensordot")
        if a.shape[i] != b.shape[j] and not (a.shape[i] == 1 or b.shape[j] == 1):
            raise RuntimeError(
                f"tensordot(): dimensions that are summed over must be of one size; found {hint(a.shape[i])} in "
                f"dimension {i} of 'a' and "
                f"{hint(b.shape[j])} in dimension {j} of 'b'"
            )
        lb[j] = la[i]
    out = [c for c in la if c not in lb] + [c for c in lb if c not in la]
    return convert(contract_all([(a, la), (b, lb)], out), a.dtype)


def chain(matrices: Sequence[Tracer]) -> Tracer:
    """The product of matrices in the order with the fewest multiplications (dynamic programming over the example
    sizes).
    """
    sizes = [hint(m.var.shape[0]) for m in matrices] + [hint(matrices[-1].var.shape[1])]
    n = len(matrices)
    cost = [[0] * n for _ in range(n)]
    cut = [[0] * n for _ in range(n)]
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            choices = [(cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)]
            cost[i][j], cut[i][j] = min(choices)

    def build(i: int, j: int) -> Tracer:
        return matrices[i] if i == j else product(build(i, cut[i][j]), build(cut[i][j] + 1, j), "multi_dot")

    return build(0, n - 1)


@operator(shape_class="contraction", namespace=None, method=False)
def _chain_matmul(matrices: Tensors) -> Tensor:
    """The product of two or more matrices."""
    check_factors("chain_matmul", *matrices)
    for m in matrices:
        check_argument(m.ndim == 2, "chain_matmul()", "matrices", "be of 2 dimensions each", f"one of {m.ndim}")
    return chain(matrices)


@function
def chain_matmul(*matrices: Any, out: Tensor | None = None) -> Tensor:
    """The product of matrices, multiplied in the cheapest order; also takes one list of matrices."""
    warn("chain_matmul() is deprecated; linalg.multi_dot() takes a list of matrices", once="chain_matmul")
    given = matrices[0] if len(matrices) == 1 and isinstance(matrices[0], (tuple, list)) else matrices
    check_argument(given, "chain_matmul()", "matrices", "hold at least one matrix", "none")
    return _chain_matmul(list(given)) if out is None else _chain_matmul(list(given), out=out)


# --------------------------------------------------------------------------------------------------- products of groups
def _ends(offs: Tensor, size: int, name: str) -> list[int]:
    """Where each group of a dimension ends."""
    if not isinstance(offs, Tensor) or offs.ndim != 1:
        raise RuntimeError(
            f"{name}(): 'offs' must be a vector of the ends of the groups; found "
            f"{f'{offs.ndim} dimensions' if isinstance(offs, Tensor) else type(offs).__name__}"
        )
    check_dtype(name, "offs", offs, dt.int32)
    ends: list[int] = offs.tolist()
    if any(not 0 <= e <= size for e in ends):
        raise RuntimeError(
            f"{name}(): 'offs' must lie in [0, {size}], the size of the dimension that is grouped; found {ends}"
        )
    return ends


def _grouped(
    mat_a: Tensor, mat_b: Tensor, offs: Tensor | None, bias: Tensor | None, out_dtype: Any, name: str
) -> Tensor:
    if mat_a.ndim not in (2, 3) or mat_b.ndim not in (2, 3):
        raise RuntimeError(f"{name}(): the operands must have 2 or 3 dimensions; found {mat_a.ndim} and {mat_b.ndim}")
    if mat_a.dtype not in (dt.float32, dt.bfloat16, dt.float16) or mat_b.dtype is not mat_a.dtype:
        raise RuntimeError(
            f"{name}(): the operands must be of one dtype, float32, bfloat16 or float16; found {mat_a.dtype} and "
            f"{mat_b.dtype}"
        )
    check_argument(
        bias is None, f"{name}()", "bias", "be None, as in PyTorch, which does not support it yet", type(bias).__name__
    )
    if out_dtype is not None and out_dtype is not mat_a.dtype:
        raise RuntimeError(f"{name}(): 'out_dtype' must be the operands' dtype, {mat_a.dtype}; found {out_dtype}")
    if (mat_a.ndim == mat_b.ndim == 3) != (offs is None):
        raise RuntimeError(
            f"{name}(): 'offs' must be given where an operand has 2 dimensions, and not where both have 3; found "
            f"{'none' if offs is None else 'some'} for "
            f"{mat_a.ndim} and {mat_b.ndim} dimensions"
        )
    inner = mat_a.shape[-1]
    if inner != mat_b.shape[-2]:
        raise RuntimeError(
            f"{name}(): the contracted dimension must have one size in both operands; found {inner} and "
            f"{mat_b.shape[-2]}"
        )
    if inner * mat_a.itemsize % 16 or mat_b.shape[-1] * mat_b.itemsize % 16:
        raise RuntimeError(
            f"{name}(): rows must be multiples of 16 bytes; found {inner * mat_a.itemsize} and "
            f"{mat_b.shape[-1] * mat_b.itemsize}"
        )
    matmul, narrow, cat = TABLE["matmul"], METHODS["narrow"], TABLE["cat"]
    if offs is None:
        if mat_a.shape[0] != mat_b.shape[0]:
            raise RuntimeError(
                f"{name}(): the operands must have as many groups; found {mat_a.shape[0]} and {mat_b.shape[0]}"
            )
        return matmul(mat_a, mat_b)
    if mat_a.ndim == 2 and mat_b.ndim == 2:
        ends = _ends(offs, inner, name)
        parts = [matmul(narrow(mat_a, 1, s, n), narrow(mat_b, 0, s, n)) for s, n in _spans(ends)]
        return TABLE["stack"](parts)
    dim, whole, groups = (0, mat_a, mat_b) if mat_a.ndim == 2 else (1, mat_b, mat_a)
    ends = _ends(offs, whole.shape[dim], name)
    if len(ends) != groups.shape[0]:
        raise RuntimeError(
            f"{name}(): 'offs' must end a group for each of {groups.shape[0]} matrices; found {len(ends)}"
        )
    parts = [
        matmul(narrow(whole, dim, s, n), groups[g]) if dim == 0 else matmul(groups[g], narrow(whole, dim, s, n))
        for g, (s, n) in enumerate(_spans(ends))
    ]
    rest = whole.shape[dim] - max([0, *ends])
    if rest:  # behind the last group: PyTorch leaves what was in memory
        other = groups.shape[2 if dim == 0 else 1]
        parts.append(
            TABLE["zeros"]((rest, other) if dim == 0 else (other, rest), dtype=mat_a.dtype, device=mat_a.device)
        )
    return cat(parts, dim)


def _spans(ends: list[int]) -> list[tuple[int, int]]:
    """Start and length of each group; one that ends before the groups before it is empty."""
    spans, at = [], 0
    for e in ends:
        spans.append((at, max(0, e - at)))
        at = max(at, e)
    return spans


@eager(namespace="nn.functional", method=False, shape_class="contraction")
def grouped_mm(
    mat_a: Tensor,
    mat_b: Tensor,
    *,
    offs: Tensor | None = None,
    bias: Tensor | None = None,
    out_dtype: dt.dtype | None = None,
) -> Tensor:
    """Products of groups: of rows of a matrix with a matrix each, of matrices with columns, of columns with rows, or of
    two stacks.

    Args:
        mat_a: (M, K) or (G, M, K), of mat_b's dtype.
        mat_b: (K, N) or (G, K, N); float32, bfloat16 or float16.
        offs: (G), int32: where each group of the dimension that is not stacked ends (rows of mat_a, columns of mat_b,
            or the contracted one); None for two stacks.
        bias, out_dtype: None; the result has mat_a's dtype.

    Returns:
        (M, N) where one operand is a stack, else (G, M, N); rows and columns behind the last group are zero.
    """
    return _grouped(mat_a, mat_b, offs, bias, out_dtype, "grouped_mm")


@eager(name="_grouped_mm", method=False, shape_class="contraction")
def inner_grouped_mm(
    input: Tensor,
    mat2: Tensor,
    offs: Tensor | None = None,
    bias: Tensor | None = None,
    out_dtype: dt.dtype | None = None,
) -> Tensor:
    """nn.functional.grouped_mm under PyTorch's inner name."""
    return _grouped(input, mat2, offs, bias, out_dtype, "_grouped_mm")


def _scales_fit(mat_a: Tensor, mat_b: Tensor, scale_a: Tensor, scale_b: Tensor) -> bool:
    """Whether both matrices are of a format of 8 bits, the scales float32: one number, or one per row and column."""
    kinds = [t.dtype.format for t in (mat_a, mat_b)]
    if any(k is None or k.parts > 1 or not k.mantissa for k in kinds):
        return False
    if scale_a.dtype is not dt.float32 or scale_b.dtype is not dt.float32:
        return False
    if scale_a.numel() == 1 and scale_b.numel() == 1:
        return True
    rows, columns = mat_a.shape[0], mat_b.shape[1]
    return (
        tuple(scale_a.shape) == (rows, 1)
        and tuple(scale_b.shape) == (1, columns)
        and scale_a.is_contiguous()
        and scale_b.is_contiguous()
    )


@eager(name="_scaled_mm", method=False, out=True, shape_class="contraction")
def scaled_mm(
    input: Tensor,
    mat2: Tensor,
    scale_a: Tensor,
    scale_b: Tensor,
    bias: Tensor | None = None,
    scale_result: Tensor | None = None,
    out_dtype: dt.dtype | None = None,
    use_fast_accum: bool = False,
) -> Tensor:
    """(input * scale_a) @ (mat2 * scale_b) + bias for matrices of a format of 8 bits, computed in float32.

    Args:
        input: (M, K).
        mat2: (K, N).
        scale_a, scale_b: float32, one number, or (M, 1) and (1, N).
        bias: (N).
        scale_result: a result of 8 bits that `out_dtype` names is divided by it.
        out_dtype: input's by default.
        use_fast_accum: accepted.

    Returns:
        (M, N).

    Raises:
        ValueError: for other dtypes and scales.
    """
    for label, m in (("mat1", input), ("mat2", mat2)):
        if m.dim() != 2:
            raise RuntimeError(f"_scaled_mm(): {label} must be a matrix; found {m.dim()} dimensions")
    if input.shape[1] != mat2.shape[0]:
        raise RuntimeError(
            "_scaled_mm(): mat_a and mat_b shapes cannot be multiplied "
            f"({input.shape[0]}x{input.shape[1]} and {mat2.shape[0]}x{mat2.shape[1]})"
        )
    if not _scales_fit(input, mat2, scale_a, scale_b):
        raise ValueError(
            "_scaled_mm(): Invalid scaling configuration. 'input' and 'mat2' must be of a float8 dtype, 'scale_a' and "
            f"'scale_b' float32 and of one number each, or of sizes ({input.shape[0]}, 1) and (1, {mat2.shape[1]}); "
            "found "
            f"{input.dtype}, {mat2.dtype}, {scale_a.dtype} {tuple(scale_a.shape)} and "
            f"{scale_b.dtype} {tuple(scale_b.shape)}"
        )
    if bias is not None and bias.numel() != mat2.shape[1]:
        raise RuntimeError(f"_scaled_mm(): Bias must be size {mat2.shape[1]} but got {bias.numel()}")
    dtype = input.dtype if out_dtype is None else out_dtype
    found = (input.to(dt.float32) * scale_a) @ (mat2.to(dt.float32) * scale_b)
    if bias is not None:
        found = found + bias
    if scale_result is not None and out_dtype is not None and out_dtype.format is not None:
        found = found * (1.0 / scale_result)
    return found.to(dtype)
