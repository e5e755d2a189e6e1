"""Primitives that LAPACK's iterations compute: eigenvalues, singular values; and the matrix exponential."""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Sequence

from rushlight.core.dtypes import complex_of, int32
from rushlight.prims.base import add_any, only, p, register, zeros_like
from rushlight.prims.lapack_base import (
    Routine,
    adjoint,
    as_dtype,
    columns_of,
    diagonal,
    diagonal_matrix,
    halved,
    hermitian_part,
    imaginary,
    inverse_or_zero,
    mm,
    off_diagonal,
    padded,
    part,
    real_of,
    rows_of,
)
from rushlight.prims.types import Operands, ShapeRule, Tangents
from rushlight.program.ir import Var


def gaps(values: Var, like: Var) -> Var:
    """1 / (w[j] - w[i]) as a matrix of the shape and dtype of `like`, 0 where they are equal.

    Equal values leave the vectors of their space undetermined: only what does not depend on the choice has a derivative
    there, and for that the entry is multiplied by 0.
    """
    return as_dtype(inverse_or_zero(p.sub(rows_of(values, like), columns_of(values, like))), like)


def fixed_phases(name: str, *pairs: tuple[Var, Var]) -> list[Var]:
    """The tangents of (tangent, vectors) pairs; when the vectors are complex, marked as undetermined up to phases in
    common.
    """
    if pairs[0][1].dtype.kind != "c":
        return [t for t, _ in pairs]
    return list(p.phases.several(*(x for pair in pairs for x in pair), name=name))


class Eigh(Routine):
    """eigh(a; upper, check, vectors) -> (w, v, info): a v = v w with ascending real w; one triangle of a is read.

    As a function of Hermitian matrices, s = v^H da v: dw = diag(s), dv = v (s / (w[j] - w[i])) off the diagonal
    (M. Giles, "An extended collection of matrix derivative results", 2008, section 3.1).
    """

    name = "eigh"

    def shape(self, *inputs: Var, upper: bool, check: str, vectors: bool = True) -> ShapeRule:
        a = self.matrix_of(inputs, square=True)
        real = a.dtype.to_real()
        return [(a.shape[:-1], real), (a.shape if vectors else (*a.shape[:-2], 0, 0), a.dtype), (a.shape[:-2], int32)]

    def jvp(
        self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, upper: bool, check: str
    ) -> Tangents:
        w, v, _ = outputs
        s = mm(adjoint(v), hermitian_part(only(tangents)), v)
        dv = mm(v, p.mul(s, gaps(w, s)))
        return [real_of(diagonal(s)), fixed_phases(check or "linalg.eigh", (dv, v))[0], None]


class Eig(Routine):
    """eig(a; check, vectors) -> (w, v, info): a v = v w, complex; columns of v have norm 1.

    With s = v^-1 da v: dw = diag(s), dv = v x - v Re diag(v^H v x), x = s / (w[j] - w[i]) off the diagonal (C.
    Boeddeker, P. Hanebrink, L. Drude, J. Heymann, R. Haeb-Umbach, "On the computation of complex-valued gradients with
    application to statistically optimum beamforming", arXiv:1701.00392, section 4.18).
    """

    name = "eig"

    def shape(self, *inputs: Var, check: str, vectors: bool = True) -> ShapeRule:
        a = self.matrix_of(inputs, square=True)
        d = complex_of(a.dtype)
        return [(a.shape[:-1], d), (a.shape if vectors else (*a.shape[:-2], 0, 0), d), (a.shape[:-2], int32)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, check: str) -> Tangents:
        w, v, _ = outputs
        factors, pivots, _ = p.lu.several(v, check="")
        s = p.lu_solve(factors, pivots, mm(as_dtype(only(tangents), v), v), adjoint=False, check="")
        dv = mm(v, p.mul(s, gaps(w, s)))
        norms = as_dtype(real_of(diagonal(mm(adjoint(v), dv))), v)
        dv = p.sub(dv, p.mul(v, rows_of(norms, v)))
        return [diagonal(s), fixed_phases(check or "linalg.eig", (dv, v))[0], None]


