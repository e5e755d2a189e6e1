"""`Operator.shape_class`: how a result's shape and order follow from the inputs, derived from the operator's program.

A class is that of the strongest primitive in the program; an eager operator is traced as part of a program, so the
operators that it calls decide. An operator that cannot be traced (since it needs data, or Python objects) gives its
class in its decorator.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from rushlight.core.dispatch import Operator
from rushlight.core.nesting import found_in, mapped
from rushlight.core.tensor import Tensor
from rushlight.operators.table.define import METHODS, TABLE, operator_of
from rushlight.operators.table.tracer import Tracer, tracer
from rushlight.program.ir import Builder, Eqn, Var, live
from rushlight.program.sym import SymEnv

# Strongest first: the class of a program is the first that one of its primitives belongs to.
CLASSES = {
    "data-dependent": "the result's size, or whether there is one, depends on values; it cannot be traced",
    "random": "draws random numbers",
    "linalg": "factors, solves or decomposes matrices, by a library's routine",
    "transform": "Fourier, cosine and sine transforms along dimensions, by a library's routine",
    "contraction": (
        "sums products over shared dimensions: products of matrices, convolutions, and what is built on them"
    ),
    "sort": "orders elements along a dimension",
    "scan": "visits a dimension in sequence: cumulative operations",
    "reduction": (
        "folds dimensions by sums, extremes and the like, also where the result is spread over them again "
        "(softmax, normalization)"
    ),
    "index": "reads or writes at places that are computed: indices, masks, sampling grids",
    "join": "puts several pieces side by side",
    "movement": "puts elements in other places by a fixed rule, and may combine neighbours",
    "pointwise": "each element of the result is computed from the elements at the same place, after broadcasting",
    "view": "the input's own memory with other sizes and strides; no element is touched",
    "factory": "the result depends on no tensor's values",
    "host": "gives or takes Python objects: numbers, metadata, other libraries' arrays",
}
_OF_KIND = {
    "pointwise": "pointwise",
    "view": "movement",
    "index": "movement",
    "reduce": "reduction",
    "gather": "index",
    "scatter": "index",
    "scan": "scan",
    "library": "linalg",
}
_UNDECLARED = ("other", "composite", "internal")  # what `@operator` and `@eager` say when nothing is declared
_derived: dict[int, str] = {}  # by id of the definition, which lives as long as the process


def shape_class_of(op: Operator) -> str:
    """The shape class of an operator, one of CLASSES: derived from its programs; its decorator may name a stronger
    class.

    Raises:
        LookupError: for an operator that cannot be derived and whose decorator says nothing.
    """
    definition = op.definition
    if id(definition) not in _derived:
        said = definition.shape_class
        found = {c for c in (derived(op), said) if c is not None} - set(_UNDECLARED)
        if not found:
            raise LookupError(f"{op.name}(): no sample of it can be traced; say its shape_class in its decorator")
        if unknown := found - set(CLASSES):
            raise LookupError(
                f"{op.name}(): there is no shape class {unknown.pop()!r}, expected one of {', '.join(CLASSES)}"
            )
        _derived[id(definition)] = min(found, key=list(CLASSES).index)
    return _derived[id(definition)]


def derived(op: Operator) -> str | None:
    """The class that follows from the signature (a generator means random numbers, requires_grad new tensors), else the
    class of most of the operator's samples; None where no sample can be traced."""
    names = {p.name for p in op.params}
    if "generator" in names:
        return "random"
    if op.name.endswith("_") and (plain := METHODS.get(op.name[:-1])) is not None:
        return shape_class_of(plain)
    found = [c for c in (class_of_call(op, s) for s in _samples(op)) if c]
    if "requires_grad" in names and set(found) <= {"factory"}:
        return "factory"
    return max(found, key=lambda c: (found.count(c), -list(CLASSES).index(c)), default=None)


