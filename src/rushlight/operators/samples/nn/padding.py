"""Samples of padding, sliding blocks and rearrangements."""

from __future__ import annotations

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples


@samples("nn.functional.pad", dtypes="float complex int64")
def _pad(make: Make) -> Samples:
    yield Sample(make((2, 3, 4)), (1, 2))
    yield Sample(make((2, 3, 4)), (1, 2, -1, 1), value=2)
    yield Sample(make((3,)), (0, 0))
    yield ErrorSample(TypeError, "argument 'pad' .* must be int or tuple of ints", make((3,)), (1, None))
    for mode in ("reflect", "replicate", "circular"):
        yield Sample(make((2, 3, 4)), (1, 2), mode=mode)
        yield Sample(make((2, 3, 4, 5)), (1, 2, 3, 0), mode=mode)
    yield ErrorSample(
        RuntimeError,
        r"mode 'reflect' needs widths less than the size, 4 in dimension 2; found \(5, 0\)",
        make((2, 3, 4)),
        (5, 0),
        mode="reflect",
    )
    yield ErrorSample(
        NotImplementedError,
        "'mode' must be 'constant', 'reflect', 'replicate' or 'circular'; found 'mirror'",
        make((2, 3, 4)),
        (1, 0),
        mode="mirror",
    )
    yield ErrorSample(ValueError, "'value' is for mode='constant'", make((1, 2, 4)), (1, 1), "reflect", 1.0)


@samples("nn.functional.unfold", dtypes="float complex")
def _unfold(make: Make) -> Samples:
    yield Sample(make((2, 3, 6, 7)), (2, 3))
    yield Sample(make((2, 3, 6, 7)), 3, dilation=2, padding=1, stride=2)
    yield Sample(make((3, 6, 7)), 2)
    yield ErrorSample(RuntimeError, "the image must have room for a block", make((2, 3, 2, 2)), 3)


@samples("nn.functional.fold", dtypes="float complex")
def _fold(make: Make) -> Samples:
    yield Sample(make((2, 12, 12)), (4, 5), 2)
    yield Sample(make((2, 12, 4)), (4, 5), 2, stride=2)
    yield Sample(make((12, 30)), (4, 5), 2, padding=1)
    yield ErrorSample(
        RuntimeError,
        r"'input' must have 3 \* 4 blocks for output_size=\[4, 5\], stride=\[1, 1\], padding=\[0, 0\], dilation=\[1, "
        r"1\] and kernel_size=\[2, 2\]",
        make((2, 12, 3)),
        (4, 5),
        2,
    )


@samples("nn.functional.pixel_shuffle", dtypes="float int64")
def _pixel_shuffle(make: Make) -> Samples:
    yield Sample(make((2, 8, 3, 4)), 2)
    yield ErrorSample(
        RuntimeError, r"the channels must be a multiple of upscale_factor \*\* 2, 4; found 6", make((2, 6, 3, 4)), 2
    )


@samples("nn.functional.pixel_unshuffle", dtypes="float int64")
def _pixel_unshuffle(make: Make) -> Samples:
    yield Sample(make((2, 3, 4, 6)), 2)
    yield ErrorSample(
        RuntimeError, "the height must be a multiple of downscale_factor=2; found 3", make((2, 3, 3, 6)), 2
    )


@samples("nn.functional.channel_shuffle", dtypes="float int64")
def _channel_shuffle(make: Make) -> Samples:
    yield Sample(make((2, 6, 3)), 3)
    yield ErrorSample(RuntimeError, "'groups' must divide the number of channels, 6; found 4", make((2, 6, 3)), 4)


@samples("constant_pad_nd", dtypes="float32 float64 complex64 int64 bool")
def _constant_pad_nd(make: Make) -> Samples:
    yield Sample(make((3, 4)), (1, 2))
    yield Sample(make((3, 4)), (1, 2, 0, 1), 1)
    if make.dtype.kind == "c":
        yield Sample(make((3, 4)), (1, 2), 1.5 - 2j)
    else:
        yield ErrorSample(RuntimeError, "real number", make((3,)), (1, 2), 2j)


refused(
    "nn.functional.pixel_shuffle",
    RuntimeError,
    "'upscale_factor' must be at least 1",
    lambda make: (make((1, 4, 2, 2)), 0),
)
refused(
    "nn.functional.channel_shuffle", RuntimeError, "'groups' must be at least 1", lambda make: (make((1, 4, 2, 2)), 0)
)
refused("nn.functional.unfold", RuntimeError, "'kernel_size' must be at least 1", lambda make: (make((1, 1, 4, 4)), 0))
