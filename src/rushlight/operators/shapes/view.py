"""Views: other shapes, orders and parts of the same memory. No element moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import engine
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.dispatch import GoesTo, Operator
from rushlight.core.tensor import Tensor
from rushlight.core.views import mark_as_view, view_strides
from rushlight.core.warning import warn
from rushlight.operators.creation.copying import replace_with_view
from rushlight.operators.creation.placement import STANDS_FOR, strided_extent
from rushlight.operators.table.arguments import size_argument
from rushlight.operators.table.body import wrap_dim, wrap_dims
from rushlight.operators.table.checks import check_argument, check_each, check_least, check_that
from rushlight.operators.table.define import METHODS, eager, operator
from rushlight.operators.table.dispatch import NO_VIEW
from rushlight.operators.table.tracer import P, Tracer
from rushlight.operators.table.types import Dims, DType, Int, Ints, SizeLike
from rushlight.program.sym import hint, hints, prod

_TRANSFORM, _LAYOUT = (_core.get_keys_flag_mask()[name] for name in ("TRANSFORM", "LAYOUT"))


def is_one(size: Any) -> bool:
    """Whether a size of a traced value is 1 (sizes 1 of inputs are plain ints; a computed size is compared)."""
    return bool(size == 1)


def need_dims(input: Tensor, name: str) -> None:
    """IndexError for a 0-d tensor where a dimension is needed."""
    if input.ndim == 0:
        raise IndexError(f"{name}(): the tensor must have a dimension; found a 0-d tensor")


# ------------------------------------------------------------------------------------------------------------ reshaping
def infer_size(size: Sequence[Any], total: Any, name: str) -> tuple[Any, ...]:
    """The sizes with -1 replaced by what makes them hold `total` elements; RuntimeError when they cannot."""
    known, hole = 1, -1
    for d, s in enumerate(size):
        if isinstance(s, int) and s == -1:
            if hole >= 0:
                raise RuntimeError(f"{name}(): at most one size may be -1, to be inferred; found {hints(size)}")
            hole = d
        elif s < 0:
            raise RuntimeError(f"{name}(): a size must be at least 0, or -1 to be inferred; found {hint(s)}")
        else:
            known = known * s
    if hole < 0:
        if known == total:
            return tuple(size)
    elif known != 0:
        if total % known == 0:
            return (*size[:hole], total // known, *size[hole + 1 :])
    elif total == 0:
        raise RuntimeError(f"{name}(): any size in the place of -1 makes {hints(size)} hold 0 elements; give the size")
    raise RuntimeError(f"{name}(): the sizes {hints(size)} must hold the {hint(total)} elements of the tensor")


@operator(name="view", view=True, register=False)
def _view(input: Tensor, size: Ints) -> Tensor:
    """The same elements in another shape, as a view."""
    return P.reshape(input, shape=infer_size(_sizes(size), prod(input.var.shape), "view"))


@operator(name="reshape", register=False)
def _reshape_copy(input: Tensor, size: Ints) -> Tensor:
    """The same elements in another shape, in memory of its own."""
    return P.reshape(input, shape=infer_size(_sizes(size), prod(input.var.shape), "reshape"))


def _sizes(size: SizeLike) -> tuple[Any, ...]:
    return tuple(size) if isinstance(size, (tuple, list)) else (size,)


@eager(namespace=None, varargs="size")
def view(input: Tensor, size: Ints = None, *, dtype: DType = None) -> Tensor:
    """A view with another shape, or of another dtype on the same bytes.

    Args:
        size: ints, of which one may be -1 (inferred); or a dtype.

    Raises:
        RuntimeError: the number of elements differs, or when strides cannot express the shape.
    """
    if isinstance(size, dt.dtype) or dtype is not None:
        return view_dtype(input, size if dtype is None else dtype)
    if size is None:
        raise TypeError("view() missing 1 required positional argument: 'size'")
    return _view(input, size)


view.usually(GoesTo(view, _view))


@eager(varargs="shape")
def reshape(input: Tensor, shape: Ints) -> Tensor:
    """The same elements in another shape: a view where strides can express it, else a copy.

    Args:
        shape: ints, of which one may be -1 (inferred).

    Raises:
        RuntimeError: the number of elements differs.
    """
    if input.is_contiguous() and not input._keys_ & _TRANSFORM:
        return _view(input, shape)
    if input._keys_ & STANDS_FOR:
        try:
            return _view(input, shape)
        except RuntimeError as error:
            if NO_VIEW not in str(error):
                raise
            return _reshape_copy(input, shape)
    size = infer_size([s.__index__() for s in _sizes(shape)], input.numel(), "reshape")
    if view_strides(tuple(input.shape), input.stride(), size) is not None:
        return _view(input, size)
    return _reshape_copy(input, size)


reshape.usually(GoesTo(reshape, _view, copying=_reshape_copy))
# The name of the argument in Tensor.reshape's documentation.
reshape.index.setdefault("size", reshape.index["shape"])


@eager(namespace=None)
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """A view in the shape of `other`."""
    return _view(input, tuple(other.shape))


@eager(namespace=None)
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """The same elements in the shape of `other`."""
    return reshape(input, tuple(other.shape))


@eager()
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension; a view where possible."""
    return reshape(METHODS["contiguous"](input), (-1,))


