"""Short-time Fourier transforms: spectra of overlapping windowed segments, and the signal back from them.

Source:
    Allen and Rabiner, "A unified approach to short-time Fourier analysis and synthesis", 1977; the inverse is the
    least-squares one of Griffin and Lim, "Signal estimation from modified short-time Fourier transform", 1984.
"""

from __future__ import annotations

from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.creation.placement import STANDS_FOR
from rushlight.operators.table.arguments import size_argument
from rushlight.operators.table.body import wide
from rushlight.operators.table.checks import check_argument, check_choice, check_kind, check_least
from rushlight.operators.table.define import METHODS, TABLE, eager, operator
from rushlight.operators.table.tracer import P, Tracer, align, convert, tracer
from rushlight.operators.table.types import Sizes
from rushlight.program.ir import Hole, Var
from rushlight.program.sym import hint, hints


# ------------------------------------------------------------------------------------------------------------- helpers
def _sizes(name: str, n_fft: Any, hop_length: Any, win_length: Any) -> tuple[Any, Any, Any]:
    """(n_fft, hop_length, win_length) with their defaults."""
    n = size_argument(n_fft, name, "n_fft")
    return (
        n,
        n // 4 if hop_length is None else size_argument(hop_length, name, "hop_length"),
        n if win_length is None else size_argument(win_length, name, "win_length"),
    )


def _check_window(name: str, window: Tensor | None, win_length: Any) -> None:
    if window is None:
        warn(
            f"{name}(): no window was given; a rectangular one is used, which leaks between frequencies. Give "
            "window=torch.ones(n_fft) to have "
            "it without this warning, or torch.hann_window(n_fft) for a better one.",
            once=f"{name} without a window",
        )
    elif window.ndim != 1 or window.shape[0] != win_length:
        raise RuntimeError(
            f"{name}(): 'window' must be a vector of win_length={hint(win_length)} elements; found the shape "
            f"{hints(window.shape)}"
        )


def _centered(window: Tensor, n_fft: Any, win_length: Any) -> Tensor:
    """The window with zeros on both sides, n_fft points."""
    low = (n_fft - win_length) // 2
    if win_length == n_fft:
        return window
    return P.pad(window, convert(0, window.dtype), low=(low,), high=(n_fft - win_length - low,), interior=(0,))


def _along(w: Tracer, x: Tracer, dim: int) -> Tracer:
    """A vector repeated to the shape of x, its elements along `dim`."""
    return P.broadcast_in_dim(w, shape=x.var.shape, dims=(dim,))


