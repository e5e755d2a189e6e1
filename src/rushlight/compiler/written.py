"""Plans, kernels and sizes as JSON and back.

Tuples are lists, and what JSON lacks is an object with one key: `{"list": [...]}`, `{"dict": [[key, value], ...]}`,
`{"dtype": name}`, `{"float": hex}`, `{"complex": [hex, hex]}`, `{"kernel": number}`, and a part of a plan by the name
of its class, with its fields in order. A size is a number, or terms of a coefficient and factors: a symbol's number, or
[operation, a, b].
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from rushlight.compiler import plan as _plan
from rushlight.compiler.plan import Launch, Library, Plan
from rushlight.core import dtypes as dt
from rushlight.program import loops as _loops
from rushlight.program.loops import Loops, Node, Store
from rushlight.program.sym import Int, Sym, SymEnv, call_atom, var_atom

_PARTS: dict[str, Any] = {
    c.__name__: c
    for c in (
        _plan.Plan,
        _plan.Alloc,
        _plan.Like,
        _plan.Operand,
        _plan.Loose,
        _plan.Launch,
        _plan.BufferView,
        _plan.Library,
        _plan.Out,
    )
}


def launches_of(plan: Plan) -> Iterator[tuple[Launch, bool]]:
    """Every launch of a plan, those of recurrences' steps included; and whether it goes on with a product."""
    for step in plan.steps:
        if isinstance(step, Launch):
            yield step, False
            continue
        if step.then is not None:
            yield step.then, True
        if step.body is not None:
            yield from launches_of(step.body)


def calls_of(plan: Plan) -> Iterator[Library]:
    """Every call of a routine in a plan, those of recurrences' steps included."""
    for step in plan.steps:
        if isinstance(step, Library):
            yield step
            if step.body is not None:
                yield from calls_of(step.body)


def with_kernels(plan: Plan, kernel: Callable[[Any], Any]) -> Plan:
    """The plan with other objects in the place of its kernels."""

    def of_launch(launch: Launch) -> Launch:
        return dataclasses.replace(launch, kernel=kernel(launch.kernel))

    def changed(step: Launch | Library) -> Launch | Library:
        if isinstance(step, Launch):
            return of_launch(step)
        params = dict(step.params)
        if step.body is not None:
            params["body"] = with_kernels(step.body, kernel)
        return dataclasses.replace(step, params=params, then=None if step.then is None else of_launch(step.then))

    return dataclasses.replace(plan, steps=tuple(map(changed, plan.steps)))


def written(x: Any, kernel: Callable[[Any], int]) -> Any:
    """A plan, or a part of it, as what JSON has; `kernel` gives the number of a kernel."""
    if x is None or isinstance(x, (bool, int, str)):
        return x
    if isinstance(x, float):
        return {"float": x.hex()}
    if isinstance(x, complex):
        return {"complex": [x.real.hex(), x.imag.hex()]}
    if isinstance(x, tuple):
        return [written(v, kernel) for v in x]
    if isinstance(x, list):
        return {"list": [written(v, kernel) for v in x]}
    if isinstance(x, dict):
        return {"dict": [[written(k, kernel), written(v, kernel)] for k, v in x.items()]}
    if isinstance(x, dt.dtype):
        return {"dtype": x.name}
    name = type(x).__name__
    if _PARTS.get(name) is type(x):
        return {name: [written(getattr(x, f.name), kernel) for f in dataclasses.fields(x)]}
    return {"kernel": kernel(x)}


def read(x: Any, kernel: Callable[[int], Any]) -> Any:
    """The part of a plan that `written` has made into `x`; `kernel` gives the kernel of a number."""

    def of(x: Any) -> Any:
        if type(x) is list:  # (Most of what there is are numbers and words: no call for each.)
            return tuple([of(v) if type(v) is list or type(v) is dict else v for v in x])
        if type(x) is not dict:
            return x
        ((kind, value),) = x.items()
        part = _PARTS.get(kind)
        if part is not None:
            return part(*[of(v) if type(v) is list or type(v) is dict else v for v in value])
        if kind == "kernel":
            return kernel(value)
        if kind == "dtype":
            return dt.by_name[value]
        if kind == "float":
            return float.fromhex(value)
        if kind == "complex":
            return complex(*map(float.fromhex, value))
        if kind == "list":
            return [of(v) for v in value]
        return {of(k): of(v) for k, v in value}  # "dict"

    return of(x)


def written_size(n: Int) -> Any:
    """A size as JSON."""
    if not isinstance(n, Sym):
        return int(n)
    return [
        [c, [a.args[0] if a.op == "var" else [a.op, *map(written_size, a.args)] for a in mono]]
        for mono, c in n.terms.items()
    ]


def read_size(x: Any, env: SymEnv) -> Int:
    """The size that `written_size` has made into `x`, in the symbols of `env`."""
    if isinstance(x, int):
        return x
    terms = {}
    for c, mono in x:
        factors = [
            var_atom(a) if isinstance(a, int) else call_atom(a[0], read_size(a[1], env), read_size(a[2], env))
            for a in mono
        ]
        terms[tuple(factors)] = c
    return Sym(env, terms)


def written_loops(loops: Loops) -> list[object]:
    """A loop nest as JSON: nodes and what they are made of by their places."""
    at = {n: k for k, n in enumerate(loops.nodes)}
    return [
        loops.kept,
        loops.reduced,
        [[o.dtype, o.level, o.write] for o in loops.operands],
        list(loops.scalars),
        [[n.id, n.op, [at[a] for a in n.args], n.dtype, n.level, written(n.param, _no_kernel)] for n in loops.nodes],
        [
            [s.operand, at[s.value], s.level, [at[i] for i in s.index], s.mode, written(s.param, _no_kernel)]
            for s in loops.stores
        ],
        loops.coalesce,
    ]


def read_loops(x: Any) -> Loops:
    """The loop nest that `written_loops` has made into `x`."""
    kept, reduced, operands, scalars, found, stores, coalesce = x
    nodes: list[Node] = []
    for id, op, args, dtype, level, param in found:
        nodes.append(Node(id, op, tuple([nodes[a] for a in args]), dtype, level, read(param, _no_kernel)))
    return Loops(
        kept,
        reduced,
        tuple([_loops.Operand(*o) for o in operands]),
        tuple(scalars),
        tuple(nodes),
        tuple(
            [
                Store(operand, nodes[value], level, tuple([nodes[i] for i in index]), mode, read(param, _no_kernel))
                for operand, value, level, index, mode, param in stores
            ]
        ),
        coalesce,
    )


def _no_kernel(x: Any) -> Any:
    raise TypeError(f"a {type(x).__name__} cannot be written as a part of a plan")
