"""Calls of operators with a tensor in a compressed sparse layout: the operator of the same in coordinate format, and
the result in the layout again; and what PyTorch has for these layouts alone.
"""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import raw
from rushlight.core.dispatch import Operator
from rushlight.core.nesting import mapped
from rushlight.core.tensor import Tensor
from rushlight.operators.sparse import compressed as c
from rushlight.operators.sparse import parts as p
from rushlight.operators.sparse.handling import COMPOSED, cast_to, check_leaf, hand_over, refusal
from rushlight.operators.sparse.handling import handle as handle_coordinates
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.checks import check_argument
from rushlight.operators.table.define import METHODS, TABLE

# Of the values alone: the entries stay where they are. (The node's name is that of PyTorch.)
_OF_VALUES = {
    "clone": "CloneBackward0",
    "to": "ToCopyBackward0",
    "_to_copy": "ToCopyBackward0",
    "type": "ToCopyBackward0",
    "ones_like": "",
    "full_like": "",
}
_PRODUCTS = frozenset(("mm", "matmul", "addmm", "bmm", "baddbmm"))
_SELECTIONS = frozenset(("select", "unbind"))
_TRANSPOSES = frozenset(("t", "transpose", "swapaxes", "swapdims", "adjoint"))
_NO_STRIDES = {"contiguous": "is_contiguous", "is_contiguous": "is_contiguous", "stride": "strides"}


def handle(op: Operator, values: list[Any], out: Any) -> Any:
    """A call with a compressed tensor among the arguments, or as its destination."""
    name = op.name
    first = next((t for t in _dispatch.tensors_in(values) if c.is_compressed(t)), None)
    if first is None:
        if not c.is_compressed(out):
            return NotImplemented
        first = out
    if name in COMPOSED and op.eager is not None and out is None:
        return op.eager(*values)
    args, kwargs = _dispatch.arguments(op, values)
    if name in _NO_STRIDES:
        raise RuntimeError(f"{name}(): {str(first.layout)[6:]} tensors do not have {_NO_STRIDES[name]}; found one")
    if name == "__getitem__" and type(values[1]) is int:
        return METHODS["select"](first, 0, values[1])
    if name == "detach":
        return raw.alias_of(args[0])
    if op.inplace or (name.endswith("_") and not name.startswith("_")):
        return _in_place(op, first, args, kwargs)
    result = _result(op, name, first, args, kwargs)
    return result if out is None else hand_over(name, result, out)


