"""What sums, differences and products of small integers are: of their dtype, which wraps, or int64, as in PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as rl

torch = pytest.importorskip("torch")

DTYPES = ["uint8", "int8", "int16", "int32", "int64"]


def equal(ours: Any, theirs: Any, what: Any) -> None:
    """Equal values (floats nearly), dtypes and shapes; lists and tuples of them."""
    if isinstance(theirs, (tuple, list)):
        assert type(ours) is type(theirs) and len(ours) == len(theirs), what
        for a, b in zip(ours, theirs, strict=True):
            equal(a, b, what)
        return
    assert str(ours.dtype) == str(theirs.dtype) and tuple(ours.shape) == tuple(theirs.shape), (what, ours, theirs)
    a, b = np.array(ours.tolist()), np.array(theirs.tolist())
    floating = a.dtype.kind == "f"
    scale = float(np.abs(b).max(initial=1.0))
    assert np.allclose(a, b, rtol=2e-6 if floating else 0, atol=2e-6 * scale if floating else 0, equal_nan=True), (
        what,
        ours,
        theirs,
    )


def compare(call: Callable[..., Any], *arrays: Any, what: Any = "") -> None:
    """A call of (library, tensors) in both; where PyTorch refuses, rushlight may compute, and raises nothing but errors
    of these types.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            theirs = call(torch, *[torch.from_numpy(a.copy()) for a in arrays])
        except (RuntimeError, NotImplementedError):
            try:
                call(rl, *[rl.from_numpy(a.copy()) for a in arrays])
            except (RuntimeError, NotImplementedError):
                pass
            return
        equal(call(rl, *[rl.from_numpy(a.copy()) for a in arrays]), theirs, what)


def drawn(r: Any, dtype: str, *shape: int) -> Any:
    """Integers of the whole range of a dtype (of 16 bits at most, so that floats hold them)."""
    info = np.iinfo(dtype)
    return r.integers(max(info.min, -(2**15)), min(info.max, 2**15), shape).astype(dtype)


@pytest.mark.parametrize("dtype", [*DTYPES, "bool"])
def test_einsum(dtype: str) -> None:
    r = np.random.default_rng(0)
    sizes = {"i": 3, "j": 4, "k": 2, "b": 2}
    for equation in (
        "i->",
        "i->i",
        "ij->i",
        "ij->j",
        "ij->",
        "ij->ji",
        "ii->i",
        "ii->",
        "i,i->",
        "i,i->i",
        "i,j->ij",
        "i,j->",
        "i,j->j",
        "ij,j->i",
        "ij,k->k",
        "ij,k->ik",
        "ij,kj->ik",
        "ij,ij->",
        "ij,ij->i",
        "i,i,i->",
        "ij,j,j->i",
        "ij,jk->",
        "ij,jk->k",
        "i,->i",
        ",->",
        "bi,bi->b",
        "bij,bjk->bik",
        "...i->...",
        "...i,...i->...",
        "b...,b...->...",
        "i,j,k->",
    ):
        terms = equation.split("->")[0].split(",")
        for one in ("", "i", "j"):  # and with a dimension of size 1
            shapes = [
                [1 if c == one and n == 0 else sizes[c] for c in term.replace("...", "b")]
                for n, term in enumerate(terms)
            ]
            arrays = [drawn(r, "int8" if dtype == "bool" else dtype, *s).astype(dtype) for s in shapes]
            compare(lambda m, *xs, e=equation: m.einsum(e, *xs), *arrays, what=(equation, dtype, one))


