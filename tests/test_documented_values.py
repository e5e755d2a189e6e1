"""What docs/differences.md says to be right where PyTorch is not: the call gives mpmath's or NumPy's value (and
PyTorch's does not).
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import rushlight
from documented_values import PAGE, Line, lines

LINES = list(lines())
# Half a step of the dtype, and what the last operation adds.
RTOL = {"float16": 6e-4, "bfloat16": 5e-3, "float32": 1e-6, "complex64": 1e-6, "float64": 1e-13, "complex128": 1e-13}


def agrees(found: Any, line: Line) -> bool:
    name = str(found.dtype).rpartition(".")[2]
    a = np.asarray(found.tolist())
    with np.errstate(over="ignore"):
        right = line.right().astype({"bfloat16": "float32"}.get(name, name))
    return a.shape == right.shape and bool(np.allclose(a, right, rtol=RTOL[name], atol=1e-30, equal_nan=True))


def test_every_line_is_read() -> None:
    section = PAGE.read_text().partition("## PyTorch's own operator tests")[2].partition("\n## ")[0]
    assert len(LINES) == section.count("\n| `") and len(LINES) > 30


@pytest.mark.parametrize("line", LINES, ids=[line.call for line in LINES])
def test_the_value_is_right(line: Line) -> None:
    assert agrees(line.found(rushlight), line), (
        f"{line.call} gives {line.found(rushlight)}; {line.value} is {line.right()}"
    )


@pytest.mark.parametrize("line", LINES, ids=[line.call for line in LINES])
def test_pytorch_has_another(line: Line) -> None:
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not agrees(line.found(torch), line), f"PyTorch gives {line.found(torch)}, too: the line is out of date"
