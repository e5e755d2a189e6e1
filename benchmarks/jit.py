"""`rushlight.jit` beside the same functions operator by operator: `python -m benchmarks.jit`; `torch.compile` in its
place: `python -m benchmarks.jit compile`; whole training steps below it: `python -m benchmarks.jit steps`.

Processor time of one thread, so that other work on the machine counts for little; each round times both, and the ratio
is the median of the rounds' ratios. Under 1: the traced function is faster.
"""

from __future__ import annotations

import functools
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import rushlight as rl
from rushlight import nn

ROUNDS, SECONDS = 7, 0.2


class Block(nn.Module):
    """A block of a small GPT."""

    def __init__(self, width: int = 128, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Any) -> Any:
        b, t, c = x.shape
        q, k, v = (
            z.view(b, t, self.heads, c // self.heads).transpose(1, 2) for z in self.qkv(self.first(x)).split(c, 2)
        )
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, c))
        return x + self.down(nn.functional.gelu(self.up(self.second(x))))


class Normalized(nn.Module):
    """x + 0.5 * gelu(layer_norm(x)): what the time of memory decides."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Any) -> Any:
        return x + 0.5 * nn.functional.gelu(self.norm(x))


def _convolutions() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.Conv2d(32, 32, 3), nn.ReLU())


def _layers() -> nn.Module:
    return nn.Sequential(nn.Linear(784, 256), nn.LayerNorm(256), nn.GELU(), nn.Linear(256, 128), nn.ReLU())


CASES: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "layers": (_layers, (64, 784)),
    "convolutions": (_convolutions, (16, 3, 32, 32)),
    "four blocks of a GPT": (lambda: nn.Sequential(*(Block() for _ in range(4))), (12, 64, 128)),
    "twelve norms": (lambda: nn.Sequential(*(Normalized(256) for _ in range(12))), (2048, 256)),
    "chain of 20": (lambda: nn.Sequential(*(nn.Tanh() for _ in range(20))), (8,)),
}


def seconds(run: Callable[[], Any]) -> float:
    """Processor time of one call."""
    start, count = time.process_time(), 0
    while time.process_time() - start < SECONDS:
        run()
        count += 1
    return (time.process_time() - start) / count


def ratio(whole: Callable[[Any], Any], model: nn.Module, x: Any, backward: bool) -> float:
    """Time of the function that `whole` makes over that of the function, for a loss of the model."""

    def plain(x: Any) -> Any:
        return model(x).square().mean()

    def run(f: Callable[[Any], Any]) -> None:
        loss = f(x)
        if backward:
            loss.backward()

    traced = whole(plain)
    for f in (traced, plain):
        run(f)
    pairs = [(seconds(lambda: run(plain)), seconds(lambda: run(traced))) for _ in range(ROUNDS)]
    return statistics.median(ours / theirs for theirs, ours in pairs)


def best(f: Callable[[Any], Any], x: Any) -> float:
    """Processor time of a call, the least of several rounds."""
    return min(seconds(lambda: f(x)) for _ in range(ROUNDS))


def costs() -> None:
    """Print what decides whether `torch.compile` records: what calls that wait cost, and what their program saves; and
    what a small function takes in each way.
    """
    from rushlight.jit.recording import Recorder, record_calls
    from rushlight.jit.segments import Segments

    rl.set_num_threads(1)
    calls = 64

    def chain(x: Any) -> Any:
        for _ in range(calls):
            x = x + 1.5
        return x

    segments = Segments("chain")
    recorder = Recorder(segments.run, segments.roots)

    def noted(x: Any) -> None:
        def call() -> None:
            chain(x)
            recorder.clear()

        record_calls(recorder, call)

    def run(x: Any) -> Any:
        return record_calls(recorder, lambda: chain(x))

    for grad in (False, True):
        x = rl.randn(8, 8, requires_grad=grad)
        run(x)
        for plan in segments.plans:
            plan.refused = "for the measurement"
        found = [best(f, x) / calls * 1e9 for f in (chain, noted, run)]
        print(
            f"a call{' with a gradient' if grad else ''}: {found[0]:.0f} ns, noted {found[1]:.0f} ns, "
            f"noted and made later "
            f"{found[2]:.0f} ns"
        )

    def plain(x: Any) -> Any:
        return ((x + 1.5) * x).relu()

    fused: Callable[[Any], Any] = rl.compile(plain, options={"always": True})
    x = rl.randn(8)
    paths = {"as it is written": plain, "replayed": rl.compile(plain), "jit": rl.jit(plain), "recorded": fused}
    found = [best(f, x) * 1e6 for f in paths.values()]
    shown = ", ".join(f"{name} {took:.2f} us" for name, took in zip(paths, found, strict=True))
    print(f"a function of three calls on eight floats: {shown}")
    overhead = found[-1] - found[0]
    for size in (1 << 16, 1 << 18, 1 << 20, 1 << 22):
        x = rl.randn(size)
        found = [best(f, x) * 1e6 for f in (plain, fused)]
        saved = (found[0] - found[1] + overhead) * 1e3 / (2 * x.nbytes)
        print(f"values of {x.nbytes >> 10} KiB: {saved:.3f} ns saved for a byte that is not written and read again")


def steps() -> None:
    """Print a line for each case: a training step as one compiled function, recorded always, and where that is found to
    be worth it.
    """
    for name, (make, size) in CASES.items():
        rl.manual_seed(0)
        model, x = make(), rl.randn(*size)
        optimizer = rl.optim.AdamW(model.parameters()) if list(model.parameters()) else None

        def step(x: Any, model: Any = model, optimizer: Any = optimizer) -> Any:
            x = x.requires_grad_() if optimizer is None else x
            loss = model(x).square().mean()
            loss.backward()
            if optimizer is not None:
                optimizer.step()
                optimizer.zero_grad()
            else:
                x.grad = None
            return loss.detach()

        found = []
        for options in ({"always": True}, None):
            whole: Any = rl.compile(step, options=options)
            for f in (step, whole, whole):
                f(x)
            pairs = [(seconds(functools.partial(step, x)), seconds(functools.partial(whole, x))) for _ in range(ROUNDS)]
            found.append(statistics.median(ours / theirs for theirs, ours in pairs))
        print(f"{name:24s} recorded {found[0]:.2f}, as it is found best {found[1]:.2f}", flush=True)


def main() -> None:
    """Print a line for each case: forward, and forward with backward."""
    if "costs" in sys.argv[1:]:
        costs()
        return
    rl.set_num_threads(1)
    if "steps" in sys.argv[1:]:
        steps()
        return
    whole: Callable[[Any], Any] = rl.compile if "compile" in sys.argv[1:] else rl.jit
    for name, (make, size) in CASES.items():
        rl.manual_seed(0)
        model, x = make(), rl.randn(*size, requires_grad=True)
        found = [ratio(whole, model, x, backward) for backward in (False, True)]
        print(f"{name:24s} forward {found[0]:.2f}, with backward {found[1]:.2f}", flush=True)


if __name__ == "__main__":
    main()
