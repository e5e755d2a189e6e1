"""What of Python's language, and which layers, a replayed function may have; and what of it needs Python."""

from __future__ import annotations

import contextlib
import functools
import gc
import math
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn

F = nn.functional
no_block = contextlib.nullcontext()


class Base(nn.Module):
    scale = 2.0

    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.sizes = [1, 2]
        self.cfg = {"act": "relu", "p": 0.0}
        self.acts = nn.ModuleDict({"relu": nn.ReLU(), "tanh": nn.Tanh()})
        self.scales = nn.ParameterList([nn.Parameter(rl.ones(4)) for _ in range(2)])
        self.partial = functools.partial(F.gelu, approximate="tanh")

    def forward(self, x: Any, **more: Any) -> Any:
        return self.lin(x)

    @staticmethod
    def less(x: Any) -> Any:
        return x - 1

    @classmethod
    def scaled(cls, x: Any, *, by: float = 1.0) -> Any:
        return x * cls.scale * by

    @property
    def width(self) -> int:
        return self.lin.out_features


class Child(Base):
    def forward(self, x: Any, **more: Any) -> Any:
        y = super().forward(x)
        for name in more:
            y = y * more[name]
        return self.less(self.scaled(y, by=3.0)) + self.width


def blocks(m: Any, x: Any) -> Any:
    with rl.no_grad(), no_block:
        mean = m.lin(x).mean()
    with rl.set_grad_enabled(m.training) as _, rl.enable_grad():
        y = m.lin(x)
    return y.relu() - mean


@rl.no_grad()
def decorated(m: Any, x: Any) -> Any:
    return m.lin(x).relu() + 1


def errors(m: Any, x: Any) -> Any:
    try:
        k = m.cfg["none"]
    except (KeyError, IndexError):
        k = 3.0
    else:
        k = 4.0
    finally:
        x = x * 2
    return m.lin(x).relu() * k


def texts(m: Any, x: Any) -> Any:
    name = f"l{'in'}"
    if (n := x.shape[0]) > 2 and f"{n:02d}" == "04" and name.startswith("li"):
        x = x * n
    return getattr(m, name)(x).relu() if hasattr(m, name) else x


def containers(m: Any, x: Any) -> Any:
    found = {f"k{i}": m.lin(x) * s for i, s in enumerate(m.sizes)}
    found["sum"] = sum(found.values())
    parts = [y.relu() for y in found.values() if y.ndim == 2]
    parts[0] = parts[0] + 1
    parts += [x]
    first, *rest = parts
    del rest[0]
    known = {k for k in m.cfg if k != "p"}
    total = sum(y * i for i, y in enumerate(rest)) + first * len(known)
    return {**found, "total": total, "pair": (x, [y for y, _ in zip(rest, range(1), strict=False)])}


def members(m: Any, x: Any) -> Any:
    for w in m.scales:
        x = x * w
    for key in m.acts:
        x = m.acts[key](x)
    return m.partial(x) * len(m.scales) if "relu" in m.acts else x


def in_place(m: Any, x: Any) -> Any:
    y = m.lin(x)
    y += 1
    z = rl.zeros(4, 4)
    z[:2] = x[:2]
    z[0, 1:] *= 2
    return y.mul_(2).relu() + z


def inner(m: Any, x: Any) -> Any:
    import math as own

    def f(y: Any, k: int = 2) -> Any:
        return y * k * own.sqrt(4)

    if not isinstance(m, Base) or isinstance(x, (list, tuple)):
        raise TypeError(f"found {x.shape}")
    return (lambda t: f(t) + 1)(m.lin(x)).to(rl.float64 if x.dtype in (rl.float64,) else rl.float32) + math.pi


def made(m: Any, x: Any) -> Any:
    scores = (x @ x.t()).masked_fill(rl.tril(rl.ones_like(x)) == 0, float("-inf"))
    mask = rl.arange(x.size(0), device=x.device, dtype=rl.float32)[:, None]
    y = F.softmax(scores, -1) @ x * mask + x.new_tensor([1.0, 2.0, 3.0, 4.0])
    return y[:, [1, 0]] * rl.finfo(x.dtype).eps + rl.tensor(m.sizes)


