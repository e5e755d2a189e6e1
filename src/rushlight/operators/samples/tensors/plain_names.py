"""Samples of the package's own names for functions of nn.functional."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, samples

_FEW = "float32 float64"
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


def _loss(arguments: Callable[[Make], tuple[Any, ...]], options: dict[str, Any]) -> Callable[[Make], Iterator[Any]]:
    def generate(make: Make) -> Iterator[Any]:
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
    samples(_name, dtypes=_FEW, tolerance=8.0)(_loss(_arguments, _options))


@samples("poisson_nll_loss", dtypes=_FEW, tolerance=8.0)
def _poisson(make: Make) -> Iterator[Any]:
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


@samples("embedding", dtypes=_FEW)
def _embedding(make: Make) -> Iterator[Any]:
    yield Sample(make((5, 3)), make.index((2, 4), 5))
    yield Sample(make((5, 3)), make.index((4,), 5))
    yield ErrorSample(
        IndexError, "index 5 lies outside dimension 0, which has the size 5", make((5, 3)), make.index((2,), 1) + 5
    )


@samples("embedding_renorm_", dtypes=_FEW, grad=False, skip={"vmap": "the table is written in place"})
def _embedding_renorm(make: Make) -> Iterator[Any]:
    yield Sample(make((5, 3)), make.index((4,), 5), 1.0, 2.0)


@samples("group_norm", dtypes=_FEW, tolerance=8.0)
def _group_norm(make: Make) -> Iterator[Any]:
    yield Sample(make((2, 6, 3)), 3, make((6,)), make((6,)))
    yield ErrorSample(
        RuntimeError,
        r"'num_groups' must divide the number of channels; found 4 for an input of the shape \[2, 6\]",
        make((2, 6)),
        4,
    )


@samples("instance_norm", dtypes=_FEW, tolerance=8.0)
def _instance_norm(make: Make) -> Iterator[Any]:
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


@samples("adaptive_max_pool1d", dtypes=_FEW)
def _adaptive_max_pool1d(make: Make) -> Iterator[Any]:
    yield Sample(make((2, 3, 9)), 4)
    yield Sample(make((3, 8)), (2,))


@samples("affine_grid_generator", dtypes=_FEW, tolerance=8.0)
def _affine_grid_generator(make: Make) -> Iterator[Any]:
    yield Sample(make((2, 2, 3)), (2, 3, 4, 5), False)
    yield Sample(make((2, 3, 4)), (2, 3, 4, 5, 1), True)


def _dropout(make: Make) -> Iterator[Any]:
    # Without a coin to toss the result is known; tests of the distributions are in the random suite.
    yield Sample(make((3, 4)), 0.5, False)
    yield Sample(make((3, 4)), 0.0, True)
    yield Sample(make((3, 4)), 1.0, True)
    yield ErrorSample(ValueError, r"'p' must be a probability, in \[0, 1\]; found 1\.5", make((3, 4)), 1.5, True)


def _rrelu(make: Make) -> Iterator[Any]:
    yield Sample(make((3, 4)))
    yield Sample(make((3, 4)), 0.1, 0.5)


for _name in ("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"):
    samples(_name, dtypes=_FEW)(_dropout)
    samples(f"{_name}_", dtypes=_FEW, grad=False)(_dropout)
samples("rrelu", dtypes=_FEW)(_rrelu)
samples(
    "rrelu_",
    dtypes=_FEW,
    grad=False,
    skip={"dtypes": "the check computes twice from one input, which this call changes"},
)(_rrelu)


@samples("convolution", dtypes=_FEW, tolerance=16.0)
def _convolution(make: Make) -> Iterator[Any]:
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


@samples("conv_tbc", dtypes=_FEW, tolerance=16.0)
def _conv_tbc(make: Make) -> Iterator[Any]:
    yield Sample(make((6, 2, 3)), make((3, 3, 4)), make((4,)))
    yield Sample(make((6, 2, 3)), make((2, 3, 4)), make((4,)), 1)
    yield ErrorSample(
        RuntimeError,
        "'input' must have 2 channels, as 'weight' has; found 3",
        make((6, 2, 3)),
        make((3, 2, 4)),
        make((4,)),
    )


def _cell(n: int, pair: bool) -> Callable[[Make], Iterator[Any]]:
    def generate(make: Make) -> Iterator[Any]:
        state = (make((2, 4)), make((2, 4))) if pair else make((2, 4))
        yield Sample(make((2, 3)), state, make((4 * n, 3)), make((4 * n, 4)), make((4 * n,)), make((4 * n,)))
        yield Sample(make((2, 3)), state, make((4 * n, 3)), make((4 * n, 4)))
        yield ErrorSample(
            RuntimeError,
            rf"'w_ih' must have the shape \[{4 * n}, 3\]; found \[{4 * n}, 2\]",
            make((2, 3)),
            state,
            make((4 * n, 2)),
            make((4 * n, 4)),
        )

    return generate


for _name, _n in (("lstm_cell", 4), ("gru_cell", 3), ("rnn_tanh_cell", 1), ("rnn_relu_cell", 1)):
    samples(_name, dtypes=_FEW, tolerance=8.0)(_cell(_n, _name == "lstm_cell"))


@samples("norm_except_dim", dtypes=_FEW)
def _norm_except_dim(make: Make) -> Iterator[Any]:
    for dim in (0, 1, 2, -1):
        yield Sample(make((3, 4, 2)), 2, dim)
    yield Sample(make((3, 4)), 3, 1)
    yield ErrorSample(IndexError, r"'dim' must be in \[-1, 1\] for a 2-d tensor; found 2", make((3, 4)), 2, 2)


@samples("frobenius_norm", dtypes=_FEW)
def _frobenius_norm(make: Make) -> Iterator[Any]:
    yield Sample(make((3, 4)), [0, 1])
    yield Sample(make((2, 3, 4)), [1], True)
    yield Sample(make((3, 4)), [])


@samples("_softmax_backward_data", dtypes=_FEW, tolerance=8.0)
@samples("_log_softmax_backward_data", dtypes=_FEW, tolerance=8.0)
def _backward_data(make: Make) -> Iterator[Any]:
    for shape, dim in (((3, 4), 1), ((3, 4), 0), ((2, 0), 1)):
        output = make(shape, low=-3, high=-0.1)
        yield Sample(make(shape), output, dim, output.dtype)
