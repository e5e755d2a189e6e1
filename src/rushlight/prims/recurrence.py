"""Recurrences whose step is a program: each step takes the results of the step before."""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.dtypes import dtype
from rushlight.core.nesting import reached
from rushlight.prims.base import CHEAP_KINDS, check, instantiate, move_dim, p, register, to_front, zeros_like
from rushlight.prims.emit import emit_batched, tangents_of
from rushlight.prims.types import Batched, ShapeRule, Tangents
from rushlight.program.ir import Builder, Eqn, Primitive, Program, Shape, Var
from rushlight.program.sym import Int

Counts = tuple[int, int]


class Recurrence(Primitive):
    """recurrence(*constants, *rows, *first; body, counts, reverse) -> tuple: body(*constants, *rows[t], *carried) for
    t = 0, 1, ... (or from the last t to 0, when `reverse`), each step's results one row of the outputs.

    counts: how many constants and rows there are; the others are what the first step is given as carried. As many of a
    step's first results are given to the next step. At least one operand has rows, along its dimension 0,
    and all have as many. body is a Program in the symbols of the program that the equation is in; it has no scalars.

    A derivative of it is one again, with what does not depend on the step before computed for all steps at once. So
    are its transpose and its batched form.
    """

    apart = "each step takes what the one before it gives"
    name, kind, shape_class, multiple = "recurrence", "library", "scan", True

    def has_routine(self, d: dtype) -> bool:
        return True  # the body is compiled as a program is

    def stored(self, **params: Any) -> int:
        return 1

    def shape(self, *inputs: Var, **params: Any) -> ShapeRule:
        body, counts = params["body"], params["counts"]
        _, rows, first = parted(inputs, counts)
        check(len(rows) > 0, self, "expected at least one operand with rows")
        check(len(inputs) == len(body.inputs), self, lambda: f"expected {len(body.inputs)} operands; found {inputs}")
        check(len(first) <= len(body.outputs), self, lambda: f"{len(body.outputs)} results of a step for {len(first)}")
        length = rows[0].shape[0]
        for k, (v, e) in enumerate(zip(inputs, body.inputs, strict=True)):
            shape = (length, *e.shape) if counts[0] <= k < sum(counts) else e.shape
            self._fits(v, e, shape, f"operand {k}")
        for k, (y, x) in enumerate(zip(body.outputs, first, strict=False)):
            self._fits(y, x, x.shape, f"result {k} of a step")
        return [((length, *v.shape), v.dtype) for v in body.outputs]

    def _fits(self, v: Var, like: Var, shape: Shape, what: str) -> None:
        check(v.dtype is like.dtype, self, lambda: f"{what} must be {like.dtype}; found {v}", TypeError)
        check(v.ndim == len(shape) and v.shape == shape, self, lambda: f"{what} must have the shape {shape}; found {v}")

    def jvp(
        self,
        inputs: Sequence[Var],
        outputs: Sequence[Var],
        tangents: Tangents,
        /,
        *,
        body: Program,
        counts: Counts,
        reverse: bool,
    ) -> Tangents:
        first = parted(inputs, counts)[2]
        carried = {k for k, t in enumerate(parted(tangents, counts)[2]) if t is not None}
        while True:
            step = _Tangents(body, counts, tangents, carried)
            found = {k for k in range(len(first)) if step.results[k] is not None}
            if found <= carried:
                break
            carried |= found
        return step.emit(self, inputs, outputs, tangents, reverse)

    def batch(
        self,
        inputs: Sequence[Var],
        dims: Sequence[int | None],
        size: Int,
        /,
        *,
        body: Program,
        counts: Counts,
        reverse: bool,
    ) -> Batched:
        n = sum(counts)
        moved = [v if d is None else to_front(v, d, size) for v, d in zip(inputs, dims, strict=True)]
        where = [None if d is None else 0 for d in dims]
        while True:
            with Builder(Builder.current().env) as b:
                args = [
                    b.input(v.shape if d is None else (size, *v.shape), v.dtype)
                    for v, d in zip(body.inputs, where, strict=True)
                ]
                outs, odims = emit_batched(body, args, where, size)
                found = [k for k in range(n, len(inputs)) if where[k] is None and odims[k - n] is not None]
                if not found:
                    outs = [
                        v if d is None and not (k < len(inputs) - n and where[n + k] == 0) else to_front(v, d, size)
                        for k, (v, d) in enumerate(zip(outs, odims, strict=True))
                    ]
                    step = b.build(outs)
                    break
            for k in found:
                where[k], moved[k] = 0, to_front(moved[k], None, size)
        operands = [
            move_dim(v, 0, 1) if d == 0 and counts[0] <= k < n else v
            for k, (v, d) in enumerate(zip(moved, where, strict=True))
        ]
        result = self.several(*operands, body=step, counts=counts, reverse=reverse)
        return result, [1 if v.ndim > y.ndim else None for v, y in zip(step.outputs, body.outputs, strict=True)]


