"""Names of the inside that packages take: members of modules by name, weak dictionaries, modules of devices."""

from __future__ import annotations

import copy
import gc
from collections.abc import Callable
from typing import Any

import pytest

import rushlight
from rushlight import _C, nn
from rushlight._utils import _get_available_device_type, _get_device_module
from rushlight.autograd import forward_ad
from rushlight.nn.modules import module as modules
from rushlight.nn.utils._named_member_accessor import NamedMemberAccessor, set_tensor, swap_submodule, swap_tensor
from rushlight.operators.table.define import FUNCTIONS
from rushlight.utils import cpp_extension
from rushlight.utils._foreach_utils import _group_tensors_by_device_and_dtype
from rushlight.utils.checkpoint import get_device_states, set_device_states
from rushlight.utils.weak import TensorWeakRef, WeakIdKeyDictionary, WeakIdRef, WeakTensorKeyDictionary


def test_tensors_change_places() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    access = NamedMemberAccessor(net)
    weight, new = net[0].weight, rushlight.ones(2, 2)
    assert access.swap_tensor("0.weight", new) is weight
    assert net[0].weight is new and access.get_tensor("0.weight") is new
    before, missing = access.swap_tensors_dict({"0.weight": weight, "1.more": new}, allow_missing=True)
    assert before["0.weight"] is new and missing == ["1.more"] and net[1].more is new
    access.del_tensor("1.more")
    assert not hasattr(net[1], "more")
    with pytest.raises(RuntimeError, match="Missing key"):
        access.swap_tensors_dict({"0.weight": new, "1.more": new})
    assert net[0].weight is weight and not hasattr(net[1], "more")
    assert access.check_keys(["0.weight", "odd"]) == (sorted({*net.state_dict()} - {"0.weight"}), ["odd"])
    assert [n for n, _ in access.named_tensors()] == [n for n, _ in (*net.named_parameters(), *net.named_buffers())]
    part = nn.ReLU()
    assert isinstance(access.swap_submodule("1", part), nn.BatchNorm1d) and net[1] is part
    set_tensor(net, "own", new)
    assert net.own is new


@pytest.mark.parametrize(
    "error, call",
    [
        (AttributeError, lambda net, t: swap_tensor(net, "nope", t)),
        (KeyError, lambda net, t: swap_tensor(net, "a.b", t)),
        (KeyError, lambda net, t: swap_tensor(net, "", t)),
        (TypeError, lambda net, t: swap_tensor(net, "training", t)),
        (TypeError, lambda net, t: swap_tensor(net, "weight", 3)),
        (TypeError, lambda net, t: swap_tensor(3, "weight", t)),  # type: ignore[arg-type]
        (AttributeError, lambda net, t: swap_submodule(net, "nope", net)),
        (TypeError, lambda net, t: swap_submodule(net, "nope", 3)),  # type: ignore[arg-type]
    ],
)
def test_members_that_are_refused(error: type[Exception], call: Callable[[Any, Any], Any]) -> None:
    net = nn.Linear(2, 2)
    weight = net.weight
    with pytest.raises(error):
        call(net, rushlight.ones(2))
    assert net.weight is weight and net.training is True


def test_a_weak_dictionary_forgets_with_its_keys() -> None:
    a, b = rushlight.ones(2), rushlight.ones(2)
    known: WeakIdKeyDictionary[Any, str] = WeakTensorKeyDictionary({a: "a"})
    known[b] = "b"
    assert known[a] == "a" and known[b] == "b" and len(known) == 2 and set(map(id, known)) == {id(a), id(b)}
    assert rushlight.ones(2) not in known and 3 not in known
    both = known.copy() | {a: "new"}
    assert both[a] == "new" and known[a] == "a" and len(both.keyrefs()) == 2
    weak = TensorWeakRef(a)
    assert weak() is a
    del a
    gc.collect()
    assert list(known.values()) == ["b"] and len(both) == 1 and weak() is None
    del known[b]
    assert not known and b not in known
    with pytest.raises(KeyError):
        known[b]
    with pytest.raises(AssertionError):
        TensorWeakRef(3)  # type: ignore[arg-type]


def test_weak_references_are_one_by_identity() -> None:
    a, b = rushlight.ones(2), rushlight.ones(2)
    assert WeakIdRef(a) == WeakIdRef(a) and WeakIdRef(a) != WeakIdRef(b)
    first, second = WeakIdRef(a), WeakIdRef(a)
    del a
    assert first() is None and first == first and first != second and isinstance(hash(first), int)


def test_modules_of_devices() -> None:
    assert _get_device_module("cpu") is rushlight.cpu and _get_available_device_type() is None
    for name in ("nn", "no_such_device"):
        with pytest.raises(RuntimeError, match=name):
            _get_device_module(name)


def test_hooks_of_all_modules_are_read_by_their_private_names() -> None:
    named: list[str] = []
    handle = modules.register_module_parameter_registration_hook(lambda module, name, p: named.append(name))
    assert list(modules._global_parameter_registration_hooks) == [handle.id]
    nn.Linear(2, 2)
    handle.remove()
    assert named == ["weight", "bias"] and not modules._global_parameter_registration_hooks
    handle = modules.register_module_forward_hook(lambda module, args, result: result)
    assert list(modules._global_forward_hooks) == [handle.id]
    handle.remove()


