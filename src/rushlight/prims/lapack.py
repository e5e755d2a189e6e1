"""Primitives that LAPACK computes: triangular solves, and the factorizations that solve linear systems."""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.dtypes import int32, int64
from rushlight.prims.base import add_any, conj, only, p, register
from rushlight.prims.lapack_base import (
    Routine,
    Solver,
    adjoint,
    diagonal,
    diagonal_matrix,
    halved,
    hermitian_part,
    imaginary,
    lower,
    mm,
    part,
    solve_left,
    solve_right,
    take_rows,
    total,
    triangle,
    upper,
)
from rushlight.prims.types import Operands, ShapeRule, Tangents
from rushlight.program.ir import Var
from rushlight.program.sym import Int


class Cholesky(Routine):
    """cholesky(a; upper, check) -> (l, info): a = l l^H, or l^H l with an upper l; one triangle of a is read.

    As a function of Hermitian matrices: dl = l phi(l^-1 da l^-H), phi the lower triangle with its diagonal halved
    (I. Murray, "Differentiation of the Cholesky decomposition", arXiv:1602.07527).
    """

    name = "cholesky"

    def shape(self, *inputs: Var, upper: bool, check: str) -> ShapeRule:
        a = self.matrix_of(inputs, square=True)
        return [(a.shape, a.dtype), (a.shape[:-2], int32)]

    def jvp(
        self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, upper: bool, check: str
    ) -> Tangents:
        left = adjoint(outputs[0]) if upper else outputs[0]
        inner = solve_left(left, adjoint(solve_left(left, hermitian_part(only(tangents)), False)), False)
        dl = mm(left, total(lower(inner, strict=True), halved(diagonal_matrix(diagonal(inner)))))
        return [adjoint(dl) if upper else dl, None]


class TriangularSolve(Solver):
    """triangular_solve(a, b; upper, unit, check): a^-1 b for (*B, N, N) and (*B, N, K); one triangle of a is read."""

    name, linear = "triangular_solve", (1,)

    def shape(self, *inputs: Var, upper: bool, unit: bool, check: str) -> ShapeRule:
        a, b = inputs
        self.check_pair(a, b)
        return [(b.shape, b.dtype)]

    def jvp(
        self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, upper: bool, unit: bool, check: str
    ) -> Tangents:
        (a, _), (x,), (ta, tb) = inputs, outputs, tangents
        if ta is not None:
            tb = add_any(tb, p.neg(mm(triangle(ta, upper, strict=unit), x)))
        assert tb is not None
        return [self(a, tb, upper=upper, unit=unit, check=check)]

    def transpose(self, cts: Tangents, inputs: Operands, *, upper: bool, unit: bool, check: str) -> Tangents:
        a = inputs[0]
        assert isinstance(a, Var)
        return [None, self(adjoint(a), only(cts), upper=not upper, unit=unit, check=check)]


class LU(Routine):
    """lu(a; check) -> (lu, pivots, info): P^T a = l u, packed in one (*B, M, N) matrix.

    pivots (*B, min(M, N)), int32: row i was exchanged with row pivots[i] - 1. With f = l^-1 P^T da u^-1 of the leading
    square part: dl = l tril(f, -1), du = triu(f) u; the rest follows from the product's derivative.
    """

    name = "lu"

    def shape(self, *inputs: Var, check: str) -> ShapeRule:
        a = self.matrix_of(inputs)
        m, n = a.shape[-2:]
        return [(a.shape, a.dtype), ((*a.shape[:-2], n if n <= m else m), int32), (a.shape[:-2], int32)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, check: str) -> Tangents:
        packed, pivots, _ = outputs
        m, n = packed.shape[-2:]
        da = take_rows(only(tangents), p.pivots_to_permutation(pivots, rows=m, check=""))
        k = n if n <= m else m
        square = part(part(packed, -2, 0, k), -1, 0, k) if m != n else packed
        first = part(part(da, -2, 0, k), -1, 0, k) if m != n else da
        f = solve_right(square, solve_left(square, first, False, unit=True), True)
        f_low, u = lower(f, strict=True), upper(square)
        du = mm(upper(f), u)
        # l tril(f, -1) for the unit lower l: the strict part of l, and the identity's share.
        out = total(du, mm(lower(square, strict=True), f_low), f_low)
        if m > n:
            below = part(packed, -2, n, m - n)
            rest = solve_right(square, p.sub(part(da, -2, n, m - n), mm(below, du)), True)
            out = p.concatenate(out, rest, dim=out.ndim - 2)
        elif n > m:
            beside = part(packed, -1, m, n - m)
            rest = p.sub(solve_left(square, part(da, -1, m, n - m), False, unit=True), mm(f_low, beside))
            out = p.concatenate(out, rest, dim=out.ndim - 1)
        return [out, None, None]


