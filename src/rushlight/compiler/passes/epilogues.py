"""The pass `epilogues`: a kernel that goes on with a product or convolution, element by element, is run on its pieces.

That is the kernel that reads a product first, if it visits each element of it once, and does nothing that needs all of
it or may fail. Its buffer says what the product is then: where nobody else reads it, it has no memory as a whole.
"""

from __future__ import annotations

from dataclasses import replace

from rushlight.compiler.costs import DIVISIONS
from rushlight.compiler.passes.forms import Call, InBuffer, Nest, Schedule, Step, is_one
from rushlight.core.dtypes import (
    bfloat16,
    by_name,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int32,
    uint8,
)
from rushlight.program.affine import covers
from rushlight.program.ir import Var
from rushlight.program.loops import Node

MOST = 16  # operands, and numbers, of such a kernel (core/native/product.h)
# Of what kernels of products make.
_DTYPES = (float32, float64, complex64, complex128, bfloat16, float16, int8, uint8, int32)


def epilogues(nests: Schedule[Nest]) -> Schedule[Nest]:
    """The schedule with such kernels as parts of their products' steps."""
    works: list[Step[Nest] | None] = list(nests.steps)
    buffers = list(nests.buffers)
    follows = {a for s in nests.steps for a in s.after}
    moved: dict[int, int] = {}  # the place of a product -> that of its kernel
    for i, step in enumerate(nests.steps):
        product = step.work
        if not isinstance(product, Call) or not _is_product(product) or i in follows or step.after:
            continue
        view, made = product.args[-1]
        reads = [j for j, s in enumerate(nests.steps) if j > i and view.buffer in s.work.touched(False)]
        if not reads or reads[0] in moved.values():
            continue
        reader = nests.steps[reads[0]]
        if isinstance(reader.work, Call) or reader.unless is not None or not goes_on(reader.work, view.buffer, made):
            continue
        k = view.buffer - len(nests.program.inputs)
        kept = len(reads) > 1 or any(isinstance(o, InBuffer) and o.view.buffer == view.buffer for o in nests.outputs)
        buffers[k] = replace(buffers[k], pieces=not kept)
        moved[i] = reads[0]
        works[i], works[reads[0]] = None, Step(replace(product, then=reader.work), reader.after)
    if not moved:
        return nests
    left = [i for i, s in enumerate(works) if s is not None]
    number = {i: n for n, i in enumerate(left)}
    steps = [replace(s, after=tuple(number[a] for a in s.after)) for s in works if s is not None]
    return replace(nests, steps=tuple(steps), buffers=tuple(buffers))


def _is_product(call: Call) -> bool:
    made = call.args[-1][1]
    if call.eqn.prim.name == "dot":
        return made.dtype in _DTYPES and not any(map(is_one, made.shape[-2:]))
    return call.eqn.prim.name in ("conv", "conv_dx") and made.dtype in (float32, float64) and made.ndim <= 5


def _may_fail(n: Node) -> bool:
    """Whether an operation looks for an index out of range, or for an integer divided by zero."""
    return n.op == "gather" or n.op in DIVISIONS and by_name[n.dtype].kind != "f"


def goes_on(nest: Nest, buffer: int, made: Var) -> bool:
    """Whether a kernel may be run on pieces of a value, which is all of a buffer."""
    loops = nest.loops
    if loops.reduced or not loops.coalesce or len(loops.operands) > MOST or len(loops.scalars) > MOST:
        return False
    if any(s.mode != "store" for s in loops.stores) or any(map(_may_fail, loops.nodes)):
        return False
    reads = [o for o in nest.operands if o.buffer == buffer]
    if len(reads) != 1 or reads[0].write or reads[0].at is None:
        return False
    return covers(reads[0].at, made.shape, nest.size_of) == set(nest.kept)
