"""Selective checkpointing: gradients are those without it, and kept operators run once."""

from __future__ import annotations

import functools
from typing import Any

import pytest

import rushlight as rl
from rushlight.utils._python_dispatch import TorchDispatchMode
from rushlight.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts


class Count(TorchDispatchMode):
    """Counts the calls of each operator."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[str, int] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        self.seen[name] = self.seen.get(name, 0) + 1
        return func(*args, **(kwargs or {}))


def block(x: Any, w: Any, v: Any) -> Any:
    h = rl.sin(x @ w)
    values, _ = (h * 2).max(dim=-1, keepdim=True)
    return rl.tanh(rl.mm(h, v)) * values.exp()


def keep(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> Any:
    return (
        CheckpointPolicy.MUST_SAVE
        if op in (rl.ops.aten.mm.default, rl.ops.aten.max.dim)
        else CheckpointPolicy.PREFER_RECOMPUTE
    )


@pytest.mark.parametrize(
    "policy",
    [
        keep,
        [rl.mm, rl.Tensor.max],
        [rl.mm],
        [],
        lambda ctx, op, *a, **k: True,
        lambda ctx, op, *a, **k: CheckpointPolicy.MUST_RECOMPUTE,
    ],
)
def test_gradients_are_the_same_and_kept_operators_run_once(policy: Any) -> None:
    rl.manual_seed(0)
    given = [rl.randn(4, 3, requires_grad=True), rl.randn(3, 5, requires_grad=True), rl.randn(5, 2, requires_grad=True)]
    wanted = rl.autograd.grad(block(*given).sum(), given)
    with Count() as count:
        out = checkpoint(
            block,
            *given,
            use_reentrant=False,
            context_fn=functools.partial(create_selective_checkpoint_contexts, policy),
            early_stop=False,
        )
        found = rl.autograd.grad(out.sum(), given)
    assert all(rl.allclose(a, b) for a, b in zip(found, wanted, strict=True))
    kept = (
        {"mm", "max"}
        if policy is keep or (isinstance(policy, list) and len(policy) == 2)
        else {"mm"}
        if policy == [rl.mm]
        else set()
    )
    if not isinstance(policy, list) and policy is not keep:
        return
    # The backward's products come on top: four of them.
    for name, calls in {"mm": 2, "max": 1, "tanh": 1}.items():
        assert count.seen[name] - (4 if name == "mm" else 0) == calls * (1 if name in kept else 2), name


def test_it_follows_pytorch() -> None:
    torch = pytest.importorskip("torch")
    assert [p.name for p in CheckpointPolicy] == [p.name for p in torch.utils.checkpoint.CheckpointPolicy]
    assert [p.value for p in CheckpointPolicy] == [p.value for p in torch.utils.checkpoint.CheckpointPolicy]


def test_what_it_refuses() -> None:
    with pytest.raises(TypeError, match="list of operators"):
        create_selective_checkpoint_contexts(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="found str in it"):
        create_selective_checkpoint_contexts(["mm"])
    x = rl.ones(2, 2, requires_grad=True)
    with pytest.raises(TypeError, match="must return a CheckpointPolicy"):
        checkpoint(
            lambda t: t.sin(),
            x,
            use_reentrant=False,
            context_fn=lambda: create_selective_checkpoint_contexts(lambda *a, **k: "yes"),
        )

    def write(t: Any) -> Any:
        y = rl.mm(t, t)
        z = y.exp()
        with rl.no_grad():
            y.add_(1)
        return z.sin()

    out = checkpoint(write, x, use_reentrant=False, context_fn=lambda: create_selective_checkpoint_contexts([rl.mm]))
    with pytest.raises(RuntimeError, match="must not be modified in place"):
        out.sum().backward()