def test_classes_of_storages_and_operators() -> None:
    from rushlight._ops import HigherOrderOperator, OpOverload, OpOverloadPacket

    assert isinstance(rushlight.ones(2).untyped_storage(), rushlight.StorageBase)
    add = rushlight.ops.aten.add
    assert isinstance(add, OpOverloadPacket) and isinstance(add.Tensor, OpOverload)
    assert not isinstance(add, HigherOrderOperator)


def test_a_pre_hook_in_the_table_is_called_as_the_module_calls_it() -> None:
    net = nn.Sequential(nn.Linear(2, 2))
    seen: list[Any] = []
    net[0].register_load_state_dict_pre_hook(lambda module, state, *rest: seen.append((module, len(rest))))
    net[0]._register_load_state_dict_pre_hook(lambda state, *rest: seen.append((None, len(rest))))
    twin = copy.deepcopy(net)
    for module in (net, twin):
        for hook in module[0]._load_state_dict_pre_hooks.values():
            hook({}, "", {}, True, [], [], [])
        assert seen == [(module[0], 6), (None, 6)]
        seen.clear()
        module.load_state_dict(module.state_dict())
        assert [m for m, _ in seen] == [module[0], None]
        seen.clear()
    hook = next(iter(twin[0]._load_state_dict_pre_hooks.values()))
    del twin, module
    gc.collect()
    with pytest.raises(RuntimeError, match="gone"):
        hook({})


def test_tensors_grouped_by_device_and_dtype() -> None:
    a, b, c = rushlight.ones(1), rushlight.ones(2, dtype=rushlight.float64), rushlight.ones(3)
    groups = _group_tensors_by_device_and_dtype([[a, b, c], [c, None, a], []], with_indices=True)
    assert {key[1]: value for key, value in groups.items()} == {
        rushlight.float32: ([[a, c], [c, a], []], [0, 2]),
        rushlight.float64: ([[b], [None], []], [1]),
    }
    refused: list[Any] = [[], [[]], [[a], [a, b]], [[None]]]
    for wrong in refused:
        with pytest.raises(RuntimeError, match="_group_tensors_by_device_and_dtype"):
            _group_tensors_by_device_and_dtype(wrong)


def test_the_number_of_the_innermost_level_of_forward_mode() -> None:
    numbers = [forward_ad._current_level]
    with forward_ad.dual_level():
        numbers.append(forward_ad._current_level)
        with forward_ad.dual_level():
            numbers.append(forward_ad._current_level)
        numbers.append(forward_ad._current_level)
    assert [*numbers, forward_ad._current_level] == [-1, 0, 1, 0, -1]


def test_old_casts() -> None:
    x = rushlight.tensor([2.7, -1.0], requires_grad=True)
    assert FUNCTIONS["_cast_Long"](x).tolist() == [2, -1]
    FUNCTIONS["_cast_Double"](x).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match=r"_cast_Long\(\): argument 'input' \(position 1\) must be Tensor, not int"):
        FUNCTIONS["_cast_Long"](3)


def test_the_number_of_connections_by_its_mode() -> None:
    weight = rushlight.empty(5, 3, 2)
    assert [nn.init._calculate_correct_fan(weight, mode) for mode in ("fan_in", "FAN_OUT")] == [6, 10]
    with pytest.raises(ValueError, match="'fan_in' or 'fan_out'; found 'in'"):
        nn.init._calculate_correct_fan(weight, "in")
    assert nn.init._no_grad_uniform_(weight.requires_grad_(), 2.0, 3.0) is weight
    assert bool(((weight >= 2) & (weight < 3)).all())


def test_devices_states_are_none_of_the_processor() -> None:
    assert get_device_states(rushlight.ones(2), 3) == ([], [])
    set_device_states([], [])
    with pytest.raises(RuntimeError, match="'devices' must be empty"):
        set_device_states([0], [rushlight.ones(2)])


def test_types_of_torchscript_can_be_named() -> None:
    types = [getattr(_C, name) for name in _C._TYPES]
    assert len(types) > 20 and all(issubclass(kind, _C.Type) for kind in types)
    assert not isinstance(rushlight.device("cpu"), _C.DeviceObjType)  # type: ignore[attr-defined]
    assert str | _C.DeviceObjType  # type: ignore[attr-defined]
    with pytest.raises(NotImplementedError, match="no TorchScript"):
        _C.TensorType()  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["load", "load_inline", "CppExtension", "CUDAExtension", "BuildExtension"])
def test_extensions_in_c_are_refused(name: str) -> None:
    with pytest.raises(RuntimeError, match="PyTorch's own library, is not there"):
        getattr(cpp_extension, name)("kernel", ["kernel.cpp"])


def test_what_the_machine_has_to_build_with(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cpp_extension.get_default_build_root().endswith("torch_extensions")
    monkeypatch.setenv("CXX", "my-c++")
    assert cpp_extension.get_cxx_compiler() == "my-c++"
    monkeypatch.setenv("PATH", "")
    assert not cpp_extension.is_ninja_available()
    with pytest.raises(RuntimeError, match="ninja"):
        cpp_extension.verify_ninja_availability()


def test_a_truth_value_counts_the_columns() -> None:
    """Of sizes PyTorch refuses a bool in the first place alone."""
    assert rushlight.rand(2, True).shape == (2, 1) and rushlight.zeros((3, False)).shape == (3, 0)
    for first in ((True,), (False, 2)):
        with pytest.raises(TypeError, match="'size' must be tuple of ints, not of bool"):
            rushlight.zeros(first)
