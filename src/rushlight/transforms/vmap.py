"""Vectorisation: the program of one example becomes the program of a batch."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.prims.emit import emit_batched
from rushlight.program.ir import Builder, Program, Var
from rushlight.program.sym import Int


def vmap(program: Program, in_dims: Sequence[int | None], size: Int) -> tuple[Program, tuple[int | None, ...]]:
    """The program over a batch of `size` examples.

    Args:
        in_dims: where each input has its batch dimension (in the shape that includes it), None for one shared by all.
        size: an int, or a symbol of `program.env`.

    Returns:
        The program, and where each output has its batch dimension; None for an output that is the same for all.
    """
    if len(in_dims) != len(program.inputs):
        raise ValueError(f"vmap: expected in_dims for {len(program.inputs)} inputs; found {tuple(in_dims)}")
    program = program.copy()
    size = program.env.adopt(size)
    with Builder(program.env) as b:
        args: list[Var] = []
        dims: list[int | None] = []
        for i, (v, d) in enumerate(zip(program.inputs, in_dims, strict=True)):
            if d is not None and not -v.ndim - 1 <= d <= v.ndim:
                raise ValueError(
                    f"vmap: in_dims[{i}] must be in [{-v.ndim - 1}, {v.ndim}] for an input of {v.ndim} dimensions, "
                    f"found {d}"
                )
            at = None if d is None else d % (v.ndim + 1)
            shape = v.shape if at is None else (*v.shape[:at], size, *v.shape[at:])
            args.append(b.input(shape, v.dtype, v.kind if at is None else "tensor"))
            dims.append(at)
        outs, odims = emit_batched(program, args, dims, size)
        return b.build(outs), tuple(odims)
