"""Every way to see a tensor's memory from outside, with every way to change or lose the tensor afterwards.

`python tests/system/lifetimes.py` with RUSHLIGHT_GUARD=end or =start, so that freed memory is forbidden: what was
exported is read and written after each change, and must hold what it held, or the change must have been refused.
"""

from __future__ import annotations

import ctypes
import gc
import io
import itertools
import pickle
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight as rl

N = 5000
Read = Callable[[], list[float]]


def floats(x: Any) -> Read:
    """Reads an exported buffer."""
    view = memoryview(x).cast("B").cast("f") if not isinstance(x, memoryview) else x.cast("B").cast("f")
    return lambda: [view[0], view[N - 1]]


def of_array(a: Any) -> Read:
    def read() -> list[float]:
        a[1] += 1  # that it can be written is part of it
        return [float(a[0]), float(a[N - 1])]

    return read


def consumed(t: Any) -> Read:
    """By way of DLPack and another tensor of ours."""
    y = rl.from_dlpack(t)
    return lambda: [y[0].item(), y[N - 1].item()]


EXPORTS: dict[str, Callable[[Any], Read]] = {
    "memoryview": lambda t: floats(memoryview(t)),
    "storage's memoryview": lambda t: floats(memoryview(t.untyped_storage())),
    "asarray": lambda t: of_array(np.asarray(t)),
    "array": lambda t: of_array(np.array(t, copy=False)),
    "frombuffer": lambda t: of_array(np.frombuffer(t, np.float32)),
    "ndarray(buffer=)": lambda t: of_array(np.ndarray((N,), np.float32, t)),
    "ndarray(buffer=storage)": lambda t: of_array(np.ndarray((N,), np.float32, t.untyped_storage())),
    "ndarray(buffer=memoryview)": lambda t: of_array(np.ndarray((N,), np.float32, memoryview(t))),
    "numpy": lambda t: of_array(t.numpy()),
    "numpy of a view": lambda t: of_array(t.view(-1, 2).numpy().reshape(-1)),
    "numpy of detach": lambda t: of_array(t.detach().numpy()),
    "__array__": lambda t: of_array(t.__array__()),
    "np.from_dlpack": lambda t: (lambda a: lambda: [float(a[0]), float(a[N - 1])])(np.from_dlpack(t)),
    "from_dlpack": consumed,
    "capsule": lambda t: (lambda c: lambda: (lambda y: [y[0].item(), y[N - 1].item()])(rl.from_dlpack(c)))(
        t.__dlpack__()
    ),
    "rl.frombuffer": lambda t: (lambda y: lambda: [y[0].item(), y[N - 1].item()])(rl.frombuffer(t, dtype=rl.float32)),
    "ctypes": lambda t: (lambda b: lambda: [b[0], b[N - 1]])((ctypes.c_float * N).from_buffer(t)),
    "view": lambda t: (lambda v: lambda: [v[0].item(), v[N - 1].item()])(t.view(N)),
    "detached view": lambda t: (lambda v: lambda: [v[0].item(), v[-1].item()])(t.detach()[:]),
    "item of an iterator": lambda t: (lambda vs: lambda: [vs[0].item(), vs[-1].item()])(list(t)),
}


def grown(t: Any) -> None:
    t.untyped_storage().resize_(1 << 20)


CHANGES: dict[str, Callable[[Any], Any]] = {
    "del": lambda t: None,
    "resize_ up": lambda t: t.resize_(1_000_000),
    "resize_ down": lambda t: t.resize_(3),
    "resize_ 0": lambda t: t.resize_(0),
    "set_()": lambda t: t.set_(),
    "set_ other": lambda t: t.set_(rl.zeros(3)),
    "set_ storage": lambda t: t.set_(rl.zeros(9).untyped_storage(), 0, (3,), (1,)),
    ".data": lambda t: setattr(t, "data", rl.zeros(2)),
    "storage.resize_ up": grown,
    "storage.resize_ down": lambda t: t.untyped_storage().resize_(40),
    "storage.resize_ 0": lambda t: t.untyped_storage().resize_(0),
    "TypedStorage.resize_": lambda t: t.storage().resize_(7),
    "share_memory_": lambda t: t.share_memory_(),
    "share and resize": lambda t: t.share_memory_().resize_(100_000),
    "deepcopy": lambda t: __import__("copy").deepcopy(t),
    "save": lambda t: (rl.save(t, io.BytesIO()), pickle.dumps(t)),
    "out=": lambda t: rl.zeros(3, out=t),
    "add out=": lambda t: rl.add(rl.ones(20_000), 1, out=t),
    "storage.__init__": lambda t: t.untyped_storage().__init__(3),
    "tensor.__init__": lambda t: t.__init__(3),
    "many": lambda t: [c(t) for c in (grown, lambda t: t.set_(), lambda t: t.resize_(10), lambda t: t.share_memory_())],
}


