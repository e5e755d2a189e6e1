"""`utils.flop_counter`: the counts are PyTorch's, for products and convolutions, forward and backward."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight.utils import flop_counter


def _recurrent(m: Any, kind: str, rows: tuple[int, ...], backward: bool, last: bool = True, **options: Any) -> None:
    """A layer or a cell, with gradients of the weights, and of the input where they are asked for; by the last state,
    or by the results.
    """
    net = getattr(m.nn, kind)(3, 5, **options)
    out = net(m.randn(*rows, 3, requires_grad=backward))
    while isinstance(out, tuple):
        out = out[-1] if backward and last else out[0]
    out.sum().backward()


CASES: list[Callable[[Any], Any]] = [
    lambda m: m.nn.Linear(3, 5)(m.randn(7, 3)),
    lambda m: m.nn.Linear(3, 5)(m.randn(2, 7, 3, requires_grad=True)).sum().backward(),
    lambda m: m.nn.Linear(3, 5, bias=False)(m.randn(2, 7, 3)).sum().backward(),
    lambda m: m.nn.Conv2d(3, 6, 3, groups=3)(m.randn(4, 3, 8, 8)),
    lambda m: m.nn.Conv2d(3, 6, 3, stride=2, padding=1)(m.randn(4, 3, 8, 8, requires_grad=True)).sum().backward(),
    lambda m: m.nn.Conv1d(3, 6, 3)(m.randn(3, 8)),
    lambda m: m.nn.ConvTranspose2d(3, 6, 3, stride=2)(m.randn(2, 3, 5, 5, requires_grad=True)).sum().backward(),
    lambda m: m.randn(2, 3, 4) @ m.randn(4, 5),
    lambda m: m.randn(2, 3, 4) @ m.randn(4),
    lambda m: m.mm(m.randn(2, 3), m.randn(3, 4)),
    lambda m: m.bmm(m.randn(2, 3, 4, requires_grad=True), m.randn(2, 4, 5)).sum().backward(),
    lambda m: m.addmm(m.randn(5), m.randn(3, 4), m.randn(4, 5)),
    lambda m: m.baddbmm(m.randn(2, 3, 5), m.randn(2, 3, 4), m.randn(2, 4, 5)),
    lambda m: m.einsum("bij,bjk->bik", m.randn(2, 3, 4), m.randn(2, 4, 5)),
    lambda m: m.tensordot(m.randn(2, 3, 4), m.randn(4, 5), 1),
    lambda m: m.tensordot(m.randn(2, 3, 4), m.randn(4, 3, 5), dims=([2, 1], [0, 1])),
    lambda m: m.linalg.multi_dot([m.randn(2, 3), m.randn(3, 4)]),
    lambda m: m.nn.MultiheadAttention(8, 2)(*[m.randn(5, 2, 8)] * 3),
    lambda m: m.nn.Sequential(m.nn.Linear(3, 4), m.nn.ReLU(), m.nn.Linear(4, 2))(m.randn(5, 3)).sum().backward(),
    lambda m: m.randn(3, 4).exp().sum(),
    *(
        functools.partial(_recurrent, kind=kind, rows=(4, 7), backward=backward, **options)
        for kind in ("RNN", "GRU", "LSTM")
        for options in ({}, {"num_layers": 2}, {"bidirectional": True}, {"bias": False})
        for backward in (False, True)
    ),
    functools.partial(_recurrent, kind="LSTM", rows=(4, 7), backward=True, last=False, proj_size=2),
    functools.partial(_recurrent, kind="RNNCell", rows=(7,), backward=False),
    functools.partial(_recurrent, kind="GRUCell", rows=(7,), backward=True, bias=False),
    functools.partial(_recurrent, kind="LSTMCell", rows=(7,), backward=True),
]


@pytest.mark.parametrize("case", CASES)
def test_counts_are_those_of_pytorch(case: Callable[[Any], Any]) -> None:
    torch = pytest.importorskip("torch")
    from torch.utils.flop_counter import FlopCounterMode as Theirs

    with Theirs(display=False) as theirs:
        case(torch)
    with flop_counter.FlopCounterMode(display=False) as ours:
        case(rl)
    assert ours.get_total_flops() == theirs.get_total_flops()
    found, expected = _by_name(ours), _by_name(theirs)
    if "MultiheadAttention" in expected:  # whose projections are one product here, three there
        return
    if "LSTMCell" in expected:  # there the backward is several nodes, and those behind the input's are in no module
        found, expected = ({"Global": by_name["Global"]} for by_name in (found, expected))
    assert found == expected


def _by_name(mode: Any) -> dict[str, dict[str, int]]:
    return {
        name: {str(op): n for op, n in counts.items() if n}
        for name, counts in mode.get_flop_counts().items()
        if any(counts.values())
    }


def test_counts_by_module(capsys: pytest.CaptureFixture[str]) -> None:
    net = rl.nn.Sequential(rl.nn.Linear(3, 4), rl.nn.Sequential(rl.nn.Linear(4, 2)))
    with flop_counter.FlopCounterMode() as mode:
        net(rl.randn(5, 3))
    found = {name: sum(counts.values()) for name, counts in mode.get_flop_counts().items()}
    assert found == {"Global": 200, "Sequential": 200, "Sequential.0": 120, "Sequential.1": 80, "Sequential.1.0": 80}
    printed = capsys.readouterr().out
    assert (
        "Sequential.1" in printed
        and "60.00%" in printed
        and "Sequential.1.0" not in printed
        and "Sequential.1.0" in mode.get_table(3)
    )


def test_attention() -> None:
    q, k = rl.randn(2, 2, 5, 8), rl.randn(2, 2, 6, 8)
    with flop_counter.FlopCounterMode(display=False) as mode:
        rl.nn.functional.scaled_dot_product_attention(q, k, k)
    assert mode.get_total_flops() == flop_counter.sdpa_flop_count(q.shape, k.shape, k.shape) == 2 * 4 * 5 * 6 * 16


def test_formulas_of_ones_own() -> None:
    with flop_counter.FlopCounterMode(
        display=False, custom_mapping={rl.exp: lambda shape, out_shape=None: shape[0] * 10}
    ) as mode:
        rl.ones(3).exp()
    assert mode.get_total_flops() == 30

    @flop_counter.register_flop_formula(rl.sin, get_raw=True)
    def of_sin(x: Any, out_val: Any = None) -> int:
        return int(x.numel()) * 7

    try:
        with flop_counter.FlopCounterMode(display=False) as mode:
            rl.sin(rl.ones(2, 2))
        assert mode.get_total_flops() == 28
    finally:
        del flop_counter.flop_registry["sin"]
