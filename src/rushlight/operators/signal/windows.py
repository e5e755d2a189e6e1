"""Windows: the weights that a spectrum's segments are multiplied with, under their two sets of names (signal.windows,
*_window).

All are computed in float64 and rounded once. A periodic window of n points is the symmetric one of n + 1 without its
last. Source of the formulas: Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform",
1978.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.operators.creation.placement import NEW, Options, place, raw_empty
from rushlight.operators.table.arguments import int_argument, undefined_for
from rushlight.operators.table.checks import check_least
from rushlight.operators.table.define import eager, operator
from rushlight.operators.table.tracer import P, Tracer, convert, default_dtype, expand_to
from rushlight.operators.table.types import Int, Number
from rushlight.program.ir import Builder


# ------------------------------------------------------------------------------------------------------------- formulas
def _at(n: Any, offset: Any) -> Tracer:
    """The numbers 0, 1, ..., n - 1 less an offset, float64."""
    k = P.iota(shape=(n,), dim=0, dtype=dt.float64)
    return k - _wide(offset, k)


def _wide(x: Any, like: Tracer) -> Tracer:
    return expand_to(convert(x, dt.float64), like.var.shape)


@operator(register=False)
def _cosine_sum(
    n: Int,
    last: Number,
    a0: Number,
    a1: Number | None,
    a2: Number | None,
    a3: Number | None,
    a4: Number | None,
    a5: Number | None,
    *,
    more: Any = (),
    dtype: dt.dtype,
) -> Tensor:
    """sum over i of (-1)^i a[i] cos(2 pi i k / last); a: a0, a1, ... up to the first None, then `more`."""
    k = _at(n, 0.0)
    angle = k / _wide(last, k) * _wide(2 * math.pi, k)
    total = _wide(a0, k)
    for i, c in enumerate([*(c for c in (a1, a2, a3, a4, a5) if c is not None), *more], 1):
        term = P.cos(angle * _wide(float(i), k)) * _wide(c, k)
        total = total - term if i % 2 else total + term
    return convert(total, dtype)


@operator(register=False)
def _half_sine(n: Int, count: Number, *, dtype: dt.dtype) -> Tensor:
    """sin(pi (k + 1 / 2) / count)."""
    k = _at(n, -0.5)
    return convert(P.sin(k / _wide(count, k) * _wide(math.pi, k)), dtype)


@operator(register=False)
def _two_sided(n: Int, center: Number, tau: Number, *, dtype: dt.dtype) -> Tensor:
    """exp(-|k - center| / tau)."""
    k = _at(n, center)
    return convert(P.exp(-P.abs(k) / _wide(tau, k)), dtype)


@operator(register=False)
def _bell(n: Int, center: Number, std: Number, *, dtype: dt.dtype) -> Tensor:
    """exp(-((k - center) / std)^2 / 2)."""
    k = _at(n, center)
    z = k / _wide(std, k)
    return convert(P.exp(z * z * _wide(-0.5, k)), dtype)


@operator(register=False)
def _triangle(n: Int, half: Number, *, dtype: dt.dtype) -> Tensor:
    """1 - |k - half| / half."""
    k = _at(n, half)
    return convert(_wide(1.0, k) - P.abs(k) / _wide(half, k), dtype)


@operator(register=False)
def _bessel(n: Int, half: Number, beta: Number, points: Int, *, dtype: dt.dtype) -> Tensor:
    """I0(beta sqrt(1 - ((k - half) / half)^2)) / I0(beta).

    I0(x) is the mean of exp(x cos t) over the half circle; the midpoint rule converges exponentially, so that a few
    dozen points are exact to rounding (Trefethen and Weideman, "The exponentially convergent trapezoidal rule", 2014).
    """
    k = _at(n, half)
    z = k / _wide(half, k)
    one = _wide(1.0, k)
    # (1 - z)(1 + z): no digits lost at the ends
    inside = P.sqrt(P.max((one - z) * (one + z), _wide(0.0, k)))
    t = _at(points, -0.5)
    c = P.cos(t / _wide(points, t) * _wide(math.pi, t))
    b = _wide(beta, t)
    below = P.reduce_sum(P.exp(b * c - b), dims=(0,))
    grid = (n, points)
    x = P.broadcast_in_dim(inside, shape=grid, dims=(0,)) * expand_to(convert(beta, dt.float64), grid)
    e = P.exp(x * P.broadcast_in_dim(c, shape=grid, dims=(1,)) - expand_to(convert(beta, dt.float64), grid))
    above = P.reduce_sum(e, dims=(1,))
    return convert(above / expand_to(below, k.var.shape), dtype)


# --------------------------------------------------------------------------------------------------------------- making
class _Order:
    """A window that was asked for: its arguments, checked."""

    def __init__(
        self,
        name: str,
        argument: str,
        m: Any,
        periodic: bool,
        new: Options,
        *,
        dtypes: tuple[dt.dtype, ...] | None = None,
        error: type[Exception] = ValueError,
    ) -> None:
        m = int_argument(m, name, argument, 1)
        check_least(name, argument, m, 0, error)
        d = default_dtype() if new.dtype is None else new.dtype
        if not isinstance(d, dt.dtype):
            raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type(d).__name__}")
        if new.layout is not None and new.layout is not dt.strided:
            raise error(f"{name}(): 'layout' must be torch.strided; found {new.layout}")
        if dtypes is not None and d not in dtypes:
            raise error(f"{name}(): 'dtype' must be float32 or float64; found {d}")
        if d.kind not in "fc":
            raise error(f"{name}(): 'dtype' must be floating point; found {d}")
        if d.kind == "c":
            raise undefined_for(name, d)
        self.name, self.m, self.dtype, self.new = name, m, d, new
        self.points = m + 1 if periodic else m  # of the symmetric window that this is the start of

    @property
    def half(self) -> float:
        """The middle of the symmetric window, counted from its first point."""
        return float((self.points - 1) / 2)

    def make(self, formula: Operator, *numbers: Any, **static: Any) -> Tensor:
        """Evaluate a formula; a window of one point is 1."""
        traced = Builder.active()
        if not traced and place(self.name, self.new.device).type != "cpu":
            t = raw_empty(self.name, (self.m,), self.dtype, self.new.device)
        elif self.m == 1:
            t = _cosine_sum(1, 1.0, *_terms((1.0,)), dtype=self.dtype)
        else:
            t = formula(self.m, *numbers, **static, dtype=self.dtype)
        return t if traced else self.new.finish(t)


def _signal(name: str, m: Any, options: tuple[Any, ...]) -> _Order:
    """A window of signal.windows."""
    sym, *others = options
    return _Order(name, "M", m, not sym, Options(*others), dtypes=(dt.float32, dt.float64))


def _named(name: str, m: Any, periodic: bool, options: tuple[Any, ...]) -> _Order:
    """A window of the package's own namespace."""
    new = Options(*options)
    if new.pin_memory:
        raise RuntimeError(f"{name}(): 'pin_memory' must be False where there is no accelerator; found True")
    return _Order(name, "window_length", m, periodic, new, error=RuntimeError)


