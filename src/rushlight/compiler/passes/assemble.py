"""The pass `assemble`: every size, stride and offset a slot, every kernel an object with variants: the finished
Plan.
"""

from __future__ import annotations

from typing import Any

from rushlight.compiler import plan as P
from rushlight.compiler.kernels.kernel import kernel_for
from rushlight.compiler.passes.clusters import Call, Clusters, FusedKernel, InBuffer, SeenThroughViews, Step
from rushlight.compiler.passes.slots import Slots
from rushlight.prims.view import AtLaunch, seen
from rushlight.program.ir import Var
from rushlight.program.sym import Int, Sym, same, var_atom


def assemble(c: Clusters) -> P.Plan:
    """Number everything."""
    slots, program = Slots(dict(c.known), c.first_slot), c.program
    n_in = len(program.inputs)
    for b in c.buffers:
        if b.symbols:
            slots.reserve(b.symbols)
    allocs: list[Any] = []
    n_symbols = len(c.env.hints)
    for b in c.buffers:
        if not b.symbols:  # contiguous: its strides are known; the core still writes them where it is told
            refs = slots.reserve(range(n_symbols, n_symbols + len(b.sizes)))
            n_symbols += len(b.sizes)
        else:
            refs = [slots.atom(var_atom(s)) for s in b.symbols]
        allocs.append((b, [slots.of(n) for n in b.sizes], refs))
    guards = [slots.guard(g) for g in program.env.guards]
    inputs = [
        (v.dtype, [(slots.of(n), 0) if isinstance(n, Sym) else (None, int(n)) for n in v.shape]) for v in program.inputs
    ]
    raw_steps = [_step(c, slots, s) for s in c.steps]
    raw_outs = [_out(slots, o) for o in c.outputs]
    slots.finish()
    num = slots.number

    def many(refs: Any) -> tuple[int, ...]:
        return tuple(num(r) for r in refs)

    done_steps: list[P.Launch | P.Library] = []
    for kind, data in raw_steps:
        if kind == "launch":
            kernel, sizes, reduced, operands, scalars, loose, unless = data
            ops = tuple(P.Operand(b, num(o), many(s), w, d) for b, o, s, w, d in operands)
            done_steps.append(
                P.Launch(kernel, many(sizes), many(reduced), ops, many(scalars), kernel.splittable, loose, unless)
            )
        else:
            name, views, n_args, params, ints = data
            args = tuple(P.BufferView(b, d, num(o), many(n), many(s)) for b, d, o, n, s in views)
            done_steps.append(P.Library(name, args, n_args, params, many(ints)))
    outputs = []
    for o in raw_outs:
        if o[0] == "buffer":
            outputs.append(P.Out("buffer", o[1], o[2], num(o[3]), many(o[4]), many(o[5])))
        else:
            steps_out = tuple(
                tuple(
                    many(x[1])
                    if isinstance(x, tuple) and x and x[0] == "slots"
                    else num(x[1])
                    if isinstance(x, tuple) and x and x[0] == "slot"
                    else x
                    for x in step
                )
                for step in o[3]
            )
            outputs.append(P.Out("view", o[1], index=o[2], steps=steps_out))
    likes = _likes(c)
    return P.Plan(
        n_sym=len(program.env.hints),
        inputs=[(d, [(-1 if at is None else num(at), n) for at, n in sizes]) for d, sizes in inputs],
        in_strides=list(c.in_strides),
        scalar_slots=list(c.scalar_slots),
        code_base=slots.code_base,
        code=slots.instructions(slots.code),
        guards=[(num(r), e) for r, e in guards],
        allocs=[
            P.Alloc(
                b.dtype,
                many(sizes),
                many(refs),
                b.output,
                likes.get(k + n_in),
                () if b.output is None else _reads(c, k + n_in),
                b.output is not None and _by_columns(program.outputs[b.output]),
                same=b.same,
                free=b.output is None and b.same is None and len(b.symbols) > 0,
            )
            for k, (b, sizes, refs) in enumerate(allocs)
        ],
        post_base=slots.post_base,
        post=slots.instructions(slots.post),
        steps=done_steps,
        outputs=outputs,
        n_slots=slots.n_slots,
    )


