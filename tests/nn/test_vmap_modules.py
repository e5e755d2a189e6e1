"""vmap of modules and of nn.functional's compositions gives what a loop gives, whichever of inputs and parameters are
mapped.
"""

from __future__ import annotations

import inspect
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "operators"))

from vmap_loop import cases, check

import rushlight as rl
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.func import functional_call, vmap

EXAMPLES = 3


def floats(*shape: int) -> Any:
    return rl.randn(*shape)


def classes(*shape: int) -> Any:
    return rl.randint(0, 3, shape)


def image(n: int) -> tuple[int, ...]:
    return (2, 4, *(6,) * n)


# Name -> (module, the makers of its inputs).
CASES: dict[str, tuple[Callable[[], Any], list[Callable[[], Any]]]] = {
    "Linear": (lambda: nn.Linear(4, 3), [lambda: floats(2, 4)]),
    "Bilinear": (lambda: nn.Bilinear(4, 3, 2), [lambda: floats(5, 4), lambda: floats(5, 3)]),
    "Embedding": (lambda: nn.Embedding(3, 4), [lambda: classes(2, 5)]),
    "EmbeddingBag": (lambda: nn.EmbeddingBag(3, 4), [lambda: classes(2, 5)]),
    "RNN": (lambda: nn.RNN(3, 4), [lambda: floats(5, 2, 3)]),
    "LSTM": (lambda: nn.LSTM(3, 4, 2, bidirectional=True), [lambda: floats(5, 1, 3)]),
    "GRU": (lambda: nn.GRU(3, 4, batch_first=True), [lambda: floats(2, 5, 3), lambda: floats(1, 2, 4)]),
    "LSTMCell": (lambda: nn.LSTMCell(3, 4), [lambda: floats(2, 3)]),
    "GRUCell": (lambda: nn.GRUCell(3, 4), [lambda: floats(2, 3), lambda: floats(2, 4)]),
    "RNNCell": (lambda: nn.RNNCell(3, 4), [lambda: floats(3)]),
    "MultiheadAttention": (
        lambda: nn.MultiheadAttention(4, 2),
        [lambda: floats(3, 4), lambda: floats(5, 4), lambda: floats(5, 4)],
    ),
    "MultiheadAttention batch": (
        lambda: nn.MultiheadAttention(4, 2, batch_first=True),
        [lambda: floats(2, 3, 4), lambda: floats(2, 5, 4), lambda: floats(2, 5, 4)],
    ),
    "MultiheadAttention one": (
        lambda: nn.MultiheadAttention(4, 2, kdim=3, vdim=5, add_bias_kv=True, add_zero_attn=True),
        [lambda: floats(3, 1, 4), lambda: floats(5, 1, 3), lambda: floats(5, 1, 5)],
    ),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(4, 2, 8, 0.0), [lambda: floats(3, 4)]),
    "TransformerDecoderLayer": (
        lambda: nn.TransformerDecoderLayer(4, 2, 8, 0.0),
        [lambda: floats(3, 4), lambda: floats(5, 4)],
    ),
    "LayerNorm": (lambda: nn.LayerNorm((3, 4)), [lambda: floats(2, 3, 4)]),
    "RMSNorm": (lambda: nn.RMSNorm(4), [lambda: floats(2, 4)]),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), [lambda: floats(2, 4, 5)]),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(4, track_running_stats=False), [lambda: floats(3, 4)]),
    "InstanceNorm2d": (lambda: nn.InstanceNorm2d(4, affine=True), [lambda: floats(2, 4, 3, 3)]),
    "LocalResponseNorm": (lambda: nn.LocalResponseNorm(2), [lambda: floats(*image(1))]),
    "PReLU": (lambda: nn.PReLU(4), [lambda: floats(2, 4, 3)]),
    "Softmax": (lambda: nn.Softmax(-1), [lambda: floats(2, 4)]),
    "GLU": (lambda: nn.GLU(), [lambda: floats(2, 4)]),
    "CosineSimilarity": (lambda: nn.CosineSimilarity(), [lambda: floats(2, 4), lambda: floats(2, 4)]),
    "PairwiseDistance": (lambda: nn.PairwiseDistance(), [lambda: floats(2, 4), lambda: floats(2, 4)]),
    "CrossEntropyLoss": (
        lambda: nn.CrossEntropyLoss(rl.tensor([1.0, 2.0, 0.5])),
        [lambda: floats(5, 3), lambda: classes(5)],
    ),
    "LinearCrossEntropyLoss": (lambda: nn.LinearCrossEntropyLoss(4, 3), [lambda: floats(5, 4), lambda: classes(5)]),
    "NLLLoss": (lambda: nn.NLLLoss(), [lambda: floats(5, 3), lambda: classes(5)]),
    "BCEWithLogitsLoss": (lambda: nn.BCEWithLogitsLoss(), [lambda: floats(5), lambda: rl.rand(5)]),
    "TripletMarginLoss": (
        lambda: nn.TripletMarginLoss(),
        [lambda: floats(2, 4), lambda: floats(2, 4), lambda: floats(2, 4)],
    ),
    "GaussianNLLLoss": (
        lambda: nn.GaussianNLLLoss(),
        [lambda: floats(2, 4), lambda: floats(2, 4), lambda: rl.rand(2, 4) + 0.5],
    ),
    "HuberLoss": (lambda: nn.HuberLoss(), [lambda: floats(2, 4), lambda: floats(2, 4)]),
    "CosineEmbeddingLoss": (
        lambda: nn.CosineEmbeddingLoss(),
        [lambda: floats(3, 4), lambda: floats(3, 4), lambda: classes(3) % 2 * 2 - 1],
    ),
    "MarginRankingLoss": (
        lambda: nn.MarginRankingLoss(),
        [lambda: floats(3), lambda: floats(3), lambda: classes(3) % 2 * 2 - 1],
    ),
    "MultiMarginLoss": (lambda: nn.MultiMarginLoss(), [lambda: floats(2, 3), lambda: classes(2)]),
    "Fold": (lambda: nn.Fold((4, 4), 2), [lambda: floats(2, 8, 9)]),
    "Unfold": (lambda: nn.Unfold(2), [lambda: floats(2, 3, 4, 4)]),
    "PixelShuffle": (lambda: nn.PixelShuffle(2), [lambda: floats(2, 4, 3, 3)]),
    "ChannelShuffle": (lambda: nn.ChannelShuffle(2), [lambda: floats(2, 4, 3, 3)]),
    "Upsample": (lambda: nn.Upsample(scale_factor=2, mode="bilinear"), [lambda: floats(1, 2, 3, 3)]),
    "ReflectionPad1d": (lambda: nn.ReflectionPad1d(2), [lambda: floats(2, 5)]),
    "ReplicationPad2d": (lambda: nn.ReplicationPad2d(1), [lambda: floats(2, 3, 3)]),
    "CircularPad1d": (lambda: nn.CircularPad1d(2), [lambda: floats(1, 2, 5)]),
    "LPPool1d": (lambda: nn.LPPool1d(2, 2), [lambda: floats(2, 3, 6)]),
    **{
        f"Conv{n}d": (lambda n=n: getattr(nn, f"Conv{n}d")(4, 6, 2, groups=2), [lambda n=n: floats(*image(n))])
        for n in (1, 2)
    },
    **{
        f"ConvTranspose{n}d": (
            lambda n=n: getattr(nn, f"ConvTranspose{n}d")(4, 3, 2, 2),
            [lambda n=n: floats(*image(n))],
        )
        for n in (1, 2)
    },
    **{
        f"{kind}Pool{n}d": (lambda n=n, kind=kind: getattr(nn, f"{kind}Pool{n}d")(2), [lambda n=n: floats(*image(n))])
        for kind in ("Max", "Avg", "AdaptiveAvg", "AdaptiveMax")
        for n in (1, 2)
    },
    "scaled_dot_product_attention": (
        lambda: _Call(F.scaled_dot_product_attention),
        [lambda: floats(2, 3, 4), lambda: floats(2, 5, 4), lambda: floats(2, 5, 4), lambda: floats(3, 5)],
    ),
    "multi-query attention": (
        lambda: _Call(lambda q, k, v: q @ k.mT @ v),
        [lambda: floats(1, 3, 5, 4), lambda: floats(1, 1, 6, 4), lambda: floats(1, 1, 6, 4)],
    ),
    "einsum": (
        lambda: _Call(lambda a, b, c: rl.einsum("bij,bkj,bk->bi", a, b, c)),
        [lambda: floats(1, 3, 4), lambda: floats(1, 5, 4), lambda: floats(1, 5)],
    ),
    "grid_sample": (
        lambda: _Call(lambda x, g: F.grid_sample(x, g, align_corners=False)),
        [lambda: floats(1, 2, 3, 3), lambda: floats(1, 2, 2, 2).tanh()],
    ),
    "layer_norm and linear": (
        lambda: _Call(lambda x, w, b, m: F.linear(F.layer_norm(x, (4,), w, b), m)),
        [lambda: floats(2, 4), lambda: floats(4), lambda: floats(4), lambda: floats(3, 4)],
    ),
    "embedding": (lambda: _Call(F.embedding), [lambda: classes(2), lambda: floats(3, 4)]),
    "normalize": (lambda: _Call(F.normalize), [lambda: floats(2, 4)]),
}


