"""`rushlight.package`: a model as a file that runs where there is no compiler."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import rushlight
from rushlight import compiler, export, nn
from rushlight.autograd import no_grad
from rushlight.compiler.kernels import cache
from rushlight.compiler.llvm.objfile import Made
from rushlight.compiler.plan import Plan
from rushlight.compiler.routines import fourier
from rushlight.compiler.routines.arrays import array_of
from rushlight.compiler.written import calls_of, launches_of, with_kernels, written, written_size
from rushlight.core import dtypes as dt
from rushlight.core.execute import Executable
from rushlight.export import ExportedProgram
from rushlight.packaging._capture import Captured, captured
from rushlight.packaging._code import Asked, Key, code_for, fields_of, general, split_too
from rushlight.packaging._containers import written_container
from rushlight.packaging._file import Writer
from rushlight.packaging._processors import NATIVE, processor_of
from rushlight.packaging._runtime import section
from rushlight.packaging._traces import Case, asked_sizes, refused, run_or_trace, traced
from rushlight.utils._pytree import keystr, tree_leaves_with_path

__all__ = ["package"]

_MOST_PROBES = 24  # sizes that a plan is run with to see which code it asks for


def package(
    model: nn.Module | ExportedProgram,
    path: str | os.PathLike[str],
    args: tuple[Any, ...] | None = None,
    kwargs: dict[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    processors: Sequence[str] = (NATIVE,),
    sizes: Sequence[Mapping[str, Sequence[int]]] | None = None,
) -> None:
    """Write a model to a file that `load_package` runs where there is no compiler: plan, weights and machine code.

    The model is exported (`torch.export.export`), and what it does on its arguments becomes one program. The file has
    machine code for each of the named processors; the process that loads it uses the best that it can run.

    Args:
        model: a module in evaluation mode, or a program that was exported.
        path: the file, which appears when it is whole.
        args: an example of the arguments; of an exported program, its own.
        kwargs: an example of those that are named.
        dynamic_shapes: the sizes that may vary, as of `torch.export.export`; the others are those of the example.
        processors: of "native" (this one, and those that have all that it has), "x86-64-v3" (AVX2) and "x86-64-v4"
            (AVX-512).
        sizes: where sizes vary, those for which programs in C run the model (include/rushlight.h): dicts of sizes by
            the arguments' names. None: those of the example. `load_package` runs it at all sizes.

    Raises:
        NotImplementedError: the model does what no package does: it writes to buffers or arguments, draws random
            numbers, or transforms (Fourier) along a size that varies. What cannot be exported is an error as well.
        ValueError: a processor of this name is not known, or none is named; or a size is not the dimension's.
        TypeError: the model is neither a module nor an exported program, or an example is missing.
    """
    names = list(dict.fromkeys([processors] if isinstance(processors, str) else processors))
    if not names:
        raise ValueError("package(): argument 'processors' must name one processor at least; found none")
    for name in names:
        processor_of(name)
    ep = _exported(model, args, kwargs, dynamic_shapes)
    found = captured(ep)
    plan = compiler.compile_program(found.program)
    _check_transforms(plan)
    combinations = asked_sizes(found, sizes)
    asked, codelets = _asked(found, plan, combinations)
    varies = bool(found.bounds)
    wanted = [_wanted(a, plan, varies) for a in asked]
    writer = Writer(path)
    try:
        described = _described(found, plan, asked, writer)
        placed = [_placed(code_for(name, plan, asked, wanted, codelets), writer) for name in names]
        described["processors"] = placed
        writer.finish(described, _section(found, plan, described, asked, combinations, writer))
    except BaseException:
        writer.discard()
        raise


def _exported(model: Any, args: Any, kwargs: Any, dynamic_shapes: Any) -> ExportedProgram:
    if isinstance(model, ExportedProgram):
        if args is not None or kwargs is not None or dynamic_shapes is not None:
            raise TypeError("package(): an exported program has its arguments and sizes; hand in none besides")
        return model
    if not isinstance(model, nn.Module):
        raise TypeError(
            f"package(): argument 'model' must be a Module or an ExportedProgram, not {type(model).__name__}"
        )
    if not isinstance(args, tuple):
        raise TypeError(
            "package(): argument 'args' must be a tuple, an example of the arguments, not " + type(args).__name__
        )
    with no_grad():
        return export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes)


def _check_transforms(plan: Plan) -> None:
    """NotImplementedError: a Fourier transform along a size that varies, whose code would depend on it."""
    for call in calls_of(plan):
        if call.name not in ("fft", "rfft", "irfft", "trig"):
            continue
        for view in call.args:
            for d in call.params["dims"]:
                at = view.sizes[d] - plan.code_base
                if at < 0 or plan.code[at][0] != "const":
                    raise NotImplementedError(
                        f"package(): {call.name} transforms along a size that varies; export with that size fixed"
                    )


def _section(
    found: Captured,
    plan: Plan,
    described: dict[str, Any],
    asked: Sequence[Asked],
    combinations: Sequence[Sequence[int]],
    writer: Writer,
) -> bytes:
    """The section that programs in C read: traces, or the reason why there are none."""
    processors = described["processors"]
    variants = [[((K, R, mode, c), block) for K, R, mode, c, _, block in row] for row in processors[0]["variants"]]
    weights = [(dt.by_name[w["dtype"]], tuple(w["shape"])) for w in described["weights"]]
    cases: list[Case] = []
    why = refused(plan)
    if why is None:
        try:
            cases = traced(found, plan, weights, described["order"], asked, variants, combinations)
        except NotImplementedError as e:  # the file then says so to who opens it in C
            why = str(e)
    inputs = [(x.name, x.dtype.code, len(x.shape)) for x in found.inputs if x.dtype is not None]
    places = [tuple(w["at"]) for w in described["weights"]]
    return section(writer, why, places, inputs, _results(found), cases, processors)


def _results(found: Captured) -> list[tuple[str, int, int]]:
    """Of each tensor or number of the result where it stands, the code of its dtype, and how many dimensions it has."""
    where: dict[Any, str] = {}
    with contextlib.suppress(ValueError):  # a container that was registered without names for what is in it
        numbered = found.out_spec.rebuild(list(range(len(found.leaves))))
        where = {k: keystr(path) for path, k in tree_leaves_with_path(numbered)}
    results = []
    for k, (kind, x) in enumerate(found.leaves):
        if kind == "static":
            continue
        var = (found.program.inputs if kind == "given" else found.program.outputs)[x]
        results.append((where.get(k, f"[{k}]") or "output", var.dtype.code, len(var.shape)))
    return results


def _probes(found: Captured, combinations: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Sizes for the symbols: those that are asked for, the example's, both ends of the ranges, and powers of two
    between.
    """
    yield from map(list, combinations)
    examples = list(found.program.env.hints)
    columns = []
    for hint, (_, least, most) in zip(examples, found.bounds, strict=True):
        limit = max(64, 4 * hint) if most is None else min(most, max(64, 4 * hint))
        columns.append(sorted({least, min(least + 1, limit), limit, hint, *_powers(least, limit)}))
    yield examples
    yield [c[0] for c in columns]
    yield [c[-1] for c in columns]
    for i, column in enumerate(columns):
        for n in column:
            yield [*examples[:i], n, *examples[i + 1 :]]
    yield from map(list, itertools.islice(itertools.product(*[c[:2] + c[-1:] for c in columns]), _MOST_PROBES))


