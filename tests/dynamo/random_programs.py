"""Random programs of the kinds that scripts have: effects on lists, dicts and objects, views that are written to,
generators, blocks, `try` with returns, dataclasses, hooks, functions with derivatives of their own, buffers that come
later, optimizers whose groups change. They are called again and again while what they read changes: compiled, they give
what they give as they are written, and leave the same behind.

`python tests/dynamo/random_programs.py FIRST LAST` tries the programs of these numbers; of one number it prints all.
"""

from __future__ import annotations

import linecache
import random
import sys
import warnings
from pathlib import Path
from typing import Any

import rushlight as rl

sys.path.insert(0, str(Path(__file__).parent))

from random_replays import Outcome, bits, refusals, report, two_worlds

WORLD = """
import contextlib, dataclasses
S = {"n": 0, "seen": [], "t": rl.ones(4), "rows": [rl.ones(4), rl.zeros(4)]}
C = [2.0]
def counter():
    n, t = 0, rl.ones(4)
    def add(y, by=1):
        nonlocal n, t
        n += by
        t = t + n
        return y * n + t
    return add
K = counter()
@dataclasses.dataclass
class Pair:
    a: object
    b: object
    scale: float = 1.0
    notes: list = dataclasses.field(default_factory=list)
    def both(self): return self.a * self.scale + self.b
P = Pair(rl.ones(4), rl.zeros(4))
class Twice(rl.autograd.Function):
    @staticmethod
    def forward(ctx, y, by):
        ctx.by = by
        ctx.save_for_backward(y)
        return y * by
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        S["n"] += 1
        return g * ctx.by + y * 0, None
@contextlib.contextmanager
def noted(what):
    S["seen"].append(what)
    try:
        yield what
    finally:
        S["seen"].append(-1)
class Block:
    def __init__(self): self.depth = 0
    def __enter__(self): self.depth += 1; return self
    def __exit__(self, *error): self.depth -= 1; return error[0] is KeyError
B = Block()
def halves(y, n=2):
    for i in range(n):
        y = y / 2
        yield y
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU())
        self.drop = nn.Dropout(0.3)
        self.register_buffer("steps", rl.zeros((), dtype=rl.int64))
        self.register_buffer("mean", rl.zeros(4))
        self.cache, self.calls = {}, 0
        self.inner = nn.ModuleDict({"x": nn.Linear(4, 4), "y": nn.LayerNorm(4)})
    def forward(self, x, *, key="x", **more):
        self.steps += 1
        x = self.b(self.a(x)) + self.inner[key](x)
        if "late" in self._buffers:
            x = x + self.late
        for name, v in more.items():
            x = x * v if name != "skip" else x
        return self.drop(x)
    def remembered(self, x):
        key = tuple(x.shape)
        if key not in self.cache:
            self.cache[key] = x.detach().mean(0)
        self.calls += 1
        return x - self.cache[key]
    def averaged(self, x):
        with rl.no_grad():
            self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return x - self.mean
N = Net()
R = nn.Parameter(rl.randn(4))
O = rl.optim.AdamW([{"params": list(N.parameters()), "lr": 0.01}, {"params": [R], "lr": 0.1}])
H = []
"""

