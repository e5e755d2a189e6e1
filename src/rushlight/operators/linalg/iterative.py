"""Eigenpairs by iteration, for matrices too large to be decomposed whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core import tensor as _core
from rushlight.core.tensor import Tensor
from rushlight.operators.linalg import _matrices as m
from rushlight.operators.table.checks import check_one_dtype
from rushlight.operators.table.define import METHODS, TABLE, eager

METHODS_OF_LOBPCG = ("basic", "ortho")
NITER = 1000
POLISH = 2  # Newton steps that carry the derivative: after s of them it is right to the order 2^s - 1


def _adjoint(x: Any) -> Any:
    y = x.transpose(-2, -1)
    return y.conj() if x.is_complex() else y


class LOBPCG:
    """The state of an iteration, as a tracker sees it.

    Attributes: A, B, iK: the operands. X (*, m, n): the approximate eigenvectors; E (*, n): their eigenvalues; R (*, m,
    n): the residuals A X - B X E; S: the basis that the next eigenvectors are taken from. iparams, fparams, bparams:
    what was asked for (m, n, k, niter; tol; largest). ivars: istep, converged_count. bvars: force_stop, which a tracker
    may set. fvars: none. tvars: rerr (*, n), the relative residuals.
    """

    def __init__(
        self,
        A: Tensor,
        B: Tensor | None,
        iK: Tensor | None,
        X: Tensor,
        k: int,
        niter: int,
        tol: float,
        largest: bool,
        method: str,
    ) -> None:
        self.A, self.B, self.iK, self.X, self.method = A, B, iK, X, method
        self.iparams = {"m": A.shape[-1], "n": X.shape[-1], "k": k, "niter": niter}
        self.fparams, self.bparams = {"tol": tol}, {"largest": largest}
        self.ivars, self.bvars = {"istep": 0, "converged_count": 0}, {"force_stop": False}
        self.fvars: dict[str, float] = {}
        self.tvars: dict[str, Any] = {}
        self.E: Any = None
        self.R: Any = None
        self.S: Any = X
        self._direction: Any = None  # the part of X that the last step brought

    def _times_b(self, x: Any) -> Any:
        return x if self.B is None else self.B @ x

    def _ritz(self, basis: Any) -> None:
        """The best X in the span of `basis`, and E: the Rayleigh-Ritz procedure."""
        n = self.iparams["n"]
        if self.method == "ortho":
            # An orthonormal basis first: what is nearly dependent in it costs no accuracy (U. Hetmaniuk, R. Lehoucq,
            # "Basis selection in LOBPCG", J. Comput. Phys. 218, 2006).
            basis = TABLE["linalg.qr"](basis)[0]
        h = _adjoint(basis)
        stiffness, mass = h @ (self.A @ basis), h @ self._times_b(basis)
        if self.method == "ortho" and self.B is None:
            values, vectors = TABLE["linalg.eigh"](stiffness)
        else:
            lower, info = TABLE["linalg.cholesky_ex"](mass)
            if bool(METHODS["any"](info)):
                # Dependent to within rounding: this step of the basic method takes an orthonormal basis, too. What
                # fails then is B's fault.
                basis = TABLE["linalg.qr"](basis)[0]
                h = _adjoint(basis)
                stiffness = h @ (self.A @ basis)
                lower = TABLE["linalg.cholesky"](h @ self._times_b(basis))
            half = TABLE["linalg.solve_triangular"](lower, stiffness, upper=False)
            values, vectors = TABLE["linalg.eigh"](TABLE["linalg.solve_triangular"](lower, _adjoint(half), upper=False))
            vectors = TABLE["linalg.solve_triangular"](_adjoint(lower), vectors, upper=True)
        if self.bparams["largest"]:
            values, vectors = values.flip(-1), vectors.flip(-1)
        old = self.X
        self.S, self.E, self.X = basis, values[..., :n], basis @ vectors[..., :n]
        if self.ivars["istep"]:
            self._direction = self.X - old @ (_adjoint(old) @ self._times_b(self.X))

    def _measure(self) -> bool:
        """Set R, rerr and converged_count; whether the first k pairs of every matrix have converged."""
        ax, bx = self.A @ self.X, self._times_b(self.X)
        self.R = ax - bx * self.E.unsqueeze(-2)
        norm = TABLE["linalg.vector_norm"]
        size = norm(ax, dim=-2) + self.E.abs() * norm(bx, dim=-2)
        rerr = norm(self.R, dim=-2) / size.clamp(min=1e-30)
        self.tvars["rerr"] = rerr
        k = self.iparams["k"]
        done = (rerr[..., :k] <= self.fparams["tol"]).reshape(-1, k).all(0)
        self.ivars["converged_count"] = int(done.long().cumprod(0).sum())
        return self.ivars["converged_count"] == k

    def run(self, tracker: Callable[[LOBPCG], Any] | None) -> None:
        """Iterate until convergence, `niter` steps, or a tracker's word."""
        self._ritz(self.X)
        while True:
            converged = self._measure()
            if tracker is not None:
                tracker(self)
            if converged or self.bvars["force_stop"] or self.ivars["istep"] == self.iparams["niter"]:
                return
            self.ivars["istep"] += 1
            w = self.R if self.iK is None else self.iK @ self.R
            # Residuals and directions shrink as they converge: of equal length they keep the basis well conditioned.
            norm = TABLE["linalg.vector_norm"]
            parts = [
                self.X,
                *(x / norm(x, dim=-2, keepdim=True).clamp(min=1e-30) for x in (w, self._direction) if x is not None),
            ]
            self._ritz(TABLE["cat"](parts, -1))