def _powers(least: int, most: int) -> Iterator[int]:
    n = 1
    while n <= most:
        if n >= least:
            yield n
        n *= 2


def _asked(found: Captured, plan: Plan, combinations: Sequence[Sequence[int]]) -> tuple[list[Asked], list[str]]:
    """The kernels of a plan with the variants that it asks for when it is run, and the codelets of its transforms."""
    by_kernel: dict[int, Asked] = {}

    def noting(kernel: Any) -> Asked:
        return by_kernel.setdefault(id(kernel), Asked(kernel))

    inputs = [x for x in found.inputs if x.dtype is not None]
    env = found.program.env
    executable = Executable(with_kernels(plan, noting), found.sources, len(found.weights) + len(inputs), 0)

    run_it = refused(plan) is not None

    def run() -> None:
        tried: set[tuple[int, ...]] = set()
        for sizes in _probes(found, combinations):
            if tuple(sizes) in tried or len(tried) >= _MOST_PROBES + len(combinations):
                continue
            tried.add(tuple(sizes))
            env.hints[:] = sizes
            given = [rushlight.zeros([env.hint(n) for n in x.shape], dtype=x.dtype) for x in inputs]
            run_or_trace(executable, [*found.weights, *given], run_it)

    examples = list(env.hints)
    try:
        codelets = fourier.watched_codelets(run)
    finally:
        env.hints[:] = examples
    return list(by_kernel.values()), codelets


def _wanted(a: Asked, plan: Plan, varies: bool) -> list[Key]:
    """The variants of a kernel that the file has."""
    launches = [(launch, behind) for launch, behind in launches_of(plan) if launch.kernel is a.kernel]
    keys = dict.fromkeys(a.keys)
    if varies or not keys:
        for launch, behind_product in launches:
            kept = max(len(launch.sizes), 2 if behind_product else 1)
            keys |= dict.fromkeys(general(a.kernel, kept, len(launch.reduced)))
    return split_too(keys, any(launch.split for launch, _ in launches), a.kernel.wide)


def _described(found: Captured, plan: Plan, asked: Sequence[Asked], writer: Writer) -> dict[str, Any]:
    """All of the description but the code."""
    number = {id(a.kernel): k for k, a in enumerate(asked)}
    places: dict[Any, int] = {}
    weights: list[dict[str, Any]] = []
    order = []
    for w in found.weights:
        key = w.data_ptr(), tuple(w.shape), tuple(w.stride()), w.dtype
        if key not in places:
            places[key] = len(weights)
            blob = memoryview(array_of(w).tobytes())
            weights.append({"dtype": w.dtype.name, "shape": list(w.shape), "at": writer.add(blob)})
        order.append(places[key])
    return {
        "made_by": rushlight.__version__,
        "code": cache.version(),
        "plan": written(plan, lambda kernel: number[id(kernel)]),
        "kernels": [fields_of(a.kernel) for a in asked],
        "sources": [list(s) for s in found.sources],
        "bounds": [list(b) for b in found.bounds],
        "weights": weights,
        "order": order,
        "inputs": [
            {
                "name": x.name,
                "dtype": None if x.dtype is None else x.dtype.name,
                "shape": [written_size(n) for n in x.shape],
                "value": x.value,
            }
            for x in found.inputs
        ],
        "leaves": [list(leaf) for leaf in found.leaves],
        "in_spec": written_container(found.in_spec),
        "out_spec": written_container(found.out_spec),
    }


def _placed(code: dict[str, Any], writer: Writer) -> dict[str, Any]:
    """The code of a processor with each piece in the file: [place, entry, [[where, what it calls], ...]]."""

    def put(made: Made) -> list[Any]:
        return [*writer.add(made.code), made.entry, [list(c) for c in made.calls]]

    variants = [[[*key, put(made), block] for (*key, made, block) in row] for row in code["variants"]]
    functions = {name: put(made) for name, made in code["functions"].items()}
    return {
        **code,
        "variants": variants,
        "functions": functions,
        "texts": {t: put(m) for t, m in code["texts"].items()},
    }
