"""Outputs that are made by a factory, or were there before, and are filled part by part with values that wait."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight.core import raw
from rushlight.core.raw import same_memory
from rushlight.jit.parts import Through
from rushlight.jit.segments import Segments

FACTORIES: dict[str, Callable[[Any, int], Any]] = {
    "zeros": lambda x, n: rl.zeros(n, 3),
    "zeros of a tuple": lambda x, n: rl.zeros((n, 3), dtype=rl.float64),
    "ones": lambda x, n: rl.ones(n, 3),
    "full": lambda x, n: rl.full((n, 3), 2.5),
    "full of a bool": lambda x, n: rl.full((n, 3), True),
    "full of an int": lambda x, n: rl.full((n, 3), 7, dtype=rl.float32),
    "full of ints": lambda x, n: rl.full((n, 3), 7),
    "full beyond the dtype": lambda x, n: rl.full((n, 3), 1e300, dtype=rl.float64),
    "complex": lambda x, n: rl.zeros(n, 3, dtype=rl.complex64),
    "half": lambda x, n: rl.ones(n, 3, dtype=rl.float16),
    "new_zeros": lambda x, n: x.new_zeros(n, 3),
    "new_ones": lambda x, n: (x * 2).new_ones((n, 3)),
    "new_full": lambda x, n: x.new_full((n, 3), -1.5),
    "zeros_like": lambda x, n: rl.zeros_like(x.repeat(n, 1)),
    "ones_like of an order": lambda x, n: rl.ones_like(x.repeat(n, 1).t().contiguous().t()),
    "full_like": lambda x, n: rl.full_like(x.repeat(n, 1), 0.25),
    "with a gradient": lambda x, n: rl.zeros(n, 3, requires_grad=True) * 1,
    "ints": lambda x, n: rl.zeros(n, 3, dtype=rl.int64),
    "on meta": lambda x, n: rl.zeros(n, 3, device="meta"),
    "in another default dtype": lambda x, n: rl.zeros(n, 3),
}
FILLS: dict[str, Callable[[Any, Any, int], Any]] = {
    "rows": lambda out, x, n: [out.__setitem__(i, (x * i).tanh()) for i in range(n)],
    "columns": lambda out, x, n: [out.__setitem__((slice(None), i), x[i] * 2) for i in range(3)],
    "every second": lambda out, x, n: out.__setitem__(slice(None, None, 2), x * 3),
    "sums": lambda out, x, n: [out[i].add_(x.sum()) for i in range(n)],
    "copies": lambda out, x, n: [out[i].copy_(x * i) for i in range(n)],
    "the whole": lambda out, x, n: out.copy_(x * 2),
    "nothing": lambda out, x, n: None,
    "what is read": lambda out, x, n: [out.__setitem__(i, out[i - 1] * 0.5 + x) for i in range(n)],
    "chosen": lambda out, x, n: out.__setitem__(rl.tensor([0, 1]), x * 2),
    "masked": lambda out, x, n: out.__setitem__(out > 0, 5),
    "another dtype": lambda out, x, n: [out.__setitem__(i, x.double() * i) for i in range(n)],
    "what does not fit": lambda out, x, n: out.__setitem__(0, rl.cat([x, x])),
    "what is not there": lambda out, x, n: out.__setitem__(n + 1, x * 2),
}


def _filled(x: Any, make: Any, fill: Any, n: int) -> Any:
    out = make(x, n)
    before = out * 1
    fill(out, x, n)
    return out, before, out._version


def _found(f: Callable[..., Any], make: Any, fill: Any, n: int, grad: bool) -> list[Any]:
    """Values, counts, strides and gradients, or the error's type and what it says."""
    x = rl.tensor([0.5, -1.0, 2.0], requires_grad=grad)
    try:
        out, before, writes = f(x, make, fill, n)
        if out.is_meta:
            return [tuple(out.shape), out.device]
        found = [out.tolist(), before.tolist(), writes, out._version, out.dtype, out.stride(), out.requires_grad]
        if out.requires_grad and x.requires_grad:
            (g,) = rl.autograd.grad(out.abs().square().sum(), x, allow_unused=True)
            found.append(None if g is None else g.tolist())
    except (RuntimeError, IndexError) as error:
        return [type(error), str(error).split("(): ")[-1]]  # (a composition of several calls names itself, or one)
    return found