@operator(name="flatten", view=True, register=False)
def _flatten_view(input: Tensor, start_dim: int, end_dim: int) -> Tensor:
    """Dimensions start_dim to end_dim of contiguous memory as one."""
    shape = input.var.shape
    first, last = _span(len(shape), start_dim, end_dim)
    return P.reshape(
        input, shape=(*shape[:first], prod(shape[first : last + 1]), *shape[last + 1 :]) if shape else (1,)
    )


def _span(ndim: int, start_dim: int, end_dim: int) -> tuple[int, int]:
    first, last = wrap_dim(start_dim, ndim, "flatten"), wrap_dim(end_dim, ndim, "flatten")
    if first > last:
        raise RuntimeError(f"flatten(): 'start_dim' must not be behind 'end_dim'; found {start_dim} and {end_dim}")
    return first, last


@eager()
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dimensions start_dim to end_dim as one; a view where possible.

    Raises:
        RuntimeError: start_dim comes after end_dim.
    """
    ndim = input.ndim
    if ndim > 1 and (end_dim - start_dim) % ndim and input.is_contiguous() and not input._keys_ & STANDS_FOR:
        return _flatten_view(input, start_dim, end_dim)
    first, last = _span(ndim, start_dim, end_dim)
    if ndim == 0:
        return reshape(input, (1,))
    if first == last:
        return input
    shape = tuple(input.shape)
    return reshape(input, (*shape[:first], prod(shape[first : last + 1]), *shape[last + 1 :]))


@eager()
def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """Dimension `dim` as several, of the given sizes (one may be -1)."""
    need_dims(input, "unflatten")
    d = wrap_dim(dim, input.ndim, "unflatten")
    sizes = tuple(sizes) if isinstance(sizes, (tuple, list)) else (sizes,)
    if not sizes:
        raise RuntimeError("unflatten(): 'sizes' must hold at least one size; found none")
    shape = tuple(input.shape)
    try:
        found = infer_size(sizes, shape[d], "unflatten")
    except RuntimeError:
        raise RuntimeError(
            f"unflatten(): the product of 'sizes' must be {shape[d]}, the size of dimension {dim}; found {list(sizes)}"
        ) from None
    return _view(input, (*shape[:d], *found, *shape[d + 1 :]))


@operator(view=True)
def squeeze(input: Tensor, dim: Dims = None) -> Tensor:
    """A view without dimensions of size 1: all of them, or those among `dim`."""
    shape = input.var.shape
    dims = range(len(shape)) if dim is None else wrap_dims(dim, len(shape), "squeeze")
    gone = {d for d in dims if d < len(shape) and isinstance(shape[d], int) and shape[d] == 1}
    return P.reshape(input, shape=tuple(s for d, s in enumerate(shape) if d not in gone))


@operator(view=True)
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A view with a dimension of size 1 inserted at `dim`."""
    shape = input.var.shape
    d = wrap_dim(dim, len(shape) + 1, "unsqueeze")
    return P.reshape(input, shape=(*shape[:d], 1, *shape[d:]))


