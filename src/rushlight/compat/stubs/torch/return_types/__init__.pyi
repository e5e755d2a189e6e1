# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.return_types import (
    _lu_with_info as _lu_with_info, aminmax as aminmax, cummax as cummax, cummin as cummin, frexp as frexp, geqrf as geqrf,
    histogram as histogram, histogramdd as histogramdd, kthvalue as kthvalue, linalg_cholesky_ex as linalg_cholesky_ex,
    linalg_eig as linalg_eig, linalg_eigh as linalg_eigh, linalg_inv_ex as linalg_inv_ex, linalg_ldl_factor as linalg_ldl_factor,
    linalg_ldl_factor_ex as linalg_ldl_factor_ex, linalg_lstsq as linalg_lstsq, linalg_lu as linalg_lu,
    linalg_lu_factor as linalg_lu_factor, linalg_lu_factor_ex as linalg_lu_factor_ex, linalg_qr as linalg_qr,
    linalg_slogdet as linalg_slogdet, linalg_solve_ex as linalg_solve_ex, linalg_svd as linalg_svd, lu_unpack as lu_unpack,
    max as max, median as median, min as min, mode as mode, nanmedian as nanmedian, qr as qr, slogdet as slogdet, sort as sort,
    svd as svd, topk as topk, triangular_solve as triangular_solve,
)
