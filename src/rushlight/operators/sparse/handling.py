"""Calls of operators with a sparse tensor among the arguments: what the table says of the layout, else a refusal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rushlight.core import dtypes as dt
from rushlight.core import tensor as core
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.operators.sparse import parts as p
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.define import METHODS

IMPLEMENTATIONS: dict[str, Callable[..., Any]] = {}  # operator -> the same of sparse tensors
COMPOSED: set[str] = set()  # eager operators whose body serves sparse tensors as well, as its calls are handled here

_Body = TypeVar("_Body", bound=Callable[..., Any])


def sparse_operator(*names: str) -> Callable[[_Body], _Body]:
    """Say what operators do with sparse tensors."""

    def register(fn: _Body) -> _Body:
        for name in names:
            IMPLEMENTATIONS[name] = fn
        return fn

    return register


def refusal(name: str, values: Any) -> Exception:
    """The error of a call that has no meaning for sparse tensors."""
    name = {"_rdiv": "reciprocal"}.get(name, name)
    name = name if name.startswith("__") else name.lstrip("_")  # __array__ is what programs call
    layouts = sorted({str(t.layout) for t in _dispatch.tensors_in(values) if t._keys_ & p.LAYOUT})
    return NotImplementedError(
        f"{name}(): not defined for tensors with layout {', '.join(layouts)}; found one. Use to_dense() of it"
    )


def handle(op: Operator, values: list[Any], out: Any) -> Any:
    """A call with a sparse tensor among the arguments, or as its destination."""
    name = op.name
    laid_out = [t for t in _dispatch.tensors_in(values) if t._keys_ & p.LAYOUT]
    if laid_out and not all(t.is_sparse for t in laid_out):
        return NotImplemented  # a layout from outside
    if not laid_out:
        raise RuntimeError(f"{name}(): 'out' must have the layout torch.strided of the result; found another")
    writes = op.inplace or (name.endswith("_") and not name.startswith("_"))
    fn = IMPLEMENTATIONS.get(name)
    if fn is not None and not _fits(fn, op):
        fn = None
    args, kwargs = _dispatch.arguments(op, values)
    if fn is not None:
        result = fn(*args, **kwargs)
    elif writes and name[:-1] in IMPLEMENTATIONS:
        return _in_place(op, args, kwargs)
    elif name in COMPOSED and op.eager is not None:
        result = op.eager(*values)
    else:
        raise refusal(name, [*values, out])
    return result if out is None else hand_over(name, result, out)


def _fits(fn: Callable[..., Any], op: Operator) -> bool:
    """Whether a function takes the operator's arguments: a few inner operators share the name of another one, for their
    nodes, and have other parameters.
    """
    code, defaults = fn.__code__, len(fn.__defaults__ or ())
    names = {q.name for q in op.params}
    taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    needed = code.co_varnames[: code.co_argcount - defaults]
    return bool(code.co_flags & 0x0C) or (names <= set(taken) and names >= set(needed)) or op is METHODS.get(op.name)


def _in_place(op: Operator, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """The operator's result, written into the first argument."""
    dest: Tensor = args[0]
    check_leaf(op.name, dest)
    base = op.name[:-1]
    if p.is_sparse(dest) and base in COALESCES and not p.parts(dest).coalesced:
        raise RuntimeError(f"{op.name}(): the destination must be coalesced; found one that is not; use coalesce()")
    result = IMPLEMENTATIONS[base](p.kept(dest) if dest._keys_ & p.LAYOUT else dest, *args[1:], **kwargs)
    if bool(result._keys_ & p.LAYOUT) != bool(dest._keys_ & p.LAYOUT) or tuple(result.shape) != tuple(dest.shape):
        raise RuntimeError(
            f"{op.name}(): the result must fit the destination, {dest.layout} of shape {list(dest.shape)}; found "
            f"{result.layout} of shape {list(result.shape)}"
        )
    if not dest._keys_ & p.LAYOUT:
        return dest.copy_(result)
    return p.replace(dest, cast_to(op.name, dest, result))


def cast_to(name: str, dest: Tensor, result: Tensor) -> Tensor:
    """A result in the dtype of its destination; RuntimeError for one of a lower kind."""
    if result.dtype is dest.dtype:
        return result
    if not dt.can_cast(result.dtype, dest.dtype):
        raise RuntimeError(
            f"{name}(): a result of dtype {result.dtype} can't be cast to that of the destination, {dest.dtype}"
        )
    return result.to(dest.dtype)


def check_leaf(name: str, dest: Tensor) -> None:
    """RuntimeError for a destination that is a leaf whose gradient is wanted."""
    if core.is_grad_enabled() and dest.requires_grad and dest.is_leaf:
        raise RuntimeError(f"{name}(): a leaf Variable that requires grad is being used in an in-place operation")


def hand_over(name: str, result: Any, out: Any) -> Tensor:
    """A result, written into `out`."""
    if not isinstance(out, Tensor) or not isinstance(result, Tensor):
        raise NotImplementedError(f"{name}(): not defined with 'out' for sparse tensors and several results")
    if out.requires_grad and core.is_grad_enabled():
        raise RuntimeError(f"{name}(): 'out' must not require grad while gradients are recorded; found one that does")
    if bool(result._keys_ & p.LAYOUT) != bool(out._keys_ & p.LAYOUT) or result.layout is not out.layout:
        raise RuntimeError(f"{name}(): 'out' must have the layout {result.layout} of the result; found {out.layout}")
    result = result.detach()
    if result.dtype is not out.dtype:
        result = result.to(out.dtype)
    if out._keys_ & p.LAYOUT:
        return p.replace(out, result)
    if out.shape != result.shape:
        out.resize_(result.shape)
    return out.copy_(result)


COALESCES: set[str] = set()  # operators that are not linear, whose result is always coalesced

_dispatch.handlers.append((p.LAYOUT, handle))