# ------------------------------------------------------------------------------------------------------------ permuting
@operator(view=True, varargs="dims")
def permute(input: Tensor, dims: Dims) -> Tensor:
    """A view with its dimensions in the order `dims`."""
    dims = _sizes(dims)
    if len(dims) != input.ndim:
        raise RuntimeError(f"permute(): 'dims' must name each of the {input.ndim} dimensions once; found {list(dims)}")
    return P.permute(input, perm=wrap_dims(dims, input.ndim, "permute", "dims"))


@operator(view=True, aliases=("swapdims",), keywords={"axis0": "dim0", "axis1": "dim1"})
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """A view with dimensions dim0 and dim1 exchanged."""
    return swapped(input, dim0, dim1, "transpose")


def swapped(input: Tensor, dim0: int, dim1: int, name: str) -> Tracer:
    """Two dimensions of a traced value exchanged."""
    a, b = wrap_dim(dim0, input.ndim, name), wrap_dim(dim1, input.ndim, name)
    perm = list(range(input.ndim))
    if perm:
        perm[a], perm[b] = perm[b], perm[a]
    return P.permute(input, perm=tuple(perm))


@operator(view=True)
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """A view with dimensions axis0 and axis1 exchanged."""
    return swapped(input, axis0, axis1, "swapaxes")


@operator(view=True)
def t(input: Tensor) -> Tensor:
    """A matrix transposed; tensors with fewer dimensions as they are."""
    check_argument(input.ndim <= 2, "t()", "input", "be of at most 2 dimensions", input.ndim)
    return P.permute(input, perm=tuple(reversed(range(input.ndim))))


def moved_order(ndim: int, source: Dims, destination: Dims) -> tuple[int, ...]:
    """The permutation that puts dimensions `source` to the places `destination`."""
    src, dst = _sizes(source), _sizes(destination)
    if len(src) != len(dst):
        raise RuntimeError(
            f"movedim(): 'source' and 'destination' must be of one length; found {list(src)} and {list(dst)}"
        )
    a, b = wrap_dims(src, ndim, "movedim", "source"), wrap_dims(dst, ndim, "movedim", "destination")
    if ndim == 0:
        return ()
    rest = iter(d for d in range(ndim) if d not in a)
    return tuple(a[b.index(d)] if d in b else next(rest) for d in range(ndim))


@operator(view=True, aliases=("moveaxis",))
def movedim(input: Tensor, source: Dims, destination: Dims) -> Tensor:
    """A view with dimensions `source` moved to the places `destination`; the others keep their order."""
    return P.permute(input, perm=moved_order(input.ndim, source, destination))


def _need_matrix(input: Tensor, name: str) -> None:
    if input.ndim < 2:
        raise RuntimeError(
            f"{name}: the tensor must hold matrices, in 2 dimensions or more; found a {input.ndim}-d tensor"
        )


@operator(name="permute", view=True, register=False)
def _reversed(input: Tensor) -> Tensor:
    """All dimensions in reverse order."""
    return P.permute(input, perm=tuple(reversed(range(input.ndim))))


def _whole_transpose(input: Tensor) -> Tensor:
    """A matrix transposed; of another rank all dimensions in reverse order, which is deprecated."""
    if input.ndim == 0:
        warn("T: a 0-d tensor has no dimensions to exchange; leave .T away", once="T of 0-d tensors")
    elif input.ndim != 2:
        warn(
            f"T: the tensor should be a matrix; found a {input.ndim}-d one, whose dimensions are all reversed. That is "
            "deprecated: write .mT for a batch of matrices, or permute(*range(x.ndim - 1, -1, -1))",
            once="T of tensors that are not matrices",
        )
    return _reversed(input) if not input._keys_ & _LAYOUT else input.permute(tuple(reversed(range(input.ndim))))


def _matrix_transpose(input: Tensor) -> Tensor:
    """The last two dimensions exchanged."""
    if input.ndim == 0:
        warn("mT: a 0-d tensor has no dimensions to exchange; leave .mT away", once="mT of 0-d tensors")
        return input
    _need_matrix(input, "mT")
    return transpose(input, -2, -1)


def _conjugate(x: Tensor) -> Tensor:
    return METHODS["conj"](x) if x.is_complex() else x


