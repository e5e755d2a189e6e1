"""Whole training steps as one compiled function: rushlight beside PyTorch, `torch.compile` and `jax.jit`.

    python -m benchmarks.steps [--only REGEX] [--rounds N] [--threads N] [--processor] [--jax PYTHON]

Each way runs in a process of its own, turn by turn; a column is the time of a step in milliseconds, the last ones are
rushlight's compiled step as a part of the least of the others, and of its own eager step. `torch.compile` needs a C++
compiler; --jax names a Python that has jax, which may be in an environment of its own. `memory`: the most bytes that a
compiled step of rushlight takes beside what was there, as a part of what an eager one takes.

    python -m benchmarks.steps start [--only REGEX] [--rounds N]

The processor time of the first compiled step of a process, on one thread: with an empty cache, and in later processes
(the least of N), for rushlight and for `torch.compile`, whose compiler's processes are counted; and of a third step.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import itertools
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.blocks import gpt_block, resnet18
from benchmarks.turns import Worker

Run = Callable[[], Any]
WIDTH, HEADS, LAYERS = 384, 6, 4


def _mlp(T: Any) -> tuple[Any, list[Any], Callable[..., Any]]:
    nn = T.nn
    net = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    return net, [T.randn(64, 784), T.randint(0, 10, (64,))], lambda x, y: nn.functional.cross_entropy(net(x), y)


def _norms(T: Any) -> tuple[Any, list[Any], Callable[..., Any]]:
    """Twelve layers x + 0.5 * gelu(layer_norm(x))."""
    nn = T.nn
    net = nn.ModuleList([nn.LayerNorm(256) for _ in range(12)])

    def loss(x: Any) -> Any:
        for norm in net:
            x = x + 0.5 * nn.functional.gelu(norm(x))
        return x.square().mean()

    return net, [T.randn(2048, 256)], loss


def _lstm(T: Any) -> tuple[Any, list[Any], Callable[..., Any]]:
    net = T.nn.LSTM(128, 256)
    return net, [T.randn(32, 32, 128)], lambda x: net(x)[0].square().mean()


def _gpt(T: Any) -> tuple[Any, list[Any], Callable[..., Any]]:
    """Four blocks of a small GPT on 4 x 128 tokens of 256 kinds."""
    nn, F = T.nn, T.nn.functional
    net = nn.Sequential(
        nn.Embedding(256, WIDTH),
        *[gpt_block(T, WIDTH, HEADS) for _ in range(LAYERS)],
        nn.LayerNorm(WIDTH),
        nn.Linear(WIDTH, 256),
    )
    tokens = T.randint(0, 256, (4, 129))

    def loss(x: Any, y: Any) -> Any:
        return F.cross_entropy(net(x).flatten(0, 1), y.flatten())

    return net, [tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()], loss


def _adamw(T: Any) -> tuple[Any, list[Any], Callable[..., Any]]:
    """Ten million parameters, whose gradients are nearly nothing to compute."""
    net = T.nn.ParameterList([T.nn.Parameter(T.randn(1000, 1000)) for _ in range(10)])
    return net, [], lambda: sum(p.sum() for p in net)


def _resnet18(T: Any) -> tuple[Any, list[Any], Callable[..., Any]]:
    """ResNet-18 on 8 images of 64 x 64."""
    net = resnet18(T)
    data = [T.randn(8, 3, 64, 64), T.randint(0, 1000, (8,))]
    return net, data, lambda x, y: T.nn.functional.cross_entropy(net(x), y)


NETWORKS = {"mlp": _mlp, "norms": _norms, "lstm": _lstm, "gpt": _gpt, "adamw": _adamw}


def _step(name: str, compiled: bool, T: Any) -> Run:
    """A training step with AdamW: forward, backward, the optimizer's step."""
    net, data, loss_of = STARTED[name](T)
    optimizer = T.optim.AdamW(net.parameters(), lr=1e-4)

    def step(*data: Any) -> Any:
        loss = loss_of(*data)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    if compiled:
        step = T.compile(step)
    return lambda: step(*data)


