"""Samples of differences, integrals and products along a dimension."""

from __future__ import annotations

from rushlight.operators.samples._registry import Make, Samples, refused
from rushlight.testing.samples import ErrorSample, Sample, samples


@samples("diff", dtypes="all")
def _diff(make: Make) -> Samples:
    yield Sample(make((5,)))
    yield Sample(make((3, 4)), 2, 0)
    yield Sample(make((2, 3, 4)), dim=1)
    yield Sample(make((3, 4)), 0)
    yield Sample(make((3, 4)), 6)
    yield Sample(make((0, 3)), dim=0)
    yield Sample(make((3, 4)), prepend=make((3, 1)), append=make((3, 2)))
    yield ErrorSample(RuntimeError, "'input' must have at least 1 dimension; found a 0-d tensor", make(()))
    yield ErrorSample(RuntimeError, "'n' must be at least 0; found -1", make((3,)), -1)
    yield ErrorSample(
        RuntimeError, "'prepend' must have as many dimensions as 'input', 1; found 0", make((3,)), prepend=make(())
    )


@samples("gradient", dtypes="float32 float64 complex", skip={"empty": "needs two points a dimension"})
def _gradient(make: Make) -> Samples:
    yield Sample(make((5,)))
    yield Sample(make((4, 3)), spacing=0.5)
    yield Sample(make((4, 3)), spacing=(2.0, 0.25), edge_order=2)
    yield Sample(make((4, 3)), dim=1)
    real = make.dtype.to_real()
    yield Sample(
        make((4, 3)),
        spacing=(make((4,), low=1, high=2, dtype=real, requires_grad=False).cumsum(0),),
        dim=0,
        edge_order=2,
    )
    yield ErrorSample(RuntimeError, "edge_order", make((4,)), edge_order=3)
    yield ErrorSample(
        RuntimeError, "edge_order=1 needs 2 points along each dimension; found 1 in dimension 0", make((1,))
    )
    yield ErrorSample(
        RuntimeError,
        "'spacing' must be a number or a list with one entry for each of the 2 dimensions",
        make((4, 3)),
        spacing=(1.0,),
    )


def _trapezoids(make: Make) -> Samples:
    yield Sample(make((5,)))
    yield Sample(make((3, 4)), dx=0.5)
    yield Sample(make((3, 4)), make((4,)))
    yield Sample(make((3, 4)), make((3,)), dim=0)
    yield Sample(make((2, 3, 4)), make((2, 3, 4)), dim=1)
    yield Sample(make((0, 3)))
    yield ErrorSample(
        RuntimeError, "'x' must have one value for each of the 4 points of 'y'; found 3", make((3, 4)), make((3,))
    )
    yield ErrorSample(IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((3, 4)), dim=2)


for _name in ("trapezoid", "trapz", "cumulative_trapezoid"):
    samples(_name, dtypes="float complex")(_trapezoids)


@samples("trace", dtypes="float complex int")
def _trace(make: Make) -> Samples:
    yield Sample(make((3, 3)))
    yield Sample(make((2, 5)))
    yield Sample(make((4, 3), noncontiguous=True))
    yield Sample(make((0, 3)))
    yield ErrorSample(RuntimeError, "'input' must be a matrix; found a 1-d tensor", make((3,)))


@samples("cross", dtypes="float complex int")
def _cross(make: Make) -> Samples:
    yield Sample(make((3,)), make((3,)), 0)
    yield Sample(make((4, 3)), make((4, 3)), dim=-1)
    yield Sample(make((3, 2)), make((3, 2)))
    yield Sample(make((2, 3)), make((1, 3)), 1)
    yield Sample(make((0, 3)), make((0, 3)), 1)
    yield ErrorSample(
        RuntimeError,
        "dimension 0 of 'input' and 'other' must have the size 3; found 4 and 4",
        make((4,)),
        make((4,)),
        0,
    )
    yield ErrorSample(RuntimeError, "'input' and 'other' must be of one rank; found 2 and 1", make((2, 3)), make((3,)))
    x, message = make((2, 2)), r"without 'dim', a dimension of 'input' must have the size 3; found \[2, 2\]"
    yield ErrorSample(RuntimeError, message, x, x)


@samples("renorm", dtypes="float complex")
def _renorm(make: Make) -> Samples:
    yield Sample(make((3, 4)), 2.0, 0, 1.0)
    yield Sample(make((2, 3, 4)), 1.0, 1, 2.5)
    yield Sample(make((3, 4)), 2.0, -1, 100.0)
    yield Sample(make((0, 3)), 2.0, 1, 1.0)
    yield ErrorSample(RuntimeError, r"'p' must be greater than 0; found 0\.0", make((3, 4)), 0.0, 0, 1.0)
    yield ErrorSample(RuntimeError, "'input' must be of 2 dimensions or more; found 1", make((3,)), 2.0, 0, 1.0)


@samples("vander", dtypes="float32 float64 complex int64", tolerance=10)
def _vander(make: Make) -> Samples:
    yield Sample(make((4,)))
    yield Sample(make((4,)), 3)
    yield Sample(make((3,)), 5, True)
    yield Sample(make((0,), requires_grad=False))
    yield ErrorSample(RuntimeError, "'x' must be a vector; found a 2-d tensor", make((2, 2)))


@samples("sum_to_size", dtypes="float complex int64")
def _sum_to_size(make: Make) -> Samples:
    yield Sample(make((3, 4)), 1, 4)
    yield Sample(make((2, 3, 4)), (3, 1))
    yield Sample(make((3, 4)), (3, 4))
    yield Sample(make((3, 4)), ())
    yield Sample(make((0, 3)), (1, 3))
    yield ErrorSample(
        RuntimeError, r"'size' must broadcast to \[3, 4\], the shape of 'input'; found \[2, 4\]", make((3, 4)), (2, 4)
    )


refused("renorm", RuntimeError, "'maxnorm' must be at least 0", lambda make: (make((2, 3)), 2.0, 0, -1.0))

refused("vander", RuntimeError, "'N' must be at least 0", lambda make: (make((3,)), -1))
