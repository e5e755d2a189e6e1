"""Samples of embedding tables."""

from __future__ import annotations

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples


@samples("nn.functional.embedding")
def _embedding(make: Make) -> Samples:
    yield Sample(make.index((2, 3), 7), make((7, 3)))
    yield Sample(make.index((), 7), make((7, 3), requires_grad=False), padding_idx=1)
    # its gradient is scaled on purpose
    yield Sample(make.index((4,), 7), make((7, 3), requires_grad=False), padding_idx=-1, scale_grad_by_freq=True)
    yield ErrorSample(
        IndexError, "index 7 lies outside dimension 0, which has the size 7", make.index((4,), 1) + 7, make((7, 3))
    )
    yield ErrorSample(
        RuntimeError,
        r"'input' must hold indices of dtype int64 or int32; found torch\.float32",
        make((3,)),
        make((7, 3)),
    )


@samples("nn.functional.embedding_bag", dtypes="float32 float64", tolerance=8.0)
def _embedding_bag(make: Make) -> Samples:
    for mode in ("sum", "mean", "max"):
        yield Sample(make.index((2, 3), 7), make((7, 3)), mode=mode)
        yield Sample(make.index((2, 3), 7), make((7, 3)), mode=mode, padding_idx=1)
    yield ErrorSample(
        ValueError, "'offsets' must be given for an input of 1 dimension; found None", make.index((3,), 7), make((7, 3))
    )


@samples(
    "nn.functional.one_hot", dtypes="int64", grad=False, skip={"data": "the number of classes depends on the data"}
)
def _one_hot(make: Make) -> Samples:
    yield Sample(make.index((2, 3), 5), 5)
    yield Sample(make.index((2, 3), 5))
    yield ErrorSample(
        RuntimeError, "the elements of 'tensor' must be less than num_classes=3; found 5", make.index((3,), 1) + 5, 3
    )


@samples("embedding", dtypes="float32 float64")
def _embedding_of_package(make: Make) -> Samples:
    yield Sample(make((5, 3)), make.index((2, 4), 5))
    yield Sample(make((5, 3)), make.index((4,), 5))
    yield ErrorSample(
        IndexError, "index 5 lies outside dimension 0, which has the size 5", make((5, 3)), make.index((2,), 1) + 5
    )


@samples("embedding_renorm_", dtypes="float32 float64", grad=False, skip={"vmap": "the table is written in place"})
def _embedding_renorm(make: Make) -> Samples:
    yield Sample(make((5, 3)), make.index((4,), 5), 1.0, 2.0)


refused(
    "nn.functional.embedding",
    AssertionError,
    "'padding_idx' must be in",
    lambda make: (make.index((2,), 3), make((3, 2))),
    padding_idx=3,
)
refused(
    "nn.functional.one_hot", RuntimeError, "'num_classes' must be at least 1", lambda make: (make.index((0,), 3), 0)
)
refused("nn.functional.one_hot", RuntimeError, "must be at least 0", lambda make: (-1 - make.index((2,), 3),))
refused("nn.functional.one_hot", RuntimeError, "must be at least 1; found", lambda make: (make.index((2,), 3), 0))