@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize("fill", FILLS)
def test_fills(factory: str, fill: str) -> None:
    make, put = FACTORIES[factory], FILLS[fill]
    default = rl.get_default_dtype()
    compiled = rl.compile(_filled, options={"always": True})
    try:
        if factory == "in another default dtype":
            rl.set_default_dtype(rl.float64)
        for n, grad in ((2, False), (2, True), (1, False), (12, False), (12, True), (3, True)):
            with rl.set_grad_enabled(n != 3):
                for _ in range(2):
                    assert _found(compiled, make, put, n, grad) == _found(_filled, make, put, n, grad), (n, grad)
    finally:
        rl.set_default_dtype(default)


def _breaks(f: Callable[..., Any], *args: Any) -> list[str]:
    return [b.reason for b in rl._dynamo.explain(f)(*args).break_reasons]


def test_a_loop_that_fills_is_one_segment() -> None:
    """What a factory has made is filled within the program, and what is in memory at the segment's end."""

    def by_rows(x: Any) -> Any:
        out = rl.empty(6, 3)
        for i in range(6):
            out[i] = (x * i).tanh()
        return out.sum(0)

    def to_memory(x: Any, out: Any) -> Any:
        h = x
        for i in range(40):
            h = (h * 0.5 + x).tanh()
            out[:, i] = h
        return h

    def to_ints(x: Any) -> Any:
        out = rl.zeros(20, 3, dtype=rl.int64)
        for i in range(20):
            out[i] = (x * i) > 1
        return out

    x, out = rl.randn(3), rl.zeros(3, 40)
    assert not _breaks(by_rows, x) and not _breaks(by_rows, x.clone().requires_grad_())
    assert not _breaks(to_memory, x, out) and not _breaks(to_ints, x)
    expected = rl.zeros(3, 40)
    to_memory(x, expected)
    at = out.untyped_storage()
    version, compiled = out._version, rl.compile(to_memory, options={"always": True})
    for k in range(1, 4):
        compiled(x, out)
        assert out.equal(expected) and out._version == version + 40 * k
        assert out.untyped_storage() is at  # (whoever has seen its memory sees the writes: they are made at once now)


def test_what_needs_memory_ends_no_segment() -> None:
    """What a factory has made gets memory by itself, where something at once takes it."""

    def f(x: Any) -> Any:
        y = x * 2
        a, b, c, d = rl.zeros(3), rl.ones(2), rl.full((2, 2), 3.0), rl.zeros(3)
        z = y + a
        a.uniform_(1, 2)
        text, numbers = str(b), c.numpy()
        kept = rl.linalg.inv(c + rl.eye(2))  # (this reads a sum that waits: it ends the segment)
        d.requires_grad_()
        return y, z, a > 0.5, text, numbers.tolist(), kept, d.requires_grad

    def g(x: Any) -> Any:
        y, a = x * 2, rl.zeros(3)
        before = y + a
        a.uniform_(1, 2)
        return before, y, a.min() >= 1, rl.ones(4).tolist(), x[rl.arange(2)]

    x = rl.randn(3)
    expected, got = f(x), rl.compile(f, options={"always": True})(x)
    assert [v.tolist() if isinstance(v, rl.Tensor) else v for v in got] == [
        v.tolist() if isinstance(v, rl.Tensor) else v for v in expected
    ]
    assert not _breaks(g, x)


def test_aliases() -> None:
    """Views of what is filled, from before and after, lie on its memory; what was read before keeps its values."""

    def f(x: Any, buffer: Any) -> Any:
        out = rl.zeros(4, 3)
        early = out[1]
        out[1] = x * 2
        late = out[:, 0]
        sums = out.sum()
        out[2] = x * 3
        row = buffer[0]
        buffer[0] = x * 4
        buffer[1] = row * 2
        whole = buffer.t()
        buffer[2] = x
        return out, early, late, sums, row, whole

    x = rl.tensor([1.0, 2.0, 3.0])
    found = []
    for fn in (f, rl.compile(f, options={"always": True})):
        buffer = rl.ones(3, 3)
        given = fn(x, buffer)
        out, early, late, _, row, whole = given
        assert same_memory(out, early) and same_memory(out, late)
        assert same_memory(buffer, row) and same_memory(buffer, whole)
        found.append([[v.tolist() for v in (*given, buffer)], buffer._version, out._version])
    assert found[0] == found[1]