class PivotsToPermutation(Routine):
    """pivots_to_permutation(pivots; rows, check): row i of P^T a is row out[i] of a; int64 (*B, rows)."""

    name, multiple = "pivots_to_permutation", False

    def shape(self, *inputs: Var, rows: Int, check: str) -> ShapeRule:
        (pivots,) = inputs
        return [((*pivots.shape[:-1], rows), int64)]


class FactoredSolve(Solver):
    """A solver by the factors and the pivots of a factorization."""

    linear = (2,)

    def shape(self, *inputs: Var, **params: Any) -> ShapeRule:
        packed, _, b = inputs
        self.check_pair(packed, b)
        return [(b.shape, b.dtype)]


class LUSolve(FactoredSolve):
    """lu_solve(lu, pivots, b; adjoint, check): a^-1 b, or a^-H b, for the a whose factors `lu` and `pivots` are."""

    name = "lu_solve"

    def jvp(
        self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, adjoint: bool, check: str
    ) -> Tangents:
        (packed, pivots, _), (x,), (change, _, tb) = inputs, outputs, tangents
        dx = None if tb is None else self(packed, pivots, tb, adjoint=adjoint, check=check)
        if change is None:
            return [dx]
        dl, du = lower(change, strict=True), upper(change)
        if adjoint:
            dx = total(
                p.neg(self(packed, pivots, self._adjoint_change(packed, pivots, x, dl, du), adjoint=True, check=check)),
                dx,
            )
        else:
            # l u x = P^T b, so u dx = -l^-1 (dl u x + l du x) when b stays.
            inner = solve_left(packed, mm(dl, mm(upper(packed), x)), False, unit=True)
            dx = total(p.neg(solve_left(packed, p.add(inner, mm(du, x)), True)), dx)
        return [dx]

    def _adjoint_change(self, packed: Var, pivots: Var, x: Var, dl: Var, du: Var) -> Var:
        """d(u^H l^H) y with y = P^T x, for u^H l^H y = b."""
        y = take_rows(x, p.pivots_to_permutation(pivots, rows=x.shape[-2], check=""))
        low = total(mm(adjoint(lower(packed, strict=True)), y), y)
        return p.add(mm(adjoint(du), low), mm(adjoint(upper(packed)), mm(adjoint(dl), y)))

    def transpose(self, cts: Tangents, inputs: Operands, *, adjoint: bool, check: str) -> Tangents:
        packed, pivots, _ = inputs
        assert isinstance(packed, Var) and isinstance(pivots, Var)
        return [None, None, self(packed, pivots, only(cts), adjoint=not adjoint, check=check)]


