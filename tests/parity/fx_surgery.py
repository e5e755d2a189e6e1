# ruff: noqa
"""Programs that rewrite, split, fold, measure and save graphs of torch.fx, as people write them."""

import torch, torch.nn as nn, torch.fx as fx, operator, copy, pickle, io, sys, math, warnings, time
import torch.nn.functional as F
from collections import OrderedDict, namedtuple, defaultdict

warnings.simplefilter("ignore")
from torch.fx import symbolic_trace, GraphModule, Graph, Node, Proxy, Tracer, Interpreter, Transformer, PH
from torch.fx.node import map_arg, map_aggregate

from fx_harness import attempt, program, run, seeded, show


class MLP(nn.Module):
    def __init__(s, n=3):
        super().__init__()
        s.fc1 = nn.Linear(n, 4)
        s.act = nn.ReLU()
        s.fc2 = nn.Linear(4, 2)
        s.gain = nn.Parameter(torch.ones(2))
        s.register_buffer("shift", torch.arange(2.0))

    def forward(s, x):
        return F.gelu(s.fc2(s.act(s.fc1(x)))) * s.gain + s.shift


X = (torch.arange(6.0).reshape(2, 3) * 0.3).sin()


@fx.wrap
def scaled(x, by):
    return x * by if by > 0 else x


fx.wrap("sqrt")
from math import sqrt


@program
def s01_trees():
    def f(d, flag, x):
        return {"o": d["a"] + d["b"][0] if flag else x, "l": [x, 3, None]}

    g = symbolic_trace(f, concrete_args={"flag": False, "d": {"a": PH, "b": [PH]}})
    print(g.code, g.graph, g._in_spec, g._out_spec, g.graph._codegen.pytree_info._fields)
    d = {"a": torch.ones(1), "b": [torch.ones(1)]}
    print(g(d, False, torch.ones(2)), g.graph.process_inputs(d, False, 3)[2:], type(g.graph._codegen).__name__)
    attempt(g, d, True, torch.ones(2))
    attempt(g, {"a": 1}, False, torch.ones(2))
    h = copy.deepcopy(g)
    print(h.code == g.code, Interpreter(g).run(d, False, 5), Transformer(g).transform().code == g.code)
    print(pickle.loads(pickle.dumps(g))(d, False, 4))


@program
def s02_tuples_and_lists():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.l = nn.Linear(2, 2)

        def forward(self, x, cfg, z):
            return {"k": self.l(x) * 2 + cfg["a"], "z": (z[0], z[1])}

    m = seeded(M())
    g = symbolic_trace(m, concrete_args={"cfg": {"a": PH}, "z": (1, [2, 2.5, "s"])})
    print(g.code, g._in_spec, g.graph._codegen.pytree_info.orig_args)
    x = torch.ones(1, 2)
    show(g(x, {"a": 1}, (1, [2, 2.5, "s"]))["k"])
    for bad in (({"a": 1}, (1, [2, 3, "s"])), ({"a": 1}, (1, [2, 2.5, "t"])), ({"b": 1}, (1, [2])), ({"a": 1}, 5)):
        attempt(g, x, *bad)
    p = pickle.loads(pickle.dumps(g))
    print(p._in_spec == g._in_spec, sorted(p(x, {"a": 1}, (1, [2, 2.5, "s"]))))
    NT = namedtuple("NT", "p q")
    for a in (NT(PH, PH), (PH, PH), [PH, 3], [PH, torch.ones(2)]):
        attempt(symbolic_trace, lambda a, b: a[0] + b, {"a": a})
    attempt(symbolic_trace, lambda a, b: a["k"] + b, {"a": OrderedDict(k=PH)})
    attempt(symbolic_trace, lambda a, *b: a[0] + b[0], {"a": [PH]})
    attempt(symbolic_trace, lambda a, b: a + b, (PH, 3))
    attempt(symbolic_trace, lambda a, b: a + b, (PH, 3, 4))
    attempt(symbolic_trace, lambda a, b: a + b, {"b": torch.ones(1)})

    def typed(x: torch.Tensor, y: dict) -> torch.Tensor:
        return x + y["a"]

    attempt(symbolic_trace, typed, {"y": {"a": PH}})


