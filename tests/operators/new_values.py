"""New values of a call's numbers and sizes compile nothing: each is varied in turn, and programs and kernels are
counted.

What stays static, and why, is the table below: by the parameter's name where it means the same everywhere, else by
operator.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from support import array, call, close, copy, find, flat, inputs_of, map_tensors, rtol_of

import rushlight as rl
from rushlight.compiler import counters
from rushlight.compiler.kernels import cache
from rushlight.core import dtypes as dt
from rushlight.core import tensor as core
from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Kind
from rushlight.core.named import Named
from rushlight.operators.table import compile as _compile
from rushlight.testing.samples import OperatorSamples, Sample

_DIMENSION = "which dimension: the program is one of ranks and dimensions"
_COUNT = "how many results, operands or terms: the length of the program"
_ORDER = "the order of a function or of a recurrence: another formula, unrolled"
_CLASS = "one of a few: a switch"
STATIC: dict[str, str] = {
    **dict.fromkeys(
        (
            "dim",
            "dims",
            "dim0",
            "dim1",
            "dim2",
            "axis",
            "axis0",
            "axis1",
            "axes",
            "source",
            "destination",
            "start_dim",
            "end_dim",
            "dimension",
            "perm",
            "target_dim",
            "batch_dim",
            "padding_mode",
            "interpolation_mode",
        ),
        _DIMENSION,
    ),
    **dict.fromkeys(
        (
            "chunks",
            "indices_or_sections",
            "sections",
            "split_sizes",
            "split_size_or_sections",
            "split_size",
            "ind",
            "r",
        ),
        _COUNT,
    ),
    **dict.fromkeys(("type", "reduction", "mode", "unbiased", "_stacklevel", "workers"), _CLASS),
}
OF_OPERATOR: dict[str, dict[str, str]] = {
    "diff": {"n": _ORDER},
    "polygamma": {"n": _ORDER},
    "mvlgamma": {"p": _ORDER},
    "matrix_power": {"n": "which squares are multiplied: the length of the program"},
    "linalg.matrix_power": {"n": "which squares are multiplied: the length of the program"},
    "round": {"decimals": "a power of ten, which must be exact"},
    "special.lambertw": {"k": "the branch of a function of several: complex where the reference is"},
}
_LIKE_INTS = "composed of views, whose ints have programs of their own for -1, 0, 1 and each sign"
# Values that fall into classes, each with a program (two with a derivative): how many programs after the first two
# values, and why.
OF_CLASSES: dict[str, dict[str, tuple[int, str]]] = {
    "cov": {"correction": (2, "one that leaves no degree of freedom warns")},
    **{
        key: {"size": (2, _LIKE_INTS), "stride": (2, _LIKE_INTS)}
        for key in ("as_strided", "as_strided_copy", "as_strided_scatter")
    },
    "narrow": {"start": (2, _LIKE_INTS), "length": (2, _LIKE_INTS)},
    "slice_copy": {"step": (4, _LIKE_INTS)},
    "range": {"start": (1, _LIKE_INTS)},
    "rot90": {"k": (6, "by its remainder modulo 4")},
    "embedding": {"padding_idx": (2, "by its sign: from the end")},
    **{
        key: {"size": (2, "with a size of 1 the grid is one point")}
        for key in ("affine_grid_generator", "nn.functional.affine_grid")
    },
    "nn.functional.interpolate": {"size": (2, "mode area: of a size of 1 everything is averaged")},
}

# New values that ask the same program for another variant of a kernel, and why.
_OF_VIEW = "copies a view, and a copy's kernel follows the strides of what it copies"
KERNELS_OF: dict[str, dict[str, str]] = {"as_strided_copy": {"size": _OF_VIEW, "stride": _OF_VIEW}}

_INTS = (Kind.P_INT, Kind.P_INTS)
CLASSES = 3  # programs for -1, 0, 1 and the signs of an int
VALUES = 6  # new values tried of each argument


def new_values(spec: OperatorSamples) -> None:
    """New values of the arguments that are numbers or sizes compile nothing after the first two, and are right where
    there is a reference.
    """
    fn = find(spec.name)
    cache.forget()  # what other operators have made is no reason for this one to pass
    dtype = dt.float32 if dt.float32 in spec.dtypes else spec.dtypes[0]
    tried = 0
    for sample in _chosen(spec, dtype):
        for name, variants in _arguments(fn, sample):
            if name in STATIC or name in OF_OPERATOR.get(spec.name, {}):
                continue
            found: list[int] = []
            kernels: list[int] = []  # of calls whose programs were there already
            for varied in variants:
                before, made = _compile.compile_count[0], _kernels()
                try:
                    results = _run(fn, varied, spec.grad)
                except Exception:  # a value that does not fit; what is raised is what other checks look at
                    continue
                found.append(_compile.compile_count[0] - before)
                kernels.append(0 if found[-1] else _kernels() - made)
                if spec.reference is not None:
                    _compare(spec, varied, results, dtype)
                if len(found) == VALUES:
                    break
            p = next((p for p in getattr(fn, "params", ()) if p.name == name), None)
            allowed = OF_CLASSES.get(spec.name, {}).get(
                name, (2 * CLASSES if p is not None and (p.kind in _INTS or p.specialize) else 0, "")
            )[0]
            tried += len(found) > 2
            assert sum(found[2:]) <= allowed, (
                f"{name}: new values compiled {found[2:]} programs after the first two; sample {sample.args} "
                f"{sample.kwargs}"
            )
            assert not sum(kernels[2:]) or name in KERNELS_OF.get(spec.name, {}), (
                f"{name}: new values asked for {kernels[2:]} kernels after the first two; sample {sample.args} "
                f"{sample.kwargs}"
            )
    if not tried:
        from checks import Inapplicable

        raise Inapplicable("takes no number or size of which there are more values")


def _kernels() -> int:
    """The kernels that were compiled or read from disk: a variant is asked for once in a process."""
    found = counters.stats()
    return int(found["kernels_compiled"] + found["kernels_loaded_from_disk"])


def _chosen(spec: OperatorSamples, dtype: Any) -> list[Sample]:
    from checks import chosen

    return chosen(spec, dtype, int(os.environ.get("RUSHLIGHT_SAMPLES", "2")))


def _run(fn: Any, sample: Sample, grad: bool) -> list[Any]:
    sample = map_tensors(lambda t: copy(t, grad), sample)
    rl.manual_seed(0)
    results = flat(call(fn, sample))
    tops, leaves = [t for t in results if t.requires_grad], [t for t in inputs_of(sample) if t.requires_grad]
    if tops and leaves:
        rl.autograd.grad(tops, leaves, [rl.ones_like(t) for t in tops], allow_unused=True)
    return results


def _compare(spec: OperatorSamples, sample: Sample, results: list[Any], dtype: Any) -> None:
    n = map_tensors(array, sample)
    try:
        with np.errstate(all="ignore"):
            assert spec.reference is not None
            expected = spec.reference(np, *n.args, **n.kwargs)
    except Exception:  # the reference is written for the samples
        return
    for g, e in zip(results, list(expected) if isinstance(expected, (tuple, list)) else [expected], strict=False):
        close(array(g), e, rtol_of(spec, g.dtype, dtype), f"{sample.args} {sample.kwargs}")


def _arguments(fn: Any, sample: Sample) -> Iterator[tuple[str, list[Sample]]]:
    """The parameters that are numbers or sizes, and the sample with other values of each."""
    params = fn.params if isinstance(fn, Operator | Named) else []
    for i, value in enumerate(sample.args):
        name = params[min(i, len(params) - 1)].name if params else str(i)
        for path, leaf in _leaves(value):
            yield (
                name,
                [
                    Sample(*(_put(a, path, new) if k == i else a for k, a in enumerate(sample.args)), **sample.kwargs)
                    for new in _others(leaf)
                ],
            )
    given = {
        p.name: p.default for p in params[len(sample.args) :] if not p.required and p.name != "out"
    } | sample.kwargs
    for name, value in given.items():
        for path, leaf in _leaves(value):
            yield (
                name,
                [Sample(*sample.args, **{**sample.kwargs, name: _put(value, path, new)}) for new in _others(leaf)],
            )


def _leaves(x: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Where numbers stand in an argument; a sequence of ints is one."""
    if isinstance(x, (bool, core.Tensor)):
        return
    if isinstance(x, (int, float)):
        yield path, x
    elif isinstance(x, (tuple, list)) and x:
        if all(isinstance(v, int) and not isinstance(v, bool) for v in x):
            yield path, tuple(x)
        else:
            for i, v in enumerate(x):
                yield from _leaves(v, (*path, i))


def _others(x: Any) -> list[Any]:
    if isinstance(x, tuple):
        return [tuple(v + d for v in x) for d in (1, 2, 3, 4, 5, -1)] + [
            tuple(v + d * (j == i) for j, v in enumerate(x)) for i in range(len(x)) for d in (1, 2)
        ]
    if isinstance(x, int):
        return [x + d for d in (1, 2, 3, 4, 5, 6, -1, -2)]
    return [
        x * f + 0.001 * g
        for f, g in ((1.01, 1), (0.97, 2), (1.03, 3), (0.95, 4), (1.05, 5), (0.93, 6), (0.5, 7), (0.2, 1))
    ]


def _put(x: Any, path: tuple[int, ...], value: Any) -> Any:
    if not path:
        return value
    return type(x)(_put(v, path[1:], value) if i == path[0] else v for i, v in enumerate(x))
