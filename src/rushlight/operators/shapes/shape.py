"""Splitting into parts, the parts of complex numbers, and minimal ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import engine
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.operators.creation.placement import STANDS_FOR
from rushlight.operators.shapes.view import _narrow as narrow_part
from rushlight.operators.shapes.view import recorded_view, reinterpreted, reshape, select, sliced, unsqueeze
from rushlight.operators.table.arguments import size_argument
from rushlight.operators.table.body import wrap_dim
from rushlight.operators.table.checks import check_dtype, check_kind, check_least
from rushlight.operators.table.define import METHODS, TABLE, eager, operator
from rushlight.operators.table.dispatch import notes_parts, sees_views
from rushlight.operators.table.tracer import P, convert, expand_to
from rushlight.operators.table.types import Ints, SizeLike, Tensors
from rushlight.program.sym import Sym, hint, hints

_KEYS = _core.get_keys_flag_mask()
# tensors that the core cannot take views of, or whose class sees the views
_ELSEWHERE = STANDS_FOR | _KEYS["DEVICE"] | _KEYS["DISPATCH"]


def _by_operators(input: Tensor) -> bool:
    """Whether views are to be made by operators, one by one, rather than by the core at once: a mode sees them, too."""
    return bool(input._keys_ & _ELSEWHERE or sees_views(input))


# ------------------------------------------------------------------------------------------------- splitting into views
def many_views(
    input: Tensor, views: list[Tensor], label: str, join: str, dim: int, saved: dict[str, Any] | None = None
) -> tuple[Tensor, ...]:
    """Record several views as one graph node; its derivative joins (cat or stack) the parts' gradients, zeros where
    there is none.

    saved: what the call was made with, by PyTorch's names, besides the dimension and the input's sizes.
    """
    if input.requires_grad and _core.is_grad_enabled() and views:
        from rushlight.operators.creation.creation import zeros

        shapes, joined = [tuple(v.shape) for v in views], TABLE[join]
        dtype, where = input.dtype, input.device

        def backward(grads: list[Any]) -> list[Any]:
            return [
                joined(
                    [
                        zeros(s, dtype=dtype, device=where) if g is None else g
                        for g, s in zip(grads, shapes, strict=True)
                    ],
                    dim,
                )
            ]

        node = engine.CallbackNode(label, backward, [engine.edge_of(input)], len(views))
        node.about = {
            "saved": {
                "dim": dim,
                **(saved or {}),
                **({} if join == "stack" else {"self_sym_sizes": tuple(input.shape)}),
            },
            "results": [(s, dtype, where) for s in shapes],
        }
        for i, v in enumerate(views):
            engine.set_history(v, node, i)
    return tuple(views)


def _parts_of(input: Tensor, dim: int, lengths: Any) -> tuple[Tensor, ...]:
    return tuple([sliced(input, dim, at, n) for at, n in zip(accumulate(lengths, initial=0), lengths)])


# What a recorder notes of a call that gives all parts of a tensor: in the graph it is one node, as `many_views` makes
# it.
@operator(name="split", view=True, register=False)
def _split(input: Tensor, dim: int, lengths: Ints) -> tuple[Tensor, ...]:
    """Consecutive parts of a dimension."""
    return _parts_of(input, dim, lengths)


@operator(name="split_with_sizes", view=True, register=False)
def _split_with_sizes(input: Tensor, dim: int, lengths: Ints) -> tuple[Tensor, ...]:
    """Consecutive parts of a dimension."""
    return _parts_of(input, dim, lengths)


@operator(name="unbind", view=True, register=False)
def _unbind(input: Tensor, dim: int) -> tuple[Tensor, ...]:
    """The parts at each index of a dimension."""
    shape = input.var.shape
    return tuple(
        [
            P.reshape(sliced(input, dim, i, 1), shape=(*shape[:dim], *shape[dim + 1 :]))
            for i in range(int(input.shape[dim]))
        ]
    )


def parts(input: Tensor, dim: int, lengths: list[int], label: str) -> tuple[Tensor, ...]:
    """Consecutive parts of a dimension as views."""
    if notes_parts(input):
        return (_split if label == "SplitBackward0" else _split_with_sizes)(input, dim, lengths)
    if _by_operators(input):
        return tuple([narrow_part(input, dim, at, n) for at, n in zip(accumulate(lengths, initial=0), lengths)])
    saved: dict[str, Any] = (
        {"split_sizes": tuple(lengths)}
        if label == "SplitWithSizesBackward0"
        else {"split_size": lengths[0]}
        if label == "SplitBackward0"
        else {}
    )
    return many_views(input, _raw.parts_of(input, dim, lengths), label, "cat", dim, saved)


_MOST_VIEWS = 1 << 28  # the views alone fill 64 GB


def few_enough(count: Any, name: str) -> Any:
    """A number of views to make; RuntimeError at once for more than memory holds."""
    if hint(count) > _MOST_VIEWS:
        raise RuntimeError(f"{name}(): the result must be of at most {_MOST_VIEWS} tensors; found {hint(count)}")
    return count


def _split_dim(input: Tensor, dim: int, name: str) -> int:
    if input.ndim == 0:
        raise RuntimeError(f"{name}(): the tensor must have a dimension to split; found a 0-d tensor")
    return wrap_dim(size_argument(dim, name, "dim"), input.ndim, name)


_SPLIT_SIZE = {"split_size": "split_size_or_sections"}


@eager(keywords=_SPLIT_SIZE)
def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts of a dimension.

    Args:
        split_size_or_sections: the size of each part (the last may be smaller), or the list of sizes.

    Raises:
        RuntimeError: the sizes do not add up.
    """
    if isinstance(split_size_or_sections, (tuple, list)):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    d = _split_dim(tensor, dim, "split")
    size, n = size_argument(split_size_or_sections, "split", "split_size"), tensor.shape[d]
    check_least("split", "split_size", size, 0)
    if size == 0:
        if n != 0:
            raise RuntimeError(
                f"split(): 'split_size' must be at least 1 for a dimension with elements; found 0 for {hint(n)}"
            )
        return parts(tensor, d, [0], "SplitBackward0")
    return _equal_parts(tensor, d, size, n)