@program
def s03_edit_trees():
    g = symbolic_trace(lambda d, s: (d["x"] * s[0], {"y": d["y"]}), concrete_args={"d": {"x": PH, "y": PH}, "s": (PH,)})
    mul = next(n for n in g.graph.nodes if n.target is operator.mul)
    with g.graph.inserting_after(mul):
        r = g.graph.call_function(torch.relu, (mul,))
    mul.replace_all_uses_with(r)
    r.args = (mul,)
    g.recompile()
    print(g.code, g({"x": -1.0 * torch.ones(2), "y": 3}, (2,)))
    print(GraphModule(g, g.graph).code == g.code)
    g.graph.set_codegen(fx.graph.CodeGen())
    g.recompile()
    print(g.code)


@program
def s04_inner_names():
    c = torch.ones(2, 3)
    for f in (
        lambda x: F.gelu(F.linear(x, c)) + F.softplus(x),
        lambda x: torch.split(x, 2)[0] @ torch.linalg.inv(x),
        lambda x: torch.fft.fft(torch.special.erf(x)).real,
        lambda x: torch.einsum("ij,jk", x, c),
        lambda x: F.scaled_dot_product_attention(x, x, x),
        lambda x: F.logsigmoid(F.one_hot(x, 3)),
        lambda x: torch.linalg.norm(torch.norm(x)) + torch.stft(x, 4),
        lambda x: torch.meshgrid(x, x, indexing="ij") + torch.unique(x),
    ):
        g = symbolic_trace(f)
        print(g.code)
        print([str(n.format_node()) for n in g.graph.nodes])


@program
def s05_sizes_of_values():
    c = torch.ones(2, 3)
    for f in (
        lambda x: torch.zeros(x.size(0), dtype=x.dtype),
        lambda x: torch.zeros(2, x.size(0)) + torch.ones(x.shape),
        lambda x: torch.full((x.size(0),), 1.0) + torch.arange(0, x.size(1), device=x.device),
        lambda x: c.view(x.size(0), -1) + c.reshape(x.shape) + c.repeat(x.size(0), 1),
        lambda x: torch.sum(c, dim=x.dim() - 1),
        lambda x: torch.topk(c, x.size(0)),
        lambda x: F.pad(x, (0, x.size(0))),
        lambda x: torch.add(c, c, out=x),
        lambda x: torch.ops.aten.add(x, c) + torch.ops.aten.sum.dim_IntList(x, [1]),
        lambda x: c.expand(x.size(0), 2, 3) if False else x.expand(x.size(0), -1),
    ):
        attempt(symbolic_trace, f)


@program
def s06_refusals():
    def setitem(x):
        x[0] = 1

    def delitem(x):
        del x[0]

    def contains(x):
        return 3 in x

    def loop(x):
        for i in x:
            pass

    def branch(x):
        return x if x.sum() > 0 else -x

    def star(x):
        return torch.cat([*x])

    for f in (setitem, delitem, contains, loop, branch, star, lambda x: range(x), lambda x: int(x), lambda x: {x: 1}):
        try:
            print(symbolic_trace(f).code)
        except Exception as e:
            print(type(e).__name__)


@program
def s07_wrap():
    g = symbolic_trace(lambda x: scaled(x, 2) + scaled(x, x.sum()) + sqrt(4))
    print(g.code, [n.meta.get("is_wrapped") for n in g.graph.nodes])
    print(pickle.loads(pickle.dumps(g)).code == g.code)
    h = Graph()
    x = h.placeholder("x")
    h.output(h.call_function(scaled, (x, 2)))
    g = GraphModule({}, h)
    print(g.code)
    t = Tracer(autowrap_functions=(sqrt,))
    print(GraphModule({}, t.trace(lambda x: x + sqrt(x))).code)


