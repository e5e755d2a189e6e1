"""Chains of calls of the whole table beside PyTorch; see operator_chains.py, which runs many of them by hand."""

from __future__ import annotations

import os

import pytest

pytest.importorskip("torch")

import operator_chains

CHAINS = int(os.environ.get("RUSHLIGHT_OPERATOR_CHAINS", "240"))


@pytest.mark.parametrize("part", range(4))
def test_chains(part: int) -> None:
    """A quarter of the chains; most lines of them are calls that both libraries take."""
    made = 0
    for seed in range(part * CHAINS // 4, (part + 1) * CHAINS // 4):
        lines: list[str] = []
        try:
            operator_chains.run(seed, lines)
        except operator_chains.Difference as error:
            raise AssertionError("\n".join([str(error), *lines])) from None
        made += sum(line.startswith("t") and " = " in line for line in lines)
    assert made > CHAINS, f"only {made} tensors were made: too few to tell anything"


def test_differences_are_seen() -> None:
    import torch

    import rushlight

    a, b = operator_chains.Side(torch), operator_chains.Side(rushlight)
    x = torch.arange(6.0).reshape(2, 3)
    for y, what in (
        (rushlight.arange(6.0).reshape(2, 3) + 1, "0.0, 1.0, 2.0, 3.0"),
        (rushlight.arange(6).reshape(2, 3), "torch.int64"),
        (rushlight.arange(6.0).reshape(2, 3).t().contiguous().t(), "2"),
        (rushlight.arange(6.0).reshape(2, 3).requires_grad_(), "True"),
        (rushlight.arange(6.0), "6"),
    ):
        with pytest.raises(operator_chains.Difference, match=what):
            operator_chains.compare(a, b, x, y, "x")
    with pytest.raises(operator_chains.Difference, match="here alone"):
        operator_chains.refused("x", x, ValueError("wrong"))
    assert operator_chains.refused("x", ValueError("wrong"), RuntimeError("wrong"))
