"""New values of a call's numbers and sizes compile nothing: each is varied in turn, and programs and kernels are
counted.

What stays static, and why, is the table below: by the parameter's name where it means the same everywhere, else by
operator.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import traceback
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
from rushlight.testing.samples import REGISTRY, OperatorSamples, Sample, load

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
    "gradient": {"edge_order": _CLASS},
    "expand": {"implicit": _CLASS},
    "lobpcg": {"k": "how many vectors, unrolled", "n": "how many vectors, unrolled"},
    "special.lambertw": {"k": "the branch of a function of several: complex where the reference is"},
}
# Values that fall into classes, each with a program (two with a derivative): how many programs after the first value's
# at most, of which parameters of which operators, by why.
_SMALL = "an int of a shape or a place: -1, 0, 1 and each sign have programs of their own"
_ONE = "1 multiplies nothing"
_ZERO = "a beta of 0 leaves the input out, NaN and all; 1 multiplies nothing"
_NORMS = "the norms of order 0, 1, 2 and infinity have formulas of their own, which are made together"
_LEFT_OUT = "left out, the formula has one term or one number less"
_NOTHING = "at its usual value nothing is drawn, smoothed or padded, and nothing computed for it"
_PADDED = "without any padding there is none to cut off"
_FREEDOM = "one that leaves no degree of freedom warns; left out it is `unbiased`"
_CLASSES: dict[str, str] = {
    _ONE: """
        2 alpha: add sub rsub index_add addmm addmv addr addbmm baddbmm nn.functional.celu
        2 value: addcmul addcdiv
        2 beta: nn.functional.softplus
    """,
    _ZERO: """
        4 beta: addmm addmv addr addbmm baddbmm
    """,
    "powers that are other functions; one of an integer may not be negative": """
        14 exponent: pow float_power
    """,
    _NORMS: """
        12 p: cdist pdist dist norm nn.functional.normalize pairwise_distance linalg.cond
        12 p: nn.functional.triplet_margin_loss triplet_margin_loss
        12 ord: linalg.norm linalg.vector_norm linalg.matrix_norm masked.norm masked.normalize
        1 norm_type: embedding_renorm_
    """,
    "a square or none": """
        2 p: nn.functional.multi_margin_loss
    """,
    _NOTHING: """
        2 p: dropout dropout_ alpha_dropout alpha_dropout_ feature_dropout feature_dropout_ feature_alpha_dropout
        2 p: feature_alpha_dropout_ nn.functional.dropout1d nn.functional.dropout2d nn.functional.dropout3d
        2 dropout_p: nn.functional.scaled_dot_product_attention
        2 label_smoothing: nn.functional.cross_entropy nn.functional.linear_cross_entropy
        1 atol: isclose
    """,
    _PADDED: """
        2 output_padding: convolution
        2 padding: nn.functional.conv_transpose1d nn.functional.conv_transpose2d nn.functional.conv_transpose3d
    """,
    _LEFT_OUT: """
        4 divisor_override: nn.functional.avg_pool2d nn.functional.avg_pool3d
        2 eps: logit nn.functional.rms_norm
        2 scale: nn.functional.scaled_dot_product_attention
        2 ignore_index: nn.functional.linear_cross_entropy
        2 max_norm: nn.functional.embedding nn.functional.embedding_bag
        2 value: nn.functional.pad
        2 nan: nan_to_num
        2 posinf: nan_to_num
        2 neginf: nan_to_num
        2 n_fft: stft istft
        2 hop_length: stft istft
        2 win_length: stft istft
    """,
    _FREEDOM: """
        4 correction: cov var std var_mean std_mean masked.var masked.std
    """,
    "by its remainder modulo 4": """
        6 k: rot90
    """,
    "by its sign: from the end": """
        2 padding_idx: embedding nn.functional.embedding nn.functional.embedding_bag
    """,
    "with a size of 1 the grid is one point": """
        2 size: affine_grid_generator nn.functional.affine_grid
    """,
    "mode area: of a size of 1 everything is averaged": """
        2 size: nn.functional.interpolate
    """,
    "0 has no inverse: an error": """
        1 d: fft.fftfreq
    """,
    _SMALL: """
        8 diagonal: diag tril triu
        10 offset: diagonal linalg.diagonal diagonal_copy diagonal_scatter diag_embed diagflat
        6 k: kthvalue topk
        8 index: select select_copy select_scatter
        6 start: narrow narrow_copy slice_copy slice_scatter
        4 end: slice_scatter
        6 step: slice_copy slice_scatter unfold unfold_copy
        4 length: narrow narrow_copy
        6 shifts: roll
        4 repeats: repeat repeat_interleave
        4 size: as_strided as_strided_copy as_strided_scatter expand expand_copy broadcast_to sum_to_size unfold
        4 size: unfold_copy view view_copy
        4 stride: as_strided as_strided_copy as_strided_scatter
        4 storage_offset: as_strided as_strided_scatter
        2 shape: reshape
        2 sizes: unflatten
        8 n: fft.fft fft.ifft fft.rfft fft.irfft fft.hfft fft.ihfft fft.dct fft.dst fft.idct fft.idst
        4 s: fft.fft2 fft.ifft2 fft.rfft2 fft.irfft2 fft.hfft2 fft.ihfft2 fft.fftn fft.ifftn fft.rfftn fft.irfftn
        4 s: fft.hfftn fft.ihfftn fft.dctn fft.dstn fft.idctn fft.idstn
        2 n: eye fft.fftfreq fft.rfftfreq
        4 N: vander
        1 steps: linspace
        1 start: arange range
        1 size: _convert_indices_from_coo_to_csr
        1 minlength: bincount
        1 bins: histogram histogramdd
        1 window_length: bartlett_window blackman_window hamming_window hann_window kaiser_window
        1 M: signal.windows.bartlett signal.windows.blackman signal.windows.cosine signal.windows.exponential
        1 M: signal.windows.gaussian signal.windows.general_cosine signal.windows.general_hamming
        1 M: signal.windows.hamming signal.windows.hann signal.windows.kaiser signal.windows.nuttall
    """,
}
OF_CLASSES: dict[str, dict[str, tuple[int, str]]] = {}
for _why, _rows in _CLASSES.items():
    for _row in _rows.strip().splitlines():
        _class, _operators = _row.split(":")
        _most, _parameter = _class.split()
        for _name in _operators.split():
            OF_CLASSES.setdefault(_name, {})[_parameter] = (int(_most), _why)

# New values that ask the same program for another variant of a kernel, and why.
_OF_VIEW = "copies a view, and a copy's kernel follows the strides of what it copies"
KERNELS_OF: dict[str, dict[str, str]] = {"as_strided_copy": {"size": _OF_VIEW, "stride": _OF_VIEW}}

_OF_NONE: dict[Any, tuple[float, ...]] = {  # values of what was left out
    Kind.P_INT: (2, 3, 1, 4),
    Kind.P_SIZES: (2, 3, 1, 4),
    Kind.P_SCALAR: (0.5, 0.7, 1.0, 2.0),
    Kind.P_REAL: (0.5, 0.7, 1.0, 2.0),
}
VALUES = 6  # new values tried of each argument


def new_values(spec: OperatorSamples) -> None:
    """New values of the arguments that are numbers or sizes compile nothing after the first, and are right where
    there is a reference. In a process of its own: what other operators have made is no reason for this one to pass.
    """
    from checks import Inapplicable

    server = _server()
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(spec.name + "\n")
    server.stdin.flush()
    outcome, why = json.loads(server.stdout.readline())
    if outcome == "unknown":  # samples that this process alone has
        return _new_values(spec)
    if outcome == "inapplicable":
        raise Inapplicable(why)
    assert outcome == "passed", why


@functools.cache
def _server() -> subprocess.Popen[str]:
    """The process of this module run as a script: it has compiled nothing, and answers from children of its own."""
    return subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, close_fds=True
    )


def _serve() -> None:
    """Answer for each operator whose name is read: how its check ended, and why."""
    answers, sys.stdout = sys.stdout, sys.stderr
    load()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            print(json.dumps(_outcome(line.strip())), file=answers, flush=True)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if status:
            print(json.dumps(("failed", f"the process ended with status {status}")), file=answers, flush=True)


def _outcome(name: str) -> tuple[str, str]:
    from checks import Inapplicable

    if name not in REGISTRY:
        return "unknown", ""
    try:
        _new_values(REGISTRY[name])
    except Inapplicable as why:
        return "inapplicable", str(why)
    except BaseException:
        return "failed", traceback.format_exc()
    return "passed", ""


def _new_values(spec: OperatorSamples) -> None:
    fn = find(spec.name)
    cache.forget()
    dtype = dt.float32 if dt.float32 in spec.dtypes else spec.dtypes[0]
    tried = 0
    for sample in _chosen(spec, dtype):
        for name, variants in _arguments(fn, sample):
            if name in STATIC or name in OF_OPERATOR.get(spec.name, {}):
                continue
            found: list[int] = []
            kernels: list[int] = []  # of calls whose programs were there already
            for varied in (sample, *variants):
                before, made = _compile.compile_count[0], _kernels()
                try:
                    results = _run(fn, varied, spec.grad)
                except Exception:  # a value that does not fit; what is raised is what other checks look at
                    continue
                found.append(_compile.compile_count[0] - before)
                kernels.append(0 if found[-1] else _kernels() - made)
                if spec.reference is not None:
                    _compare(spec, varied, results, dtype)
                if len(found) > VALUES:
                    break
            allowed = OF_CLASSES.get(spec.name, {}).get(name, (0, ""))[0]
            tried += len(found) > 1
            assert sum(found[1:]) <= allowed, (
                f"{name}: new values compiled {found[1:]} programs after the first; sample {sample.args} "
                f"{sample.kwargs}"
            )
            assert sum(kernels[1:]) <= allowed or name in KERNELS_OF.get(spec.name, {}), (
                f"{name}: new values asked for {kernels[1:]} kernels after the first; sample {sample.args} "
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
        ones = [rl.from_numpy(np.ones_like(array(t))) for t in tops]  # (compiles nothing, whatever the size)
        rl.autograd.grad(tops, leaves, ones, allow_unused=True)
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
        kind = next((p.kind for p in params if p.name == name), None)
        if value is None and kind in _OF_NONE:
            yield name, [Sample(*sample.args, **{**sample.kwargs, name: new}) for new in _OF_NONE[kind]]
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
        return [tuple(v + d for v in x) for d in (1, 2, -1, 3, 4, 5)] + [
            tuple(v + d * (j == i) for j, v in enumerate(x)) for i in range(len(x)) for d in (1, 2)
        ]
    if isinstance(x, int):
        return [x + d for d in (1, 2, -1, -2, 3, 4, 5, -3)]
    return [
        x * f + 0.001 * g
        for f, g in ((1.01, 1), (0.97, 2), (1.03, 3), (0.95, 4), (1.05, 5), (0.93, 6), (0.5, 7), (0.2, 1))
    ]


def _put(x: Any, path: tuple[int, ...], value: Any) -> Any:
    if not path:
        return value
    return type(x)(_put(v, path[1:], value) if i == path[0] else v for i, v in enumerate(x))


if __name__ == "__main__":
    _serve()