@program
def s08_surgery_conv_bn():
    class Net(nn.Module):
        def __init__(s):
            super().__init__()
            s.body = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Dropout(0.5))
            s.head = nn.Linear(2, 1)

        def forward(s, x):
            return s.head(s.body(x).mean((2, 3)))

    m = seeded(Net())
    g = symbolic_trace(m)
    for n in list(g.graph.nodes):
        if n.op == "call_module" and isinstance(g.get_submodule(n.target), nn.Dropout):
            n.replace_all_uses_with(n.args[0])
            g.graph.erase_node(n)
        elif n.op == "call_module" and isinstance(g.get_submodule(n.target), nn.ReLU):
            with g.graph.inserting_before(n):
                new = g.graph.call_function(torch.clamp, (n.args[0],), {"min": 0.0, "max": 6.0})
            new.meta = n.meta
            n.replace_all_uses_with(new)
            g.graph.erase_node(n)
    g.delete_all_unused_submodules()
    g.graph.lint()
    g.recompile()
    print(g.code, sorted(dict(g.named_modules())))
    show(g(torch.ones(1, 1, 5, 5)))


@program
def s09_quantize():
    class Observer(nn.Module):
        def __init__(s):
            super().__init__()
            s.register_buffer("top", torch.tensor(0.0))

        def forward(s, x):
            s.top = torch.maximum(s.top, x.detach().abs().max())
            return x

    class FakeQuant(nn.Module):
        def __init__(s, scale):
            super().__init__()
            s.scale = scale

        def forward(s, x):
            return torch.clamp(torch.round(x / s.scale), -128, 127) * s.scale

    g = symbolic_trace(seeded(MLP()))
    for n in list(g.graph.nodes):
        if n.op in ("call_module", "call_function") and n.target is not operator.add:
            name = f"obs_{n.name}"
            g.add_submodule(name, Observer())
            with g.graph.inserting_after(n):
                o = g.graph.call_module(name, (n,))
            n.replace_all_uses_with(o, delete_user_cb=lambda u, o=o: u is not o)
    g.recompile()
    g(X)
    print(g.code, {k: round(b.item(), 4) for k, b in g.named_buffers() if k.endswith("top")})
    for n in list(g.graph.nodes):
        if n.op == "call_module" and n.target.startswith("obs_"):
            setattr(g, n.target, FakeQuant(max(g.get_submodule(n.target).top.item(), 1e-3) / 127))
    show(g(X))
    p = pickle.loads(pickle.dumps(symbolic_trace(seeded(MLP()))))
    show(p(X))


@program
def s10_profile():
    class Profile(Interpreter):
        def __init__(s, m):
            super().__init__(m)
            s.calls = []

        def run_node(s, n):
            r = super().run_node(n)
            s.calls.append((n.op, n.name, tuple(r.shape) if isinstance(r, torch.Tensor) else None))
            return r

    p = Profile(symbolic_trace(seeded(MLP())))
    show(p.run(X))
    print(p.calls, len(p.env))

    class Bad(Interpreter):
        def call_function(s, target, args, kwargs):
            if target is operator.mul:
                raise KeyError("missing")
            return super().call_function(target, args, kwargs)

    try:
        Bad(symbolic_trace(MLP())).run(X)
    except Exception as e:
        print(type(e).__name__, str(e)[:90])


@program
def s11_shapes():
    from torch.fx.passes.shape_prop import ShapeProp

    g = symbolic_trace(seeded(MLP()))
    ShapeProp(g).propagate(X)
    for n in g.graph.nodes:
        m = n.meta["tensor_meta"]
        print(n.name, tuple(m.shape), m.dtype, m.requires_grad, m.stride, n.meta["type"].__name__)


@program
def s12_symbolic_shapes():
    class Shapes(Interpreter):
        """Sizes as text, by rules of its own."""

        def placeholder(s, target, args, kwargs):
            return ("B", "3")

        def get_attr(s, target, args, kwargs):
            return tuple(map(str, s.fetch_attr(target).shape))

        def call_module(s, target, args, kwargs):
            m = s.fetch_attr(target)
            return (*args[0][:-1], str(m.out_features)) if isinstance(m, nn.Linear) else args[0]

        def call_function(s, target, args, kwargs):
            return max((a for a in args if isinstance(a, tuple)), key=len)

    print(Shapes(symbolic_trace(MLP())).run(None))