# Statements, of which each changes `v`; {w} is a number.
STATEMENTS = """
v = N(v)
v = N(v, key={key!r}, **S.get("more", {{}}))
v = N.remembered(v)
v = N.averaged(v)
v = K(v, {w})
v = K(v) * R
S["n"] += {w}
S["seen"].append({w})
S["rows"].append(v.detach()[0]); v = v + S["rows"][-1]
S["rows"][0] = S["rows"][0] * 0.5 + 1; v = v + S["rows"][0]
S["rows"] = S["rows"][-2:]; v = v + sum(S["rows"])
S["t"].add_({w}); v = v * S["t"]
S["t"] = S["t"] + {w}; v = v + S["t"]
S[{w}] = v.detach().sum()
C[0] += 0.5; v = v * C[0]
P.a = P.a + 1; v = v + P.both()
P.scale *= 1.5; v = v * P.scale
P.notes.append({w}); v = v + len(P.notes)
p = Pair(v, R, scale={w}.0); v = p.both()
p = dataclasses.replace(P, a=v); v = p.both()
v = Twice.apply(v, {w})
v = Twice.apply(v * R, 0.5) + v
u = v * 1; u[1:] = 0.5; u[:, 0] += {w}; v = u
u = (v * 1).view(-1); u[:3].mul_(2); v = u.view(v.shape)
u = v * 1; t = u.t(); t[0].add_(R.detach()); v = u
u = v.clone(); u.diagonal().zero_(); v = u
u = v * 2; u += R; v = u
u = v.chunk(2, 1); v = rl.cat([u[1], u[0] * {w}], 1)
u = v.detach().clone(); u.clamp_(-1, 1); v = v * u
v = v.double().mul({w}).float()
v = v.half().float()
v = v.to(rl.bfloat16).float() * R
v = v * (v > 0).to(v.dtype)
v = v.long().float() + v
if v.sum() > 0: v = v * 2
if v.detach().mean().item() > {w} - 1: v = v - 1; S["n"] += 1
while v.detach().abs().max() > 8: v = v * 0.5
v = v * {w} if S["n"] % 2 else v
for h in halves(v, {w}): v = v + h
v = sum(halves(v))
g = halves(v); v = next(g); S["seen"].append(list(g)[0].detach().sum().item())
v = v + [y for y in (z * 2 for z in (v, R))][1]
v = max((v, v * 2), key=lambda y: float(y.detach().sum()))
v = dict(sorted({{"b": v, "a": v * R}}.items()))["a"]
a, *_, c = v, v * 2, v * 3; v = a + c
with noted({w}): v = v * R
with noted({w}) as n, rl.no_grad(): u = v * n{{}}v = v + u
with B as b: v = v * b.depth
with B: v = v * 2; raise KeyError({w})
try: v = v @ rl.ones(4, {w}) + rl.ones(4){{}}except RuntimeError as e: S["e"] = type(e).__name__{{}}finally: S["n"] += 1
try: v = v * D_missing{{}}except NameError: v = v + 1
try:{{}}    if S["n"] > {w}: return v * R{{}}    v = v * 2{{}}finally: S["seen"].append("f")
try: raise ValueError({w}){{}}except (KeyError, ValueError) as e: v = v * e.args[0]{{}}else: v = v * 100
if S["n"] % 5 == 4: raise LookupError(S["n"])
if S["n"] % 4 == 3: return {{"v": v, "n": S["n"]}}
assert v.shape[1] == 4, "sizes"
if v.requires_grad: v.register_hook(lambda g: S["seen"].append(1.0))
if v.requires_grad: v.register_hook(lambda g: g * 2)
if v.requires_grad: v.retain_grad(); H.append(v)
z = v.square().mean(); z.backward(); O.step(); O.zero_grad(); v = v.detach()
z = (v * R).sum(); (g,) = rl.autograd.grad(z, R); v = v + g
z = (v * R).square().sum(); (g,) = rl.autograd.grad(z, R, create_graph=True); v = v + g.square().sum()
z = (v * R).mean(); z.backward(retain_graph=True); v = v + R.grad
z = (v * R).mean(); z.backward(); R.grad = None; v = v.detach()
z = v.sum() + R.sum(); z.backward(); z.backward(); v = v.detach() + R.grad
z = R.sum() + (v * R).sum(); z.backward(); S["n"] += 1; (z * {w}).backward()
z = (R * {w}).sum() + v.mean(); (g,) = rl.autograd.grad(z, R); z.backward(); v = v + g
z = (v * R).mean() + R.view(1, 4).sum(); z.backward(); v = v.detach() * z.detach(); H.append(z)
try: z = v.square().sum() + R.mean(); z.backward(); z.backward(){{}}except RuntimeError: v = v.detach()
u = v * 1; u[u > {w}] = 0.5; u[...] = u * R; v = u
u = v * {w}; a, b = u[:, :2], u[:, 2:]; v = rl.cat([b, a * -1.0], 1)
for p in (v * 1).unbind(1): v = v + p[:, None] * 0.5
O.param_groups[{i}]["lr"] *= 0.5
O.zero_grad(set_to_none={flag})
rl.nn.utils.clip_grad_norm_(N.parameters(), {w})
with rl.autocast("cpu", dtype=rl.bfloat16): v = N.a(v).float()
with rl.enable_grad(): v = v * R
with rl.inference_mode(): S["seen"].append((v.detach() * 2).sum().item())
v = v + rl.rand_like(v); v = nn.functional.dropout(v, 0.2)
v = v * rl.tensor([float({w})] * 4) + rl.arange(4)
match S["n"] % 3:{{}}    case 0: v = v + 1{{}}    case _: v = v * 2
S["n"] = len(S["seen"]); print(S["n"], end="")
G = S["n"]; v = v + G
del S["rows"][2:]
v = (lambda y, *ys, **kw: y * len(ys) + kw.get("by", 1))(v, 1, 2, by={w})
import math; v = v * math.sqrt({w})
def local(y, n={w}):{{}}    return local(y, n - 1) * 0.5 if n else y{{}}v = local(v)
"""