def _with_phase(X: Tensor) -> Tensor:
    """The vectors with their largest component real and positive: one choice among those that are as good."""
    largest = X.gather(-2, X.abs().argmax(-2, keepdim=True))
    return X * METHODS["sgn"](largest).conj() if X.is_complex() else X * METHODS["sgn"](largest)


def _polished(A: Tensor, B: Tensor | None, E: Any, X: Any) -> tuple[Any, Any]:
    """Eigenpairs after Newton's steps on A x = e B x, x^H B x = 1: no other value, but with the derivatives by A and B.

    Each pair's system is bordered, so that it has one solution wherever the eigenvalue is simple (G. Peters, J.
    Wilkinson, "Inverse iteration, ill-conditioned equations and Newton's method", SIAM Rev. 21, 1979).
    """
    identity = TABLE["eye"](A.shape[-1], dtype=A.dtype, device=A.device)
    b = identity if B is None else B
    x, e = X.transpose(-2, -1).unsqueeze(-1), E.to(A.dtype)[..., None, None]  # (*, k, m, 1), (*, k, 1, 1)
    a, b = A.unsqueeze(-3), b.unsqueeze(-3)
    for _ in range(POLISH):
        bx, shifted = b @ x, a - e * b
        border = TABLE["cat"](
            [TABLE["cat"]([shifted, -bx], -1), TABLE["cat"]([_adjoint(bx), TABLE["zeros_like"](e)], -1)], -2
        )
        wrong = TABLE["cat"]([-(shifted @ x), (1 - _adjoint(x) @ bx) / 2], -2)
        step = TABLE["linalg.solve"](border, wrong)
        x, e = x + step[..., :-1, :], e + step[..., -1:, :]
    value = e[..., 0, 0]
    return METHODS["real"](value) if A.is_complex() else value, x[..., 0].transpose(-2, -1)