class _Call(nn.Module):
    """A function as a module."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__()
        self.fn = fn

    def forward(self, *args: Any) -> Any:
        return self.fn(*args)


def tensors_of(x: Any) -> list[Any]:
    return (
        [x]
        if isinstance(x, rl.Tensor)
        else [t for v in x for t in tensors_of(v)]
        if isinstance(x, (tuple, list))
        else []
    )


@pytest.mark.parametrize("name", CASES)
def test_modules(name: str) -> None:
    rl.manual_seed(0)
    make, inputs = CASES[name]
    module = make()
    names = list(dict(module.named_parameters()))
    rows = [
        [*(fn() for fn in inputs), *(p.detach() + 0.1 * rl.randn(p.shape) for p in module.parameters())]
        for _ in range(EXAMPLES)
    ]
    n = len(inputs)

    def fn(*xs: Any) -> list[Any]:
        return tensors_of(functional_call(module, dict(zip(names, xs[n:], strict=True)), xs[:n]))

    rng = random.Random(name)
    done = 0
    for case in cases([x.ndim for x in rows[0][:n]], rng, everything=n > 1):
        # The parameters are all mapped, or none is: they are many.
        mapped = rng.random() < 0.5
        levels = []
        for k, level in enumerate(case.levels):
            inner = k == len(case.levels) - 1
            dims = tuple(rng.choice((0, -1)) if mapped and inner else None for _ in rows[0][n:])
            levels.append(type(level)(level.size, (*level.in_dims, *dims), level.out_dim))
        done += check(fn, rows, type(case)(tuple(levels)), vmap, lambda d: 1e-4, name)
    assert done


def test_the_modules_that_compute_with_several_tensors_are_here() -> None:
    """Whoever adds a module with parameters adds it above."""
    known = {key.split()[0] for key in CASES}
    # the rank alone differs
    same = (
        "Conv3d",
        "ConvTranspose3d",
        "BatchNorm2d",
        "BatchNorm3d",
        "InstanceNorm1d",
        "InstanceNorm3d",
        "SyncBatchNorm",
    )
    containers = (
        "Module",
        "Sequential",
        "ModuleList",
        "ModuleDict",
        "ParameterList",
        "ParameterDict",
        "DataParallel",
        "Transformer",
        "TransformerEncoder",
        "TransformerDecoder",
        "AdaptiveLogSoftmaxWithLoss",
        "Container",
    )
    for key, cls in vars(nn).items():
        if (
            inspect.isclass(cls)
            and issubclass(cls, nn.Module)
            and not key.startswith(("_", "Lazy"))
            and key not in known
            and key not in same
            and key not in containers
        ):
            needed = [
                p
                for p in list(inspect.signature(cls.__init__).parameters)[1:]
                if p in ("embed_dim", "d_model", "in_features", "in_channels", "num_embeddings")
            ]
            assert not needed, f"nn.{key} has parameters and is in no case"