def drawn(m: Any, x: Any) -> Any:
    return F.dropout(m.lin(x), 0.5, m.training) * rl.rand_like(x) + rl.bernoulli(x.sigmoid())


def named(m: Any, x: Any) -> Any:
    values, places = x.max(dim=1)
    best = x.topk(2)
    for _, p in m.named_parameters():
        x = x + p.sum()
    return x * values[:, None] + best.values.sum() + places.sum()


FUNCTIONS = [
    blocks, decorated, errors, texts, containers, members, in_place, inner, made, drawn, named,
]  # fmt: skip


def bits(x: Any) -> Any:
    if isinstance(x, rl.Tensor):
        return x.dtype, x.requires_grad, tuple(x.shape), x.stride(), bytes(x.detach().clone().untyped_storage())
    if isinstance(x, dict):
        return {k: bits(v) for k, v in x.items()}
    return [bits(y) for y in x] if isinstance(x, (list, tuple)) else x


def check(fn: Any, calls: list[tuple[tuple[Any, ...], dict[str, Any]]], replayed: int) -> Any:
    """Calls give what `fn` does, and leave the stream of random numbers as it does; so many are replays."""
    compiled = rl.compile(fn)
    for args, kwargs in calls:
        found = []
        for f in (fn, compiled):
            rl.manual_seed(1)
            found.append((bits(f(*args, **kwargs)), bits(rl.rand(2))))
        assert found[0] == found[1]
    context = getattr(compiled, "_run_", compiled)._context_
    assert sum(r.runs for r in context.replays) == replayed, context.why_not
    return context


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("training", [False, True])
def test_a_function_is_replayed(fn: Callable[..., Any], training: bool) -> None:
    rl.manual_seed(0)
    m = Child().train(training)
    check(fn, [((m, rl.randn(4, 4)), {}) for _ in range(3)], replayed=2)


def test_arguments_by_name_and_containers_of_tensors() -> None:
    def f(x: Any, /, pair: Any, *rest: Any, k: float = 1.0, **more: Any) -> Any:
        return (x * pair[0] + pair[1]["b"]) * k + sum(rest) + len(more)

    x, y = rl.randn(4), rl.randn(4)
    pair = [x, {"b": y}]
    same = [((y, pair, y), {"k": 2.0, "z": 1})] * 3
    others: list[Any] = [
        ((y, pair, y), {"k": 3.0, "z": 1}), ((y, pair), {"k": 2.0, "z": 1}), ((y, pair, y), {"k": 2.0, "w": 1}),
        ((y, (x, {"b": y}), y), {"k": 2.0, "z": 1}), ((y, [x, {"b": x}], y), {"k": 2.0, "z": 1}),
    ]  # fmt: skip
    check(f, [*same, *others, *same], replayed=5)


def test_an_object_that_is_given_is_told_by_its_identity_and_not_held() -> None:
    class Owner:
        def __init__(self) -> None:
            self.k = 2.0

        def method(self, x: Any) -> Any:
            return (x * self.k).relu() + 1

    x, owner, other = rl.randn(4), Owner(), Owner()
    compiled: Any = rl.compile(Owner.method)
    context = compiled._context_
    for k in (2.0, 2.0, 3.0, 3.0):
        owner.k += k - 2.0
        assert rl.equal(compiled(owner, x), owner.method(x)) and rl.equal(compiled(other, x), other.method(x))
    runs = sum(r.runs for r in context.replays)
    owner.__dict__ = {"k": 7.0}
    assert rl.equal(compiled(owner, x), owner.method(x))
    assert runs >= 3 and sum(r.runs for r in context.replays) == runs
    before, gone = len(context.replays), weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None and len(context.replays) < before


def test_a_container_that_was_there_before_is_given_back_itself() -> None:
    kept = [rl.ones(4)]

    def f(x: Any) -> Any:
        return (x * kept[0]).relu(), kept

    compiled = rl.compile(f)
    for _ in range(3):
        assert compiled(rl.randn(4))[1] is kept


