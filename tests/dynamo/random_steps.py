"""Random training steps that are called again and again while nets, gradients and optimizers change at random:
compiled, they leave what they leave as they are written.

`python tests/dynamo/random_steps.py FIRST LAST` tries the steps of these numbers; of one number it prints all.
"""

from __future__ import annotations

import inspect
import linecache
import random
import sys
import warnings
from pathlib import Path
from typing import Any

import rushlight as rl
from rushlight import nn

sys.path.insert(0, str(Path(__file__).parent))

from random_replays import Outcome, refusals, report

F = nn.functional

WORLD = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(4, 5), nn.Linear(5, 4), nn.Linear(4, 1)
        self.drop, self.bn, self.e = nn.Dropout(0.3), nn.BatchNorm1d(5), nn.Embedding(6, 4)
        self.scale = nn.Parameter(rl.ones(4))
    def forward(self, x): return self.b(self.drop(F.relu(self.bn(self.a(x))))) * self.scale
N, J = Net(), nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
O = OPTIMIZER
P = rl.optim.SGD(J.parameters(), lr=0.1)
Z = SCHEDULE
C = rl.amp.GradScaler('cpu', growth_interval=2, enabled=ENABLED)
def half(e): return 0.5 ** (e // 2) if e < 6 else 0.1
W = rl.ones(4, requires_grad=True)
G = 0.5
K = []
S = []
"""
OPTIMIZERS = """
rl.optim.SGD(N.parameters(), lr=0.1)
rl.optim.SGD(N.parameters(), lr=0.05, momentum=0.9)
rl.optim.AdamW(N.parameters())
rl.optim.Adam([{'params': N.a.parameters()}, {'params': [N.scale, *N.b.parameters()], 'lr': 0.1}])
"""
SCHEDULES = """
rl.optim.lr_scheduler.StepLR(O, 2)
rl.optim.lr_scheduler.CosineAnnealingLR(O, 5)
rl.optim.lr_scheduler.LambdaLR(O, lambda e: min(1.0, (e + 1) / 4))
rl.optim.lr_scheduler.SequentialLR(O, [rl.optim.lr_scheduler.LinearLR(O), rl.optim.lr_scheduler.StepLR(O, 1)], [2])
rl.optim.lr_scheduler.ReduceLROnPlateau(O, patience=0)
"""
LOSSES = """
(N(x) - y).square().mean()
F.mse_loss(N.c(N(x)), y[:, :1])
(N(x) * W).tanh().sum()
F.cross_entropy(N(x), i % 4)
(N.e(i) * N(x)).abs().mean()
(J(N(x)).sigmoid() - G).square().sum()
(x * W).sin().sum()
N.scale.square().sum()
J(x.detach()).mean() + (N.scale * 2).sum()
(N(x) + N(x * G)).exp().mean().log()
N(x).clone(memory_format=rl.contiguous_format).square().sum()
(J(x.requires_grad_()) * G).sum()
"""
# Blocks around losses.
BLOCKS = """
rl.autocast('cpu')
rl.autocast('cpu', dtype=rl.bfloat16, cache_enabled=False)
rl.autocast('cpu', enabled=False)
rl.enable_grad()
"""
# Statements; {l} is a loss, {k} a number.
STATEMENTS = """
{l}.backward()|(({l} + W.sum()) * G).backward()|rl.autograd.backward([{l}, N.scale.sum()])
{l}.backward(inputs=[W, N.scale])|O.step()|O.step()|P.step()|O.zero_grad()|O.zero_grad()|P.zero_grad()|N.zero_grad()
W.grad = None|O.zero_grad(set_to_none=False)|nn.utils.clip_grad_norm_(N.parameters(), 0.5)
nn.utils.clip_grad_value_([W], 0.1)|r = r + rl.rand(4).sum()|for p in J.parameters(): p.grad = None
g = rl.autograd.grad({l}, [W, N.scale], allow_unused=True)[1]|W.grad = rl.full((4,), G)
r = r + (0.0 if W.grad is None else W.grad.sum())|r = r * 2 if N.training else r + 1
with rl.no_grad(): W.add_(W * 0.01)|with rl.no_grad(): W.sub_(W.grad if W.grad is not None else W)
r = N(x).detach().sum()|with rl.no_grad(): r = r + N(x).sum()|K.append({k})|{l}.backward(retain_graph=True)
x.grad = None|r = N.scale.grad|l.backward(retain_graph=True)|l.backward(retain_graph=True)|l.backward()
Z.step({z})|Z.step({z})|N.zero_grad(set_to_none=False)
C.scale(l).backward()|C.scale({l}).backward()|C.unscale_(O)|C.step(O)|C.step(O)|C.update()
l = l + sum(g.sin().sum() for g in rl.autograd.grad(l, [N.scale, W], create_graph=True, materialize_grads=True))
l = l + rl.autograd.grad({l}, N.b.weight, create_graph=True, allow_unused=True, materialize_grads=True)[0].sin().sum()
with {b}: l = {l}|with {b}: l = {l}|l = l * N(x).mean()|l = l + {l}
"""
CHANGES = """
O.param_groups[0]['lr'] *= 2|O.param_groups[0]['weight_decay'] = 0.1|N.eval()|N.train()|W.grad = rl.ones(4)
W.grad = None|O.load_state_dict(O.state_dict())|O = rl.optim.SGD(N.parameters(), lr=0.2)|O.state.clear()
N.scale.requires_grad_(not N.scale.requires_grad)|N.a.weight.requires_grad_(False)|N.scale.grad = rl.full((4,), 2.0)
K[:] = [p.grad for p in N.parameters()]|K.clear()|S.append(N.scale.register_hook(lambda g: g * 2))
S.append(W.register_post_accumulate_grad_hook(lambda t: [t.grad.mul_(2)] and None))
S.append(O.register_step_post_hook(lambda *a: W.data.add_(1)))|S.pop().remove()|W.data = rl.full((4,), 0.5)|G = 0.25
G = 2|N.scale = nn.Parameter(rl.full((4,), 2.0))|J[0] = nn.Linear(4, 4)|O.add_param_group({'params': [W]})
O.param_groups.pop()|O.param_groups[0]['params'].pop()|W.grad = N.scale.grad
W = rl.full((4,), 3.0, requires_grad=True)|W.requires_grad_(not W.requires_grad)|O.step = lambda: None
vars(O).pop('step', None)|K.append(W.grad)|N.zero_grad()|N.drop.p = 0.1|N.a.bias = None|x0 = None
N(rl.ones(3, 4)).sum().backward()|[p.grad.add_(1) for p in N.parameters() if p.grad is not None]
W.grad = rl.ones(4)[:].t()|rl.Tensor.backward = B|rl.Tensor.backward = A|N.double().float()
S.append(rl.autograd.graph.get_gradient_edge(W))|W = W.detach().exp()|C.update(4.0)|C.update()|Z.lr_lambdas[0] = half
C = rl.amp.GradScaler('cpu', enabled=False)|C = rl.amp.GradScaler('cpu', init_scale=1e38)|Z.last_epoch = 0
Z = rl.optim.lr_scheduler.LambdaLR(O, half)|Z.optimizer = P|rl.set_autocast_cache_enabled(False)
Z.step()|rl.set_autocast_cache_enabled(True)|N.scale.data.fill_(float('inf'))
"""


def _split(text: str) -> list[str]:
    return [part for line in text.strip().splitlines() for part in line.split("|")]


_STATEMENTS, _CHANGES, _LOSSES = map(_split, (STATEMENTS, CHANGES, LOSSES))
_OPTIMIZERS, _SCHEDULES, _BLOCKS = map(_split, (OPTIMIZERS, SCHEDULES, BLOCKS))
# Steps that programs have, as a whole.
_USUAL = (
    "O.zero_grad()|l = {l}|l.backward()|O.step()",
    "O.zero_grad(set_to_none=False)|l = {l}|l.backward()|O.step()|Z.step({z})",
    "O.zero_grad()|with {b}: l = {l}|C.scale(l).backward()|C.step(O)|C.update()",
    "O.zero_grad()|l = {l}|l.backward(retain_graph=True)|(l * G + {l}).backward()|O.step()",
)


def _function(rng: random.Random, told: str) -> str:
    """The text of a step. told: what its schedule's step is given."""
    lines = ["r = x.sum()"]
    usual = rng.choice(_USUAL).split("|")
    body = usual if rng.random() < 0.6 else [rng.choice(_STATEMENTS) for _ in range(rng.randint(2, 5))]
    for _ in range(rng.randint(0, 3)):
        body.insert(rng.randint(0, len(body)), rng.choice(_STATEMENTS))
    for s in body:
        loss, k = rng.choice(_LOSSES), rng.randint(0, 3)
        lines.append(s.format(l=f"({loss})" if "{l}." in s else loss, k=k, b=rng.choice(_BLOCKS), z=told))
        if rng.random() < 0.1:
            lines[-1] = f"if len(K) > {k}: {lines[-1]}" if ":" not in lines[-1] else lines[-1]
    result = rng.choice(
        ["r", "l", "l", "[r, l]", "r, W.grad", "l.detach(), N.scale.grad", "l.item()", "{'l': float(l), 'g': W.grad}"]
    )
    lines.insert(1, "l = (r * W).sum()")
    return "def f(x, y, i):\n" + "".join(f"    {line}\n" for line in [*lines, f"return {result}"])


def _bits(x: Any) -> Any:
    """What tells a value from others."""
    if isinstance(x, rl.Tensor):
        own = x.detach()
        memory = bytes(own.clone().contiguous().untyped_storage())
        return type(x), own.dtype, tuple(own.shape), own.stride(), x.requires_grad, x._version, memory
    if isinstance(x, (list, tuple)):
        return type(x), [_bits(y) for y in x]
    if isinstance(x, dict):
        return [(k, _bits(v)) for k, v in x.items()]
    return type(x), repr(x)


def _made(f: Any, world: dict[str, Any], seed: int, n: int) -> Any:
    """What a step gives, and what it leaves."""
    rl.manual_seed(seed)
    x, y, i = rl.randn(n, 4), rl.randn(n, 4), rl.randint(0, 6, (n,))
    try:
        found = _bits(f(x, y, i))
    except Exception as error:
        found = type(error)  # (Its words name the node, which is one of several calls.)
    tensors = [*world["N"].parameters(), *world["N"].buffers(), *world["J"].parameters(), world["W"]]
    grads = [t.grad for t in tensors if t.is_leaf]
    same = [[j for j, h in enumerate(grads) if h is g and g is not None] for g in grads]
    states = [(_bits(o.param_groups), [_bits(s) for s in o.state.values()]) for o in (world["O"], world["P"])]
    schedule = {k: v for k, v in vars(world["Z"]).items() if type(v) in (int, float) or k == "_last_lr"}
    states.append((_bits(schedule), [_bits(world["C"].state_dict())]))
    return found, _bits(tensors), _bits(grads), same, states, _bits(list(world["K"])), _bits(rl.rand(2))


def tried(seed: int, calls: int = 14) -> Outcome:
    """Call a step, with changes in between, as it is written and compiled."""
    rng = random.Random(seed)
    optimizer, schedule, enabled = rng.choice(_OPTIMIZERS), rng.choice(_SCHEDULES), str(rng.random() < 0.8)
    source = WORLD.replace("OPTIMIZER", optimizer).replace("SCHEDULE", schedule).replace("ENABLED", enabled)
    source += _function(
        rng, rng.choice(["l.detach()", "l.item()", "metrics=l.item()"]) if "Plateau" in schedule else ""
    )
    name = f"<random step {seed}>"
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    code = compile(source, name, "exec", dont_inherit=True)
    backward: Any = inspect.getattr_static(rl.Tensor, "backward")
    worlds: list[dict[str, Any]] = []
    for _ in range(2):
        rl.manual_seed(seed)
        worlds.append({"rl": rl, "nn": nn, "F": F, "__name__": "world", "A": backward})
        worlds[-1]["B"] = lambda self, *args, **kwargs: backward(self * 2, *args, **kwargs)
        exec(code, worlds[-1])
    compiled: Any = rl.compile(worlds[1]["f"])
    changes: list[str] = []
    wrong, n = "", 3
    try:
        for at in range(calls):
            if rng.random() < 0.3:
                changes.append(f"{at}: {(change := rng.choice(_CHANGES))}")
                changes += refusals(change, worlds, at)
            n = rng.choice([2, 5]) if rng.random() < 0.1 else n
            found = [_made(f, world, at, n) for f, world in zip((worlds[0]["f"], compiled), worlds, strict=True)]
            if found[0] != found[1]:
                parts = ("result", "tensors", "gradients", "which are one", "states", "what was kept", "random numbers")
                differ = [part for part, a, b in zip(parts, *found, strict=True) if a != b]
                wrong = f"call {at}: {', '.join(differ)} differ"
                if "result" in differ:
                    wrong += f": {found[0][0]!r:.300} {found[1][0]!r:.300}"
                break
    finally:
        rl.set_autocast_cache_enabled(True)
        rl.Tensor.backward = backward  # type: ignore[method-assign]
        for world in worlds:
            for handle in world["S"]:
                if hasattr(handle, "remove"):
                    handle.remove()
        del linecache.cache[name]
    context = compiled._context_
    replayed = sum(r.runs for r in context.replays)
    return Outcome(wrong, replayed, context.why_not, source, changes)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(report("step", tried, *map(int, sys.argv[1:3])) > 0)
