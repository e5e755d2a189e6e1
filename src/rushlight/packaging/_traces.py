"""Traces of a package: the calls of native parts that its plan makes at given sizes, for programs in C that repeat them
(core/native/trace.h). To make a trace, nothing is run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import rushlight
from rushlight.compiler.kernels.kernel import Code
from rushlight.compiler.plan import Launch, Plan
from rushlight.compiler.written import with_kernels
from rushlight.core import _native
from rushlight.core import dtypes as dt
from rushlight.core.execute import Executable
from rushlight.core.tensor import Tensor
from rushlight.packaging._capture import Captured
from rushlight.packaging._code import Key, fields_of

__all__ = ["Case", "Program", "Result", "asked_sizes", "refused", "run_or_trace", "traced"]

# How launches are cut depends on the number of threads, bits do not: a call takes the trace for the most that it has.
_THREADS = (1, 2, 4, 8, 16)
_ALIGN = 64
WEIGHT, ARGUMENT, WORKSPACE, UNUSED = range(4)  # kinds of blocks, as in runtime/runtime.h

Block = tuple[int, int, int]  # kind; which, or where in the workspace; bytes
Weight = tuple[dt.dtype, tuple[int, ...]]

# Routines that the core runs by native functions alone; the others have Python between these (compiler/routines/).
_NATIVE = ("dot", "conv", "conv_dx", "conv_dw", "attention", "attention_grad", "sort", "sort_keys")


@dataclass(frozen=True)
class Result:
    """Where a result lies when a trace was run: in a block, or (-1) nowhere, having no elements."""

    block: int
    offset: int  # in bytes
    sizes: tuple[int, ...]
    strides: tuple[int, ...]  # in elements


@dataclass(frozen=True)
class Program:
    """A trace: words of 64 bits, the blocks that their addresses lie in, and the results."""

    words: bytes
    blocks: tuple[Block, ...]
    workspace: int
    results: tuple[Result, ...]


@dataclass(frozen=True)
class Case:
    """Sizes that a package has traces for. arguments: of each tensor; programs: each for so many threads, and more."""

    arguments: list[tuple[int, ...]]
    programs: list[tuple[int, Program]]


def refused(plan: Plan) -> str | None:
    """What of a plan no trace holds."""
    for step in plan.steps:
        if not isinstance(step, Launch) and step.name not in _NATIVE:
            return f"it has a step of {step.name!r}, which has Python between its native parts"
    return None


def asked_sizes(found: Captured, sizes: Sequence[Mapping[str, Sequence[int]]] | None) -> list[list[int]]:
    """The sizes of all symbols, for each combination that is asked for: the example's, where none is.

    Raises:
        ValueError: an argument of this name is not there, one whose sizes vary is missing, or it may not have these.
        TypeError: a combination is no dict, or a size no int.
    """
    if sizes is None:
        return [list(found.program.env.hints)]
    if not isinstance(sizes, (list, tuple)):
        raise TypeError(f"package(): argument 'sizes' must be a list of dicts, not {type(sizes).__name__}")
    out: list[list[int]] = []
    for given in sizes:
        if not isinstance(given, Mapping):
            raise TypeError(f"package(): argument 'sizes' must hold dicts of sizes, not {type(given).__name__}")
        row = _symbols_of(found, given)
        if row not in out:
            out.append(row)
    if not out:
        raise ValueError("package(): argument 'sizes' must have one combination at least; found none")
    return out


def _symbols_of(found: Captured, given: Mapping[str, Sequence[int]]) -> list[int]:
    """The sizes of all symbols where arguments have these."""
    inputs = {x.name: x for x in found.inputs if x.dtype is not None}
    items = {x.name: x.dtype.itemsize for x in found.inputs if x.dtype is not None}
    names = list(inputs)
    for name, shape in given.items():
        if name not in inputs:
            raise ValueError(f"package(): argument 'sizes' must name arguments, {', '.join(names)}; found {name!r}")
        if not isinstance(shape, (tuple, list)) or not all(type(n) is int for n in shape):
            raise TypeError(f"package(): argument 'sizes' must have a tuple of ints for {name!r}; found {shape!r}")
        if len(shape) != len(inputs[name].shape):
            raise ValueError(
                f"package(): argument 'sizes' must have {len(inputs[name].shape)} sizes for {name!r}; found "
                f"{len(shape)}"
            )
        if math.prod(shape) * items[name] >= 1 << 63:
            raise ValueError(
                f"package(): argument 'sizes' must have fewer than 2**63 bytes for {name!r}; found {list(shape)}"
            )
    row = list(found.program.env.hints)
    for index, ((kind, *place), (_, least, most)) in enumerate(zip(found.sources, found.bounds, strict=True)):
        if kind != "size":
            continue
        name, d = names[place[0] - len(found.weights)], place[1]
        if name not in given:
            raise ValueError(f"package(): argument 'sizes' must have the sizes of {name!r}, which vary")
        row[index] = n = given[name][d]
        if n < least or (most is not None and n > most):
            ends = f"from {least} on" if most is None else f"from {least} to {most}"
            raise ValueError(
                f"package(): argument 'sizes' must have a size {ends} in dimension {d} of {name!r}; found {n}"
            )
    env = found.program.env
    examples = list(env.hints)
    try:
        env.hints[:] = row
        for name, shape in given.items():
            expected = [int(env.hint(n)) for n in inputs[name].shape]
            if list(shape) != expected:
                raise ValueError(
                    f"package(): argument 'sizes' must have {expected} for {name!r}, as the model and its other "
                    f"arguments are; found {list(shape)}"
                )
    finally:
        env.hints[:] = examples
    return row


class _Numbered:
    """A kernel whose variants are numbers instead of code. keys: what the package has code for."""

    def __init__(self, kernel: Any, first: int, keys: Sequence[Key], blocks: Sequence[int]) -> None:
        vars(self).update(fields_of(kernel))
        self.numbers = {key: (first + k, block) for k, (key, block) in enumerate(zip(keys, blocks, strict=True))}
        self.n_operands: int
        self.cost: float

    def variant(self, K: int, R: int, mode: str, classes: bytes) -> Code:
        """The number of a variant in the place of its address."""
        found = self.numbers.get((K, R, mode, classes.decode("ascii")))
        found = found or self.numbers[K, R, mode, "s" * self.n_operands]
        return Code(found[0], found[1], self.cost)


def traced(
    found: Captured,
    plan: Plan,
    weights: Sequence[Weight],
    order: Sequence[int],
    asked: Sequence[Any],
    variants: Sequence[Sequence[tuple[Key, int]]],
    sizes: Sequence[Sequence[int]],
) -> list[Case]:
    """The traces of a program for combinations of sizes.

    Args:
        found: the program.
        plan: its plan.
        weights: what the file has; `order` says which is each of the program's.
        asked: the kernels of the plan.
        variants: of each kernel the variants that there is code for, and what a work item of these covers. They count
            from 1, through all kernels.
        sizes: of all symbols.

    Raises:
        NotImplementedError: no trace holds what the plan does at these sizes.
        ValueError: the program takes another way at these sizes.
    """
    numbered: dict[int, _Numbered] = {}
    first = 1
    for a, row in zip(asked, variants, strict=True):
        numbered[id(a.kernel)] = _Numbered(a.kernel, first, [key for key, _ in row], [block for _, block in row])
        first += len(row)
    numbered_plan = with_kernels(plan, lambda kernel: numbered[id(kernel)])
    own = [rushlight.empty(shape, dtype=dtype) for dtype, shape in weights]
    inputs = [x for x in found.inputs if x.dtype is not None]
    env = found.program.env
    examples = list(env.hints)
    before = _native.num_threads()
    cases: list[Case] = []
    try:
        for hints in sizes:
            env.hints[:] = hints
            shapes = [tuple(int(env.hint(n)) for n in x.shape) for x in inputs]
            given = [rushlight.empty(s, dtype=x.dtype) for s, x in zip(shapes, inputs, strict=True)]
            case = Case(shapes, [])
            for threads in _THREADS:
                _native.set_num_threads(threads)
                # (an executable keeps how it launched last, and so for how many threads)
                executable = Executable(numbered_plan, found.sources, len(order) + len(given), 0)
                program = _program(executable, own, order, given, found.leaves)
                if not case.programs or case.programs[-1][1] != program:
                    case.programs.append((threads, program))
            cases.append(case)
    finally:
        _native.set_num_threads(before)
        env.hints[:] = examples
    return cases


def run_or_trace(executable: Executable, tensors: list[Tensor], run_it: bool) -> None:
    """Let a plan ask for all code that it needs for these tensors: traced, so that nothing is made of what they hold (a
    divisor may be 0), or where that cannot be or `run_it`, run.
    """
    if not run_it:
        try:
            _native.trace(_places(tensors), lambda: _launched(executable, tensors))
            return
        except NotImplementedError:  # a routine of Python: its results may be other routines' operands
            pass
    _launched(executable, tensors)


def _launched(executable: Executable, tensors: list[Tensor]) -> list[Tensor] | None:
    """The results; None where the sizes break a guard. (The last number stands for symbols that are no size.)"""
    return executable.launch(tensors, [2])


def _places(tensors: Sequence[Tensor]) -> list[tuple[int, int]]:
    """Where tensors that lie row by row begin, and their bytes; what has no elements may have no address."""
    return [(t.data_ptr() or 1, t.numel() * t.element_size()) for t in tensors]


def _program(
    executable: Executable, own: list[Tensor], order: Sequence[int], given: list[Tensor], leaves: Sequence[Any]
) -> Program:
    places = _places([*own, *given])
    tensors = [*(own[k] for k in order), *given]

    def run() -> list[Result]:
        values = _launched(executable, tensors)
        if values is None:
            sizes = [list(t.shape) for t in given]
            raise ValueError(
                f"package(): the program compares sizes, and takes another way for {sizes}, of argument 'sizes', than "
                "for those that it was exported with"
            )
        results = []
        for kind, x in leaves:
            if kind != "static":
                t = tensors[x] if kind == "given" else values[x]
                block, offset = _native.trace_place(t.data_ptr()) if t.numel() else (-1, 0)
                results.append(Result(block, offset, tuple(map(int, t.shape)), tuple(map(int, t.stride()))))
        return results

    results, words, blocks = _native.trace(places, run)
    fixed = [(WEIGHT, k, places[k][1]) for k in range(len(own))]
    fixed += [(ARGUMENT, k, places[len(own) + k][1]) for k in range(len(given))]
    lent, workspace = _laid_out(blocks[len(fixed) :])
    return Program(words, (*fixed, *lent), workspace, tuple(results))


def _laid_out(blocks: Sequence[tuple[int, int, int]]) -> tuple[list[Block], int]:
    """Blocks of so many bytes, which live from a record to another, in one workspace: the larger ones first, each as
    low as those allow that live at the same time. The bytes of the workspace.
    """
    placed: list[tuple[int, int, int, int]] = []  # begin, end, first and last record
    found: list[Block] = [(UNUSED, 0, 0)] * len(blocks)
    total = 0
    for k in sorted(range(len(blocks)), key=lambda k: (-blocks[k][0], k)):
        size, first, last = blocks[k]
        if first < 0:
            continue
        at, room = 0, -(-max(size, 1) // _ALIGN) * _ALIGN
        for begin, end, _, _ in sorted(p for p in placed if p[2] <= last and first <= p[3]):
            if at + room <= begin:
                break
            at = max(at, end)
        placed.append((at, at + room, first, last))
        found[k] = WORKSPACE, at, size
        total = max(total, at + room)
    return found, total
