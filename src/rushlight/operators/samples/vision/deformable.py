"""Samples of convolution at places that other tensors say."""

from __future__ import annotations

from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples


def _at(plane: Any, y: float, x: float, np: Any) -> float:
    i, j = int(np.floor(y)), int(np.floor(x))
    total = 0.0
    for row, wy in ((i, 1 - (y - i)), (i + 1, y - i)):
        for column, wx in ((j, 1 - (x - j)), (j + 1, x - j)):
            if 0 <= row < plane.shape[0] and 0 <= column < plane.shape[1]:
                total += wy * wx * plane[row, column]
    return total


def _convolved(np: Any, input: Any, weight: Any, offset: Any, mask: Any, bias: Any, *rest: Any) -> Any:
    sh, sw, ph, pw, dh, dw, groups, own, use_mask = rest
    n, channels = input.shape[:2]
    outs, inner, kh, kw = weight.shape
    oh, ow = offset.shape[2:]
    out = np.zeros((n, outs, oh, ow)) + bias[:, None, None]
    for b, o, c, y, x, i, j in np.ndindex(n, outs, inner, oh, ow, kh, kw):
        channel = o // (outs // groups) * inner + c
        tap = (channel // (channels // own) * kh + i) * kw + j
        row = y * sh - ph + i * dh + offset[b, 2 * tap, y, x]
        column = x * sw - pw + j * dw + offset[b, 2 * tap + 1, y, x]
        value = weight[o, c, i, j] * _at(input[b, channel], row, column, np)
        out[b, o, y, x] += value * (mask[b, tap, y, x] if use_mask else 1.0)
    return out


def _call(
    make: Make, step: int, pad: int, gap: int, groups: int, own: int, use_mask: bool, n: int = 2, size: int = 5
) -> list[Any]:
    rows, columns = ((size + more + 2 * pad - gap * (k - 1) - 1) // step + 1 for more, k in ((0, 3), (1, 2)))
    return [
        make((n, 4, size, size + 1)),
        make((4, 4 // groups, 3, 2)),
        make((n, 2 * own * 6, rows, columns), low=0.1, high=0.9),
        make((n, own * 6, rows, columns) if use_mask else (n, 1), requires_grad=use_mask),
        make((4,)),
        *(step, step, pad, pad, gap, gap, groups, own, use_mask),
    ]


@samples(
    "ops.torchvision.deform_conv2d", reference=_convolved, tolerance=16.0, skip={"empty": "an image must have pixels"}
)
def _(make: Make) -> Samples:
    yield Sample(*_call(make, 1, 1, 1, 1, 1, True))
    yield Sample(*_call(make, 2, 0, 1, 2, 1, False))
    yield Sample(*_call(make, 1, 2, 2, 1, 2, True, 1, 4))
    yield Sample(*_call(make, 2, 1, 1, 4, 4, True, 1))
    good = _call(make, 1, 1, 1, 1, 1, True)

    def but(place: int, value: Any) -> list[Any]:
        return [*good[:place], value, *good[place + 1 :]]

    yield ErrorSample(RuntimeError, "'weight' must be of 4 dimensions", *but(1, make((4, 4, 3))))
    yield ErrorSample(RuntimeError, "the channels of 'input' must be those of 'weight'", *but(1, make((4, 3, 3, 2))))
    yield ErrorSample(RuntimeError, "'offset' must be of the shape", *but(2, make((2, 6, 5, 7))))
    yield ErrorSample(RuntimeError, r"conv2d\(\): 'mask' must be of the shape", *but(3, make((2, 6, 5, 6))))
    yield ErrorSample(RuntimeError, r"mask.shape\[1\] is not valid: 'mask' must be", *but(3, make((2, 5, 5, 7))))
    half = make((2, 5, 5, 7)).half()  # (what shapes are is said before what dtypes are)
    yield ErrorSample(RuntimeError, r"mask.shape\[1\] is not valid: 'mask' must be", *but(3, half))
    yield ErrorSample(RuntimeError, "all tensors must be of one dtype", *but(3, make((2, 6, 5, 7)).half()))
    yield ErrorSample(RuntimeError, r"'bias' must be of the shape \[4\]", *but(4, make((3,))))
    yield ErrorSample(RuntimeError, "'stride' must be at least 1", *but(5, 0))
    yield ErrorSample(RuntimeError, "'groups and offset_groups' must be at least 1", *but(11, 0))
    yield ErrorSample(RuntimeError, "all tensors must be of one dtype", *but(4, make((4,)).double()))
    yield ErrorSample(NotImplementedError, "not (implemented|defined) for", *[x.long() for x in good[:5]], *good[5:])