# ----------------------------------------------------------------------------------------------------------------- stft
@operator(out=False)
def stft(
    input: Tensor,
    n_fft: Sizes,
    hop_length: Sizes | None = None,
    win_length: Sizes | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """The short-time Fourier transform: the spectra of segments that start every hop_length samples.

    Args:
        input: (n) or (batch, n), real or complex.
        n_fft: the length of a segment.
        hop_length: default n_fft // 4.
        win_length: the length of the window, default n_fft; a shorter one stands in the middle of its segment.
        window: (win_length), default ones.
        center: segment t is centred at sample t * hop_length, the input being extended by n_fft // 2 in the way of
            pad_mode ("reflect", "constant", "replicate", "circular").
        normalized: divide by sqrt(n_fft).
        onesided: half the spectrum; default for real input and window.
        return_complex: needed for real input; False gives real and imaginary parts as a last dimension.
        align_to_window: without center, segment t's window (not its zeros) starts at sample t * hop_length.

    Returns:
        ([batch,] n_fft or n_fft // 2 + 1 frequencies, segments).

    Raises:
        RuntimeError: for sizes that do not fit, integer input, a onesided result of complex input.
    """
    n_fft, hop, win = _sizes("stft", n_fft, hop_length, win_length)
    _check_window("stft", window, win)
    check_kind("stft", "input", input, "fc")
    check_argument(input.ndim in (1, 2), "stft()", "input", "be of 1 dimension, or 2 with a batch", input.ndim)
    is_complex = input.dtype.kind == "c" or (window is not None and window.dtype.kind == "c")
    if return_complex is None:
        if not is_complex:
            raise RuntimeError(
                "stft(): 'return_complex' must be given for a real input (True for a complex result, False for pairs "
                "of real numbers); found "
                "None"
            )
        return_complex = True
    if not return_complex:
        warn(
            "stft(): return_complex=False is deprecated; write torch.view_as_real(torch.stft(..., "
            "return_complex=True))",
            once="stft of pairs",
        )
    if onesided is None:
        onesided = not is_complex
    elif onesided and is_complex:
        raise RuntimeError("stft(): 'onesided' is for a real input and window; found a complex one")
    if center and align_to_window is not None:
        raise RuntimeError("stft(): 'align_to_window' is for center=False; found center=True")
    check_choice("stft", "pad_mode", pad_mode, ("constant", "reflect", "replicate", "circular"), NotImplementedError)
    x: Tensor = wide(input)
    x = P.reshape(x, shape=(1, *x.var.shape)) if input.ndim == 1 else x
    if center:
        x = TABLE["nn.functional.pad"](x, (n_fft // 2, n_fft // 2), pad_mode)
    elif align_to_window:
        low = (n_fft - win) // 2
        x = TABLE["nn.functional.pad"](x, (low, n_fft - win - low))
    n = x.var.shape[1]
    if n_fft <= 0 or n_fft > n:
        raise RuntimeError(
            f"stft(): 'n_fft' must be in [1, {hint(n)}], up to the length of the (padded) signal; found {hint(n_fft)}"
        )
    check_least("stft", "hop_length", hop, 1)
    if win <= 0 or win > n_fft:
        raise RuntimeError(f"stft(): 'win_length' must be in [1, {hint(n_fft)}], up to n_fft; found {hint(win)}")
    # (batch, n_fft, segments): transformed along dim 1, the result lies in memory as it is returned.
    y = P.permute(P.windows(x, dims=(1,), sizes=(n_fft,), steps=(hop,), dilations=(1,)), perm=(0, 2, 1))
    if window is not None or win != n_fft:
        w = wide(window) if window is not None else P.broadcast_in_dim(convert(1, y.dtype), shape=(win,), dims=())
        y, w = align(y, P.reshape(_centered(w, n_fft, win), shape=(n_fft, 1)))
        y = y * w
    scale = int(bool(normalized))
    y = (
        P.rfft(y, dims=(1,), inverse=False, scale=scale)
        if onesided
        else P.fft(y, dims=(1,), inverse=False, scale=scale)
    )
    if input.ndim == 1:
        y = P.reshape(y, shape=y.var.shape[1:])
    if return_complex:
        return y
    parts = [P.reshape(p, shape=(*p.var.shape, 1)) for p in (P.real(y), P.imag(y))]
    return P.concatenate(*parts, dim=y.ndim)


# ---------------------------------------------------------------------------------------------------------------- istft
def _overlapped(x: Tracer, hop: Any) -> Tracer:
    """The sum of segments (batch, n, segments), segment t starting at t * hop: (batch, n + hop * (segments - 1))."""
    from rushlight import prims

    batch, n, count = x.var.shape
    length = n + hop * (count - 1)
    # Adding windows up is the transpose of taking them.
    (whole,) = prims.windows.transpose(
        [P.permute(x, perm=(0, 2, 1)).var],
        [Hole(Var((batch, length), x.dtype))],
        dims=(1,),
        sizes=(n,),
        steps=(hop,),
        dilations=(1,),
    )
    assert whole is not None  # the cotangent of the one operand
    return tracer(whole)


@operator(name="istft", register=False, out=False)
def _synthesis(
    input: Tensor,
    window: Tensor | None,
    n_fft: Sizes,
    hop: Sizes,
    win: Sizes,
    normalized: bool,
    onesided: bool,
    return_complex: bool,
) -> tuple[Tensor, Tensor]:
    """Overlapping sums of the inverse transforms times the window, and of the window's square (one row)."""
    x, scale = input, 1 if normalized else 2
    if return_complex:
        y = P.fft(x, dims=(1,), inverse=True, scale=scale)
    else:  # half the spectrum of a real signal determines it all
        batch, _, count = x.var.shape
        half = x if onesided else P.slice(x, starts=(0, 0, 0), sizes=(batch, n_fft // 2 + 1, count), steps=(1, 1, 1))
        y = P.irfft(half, dims=(1,), size=n_fft, inverse=True, scale=scale)
    w: Any = (
        wide(window) if window is not None else P.broadcast_in_dim(convert(1, x.dtype.to_real()), shape=(win,), dims=())
    )
    w = _centered(w, n_fft, win)
    a, b = align(y, P.reshape(w, shape=(n_fft, 1)))
    segments = P.broadcast_in_dim(w * w, shape=(1, n_fft, x.var.shape[2]), dims=(1,))
    return _overlapped(a * b, hop), _overlapped(segments, hop)


@eager()
def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The inverse of stft: the signal whose short-time Fourier transform is nearest to `input`.

    Args:
        input: complex, ([batch,] frequencies, segments).
        n_fft, hop_length, win_length, window, center, normalized, onesided: those of stft.
        length: cut, or fill with zeros, to that many samples.
        return_complex: of a complex signal (with onesided False).

    Returns:
        ([batch,] n).

    Raises:
        RuntimeError: for a real or empty input, sizes that do not fit, and windows that leave a sample uncovered.
    """
    n_fft, hop, win = _sizes("istft", n_fft, hop_length, win_length)
    check_argument(input.dtype.kind == "c", "istft()", "input", "be complex, as stft() gives it", input.dtype)
    check_argument(input.ndim in (2, 3), "istft()", "input", "be of 2 dimensions, or 3 with a batch", input.ndim)
    check_argument(0 not in input.shape, "istft()", "input", "have elements", lambda: f"the shape {list(input.shape)}")
    frequencies = input.shape[-2]
    if onesided is None:
        onesided = frequencies != n_fft
    want, which = (n_fft // 2 + 1, "n_fft / 2 + 1") if onesided else (n_fft, "n_fft")
    if frequencies != want:
        raise RuntimeError(
            f"istft(): 'input' must have {want} frequencies, {which}, for onesided={onesided}; found {frequencies}"
        )
    check_argument(0 < hop <= win, "istft()", "hop_length", lambda: f"be in [1, {win}], up to win_length", hop)
    if not 0 < win <= n_fft:
        raise RuntimeError(f"istft(): 'win_length' must be in [1, {hint(n_fft)}], up to n_fft; found {hint(win)}")
    _check_window("istft", window, win)
    if return_complex:
        if onesided:
            raise RuntimeError("istft(): a complex result needs onesided=False; found True")
    elif window is not None and window.dtype.kind == "c":
        raise RuntimeError("istft(): a complex window needs return_complex=True; found False")
    y, envelope = _synthesis(
        METHODS["unsqueeze"](input, 0) if input.ndim == 2 else input,
        window,
        n_fft,
        hop,
        win,
        bool(normalized),
        onesided,
        bool(return_complex),
    )
    start = n_fft // 2 if center else 0
    whole = y.shape[1]
    end = whole - start if length is None else min(whole, start + size_argument(length, "istft", "length"))
    if end <= start:
        raise RuntimeError(
            f"istft(): the result must have a sample; found length={length} for {whole} samples of which {start} are "
            "padding"
        )
    y, envelope = METHODS["narrow"](y, 1, start, end - start), METHODS["narrow"](envelope, 1, start, end - start)
    _check_covered(envelope)
    y = y / envelope
    if length is not None and end - start < length:
        warn(
            f"istft(): the signal has {end - start} samples, fewer than length={length}; the rest is zeros. Check "
            "center and hop_length.",
            UserWarning,
        )
        y = TABLE["nn.functional.pad"](y, (0, length - (end - start)))
    return METHODS["squeeze"](y, 0) if input.ndim == 2 else y


def _check_covered(envelope: Tensor) -> None:
    """RuntimeError where no window reaches a sample, which then cannot be known."""
    if envelope.is_meta or envelope._keys_ & STANDS_FOR:
        return
    least = METHODS["min"](METHODS["abs"](envelope.detach())).item()
    if not least > 1e-11:
        raise RuntimeError(
            "istft(): each sample must lie under a window; found one that none reaches (the least sum of squared "
            f"windows is {least:.3g}); use "
            "a smaller hop_length, or center=True for windows that begin with 0"
        )
