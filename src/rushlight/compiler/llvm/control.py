"""Control flow of generated code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import I64


@contextmanager
def counted(
    b: ir.IRBuilder, start: ir.Value, stop: ir.Value, step: int, likely: bool | None = None
) -> Iterator[ir.Value]:
    """A loop over range(start, stop, step): what is emitted inside is its body. likely: whether another turn is, when
    that is known.
    """
    before = b.block
    head, body, done = (b.append_basic_block(n) for n in ("head", "body", "done"))
    b.branch(head)
    b.position_at_end(head)
    i = b.phi(I64)
    i.add_incoming(start, before)
    b.cbranch(b.icmp_signed("<", i, stop), body, done, likely)
    b.position_at_end(body)
    yield i
    i.add_incoming(b.add(i, I64(step)), b.block)
    b.branch(head)
    b.position_at_end(done)


@contextmanager
def while_(b: ir.IRBuilder, condition: Callable[[], ir.Value]) -> Iterator[None]:
    """A loop that goes on while the condition, which is emitted before the body, holds."""
    head, body, done = (b.append_basic_block(n) for n in ("head", "body", "done"))
    b.branch(head)
    b.position_at_end(head)
    b.cbranch(condition(), body, done)
    b.position_at_end(body)
    yield
    b.branch(head)
    b.position_at_end(done)


class Turns:
    """A loop over values that turn into others: what is emitted between making this and `close` is its body.

    Args:
        first: what the first turn begins with.
        when: whether there is a first turn; left out, there is.

    Attributes:
        before: the block from which the loop is entered.
        carried: what a turn begins with.
    """

    def __init__(self, b: ir.IRBuilder, *first: ir.Value, when: ir.Value | None = None) -> None:
        self._b, self.before = b, b.block
        self._body, self._after = b.append_basic_block("turn"), b.append_basic_block("turned")
        if when is None:
            b.branch(self._body)
        else:
            b.cbranch(when, self._body, self._after)
        b.position_at_end(self._body)
        self.carried = [b.phi(value.type) for value in first]
        self._receive(first, self.before)

    def _receive(self, values: Sequence[ir.Value], block: ir.Block) -> None:
        for phi, value in zip(self.carried, values, strict=True):
            phi.add_incoming(value, block)

    def close(self, again: ir.Value, *following: ir.Value) -> None:
        """End the body: where `again` holds, the next turn begins with `following`."""
        self._receive(following, self._b.block)
        self._b.cbranch(again, self._body, self._after)
        self._b.position_at_end(self._after)