def attempt(export: str, changes: tuple[str, ...]) -> str | None:
    """What is wrong with an export and changes after it, or None."""
    t = rl.arange(float(N))
    read = EXPORTS[export](t)
    refused = False
    for change in changes:
        try:
            CHANGES[change](t)
        except (RuntimeError, TypeError, BufferError):
            refused = True
    del t
    gc.collect()
    keep = [rl.full((N,), 7.0) for _ in range(3)]  # would take freed memory
    try:
        found = read()
    except RuntimeError as error:  # of a view of ours: the storage was made smaller
        return None if "made smaller" in str(error) else f"{type(error).__name__}: {error}"
    del keep
    written = any("out=" in c for c in changes) and not refused
    return None if found == [0.0, N - 1.0] or written else f"read {found}"


def shrinking() -> list[str]:
    """A storage made smaller or larger under its tensors: every use is right or a RuntimeError."""
    wrong = []
    for size in (0, 4, 36, 40, 44, 4000, 400_000):

        def fresh(size: int = size) -> Any:
            x = rl.arange(10.0)
            x.untyped_storage().resize_(size)
            return x

        uses: dict[str, Callable[[], Any]] = {
            "tolist": lambda: fresh().tolist(),
            "item": lambda: [fresh()[k].item() for k in range(10)],
            "numpy": lambda: fresh().numpy().tolist(),
            "add": lambda: (fresh() + 0).tolist(),
            "clone": lambda: fresh().clone().tolist(),
            "asarray": lambda: np.asarray(fresh()).tolist(),
            "memoryview": lambda: memoryview(fresh()).tolist(),
            "index": lambda: fresh()[rl.arange(10)].tolist(),
            "mask": lambda: fresh()[rl.ones(10, dtype=rl.bool)].tolist(),
            "deepcopy": lambda: __import__("copy").deepcopy(fresh()).tolist(),
            "save": lambda: (lambda b: (rl.save(fresh(), b), b.seek(0), rl.load(b))[2].tolist())(io.BytesIO()),
            "pickle": lambda: pickle.loads(pickle.dumps(fresh())).tolist(),
            "share": lambda: fresh().share_memory_().tolist(),
            "as_strided": lambda: fresh().as_strided((10,), (1,)).tolist(),
            "resize_": lambda: fresh().resize_(12)[:10].tolist(),
            "dlpack": lambda: rl.from_dlpack(fresh()).tolist(),
            "equal": lambda: fresh().tolist() if rl.equal(fresh(), rl.arange(10.0)) else ["differs"],
            "view": lambda: fresh().view(2, 5).reshape(-1).tolist(),
            "sum": lambda: fresh().tolist() if float(fresh().sum()) == 45 else ["differs"],
            "sort": lambda: fresh().sort()[0].tolist(),
            "write": lambda: (fresh().fill_(1), list(range(10)))[1],
            "setitem": lambda: (fresh().__setitem__(slice(2, 9), 5.0), list(range(10)))[1],
            "print": lambda: (repr(fresh()), list(range(10)))[1],
            "bytes": lambda: list(memoryview(bytes(fresh())).cast("f")),
            "unbind": lambda: [v.item() for v in fresh()],
            "matmul": lambda: fresh().tolist() if float(fresh() @ fresh()) == 285 else ["differs"],
        }
        for name, use in uses.items():
            try:
                found = use()
            except RuntimeError:
                if size >= 40:
                    wrong.append(f"{name} of a storage of {size} bytes is refused")
                continue
            if found != list(range(10)) and name != "resize_":
                wrong.append(f"{name} of a storage of {size} bytes: {found}")
            elif size < 40 and name not in ("resize_", "print") and not (name == "setitem" and size == 36):
                wrong.append(f"{name} of a storage of {size} bytes works")
        x = rl.arange(10.0)[2:]
        x.untyped_storage().resize_(max(size, 40))
        if (x.storage_offset(), x.tolist(), x.data_ptr() - x.untyped_storage().data_ptr()) != (
            2,
            list(range(2, 10)),
            8,
        ):
            wrong.append(f"a view after a resize to {size}: {x.storage_offset()} {x.tolist()}")
    return wrong


def resize_loops() -> list[str]:
    """Former blocks do not stay."""
    x = rl.ones(1)
    s = x.untyped_storage()

    def core_bytes() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    before = core_bytes()
    for k in range(3000):
        s.resize_(1000 + 7 * k)
        s.resize_(4)
    return (
        []
        if core_bytes() - before < 64 << 20 and x.tolist() == [1.0]
        else [f"{(core_bytes() - before) >> 20} MB stay after resizing"]
    )


def main() -> None:
    warnings.simplefilter("ignore")
    depth = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    wrong = shrinking() + resize_loops()
    for export in EXPORTS:
        for k in range(1, depth + 1):
            for changes in itertools.product(CHANGES, repeat=k):
                print(export, changes, file=sys.stderr)
                found = attempt(export, changes)
                if found is not None:
                    wrong.append(f"{export}, then {changes}: {found}")
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
