# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._operators import digamma as _of_psi
from rushlight._operators import digamma as digamma
from rushlight._operators import erf as erf
from rushlight._operators import erfc as erfc
from rushlight._operators import erfinv as erfinv
from rushlight._operators import exp2 as exp2
from rushlight._operators import expm1 as expm1
from rushlight._operators import i0 as i0
from rushlight._operators import igamma as _of_gammainc
from rushlight._operators import igammac as _of_gammaincc
from rushlight._operators import lgamma as _of_gammaln
from rushlight._operators import log1p as log1p
from rushlight._operators import log_softmax as log_softmax
from rushlight._operators import logit as logit
from rushlight._operators import logsumexp as logsumexp
from rushlight._operators import mvlgamma as _of_multigammaln
from rushlight._operators import polygamma as polygamma
from rushlight._operators import round as round
from rushlight._operators import sigmoid as _of_expit
from rushlight._operators import sinc as sinc
from rushlight._operators import softmax as softmax
from rushlight._operators import xlogy as xlogy
from rushlight.special._operators import airy_ai as airy_ai
from rushlight.special._operators import bessel_j0 as bessel_j0
from rushlight.special._operators import bessel_j1 as bessel_j1
from rushlight.special._operators import bessel_y0 as bessel_y0
from rushlight.special._operators import bessel_y1 as bessel_y1
from rushlight.special._operators import beta as beta
from rushlight.special._operators import betainc as betainc
from rushlight.special._operators import betaincinv as betaincinv
from rushlight.special._operators import betaln as betaln
from rushlight.special._operators import chebyshev_polynomial_t as chebyshev_polynomial_t
from rushlight.special._operators import chebyshev_polynomial_u as chebyshev_polynomial_u
from rushlight.special._operators import chebyshev_polynomial_v as chebyshev_polynomial_v
from rushlight.special._operators import chebyshev_polynomial_w as chebyshev_polynomial_w
from rushlight.special._operators import ellipe as ellipe
from rushlight.special._operators import ellipeinc as ellipeinc
from rushlight.special._operators import ellipk as ellipk
from rushlight.special._operators import ellipkinc as ellipkinc
from rushlight.special._operators import ellipkm1 as ellipkm1
from rushlight.special._operators import entr as entr
from rushlight.special._operators import erfcx as erfcx
from rushlight.special._operators import gammainccinv as gammainccinv
from rushlight.special._operators import gammaincinv as gammaincinv
from rushlight.special._operators import hermite_polynomial_h as hermite_polynomial_h
from rushlight.special._operators import hermite_polynomial_he as hermite_polynomial_he
from rushlight.special._operators import hyp1f1 as hyp1f1
from rushlight.special._operators import hyp2f1 as hyp2f1
from rushlight.special._operators import i0e as i0e
from rushlight.special._operators import i1 as i1
from rushlight.special._operators import i1e as i1e
from rushlight.special._operators import iv as iv
from rushlight.special._operators import ive as ive
from rushlight.special._operators import jv as jv
from rushlight.special._operators import kv as kv
from rushlight.special._operators import kve as kve
from rushlight.special._operators import laguerre_polynomial_l as laguerre_polynomial_l
from rushlight.special._operators import lambertw as lambertw
from rushlight.special._operators import legendre_polynomial_p as legendre_polynomial_p
from rushlight.special._operators import log_ndtr as log_ndtr
from rushlight.special._operators import modified_bessel_i0 as modified_bessel_i0
from rushlight.special._operators import modified_bessel_i1 as modified_bessel_i1
from rushlight.special._operators import modified_bessel_k0 as modified_bessel_k0
from rushlight.special._operators import modified_bessel_k1 as modified_bessel_k1
from rushlight.special._operators import ndtr as ndtr
from rushlight.special._operators import ndtri as ndtri
from rushlight.special._operators import owens_t as owens_t
from rushlight.special._operators import scaled_modified_bessel_k0 as scaled_modified_bessel_k0
from rushlight.special._operators import scaled_modified_bessel_k1 as scaled_modified_bessel_k1
from rushlight.special._operators import shifted_chebyshev_polynomial_t as shifted_chebyshev_polynomial_t
from rushlight.special._operators import shifted_chebyshev_polynomial_u as shifted_chebyshev_polynomial_u
from rushlight.special._operators import shifted_chebyshev_polynomial_v as shifted_chebyshev_polynomial_v
from rushlight.special._operators import shifted_chebyshev_polynomial_w as shifted_chebyshev_polynomial_w
from rushlight.special._operators import spherical_bessel_j0 as spherical_bessel_j0
from rushlight.special._operators import voigt_profile as voigt_profile
from rushlight.special._operators import xlog1py as xlog1py
from rushlight.special._operators import yv as yv
from rushlight.special._operators import zeta as zeta

expit = _of_expit
gammainc = _of_gammainc
gammaincc = _of_gammaincc
gammaln = _of_gammaln
multigammaln = _of_multigammaln
psi = _of_psi
