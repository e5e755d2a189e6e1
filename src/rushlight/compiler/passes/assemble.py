"""The pass `assemble`: every size, stride and offset a slot, every kernel an object with variants: the finished
Plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from rushlight.compiler import plan
from rushlight.compiler.kernels.kernel import kernel_for
from rushlight.compiler.passes.buffers import lies_by_columns
from rushlight.compiler.passes.forms import (
    Buffer,
    Call,
    InBuffer,
    KernelOperand,
    Nest,
    Schedule,
    SeenThroughViews,
    Step,
)
from rushlight.compiler.passes.orders import likes_of
from rushlight.compiler.passes.slots import Numbers, Slots
from rushlight.prims.view import AtLaunch, seen
from rushlight.program.affine import Index, flatten
from rushlight.program.ir import Program, Var
from rushlight.program.sym import Int, Sym, prod, same, var_atom

T = TypeVar("T")
Touch = tuple[int, Index | None]  # a buffer, and the element of it where that is one alone


Numbered = Callable[[Numbers], T]  # what there is when slots have numbers


def assemble(c: Schedule[Nest], planned: Mapping[Program, plan.Plan]) -> plan.Plan:
    """Number everything. planned: the plans of the programs that are parameters of calls."""
    slots, program = Slots(dict(c.known), c.first_slot), c.program
    for b in c.buffers:
        if b.symbols:
            slots.reserve(b.symbols)
    allocs: list[Numbered[plan.Alloc]] = []
    n_symbols = len(c.env.hints)
    likes, lives = _likes(c), _lives(c)
    over = _over(c, lives)
    spent = _spent(c, lives, over)
    for k, b in enumerate(c.buffers, len(program.inputs)):
        if b.symbols:
            strides = [slots.atom(var_atom(s)) for s in b.symbols]
        else:  # contiguous: its strides are known; the core still writes them into their slots
            strides = slots.reserve(range(n_symbols, n_symbols + len(b.sizes)))
            n_symbols += len(b.sizes)
        allocs.append(
            _alloc(
                c,
                k,
                b,
                [slots.of(n) for n in b.sizes],
                strides,
                likes.get(k, ()),
                lives.get(k),
                over.get(k),
                spent.get(k),
            )
        )
    guards = [slots.guard(g) for g in program.env.guards]
    inputs = [
        (v.dtype, [(slots.of(n), 0) if isinstance(n, Sym) else (None, int(n)) for n in v.shape]) for v in program.inputs
    ]
    steps: list[Numbered[plan.Launch] | Numbered[plan.Library]] = [
        _call(c, slots, s.work, planned) if isinstance(s.work, Call) else _launch(c, slots, s.work, s.unless)
        for s in c.steps
    ]
    outputs = [_buffer(slots, o) if isinstance(o, InBuffer) else _view(slots, o) for o in c.outputs]
    number = slots.finish()
    return plan.Plan(
        n_sym=len(program.env.hints),
        inputs=tuple([(d, tuple([(-1 if x is None else number.one(x), n) for x, n in dims])) for d, dims in inputs]),
        in_strides=c.in_strides,
        scalar_slots=c.scalar_slots,
        code_base=number.code_base,
        code=number.instructions(slots.code),
        guards=tuple([(number.one(r), e) for r, e in guards]),
        allocs=tuple([make(number) for make in allocs]),
        post_base=number.post_base,
        post=number.instructions(slots.post),
        steps=tuple([make(number) for make in steps]),
        outputs=tuple([make(number) for make in outputs]),
        n_slots=number.n_slots,
        lasts=_lasts(c),
    )


def _alloc(
    c: Schedule[Nest],
    k: int,
    b: Buffer,
    sizes: list[int],
    strides: list[int],
    like: tuple[plan.Like, ...],
    lives: tuple[int, int | None] | None,
    over: int | None,
    spent: int | None,
) -> Numbered[plan.Alloc]:
    """Buffer k."""
    reads = () if b.output is None else _reads(c, k)
    columns = b.output is not None and _by_columns(c.program.outputs[b.output])
    free = b.output is None and b.same is None and len(b.symbols) > 0
    return lambda number: plan.Alloc(
        b.dtype,
        number.many(sizes),
        number.many(strides),
        b.output,
        like,
        reads,
        columns,
        same=b.same,
        free=free,
        taken=None if b.taken is None else (b.taken.input, b.taken.order),
        lives=lives,
        over=over,
        spent=spent,
        pieces=b.pieces,
        joined=b.joined,
    )


def _lives(c: Schedule[Nest]) -> dict[int, tuple[int, int | None]]:
    """The first and the last step that touch each buffer; no last one where an output lies in it."""
    first, kept = len(c.program.inputs), {o.view.buffer for o in c.outputs if isinstance(o, InBuffer)}
    found: dict[int, tuple[int, int | None]] = {}
    for i, step in enumerate(c.steps):
        for write in (False, True):
            for k in step.work.touched(write):
                if k >= first and not c.buffers[k - first].pieces:
                    lasts = k not in kept and not c.buffers[k - first].symbols
                    found[k] = (found.get(k, (i, i))[0], i if lasts else None)
    return found


def _over(c: Schedule[Nest], lives: Mapping[int, tuple[int, int | None]]) -> dict[int, int]:
    """The buffers that take another one's memory, and whose; see plan.Alloc."""
    n = len(c.program.inputs)
    out: dict[int, int] = {}
    for i, step in enumerate(c.steps):
        work = step.work
        if isinstance(work, Call) or work.loops.reduced:
            continue
        made = [o for o in work.operands if o.write and lives.get(o.buffer, (-1, None))[0] == i]
        made = [o for o in made if lives[o.buffer][1] is not None]
        gone = {o.buffer for o in work.operands if not o.write and lives.get(o.buffer, (0, None))[1] == i}
        for w in made:
            for k in sorted(gone):
                a, b = c.buffers[k - n], c.buffers[w.buffer - n]
                # (A value that is computed at two indices is written at both: at the second, over what is read later.)
                others = [o for o in work.operands if o is not w and o.buffer in (k, w.buffer)]
                if (
                    a.taken is None
                    and b.taken is None
                    and a.dtype is b.dtype
                    and all(o.buffer == k and not o.write and o.lin.key == w.lin.key for o in others)
                    and same(prod(a.sizes), prod(b.sizes))
                ):
                    out[w.buffer] = k
                    gone.discard(k)
                    break
    return out


