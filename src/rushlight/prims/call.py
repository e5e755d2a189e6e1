"""Calls: a function with a derivative of its own; a value that has none, and what a derivative keeps of a value."""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.prims.base import check, instantiate, p, register, to_front
from rushlight.prims.emit import emit_batched, emit_jvp, outputs_of, trace
from rushlight.prims.types import Batched, Operands, ShapeRule, Tangents
from rushlight.program.ir import Hole, Primitive, Var
from rushlight.program.sym import Int

Rule = Callable[..., Any] | None


class CustomCall(Primitive):
    """custom_call(*xs; body, jvp, name, transpose) -> tuple: what body(*xs) emits and returns, differentiated by a rule
    of its own.

    body(*xs) returns a Var or a tuple of Vars; jvp(inputs, outputs, tangents) returns a tangent (or None) per output
    and may use outputs, which is why one writes it; jvp=None differentiates the body. transpose(inputs, cotangents)
    returns a cotangent per input of which the value is not known (None in `inputs`), for a call that is linear in
    these; transpose=None transposes the body. Inlined before compilation.
    """

    name, kind, multiple = "custom_call", "call", True

    def shape(self, *inputs: Var, body: Callable[..., Any], jvp: Rule, name: str, transpose: Rule = None) -> ShapeRule:
        check(
            callable(body), self, lambda: f"{name}: expected a function as body; found {type(body).__name__}", TypeError
        )
        return [(v.shape, v.dtype) for v in trace(body, inputs).outputs]

    def jvp(
        self,
        inputs: Sequence[Var],
        outputs: Sequence[Var],
        tangents: Tangents,
        /,
        *,
        body: Callable[..., Any],
        jvp: Rule,
        name: str,
        transpose: Rule = None,
    ) -> Tangents:
        if jvp is None:
            return emit_jvp(trace(body, inputs), inputs, tangents)[1]
        found = jvp(tuple(inputs), tuple(outputs), tuple(tangents))
        result = tuple(found) if isinstance(found, (tuple, list)) else (found,)
        check(
            len(result) == len(outputs),
            self,
            lambda: f"{name}: the jvp rule gave {len(result)} tangents for {len(outputs)} outputs",
        )
        for t, y in zip(result, outputs, strict=True):
            check(
                t is None or (t.ndim == y.ndim and t.shape == y.shape and t.dtype is y.dtype),
                self,
                lambda: f"{name}: the jvp rule gave the tangent {t} for the output {y}",
            )
        return result

    def transpose(self, cts: Tangents, inputs: Operands, **params: Any) -> Tangents:
        # Without a rule the reverse sweep looks into the call (transforms/transpose.py).
        known = [None if isinstance(v, Hole) else v for v in inputs]
        found = iter(outputs_of(params["transpose"](tuple(known), tuple(cts))))
        return [next(found) if v is None else None for v in known]

    def batch(
        self,
        inputs: Sequence[Var],
        dims: Sequence[int | None],
        size: Int,
        /,
        *,
        body: Callable[..., Any],
        jvp: Rule,
        name: str,
        transpose: Rule = None,
    ) -> Batched:
        where = tuple(None if d is None else 0 for d in dims)
        moved = [v if d is None else to_front(v, d, size) for v, d in zip(inputs, dims, strict=True)]

        def one(v: Var, d: int | None) -> tuple[Any, ...]:
            return v.shape if d is None else v.shape[1:]

        def mapped(fn: Callable[..., Any], args: Sequence[Var], bdims: Sequence[int | None]) -> list[Var]:
            program = trace(fn, args, [one(v, d) for v, d in zip(args, bdims, strict=True)])
            outs, odims = emit_batched(program, args, bdims, size)
            return [to_front(v, d, size) for v, d in zip(outs, odims, strict=True)]

        def batched_body(*args: Var) -> tuple[Var, ...]:
            return tuple(mapped(body, args, where))

        def batched_jvp(ins: Sequence[Var], outs: Sequence[Var], tangents: Tangents) -> list[Var | None]:
            n, m, present = len(ins), len(outs), [i for i, t in enumerate(tangents) if t is not None]
            given: list[int] = []

            def rule(*args: Var) -> tuple[Var, ...]:
                ts: list[Var | None] = [None] * n
                for i, t in zip(present, args[n + m :], strict=True):
                    ts[i] = t
                assert jvp is not None
                found = outputs_of(jvp(args[:n], args[n : n + m], tuple(ts)))
                given[:] = [i for i, t in enumerate(found) if t is not None]
                return tuple(found[i] for i in given)

            bdims = [*where, *[0] * m, *(where[i] for i in present)]
            result = mapped(rule, [*ins, *outs, *(instantiate(tangents[i], ins[i]) for i in present)], bdims)
            by_output = dict(zip(given, result, strict=True))
            return [by_output.get(i) for i in range(m)]

        def batched_transpose(ins: Sequence[Var | None], cts: Tangents) -> list[Var]:
            known, present = ([i for i, v in enumerate(vs) if v is not None] for vs in (ins, cts))

            def rule(*args: Var) -> tuple[Var, ...]:
                vs: list[Var | None] = [None] * len(ins)
                cs: list[Var | None] = [None] * len(cts)
                for some, places, given in ((vs, known, args[: len(known)]), (cs, present, args[len(known) :])):
                    for i, v in zip(places, given, strict=True):
                        some[i] = v
                assert transpose is not None
                return outputs_of(transpose(tuple(vs), tuple(cs)))

            bdims = [*(where[i] for i in known), *[0] * len(present)]
            found = mapped(rule, [v for v in (*ins, *cts) if v is not None], bdims)
            # The cotangent of a value that is the same for all examples is the sum of theirs.
            unknown = [i for i, v in enumerate(ins) if v is None]
            return [v if where[i] == 0 else p.reduce_sum(v, dims=(0,)) for i, v in zip(unknown, found, strict=True)]

        outs = self.several(
            *moved,
            body=batched_body,
            jvp=None if jvp is None else batched_jvp,
            name=name,
            transpose=None if transpose is None else batched_transpose,
        )
        return outs, [0] * len(outs)


