"""200 calls with new argument values give PyTorch's values, and nothing is compiled after the first: no program, and
no kernel, though the kernel cache is empty when they begin.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.compiler import counters
from rushlight.compiler.kernels import cache
from rushlight.operators.table import compile as _compile

torch = pytest.importorskip("torch")

Call = Callable[[Any, Any], Any]  # of the module and its tensors
CALLS = 200


def _ints(r: np.random.RandomState, low: int, high: int, n: int) -> tuple[int, ...]:
    return tuple(int(v) for v in r.randint(low, high, n))


def _window(r: np.random.RandomState, n: int, most: int) -> dict[str, Any]:
    """Windows of 1 and more, steps of 1 and more, with padding and without."""
    k = _ints(r, 1, most, n)
    return {"kernel_size": k, "stride": _ints(r, 1, 6, n), "padding": tuple(int(r.randint(0, v // 2 + 1)) for v in k)}


def _pool(name: str, n: int, most: int, **fixed: Any) -> Callable[[Any], Call]:
    def make(r: Any) -> Call:
        options = {**_window(r, n, most), **fixed}
        return lambda m, t: getattr(m.nn.functional, name)(t[f"x{n}"], **options)

    return make


def _pool_of_ints(name: str) -> Callable[[Any], Call]:
    """Numbers for all dimensions; a padding of 0 is the default."""

    def make(r: Any) -> Call:
        k, s = _ints(r, 1, 6, 2)
        p = int(r.randint(0, k // 2 + 1))
        return lambda m, t: getattr(m.nn.functional, name)(t["x2"], k, s, p)

    return make


def _adaptive(name: str, n: int) -> Callable[[Any], Call]:
    def make(r: Any) -> Call:
        size = _ints(r, 1, 9, n)
        return lambda m, t: getattr(m.nn.functional, name)(t[f"x{n}"], size)

    return make


def _with_float(f: Callable[[Any, Any, float], Any], low: float, high: float) -> Callable[[Any], Call]:
    def make(r: Any) -> Call:
        v = float(r.uniform(low, high))
        return lambda m, t: f(m, t, v)

    return make


def _with_order(f: Callable[[Any, Any, float], Any], least: float = -1) -> Callable[[Any], Call]:
    """Orders of norms: those that have a name, and others."""

    def make(r: Any) -> Call:
        known = [v for v in (0.0, 0.5, 1.0, 2.0, 3.0, float("inf"), float("-inf")) if v >= least]
        p = known[r.randint(len(known))] if r.rand() < 0.5 else float(r.uniform(0.5, 5))
        return lambda m, t: f(m, t, p)

    return make


def _pad(mode: str) -> Callable[[Any], Call]:
    def make(r: Any) -> Call:
        low = -3 if mode == "constant" else 0
        widths, value = _ints(r, low, 6, 4) if r.rand() < 0.8 else _ints(r, low, 1, 4), float(r.randn())
        return lambda m, t: m.nn.functional.pad(t["x2"], widths, mode, *([value] if mode == "constant" else []))

    return make


def _unfold(r: Any) -> Call:
    k, s, d, p = _ints(r, 1, 5, 2), _ints(r, 1, 4, 2), _ints(r, 1, 3, 2), _ints(r, 0, 3, 2)
    return lambda m, t: m.nn.functional.unfold(t["x2"], k, dilation=d, padding=p, stride=s)


def _conv(r: Any) -> Call:
    s, p, d = _ints(r, 1, 4, 2), _ints(r, 0, 4, 2), _ints(r, 1, 3, 2)
    return lambda m, t: m.nn.functional.conv2d(t["x2"], t["w2"], None, s, p, d)


def _conv_of_ints(r: Any) -> Call:
    """Ints, the defaults among them."""
    s, p, d = (int(r.randint(low, 4)) for low in (1, 0, 1))
    return lambda m, t: m.nn.functional.conv2d(t["x2"], t["w2"], None, s, p, d)


def _conv_transpose_of_ints(r: Any) -> Call:
    s, p, d = (int(r.randint(low, 4)) for low in (1, 0, 1))
    return lambda m, t: m.nn.functional.conv_transpose2d(t["x2"], t["wt"], None, s, p, 0, 1, d)


def _max_pool_of_ints(r: Any) -> Call:
    k, s, d = _ints(r, 1, 5, 3)
    p = int(r.randint(0, k // 2 + 1))
    return lambda m, t: m.nn.functional.max_pool2d(t["x2"], k, s, p, d)


def _unfold_of_ints(r: Any) -> Call:
    k, s, d, p = *_ints(r, 1, 4, 3), int(r.randint(0, 3))
    return lambda m, t: m.nn.functional.unfold(t["x2"], k, d, p, s)


def _fold(r: Any) -> Call:
    k, s, d, p = *_ints(r, 1, 4, 3), int(r.randint(0, 3))
    return lambda m, t: m.nn.functional.fold(
        m.nn.functional.unfold(t["x2"], k, d, p, s), tuple(t["x2"].shape)[2:], k, d, p, s
    )


def _joined_of(name: str, pick: Callable[[Any, Any, int], Any]) -> Callable[[Any], Call]:
    """Tensors that lie in any way, or are of several dtypes: `pick` gives the one of a number."""

    def make(r: Any) -> Call:
        chosen = (0, 1, *_ints(r, 0, 6, int(r.randint(0, 7))))
        return lambda m, t: getattr(m, name)([pick(m, t, k) for k in chosen], 1)

    return make


def _resized_bytes(mode: str, antialias: bool) -> Callable[[Any], Call]:
    def make(r: Any) -> Call:
        size = tuple(int(r.randint(1, 40)) if r.rand() < 0.7 else n for n in (14, 19))
        if size == (1, 1):  # PyTorch fails on bytes there: "INTERNAL ASSERT FAILED"
            size = (1, 2)
        return lambda m, t: m.nn.functional.interpolate(t["bytes"], size, mode=mode, antialias=antialias)

    return make


def _pdist(r: Any) -> Call:
    n = int(r.randint(2, 13))
    return lambda m, t: m.nn.functional.pdist(t["rows"][:n])


def _resize(mode: str) -> Callable[[Any], Call]:
    def make(r: Any) -> Call:
        size = _ints(r, 1, 40, 2)
        return lambda m, t: m.nn.functional.interpolate(t["x2"], size, mode=mode)

    return make


def _joined(name: str) -> Callable[[Any], Call]:
    def make(r: Any) -> Call:
        n = int(r.randint(1, 60 if r.rand() < 0.5 else 6))
        return lambda m, t: getattr(m, name)([t["rows"]] * n, 1)

    return make


F = "nn.functional"
CASES: dict[str, Callable[[Any], Call]] = {
    "interpolate": _resize("bilinear"),
    "interpolate area": _resize("area"),
    "interpolate nearest": _resize("nearest"),
    "norm": _with_order(lambda m, t, p: m.norm(t["rows"], p, 1)),
    "vector_norm": _with_order(lambda m, t, p: m.linalg.vector_norm(t["rows"], p, 0)),
    "cdist": _with_order(lambda m, t, p: m.cdist(t["rows"], t["other"], p), 0),
    "pairwise_distance": _with_order(lambda m, t, p: m.nn.functional.pairwise_distance(t["rows"], t["other"], p)),
    "normalize": _with_order(lambda m, t, p: m.nn.functional.normalize(t["rows"], p)),
    "renorm": _with_order(lambda m, t, p: m.renorm(t["rows"], p, 0, 1.0), 0.1),
    "label_smoothing": _with_float(
        lambda m, t, v: m.nn.functional.cross_entropy(t["rows"], t["classes"], label_smoothing=v), 0.01, 0.99
    ),
    "huber_loss": _with_float(lambda m, t, v: m.nn.functional.huber_loss(t["rows"], t["other"], delta=v), 0.1, 3),
    "smooth_l1_loss": _with_float(
        lambda m, t, v: m.nn.functional.smooth_l1_loss(t["rows"], t["other"], beta=v), 0.1, 3
    ),
    "triplet_margin_loss": _with_float(
        lambda m, t, v: m.nn.functional.triplet_margin_loss(t["rows"], t["other"], t["third"], margin=v, p=v + 1.5),
        0.6,
        3,
    ),
    "margin_ranking_loss": _with_float(
        lambda m, t, v: m.nn.functional.margin_ranking_loss(t["rows"], t["other"], t["signs"], margin=v), 0.1, 3
    ),
    "logit": _with_float(lambda m, t, v: m.logit(m.sigmoid(t["rows"]), v), 0.01, 0.4),
    "lp_pool2d": lambda r: (lambda p, k: lambda m, t: m.nn.functional.lp_pool2d(t["x2"].abs() + 0.1, p, k))(
        (1.0, 2.0, 3.0, float(r.uniform(1.1, 4)))[r.randint(4)], _ints(r, 1, 5, 2)
    ),
    "adaptive_avg_pool1d": _adaptive("adaptive_avg_pool1d", 1),
    "adaptive_avg_pool2d": _adaptive("adaptive_avg_pool2d", 2),
    "adaptive_avg_pool3d": _adaptive("adaptive_avg_pool3d", 3),
    "adaptive_max_pool2d": _adaptive("adaptive_max_pool2d", 2),
    "adaptive_max_pool1d": _adaptive("adaptive_max_pool1d", 1),
    "avg_pool1d": _pool("avg_pool1d", 1, 8),
    "avg_pool2d": _pool("avg_pool2d", 2, 7),
    "avg_pool2d ceil": _pool("avg_pool2d", 2, 7, ceil_mode=True, count_include_pad=False),
    "avg_pool3d": _pool("avg_pool3d", 3, 5),
    "max_pool2d": _pool("max_pool2d", 2, 7),
    "max_pool2d ceil": _pool("max_pool2d", 2, 7, ceil_mode=True),
    "max_pool3d": _pool("max_pool3d", 3, 5),
    "max_pool1d": _pool("max_pool1d", 1, 8),
    "avg_pool2d of ints": _pool_of_ints("avg_pool2d"),
    "max_pool2d of ints": _pool_of_ints("max_pool2d"),
    "pad constant": _pad("constant"),
    "pad reflect": _pad("reflect"),
    "pad replicate": _pad("replicate"),
    "pad circular": _pad("circular"),
    "unfold": _unfold,
    "conv2d": _conv,
    "pdist without p": _pdist,  # (after "pdist p", whose first call may be this program)
    "pdist p": lambda r: (lambda n, p: lambda m, t: m.nn.functional.pdist(t["rows"][:n], p))(
        int(r.randint(2, 13)), (0.0, 1.0, 2.0, 3.0, float("inf"), 0.7, 1.7)[r.randint(7)]
    ),
    "cat": _joined("cat"),
    "stack": _joined("stack"),
    "cat of strided tensors": _joined_of("cat", lambda m, t, k: t["x2"][0, 0, :, k::6]),
    "cat of transposed tensors": _joined_of("cat", lambda m, t, k: (t["rows"] if k % 2 else t["other"]).T),
    "cat of dtypes": _joined_of("cat", lambda m, t, k: t["rows"] if k % 2 else t["floats"]),
    "stack of transposed tensors": _joined_of("stack", lambda m, t, k: (t["rows"] if k % 2 else t["other"]).T),
    "conv2d of ints": _conv_of_ints,
    "conv_transpose2d of ints": _conv_transpose_of_ints,
    "max_pool2d dilated": _max_pool_of_ints,
    "unfold of ints": _unfold_of_ints,
    "fold": _fold,
    "interpolate bytes bilinear": _resized_bytes("bilinear", False),
    "interpolate bytes bicubic": _resized_bytes("bicubic", False),
    "interpolate bytes antialias": _resized_bytes("bilinear", True),
    "cat of plain tensors": lambda r: (lambda n: lambda m, t: m.cat([t["rows"].detach()] * n, 1))(int(r.randint(1, 9))),
}


def _tensors(m: Any, grad: bool) -> dict[str, Any]:
    r = np.random.RandomState(0)
    shapes = {
        "x1": (2, 3, 17),
        "x2": (2, 3, 14, 19),
        "x3": (1, 2, 9, 10, 11),
        "rows": (13, 6),
        "other": (13, 6),
        "third": (13, 6),
        "w2": (4, 3, 3, 3),
        "wt": (3, 4, 3, 3),
    }
    t = {
        name: m.tensor(r.randn(*shape).tolist(), dtype=m.float64, requires_grad=grad) for name, shape in shapes.items()
    }
    t["classes"] = m.tensor(r.randint(0, 6, 13).tolist())
    t["floats"] = m.tensor(r.randn(13, 6).tolist(), dtype=m.float32)
    t["bytes"] = m.tensor(r.randint(0, 256, (2, 3, 14, 19)).tolist(), dtype=m.uint8)
    t["signs"] = m.tensor(np.sign(r.randn(13, 1)).tolist(), dtype=m.float64)
    return t


def _compiled() -> tuple[float, float]:
    return _compile.compile_count[0], counters.stats()["kernels_compiled"]


def _run(m: Any, call: Call, tensors: dict[str, Any], grad: bool) -> list[Any]:
    """The result of a call, and the gradients of the leaves; zeros where there is none."""
    y = call(m, tensors)
    found = [y.detach()]
    if grad and y.requires_grad:
        leaves = [t for t in tensors.values() if t.requires_grad]
        given = m.autograd.grad(y, leaves, m.from_numpy(np.ones(tuple(y.shape))), allow_unused=True)
        found += [m.zeros_like(t) if g is None else g for g, t in zip(given, leaves, strict=True)]
    return [t.numpy() for t in found]


def check(name: str, grad: bool) -> None:
    """Do the calls of a case; AssertionError for a value that is not PyTorch's, and where something is compiled."""
    r = np.random.RandomState(int(os.environ.get("RUSHLIGHT_SEED", "5")))
    ours, theirs = _tensors(rushlight, grad), _tensors(torch, grad)
    if grad:  # gradients that meet are added by the engine, whatever the function
        x = ours["rows"]
        rushlight.autograd.grad(rushlight.cat([x, x]), x, rushlight.ones(26, 6, dtype=x.dtype))
        for start in (0, 1, 2):  # so are the gradients of slices, whose start may be the default
            rushlight.autograd.grad(ours["x2"][0, 0, :, start::6].sum(), ours["x2"])
    for k in range(CALLS):
        call = CASES[name](r)
        expected = _run(torch, call, theirs, grad)
        found = _run(rushlight, call, ours, grad)
        if k == 0:
            before = _compiled()
        assert _compiled() == before, f"call {k} compiled: (programs, kernels) are {_compiled()} beyond {before}"
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            assert a.shape == b.shape
            if not np.all(np.abs(a - b) <= 1e-11 + 1e-9 * np.abs(b)):  # slower, and knows infinities
                np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)


def main(grad: bool) -> None:
    """Check every case; writes those that fail, with what they say, as JSON."""
    torch.set_num_threads(1)
    failed = {}
    for name in sorted(CASES):
        cache.forget()
        try:
            check(name, grad)
        except Exception as error:
            failed[name] = f"{type(error).__name__}: {error}"
    json.dump(failed, sys.stdout)


@pytest.mark.parametrize("grad", [False, True])
def test_new_values(grad: bool, tmp_path: Path) -> None:
    # In a process of its own: what other tests have compiled is neither a help nor a reason to fail.
    env = {**os.environ, "RUSHLIGHT_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, __file__, str(int(grad))], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout) == {}


if __name__ == "__main__":
    main(bool(int(sys.argv[1])))