def _spent(c: Schedule[Nest], lives: Mapping[int, tuple[int, int | None]], over: Mapping[int, int]) -> dict[int, int]:
    """The buffers that may take an input's memory, and which of the tensors among the inputs; see plan.Alloc."""
    n = len(c.program.inputs)
    out: dict[int, int] = {}
    tensors = [k for k, v in enumerate(c.program.inputs) if v.kind == "tensor"]
    last = dict(zip(tensors, _lasts(c), strict=True))
    for i, step in enumerate(c.steps):
        work = step.work
        nest, others = (work.then, {v.buffer for v, _ in work.args}) if isinstance(work, Call) else (work, set())
        if nest is None or nest.loops.reduced or step.unless is not None:
            continue
        gone = [k for k in dict.fromkeys(o.buffer for o in nest.operands) if last.get(k) == i and k not in others]
        for w in nest.operands:
            first, end = lives.get(w.buffer, (-1, None))
            if (
                not w.write
                or first != i
                or end is None
                or w.buffer in over
                or c.buffers[w.buffer - n].taken is not None
            ):
                continue
            for k in gone:
                if _in_place(c, nest, w, k):
                    out[w.buffer] = tensors.index(k)
                    gone.remove(k)
                    break
    return out


def _in_place(c: Schedule[Nest], nest: Nest, w: KernelOperand, k: int) -> bool:
    """Whether a kernel reads the elements of input `k` at the visits that write those of an operand: the two have the
    same strides, if the input lies row by row.
    """
    v, b = c.program.inputs[k], c.buffers[w.buffer - len(c.program.inputs)]
    others = [o for o in nest.operands if o is not w and o.buffer in (k, w.buffer)]
    if w.at is None or any(o.at is None or o.buffer != k for o in others):
        return False
    if v.dtype is not b.dtype or not same(prod(v.shape), prod(b.sizes)):
        return False
    place = flatten(w.at, b.sizes).key
    return all(flatten(o.at, v.shape).key == place for o in others if o.at is not None)


