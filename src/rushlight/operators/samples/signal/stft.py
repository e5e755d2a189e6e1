"""Samples of short-time Fourier transforms."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples


def _stft_reference(
    np: ModuleType,
    x: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: Any = None,
    return_complex: Any = None,
    align_to_window: Any = None,
) -> Any:
    hop, win = hop_length or n_fft // 4, win_length or n_fft
    low = (n_fft - win) // 2
    w = np.zeros(n_fft, np.float64 if window is None else window.dtype)
    w[low : low + win] = 1 if window is None else window
    sides = [(0, 0)] * (x.ndim - 1)
    if center:
        x = np.pad(
            x, [*sides, (n_fft // 2, n_fft // 2)], {"replicate": "edge", "circular": "wrap"}.get(pad_mode, pad_mode)
        )
    elif align_to_window:
        x = np.pad(x, [*sides, (low, n_fft - win - low)])
    starts = range(0, x.shape[-1] - n_fft + 1, hop)
    segments = np.stack([x[..., s : s + n_fft] * w for s in starts], -1)
    if onesided is None:
        onesided = not (np.iscomplexobj(x) or np.iscomplexobj(w))
    y = (np.fft.rfft if onesided else np.fft.fft)(segments, axis=-2, norm="ortho" if normalized else "backward")
    return y if return_complex is not False else np.stack([y.real, y.imag], -1)


@samples("stft", dtypes="float32 float64 complex float16", reference=_stft_reference)
def _stft(make: Make) -> Samples:
    given = {"return_complex": True}
    yield Sample(make((20,)), 8, window=make((8,), low=0.5), **given)
    yield Sample(make((2, 20)), 8, 3, 6, make((6,), low=0.5), **given)
    yield Sample(make((2, 20)), 7, 2, 5, make((5,)), False, **given)
    yield Sample(make((2, 20)), 7, 2, 5, make((5,)), False, align_to_window=True, **given)
    yield Sample(make((3, 12), noncontiguous=True), 4, window=make((4,)), normalized=True, pad_mode="constant", **given)
    yield Sample(make((2, 12)), 4, 4, window=make((4,)), pad_mode="circular", onesided=False, **given)
    yield Sample(make((12,)), 4, window=make((4,)), pad_mode="replicate", return_complex=False)
    w = make((8,), requires_grad=False)
    x = make((20,))
    if x.dtype.kind != "c":
        yield ErrorSample(
            RuntimeError,
            r"'return_complex' must be given for a real input \(True for a complex result, False for pairs of real "
            r"numbers\)",
            x,
            8,
            window=w,
        )
    yield ErrorSample(
        RuntimeError,
        "'input' must be of 1 dimension, or 2 with a batch; found 3",
        make((1, 1, 20)),
        8,
        window=w,
        **given,
    )
    yield ErrorSample(
        RuntimeError,
        r"'window' must be a vector of win_length=8 elements; found the shape \[7\]",
        x,
        8,
        window=make((7,)),
        **given,
    )
    yield ErrorSample(
        RuntimeError,
        r"'n_fft' must be in \[1, 20\], up to the length of the \(padded\) signal; found 30",
        x,
        30,
        window=make((30,)),
        center=False,
        **given,
    )
    yield ErrorSample(RuntimeError, "'hop_length' must be at least 1; found 0", x, 8, 0, window=w, **given)
    yield ErrorSample(
        RuntimeError, r"'win_length' must be in \[1, 8\], up to n_fft; found 9", x, 8, 2, 9, make((9,)), **given
    )
    yield ErrorSample(RuntimeError, "align_to_window", x, 8, window=w, align_to_window=True, **given)
    yield ErrorSample(RuntimeError, "onesided", x.to(dt.complex_of(x.dtype)), 8, window=w, onesided=True, **given)
    yield ErrorSample(
        RuntimeError,
        r"'input' must be of a float or complex dtype; found torch\.int64",
        make((20,), dtype=dt.int64),
        8,
        window=w,
        **given,
    )
    yield ErrorSample(
        NotImplementedError,
        r"stft\(\): 'pad_mode' must be 'constant', 'reflect', 'replicate' or 'circular'; found 'edge'",
        x,
        8,
        window=w,
        pad_mode="edge",
        **given,
    )
    yield ErrorSample(TypeError, "argument 'n_fft'", x, 8.0, window=w, **given)


@samples("istft", dtypes="complex", skip={"empty": "an empty input is an error"})
def _istft(make: Make) -> Samples:
    real = make.dtype.to_real()
    w = make((8,), low=0.5, dtype=real)
    yield Sample(make((5, 6)), 8, window=w)
    yield Sample(make((2, 5, 6)), 8, 3, 6, make((6,), low=0.5, dtype=real))
    yield Sample(make((2, 5, 6)), 8, 4, window=w, center=False, normalized=True)
    yield Sample(make((2, 8, 6)), 8, 3, window=w, onesided=False, length=10)
    yield Sample(make((8, 6)), 8, 3, window=make((8,), low=0.5), onesided=False, return_complex=True)
    x = make((5, 6))
    yield ErrorSample(RuntimeError, "'hop_length' must be in", x, 8, 0)
    yield ErrorSample(RuntimeError, "'win_length' must be in", x, 8, 2, 9)
    yield ErrorSample(
        RuntimeError,
        r"'input' must be complex, as stft\(\) gives it; found torch\.float32",
        make((5, 6), dtype=real),
        8,
        window=w,
    )
    yield ErrorSample(
        RuntimeError, "'input' must be of 2 dimensions, or 3 with a batch; found 4", make((1, 1, 5, 6)), 8, window=w
    )
    yield ErrorSample(RuntimeError, r"'input' must have elements; found the shape \[5, 0\]", make((5, 0)), 8, window=w)
    yield ErrorSample(
        RuntimeError,
        "'input' must have 8 frequencies, n_fft, for onesided=False; found 5",
        x,
        8,
        window=w,
        onesided=False,
    )
    yield ErrorSample(
        RuntimeError,
        r"'input' must have 6 frequencies, n_fft / 2 \+ 1, for onesided=True; found 5",
        x,
        10,
        window=make((10,), dtype=real),
    )
    yield ErrorSample(RuntimeError, r"'hop_length' must be in \[1, 8\], up to win_length; found 9", x, 8, 9, window=w)
    yield ErrorSample(
        RuntimeError, r"'win_length' must be in \[1, 8\], up to n_fft; found 9", x, 8, 2, 9, make((9,), dtype=real)
    )
    yield ErrorSample(
        RuntimeError,
        r"'window' must be a vector of win_length=8 elements; found the shape \[7\]",
        x,
        8,
        window=make((7,), dtype=real),
    )
    yield ErrorSample(RuntimeError, "a complex window needs return_complex=True; found False", x, 8, window=make((8,)))
    yield ErrorSample(RuntimeError, "onesided", x, 8, window=w, return_complex=True)
    yield ErrorSample(RuntimeError, "each sample must lie under a window", x, 8, 8, window=w * 0)
    yield ErrorSample(
        RuntimeError,
        "the result must have a sample; found length=0 for 18 samples of which 4 are padding",
        x,
        8,
        window=w,
        length=0,
    )