def _step(c: Clusters, slots: Slots, step: Step) -> tuple[str, Any]:
    if isinstance(step.work, FusedKernel):
        k = step.work
        kernel = kernel_for(k.loops)
        sizes = [slots.of(k.size_of[a]) for a in k.kept]
        reduced = [slots.of(k.size_of[a]) for a in k.reduced]
        if k.loops.reduced and not reduced:
            reduced = [slots.of(1)]
        operands = []
        for o in k.operands:
            strides = [slots.of(o.lin.terms.get(a, 0)) for a in [*k.kept, *k.reduced]]
            if k.loops.reduced and not k.reduced:
                strides.append(slots.of(0))
            operands.append((o.buffer, slots.of(o.lin.offset), strides, o.write, o.dtype))
        scalars = []
        for (what, value), name in zip(k.scalars, k.loops.scalars, strict=True):
            scalars.append(slots.of(value) if what == "sym" else c.scalar_slots[int(value)])
            if name.startswith("complex"):  # the imaginary part lies in the slot after
                scalars.append(c.scalar_slots[int(value)] + 1)
        return "launch", (kernel, sizes, reduced, operands, scalars, _loose(c, k), step.unless)
    e = step.work.eqn
    views = [
        (v.buffer, x.dtype, slots.of(v.offset), [slots.of(n) for n in x.shape], [slots.of(s) for s in v.strides])
        for v, x in step.work.args
    ]
    ints: list[int] = []

    def static(x: Any) -> Any:
        if isinstance(x, Sym):
            ints.append(slots.of(x))
            return ("slot", len(ints) - 1)
        if isinstance(x, (tuple, list)):
            return tuple(static(v) for v in x)
        return x

    params = {k: static(v) for k, v in e.params.items()}
    return "library", (e.prim.name, views, len(e.inputs), params, ints)


_COMPARED = 12  # dims of a kernel up to which strides are compared with products of strides and sizes


def _loose(c: Clusters, k: FusedKernel) -> P.Loose | None:
    """What of a kernel's dims depends on numbers that a caller writes; see plan.Loose."""
    env, dims = c.env, [*k.kept, *k.reduced]
    sizes = [k.size_of[a] for a in dims]
    follows = env.follows_given
    # What is summed over may be one element as well where its size is computed: of pairs, say.
    soft = sum(1 << d for d, n in enumerate(sizes) if follows(n) or (d >= len(k.kept) and _computed(n)))
    if not soft and not env.given or len(dims) > 64:  # (of so many dims there is no tensor: what is asked is refused)
        return None
    apart, steps, jumps = [0] * len(dims), [], []
    for o in k.operands:
        strides = [o.lin.terms.get(a, 0) for a in dims]
        own, vary = _extents(c, o.buffer)
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
                if outer == d or not (given or written[outer]) or whole and keys[outer] in own:
                    continue
                # (To compare products of the sizes of a tensor of many dims takes long, and to be apart is right.)
                if len(dims) > _COMPARED or not same(t, s * sizes[d]):
                    apart[d] |= 1 << outer
        steps.append(moved)
        jumps.append(jump)
    return P.Loose(soft, tuple(apart), tuple(steps), tuple(jumps)) if soft or any(apart) or any(steps) else None


def _computed(n: Int) -> bool:
    """Whether a size is neither a number nor a product of sizes of tensors, so that it may be 1 where none of those
    is.
    """
    return isinstance(n, Sym) and (len(n.terms) > 1 or any(a.op != "var" for m in n.terms for a in m))


def _key(x: Int) -> object:
    return x.key if isinstance(x, Sym) else x


def _extents(c: Clusters, buffer: int) -> tuple[dict[object, list[Int]], set[object]]:
    """The sizes of a buffer's dims, by their strides; and the strides that follow what a caller writes, since the sizes
    of dims within do.
    """
    found: dict[object, list[Int]] = {}
    vary: set[object] = set()
    if buffer < 0:
        return found, vary
    shape, strides = c.shape_of(buffer), c.strides_of(buffer)
    for s, n in zip(strides, shape, strict=True):
        found.setdefault(_key(s), []).append(n)
    for d, s in enumerate(strides):
        if isinstance(s, Sym) and any(map(c.env.follows_given, shape[d + 1 :])):
            vary.add(s.key)
    return found, vary


