"""Which operators autocast casts, against PyTorch: the dtypes of the results, operator by operator."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight.core import dtypes as dt
from rushlight.operators.table.define import TABLE, public
from rushlight.testing.samples import REGISTRY, load

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[1] / "operators"))

from support import map_tensors  # noqa: E402
from test_operators import counterpart, to_torch  # noqa: E402

load()
NAMES = sorted(n for n in REGISTRY if n in TABLE and counterpart(n) is not None and not n.endswith("_"))
DIFFERENT = {
    "matrix_power": "PyTorch's dtype depends on the exponent: only products are cast",
    "linalg.matrix_power": "PyTorch's dtype depends on the exponent: only products are cast",
    "linalg.pinv": "one composition here, in float32; of PyTorch's the last product is cast",
    "lobpcg": "iterates in the dtype of its matrix; of PyTorch's the last product is cast",
    "nn.functional.linear_cross_entropy": (
        "one program here: its product runs in float32; PyTorch composes linear and cross_entropy"
    ),
    "nn.functional.local_response_norm": "one program here; PyTorch composes it of a pooling that runs in float32",
}


def kinds(result: Any) -> Any:
    """The dtypes of a result's tensors, nested as they are."""
    return (
        [kinds(r) for r in result] if isinstance(result, (tuple, list)) else str(getattr(result, "dtype", type(result)))
    )


def dtypes_under(lib: Any, function: Any, sample: Any, low: Any) -> Any:
    """The dtypes of the results under autocast to `low`, or the error's kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with lib.autocast("cpu", dtype=low):
            try:
                result = function(*sample[0], **sample[1])
            except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
                return "error"
    return kinds(result)


@pytest.mark.parametrize("name", NAMES)
def test_autocast_casts_what_pytorch_casts(name: str) -> None:
    if name in DIFFERENT:
        pytest.skip(DIFFERENT[name])
    for dtype in (dt.float32, dt.bfloat16):
        if dtype not in REGISTRY[name].dtypes:
            continue
        for s in REGISTRY[name].samples(dtype)[:2]:
            given = map_tensors(to_torch, s.args), {k: map_tensors(to_torch, v) for k, v in s.kwargs.items()}
            theirs = dtypes_under(torch, counterpart(name), given, torch.bfloat16)
            if theirs == "error":
                continue  # PyTorch's autocast makes calls fail that mix dtypes; here they need not
            ours = dtypes_under(rushlight, public(name), (s.args, s.kwargs), rushlight.bfloat16)
            assert ours == theirs, (dtype, s.args, s.kwargs)