def _cosines(order: _Order, a: tuple[float, ...]) -> Tensor:
    return order.make(_cosine_sum, float(order.points - 1), *_terms(a), more=a[6:])


def _terms(a: tuple[float, ...]) -> list[float | None]:
    return [*a[:6], *[None] * (6 - len(a))]


def _kaiser(order: _Order, beta: float) -> Tensor:
    # Beyond that many points the midpoint rule's error, I_2m(beta) / I_0(beta) ~ exp(-2 m^2 / beta), is below rounding.
    points = 20 + math.ceil(math.sqrt(18.5 * beta)) if beta < math.inf else 1
    return order.make(_bessel, order.half, float(beta), points)


_HANN, _HAMMING, _BLACKMAN = (0.5, 0.5), (0.54, 0.46), (0.42, 0.5, 0.08)
_NUTTALL = (0.3635819, 0.4891775, 0.1365995, 0.0106411)
_SIGNAL = {"sym": ("bool", True)} | {name: row for name, row in NEW.items() if name != "pin_memory"}
_windows: Callable[[Callable[..., Tensor]], Operator[Tensor]] = eager(
    namespace="signal.windows", method=False, options=_SIGNAL
)
_periodic: Callable[[Callable[..., Tensor]], Operator[Tensor]] = eager(method=False, options=NEW)


# ------------------------------------------------------------------------------------------------------- signal.windows
@_windows
def bartlett(M: Any, *options: Any) -> Tensor:
    """The Bartlett window, a triangle from 0 up to 1 and down to 0: w[k] = 1 - |2 k / (M - 1) - 1|.

    Args:
        M: the number of points, at least 0.
        sym: symmetric (for filters), or periodic (for spectra).
        dtype: float32 or float64.

    Raises:
        ValueError: for a negative M, another dtype or layout.
    """
    order = _signal("bartlett", M, options)
    return order.make(_triangle, order.half)


@_windows
def blackman(M: Any, *options: Any) -> Tensor:
    """The Blackman window: w[k] = 0.42 - 0.5 cos(t) + 0.08 cos(2 t), t = 2 pi k / (M - 1). Args, errors: as
    bartlett.
    """
    return _cosines(_signal("blackman", M, options), _BLACKMAN)


@_windows
def cosine(M: Any, *options: Any) -> Tensor:
    """The cosine window, half a period of a sine: w[k] = sin(pi (k + 1 / 2) / M). Args, errors: as bartlett."""
    order = _signal("cosine", M, options)
    return order.make(_half_sine, float(order.points))


@_windows
def exponential(M: Any, *options: Any, center: float | None = None, tau: float = 1.0) -> Tensor:
    """The exponential window: w[k] = exp(-|k - center| / tau). Otherwise, and errors, as bartlett.

    Args:
        center: default the middle; only for periodic windows.
        tau: the decay, > 0.
    """
    if tau <= 0:
        raise ValueError(f"exponential(): 'tau' must be greater than 0; found {tau}")
    if options[0] and center is not None:  # sym
        raise ValueError(f"exponential(): 'center' is for sym=False; found {center}")
    order = _signal("exponential", M, options)
    return order.make(_two_sided, order.half if center is None else float(center), float(tau))