def _equal_parts(tensor: Tensor, d: int, size: Any, n: int) -> tuple[Tensor, ...]:
    if isinstance(n, Sym) or isinstance(size, Sym):
        # The number of parts is part of the program; the sizes are not.
        count = max(1, -(-hint(n) // hint(size)))
        if not ((count - 1) * size < n or count == 1) or not n <= count * size:
            raise AssertionError("split(): the example sizes contradict themselves")
    else:
        count = -(-n // size) or 1
    few_enough(count, "split")
    return parts(tensor, d, [size] * (count - 1) + [n - (count - 1) * size], "SplitBackward0")


@eager()
def split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts of a dimension, of the given sizes."""
    d = _split_dim(input, dim, "split_with_sizes")
    sizes = [size_argument(s, "split_with_sizes", "split_sizes") for s in split_sizes]
    if any(s < 0 for s in sizes):
        raise RuntimeError(f"split_with_sizes(): 'split_sizes' must be at least 0 each; found {hints(sizes)}")
    if sum(sizes) != input.shape[d]:
        raise RuntimeError(
            f"split_with_sizes(): 'split_sizes' must add up to {hint(input.shape[d])}, the size of dimension {d}; "
            "found "
            f"{hints(sizes)}"
        )
    return parts(input, d, sizes, "SplitWithSizesBackward0")


@eager()
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of consecutive parts of a dimension, all but the last of one size."""
    if input.ndim == 0:
        raise RuntimeError("chunk(): 'input' must have a dimension to split; found a 0-d tensor")
    chunks = size_argument(chunks, "chunk", "chunks")
    check_least("chunk", "chunks", chunks, 1)
    d = wrap_dim(size_argument(dim, "chunk", "dim"), input.ndim, "chunk")
    n = input.shape[d]
    size = (n + chunks - 1) // chunks
    if size == 0:
        return parts(input, d, [0] * few_enough(chunks, "chunk"), "SplitWithSizesBackward0")
    return _equal_parts(input, d, size, n)


def _unlinked(input: Tensor, cut: Callable[..., tuple[Tensor, ...]], *args: Any) -> tuple[Tensor, ...]:
    """The parts of a cut as results of one node that are no views, so that each may be written to."""
    if _by_operators(input):
        return cut(input, *args)
    found = [_raw.alias_of(part) for part in cut(_raw.alias_of(input), *args)]
    if not (input.requires_grad and _core.is_grad_enabled()):
        return tuple(found)
    dim = wrap_dim(args[1], input.ndim, "unsafe_split")
    sizes = [part.shape[dim] for part in found]
    if cut is split_with_sizes or isinstance(args[0], (tuple, list)) or (cut is chunk and not sizes[0]):
        return many_views(input, found, "UnsafeSplitWithSizesBackward0", "cat", dim, {"split_sizes": tuple(sizes)})
    return many_views(
        input, found, "UnsafeSplitBackward0", "cat", dim, {"split_size": args[0] if cut is split else sizes[0]}
    )


@eager(keywords=_SPLIT_SIZE)
def unsafe_split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """The parts that `split` gives, each of which may be written to while gradients are recorded.

    Args:
        split_size_or_sections: the size of each part (the last may be smaller), or the list of sizes.
    """
    return _unlinked(tensor, split, split_size_or_sections, dim)


@eager()
def unsafe_split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """The parts that `split_with_sizes` gives, each of which may be written to while gradients are recorded."""
    return _unlinked(input, split_with_sizes, split_sizes, dim)


@eager()
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """The parts that `chunk` gives, each of which may be written to while gradients are recorded."""
    return _unlinked(input, chunk, chunks, dim)


_CUTS = dict.fromkeys(("indices", "sections"), "indices_or_sections")


@eager(keywords=_CUTS)
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of parts of a dimension: a number of parts of nearly equal size, or the indices where to cut."""
    return _tensor_split(input, indices_or_sections, dim, "tensor_split")


def _tensor_split(input: Tensor, where: Any, dim: int, name: str) -> tuple[Tensor, ...]:
    d = _split_dim(input, dim, name)
    n = input.shape[d]
    if isinstance(where, Tensor):
        if where.dtype is not dt.int64 or where.ndim > 1:
            raise RuntimeError(
                f"{name}(): 'indices_or_sections' must be 0-d or a vector of dtype int64; found {where.ndim} "
                f"dimensions of {where.dtype}"
            )
        where = where.tolist()
    if isinstance(where, (tuple, list)):
        lengths, ends, at = [], [*(size_argument(i, name, "indices") for i in where), n], 0
        offsets = []
        for e in ends:
            e = max(0, e + n) if e < 0 else min(e, n)
            offsets.append(at)
            lengths.append(max(0, e - at))
            at = e
        return _ranges(input, d, offsets, lengths)
    count = size_argument(where, name, "sections")
    check_least(name, "sections", count, 1)
    count = few_enough(count, name)
    small, extra = n // count, n % count
    return _one_by_one(input, d, [small + (1 if i < extra else 0) for i in range(count)])


def _one_by_one(input: Tensor, dim: int, lengths: Sequence[Any]) -> tuple[Tensor, ...]:
    """Consecutive parts of a dimension as views, none of them one of many."""
    return _ranges(input, dim, list(accumulate(lengths[:-1], initial=0)), list(lengths))


def _ranges(input: Tensor, dim: int, starts: list[int], lengths: list[int]) -> tuple[Tensor, ...]:
    found = None if _by_operators(input) else _raw.ranges_of(input, dim, starts, lengths)
    return tuple(
        [narrow_part(input, dim, s, n) for s, n in zip(starts, lengths, strict=True)] if found is None else found
    )


def _fixed_split(name: str, least: int) -> Operator[tuple[Tensor, ...]]:
    def cut(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
        if input.ndim < least:
            raise RuntimeError(
                f"{name}(): 'input' must be of {least} dimension{'s' if least > 1 else ''} or more; found {input.ndim}"
            )
        dim = {"hsplit": 0 if input.ndim == 1 else 1, "vsplit": 0, "dsplit": 2}[name]
        if not isinstance(indices_or_sections, (tuple, list, Tensor)):
            k, n = size_argument(indices_or_sections, name, "sections"), input.shape[dim]
            if k <= 0 or n % k:
                raise RuntimeError(f"{name}(): 'sections' must divide the size of dimension {dim}, {n}; found {k}")
        return _tensor_split(input, indices_or_sections, dim, name)

    return eager(
        name=name,
        keywords=_CUTS,
        doc=(
            "Views of parts of dimension "
            + {"hsplit": "1 (0 for vectors)", "vsplit": "0", "dsplit": "2"}[name]
            + ", as tensor_split."
        ),
    )(cut)


hsplit, vsplit, dsplit = _fixed_split("hsplit", 1), _fixed_split("vsplit", 2), _fixed_split("dsplit", 3)


@eager()
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The parts of a tensor at each index of a dimension, as views without that dimension."""
    if input.ndim == 0:
        raise IndexError("unbind(): 'input' must have a dimension to take apart; found a 0-d tensor")
    d = wrap_dim(size_argument(dim, "unbind", "dim"), input.ndim, "unbind")
    if notes_parts(input) and int(input.shape[d]):
        return _unbind(input, d)
    if _by_operators(input):
        return tuple(select(input, d, i) for i in range(int(input.shape[d])))
    few_enough(input.shape[d], "unbind")
    return many_views(input, _raw.parts_of(input, d), "UnbindBackward0", "stack", d)


# ------------------------------------------------------------------------------------------------------ complex numbers
@operator(name="real_part", register=False)
def _real_part(input: Tensor) -> Tensor:
    """The real parts, in memory of their own."""
    return P.real(input)


@operator(name="imag_part", register=False)
def _imag_part(input: Tensor) -> Tensor:
    """The imaginary parts, in memory of their own."""
    return P.imag(input)


@operator(name="from_real", register=False)
def _from_real(input: Tensor) -> Tensor:
    """input + 0i."""
    return P.complex(input, expand_to(convert(0, input.dtype), input.var.shape))


@operator(name="from_imag", register=False)
def _from_imag(input: Tensor) -> Tensor:
    """0 + input * i."""
    return P.complex(expand_to(convert(0, input.dtype), input.var.shape), input)


def _component(input: Tensor, k: int, label: str, backward: Any) -> Tensor:
    offset = 2 * input.storage_offset() + k
    return recorded_view(
        reinterpreted(input, input.dtype.to_real(), offset, input.shape, [2 * s for s in input.stride()]),
        input,
        label,
        backward,
    )


@eager()
def real(input: Tensor) -> Tensor:
    """The real parts of a complex tensor as a view; a real tensor itself."""
    if not input.is_complex():
        return input
    return _real_part(input) if input._keys_ & STANDS_FOR else _component(input, 0, "RealBackward0", _from_real)


@eager()
def imag(input: Tensor) -> Tensor:
    """The imaginary parts of a complex tensor as a view.

    Raises:
        RuntimeError: for a real tensor.
    """
    check_kind("imag", "input", input, "c")
    return _imag_part(input) if input._keys_ & STANDS_FOR else _component(input, 1, "ImagBackward0", _from_imag)


def _set_part(k: int) -> Callable[[Tensor, Any], None]:
    def put(t: Tensor, value: Any) -> None:
        METHODS["copy_"](METHODS["imag" if k else "real"](t), value)

    return put


_core.attach("real", property(real, _set_part(0), doc=real.definition.__doc__))
_core.attach("imag", property(imag, _set_part(1), doc=imag.definition.__doc__))


@operator(name="as_pairs", register=False)
def _as_pairs(input: Tensor) -> Tensor:
    """The parts of complex numbers as a last dimension of size 2, in memory of their own."""
    shape = (*input.var.shape, 1)
    return P.concatenate(
        P.reshape(P.real(input), shape=shape), P.reshape(P.imag(input), shape=shape), dim=len(shape) - 1
    )


@operator(name="from_pairs", register=False)
def _from_pairs(input: Tensor) -> Tensor:
    """Complex numbers from a last dimension of size 2."""
    shape = input.var.shape[:-1]
    n = len(shape)
    re, im = (
        P.reshape(P.slice(input, starts=(0,) * n + (k,), sizes=(*shape, 1), steps=(1,) * (n + 1)), shape=shape)
        for k in (0, 1)
    )
    return P.complex(re, im)


@eager(method=False)
def view_as_real(input: Tensor) -> Tensor:
    """A complex tensor as a view of real numbers with a last dimension of size 2 (real, imaginary)."""
    check_kind("view_as_real", "input", input, "c")
    if input._keys_ & STANDS_FOR:
        return _as_pairs(input)
    new = reinterpreted(
        input,
        input.dtype.to_real(),
        2 * input.storage_offset(),
        (*input.shape, 2),
        (*(2 * s for s in input.stride()), 1),
    )
    return recorded_view(new, input, "ViewAsRealBackward0", _from_pairs)


@eager(method=False)
def view_as_complex(input: Tensor) -> Tensor:
    """A real tensor with a last dimension of size 2 as a view of complex numbers.

    Args:
        input: float16, float32 or float64.

    Raises:
        RuntimeError: for other dtypes, sizes, or strides that complex numbers cannot have.
    """
    check_dtype("view_as_complex", "input", input, dt.float16, dt.float32, dt.float64)
    if input.ndim == 0:
        raise RuntimeError("view_as_complex(): 'input' must hold pairs along its last dimension; found a 0-d tensor")
    if input.shape[-1] != 2:
        raise RuntimeError(
            f"view_as_complex(): the last dimension of 'input' must have the size 2; found {hint(input.shape[-1])}"
        )
    if input._keys_ & STANDS_FOR:
        return _from_pairs(input)
    stride = input.stride()
    if stride[-1] != 1:
        raise RuntimeError(
            f"view_as_complex(): the last dimension of 'input' must have the stride 1; found {stride[-1]}"
        )
    # along one element no stride is walked
    if input.numel() and any(s % 2 for s, n in zip(stride[:-1], input.shape, strict=False) if n > 1):
        raise RuntimeError(f"view_as_complex(): the strides of 'input' but the last must be even; found {list(stride)}")
    if input.storage_offset() % 2:
        raise RuntimeError(
            f"view_as_complex(): the storage offset of 'input' must be even; found {input.storage_offset()}"
        )
    new = reinterpreted(
        input, input.dtype.to_complex(), input.storage_offset() // 2, input.shape[:-1], [s // 2 for s in stride[:-1]]
    )
    return recorded_view(new, input, "ViewAsComplexBackward0", _as_pairs)


# ---------------------------------------------------------------------------------------------------------- least ranks
def _atleast(name: str, rank: int, one: Callable[[Tensor], Tensor]) -> Operator[Any]:
    def widen(tensors: Tensors) -> Any:
        # atleast_1d(x) gives a tensor, atleast_1d(x, y) and atleast_1d([x, y]) a tuple.
        if isinstance(tensors, tuple) and len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return one(tensors[0])
        if isinstance(tensors, Tensor):
            return one(tensors)
        for t in tensors:
            if not isinstance(t, Tensor):
                raise TypeError(f"{name}(): argument 'tensors' must be tuple of Tensors, not of {type(t).__name__}")
        return tuple(one(t) for t in tensors)

    return eager(
        name=name,
        method=False,
        varargs="tensors",
        doc=f"Views with at least {rank} dimension{'s' if rank > 1 else ''} of one tensor or several.",
    )(widen)


def _one_1d(x: Tensor) -> Tensor:
    return x if x.ndim else reshape(x, (1,))


def _one_2d(x: Tensor) -> Tensor:
    return reshape(x, (1, 1)) if x.ndim == 0 else unsqueeze(x, 0) if x.ndim == 1 else x


def _one_3d(x: Tensor) -> Tensor:
    if x.ndim == 0:
        return reshape(x, (1, 1, 1))
    if x.ndim == 1:
        return unsqueeze(unsqueeze(x, 0), -1)
    return unsqueeze(x, -1) if x.ndim == 2 else x


atleast_1d, atleast_2d, atleast_3d = (
    _atleast("atleast_1d", 1, _one_1d),
    _atleast("atleast_2d", 2, _one_2d),
    _atleast("atleast_3d", 3, _one_3d),
)


# --------------------------------------------------------------------------------------------------------------- copies
@eager(method=False, out=True)
def unbind_copy(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """`unbind` with memory of its own."""
    return tuple(METHODS["clone"](v, memory_format=dt.contiguous_format) for v in unbind(input, dim))


@eager(method=False, out=True)
def split_with_sizes_copy(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """`split_with_sizes` with memory of its own."""
    return tuple(
        METHODS["clone"](v, memory_format=dt.contiguous_format) for v in split_with_sizes(input, split_sizes, dim)
    )


@eager(method=False, out=True)
def as_strided_copy(input: Tensor, size: SizeLike, stride: Any, storage_offset: int | None = None) -> Tensor:
    """`as_strided` with memory of its own."""
    return METHODS["clone"](
        METHODS["as_strided"](input, size, stride, storage_offset), memory_format=dt.contiguous_format
    )


@eager(method=False, out=True)
def alias_copy(input: Tensor) -> Tensor:
    """A copy of the tensor."""
    return METHODS["clone"](input, memory_format=dt.contiguous_format)


@eager(method=False)
def detach_copy(input: Tensor) -> Tensor:
    """A copy of the tensor without history."""
    return METHODS["clone"](METHODS["detach"](input), memory_format=dt.contiguous_format)


@eager()
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape; a Python bool."""
    return tuple(input.shape) == tuple(other.shape)
