"""Calls on disk, beside the kernels: a call that was traced once is not traced again, by any process.

The name of a call is a hash of all that a trace looks at: what the operator's body is, the arguments but for the sizes,
numbers and values that are given at launch, the default dtype, and the sources of all that a trace goes through. What
is kept is the plan and what the core must know of the derivative; programs are not: where somebody looks into one, the
call is traced after all (`traced.Retraced`). A trace may ask about sizes and numbers, and goes by those of the call:
the answers are kept too, and a call is taken where those at hand give the same.

Only bodies of the library's own are kept (`_body`): those of the folders that the version is made of, and made of
nothing but such functions and plain values.
"""

from __future__ import annotations

import builtins
import functools
import hashlib
import json
import math
import os
import struct
import sys
import zlib
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType, MethodType
from typing import Any

import rushlight.core
from rushlight.compiler import kept as _plans
from rushlight.compiler import watching
from rushlight.compiler.counters import count
from rushlight.compiler.kernels import cache as _disk
from rushlight.compiler.plan import Plan
from rushlight.compiler.products.kernels import code_path
from rushlight.compiler.written import read as _read
from rushlight.compiler.written import written
from rushlight.core import dtypes as dt
from rushlight.core.devices import device
from rushlight.core.dispatch import Operator
from rushlight.core.execute import Executable
from rushlight.core.record import CompiledCall, Derivative
from rushlight.core.tensor import Tensor
from rushlight.core.upcalls import upcalls
from rushlight.operators.table.returns import TYPES
from rushlight.operators.table.traced import Origin, Retraced, Traced
from rushlight.program.ir import Primitive
from rushlight.program.sym import SymEnv

_MOST = 4  # plans of one name, which differ in their answers about sizes and numbers
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
# What a trace goes through: bodies, primitives, derivatives; what makes operators of segments and optimizers' rules.
_FOLDERS = ("core", "program", "prims", "transforms", "compiler", "operators", "autograd", "jit", "optim")
_ROOTS = tuple([os.path.join(_PACKAGE, folder) + os.sep for folder in _FOLDERS])
_NOT = os.path.join(_PACKAGE, "operators", "samples")  # data of the tests


# ---------------------------------------------------------------------------------------------------------- the version
def sources() -> list[str]:
    """The sources that decide what a call becomes, but for the generator's, which are in the kernel cache's version."""
    generators = {str(file) for file in _disk.generators()}
    found: list[str] = []
    for folder in _FOLDERS:
        _collect(os.path.join(_PACKAGE, folder), found)
    return sorted([file for file in found if file not in generators])


def _collect(folder: str, found: list[str]) -> None:
    """Add a folder's sources, and those of the folders in it. (pathlib takes longer than to read the files.)"""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                found.append(entry.path)
            elif entry.is_dir() and entry.path != _NOT:
                _collect(entry.path, found)


@functools.cache
def version() -> str | None:
    """The version of traces: their sources, and which build of the core it is. None where there are no sources."""
    found = sources()
    if not found:
        return None
    digest = hashlib.blake2b(digest_size=16)
    for file in found:
        fd = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        try:
            digest.update(os.read(fd, os.fstat(fd).st_size))
        finally:
            os.close(fd)
    with os.scandir(os.path.dirname(rushlight.core.__file__)) as entries:
        for entry in sorted(entries, key=lambda e: e.name):
            if entry.name.startswith("compiled"):
                about = entry.stat()
                digest.update(f"{entry.name} {about.st_size} {about.st_mtime_ns}".encode())
    return digest.hexdigest()


# ------------------------------------------------------------------------------------------------------------- the name
class Unknown(Exception):
    """Something is none of the library's own, or no plain value."""


def name_of(op: Operator, values: Sequence[Any], arguments: Sequence[Any], out: Any) -> str | None:
    """The name of a call; None for one that is not kept.

    Args:
        op: the operator.
        values: the call's arguments.
        arguments: `trace.described` of these: a description of each, with static arguments as they are.
        out: its destinations.
    """
    if watching.anyone() or not _disk.on_disk() or version() is None:
        return None
    try:
        words = of_operator(op), [word(x) for x in arguments], _destinations(op, values, out), dt.default[0].name
    except Unknown:
        return None
    return _disk.key(f"call {version()} {code_path()} {words!r}")


