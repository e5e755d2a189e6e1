"""Random functions that are called again and again while what they read changes at random: compiled, they give what
they give as they are written, and leave the same behind.

`python tests/dynamo/random_replays.py FIRST LAST` tries the functions of these numbers; of one number it prints all.
"""

from __future__ import annotations

import collections
import linecache
import random
import re
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import rushlight as rl
from rushlight import nn

F = nn.functional

WORLD = """
G = 2.0
T = rl.randn(4, 4)
L = [1.0, 2.0]
D = {"a": 1.5, "k": "relu"}
def helper(y, k=2.0, *, m=1.0): return y * k + m
class Holder:
    c = 3.0
    def __init__(self): self.v = 1.0; self.t = rl.ones(4)
    def method(self, y, z=1.0): return y * self.v + z * self.c
    @property
    def p(self): return self.v * 2
    @staticmethod
    def s(y): return y - 1
    @classmethod
    def k(cls, y): return y * cls.c
H = Holder()
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.drop, self.bn = nn.Linear(4, 4), nn.Dropout(0.5), nn.BatchNorm1d(4)
        self.cfg, self.flag, self.n = {"s": 1.5}, True, 2
        self.register_buffer("buf", rl.ones(4))
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Tanh()])
        self.d = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Linear(4, 4)})
        self.pl = nn.ParameterList([nn.Parameter(rl.ones(4) * k) for k in (1, 2)])
    def forward(self, x): return self.lin(x) * self.cfg["s"]
    def extra(self, x): return x + self.n
class Child(Base):
    def forward(self, x, scale=1.0): return super().forward(x) * scale + self.extra(x)
M = Child()
A = nn.MultiheadAttention(4, 2, batch_first=True)
E = nn.Embedding(5, 4)
"""

# Expressions: {v} and {u} are variables.
EXPRESSIONS = """
{v} * G|({v} + {u})|{v}.relu()|F.gelu({v})|rl.tanh({v})|helper({v}, 2.0)|helper({v}, k=3.0)|helper({v}, k=G, m=2.0)
H.method({v})|H.s({v})|Holder.k({v})|({v} * H.p)|({v} + H.t)|({v} @ T)|({v} * L[0])|({v} * L[-1])|({v} * D['a'])|M({v})
M({v}, scale=2.0)|M.lin({v})|M.drop({v})|M.bn({v})|M.d['b']({v})|({v} * M.pl[1])|F.dropout({v}, 0.3, M.training)
({v} * len(L))|({v} + M.buf)|{v}.t().contiguous()|{v}.view(-1).view({v}.shape)|rl.cat([{v}, {u}], 0)[:4]|{v}.softmax(-1)
rl.stack([{v}, {u}]).sum(0)|sum({v} * i for i in range(M.n))|sum([{v}[i] for i in range(len({v}))]) + {v}
{v}[:, [1, 0, 3, 2]]|{v}.masked_fill({v} > 0, L[0])|rl.where({v} > {u}, {v}, 0.5)|({v} * (2.0 if M.training else 3.0))
({v} + rl.rand(4))|({v} * rl.rand_like({v}))|({v} + rl.ones_like({v}))|({v} * rl.arange(4))|({v} * float(f'{{G:.1f}}'))
A({v}[None], {v}[None], {v}[None])[0][0]|{{'relu': F.relu, 'tanh': rl.tanh}}[D['k']]({v})|getattr(F, D['k'])({v})
({v} + E(i))|({v} * rl.tensor(L).sum())|{v}.max(dim=1, keepdim=True)[0] + {v}|F.layer_norm({v}, (4,))|({v} - {v}.mean())
{v}.detach() * {u}|(lambda t: t * G + t)({v})|{v}.double().float()|({v} * x.shape[0])|rl.einsum('ij,kj->ik', {v}, T)
next(iter(M.parameters())).sum() * {v}|rl.bernoulli({v}.sigmoid()) + {v}|({v} + a)|({v} * k)|({v} + rl.randn(4).relu())
({v} + more[0] if isinstance(more, list) else {v} * more['t'] if more else {v})|{v}.view(-1)[:4] * {u}
"""
CONDITIONS = (
    "G > 2.5|M.flag|D['k'] == 'relu'|len(L) > 2|isinstance(x, rl.Tensor)|M.training|x.shape[0] == 4|hasattr(H, 'w')"
    "|H.v > 1|'a' in D|k > 1.5|rl.is_grad_enabled()|type(M) is Child|more is None"
).split("|")
# What changes between calls.
CHANGES = """
G = 3.0|G = 2.0|G = 2|L.append(3.0)|L[0] = 5.0|L = [7.0, 8.0]|L.reverse()|D['a'] = 4.0|D['k'] = 'tanh'|D['k'] = 'relu'
D.pop('a', None)|D['b'] = 2.0|T = rl.randn(4, 4)|T.mul_(2)|T.requires_grad_()|T = T.detach().t()|H.v = 2.0|H.v += 1
helper.__defaults__ = (4.0,)|helper.__kwdefaults__ = {'m': 2.0}|Holder.c = 5.0|H.w = 1|H.t = rl.zeros(4)|H = Holder()
H.method = lambda y, z=1.0: y * 9|Holder.s = staticmethod(lambda y: y + 5)|Holder.p = property(lambda self: 0.5)
M.eval()|M.train()|M.flag = not M.flag|M.n = 3|M.cfg['s'] = 2.5|M.cfg = {'s': 0.5}
M.lin = nn.Linear(4, 4)|M.lin.bias = None
M.lin.weight.data = rl.randn(4, 4)|M.lin.weight.requires_grad_(not M.lin.weight.requires_grad)
M.layers.append(nn.ReLU())|M.layers[1] = nn.Sigmoid()|M.d['b'] = nn.Linear(4, 4)|M.d['c'] = nn.Tanh()
M.pl.append(nn.Parameter(rl.ones(4)))
M.drop.p = 0.2|M.drop.eval()|M.bn.momentum = 0.3|M.buf = rl.full((4,), 2.0)|M.extra = lambda x: x * 3|A.eval()|A.train()
Child.extra = lambda self, x: x - 1|Base.forward = lambda self, x: self.lin(x) - 1|A.dropout = 0.3|E.weight.data.mul_(2)
nn.Tanh.forward = lambda self, x: x * 2|rl.set_default_dtype(rl.float64)|rl.set_default_dtype(rl.float32)
M.lin.forward = lambda x: x * 2|M.__class__ = Base if type(M) is Child else Child|E = nn.Embedding(5, 4)|del M.layers[0]
M.half().float()|M.lin.register_forward_hook(lambda m, i, o: o * 2)
helper.__code__ = (lambda y, k=2.0, *, m=1.0: y).__code__
M.lin._conv = 3|M.d.clear()|T.resize_(2, 8).resize_(4, 4)|M.buf.add_(1)|M.lin.weight.extra = 1|x0 = None
"""


