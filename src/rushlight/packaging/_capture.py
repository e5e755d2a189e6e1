"""An exported program as one program of primitives, with the meaning of its inputs and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rushlight import prims
from rushlight.autograd import no_grad
from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.export import ExportedProgram
from rushlight.export._ranges import INFINITE, Ranges
from rushlight.export.graph_signature import ConstantArgument, InputKind, OutputKind
from rushlight.func.tree import Spec
from rushlight.fx.interpreter import Interpreter
from rushlight.fx.node import Node
from rushlight.jit.tracing import Recorder, contents_of
from rushlight.operators.random.generators import default_generator, noted
from rushlight.operators.table.tracer import RealNumber, Tracer, tracer, var_of, watched
from rushlight.program.ir import Builder, Program, Var
from rushlight.program.sym import Int, Sym, var_atom

__all__ = ["Captured", "Input", "captured"]

_TRACES = 5  # each with the constants that the one before has met


@dataclass(frozen=True)
class Input:
    """An argument of the program: a tensor of a dtype and of sizes, or a constant (`dtype` None)."""

    name: str
    dtype: dt.dtype | None
    shape: tuple[Int, ...] = ()
    value: Any = None


@dataclass(frozen=True)
class Captured:
    """A program whose inputs are weights, then the tensors among the arguments.

    sources: for each symbol where it stands: ("size", input, dim), or ("int", 0) for one that is nowhere.
    bounds: of each symbol its name, the least number and the greatest (None: there is none).
    leaves: of each leaf of the result what it is: ("value", k), the program's k-th output; ("number", k), its number;
        ("given", k), the k-th input as it is; ("static", x), x.
    """

    program: Program
    weights: list[Tensor]
    inputs: list[Input]
    sources: list[tuple[Any, ...]]
    bounds: list[tuple[str, int, int | None]]
    leaves: list[tuple[str, Any]]
    in_spec: Spec
    out_spec: Spec


def captured(ep: ExportedProgram) -> Captured:
    """The program of an exported one.

    Raises:
        NotImplementedError: it does what a package cannot: writes to what it is given, draws random numbers, takes
            numbers that vary, or sizes that follow from a symbol which is the size of no input.
    """
    nodes = [n for n in ep.graph.nodes if n.op == "placeholder"]
    specs = ep.graph_signature.input_specs
    _check_outputs(ep)
    weights: list[Tensor] = []
    inputs: list[Input] = []
    kept: list[Node] = []
    env, symbols_of = _environment(ep, nodes)
    for node, spec in zip(nodes, specs, strict=True):
        if spec.kind is not InputKind.USER_INPUT:
            value = ep.constants.get(spec.target or "", ep.state_dict.get(spec.target or ""))
            if not isinstance(value, Tensor):
                raise NotImplementedError(f"package(): {spec.target!r} must be a tensor; found {type(value).__name__}")
            weights.append(value.detach())
            kept.append(node)
            continue
        val = node.meta.get("val")
        if isinstance(spec.arg, ConstantArgument):
            inputs.append(Input(node.name, None, (), spec.arg.value))
        elif isinstance(val, Tensor):
            shape = tuple([symbols_of(n) for n in val.shape])
            inputs.append(Input(node.name, val.dtype, shape))
        else:
            raise NotImplementedError(
                f"package(): the argument {node.name!r} must be a tensor, or a constant; found a number that varies"
            )
    made: list[Tensor] = []
    for _ in range(_TRACES):
        found = _traced(ep, env, nodes, specs, [*weights], made, inputs)
        if found is not None:
            program, leaves = found
            break
    else:
        raise NotImplementedError("package(): the program makes other constants each time that it is traced")
    call = ep.call_spec
    assert call.in_spec is not None and call.out_spec is not None
    weights += made
    given = [x for x in inputs if x.dtype is not None]
    sources = _sources(env, given, len(weights))
    bounds = [
        (name, max(1, int(b.lower)) if b.lower > 2 else 1, None if b.upper == INFINITE else int(b.upper))
        for name, b in zip(env.names, env.bounds, strict=True)
    ]
    return Captured(program, weights, inputs, sources, bounds, leaves, call.in_spec, call.out_spec)


def _check_outputs(ep: ExportedProgram) -> None:
    for output in ep.graph_signature.output_specs:
        if output.kind is not OutputKind.USER_OUTPUT:
            raise NotImplementedError(
                f"package(): the program writes to {output.target!r} ({output.kind.name}); a package writes to "
                "nothing: call eval() on the module before it is exported"
            )


def _environment(ep: ExportedProgram, nodes: Sequence[Node]) -> tuple[Ranges, Any]:
    """The symbols of the exported program's sizes with their bounds, and how a size of its is written in them."""
    env = Ranges()
    own = next(
        (
            n.env
            for node in nodes
            if isinstance(node.meta.get("val"), Tensor)
            for n in node.meta["val"].shape
            if isinstance(n, Sym)
        ),
        None,
    )
    if own is None:
        return env, int
    bounds = {repr(k): r for k, r in ep.range_constraints.items()}
    for index, name in enumerate(own.names):
        r = bounds.get(repr(own.var(index)))
        env.size(max(own.hints[index], 2), *(() if r is None else (r.lower, r.upper)))
        env.names[index] = name

    def written(n: Int) -> Int:
        return env.adopt(own.simplify(n)) if isinstance(n, Sym) else int(n)

    return env, written


