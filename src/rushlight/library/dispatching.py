"""Turns a call of the table into the overloads of `torch.ops.aten`, one or several, that `__torch_dispatch__` is
handed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.library.aten import _NAMED_AS, operator_of, overload
from rushlight.library.calls import _TAKES, _TAKES_OUT, _slice
from rushlight.library.compositions import COPIES, STEPS
from rushlight.library.inner import CHAINS, INNER, Step, keeps_statistics
from rushlight.library.leaves import LEAVES, WHOLE, Call, basic_index
from rushlight.library.operator import OpOverload
from rushlight.library.recording import by_program, due, mark_wrapped, recorded, recorded_by_body, recorded_in_place
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.operators.table.dispatch import arguments, below_special
from rushlight.operators.table.node_names import Values
from rushlight.operators.table.returns import TYPES
from rushlight.operators.table.trace import trace

Hand = Callable[[OpOverload, tuple[Any, ...], dict[str, Any]], Any]

_PREFIXED = ("linalg", "special", "fft")


def _key(op: Operator) -> str:
    return op.definition.name.strip("_")  # type: ignore[no-any-return]


def _reshapes(op: Operator) -> bool:
    """Whether the call's own body changes its argument: `squeeze_`, `transpose_`."""
    return op.eager is not None and op.definition.name.endswith("_")


def aten_name(op: Operator) -> str:
    """The name of aten's operator: linalg_qr, special_i0e, relu_."""
    space, name = op.definition.namespace, op.definition.name
    return (f"{space}_{name}" if space in _PREFIXED else name.lstrip("_") if not name.startswith("__") else name) + (
        "_" if op.inplace else ""
    )


def _plain_call(op: Operator, values: Sequence[Any], out: Any) -> Call:
    args, kwargs = arguments(op, values)
    args = tuple(list(x) if isinstance(x, tuple) else x for x in args)
    if out is not None:
        kwargs["out"] = out
    return f"{aten_name(op)}.{'out' if out is not None else 'default'}", args, kwargs


# Factories and the like, whose body runs at every call here, and which are one operator in PyTorch.
_RECORDED = frozenset(
    """cat stack clone chunk split split_with_sizes unbind narrow where embedding interpolate view as_strided
    view_as_real
    view_as_complex""".split()
)  # those of them that are differentiable
# Operators whose body reads values, or makes numbers from sizes, so that no program has a gradient to be derived.
_BY_BODY = frozenset(("masked_select", "segment_reduce", "interpolate", "index_by_masks", "binary_cross_entropy"))
_EAGER_LEAVES = frozenset(LEAVES) - {"pad", "index", "index_put", "conj_physical"}


def dispatch_wrapped(
    op: Operator, values: Sequence[Any], out: Any, hand: Hand, again: Callable[[Callable[[], Any]], Any]
) -> Any:
    """`dispatch` for instances of classes with `__torch_dispatch__`: the graph is above them, and the names of results,
    which handlers give in plain tuples.
    """
    result = _dispatch_recorded(op, values, out, hand, again)
    if type(result) is tuple and (named := TYPES.get(aten_name(op))) is not None:
        return named(*result) if len(result) == len(named._fields) else result  # type: ignore[attr-defined]
    return result


def _dispatch_recorded(
    op: Operator, values: Sequence[Any], out: Any, hand: Hand, again: Callable[[Callable[[], Any]], Any]
) -> Any:
    if (i := op.index.get("requires_grad")) is not None and values[i]:
        # The handler's result, of unknown type, is made a leaf.
        made = dispatch_wrapped(op, [*values[:i], False, *values[i + 1 :]], out, hand, again)
        return made.requires_grad_() if isinstance(made, Tensor) else made
    # of no program: by what it consists of
    if op.eager is not None and _key(op) == "lstsq" and out is None and due(values):
        return again(lambda: op.eager(*values))  # type: ignore[misc]
    if op.eager is not None and _key(op) in _BY_BODY and out is None and due(values):
        with no_grad():
            result = dispatch(op, values, out, hand, again)
        return recorded_by_body(op, values, result)
    if op.eager is not None and (_key(op) not in _RECORDED or _reshapes(op)) or out is not None or not due(values):
        result = dispatch(op, values, out, hand, again)
        if _is_view(op):
            mark_wrapped(op, values, result)
        return values[0] if op.inplace and op.eager is None and result is not NotImplemented else result
    if op.inplace:
        return recorded_in_place(
            op, values, lambda: dispatch(op, values, out, hand, again), lambda t: again(lambda: METHODS["clone"](t))
        )
    with no_grad():
        result = dispatch(op, values, out, hand, again)
        if _is_view(op):
            mark_wrapped(op, values, result)
    return recorded(op, values, result)


def _is_view(op: Operator) -> bool:
    """Whether the call is one that passes views on (a composition passes on others)."""
    return op.is_view or op.eager is not None and op.definition.name in _VIEWS


_VIEWS = frozenset(
    {
        "chunk",
        "split",
        "split_with_sizes",
        "unbind",
        "narrow",
        "view",
        "as_strided",
        "view_as_real",
        "view_as_complex",
        "alias",
    }
)


@functools.cache
def _is_public(op: Operator) -> bool:
    return any(op is found for names in (TABLE, METHODS) for found in names.values())


_INNER = frozenset({"index", "index_put"})  # programs whose rules know their own parameters


