"""Instantiation: a program emitted into another trace, with its symbols given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rushlight.program.ir import Builder, Eqn, Program, Var
from rushlight.program.sym import Atom, Int, Sym


def substitute(x: Any, values: Sequence[Int]) -> Any:
    """`x` (a size, or a structure of sizes) with symbol i replaced by values[i]."""
    if isinstance(x, Sym):
        return x.evaluated(partial(_atom, values=values))
    if isinstance(x, (tuple, list)):
        return type(x)(substitute(v, values) for v in x)
    if isinstance(x, Program):
        with Builder(Builder.current().env) as b:
            return b.build(instantiate(x, values, [b.input(substitute(v.shape, values), v.dtype) for v in x.inputs]))
    return x


def _atom(atom: Atom, values: Sequence[Int]) -> Int:
    if atom.op == "var":
        index: int = atom.args[0]
        return values[index]
    from rushlight.program.sym import sym_max, sym_min

    a: Int
    b: Int
    a, b = (substitute(v, values) for v in atom.args)
    if atom.op == "floordiv":
        return a // b
    if atom.op == "mod":
        return a % b
    return sym_min(a, b) if atom.op == "min" else sym_max(a, b)


def instantiate(program: Program, values: Sequence[Int], inputs: Sequence[Var]) -> list[Var]:
    """Emit `program` to the current builder on `inputs`, its symbol i being values[i]; returns its outputs.

    Sizes of `inputs` need not be written as the program writes them; they are equal by construction.
    """
    b = Builder.current()

    def rule(e: Eqn, ins: list[Var]) -> Sequence[Var]:
        params = (
            _call(program, e, values)
            if e.prim.name == "custom_call"
            else {k: substitute(v, values) for k, v in e.params.items()}
        )
        return b.results(e.prim, ins, params)

    return list(b.inline(program, inputs, rule))


def _call(program: Program, e: Eqn, values: Sequence[Int]) -> dict[str, Any]:
    """The parameters of a call in the new symbols: its functions may hold sizes written in the old ones.

    They run in the program's own environment, on values shaped as there, and what they emit is instantiated.
    """

    def run(fn: Callable[..., Any], like: Sequence[Any], args: Sequence[Var]) -> list[Var | None]:
        with Builder(program.env.copy()) as b:
            found = fn(*[None if v is None else b.input(v.shape, v.dtype) for v in like])
            outs = list(found) if isinstance(found, (tuple, list)) else [found]
            sub = b.build([v for v in outs if v is not None])
        done = iter(instantiate(sub, values, args))
        return [None if v is None else next(done) for v in outs]

    rule, back = e.params["jvp"], e.params.get("transpose")

    def body(*xs: Var) -> tuple[Any, ...]:
        return tuple(run(e.params["body"], e.inputs, xs))

    def jvp(inputs: Sequence[Var], outputs: Sequence[Var], tangents: Sequence[Var | None]) -> list[Var | None]:
        n, m = len(inputs), len(outputs)
        like = [*e.inputs, *e.outputs, *(None if t is None else v for t, v in zip(tangents, e.inputs, strict=True))]
        given = [*inputs, *outputs, *(t for t in tangents if t is not None)]
        return run(lambda *xs: rule(xs[:n], xs[n : n + m], xs[n + m :]), like, given)

    def transpose(inputs: Sequence[Var | None], cotangents: Sequence[Var | None]) -> list[Var | None]:
        n = len(inputs)
        like = [None if x is None else v for x, v in zip((*inputs, *cotangents), (*e.inputs, *e.outputs), strict=True)]
        given = [x for x in (*inputs, *cotangents) if x is not None]
        assert back is not None
        return run(lambda *xs: back(xs[:n], xs[n:]), like, given)

    rules = {"jvp": None if rule is None else jvp, "transpose": None if back is None else transpose}
    return {"body": body, "name": e.params["name"], **rules}
