"""What is refused, and the shape of what is given, where a batch, channels, places or factors have the size 0."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

Call = Callable[[Any], Any]


def _zeroed(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """A shape with some of its sizes 0."""
    for zeros in itertools.product((False, True), repeat=len(shape)):
        if any(zeros):
            yield tuple(0 if z else n for n, z in zip(shape, zeros, strict=True))


def _windows() -> Iterator[tuple[str, Call]]:
    for n in (1, 2, 3):
        pools: list[tuple[str, tuple[Any, ...]]] = [
            (f"avg_pool{n}d", (2,)),
            (f"max_pool{n}d", (2, 1, 1)),
            (f"lp_pool{n}d", (2.0, 2)),
            (f"adaptive_max_pool{n}d", (2,)),
            (f"adaptive_avg_pool{n}d", (2,)),
            (f"adaptive_avg_pool{n}d", (1,)),
        ]
        if n > 1:
            pools.append((f"fractional_max_pool{n}d", (2, 2)))
        for shape in [*_zeroed((2, 3, *(4, 5, 6)[:n])), *_zeroed((3, *(4, 5, 6)[:n]))]:
            for name, args in pools:
                if name.startswith("fractional") and shape == (0, *(4, 5, 6)[:n]):
                    continue  # (PyTorch takes the channels for a batch)
                yield (
                    f"{name}{args} of {shape}",
                    lambda M, s=shape, f=name, a=args: getattr(M.nn.functional, f)(M.ones(s), *a),
                )
            for mode in ("constant", "reflect", "replicate", "circular"):
                yield (
                    f"pad {mode} of {shape}",
                    lambda M, s=shape, m=mode, n=n: M.nn.functional.pad(M.ones(s), (1, 1) * n, mode=m),
                )
            for mode in ("nearest", "area"):
                yield (
                    f"interpolate {mode} of {shape}",
                    lambda M, s=shape, m=mode: M.nn.functional.interpolate(M.ones(s), 4, mode=m),
                )
            channels = shape[-n - 1]
            for out, transposed in itertools.product((0, 4), ("", "_transpose")):
                if channels == 0 and out and not transposed:
                    continue  # (no channels: PyTorch's result has none either, though the weight has 4 of them)
                pair = (channels, out) if transposed else (out, channels)
                yield (
                    f"conv{transposed} of {shape}, {pair}",
                    lambda M, s=shape, w=pair, t=transposed, n=n: getattr(M.nn.functional, f"conv{t}{n}d")(
                        M.ones(s), M.ones(w + (3 if t else 1,) * n), padding=0 if t else 1
                    ),
                )
            if n == 2:
                yield f"unfold of {shape}", lambda M, s=shape: M.nn.functional.unfold(M.ones(s), 2)
                if len(shape) == 4:
                    yield (
                        f"grid_sample of {shape}",
                        lambda M, s=shape: M.nn.functional.grid_sample(M.ones(s), M.zeros(s[0], 3, 3, 2)),
                    )
    for shape in ((0, 8, 4), (1, 0, 4), (8, 0), (0, 4), (1, 8, 0), (0, 0, 0)):
        yield f"fold of {shape}", lambda M, s=shape: M.nn.functional.fold(M.ones(s), (3, 3), 2)


def _products() -> Iterator[tuple[str, Call]]:
    """Products of bools: of matrices where one has no elements, of vectors never."""
    for m, k, n in itertools.product((0, 2), repeat=3):
        for name, left, right in (
            ("mm", (m, k), (k, n)),
            ("matmul", (m, k), (k, n)),
            ("mv", (m, k), (k,)),
            ("matmul", (k,), (k, n)),
            ("matmul", (k,), (k,)),
            ("dot", (k,), (k,)),
            ("bmm", (3, m, k), (3, k, n)),
            ("bmm", (0, m, k), (0, k, n)),
            ("matmul", (3, m, k), (k, n)),
            ("matmul", (3, m, k), (3, k, n)),
            ("inner", (m, k), (n, k)),
            ("tensordot", (m, k, 2), (k, 2, n)),
            ("nn.functional.linear", (m, k), (n, k)),
            ("einsum", (m, k), (k, n)),
        ):

            def call(M: Any, name: str = name, left: Any = left, right: Any = right) -> Any:
                a, b = M.ones(left, dtype=M.bool), M.ones(right, dtype=M.bool)
                fn = M.nn.functional.linear if name.startswith("nn.") else getattr(M, name)
                return fn("ij,jk->ik", a, b) if name == "einsum" else fn(a, b)

            yield f"{name} of bools {left} and {right}", call


def outcome(call: Call, lib: Any) -> Any:
    """The shape of the result and its elements, or that the call is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            y = call(lib)
        except (RuntimeError, IndexError, NotImplementedError):
            return "refused"
    return tuple(y.shape), str(y.dtype), y.tolist() if y.dtype is lib.bool else None


@pytest.mark.parametrize("cases", [_windows, _products])
def test_what_has_no_elements_is_refused_where_pytorch_refuses_it(
    cases: Callable[[], Iterator[tuple[str, Call]]],
) -> None:
    found = []
    for name, call in cases():
        theirs, ours = outcome(call, torch), outcome(call, rushlight)
        if theirs != ours:
            found.append(f"{name}: {theirs} in PyTorch, {ours} here")
    assert not found, "\n".join(found)
