"""A device, a layout and a dtype that only this file knows, registered from outside the package with implementations of
their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight.core import dtypes, raw
from rushlight.core import storage as core_storage
from rushlight.core import tensor as core
from rushlight.core.devices import register_device

calls: list[str] = []


def on_toy(t: Any) -> Any:
    """A CPU tensor's values on the toy device, whose memory is ordinary memory under another name."""
    t = t.contiguous()
    storage = core_storage._storage_from_bytes(bytes(memoryview(t.untyped_storage())))
    storage.device = rl.device("toy")
    return raw.tensor_from_storage(storage, t.dtype, t.storage_offset(), t.shape, t.stride())


def on_cpu(t: Any) -> Any:
    """A copy of a toy tensor on the CPU."""
    storage = t.untyped_storage()
    plain = core_storage.storage_from_external(storage.data_ptr(), storage.nbytes(), storage)
    return raw.tensor_from_storage(plain, t.dtype, t.storage_offset(), t.shape, t.stride()).clone()


@pytest.fixture(scope="module", autouse=True)
def toy() -> Iterator[None]:
    register_device("toy")

    def through_cpu(op: Any) -> None:
        def run(*args: Any, **kwargs: Any) -> Any:
            calls.append(op.name)
            return on_toy(op(*[on_cpu(a) if isinstance(a, rl.Tensor) else a for a in args], **kwargs))

        op.register("toy", run)

    for name in ("add", "mul", "neg"):
        through_cpu(getattr(rl, name))
    rl.empty.register("toy", lambda size, dtype, device: on_toy(raw.empty_strided_raw(dtype, size, None)))
    rl.Tensor.to.register(
        "toy",
        lambda t, where, dtype: (
            (on_toy(t) if where.type == "toy" else on_cpu(t)).to(dtype)
            if t.dtype is not dtype
            else on_toy(t)
            if where.type == "toy"
            else on_cpu(t)
        ),
    )
    yield
    for op in (rl.add, rl.mul, rl.neg, rl.empty, rl.Tensor.to):
        del op.implementations["toy"]


def test_operators_run_the_registered_code() -> None:
    calls.clear()
    x = on_toy(rl.tensor([1.0, 2.0, 3.0]))
    y = -(x + x) * 2.0
    assert str(y.device) == "toy" and calls == ["add", "neg", "mul"]
    assert on_cpu(y).tolist() == [-4, -8, -12]


def test_an_operator_without_an_implementation_says_so() -> None:
    x = on_toy(rl.tensor([1.0]))
    with pytest.raises(NotImplementedError, match=r"exp.*no implementation for device 'toy'.*register"):
        rl.exp(x)


def test_factories_and_copies() -> None:
    x = rl.empty(2, 3, device="toy")
    assert x.device == rl.device("toy") and tuple(x.shape) == (2, 3)
    moved = rl.tensor([1.0, 2.0]).to("toy")
    assert moved.device.type == "toy" and moved.to("cpu").tolist() == [1.0, 2.0]


def test_devices_do_not_mix() -> None:
    with pytest.raises((RuntimeError, NotImplementedError), match="device"):
        rl.sub(on_toy(rl.tensor([1.0, 2.0])), rl.tensor([1.0, 2.0]))


def test_copies_between_the_cpu_and_meta() -> None:
    """To tensors without data there is nothing to copy; from them nothing can be."""
    t = rl.empty(2, 2, device="meta")
    assert t.copy_(rl.ones(2, 2)) is t and t.copy_(rl.ones(2)) is t and t.data.copy_(rl.ones(2, 2)).is_meta
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor; no data!"):
        rl.ones(2, 2).copy_(t)
    with pytest.raises(RuntimeError, match="broadcast"):
        t.copy_(rl.ones(3))
    with pytest.raises(RuntimeError, match=r"set_.*device, meta; found cpu"):
        t.set_(rl.ones(2))
    with pytest.raises(RuntimeError, match=r"set_.*device, cpu; found meta"):
        rl.ones(2).set_(t.untyped_storage())
    with pytest.warns(UserWarning, match="assign=True"):
        rl.nn.Linear(2, 2, device="meta").load_state_dict(rl.nn.Linear(2, 2).state_dict())


@pytest.mark.parametrize("name", ["from_numpy", "as_tensor", "asarray"])
def test_a_read_only_array_is_warned_about(name: str) -> None:
    a = np.ones(3)
    a.flags.writeable = False
    with pytest.warns(UserWarning, match=f"{name}.*read-only"):
        getattr(rl, name)(a)


def test_a_device_that_nobody_registered() -> None:
    with pytest.raises((RuntimeError, AssertionError), match="nowhere"):
        rl.empty(2, device="nowhere")


class Diagonal(rl.Tensor):
    """A square matrix that keeps its diagonal alone: a layout of its own."""

    _dispatch_keys = core.get_keys_flag_mask()["LAYOUT"]
    _layout = dtypes.layout("diagonal")

    def _special_shape(self) -> tuple[int, int]:
        return (self.values.numel(), self.values.numel())


def diagonal(values: Any) -> Any:
    t = Diagonal.__new__(Diagonal)
    t.values = values
    raw.set_keys(t, Diagonal._dispatch_keys, values.dtype)
    return t


def test_a_layout_from_outside() -> None:
    rl.mul.register("diagonal", lambda a, b: diagonal(a.values * (b.values if isinstance(b, Diagonal) else b)))
    try:
        a = diagonal(rl.tensor([1.0, 2.0]))
        assert tuple(a.shape) == (2, 2) and a.layout.name == "diagonal"
        assert (a * a * 3.0).values.tolist() == [3.0, 12.0]
        with pytest.raises(NotImplementedError, match=r"exp.*no implementation for layout torch.diagonal"):
            a.exp()
    finally:
        del rl.mul.implementations["diagonal"]


def test_a_dtype_from_outside() -> None:
    minifloat = dtypes.register_dtype("minifloat8", 1, "f")  # eighths, in a byte

    def pack(t: Any) -> Any:
        return raw.tensor_from_storage((t * 8).to(rl.uint8).untyped_storage(), minifloat, 0, t.shape, t.stride())

    def unpack(t: Any) -> Any:
        return raw.tensor_from_storage(t.untyped_storage(), rl.uint8, 0, t.shape, t.stride()).float() / 8

    rl.add.register("minifloat8", lambda a, b: pack(unpack(a) + unpack(b)))
    try:
        x = pack(rl.tensor([0.5, 1.25]))
        y = x + x
        assert y.dtype is minifloat and unpack(y).tolist() == [1.0, 2.5]
        with pytest.raises(NotImplementedError, match=r"mul.*no implementation for dtypes torch.minifloat8"):
            x * x
    finally:
        del rl.add.implementations["minifloat8"]