def _samples(op: Operator) -> Iterator[Any]:
    """Some of the operator's samples, spread over all there are; those of its namesake when it has none of its own."""
    from rushlight.core import dtypes as dt
    from rushlight.testing import samples

    known = samples.load()
    # (not those of another form: their arguments may stand in another order)
    names = [k for k in known if (operator_of(k) if k in TABLE else METHODS.get(k)) is op]
    names += [k for k in known if getattr(TABLE.get(k) or METHODS.get(k), "definition", None) is op.definition] + [
        op.name
    ] * (op.name in known)
    if names:
        spec = known[names[0]]
        good = spec.samples(dt.float32 if dt.float32 in spec.dtypes else spec.dtypes[0])
        yield from good[:: max(1, len(good) // 8)]


def class_of_call(op: Operator, sample: Any) -> str | None:
    """The class by the program of one call; None when it says nothing (no elements, nothing computed)."""
    builder = Builder(SymEnv())
    made: dict[int, Tracer] = {}

    def stand_in(x: Any) -> Any:
        if isinstance(x, Tensor):
            if id(x) not in made:
                made[id(x)] = tracer(Var([1 if n == 1 else builder.env.new(n) for n in x.shape], x.dtype, "tensor"))
            return made[id(x)]
        return x

    args, kwargs = mapped(list(sample.args), stand_in), mapped(dict(sample.kwargs), stand_in)
    given = [t.var for t in made.values()]
    with builder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the caller asks about the operator, and has not called it
        try:
            result = op(*args, **kwargs)
        except (NotImplementedError, RuntimeError, TypeError) as error:
            if "depends on data" in str(error) or "needs data" in str(error):
                return "data-dependent"
            return None  # it needs Python's own values: the decorator gives the class
        outputs = list(_tracers(result))
    if not outputs:
        return "factory" if any(True for _ in found_in(result, Tensor)) else "host"
    if op.is_view:
        return "view"
    found = class_of_program(builder, [t.var for t in outputs], given)
    # a value that a program computes has memory of its own
    may_be_view = op.eager is not None and found in ("movement", "pointwise")
    return "view" if may_be_view and shares_memory(op, sample) else found


def shares_memory(op: Operator, sample: Any) -> bool:
    """Whether the call gives views of its first argument (and not that argument itself)."""
    first = next(found_in([*sample.args, *sample.kwargs.values()], Tensor), None)
    results = list(found_in(op(*sample.args, **sample.kwargs), Tensor))
    return first is not None and all(r is not first and r.untyped_storage() is first.untyped_storage() for r in results)


def class_of_program(builder: Builder, outputs: list[Var], inputs: list[Var]) -> str:
    """The class of what computes `outputs`."""
    from rushlight.transforms import inline_calls

    builder.inputs = inputs
    program = inline_calls(builder.build(outputs))
    sources: dict[Var, set[Var]] = {v: {v} for v in program.inputs}  # the inputs that a value depends on
    found = set()
    for e in live(program.eqns, program.outputs):
        depends = [sources.get(v, set()) for v in e.inputs]
        for out in e.outputs:
            sources[out] = set().union(*depends)
        found.add(class_of_eqn(e, depends))
    found.discard("")
    if "random" not in found and not any(sources.get(v) for v in program.outputs):
        return "factory"
    return min(found, key=list(CLASSES).index, default="pointwise")


def class_of_eqn(e: Eqn, depends: list[set[Var]]) -> str:
    """The class of one primitive; "" for those that say nothing (constants, broadcasting, dimensions of size 1)."""
    if e.prim.name == "broadcast_in_dim" or (
        e.prim.name == "reshape" and _without_ones(e.inputs[0]) == _without_ones(e.outputs[0])
    ):
        return ""
    if e.prim.shape_class == "join":  # pieces of one and the same tensor only change places
        return "join" if any(d != depends[0] for d in depends) else "movement"
    return e.prim.shape_class or _OF_KIND.get(e.prim.kind, "")


def _without_ones(v: Var) -> list[Any]:
    return [n for n in v.shape if not (isinstance(n, int) and n == 1)]


def _tracers(result: Any) -> Iterator[Tracer]:
    return (t for t in found_in(result, Tensor) if isinstance(t, Tracer))
