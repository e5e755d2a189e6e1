"""How the matrices of linear algebra's results lie in memory: as PyTorch's do, column by column where LAPACK makes
them.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

CASES: dict[str, Callable[..., Any]] = {
    "qr": lambda M, a, s, p, b: M.linalg.qr(a),
    "qr complete": lambda M, a, s, p, b: M.linalg.qr(a, mode="complete"),
    "torch.qr": lambda M, a, s, p, b: M.qr(a),
    "geqrf": lambda M, a, s, p, b: M.geqrf(a),
    "eigh": lambda M, a, s, p, b: M.linalg.eigh(p),
    "eig": lambda M, a, s, p, b: M.linalg.eig(s),
    "svd": lambda M, a, s, p, b: M.linalg.svd(a),
    "svd reduced": lambda M, a, s, p, b: M.linalg.svd(a, full_matrices=False),
    "torch.svd": lambda M, a, s, p, b: M.svd(a),
    "solve": lambda M, a, s, p, b: M.linalg.solve(s, b),
    "solve right": lambda M, a, s, p, b: M.linalg.solve(s, b.mT, left=False),
    "inv": lambda M, a, s, p, b: M.linalg.inv(s),
    "inv_ex": lambda M, a, s, p, b: M.linalg.inv_ex(s),
    "inverse": lambda M, a, s, p, b: M.inverse(s),
    "cholesky": lambda M, a, s, p, b: M.linalg.cholesky(p),
    "cholesky upper": lambda M, a, s, p, b: M.linalg.cholesky(p, upper=True),
    "cholesky_ex": lambda M, a, s, p, b: M.linalg.cholesky_ex(p),
    "torch.cholesky": lambda M, a, s, p, b: M.cholesky(p),
    "lu": lambda M, a, s, p, b: M.linalg.lu(a),
    "lu_factor": lambda M, a, s, p, b: M.linalg.lu_factor(a),
    "lu_factor_ex": lambda M, a, s, p, b: M.linalg.lu_factor_ex(a),
    "lu_solve": lambda M, a, s, p, b: M.linalg.lu_solve(*M.linalg.lu_factor(s), b),
    "lu_unpack": lambda M, a, s, p, b: M.lu_unpack(*M.linalg.lu_factor(a)),
    "solve_triangular": lambda M, a, s, p, b: M.linalg.solve_triangular(s, b, upper=True),
    "cholesky_solve": lambda M, a, s, p, b: M.cholesky_solve(b, M.linalg.cholesky(p)),
    "cholesky_inverse": lambda M, a, s, p, b: M.cholesky_inverse(M.linalg.cholesky(p)),
    "pinv": lambda M, a, s, p, b: M.linalg.pinv(a),
    "matrix_exp": lambda M, a, s, p, b: M.linalg.matrix_exp(s),
    "matrix_power": lambda M, a, s, p, b: M.linalg.matrix_power(s, 3),
    "matrix_power negative": lambda M, a, s, p, b: M.linalg.matrix_power(s, -1),
    "ldl_factor": lambda M, a, s, p, b: M.linalg.ldl_factor(p),
    "ldl_solve": lambda M, a, s, p, b: M.linalg.ldl_solve(*M.linalg.ldl_factor(p), b),
    "svdvals": lambda M, a, s, p, b: M.linalg.svdvals(a),
    "householder_product": lambda M, a, s, p, b: M.linalg.householder_product(a, s[..., 0, :3]),
    "lstsq": lambda M, a, s, p, b: M.linalg.lstsq(a, a).solution,
    "ormqr": lambda M, a, s, p, b: M.ormqr(a, s[..., 0, :3], a),
    "solve_triangular right": lambda M, a, s, p, b: M.linalg.solve_triangular(s, b.mT, upper=True, left=False),
    "qr mode r": lambda M, a, s, p, b: M.linalg.qr(a, mode="r").R,
    "triangular_solve": lambda M, a, s, p, b: M.triangular_solve(b, s),
    "qr of a wide one": lambda M, a, s, p, b: M.linalg.qr(a.mT, mode="r").R,
}
# Results that are parts, copies or products here; the list may only shrink.
ROWS = {"lstsq"}


@pytest.mark.parametrize("lead", [(), (2,), (2, 3)])
@pytest.mark.parametrize("name", CASES)
def test_strides(name: str, lead: tuple[int, ...]) -> None:
    def strides(M: Any, *given: Any) -> list[tuple[int, ...]]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = CASES[name](M, *given)
        return [tuple(t.stride()) for t in (found if isinstance(found, tuple) else (found,))]

    a = torch.randn(*lead, 4, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(math.prod(lead)))
    s = a[..., :3, :] + 3 * torch.eye(3, dtype=torch.float64)
    given = [a, s, s @ s.mT + torch.eye(3, dtype=torch.float64), torch.ones(*lead, 3, 2, dtype=torch.float64)]
    ours = strides(rushlight, *(rushlight.tensor(t.tolist(), dtype=rushlight.float64) for t in given))
    theirs = strides(torch, *given)
    assert (ours == theirs) == (name not in ROWS)


def test_destinations_keep_their_order() -> None:
    p = rushlight.eye(3) * 2
    out = rushlight.empty(3, 3)
    assert rushlight.linalg.inv(p, out=out) is out and out.stride() == (3, 1) and out[0, 0].item() == 0.5