class LDL(Routine):
    """ldl(a; hermitian, upper, check) -> (ld, pivots, info): LAPACK's factors of a symmetric or Hermitian matrix."""

    name = "ldl"

    def shape(self, *inputs: Var, hermitian: bool, check: str) -> ShapeRule:
        a = self.matrix_of(inputs, square=True)
        return [(a.shape, a.dtype), (a.shape[:-1], int32), (a.shape[:-2], int32)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        message = "linalg.ldl_factor: the derivative is not implemented"
        return [p.refuse(only(tangents), shape=outputs[0].shape, message=message), None, None]


class LDLSolve(FactoredSolve):
    """ldl_solve(ld, pivots, b; hermitian, check): a^-1 b by the factors of `ldl`."""

    name = "ldl_solve"

    def jvp(
        self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, hermitian: bool, check: str
    ) -> Tangents:
        (ld, pivots, _), (t, _, tb) = inputs, tangents
        if t is not None:
            return [
                p.refuse(
                    t,
                    shape=outputs[0].shape,
                    message="linalg.ldl_solve: the derivative by the factors is not implemented",
                )
            ]
        return [None if tb is None else self(ld, pivots, tb, hermitian=hermitian, check=check)]

    def transpose(self, cts: Tangents, inputs: Operands, *, hermitian: bool, check: str) -> Tangents:
        ld, pivots, _ = inputs
        ct = only(cts)
        assert isinstance(ld, Var) and isinstance(pivots, Var)
        if hermitian:
            return [None, None, self(ld, pivots, ct, hermitian=True, check=check)]
        # a^-H = conj(a^-1) for a = a^T
        return [None, None, conj(self(ld, pivots, conj(ct), hermitian=False, check=check))]


class QR(Routine):
    """qr(a; complete, check) -> (q, r), q with min(M, N) orthonormal columns, or with all M.

    With m = q^H da r^-1 and the skew Hermitian w = tril(m, -1) - its adjoint + i Im diag(m):
    dq = da r^-1 - q (m - w), dr = q^H da - w r, where r^-1 is of the leading square part (S. F. Walter, L. Lehmann,
    arXiv:1001.1654; D. A. O. Roberts, L. R. Roberts, "QR and LQ decomposition matrix backpropagation",
    arXiv:2009.10071).
    """

    name = "qr"

    def shape(self, *inputs: Var, complete: bool) -> ShapeRule:
        a = self.matrix_of(inputs)
        m, n = a.shape[-2:]
        k = m if complete or m <= n else n
        return [((*a.shape[:-1], k), a.dtype), ((*a.shape[:-2], k, n), a.dtype)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, complete: bool) -> Tangents:
        q, r = outputs
        da = only(tangents)
        m, n = da.shape[-2:]
        if complete and m > n:
            message = (
                "linalg.qr: mode='complete' leaves free what is orthogonal to the columns of a tall matrix, so "
                "it has no derivative; use mode='reduced'"
            )
            return [p.refuse(da, shape=y.shape, message=message) for y in outputs]
        first, square = (part(da, -1, 0, m), part(r, -1, 0, m)) if n > m else (da, r)
        quotient = solve_right(square, first, True)
        mixed = mm(adjoint(q), quotient)
        low = lower(mixed, strict=True)
        w = p.sub(low, adjoint(low))
        if da.dtype.kind == "c":
            w = p.add(w, diagonal_matrix(imaginary(diagonal(mixed))))
        dq = p.sub(quotient, mm(q, p.sub(mixed, w)))
        dr = upper(p.sub(mm(adjoint(q), da), mm(w, r)))
        return [dq, dr]


class Geqrf(Routine):
    """geqrf(a) -> (packed, tau): r, and below it the Householder vectors of q; tau: (*B, min(M, N))."""

    name = "geqrf"

    def shape(self, *inputs: Var) -> ShapeRule:
        a = self.matrix_of(inputs)
        m, n = a.shape[-2:]
        return [(a.shape, a.dtype), ((*a.shape[:-2], n if n <= m else m), a.dtype)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents) -> Tangents:
        return [
            p.refuse(only(tangents), shape=y.shape, message="geqrf: the derivative is not implemented; use linalg.qr")
            for y in outputs
        ]


class Lstsq(Routine):
    """lstsq(a, b, rcond; driver, check) -> (x, rank, s, info): least squares by one of LAPACK's drivers.

    a: (*B, M, N), b: (*B, M, K), rcond: (*B), float64. driver: 0 gelsy, 1 gels, 2 gelsd, 3 gelss (the last two give s,
    the singular values). Its derivative is that of the operator that calls it, a composition.
    """

    name = "lstsq"

    def shape(self, *inputs: Var, driver: int, check: str) -> ShapeRule:
        a, b, _ = inputs
        self.check_pair(a, b, square=False)
        m, n = a.shape[-2:]
        lead = a.shape[:-2]
        real = a.dtype.to_real()
        return [((*lead, n, b.shape[-1]), a.dtype), (lead, int64), ((*lead, n if n <= m else m), real), (lead, int32)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        raise NotImplementedError("lstsq: the primitive has no derivative; linalg.lstsq has")


cholesky, triangular_solve = register(Cholesky()), register(TriangularSolve())
lu, lu_solve, pivots_to_permutation = register(LU()), register(LUSolve()), register(PivotsToPermutation())
ldl, ldl_solve, qr, geqrf, lstsq = (
    register(LDL()),
    register(LDLSolve()),
    register(QR()),
    register(Geqrf()),
    register(Lstsq()),
)
