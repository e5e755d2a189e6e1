"""Linear algebra: what the generic suite cannot say. Failures and where they are, derivatives that do not exist,
choices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight import linalg


def random(*shape: int, dtype: Any = rl.float64, seed: int = 0) -> Any:
    r = np.random.default_rng(seed)
    x = r.standard_normal(shape)
    return rl.tensor(x + 1j * r.standard_normal(shape) if dtype.is_complex else x).to(dtype)


def with_singular(at: tuple[int, ...], batch: tuple[int, ...], n: int) -> Any:
    a = random(*batch, n, n) + 2 * n * rl.eye(n, dtype=rl.float64)
    a[at] = 0.0
    return a


@pytest.mark.parametrize("n", [3, 40])
def test_the_error_names_the_matrix_of_the_batch(n: int) -> None:
    a = with_singular((1, 2), (2, 3), n)
    with pytest.raises(
        linalg.LinAlgError,
        match=r"linalg.inv: \(Batch element 1, 2\): the matrix is singular: the diagonal element 1 of U",
    ):
        linalg.inv(a)
    with pytest.raises(RuntimeError, match=r"linalg.solve: \(Batch element 1, 2\)"):
        linalg.solve(a, rl.ones(n, 1, dtype=rl.float64))
    with pytest.raises(linalg.LinAlgError, match=r"linalg.inv: \(Batch element 5\)"):
        rl.vmap(linalg.inv)(a.reshape(6, n, n))


@pytest.mark.parametrize("n", [3, 40])
def test_the_first_of_several_failures_is_reported(n: int) -> None:
    a = random(64, n, n) + 2 * n * rl.eye(n, dtype=rl.float64)
    a[60] = a[17] = a[33] = 0.0
    for _ in range(20):
        with pytest.raises(linalg.LinAlgError, match="Batch element 17"):
            linalg.inv(a)


@pytest.mark.parametrize("n", [3, 40])
def test_ex_variants_report_instead(n: int) -> None:
    a = with_singular((1,), (3,), n)
    assert linalg.inv_ex(a).info.tolist() == [0, 1, 0]
    assert linalg.solve_ex(a, rl.ones(n, 1, dtype=rl.float64)).info.tolist() == [0, 1, 0]
    assert linalg.lu_factor_ex(a).info.tolist() == [0, 1, 0]
    assert linalg.cholesky_ex(-rl.eye(n)).info.item() == 1
    b = rl.eye(n)
    b[2, 2] = -1.0
    assert linalg.cholesky_ex(b).info.item() == 3
    with pytest.raises(linalg.LinAlgError, match="leading minor of order 3"):
        linalg.cholesky_ex(b, check_errors=True)


def test_other_triangle_is_not_read() -> None:
    a = random(4, 4)
    a = a @ a.mT + rl.eye(4, dtype=rl.float64)
    bad = rl.tril(a) + rl.triu(rl.full_like(a, float("nan")), 1)
    assert rl.allclose(linalg.cholesky(bad), linalg.cholesky(a))
    assert rl.allclose(linalg.eigvalsh(bad), linalg.eigvalsh(a))
    assert rl.allclose(
        linalg.solve_triangular(bad, a, upper=False), linalg.solve_triangular(rl.tril(a), a, upper=False)
    )


@pytest.mark.parametrize("n", [4, 40])
def test_the_diagonal_of_a_hermitian_matrix_is_real(n: int) -> None:
    a = random(n, n, dtype=rl.complex128)
    h = rl.tril(a, -1) + rl.tril(a, -1).mH + rl.diag(rl.diagonal(a).real).to(a.dtype)
    np.testing.assert_allclose(linalg.eigvalsh(a).numpy(), np.linalg.eigvalsh(h.numpy()), atol=1e-12)
    h, a = h + 4 * n * rl.eye(n), a + 4 * n * rl.eye(n)
    np.testing.assert_allclose(linalg.cholesky(a).numpy(), np.linalg.cholesky(h.numpy()), atol=1e-12)


def test_values_that_are_not_finite() -> None:
    a = rl.full((2, 2), float("nan"))
    for op, name in (
        (linalg.svd, "svd"),
        (linalg.svdvals, "svdvals"),
        (linalg.eig, "eig"),
        (linalg.eigvals, "eigvals"),
    ):
        with pytest.raises(linalg.LinAlgError, match=rf"linalg.{name}: the matrix has an element that is not finite"):
            op(a)
    assert linalg.eigvalsh(a).isnan().all() and linalg.matrix_exp(a).isnan().all()


def test_pivots_out_of_range() -> None:
    factors, pivots = linalg.lu_factor(rl.eye(3))
    with pytest.raises(RuntimeError, match="pivot 2 is not in the range"):
        linalg.lu_solve(factors, pivots + rl.tensor([0, 7, 0], dtype=rl.int32), rl.ones(3, 1))
    with pytest.raises(RuntimeError, match="pivot 1 is not in the range"):
        rl.lu_unpack(factors, pivots - 1)


@pytest.mark.parametrize("name", ["eigh", "eig", "svd"])
def test_a_function_of_the_phases_has_no_derivative(name: str) -> None:
    a = random(3, 3, dtype=rl.complex128)
    x = (a + a.mH if name == "eigh" else a).detach().requires_grad_()
    vectors = linalg.svd(x)[0] if name == "svd" else getattr(linalg, name)(x)[1]
    with pytest.raises(RuntimeError, match=rf"linalg.{name}_backward: .* depends on phi"):
        vectors.sum().imag.backward()
    vectors = linalg.svd(x)[0] if name == "svd" else getattr(linalg, name)(x)[1]
    vectors.abs().sum().backward()
    assert x.grad.isfinite().all()


@pytest.mark.parametrize("mode", ["complete", "r"])
def test_qr_without_a_derivative(mode: str) -> None:
    x = random(4, 3).requires_grad_()
    r = linalg.qr(x, mode)[1]
    with pytest.raises(RuntimeError, match=rf"linalg.qr: mode='{mode}'"):
        r.sum().backward()


def test_factors_without_a_derivative() -> None:
    x = (random(3, 3) + 9 * rl.eye(3, dtype=rl.float64)).requires_grad_()
    for op, text in (
        (rl.geqrf, "geqrf: the derivative is not implemented"),
        (linalg.ldl_factor, "linalg.ldl_factor: the derivative"),
    ):
        with pytest.raises(RuntimeError, match=text):
            op(x)[0].sum().backward()


def test_the_determinant_of_a_singular_matrix_has_a_derivative() -> None:
    x = rl.tensor([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 1.0, 5.0]], dtype=rl.float64, requires_grad=True)
    rl.det(x).backward()
    cofactors = [[14.0, -4.0, -2.0], [-7.0, 2.0, 1.0], [0.0, 0.0, 0.0]]
    np.testing.assert_allclose(x.grad.numpy(), cofactors, atol=1e-12)


def test_equal_eigenvalues() -> None:
    """What does not depend on the choice of vectors has its derivative, as the sum of squares of the eigenvalues."""
    x = rl.eye(3, dtype=rl.float64, requires_grad=True)
    w, v = linalg.eigh(x)
    (v * w).matmul(v.mT).pow(2).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * np.eye(3), atol=1e-12)


def test_second_derivatives_of_what_is_composed() -> None:
    def f(a: Any) -> Any:
        return (
            (linalg.inv(a) @ linalg.pinv(a[:, :2])[:1].mT).sum()
            + rl.logdet(a @ a.mT)
            + linalg.matrix_norm(a, 2)
            + linalg.solve(a, a[:, 0]).pow(2).sum()
        )

    a = (random(3, 3) + 4 * rl.eye(3, dtype=rl.float64)).requires_grad_()
    assert rl.autograd.gradcheck(f, (a,)) and rl.autograd.gradgradcheck(f, (a,))


def test_half_precision_goes_through_single() -> None:
    for dtype in (rl.float16, rl.bfloat16):
        a = (random(3, 3) + 4 * rl.eye(3, dtype=rl.float64)).to(dtype)
        assert linalg.inv(a).dtype is dtype
        np.testing.assert_array_equal(linalg.inv(a).float().numpy(), linalg.inv(a.float()).to(dtype).float().numpy())


@pytest.mark.parametrize("name", ["linalg.svdvals", "linalg.eigvalsh", "linalg.eigvals", "linalg.matrix_rank"])
def test_vectors_that_nobody_wants_are_not_computed(name: str, capsys: Any) -> None:
    rl.explain(name, rl.ones(4, 4))
    shown = capsys.readouterr().out
    assert "vectors=False" in shown and ("[0, 0]" in shown or "[s0, 0]" in shown)


def test_values_alone_are_those_with_vectors() -> None:
    for dtype in (rl.float32, rl.float64, rl.complex64, rl.complex128):
        close = {"rtol": 1e-4 if dtype.itemsize // (1 + dtype.is_complex) == 4 else 1e-11, "atol": 1e-4}
        for shape in ((0, 0), (1, 1), (2, 3, 3), (2, 40, 40), (0, 3, 3)):
            a = rl.randn(*shape, dtype=dtype)
            h = a + a.mH
            np.testing.assert_allclose(linalg.eigvalsh(h).numpy(), linalg.eigh(h)[0].numpy(), **close)
            alone, beside = (np.sort_complex(v.numpy()) for v in (linalg.eigvals(h), linalg.eig(h)[0]))
            np.testing.assert_allclose(alone, beside, **close)
        for shape in ((0, 3), (3, 0), (5, 3), (2, 3, 50), (60, 40)):
            a = rl.randn(*shape, dtype=dtype)
            np.testing.assert_allclose(linalg.svdvals(a).numpy(), linalg.svd(a, False)[1].numpy(), **close)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_singular_values_of_small_matrices(dtype: str) -> None:
    """Of all sizes that rotations of columns serve: random, equal and graded values, lower ranks."""
    r, eps = np.random.default_rng(0), np.finfo(dtype).eps
    for m in range(1, 12):
        for n in (*range(1, 12), 23):
            q, _ = np.linalg.qr(r.standard_normal((m, m)))
            kinds = [r.standard_normal((m, n)), q @ np.eye(m, n), r.standard_normal((m, n)) * np.logspace(4, -4, n)]
            kinds += [np.outer(r.standard_normal(m), r.standard_normal(n)), np.zeros((m, n)), np.eye(m, n)]
            a = np.stack(kinds).astype(dtype)
            if dtype.startswith("complex"):
                a = (a * np.exp(1j * r.standard_normal(a.shape))).astype(dtype)
            expected = np.linalg.svd(a.astype(np.complex128), compute_uv=False)
            bound = 20 * eps * (expected[:, :1] + eps)
            given = rl.tensor(a)
            assert (np.abs(linalg.svdvals(given).numpy() - expected) <= bound).all()
            u, s, vh = (x.numpy() for x in linalg.svd(given, full_matrices=False))
            assert (np.abs(s - expected) <= bound).all()
            assert (np.abs(u * s[:, None] @ vh - a) <= 2 * bound[:, :, None]).all()
            for unit in (u.conj().swapaxes(1, 2) @ u, vh @ vh.conj().swapaxes(1, 2)):
                assert (np.abs(unit - np.eye(min(m, n))) <= 100 * eps).all()


def test_values_alone_have_vectors_where_a_derivative_needs_them() -> None:
    x = random(5, 5)
    x = x + x.mT
    np.testing.assert_allclose(linalg.eigvalsh(x).numpy(), linalg.eigh(x)[0].numpy(), atol=1e-12)
    y = x.clone().requires_grad_()
    linalg.eigvalsh(y).pow(2).sum().backward()
    np.testing.assert_allclose(y.grad.numpy(), 2 * x.numpy(), atol=1e-10)


def test_strides_of_every_kind() -> None:
    a = random(2, 40, 40) + 80 * rl.eye(40, dtype=rl.float64)
    b = random(2, 40, 7)
    want = np.linalg.solve(a.numpy(), b.numpy())
    for left in (a, a.mT.contiguous().mT, rl.stack([a, a], -1)[..., 1]):
        for right in (b, b.mT.contiguous().mT, rl.stack([b, b], -1)[..., 1], b.flip(-1).flip(-1)):
            np.testing.assert_allclose(linalg.solve(left, right).numpy(), want, atol=1e-12)
            np.testing.assert_allclose(
                linalg.solve_triangular(left, right, upper=True).numpy(),
                np.linalg.solve(np.triu(a.numpy()), b.numpy()),
                atol=1e-12,
            )


def test_bits_do_not_depend_on_threads() -> None:
    a = random(300, 12, 12)
    before = rl.get_num_threads()
    try:
        found = []
        for n in (1, 2, 4):
            rl.set_num_threads(n)
            found.append([t.numpy().copy() for t in (linalg.inv(a), *linalg.qr(a), *linalg.svd(a))])
    finally:
        rl.set_num_threads(before)
    for other in found[1:]:
        assert all(np.array_equal(x, y) for x, y in zip(found[0], other, strict=True))


def test_low_rank() -> None:
    rl.manual_seed(0)
    a = random(20, 3) @ random(3, 15, seed=1)
    u, s, v = rl.svd_lowrank(a, q=4)
    assert (u.shape, s.shape, v.shape) == ((20, 4), (4,), (15, 4))
    np.testing.assert_allclose(((u * s) @ v.mT).numpy(), a.numpy(), atol=1e-10)
    u, s, v = rl.pca_lowrank(a.mT, q=3)
    centered = a.mT - a.mT.mean(0, keepdim=True)
    np.testing.assert_allclose(((u * s) @ v.mT).numpy(), centered.numpy(), atol=1e-10)
    with pytest.raises(ValueError, match=r"'q' must be in \[0, 15\]"):
        rl.pca_lowrank(a, q=16)


@pytest.mark.parametrize("shape", [(3, 2), (2, 3), (2, 3, 2), (4, 4), (0, 3)], ids=str)
def test_low_rank_of_small_matrices(shape: tuple[int, ...]) -> None:
    """The default rank, 6, is that of the matrix where this is less."""
    rl.manual_seed(0)
    a = random(*shape)
    u, s, v = rl.svd_lowrank(a)
    assert s.shape == (*shape[:-2], min(shape[-2:]))
    np.testing.assert_allclose(((u * s[..., None, :]) @ v.mT).numpy(), a.numpy(), atol=1e-10)


@pytest.mark.parametrize("dtype", [rl.float64, rl.complex128])
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("generalised", [False, True])
def test_lobpcg(dtype: Any, largest: bool, generalised: bool) -> None:
    rl.manual_seed(0)
    a, b = random(2, 20, 20, dtype=dtype), random(20, 20, dtype=dtype, seed=1)
    a, b = a @ a.mH, b @ b.mH / 20 + rl.eye(20, dtype=dtype)
    # (for the largest values this is no good preconditioner: they take nearly the thousand steps that are the default)
    inverse = linalg.inv(a)
    e, v = rl.lobpcg(a, 3, B=b if generalised else None, largest=largest, tol=1e-10, iK=inverse, niter=3000)
    c = linalg.inv(linalg.cholesky(b)) if generalised else rl.eye(20, dtype=dtype)
    every = linalg.eigvalsh(c @ a @ c.mH)
    np.testing.assert_allclose(e.numpy(), (every.flip(-1) if largest else every)[..., :3].numpy(), rtol=1e-9)
    bv = b @ v if generalised else v
    np.testing.assert_allclose((a @ v).numpy(), (bv * e.unsqueeze(-2)).numpy(), atol=1e-6)
    np.testing.assert_allclose((v.mH @ bv).numpy(), np.broadcast_to(np.eye(3), (2, 3, 3)), atol=1e-8)


def test_lobpcg_gives_the_derivative_by_both_matrices() -> None:
    a, b, start = random(7, 7), random(7, 7, seed=1), random(7, 2, seed=2)

    def pairs(a: Any, b: Any) -> Any:
        e, v = rl.lobpcg(a + a.mT, 2, B=b @ b.mT + 7 * rl.eye(7, dtype=rl.float64), X=start, tol=1e-12)
        return e, v * v

    assert rl.autograd.gradcheck(pairs, (a.requires_grad_(), b.requires_grad_()))
    assert rl.autograd.gradgradcheck(pairs, (a, b))


def test_the_tracker_of_lobpcg_sees_and_stops() -> None:
    rl.manual_seed(0)
    a, seen = random(30, 30), []

    def tracker(state: Any) -> None:
        seen.append(
            (
                state.ivars["istep"],
                state.ivars["converged_count"],
                tuple(state.R.shape),
                float(state.tvars["rerr"].max()),
            )
        )
        state.bvars["force_stop"] = state.ivars["istep"] == 8

    rl.lobpcg(a @ a.mT, 2, tracker=tracker, tol=1e-12)
    assert [s[0] for s in seen] == list(range(9))
    assert all(s[2] == (30, 2) for s in seen)
    assert seen[-1][3] < seen[0][3] / 10


@pytest.mark.parametrize("dtype", [rl.float32, rl.float64])
@pytest.mark.parametrize("method", ["basic", "ortho"])
def test_lobpcg_from_any_start(method: str, dtype: Any) -> None:
    """A basis that becomes dependent as its pairs converge is no error, wherever the iteration begins."""
    rl.manual_seed(0)
    a = rl.randn(8, 8, dtype=dtype)
    a = a @ a.T + 8 * rl.eye(8, dtype=dtype)
    largest = rl.linalg.eigvalsh(a)[-1]
    for seed in range(60):
        rl.manual_seed(seed)
        values, _ = rl.lobpcg(a, 1, n=2, method=method, niter=300, tol=1e-6 if dtype is rl.float32 else 1e-12)
        assert abs(values[0] - largest) <= 1e-3 * largest