# Of the programs from number 100 on: what factories make is filled, and read, and written to at once.
FILLS = """
u = rl.zeros_like(v); u[0] = v[0] * {w}; u[:, 1] = R.sum(); v = v + u
u = rl.empty(v.shape[0], 4){{}}for i in range(v.shape[0]): u[i] = v[i] * i{{}}v = u
u = rl.full((4,), {w}.0); u[1:] += R.detach()[1:]; v = v * u
u = rl.empty(12, 4){{}}for i in range(12): u[i] = v.detach()[0] * i{{}}v = v + u[{w}]
u = rl.zeros(12, 4){{}}for i in range(12): u[i] = v[0] * i{{}}v = v + u[{w}:{w} + 1]
S["t"][{w}] = v.detach().sum(); v = v * S["t"]
u = rl.zeros(4); t = u + v; u.uniform_(); v = t * u
u = v.new_ones(4); t = u[1:]; t.mul_({w}); v = v * u
u = rl.ones(4) * {w}; u[-1] = R.detach()[0]; S["seen"].append(u.tolist()[0]); v = v * u
N.mean[{w}] = v.detach().mean(); v = v - N.mean
with rl.no_grad():{{}}    for i in range(10): S["t"][i % 4] = (v[0] * i).sum(){{}}v = v + S["t"]
S["t"][:2] = v.detach()[0, 2:]; S["t"][1:3] = S["t"][:2] * 1; v = v + S["t"]
u = rl.empty(2, 4); t = u[0]; u[1] = v.detach()[0]; t.copy_(R.detach()); v = v * u[1] + t
u = rl.zeros(4, requires_grad=True) + R; v = v * u
P.b[{w}] = v.detach().sum(); v = v + P.both()
z = rl.zeros(4); z[{w}] = (v * R).mean(); z.sum().backward(); v = v.detach() * z.detach()
"""

CHANGES = """
S["n"] += 1|S["n"] = 0|S["seen"].clear()|S["t"] = rl.randn(4)|S["more"] = {"k": 2.0, "skip": 1}|S["more"] = {"t": R}
S.pop("more", 0)|C[0] = 1.0|K = counter()|P = Pair(rl.randn(4), R)|P.scale = 1.0|P.a = R|P.both = lambda: P.a
N.register_buffer("late", rl.ones(4))|N.late = rl.full((4,), 2.0)|N.eval()|N.train()|N.cache.clear()|N.mean = rl.ones(4)
N.a.weight = nn.Parameter(rl.randn(4, 4))|N.a.bias.requires_grad_(False)|N.a.weight.data = rl.randn(4, 4)
N.b[2] = nn.Tanh()|N.inner["x"] = nn.Linear(4, 4, bias=False)
N.double().float()|R.data = rl.randn(4)|R.requires_grad_(not R.requires_grad)
R.grad = rl.ones(4)|R = nn.Parameter(rl.randn(4))|O.add_param_group({"params": [nn.Parameter(rl.ones(2))]})
O.param_groups[0]["lr"] = rl.tensor(0.02)|O.param_groups[1]["weight_decay"] = 0.5|O.param_groups[0]["amsgrad"] = True
O = rl.optim.SGD([R, *N.a.parameters()], lr=0.1, momentum=0.9)|O.state.clear()|O.load_state_dict(O.state_dict())
O = rl.optim.Adam(N.parameters(), lr=rl.tensor(0.01), foreach=False)|O.zero_grad()
O.register_step_post_hook(lambda *a: S["seen"].append(3))
N.a.register_forward_hook(lambda m, i, o: o * 1.5)|N.b.register_full_backward_hook(lambda m, gi, go: None)
R.register_hook(lambda g: g * 0.5)|N.a.bias.register_post_accumulate_grad_hook(lambda p: S["seen"].append(2))
Block.__exit__ = lambda self, *e: True|Twice.backward = staticmethod(lambda ctx, g: (g * 3, None))
halves = lambda y, n=2: iter([y] * n)|Net.averaged = lambda self, x: x * 2|N.drop.p = 0.0|N.calls = 5|H.clear()
"""

_STATEMENTS, _FILLS = STATEMENTS.strip().splitlines(), FILLS.strip().splitlines()
_CHANGES = [part for line in CHANGES.strip().splitlines() for part in line.split("|")]


def _body(rng: random.Random, n: int, statements: list[str]) -> list[str]:
    """Some statements, with blocks around a few of them."""
    lines: list[str] = []
    for _ in range(n):
        text = rng.choice(statements).format(
            w=rng.randint(1, 3), i=rng.randrange(2), key=rng.choice("xy"), flag=rng.random() < 0.5
        )
        own = [part for row in text.split("{}") for part in [row]]
        if rng.random() < 0.15:
            head = rng.choice(
                ["if flag:", "for _ in range(2):", "with rl.no_grad():", "with rl.enable_grad():", "try:"]
            )
            own = [head, *[f"    {row}" for row in own]]
            own += ["finally:", "    v = v + 1"] if head == "try:" else []
        lines += own
    return lines