def _matrix_adjoint(input: Tensor) -> Tensor:
    """The last two dimensions exchanged, complex values conjugated."""
    if input.ndim == 0:
        warn("mH: a 0-d tensor has no dimensions to exchange; write conj()", once="mH of 0-d tensors")
        return _conjugate(input)
    _need_matrix(input, "mH")
    return _conjugate(transpose(input, -2, -1))


def _adjoint_2d(input: Tensor) -> Tensor:
    """A matrix transposed and conjugated; 0-d tensors as they are."""
    check_that(input.ndim in (0, 2), "H", "the tensor", "be a matrix", f"a {input.ndim}-d tensor")
    if input.ndim == 0:
        warn("H: a 0-d tensor has no dimensions to exchange; write conj()", once="H of 0-d tensors")
    return _conjugate(transpose(input, 0, 1) if input.ndim else input)


for _name, _fn in (("T", _whole_transpose), ("mT", _matrix_transpose), ("mH", _matrix_adjoint), ("H", _adjoint_2d)):
    _core.attach(_name, property(_fn))


@eager()
def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions exchanged, complex values conjugated."""
    if input.ndim < 2:
        raise RuntimeError(
            f"adjoint(): 'input' must hold matrices, in 2 dimensions or more; found a {input.ndim}-d tensor"
        )
    return _matrix_adjoint(input)


def _in_place(name: str, op: Any) -> None:
    """The method `name`, which makes a tensor its own view by the operator `op`."""

    def change(input: Tensor, *args: Any) -> Tensor:
        return replace_with_view(input, op(input, *args), name)

    change.__wrapped__ = op.definition.body  # type: ignore[attr-defined]  # the signature is read from there
    eager(name=name, namespace=None, doc=f"`{op.name}` in place: the tensor itself gets the new metadata.")(change)


for _op in (transpose, swapaxes, t, squeeze, unsqueeze):
    _in_place(f"{_op.name}_", _op)
_in_place("swapdims_", transpose)


# ------------------------------------------------------------------------------------------------------------ expanding
def expanded(input: Tensor, size: Sequence[Any], name: str) -> Tracer:
    """A traced value repeated along dimensions of size 1 and new ones in front; -1 keeps a size."""
    shape = input.var.shape
    first = len(size) - len(shape)
    if first < 0:
        raise RuntimeError(
            f"{name}(): 'size' must have a size for each of the {len(shape)} dimensions; found {hints(size)} for "
            f"{hints(shape)}"
        )
    out: list[Any] = []
    for d, n in enumerate(size):
        have = shape[d - first] if d >= first else None
        if isinstance(n, int) and n == -1:
            if have is None:
                raise RuntimeError(
                    f"{name}(): -1 keeps a size, and a new dimension has none; found it for dimension {d}"
                )
            n = have
        elif n < 0:
            raise RuntimeError(f"{name}(): 'size' must be at least 0, or -1 to keep a size; found {hint(n)}")
        elif have is not None and not (isinstance(have, int) and have == 1) and have != n:
            raise RuntimeError(
                f"{name}(): dimension {d} must be of size 1 to become {hint(n)}; found {hint(have)} (from "
                f"{hints(shape)} to {hints(size)})"
            )
        elif have is not None and not (isinstance(have, int) and have == 1):
            n = have
        out.append(n)
    return P.broadcast_in_dim(input, shape=tuple(out), dims=tuple(range(first, len(size))))


@operator(view=True, namespace=None, varargs="size")
def expand(input: Tensor, size: Ints, *, implicit: bool = False) -> Tensor:
    """A view with dimensions of size 1 repeated to `size`, and new dimensions in front; -1 keeps a size."""
    return expanded(input, _sizes(size), "expand")


@operator(view=True, keywords={"shape": "size"})
def broadcast_to(input: Tensor, size: Ints) -> Tensor:
    """A view broadcast to `size`."""
    return expanded(input, _sizes(size), "broadcast_to")


@eager(namespace=None)
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """A view expanded to the shape of `other`."""
    return expand(input, tuple(other.shape))


# ---------------------------------------------------------------------------------------------------------------- parts
def sliced(input: Tensor, dim: int, start: Any, length: Any, step: Any = 1) -> Tracer:
    """Elements start, start + step, ... of a dimension of a traced value."""
    shape = input.var.shape
    return P.slice(
        input,
        starts=tuple(start if d == dim else 0 for d in range(len(shape))),
        sizes=tuple(length if d == dim else s for d, s in enumerate(shape)),
        steps=tuple(step if d == dim else 1 for d in range(len(shape))),
    )


@operator(view=True)
def select(input: Tensor, dim: int, index: Int) -> Tensor:
    """The part of a tensor at one index of a dimension, as a view without that dimension.

    Raises:
        IndexError: for an index outside of the dimension or a 0-d tensor.
    """
    check_argument(input.ndim != 0, "select()", "input", "have a dimension to select from", "a 0-d tensor", IndexError)
    d = wrap_dim(dim, input.ndim, "select")
    shape = input.var.shape
    at = index + shape[d] if index < 0 else index
    if at < 0 or at >= shape[d]:
        raise IndexError(f"select(): 'index' must be in dimension {dim} of {hints(shape)}; found {hint(index)}")
    return P.reshape(sliced(input, d, at, 1), shape=(*shape[:d], *shape[d + 1 :]))


@operator(name="narrow", view=True, register=False)
def _narrow(input: Tensor, dim: int, start: Int, length: Int) -> Tensor:
    """Elements start to start + length of a dimension."""
    check_argument(input.ndim != 0, "narrow()", "input", "have a dimension to narrow", "a 0-d tensor")
    d = wrap_dim(dim, input.ndim, "narrow")
    size = input.var.shape[d]
    check_least("narrow", "length", length, 0)
    at = start + size if start < 0 else start
    if at < 0 or at > size:
        raise IndexError(f"narrow(): 'start' must be in [-{hint(size)}, {hint(size)}]; found {hint(start)}")
    if at + length > size:
        raise RuntimeError(
            f"narrow(): 'start' + 'length' must be at most {hint(size)}, the size of dimension {d}; found {hint(at)} "
            f"+ {hint(length)}"
        )
    return sliced(input, d, at, length)


@eager()
def narrow(input: Tensor, dim: int, start: Any, length: Any) -> Tensor:
    """A view of elements start to start + length of a dimension; start may be negative or a 0-d integer tensor."""
    if isinstance(start, Tensor):
        if start.ndim or start.dtype.kind not in "iu":
            raise RuntimeError(
                f"narrow(): 'start' must be an int or a 0-d tensor of an integer dtype; found {start.ndim} "
                f"dimensions of {start.dtype}"
            )
        start = start.item()
    return _narrow(input, dim, start, length)


@operator(view=True)
def diagonal(input: Tensor, offset: Int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of the diagonal of two dimensions, appended as the last one.

    Args:
        offset: of the diagonal; positive is above the main one.
        dim1, dim2: the dimensions.
    """
    a, b = wrap_dims((dim1, dim2), input.ndim, "diagonal", "dim2")
    return P.diagonal(input, offset=offset, dim1=a, dim2=b)


