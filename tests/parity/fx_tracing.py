# ruff: noqa
"""Programs on torch.fx as people write them, on code, names, types, passes and errors: what each prints is compared, by PyTorch and by rushlight."""

import torch, torch.nn as nn, torch.fx as fx, operator, copy, pickle, io, sys, math, traceback, warnings
import torch.nn.functional as F

warnings.simplefilter("ignore")
from torch.fx import Graph, GraphModule, Interpreter, Node, Proxy, Tracer, Transformer
from torch.fx import replace_pattern, symbolic_trace, wrap
from fx_harness import CNN, Block, X, program, run, seeded, show, swap


def helper2(a):
    return a + 1


@program
def p25_python_code():
    g = symbolic_trace(seeded(CNN())).graph
    c = g.python_code("self")
    print(c.src)
    print(sorted(c.globals))
    print(type(c).__name__)


@program
def p26_on_codegen():
    g = symbolic_trace(lambda x: x + 1)
    g.graph.set_codegen(fx.graph.CodeGen())
    g.graph.on_generate_code(lambda cur: lambda body: ["# made\n", *body])
    g.recompile()
    print(g.code)


@program
def p27_proxy_subclass():
    class T(Tracer):
        def proxy(s, n):
            return Mine(n, s)

    class Mine(Proxy):
        def __add__(s, o):
            print("adding")
            return (
                super().__getattr__("add")(o) if 0 else s.tracer.create_proxy("call_function", operator.add, (s, o), {})
            )

    g = T().trace(lambda x: x + 1)
    print(g)
    tr = T()
    gr = Graph(tracer_cls=T)
    p = Mine(gr.placeholder("q"), tr) if 0 else None


@program
def p28_proxy_retrace():
    g1 = symbolic_trace(lambda x: x.relu() + 1)
    new = Graph()
    tr = fx.proxy.GraphAppendingTracer(new)
    env = {}
    for n in g1.graph.nodes:
        if n.op == "call_method" and n.target == "relu":
            a = [Proxy(env[x], tr) if isinstance(x, Node) else x for x in n.args]
            env[n] = ((a[0] > 0) * a[0]).node
        else:
            env[n] = new.node_copy(n, lambda x: env[x])
    print(GraphModule(g1, new).code)


@program
def p29_quant_pass():
    m = seeded(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)))
    g = symbolic_trace(m)

    class Obs(nn.Module):
        def __init__(s):
            super().__init__()
            s.register_buffer("lo", torch.tensor(0.0))
            s.register_buffer("hi", torch.tensor(0.0))

        def forward(s, x):
            s.lo = torch.minimum(s.lo, x.min())
            s.hi = torch.maximum(s.hi, x.max())
            return x

    for i, n in enumerate(list(g.graph.nodes)):
        if n.op == "call_module":
            g.add_submodule(f"obs_{i}", Obs())
            with g.graph.inserting_after(n):
                o = g.graph.call_module(f"obs_{i}", (n,))
                n.replace_all_uses_with(o)
                o.args = (n,)
    g.recompile()
    g.graph.lint()
    show(g(torch.ones(2, 3)))
    print(g.code)
    print({k: round(v.item(), 4) for k, v in g.named_buffers()})
    print(g.delete_submodule("obs_1"), g.add_submodule("a.b.c", Obs()), sorted(k for k, _ in g.named_modules()))


@program
def p30_matcher():
    from torch.fx.passes.utils.matcher_utils import SubgraphMatcher

    t = symbolic_trace(lambda x, y: torch.relu(x + y) * torch.relu(y + x)).graph
    p = symbolic_trace(lambda a, b: torch.relu(a + b)).graph
    print(len(SubgraphMatcher(p).match(t)))


@program
def p31_filters():
    from torch.fx.subgraph_rewriter import replace_pattern_with_filters

    g = symbolic_trace(lambda x: torch.add(x, 1) + torch.add(x, 2))
    r = replace_pattern_with_filters(g, lambda x: torch.add(x, 1), lambda x: torch.sub(x, 5))
    print(len(r), g.code)


@program
def p32_names():
    def f(x):
        a = torch.add(x, 1)
        b = torch.add(a, 1)
        c = b.add(2)
        d = c + 2
        e = torch.nn.functional.relu(d)
        return e.max(0)[0]

    print(symbolic_trace(f).code)
    g = Graph()
    print([g.placeholder(n).name for n in ("x", "x", "self", "if", "x_1", "1a", "a.b", "_y", "List", "torch")])


@program
def p33_types():
    g = symbolic_trace(lambda x: (torch.zeros(2, dtype=torch.float32, device="cpu") + x).to(torch.float64))
    print(g.code)

    def h(x):
        return torch.full((2,), float("inf")) + x * float("nan") + torch.tensor([1, 2]).sum() + x * (1 + 2j)

    print(symbolic_trace(h).code)


