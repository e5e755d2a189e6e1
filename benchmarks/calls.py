"""What a call costs: every operator's samples, small tensors, in rushlight and PyTorch by turns in one process.

    python -m benchmarks calls [--only REGEX] [--samples N] [--rounds N] [--above RATIO] [--alone]

Prints the geometric mean of the ratios and each call whose ratio is above --above (default 1). A time is the least of
the rounds' means, of the processor, on one thread. --alone: without PyTorch; the calls are listed by rushlight's time.
"""

from __future__ import annotations

import argparse
import itertools
import re
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import rushlight
from rushlight.core import devices
from rushlight.core import dtypes as dt
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.testing.samples import load

MOST_ELEMENTS = 300  # of a sample's tensors together
PIECE = 40_000  # nanoseconds that are measured at once
# Random numbers have no samples: what they are has no reference. x: a (3, 4) matrix.
RANDOM: dict[str, Callable[[Any, Any], Any]] = {
    "rand": lambda T, x: T.rand(2, 3),
    "randn": lambda T, x: T.randn((2, 3), dtype=T.float64),
    "randint": lambda T, x: T.randint(0, 10, (5,)),
    "randint (high)": lambda T, x: T.randint(10, (5,), device="cpu"),
    "randperm": lambda T, x: T.randperm(10),
    "normal": lambda T, x: T.normal(0.0, 1.0, (5,)),
    "bernoulli": lambda T, x: T.bernoulli(x),
    "bernoulli (p)": lambda T, x: T.bernoulli(x, 0.5),
    "bernoulli_": lambda T, x: x.bernoulli_(0.5),
    "multinomial": lambda T, x: T.multinomial(x, 2),
    "normal (tensors)": lambda T, x: T.normal(x, x),
    "normal_": lambda T, x: x.normal_(),
    "uniform_": lambda T, x: x.uniform_(-1.0, 1.0),
    "exponential_": lambda T, x: x.exponential_(),
    "rand_like": lambda T, x: T.rand_like(x),
    "randn_like (transposed)": lambda T, x: T.randn_like(x.t()),
    "randint_like": lambda T, x: T.randint_like(x, 10),
    "dropout": lambda T, x: T.nn.functional.dropout(x),
    "rrelu": lambda T, x: T.nn.functional.rrelu(x, training=True),
}
LEFT_OUT = {
    "lobpcg",  # how long it takes, and whether it ends, depends on the vectors that it draws
    "unsqueeze_",  # each call adds a dimension to the same tensor
}
Call = tuple[str, Callable[[], Any], Callable[[], Any] | None]


def find(module: Any, name: str) -> Any:
    """The function of a name in a module, or the method; None if it has neither."""
    found = None if name in METHODS and name not in TABLE else module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found if found is not None else getattr(module.Tensor, name, None)


def translated(torch: Any, x: Any) -> Any:
    """An argument as PyTorch takes it; ValueError for one that it has no counterpart of."""
    if isinstance(x, rushlight.Tensor):
        wide = x.to(rushlight.float32) if x.dtype.numpy_name is None else x
        values = torch.from_numpy(wide.detach().numpy().copy()).to(getattr(torch, x.dtype.name))
        if any(s <= 0 and n > 1 for s, n in zip(x.stride(), x.shape, strict=True)):
            raise ValueError("the elements share memory")
        return torch.empty_strided(tuple(x.shape), x.stride(), dtype=values.dtype).copy_(values)
    if isinstance(x, (list, tuple)):
        return type(x)([translated(torch, i) for i in x]) if type(x) in (list, tuple) else x
    if isinstance(x, devices.device):
        return torch.device(str(x))
    if isinstance(x, (dt.dtype, dt.memory_format, dt.layout)):
        return getattr(torch, str(x).removeprefix("torch."))
    return x


def elements(x: Any) -> int:
    """How many numbers there are in an argument."""
    return sum(map(elements, x)) if isinstance(x, (list, tuple)) else getattr(x, "numel", lambda: 1)()


def calls(torch: Any, only: str, most: int) -> Iterator[Call]:
    """The calls to be timed: (what, rushlight's, PyTorch's or None)."""
    for name, of in RANDOM.items():
        if re.search(only, name):
            a, b = rushlight.full((3, 4), 0.5), torch and torch.full((3, 4), 0.5)
            yield name, partial(of, rushlight, a), torch and partial(of, torch, b)
    for name, made in sorted(load().items()):
        ours, theirs = find(rushlight, name), torch and find(torch, name)
        if not re.search(only, name) or name in LEFT_OUT or ours is None or (torch and theirs is None):
            continue
        samples = made.samples(dt.float32 if dt.float32 in made.dtypes else made.dtypes[0])
        few = (s for s in samples if elements([*s.args, *s.kwargs.values()]) <= MOST_ELEMENTS)
        for k, s in enumerate(itertools.islice(few, most)):
            if torch is None:
                yield f"{name} #{k}", partial(ours, *s.args, **s.kwargs), None
                continue
            try:
                args = translated(torch, s.args)
                named = {key: translated(torch, v) for key, v in s.kwargs.items()}
                theirs(*args, **named)
            except Exception as error:  # PyTorch has no such overload, or refuses the call: there is nothing to compare
                print(f"{name} #{k} is left out: {str(error).partition(chr(10))[0][:80]}", file=sys.stderr)
                continue
            run = partial(ours, *s.args, **s.kwargs)
            yield f"{name} #{k}", run, partial(theirs, *args, **named)


def seconds(run: Callable[[], Any]) -> float:
    """Processor time of one call, the mean over a short while."""
    start, n = time.thread_time_ns(), 0
    while (spent := time.thread_time_ns() - start) < PIECE or not n:
        for _ in range(10):
            run()
        n += 10
    return spent * 1e-9 / n


def main(arguments: list[str]) -> int:
    """Time the calls; the exit status is 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="regular expression searched in the names")
    parser.add_argument("--samples", type=int, default=4, help="of an operator, at most")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--above", type=float, default=1.0)
    parser.add_argument("--alone", action="store_true")
    options = parser.parse_args(arguments)
    torch = None
    if not options.alone:
        import torch

        torch.set_num_threads(1)
    rushlight.set_num_threads(1)
    warnings.simplefilter("ignore")
    rows = list[tuple[float, str, float, float]]()
    for what, ours, theirs in calls(torch, options.only, options.samples):
        both = [run for run in (ours, theirs) if run is not None]
        times = [min(column) for column in zip(*[map(seconds, both) for _ in range(options.rounds)], strict=True)]
        rows.append((times[0] / times[1] if theirs else times[0] * 1e6, what, times[0] * 1e6, times[-1] * 1e6))
    rows.sort(reverse=True)
    if torch and rows:
        mean = statistics.geometric_mean([r[0] for r in rows])
        above = sum(r[0] > options.above for r in rows)
        print(f"{len(rows)} calls: geometric mean {mean:.3f} of PyTorch's time; {above} above {options.above:g}")
    for ratio, what, mine, its in rows:
        if torch is None or ratio > options.above:
            print(f"{what:40s} {mine:8.2f} us" + (f" {its:8.2f} us {ratio:6.2f}" if torch else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