def test_what_is_written_to_an_argument_is_written_by_every_call() -> None:
    def f(x: Any) -> Any:
        y = x.view(-1)
        y += 1
        return x * 2

    compiled, x = rl.compile(f), rl.zeros(2, 2)
    for n in range(1, 4):
        assert compiled(x).tolist() == [[2.0 * n, 2.0 * n]] * 2


def test_a_function_that_a_layer_has_of_the_program_is_read() -> None:
    seen: list[int] = []

    def distance(a: Any, b: Any) -> Any:
        seen.append(1)
        return (a - b).abs().sum(-1)

    loss = nn.TripletMarginWithDistanceLoss(distance_function=distance)
    x = rl.randn(3, 4)
    counts = []
    for f in (loss, rl.compile(loss)):
        seen.clear()
        for _ in range(3):
            f(x, x + 1, x - 1)
        counts.append(len(seen))
    assert counts[0] == counts[1] >= 3


ONES_BY_NAME: dict[str, Callable[[], tuple[nn.Module, Any]]] = {
    "conv2d": lambda: (nn.Conv2d(1, 2, 3), rl.randn(1, 1, 5, 5)),
    "conv_transpose2d": lambda: (nn.ConvTranspose2d(1, 2, 3), rl.randn(1, 1, 5, 5)),
    "hardswish": lambda: (nn.Hardswish(), rl.randn(4)),
    "elu": lambda: (nn.ELU(), rl.randn(4)),
    "dropout": lambda: (nn.Dropout(0.0), rl.randn(4)),
    "softmax": lambda: (nn.Softmax(0), rl.randn(4)),
    "linear": lambda: (nn.Linear(4, 4), rl.randn(4)),
    "layer_norm": lambda: (nn.LayerNorm(4), rl.randn(4)),
    "batch_norm": lambda: (nn.BatchNorm2d(1), rl.randn(1, 1, 4, 4)),
    "max_pool2d": lambda: (nn.MaxPool2d(2), rl.randn(1, 1, 4, 4)),
    "interpolate": lambda: (nn.Upsample(scale_factor=2), rl.randn(1, 1, 4, 4)),
    "pad": lambda: (nn.ZeroPad2d(1), rl.randn(1, 1, 4, 4)),
    "embedding": lambda: (nn.Embedding(3, 3), rl.tensor([1])),
}


@pytest.mark.parametrize("name", ONES_BY_NAME)
def test_a_function_that_a_layer_calls_by_its_name_may_be_replaced(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    m, x = ONES_BY_NAME[name]()
    compiled = rl.compile(m)
    for _ in range(3):
        assert rl.allclose(compiled(x), m(x))
    monkeypatch.setattr(F, name, lambda x, *_, **__: x * 3)
    assert rl.equal(compiled(x), x * 3)


LAYERS: dict[str, tuple[Callable[[], Any], int]] = {
    "attention": (lambda: nn.MultiheadAttention(4, 2, batch_first=True), 3),
    "encoder": (lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), 2), 1),
    "transformer": (lambda: nn.Transformer(4, 2, 1, 1, 8, batch_first=True), 2),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_of_attention_are_replayed(name: str) -> None:
    make, n = LAYERS[name]
    rl.manual_seed(0)
    m, x = make(), rl.randn(2, 3, 4)
    check(m, [((x,) * n, {})] * 3, replayed=2)


def test_explain_says_whether_a_call_is_replayed(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    x = rl.randn(4)

    def pure(x: Any) -> Any:
        return (x * 2 + 1).relu()

    def prints(x: Any) -> Any:
        print("a line")
        return (x * 2 + 1).relu()

    told = []
    for fn, n in ((pure, 0), (pure, 3), (prints, 1)):
        f = rl.compile(fn)
        for _ in range(n):
            f(x)
        rl.explain(f, x, html=tmp_path / "page.html")
        text = capsys.readouterr().out
        told.append(next(line for line in text.splitlines() if line.startswith("replay")))
        assert told[-1].split(maxsplit=1)[1].split(":")[0] in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "no call has been looked into yet" in told[0]
    assert "need no Python: 1 calls of operators, which were made 2 times" in told[1]
    assert "print() is called" in told[2]
