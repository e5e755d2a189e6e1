"""Recorded calls, which the recorder notes, and of which segments are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.core.dispatch import Operator
from rushlight.core.record import PlanNode
from rushlight.core.tensor import Tensor
from rushlight.operators.shapes.join import PROGRAM_OF
from rushlight.operators.table.define import METHODS, TABLE

DETACH = METHODS["detach"]
ONE_BY_ONE: dict[Operator, Operator] = {PROGRAM_OF[name]: TABLE[name] for name in ("cat", "stack")}
"""For operators of programs: what is called in their place where calls are made one by one. For a call out of place
that stands for a write to a part of a tensor it is the write.
"""


LAST_USES: dict[Operator, Operator] = {}
"""For some of these writes: the same call where no later one takes its first operand, to whose memory it writes."""

MAKERS = frozenset(op.noted for op in TABLE.values() if op.noted is not None)
"""The operators of programs that make what factories make: they take no tensors, and their results are the same at any
time.
"""


class At(NamedTuple):
    """Stands in a recorded call for value number k of the segment, or for int k, or number k, of those given to the
    segment."""

    kind: str  # "value", "int" or "number"
    k: int


class Call(NamedTuple):
    """A recorded call: its operator, its arguments with `At` in the place of given values, and its results' numbers (a
    single result is no tuple; None for a call that writes). out: its destinations, where they are no argument.
    """

    op: Operator
    values: tuple[Any, ...]
    results: Any
    out: tuple[At, ...] | None = None


class Backward(NamedTuple):
    """A recorded run of the graph.

    Args:
        op: `backward.GRADIENTS`.
        values: the values at which it begins, their cotangents, and the uses of each tensor in memory that gets a
            gradient; each a tuple of `At`.
        results: the numbers of those gradients.
        last: for each of those tensors the number of its call that a run comes to last.
        graph: of the earlier calls, which has been let go.
        reached: the numbers of the earlier results that it reaches, whose nodes these are.
        lies: on whose memory each gradient lies: k for that of gradient k (its own, or an earlier one's), -1 - k for
            that of cotangent k; beyond these, for that of another value.
    """

    op: Operator
    values: tuple[Any, ...]
    results: tuple[int, ...]
    last: tuple[int, ...]
    graph: Any
    reached: frozenset[int]
    lies: tuple[int, ...]


def is_view(op: Operator) -> bool:
    """Whether an operator's results lie on the memory of its first operand."""
    return op.is_view or op is DETACH


def results_of(call: Call | Backward) -> tuple[int, ...]:
    """The numbers of a call's results."""
    if call.results is None:
        return ()
    return call.results if isinstance(call.results, tuple) else (call.results,)


def supplied(v: Any, env: dict[int, Any], ints: Sequence[Any], numbers: Any) -> Any:
    """An argument of a recorded call with the given values."""
    if type(v) is At:
        return env[v.k] if v.kind == "value" else ints[v.k] if v.kind == "int" else numbers[v.k]
    if type(v) is tuple:
        return tuple([supplied(x, env, ints, numbers) for x in v])
    return v


def taken(values: Sequence[Any], kind: str) -> list[int]:
    """The numbers of one kind that a recorded call takes."""
    found: list[int] = []
    for v in values:
        if type(v) is At:
            if v.kind == kind:
                found.append(v.k)
        elif type(v) is tuple:
            found += taken(v, kind)
    return found


def numbers_in(values: Sequence[Any]) -> list[int]:
    """The numbers of the values that a recorded call takes."""
    return taken(values, "value")


def name_results(call: Call, result: Any, env: dict[int, Any]) -> None:
    """Store a call's results under their numbers."""
    if isinstance(call.results, tuple):
        env.update(zip(call.results, result, strict=True))
    else:
        env[call.results] = result


ONCE = -1
"""Among the values that the graph keeps: the node of the call refuses a second run."""
VANISHES = -2
"""Among them: the derivative of the call may vanish. Its node gives zeros then, whatever comes back; a program gives
none.
"""


def kept_by(op: Operator, results: list[Tensor], slots: list[int], first: int) -> frozenset[int]:
    """The numbers of the values that the graph keeps for the backward of a call, ONCE, and VANISHES.

    Args:
        op: the operator.
        results: those of the call on meta tensors.
        slots: the numbers of its operands.
        first: the number of its first result.
    """
    node = next((y.grad_fn for y in results if y.requires_grad), None)
    if node is None or is_view(op):
        return frozenset()
    own = range(first, first + len(results))
    if not isinstance(node, PlanNode):
        return frozenset((*slots, *own, ONCE))
    found = {ONCE} if node.derivative.n_own or node.derivative.runs_once else set()
    if op.definition.zero_gradient and not node.derivative.residuals:
        found.add(VANISHES)
    for source, index in node.derivative.residuals:
        if source == 0:
            found.add(slots[index])
        elif source == 1 and index < len(own):
            found.add(own[index])
    return frozenset(found)
