"""Samples of losses over classes."""

from __future__ import annotations

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples

_MODES = ("none", "mean", "sum")


@samples("nn.functional.cross_entropy", tolerance=8.0)
def _cross_entropy(make: Make) -> Samples:
    for mode in _MODES:
        yield Sample(make((3, 5)), make.index((3,), 5), reduction=mode)
        yield Sample(make((5,)), make.index((), 5), reduction=mode)
        yield Sample(make((3, 5, 2)), make.index((3, 2), 5), reduction=mode, label_smoothing=0.1)
        yield Sample(
            make((3, 5)),
            make.index((3,), 5),
            make((5,), low=0.1, high=1, requires_grad=False),
            reduction=mode,
            ignore_index=2,
        )
        yield Sample(make((3, 5)), make((3, 5), low=0, high=1), reduction=mode)
    yield ErrorSample(
        ValueError, "'input' and 'target' must be of one batch size; found 3 and 4", make((3, 5)), make.index((4,), 5)
    )
    yield ErrorSample(
        IndexError, "index 7 lies outside dimension 1, which has the size 5", make((3, 5)), make.index((3,), 1) + 7
    )
    yield ErrorSample(RuntimeError, "label_smoothing", make((3, 5)), make.index((3,), 5), label_smoothing=2.0)


@samples("nn.functional.nll_loss", tolerance=8.0)
def _nll_loss(make: Make) -> Samples:
    for mode in _MODES:
        yield Sample(make((3, 5)), make.index((3,), 5), reduction=mode)
        yield Sample(
            make((3, 5, 2, 2)),
            make.index((3, 2, 2), 5),
            make((5,), low=0.1, high=1, requires_grad=False),
            reduction=mode,
            ignore_index=1,
        )


@samples("nn.functional.multi_margin_loss", tolerance=8.0)
def _multi_margin(make: Make) -> Samples:
    for mode in _MODES:
        yield Sample(make((3, 5)), make.index((3,), 5), reduction=mode)
        yield Sample(make((3, 5)), make.index((3,), 5), p=2, margin=0.5, reduction=mode)
        yield Sample(make((5,)), make.index((), 5), reduction=mode)
        yield Sample(make((5,)), make.index((1,), 5), reduction=mode)
    yield ErrorSample(ValueError, "'p' must be 1 or 2", make((2, 3)), make.index((2,), 3), 3)
    yield ErrorSample(
        ValueError,
        "'weight' must be a vector",
        make((2, 3)),
        make.index((2,), 3),
        weight=make((1, 3), requires_grad=False),
    )


@samples("nn.functional.multilabel_margin_loss", tolerance=8.0)
def _multilabel_margin(make: Make) -> Samples:
    for mode in _MODES:
        yield Sample(make((3, 5)), make.index((3, 5), 6) - 1, reduction=mode)
        yield Sample(make((5,)), make.index((5,), 6) - 1, reduction=mode)


@samples("nn.functional.multilabel_soft_margin_loss", tolerance=8.0)
def _multilabel_soft_margin(make: Make) -> Samples:
    for mode in _MODES:
        yield Sample(make((3, 5)), make((3, 5), low=0, high=1, requires_grad=False), reduction=mode)


@samples("nn.functional.linear_cross_entropy", dtypes="float", tolerance=8.0)
def _linear_cross_entropy(make: Make) -> Samples:
    for reduction in _MODES:
        yield Sample(make((4, 3)), make((5, 3)), make.index((4,), 5), reduction=reduction)
    yield ErrorSample(
        RuntimeError,
        "'ignore_index' is for classes",
        make((4, 3)),
        make((5, 3)),
        make((4, 5), low=0, high=1),
        ignore_index=1,
    )
    yield ErrorSample(
        RuntimeError, "'input' must have a batch", make((3,)), make((2, 4, 3)), make((2, 4), low=0, high=1)
    )
    yield ErrorSample(
        RuntimeError,
        "'linear_bias' must broadcast to the shape",
        make((4, 3)),
        make((1, 3)),
        make.index((4,), 1),
        linear_bias=make((5,)),
    )
    yield Sample(make((4, 3)), make((5, 3)), make.index((4,), 5), linear_bias=make((5,)), label_smoothing=0.1)
