"""Questions that an exported program asks of its sizes, beside PyTorch."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
import torch

import rushlight as rl
from rushlight.fx.experimental import symbolic_shapes
from rushlight.fx.experimental.symbolic_shapes import sym_eq

ASKED: dict[str, Any] = {
    "a size": lambda s, x: s.statically_known_true(x.size(0) == 2),
    "another size": lambda s, x: s.statically_known_true(x.size(0) != 3),
    "less": lambda s, x: s.statically_known_true(x.size(0) < 7),
    "what holds for all": lambda s, x: s.statically_known_true(x.size(0) >= 0),
    "the same size": lambda s, x: s.statically_known_true(x.size(0) == (x * 2).size(0)),
    "shapes": lambda s, x: s.statically_known_true(s.sym_eq(x.shape, (3, 3))),
    "shapes of one size": lambda s, x: bool(s.sym_eq(x.shape[1:], (3,))),
    "both": lambda s, x: s.statically_known_true((x.size(0) != 2) & (x.size(1) == 3)),
    "either": lambda s, x: s.statically_known_true((x.size(0) == 3) | (x.size(1) == 3)),
    "neither": lambda s, x: s.statically_known_true((x.size(0) == 3) | (x.size(0) == 5)),
    "a comparison that nobody needs": lambda s, x: (x.size(0) == 3) is None,
    "a type": lambda s, x: isinstance(x.size(0) == 3, bool),
}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("example", [2, 3, 5])
def test_questions_that_make_no_guard(name: str, example: int) -> None:
    def exported(lib: Any, shapes: Any) -> list[float]:
        class Asks(lib.nn.Module):  # type: ignore[misc, name-defined]
            def forward(self, x: Any) -> Any:
                return x * 2 if ASKED[name](shapes, x) else x * 3

        sizes = ({0: lib.export.Dim("n")},)
        program = lib.export.export(Asks(), (lib.ones(example, 3),), dynamic_shapes=sizes, strict=False).module()
        return [program(lib.ones(n, 3))[0, 0].item() for n in (2, 3, 5)]

    wanted = exported(torch, importlib.import_module("torch.fx.experimental.symbolic_shapes"))
    assert exported(rl, symbolic_shapes) == wanted


@pytest.mark.parametrize("x, y", [("a", "a"), ((1,), 1), ("a", 1), (None, None), (1, 1), ([1], (1,)), ((1,), (1, 2))])
def test_what_sym_eq_compares(x: Any, y: Any) -> None:
    theirs = importlib.import_module("torch.fx.experimental.symbolic_shapes")
    try:
        wanted = theirs.sym_eq(x, y)
    except AssertionError:
        with pytest.raises(AssertionError, match=r"sym_eq\(\): 'x' and 'y' must be two ints or two sequences; found"):
            sym_eq(x, y)
    else:
        assert sym_eq(x, y) is wanted