def _lasts(c: Schedule[Nest]) -> tuple[int, ...]:
    """The last step that touches each input, be it as another buffer; -1 where outputs are views of it."""
    n = len(c.program.inputs)
    found = [0] * n
    for i, step in enumerate(c.steps):
        for k in step.work.touched(False):
            b = c.buffers[k - n] if k >= n else None
            for it in (k,) if b is None else (b.same, None if b.taken is None else b.taken.input):
                if it is not None and it >= 0:
                    found[it] = i
    for o in c.outputs:
        if isinstance(o, SeenThroughViews):
            found[o.index] = -1
    return tuple(x for x, v in zip(found, c.program.inputs, strict=True) if v.kind == "tensor")


def _launch(c: Schedule[Nest], slots: Slots, k: Nest, unless: tuple[int, int] | None = None) -> Numbered[plan.Launch]:
    kernel = kernel_for(k.loops)
    dims = [*k.kept, *k.reduced]
    sizes = [slots.of(k.size_of[a]) for a in dims]
    alone = k.loops.reduced > 0 and not k.reduced  # all reduced sizes are 1: the kernel keeps one such dim
    if alone:
        sizes.append(slots.of(1))
    operands = []
    for o in k.operands:
        strides = [slots.of(o.lin.terms.get(a, 0)) for a in dims]
        if alone:
            strides.append(slots.of(0))
        operands.append((o, slots.of(o.lin.offset), strides))
    scalars = []
    for (what, value), name in zip(k.scalars, k.loops.scalars, strict=True):
        scalars.append(slots.of(value) if what == "sym" else c.scalar_slots[int(value)])
        if name.startswith("complex"):  # the imaginary part lies in the slot after
            scalars.append(c.scalar_slots[int(value)] + 1)
    n, loose = len(k.kept), _loose(c, k)
    rarely = unless is not None and c.buffers[unless[0] - len(c.program.inputs)].taken is not None
    return lambda number: plan.Launch(
        kernel,
        number.many(sizes[:n]),
        number.many(sizes[n:]),
        tuple([plan.Operand(o.buffer, number.one(at), number.many(s), o.write, o.dtype) for o, at, s in operands]),
        number.many(scalars),
        kernel.splittable,
        loose,
        unless,
        rarely,
    )


def _call(c: Schedule[Nest], slots: Slots, call: Call, planned: Mapping[Program, plan.Plan]) -> Numbered[plan.Library]:
    e = call.eqn
    args = [
        (v.buffer, x.dtype, slots.of(v.offset), [slots.of(n) for n in x.shape], [slots.of(s) for s in v.strides])
        for v, x in call.args
    ]
    ints: list[int] = []

    def static(x: object) -> object:
        if isinstance(x, Sym):
            ints.append(slots.of(x))
            return ("slot", len(ints) - 1)
        if isinstance(x, (tuple, list)):
            return tuple(static(v) for v in x)
        return planned[x] if isinstance(x, Program) else x

    params = {k: static(v) for k, v in e.params.items()}
    then = None if call.then is None else _launch(c, slots, call.then)
    return lambda number: plan.Library(
        e.prim.name,
        tuple([plan.BufferView(b, d, number.one(o), number.many(n), number.many(s)) for b, d, o, n, s in args]),
        len(e.inputs),
        params,
        number.many(ints),
        None if then is None else then(number),
    )


