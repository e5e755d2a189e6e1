"""Whole training steps as one compiled function: the bits of losses, parameters, gradients and states are those of the
same steps operator by operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn, optim
from rushlight.jit.segments import Segments
from rushlight.operators.table.compile import compile_count

F = nn.functional
STEPS = 50


def bits(t: Any) -> bytes:
    return bytes(t.detach().contiguous().untyped_storage())


def runner(fn: Any) -> Segments:
    found: Segments = fn._context_.runner
    return found


Step = Callable[..., Any]
Program = tuple[Step, list[Any], Any]  # the step, the tensors that it changes, the optimizer


def vectors(n: int) -> tuple[Any, Any]:
    return rl.randn(n, 12), rl.randn(n, 1)


def images(n: int) -> tuple[Any, Any]:
    return rl.randn(n, 3, 8, 8), rl.randint(0, 5, (n,))


def tokens(n: int) -> tuple[Any, Any]:
    return rl.randint(0, 11, (n, 6)), rl.randint(0, 11, (n, 6))


def stepper(model: Any, optimizer: Any, loss_of: Callable[..., Any]) -> Program:
    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = loss_of(model, x, y)
        loss.backward()
        optimizer.step()
        return loss

    return step, [*model.parameters(), *model.buffers()], optimizer


def regression(model: Any, x: Any, y: Any) -> Any:
    return (model(x) - y).square().mean()


def classification(model: Any, x: Any, y: Any) -> Any:
    out = model(x)
    return F.cross_entropy(out.reshape(-1, out.shape[-1]), y.reshape(-1))


def _perceptron() -> Program:
    model = nn.Sequential(nn.Linear(12, 16), nn.Tanh(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 1))
    return stepper(model, optim.AdamW(model.parameters(), lr=1e-2), regression)


class _Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.linear = nn.LayerNorm(width), nn.Linear(width, width)

    def forward(self, x: Any) -> Any:
        return x + 0.5 * F.gelu(self.linear(self.norm(x)))


def _residuals() -> Program:
    model = nn.Sequential(*(_Residual(12) for _ in range(4)), nn.Linear(12, 1))
    return stepper(model, optim.Adam(model.parameters(), lr=1e-2, amsgrad=True, weight_decay=0.1), regression)


def _convolutions() -> Program:
    model = nn.Sequential(
        nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(54, 5)
    )
    return stepper(model, optim.SGD(model.parameters(), lr=1e-2, momentum=0.9, weight_decay=1e-3), classification)


class _Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.linear, self.head = nn.Embedding(11, 8), nn.Linear(8, 8), nn.Linear(8, 11, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, x: Any) -> Any:
        return self.head(self.linear(self.embedding(x)).relu())


def _tied() -> Program:
    model = _Tied()
    return stepper(model, optim.AdamW(model.parameters(), lr=1e-2), classification)


class _Tagger(nn.Module):
    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.embedding, self.rnn, self.head = nn.Embedding(11, 8), kind(8, 8, batch_first=True), nn.Linear(8, 11)

    def forward(self, x: Any) -> Any:
        return self.head(self.rnn(self.embedding(x))[0])


def _lstm() -> Program:
    model = _Tagger(nn.LSTM)
    return stepper(model, optim.RMSprop(model.parameters(), lr=1e-3), classification)


def _gru() -> Program:
    model = _Tagger(nn.GRU)
    return stepper(model, optim.Adagrad(model.parameters(), lr=1e-2), classification)


class _Attending(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 8)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.head = nn.Linear(8, 11)

    def forward(self, x: Any) -> Any:
        return self.head(self.layer(self.embedding(x)))


def _attention() -> Program:
    model = _Attending()
    return stepper(model, optim.NAdam(model.parameters(), lr=1e-3), classification)


def _dropout() -> Program:
    model = nn.Sequential(nn.Linear(12, 16), nn.Dropout(0.3), nn.SiLU(), nn.Linear(16, 1))
    return stepper(model, optim.AdamW(model.parameters(), lr=1e-2), regression)


def _accumulated() -> Program:
    model = nn.Sequential(nn.Linear(12, 16), nn.GELU(), nn.Linear(16, 1))
    optimizer = optim.SGD(model.parameters(), lr=1e-2, momentum=0.9, nesterov=True)

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        total = 0.0
        for a, b in zip(x.split(3), y.split(3), strict=True):
            loss = regression(model, a, b) / 2
            loss.backward()
            total = total + loss.detach()
        optimizer.step()
        return total

    return step, [*model.parameters()], optimizer


def _clipped() -> Program:
    model = nn.Sequential(nn.Linear(12, 16), nn.Sigmoid(), nn.Linear(16, 1))
    optimizer = optim.Adam(model.parameters(), lr=1e-2)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad(set_to_none=False)
        loss = regression(model, x, y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
        schedule.step()
        return loss

    return step, [*model.parameters()], optimizer


def _by_hand() -> Program:
    model = nn.Sequential(nn.Linear(12, 16), nn.Softplus(), nn.Linear(16, 1))

    def step(x: Any, y: Any) -> Any:
        loss = F.huber_loss(model(x), y)
        parameters = list(model.parameters())
        gradients = rl.autograd.grad(loss, parameters)
        with rl.no_grad():
            for p, g in zip(parameters, gradients, strict=True):
                p -= 0.01 * g
        return loss.detach(), *gradients

    return step, [*model.parameters()], None


def _groups() -> Program:
    model = nn.Sequential(nn.Linear(12, 16), nn.ELU(), nn.Linear(16, 8), nn.ELU(), nn.Linear(8, 1))
    model[2].weight.requires_grad_(False)
    groups = [
        {"params": model[0].parameters(), "lr": 1e-2},
        {"params": [*model[2].parameters(), *model[4].parameters()]},
    ]
    return stepper(model, optim.Adam(groups, lr=1e-3, eps=1e-6), regression)


def _hooked() -> Program:
    model = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = optim.SGD(model.parameters(), lr=1e-2)
    seen: list[Any] = []
    model[0].weight.register_hook(lambda g: g * 0.5)
    model[2].bias.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.sum().item()))

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = regression(model, x, y)
        loss.backward()
        optimizer.step()
        return loss, rl.tensor(seen[-1])

    return step, [*model.parameters()], optimizer


PROGRAMS: dict[str, tuple[Callable[[], Program], Callable[[int], tuple[Any, Any]]]] = {
    make.__name__.strip("_").replace("_", " "): (make, batch)
    for batch, programs in (
        (vectors, (_perceptron, _residuals, _dropout, _accumulated, _clipped, _by_hand, _groups, _hooked)),
        (images, (_convolutions,)),
        (tokens, (_tied, _lstm, _gru, _attention)),
    )
    for make in programs
}


def flat(x: Any) -> Iterator[bytes]:
    if isinstance(x, rl.Tensor):
        yield bits(x)
    elif isinstance(x, dict):
        for v in x.values():
            yield from flat(v)
    elif isinstance(x, (tuple, list)):
        for v in x:
            yield from flat(v)


def trained(name: str, whole: bool) -> tuple[list[list[bytes]], Any]:
    """What each step gives, and leaves in parameters, gradients and states; and the step."""
    make, batch = PROGRAMS[name]
    rl.manual_seed(0)
    step, tensors, optimizer = make()
    data = [batch(6) for _ in range(STEPS)]
    run: Any = rl.compile(step, options={"always": True}) if whole else step
    found = []
    rl.manual_seed(1)
    for k, (x, y) in enumerate(data):
        given = run(x, y)
        if k % 7 == 0 or k > STEPS - 3:  # a value that is asked for between two steps may change nothing either
            gradients = [t.grad for t in tensors if t.grad is not None]
            states = optimizer.state_dict()["state"] if optimizer is not None else {}
            found.append(list(flat([given, tensors, gradients, states])))
        else:
            found.append(list(flat(given)))
    return found, run


@pytest.mark.parametrize("name", PROGRAMS)
def test_fifty_steps_have_the_bits_of_single_calls(name: str) -> None:
    expected, _ = trained(name, False)
    found, run = trained(name, True)
    wrong = [k for k, (a, b) in enumerate(zip(found, expected, strict=True)) if a != b]
    assert not wrong, f"steps {wrong}"
    assert runner(run).runs >= STEPS


@pytest.mark.parametrize("name", ("perceptron", "tied", "lstm", "convolutions"))
def test_a_step_is_one_segment(name: str) -> None:
    make, batch = PROGRAMS[name]
    step, _, _ = make()
    run: Any = rl.compile(step, options={"always": True})
    for _ in range(3):
        run(*batch(6))
    before = runner(run).runs
    for _ in range(5):
        run(*batch(6))
    assert runner(run).runs == before + 5 and not runner(run).one_by_one


@pytest.mark.parametrize("name", ("perceptron", "tied", "convolutions", "residuals"))
def test_batch_sizes_compile_nothing(name: str) -> None:
    make, batch = PROGRAMS[name]
    step, _, _ = make()
    run: Any = rl.compile(step, options={"always": True})
    for n in (2, 3, 4, 5):
        run(*batch(n))
    before, plans = compile_count[0], len(runner(run).plans)
    for n in range(6, 206):
        run(*batch(n))
    assert compile_count[0] == before and len(runner(run).plans) == plans
