"""Whether operators are recorded within what the library calls of a program's: hooks, custom functions, closures,
recomputations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

Note = Callable[[str], None]
CASES: dict[str, Callable[[Any, Note], Any]] = {}


def case(fn: Callable[[Any, Note], Any]) -> Callable[[Any, Note], Any]:
    CASES[fn.__name__] = fn
    return fn


def leaf(lib: Any) -> Any:
    return lib.ones(3, requires_grad=True)


@case
def saved_tensors(lib: Any, note: Note) -> Any:
    x = leaf(lib)
    with lib.autograd.graph.saved_tensors_hooks(lambda t: (note("pack"), t)[1], lambda t: (note("unpack"), t)[1]):
        y = x.exp().sum()
    return y, x


@case
def saved_tensors_as_arrays(lib: Any, note: Note) -> Any:
    x = leaf(lib)
    with lib.autograd.graph.saved_tensors_hooks(
        lambda t: (note("pack"), t.numpy())[1], lambda a: (note("unpack"), lib.from_numpy(a))[1]
    ):
        y = (x * x).sum()
    return y, x


@case
def hooks_of_tensors(lib: Any, note: Note) -> Any:
    x = leaf(lib)
    y = x * 2
    y.register_hook(lambda g: note("hook"))
    x.register_hook(lambda g: note("hook of a leaf"))
    x.register_post_accumulate_grad_hook(lambda p: note("after accumulating"))
    return y.sum(), x


@case
def hooks_of_nodes(lib: Any, note: Note) -> Any:
    x = leaf(lib)
    y = x.exp()
    y.grad_fn.register_hook(lambda gi, go: note("hook"))
    y.grad_fn.register_prehook(lambda go: note("prehook"))
    return y.sum(), x


@case
def several_gradients(lib: Any, note: Note) -> Any:
    x, y = leaf(lib), leaf(lib)
    lib.autograd.graph.register_multi_grad_hook([x, y], lambda gs: note("all"))
    return (x * y).sum(), x


@case
def hooks_of_modules(lib: Any, note: Note) -> Any:
    x, m = leaf(lib), lib.nn.Sequential(lib.nn.Linear(3, 2), lib.nn.ReLU())
    m.register_forward_pre_hook(lambda m, a: note("before"))
    m.register_forward_hook(lambda m, a, o: note("after"))
    m[0].register_full_backward_hook(lambda m, gi, go: note("backward"))
    m.register_full_backward_pre_hook(lambda m, go: note("before backward"))
    return m(x).sum(), x


@case
def functions(lib: Any, note: Note) -> Any:
    class F(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(x: Any) -> Any:
            note("forward")
            return x * 2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            note("setup_context")
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            note("backward")
            return g * 2 * ctx.saved_tensors[0]

    x = leaf(lib)
    return F.apply(x).sum(), x


@case
def recomputations(lib: Any, note: Note) -> Any:
    x = leaf(lib)
    return lib.utils.checkpoint.checkpoint(lambda t: (note("run"), t.exp())[1], x, use_reentrant=False).sum(), x


@case
def optimizers(lib: Any, note: Note) -> Any:
    x = leaf(lib)
    optimizer = lib.optim.SGD([x], 0.1)
    optimizer.register_step_pre_hook(lambda *a: note("before"))
    optimizer.register_step_post_hook(lambda *a: note("after"))

    def closure() -> Any:
        note("closure")
        return x.sum()

    optimizer.step(closure)

    def loss() -> Any:
        note("closure of LBFGS")
        found = (x * x).sum()
        found.backward()
        return found

    lib.optim.LBFGS([x], max_iter=2).step(loss)
    return (x * x).sum(), x


@case
def transforms(lib: Any, note: Note) -> Any:
    x = leaf(lib)
    lib.func.grad(lambda t: (note("grad"), t.sum())[1])(x.detach())
    lib.func.vmap(lambda t: (note("vmap"), t * 2)[1])(x)
    lib.func.jvp(lambda t: (note("jvp"), t * 2)[1], (x.detach(),), (x.detach(),))
    with lib.no_grad():
        lib.func.grad(lambda t: (note("grad within no_grad"), t.sum())[1])(x.detach())
    return x.sum(), x


def notes(lib: Any, name: str, create_graph: bool) -> list[tuple[str, bool, bool]]:
    seen: list[tuple[str, bool, bool]] = []
    y, _ = CASES[name](lib, lambda what: seen.append((what, lib.is_grad_enabled(), lib.is_inference_mode_enabled())))
    y.backward(create_graph=create_graph)
    return sorted(set(seen))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_operators_are_recorded_where_pytorch_records_them(name: str, create_graph: bool) -> None:
    assert notes(rushlight, name, create_graph) == notes(torch, name, create_graph)
