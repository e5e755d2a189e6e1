"""MaskedTensor: a tensor together with a mask that says which elements count.

A wrapper of two ordinary tensors. What an operator does with it follows from the operator's kind: elementwise ones
compute on the data and keep the mask, which all operands must share; those that move elements move the mask's too;
reductions are those of the namespace masked, and their results count where any element did. Gradients are recorded on
the data.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight.core import dtypes as dt
from rushlight.core.checks import check_argument
from rushlight.core.nesting import found_in, mapped
from rushlight.core.tensor import Tensor
from rushlight.operators.table.define import SYNTAX, TABLE
from rushlight.operators.table.types import Args, Classes, Function, Kwargs
from rushlight.overrides import DisableTorchFunctionSubclass

__all__ = ["MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor"]

# Operators that put elements in other places (views are not listed: they say so themselves).
_ATTRIBUTES = (type(Tensor.shape.__get__), type(Tensor.size))
_MOVES = frozenset(
    (
        "__getitem__",
        "reshape",
        "view",
        "flatten",
        "split",
        "split_with_sizes",
        "chunk",
        "tensor_split",
        "unbind",
        "narrow",
        "cat",
        "concat",
        "concatenate",
        "stack",
        "hstack",
        "vstack",
        "dstack",
        "index_select",
        "gather",
        "take_along_dim",
        "repeat",
        "repeat_interleave",
        "tile",
        "roll",
        "flip",
        "fliplr",
        "flipud",
        "rot90",
        "clone",
        "contiguous",
        "detach",
        "broadcast_to",
        "view_as",
        "expand_as",
        "reshape_as",
        "movedim",
        "moveaxis",
        "ravel",
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
    )
)
# Operators that give the data another dtype, or new values in the same shape; the mask stays.
_CONVERSIONS = frozenset(
    (
        "to",
        "type_as",
        "half",
        "float",
        "double",
        "bfloat16",
        "char",
        "short",
        "int",
        "long",
        "bool",
        "byte",
        "cfloat",
        "cdouble",
        "cpu",
        "ones_like",
        "zeros_like",
        "full_like",
        "empty_like",
        "rand_like",
        "randn_like",
    )
)
# Reductions, and operations along lines, that the namespace masked has by the same names.
_REDUCTIONS = frozenset(
    ("sum", "mean", "prod", "amax", "amin", "argmax", "argmin", "var", "std", "norm", "logsumexp", "median")
)
_LINES = frozenset(("softmax", "log_softmax", "softmin", "cumsum", "cumprod"))


class MaskedTensor(Tensor):
    """Data with a mask of the same shape, True where an element counts.

    Args:
        data: a tensor.
        mask: bools, of data's shape.
        requires_grad: of the data.

    Raises:
        TypeError: for other kinds of arguments.
        ValueError: for shapes that differ.
    """

    _data: Tensor
    _mask: Tensor

    @staticmethod
    def __new__(cls, data: Any, mask: Any, requires_grad: bool = False) -> MaskedTensor:
        _check_plain(data, mask, "MaskedTensor")
        check_argument(
            mask.dtype is dt.bool_, "MaskedTensor()", "mask", "be of dtype torch.bool", mask.dtype, TypeError
        )
        shape = tuple(data.shape)
        check_argument(
            tuple(mask.shape) == shape,
            "MaskedTensor()",
            "mask",
            f"be of the shape {shape} of 'data'",
            tuple(mask.shape),
            ValueError,
        )
        self = Tensor._make_wrapper_subclass(
            cls, tuple(data.shape), strides=data.stride(), dtype=data.dtype, device=data.device
        )
        self._data, self._mask = data, mask
        if requires_grad and not data.requires_grad:
            data.requires_grad_()
        return self  # type: ignore[no-any-return]

    def __init__(self, data: Any, mask: Any, requires_grad: bool = False) -> None:
        """Nothing is left to do; Tensor's own would make a tensor of `data`."""

    # ---------------------------------------------------------------------------------------------------- what it holds
    def get_data(self) -> Tensor:
        """The data, masked-out elements included."""
        return self._data

    def get_mask(self) -> Tensor:
        """The mask: True where an element counts."""
        return self._mask

    def to_tensor(self, value: Any) -> Tensor:
        """A plain tensor, with `value` where an element does not count."""
        return rushlight.where(self._mask, self._data, value)

    def item(self) -> Any:
        """The number of a tensor of one element.

        Raises:
            ValueError: it does not count.
        """
        if self.numel() == 1 and not self._mask.item():
            raise ValueError("MaskedTensor.item(): the element is masked out")
        return self._data.item()

    def tolist(self) -> Any:
        """Not defined: RuntimeError, as for every tensor subclass in PyTorch. Use to_tensor(value).tolist()."""
        raise _no_values("tolist")

    def numpy(self, *, force: bool = False) -> Any:
        """Not defined: RuntimeError, as for every tensor subclass in PyTorch. Use to_tensor(value).numpy()."""
        raise _no_values("numpy")

    def __deepcopy__(self, memo: dict[int, Any]) -> MaskedTensor:
        return MaskedTensor(copy.deepcopy(self._data, memo), copy.deepcopy(self._mask, memo))

    def __reduce_ex__(self, protocol: Any) -> tuple[type[MaskedTensor], tuple[Tensor, Tensor]]:
        return MaskedTensor, (self._data, self._mask)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        data, mask = self._data.detach(), self._mask
        if data.ndim == 0:
            return f"MaskedTensor({_element(data.item(), mask.item(), data.dtype)}, {mask.item()})"
        return f"MaskedTensor(\n{_nested(data.tolist(), mask.tolist(), data.ndim, data.dtype, '  ')}\n)"

    # -------------------------------------------------------------------------------------------------------- gradients
    @property
    def requires_grad(self) -> bool:
        """Whether gradients are computed for the data."""
        return self._data.requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self._data.requires_grad = value

    def requires_grad_(self, requires_grad: bool = True) -> MaskedTensor:
        """Compute gradients for the data, or cease to."""
        self._data.requires_grad_(requires_grad)
        return self

    @property
    def grad(self) -> MaskedTensor | None:
        """The gradient of the data, under the same mask."""
        g = self._data.grad
        return None if g is None else MaskedTensor(g, self._mask)

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        self._data.grad = value._data if isinstance(value, MaskedTensor) else value

    @property
    def grad_fn(self) -> Any:
        """The data's node of the graph."""
        return self._data.grad_fn

    @property
    def is_leaf(self) -> bool:
        """Whether the data are the result of no recorded operation."""
        return self._data.is_leaf

    def backward(self, gradient: Tensor | None = None, *args: Any, **kwargs: Any) -> None:
        """Compute the gradients of the leaves that the data depend on; masked-out elements of `gradient` count as 0."""
        if isinstance(gradient, MaskedTensor):
            gradient = gradient.to_tensor(0)
        self._data.backward(gradient, *args, **kwargs)

    # --------------------------------------------------------------------------------------------------------- dispatch
    @classmethod
    def __torch_function__(cls, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        kwargs = kwargs or {}
        if isinstance(func, _ATTRIBUTES) or func is Tensor.__len__:  # what every tensor has: shapes, flags, hooks
            with DisableTorchFunctionSubclass():
                return func(*args, **kwargs)
        if func in SYNTAX:
            func, swapped = SYNTAX[func]
            args = args[::-1] if swapped else args
        name, definition = (
            getattr(func, "name", None) or getattr(func, "__name__", ""),
            getattr(func, "definition", None),
        )
        if kwargs.get("out") is not None:
            raise TypeError(f"{name}(): out= is not supported with MaskedTensor")
        if definition is not None and definition.namespace == "masked":
            return _masked_call(func, args, kwargs)
        if name in _REDUCTIONS or name in ("all", "any", "max", "min"):
            return _reduced(func, name, args, kwargs)
        if name in _LINES:
            x, arguments = _bound(func, args, kwargs)
            return MaskedTensor(_named(name, x, arguments), x._mask)
        if name == "where":
            return _where(*args, **kwargs)
        if definition is not None and definition.shape_class == "pointwise":
            return _elementwise(func, args, kwargs)
        if name in _MOVES or (definition is not None and definition.shape_class == "view"):
            return _moved(func, args, kwargs)
        if name in _CONVERSIONS:
            x = next(a for a in args if isinstance(a, MaskedTensor))
            return MaskedTensor(func(*_each(args, _data_of), **_each(kwargs, _data_of)), x._mask)
        raise TypeError(f"{name or func}(): no implementation found for MaskedTensor; use get_data() and get_mask()")


def masked_tensor(data: Tensor, mask: Tensor, requires_grad: bool = False) -> MaskedTensor:
    """A MaskedTensor of copies of data and mask, a leaf of the graph. Args, errors: as MaskedTensor."""
    _check_plain(data, mask)
    return MaskedTensor(data.detach().clone(), mask.detach().clone(), requires_grad)


def as_masked_tensor(data: Tensor, mask: Tensor) -> MaskedTensor:
    """A MaskedTensor of these very tensors: gradients flow to `data`. Args, errors: as MaskedTensor."""
    return MaskedTensor(data, mask)


def is_masked_tensor(obj: Any, /) -> bool:
    """Whether `obj` is a MaskedTensor."""
    return isinstance(obj, MaskedTensor)


def _no_values(method: str) -> RuntimeError:
    return RuntimeError(
        f"{method}(): the tensor must have a value in every place; found a MaskedTensor: use "
        f"to_tensor(value).{method}()"
    )


def _check_plain(data: Any, mask: Any, owner: str = "masked_tensor") -> None:
    for name, value in (("data", data), ("mask", mask)):
        if not isinstance(value, Tensor) or isinstance(value, MaskedTensor):
            raise TypeError(f"{owner}(): '{name}' must be a Tensor without a mask; found {type(value).__name__}")


# ---------------------------------------------------------------------------------------------------------------- calls
def _each(x: Any, take: Callable[[Tensor], Tensor]) -> Any:
    """`take` of every tensor in nested tuples, lists and dicts."""
    return mapped(x, lambda v: take(v) if isinstance(v, Tensor) else v)


def _data_of(t: Tensor) -> Tensor:
    return t._data if isinstance(t, MaskedTensor) else t


def _masked_in(x: Any) -> list[MaskedTensor]:
    """The masked tensors in nested tuples, lists and dicts."""
    return list(found_in(x, MaskedTensor, (tuple, list, dict)))


def _common_mask(name: str, given: Sequence[MaskedTensor]) -> Tensor:
    """The mask that all operands share, after broadcasting."""
    shape = rushlight.broadcast_shapes(*(m.shape for m in given))
    first, *others = [m._mask.expand(shape) for m in given]
    if any(m is not first and not rushlight.equal(m, first) for m in others):
        raise ValueError(
            f"{name}(): the masks of all operands must be the same; combine them, and make new masked tensors of "
            "get_data()"
        )
    return first


def _elementwise(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if getattr(func, "inplace", False) and not isinstance(args[0], MaskedTensor):
        raise TypeError(
            f"{func.name}(): a plain tensor has no mask to keep; the destination must be a MaskedTensor as well"
        )
    mask = _common_mask(func.name, _masked_in([*args, kwargs]))
    result = func(*_each(args, _data_of), **_each(kwargs, _data_of))
    if getattr(func, "inplace", False):
        return args[0]
    return MaskedTensor(result, mask.expand(result.shape))


def _moved(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> MaskedTensor | tuple[Any, ...] | list[Any]:
    """The same movement of data and masks; a plain operand (an index stays what it is) counts everywhere."""
    name = func.__name__
    several = isinstance(args[0], (tuple, list))  # cat, stack: all tensors are moved, else the first alone

    def mask_of(t: Tensor) -> Tensor:
        if isinstance(t, MaskedTensor):
            return t._mask
        return rushlight.ones_like(t, dtype=dt.bool_) if several else t

    if not several and _masked_in([args[1:], kwargs]) and not isinstance(args[0], MaskedTensor):
        raise TypeError(f"{name}(): a MaskedTensor cannot be an index")
    data, masks = (
        func(*_each(args, _data_of), **_each(kwargs, _data_of)),
        func(*_each(args, mask_of), **_each(kwargs, mask_of)),
    )
    if isinstance(data, (tuple, list)):
        return type(data)(MaskedTensor(d, m) for d, m in zip(data, masks, strict=True))
    return MaskedTensor(data, masks)


def _bound(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[MaskedTensor, dict[str, Any]]:
    """The masked operand, and the other arguments by name."""
    names = [p.name for p in func.params]
    given = dict(zip(names, args)) | kwargs
    x = given.pop(names[0])
    if not isinstance(x, MaskedTensor):
        raise TypeError(f"{func.name}(): expected a MaskedTensor as {names[0]}; found {type(x).__name__}")
    return x, given


def _named(name: str, x: MaskedTensor, arguments: dict[str, Any]) -> Tensor:
    """A function of the namespace masked, on the data and mask of x."""
    op = TABLE[f"masked.{name}"]
    known = {p.name for p in op.params}
    wrong = {k for k, v in arguments.items() if k not in known and v is not None and k not in ("_stacklevel",)}
    if wrong:
        raise TypeError(f"{name}(): argument '{wrong.pop()}' is not supported with MaskedTensor")
    return op(x._data, **{k: v for k, v in arguments.items() if k in known}, mask=x._mask)


def _reduced(func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> MaskedTensor:
    """A reduction of what counts; its results count where an element did."""
    x, arguments = _bound(func, args, kwargs)
    dim, keepdim = arguments.get("dim"), bool(arguments.get("keepdim", False))
    mask = _any(x._mask, dim, keepdim)
    if name in ("max", "min"):
        if dim is not None or arguments.get("other") is not None:
            raise TypeError(f"{name}(): only the extreme of all elements is defined for MaskedTensor; use a{name}(dim)")
        return MaskedTensor(_named(f"a{name}", x, {}), mask)
    if name in ("all", "any"):
        filled = x.to_tensor(name == "all")
        return MaskedTensor(func(filled, **arguments), mask)
    if name == "norm":
        p = arguments.pop("p", "fro")
        arguments["ord"] = 2.0 if p is None or p == "fro" else p
    if name == "median" and dim is None:
        raise TypeError("median(): a dim is needed for MaskedTensor")
    return MaskedTensor(_named(name, x, arguments), mask)


def _any(mask: Tensor, dim: Any, keepdim: bool) -> Tensor:
    if dim is None or dim == ():
        dim = tuple(range(mask.ndim))
    return rushlight.any(mask, dim, keepdim) if mask.ndim else mask


def _masked_call(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """masked.sum(x) of a masked tensor x: the plain result under x's own mask."""
    names = [p.name for p in func.params]
    given = dict(zip(names, args)) | kwargs
    for name, mask in (("input", "input_mask" if "input_mask" in names else "mask"), ("other", "other_mask")):
        x = given.get(name)
        if isinstance(x, MaskedTensor):
            if given.get(mask) is not None:
                raise ValueError(f"{func.name}(): {mask} must not be given for a MaskedTensor, which has its own")
            given[name], given[mask] = x._data, x._mask
    return func(**given)  # type: ignore[no-any-return]


def _where(condition: Any, input: Any = None, other: Any = None) -> MaskedTensor:
    """Elements of one or the other, with their masks; numbers and plain tensors count everywhere."""
    if isinstance(condition, MaskedTensor) or input is None or other is None:
        raise TypeError("where(): expected a plain condition and two operands with MaskedTensor")
    data: Any = rushlight.where(condition, _each(input, _data_of), _each(other, _data_of))
    masks = [x._mask if isinstance(x, MaskedTensor) else True for x in (input, other)]
    mask: Any = rushlight.where(condition, *masks)
    return MaskedTensor(data, mask.expand(data.shape))


# ------------------------------------------------------------------------------------------------------------- printing
def _element(value: Any, counts: bool, d: dt.dtype) -> str:
    if not counts:
        return f"{'--':>8}"
    return f"{value:8.4f}" if d.kind == "f" else str(value)


def _nested(data: Any, mask: Any, ndim: int, d: dt.dtype, indent: str) -> str:
    if ndim == 1:
        return indent + "[" + ", ".join(_element(v, m, d) for v, m in zip(data, mask, strict=True)) + "]"
    inner = ",\n".join(_nested(v, m, ndim - 1, d, indent + "  ") for v, m in zip(data, mask, strict=True))
    return f"{indent}[\n{inner}\n{indent}]"
