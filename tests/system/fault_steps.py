"""Interrupts at random moments of compiled training steps: while they are looked into, recorded, and replayed. What a
handler of signals raises is a KeyboardInterrupt, or an error of its own.

    python tests/system/fault_steps.py SECONDS SEED

What must hold: each tensor is what it was before the step or what the step, as it is written, makes of it; a step that
comes to its end has made all of it; and the next step leaves, to the bit, what it leaves as it is written.
"""

from __future__ import annotations

import faulthandler
import os
import random
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

HANG = 120  # seconds without progress
Bits = dict[Any, Any]


class Interrupt(Exception):
    """What a handler raises."""


def stepping(net: Any, optimizer: Any, kind: str) -> Callable[[Any, Any], Any]:
    """A training step of one of several kinds."""
    import rushlight as rl

    seen: list[int] = []

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad(set_to_none=kind != "zeros")
        loss = (net(x) - y).square().mean()
        if kind == "kept":
            loss.backward(retain_graph=True)
            (loss * 0.5).backward()
        else:
            loss.backward()
        rl.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        if kind == "told":  # which is never replayed
            seen.append(1)
        return loss.detach()

    return step


class World:
    """A network, its optimizer, and a step."""

    def __init__(self, kind: str, optimizer: str, compiled: Any) -> None:
        import rushlight as rl

        rl.manual_seed(0)
        nn = rl.nn
        self.net = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Tanh(), nn.Dropout(0.2), nn.Linear(6, 1))
        more = {"momentum": 0.9} if optimizer == "SGD" else {}
        self.optimizer = getattr(rl.optim, optimizer)(self.net.parameters(), lr=0.05, **more)
        self.step = stepping(self.net, self.optimizer, kind)
        if compiled is not None:
            self.step = rl.compile(self.step, options=compiled)

    def call(self, seed: int) -> Any:
        """A step on random numbers of their own."""
        import rushlight as rl

        rl.manual_seed(seed)
        return self.step(rl.randn(5, 4), rl.randn(5, 1))

    def tensors(self) -> Bits:
        """All that a step writes: copies of parameters, statistics, gradients and states; None where there is none."""
        import rushlight as rl

        found: Bits = {}
        for k, p in enumerate(self.net.parameters()):
            found["parameter", k] = p.detach().clone()
            found["gradient", k] = None if p.grad is None else p.grad.detach().clone()
            for name, t in self.optimizer.state.get(p, {}).items():
                found["state", k, name] = t.detach().clone() if isinstance(t, rl.Tensor) else t
        found.update((("buffer", k), b.clone()) for k, b in enumerate(self.net.buffers()))
        return found

    def take(self, values: Bits) -> None:
        """Be as another world is."""
        import rushlight as rl

        for k, p in enumerate(self.net.parameters()):
            p.data.copy_(values["parameter", k])
            p.grad = None if values["gradient", k] is None else values["gradient", k].clone()
            state = {key[2]: v for key, v in values.items() if key[:2] == ("state", k)}
            self.optimizer.state.pop(p, None)
            if state:
                self.optimizer.state[p] = {n: v.clone() if isinstance(v, rl.Tensor) else v for n, v in state.items()}
        for k, b in enumerate(self.net.buffers()):
            b.copy_(values["buffer", k])


def same(a: Any, b: Any) -> bool:
    """Whether two values have the same bits."""
    import rushlight as rl

    if isinstance(a, rl.Tensor) and isinstance(b, rl.Tensor):
        return a.dtype is b.dtype and a.shape == b.shape and rl.equal(a.nan_to_num(7.0), b.nan_to_num(7.0))
    return type(a) is type(b) and a == b


def begun(value: Any) -> bool:
    """Whether a value is one that a step begins with: none, or zeros."""
    import rushlight as rl

    return value is None or (not bool(value.any()) if isinstance(value, rl.Tensor) else value == 0)


def check(before: Bits, after: Bits, whole: Bits, told: str) -> None:
    """Each tensor is one of before the step or of after it."""
    for key in {**before, **after, **whole}:
        now = after.get(key)
        if not (same(now, before.get(key)) or same(now, whole.get(key)) or (key[0] != "parameter" and begun(now))):
            # (A gradient may be neither: the bound, and a second backward, write to it.)
            assert key[0] == "gradient", f"{told}: {key} is {now}; {before.get(key)}, {whole.get(key)}"


def interrupted(world: World, seed: int, delay: float, kind: type[BaseException]) -> bool:
    """Make a step, with an interrupt after a while; whether that came out."""
    armed = [True]

    def handler(number: int, frame: Any) -> None:
        if armed[0]:
            armed[0] = False
            raise kind

    signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, delay)
        world.call(seed)
        armed[0] = False
        return False
    except (KeyboardInterrupt, Interrupt):
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def steps(seconds: float, seed: int) -> Counter[str]:
    """Make steps while interrupts come at random moments; returns what happened how often."""
    import rushlight as rl

    warnings.simplefilter("ignore")
    r = random.Random(seed)
    happened: Counter[str] = Counter()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        kind, optimizer = r.choice(["usual", "zeros", "kept", "told"]), r.choice(["SGD", "AdamW"])
        plain, world = World(kind, optimizer, None), World(kind, optimizer, r.choice([{}, {}, {"always": True}]))
        told = f"{kind}, {optimizer}, seed {seed}"
        for n in range(r.randint(1, 12)):
            faulthandler.dump_traceback_later(HANG, exit=True)
            before = world.tensors()
            plain.take(before)
            plain.call(n)
            whole = plain.tensors()
            delay = r.choice([1e-4, 1e-3, 1e-2, 0.05]) * r.random() + 1e-6
            came = interrupted(world, n, delay, r.choice([KeyboardInterrupt, Interrupt]))
            after = world.tensors()
            happened["interrupted" if came else "to the end"] += 1
            assert rl.is_grad_enabled(), f"{told}: the interrupt has switched gradients off"
            check(before, after, whole, told)
            assert came or all(same(after.get(key), whole[key]) for key in whole), f"{told}, call {n}"
            plain.take(after)
            plain.call(n + 100)
            world.call(n + 100)
            a, b = plain.tensors(), world.tensors()
            assert a.keys() == b.keys(), f"{told}, call {n}: {a.keys() ^ b.keys()}"
            assert all(same(a[key], b[key]) for key in a), f"{told}, call {n}: another step is made afterwards"
        context: Any = getattr(world.step, "_context_", None)
        happened["replayed"] += sum(x.runs for x in context.replays)
    faulthandler.cancel_dump_traceback_later()
    return happened


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RUSHLIGHT_CACHE_DIR"] = folder
        print(dict(steps(float(sys.argv[1]), int(sys.argv[2]))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