_COMPARED = 12  # dims of a kernel up to which strides are compared with products of strides and sizes


def _loose(c: Schedule[Nest], k: Nest) -> plan.Loose | None:
    """What of a kernel's dims depends on numbers that a caller writes; see plan.Loose."""
    env, dims = c.env, [*k.kept, *k.reduced]
    sizes = [k.size_of[a] for a in dims]
    follows = env.follows_given
    # A reduced dim whose size is computed (the number of pairs, say) may also have one element.
    soft = sum(1 << d for d, n in enumerate(sizes) if follows(n) or (d >= len(k.kept) and _computed(n)))
    if not soft and not env.given or len(dims) > 64:  # (of so many dims there is no tensor: what is asked is refused)
        return None
    apart, steps, jumps = [0] * len(dims), [], []
    for o in k.operands:
        strides = [o.lin.terms.get(a, 0) for a in dims]
        own, vary, between = _extents(c, o.buffer)
        keys = [_key(s) for s in strides]
        moved = jump = 0
        written = [follows(s) for s in strides]
        for d, s in enumerate(strides):
            if written[d] or keys[d] in vary:
                moved |= 1 << d
                jump |= 0 if keys[d] in own else 1 << d
            there = own.get(keys[d], [])
            given = written[d] or follows(sizes[d]) or any(map(follows, there))
            whole = any(same(n, sizes[d]) for n in there)
            for outer, t in enumerate(strides):
                parted = (keys[outer], keys[d]) in between
                fits = not (given or written[outer]) or whole and keys[outer] in own
                if outer == d or fits and not parted:
                    continue
                # (To compare products of the sizes of a tensor of many dims takes long, and to be apart is right.)
                if len(dims) > _COMPARED or not same(t, s * sizes[d]):
                    apart[d] |= 1 << outer
        steps.append(moved)
        jumps.append(jump)
    return plan.Loose(soft, tuple(apart), tuple(steps), tuple(jumps)) if soft or any(apart) or any(steps) else None


def _computed(n: Int) -> bool:
    """Whether a size is neither a number nor a product of sizes of tensors, so that it may be 1 where none of those
    is.
    """
    return isinstance(n, Sym) and (len(n.terms) > 1 or any(a.op != "var" for m in n.terms for a in m))


def _key(x: Int) -> object:
    return x.key if isinstance(x, Sym) else x


def _extents(c: Schedule[Nest], buffer: int) -> tuple[dict[object, list[Int]], set[object], set[tuple[object, object]]]:
    """The sizes of a buffer's dims, by their strides; the strides that follow what a caller writes, since the sizes of
    dims within do; and the pairs of strides, of an outer and an inner dim, between which such dims lie.
    """
    found: dict[object, list[Int]] = {}
    vary: set[object] = set()
    between: set[tuple[object, object]] = set()
    if buffer < 0:
        return found, vary, between
    shape, strides, follows = c.shape_of(buffer), c.strides_of(buffer), c.env.follows_given
    for d, (s, n) in enumerate(zip(strides, shape, strict=True)):
        found.setdefault(_key(s), []).append(n)
        if isinstance(s, Sym) and any(map(follows, shape[d + 1 :])):
            vary.add(s.key)
        inner = [t for k, t in enumerate(strides) if k > d + 1 and any(map(follows, shape[d + 1 : k]))]
        between.update((_key(s), _key(t)) for t in inner)
    return found, vary, between


