"""Transposition: from a linear map on tangents to the map on cotangents that runs the other way."""

from __future__ import annotations

from collections.abc import Sequence, Set

from rushlight import prims
from rushlight.prims.base import add_any, constant_value, instantiate, literally, made_by
from rushlight.prims.emit import trace
from rushlight.prims.recurrence import last, parted, recurrence_of_used
from rushlight.program.ir import Builder, Eqn, Hole, Program, Var
from rushlight.program.sym import Int, hint, same


def backward_pass(eqns: Sequence[Eqn], cotangents: dict[Var, Var], linear: Sequence[Var]) -> list[Var | None]:
    """Emit the transpose of the equations that depend on `linear`, last first.

    Args:
        cotangents: those of the results, by Var; values that do not depend on `linear` are known and used as they are.

    Returns:
        The cotangents of `linear`, None for zero.
    """
    depends = set(linear)
    chain = []
    for e in eqns:
        if any(v in depends for v in e.inputs):
            chain.append(e)
            depends.update(e.outputs)
    parts: dict[Var, list[Var]] = {v: [c] for v, c in cotangents.items()}  # the summands of each cotangent
    of_calls: set[Var] = set()  # those that come from calls of their own, which are views
    for e in reversed(chain):
        reached = [parts.pop(v, []) for v in e.outputs]
        if not any(reached):
            continue
        if e.prim.name == "recurrence":
            found: Sequence[Var | None] = _through_recurrence(e, reached, depends)
        else:
            cts = [_sum(c, of_calls) for c in reached]
            if e.prim.name == "custom_call" and e.params.get("transpose") is None:
                found = _through_call(e, cts, depends)
            else:
                found = e.prim.transpose(cts, [Hole(v) if v in depends else v for v in e.inputs], **e.params)
        for v, c in zip(e.inputs, found, strict=True):
            if c is not None and v in depends:
                if e.prim.name == "operand":
                    of_calls.add(c)
                _take_in(parts.setdefault(v, []), c)
    return [_sum(parts.get(v, []), of_calls) for v in linear]


def _take_in(summands: list[Var], c: Var) -> None:
    """Take in one more summand: it is added to the sum so far, unless both are parts with zeros around them that may
    still be put together."""
    if len(summands) == 1 and _piece(summands[0]) is None and _piece(c) is None:
        total = add_any(summands[0], c)
        assert total is not None
        summands[0] = total
    else:
        summands.append(c)


def _sum(summands: Sequence[Var], of_calls: Set[Var] = frozenset()) -> Var | None:
    """The sum of cotangents in the order in which they came, None for none; parts of a value that was cut up are put
    together if they are contiguous.
    """
    total: Var | None = _side_by_side(summands, of_calls) if len(summands) > 1 else None
    if total is None:
        for c in summands:
            total = add_any(total, c)
    return total


def _side_by_side(summands: Sequence[Var], of_calls: Set[Var]) -> Var | None:
    """The sum of values of which each is a part with zeros around it, where the parts make up the whole along one
    dimension; None where they do not. What calls have cut apart is a sum, which makes 0.0 of -0.0; the parts that one
    call has made are only put together. Whether they do may depend on numbers that the program was given, such as those
    of `split(384, 2)`: where they do with these, guards say so.
    """
    pieces = [_piece(c) for c in summands]
    cut = [p for p in pieces if p is not None]
    if len(cut) < len(summands):
        return None
    dims = {d for _, low, high in cut for d in range(len(low)) if not (literally(low[d], 0) and same(high[d], 0))}
    if len(dims) != 1:
        return None
    (dim,) = dims
    left, total = list(cut), summands[0].shape[dim]
    at: Int = 0
    ordered: list[Var] = []
    equal: list[tuple[Int, Int]] = []
    while left:
        found = next((p for p in left if hint(p[1][dim]) == hint(at)), None)
        if found is None:
            return None
        left.remove(found)
        ordered.append(found[0])
        equal.append((found[1][dim], at))
        at = at + found[0].shape[dim]
    if hint(at) != hint(total) or not all(a == b for a, b in [*equal, (at, total)]):
        return None
    if any(c in of_calls for c in summands):
        zero = prims.constant(value=0.0, dtype=summands[0].dtype)
        ordered = [prims.add(p, prims.broadcast_in_dim(zero, shape=p.shape, dims=())) for p in ordered]
    return prims.concatenate(*ordered, dim=dim)


def _piece(c: Var) -> tuple[Var, Sequence[Int], Sequence[Int]] | None:
    """A value that has zeros around it: what is within, and how many there are on either side; None for others."""
    e = made_by(c, "pad")
    if e is None or constant_value(e.inputs[1]) != 0 or not all(literally(n, 0) for n in e.params["interior"]):
        return None
    return e.inputs[0], e.params["low"], e.params["high"]


