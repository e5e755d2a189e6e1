"""Reverse mode: linearize, transpose, partition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rushlight import prims
from rushlight.prims.base import add_any
from rushlight.program.ir import Builder, Eqn, Program, Var
from rushlight.program.sym import SymEnv
from rushlight.transforms.inline import inline_calls
from rushlight.transforms.jvp import check_active
from rushlight.transforms.linearize import has_no_rule, trace_tangents
from rushlight.transforms.partition import partition
from rushlight.transforms.transpose import backward_pass


@dataclass(frozen=True)
class Derivative:
    """A program made ready for reverse mode.

    forward: inputs -> the original outputs, then extras.
    backward: residuals, then one cotangent per entry of `cotangent_outputs`, then the scalars -> gradients.
    residuals: where each residual comes from: ("input", i), ("output", j) or ("extra", k), the k-th output of `forward`
    after the original ones.
    cotangent_outputs: the outputs that have a cotangent.
    scalars: the inputs of kind "scalar" that `backward` takes again at its end.
    grads: for each active input its position in the outputs of `backward`, or None when its gradient is identically
    zero.
    """

    forward: Program
    backward: Program
    residuals: tuple[tuple[str, int], ...]
    cotangent_outputs: tuple[int, ...]
    scalars: tuple[int, ...]
    grads: tuple[int | None, ...]

    @property
    def n_residuals(self) -> int:
        return len(self.residuals)


def vjp(
    program: Program,
    active: Sequence[int],
    out_active: Iterable[int] | None = None,
    keep_results: bool = True,
    env: SymEnv | None = None,
) -> Derivative:
    """The forward and the backward program.

    Args:
        active: the inputs to differentiate by, by index.
        out_active: the outputs that can have a cotangent (default: all of a dtype that has derivatives, if they depend
            on an active input).
        keep_results: outputs may be residuals; False: outputs that are cheap to compute again are no residuals.
            Gradients of complex inputs are PyTorch's: the conjugate of the derivative for a holomorphic function.
        env: what both programs are written in (default: a copy of the program's).
    """
    active = check_active(program, active, "vjp")
    program = inline_calls(program.copy(env), has_no_rule)
    wanted = set(range(len(program.outputs)) if out_active is None else out_active)
    with Builder(program.env) as b:
        t = trace_tangents(b, program, active)
        linear_eqns = list(b.eqns)
        which = tuple(j for j, v in enumerate(t.tangents) if v is not None and j in wanted)
        unknown = [Var(t.outputs[j].shape, t.outputs[j].dtype, "cotangent") for j in which]
        cts: dict[Var, Var] = {}
        for j, c in zip(which, unknown, strict=True):
            tangent = t.tangents[j]
            assert tangent is not None
            cts[tangent] = add_any(cts.get(tangent), c) or c
        found = backward_pass(linear_eqns, cts, t.placeholders)
        results, grads = _each_once(found, b.eqns)
        cut = partition(b.eqns, t.primal, t.args, t.outputs, unknown, results, keep_results)
    return Derivative(cut.forward, cut.later, cut.residuals, which, cut.scalars, grads)


def _each_once(found: Sequence[Var | None], eqns: Sequence[Eqn]) -> tuple[list[Var], tuple[int | None, ...]]:
    """The gradients as outputs, and the place of each: gradients that are the same value, but for the marks of
    operands, share an output.
    """
    marked = {e.outputs[0]: e.inputs[0] for e in eqns if e.prim.name == "operand"}
    results: list[Var] = []
    places: dict[Var, int] = {}
    grads: list[int | None] = []
    for g in found:
        if g is None:
            grads.append(None)
            continue
        value = g
        while value in marked:
            value = marked[value]
        if value not in places:
            places[value] = len(results)
            results.append(g)
        grads.append(places[value])
    return results, tuple(grads)


def zero_vjp(program: Program, active: Sequence[int]) -> Derivative:
    """The derivative of a program that is constant piece by piece: cotangents of its floating point outputs, gradients
    of zeros.

    `vjp` leaves such outputs out; PyTorch's floor, round and sign have gradients, which are zero.
    """
    active = check_active(program, active, "zero_vjp")
    program = program.copy()
    which = tuple(j for j, v in enumerate(program.outputs) if v.dtype.kind in "fc")
    with Builder(program.env) as b:
        inputs = [b.input(program.outputs[j].shape, program.outputs[j].dtype) for j in which]
        found = []
        for i in active:
            v = program.inputs[i]
            found.append(prims.broadcast_in_dim(prims.constant(value=0.0, dtype=v.dtype), shape=v.shape, dims=()))
        backward = Program(program.env, inputs, b.eqns, found)
    return Derivative(program, backward, (), which, (), tuple(range(len(active))))


def with_zeros(d: Derivative, program: Program, active: Sequence[int], inputs: Sequence[int]) -> Derivative:
    """The derivative with zeros in the place of gradients that there are not, of the inputs with these numbers."""
    if inputs and not d.cotangent_outputs:
        return zero_vjp(program, active)
    for i in inputs:
        d = zero_where_none(d, program, active, i)
    return d


def zero_where_none(d: Derivative, program: Program, active: Sequence[int], i: int) -> Derivative:
    """The derivative `d` of `program` with zeros as the gradient of input i where there is none."""
    at = list(active).index(i)
    if d.grads[at] is not None:
        return d
    v, old = program.inputs[i], d.backward
    with Builder(old.env) as b:
        zero = prims.broadcast_in_dim(prims.constant(value=0.0, dtype=v.dtype), shape=v.shape, dims=())
        backward = Program(old.env, old.inputs, [*old.eqns, *b.eqns], [*old.outputs, zero])
    return replace(d, backward=backward, grads=(*d.grads[:at], len(old.outputs), *d.grads[at + 1 :]))