def _destinations(op: Operator, values: Sequence[Any], out: Any) -> Any:
    if op.inplace:
        return "in place", values[0].dtype.name
    if out is None:
        return None
    return out.dtype.name if isinstance(out, Tensor) else [t.dtype.name for t in out]


def of_operator(op: Operator) -> Any:
    """What an operator is, in words that are the same in every process; Unknown: a program's own."""
    found = op.words  # (no weak dict: an interrupt within the function that it calls for a dead operator is lost)
    if found is None:
        definition = op.definition
        try:
            about = [word(x) for name, x in definition._asdict().items() if name not in ("body", "precompile")]
            found = op.name, op.inplace, op.is_view, about, _body(definition.body), word(op.eager)
        except Unknown:
            found = Unknown
        op.words = found
    if found is Unknown:
        raise Unknown
    return found


def word(x: Any) -> Any:
    """A value in words; Unknown for what is no plain value, and not the library's."""
    kind = type(x)
    if x is None or kind in (bool, int, str, float, complex, bytes):
        return x  # (its repr has all of it, the sign of zero included)
    if kind is tuple or kind is list:
        return kind.__name__, *[word(v) for v in x]
    if kind is dict:
        return "dict", *[(word(k), word(v)) for k, v in x.items()]
    if kind is frozenset or kind is set:
        return "set", *sorted([repr(word(v)) for v in x])
    if kind is slice:
        return "slice", word(x.start), word(x.stop), word(x.step)
    if isinstance(x, (dt.dtype, dt.layout, dt.memory_format, device)):
        return kind.__name__, str(x)
    if isinstance(x, Operator):
        return "operator", of_operator(x)
    if isinstance(x, Primitive) and kind.__module__.startswith("rushlight.prims."):
        return "primitive", x.name
    if isinstance(x, tuple) and hasattr(x, "_fields") and kind.__module__.startswith("rushlight.jit."):
        return kind.__name__, *[word(v) for v in x]
    if isinstance(x, type):
        named: Any = TYPES.get(x.__name__)
        if named is x:
            return "named results", x.__name__
        module, name = x.__module__, x.__qualname__
        found: Any = getattr(sys.modules.get(module), name, None)
        if found is not x or not _is_own(module):
            raise Unknown
        return "class", module, name
    return _body(x)


def _is_own(module: str) -> bool:
    """Whether a class of a module is Python's, or of the folders of the version."""
    package, _, rest = module.partition(".")
    return package == "builtins" or (package == "rushlight" and rest.partition(".")[0] in _FOLDERS)


def _body(f: Any) -> Any:
    """What a function does: its code, which must lie in the folders of the version, and what it closes over."""
    kind = type(f)
    if kind is FunctionType:
        if "in_words" in vars(f):
            return _code(f.__code__), vars(f)["in_words"]
        cells = [word(cell.cell_contents) for cell in f.__closure__ or () if not _is_itself(cell, f)]
        return _code(f.__code__), cells, word(f.__defaults__), word(f.__kwdefaults__)
    if kind is functools.partial:
        return "partial", _body(f.func), word(f.args), word(f.keywords)
    if kind is MethodType and hasattr(f.__self__, "in_words"):
        _code(f.__func__.__code__)
        owner: Any = f.__self__
        return "method", type(owner).__qualname__, f.__func__.__name__, owner.in_words(word)
    if kind is type(math.sin) and f.__module__ in ("math", "_operator", "builtins"):
        return "built-in", f.__module__, f.__name__
    raise Unknown


def _is_itself(cell: Any, f: Any) -> bool:
    """Whether a function closes over itself, or over a variable that has no value yet."""
    try:
        return cell.cell_contents is f
    except ValueError:
        return True


def _code(code: CodeType) -> Any:
    path = code.co_filename
    if not path.startswith(_ROOTS) or path.startswith(_NOT + os.sep):
        raise Unknown
    own = [c if isinstance(c, (int, float, str, bytes, complex)) else "" for c in code.co_consts]
    inner = [_code(c) for c in code.co_consts if isinstance(c, CodeType)]
    where = path[len(_PACKAGE) + 1 :].replace(os.sep, "/"), code.co_firstlineno, code.co_name
    return *where, hashlib.blake2b(code.co_code + repr((code.co_names, own)).encode(), digest_size=8).hexdigest(), inner


