"""Calls on wrapped tensors: the operator that does a call for a batch, or with tangents, is derived from the call's own
body.

A derived operator traces the body on values of one example and emits that program again, batched or with tangents, by
the primitives' rules. It is an operator like any other: cached, compiled, differentiable, and open to the levels below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Kind, Param
from rushlight.core.tensor import Tensor
from rushlight.func.levels import TRANSFORM, Batched, Dual, Level, Wrapper, batched, dual
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.arguments import call_body, out_holds, unfit_out
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.operators.table.definition import Definition
from rushlight.operators.table.trace import flatten_result
from rushlight.operators.table.tracer import Tracer, like_number, tracer
from rushlight.prims.base import differentiable, instantiate, to_front
from rushlight.prims.emit import emit_batched, emit_jvp
from rushlight.program.ir import Builder, Program, Var

_derived: dict[tuple[Any, ...], Operator] = {}


def handle(op: Operator, values: list[Any], out: Any) -> Any:
    """A call with wrapped tensors among its arguments: done at the highest of their levels."""
    level = top_level(values if out is None else [*values, *(out if isinstance(out, (tuple, list)) else [out])])
    if level is None:
        return NotImplemented
    if out is not None:
        return _into_out(op, values, out)
    if op.inplace:
        return _in_place(op, values, level)
    return (_batch if level.kind == "vmap" else _forward)(op, values, level)


def top_level(values: Sequence[Any]) -> Level | None:
    """The highest level among wrapped tensors; RuntimeError for one that has outlived its transform."""
    best: Level | None = None
    for t in _dispatch.tensors_in(values):
        if isinstance(t, Wrapper):
            if not t.level.alive:
                raise RuntimeError(
                    f"a tensor of a finished {t.level.kind} was used: results must be returned from the transformed "
                    "function, not kept elsewhere"
                )
            if best is None or t.level.number > best.number:
                best = t.level
    return best


def _map_tensors(values: Sequence[Any], fn: Callable[[Any], Any]) -> list[Any]:
    return [
        fn(v)
        if isinstance(v, Tensor)
        else type(v)(fn(x) if isinstance(x, Tensor) else x for x in v)
        if type(v) in (list, tuple)
        else v
        for v in values
    ]


def _mask(values: Sequence[Any], test: Callable[[Any], Any]) -> tuple[Any, ...]:
    """For each argument whether `test` holds, a tuple for a sequence."""
    return tuple(tuple(bool(test(x)) for x in v) if isinstance(v, (list, tuple)) else bool(test(v)) for v in values)


def _copied_params(op: Operator, mask: tuple[Any, ...]) -> list[Param]:
    """The parameters of an operator derived from `op`: a number that `mask` marks is a tensor there, with a number for
    each example.
    """
    return [
        Param(
            p.name,
            Kind.P_OPERAND if marked is True and p.kind == Kind.P_SCALAR else p.kind,
            p.default,
            p.required,
            p.optional,
            False,
            False,
            p.specialize,
            p.by_sign,
            p.like,
        )
        for p, marked in zip(op.params, mask, strict=True)
    ]


def _derived_once(
    derive: Callable[[Operator, tuple[Any, ...]], Operator], op: Operator, mask: tuple[Any, ...]
) -> Operator:
    """What `derive` makes of an operator for a mask of its arguments, made at the first call."""
    key = (derive, op, mask)
    found = _derived.get(key)
    if found is None:
        found = _derived[key] = derive(op, mask)
    return found


# ---------------------------------------------------------------------------------------------------------------- vmap
def _batch(op: Operator, values: list[Any], level: Level) -> Any:
    def of_level(x: object) -> bool:
        return isinstance(x, Batched) and x.level is level

    derived = _derived_once(_batched_operator, op, _mask(values, of_level))
    result = derived(*_map_tensors(values, lambda t: t.value if of_level(t) else t))
    if isinstance(result, Tensor):
        return batched(result, level)
    return result.structure(
        [batched(r, level) if mapped else r for r, mapped in zip(result, result.mapped, strict=True)]
    )


def _batched_operator(op: Operator, mask: tuple[Any, ...]) -> Operator:
    """The operator that takes a batch (dimension 0) for each argument that `mask` marks and does the calls of all
    examples.
    """

    def body(*args: Any) -> Any:
        program, structure, physical, marked = _traced(op, args, mask, 1)
        size: Any = next((x.shape[0] for x, batched in zip(physical, marked, strict=True) if batched), None)
        outs, odims = emit_batched(program, physical, [0 if batched else None for batched in marked], size)
        # One of several results may be the same for all examples; a single one, of zeros_like() say, may be written to
        # by each.
        mapped = [d is not None or all(d is None for d in odims) for d in odims]
        result = [tracer(to_front(v, d, size) if m else v) for v, d, m in zip(outs, odims, mapped, strict=True)]
        return result[0] if structure is None else _several(result, mapped=mapped, structure=structure)

    return _make(op, body, "vmap", mask)


def _traced(
    op: Operator, args: Sequence[Any], mask: tuple[Any, ...], outer_dims: int
) -> tuple[Program, Any, list[Var], list[bool]]:
    """An operator's body, traced on values of its own: the program and its result's structure; what those stand for
    among the arguments, and which of that `mask` marks. The marked ones have so many dimensions more, in front.
    """
    inner = Builder(Builder.current().env, of_body=True)
    physical: list[Var] = []
    marked: list[bool] = []

    def own(x: Any, mark: bool) -> Any:
        if not isinstance(x, Tracer):
            return x
        physical.append(x.var)
        marked.append(mark)
        return like_number(x, inner.input(x.var.shape[outer_dims if mark else 0 :], x.var.dtype, x.var.kind))

    bound = _bind(args, mask, own)
    with inner:
        outputs, structure = flatten_result(op, call_body(op, bound))
        return inner.build(outputs), structure, physical, marked


def _bind(args: Sequence[Any], mask: tuple[Any, ...], fn: Callable[[Any, bool], Any]) -> list[Any]:
    return [
        type(a)(fn(x, m) for x, m in zip(a, marks, strict=True))
        if isinstance(marks, tuple) and any(isinstance(x, Tracer) for x in a)
        else a
        if isinstance(marks, tuple)
        else fn(a, marks)
        for a, marks in zip(args, mask, strict=True)
    ]


def _several(items: Sequence[Any], **what: Any) -> Any:
    """A tuple that is also handed what was found when its program was traced, whenever that runs."""

    class Several(tuple[Any, ...]):
        def __new__(cls, *items: Any) -> Any:
            return super().__new__(cls, items)

    for name, value in what.items():
        setattr(Several, name, staticmethod(value) if callable(value) else value)
    return Several(*items)


def _make(
    op: Operator, body: Callable[..., Any], kind: str, mask: tuple[Any, ...], extra: Sequence[Param] = ()
) -> Operator:
    definition = Definition(f"{kind}({op.name})", body, "", "internal", op.definition.label)
    params = [*_copied_params(op, mask), *extra]
    return Operator(op.name, params, definition, inplace=op.inplace, is_view=op.is_view and kind == "vmap")


# --------------------------------------------------------------------------------------------------------- forward mode
def _forward(op: Operator, values: list[Any], level: Level) -> Any:
    def of_level(x: object) -> bool:
        return isinstance(x, Dual) and x.level is level

    if op.is_view:
        return _view_of_dual(op, values, level)
    derived = _derived_once(_forward_operator, op, _mask(values, of_level))
    wrapped: list[Any] = [t for t in _dispatch.tensors_in(values) if of_level(t)]
    tangents = [t.tangent for t in wrapped]
    result = derived(*_map_tensors(values, lambda t: t.primal if of_level(t) else t), tangents)
    n, which, structure = result.n, result.which, result.structure
    given = dict(zip(which, result[n:], strict=True))
    if op.name == "_full_like" and n == 1 and not given and differentiable(result[0].dtype):
        given[0] = TABLE["zeros_like"](result[0])  # made like a dual tensor, most often to be written to
    wrapped = [dual(y, given.get(i), level) for i, y in enumerate(result[:n])]
    return wrapped[0] if structure is None else structure(wrapped)


def _view_of_dual(op: Operator, values: list[Any], level: Level) -> Any:
    # A view is linear, and what is written to it must reach its base: primal and tangent are each viewed.
    x = values[0]
    args, kwargs = _dispatch.arguments(op, [x.primal, *values[1:]])
    primal = op(*args, **kwargs)
    if x.tangent is None:
        return primal
    tangent = op(x.tangent, *args[1:], **kwargs)
    if isinstance(primal, Tensor):
        return dual(primal, tangent, level)
    return type(primal)(dual(a, b, level) for a, b in zip(primal, tangent, strict=True))


def _forward_operator(op: Operator, mask: tuple[Any, ...]) -> Operator:
    """The operator that takes tangents for the arguments that `mask` marks, and returns results, then tangents."""

    def body(*args: Any) -> Any:
        program, structure, physical, marked = _traced(op, args[:-1], mask, 0)
        given = iter(args[-1])
        outs, touts = emit_jvp(program, physical, [next(given).var if mark else None for mark in marked])
        which = [
            i for i, (t, y) in enumerate(zip(touts, outs, strict=True)) if t is not None and differentiable(y.dtype)
        ]

        # Results, then tangents of those in `which`.
        return _several(
            [*(tracer(v) for v in outs), *(tracer(instantiate(touts[i], outs[i])) for i in which)],
            n=len(outs),
            which=which,
            structure=structure,
        )

    return _make(op, body, "jvp", mask, [Param("tangents", Kind.P_TENSORS)])


# ---------------------------------------------------------------------------------------------------- in-place and out=
def _in_place(op: Operator, values: list[Any], level: Level) -> Any:
    dest = values[0]
    if level.kind == "vmap":
        if not (isinstance(dest, Batched) and dest.level is level):
            raise RuntimeError(
                f"vmap: {op.name}() must write to a tensor that is mapped over, for each example has its own result; "
                "found one that all share. "
                "Use the out-of-place operator"
            )
        _batch(op, values, level)
        return dest
    mine = isinstance(dest, Dual) and dest.level is level
    if mine and _recorded(dest):
        # The old values that the graph saves must survive the write.
        values = [dual(METHODS["clone"](dest.primal), dest.tangent, level), *values[1:]]
    assert op.functional is not None  # every in-place variant has its operator
    with _said_of(op, op.functional.name):
        result = _forward(op.functional, values, level)
    _check_fit(op, dest, result)
    if result.dtype is not dest.dtype:
        result = METHODS["to"](result, dest.dtype)
    primal, tangent = (
        (result.primal, result.tangent) if isinstance(result, Dual) and result.level is level else (result, None)
    )
    if not mine:
        if tangent is not None:
            raise RuntimeError(
                f"jvp: {op.name}() writes a value that has a tangent into a tensor that has none; use the "
                "out-of-place operator, or make the tensor by "
                "zeros_like() of an argument"
            )
        _write(op, dest, primal)
        return dest
    _write(op, dest.primal, primal)
    if tangent is None:
        METHODS["zero_"](dest.tangent)
    else:
        _write(op, dest.tangent, tangent)
    return dest


def _write(op: Operator, dest: Tensor, result: Tensor) -> None:
    """Write a result of `op` to its destination; where copy_() refuses that, the error names `op`."""
    with _said_of(op, "copy_"):
        METHODS["copy_"](dest, result)


@contextmanager
def _said_of(op: Operator, name: str) -> Iterator[None]:
    """Have what a call of another operator refuses said of `op`, which the caller has called."""
    try:
        yield
    except Exception as error:
        if error.args and isinstance(error.args[0], str):
            error.args = (error.args[0].replace(f"{name}()", f"{op.name}()"), *error.args[1:])
        raise


def _check_fit(op: Operator, dest: Tensor, result: Tensor) -> None:
    """RuntimeError for a result that the tensor it is written to cannot hold."""
    if not out_holds(op.name, result.dtype, dest.dtype):
        raise unfit_out(op.name, result.dtype, dest.dtype)
    if tuple(dest.shape) != tuple(result.shape):
        raise RuntimeError(
            f"{op.name}(): the tensor that is written must have the shape {tuple(result.shape)} of the result; found "
            f"{tuple(dest.shape)}"
        )


def _recorded(t: Any) -> bool:
    """Whether a plain tensor inside of `t` is part of a graph."""
    if isinstance(t, Dual):
        return _recorded(t.primal) or _recorded(t.tangent)
    return _recorded(t.value) if isinstance(t, Batched) else t is not None and t.requires_grad


def _into_out(op: Operator, values: list[Any], out: Any) -> Any:
    args, kwargs = _dispatch.arguments(op, values)
    result = op(*args, **kwargs)
    dests = [out] if isinstance(out, Tensor) else list(out)
    results = [result] if isinstance(result, Tensor) else list(result)
    for d, r in zip(dests, results, strict=True):
        _check_fit(op, d, r)
        _write(op, d, r)
    return out


def install() -> None:
    """Put the transforms into the dispatcher."""
    if not any(fn is handle for _, fn in _dispatch.handlers):
        _dispatch.handlers.insert(0, (TRANSFORM, handle))


install()