def _traced(
    ep: ExportedProgram,
    env: Ranges,
    nodes: Sequence[Node],
    specs: Sequence[Any],
    weights: Sequence[Tensor],
    made: list[Tensor],
    inputs: Sequence[Input],
) -> tuple[Program, list[tuple[str, Any]]] | None:
    """The program, and what the result's leaves are; None where it met tensors, which are among `made` then."""
    b = Builder(env, of_body=True)
    env.guards.clear()
    with b, no_grad():
        held = [tracer(b.input(w.shape, w.dtype)) for w in weights]
        extra = [tracer(b.input(w.shape, w.dtype)) for w in made]
        given = [tracer(b.input(x.shape, x.dtype)) if x.dtype is not None else x.value for x in inputs]
        taken, arguments = iter(held), iter(given)
        values = [next(arguments if s.kind is InputKind.USER_INPUT else taken) for s in specs]
        operands = [*held, *extra, *[x for x in given if isinstance(x, Tracer)]]
        missing: list[Tensor] = []
        constants = {contents_of(t): x for t, x in zip(made, extra, strict=True)}  # other objects at each trace
        recorder = Recorder([], missing, constants, operands)
        recorder.first.update((id(x), x.var) for x in operands)
        before = default_generator.snapshot()
        with recorder, watched(recorder), noted(recorder):
            result = Interpreter(ep.graph_module).run(*values)
        drawn = recorder.draws or default_generator.snapshot() != before
        default_generator.restore(before)
        if drawn:
            raise NotImplementedError(
                "package(): the program draws random numbers, which a package does not: call eval() on the module "
                "before it is exported, or hand the numbers in"
            )
        if missing:
            made += [t.detach() for t in missing]
            return None
        for node, spec, value in zip(nodes, specs, values, strict=True):
            if isinstance(value, Tracer) and recorder.changed(value):
                raise NotImplementedError(
                    f"package(): the program writes to {spec.target or node.name!r}; a package writes to nothing: call "
                    "eval() on the module before it is exported, or return the value"
                )
        outputs: list[Var] = []
        leaves = [_leaf(recorder.lifted(x), operands, outputs) for x in result]
        if not outputs:
            outputs.append(prims.constant(value=0, dtype=dt.int64))
    return b.build(outputs), leaves


def _leaf(x: Any, operands: Sequence[Tracer], outputs: list[Var]) -> tuple[str, Any]:
    """What a leaf of the result is; a value of the program is added to its outputs."""
    if isinstance(x, Tracer) and not x.number:
        given = next((k for k, y in enumerate(operands) if y is x), None)
        if given is not None:
            return "given", given
        outputs.append(x.var)
        return "value", len(outputs) - 1
    if isinstance(x, (Sym, RealNumber)):
        outputs.append(var_of(x))
        return "number", len(outputs) - 1
    if x is None or isinstance(x, (bool, int, float, str)):
        return "static", x
    raise NotImplementedError(f"package(): the program's result has a {type(x).__name__}, which no file holds")


def _sources(env: Ranges, given: Sequence[Input], first: int) -> list[tuple[Any, ...]]:
    """Where each symbol stands among the sizes of the inputs, which begin at number `first`."""
    sources: list[tuple[Any, ...]] = []
    used = {index for x in given for n in x.shape for index in _symbols(env, n)}
    for index in range(len(env.hints)):
        alone = {(var_atom(index),): 1}
        found = next(
            (
                ("size", first + k, d)
                for k, x in enumerate(given)
                for d, n in enumerate(x.shape)
                if isinstance(n, Sym) and n.terms == alone
            ),
            None,
        )
        if found is None and index in used:
            raise NotImplementedError(
                f"package(): the size {env.names[index]} is that of no input, but other sizes follow from it; export "
                "with a size of its own for each dimension that varies"
            )
        sources.append(found or ("int", 0))
    return sources


def _symbols(env: Ranges, n: int | Sym) -> set[int]:
    """The symbols in a size."""
    if not isinstance(n, Sym):
        return set()
    found: set[int] = set()
    for mono in n.terms:
        for atom in mono:
            found |= (
                {atom.args[0]}
                if atom.op == "var"
                else {i for part in atom.args for i in _symbols(env, env.adopt(part))}
            )
    return found