@pytest.mark.parametrize("dtype", DTYPES)
def test_calculus(dtype: str) -> None:
    r = np.random.default_rng(1)
    for _ in range(5):
        y, x = drawn(r, dtype, 3, 7), drawn(r, dtype, 7)
        for call in (
            lambda m, y, x: m.trapezoid(y),
            lambda m, y, x: m.trapezoid(y, x),
            lambda m, y, x: m.trapezoid(y, dx=2),
            lambda m, y, x: m.trapezoid(y, dx=0.5, dim=0),
            lambda m, y, x: m.cumulative_trapezoid(y),
            lambda m, y, x: m.cumulative_trapezoid(y, x),
            lambda m, y, x: m.cumulative_trapezoid(y, dx=3),
            lambda m, y, x: m.trapezoid(y[:, :1]),
            lambda m, y, x: m.trapz(y, x.float()),
            lambda m, y, x: m.trapezoid(y.float(), x),
            lambda m, y, x: m.diff(y),
        ):
            compare(call, y, x, what=dtype)
        steps = np.cumsum(r.integers(1, 4, 7)).astype(dtype)
        for call in (
            lambda m, y, s: m.gradient(y),
            lambda m, y, s: m.gradient(y, spacing=2),
            lambda m, y, s: m.gradient(y, spacing=0.5, edge_order=2),
            lambda m, y, s: m.gradient(y, dim=1, edge_order=2),
            lambda m, y, s: m.gradient(y, spacing=(s,), dim=1),
            lambda m, y, s: m.gradient(y, spacing=(s,), dim=1, edge_order=2),
        ):
            compare(call, y, steps, what=dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_distances_and_losses(dtype: str) -> None:
    r = np.random.default_rng(2)
    signs = np.array([1, 1, -1, 1]).astype(dtype)
    for _ in range(4):
        x, y, z = (drawn(r, dtype, 4, 5) for _ in range(3))
        for call in (
            lambda m, x, y: m.nn.functional.pairwise_distance(x, y),
            lambda m, x, y: m.nn.functional.pairwise_distance(x, y, p=1, keepdim=True),
            lambda m, x, y: m.nn.functional.pairwise_distance(x, y.to(m.int32)),
        ):
            compare(call, x, y, what=dtype)
        for reduction in ("none", "sum", "mean"):
            for name in ("l1_loss", "mse_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss"):
                compare(
                    lambda m, x, y, n=name, k=reduction: getattr(m.nn.functional, n)(x, y, reduction=k),
                    x,
                    y,
                    what=(name, dtype, reduction),
                )
            for margin in (0, 2.5):
                compare(
                    lambda m, x, y, t, k=reduction, g=margin: m.nn.functional.margin_ranking_loss(
                        x, y, t, margin=g, reduction=k
                    ),
                    x[:, 0],
                    y[:, 0],
                    signs,
                    what=(dtype, reduction),
                )
            compare(
                lambda m, x, t, k=reduction: m.nn.functional.hinge_embedding_loss(x, t, reduction=k),
                x[:, 0],
                signs,
                what=(dtype, reduction),
            )
            for swap in (False, True):
                compare(
                    lambda m, x, y, z, k=reduction, s=swap: m.nn.functional.triplet_margin_loss(
                        x, y, z, swap=s, reduction=k
                    ),
                    x,
                    y,
                    z,
                    what=(dtype, reduction),
                )
                compare(
                    lambda m, x, y, z, k=reduction, s=swap: m.nn.functional.triplet_margin_with_distance_loss(
                        x, y, z, swap=s, reduction=k
                    ),
                    x,
                    y,
                    z,
                    what=(dtype, reduction),
                )
            compare(
                lambda m, x, y, t, k=reduction: m.nn.functional.cosine_embedding_loss(x // 16, y // 16, t, reduction=k),
                x,
                y,
                signs,
                what=(dtype, reduction),
            )


@pytest.mark.parametrize("dtype", DTYPES)
def test_unravel_index(dtype: str) -> None:
    for shape in ((4, 5), (20, 20), (2, 3, 4), (1000, 1000), (128,), 100):
        compare(
            lambda m, i, s=shape: m.unravel_index(i, s),
            np.array([[3, 7, 1], [0, 19, 100 if shape == (1000, 1000) else 2]]).astype(dtype),
            what=(dtype, shape),
        )


@pytest.mark.parametrize("seed", range(4))
def test_losses_of_tensors_of_different_dtypes(seed: int) -> None:
    """Each pair of tensors is promoted by itself; a target that only chooses has no part in it; a number for which the
    dtype has no room is refused.
    """
    r = np.random.default_rng(seed)
    kinds = [*DTYPES, "float32", "float64"]
    for _ in range(12):
        dtypes = r.choice(kinds, 3)
        arrays = [r.integers(0, 120, (3, 4)).astype(d) for d in dtypes]
        p, margin = float(r.choice([0.5, 1, 2, 3, np.inf])), float(r.choice([0.5, 1, 3]))
        swap = bool(r.integers(2))
        compare(
            lambda m, a, b, c, p=p, margin=margin, swap=swap: m.nn.functional.triplet_margin_loss(
                a, b, c, margin=margin, p=p, swap=swap, reduction="none"
            ).to(m.float32),
            *arrays,
            what=("triplet", dtypes, p, swap),
        )
        signs = r.choice([-1, 1, 2], (3, 4)).astype(r.choice(["int8", "int64", "float32"]))
        for most in (margin, 300.0):
            compare(
                lambda m, a, t, margin=most: m.nn.functional.hinge_embedding_loss(a, t, margin, reduction="none"),
                arrays[0],
                signs,
                what=("hinge", dtypes[0], signs.dtype, most),
            )
        compare(lambda m, a, b: m.nn.functional.smooth_l1_loss(a, b, beta=0.0), *arrays[:2], what=("smooth", dtypes))
    with pytest.raises(RuntimeError, match=r"hinge_embedding_loss.*'margin'.*300"):
        rl.nn.functional.hinge_embedding_loss(rl.tensor([1], dtype=rl.uint8), rl.tensor([-1]), 300.0)
