"""`flex_attention` and block masks, compared with PyTorch's and with plain attention."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as rl
from rushlight.nn.attention import flex_attention as flex


def causal(b: Any, h: Any, q: Any, k: Any) -> Any:
    return q >= k


def near(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (q - k).abs() <= 3 + h


def relative(score: Any, b: Any, h: Any, q: Any, k: Any) -> Any:
    return score + (q - k) * 0.1 * (h + 1)


@pytest.mark.parametrize("mask", [None, causal, near, "and_masks", "or_masks"])
@pytest.mark.parametrize("score", [None, relative])
@pytest.mark.parametrize("gqa", [False, True])
def test_results_are_those_of_pytorch(mask: Any, score: Any, gqa: bool) -> None:
    torch = pytest.importorskip("torch")
    theirs = pytest.importorskip("torch.nn.attention.flex_attention")
    rl.manual_seed(0)
    data = [
        rl.randn(2, 4, 10, 8).tolist(),
        rl.randn(2, 2 if gqa else 4, 12, 8).tolist(),
        rl.randn(2, 2 if gqa else 4, 12, 6).tolist(),
    ]
    results = []
    for m, namespace in ((rl, flex), (torch, theirs)):
        x = [m.tensor(d) for d in data]
        chosen = getattr(namespace, mask)(causal, near) if isinstance(mask, str) else mask
        block = None if mask is None else namespace.create_block_mask(chosen, 2, 4, 10, 12, device="cpu", BLOCK_SIZE=4)
        out, lse = namespace.flex_attention(*x, score_mod=score, block_mask=block, enable_gqa=gqa, return_lse=True)
        results.append([out.numpy(), lse.numpy()])
    for a, b in zip(*results, strict=True):
        assert abs(a - b).max() < 2e-5


def test_gradients() -> None:
    q, k, v = (rl.randn(1, 2, 5, 3, dtype=rl.float64, requires_grad=True) for _ in range(3))
    block = flex.create_block_mask(near, None, 2, 5, 5, BLOCK_SIZE=2)
    assert rl.autograd.gradcheck(lambda *x: flex.flex_attention(*x, score_mod=relative, block_mask=block), (q, k, v))


@pytest.mark.parametrize("mask", [causal, near])
def test_blocks_are_those_of_pytorch(mask: Any) -> None:
    pytest.importorskip("torch")
    theirs = pytest.importorskip("torch.nn.attention.flex_attention")
    a = flex.create_block_mask(mask, None, 2, 30, 30, BLOCK_SIZE=8)
    b = theirs.create_block_mask(mask, None, 2, 30, 30, device="cpu", BLOCK_SIZE=8)
    for name in ("kv_num_blocks", "full_kv_num_blocks"):
        assert getattr(a, name).tolist() == getattr(b, name).tolist()
    assert a.to_dense().tolist() == b.to_dense().tolist() and a.shape == tuple(b.shape)
    assert abs(a.sparsity() - (100 - 100 * a.to_dense().float().mean().item())) < 1e-3
    assert (
        flex.create_mask(mask, None, 2, 5, 6).tolist() == theirs.create_mask(mask, None, 2, 5, 6, device="cpu").tolist()
    )


def test_it_is_attention() -> None:
    q, k, v = (rl.randn(2, 3, 7, 4) for _ in range(3))
    wanted = rl.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    found = flex.flex_attention(q, k, v, block_mask=flex.create_block_mask(causal, None, None, 7, 7))
    assert rl.allclose(found, wanted, atol=1e-5)
    nothing = flex.create_block_mask(lambda b, h, i, j: (i > 2) & (j >= 0), None, None, 7, 7)
    assert flex.flex_attention(q, k, v, block_mask=nothing)[:, :, :3].abs().max() == 0
    with pytest.raises(ValueError, match="'key' must have the heads"):
        flex.flex_attention(q, k[:, :1], v[:, :1])
    with pytest.raises(ValueError, match="'block_mask' must be for"):
        flex.flex_attention(q, k, v, block_mask=flex.create_block_mask(causal, None, None, 3, 7))