@operator(view=True, namespace=None)
def unfold(input: Tensor, dimension: int, size: Int, step: Int) -> Tensor:
    """A view of all windows of `size` elements along a dimension, `step` apart; the windows become the last
    dimension.
    """
    if input.ndim == 0:
        if wrap_dim(dimension, 0, "unfold") == 0 and size > 1:
            raise RuntimeError(f"unfold(): 'size' must be at most 1 for a 0-d tensor; found {hint(size)}")
        return P.reshape(P.slice(P.reshape(input, shape=(1,)), starts=(0,), sizes=(size,), steps=(1,)), shape=(size,))
    d = wrap_dim(dimension, input.ndim, "unfold")
    check_least("unfold", "size", size, 0)
    if size > input.var.shape[d]:
        raise RuntimeError(
            f"unfold(): 'size' must be at most {hint(input.var.shape[d])}, the size of dimension {d}; found "
            f"{hint(size)}"
        )
    check_least("unfold", "step", step, 1)
    return P.windows(input, dims=(d,), sizes=(size,), steps=(step,), dilations=(1,))


# --------------------------------------------------------------------------------------- views that programs cannot say
def recorded_view(
    view: Tensor, input: Tensor, label: str, backward: Any, saved: dict[str, Any] | None = None
) -> Tensor:
    """Mark `view` as a view of `input`, with a graph node whose derivative is `backward(grad)` when one is due."""
    mark_as_view(view, input)
    if input.requires_grad and _core.is_grad_enabled():
        node = engine.CallbackNode(
            label, lambda grads: [None if grads[0] is None else backward(grads[0])], [engine.edge_of(input)]
        )
        node.about = {"saved": saved or {}, "results": [(tuple(view.shape), view.dtype, view.device)]}
        engine.set_history(view, node, 0)
    return view


