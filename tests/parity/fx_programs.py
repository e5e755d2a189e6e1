# ruff: noqa
"""Programs on torch.fx as people write them: what each prints is compared, by PyTorch and by rushlight."""

import torch, torch.nn as nn, torch.fx as fx, operator, copy, pickle, io, sys, math, traceback, warnings
import torch.nn.functional as F

warnings.simplefilter("ignore")
from torch.fx import Graph, GraphModule, Interpreter, Node, Proxy, Tracer, Transformer
from torch.fx import replace_pattern, symbolic_trace, wrap
from fx_harness import CNN, Block, X, program, run, seeded, show, swap


@program
def p01_print():
    g = symbolic_trace(seeded(CNN()))
    print(g.code)
    print(g.graph)
    show(g(X))
    print([(n.op, n.name, str(n.target)) for n in g.graph.nodes])


@program
def p02_block():
    g = symbolic_trace(Block(3))
    print(g.code)
    g = symbolic_trace(Block(3), concrete_args={"mask": None})
    print(g.code)


@program
def p03_features():
    m = seeded(CNN())
    g = symbolic_trace(m)
    out = None
    for n in g.graph.nodes:
        if n.op == "output":
            out = n
    feats = [n for n in g.graph.nodes if n.op == "call_module" and "pool" in n.target]
    with g.graph.inserting_before(out):
        g.graph.output({n.name: n for n in feats})
    g.graph.erase_node(out)
    g.graph.eliminate_dead_code()
    g.delete_all_unused_submodules()
    g.recompile()
    g.graph.lint()
    print(g.code)
    show(g(X)["pool"])
    print(sorted(dict(g.named_modules())))


@program
def p04_fuse():
    from torch.nn.utils.fusion import fuse_conv_bn_eval

    m = seeded(CNN())
    fxm = symbolic_trace(m)
    mods = dict(fxm.named_modules())
    for n in fxm.graph.nodes:
        if (
            n.op == "call_module"
            and type(mods[n.target]) is nn.BatchNorm2d
            and n.args[0].op == "call_module"
            and type(mods[n.args[0].target]) is nn.Conv2d
        ):
            if len(n.args[0].users) > 1:
                continue
            f = fuse_conv_bn_eval(mods[n.args[0].target], mods[n.target])
            par, _, name = n.args[0].target.rpartition(".")
            setattr(mods[par] if par else fxm, name, f)
            n.replace_all_uses_with(n.args[0])
            fxm.graph.erase_node(n)
    fxm.recompile()
    print(fxm.code)
    print((fxm(X) - m(X)).abs().max().item() < 1e-5)


@program
def p05_optimization():
    from torch.fx.experimental.optimization import fuse, remove_dropout

    m = seeded(CNN())
    f = fuse(m)
    print(f.code)
    print((f(X) - m(X)).abs().max().item() < 1e-5)

    class D(nn.Module):
        def __init__(s):
            super().__init__()
            s.l = nn.Linear(2, 2)
            s.d = nn.Dropout()

        def forward(s, x):
            return s.d(s.l(x))

    print(remove_dropout(D()).code)


@program
def p06_replace_pattern():
    class M(nn.Module):
        def forward(s, x, w):
            return torch.relu(x + w) + torch.neg(torch.relu(w + x)) * 2

    g = symbolic_trace(M())
    ms = replace_pattern(g, lambda a, b: torch.relu(a + b), lambda a, b: F.gelu(a - b))
    print(
        len(ms),
        [
            (m.anchor.name, sorted((k.name, v.name if isinstance(v, Node) else v) for k, v in m.nodes_map.items()))
            for m in ms
        ],
    )
    print(g.code)


@program
def p07_shapeprop():
    from torch.fx.passes.shape_prop import ShapeProp

    g = symbolic_trace(seeded(CNN()))
    ShapeProp(g).propagate(X)
    for n in g.graph.nodes:
        print(
            n.name,
            n.meta["tensor_meta"].shape if "tensor_meta" in n.meta else None,
            n.meta.get("type"),
            tuple(n.meta["tensor_meta"].stride) if "tensor_meta" in n.meta else None,
            n.meta["tensor_meta"].memory_format if "tensor_meta" in n.meta else None,
        )
    print(g.graph.find_nodes(op="output")[0].meta["tensor_meta"])


@program
def p08_split():
    from torch.fx.passes.split_module import split_module

    m = seeded(CNN())
    g = symbolic_trace(m)
    part = {}
    for i, n in enumerate(g.graph.nodes):
        part[n] = 0 if i < 5 else 1 if i < 9 else 2
    s = split_module(g, m, lambda n: part[n])
    print(s.code)
    print(s.submod_0.code, s.submod_1.code, s.submod_2.code)
    show(s(X))
    print([n for n, _ in s.named_children()])