def _reads(c: Schedule[Nest], out: int) -> tuple[int, ...]:
    """What is read of each tensor input from the first step on that writes buffer `out`; see plan.Alloc."""
    found = [plan.FREE if v.kind == "tensor" else plan.ANY for v in c.program.inputs]
    writing = False
    for step in c.steps:
        reads, writes = _touched(step)
        here = [at for buffer, at in writes if buffer == out]
        for buffer, at in reads:
            if not (writing or here):
                continue
            if buffer >= len(found):
                b = c.buffers[buffer - len(found)]
                for it in (b.same, None if b.taken is None else b.taken.input):
                    if it is not None:
                        found[it] = plan.ANY
                continue
            if not writing and at is not None and all(w is not None and _same_element(at, w) for w in here):
                found[buffer] = max(found[buffer], plan.ALIGNED)
            else:
                found[buffer] = plan.ANY
        writing = writing or bool(here)
    return tuple(k for k, v in zip(found, c.program.inputs, strict=True) if v.kind == "tensor")


def _touched(step: Step[Nest]) -> tuple[list[Touch], list[Touch]]:
    """The buffers that a step reads and writes, each with the element that a visit touches where that is one alone."""
    work = step.work
    if isinstance(work, Call):
        n = len(work.eqn.inputs)
        reads: list[Touch] = [(v.buffer, None) for v, _ in work.args[:n]]
        writes: list[Touch] = [(v.buffer, None) for v, _ in work.args[n:]]
        if work.then is not None:
            own = {v.buffer for v, _ in work.args[n:]}
            more = _touched_by(work.then)
            reads += [touch for touch in more[0] if touch[0] not in own]
            writes += more[1]
        return reads, writes
    return _touched_by(work)


def _touched_by(work: Nest) -> tuple[list[Touch], list[Touch]]:
    visits_once = not work.loops.reduced  # a kernel that reduces sweeps over its elements several times
    touched: tuple[list[Touch], list[Touch]] = [], []
    for o in work.operands:
        if o.buffer >= 0:
            touched[o.write].append((o.buffer, o.at if visits_once else None))
    return touched


def _same_element(a: Index, b: Index) -> bool:
    return len(a) == len(b) and all(x.key == y.key for x, y in zip(a, b, strict=True))


def _buffer(slots: Slots, out: InBuffer) -> Numbered[plan.Out]:
    var, view = out.var, out.view
    offset, sizes, strides = (
        slots.of(view.offset),
        [slots.of(n) for n in var.shape],
        [slots.of(s) for s in view.strides],
    )
    return lambda number: plan.Out(
        "buffer", var.dtype, view.buffer, number.one(offset), number.many(sizes), number.many(strides)
    )


def _view(slots: Slots, out: SeenThroughViews) -> Numbered[plan.Out]:
    def field(x: object) -> Numbered[object]:
        if not isinstance(x, AtLaunch):
            return lambda number: x
        if isinstance(x.sizes, tuple):
            refs = [slots.of(n) for n in x.sizes]
            return lambda number: number.many(refs)
        ref = slots.of(x.sizes)
        return lambda number: number.one(ref)

    steps = [[field(x) for x in seen(e)] for e in out.chain]
    return lambda number: plan.Out(
        "view",
        out.var.dtype,
        index=out.index,
        steps=tuple([tuple([f(number) for f in step]) for step in steps]),
        copies=out.copies,
    )


def _likes(c: Schedule[Nest]) -> dict[int, tuple[plan.Like, ...]]:
    """Output buffer -> the inputs whose order of dims it keeps: a pointwise result."""
    numbers = {v: i for i, v in enumerate(c.program.inputs)}
    return {
        k + len(c.program.inputs): likes_of(numbers, c.program.outputs[b.output])
        for k, b in enumerate(c.buffers)
        if b.output is not None
    }


def _by_columns(var: Var) -> bool:
    """Whether an output is a matrix (or several) that a LAPACK routine has made, be it in another dtype."""
    v = var
    while v.eqn is not None and v.eqn.prim.name == "convert":
        v = v.eqn.inputs[0]
    return lies_by_columns(v)
