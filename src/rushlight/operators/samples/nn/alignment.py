"""Samples of losses of sequences whose alignment is unknown."""

from __future__ import annotations

from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples


def _ints(values: Any) -> Any:
    import rushlight

    return rushlight.tensor(values, dtype=rushlight.int64)


@samples("nn.functional.ctc_loss", dtypes="float32 float64", tolerance=8.0)
def _ctc_loss(make: Make) -> Samples:
    def log_probs(*shape: int) -> Any:
        return make(shape, low=-3, high=-0.1)

    targets = make.index((3, 2), 4) + 1
    yield Sample(log_probs(6, 3, 5), targets, _ints([6, 4, 5]), _ints([2, 0, 1]), reduction="none")
    yield Sample(log_probs(6, 3, 5), targets, (6, 6, 6), (2, 2, 2))
    # A repeated label needs a blank between: three steps at the least.
    yield Sample(log_probs(3, 1, 3), _ints([[1, 1]]), (3,), (2,), reduction="sum")
    yield Sample(
        log_probs(2, 2, 3), _ints([[1, 1], [1, 0]]), (2, 1), (2, 1), blank=2, reduction="none", zero_infinity=True
    )
    yield Sample(log_probs(5, 3, 4), _ints([1, 3, 2]), (5, 4, 3), (2, 0, 1), reduction="sum")
    yield Sample(log_probs(5, 4), _ints([1, 2]), _ints(5), _ints(2), reduction="none")
    yield Sample(log_probs(3, 2, 4), _ints([[], []]), (3, 3), (0, 0))
    lp, t = log_probs(3, 2, 4), _ints([[1, 2], [3, 3]])
    yield ErrorSample(RuntimeError, "each element of 'input_lengths' must be at most 3; found 4", lp, t, (4, 3), (2, 2))
    yield ErrorSample(
        RuntimeError, "each element of 'target_lengths' must be at most 2; found 3", lp, t, (3, 3), (3, 2)
    )
    yield ErrorSample(
        RuntimeError, "each element of 'input_lengths' must be at least 0; found -1", lp, t, (-1, 3), (2, 2)
    )
    yield ErrorSample(
        RuntimeError,
        r"'input_lengths' must have one element a sequence, the shape \(2,\); found \(3,\)",
        lp,
        t,
        (3, 3, 3),
        (2, 2),
    )
    yield ErrorSample(
        RuntimeError, r"'blank' must be one of the labels, in \[0, 4\); found 4", lp, t, (3, 3), (2, 2), blank=4
    )
    yield ErrorSample(
        RuntimeError,
        "concatenated 'targets' must have 4 elements, as 'target_lengths' say; found 3",
        lp,
        _ints([1, 2, 3]),
        (3, 3),
        (2, 2),
    )
    yield ErrorSample(
        RuntimeError, r"'input_lengths' must be of an integer dtype; found torch\.float32", lp, t, make((2,)), (2, 2)
    )
    yield ErrorSample(
        ValueError,
        "'reduction' must be 'none', 'mean' or 'sum'; found 'median'",
        lp,
        t,
        (3, 3),
        (2, 2),
        reduction="median",
    )
    yield ErrorSample(
        IndexError,
        "index 7 lies outside dimension 1, which has the size 4",
        lp,
        _ints([[1, 7], [1, 1]]),
        (3, 3),
        (2, 2),
    )


@samples("ctc_loss", dtypes="float32 float64", tolerance=8.0)
def _torch_ctc_loss(make: Make) -> Samples:
    for reduction in (0, 1, 2):
        yield Sample(make((4, 2, 3), low=-3, high=-0.1), _ints([[1, 2], [2, 1]]), (4, 3), (2, 1), 0, reduction)
    yield ErrorSample(
        ValueError,
        "'reduction' must be 0 .none., 1 .mean. or 2",
        make((4, 2, 3)),
        _ints([[1], [2]]),
        (4, 3),
        (1, 1),
        0,
        3,
    )