def _source(rng: random.Random, seed: int) -> str:
    result = rng.choice(
        ["v", "v", "v, v * 2", "{'v': v, 'n': S['n']}", "[v, S['t']]", "v.sum()", "Pair(v, S['n'])", "None"]
    )
    body = _body(rng, rng.choice([1, 1, 2, 3, 5]), _STATEMENTS if seed < 100 else [*_STATEMENTS, *(3 * _FILLS)])
    world = ["global G"] if any("G =" in row for row in body) else []
    lines = [*world, "v = x", *body, f"return {result}"]
    return "def f(x, flag=True, **more):\n" + "".join(f"    {line}\n" for line in lines)


def _state(world: dict[str, Any]) -> Any:
    net, optimizer = world["N"], world["O"]
    parts = [*net.state_dict().items(), *[(k, p.grad) for k, p in net.named_parameters()]]
    places = {id(p): i for i, p in enumerate(p for group in optimizer.param_groups for p in group["params"])}
    return (
        bits([t for _, t in parts]),
        bits([world["R"], world["R"].grad, world["S"], world["C"], world.get("G")]),
        bits([world["P"].a, world["P"].b, world["P"].scale, world["P"].notes]),
        bits([net.cache, net.calls, list(net._buffers), world["B"].depth]),
        bits([{k: v for k, v in group.items() if k != "params"} for group in optimizer.param_groups]),
        bits(sorted((places.get(id(p), -1), repr(bits(s))) for p, s in optimizer.state.items())),
        bits([(t, t.grad) for t in world["H"]]),
        bits([c.cell_contents for c in world["K"].__closure__]),
    )


def _made(f: Any, world: dict[str, Any], at: int, given: dict[str, Any]) -> Any:
    """What a call gives and leaves, with a backward of what it gives."""
    rl.manual_seed(at)
    x = rl.randn(given["rows"], 4, requires_grad=given["grad"])
    found: Any
    try:
        with rl.set_grad_enabled(given["mode"]):
            result = f(x, given["flag"])
        shown = (result.a, result.b) if type(result).__name__ == "Pair" else result
        found = [bits(shown), getattr(shown, "_version", 0)]
        for y in [y for y in (shown if isinstance(shown, (tuple, list)) else [shown]) if isinstance(y, rl.Tensor)]:
            if y.requires_grad:
                y.square().mean().backward(retain_graph=True)
    except Exception as error:
        found = type(error), str(error)[:60] if type(error) in (LookupError, ValueError, AssertionError) else ""
    return found, bits(x), bits(x.grad), _state(world), bits(rl.rand(2))


def tried(seed: int, calls: int = 12) -> Outcome:
    """Call a program, with changes in between, as it is written and compiled."""
    rng = random.Random(seed)
    source = WORLD + _source(rng, seed)
    name = f"<random program {seed}>"
    worlds = two_worlds(source, name, seed, print=lambda *a, **k: None)
    options: Any = {"always": True} if rng.random() < 0.4 else None
    compiled: Any = rl.compile(worlds[1]["f"], options=options)
    changes: list[str] = [str(options)]
    wrong = ""
    given = {"rows": 4, "grad": True, "mode": True, "flag": True}
    try:
        for at in range(calls):
            if rng.random() < 0.35:
                changes.append(f"{at}: {(change := rng.choice(_CHANGES))}")
                changes += refusals(change, worlds, at)
            if rng.random() < 0.15:
                key, value = rng.choice([("rows", 6), ("rows", 4), ("grad", False), ("mode", False), ("flag", False)])
                given = {"rows": 4, "grad": True, "mode": True, "flag": True, key: value}
            found = [_made(f, world, at, given) for f, world in zip((worlds[0]["f"], compiled), worlds, strict=True)]
            if found[0] != found[1]:
                parts = ("result", "argument", "its gradient", "state", "random numbers")
                differ = [part for part, a, b in zip(parts, *found, strict=True) if a != b]
                states = [i for i, (a, b) in enumerate(zip(found[0][3], found[1][3], strict=True)) if a != b]
                wrong = f"call {at}, {given}: {', '.join(differ)} {states} differ"
                if "result" in differ:
                    wrong += f": {found[0][0]!r:.200} {found[1][0]!r:.200}"
                break
    finally:
        del linecache.cache[name]
    context = compiled._context_
    return Outcome(wrong, sum(r.runs for r in context.replays), context.why_not, source.removeprefix(WORLD), changes)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(report("program", tried, *map(int, sys.argv[1:3])) > 0)