class SVD(Routine):
    """svd(a; full, check, vectors) -> (u, s, vh, info): a = u diag(s) vh with min(M, N) singular vectors, or all.

    With m = u^H da v and f = 1 / (s[j]^2 - s[i]^2) off the diagonal: ds = Re diag(m), du = u (f * (m s + s m^H)) + (1 -
    u u^H) da v / s, and dv likewise (M. Giles, 2008, section 3.7; for complex matrices Z. Wan, S. Zhang, "Automatic
    differentiation for complex valued SVD", arXiv:1909.02659). The vectors beyond the first min(M, N) are any basis of
    what is left: their tangents are taken to be zero.
    """

    name = "svd"

    def shape(self, *inputs: Var, full: bool, check: str, vectors: bool = True) -> ShapeRule:
        a = self.matrix_of(inputs)
        *lead, m, n = a.shape
        k = n if n <= m else m
        real = a.dtype.to_real()
        left, right = (m, n) if full else (k, k)
        return [
            ((*lead, m, left if vectors else 0), a.dtype),
            ((*lead, k), real),
            ((*lead, right if vectors else 0, n), a.dtype),
            (tuple(lead), int32),
        ]

    def jvp(
        self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, *, full: bool, check: str
    ) -> Tangents:
        u_all, s, vh_all, _ = outputs
        da = only(tangents)
        (m, n), k = da.shape[-2:], s.shape[-1]
        u = part(u_all, -1, 0, k) if full and m != k else u_all
        v = adjoint(part(vh_all, -2, 0, k) if full and n != k else vh_all)
        right = mm(da, v)
        mixed = mm(adjoint(u), right)
        f = gaps(p.mul(s, s), mixed)
        across, along = as_dtype(rows_of(s, mixed), mixed), as_dtype(columns_of(s, mixed), mixed)
        flipped = adjoint(mixed)
        wu = off_diagonal(p.mul(f, p.add(p.mul(mixed, across), p.mul(along, flipped))))
        wv = off_diagonal(p.mul(f, p.add(p.mul(along, mixed), p.mul(flipped, across))))
        scale = inverse_or_zero(s)
        if da.dtype.kind == "c":
            # The phases of u and v turn one against the other; the turn is shared equally.
            turn = diagonal_matrix(halved(p.mul(imaginary(diagonal(mixed)), as_dtype(scale, mixed))))
            wu, wv = p.add(wu, turn), p.sub(wv, turn)
        du, dv = mm(u, wu), mm(v, wv)
        if m > k:
            du = p.add(du, p.mul(p.sub(right, mm(u, mixed)), as_dtype(rows_of(scale, right), right)))
        if n > k:
            left = mm(adjoint(da), u)
            dv = p.add(dv, p.mul(p.sub(left, mm(v, flipped)), as_dtype(rows_of(scale, left), left)))
        du, dv = fixed_phases(check or "linalg.svd", (du, u), (dv, v))
        dvh = adjoint(dv)
        return [
            padded(du, 0, m - k) if full and m != k else du,
            real_of(diagonal(mixed)),
            padded(dvh, n - k, 0) if full and n != k else dvh,
            None,
        ]


class MatrixExp(Routine):
    """matrix_exp(a): the sum of a^k / k!."""

    name, multiple, by_columns = "matrix_exp", False, False

    def shape(self, *inputs: Var) -> ShapeRule:
        a = self.matrix_of(inputs, square=True)
        return [(a.shape, a.dtype)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents) -> Tangents:
        return [p.matrix_exp_change(inputs[0], only(tangents))]


def block_triangle(a: Var, e: Var) -> Var:
    """[[a, e], [0, a]]."""
    rows = a.ndim - 2
    return p.concatenate(p.concatenate(a, e, dim=rows + 1), p.concatenate(zeros_like(a), a, dim=rows + 1), dim=rows)


class MatrixExpChange(Routine):
    """matrix_exp_change(a, e): the derivative of exp at a in the direction e, linear in e.

    It is the upper right block of exp [[a, e], [0, a]], and its own derivatives are such blocks (R. Mathias, "A chain
    rule for matrix functions and applications", SIAM J. Matrix Anal. Appl. 17, 1996).
    """

    name, multiple, by_columns, linear = "matrix_exp_change", False, False, (1,)

    def shape(self, *inputs: Var) -> ShapeRule:
        a, e = inputs
        self.check_pair(a, e)
        return [(e.shape, e.dtype)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents) -> Tangents:
        (a, e), (ta, te) = inputs, tangents
        out = None if te is None else self(a, te)
        if ta is not None:
            # The second derivative is symmetric in its directions: ta is the one that it stays linear in.
            n = a.shape[-1]
            both = self(block_triangle(a, e), block_triangle(ta, zeros_like(ta)))
            out = add_any(out, part(part(both, -2, 0, n), -1, n, n))
        return [out]

    def transpose(self, cts: Tangents, inputs: Operands) -> Tangents:
        a = inputs[0]
        assert isinstance(a, Var)
        return [None, self(adjoint(a), only(cts))]


eigh, eig, svd = register(Eigh()), register(Eig()), register(SVD())
matrix_exp, matrix_exp_change = register(MatrixExp()), register(MatrixExpChange())
