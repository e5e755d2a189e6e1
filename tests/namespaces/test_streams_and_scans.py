"""Streams and events of the CPU, what packages take of modules, and `associative_scan`, compared with PyTorch's."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight._higher_order_ops import associative_scan, scan

torch = pytest.importorskip("torch")


def outcome(fn: Callable[[], Any]) -> Any:
    """What a call returns, as text, or the type of its error."""
    try:
        return str(fn())
    except Exception as error:  # any kind: it is compared
        return type(error).__name__


CALLS: dict[str, Callable[[Any], Any]] = {
    "query": lambda t: (t.Event().query(), t.Stream().query()),
    "synchronize": lambda t: (t.Event().synchronize(), t.Stream().synchronize()),
    "device": lambda t: (t.Event(device="cpu").device, t.Stream(device="cpu").device),
    "record": lambda t: t.Event().record(),
    "record_event": lambda t: t.Stream().record_event(),
    "elapsed_time": lambda t: t.Event().elapsed_time(t.Event()),
    "text": lambda t: (t.Event(), t.Stream()),
    "classes": lambda t: t.classes.space.name,
    "device module": lambda t: t.get_device_module().__name__.partition(".")[2],
    "no device module": lambda t: t.get_device_module("nothing"),
    "device index": lambda t: [t._utils._get_device_index(d, allow_cpu=True) for d in (3, "cpu")],
    "device index of the CPU": lambda t: t._utils._get_device_index("cpu"),
    "no device": lambda t: t._utils._get_device_index(None),
    "check": lambda t: t._check_tensor_all_with(KeyError, t.tensor([True, False]), lambda: "text"),
    "accelerator": lambda t: (t._C._get_accelerator(), outcome(lambda: t._C._get_accelerator(True))),
    "shape": lambda t: t._shape_as_tensor(t.ones(2, 3)),
    "opt_einsum": lambda t: outcome(lambda: t.backends.opt_einsum.flags(nothing=1)),
    "profiler": lambda t: t.autograd._profiler_enabled(),
    "float functional": lambda t: [
        str(f)
        for f in (
            t.ao.nn.quantized.FloatFunctional().add_relu(t.ones(2), -2 * t.ones(2)),
            t.nn.quantized.FloatFunctional().cat([t.ones(1)] * 2),
        )
    ],
    "no call of float functional": lambda t: t.nn.quantized.FloatFunctional()(t.ones(2)),
    "element size": lambda t: t._utils._element_size(t.float16),
}


@pytest.mark.parametrize("name", CALLS)
def test_answers_are_those_of_pytorch(name: str) -> None:
    import torch.ao.nn.quantized
    import torch.nn.quantized  # PyTorch reads them when asked to

    assert outcome(lambda: CALLS[name](rl)) == outcome(lambda: CALLS[name](torch))


def test_optimizers_of_packages() -> None:
    from torch.optim import optimizer as theirs

    from rushlight.optim import optimizer as ours

    for differentiable in (False, True):
        for fused in (False, True):
            assert ours._default_to_fused_or_foreach(
                [rl.ones(2)], differentiable, fused
            ) == theirs._default_to_fused_or_foreach([torch.ones(2)], differentiable, fused)
    assert ours._get_capturable_supported_devices(False) == theirs._get_capturable_supported_devices(False)

    def groups(lib: Any, found: Any) -> Any:
        lists = [[lib.ones(1), lib.ones(2, dtype=lib.float64)], [lib.ones(1), None], []]
        return {
            str(key): ([[None if t is None else t.tolist() for t in ts] for ts in parts], where)
            for key, (parts, where) in found.Optimizer._group_tensors_by_device_and_dtype(
                lists, with_indices=True
            ).items()
        }

    assert groups(rl, ours) == groups(torch, theirs)

    class Recorded(rl.optim.Optimizer):
        @ours._use_grad_for_differentiable
        def step(self, closure: Any = None) -> bool:
            return rl.is_grad_enabled()

    assert [Recorded([rl.ones(1)], {"differentiable": d}).step() for d in (False, True)] == [False, True]


def test_subclasses_of_containers_come_apart_by_pytrees_functions() -> None:
    from rushlight.utils import _pytree as ours

    class Output(collections.OrderedDict[str, Any]):
        pass

    ours.register_pytree_node(
        Output,
        ours._dict_flatten,
        lambda values, keys: Output(zip(keys, values, strict=True)),
        flatten_with_keys_fn=ours._dict_flatten_with_keys,
    )
    x = Output(a=1, b=[2, 3])
    assert ours.tree_map(lambda v: v + 1, x) == Output(a=2, b=[3, 4])
    assert [ours.keystr(path) for path, _ in ours.tree_leaves_with_path(x)] == ["['a']", "['b'][0]", "['b'][1]"]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 8, 13])
@pytest.mark.parametrize("reverse", [False, True])
def test_associative_scan(n: int, reverse: bool) -> None:
    r = np.random.default_rng(n)
    a, b = (rl.from_numpy(r.uniform(0.5, 1.0, (2, n))).requires_grad_() for _ in range(2))
    found = associative_scan(
        lambda x, y: {"a": x["a"] * y["a"], "b": y["a"] * x["b"] + y["b"]}, {"a": a, "b": b}, 1, reverse=reverse
    )["b"]
    steps, carried = [], rl.zeros(2, dtype=rl.float64)
    for k in reversed(range(n)) if reverse else range(n):
        carried = a[:, k] * carried + b[:, k]
        steps.append(carried)
    wanted = rl.stack(steps[::-1] if reverse else steps, 1) if steps else rl.zeros(2, 0, dtype=rl.float64)
    rl.testing.assert_close(found, wanted)
    if not n:
        return
    for x, y in zip(
        rl.autograd.grad(found.square().sum(), (a, b), allow_unused=True),
        rl.autograd.grad(wanted.square().sum(), (a, b), allow_unused=True),
        strict=True,
    ):
        rl.testing.assert_close(*(rl.zeros_like(a) if g is None else g for g in (x, y)))


def test_associative_scan_refuses() -> None:
    for args, options in (
        (([rl.ones(2), rl.ones(3)], 0), {}),
        ((rl.ones(2), 0), {"combine_mode": "fast"}),
        (([], 0), {}),
    ):
        with pytest.raises(ValueError, match=r"associative_scan\(\): "):
            associative_scan(lambda x, y: x, *args, **options)
    with pytest.raises(ValueError, match="must return what is like its arguments"):
        associative_scan(lambda x, y: (x, y), rl.ones(3), 0)


def _summed(carry: Any, x: Any) -> Any:
    total = carry + x["a"]
    return total, {"twice": total * 2, "b": (carry * x["b"],)}


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("reverse", [False, True])
def test_scan(dim: int, reverse: bool) -> None:
    """States, results and gradients are PyTorch's, also of a compiled function; a batch by vmap is one by one."""
    r = np.random.default_rng(dim + 1)
    given = [r.standard_normal((3, 4)), r.standard_normal((3, 4)), r.standard_normal(4 if dim == 0 else 3)]
    found = []
    for t, function in (
        (rl, scan),
        (rl, rl.compile(scan, options={"always": True})),
        (torch, torch._higher_order_ops.scan),
    ):
        a, b, init = (t.from_numpy(x.copy()).requires_grad_() for x in given)
        last, ys = function(_summed, init, {"a": a, "b": b}, dim=dim, reverse=reverse)
        loss = last.square().sum() + (ys["twice"] * ys["b"][0]).sum()
        found.append(
            [x.detach().numpy() for x in (last, ys["twice"], ys["b"][0], *t.autograd.grad(loss, (a, b, init)))]
        )
    for ours in found[:2]:
        for x, y in zip(ours, found[2], strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12)
    rows, start = rl.from_numpy(r.standard_normal((2, 5, 3))), rl.zeros(3, dtype=rl.float64)
    batch = rl.func.vmap(lambda x: scan(lambda c, v: (c * 0.5 + v, c), start, x)[0])(rows)
    rl.testing.assert_close(batch, rl.stack([scan(lambda c, v: (c * 0.5 + v, c), start, x)[0] for x in rows]))


def test_scan_refuses() -> None:
    x, c = rl.ones(2, 3), rl.zeros(3)
    for args in (
        (3, c, x),
        (_summed, [], x),
        (_summed, 1.0, x),
        (_summed, c, [1.0]),
        (_summed, c, rl.zeros(0, 3)),
        (_summed, c, (x, rl.zeros(3, 3))),
        (lambda c, x: c + x, c, x),
        (lambda c, x: ((c, c), x), c, x),
        (lambda c, x: ((c + x)[None], x), c, x),
        (lambda c, x: ((c + x).double(), x), c, x),
        (lambda c, x: (c + x, None), c, x),
    ):
        with pytest.raises(RuntimeError, match=r"scan\(\): "):
            scan(*args)
    with pytest.raises(IndexError, match=r"scan\(\): "):
        scan(_summed, c, x, dim=2)
    assert scan(_summed, c, []) == (c, [])
