"""Results keep a subclass whose constructor wants arguments of its own; names of overridable functions; Python's
numbers of tensors.
"""

from __future__ import annotations

from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")
BOTH = pytest.mark.parametrize("lib", [rushlight, torch], ids=["rushlight", "torch"])


def tagged(lib: Any) -> Any:
    class Tagged(lib.Tensor):
        def __new__(cls, data: Any, tag: str, **options: Any) -> Any:
            new = lib.as_tensor(data, **options).as_subclass(cls)
            new.tag = tag
            return new

        def __init__(self, data: Any, tag: str, **options: Any) -> None:
            pass

        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            out = super().__torch_function__(func, types, args, kwargs)
            if isinstance(out, Tagged):
                out.tag = next((a.tag for a in args if isinstance(a, Tagged)), None)
            return out

    return Tagged


@BOTH
def test_a_constructor_with_arguments_of_its_own_is_not_called_for_results(lib: Any) -> None:
    cls = tagged(lib)
    x = cls([1.0, 2.0], "hello")
    results = (
        x * 3,
        x + lib.ones(2),
        lib.ones(2).add(x),
        x.sum(),
        x.detach(),
        x.clone(),
        x.max(0).values,
        x.view(2, 1),
        x[0],
        lib.cat([x, x])[:1],
        x.unbind()[0],
        x.requires_grad_().exp(),
    )
    assert [type(r) for r in results] == [cls] * len(results)
    assert (x * 3).tag == "hello"
    assert (x * 3).tolist() == [3.0, 6.0]


def test_names_of_overridable_functions() -> None:
    members = "add add_ __add__ __getitem__ split relu"
    functions = (
        "nn.functional.relu nn.functional.conv2d nn.functional.dropout nn.functional.linear nn.init.ones_ linalg.inv "
        "fft.fft special.erf cat clip erf split norm softmax"
    )
    for name in [*(f"Tensor.{m}" for m in members.split()), *functions.split()]:
        ours, theirs = (lib.overrides.resolve_name(_get(lib, name)) for lib in (rushlight, torch))
        assert ours == theirs, name
    for how, name in (("__get__", "shape"), ("__get__", "T"), ("__set__", "grad"), ("__get__", "requires_grad")):
        ours, theirs = (
            lib.overrides.resolve_name(getattr(getattr(lib.Tensor, name), how)) for lib in (rushlight, torch)
        )
        assert ours == theirs, name
    assert rushlight.overrides.resolve_name(len) is None
    assert rushlight.add in rushlight.overrides.get_overridable_functions()[rushlight]
    assert rushlight.Tensor.add in rushlight.overrides.get_overridable_functions()[rushlight.Tensor]


def _get(lib: Any, name: str) -> Any:
    for part in name.split("."):
        lib = getattr(lib, part)
    return lib


@pytest.mark.parametrize("what", [int, float, complex, bool])
@pytest.mark.parametrize(
    "make",
    [
        lambda lib: lib.ones(2),
        lambda lib: lib.ones(0),
        lambda lib: lib.tensor([1j]),
        lambda lib: lib.tensor(2 + 0j),
        lambda lib: lib.ones(2, dtype=lib.int64),
        lambda lib: lib.ones(1, 1),
    ],
)
def test_numbers_of_tensors(what: Any, make: Any) -> None:
    assert _result(what, make(rushlight)) == _result(what, make(torch))


def _result(call: Any, *args: Any) -> Any:
    try:
        return call(*args)
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("data", [[1, "x"], ["x"], "x", [[1], ["x"]], ["x", 1]])
def test_strings_are_no_numbers(data: Any) -> None:
    assert _result(rushlight.tensor, data) is _result(torch.tensor, data)
