"""The steps of a compiled program: what each fuses, why values lie in memory between them, bytes, times, shares of the
roofline."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import rushlight
from rushlight.compiler.kernels import cache
from rushlight.compiler.passes.cluster import Cluster
from rushlight.compiler.passes.forms import Call, Schedule
from rushlight.core.record import CompiledCall
from rushlight.core.tensor import Tensor
from rushlight.inspection.report import Table
from rushlight.program.ir import Eqn, Var
from rushlight.program.sym import hint, prod

_FILE = "machine.json"  # in the folder of kernels
_LEVELS = (1 << 18, 1 << 22, 1 << 26)  # bytes that a copy reads and writes: in the second cache, the third, in memory
_SIDE = 512  # of the product whose rate is the roof
_MOST_NAMES = 8  # primitives of a kernel that are written out


# ---------------------------------------------------------------------------------------------------------- the machine
class Machine(NamedTuple):
    """What the machine reaches with so many threads: bytes per second of copies of several sizes, multiply-adds per
    second of a float32 product.
    """

    copies: tuple[float, ...]  # for _LEVELS
    products: float

    def seconds(self, nbytes: int, multiply_adds: int = 0) -> float:
        """The least time that so much may take."""
        rate = next((r for size, r in zip(_LEVELS, self.copies, strict=True) if nbytes <= size), self.copies[-1])
        return max(nbytes / rate, multiply_adds / self.products)


def machine() -> Machine:
    """The machine, measured once and kept with the kernels, for each processor and number of threads."""
    folder, key = cache.folder(), f"{cache.target()} {rushlight.get_num_threads()}"
    known: dict[str, Any] = {}
    if folder is not None and (folder / _FILE).exists():
        with suppress(OSError, ValueError, KeyError, TypeError):  # of another processor, or no such file any more
            known.update(json.loads((folder / _FILE).read_text(encoding="utf-8")))
            return Machine(tuple(map(float, known[key]["copies"])), float(known[key]["products"]))
    copies = []
    for size in _LEVELS:
        source, target = (rushlight.zeros(size // 2, dtype=rushlight.uint8) for _ in range(2))
        copies.append(size / best(partial(target.copy_, source)))
    a = rushlight.rand(_SIDE, _SIDE)
    found = Machine(tuple(copies), _SIDE**3 / best(lambda: a @ a))
    if folder is not None:
        known[key] = found._asdict()
        with suppress(OSError):  # a folder that can't be written to: measured again the next time
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            cache.put(folder / _FILE, json.dumps(known, indent=1).encode())
    return found


def best(call: Callable[[], Any], seconds: float = 0.2) -> float:
    """The least time of the calls that fit into so many seconds, at least five of them."""
    call()
    least, until, n = float("inf"), time.perf_counter() + seconds, 0
    while n < 5 or (time.perf_counter() < until and n < 1000):
        begun = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - begun)
        n += 1
    return least


# ------------------------------------------------------------------------------------------------------------ the steps
class Compiled(NamedTuple):
    """A call's program, what it is compiled to, what the passes have made on the way, and the operands of a run."""

    program: Any
    call: CompiledCall
    forms: list[tuple[str, Any]]
    operands: tuple[list[Tensor], list[int], list[Any]]  # tensors, sizes that the caller gives, numbers

    @property
    def launches(self) -> list[str]:
        """Each step in a few words."""
        return [called(step) for step in self.call.executable.plan.steps]

    def form(self, name: str) -> Any:
        """What a pass has made of the whole program (it may make others of parts later)."""
        return next(form for made, form in self.forms if made == name)


def steps(compiled: Compiled, measure: bool) -> tuple[Table, list[str], list[str]]:
    """The steps of a plan in a table, why each is a step, and why values that no result is are in memory.

    Args:
        compiled: the call.
        measure: run it, and add the time of each step and its share of the roofline.

    Returns:
        The table, a line for each step where there are several or routines, and a line for each such value.
    """
    clusters: Schedule[Any] = compiled.form("cluster")
    loops: Schedule[Any] = compiled.form("loops")
    final: Schedule[Any] = compiled.form("epilogues")
    of_nest = {id(s.work): c.work for s, c in zip(loops.steps, clusters.steps, strict=True)}
    times = measured(compiled) if measure else None
    columns = ["step", "fused", "bytes"] + (["time us", "roofline"] if times is not None else [])
    rows = []
    for i, (step, called) in enumerate(zip(final.steps, compiled.launches, strict=True)):
        work = step.work
        parts = [work, work.then] if isinstance(work, Call) and work.then is not None else [work]
        names = [name for part in parts for name in fused(of_nest.get(id(part), part))]
        nbytes = sum(size_of(final, b) for b in dict.fromkeys((*work.touched(False), *work.touched(True))))
        row = [f"{i}: {called}", shortened(names), f"{nbytes:,}"]
        if times is not None:
            least = machine().seconds(nbytes, multiply_adds(work))
            row += [f"{times[i] * 1e6:.1f}", f"{min(least / times[i], 1):.2f}"] if times[i] else ["-", "-"]
        rows.append(row)
    return Table("steps", columns, rows, words=2), why_steps(final, clusters), kept_apart(clusters)