@eager(method=False, shape_class="linalg")
def lobpcg(
    A: Tensor,
    k: int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: int | None = None,
    iK: Tensor | None = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: Any = None,
    ortho_iparams: Any = None,
    ortho_fparams: Any = None,
    ortho_bparams: Any = None,
) -> Any:
    """(E, X): k eigenvalues (*, k) of Hermitian matrices A x = e B x, largest or smallest first, and eigenvectors (*,
    m, k), by LOBPCG.

    The largest component of each eigenvector is real and positive.

    Args:
        A: (*, m, m).
        k: how many, the columns of X or 1 unless given.
        B: (*, m, m), of A's dtype, Hermitian and positive definite; the identity unless given.
        X: (*, m, n), of A's dtype, where to start; random unless given, with n >= k columns.
        iK: (*, m, m), of A's dtype, a preconditioner.
        niter: at most so many steps, 1000 unless given; -1 for no limit.
        tol: the relative residual that is small enough, sqrt(eps) unless given.
        largest: whether the largest (the default) or the smallest eigenvalues are wanted.
        method: "ortho" (the default) with an orthonormal basis at each step, or "basic" without.
        tracker: called with the LOBPCG object at each step. ortho_*: accepted; the basis comes from a QR decomposition,
            which has no parameters.

    Raises:
        ValueError: 3 n > m: decompose the matrix whole then, by linalg.eigh.

    Source:
        A. Knyazev, "Toward the optimal preconditioned eigensolver", SIAM J. Sci. Comput. 23 (2001) 517.
    """
    name = "lobpcg"
    m.check_matrix(name, A, square=True)
    for what, other in (("B", B), ("iK", iK)):
        if other is not None:
            m.check_matrix(name, other, what, square=True)
            check_one_dtype(name, f"A and {what}", A, other)
    if X is not None:
        m.check_matrix(name, X, "X")
        check_one_dtype(name, "A and X", A, X)
    rows = A.shape[-1]
    count = (1 if X is None else X.shape[-1]) if k is None else k
    columns = (count if n is None else n) if X is None else X.shape[-1]
    method = "ortho" if method is None else method
    if method not in METHODS_OF_LOBPCG:
        raise ValueError(f"{name}(): 'method' must be 'basic' or 'ortho'; found {method!r}")
    if not 1 <= count <= columns:
        raise ValueError(f"{name}(): 'k' must be in [1, {columns}], the number of columns iterated on; found {count}")
    if 3 * columns > rows:
        raise ValueError(
            f"{name}(): A must have at least 3 rows for each of the {columns} columns iterated on; found {rows} rows "
            "(linalg.eigh decomposes small matrices whole)"
        )
    if X is not None and X.shape[-2] != rows:
        raise RuntimeError(f"{name}(): X must have as many rows as A, {rows}; found {X.shape[-2]}")
    steps = NITER if niter is None else niter
    if steps < -1:
        raise ValueError(f"{name}(): 'niter' must be at least 0, or -1 for no limit; found {niter}")
    # A tensor of another type is one that a transform wraps (or a parameter).
    followed = any(
        t is not None and (type(t) is not Tensor or (t.requires_grad and _core.is_grad_enabled())) for t in (A, B)
    )
    if followed:
        a = A
        A = (a + _adjoint(a)) / 2
        b = B
        B = None if b is None else (b + _adjoint(b)) / 2
    before = _core.is_grad_enabled()
    _core.set_grad_enabled_raw(False)
    try:
        a, b = A.detach(), None if B is None else B.detach()
        start = (
            X.detach() if X is not None else TABLE["randn"]((*A.shape[:-1], columns), dtype=A.dtype, device=A.device)
        )
        small = m.EPSILON[A.dtype.name] ** 0.5 if A.dtype.name in m.EPSILON else 2.0**-5
        worker = LOBPCG(
            a,
            b,
            None if iK is None else iK.detach(),
            start,
            count,
            steps,
            small if tol is None else tol,
            largest is not False,
            method,
        )
        worker.run(tracker)
    finally:
        _core.set_grad_enabled_raw(before)
    E, found = worker.E[..., :count], _with_phase(worker.X[..., :count])
    return _polished(A, B, E, found) if followed else (E, found)
