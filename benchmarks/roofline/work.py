"""What a case cannot do without: bytes that it must read and write, operations that it must do.

Counted on rushlight's calls. Bytes are true for any program that computes the same: every tensor that was there before
is read once (of one that is only picked from, what is picked), what was changed is written once, and so is what comes
out: what the run returns, and what it makes and nobody in it reads. What a run makes and reads itself need not pass
through memory, and is not counted: the limit is that of the whole run as one perfect kernel. Operations are those of
the programs of the operators that are called, and of the backward's nodes (`counts.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import rushlight as rl
from benchmarks.roofline import counts
from benchmarks.roofline.counts import Counts
from benchmarks.roofline.machine import Limits
from rushlight.core import engine
from rushlight.core.dispatch import Nodes
from rushlight.core.record import PlanNode
from rushlight.library.operator import OpOverload
from rushlight.operators.table.arguments import call_body
from rushlight.operators.table.dispatch import TRANSFORM, CallMode, plain_call, tensors_in
from rushlight.operators.table.trace import operands, trace
from rushlight.program.ir import Program, Var
from rushlight.utils._pytree import tree_leaves


class Work(NamedTuple):
    """Bytes and operations of one run, the operations by dtype; and operators whose work nobody knows."""

    read: float
    written: float
    operations: Counts
    unknown: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """Operations of all dtypes."""
        return sum(self.operations.values())

    def seconds(self, limits: Limits) -> float:
        """The least time that the machine allows."""
        return max(self.moving(limits), *self.computing(limits).values(), 0.0)

    def moving(self, limits: Limits) -> float:
        """The least time for the bytes."""
        rates = limits.memory[limits.level(int(self.read + self.written))]
        both = min(self.read, self.written)
        return 2 * both / rates.copy + (self.read - both) / rates.read + (self.written - both) / rates.write

    def computing(self, limits: Limits) -> dict[str, float]:
        """The least time for the operations: by unit, named by the dtype that takes it longest. bfloat16 has a unit of
        its own where it has a rate of its own.
        """
        found: dict[bool, dict[str, float]] = {}
        for dtype, n in self.operations.items():
            rate = limits.operations[dtype]
            apart = dtype == "bfloat16" and rate > limits.operations["float32"]
            found.setdefault(apart, {})[dtype] = n / rate
        return {max(times, key=lambda dtype: times[dtype]): sum(times.values()) for times in found.values()}

    def bound(self, limits: Limits) -> str:
        """What decides the least time: a level of memory or a dtype."""
        times = {limits.level(int(self.read + self.written)): self.moving(limits), **self.computing(limits)}
        return max(times, key=lambda name: times[name])


# Operators that hand memory to code of others.
_HANDED = ("numpy", "__array__", "__dlpack__", "data_ptr")


class _Seen:
    """A storage that was there before the run: a tensor on it, its version at first, bytes that calls read at most, and
    bytes that they had before them.
    """

    def __init__(self, x: rl.Tensor) -> None:
        self.tensor, self.version, self.read, self.whole = x, x._version, 0.0, 0.0


class _Watch(CallMode):
    """Sees the operators that are called and those within them that are functions of Python's, and the nodes of
    backward runs.
    """

    sees_functions = False

    def __init__(self) -> None:
        self.seen: dict[int, _Seen] = {}  # by storage
        self.made: dict[int, float] = {}  # storages that the run made: bytes that nobody has read
        self.counts: list[Counts] = []
        self.unknown: list[str] = []
        self.kept: list[Any] = []  # lest a new storage takes an old one's address
        self.within: list[set[int]] = []  # storages of the arguments of functions of Python's that are being called
        self.nodes: list[tuple[Any, bool]] = []  # that are running, and whether as an operator, which is seen itself
        self.leaves: dict[int, tuple[int, int]] = {}  # bytes and storages of the gradients of leaves
        self.entered: Any = None  # an operator of a library that is about to ask once more
        self.calls = 0

    # -- calls ---------------------------------------------------------------------------------------------------------
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """A function of Python's, or an operator of a library, which asks once more from within: what it calls is
        seen.
        """
        if not isinstance(func, OpOverload) or hasattr(func, "perform"):
            return super().__torch_function__(func, types, args, kwargs)
        if self.entered is func:
            self.entered = None
            return NotImplemented
        self.entered = func
        given = _storages(_with_memory(tree_leaves((args, kwargs))))
        self.within.append(given)
        with self:
            result = func(*args, **(kwargs or {}))
        self.within.pop()
        after = _with_memory(tree_leaves(result))
        if not _storages(after) <= given | self.made.keys() | self.seen.keys():
            self.unknown.append(func.name())  # no operator of the table has made it
        self._makes(after, given)
        return result

    def of_operator(self, op: Any, values: list[Any], out: Any) -> Any:
        """Do a call, and count it."""
        if op.eager is not None and out is None:
            return self._of_python(op, values)
        self.calls += 1
        program, _, _ = trace(op, values)
        tensors = operands(op, values)[0]
        given, dests = _storages(tensors), _with_memory(tensors_in([values[0]] if op.inplace else [out]))
        if not op.is_view:
            for x, v in zip(tensors, (v for v in program.inputs if v.kind == "tensor"), strict=True):
                self._read(x, min(_share(v, program), _bytes(x)), op.inplace and x is values[0])
            for x in dests:
                self._read(x, 0, True)
            self.counts.append(counts.of_program(program))
        result = plain_call(op, values, out)
        self._makes(_with_memory(tensors_in([result])), given | _storages(dests))
        return result

    def _of_python(self, op: Any, values: list[Any]) -> Any:
        if op.name in _HANDED:
            self.unknown.append(op.name)
        given, calls, before = _with_memory(tensors_in(values)), self.calls, self.made.keys() | set()
        self.within.append(_storages(given))
        with self:
            result = op.usual_result(values)
            if result is None:
                result = call_body(op, values)
        self.within.pop()
        after = _with_memory(tensors_in([result]))
        for key in self.made.keys() - before:
            del self.made[key]  # but for what comes out
        if self.calls == calls:  # of the core's own: it moves elements, or makes a view
            self.calls += 1
            for x in given:
                if op.inplace and x is values[0]:
                    self._read(x, 0, True)
                elif _storage(x) not in _storages(after):
                    self._read(x, _bytes(x), False)
        for key in _storages(given) & self.made.keys() - _storages(after):
            self.made[key] = 0.0
        self._makes(after, _storages(given))
        return result

    # -- nodes ---------------------------------------------------------------------------------------------------------
    def begin(self, node: Any, grads: list[Any]) -> None:
        """A node's backward begins."""
        saved = node.saved_tensors if isinstance(node, PlanNode) else ()
        operands = [x for x in (*saved, *grads) if x is not None]
        plain = _with_memory(operands)
        self.nodes.append((node, rl.is_grad_enabled() or len(plain) < len(operands)))
        for x in plain:
            self._read(x, _bytes(x), False)

    def end(self, grads: list[Any], out: list[Any]) -> None:
        """It ends."""
        node, as_operator = self.nodes.pop()
        if isinstance(node, PlanNode) and not as_operator:
            self.counts.append(counts.of_program(node.derivative.backward, node.ints()))
        given = _storages(_with_memory(grads))
        for (target, _), x in zip(node.edges, out, strict=True):
            if not _with_memory([x]):
                continue
            if isinstance(target, rl.Tensor):
                self.leaves[id(target)] = _bytes(x), _storage(x)
            else:  # (a leaf copies what others hold)
                self.kept.append(x)
            if _storage(x) not in given | self.seen.keys():
                self.made.setdefault(_storage(x), 0.0)

    # -- bytes ---------------------------------------------------------------------------------------------------------
    def _read(self, x: rl.Tensor, size: float, changed: bool) -> None:
        key = _storage(x)
        if self.within and key not in self.within[0] and key not in self.seen:
            self.kept.append(x)  # by a function of Python's, or of the core's, for itself
            self.made.setdefault(key, 0.0)
        if key in self.made:
            if not changed:
                self.made[key] = 0.0
            return
        here = self.seen.setdefault(key, _Seen(x))
        here.read, here.whole = max(here.read, size), max(here.whole, _bytes(x))

    def _makes(self, after: Iterable[rl.Tensor], given: set[int]) -> None:
        for x in after:
            key = _storage(x)
            if key not in given and key not in self.seen:
                self.kept.append(x)
                self.made.setdefault(key, _bytes(x))


