"""Values in lanes: vectors, or plain scalars (0 lanes)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rushlight.compiler.llvm import ir


def shaped(t: ir.Type, lanes: int) -> ir.Type:
    """`t` in `lanes` lanes; 0 means a plain scalar."""
    return ir.vector(t, lanes) if lanes else t


def lanes_of(v: ir.Value) -> int:
    """How many lanes; 0 of a plain scalar."""
    return v.type.count


def element(t: ir.Type) -> ir.Type:
    return t.element


def const(t: ir.Type, x: float, lanes: int) -> ir.Value:
    """The constant x of element type t in every lane."""
    return ir.constant(shaped(t, lanes), x)


def splat(b: ir.IRBuilder, v: ir.Value, lanes: int) -> ir.Value:
    """v in every lane; a vector stays as it is."""
    return b.broadcast(v, lanes) if lanes and not v.type.count else v


def intrinsic(b: ir.IRBuilder, name: str, ret: ir.Type, args: Sequence[ir.Value]) -> ir.Value:
    """Call the LLVM intrinsic of this name, overloaded on what it returns."""
    return b.intrinsic(f"{name}.{ret.suffix}", ret, args)


def in_parts(b: ir.IRBuilder, width: int, do: Callable[..., ir.Value], *vectors: ir.Value) -> ir.Value:
    """`do` with vectors of `width` lanes: once, or with each part of longer ones."""
    lanes = vectors[0].type.count
    if lanes == width:
        return do(*vectors)
    return joined(b, [do(*[b.shuffle(v, None, range(i, i + width)) for v in vectors]) for i in range(0, lanes, width)])


def joined(b: ir.IRBuilder, parts: Sequence[ir.Value]) -> ir.Value:
    """The vector of all lanes of vectors alike, as many as a power of two."""
    done = list(parts)
    while len(done) > 1:
        both = range(2 * done[0].type.count)
        done = [b.shuffle(x, y, both) for x, y in zip(done[::2], done[1::2], strict=True)]
    return done[0]


def transposed_squares(b: ir.IRBuilder, vectors: Sequence[ir.Value]) -> list[ir.Value]:
    """As many vectors whose elements, in squares of the vectors' number, are transposed: blocks of half a square, of a
    quarter, ..., of one element change places in turn.
    """
    v = list(vectors)
    n, d = v[0].type.count, len(v)
    while d > 1:
        d //= 2
        low = [n + j - d if j & d else j for j in range(n)]
        high = [n + j if j & d else j + d for j in range(n)]
        for i in range(len(v)):
            if not i & d:
                x, y = v[i], v[i + d]
                v[i], v[i + d] = b.shuffle(x, y, low), b.shuffle(x, y, high)
    return v