def _through_call(e: Eqn, cts: Sequence[Var | None], depends: set[Var]) -> list[Var | None]:
    b = Builder.current()
    body = trace(e.params["body"], e.inputs)
    holes = {v: Var(v.shape, v.dtype, "tangent") for v in e.inputs if v in depends}
    # A builder of its own, so that the equations on the holes can be told from the rest; the known ones stay usable.
    outs = b.inline(body, [holes.get(v, v) for v in e.inputs])
    inner: dict[Var, Var] = {}
    for y, c in zip(outs, cts, strict=True):
        total = add_any(inner.get(y), c)
        if total is not None:
            inner[y] = total
    found = dict(zip(holes, backward_pass(list(b.eqns), inner, list(holes.values())), strict=True))
    return [found.pop(v, None) for v in e.inputs]


def _of_last(c: Var, reverse: bool) -> Var | None:
    """The cotangent of the last row, from a cotangent of all rows that is zero in the others; None where it reaches
    others."""
    piece = _piece(c)
    if piece is None:
        return None
    part, low, high = piece
    there, other = (low, high) if reverse else (high, low)
    inner = all(literally(n, 0) for n in (*low[1:], *high[1:]))
    # (The zeros on the other side are all rows but one.)
    return part if inner and same(there[0], 0) and same(other[0], c.shape[0] - 1) else None


def _given_last(ends: Sequence[Var | None], like: Var) -> Var:
    total: Var | None = None
    for c in ends:
        total = add_any(total, None if c is None else prims.reshape(c, shape=like.shape))
    return instantiate(total, like)


def _through_recurrence(e: Eqn, reached: Sequence[Sequence[Var]], depends: set[Var]) -> list[Var | None]:
    """The recurrence that runs the other way: each step takes the cotangents of its results and computes those of its
    operands; the cotangents of its rows are one more result. The first step of this recurrence takes the cotangents of
    the last row.
    """
    body, counts, reverse = e.params["body"], e.params["counts"], e.params["reverse"]
    n, n_carried = sum(counts), len(e.inputs) - sum(counts)
    constants, _, first = parted(e.inputs, counts)
    assert not any(v in depends for v in constants), "recurrence: not linear in what all steps share"
    linear = [k for k in range(counts[0], n) if e.inputs[k] in depends]
    known = [k for k in range(n) if k not in linear]
    final = [[_of_last(c, reverse) if k < n_carried else None for c in summands] for k, summands in enumerate(reached)]
    cts = [
        _sum([c for c, own in zip(summands, ends, strict=True) if own is None])
        for summands, ends in zip(reached, final, strict=True)
    ]
    present = [k for k, c in enumerate(cts) if c is not None]
    with Builder(Builder.current().env) as b:
        args: list[Var] = [Var(v.shape, v.dtype, "tangent") for v in body.inputs]
        for k in known:
            args[k] = b.input(body.inputs[k].shape, body.inputs[k].dtype)
        given = {k: b.input(body.outputs[k].shape, body.outputs[k].dtype) for k in present}
        carried = [b.input(v.shape, v.dtype) for v in body.inputs[n:]]
        holes = [*args[n:], *(args[k] for k in linear)]
        outs = b.inline(body, args)
        inner: dict[Var, Var] = {}
        for k, y in enumerate(outs):
            total = add_any(inner.get(y), add_any(given.get(k), carried[k] if k < n_carried else None))
            if total is not None:
                inner[y] = total
        found = [instantiate(c, h) for c, h in zip(backward_pass(list(b.eqns), inner, holes), holes, strict=True)]
        # Where several rows get the same cotangent, it is one result.
        apart = list(dict.fromkeys(found[n_carried:]))
        step = b.build([*found[:n_carried], *apart])
    made = recurrence_of_used(
        e.prim,
        step,
        constants,
        [*(e.inputs[k] for k in known[counts[0] :]), *(c for c in cts if c is not None)],
        [_given_last(ends, v) for ends, v in zip(final, first, strict=False)],
        not reverse,
    )
    result: list[Var | None] = [None] * len(e.inputs)
    for k, c in zip(linear, found[n_carried:], strict=True):
        result[k] = made[n_carried + apart.index(c)]
    for k, y in zip(range(n, len(e.inputs)), made, strict=False):
        result[k] = last(y, not reverse)
    return result


def transpose(program: Program, linear: Sequence[int]) -> Program:
    """The transpose of a program that is linear in the inputs `linear` (by index).

    The adjoint for the inner product Re(sum(conj(a) * b)), which for complex numbers is PyTorch's conjugate convention.

    Returns:
        A Program of (the other inputs, then a cotangent per output) -> cotangents of the linear inputs.
    """
    program = program.copy()
    with Builder(program.env) as b:
        args = [
            Var(v.shape, v.dtype, "tangent") if i in linear else b.input(v.shape, v.dtype, v.kind)
            for i, v in enumerate(program.inputs)
        ]
        outs = b.inline(program, args)
        eqns = list(b.eqns)
        cts: dict[Var, Var] = {}
        for y in outs:
            c = b.input(y.shape, y.dtype)
            cts[y] = add_any(cts.get(y), c) or c
        holes = [args[i] for i in linear]
        return b.build([instantiate(c, h) for c, h in zip(backward_pass(eqns, cts, holes), holes, strict=True)])