def _split(text: str) -> list[str]:
    return [part for line in text.strip().splitlines() for part in line.split("|")]


_EXPRESSIONS, _CHANGES = _split(EXPRESSIONS), _split(CHANGES)


class _Writer:
    """Writes a random function."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.names, self.fresh = rng, ["x"], 0

    def pick(self) -> str:
        return self.rng.choice(self.names)

    def expression(self) -> str:
        return self.rng.choice(_EXPRESSIONS).format(v=self.pick(), u=self.pick())

    def new(self) -> str:
        self.fresh += 1
        self.names.append(f"v{self.fresh}")
        return self.names[-1]

    def inside(self, head: str, depth: int, n: int) -> list[str]:
        """A block, whose variables are its own but for one."""
        t, names = self.pick(), list(self.names)
        body = self.statements(depth + 1, n)
        self.names = names
        return [head, *(f"    {line}" for line in body), f"    {t} = {t} * 1.5"]

    def statements(self, depth: int, n: int) -> list[str]:
        rng = self.rng
        lines: list[str] = []
        for _ in range(n):
            v, e = self.pick(), self.expression()
            made: list[list[str]] = [
                [f"y = ({e}).clone()", f"y[{rng.choice(['0', '1:', '..., 0'])}] {rng.choice(['=', '+=', '*='])} G"],
                [f"y = {e}", f"y.{rng.choice(['mul_(2)', 'add_(G)', 'relu_()', 'zero_()'])}"],
                [f"y = {v} + 0", f"y += {rng.choice(['1', 'G', '0.5'])}"],
                [
                    f"y = {v} * 1",
                    f"for j, g in enumerate({rng.choice(['L', 'M.pl', 'range(2)'])}):",
                    "    y = y * g + j",
                ],
                [f"y = {v}", f"for p in {rng.choice(['M.layers', '[M.lin, M.drop]', 'M.d.values()'])}: y = p(y)"],
                ["try:", f"    y = {v} * D[chr(97)]", "except KeyError:", f"    y = {e}"],
                ["acc = []", f"for w in M.pl: acc.append({v} * w)", "y = sum(acc)"],
                [f"def inner(y, k=G): return y * k + {v}", f"y = inner({self.pick()})"],
                [f"if (w := {v}.shape[0]) > 2: y = {v} * w", f"else: y = {e}"],
                [f"q = {{'y': {v}, **{{'z': {e}}}}}", "q['y'] = q['y'] + 1", "y = sum(q.values())"],
                [f"y, *_ = {v} + 1, {e}", "del _"],
            ]
            if rng.random() < 0.03:  # an effect, of every call
                what = rng.choice(["y.add_(1)", "T.add_(1)", "L.append(1.0)", "H.v += 1", "M.buf.mul_(2)"])
                made = [[f"y = {v}.view(-1)", what, f"y = {v}"]]
            k = rng.random()
            if k < 0.45 or depth > 2:
                lines.append(f"{self.new()} = {e}")
            elif k < 0.8:
                lines += [*rng.choice(made), f"{self.new()} = y"]
            elif k < 0.92:
                lines += self.inside(f"if {rng.choice(CONDITIONS)}:", depth, 2)
                lines += self.inside("else:", depth, 1)
            else:
                block = rng.choice(["rl.no_grad()", "rl.enable_grad()", "rl.set_grad_enabled(M.training)"])
                lines += self.inside(f"with {block}:", depth, 2)
        return lines

    def function(self) -> str:
        body = self.statements(0, self.rng.randint(2, 6))
        results = ["{0}", "{0}, {1}", "{{'a': {0}, 'n': [x.shape[0], {1}]}}", "[{0}, {2}]", "{2}", "{2}", "({0}, L)"]
        result = self.rng.choice(results).format(self.pick(), self.pick(), self.expression())
        lines = ["k = 1.0 if k is None else k", *body, f"return {result}"]
        return "def f(x, a, i, k=None, more=None):\n" + "".join(f"    {line}\n" for line in lines)


def bits(x: Any) -> Any:
    """What tells a value from others."""
    if isinstance(x, rl.Tensor):
        own = x.detach()
        memory = bytes(own.clone().contiguous().untyped_storage())  # (that of a copy: who shows memory shares it)
        return type(x), own.dtype, tuple(own.shape), own.stride(), x.requires_grad, memory
    if isinstance(x, (list, tuple)):
        return type(x), [bits(y) for y in x]
    if isinstance(x, dict):
        return [(k, bits(v)) for k, v in x.items()]
    return type(x), repr(x)


def _tensors(x: Any) -> list[Any]:
    parts = x.values() if isinstance(x, dict) else x if isinstance(x, (list, tuple)) else ()
    return [x] if isinstance(x, rl.Tensor) else [t for part in parts for t in _tensors(part)]


class Call(NamedTuple):
    """How a function is called."""

    seed: int
    no_grad: bool
    requires_grad: bool
    size: tuple[int, int]
    alias: bool  # both arguments are one tensor
    transposed: bool
    read: bool  # the argument is read elsewhere, too
    double: bool
    k: Any
    more: str


def _a_call(rng: random.Random) -> Call:
    def few(p: float) -> bool:
        return rng.random() < p

    return Call(
        rng.randrange(1000),
        few(0.3),
        few(0.4),
        (2, 4) if few(0.15) else (4, 4),
        few(0.1),
        few(0.1),
        few(0.06),
        few(0.1),
        rng.choice([None, None, 2.0, 1, 1.0]),
        rng.choice(["None", "None", "[t, 1.0]", "{'t': t}"]),
    )


def _made(f: Any, world: dict[str, Any], call: Call) -> Any:
    """What a call gives, with its gradients, and what it leaves behind."""
    rl.manual_seed(call.seed)
    x = rl.randn(*call.size, dtype=rl.float64 if call.double else rl.float32)
    a = x if call.alias else rl.randn(4)
    t = rl.randn(4)
    if call.transposed:
        x = x.t().contiguous().t()
    if call.read:
        x = world["T"]
    elif call.requires_grad:
        x.requires_grad_()
    given = {} if call.k is None else {"k": call.k}
    more = eval(call.more, {"t": t})
    if more is not None:
        given["more"] = more
    parts = [*world["M"].parameters(), *world["A"].parameters(), *world["E"].parameters(), world["T"], x]
    try:
        with rl.set_grad_enabled(not call.no_grad):
            result = f(x, a, rl.randint(0, 5, (call.size[0],)), **given)
        grads = []
        wanted = [y for y in _tensors(result) if y.requires_grad]
        if wanted:
            sum(y.square().sum() for y in wanted).backward()  # type: ignore[union-attr]
            grads = [None if p.grad is None else bits(p.grad) for p in parts]
        found = bits(result), grads
    except Exception as error:
        found = type(error), []
    for p in parts:
        p.grad = None
    state = [bits(v) for v in (*world["M"].state_dict().values(), world["T"], world["H"].t, x, a, t)]
    return found, state, repr((world["L"], world["D"], world["H"].v, more)), bits(rl.rand(2))


class Outcome(NamedTuple):
    """What was found of a function."""

    wrong: str  # how calls differ, "" where they do not
    replayed: int
    why_not: str
    source: str
    changes: list[str]


def refusals(change: str, worlds: list[dict[str, Any]], seed: int) -> list[str]:
    """Run a change in each of the worlds; the errors that it gave."""
    found = []
    for world in worlds:
        rl.manual_seed(seed)
        try:
            exec(change, world)
        except Exception as error:
            found.append(f"({type(error).__name__})")
    return found


def two_worlds(source: str, name: str, seed: int, **given: Any) -> list[dict[str, Any]]:
    """The globals of a module run twice from one seed, whose source is found under a name. given: besides rl, nn, F."""
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    code = compile(source, name, "exec", dont_inherit=True)
    worlds: list[dict[str, Any]] = []
    for _ in range(2):
        rl.manual_seed(seed)
        worlds.append({"rl": rl, "nn": nn, "F": F, "__name__": "world", **given})
        exec(code, worlds[-1])
    return worlds


def tried(seed: int, calls: int = 16) -> Outcome:
    """Call a function, with changes in between, as it is written and compiled."""
    rng = random.Random(seed)
    source = WORLD + _Writer(rng).function()
    name = f"<random function {seed}>"
    worlds = two_worlds(source, name, seed)
    compiled: Any = rl.compile(worlds[1]["f"])
    read = set(re.findall(r"\b[A-Z]\b|h(?=elper)", source.removeprefix(WORLD)))  # the first letters of what it reads
    changes: list[str] = []
    wrong, call, tanh = "", _a_call(rng), nn.Tanh.forward
    try:
        for n in range(calls):
            if rng.random() < 0.35:
                near = [c for c in _CHANGES if c[0] in read] if rng.random() < 0.7 else _CHANGES
                changes.append(f"{n}: {(change := rng.choice(near or _CHANGES))}")
                changes += refusals(change, worlds, n)
            call = _a_call(rng) if rng.random() < 0.25 else call._replace(seed=rng.randrange(1000))
            found = [_made(f, world, call) for f, world in zip((worlds[0]["f"], compiled), worlds, strict=True)]
            if found[0] != found[1]:
                parts = ("result", "state", "Python's objects", "random numbers")
                differ = [part for part, a, b in zip(parts, *found, strict=True) if a != b]
                wrong = f"call {n}, {call}: {', '.join(differ)} differ"
                break
    finally:
        nn.Tanh.forward = tanh  # type: ignore[method-assign]
        rl.set_default_dtype(rl.float32)
        del linecache.cache[name]
    context = compiled._context_
    replayed = sum(r.runs for r in context.replays)
    return Outcome(wrong, replayed, context.why_not, source.removeprefix(WORLD), changes)


def report(what: str, tried: Callable[[int], Outcome], first: int, last: int) -> int:
    """Try the numbers from `first` to before `last`, and print what is wrong and why what is never replayed; how many
    were wrong.
    """
    why: collections.Counter[str] = collections.Counter()
    replayed = wrong = 0
    for seed in range(first, last):
        found = tried(seed)
        replayed += found.replayed
        if found.wrong or last - first == 1:
            print(f"{what} {seed}: {found.wrong or 'right'}", *found.changes, found.source, sep="\n")
            wrong += bool(found.wrong)
        if not found.replayed:
            why[found.why_not[:80]] += 1
    print(f"{last - first} {what}s, {replayed} calls replayed, {sum(why.values())} never, {wrong} wrong")
    for reason, n in why.most_common(20):
        print(f"{n:>5}  {reason or 'what was read changed'}")
    return wrong


if __name__ == "__main__":
    sys.exit(report("function", tried, *map(int, sys.argv[1:3])) > 0)
