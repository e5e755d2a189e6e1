"""Samples of resampling."""

from __future__ import annotations

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples


@samples("nn.functional.interpolate", dtypes="float32 float64", tolerance=16.0)
def _interpolate(make: Make) -> Samples:
    for mode in ("nearest", "nearest-exact", "linear", "area"):
        yield Sample(make((2, 3, 5)), size=7, mode=mode)
        yield Sample(make((2, 3, 5)), scale_factor=2, mode=mode)
    yield ErrorSample(ValueError, "one for each of the 0 spatial dimensions", make((3, 4)), size=(3,))
    yield ErrorSample(ValueError, "one for each of the 4 spatial dimensions", make((1, 1, 2, 2, 2, 2)), size=(3, 3, 3))
    for mode in ("bilinear", "bicubic"):
        yield Sample(make((2, 3, 5, 6)), size=(7, 3), mode=mode)
        yield Sample(make((2, 3, 5, 6)), scale_factor=2, mode=mode, align_corners=True)
        yield Sample(make((2, 3, 9, 8)), size=(4, 5), mode=mode, antialias=True)
    yield Sample(make((2, 3, 9, 8)), size=(4, 5), mode="lanczos", antialias=True)
    yield Sample(make((1, 2, 3, 4)), size=(5, 4), mode="lanczos", antialias=True)
    yield ErrorSample(
        ValueError,
        "mode='lanczos' is with antialias=True and align_corners=False",
        make((2, 3, 4, 5)),
        size=3,
        mode="lanczos",
    )
    yield Sample(make((1, 2, 3, 4, 2)), size=(2, 5, 3), mode="trilinear")
    yield ErrorSample(ValueError, "'size' or 'scale_factor' must be given; found neither", make((2, 3, 5)))
    yield ErrorSample(
        NotImplementedError,
        "'mode' must be 'nearest', 'nearest-exact', 'linear', 'bilinear', 'bicubic', 'trilinear', 'lanczos' or 'area'",
        make((2, 3, 5)),
        size=3,
        mode="gaussian",
    )


@samples("nn.functional.grid_sample", dtypes="float32 float64", tolerance=64.0)
def _grid_sample(make: Make) -> Samples:
    for mode in ("bilinear", "nearest", "bicubic"):
        for padding_mode in ("zeros", "border", "reflection"):
            yield Sample(make((2, 3, 5, 6)), make((2, 4, 3, 2), low=-1.4, high=1.4), mode, padding_mode, False)
    yield Sample(make((1, 2, 3, 4, 5)), make((1, 2, 3, 2, 3), low=-1, high=1), align_corners=True)
    yield ErrorSample(
        RuntimeError, "'grid' must have the batch size of 'input', 2; found 1", make((2, 3, 5, 6)), make((1, 4, 3, 2))
    )


@samples("grid_sampler", dtypes="float32 float64", tolerance=64.0)
def _grid_sampler(make: Make) -> Samples:
    yield Sample(make((2, 3, 5, 6)), make((2, 4, 3, 2), low=-1.4, high=1.4), 0, 1, False)
    yield Sample(make((1, 2, 3, 4, 5)), make((1, 2, 3, 2, 3), low=-1, high=1), 0, 2, True)
    yield ErrorSample(
        ValueError,
        r"'interpolation_mode' must be in \[0, 2\] \(bilinear, nearest, bicubic\); found 3",
        make((2, 3, 5, 6)),
        make((2, 4, 3, 2)),
        3,
        0,
        False,
    )


@samples("grid_sampler_2d", dtypes="float32 float64", tolerance=64.0)
def _grid_sampler_2d(make: Make) -> Samples:
    for mode in (0, 1, 2):
        yield Sample(make((2, 3, 5, 6)), make((2, 4, 3, 2), low=-1.4, high=1.4), mode, mode, bool(mode))
    yield ErrorSample(RuntimeError, "4 dimensions", make((1, 2, 3, 4, 5)), make((1, 2, 3, 2, 3)), 0, 0, False)


@samples("grid_sampler_3d", dtypes="float32 float64", tolerance=64.0)
def _grid_sampler_3d(make: Make) -> Samples:
    for mode in (0, 1):
        yield Sample(make((1, 2, 3, 4, 5)), make((1, 2, 3, 2, 3), low=-1.2, high=1.2), mode, 2 * mode, False)
    yield ErrorSample(RuntimeError, "5 dimensions", make((2, 3, 5, 6)), make((2, 4, 3, 2)), 0, 0, False)


@samples("nn.functional.affine_grid", dtypes="float32 float64", tolerance=8.0)
def _affine_grid(make: Make) -> Samples:
    yield Sample(make((2, 2, 3)), (2, 3, 4, 5), align_corners=False)
    yield Sample(make((2, 3, 4)), (2, 3, 4, 5, 1), align_corners=True)
    yield ErrorSample(
        ValueError,
        r"'theta' must have the shape \(N, 2, 3\) for size=\[2, 3, 4, 5\]; found \[2, 3, 3\]",
        make((2, 3, 3)),
        (2, 3, 4, 5),
    )


@samples("affine_grid_generator", dtypes="float32 float64", tolerance=8.0)
def _affine_grid_generator(make: Make) -> Samples:
    yield Sample(make((2, 2, 3)), (2, 3, 4, 5), False)
    yield Sample(make((2, 3, 4)), (2, 3, 4, 5, 1), True)


refused(
    "nn.functional.affine_grid", ValueError, "'size' must be at least 1", lambda make: (make((1, 2, 3)), (1, 1, 0, 2))
)
refused(
    "nn.functional.interpolate",
    RuntimeError,
    "'scale_factor' must be finite",
    lambda make: (make((1, 1, 4)),),
    scale_factor=float("inf"),
)