def called(step: Any) -> str:
    """A step of a plan in a few words."""
    if hasattr(step, "kernel"):
        return f"kernel {kernel_name(step.kernel.loops.text())}"
    return step.name if step.then is None else f"{step.name} and on its pieces {called(step.then)}"


def kernel_name(text: str) -> str:
    """A kernel's name: a hash of what it computes."""
    from hashlib import blake2b

    return blake2b(text.encode(), digest_size=8).hexdigest()


def fused(work: Any) -> list[str]:
    """The primitives that a step computes, in the program's order."""
    if isinstance(work, Cluster):
        return [e.prim.name for e in work.eqns] or ["copy"]
    return [work.eqn.prim.name] if isinstance(work, Call) else ["copy"]


def shortened(names: list[str]) -> str:
    """Primitives in a few words."""
    rest = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {rest} more" if rest > 0 else "")


def why_steps(final: Schedule[Any], clusters: Schedule[Any]) -> list[str]:
    """Why each step is one of its own: which routine it is, or what a kernel makes and reads of other steps. None
    where all is one kernel.
    """
    works = [s.work for s in final.steps]
    if len(works) < 2 and not any(isinstance(w, Call) for w in works):
        return []
    named, lines = names_of_buffers(clusters), []
    made: dict[int, int] = {}  # buffer -> the step that has written it
    for i, work in enumerate(works):
        read = [f"{named.get(b, 'a copy')} of step {made[b]}" for b in dict.fromkeys(work.touched(False)) if b in made]
        written = list(dict.fromkeys(work.touched(True)))
        goes_on = [f", which step {made[b]} has begun" for b in written if b in made]
        makes = f"makes {listed([named.get(b, 'a copy') for b in written])}{''.join(goes_on[:1])}"
        if isinstance(work, Call):
            lines.append(f"{i}: {work.eqn.prim.name}, {makes}: {work.eqn.prim.apart}")
            made.update(dict.fromkeys(written, i))
            continue
        sizes = ", ".join(str(hint(work.size_of[a])) for a in (*work.kept, *work.reduced))
        lines.append(f"{i}: {makes} from {listed(read) if read else 'inputs alone'}, in loops over ({sizes})")
        made.update(dict.fromkeys(written, i))
    return lines


def names_of_buffers(clusters: Schedule[Any]) -> dict[int, str]:
    """The value that lies in each buffer, by its number in the program, and whether it is a result."""
    first, numbers = len(clusters.program.inputs), number_of(clusters)
    found = {}
    for held in (clusters.copies, clusters.home):
        for v, view in held.items():
            if view.buffer >= first and v in numbers:
                result = clusters.buffers[view.buffer - first].output
                found[view.buffer] = f"%{numbers[v]}" + (f" (result {result})" if result is not None else "")
    return found


def listed(words: list[str]) -> str:
    """Words with commas, the last with `and`."""
    *most, last = words or ["nothing"]
    return f"{', '.join(most)} and {last}" if most else last


def kept_apart(clusters: Schedule[Any]) -> list[str]:
    """Which values lie in memory though no result is one, and what kept each out of the kernels that read it."""
    n, numbers = len(clusters.program.inputs), number_of(clusters)
    held = {view.buffer: v for v, view in clusters.home.items()} | {
        view.buffer: x for x, view in clusters.copies.items()
    }
    return [
        f"%{numbers[v]}{made_by(v)}: {b.why}"
        for k, b in enumerate(clusters.buffers)
        if b.why and (v := held.get(n + k)) in numbers
    ]


def number_of(clusters: Schedule[Any]) -> dict[Var, int]:
    """The numbers that the program's own text gives its values."""
    program = clusters.program
    made = [v for e in program.eqns for v in (*e.inputs, *e.outputs)]
    return {v: i for i, v in enumerate(dict.fromkeys([*program.inputs, *made]))}


def made_by(v: Var) -> str:
    """The primitive that makes a value."""
    e: Eqn | None = v.eqn
    return "" if e is None else f" {e.prim.name}"


def size_of(form: Schedule[Any], buffer: int) -> int:
    """Bytes of a buffer, for the sizes of the call."""
    first = len(form.program.inputs)
    dtype = form.program.inputs[buffer].dtype if buffer < first else form.buffers[buffer - first].dtype
    pieces = buffer >= first and form.buffers[buffer - first].pieces
    return 0 if pieces else hint(prod(form.shape_of(buffer))) * dtype.itemsize


def multiply_adds(work: Any) -> int:
    """Those of a step that is a product, in multiply-adds of float32; 0 of others."""
    if not isinstance(work, Call) or work.eqn.prim.name != "dot":
        return 0
    a, b = work.eqn.inputs[:2]
    made, made_of = hint(prod(work.eqn.outputs[0].shape)), work.eqn.outputs[0].dtype
    return made * hint(a.shape[-1]) * made_of.itemsize // 4 if a.ndim and b.ndim else 0


def measured(compiled: Compiled, seconds: float = 0.2) -> list[float]:
    """The least time of each step of a plan, of runs that fit into so many seconds."""
    executable = compiled.call.executable
    tensors, ints, scalars = compiled.operands
    executable.launch(tensors, ints, scalars)  # kernels are made
    notes = executable.time_steps()
    best(lambda: executable.launch(tensors, ints, scalars), seconds)
    return [min(took, default=0) / 1e9 for took in notes]