@program
def s13_matcher():
    from torch.fx.passes.utils.matcher_utils import SubgraphMatcher
    from torch.fx.subgraph_rewriter import replace_pattern, replace_pattern_with_filters

    t = symbolic_trace(lambda x, y: torch.relu(x + y) * torch.relu(y + x) + torch.relu(x * y))
    m = SubgraphMatcher(symbolic_trace(lambda a, b: torch.relu(a + b)).graph).match(t.graph)
    print(len(m), [[str(n) for n in x.placeholder_nodes] for x in m], [[str(n) for n in x.returning_nodes] for x in m])
    r = replace_pattern(t, lambda a, b: torch.relu(a + b), lambda a, b: F.gelu(a) - b)
    print(len(r), t.code)
    t = symbolic_trace(lambda x: torch.add(x, 1) * torch.add(x, 2))
    r = replace_pattern_with_filters(t, lambda x: torch.add(x, 3), lambda x: torch.sub(x, 5), ignore_literals=True)
    print(len(r), t.code)


@program
def s14_split():
    from torch.fx.passes.split_module import split_module

    m = seeded(MLP())
    g = symbolic_trace(m)
    names = {}
    s = split_module(g, m, lambda n: 0 if n.name in ("fc1", "act") else 1, names)
    print(s.code, s.submod_0.code, s.submod_1.code, sorted(names.items()))
    show(s(X))
    print(bool((s(X) == m(X)).all()))


@program
def s15_fold():
    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.a = nn.Parameter(torch.ones(2))
            s.register_buffer("b", torch.arange(2.0))

        def forward(s, x):
            return x * (torch.exp(s.a) + s.b * 2) + s.b.sum()

    g = symbolic_trace(M())
    known = {}
    for n in list(g.graph.nodes):
        if n.op == "get_attr":
            known[n] = getattr(g, n.target).detach()
        elif n.op in ("call_function", "call_method") and all(k in known for k in n.all_input_nodes):
            args = map_arg(n.args, lambda k: known[k])
            known[n] = n.target(*args) if callable(n.target) else getattr(args[0], n.target)(*args[1:])
    i = 0
    for n, v in known.items():
        if any(u not in known for u in n.users):
            g.register_buffer(f"folded_{i}", v)
            with g.graph.inserting_before(n):
                n.replace_all_uses_with(g.graph.get_attr(f"folded_{i}"))
            i += 1
    g.graph.eliminate_dead_code()
    g.recompile()
    print(g.code)
    show(g(torch.ones(2)))


@program
def s16_files():
    g = symbolic_trace(seeded(MLP()))
    for n in g.graph.nodes:
        if n.target == "act":
            n.target = "act2"
    g.act2 = nn.Tanh()
    g.recompile()
    buffer = io.BytesIO()
    torch.save(g, buffer)
    buffer.seek(0)
    h = torch.load(buffer, weights_only=False)
    print(h.code == g.code, bool((h(X) == g(X)).all()), type(h).__name__, [n.op for n in h.graph.nodes])
    d = copy.deepcopy(g)
    d.fc1.weight.data.zero_()
    print(bool((d(X) == g(X)).all()), d.graph is g.graph)


@program
def s17_leaves():
    class Inner(nn.Module):
        def forward(s, x):
            return x + 1 if x.sum() > 0 else x

    class Outer(nn.Module):
        def __init__(s):
            super().__init__()
            s.inner = Inner()
            s.l = nn.Linear(2, 2)

        def forward(s, x):
            return s.inner(s.l(x))

    attempt(symbolic_trace, Outer())

    class T(Tracer):
        def is_leaf_module(s, m, name):
            print("asked", name)
            return isinstance(m, Inner)

        def call_module(s, m, forward, args, kwargs):
            r = super().call_module(m, forward, args, kwargs)
            print("called", type(m).__name__)
            return r

    m = Outer()
    t = T()
    print(GraphModule(m, t.trace(m)).code)