class Kept(Primitive):
    """kept(x): x, which a backward keeps in memory of its own: operands and results may then be overwritten."""

    name, kind, identity = "kept", "call", True

    def shape(self, *inputs: Var, **params: Any) -> ShapeRule:
        (x,) = inputs
        return [(x.shape, x.dtype)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return list(tangents)

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        return [self(inputs[0], **params)], [dims[0]]


class StopGradient(Kept):
    """stop_gradient(x): x, with a zero tangent."""

    name = "stop_gradient"

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return [None]


class Given(Kept):
    """given(x): x, as a result that the caller may overwrite: a backward computes x again."""

    name = "given"


class Operand(Kept):
    """operand(x; call, view): x, as an operand of one call in a program of many: the cotangents that reach x from that
    call are summed first, as the call's own node would do; and a backward keeps x, or its cotangent, where computing it
    again would read more memory. call: the number of the call and that of the operand, which distinguish this use of x
    from others. view: the call is a view, whose cotangent is put into its place and not summed.
    """

    name = "operand"

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return [None if tangents[0] is None else self(tangents[0], **params)]

    def transpose(self, cts: Tangents, inputs: Sequence[Any], **params: Any) -> Tangents:
        return [cts[0] if cts[0] is None or params["view"] else self(cts[0], **params)]


class Buffered(Kept):
    """buffered(x; free): x, in a row-major buffer of its own, for a value that a kernel reads far more often than it
    should be computed, or in another order. free: in the order of dimensions of the operator's results.
    """

    name, kind, identity, buffered = "buffered", "pointwise", False, True

    def in_order_of_results(self, **params: Any) -> bool:
        return bool(params.get("free"))


custom_call, stop_gradient, kept, given, operand, buffered = (
    register(CustomCall()),
    register(StopGradient()),
    register(Kept()),
    register(Given()),
    register(Operand()),
    register(Buffered()),
)