def _in_jax(name: str, jax: Any) -> Run:
    """The same step as a function of parameters and states, which `jax.jit` compiles and which gives the new ones."""
    np, nn, lax = jax.numpy, jax.nn, jax.lax
    keys = iter(jax.random.split(jax.random.PRNGKey(0), 400))

    def normal(*shape: int) -> Any:
        return jax.random.normal(next(keys), shape) / (shape[-1] ** 0.5)

    def linear(n: int, m: int) -> dict[str, Any]:
        return {"w": normal(m, n), "b": np.zeros(m)}

    def norm(n: int) -> dict[str, Any]:
        return {"w": np.ones(n), "b": np.zeros(n)}

    def apply(p: Any, x: Any) -> Any:
        return x @ p["w"].T + p["b"]

    def normed(p: Any, x: Any) -> Any:
        mean = x.mean(-1, keepdims=True)
        spread = np.square(x - mean).mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(spread + 1e-5) * p["w"] + p["b"]

    def cross_entropy(z: Any, y: Any) -> Any:
        return -np.take_along_axis(nn.log_softmax(z), y[:, None], 1).mean()

    gelu = functools.partial(nn.gelu, approximate=False)
    data: list[Any]
    if name == "mlp":
        params: Any = [linear(784, 512), linear(512, 512), linear(512, 10)]
        data = [normal(64, 784) * 28, jax.random.randint(next(keys), (64,), 0, 10)]

        def loss(params: Any, *data: Any) -> Any:
            x, y = data
            for p in params[:-1]:
                x = nn.relu(apply(p, x))
            return cross_entropy(apply(params[-1], x), y)
    elif name == "norms":
        params, data = [norm(256) for _ in range(12)], [normal(2048, 256) * 16]

        def loss(params: Any, *data: Any) -> Any:
            (x,) = data
            for p in params:
                x = x + 0.5 * gelu(normed(p, x))
            return np.square(x).mean()
    elif name == "lstm":
        params, data = {"x": linear(128, 1024), "h": linear(256, 1024)}, [normal(32, 32, 128) * 11]

        def loss(params: Any, *data: Any) -> Any:
            (x,) = data

            def cell(state: Any, given: Any) -> Any:
                h, c = state
                i, f, g, o = np.split(given + apply(params["h"], h), 4, -1)
                c = nn.sigmoid(f) * c + nn.sigmoid(i) * np.tanh(g)
                h = nn.sigmoid(o) * np.tanh(c)
                return (h, c), h

            zero = np.zeros((x.shape[1], 256))
            return np.square(lax.scan(cell, (zero, zero), apply(params["x"], x))[1]).mean()
    elif name == "gpt":
        sizes = {"heads": (1, 3), "join": (1, 1), "up": (1, 4), "down": (4, 1)}
        blocks = [
            {k: norm(WIDTH) for k in ("before", "between")}
            | {k: linear(a * WIDTH, b * WIDTH) for k, (a, b) in sizes.items()}
            for _ in range(LAYERS)
        ]
        params = {
            "embedding": normal(256, WIDTH) * 19,
            "blocks": blocks,
            "last": norm(WIDTH),
            "out": linear(WIDTH, 256),
        }
        tokens = jax.random.randint(next(keys), (4, 129), 0, 256)
        data = [tokens[:, :-1], tokens[:, 1:]]

        def loss(params: Any, *data: Any) -> Any:
            x, y = data
            z = params["embedding"][x]
            b, t, c = z.shape
            for p in params["blocks"]:
                parts = np.split(apply(p["heads"], normed(p["before"], z)), 3, -1)
                q, k, v = (part.reshape(b, t, HEADS, c // HEADS) for part in parts)
                z = z + apply(p["join"], nn.dot_product_attention(q, k, v, is_causal=True).reshape(b, t, c))
                z = z + apply(p["down"], gelu(apply(p["up"], normed(p["between"], z))))
            return cross_entropy(apply(params["out"], normed(params["last"], z)).reshape(b * t, -1), y.reshape(-1))
    else:
        params, data = [normal(1000, 1000) for _ in range(10)], []

        def loss(params: Any, *data: Any) -> Any:
            return sum(p.sum() for p in params)

    tree = jax.tree_util.tree_map

    def adamw(params: Any, m: Any, v: Any, n: Any, *data: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, *data)
        n = n + 1
        m = tree(lambda a, g: 0.9 * a + 0.1 * g, m, grads)
        v = tree(lambda a, g: 0.999 * a + 0.001 * g * g, v, grads)
        one, two = 1 - 0.9**n, 1 - 0.999**n
        params = tree(lambda p, a, b: p * (1 - 1e-6) - 1e-4 * (a / one) / (np.sqrt(b / two) + 1e-8), params, m, v)
        return params, m, v, n, value

    step = jax.jit(adamw, donate_argnums=(0, 1, 2, 3))
    state = [params, tree(np.zeros_like, params), tree(np.zeros_like, params), np.zeros(())]

    def run() -> None:
        *state[:], value = step(*state, *data)
        value.block_until_ready()

    return run


def _case(name: str, compiled: bool) -> Callable[[Any], Run]:
    def build(T: Any) -> Run:
        return _in_jax(name, T) if T.__name__ == "jax" else _step(name, compiled, T)

    return build


STARTED = {**NETWORKS, "resnet18": _resnet18}
CASES = {f"{name}{way}": (1.0, _case(name, way == " compiled")) for name in NETWORKS for way in ("", " compiled")}


def peak(run: Callable[[], Any], first: int = 3) -> int:
    """The most bytes that a call takes beside what was there, once it has been made a few times."""
    import gc

    from rushlight.core import _native

    for _ in range(first):
        run()
    gc.collect()  # what a trace leaves may go at any time
    before, _ = _native.allocated()
    _native.reset_peak()
    run()
    return int(_native.allocated()[1] - before)


def memory() -> None:
    """Print for each network what a compiled step takes of an eager one's memory."""
    import rushlight as rl

    rl.set_num_threads(1)
    for name in NETWORKS:
        peaks = [peak(_step(name, compiled, rl)) for compiled in (False, True)]
        print(f"{name:8s} {peaks[0] / 1e6:8.1f} MB eager {peaks[1] / 1e6:8.1f} MB compiled {peaks[1] / peaks[0]:6.2f}")


def _taken() -> float:
    """The processor's seconds of this process and of those that it has waited for."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(x.ru_utime + x.ru_stime for x in used)


def _first_steps(name: str, library: str) -> None:
    """Print what the first three steps of this process take."""
    T = importlib.import_module(library)
    T.set_num_threads(1)
    T.manual_seed(0)
    run = _step(name, True, T)
    times = [_taken()]
    for _ in range(3):
        run()
        times.append(_taken())
    print(json.dumps([after - before for before, after in itertools.pairwise(times)]))


def _started(name: str, library: str, cache: str) -> list[float]:
    """The first three steps in a process of its own, with its kernels in a folder."""
    # (Python keeps the bytecode of modules, as it does of those that are installed.)
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env |= {"RUSHLIGHT_CACHE_DIR": cache, "TORCHINDUCTOR_CACHE_DIR": cache, "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    command = [sys.executable, "-m", "benchmarks.steps", "first", name, library]
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


def start(only: str, rounds: int) -> None:
    """Print for each network what the first step of a process takes."""
    columns = [f"{library} {what}" for library in ("rushlight", "torch") for what in ("empty", "later", "third step")]
    print(f"{'':10s}" + "".join(f"{column:>22s}" for column in columns) + f"{'later, of torch':>18s}")
    for name in STARTED:
        if not re.search(only, name):
            continue
        row = []
        for library in ("rushlight", "torch"):
            with tempfile.TemporaryDirectory() as folder:
                for kind in ("bytecode", "kernels"):
                    empty = _started(name, library, f"{folder}/{kind}")
                later = [_started(name, library, f"{folder}/kernels") for _ in range(rounds)]
            row += [empty[0], min(times[0] for times in later), min(times[2] for times in later)]
        print(f"{name:10s}" + "".join(f"{t * 1e3:19.1f} ms" for t in row) + f"{row[1] / row[4]:18.2f}", flush=True)


def main() -> None:
    """Print a line for each network."""
    if sys.argv[1:2] == ["memory"]:
        memory()
        return
    if sys.argv[1:2] == ["first"]:
        _first_steps(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="regular expression searched in the names")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=0.5, help="seconds per way and round")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--processor", action="store_true", help="time of the processor instead of the clock's")
    parser.add_argument("--jax", default="", help="a Python that has jax")
    parser.add_argument("what", nargs="?", choices=["steps", "start"], default="steps", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.what == "start":
        start(options.only, options.rounds)
        return
    worker = functools.partial(Worker, threads=options.threads, cases=str(Path(__file__)), processor=options.processor)
    ways = {
        "torch": (worker("torch"), ""),
        "torch.compile": (worker("torch"), " compiled"),
        "rushlight": (worker("rushlight"), ""),
        "compiled": (worker("rushlight"), " compiled"),
    }
    if options.jax:
        ways["jax.jit"] = worker("jax", python=options.jax), ""
    print(f"{'':8s}" + "".join(f"{way:>15s}" for way in ways) + f"{'of the least':>15s}{'of eager':>10s}")
    for name in NETWORKS:
        if not re.search(options.only, name):
            continue
        rounds = [
            {way: w.time(name + kind, options.budget) for way, (w, kind) in ways.items()} for _ in range(options.rounds)
        ]
        took = {way: statistics.median(r[way] for r in rounds) for way in ways}
        others = [way for way in ways if way not in ("rushlight", "compiled")]
        least = statistics.median(r["compiled"] / min(r[way] for way in others) for r in rounds)
        own = statistics.median(r["compiled"] / r["rushlight"] for r in rounds)
        print(
            f"{name:8s}" + "".join(f"{t * 1e3:12.2f} ms" for t in took.values()) + f"{least:15.2f}{own:10.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