@program
def p34_module_attr():
    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.w = nn.Parameter(torch.ones(2))
            s.register_buffer("b", torch.zeros(2))
            s.sub = nn.Module()
            s.sub.p = nn.Parameter(torch.ones(2))
            s.k = torch.ones(2)
            s.n = 3
            s.lst = nn.ParameterList([torch.ones(2)])
            s.ml = nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])

        def forward(s, x):
            x = x * s.w + s.b + s.sub.p + s.k + s.n + s.lst[0]
            for l in s.ml:
                x = l(x)
            return x

    g = symbolic_trace(M())
    print(g.code)
    print(sorted(k for k, _ in g.named_parameters()), sorted(k for k, _ in g.named_buffers()))


@program
def p35_class_name():
    class M(nn.Module):
        def forward(s, x):
            return x

    g = symbolic_trace(M())
    print(type(g).__name__, g.__class__.__bases__[0].__name__, g._get_name(), str(g))
    g = GraphModule(M(), g.graph, "Other")
    print(type(g).__name__, g)


@program
def p36_passes():
    from torch.fx.passes.infra.pass_base import PassBase, PassResult
    from torch.fx.passes.infra.pass_manager import PassManager

    class Add1(PassBase):
        def call(s, gm):
            for n in gm.graph.nodes:
                if n.target is torch.add:
                    n.target = torch.mul
            return PassResult(gm, True)

    g = symbolic_trace(lambda x: torch.add(x, 3))
    pm = PassManager(passes=[Add1()])
    r = pm(g)
    print(r.modified, r.graph_module.code)


@program
def p37_drawer():
    from torch.fx.passes.graph_drawer import FxGraphDrawer

    print("x")


@program
def p38_normalize():
    from torch.fx.experimental.normalize import NormalizeArgs, NormalizeOperators

    g = symbolic_trace(lambda x: torch.add(x, 1) + F.relu(x))
    print(NormalizeArgs(g).transform().code)


@program
def p39_process():
    g = symbolic_trace(Block(3), concrete_args={"mask": None})
    print(
        [n.name for n in g.graph.find_nodes(op="call_module")],
        [n.name for n in g.graph.find_nodes(op="call_function", target=operator.mul)],
        g.graph.find_nodes(op="get_attr", target="scale"),
        g.graph.output_node().name if hasattr(g.graph, "output_node") else None,
    )
    g.graph.process_inputs(1)
    print(g.graph._root.op, g.graph.owning_module is g)


@program
def p40_train():
    m = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    seeded(m)
    g = symbolic_trace(m).train()
    o = torch.optim.SGD(g.parameters(), 0.1)
    for _ in range(5):
        l = (g(torch.ones(4, 2)) - 1).pow(2).mean()
        o.zero_grad()
        l.backward()
        o.step()
    print(round(l.item(), 5))
    print(g.training, g[0] is m[0] if hasattr(g, "__getitem__") and 0 else "")


@program
def p41_annotate():
    g = symbolic_trace(lambda x: x + 1)
    for n in g.graph.nodes:
        if n.op == "placeholder":
            n.type = torch.Tensor
        if n.op == "call_function":
            n.type = float
    g.recompile()
    print(g.code)
    g.graph.nodes
    n = list(g.graph.nodes)[1]
    print(n.args[0].type)


@program
def p42_move():
    g = symbolic_trace(lambda x: (x.neg(), x.abs()))
    ns = list(g.graph.nodes)
    ns[2].prepend(ns[1])
    ns[1].append(ns[2])
    print(g.graph)
    ns[2].prepend(ns[1])
    g.recompile()
    print(g.code)


@program
def p43_error_in_generated():
    g = symbolic_trace(lambda x: x.view(3, 5) + 1)
    try:
        g(torch.ones(2))
    except Exception as e:
        print(type(e).__name__)


@program
def p44_method_of_module_proxy():
    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.l = nn.Linear(2, 2)

        def helper(s, x):
            return F.linear(x, s.l.weight, s.l.bias)

        def forward(s, x):
            return s.helper(x) + s.l.weight.t()[0] + s.l(x).size(-1)

    print(symbolic_trace(M()).code)


@program
def p45_buffers_proxy():
    class T(Tracer):
        proxy_buffer_attributes = True

    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.register_buffer("b", torch.ones(2))

        def forward(s, x):
            return x + s.b if s.b is not None else x

    m = M()
    print(GraphModule(m, T().trace(m)).code)


@program
def p46_einsum_lists():
    def f(x, y):
        return (
            torch.cat([x, y], dim=-1),
            torch.stack((x, y)),
            torch.einsum("ij,ij->i", x, y),
            torch.where(x > 0, x, y),
            F.pad(x, (1, 2)),
            x[..., -1],
            x[:, ::2],
            x[y > 0],
            {"k": [x, (y,)]},
        )

    print(symbolic_trace(f).code)


@program
def p47_mutating_graph_iter():
    g = symbolic_trace(lambda x: x + 1 + 2 + 3)
    swap(g.graph, g.graph.nodes, operator.add, operator.sub, g.graph.inserting_before)
    g.recompile()
    print(g.code)
    show(g(torch.zeros(1)))


@program
def p48_nested_tracer_state():
    t = Tracer(autowrap_modules=(math,))
    g = t.trace(lambda x: x + math.sqrt(4))
    print(g)
    print(fx.Tracer(param_shapes_constant=True).param_shapes_constant)
    g = Tracer(autowrap_functions=(helper2,)).trace(lambda x: helper2(x))
    print(g)


run()
