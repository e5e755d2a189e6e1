"""Function transforms, alone and nested, side by side with torch.func where it is installed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import rushlight
import rushlight.func

torch = pytest.importorskip("torch")

X = [[0.55, 0.72, 0.6], [0.54, 0.42, 0.65], [0.44, 0.89, 0.96], [0.38, 0.79, 0.53]]
Y = [[0.57, 0.93, 0.07], [0.09, 0.02, 0.83], [0.78, 0.87, 0.98], [0.8, 0.46, 0.78]]
W = [[0.12, 0.64, 0.14, 0.94, 0.52], [0.41, 0.26, 0.77, 0.46, 0.57], [0.02, 0.62, 0.61, 0.62, 0.94]]
V = [0.68, 0.36, 0.44]


def cases(m: Any) -> dict[str, Callable[[], Any]]:
    f = m.func
    T = lambda a: m.tensor(a, dtype=m.float64)
    x, y, w, v = T(X), T(Y), T(W), T(V)
    g = lambda a: (m.sin(a) * a * a).sum()
    return {
        "vmap add": lambda: f.vmap(lambda a, b: a + b)(x, y),
        "vmap dot": lambda: f.vmap(lambda a, b: (a * b).sum())(x, y),
        "vmap None": lambda: f.vmap(lambda a, b: a * b.sum(), in_dims=(0, None))(x, v),
        "vmap in1": lambda: f.vmap(lambda a: a.sum(), in_dims=1)(x),
        "vmap out1": lambda: f.vmap(lambda a: m.sin(a) * 2, out_dims=1)(x),
        "vmap matmul": lambda: f.vmap(lambda a: a @ w)(x),
        "vmap softmax": lambda: f.vmap(lambda a: m.softmax(a, 0))(x),
        "vmap nested": lambda: f.vmap(f.vmap(lambda a: a * a + 1))(x),
        "vmap outer": lambda: f.vmap(lambda a: f.vmap(lambda b: a * b)(v))(v),
        "vmap index": lambda: f.vmap(lambda a: a[1:] * a[0])(x),
        "vmap inplace": lambda: f.vmap(lambda a: a.clone().mul_(2).add_(a))(x),
        "vmap setitem": lambda: f.vmap(lambda a: (lambda c: (c.__setitem__(0, a[1] * 5), c)[1])(a.clone()))(x),
        "vmap max": lambda: f.vmap(lambda a: a.max(0).values)(x),
        "vmap cat": lambda: f.vmap(lambda a, b: m.cat([a, b]))(x, y),
        "vmap view": lambda: f.vmap(lambda a: a.view(3, 1).expand(3, 2).reshape(-1))(x),
        "vmap dict": lambda: f.vmap(lambda d: {"o": d["a"] + d["b"]})({"a": x, "b": y})["o"],
        "vmap chunk": lambda: f.vmap(lambda a: a.sum(), chunk_size=3)(x),
        "grad": lambda: f.grad(g)(v),
        "grad2": lambda: f.grad(lambda a: f.grad(g)(a).sum())(v),
        "grad3": lambda: f.grad(lambda a: f.grad(lambda b: f.grad(g)(b).sum())(a).sum())(v),
        "gav": lambda: f.grad_and_value(g)(v),
        "aux": lambda: f.grad(lambda a: (g(a), a * 2), has_aux=True)(v),
        "argnums": lambda: f.grad(lambda a, b: (a * b * b).sum(), argnums=(0, 1))(v, v * 2),
        "vjp": lambda: (lambda o, fn: (o, fn(v)))(*f.vjp(lambda a: m.exp(a) * a, v)),
        "jvp": lambda: f.jvp(lambda a: m.exp(a) * a, (v,), (v * 3,)),
        "jvp2": lambda: f.jvp(lambda a: f.jvp(lambda b: m.exp(b) * b, (a,), (a * a,))[1], (v,), (v * 3,)),
        "vmap grad": lambda: f.vmap(f.grad(g))(x),
        "vmap grad none": lambda: f.vmap(f.grad(lambda p, a: m.tanh(a @ p).sum()), in_dims=(None, 0))(w, x),
        "grad vmap": lambda: f.grad(lambda a: f.vmap(g)(a).sum())(x),
        "jvp vmap": lambda: f.jvp(lambda a: f.vmap(g)(a), (x,), (y,)),
        "vmap jvp": lambda: f.vmap(lambda a, t: f.jvp(g, (a,), (t,))[1])(x, y),
        "jacrev": lambda: f.jacrev(lambda a: m.sin(a) * a.sum())(v),
        "jacfwd": lambda: f.jacfwd(lambda a: m.sin(a) * a.sum())(v),
        "hessian": lambda: f.hessian(g)(v),
        "jacrev jacfwd": lambda: f.jacrev(f.jacfwd(lambda a: m.sin(a) * a.sum()))(v),
        "jacrev jacrev": lambda: f.jacrev(f.jacrev(lambda a: m.sin(a) * a.sum()))(v),
        "jacfwd jacfwd": lambda: f.jacfwd(f.jacfwd(lambda a: m.sin(a) * a.sum()))(v),
        "vmap hessian": lambda: f.vmap(f.hessian(lambda a: m.softmax(a, 0).pow(3).sum()))(x),
        "vmap jacrev": lambda: f.vmap(f.jacrev(lambda a: m.softmax(a, 0)))(x),
        "grad jvp": lambda: f.grad(lambda a: f.jvp(g, (a,), (a * 2,))[1])(v),
        "jvp grad": lambda: f.jvp(f.grad(g), (v,), (v * 2,)),
        "jvp grad logsumexp": lambda: f.jvp(f.grad(lambda a: m.logsumexp(a, 0)), (v,), (v * 2,)),
        "jvp vmap grad": lambda: f.jvp(f.vmap(f.grad(g)), (x,), (y,)),
        "vmap vjp": lambda: f.vmap(lambda a, c: f.vjp(lambda b: m.exp(b) * b, a)[1](c)[0])(x, y),
        "linearize": lambda: f.linearize(lambda a: m.exp(a) * a, v)[1](v),
        "ensemble mlp": lambda: f.vmap(
            f.grad(lambda p, a: ((m.relu(a @ p["w"]) + p["b"]).pow(2)).mean()), in_dims=(None, 0)
        )({"w": w, "b": m.ones(5, dtype=m.float64)}, x),
        "item err": lambda: f.vmap(lambda a: a.sum().item())(x),
        "rand err": lambda: f.vmap(lambda a: m.rand(3))(x),
        "rand same": lambda: list(f.vmap(lambda a: m.rand(3), randomness="same")(x).shape),
        "rand diff": lambda: [
            list(f.vmap(lambda a: m.rand(3), randomness="different")(x).shape),
            list(f.vmap(lambda a: m.rand_like(a), randomness="different")(x).shape),
        ],
        "outer grad": lambda: (lambda p: m.autograd.grad(f.grad(lambda a: (a * a * p).sum())(v).sum(), p))(
            v.clone().requires_grad_()
        ),
        "reqgrad": lambda: [f.grad(g)(v).requires_grad, f.vjp(g, v)[0].requires_grad],
    }


NAMES = list(cases(rushlight))


def numbers(x: Any) -> Any:
    if isinstance(x, dict):
        return {k: numbers(v) for k, v in x.items()}
    if isinstance(x, (tuple, list)):
        return [numbers(v) for v in x]
    return x.tolist() if hasattr(x, "tolist") else x


def close(a: Any, b: Any) -> bool:
    if isinstance(b, dict):
        return set(a) == set(b) and all(close(a[k], b[k]) for k in b)
    if isinstance(b, list):
        return isinstance(a, list) and len(a) == len(b) and all(close(p, q) for p, q in zip(a, b, strict=True))
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) if isinstance(b, float) else a == b


def outcome(fn: Callable[[], Any]) -> Any:
    try:
        return numbers(fn())
    except RuntimeError as error:
        assert "err" in str(error) or "vmap" in str(error), error
        return "RuntimeError"


@pytest.mark.parametrize("name", NAMES)
def test_agrees_with_pytorch(name: str) -> None:
    got, expected = outcome(cases(rushlight)[name]), outcome(cases(torch)[name])
    assert close(got, expected), f"{name}: got {got}, expected {expected}"


# Operators under each transform: the transform of the operator against the same thing one example at a time.
POINTWISE = [
    "exp",
    "sin",
    "tanh",
    "sigmoid",
    "sqrt",
    "log1p",
    "abs",
    "reciprocal",
    "erf",
    "square",
    "neg",
    "floor",
    "relu",
]
SHAPED: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda m, a: a.sum(0),
    "mean": lambda m, a: a.mean(-1, keepdim=True),
    "prod": lambda m, a: a.prod(0),
    "amax": lambda m, a: a.amax(1),
    "var": lambda m, a: a.var(0),
    "softmax": lambda m, a: m.softmax(a, -1),
    "logsumexp": lambda m, a: m.logsumexp(a, 0),
    "cumsum": lambda m, a: m.cumsum(a, 1),
    "norm": lambda m, a: a.norm(),
    "reshape": lambda m, a: a.reshape(9),
    "transpose": lambda m, a: a.t() * 2,
    "select": lambda m, a: a[1] * a[0],
    "narrow": lambda m, a: a[:, 1:] * 3,
    "cat": lambda m, a: m.cat([a, a * 2], 1),
    "stack": lambda m, a: m.stack([a, a.sin()]),
    "matmul": lambda m, a: a @ a.t(),
    "where": lambda m, a: m.where(a > 0.5, a, a * a),
    "clamp": lambda m, a: a.clamp(0.4, 0.7),
    "sort": lambda m, a: a.sort(0).values,
    "gather": lambda m, a: a.gather(1, m.tensor([[0, 1], [2, 0], [1, 1]])),
    "index_select": lambda m, a: a.index_select(0, m.tensor([2, 0, 0])),
    "flip": lambda m, a: a.flip(0) * a,
    "roll": lambda m, a: m.roll(a, 1, 0),
    "expand": lambda m, a: a.unsqueeze(0).expand(2, 3, 3) * 2,
    "max": lambda m, a: a.max(1).values,
    "inplace": lambda m, a: (a * 1).mul_(2).add_(a),
    "setitem": lambda m, a: written(a),
    "diagonal": lambda m, a: a.diagonal() * 2,
    "addmm": lambda m, a: m.addmm(a, a, a),
    "einsum": lambda m, a: m.einsum("ij,kj->ik", a, a),
    "pow": lambda m, a: a**3,
    "div": lambda m, a: a / (a.sum() + 1),
    "lerp": lambda m, a: m.lerp(a, a * 2, 0.3),
}


def written(a: Any) -> Any:
    b = a.clone()
    b[0] = b[1] * 5
    return b


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    **{n: (lambda m, a, n=n: getattr(m, n)(a)) for n in POINTWISE},
    **SHAPED,
}
BATCH = [
    [[0.3, 0.62, 0.83], [0.31, 0.45, 0.52], [0.9, 0.77, 0.12]],
    [[0.18, 0.29, 0.41], [0.66, 0.73, 0.95], [0.21, 0.55, 0.37]],
]


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("transform", ["vmap", "grad", "jvp", "vmap(grad)", "vmap(jvp)", "jvp(grad)", "hessian"])
def test_operator(name: str, transform: str) -> None:
    op = OPERATORS[name]

    def run(m: Any) -> Any:
        f = m.func
        x = m.tensor(BATCH, dtype=m.float64)
        one, t = x[0], x[1]
        total = lambda a: (op(m, a).sin() * 2).sum()
        return numbers(
            {
                "vmap": lambda: f.vmap(lambda a: op(m, a))(x),
                "grad": lambda: f.grad(total)(one),
                "jvp": lambda: f.jvp(lambda a: op(m, a), (one,), (t,)),
                "vmap(grad)": lambda: f.vmap(f.grad(total))(x),
                "vmap(jvp)": lambda: f.vmap(lambda a: f.jvp(total, (a,), (t,))[1])(x),
                "jvp(grad)": lambda: f.jvp(f.grad(total), (one,), (t,)),
                "hessian": lambda: f.hessian(total)(one),
            }[transform]()
        )

    got, expected = run(rushlight), run(torch)
    assert close(got, expected), f"{transform} of {name}: got {got}, expected {expected}"


def _restrided(M: Any) -> dict[str, Callable[[], Any]]:
    """as_strided, which counts from the start of the storage, on what transforms wrap."""
    v, t = M.arange(30.0)[5:25], M.arange(12.0).reshape(2, 2, 3)
    return {
        "jvp": lambda: M.func.jvp(lambda x: M.as_strided(x, (3,), (5,), 6), (v,), (M.arange(20.0),)),
        "jvp, outside of the view": lambda: M.func.jvp(
            lambda x: M.as_strided(x, (2, 2), (1, 7), 3), (v,), (M.arange(20.0),)
        ),
        "jvp, transposed": lambda: M.func.jvp(
            lambda x: M.as_strided(x, (6,), (1,)), (t[1].T,), (M.arange(6.0).reshape(3, 2),)
        ),
        "jvp of jvp": lambda: M.func.jvp(
            lambda y: M.func.jvp(lambda x: x.as_strided((3,), (2,), 7) ** 2, (y,), (M.ones(20),))[1],
            (v,),
            (M.ones(20),),
        ),
        "vmap": lambda: M.func.vmap(lambda x: x.as_strided((2,), (3,), 6))(M.arange(40.0).reshape(2, 20)[:, 5:15]),
        "vmap, transposed": lambda: M.func.vmap(lambda x: M.as_strided(x, (6,), (1,)))(t.mT),
        "vmap, another dimension": lambda: M.func.vmap(lambda x: M.as_strided(x, (2,), (3,)), in_dims=1)(
            M.arange(12.0).reshape(6, 2)
        ),
        "vmap, a view made inside": lambda: M.func.vmap(lambda x: M.as_strided(x[2:], (2,), (2,), 3))(
            M.arange(12.0).reshape(2, 6)
        ),
        "vmap of vmap": lambda: M.func.vmap(M.func.vmap(lambda x: x.as_strided((2,), (2,))))(t),
        "vmap of jvp": lambda: M.func.vmap(lambda a: M.func.jvp(lambda x: x.as_strided((2,), (2,)), (a,), (a * 2,)))(
            t[0]
        ),
        "vmap of grad": lambda: M.func.vmap(M.func.grad(lambda x: (M.as_strided(x, (3,), (1,)) ** 2).sum()))(
            M.arange(20.0).reshape(2, 10)[:, 2:8]
        ),
        "grad": lambda: M.func.grad(lambda x: (M.as_strided(x, (3,), (1,), 6) ** 2).sum())(v),
        "vmap, outside of an example": lambda: M.func.vmap(lambda x: M.as_strided(x, (3,), (5,)))(
            M.arange(40.0).reshape(2, 20)[:, 5:15]
        ),
        "jvp, places shared": lambda: M.func.jvp(
            lambda x: M.as_strided(x, (3,), (1,)), (M.arange(3.0).expand(2, 3),), (M.arange(6.0).reshape(2, 3),)
        ),
    }


@pytest.mark.parametrize("name", _restrided(torch))
def test_as_strided_of_what_is_transformed(name: str) -> None:
    found = []
    for M in (torch, rushlight):
        try:
            result = _restrided(M)[name]()
            found.append([r.tolist() for r in (result if isinstance(result, tuple) else (result,))])
        except RuntimeError:
            found.append("RuntimeError")
    assert found[0] == found[1]