@_windows
def gaussian(M: Any, *options: Any, std: float = 1.0) -> Tensor:
    """The Gaussian window: w[k] = exp(-((k - (M - 1) / 2) / std)^2 / 2). Otherwise, and errors, as bartlett.

    Args:
        std: > 0.
    """
    if std <= 0:
        raise ValueError(f"gaussian(): 'std' must be greater than 0; found {std}")
    order = _signal("gaussian", M, options)
    return order.make(_bell, order.half, float(std))


@_windows
def general_cosine(M: Any, *options: Any, a: Any) -> Tensor:
    """A sum of cosines: w[k] = sum over i of (-1)^i a[i] cos(2 pi i k / (M - 1)). Otherwise, and errors, as bartlett;
    TypeError for another kind of `a`.

    Args:
        a: list or tuple of numbers, not empty.
    """
    order = _signal("general_cosine", M, options)
    if not isinstance(a, (tuple, list)):
        raise TypeError(f"general_cosine(): 'a' must be coefficients in a list or tuple; found {type(a).__name__}")
    if not a:
        raise ValueError("general_cosine(): 'a' must hold at least one coefficient; found none")
    return _cosines(order, tuple(float(c) for c in a))


@_windows
def general_hamming(M: Any, *options: Any, alpha: float = 0.54) -> Tensor:
    """The general Hamming window: w[k] = alpha - (1 - alpha) cos(2 pi k / (M - 1)). Args, errors: as bartlett."""
    return _cosines(_signal("general_hamming", M, options), (float(alpha), 1.0 - float(alpha)))


@_windows
def hamming(M: Any, *options: Any) -> Tensor:
    """The Hamming window: w[k] = 0.54 - 0.46 cos(2 pi k / (M - 1)). Args, errors: as bartlett."""
    return _cosines(_signal("hamming", M, options), _HAMMING)


@_windows
def hann(M: Any, *options: Any) -> Tensor:
    """The Hann window: w[k] = (1 - cos(2 pi k / (M - 1))) / 2. Args, errors: as bartlett."""
    return _cosines(_signal("hann", M, options), _HANN)


@_windows
def kaiser(M: Any, *options: Any, beta: float = 12.0) -> Tensor:
    """The Kaiser window: w[k] = I0(beta sqrt(1 - (2 k / (M - 1) - 1)^2)) / I0(beta), I0 the modified Bessel function.
    Otherwise, and errors, as bartlett.

    Args:
        beta: >= 0; the greater, the lower the side lobes and the wider the main one.
    """
    if beta < 0:
        raise ValueError(f"kaiser(): 'beta' must be at least 0; found {beta}")
    return _kaiser(_signal("kaiser", M, options), beta)


@_windows
def nuttall(M: Any, *options: Any) -> Tensor:
    """Nuttall's four-term Blackman-Harris window of least side lobes. Args, errors: as bartlett.

    Source:
        Nuttall, "Some windows with very good sidelobe behavior", 1981.
    """
    return _cosines(_signal("nuttall", M, options), _NUTTALL)


# ---------------------------------------------------------------------------------------------- the package's own names
@_periodic
def bartlett_window(window_length: Any, periodic: bool = True, *options: Any) -> Tensor:
    """The Bartlett window, periodic by default; see signal.windows.bartlett.

    Args:
        window_length: the number of points.
        dtype: a real floating point dtype.

    Raises:
        RuntimeError: for a negative length, another dtype.
    """
    order = _named("bartlett_window", window_length, periodic, options)
    return order.make(_triangle, order.half)


@_periodic
def blackman_window(window_length: Any, periodic: bool = True, *options: Any) -> Tensor:
    """The Blackman window, periodic by default; see signal.windows.blackman. Args, errors: as
    bartlett_window.
    """
    return _cosines(_named("blackman_window", window_length, periodic, options), _BLACKMAN)


@_periodic
def hamming_window(
    window_length: Any, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *options: Any
) -> Tensor:
    """alpha - beta cos(2 pi k / n), periodic by default. Args, errors: as bartlett_window."""
    return _cosines(_named("hamming_window", window_length, periodic, options), (float(alpha), float(beta)))


@_periodic
def hann_window(window_length: Any, periodic: bool = True, *options: Any) -> Tensor:
    """The Hann window, periodic by default; see signal.windows.hann. Args, errors: as bartlett_window."""
    return _cosines(_named("hann_window", window_length, periodic, options), _HANN)


@_periodic
def kaiser_window(window_length: Any, periodic: bool = True, beta: float = 12.0, *options: Any) -> Tensor:
    """The Kaiser window, periodic by default; see signal.windows.kaiser. Args, errors: as
    bartlett_window.
    """
    order = _named("kaiser_window", window_length, periodic, options)
    if beta < 0:
        raise RuntimeError(f"kaiser_window(): 'beta' must be at least 0; found {beta}")
    return _kaiser(order, beta)