# -------------------------------------------------------------------------------------------------------------- entries
def _loaded(name: str) -> list[Any]:
    """The entries that are kept under a name, the newest first."""
    text = _disk.read_text(name)
    return [] if text is None else json.loads(zlib.decompress(text))


def _save(name: str, entry: Any) -> None:
    entries = [entry, *_loaded(name)[: _MOST - 1]]
    _disk.write_text(name, zlib.compress(json.dumps(entries, separators=(",", ":")).encode(), 1))


def _no_kernel(x: Any) -> Any:
    raise Unknown


def keep(
    name: str,
    call: CompiledCall,
    traced: Traced,
    plan: Plan,
    env: SymEnv,
    sources: Sequence[Any],
    compared: Sequence[Any],
) -> None:
    """Keep a call that was traced.

    Args:
        name: its name.
        call: the call.
        traced: its trace.
        plan: its plan.
        env: the environment of the program that was planned, with all guards.
        sources: where the values of the program's symbols come from.
        compared: what the trace has asked about numbers.
    """
    try:
        structure, warned = _structure(traced.structure), [_warning(x) for x in call.warned or ()]
    except Unknown:
        return
    if len(env.hints) != len(sources):
        return
    inputs = traced.program.inputs
    n_tensors = sum(v.kind != "scalar" for v in inputs)
    entry: dict[str, Any] = {
        **_plans.written_plan(plan, env.guards),
        "example": env.hints if env.by_example else None,
        "compared": written([tuple(fact) for fact in compared], _no_kernel),
        "sources": sources,
        "numbers": [n_tensors, len(inputs) - n_tensors, call.n_outputs],
        "structure": structure,
        "warned": warned,
        "derivative": None if call.derivative is None else _derivative(call.derivative),
    }
    text = json.dumps(entry, separators=(",", ":"))
    entry["digest"] = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    _save(name, entry)
    if call.derivative is not None:
        call.derivative.origin.name = _backward_name(name, entry)


def _backward_name(name: str, entry: dict[str, Any]) -> str:
    return _disk.key(f"backward {name} {entry['digest']}")


def _structure(structure: Any) -> Any:
    """How a result is made of its tensors (trace.flatten_result)."""
    if structure is None or structure is tuple or structure is list:
        return None if structure is None else structure.__name__
    (kind,) = structure.args
    named: Any = TYPES.get(kind.__name__)
    if named is not kind:
        raise Unknown
    return [kind.__name__]


def _warning(note: tuple[str, type[Warning], str | None]) -> Any:
    """A warning that a trace has noted."""
    message, category, once = note
    if getattr(builtins, category.__name__, None) is not category:
        raise Unknown
    return [message, category.__name__, once]


def _structure_of(x: Any) -> Any:
    if isinstance(x, list):
        make: Any = tuple.__new__
        return functools.partial(make, TYPES[x[0]])
    return {None: None, "tuple": tuple, "list": list}[x]


_PLAIN = "residuals active cotangent_outputs scalars own_scalars grads operands n_own n_syms runs_once".split()


def _derivative(d: Derivative) -> dict[str, Any]:
    made: dict[str, Any] = {name: getattr(d, name) for name in _PLAIN}
    made["operands"] = [dt.by_code[code].name for code in d.operands]
    made["old"] = None if d.old is None else list(d.old.items())
    made["again"] = d.again is not None
    made["edges"] = [upcalls.edge_places(d), upcalls.edge_visits(d)]
    return made


def find(
    name: str,
    op: Operator,
    label: Callable[[], str],
    operands: tuple[Sequence[Tensor], Sequence[int], Sequence[Any]],
    trace: Callable[[], Traced],
) -> CompiledCall | None:
    """The call that is kept under a name and fits, None where there is none.

    Args:
        name: the name.
        op: the operator.
        label: says the name of its graph nodes, for a call whose arguments were found good once.
        operands: the call's tensors, ints and numbers.
        trace: traces the call, when somebody looks into its programs.
    """
    for entry in _loaded(name):
        hints = _hints(entry["sources"], *operands[:2])
        compared = [tuple(fact) for fact in _read(entry["compared"], _no_kernel)]
        if (
            (entry["example"] is None or entry["example"] == hints)
            and _plans.holds(SymEnv(hints), entry["guards"])
            and all(_answers(fact, operands[2]) for fact in compared)
        ):
            return _made(name, entry, op, label(), hints, compared, trace)
    return None


