"""Samples of distances and similarities."""

from __future__ import annotations

import math

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples


@samples("cosine_similarity", tolerance=4.0)
def _cosine(make: Make) -> Samples:
    yield Sample(make((3, 4)), make((3, 4)))
    yield Sample(make((3, 4)), make((4,)), dim=-1)
    yield ErrorSample(
        IndexError, r"'dim' must be in \[-1, 0\] for a 1-d tensor; found 2", make((3,)), make((3,)), dim=2
    )
    yield ErrorSample(RuntimeError, "'eps' must be at least 0", make((2, 3)), make((2, 3)), 1, -1.0)


@samples("pairwise_distance", dtypes="float int64", tolerance=4.0)
def _pairwise(make: Make) -> Samples:
    yield Sample(make((3, 4)), make((3, 4)))
    yield Sample(make((3, 4)), make((4,)), p=1, keepdim=True)


@samples("cdist", dtypes="float32 float64", tolerance=8.0)
def _cdist(make: Make) -> Samples:
    for p in (0.5, 1.0, 2.0, 3.0, math.inf):
        yield Sample(make((2, 3, 4)), make((5, 4)), p=p)
    yield Sample(make((30, 3)), make((27, 3)))
    yield ErrorSample(RuntimeError, r"'p' must be at least 0; found -1\.0", make((2, 3)), make((2, 3)), p=-1.0)
    yield ErrorSample(
        RuntimeError, "'x1' and 'x2' must hold vectors of one length; found 3 and 4", make((2, 3)), make((2, 4))
    )


@samples("pdist", dtypes="float32 float64", tolerance=4.0)
def _pdist(make: Make) -> Samples:
    yield Sample(make((5, 3)))
    yield Sample(make((5, 3)), p=1.0)
    yield Sample(make((5, 3)), p=0.0)
    yield ErrorSample(RuntimeError, "'input' must be a matrix; found a 1-d tensor", make((3,)))


@samples("nn.functional.normalize", tolerance=4.0)
def _normalize(make: Make) -> Samples:
    yield Sample(make((3, 4)))
    yield Sample(make((3, 4)), p=3.0, dim=0)
    yield Sample(make((4,)), dim=0)
    yield Sample(make((2, 3, 4)), dim=(-2, -1))
    yield Sample(make((2, 1, 4), noncontiguous=True), 1.0, (0, 2))
    yield ErrorSample(RuntimeError, "each dimension once", make((3, 4)), dim=(0, -2))


refused("pdist", RuntimeError, "'p' must be at least 0", lambda make: (make((3, 2)), -1.0))
