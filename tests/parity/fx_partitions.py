# ruff: noqa
"""Programs that ask what can be run elsewhere and cut graphs accordingly: random graphs, random support."""

import operator
import random

import torch
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner, Partition
from torch.fx.passes.operator_support import (
    OperatorSupport,
    OperatorSupportBase,
    OpSupports,
    any_chain,
    chain,
    create_op_support,
)
from torch.fx.passes.shape_prop import ShapeProp
from torch.fx.passes.tools_common import CALLABLE_NODE_OPS, get_node_target, legalize_graph, stable_topological_sort
from torch.fx.passes.utils.fuser_utils import fuse_as_graphmodule, fuse_by_partitions, topo_sort, validate_partition


class M(torch.nn.Module):
    def __init__(s):
        super().__init__()
        s.l, s.w = torch.nn.Linear(3, 3), torch.nn.Parameter(torch.ones(3))
        s.s = torch.nn.Sequential(torch.nn.ReLU())

    def forward(s, x, y):
        a = s.l(x) + y
        a = s.s(torch.relu(a) * s.w)
        b = torch.nn.functional.gelu(a).sum(1)
        c = operator.getitem(b, 0)
        d = torch.ops.aten.add.Tensor(b, c)
        return d, b.view(-1), torch.split(a, 1)[0], torch.add(a, 1, alpha=2), a.int() + 1


def traced():
    gm = torch.fx.symbolic_trace(M())
    ShapeProp(gm).propagate(torch.ones(3, 3), torch.ones(3))
    return gm, dict(gm.named_modules())


def p_targets():
    gm, modules = traced()
    for n in gm.graph.nodes:
        try:
            print(n.op, n, get_node_target(modules, n))
        except AssertionError as e:
            print(n.op, "AssertionError")
    print(sorted(CALLABLE_NODE_OPS))


def p_support():
    gm, modules = traced()
    f, i = torch.float32, torch.int64
    table = {
        "torch.relu": None,
        "_operator.add": (((f,), (i,)), {}),
        "_operator.mul": (((f,), (torch.float64,)), {}),
        "torch.add": (((f,),), {"alpha": (f,)}),
        "view": ((None,), {}),
        "torch.nn.modules.linear.Linear": (((torch.float16,),), {}),
    }
    a, b = create_op_support(lambda m, n: n.op == "call_function"), create_op_support(lambda m, n: "a" in n.name)
    for s in (
        OperatorSupport(table),
        OperatorSupport(),
        chain(a, b),
        any_chain(a, b),
        chain(),
        any_chain(),
        OpSupports.decline_if_input_dtype(torch.int32),
        OpSupports.decline_if_node_in_names({"relu"}),
    ):
        print(isinstance(s, OperatorSupportBase), [n.name for n in gm.graph.nodes if s.is_node_supported(modules, n)])
    try:
        OperatorSupportBase()
    except TypeError:
        print("TypeError")


def graph(rng, n):
    g = torch.fx.Graph()
    vals = [g.placeholder(f"x{i}") for i in range(rng.randint(1, 3))]
    for _ in range(n):
        k, a, b = rng.random(), rng.choice(vals[-6:]), rng.choice(vals[-6:])
        if k < 0.3:
            v = g.call_function(torch.add, (a, b))
        elif k < 0.5:
            v = g.call_function(torch.relu, (a,))
        elif k < 0.65:
            v = g.call_function(torch.mul, (a, b))
        elif k < 0.75:
            v = g.call_method("sin", (a,))
        elif k < 0.85:
            s = g.call_function(torch.split, (a, 2))
            v = g.call_function(operator.getitem, (s, 0))
            if rng.random() < 0.5:
                vals.append(v)
                v = g.call_function(torch.cat, ([v, g.call_function(operator.getitem, (s, 1))],))
        elif k < 0.9:
            v = g.call_function(torch.ops.aten.view, (a, (4, 4)))
        else:
            v = g.call_function(torch.sub, (a, b))
        vals.append(v)
    g.output(tuple(rng.sample(vals, min(2, len(vals)))))
    return torch.fx.GraphModule({}, g)


def p_partitions():
    for seed in range(150):
        rng = random.Random(seed)
        gm = graph(rng, rng.randint(2, 25))
        names = {n.name for n in gm.graph.nodes if rng.random() < 0.7}
        kw = {"allows_single_node_partition": rng.random() < 0.5}
        if rng.random() < 0.3:
            kw["skip_horizontal_fusion"] = True
        if rng.random() < 0.3:
            kw["non_compute_ops"] = ["torch.relu"]
        if rng.random() < 0.3:
            kw["allowed_single_node_partition_ops"] = ["torch.add"]
        support = create_op_support(lambda m, n: n.op.startswith("call") and n.name in names)
        p = CapabilityBasedPartitioner(gm, support, **kw)
        parts = p.propose_partitions()
        if rng.random() < 0.3:
            p.remove_bookend_non_compute_ops(parts)
            print([q.nodes for q in parts])
            parts = [q for q in parts if q.size()]
        print(seed, kw, [(q.id, q.nodes, q.size()) for q in parts])
        fused = p.fuse_partitions(parts, rng.choice(("fused_", "other")))
        fused.graph.lint()
        print(fused is gm, fused.code)
        for name, m in fused.named_children():
            print(name, type(m).__name__, m.code)


def p_fuse():
    for names in (
        ["l", "add", "w", "relu", "mul", "s_0"],
        ["l", "add", "relu", "mul"],
        ["add", "mul"],
        ["relu", "s_0"],
    ):
        gm, _ = traced()
        nodes = [n for n in gm.graph.nodes if n.name in names]
        print(nodes, validate_partition(nodes))
        try:
            m, given, results = fuse_as_graphmodule(gm, nodes, "foo")
        except AssertionError:
            print("AssertionError")
            continue
        print(m.code, given, results, [k for k, _ in m.named_parameters()], [k for k, _ in m.named_modules()])
    gm, _ = traced()
    nodes = [n for n in gm.graph.nodes if n.name in ("l", "add", "w", "relu", "mul", "s_0")]
    print(topo_sort(list(reversed(nodes))))
    x, y = torch.arange(9.0).reshape(3, 3), torch.ones(3)
    before = gm(x, y)[3]
    r = fuse_by_partitions(gm, [{n: None for n in nodes}], always_return_tuple=True)
    print(r.code, r.fused_0.code, torch.equal(r(x, y)[3], before))


def p_order():
    for seed in range(30):
        for f in (legalize_graph, stable_topological_sort):
            rng, g = random.Random(seed), torch.fx.Graph()
            v = [g.placeholder("x"), g.placeholder("y")]
            for _ in range(8):
                v.append(g.call_function(torch.add, (rng.choice(v[-4:]), rng.choice(v))))
            g.output(v[-1])
            gm = torch.fx.GraphModule({}, g)
            nodes = list(gm.graph.nodes)
            for _ in range(4):
                a, b = rng.sample(nodes[:-1], 2)
                a.prepend(b)
            r = f(gm)
            print([n.name for n in r.graph.nodes], r is gm)


def p_partition_class():
    p = Partition(3)
    print(p, p.nodes, p.id, p.size(), Partition())
    p.add_node("a", 4)
    p.add_node("b")
    p.remove_node("a")
    print(p)


if __name__ == "__main__":
    for name, f in list(globals().items()):
        if name.startswith("p_"):
            print("#####", name)
            f()