@program
def s18_decompose():
    rules = {F.relu: lambda x, inplace=False: (x > 0) * x, torch.square: lambda x: x * x}

    def decompose(g):
        new, env = Graph(), {}
        tracer = fx.proxy.GraphAppendingTracer(new)
        for n in g.graph.nodes:
            if n.op == "call_function" and n.target in rules:
                args = map_arg(n.args, lambda k: Proxy(env[k], tracer))
                env[n] = rules[n.target](*args, **n.kwargs).node
            else:
                env[n] = new.node_copy(n, lambda k: env[k])
        return GraphModule(g, new)

    g = decompose(symbolic_trace(lambda x: F.relu(torch.square(x) - 1)))
    print(g.code)
    show(g(X))


@program
def s19_normalize():
    from torch.fx.experimental.normalize import NormalizeArgs, NormalizeOperators
    from torch.fx.passes.shape_prop import ShapeProp
    from torch.fx.operator_schemas import normalize_function, normalize_module

    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.l = nn.Linear(2, 2)
            s.c = nn.Conv2d(1, 1, 1)

        def forward(s, x, y):
            return (
                s.l(x),
                s.c(x),
                F.dropout(x, 0.3),
                F.max_pool2d(x, 2),
                torch.cat([x, y], 1),
                torch.flatten(x, 1),
                F.linear(x, y),
                F.softmax(x, dim=1),
                torch.matmul(x, y),
                torch.transpose(x, 0, 1),
                torch.unsqueeze(x, 0),
                F.layer_norm(x, (2,)),
                F.avg_pool2d(x, 2),
                F.one_hot(y),
                torch.roll(x, 1),
                torch.permute(x, (0, 1)),
                torch.addmm(x, x, y),
                torch.argmax(x, 1),
                torch.split(x, 2),
                torch.add(x, y),
                torch.sum(x),
                torch.sum(x, 1),
                torch.mean(x, (1, 2), True),
                torch.max(x),
                torch.clamp(x, 0, 1),
                torch.relu(x),
                torch.gather(x, 0, y),
                torch.stack([x, y]),
                torch.squeeze(x),
                torch.bmm(x, y),
                F.conv2d(x, y, None, 2),
            )

    g = symbolic_trace(M())
    print(NormalizeArgs(g).transform().code)
    print(NormalizeArgs(g, normalize_to_only_use_kwargs=False).transform().code)
    g = symbolic_trace(
        lambda x, y: (
            torch.add(x, y),
            torch.add(x, 1),
            torch.exp(x),
            torch.squeeze(x, 1),
            torch.std(x, dim=1),
            torch.mul(x, 2.5),
            torch.where(x > 0, x, y),
            torch.pow(x, 2),
            torch.sub(x, y, alpha=2),
            torch.div(x, y, rounding_mode="floor"),
            torch.mean(x, 1),
            torch.prod(x, 1),
            torch.lerp(x, y, 0.5),
        )
    )
    ShapeProp(g).propagate(torch.ones(3, 3), torch.ones(3, 3))
    print(NormalizeArgs(g).transform().code)
    print(
        NormalizeOperators(symbolic_trace(lambda x, y: torch.add(x, y) * torch.mul(x, 2) - torch.sub(x, y)))
        .transform()
        .code
    )
    attempt(lambda: normalize_function(torch.div, (1, 2)))
    attempt(normalize_function, torch.relu, (1,))
    attempt(normalize_function, len, ([],))
    attempt(normalize_module, M(), "l", (1,), {}, True)
    attempt(normalize_module, M(), "nothing", (1,))


@program
def s20_drawer():
    from torch.fx.passes.graph_drawer import FxGraphDrawer

    attempt(FxGraphDrawer, symbolic_trace(MLP()), "mlp")


@program
def s21_errors():
    g = Graph()
    x = g.placeholder("x")
    y = g.call_function(torch.neg, (x,))
    g.erase_node(y)
    print(g.erase_node(y))
    for f in (lambda: g.create_node("nothing", "f"), lambda: g.call_function("f"), lambda: g.erase_node(3)):
        try:
            f()
        except Exception as e:
            print(type(e).__name__, str(e)[:4])


run()
