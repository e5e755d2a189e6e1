"""Samples of elementwise losses and losses of vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples

_MODES = ("none", "mean", "sum")


def _pairs(
    low: float = -2, high: float = 2, target: tuple[float, float] = (-2, 2), **kwargs: Any
) -> Callable[[Make], Samples]:
    def generate(make: Make) -> Samples:
        for mode in _MODES:
            for options in ({}, kwargs) if kwargs else ({},):
                for shape in ((), (3,), (3, 4)):
                    a, b = (
                        make(shape, low=low, high=high),
                        make(shape, low=target[0], high=target[1], requires_grad=False),
                    )
                    yield Sample(a, b, reduction=mode, **options)
        yield ErrorSample(
            ValueError,
            "'reduction' must be 'none', 'mean'.* 'sum'.*; found 'median'",
            make((3,)),
            make((3,)),
            reduction="median",
        )

    return generate


samples("nn.functional.mse_loss", tolerance=4.0)(_pairs())
samples("nn.functional.l1_loss", tolerance=4.0)(_pairs())
samples("nn.functional.smooth_l1_loss", tolerance=4.0)(_pairs(beta=0.4))
samples("nn.functional.huber_loss", tolerance=4.0)(_pairs(delta=0.4))
samples("nn.functional.poisson_nll_loss", dtypes="float int64", tolerance=8.0)(
    _pairs(0.1, 2, (0, 4), log_input=False, full=True)
)
samples("nn.functional.kl_div", tolerance=8.0)(_pairs(-2, 0, (0.1, 1)))
samples("nn.functional.binary_cross_entropy", tolerance=8.0)(_pairs(0.05, 0.95, (0, 1)))
samples("nn.functional.binary_cross_entropy_with_logits", tolerance=8.0)(_pairs(-3, 3, (0, 1)))
samples("nn.functional.soft_margin_loss", tolerance=8.0)(_pairs())


@samples("nn.functional.margin_ranking_loss", dtypes="float int64", tolerance=4.0)
def _margin_ranking(make: Make) -> Samples:
    for mode in _MODES:
        yield Sample(make((3,)), make((3,)), make((3,), low=1, high=1, requires_grad=False), margin=0.3, reduction=mode)
    yield ErrorSample(
        RuntimeError,
        "'input1', 'input2' and 'target' must be of one rank; found 1, 2 and 1 dimensions",
        make((3,)),
        make((3, 1)),
        make((3,)),
    )


@samples("nn.functional.hinge_embedding_loss", tolerance=4.0)
def _hinge(make: Make) -> Samples:
    for mode, sign in zip(_MODES, (1, -1, 1), strict=True):
        yield Sample(make((3, 4)), make((3, 4), low=sign, high=sign, requires_grad=False), reduction=mode)


@samples("nn.functional.cosine_embedding_loss", dtypes="float int64 bool", tolerance=8.0)
def _cosine(make: Make) -> Samples:
    for mode, sign in zip(_MODES, (1, -1, 1), strict=True):
        yield Sample(
            make((3, 4)), make((3, 4)), make((3,), low=sign, high=sign, requires_grad=False), margin=0.2, reduction=mode
        )


@samples("nn.functional.triplet_margin_loss", dtypes="float complex64 int64", tolerance=8.0)
def _triplet(make: Make) -> Samples:
    for mode in _MODES:
        yield Sample(make((3, 4)), make((3, 4)), make((3, 4)), reduction=mode, swap=mode == "sum")
    yield ErrorSample(
        ValueError, r"'margin' must be greater than 0; found 0\.0", make((3, 4)), make((3, 4)), make((3, 4)), margin=0.0
    )


@samples("nn.functional.gaussian_nll_loss", dtypes="float32 float64")
def _gaussian_nll_loss(make: Make) -> Samples:
    for reduction in _MODES:
        yield Sample(make((3, 4)), make((3, 4)), make((3, 4), low=0.5, high=2.0), False, 1e-6, reduction)
    yield Sample(make((3, 4)), make((3, 4)), make((3, 1), low=0.5, high=2.0), full=True)
    yield Sample(make((3, 4)), make((3, 4)), make((1, 4), low=0.5, high=2.0))
    yield Sample(make((3, 2, 4)), make((3, 2, 4)), make((3, 1, 4), low=0.5, high=2.0))
    yield Sample(make((3, 4)), make((3, 4)), 2.0)
    yield ErrorSample(
        ValueError, "'var' must have the shape of 'input'", make((3, 4)), make((3, 4)), make((1, 1), low=1)
    )
    yield ErrorSample(ValueError, "'var' must be at least 0 everywhere", make((3,)), make((3,)), -1.0)
    yield ErrorSample(ValueError, "'var' must have the shape of 'input'", make((3, 4)), make((3, 4)), make((2,), low=1))


_LOSSES: dict[str, tuple[Callable[[Make], tuple[Any, ...]], dict[str, Any]]] = {
    "kl_div": (lambda make: (make((3, 4), low=-2, high=0), make((3, 4), low=0.1, high=1)), {"log_target": True}),
    "binary_cross_entropy_with_logits": (lambda make: (make((3, 4)), make((3, 4), low=0, high=1)), {}),
    "cosine_embedding_loss": (
        lambda make: (make((3, 4)), make((3, 4)), make((3,), low=1, high=1, requires_grad=False)),
        {"margin": 0.1},
    ),
    "hinge_embedding_loss": (
        lambda make: (make((3, 4)), make((3, 4), low=-1, high=-1, requires_grad=False)),
        {"margin": 2.0},
    ),
    "margin_ranking_loss": (
        lambda make: (make((3,)), make((3,)), make((3,), low=1, high=1, requires_grad=False)),
        {"margin": 0.1},
    ),
    "triplet_margin_loss": (lambda make: (make((3, 4)), make((3, 4)), make((3, 4))), {"swap": True}),
}


def _loss(arguments: Callable[[Make], tuple[Any, ...]], options: dict[str, Any]) -> Callable[[Make], Samples]:
    def generate(make: Make) -> Samples:
        yield Sample(*arguments(make))
        for reduction in (0, 1, 2):
            yield Sample(*arguments(make), reduction=reduction, **options)
        yield ErrorSample(
            ValueError,
            r"'reduction' must be 0 \(none\), 1 \(mean\) or 2 \(sum\); found 3",
            *arguments(make),
            reduction=3,
        )

    return generate


for _name, (_arguments, _options) in _LOSSES.items():
    samples(_name, dtypes="float32 float64", tolerance=8.0)(_loss(_arguments, _options))


@samples("poisson_nll_loss", dtypes="float32 float64", tolerance=8.0)
def _poisson(make: Make) -> Samples:
    for reduction in (0, 1, 2):
        yield Sample(make((3, 4)), make((3, 4), low=0, high=4, requires_grad=False), True, True, 1e-8, reduction)
    yield ErrorSample(
        ValueError,
        r"'reduction' must be 0 \(none\), 1 \(mean\) or 2 \(sum\); found -1",
        make((3,)),
        make((3,)),
        True,
        False,
        1e-8,
        -1,
    )


refused(
    "nn.functional.huber_loss",
    RuntimeError,
    "'delta' must be greater than 0",
    lambda make: (make((3,)), make((3,))),
    delta=0.0,
)
refused(
    "nn.functional.smooth_l1_loss",
    RuntimeError,
    "'beta' must be at least 0",
    lambda make: (make((3,)), make((3,))),
    beta=-1.0,
)
refused(
    "triplet_margin_loss",
    ValueError,
    "'margin' must be greater than 0",
    lambda make: (make((2, 3)), make((2, 3)), make((2, 3)), 0.0),
)