def strided_positions(size: Any, stride: Any, offset: Any) -> Tracer:
    """offset + sum of index * stride for every index: where a strided tensor's elements lie in its storage (traced)."""
    from rushlight.operators.table.tracer import convert, expand_to, tracer, var_of

    size = tuple(size)

    def value(x: Any) -> Tracer:
        return expand_to(convert(tracer(var_of(x)), dt.int64), size)

    total = value(offset)
    for d, st in enumerate(stride):
        total = total + P.iota(shape=size, dim=d, dtype=dt.int64) * value(st)
    return total


@operator(name="strided_gather", register=False)
def strided_gather(memory: Tensor, size: Ints, stride: Ints, offset: Int) -> Tensor:
    """What a tensor of this size and stride would hold on a one-dimensional memory."""
    return P.gather(memory, strided_positions(_sizes(size), _sizes(stride), offset), dims=(0,))


@operator(name="strided_scatter", register=False)
def strided_scatter(values: Tensor, length: Int, stride: Ints, offset: Int) -> Tensor:
    """A one-dimensional memory of zeros with values added where a tensor of this stride has its elements."""
    from rushlight.operators.table.tracer import convert, expand_to

    where = strided_positions(values.var.shape, _sizes(stride), offset)
    return P.scatter(expand_to(convert(0, values.dtype), (length,)), where, values, dims=(0,), mode="add")


# (No program makes it: what the view shows follows from how the tensor lies in its memory, not from its values.)
@eager()
def as_strided(input: Tensor, size: Ints, stride: Ints, storage_offset: int | None = None) -> Tensor:
    """A view of the tensor's memory with any size, stride and offset (elements from the start of the storage).

    Raises:
        RuntimeError: an element would lie outside of the storage.
    """
    if input._keys_ & STANDS_FOR:
        return _strided_value(input, _sizes(size), _sizes(stride), storage_offset)
    if size is None or stride is None:
        name, position = ("size", 2) if size is None else ("stride", 3)
        raise TypeError(f"as_strided(): argument '{name}' (position {position}) must be tuple of ints, not NoneType")
    if storage_offset is not None:
        storage_offset = size_argument(storage_offset, "as_strided", "storage_offset", 4)
    result = _raw.view_of(input, size, stride, storage_offset, True)
    if input.requires_grad and _core.is_grad_enabled():
        return _recorded_strided(result, input, storage_offset)
    mark_as_view(result, input)
    return result


def _strided_value(input: Tensor, size: tuple[Any, ...], stride: tuple[Any, ...], storage_offset: int | None) -> Tensor:
    """as_strided of what stands for a tensor: traced, it lies row by row."""
    if len(size) != len(stride):
        raise RuntimeError(
            f"as_strided(): 'size' and 'stride' must be of one length; found {list(size)} and {list(stride)}"
        )
    if not input._keys_ & _TRANSFORM:
        return strided_gather(reshape(input, (-1,)), size, stride, storage_offset or 0)
    size, stride = (tuple(s.__index__() for s in x) for x in (size, stride))
    check_each("as_strided", "stride", stride, 0)
    return input.restrided(size, stride, storage_offset)  # type: ignore[attr-defined, no-any-return]


def _recorded_strided(result: Tensor, input: Tensor, storage_offset: int | None) -> Tensor:
    size, stride, offset = tuple(result.shape), result.stride(), result.storage_offset()
    in_size, in_stride, in_offset = tuple(input.shape), input.stride(), input.storage_offset()
    low = min(offset, in_offset)
    length = max(offset + strided_extent(size, stride), in_offset + strided_extent(in_size, in_stride)) - low

    def backward(grad: Tensor) -> Tensor:
        return strided_gather(strided_scatter(grad, length, stride, offset - low), in_size, in_stride, in_offset - low)

    saved = {"size": size, "stride": stride, "storage_offset": storage_offset}
    return recorded_view(result, input, "AsStridedBackward0", backward, saved)


