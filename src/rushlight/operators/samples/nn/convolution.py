"""Samples of convolutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples

_SPACE: dict[int, tuple[int, ...]] = {1: (9,), 2: (6, 7), 3: (4, 5, 3)}
_KERNEL = (3, 2, 1)


def _direct(n: int) -> Callable[[Make], Samples]:
    def generate(make: Make) -> Samples:
        forms: tuple[dict[str, Any], ...] = (
            {},
            {"stride": 2, "padding": 1},
            {"groups": 2},
            {"padding": "same"},
            {"padding": "valid"},
        )
        for kwargs in forms:
            g = kwargs.get("groups", 1)
            yield Sample(make((2, 4, *_SPACE[n])), make((6, 4 // g, *_KERNEL[:n])), make((6,)), **kwargs)
        yield Sample(make((4, *_SPACE[n])), make((6, 4, *_KERNEL[:n])))
        yield ErrorSample(RuntimeError, "channels", make((2, 3, *_SPACE[n])), make((6, 4, *_KERNEL[:n])))
        yield ErrorSample(RuntimeError, r"'weight.shape\[2:\]' must", make((2, 4, *_SPACE[n])), make((6, 4, *(0,) * n)))
        yield ErrorSample(
            RuntimeError,
            r"'weight' must fit into the padded input; found a kernel of 3.* with dilation \[1.*\] for 2",
            make((2, 4, *(2,) * n)),
            make((6, 4, *(3,) * n)),
        )

    return generate


def _transposed(n: int) -> Callable[[Make], Samples]:
    def generate(make: Make) -> Samples:
        for kwargs in (
            {},
            {"stride": 2, "padding": 1, "output_padding": 1},
            {"stride": 2, "output_padding": 1},
            {"groups": 2},
        ):
            g = kwargs.get("groups", 1)
            yield Sample(make((2, 4, *_SPACE[n])), make((4, 6 // g, *(3,) * n)), make((6,)), **kwargs)
        yield ErrorSample(
            RuntimeError,
            r"'output_padding' must be less than the stride or the dilation in each dimension; found \[1",
            make((2, 4, *_SPACE[n])),
            make((4, 6, *(3,) * n)),
            output_padding=1,
        )

    return generate


for _n in (1, 2, 3):
    samples(f"nn.functional.conv{_n}d", tolerance=16.0)(_direct(_n))
    samples(f"nn.functional.conv_transpose{_n}d", tolerance=16.0)(_transposed(_n))


@samples("convolution", dtypes="float32 float64", tolerance=16.0)
def _convolution(make: Make) -> Samples:
    yield Sample(make((2, 4, 7)), make((6, 2, 3)), make((6,)), (2,), (1,), (1,), False, (0,), 2)
    yield Sample(make((2, 3, 5, 6)), make((3, 2, 2, 3)), None, (2, 1), (1, 0), (1, 2), True, (1, 0), 1)
    yield ErrorSample(
        RuntimeError,
        "'weight' must be of 3 to 5 dimensions; found 2",
        make((2, 3)),
        make((2, 3)),
        None,
        (),
        (),
        (),
        False,
        (),
        1,
    )


@samples("conv_tbc", dtypes="float32 float64", tolerance=16.0)
def _conv_tbc(make: Make) -> Samples:
    yield Sample(make((6, 2, 3)), make((3, 3, 4)), make((4,)))
    yield Sample(make((6, 2, 3)), make((2, 3, 4)), make((4,)), 1)
    yield ErrorSample(
        RuntimeError,
        "'input' must have 2 channels, as 'weight' has; found 3",
        make((6, 2, 3)),
        make((3, 2, 4)),
        make((4,)),
    )


for _name, _error, _match, _shapes, _more in (
    (
        "nn.functional.conv_transpose1d",
        RuntimeError,
        "'padding' and 'output_padding' must be at least 0",
        [(1, 1, 4), (1, 1, 2)],
        {"padding": -1},
    ),
    ("nn.functional.conv1d", RuntimeError, "'stride' must be at least 1", [(1, 1, 4), (1, 1, 2)], {"stride": 0}),
    ("nn.functional.conv1d", RuntimeError, "'padding' must be at least 0", [(1, 1, 4), (1, 1, 2)], {"padding": -1}),
    ("nn.functional.conv1d", RuntimeError, r"'weight.shape\[0\]' must be at least 1", [(1, 1, 4), (0, 1, 2)], {}),
    (
        "nn.functional.conv_transpose1d",
        RuntimeError,
        r"'weight.shape\[1\]' must be at least 1",
        [(1, 1, 4), (1, 0, 2)],
        {},
    ),
):
    refused(
        _name,
        _error,
        _match,
        lambda make, shapes=_shapes: tuple(map(make, shapes)),  # type: ignore[misc]
        **_more,
    )
