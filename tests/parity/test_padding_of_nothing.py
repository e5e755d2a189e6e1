"""Padding by elements of the input where it has none, or where nothing is left: shapes and classes of errors are
PyTorch's.
"""

from __future__ import annotations

from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

CASES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((1, 3, 4, 2), (-1, -1, 0, 0)),
    ((1, 3, 4, 2), (-1, -1, 1, 1)),
    ((1, 3, 4, 2), (-1, -1, -2, -2)),
    ((1, 3, 4), (-2, -2)),
    ((3, 4), (-2, -2)),
    ((1, 2, 3, 4, 2), (-1, -1, 0, 0, 0, 0)),
    ((1, 2, 2, 2, 2), (-1, -1, -1, -1, -1, -1)),
    ((1, 0, 4, 4), (0, 0, 1, 1)),
    ((0, 3, 4, 4), (1, 1, 1, 1)),
    ((0, 3, 4, 4), (-2, -2, -2, -2)),
    ((3, 0, 4), (1, 1, 0, 0)),
    ((3, 0, 4), (1, 1, 1, 1)),
    ((0, 3, 4), (1, 1, 1, 1)),
    ((0, 3, 4), (1, 1)),
    ((0, 4), (1, 1)),
    ((2, 3, 0), (0, 0)),
    ((2, 3, 0), (1, 0)),
    ((2, 3, 0, 4), (1, 1, 0, 0)),
]


def _found(lib: Any, shape: tuple[int, ...], widths: tuple[int, ...], mode: str) -> Any:
    try:
        return tuple(lib.nn.functional.pad(lib.ones(shape), widths, mode=mode).shape)
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular", "constant"])
def test_padding_of_nothing(mode: str) -> None:
    wrong = {
        case: (ours, theirs)
        for case in CASES
        if (ours := _found(rushlight, *case, mode)) != (theirs := _found(torch, *case, mode))
    }
    assert not wrong
