"""What PyTorch warns of we warn of: the same calls, by the same category, every time or once in a process."""

from __future__ import annotations

import json
import os
import sys
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rushlight
from processes import printed
from rushlight.testing.samples import load

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[1] / "operators"))

from support import find_public, map_tensors  # noqa: E402
from test_operators import counterpart, to_torch  # noqa: E402

# RUSHLIGHT_WARNINGS=all calls every sample of every operator, by hand; the suite those of one operator in three.
EVERY = 1 if os.environ.get("RUSHLIGHT_WARNINGS") == "all" else 3
PROGRAMS = Path(__file__).with_name("warning_programs.py")

_NUMPY = "PyTorch's tensors have the hooks of NumPy 1; those here are of NumPy 2, of which NumPy does not warn"
_BETA = "PyTorch says of itself that a part of it is unfinished"
_COPY = "PyTorch says that it makes a copy to compute; here none is made"
_PARTS = "PyTorch warns of calls inside of itself"
_WRITES = "PyTorch's index_put takes a uint8 mask for a list of tensors, and refuses it for one number"
# Programs that warn otherwise on purpose. One that does not any more must be struck out.
DIFFERENT = {
    "storage": (_FLAG := "PyTorch's warning of old storages comes once whatever set_warn_always() says"),
    "storage_item": _FLAG,
    "typed_storage_dtype": _FLAG,
    "full_of_grad": "a tensor is a number where one is expected, with its gradient",
    "array_of": _NUMPY,
    "ufunc_of": _NUMPY,
    "add_array": _NUMPY,
    **dict.fromkeys(("half_complex", "empty_half_complex", "zeros_half_complex", "to_half_complex"), _BETA),
    **dict.fromkeys(("index_reduce", "index_reduce_in_place", "encoder_padding_eval"), _BETA),
    **dict.fromkeys(("masked", "masked_grad", "masked_as"), _BETA),
    "byte_masked_scatter": "the error alone; PyTorch warns of what it then refuses",
    "byte_mask_set": _WRITES,
    "byte_index_put": _WRITES,
    "expanded_index_put": "refused here, as every write to an expanded tensor is",
    "std_meta": "a call without values is the same call",
    "cov_weights": "the number of observations is a sum of weights, which is not known when the call is traced",
    **dict.fromkeys(("searchsorted_strided", "searchsorted_values_strided"), _COPY),
    **dict.fromkeys(("bucketize_strided", "bucketize_values_strided"), _COPY),
    **dict.fromkeys(("conv_same_even", "conv_same_even_1d"), _COPY),
    "put_deterministic": "every operator is deterministic",
    "profiler_cuda": "the CPU is profiled instead; PyTorch goes on to an error",
    "autocast_set_3": "an old name that is lacking",
    "clip_grad_value_": "PyTorch refuses parameters without gradients, by accident",
    "dist_wishart_sample": "PyTorch's matrix is not singular: the test that it fails is the one that says it is right",
    "compile_": "it is said that functions run as they are written; PyTorch warns of calls inside of itself",
    "hessian": _PARTS,
    "quant": "there are no quantized tensors",
    "fx_no_module": "PyTorch's message about a module that is missing fails itself",
}
# Operators whose samples PyTorch warns of, and we do not.
QUIET = {
    "chalf": _BETA,
    "index_reduce": _BETA,
    "nn.functional.conv2d": _COPY,
    "nn.functional.conv3d": _COPY,
    "_standard_gamma_grad": "PyTorch resizes a tensor of its own",
    "ldexp": "PyTorch resizes a tensor of its own",
}


def answers(*launcher: str) -> Any:
    shown = printed(*launcher, PROGRAMS)
    return json.loads(shown.rpartition("ANSWERS ")[2])


def test_programs() -> None:
    """Each program warns at its first call, its second, and where every warning is wanted, as on PyTorch."""
    ours, theirs = answers("-m", "rushlight"), answers()
    assert set(ours) == set(theirs)
    unlike = {name: (ours[name], theirs[name]) for name in theirs if ours[name] != theirs[name]}
    assert {name: pair for name, pair in unlike.items() if name not in DIFFERENT} == {}
    assert set(DIFFERENT) - set(unlike) == set()
    assert sum(any(phases) for phases in theirs.values()) > 200


def heard(call: Callable[[], Any]) -> tuple[bool, set[str]]:
    """Whether a call succeeds, and the categories of what it warns of."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            call()
        except Exception:
            return False, set()
    return True, {w.category.__name__ for w in found}


def test_samples() -> None:
    """The samples of the operators: a call that was compiled for an earlier one warns, too."""
    torch.set_warn_always(True)
    rushlight.set_warn_always(True)
    compared, unlike = 0, []
    try:
        for name in sorted(load()):
            theirs, ours = counterpart(name), find_public(name)
            if theirs is None or name in QUIET or zlib.crc32(name.encode()) % EVERY:
                continue
            known = load()[name]
            for dtype in (d for d in known.dtypes if d.name in ("float32", "complex64", "int64")):
                for sample in known.samples(dtype):
                    args, kwargs = list(map(to_torch, sample.args)), {k: to_torch(v) for k, v in sample.kwargs.items()}
                    succeeds, expected = heard(lambda: theirs(*args, **kwargs))  # noqa: B023
                    if not succeeds:
                        continue
                    for _ in range(2):
                        own = [map_tensors(lambda t: t.detach().clone(), a) for a in sample.args]
                        succeeds, found = heard(lambda: ours(*own, **sample.kwargs))  # noqa: B023
                        if succeeds and found != expected:
                            unlike.append((name, dtype.name, sorted(expected), sorted(found)))
                    compared += 1
    finally:
        torch.set_warn_always(False)
        rushlight.set_warn_always(False)
    assert unlike == []
    assert compared > 1000