def test_a_write_that_may_not_wait() -> None:
    """A write of a value with a history, to a leaf, or to memory that others see, is as it is in eager mode."""
    numpy = pytest.importorskip("numpy")

    def f(x: Any, buffer: Any) -> Any:
        buffer[0] = x * 2
        buffer[1] = x * 3
        return buffer.sum()

    compiled = rl.compile(f, options={"always": True})
    for make in (lambda: rl.zeros(2, 3), lambda: rl.from_numpy(numpy.zeros((2, 3), dtype="float32"))):
        found = []
        for fn in (f, compiled):
            x, buffer = rl.ones(3, requires_grad=True), make()
            total = fn(x, buffer)
            total.backward()
            found.append((x.grad.tolist(), buffer.tolist(), buffer.grad_fn is not None, buffer._version))
        assert found[0] == found[1]
    with pytest.raises(RuntimeError, match="leaf"):
        compiled(rl.ones(3), rl.zeros(2, 3, requires_grad=True))


def test_an_error_amid_writes() -> None:
    """Writes before an error are made; the one after it is not."""

    def f(x: Any, buffer: Any) -> Any:
        buffer[0] = x * 2
        if buffer.shape[0] == 3:
            raise KeyError("between")
        buffer[1] = x * 3

    compiled = rl.compile(f, options={"always": True})
    for rows in (2, 3, 2, 3):
        a, b = rl.zeros(rows, 3), rl.zeros(rows, 3)
        for fn, buffer in ((f, a), (compiled, b)):
            try:
                fn(rl.ones(3), buffer)
            except KeyError:
                pass
        assert a.equal(b) and a._version == b._version


def test_single_writes_copy_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where calls are made one by one, a part is written in place if no later call takes the former value."""
    made: list[bool] = []
    in_place = Through.in_place

    def noted(self: Any, twin: Any, last: bool, input: Any, *given: Any) -> Any:
        result = in_place(self, twin, last, input, *given)
        made.append(result is input)
        return result

    monkeypatch.setattr(Through, "in_place", noted)

    def f(x: Any, keep: bool) -> Any:
        out = rl.zeros(5, 3)
        former = []
        for i in range(5):
            out[i] = (x * i).tanh()
            former.append(out * 1)
            if keep:
                former.append(out[0])
        return out, former

    monkeypatch.setattr(Segments, "by_calls", lambda *_: True)
    for grad in (False, True):
        for keep in (False, True):
            x = rl.randn(3, requires_grad=grad)
            compiled: Any = rl.compile(f, options={"always": True})
            for _ in range(2):
                made.clear()
                (a, rest), (b, others) = f(x, keep), compiled(x, keep)
                assert all(s.equal(t) for s, t in zip([a, *rest], [b, *others], strict=True))
                assert made and all(made)
            if grad:
                total = [sum(t.square().sum() for t in ts) for ts in ([a, *rest], [b, *others])]
                for g, e in zip(*[rl.autograd.grad(t, x) for t in total], strict=True):
                    assert g.equal(e)


def test_memory_is_let_go() -> None:
    """A tensor to whose parts calls wait to write lives until they are made, and no longer."""

    def f(x: Any) -> Any:
        out = rl.zeros(20, 3, dtype=rl.int64)
        for i in range(20):
            out[i] = x * i
        return out

    out = rl.compile(f, options={"always": True})(rl.ones(3))
    seen = weakref.ref(out)
    assert raw.has_own_memory(out)
    del out
    gc.collect()
    assert seen() is None


@pytest.mark.parametrize("options", [{}, {"always": True}])
def test_a_part_is_written_after_a_backward(options: dict[str, Any]) -> None:
    """A tensor of the graph gets the write's place in it, and a leaf refuses it."""

    def f(x: Any, w: Any, buffer: Any) -> Any:
        (x * w).sum().backward()
        buffer[0] = (x * 2)[0]
        return buffer

    compiled = rl.compile(f, options=options)
    x, w = rl.ones(3), rl.ones(3, requires_grad=True)
    for _ in range(3):
        (g,) = rl.autograd.grad(compiled(x, w, w * 5).sum(), w)
        assert g.tolist() == [0, 5, 5]
        with pytest.raises(RuntimeError, match="leaf"):
            compiled(x, w, rl.zeros(3, requires_grad=True))


def test_another_thread_reads_what_is_filled() -> None:
    def f(x: Any, buffer: Any) -> Any:
        for i in range(8):
            buffer[i] = x * 2 + i
        return x

    buffer, compiled = rl.zeros(8, 4), rl.compile(f, options={"always": True})
    over = threading.Event()
    reader = threading.Thread(target=lambda: [buffer.sum().item() for _ in iter(over.is_set, True)])
    reader.start()
    try:
        for k in range(600):
            compiled(rl.full((4,), float(k)), buffer)
            assert buffer[7].tolist() == [2.0 * k + 7] * 4
    finally:
        over.set()
        reader.join()