@program
def p09_interpreter():
    class Prof(Interpreter):
        def __init__(s, m):
            super().__init__(m)
            s.log = []

        def run_node(s, n):
            r = super().run_node(n)
            s.log.append((n.op, n.name))
            return r

    g = symbolic_trace(seeded(CNN()))
    i = Prof(g)
    show(i.run(X))
    print(i.log)

    class Neg(Interpreter):
        def call_function(s, t, a, k):
            if t is F.relu:
                t = torch.neg
            return super().call_function(t, a, k)

        def call_module(s, t, a, k):
            print("module", t)
            return super().call_module(t, a, k)

    show(Neg(g).run(X))
    try:
        Interpreter(g).run()
    except Exception as e:
        print(type(e).__name__, str(e)[:80])


@program
def p10_transformer():
    class T(Transformer):
        def call_function(s, t, a, k):
            if t == F.relu:
                return F.gelu(*a)
            return super().call_function(t, a, k)

        def call_module(s, t, a, k):
            return super().call_module(t, a, k)

        def call_method(s, t, a, k):
            return super().call_method("neg" if t == "relu" else t, a, k)

    g = T(symbolic_trace(seeded(CNN()))).transform()
    print(g.code)
    show(g(X))
    print(T(symbolic_trace(Block(3), concrete_args={"mask": None})).transform().code)


@program
def p11_pickle():
    g = symbolic_trace(seeded(CNN()))
    h = pickle.loads(pickle.dumps(g))
    print(h.code == g.code)
    show(h(X))
    d = copy.deepcopy(g)
    print(d.code == g.code, d.graph is not g.graph, type(d).__name__, d.__class__.__module__)
    show(d(X))
    b = io.BytesIO()
    torch.save(g.state_dict(), b)
    print(len(g.state_dict()))


@program
def p12_edit():
    g = symbolic_trace(lambda x, y: torch.add(x, y).relu())
    swap(g.graph, list(g.graph.nodes), torch.add, torch.mul, g.graph.inserting_after)
    g.recompile()
    print(g.code, g.graph)
    show(g(torch.ones(2), torch.full((2,), 3.0)))


@program
def p13_graph_by_hand():
    g = Graph()
    x = g.placeholder("x")
    y = g.placeholder("y", default_value=2)
    c = g.get_attr("w")
    s = g.call_function(torch.add, (x, c), {"alpha": 3})
    t = g.call_method("relu", (s,))
    l = g.call_module("lin", (t,))
    g.output((l, {"a": t, "b": [x, y]}, slice(None, 3, None)))

    class M(nn.Module):
        pass

    m = M()
    m.w = nn.Parameter(torch.ones(2))
    m.lin = seeded(nn.Linear(2, 2))
    gm = GraphModule(m, g, "Mine")
    print(gm.code, g)
    r = gm(torch.ones(2))
    show(r[0])
    print(r[2])
    gm.graph.lint()
    print(repr(gm))
    gm.print_readable()


@program
def p14_tabular():
    g = symbolic_trace(Block(3), concrete_args={"mask": None})
    try:
        g.graph.print_tabular()
    except Exception as e:
        print(type(e).__name__)


@program
def p15_leaf():
    class T(Tracer):
        def is_leaf_module(s, m, q):
            return isinstance(m, Block) or super().is_leaf_module(m, q)

    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.b = Block(3)
            s.seq = nn.Sequential(Block(3), nn.ReLU(), nn.Sequential(nn.Linear(3, 3)))

        def forward(s, x):
            return s.seq(s.b(x))

    t = T()
    m = seeded(M())
    g = t.trace(m)
    gm = GraphModule(m, g)
    print(gm.code)
    show(gm(torch.ones(2, 3)))
    print(symbolic_trace(m, concrete_args=None).code if 0 else [str(n.target) for n in g.nodes])


@wrap
def helper(x, k):
    return x * k if k > 1 else x


def helper2(a):
    return a + 1


wrap("helper2")
wrap("len")


@program
def p16_wrap():
    g = symbolic_trace(lambda x: helper(x, 3) + helper2(x) + len(x))
    print(g.code)
    show(g(torch.ones(2)))


@program
def p17_control():
    def f(x):
        if x.sum() > 0:
            return x
        return -x

    for fn in (
        f,
        lambda x: [a for a in x],
        lambda x: torch.zeros(x.shape[0]) if x.shape[0] > 1 else x,
        lambda x: int(x.size(0)),
        lambda x: x and 1,
        lambda x: range(x),
        lambda *a: sum(a),
        lambda x: len(x),
        lambda x: not x,
        lambda x: {**x},
        lambda x: x in [1, 2],
        lambda x: f"{x}",
        lambda x: float(x),
        lambda x: math.sqrt(x),
    ):
        try:
            print(symbolic_trace(fn).code)
        except Exception as e:
            print(type(e).__name__, "|", str(e).split("\n")[0][:60])


def with_numbers(c, x):
    return c + 1, 2 - x, 2 / x, 2**x, 7 % x, x << 1


