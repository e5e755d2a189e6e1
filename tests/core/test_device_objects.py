"""Devices: one object for all who name one without an index, whatever way it is named."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import rushlight as rl


@pytest.mark.parametrize("name", ["cpu", "meta", "cuda"])
def test_a_device_without_an_index_is_one_object(name: str) -> None:
    d = rl.device(name)
    same = [rl.device(d), rl.device(type=name), rl.device(name, None), rl.device(np.str_(name))]
    same += [pickle.loads(pickle.dumps(d)), copy.copy(d), copy.deepcopy(d)]
    assert all(x is d for x in same)
    assert d.type == name and d.index is None
    assert d != rl.device(name, 0) and rl.device(name, 0) == rl.device(f"{name}:0") != rl.device(name, 1)


def test_refused_devices_leave_the_others_as_they_are() -> None:
    for arguments in ((), ("cpu",)):
        assert rl.device(*arguments) is rl.zeros(1).device
    for wrong in (("nowhere",), ("cpu:x",), ("cuda:1", 2), (1.5,), (None,)):
        with pytest.raises((RuntimeError, TypeError), match="device"):
            rl.device(*wrong)
    with pytest.raises(AttributeError, match="immutable"):
        rl.device("cpu").type = "cuda"
    assert (rl.device("cpu").type, rl.device("cpu").index, str(rl.device("meta"))) == ("cpu", None, "meta")


@pytest.mark.parametrize("device", [None, "cpu", rl.device("cpu")])
def test_factories_make_the_same_by_any_name_of_the_cpu(device: rl.device | str | None) -> None:
    made = [
        rl.tensor([1, 2], device=device),
        rl.zeros(2, 3, device=device),
        rl.arange(4, device=device),
        rl.full((2,), 3.0, device=device),
        rl.ones(2, 3).new_zeros(2, device=device),
        rl.as_tensor([1.0], device=device),
    ]
    plain = [rl.tensor([1, 2]), rl.zeros(2, 3), rl.arange(4), rl.full((2,), 3.0), rl.zeros(2), rl.tensor([1.0])]
    for a, b in zip(made, plain, strict=True):
        assert a.dtype is b.dtype and a.device is b.device and rl.equal(a, b)
    assert rl.ones(2).to(device or "cpu").device is rl.device("cpu")