def parted(values: Sequence[Any], counts: Counts) -> tuple[list[Any], list[Any], list[Any]]:
    """Constants, those with rows, those of the first step."""
    n, m = counts
    return list(values[:n]), list(values[n : n + m]), list(values[n + m :])


def before(states: Var, first: Var, reverse: bool) -> Var:
    """The values that each step was given, from those that each step has made."""
    n, one = states.shape[0], p.reshape(first, shape=(1, *first.shape))
    start = tuple(1 if reverse and d == 0 else 0 for d in range(states.ndim))
    rest = p.slice(states, starts=start, sizes=(n - 1, *first.shape), steps=(1,) * states.ndim)
    return p.concatenate(*((rest, one) if reverse else (one, rest)), dim=0)


def last(states: Var, reverse: bool) -> Var:
    """The values that the last step has made."""
    start = tuple(states.shape[0] - 1 if d == 0 and not reverse else 0 for d in range(states.ndim))
    row = p.slice(states, starts=start, sizes=(1, *states.shape[1:]), steps=(1,) * states.ndim)
    return p.reshape(row, shape=states.shape[1:])


class _Tangents:
    """The tangents of one step, in terms of its operands, its results, and the tangents of its operands.

    results: the tangent of each result of the step, None where it is zero.
    """

    def __init__(self, body: Program, counts: Counts, tangents: Tangents, carried: set[int]) -> None:
        self.body, self.counts = body, counts
        n = sum(counts)
        with Builder(Builder.current().env) as b:
            self.args = [b.input(v.shape, v.dtype) for v in body.inputs]
            self.made = [b.input(v.shape, v.dtype) for v in body.outputs]
            self.given: list[Var | None] = [
                b.input(v.shape, v.dtype) if (t is not None if k < n else k - n in carried) else None
                for k, (v, t) in enumerate(zip(body.inputs, tangents, strict=True))
            ]
            value = dict(zip(body.inputs, self.args, strict=True))
            known = dict(zip(body.outputs, self.made, strict=True))
            tangent: dict[Var, Var | None] = dict(zip(body.inputs, self.given, strict=True))
            for e in body.eqns:
                self._emit(b, e, value, known, tangent)
            self.results = [tangent.get(v) for v in body.outputs]
            self.eqns = list(b.eqns)
        self.carried = [t for t in self.given[n:] if t is not None]

    @staticmethod
    def _emit(b: Builder, e: Eqn, value: dict[Var, Var], known: dict[Var, Var], tangent: dict[Var, Var | None]) -> None:
        ins = [value[v] for v in e.inputs]
        outs = [known.get(v, o) for v, o in zip(e.outputs, b.results(e.prim, ins, e.params), strict=True)]
        value.update(zip(e.outputs, outs, strict=True))
        tangents_of(e, ins, outs, tangent)

    def emit(
        self, prim: Primitive, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, reverse: bool
    ) -> Tangents:
        """The tangents of the outputs: a recurrence for the part that depends on the step before, and everything else
        at once."""
        n_constants = self.counts[0]
        n = sum(self.counts)
        first = inputs[n:]
        length = outputs[0].shape[0]
        # The value outside for each input of the step: the same for all steps, or a row for each.
        rows: dict[Var, Var] = dict(zip(self.args[n_constants:n], inputs[n_constants:n], strict=True))
        constants: dict[Var, Var] = dict(zip(self.args[:n_constants], inputs[:n_constants], strict=True))
        rows.update(
            (v, before(y, x, reverse)) for v, y, x in zip(self.args[n:], outputs[: len(first)], first, strict=True)
        )
        rows.update(zip(self.made, outputs, strict=True))
        for k, (v, t) in enumerate(zip(self.given[:n], tangents[:n], strict=True)):
            if v is not None and t is not None:
                (constants if k < n_constants else rows)[v] = t
        own = set(self.carried)  # values that depend on the step before
        moved: set[Var] = {v for v in self.given[:n] if v is not None}  # what depends on other tangents alone
        for e in self.eqns:
            if any(v in own for v in e.inputs):
                own.update(e.outputs)
            elif any(v in moved for v in e.inputs):
                moved.update(e.outputs)
        outside = self._frontier(own, moved)
        with Builder(Builder.current().env) as b:
            b.inputs = [*constants, *rows]
            b.eqns = self.eqns
            hoisted = b.build(outside)
        values, dims = emit_batched(
            hoisted, [*constants.values(), *rows.values()], [None] * len(constants) + [0] * len(rows), length
        )
        for v, x, d in zip(outside, values, dims, strict=True):
            if d is None and v not in moved:
                constants[v] = x
            else:  # (a tangent is a row of its own for each step: its transpose sums over the steps outside)
                rows[v] = to_front(x, d, length)
        return self._recurrence(prim, constants, rows, own, inputs, outputs, tangents, reverse)

    def _frontier(self, own: set[Var], moved: set[Var]) -> list[Var]:
        """The values of the step that are computed outside, for all steps at once: tangents that do not depend on the
        step before, and expensive values.
        """

        def ends(v: Var) -> bool:
            return v.eqn is None or (v not in own and (v in moved or v.eqn.prim.kind not in CHEAP_KINDS))

        values = reached(self.results, lambda v: () if ends(v) or v.eqn is None else v.eqn.inputs)
        return [v for v in values if v.eqn is not None and ends(v)]

    def _recurrence(
        self,
        prim: Primitive,
        constants: dict[Var, Var],
        rows: dict[Var, Var],
        own: set[Var],
        inputs: Sequence[Var],
        outputs: Sequence[Var],
        tangents: Tangents,
        reverse: bool,
    ) -> Tangents:
        n = sum(self.counts)
        carried = [k for k, t in enumerate(self.given[n:]) if t is not None]
        others = [k for k, t in enumerate(self.results) if k not in carried and t is not None]
        inside = [k for k in others if self.results[k] in own]
        found: list[Var | None] = [None] * len(self.results)
        for k in others:
            t = self.results[k]
            if k not in inside and t is not None:
                found[k] = rows[t] if t in rows else to_front(constants[t], None, outputs[0].shape[0])
        if not carried:
            return found
        wanted = [*carried, *inside]
        with Builder(Builder.current().env) as b:
            value: dict[Var, Var] = {}
            for v in (*constants, *rows, *self.carried):
                value[v] = b.input(v.shape, v.dtype)
            for e in self.eqns:
                if any(v not in value for v in e.outputs) and all(v in value for v in e.inputs):
                    outs = b.results(e.prim, [value[v] for v in e.inputs], e.params)
                    for v, new in zip(e.outputs, outs, strict=True):
                        value.setdefault(v, new)
            results = [self.results[k] for k in wanted]
            step = b.build(
                [zeros_like(self.made[k]) if t is None else value[t] for k, t in zip(wanted, results, strict=True)]
            )
        first = [instantiate(tangents[n + k], inputs[n + k]) for k in carried]
        made = recurrence_of_used(prim, step, list(constants.values()), list(rows.values()), first, reverse)
        for k, y in zip(wanted, made, strict=True):
            found[k] = y
        return found


def recurrence_of_used(
    prim: Primitive, step: Program, constants: Sequence[Var], rows: Sequence[Var], first: Sequence[Var], reverse: bool
) -> tuple[Var, ...]:
    """The recurrence, less the constants and rows that its step does not read; one operand with rows stays."""
    used = {v for e in step.eqns for v in e.inputs}.union(step.outputs)
    operands = [*constants, *rows]
    kept = [k for k in range(len(operands)) if step.inputs[k] in used]
    if all(k < len(constants) for k in kept):
        kept.append(len(constants))
    n = sum(k < len(constants) for k in kept)
    places = [*kept, *range(len(operands), len(step.inputs))]
    body = Program(step.env, [step.inputs[k] for k in places], step.eqns, step.outputs)
    return prim.several(*[operands[k] for k in kept], *first, body=body, counts=(n, len(kept) - n), reverse=reverse)


recurrence = register(Recurrence())
