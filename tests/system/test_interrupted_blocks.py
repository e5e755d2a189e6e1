"""An interrupt at any moment of work in blocks and under transforms leaves what the thread has in force as it was, and
the next call gives its value.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from interrupts import Moments
from rushlight.amp import autocast_mode
from rushlight.autograd import forward_ad
from rushlight.core import devices, locks, record
from rushlight.core import tensor as _core
from rushlight.func import levels
from rushlight.jit import recording
from rushlight.operators.random import samplers
from rushlight.operators.table import dispatch as _dispatch
from rushlight.overrides import TorchFunctionMode
from rushlight.program import ir
from rushlight.utils._python_dispatch import TorchDispatchMode
from rushlight.utils.checkpoint import checkpoint

MOST = 400  # instructions of each kind of work, at random where it has more


class Seen(TorchFunctionMode):
    """A mode that does what is called."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class Dispatched(TorchDispatchMode):
    """The same below autograd."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class Sub(rl.Tensor):
    """A subclass."""


def leaf() -> Any:
    return rl.tensor([1.0, 2.0, 3.0], requires_grad=True)


def casts() -> Any:
    w = rl.ones(3, 3, requires_grad=True)
    with rl.autocast("cpu"):
        y = rl.ones(2, 3) @ w
        with rl.autocast("cpu", enabled=False):
            z = rl.ones(2, 3) @ w
    return y.float().sum() + z.sum()


def modes_of_gradients() -> Any:
    x = leaf()
    with rl.no_grad():
        a = x * 2
        with rl.enable_grad():
            b = x * 3
    with rl.inference_mode():
        c = rl.ones(3) * 2
    return a + b + c


def hooks() -> Any:
    x = leaf()
    handle = (y := x * 2).register_hook(lambda g: g * 2)
    y.sum().backward()
    handle.remove()
    with rl.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        z = (x * x).sum()
    z.backward()
    with rl.autograd.graph.save_on_cpu(), rl.autograd.detect_anomaly():
        z = (x * x).sum()
        z.backward()
    return x.grad


def modes() -> Any:
    with Seen():
        a = rl.ones(3) + 1
    with Dispatched():
        b = rl.ones(3) * 2
    s = rl.ones(3).as_subclass(Sub)
    with rl._C.DisableTorchFunctionSubclass():
        c = s + 1
    return a + b + (s * 2).as_subclass(rl.Tensor) + c.as_subclass(rl.Tensor)


def transforms() -> Any:
    x = rl.arange(6.0).reshape(2, 3)
    found = rl.func.vmap(lambda a: (a.sin() * 2).sum() + rl.rand(()) * 0, randomness="different")(x)
    return found.sum() + rl.func.grad(lambda a: a.square().sum())(x) + rl.func.jvp(lambda a: a.cos(), (x,), (x,))[1]


def duals() -> Any:
    with forward_ad.dual_level():
        x = forward_ad.make_dual(rl.ones(3), rl.ones(3))
        return forward_ad.unpack_dual(x * 2).tangent


def checkpoints() -> Any:
    x = leaf()
    checkpoint(lambda t: (t * 2).tanh(), x, use_reentrant=False).sum().backward()
    return x.grad


def profiles() -> Any:
    with rl.autograd.profiler.profile(), rl.autograd.profiler.record_function("part"):
        return rl.ones(3) * 2


def compiled() -> Any:
    f = rl.compile(lambda x: (x * 2 + 1).relu().sum(), options={"always": True})
    return f(rl.ones(3)) + f(rl.ones(3))


def state_dicts() -> Any:
    m = rl.nn.Sequential(rl.nn.Linear(3, 2), rl.nn.BatchNorm1d(2))
    m.load_state_dict({k: rl.ones_like(v) for k, v in m.state_dict().items()})
    return rl.cat([p.flatten() for p in m.parameters()])


def batches() -> Any:
    data: Any = rl.utils.data.TensorDataset(rl.arange(12.0).reshape(6, 2))
    loader: Any = rl.utils.data.DataLoader(data, batch_size=2)
    return rl.stack([batch[0] for batch in loader])


def places() -> Any:
    with rl.device("meta"):
        a = rl.ones(2)
        with rl.device("cpu"):
            b = rl.ones(3)
    return b + a.numel()


def exports() -> Any:
    class Doubled(rl.nn.Module):
        def forward(self, x: Any) -> Any:
            return (x * 2).sum()

    return rl.export.export(Doubled(), (rl.ones(3),)).module()(rl.ones(3))


WORK: list[Callable[[], Any]] = [
    casts,
    modes_of_gradients,
    hooks,
    modes,
    transforms,
    duals,
    checkpoints,
    profiles,
    compiled,
    state_dicts,
    batches,
    places,
    exports,
]


def in_force() -> list[Any]:
    """What this thread has in force."""
    casting = autocast_mode._state
    return [
        *(_core.modes_in_force(), _core.no_subclass(), _core.add_builders(0), _core.add_readers(0)),
        *(rl.is_grad_enabled(), rl.is_inference_mode_enabled(), rl.is_anomaly_enabled(), rl.get_default_dtype()),
        *(casting.enabled, casting.dtype, casting.nesting, casting.cache_enabled),
        *map(len, (_dispatch.modes.stack, levels.in_force(), forward_ad._levels, record.SAVED_HOOKS)),
        *(len(devices.defaults), len(samplers._watching), len(ir._local.stack)),
        *(locks.tracing.locked(), locks.building.locked()),
    ]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of a weak reference's callback
@pytest.mark.parametrize("work", WORK)
def test_an_interrupt_leaves_what_is_in_force(work: Callable[[], Any]) -> None:
    wanted, moments = work(), Moments()
    work()
    clean, n, others = in_force(), moments.of(work), list(recording._recorders)
    for at in sorted(random.Random(0).sample(moments.first, min(MOST, len(moments.first)))):
        moments.interrupted(work, at)
        assert in_force() == clean, f"moment {at} of {n}"
        assert rl.equal(work(), wanted), f"moment {at} of {n}"
    assert in_force() == clean and all(recorder in others for recorder in recording._recorders)
