"""Samples of the primitives of linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight import prims as p
from rushlight.core import dtypes as dt
from rushlight.prims.lapack_base import adjoint, diagonal_matrix, hermitian_part, mm, real_of
from rushlight.program.ir import Var

Array = Any


def _array(name: str, shape: tuple[int, ...], kind: str = "r") -> Array:
    r = np.random.default_rng(sum(map(ord, name)))
    x = r.uniform(-1, 1, shape)
    return x + 1j * r.uniform(-1, 1, shape) if kind == "c" else x


def _scale(x: Var, apart: bool = True) -> Var:
    """A diagonal matrix, its elements apart, to be added to a sample."""
    d = p.convert(p.iota(shape=x.shape[:-1], dim=x.ndim - 2, dtype=dt.int64), dtype=x.dtype)
    step = p.full(d.shape, 6.0 if apart else 0.0, x.dtype)
    return diagonal_matrix(p.add(p.mul(d, step), p.full(d.shape, 4.0, x.dtype)))


def _spread(x: Var) -> Var:
    return p.add(x, _scale(x))


def _positive(x: Var) -> Var:
    return p.add(mm(x, adjoint(x)), _scale(x, False))


def _sizes(x: Var) -> Var:
    return p.abs(x) if x.dtype.kind == "c" else x


def _cholesky(upper: bool) -> Any:
    return lambda x: p.cholesky(_positive(x), upper=upper, check="")


def _lu(x: Var) -> Any:
    return p.lu(x, check="")


def _solve(adjoint: bool) -> Any:
    def fn(x: Var, b: Var) -> Var:
        packed, pivots, _ = p.lu(x, check="")
        return p.lu_solve(packed, pivots, b, adjoint=adjoint, check="")

    return fn


def _steps(x: Var) -> Var:
    """x rounded to whole numbers: the derivative by the factors is not there to be compared."""
    if x.dtype.kind == "c":
        return p.complex(_steps(p.real(x)), _steps(p.imag(x)))
    return p.convert(p.convert(p.mul(x, p.full(x.shape, 4.0, x.dtype)), dtype=dt.int64), dtype=x.dtype)


def _ldl(hermitian: bool, solve: bool) -> Any:
    def fn(x: Var, *b: Var) -> Any:
        x = _steps(x)
        part = (
            hermitian_part(x)
            if hermitian
            else p.add(x, p.permute(x, perm=(*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)))
        )
        ld, pivots, info = p.ldl(p.add(part, mm(_scale(x), _scale(x))), hermitian=hermitian, check="")
        return p.ldl_solve(ld, pivots, b[0], hermitian=hermitian, check="") if solve else (ld, pivots, info)

    return fn


def _eigh(upper: bool) -> Any:
    def fn(x: Var) -> Any:
        w, v, _ = p.eigh(p.add(hermitian_part(x), _scale(x)), upper=upper, check="")
        return w, _sizes(v)

    return fn


def _eig(x: Var) -> Any:
    w, v, _ = p.eig(_spread(x), check="")
    return w, p.abs(v)


def _svd(full: bool) -> Any:
    def fn(x: Var) -> Any:
        u, s, vh, _ = p.svd(x, full=full, check="")
        return _sizes(u), s, _sizes(vh)

    return fn


def _lstsq(a: Var, b: Var) -> Any:
    return p.lstsq(a, b, p.full(a.shape[:-2], 1e-10, dt.float64), driver=2, check="")


def _phases(x: Var, v: Var) -> Any:
    return p.phases(x, v, name="f")


def matrices(sample: Any) -> list[Any]:
    """The samples, made by the class that is given."""
    out = []
    for kind in "rc":
        a, wide, tall = _array("a", (3, 3), kind), _array("w", (2, 3, 4), kind), _array("t", (4, 3), kind)
        many, b = _array("m", (2, 3, 3), kind), _array("b", (3, 2), kind)
        for upper in (False, True):
            out.append(sample("cholesky", _cholesky(upper), [many]))
            for unit in (False, True):
                solve = lambda x, y, up=upper, one=unit: p.triangular_solve(_spread(x), y, upper=up, unit=one, check="")
                out.append(sample("triangular_solve", solve, [a, b]))
            out.append(sample("lu_solve", _solve(upper), [a, b]))
            out.append(sample("eigh", _eigh(upper), [many]))
        for x in (a, wide, tall):
            out.append(sample("lu", _lu, [x]))
            out.append(sample("qr", lambda x: p.qr(x, complete=False), [x]))
            out.append(sample("svd", _svd(False), [x]))
            out.append(sample("geqrf", lambda x: p.geqrf(x), [x], smooth=False))
        out.append(sample("qr", lambda x: p.qr(x, complete=True), [tall], smooth=False))
        out.append(sample("svd", _svd(True), [tall], smooth=False))
        out.append(sample("eig", _eig, [a]))
        out.append(sample("ldl", _ldl(False, False), [a], smooth=False))
        out.append(sample("ldl", _ldl(True, False), [many], smooth=False))
        out.append(sample("ldl_solve", _ldl(False, True), [a, b]))
        out.append(sample("ldl_solve", _ldl(True, True), [many, _array("b", (2, 3, 2), kind)]))
        out.append(sample("lstsq", _lstsq, [tall, _array("b", (4, 2), kind)], smooth=False))
        out.append(sample("matrix_exp", p.matrix_exp, [many]))
        out.append(sample("matrix_exp_change", p.matrix_exp_change, [a, _array("e", (3, 3), kind)]))
        out.append(sample("phases", _phases, [a, _array("v", (3, 3), kind)], smooth=False))
        out.append(
            sample(
                "phase_check", lambda g, v: p.phase_check(g, v, name="f"), [a, _array("v", (3, 3), kind)], smooth=False
            )
        )
        out.append(sample("refuse", lambda x: p.refuse(real_of(x), shape=(2,), message="no"), [a], smooth=False))
    out.append(
        sample(
            "pivots_to_permutation",
            lambda x: p.pivots_to_permutation(x, rows=4, check=""),
            [np.array([[2, 4, 3], [1, 2, 4]], np.int32)],
            batched=(False,),
        )
    )
    return out
