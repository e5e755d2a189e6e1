"""Every operator that has out=, with tensors in out= that cannot be meant: an error that says so, never a crash.

python tests/system/out_kinds.py [PART OF]      # prints what is wrong, and how many calls were made
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import fuzz

import rushlight as rl
from rushlight.operators.table.define import TABLE
from rushlight.testing.samples import REGISTRY, Make, Sample, load


def like(t: Any, **options: Any) -> Any:
    return rl.empty(t.shape, **{"dtype": t.dtype, **options})


def each(results: tuple[Any, ...], single: bool, make: Callable[[Any], Any]) -> Any:
    """out= of the right kind, made of each result."""
    return make(results[0]) if single else tuple(make(t) for t in results)


def requiring_grad(t: Any) -> Any:
    return like(t, requires_grad=True) if t.dtype.kind in "fc" else like(t, device="meta")


# What is given: (results, whether it is one) -> out=.
KINDS: dict[str, Callable[[tuple[Any, ...], bool], Any]] = {
    "an empty tuple": lambda rs, one: (),
    "an empty list": lambda rs, one: [],
    "a tuple for a tensor, a tensor for a tuple": lambda rs, one: (like(rs[0]),) if one else like(rs[0]),
    "one too many": lambda rs, one: tuple(like(t) for t in (*rs, rs[0])),
    "one too few": lambda rs, one: tuple(like(t) for t in rs[:-1]),
    "a string": lambda rs, one: "text",
    "a number": lambda rs, one: 1.5,
    "a class": lambda rs, one: rl.Tensor,
    "a tuple of None": lambda rs, one: tuple(None for _ in rs),
    "the meta device": lambda rs, one: each(rs, one, lambda t: like(t, device="meta")),
    "requires grad": lambda rs, one: each(rs, one, requiring_grad),
    "bool for numbers": lambda rs, one: each(
        rs, one, lambda t: like(t, dtype=rl.bool) if t.dtype is not rl.bool else like(t, device="meta")
    ),
    "elements in one place": lambda rs, one: each(
        rs,
        one,
        lambda t: rl.empty((1,) * t.ndim, dtype=t.dtype).expand(t.shape) if t.numel() > 1 else like(t, device="meta"),
    ),
}


# The result of these does not lie where an operand does, and a fill writes one value to every place: PyTorch takes them
# too.
FINE = {
    ("creation", "the meta device"),
    ("fill", "elements in one place"),
    ("fill", "the meta device"),
    ("range", "the meta device"),
}
RANGES = ("arange", "range", "linspace", "logspace", "fft.fftfreq", "fft.rfftfreq")


def fine(op: Any, name: str, what: str) -> bool:
    if op.definition.out_decides and what == "bool for numbers":  # these compute in the dtype of out=
        return True
    fills = name in ("ones", "zeros", "full", "empty", "eye", "fill")
    return (
        ("fill" if fills else "range" if name in RANGES else getattr(op.definition, "shape_class", "")),
        what,
    ) in FINE


def main(part: int, of: int) -> int:
    load()
    warnings.simplefilter("ignore")
    made = wrong = 0
    for name in sorted(TABLE)[part::of]:
        op = TABLE[name]
        if not op.takes_out or name not in REGISTRY:
            continue
        spec = REGISTRY[name]
        for grad in (False, True):
            sample = next((s for s in spec.generate(Make(spec.dtypes[0], 0)) if isinstance(s, Sample)), None)
            if sample is None:
                continue
            first = op(*sample.args, **sample.kwargs)
            results = (first,) if isinstance(first, rl.Tensor) else tuple(first)
            args = [
                a.requires_grad_() if grad and isinstance(a, rl.Tensor) and a.dtype.kind in "fc" and a.is_leaf else a
                for a in sample.args
            ]
            for what, make in KINDS.items():
                out = make(results, isinstance(first, rl.Tensor))
                print(f"{name} {what} {'grad' if grad else ''}".ljust(100), end="\r", file=sys.stderr, flush=True)
                made += 1
                said = f"{name}, out= {what}{', with grad' if grad else ''}: "
                try:
                    op(*args, **sample.kwargs, out=out)
                except Exception as error:
                    complaint = fuzz.complaint(error, name)
                    if complaint is None:
                        continue
                    said += f"{complaint}: {type(error).__name__}: {error}"
                else:
                    if fine(op, name, what):
                        continue
                    said += "is accepted"
                wrong += 1
                print(said, flush=True)
    print(f"{made} calls, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:] or ("0", "1"))))