def _result(op: Operator, name: str, first: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    own = c.parts(first)
    if name in ("zeros_like", "empty_like") and kwargs.get("layout") in (None, own.layout):
        made = c.without_entries(own.layout, first.shape, kwargs.get("dtype") or first.dtype, own.block, own.dense)
        return made.requires_grad_() if kwargs.get("requires_grad") else made
    if name in _OF_VALUES and args and args[0] is first:
        return _of_values(op, name, first, args[1:], kwargs)
    if name in _TRANSPOSES and args[0] is first and _swaps(name, first, args[1:], kwargs):
        return c.turned(first) if name != "adjoint" else c.turned(first).conj()
    if name == "add" and args[0] is first and isinstance(args[1], Tensor) and not args[1]._keys_ & p.LAYOUT:
        other = args[1] if kwargs.get("alpha", 1) == 1 else args[1] * kwargs["alpha"]
        return TABLE["add"](other, c.coo(first))  # in coordinate format the dense one comes first
    result = op(*_in_coordinates(args), **_in_coordinates(kwargs))
    if name in _SELECTIONS:
        dim = kwargs.get("dim", args[1] if len(args) > 1 else 0)
        return _laid_out(name, result, own.layout, first, 1) if dim % first.ndim < len(own.batch) else result
    layout = c.BY_ROWS[0] if name in _PRODUCTS and own.layout not in c.IN_BLOCKS else own.layout
    return _laid_out(name, result, layout, first)


def _in_coordinates(x: Any) -> Any:
    """The arguments with the compressed tensors among them in coordinate format."""
    return mapped(x, lambda t: c.coo(t) if c.is_compressed(t) else t)


def _laid_out(name: str, result: Any, layout: dt.layout, first: Tensor, selected: int = 0) -> Any:
    """A result in coordinate format in the layout of the arguments, where it has matrices of the same kind. selected:
    how many dimensions of the batch are gone.
    """
    if isinstance(result, (tuple, list)):
        return type(result)(_laid_out(name, r, layout, first, selected) for r in result)
    own = c.parts(first)
    n_batch = len(own.batch) - selected
    if not p.is_sparse(result) or p.sparse_dim(result) != n_batch + 2:
        return result
    if p.parts(result).indices is own.places(tuple(first.shape))[0] and layout is own.layout:
        values = p.values_of(result)
        return c.like(
            first, values.reshape(*own.others.shape, *own.values.shape[own.others.ndim :]), "AsStridedBackward0"
        )
    if any(int(n) % b for n, b in zip(result.shape[n_batch:], own.block, strict=False)):
        return result
    return c.compress(name, result, layout, own.block)


def _of_values(op: Operator, name: str, first: Tensor, rest: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    own = c.parts(first)
    asked = kwargs.pop("layout", None)
    if asked is not None and asked is not own.layout:
        return TABLE[name.removesuffix("_like")](tuple(first.shape), *rest, layout=asked, **kwargs)
    other = kwargs.get("other", rest[0] if rest else None)
    if isinstance(other, Tensor):
        if other.layout is not own.layout:
            raise RuntimeError(
                f"{name}(): converting to a different layout is not supported; found {other.layout} for {own.layout}"
            )
        rest = tuple(p.parts(e).values if e is other else e for e in rest)
        kwargs = {k: p.parts(e).values if e is other else e for k, e in kwargs.items()}
    if name == "type" and (not rest or rest[0] is None) and kwargs.get("dtype") is None:
        raise RuntimeError(
            f"type(): a tensor with layout {own.layout} has no type of its own; found one. Ask for its dtype"
        )
    wanted = kwargs.pop("requires_grad", False)
    values = c.values_of(first)
    new = op(values, *rest, **kwargs)
    if new is values:
        return first
    if name == "clone":
        ends, others = own.ends.clone(), own.others.clone()
        made = c.make(c.Compressed(own.layout, ends, others, new), new, first.shape, _OF_VALUES[name])
    else:
        made = c.like(first, new, _OF_VALUES[name])
    return made.requires_grad_() if wanted else made


def _swaps(name: str, x: Tensor, rest: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a transpose is of the two dimensions of the matrices."""
    n = len(c.parts(x).batch)
    given = [d for d in (*rest, *kwargs.values()) if isinstance(d, int)]
    return not given or sorted(d % x.ndim for d in given) == [n, n + 1]


def _in_place(op: Operator, first: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """The operator's result, written into the first argument."""
    name, dest = op.name, args[0]
    check_leaf(name, dest)
    base = name[:-1]
    if not c.is_compressed(dest):
        if dest._keys_ & p.LAYOUT:
            raise refusal(name, list(args))
        return op(dest, *_in_coordinates(args[1:]), **_in_coordinates(kwargs))  # type: ignore[no-any-return]
    own = c.parts(dest)
    if name == "zero_":
        new = c.without_entries(own.layout, dest.shape, dest.dtype, own.block, own.dense)
    elif name == "fill_":
        with p.unrecorded():
            new = c.like(dest, METHODS[name](own.values.clone(), *args[1:], **kwargs), "")
    elif name == "copy_":
        source = args[1]
        if not c.is_compressed(source) or source.layout is not own.layout or source.shape != dest.shape:
            raise RuntimeError(
                f"copy_(): copying takes a tensor of the same layout and shape, {own.layout} of {list(dest.shape)}; "
                f"found {getattr(source, 'layout', type(source).__name__)} of {list(getattr(source, 'shape', ()))}"
            )
        new = source.clone().to(dest.dtype)
    elif base in METHODS or base in TABLE:
        kept = p.kept(dest)
        function = METHODS[base] if base in METHODS else TABLE[base]
        new = _result(function, base, kept, (kept, *args[1:]), kwargs)
    else:
        raise refusal(name, list(args))
    if not isinstance(new, Tensor) or new.layout is not own.layout or tuple(new.shape) != tuple(dest.shape):
        raise RuntimeError(
            f"{name}(): the result must fit the destination, {own.layout} of shape {list(dest.shape)}; found "
            f"{new.layout} of shape {list(new.shape)}"
        )
    return p.replace(dest, cast_to(name, dest, new))


# --------------------------------------------------------------------------------- functions of these layouts alone
def sampled_addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1.0, alpha: Any = 1.0, out: Any = None
) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2), at the entries of the sparse `input` alone.

    Args:
        input: (*batch, n, m), torch.sparse_csr.
        mat1: (*batch, n, k), dense.
        mat2: (*batch, k, m), dense.
        beta: a number that the input is multiplied with.
        alpha: a number that the product is multiplied with.
        out: a tensor in the layout of the result that it is written to.

    Returns:
        A tensor with the entries of the input.

    Raises:
        RuntimeError: a layout or a shape is another, or dtypes differ.
    """
    name = "sampled_addmm"
    if not c.is_compressed(input) or input.layout is not c.BY_ROWS[0]:
        raise RuntimeError(f"{name}(): Expected 'input' to have sparse csr layout; found {input.layout}")
    for what, x in (("mat1", mat1), ("mat2", mat2)):
        if x._keys_ & p.LAYOUT:
            raise RuntimeError(f"{name}(): Expected '{what}' to have strided layout; found {x.layout}")
        if x.ndim != input.ndim or x.dtype is not input.dtype:
            raise RuntimeError(
                f"{name}(): '{what}' must have the {input.ndim} dimensions and the dtype {input.dtype} of 'input'; "
                f"found {x.ndim} and {x.dtype}"
            )
    if mat1.shape[-1] != mat2.shape[-2]:
        raise RuntimeError(
            f"{name}(): mat1 and mat2 shapes cannot be multiplied; found {list(mat1.shape)} and {list(mat2.shape)}"
        )
    if tuple(input.shape) != (*mat1.shape[:-1], mat2.shape[-1]) or mat1.shape[:-2] != mat2.shape[:-2]:
        raise RuntimeError(
            f"{name}(): 'input' must have the shape of the product of mat1 and mat2; found {list(input.shape)} for "
            f"{list(mat1.shape)} and {list(mat2.shape)}"
        )
    own = c.parts(input)
    *batch, row, column = own.places(tuple(input.shape))[0].unbind(0)
    products = (mat1[(*batch, row)] * mat2.mT[(*batch, column)]).sum(-1).reshape(own.values.shape)
    values = c.values_of(input)
    made = c.like(
        input,
        (products if alpha == 1 else products * alpha) + (values if beta == 1 else values * beta),
        "SparseSampledAddmmBackward0",
    )
    return made if out is None else hand_over(name, made, out)


def reduced_product(sparse: Tensor, other: Tensor, reduce: str) -> Tensor:
    """A product of matrices whose terms are not summed but their mean, greatest or least is taken: 0 of none."""
    name = "sparse.mm"
    ways = {"sum": "sum", "mean": "mean", "amax": "amax", "amin": "amin", "max": "amax", "min": "amin"}
    check_argument(
        reduce in ways, f"{name}()", "reduce", "be 'sum', 'mean', 'amax' (or 'max') or 'amin' (or 'min')", repr(reduce)
    )
    if not c.is_compressed(sparse) or sparse.layout is not c.BY_ROWS[0]:
        raise RuntimeError(
            f"{name}(): with 'reduce' the first matrix must have sparse csr layout; found {sparse.layout}"
        )
    if sparse.ndim != 2 or other.ndim != 2 or other._keys_ & p.LAYOUT or sparse.shape[1] != other.shape[0]:
        raise RuntimeError(
            f"{name}(): a sparse (n, k) and a dense (k, m) matrix are multiplied; found shapes "
            f"{list(sparse.shape)} and {list(other.shape)}"
        )
    if sparse.dtype is not other.dtype:
        raise RuntimeError(f"{name}(): the matrices must have one dtype; found {sparse.dtype} and {other.dtype}")
    rows, columns = c.parts(sparse).places(tuple(sparse.shape))[0].unbind(0)
    terms = c.values_of(sparse).unsqueeze(1) * other[columns]
    zeros = TABLE["zeros"]((sparse.shape[0], other.shape[1]), dtype=other.dtype)
    where = rows.unsqueeze(1).expand(terms.shape)
    result = TABLE["scatter_reduce"](zeros, 0, where, terms, ways[reduce], include_self=False)
    return p.record(raw.alias_of(result), "SparseMmReduceImplBackward0", [result], lambda g: [g])


def spsolve(input: Tensor, other: Tensor, *, left: bool = True) -> Tensor:
    """The solution x of input @ x = other, of a sparse matrix.

    It is found by LAPACK, of the dense matrix: O(n**2) memory.

    Args:
        input: (n, n), torch.sparse_csr.
        other: (n), dense.
        left: True: other ways are refused.

    Returns:
        (n), dense.

    Raises:
        RuntimeError: the layout or a shape is another, or the matrix is singular.
    """
    if not c.is_compressed(input) or input.layout is not c.BY_ROWS[0]:
        raise RuntimeError(f"spsolve(): 'input' must have sparse csr layout; found {input.layout}")
    check_argument(left, "spsolve()", "left", "be True", "False", NotImplementedError)
    if input.ndim != 2 or input.shape[0] != input.shape[1] or other._keys_ & p.LAYOUT or other.ndim != 1:
        raise RuntimeError(
            f"spsolve(): 'input' must be a square matrix and 'other' a dense vector; found shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    return TABLE["linalg.solve"](c.dense(input), other)


# Before the handler of coordinate format, which refuses calls that it does not know.
_dispatch.handlers.insert([handler for _, handler in _dispatch.handlers].index(handle_coordinates), (p.LAYOUT, handle))