def _storage(x: rl.Tensor) -> int:
    return x.untyped_storage().data_ptr()


def _with_memory(several: Iterable[Any]) -> list[rl.Tensor]:
    """Those that are tensors with elements of their own, or views of such: not sparse ones, nor what stands for a
    tensor within a function transform.
    """
    return [x for x in several if isinstance(x, rl.Tensor) and x.layout is rl.strided and not x._keys_ & TRANSFORM]


def _storages(several: Iterable[rl.Tensor]) -> set[int]:
    return {_storage(x) for x in several}


def _bytes(x: rl.Tensor) -> int:
    return x.element_size() * math.prod(n for n, step in zip(x.shape, x.stride(), strict=True) if step)


def _share(v: Var, program: Program) -> float:
    """Bytes that a program reads of an operand: what it picks where it only picks."""
    size = program.env.hint

    def whole(x: Var) -> int:
        return x.dtype.itemsize * math.prod(map(size, x.shape))

    def share(x: Var) -> float:
        total = 1.0 * whole(x) * any(x is y for y in program.outputs)
        for e in program.eqns:
            for i, y in enumerate(e.inputs):
                if y is not x:
                    continue
                if e.prim.name == "gather" and i == 0:
                    total += whole(e.outputs[0])
                elif e.prim.name in ("slice", "reshape", "permute", "diagonal"):
                    total += share(e.outputs[0])
                else:
                    total += whole(x)
        return min(total, whole(x))

    return share(v)


