# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._operators import (
    digamma as digamma, erf as erf, erfc as erfc, erfinv as erfinv, exp2 as exp2, sigmoid as _of_expit, expm1 as expm1,
    igamma as _of_gammainc, igammac as _of_gammaincc, lgamma as _of_gammaln, i0 as i0, log1p as log1p, log_softmax as log_softmax,
    logit as logit, logsumexp as logsumexp, mvlgamma as _of_multigammaln, polygamma as polygamma, digamma as _of_psi,
    round as round, sinc as sinc, softmax as softmax, xlogy as xlogy,
)
from rushlight.special._operators import (
    airy_ai as airy_ai, bessel_j0 as bessel_j0, bessel_j1 as bessel_j1, bessel_y0 as bessel_y0, bessel_y1 as bessel_y1,
    beta as beta, betainc as betainc, betaincinv as betaincinv, betaln as betaln,
    chebyshev_polynomial_t as chebyshev_polynomial_t, chebyshev_polynomial_u as chebyshev_polynomial_u,
    chebyshev_polynomial_v as chebyshev_polynomial_v, chebyshev_polynomial_w as chebyshev_polynomial_w, ellipe as ellipe,
    ellipeinc as ellipeinc, ellipk as ellipk, ellipkinc as ellipkinc, ellipkm1 as ellipkm1, entr as entr, erfcx as erfcx,
    gammainccinv as gammainccinv, gammaincinv as gammaincinv, hermite_polynomial_h as hermite_polynomial_h,
    hermite_polynomial_he as hermite_polynomial_he, hyp1f1 as hyp1f1, hyp2f1 as hyp2f1, i0e as i0e, i1 as i1, i1e as i1e,
    iv as iv, ive as ive, jv as jv, kv as kv, kve as kve, laguerre_polynomial_l as laguerre_polynomial_l, lambertw as lambertw,
    legendre_polynomial_p as legendre_polynomial_p, log_ndtr as log_ndtr, modified_bessel_i0 as modified_bessel_i0,
    modified_bessel_i1 as modified_bessel_i1, modified_bessel_k0 as modified_bessel_k0, modified_bessel_k1 as modified_bessel_k1,
    ndtr as ndtr, ndtri as ndtri, owens_t as owens_t, scaled_modified_bessel_k0 as scaled_modified_bessel_k0,
    scaled_modified_bessel_k1 as scaled_modified_bessel_k1, shifted_chebyshev_polynomial_t as shifted_chebyshev_polynomial_t,
    shifted_chebyshev_polynomial_u as shifted_chebyshev_polynomial_u,
    shifted_chebyshev_polynomial_v as shifted_chebyshev_polynomial_v,
    shifted_chebyshev_polynomial_w as shifted_chebyshev_polynomial_w, spherical_bessel_j0 as spherical_bessel_j0,
    voigt_profile as voigt_profile, xlog1py as xlog1py, yv as yv, zeta as zeta,
)

expit = _of_expit
gammainc = _of_gammainc
gammaincc = _of_gammaincc
gammaln = _of_gammaln
multigammaln = _of_multigammaln
psi = _of_psi