def reinterpreted(input: Tensor, dtype: dt.dtype, offset: int, size: Sequence[int], stride: Sequence[int]) -> Tensor:
    """A view of the same bytes as another dtype; offset and stride count its elements."""
    if input.is_meta:
        return _raw.empty_meta(dtype, tuple(size), tuple(stride))
    return _raw.tensor_from_storage(input.untyped_storage(), dtype, offset, tuple(size), tuple(stride))


def view_dtype(input: Tensor, dtype: dt.dtype) -> Tensor:
    """The same bytes as another dtype; the last dimension grows or shrinks when the item sizes differ."""
    if not isinstance(dtype, dt.dtype):
        raise TypeError(f"view(): argument 'dtype' must be torch.dtype, not {type(dtype).__name__}")
    a, b = input.itemsize, dtype.itemsize
    offset = input.storage_offset()
    if input._keys_ & STANDS_FOR:
        if a != b:
            raise RuntimeError(f"view(): a traced tensor of {input.dtype} takes dtypes of {a} bytes; found {dtype}")
        return _bitcast(input, dtype=dtype)
    size: Sequence[int] = input.shape
    stride: Sequence[int] = input.stride()
    if a != b:
        size, stride = list(size), list(stride)
        if not size:
            raise RuntimeError(
                "view(): a dtype of another size needs a dimension that can grow or shrink; found a 0-d tensor of "
                f"{input.dtype} for {dtype}"
            )
        if stride[-1] != 1 and size[-1] > 1:  # along one element or none a stride leads nowhere
            raise RuntimeError(
                f"view(): a dtype of another size needs a last dimension of stride 1; found {stride[-1]} "
                f"({input.dtype} for {dtype})"
            )
        if a < b:
            k = b // a
            if size[-1] % k or offset % k or any(s % k for s in stride[:-1]):
                raise RuntimeError(
                    f"view(): last size, storage offset and other strides must be multiples of {k} to see "
                    f"{input.dtype} as {dtype}; found size "
                    f"{size}, offset {offset}, stride {stride}"
                )
            size[-1] //= k
            offset //= k
            stride = [s // k for s in stride[:-1]] + [1]
        else:
            k = a // b
            size[-1] *= k
            offset *= k
            stride = [s * k for s in stride[:-1]] + [1]
    result = reinterpreted(input, dtype, offset, size, stride)
    if input.requires_grad and dtype.kind in "fc" and _core.is_grad_enabled():
        return recorded_view(
            result, input, "ViewBackward1", lambda grad: view_dtype(METHODS["contiguous"](grad), input.dtype)
        )
    mark_as_view(result, _raw.alias_of(input))
    return result


@operator(name="bitcast", register=False)
def _bitcast(input: Tensor, *, dtype: dt.dtype) -> Tensor:
    """The bits of each element as another dtype of the same size."""
    return P.bitcast(input, dtype=dtype)


@eager(name="as_strided_", namespace=(None, ""))
def _as_strided_in_place(input: Tensor, size: Ints, stride: Ints, storage_offset: int | None = None) -> Tensor:
    """`as_strided` in place: the tensor takes these sizes and strides on its memory."""
    return replace_with_view(input, METHODS["as_strided"](input, size, stride, storage_offset), "as_strided_")


# --------------------------------------------------------------------------------------------------------------- copies
def _copy_of(view_op: Any, name: str) -> Operator[Any]:
    """The operator `name`: what the view `view_op` shows, in memory of its own."""

    def body(*args: Any, **kwargs: Any) -> Any:
        return view_op.definition.body(*args, **kwargs)

    body.__wrapped__ = view_op.definition.body  # type: ignore[attr-defined]  # the signature is read from there
    return operator(
        name=name,
        method=name == "narrow_copy",
        varargs=next((p.name for p in view_op.params if p.varargs), None),
        memory_format="rows",
        doc=f"`{view_op.name}` with memory of its own.",
    )(body)


narrow_copy = _copy_of(_narrow, "narrow_copy")
for _op in (diagonal, expand, squeeze, transpose, unsqueeze, unfold, permute, t, select, _view):
    _copy_of(_op, f"{_op.name}_copy")