def _words(before: tuple[Any, ...], after: tuple[Any, ...]) -> int:
    """How many words the stream of random numbers has gone on between two of its states."""
    (state, used, *_), (last, end, *_) = before, after
    turned, blocks = rl.Generator(), 0
    turned.set_twister_state(*before)
    rl.rand(_BLOCK - used, generator=turned)
    while state != last:
        if blocks == _MOST_BLOCKS:
            raise RuntimeError(f"count(): the run has seeded its random numbers, or drawn more than {blocks} blocks")
        rl.rand(1, generator=turned)  # a word, the first of the next block
        state, blocks = turned.twister_state()[0], blocks + 1
        rl.rand(_BLOCK - 1, generator=turned)
    return blocks * _BLOCK + end - used


_BLOCK, _MOST_BLOCKS = 624, 100_000  # words of the twister's state; of these at most in one run


def count(run: Callable[[], Any]) -> Work:
    """The work of a run; it is run twice."""
    run()  # states of optimizers are there from the second run on
    watch = _Watch()
    before = rl.default_generator.twister_state()
    engine.set_node_watch(Nodes(watch))
    try:
        with watch:
            result = run()
    finally:
        engine.set_node_watch(None)
    read = written = 0.0
    for here in watch.seen.values():
        read += here.read
        written += here.whole * (here.tensor._version != here.version)
    gradients = {storage for _, storage in watch.leaves.values()}
    for x in _with_memory(tree_leaves(result)):
        if _storage(x) not in watch.seen.keys() | gradients:
            watch.made[_storage(x)] = _bytes(x)
    written += sum(watch.made.values()) + sum(size for size, _ in watch.leaves.values())
    words = _words(before, rl.default_generator.twister_state())
    drawn = {"float32": 2.0 * counts.TWISTER * words}
    return Work(read, written, counts.added([*watch.counts, drawn]), tuple(dict.fromkeys(watch.unknown)))
