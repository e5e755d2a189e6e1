"""Samples of normalizations."""

from __future__ import annotations

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples


@samples("nn.functional.layer_norm", tolerance=8.0)
def _layer_norm(make: Make) -> Samples:
    yield Sample(make((3, 4, 5)), (4, 5), make((4, 5)), make((4, 5)))
    yield Sample(make((3, 4)), (4,))
    yield Sample(make((3, 4)), (4,), make((4,)), None, 1e-3)
    yield ErrorSample(RuntimeError, "normalized_shape", make((3, 4)), (5,))


@samples("nn.functional.rms_norm", dtypes="float complex", tolerance=8.0)
def _rms_norm(make: Make) -> Samples:
    yield Sample(make((3, 4)), (4,), make((4,)))
    yield Sample(make((3, 4)), (3, 4), None, 1e-3)


@samples("nn.functional.group_norm", tolerance=8.0)
def _group_norm(make: Make) -> Samples:
    yield Sample(make((2, 6, 3)), 3, make((6,)), make((6,)))
    yield Sample(make((2, 6)), 2)
    yield Sample(make((2, 1)), 1)
    yield ErrorSample(ValueError, "a group must have more than 1 value; found 1", make((1, 3, 1)), 3)
    yield ErrorSample(
        RuntimeError,
        r"'num_groups' must divide the number of channels; found 4 for an input of the shape \[2, 6\]",
        make((2, 6)),
        4,
    )


@samples("nn.functional.batch_norm", tolerance=8.0, skip={"vmap": "running statistics are written in place"})
def _batch_norm(make: Make) -> Samples:
    yield Sample(make((3, 4, 5)), None, None, make((4,)), make((4,)), training=True)
    yield Sample(make((3, 4)), None, None, training=True)
    yield Sample(make((0, 4)), None, None, make((4,)), make((4,)), training=True)
    yield Sample(
        make((3, 4)),
        make((4,), requires_grad=False),
        make((4,), low=0.5, high=2, requires_grad=False),
        make((4,)),
        make((4,)),
    )
    yield ErrorSample(
        ValueError, "a channel must have more than 1 value while training", make((1, 4)), None, None, training=True
    )
    yield ErrorSample(RuntimeError, "running_mean", make((3, 4)), None, None)
    yield ErrorSample(
        ValueError, "'eps' must be greater than 0 in training", make((3, 2)), None, None, training=True, eps=0.0
    )
    yield ErrorSample(ValueError, "'eps' must be at least 0", make((3, 2)), make((2,)), make((2,)), eps=-0.1)
    yield ErrorSample(TypeError, "'training' must be bool, not int", make((3, 2)), None, None, training=1)
    yield ErrorSample(TypeError, "'momentum' must be float", make((3, 2)), make((2,)), make((2,)), momentum=None)


@samples("nn.functional.instance_norm", tolerance=8.0)
def _instance_norm(make: Make) -> Samples:
    yield Sample(make((3, 4, 5)), weight=make((4,)), bias=make((4,)))
    yield ErrorSample(ValueError, "a channel of an example must have more than 1 value while training", make((3, 4, 1)))


@samples("nn.functional.local_response_norm", dtypes="float int64", tolerance=8.0)
def _local_response_norm(make: Make) -> Samples:
    yield Sample(make((2, 5, 3)), 3)
    yield Sample(make((2, 5, 3, 2)), 4, 0.1, 0.5, 2.0)
    yield ErrorSample(ValueError, r"'input' must be of 3 dimensions \(N, C, \.\.\.\) or more; found 2", make((2, 5)), 3)


@samples("batch_norm", dtypes="float32 float64", tolerance=8.0)
def _plain_batch_norm(make: Make) -> Samples:
    yield Sample(make((4, 3)), make((3,)), make((3,)), None, None, True, 0.1, 1e-5, True)
    yield Sample(make((2, 3, 4)), None, None, None, None, True, 0.1, 1e-5, True)
    yield Sample(make((4, 3)), make((3,)), make((3,)), None, None, True, 0.1, 0.0, False)
    yield ErrorSample(TypeError, "'cudnn_enabled' must be bool", make((4, 3)), *[None] * 4, True, 0.1, 0.0, 1)
    yield Sample(
        make((4, 3)),
        make((3,)),
        make((3,)),
        make((3,), requires_grad=False),
        make((3,), low=0.5, high=2.0, requires_grad=False),
        False,
        0.1,
        1e-5,
        True,
    )


@samples("layer_norm", dtypes="float32 float64", tolerance=8.0)
def _plain_layer_norm(make: Make) -> Samples:
    yield Sample(make((4, 5)), (5,), make((5,)), make((5,)))
    yield Sample(make((2, 3, 4)), (3, 4))


@samples("group_norm", dtypes="float32 float64", tolerance=8.0)
def _group_norm_of_package(make: Make) -> Samples:
    yield Sample(make((2, 6, 3)), 3, make((6,)), make((6,)))
    yield ErrorSample(
        RuntimeError,
        r"'num_groups' must divide the number of channels; found 4 for an input of the shape \[2, 6\]",
        make((2, 6)),
        4,
    )


@samples("instance_norm", dtypes="float32 float64", tolerance=8.0)
def _instance_norm_of_package(make: Make) -> Samples:
    yield Sample(make((3, 4, 5)), make((4,)), make((4,)), None, None, True, 0.1, 1e-5, False)
    yield ErrorSample(
        ValueError,
        "a channel of an example must have more than 1 value while training",
        make((3, 4, 1)),
        None,
        None,
        None,
        None,
        True,
        0.1,
        1e-5,
        False,
    )


refused("nn.functional.group_norm", RuntimeError, "'num_groups' must be at least 1", lambda make: (make((2, 4)), 0))
refused(
    "nn.functional.group_norm", RuntimeError, "'num_groups' must be at most", lambda make: (make((2, 4)), 2**31 + 1)
)