@program
def p18_methods():
    def f(x, y):
        a = x.view(-1, x.size(0))
        b = a[0, 1:, None]
        c = x.shape[1]
        d = x.T @ y
        e, h = torch.split(x, 2)
        x[0] = 1
        return ((a + 1) / 2 - 3 * b**2 // 1, -d, abs(e), h > 0, (h < 1) & (h != 2), ~(h == 3), *with_numbers(c, x))

    try:
        print(symbolic_trace(f).code)
    except Exception as e:
        print(type(e).__name__, str(e)[:100])

    def f(x, y):
        a = x.view(-1, x.size(0))
        b = a[0, 1:, None]
        c = x.shape[1]
        d = x.T @ y
        es = torch.split(x, 2)
        return (
            (a + 1) / 2 - 3 * b**2 // 1,
            -d,
            abs(es[0]),
            es[1] > 0,
            (a < 1) & (a != 2),
            ~(a == 3),
            *with_numbers(c, x),
            +x,
            getattr(x, "dtype"),
            x.device,
        )

    print(symbolic_trace(f).code)


@program
def p19_starargs():
    def f(a, b=2, *args, c, d=None, **kw):
        return a + b + c

    print(symbolic_trace(f).code)
    print(symbolic_trace(f).graph)
    print(symbolic_trace(lambda a, *args: a + args[0]).code)

    def t(x: torch.Tensor, n: int = 3) -> torch.Tensor:
        return x * n

    print(symbolic_trace(t).code)


@program
def p20_concrete():
    def f(d, flag, x):
        return d["a"] + d["b"][0] if flag else x

    g = symbolic_trace(f, concrete_args={"flag": True})
    print(g.code)
    g = symbolic_trace(f, concrete_args={"flag": False, "d": {"a": fx.PH, "b": [fx.PH]}})
    print(g.code)
    try:
        show(g({"a": torch.ones(1), "b": [torch.ones(1)]}, False, torch.ones(2)))
    except Exception as e:
        print(type(e).__name__)
    try:
        g({"a": torch.ones(1), "b": [torch.ones(1)]}, True, torch.ones(2))
    except Exception as e:
        print(type(e).__name__, str(e)[:90])


@program
def p21_dce():
    def f(x):
        a = x + 1
        b = a * 2
        torch._assert(x.shape[0] > 0, "m")
        x.add_(1)
        return a

    g = symbolic_trace(f)
    print(g.graph.eliminate_dead_code())
    g.recompile()
    print(g.code)
    n = next(iter(g.graph.nodes))
    print(n.is_impure(), [(m.name, m.is_impure()) for m in g.graph.nodes])


@program
def p22_lint():
    g = Graph()
    x = g.placeholder("x")
    y = g.call_function(torch.neg, (x,))
    for act in (
        lambda: g.erase_node(x),
        lambda: g.erase_node(y) or g.erase_node(y),
        lambda: g.create_node("nothing", "f"),
        lambda: g.call_function("f"),
        lambda: (g.output(x), g.lint()),
        lambda: GraphModule(nn.Module(), g).foo,
        lambda: (g.get_attr("not.there"), GraphModule(nn.Module(), g)),
        lambda: g.inserting_before(3).__enter__(),
    ):
        try:
            print(act())
        except Exception as e:
            print(type(e).__name__, str(e).split("\n")[0][:90])


@program
def p23_node_api():
    g = symbolic_trace(lambda x: torch.add(x, x.relu()).sum(0))
    ns = list(g.graph.nodes)
    a = ns[2]
    print(
        a,
        a.args,
        a.kwargs,
        a.all_input_nodes,
        list(a.users),
        a.prev,
        a.next,
        a.format_node(),
        ns[-1].format_node(),
        ns[0].format_node(),
        repr(a),
        a.op,
        a.target is torch.add,
        a.type,
        a.stack_trace is None,
    )
    a.update_arg(1, 3)
    a.update_kwarg("alpha", 2)
    print(a.format_node())
    a.args = (ns[0], ns[0])
    print([u.name for u in ns[0].users])
    a.append(ns[1]) if 0 else None
    ns[1].replace_input_with(ns[0], ns[0])
    print(
        a > ns[0] if hasattr(a, "__gt__") and 0 else "x", len(g.graph.nodes), [n.name for n in reversed(g.graph.nodes)]
    )
    a.name = "renamed" if 0 else a.name
    print(a.normalized_arguments(g), ns[3].normalized_arguments(g, normalize_to_only_use_kwargs=True))
    a.meta["k"] = 1
    h = copy.deepcopy(g.graph)
    print([n.meta.get("k") for n in h.nodes])


@program
def p24_graph_copy():
    g = symbolic_trace(lambda x, y: x * y + 1).graph
    h = Graph()
    vm = {}
    out = h.graph_copy(g, vm)
    h.output(out)
    print(h)
    k = Graph()
    env = {}
    for n in g.nodes:
        env[n] = k.node_copy(n, lambda m: env[m])
    print(k, GraphModule({}, k).code)


run()