def _reads(c: Clusters, out: int) -> tuple[int, ...]:
    """What is read of each tensor input from the first step on that writes buffer `out`; see plan.Alloc."""
    found = [P.FREE if v.kind == "tensor" else P.ANY for v in c.program.inputs]
    writing = False
    for step in c.steps:
        reads, writes = _touched(step)
        here = [at for buffer, at in writes if buffer == out]
        for buffer, at in reads:
            if not (writing or here):
                continue
            if buffer >= len(found):
                same_as = c.buffers[buffer - len(found)].same
                if same_as is not None:
                    found[same_as] = P.ANY
                continue
            if not writing and at is not None and all(w is not None and _same_element(at, w) for w in here):
                found[buffer] = max(found[buffer], P.ALIGNED)
            else:
                found[buffer] = P.ANY
        writing = writing or bool(here)
    return tuple(k for k, v in zip(found, c.program.inputs, strict=True) if v.kind == "tensor")


def _touched(step: Step) -> tuple[list[tuple[int, Any]], list[tuple[int, Any]]]:
    """The buffers that a step reads and writes, each with the element that a visit touches where that is one alone."""
    work = step.work
    if isinstance(work, Call):
        n = len(work.eqn.inputs)
        return [(v.buffer, None) for v, _ in work.args[:n]], [(v.buffer, None) for v, _ in work.args[n:]]
    visits_once = not work.loops.reduced  # a kernel that reduces sweeps over its elements several times
    touched: tuple[list[Any], list[Any]] = [], []
    for o in work.operands:
        if o.buffer >= 0:
            touched[o.write].append((o.buffer, o.at if visits_once else None))
    return touched


def _same_element(a: Any, b: Any) -> bool:
    return len(a) == len(b) and all(x.key == y.key for x, y in zip(a, b, strict=True))


def _out(slots: Slots, out: SeenThroughViews | InBuffer) -> Any:
    if isinstance(out, InBuffer):
        var, view = out.var, out.view
        return (
            "buffer",
            var.dtype,
            view.buffer,
            slots.of(view.offset),
            [slots.of(n) for n in var.shape],
            [slots.of(s) for s in view.strides],
        )

    def field(x: Any) -> Any:
        if not isinstance(x, AtLaunch):
            return x
        if isinstance(x.sizes, tuple):
            return "slots", tuple(slots.of(n) for n in x.sizes)
        return "slot", slots.of(x.sizes)

    steps = [tuple(map(field, seen(e))) for e in out.chain]
    return "view", out.var.dtype, out.index, steps


def _likes(c: Clusters) -> dict[int, int]:
    """Output buffer -> the input whose order of dims it keeps: a pointwise result of operands of its own shape."""
    out: dict[int, int] = {}
    numbers = {v: i for i, v in enumerate(c.program.inputs)}
    for k, b in enumerate(c.buffers):
        if b.output is None:
            continue
        var = c.program.outputs[b.output]
        found = _like(numbers, var, b.sizes)
        if found is not None:
            out[k + len(c.program.inputs)] = found
    return out


# LAPACK's results, which PyTorch leaves as LAPACK lays them out: column by column.
_COLUMNS = frozenset(
    {"cholesky", "eig", "eigh", "geqrf", "ldl", "ldl_solve", "lstsq", "lu", "lu_solve", "qr", "svd", "triangular_solve"}
)


def _by_columns(var: Var) -> bool:
    """Whether an output is a matrix (or several) that a LAPACK routine has made, be it in another dtype."""
    v = var
    while v.eqn is not None and v.eqn.prim.name == "convert":
        v = v.eqn.inputs[0]
    return v.eqn is not None and v.eqn.prim.name in _COLUMNS and v.ndim == v.eqn.inputs[0].ndim and v.dtype.kind in "fc"


def _like(numbers: dict[Var, int], var: Var, sizes: tuple[Int, ...]) -> int | None:
    work, seen = [var], set()
    best: int | None = None
    while work:
        v = work.pop(0)
        if v in seen:
            continue
        seen.add(v)
        if v.kind == "tensor":
            if v.ndim == len(sizes) and all(same(a, n) for a, n in zip(v.shape, sizes, strict=True)):
                k = numbers[v]
                best = k if best is None else min(best, k)
            continue
        if v.eqn is None:
            continue
        if v.eqn.prim.kind == "pointwise":
            work.extend(v.eqn.inputs)
        elif v.eqn.prim.name not in {"broadcast_in_dim", "constant"}:
            return None
        # (a broadcast operand has a shape of its own, or is a scalar: it has no say)
    return best
