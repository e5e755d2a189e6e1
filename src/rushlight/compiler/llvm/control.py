"""Control flow of generated code."""

from __future__ import annotations

from collections.abc import Iterator
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
