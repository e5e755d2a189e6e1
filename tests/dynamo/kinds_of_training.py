"""Training programs of many kinds, written for PyTorch: each gets the library and what compiles a function of it, and
gives what makes the n-th step and the tensors that the steps change. `test_kinds_of_training.py` compares compiled
functions with functions that run as they are written, `tests/parity/test_trained_alike.py` with PyTorch.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

Compile = Callable[[Any], Any]
Program = tuple[Callable[[int], Any], Iterable[Any]]


def two_optimizers(T: Any, compile: Compile) -> Program:
    """A generator and its critic."""
    nn = T.nn
    generator = nn.Sequential(
        nn.ConvTranspose2d(8, 6, 4, bias=False),
        nn.BatchNorm2d(6),
        nn.ReLU(),
        nn.ConvTranspose2d(6, 1, 4, 2, 1),
        nn.Tanh(),
    )
    critic = nn.Sequential(nn.Conv2d(1, 6, 4, 2, 1), nn.LeakyReLU(0.2, inplace=True), nn.Conv2d(6, 1, 4), nn.Flatten())
    first, second = (T.optim.Adam(m.parameters(), 2e-3, betas=(0.5, 0.999)) for m in (generator, critic))
    loss = nn.BCEWithLogitsLoss()

    @compile
    def step(real: Any) -> Any:
        n = real.size(0)
        one, zero = T.ones(n, 1), T.zeros(n, 1)
        critic.zero_grad()
        of_real = loss(critic(real), one)
        of_real.backward()
        made = generator(T.randn(n, 8, 1, 1))
        of_made = loss(critic(made.detach()), zero)
        of_made.backward()
        second.step()
        generator.zero_grad()
        told = loss(critic(made), one)
        told.backward()
        first.step()
        return of_real.detach() + of_made.detach(), told.detach()

    return lambda n: step(T.randn(4, 1, 8, 8)), [*generator.parameters(), *critic.parameters(), *generator.buffers()]


def accumulated_and_scaled(T: Any, compile: Compile) -> Program:
    """Gradients of several batches under autocast, scaled and clipped."""
    nn, F = T.nn, T.nn.functional
    model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 3))
    optimizer = T.optim.AdamW(model.parameters(), 1e-2)
    scaler = T.amp.GradScaler("cpu", init_scale=8.0, growth_interval=3)

    @compile
    def step(xs: list[Any], ys: list[Any]) -> Any:
        total = T.zeros(())
        for x, y in zip(xs, ys, strict=True):
            with T.autocast("cpu", dtype=T.bfloat16):
                loss = F.cross_entropy(model(x).float(), y) / len(xs)
            scaler.scale(loss).backward()
            total += loss.detach()
        scaler.unscale_(optimizer)
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        return total, norm

    def made(n: int) -> Any:
        return step([T.randn(4, 8) for _ in range(3)], [T.randint(0, 3, (4,)) for _ in range(3)])

    return made, [*model.parameters()]


def averaged(T: Any, compile: Compile) -> Program:
    """Averages of the weights beside them."""
    nn, F = T.nn, T.nn.functional
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.SiLU(), nn.Linear(8, 1))
    swa = T.optim.swa_utils
    average = swa.AveragedModel(model, multi_avg_fn=swa.get_ema_multi_avg_fn(0.9))
    shadow = {k: v.clone() for k, v in model.state_dict().items()}
    optimizer = T.optim.SGD(model.parameters(), 0.1, momentum=0.9, nesterov=True)

    @compile
    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = F.huber_loss(model(x), y)
        loss.backward()
        optimizer.step()
        average.update_parameters(model)
        with T.no_grad():
            for k, v in model.state_dict().items():
                if v.dtype.is_floating_point:
                    shadow[k].mul_(0.99).add_(v, alpha=0.01)
                else:
                    shadow[k].copy_(v)
            of_average = F.huber_loss(average(x), y)
        return loss, of_average

    changed = [*model.parameters(), *average.parameters(), *average.buffers(), *shadow.values()]
    return lambda n: step(T.randn(8, 6), T.randn(8, 1)), changed


def packed(T: Any, compile: Compile) -> Program:
    """Sequences of several lengths, and gradients clipped by value."""
    nn, F, rnn = T.nn, T.nn.functional, T.nn.utils.rnn
    embedding, head = nn.Embedding(11, 6, padding_idx=0), nn.Linear(10, 3)
    net = nn.LSTM(6, 5, 2, batch_first=True, bidirectional=True, dropout=0.2)
    parameters = [*embedding.parameters(), *net.parameters(), *head.parameters()]
    optimizer = T.optim.RMSprop(parameters, 1e-2, centered=True)

    @compile
    def step(x: Any, lengths: Any, y: Any) -> Any:
        optimizer.zero_grad()
        given = rnn.pack_padded_sequence(embedding(x), lengths, batch_first=True, enforce_sorted=False)
        out, (h, _) = net(given)
        out, lens = rnn.pad_packed_sequence(out, batch_first=True)
        z = head(T.cat([h[-2], h[-1]], 1)) + head(out.sum(1) / lens[:, None])
        loss = F.cross_entropy(z, y)
        loss.backward()
        nn.utils.clip_grad_value_(parameters, 0.05)
        optimizer.step()
        return loss

    def made(n: int) -> Any:
        return step(T.randint(0, 11, (4, 6)), T.tensor([[2, 6, 6, 1], [5, 3, 1, 4]][n % 2]), T.randint(0, 3, (4,)))

    return made, parameters


def checkpointed(T: Any, compile: Compile) -> Program:
    """Blocks that are run again in the backward."""
    nn, F = T.nn, T.nn.functional
    checkpoint = importlib.import_module(f"{T.__name__}.utils.checkpoint")
    blocks = nn.ModuleList(
        nn.Sequential(nn.LayerNorm(6), nn.Linear(6, 12), nn.GELU(), nn.Dropout(0.2), nn.Linear(12, 6)) for _ in range(4)
    )
    optimizer = T.optim.AdamW(blocks.parameters(), 1e-2)

    @compile
    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        x = x + blocks[0](x)
        for i in range(1, 4):
            x = x + checkpoint.checkpoint(blocks[i], x, use_reentrant=bool(i % 2))
        loss = F.mse_loss(checkpoint.checkpoint_sequential(blocks[0], 2, x, use_reentrant=False), y)
        loss.backward()
        optimizer.step()
        return loss

    return lambda n: step(T.randn(5, 6, requires_grad=True), T.randn(5, 6)), [*blocks.parameters()]


def ensemble(T: Any, compile: Compile) -> Program:
    """Several models at once, and gradients of single samples."""
    nn, func = T.nn, T.func
    models = [nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1)) for _ in range(4)]
    base = models.pop()
    stacked, _ = func.stack_module_state(models)
    params = {k: v.detach().clone() for k, v in stacked.items()}

    def loss(p: dict[str, Any], x: Any, y: Any) -> Any:
        return nn.functional.mse_loss(func.functional_call(base, p, (x,)), y)

    @compile
    def step(x: Any, y: Any) -> Any:
        g, losses = func.vmap(func.grad_and_value(loss), in_dims=(0, None, None))(params, x, y)
        first = {k: v[0] for k, v in params.items()}
        single = func.vmap(func.grad(loss), in_dims=(None, 0, 0))(first, x[:, None], y[:, None])
        for k, v in params.items():
            v.sub_(0.1 * g[k] + 0.001 * single[k].mean(0))
        return losses

    return lambda n: step(T.randn(7, 4), T.randn(7, 1)), [*params.values()]


def learning_to_learn(T: Any, compile: Compile) -> Program:
    """Steps of gradient descent in the loss (MAML)."""
    nn, F = T.nn, T.nn.functional
    model = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = T.optim.Adam(model.parameters(), 1e-2)

    @compile
    def step(xs: Any, ys: Any, later_xs: Any, later_ys: Any) -> Any:
        optimizer.zero_grad()
        total = 0.0
        for k in range(2):
            p = dict(model.named_parameters())
            for _ in range(2):
                loss = F.mse_loss(T.func.functional_call(model, p, xs[k]), ys[k])
                g = T.autograd.grad(loss, p.values(), create_graph=True)
                p = {n: w - 0.1 * d for (n, w), d in zip(p.items(), g, strict=True)}
            total = total + F.mse_loss(T.func.functional_call(model, p, later_xs[k]), later_ys[k])
        total.backward()  # type: ignore[attr-defined]
        optimizer.step()
        return total.detach()  # type: ignore[attr-defined]

    return lambda n: step(*[T.randn(2, 5, 1) for _ in range(4)]), [*model.parameters()]


def variational(T: Any, compile: Compile) -> Program:
    """Draws from distributions, and their divergence."""
    nn, F, D = T.nn, T.nn.functional, T.distributions
    encoder, decoder = nn.Linear(10, 6), nn.Sequential(nn.Linear(3, 8), nn.Softplus(), nn.Linear(8, 10))
    parameters = [*encoder.parameters(), *decoder.parameters()]
    optimizer = T.optim.Adamax(parameters, 5e-3)

    @compile
    def step(x: Any) -> Any:
        optimizer.zero_grad(set_to_none=False)
        mean, log_variance = encoder(x).chunk(2, -1)
        q = D.Normal(mean, (0.5 * log_variance).exp())
        divergence = D.kl_divergence(q, D.Normal(T.zeros(()), T.ones(()))).sum(-1)
        error = F.binary_cross_entropy_with_logits(decoder(q.rsample()), x, reduction="none").sum(-1)
        loss = (error + 0.5 * divergence).mean()
        loss.backward()
        optimizer.step()
        return loss.item(), divergence.detach()

    return lambda n: step(T.rand(6, 10)), parameters


def two_networks(T: Any, compile: Compile) -> Program:
    """Q-learning, with a target network that follows."""
    nn, F = T.nn, T.nn.functional
    net, target = (nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)) for _ in range(2))
    target.load_state_dict(net.state_dict())
    target.requires_grad_(False)
    optimizer = T.optim.AdamW(net.parameters(), 1e-3, amsgrad=True)

    @compile
    def step(state: Any, action: Any, reward: Any, later: Any, done: Any) -> Any:
        q = net(state).gather(1, action[:, None]).squeeze(1)
        following = T.zeros(len(state))
        with T.no_grad():
            following[~done] = target(later[~done]).max(1).values
        loss = F.smooth_l1_loss(q, reward + 0.9 * following)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(net.parameters(), 100)
        optimizer.step()
        mine, its = net.state_dict(), target.state_dict()
        target.load_state_dict({k: v * 0.05 + its[k] * 0.95 for k, v in mine.items()})
        return loss

    def made(n: int) -> Any:
        return step(T.randn(6, 4), T.randint(0, 2, (6,)), T.randn(6), T.randn(6, 4), T.rand(6) < 0.3)

    return made, [*net.parameters(), *target.parameters()]


def contrastive(T: Any, compile: Compile) -> Program:
    """Normalized weights, two groups of parameters, a matrix of similarities with a mask."""
    nn, F, made_of = T.nn, T.nn.functional, T.nn.utils.parametrizations
    encoder = nn.Sequential(made_of.weight_norm(nn.Linear(6, 8)), nn.PReLU(), made_of.spectral_norm(nn.Linear(8, 4)))
    scale = nn.Parameter(T.tensor(0.5).log())
    groups = [{"params": encoder.parameters()}, {"params": [scale], "lr": 1e-2, "weight_decay": 0.1}]
    optimizer = T.optim.SGD(groups, 0.05, momentum=0.5)

    @compile
    def step(x: Any) -> Any:
        z = T.cat([F.normalize(encoder(x + 0.1 * T.randn_like(x)), dim=1) for _ in range(2)])
        n = len(x)
        similar = (z @ z.T * scale.exp()).masked_fill(T.eye(2 * n, dtype=T.bool), float("-inf"))
        y = T.cat([T.arange(n, 2 * n), T.arange(n)])
        loss = F.cross_entropy(similar, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss, (similar.argmax(1) == y).float().mean()

    return lambda n: step(T.randn(5, 6)), [*encoder.parameters(), *encoder.buffers(), scale]


def closure(T: Any, compile: Compile) -> Program:
    """An optimizer that asks for the loss several times a step."""
    nn, F = T.nn, T.nn.functional
    model = nn.Linear(4, 2)
    optimizer = T.optim.LBFGS(model.parameters(), 0.5, max_iter=3, line_search_fn="strong_wolfe")
    x, y = T.randn(9, 4), T.randn(9, 2)

    @compile
    def loss_of() -> Any:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y) + 1e-3 * sum(p.abs().sum() for p in model.parameters())
        loss.backward()
        return loss

    return lambda n: optimizer.step(loss_of), [*model.parameters()]


def distilled(T: Any, compile: Compile) -> Program:
    """A teacher in inference mode, bags of embeddings, a schedule that reads the loss."""
    nn, F = T.nn, T.nn.functional
    teacher = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4)).eval()
    student = nn.Sequential(nn.Linear(6, 5), nn.Hardswish(), nn.Linear(5, 4))
    bag = nn.EmbeddingBag(7, 6, mode="mean")
    optimizer = T.optim.Adadelta([*student.parameters(), *bag.parameters()])
    schedule = T.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)

    @compile
    def step(indices: Any, offsets: Any, y: Any) -> Any:
        x = bag(indices, offsets)
        with T.inference_mode():
            soft = F.softmax(teacher(x.detach()) / 2, -1)
        out = student(x)
        told = F.kl_div(F.log_softmax(out / 2, -1), soft.clone(), reduction="batchmean")
        loss = told * 4 + F.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step(loss.item())
        return loss

    def made(n: int) -> Any:
        return step(T.randint(0, 7, (9,)), T.tensor([0, 2, 5]), T.randint(0, 4, (3,)))

    return made, [*student.parameters(), *bag.parameters()]


def compiled_steps(T: Any, compile: Compile) -> Program:
    """Two optimizers whose steps are compiled, and their schedules, which are not."""
    nn, F, schedules = T.nn, T.nn.functional, T.optim.lr_scheduler
    a, b = nn.Linear(5, 5), nn.Sequential(nn.Tanh(), nn.Linear(5, 1))
    first, second = T.optim.NAdam(a.parameters(), 1e-2), T.optim.Adagrad(b.parameters(), 1e-1)
    cycle = schedules.OneCycleLR(first, 0.1, total_steps=60)
    restarts = schedules.CosineAnnealingWarmRestarts(second, 5)
    steps = [compile(first.step), compile(second.step)]

    @compile
    def loss_of(x: Any, y: Any) -> Any:
        return F.smooth_l1_loss(b(a(x)), y)

    def made(n: int) -> Any:
        loss = loss_of(T.randn(6, 5), T.randn(6, 1))
        loss.backward()
        for step in steps:
            step()
        for x in (first, second):
            x.zero_grad()
        for s in (cycle, restarts):
            s.step()
        return loss, cycle.get_last_lr()[0], restarts.get_last_lr()[0]

    return made, [*a.parameters(), *b.parameters()]


PROGRAMS: dict[str, Callable[[Any, Compile], Program]] = {
    f.__name__: f
    for f in (
        two_optimizers,
        accumulated_and_scaled,
        averaged,
        packed,
        checkpointed,
        ensemble,
        learning_to_learn,
        variational,
        two_networks,
        contrastive,
        closure,
        distilled,
        compiled_steps,
    )
}


def numbers(x: Any) -> list[Any]:
    """What a step gives, or has changed, as lists of numbers and None."""
    if hasattr(x, "detach"):
        return [x.detach().double().flatten().tolist()]
    if isinstance(x, (list, tuple)):
        return [n for part in x for n in numbers(part)]
    return [x]


def trained(T: Any, name: str, compile: Compile, steps: int) -> list[list[Any]]:
    """What each step gives and leaves, gradients included."""
    T.manual_seed(0)
    made, changed = PROGRAMS[name](T, compile)
    found = []
    for n in range(steps):
        given = numbers(made(n))
        grads = [p.grad for p in changed if p.is_leaf]
        found.append([*given, *numbers(list(changed)), *numbers(grads)])
    return found
