# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.errors import LinAlgError as LinAlgError
from rushlight.linalg._operators import (
    cholesky as cholesky, cholesky_ex as cholesky_ex, cond as cond, cross as cross, det as det, diagonal as diagonal, eig as eig,
    eigh as eigh, eigvals as eigvals, eigvalsh as eigvalsh, householder_product as householder_product, inv as inv,
    inv_ex as inv_ex, ldl_factor as ldl_factor, ldl_factor_ex as ldl_factor_ex, ldl_solve as ldl_solve, lstsq as lstsq, lu as lu,
    lu_factor as lu_factor, lu_factor_ex as lu_factor_ex, lu_solve as lu_solve, matmul as matmul, matrix_exp as matrix_exp,
    matrix_norm as matrix_norm, matrix_power as matrix_power, matrix_rank as matrix_rank, multi_dot as multi_dot, norm as norm,
    pinv as pinv, qr as qr, slogdet as slogdet, solve as solve, solve_ex as solve_ex, solve_triangular as solve_triangular,
    svd as svd, svdvals as svdvals, tensorinv as tensorinv, tensorsolve as tensorsolve, vander as vander, vecdot as vecdot,
    vector_norm as vector_norm,
)
