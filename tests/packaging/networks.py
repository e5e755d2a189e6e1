"""Networks that the tests package: the module, an example of its arguments, and which sizes may vary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import rushlight as rl
from rushlight import nn
from rushlight.export import Dim

F = nn.functional


class Case(NamedTuple):
    """make: the module, and an example. shapes: as of export. sizes: of the dimensions that vary, for other calls."""

    make: Callable[[], tuple[nn.Module, tuple[Any, ...]]]
    shapes: Any = None
    sizes: tuple[tuple[int, ...], ...] = ()


class Net(nn.Module):
    """A function of modules and arguments."""

    def __init__(self, run: Callable[..., Any], *modules: nn.Module) -> None:
        super().__init__()
        self.run, self.parts = run, nn.ModuleList(modules)

    def forward(self, *args: Any) -> Any:
        return self.run(self.parts, *args)


def _convolutions() -> tuple[nn.Module, tuple[Any, ...]]:
    def run(m: Any, x: Any) -> Any:
        x = F.max_pool2d(F.relu_(m[1](m[0](x))), 2)
        return m[3](F.adaptive_avg_pool2d(F.relu(m[2](x)), 1).flatten(1))

    layers = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.Conv2d(8, 12, 3, stride=2, groups=2)
    return Net(run, *layers, nn.Linear(12, 5)), (rl.randn(4, 3, 10, 10),)


def _reductions() -> tuple[nn.Module, tuple[Any, ...]]:
    def run(m: Any, x: Any) -> Any:
        parts = x.sum(0), x.mean(1), x.cumsum(0), x.t().contiguous(), x.argmax(1)
        return {"parts": parts, "sum": x.sum(), "rows": x.size(0), "none": None, "same": x}

    return Net(run), (rl.randn(4, 6),)


def _functions() -> tuple[nn.Module, tuple[Any, ...]]:
    return Net(lambda m, x: F.gelu(m[0](x)) + x.erfinv() + rl.lgamma(x + 2), nn.LayerNorm(24)), (rl.rand(4, 24) * 0.9,)


def _shared() -> tuple[nn.Module, tuple[Any, ...]]:
    embedding, out = nn.Embedding(30, 16), nn.Linear(16, 30, bias=False)
    out.weight = embedding.weight
    return Net(lambda m, i: m[1](m[0](i)).log_softmax(-1), embedding, out), (rl.randint(0, 30, (4, 9)),)


def _two_inputs() -> tuple[nn.Module, tuple[Any, ...]]:
    return Net(lambda m, x, y: rl.linalg.solve(x @ x.mT + rl.eye(6) * 3, y["b"])), (
        rl.randn(4, 6, 6),
        {"b": rl.randn(4, 6, 2)},
    )


def _scattered() -> tuple[nn.Module, tuple[Any, ...]]:
    return Net(lambda m, i, x: rl.zeros(50, 4096).index_add(0, i, x)), (rl.randint(0, 50, (4,)), rl.randn(4, 4096))


_B = Dim("b", min=1, max=40)
_BATCH = tuple((n,) for n in (1, 2, 3, 17, 40))
CASES: dict[str, Case] = {
    "convolutions": Case(_convolutions, {"args": ({0: _B},)}, _BATCH),
    "transformer": Case(
        lambda: (nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), (rl.randn(3, 8, 16),)),
        {"src": {0: _B, 1: Dim("t", min=4, max=40)}},
        ((1, 4), (2, 9), (40, 40)),
    ),
    "attention": Case(
        lambda: (Net(lambda m, q: F.scaled_dot_product_attention(q, q, q, is_causal=True)), (rl.randn(2, 2, 70, 8),)),
        {"args": ({2: Dim("t", min=4, max=300)},)},
        ((4,), (65,), (300,)),
    ),
    "lstm": Case(
        lambda: (Net(lambda m, x: m[0](x)[0], nn.LSTM(6, 8, batch_first=True)), (rl.randn(4, 5, 6),)),
        {"args": ({0: _B},)},
        _BATCH,
    ),
    "embedding": Case(_shared, {"args": ({0: _B},)}, _BATCH),
    "topk": Case(lambda: (Net(lambda m, x: rl.topk(x, 3, -1)), (rl.randn(4, 9),)), {"args": ({0: _B},)}, _BATCH),
    "fourier": Case(lambda: (Net(lambda m, x: rl.fft.rfft(x).abs()), (rl.randn(4, 12),)), {"args": ({0: _B},)}, _BATCH),
    "solve": Case(_two_inputs, {"args": ({0: _B}, {"b": {0: _B}})}, _BATCH),
    "functions": Case(_functions, {"args": ({0: _B},)}, _BATCH),
    "scattered": Case(_scattered, {"args": ({0: _B}, {0: _B})}, _BATCH),
    "reductions": Case(_reductions, {"args": ({0: _B},)}, _BATCH),
    "half": Case(
        lambda: (Net(lambda m, x: m[0](x).relu(), nn.Linear(24, 24).bfloat16()), (rl.rand(4, 24).bfloat16(),)),
        {"args": ({0: _B},)},
        _BATCH,
    ),
    "double": Case(
        lambda: (
            Net(lambda m, x: m[0](x).tanh(), nn.ConvTranspose1d(4, 6, 3, stride=2).double()),
            (rl.rand(4, 4, 11).double(),),
        )
    ),
}


def made(name: str) -> tuple[nn.Module, tuple[Any, ...]]:
    """A network in evaluation mode, and its example: the same at each call."""
    rl.manual_seed(7)
    module, args = CASES[name].make()
    return module.eval(), args


def at_sizes(name: str, sizes: tuple[int, ...], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The example with other sizes in the dimensions that vary."""
    (dims,) = {tuple(d) for d in _varying(CASES[name].shapes)}

    def changed(x: Any) -> Any:
        if isinstance(x, dict):
            return {k: changed(v) for k, v in x.items()}
        for d, n in zip(dims, sizes, strict=True):
            times = -(-n // x.shape[d])
            x = rl.cat([x * (k + 1) if x.is_floating_point() and name != "functions" else x for k in range(times)], d)
            x = x.narrow(d, 0, n).contiguous()
        return x

    return tuple(map(changed, args))


def _varying(shapes: Any) -> Any:
    if isinstance(shapes, dict) and all(isinstance(k, int) for k in shapes):
        yield shapes
    elif isinstance(shapes, (dict, tuple)):
        for s in shapes.values() if isinstance(shapes, dict) else shapes:
            yield from _varying(s)
