"""From a program to what the core calls: differentiated, compiled, and wrapped up; and backward programs as
operators.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rushlight.core import locks
from rushlight.core.dispatch import Operator
from rushlight.core.execute import Executable
from rushlight.core.flatten import Kind, Param
from rushlight.core.record import CompiledCall, Derivative
from rushlight.core.tensor import Tensor
from rushlight.core.upcalls import upcalls
from rushlight.operators.table.definition import Definition
from rushlight.operators.table.tracer import tracer, var_of
from rushlight.program.ir import Builder, Program, Var, live
from rushlight.program.sym import Sym, SymEnv, hints

if TYPE_CHECKING:
    from rushlight.compiler.plan import Alloc, Plan

compile_count = [0]  # programs traced and compiled in this process; tests assert on it
# As in compiler/plan.py, which is loaded only when needed.
_FORMAT_OF = {"first": 1, "any": 2, "all": 3, "channels_last": 4}


class Differentiated(NamedTuple):
    """A program and its derivative as calls have them.

    Args:
        forward: the program that a call runs; behind the outputs of the call are those that the backward keeps.
        derivative: what `transforms` has made; None where no graph node is due.
        again: the same, whose residuals include the values that its own derivative needs.
        residuals: those of `again`, as the core counts them.
        old: for each residual that is a copy of what an in-place call overwrites, which of the active inputs that is.
    """

    forward: Program
    derivative: Any
    again: Any
    residuals: list[tuple[int, int]]
    old: dict[int, int]


def differentiated(
    program: Program,
    active: list[int],
    n_tensors: int,
    *,
    overwritten: int | None = None,
    zero_gradient: bool = False,
    keep_results: bool = True,
) -> Differentiated:
    """Differentiate with respect to the `active` inputs."""
    if not active:
        return Differentiated(program, None, None, [], {})
    from rushlight import transforms

    d = transforms.vjp(
        program, active, [i for i, v in enumerate(program.outputs) if v.dtype.kind in "fc"], keep_results
    )
    # (The gradient of what was overwritten is zero, and goes to the node that computed it.)
    d = transforms.with_zeros(d, program, active, [i for i in active if zero_gradient or i == overwritten])
    forward = d.forward
    if not d.cotangent_outputs:
        return Differentiated(forward, None, None, [], {})
    own, d = d, differentiable_again(d, program, n_tensors)
    old: dict[int, int] = {}
    residuals: list[tuple[int, int]] = []
    for source, index in d.residuals:
        if source == "input" and index == overwritten:
            # The destination's old values are needed: the forward program returns a copy of them.
            forward = Program(forward.env, forward.inputs, forward.eqns, [*forward.outputs, forward.inputs[index]])
            if index in active:
                old[len(residuals)] = active.index(index)
            source, index = "extra", len(forward.outputs) - 1 - len(program.outputs)
        residuals.append(({"input": 0, "output": 1, "extra": 2}[source], index))
    return Differentiated(forward, own, d, residuals, old)


def compile_call(
    program: Program,
    sources: list[tuple[Any, ...]],
    n_tensors: int,
    n_scalars: int,
    active: list[int],
    wrap: Any,
    label: str,
    *,
    views: bool = False,
    memory_format: str = "",
    **options: Any,
) -> tuple[CompiledCall, Differentiated, Plan]:
    """Differentiate with respect to the `active` inputs, compile, and wrap up for the core. options: as of
    `differentiated`.
    """
    from rushlight import compiler

    call = CompiledCall()
    call.n_outputs, call.wrap = len(program.outputs), wrap
    call.program = program
    found = differentiated(program, active, n_tensors, **options)
    own, d, forward = found.derivative, found.again, found.forward
    if own is not None:
        r = call.derivative = Derivative()
        r.label, r.residuals, r.active, r.backward = label, found.residuals, list(active), own.backward
        r.cotangent_outputs = list(d.cotangent_outputs)
        r.scalars = [i - n_tensors for i in d.scalars]
        r.n_own, r.own_scalars = own.n_residuals, [i - n_tensors for i in own.scalars]
        r.operands = [v.dtype.code for v in own.backward.inputs[: r.n_own + len(r.cotangent_outputs)]]
        r.runs_once = bool(own.scalars) and label in ("MulBackward0", "DivBackward0")
        r.grads = list(d.grads)
        r.n_syms = len(forward.env.hints)
        r.old = found.old or None
        r.again = (lambda: d) if any(source == "extra" for source, _ in d.residuals) else None
    compile_count[0] += 1
    plan = compiler.compile_program(forward, views=views)
    if memory_format:
        plan = _laid_out(plan, program, memory_format)
    # Transforms may have added symbols of their own; they are expressed by the old ones.
    call.executable = Executable(plan, sources, n_tensors, n_scalars)
    return call, found, plan


def differentiable_again(d: Any, program: Program, n_tensors: int) -> Any:
    """The derivative, whose residuals include the values that its own derivative needs.

    An extra (a reduction's result, say) is a function of the inputs, but to the backward program it is a constant. When
    the backward is differentiated in its turn, extras are computed again from the inputs; so those inputs are residuals
    too.
    """
    extras = list(d.forward.outputs[len(program.outputs) :])
    if not extras:
        return d
    needed: set[Any] = set(extras)
    for e in reversed(d.forward.eqns):
        if any(v in needed for v in e.outputs):
            needed.update(e.inputs)
    have = {index for source, index in d.residuals if source == "input"}
    inputs = d.forward.inputs
    added = [i for i in range(n_tensors) if inputs[i] in needed and i not in have]
    scalars = sorted({*d.scalars, *(i for i in range(n_tensors, len(inputs)) if inputs[i] in needed)})
    from dataclasses import replace

    n = len(d.residuals)
    b = d.backward
    n_scalars = len(d.scalars)
    old_scalars = dict(zip(d.scalars, b.inputs[len(b.inputs) - n_scalars :], strict=True))
    new_inputs = [
        *b.inputs[:n],
        *(Var(inputs[i].shape, inputs[i].dtype, "tensor") for i in added),
        *b.inputs[n : len(b.inputs) - n_scalars],
        *(old_scalars.get(i) or Var((), inputs[i].dtype, "scalar") for i in scalars),
    ]
    return replace(
        d,
        backward=Program(b.env, new_inputs, b.eqns, b.outputs),
        residuals=(*d.residuals, *(("input", i) for i in added)),
        scalars=tuple(scalars),
    )


def compile_backward(d: Derivative, args: Sequence[Tensor]) -> CompiledCall:
    """The backward program of a derivative, compiled without recording; every symbol is passed as an int."""
    from rushlight.operators.table import kept

    with locks.tracing, locks.no_collections():
        call = kept.find_backward(d)
        if call is None:
            # A gradient has the operand's order of dimensions, which the cotangent and the residuals show.
            spatial = d.origin is not None and d.origin.op.definition.memory_format == "first"
            cotangents = range(d.n_own, d.n_own + len(d.cotangent_outputs))
            call, plan, env = _sized(d.backward, d.own_scalars, "any" if spatial else "", cotangents)
            kept.keep_backward(d, call, plan, env)
        else:
            compile_count[0] += 1
        call.executable.belongs_to(d.label)
    if d.precompile is not None:
        make, d.precompile = d.precompile, None
        make()
    return call


def _laid_out(plan: Plan, program: Program, memory_format: str) -> Plan:
    """The plan, with the operator's order of dimensions for the program's results, and for buffers that must have the
    same order.
    """
    from dataclasses import replace

    from rushlight.compiler.passes.orders import likes_of
    from rushlight.compiler.plan import Like

    numbers = {v: k for k, v in enumerate(program.inputs)}

    def laid_out(a: Alloc) -> Alloc:
        if not a.free if a.output is None else a.output >= len(program.outputs):
            return a
        if memory_format == "rows":
            return replace(a, like=())
        if memory_format == "kept":
            own = Like(0, tuple(range(len(a.sizes))), sized=True)
            return replace(a, like=(own,)) if a.output is not None else a
        if memory_format == "indexed":
            return a if a.output is None else replace(a, like=likes_of(numbers, program.outputs[a.output], True))
        if memory_format == "reversed":
            return replace(a, like=a.like[::-1])
        if memory_format == "columns":
            return replace(a, columns=a.columns or len(a.sizes) >= 2)
        # not of an input without a batch
        if len(a.sizes) in (4, 5) and len(a.sizes) == max(v.ndim for v in program.inputs):
            return replace(a, handed=_FORMAT_OF[memory_format])
        return replace(a, like=()) if memory_format == "first" else a

    return replace(plan, allocs=tuple(map(laid_out, plan.allocs)))


def compile_sized(
    program: Program, scalars: list[int], memory_format: str = "", passed: Container[int] = ()
) -> CompiledCall:
    """Compile a program whose symbols are all given as ints; `wrap` of the result lists which of the caller's numbers
    it takes. memory_format: as an operator's; passed: as of `compiler.compile_program`.
    """
    return _sized(program, scalars, memory_format, passed)[0]


def _sized(
    program: Program, scalars: list[int], memory_format: str, passed: Container[int]
) -> tuple[CompiledCall, Plan, SymEnv]:
    """What `compile_sized` gives, with the plan and the environment that it was planned in."""
    from rushlight import compiler

    compile_count[0] += 1
    call = CompiledCall()
    call.n_outputs, call.wrap, call.program = len(program.outputs), list(scalars), program
    env = program.env.copy()
    env.guards = []
    program = Program(env, program.inputs, program.eqns, program.outputs)
    n_tensors = len([v for v in program.inputs if v.kind != "scalar"])
    plan = compiler.compile_program(program, passed=passed)
    if memory_format:
        plan = _laid_out(plan, program, memory_format)
    call.executable = Executable(
        plan, [("int", k) for k in range(len(env.hints))], n_tensors, len(program.inputs) - n_tensors
    )
    return call, plan, env


def backward_operator(d: Derivative, again: bool) -> Operator:
    """The backward program as an operator of (tensors, ints, numbers): how a gradient is itself differentiated or
    batched.

    again: it will be differentiated, so that extras among the residuals are computed from the inputs.
    """
    program = d.backward
    if again:
        program = with_extras_recomputed(d.again())
    return program_operator(program, d.label.replace("Backward0", "BackwardBackward0"))


def with_extras_recomputed(d: Any) -> Program:
    """The backward program of a `transforms.Derivative` with its extras computed from the inputs among its
    residuals.
    """
    b, forward = d.backward, d.forward
    n_scalars = len(d.scalars)
    given: dict[int, Var] = {index: v for (source, index), v in zip(d.residuals, b.inputs) if source == "input"}
    given |= dict(zip(d.scalars, b.inputs[len(b.inputs) - n_scalars :], strict=True))
    extras = [(k, index) for k, (source, index) in enumerate(d.residuals) if source == "extra"]
    first = len(forward.outputs) - (1 + max(index for _, index in extras))
    wanted = [forward.outputs[first + index] for _, index in extras]
    with Builder(b.env) as new:
        value = {v: given[i] for i, v in enumerate(forward.inputs) if i in given}

        def emit(eqns: Sequence[Any]) -> None:
            for e in eqns:
                value.update(zip(e.outputs, new.results(e.prim, [value[v] for v in e.inputs], e.params), strict=True))

        emit(live(forward.eqns, wanted))
        value.update((v, v) for v in b.inputs)
        for (k, _), v in zip(extras, wanted, strict=True):
            value[b.inputs[k]] = value[v]
        emit(b.eqns)
        new.inputs = list(b.inputs)
        return new.build([value[v] for v in b.outputs])


def program_operator(program: Program, label: str) -> Operator:
    """An operator that runs a program; its symbols are the ints, in order."""
    n_scalars = len([v for v in program.inputs if v.kind == "scalar"])

    def body(tensors: list[Any], ints: tuple[Any, ...], *numbers: Any) -> tuple[Any, ...]:
        from rushlight.transforms.rename import instantiate

        inputs = [var_of(t) for t in tensors] + [var_of(x) for x in numbers]
        if isinstance(ints, (int, Sym)):
            ints = (ints,)
        fitting(label, program, ints, inputs)
        return tuple(tracer(v) for v in instantiate(program, ints, inputs))

    params = [Param("tensors", Kind.P_TENSORS), Param("ints", Kind.P_INTS)]
    params += [Param(f"number{i}", Kind.P_SCALAR) for i in range(n_scalars)]
    return Operator(label, params, Definition(label, body, "", "internal", label))


def fitting(label: str, program: Program, ints: Sequence[Any], inputs: Sequence[Var]) -> None:
    """RuntimeError for a tensor that differs from those that a recorded program was made for, in the words in which the
    core refuses a tensor for a plan.
    """
    from rushlight.transforms.rename import substitute

    if len(inputs) != len(program.inputs):
        raise RuntimeError(f"{label}() takes {len(program.inputs)} tensors and numbers; found {len(inputs)}")
    for k, (v, x) in enumerate(zip(program.inputs, inputs, strict=True)):
        expected = [substitute(n, ints) for n in v.shape]
        if v.kind != "scalar" and (
            v.dtype is not x.dtype
            or len(expected) != x.ndim
            or any(a != b for a, b in zip(expected, x.shape, strict=True))
        ):
            raise RuntimeError(
                f"{label}(): operand {k} is {x.dtype} of shape {hints(x.shape)}; expected {v.dtype} of shape "
                f"{hints(expected)}"
            )


upcalls.compile_backward = compile_backward
upcalls.backward_operator = backward_operator