@functools.cache
def _is_composed(op: Operator, key: str, ruled: bool) -> bool:
    """Whether a call is handed on as those that it consists of, since aten's operator of that name is another one, with
    other parameters, or there is none.

    So it is with the functions of `masked`, with those that are in the package's namespace beside one of
    nn.functional's, and with programs inside of a public operator.
    """
    if op.definition.namespace in ("masked", "signal.windows"):
        return True
    if key in STEPS or key in COPIES or key == "slice_view":
        return False
    public = operator_of(key)
    if key not in _INNER and public is not None and not _is_public(op) and not set(op.index) <= set(public.index):
        return True
    if (
        op.eager is not None
        and op.definition.namespace == ""
        and f"nn.functional.{key}" in TABLE
        and TABLE[f"nn.functional.{key}"] is not op
    ):
        return True
    return not ruled and operator_of(aten_name(op)) not in (op, None)


def dispatch(
    op: Operator, values: Sequence[Any], out: Any, hand: Hand, again: Callable[[Callable[[], Any]], Any]
) -> Any:
    """Hand a call on as aten's, by hand(overload, args, kwargs) for each overload; again(f) runs f so that the
    operators it calls are passed on as well.
    """
    if op.eager is None and op.definition.shape_class == "internal":
        return again(lambda: by_program(op, values))
    key = _key(op)
    v = Values((p.name, x) for p, x in zip(op.params, values, strict=True))
    whole_key = f"{op.definition.namespace}_{key}" if op.definition.namespace in _PREFIXED else key
    rule = LEAVES.get(whole_key)
    chain = CHAINS.get(whole_key)
    if key == "running" and op.inplace and keeps_statistics():
        return values[0]
    if chain is not None and out is None and not op.inplace and (op.eager is None or op.definition.namespace != ""):
        step = Step(
            lambda name, args, kwargs: _step(op, hand, name, args, kwargs),
            due(values),
            lambda: again(lambda: op.eager(*values)),  # type: ignore[misc]
        )
        result = chain(v, step)
        if result is not None:
            return named_as(op, values, result)
    if out is None and not op.inplace and _is_composed(op, key, rule is not None):
        return again(lambda: op.eager(*values) if op.eager is not None else by_program(op, values))
    if not op.inplace and out is None:
        if key == "slice_view":
            return _views(op, v, values, hand)
        composed = STEPS.get(key) or (COPIES.get(key) if op.eager is None else None)
        if composed is not None:
            result = again(lambda: composed(v))
            if result is not None:
                return result
    if op.eager is not None and key not in _EAGER_LEAVES and op.definition.name.rstrip("_") not in WHOLE:
        return again(lambda: op.eager(*values) if out is None else op.eager(*values, out=out))  # type: ignore[misc]
    if rule is None or out is not None:
        name, args, kwargs = _plain_call(op, values, out)
        return hand(overload(name, op), args, kwargs)
    name, args, kwargs = rule(v)
    if op.inplace or _reshapes(op):
        base, _, short = name.partition(".")
        name = f"{base}_.{'default' if base == 'transpose' else short}"
    made = overload(name, op, _TAKES.get(name.partition(".")[0]))
    return _TAKES_OUT.get(name.partition(".")[0], lambda r: r)(hand(made, args, kwargs))


def _step(op: Operator, hand: Hand, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Hand on one of the calls that a call consists of, under an inner name ("default" where no overload is said)."""
    base = name.partition(".")[0]
    made = overload(
        name if "." in name else f"{name}.default", operator_of(_NAMED_AS.get(base, base)) or op, _TAKES.get(base)
    )
    return hand(made, args, kwargs)


def named_as(op: Operator, values: Sequence[Any], result: Any) -> Any:
    """A tuple of results as the class that the operator gives them, which knows them by name."""
    if not isinstance(result, tuple) or op.eager is not None:
        return result
    structure = trace(op, values)[2]
    return tuple(result) if structure is None else structure(list(result))


def represented(op: Operator, args: Sequence[Any], kwargs: dict[str, Any]) -> OpOverload:
    """The overload that stands for a whole call: of a composition the product in it, which is what costs time and
    memory.
    """
    values = [args[i] if i < len(args) else kwargs.get(p.name, p.default) for i, p in enumerate(op.params)]
    key, v = _key(op), Values((p.name, x) for p, x in zip(op.params, values, strict=True))
    if key in ("matmul", "linear"):
        name = (
            "addmm"
            if v["bias"] is not None
            else "mm"
            if key == "linear" or max(v["input"].ndim, v["other"].ndim) <= 2
            else "bmm"
        )
        return overload(f"{name}.default", TABLE[name])
    rule = LEAVES.get(key)
    if key in ("max", "min"):
        over = args[1] if len(args) > 1 else kwargs.get("dim")
        return overload(f"{key}.{'dim' if isinstance(over, int) else 'other' if over is not None else 'default'}", op)
    name = rule(v)[0] if rule is not None else _plain_call(op, values, None)[0]
    return overload(name, op, _TAKES.get(name.partition(".")[0]))


def _views(op: Operator, v: Values, values: Sequence[Any], hand: Hand) -> Any:
    x = v["input"]
    calls = basic_index(v)
    if not calls:
        return hand(
            overload(
                "alias.default",
                TABLE["alias"] if "alias" in TABLE else op,
                lambda t: below_special(op, [t, *values[1:]]),
            ),
            (x,),
            {},
        )
    for name, args, _ in calls:
        target = (
            TABLE[{"unsqueeze": "unsqueeze", "select": "select", "slice": "narrow"}[name.partition(".")[0]]]
            if not name.startswith("slice")
            else op
        )
        x = hand(overload(name, target, _slice if name.startswith("slice") else None), (x, *args[1:]), {})
    return x


_TAKES.update({name: function for name, (_, function) in INNER.items()})
_NAMED_AS.update({name: owner for name, (owner, _) in INNER.items()})