def _hints(sources: Sequence[Any], tensors: Sequence[Tensor], ints: Sequence[int]) -> list[int]:
    """The values of a program's symbols."""
    return [tensors[s[1]].shape[s[2]] if s[0] == "size" else ints[s[1]] for s in sources]


def _answers(fact: tuple[Any, ...], numbers: Sequence[Any]) -> bool:
    """Whether a comparison of a call's numbers has the answer that a trace went by (CompiledCall.valid_for)."""
    place, op, constant, other, answer = fact
    x: Any = numbers[place]
    if other == -2:
        x = complex(x).imag
    x = float(x) if not isinstance(x, complex) else x.real
    y: Any = float(numbers[other]) if other >= 0 else constant
    if op in ("in", "in or not finite"):
        low, high = y
        found = low <= x <= high or (op != "in" and not math.isfinite(x))
    elif op == "is":
        found = struct.pack("d", x) == struct.pack("d", y)
    else:
        found = {"==": x == y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[op]
    return found is bool(answer)


def _made(
    name: str,
    entry: dict[str, Any],
    op: Operator,
    label: str,
    hints: list[int],
    compared: list[Any],
    trace: Callable[[], Traced],
) -> CompiledCall:
    from rushlight.compiler import routines  # noqa: F401  registers the library routines that plans name

    n_tensors, n_scalars, n_outputs = entry["numbers"]
    call = CompiledCall()
    call.n_outputs, call.wrap = n_outputs, _structure_of(entry["structure"])
    call.program = Retraced(lambda: trace().program)
    call.executable = Executable(_plans.read_plan(entry), [tuple(s) for s in entry["sources"]], n_tensors, n_scalars)
    call.valid_for(compared)
    call.warned = [(message, getattr(builtins, kind), once) for message, kind, once in entry["warned"]] or None
    if entry["derivative"] is not None:
        call.derivative = _derivative_of(name, entry, op, label, hints, trace)
        call.derivative.origin.structure = call.wrap
    count("programs")
    count("calls_loaded_from_disk")
    return call


def _derivative_of(
    name: str, entry: dict[str, Any], op: Operator, label: str, hints: list[int], trace: Callable[[], Traced]
) -> Derivative:
    kept, d = entry["derivative"], Derivative()
    for field in _PLAIN:
        setattr(d, field, kept[field])
    d.label, d.residuals = label, [tuple(pair) for pair in kept["residuals"]]
    d.operands = [dt.by_name[x].code for x in kept["operands"]]
    d.old = None if kept["old"] is None else dict(map(tuple, kept["old"]))
    places, visits = kept["edges"]
    edges = tuple(places), None if visits is None else tuple(visits)
    d.origin = Origin(op, None, trace, hints, _backward_name(name, entry), edges)

    def backward() -> Any:
        found = trace().backward
        assert found is not None
        return found

    d.backward = Retraced(backward)
    d.again = (lambda: trace().derivative) if kept["again"] else None
    return d


# ---------------------------------------------------------------------------------------------------- backward programs
def keep_backward(d: Derivative, call: CompiledCall, plan: Plan, env: SymEnv) -> None:
    """Keep the backward program of a derivative. env: its environment, with what planning has asked."""
    if d.origin is None or d.origin.name is None or len(env.hints) != len(d.origin.hints):
        return
    entry: dict[str, Any] = {
        **_plans.written_plan(plan, env.guards),
        "numbers": [len(d.operands), len(call.wrap), call.n_outputs, len(env.hints)],
    }
    _save(d.origin.name, entry)


def find_backward(d: Derivative) -> CompiledCall | None:
    """The backward program of a derivative, of the disk; None where there is none that fits."""
    if d.origin is None or d.origin.name is None or watching.anyone() or not _disk.on_disk():
        return None
    for entry in _loaded(d.origin.name):
        if _plans.holds(SymEnv(d.origin.hints), entry["guards"]):
            from rushlight.compiler import routines  # noqa: F401  registers the library routines that plans name

            n_tensors, n_scalars, n_outputs, n_symbols = entry["numbers"]
            call = CompiledCall()
            call.n_outputs, call.wrap, call.program = n_outputs, list(d.own_scalars), d.backward
            sources = [("int", k) for k in range(n_symbols)]
            call.executable = Executable(_plans.read_plan(entry), sources, n_tensors, n_scalars)
            count("programs")
            count("calls_loaded_from_disk")
            return call
    return None
