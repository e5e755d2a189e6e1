"""What a mode and a class with `__torch_function__` see of nn.init: four functions as one call each, with all arguments
by name.
"""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")
CALLS: dict[str, tuple[Any, ...]] = {
    "uniform_": (-1.0,),
    "normal_": (0.0, 2.0),
    "constant_": (3.0,),
    "kaiming_uniform_": (5**0.5,),
}


def seen(lib: Any) -> list[Any]:
    overrides = importlib.import_module(lib.__name__ + ".overrides")
    init = importlib.import_module(lib.__name__ + ".nn.init")
    found: list[Any] = []

    def note(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        for name in CALLS:
            if func is getattr(init, name):
                found.append((name, len(args), {k: v for k, v in kwargs.items() if k != "tensor"}))

    class Mode(overrides.TorchFunctionMode):  # type: ignore[name-defined, misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            note(func, args, kwargs or {})
            return func(*args, **(kwargs or {}))

    class Sub(lib.Tensor):  # type: ignore[name-defined, misc]
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            note(func, args, kwargs or {})
            return super().__torch_function__(func, types, args, kwargs or {})

    for name, args in CALLS.items():
        x = lib.empty(3, 3)
        with Mode():
            assert getattr(init, name)(x, *args) is x
            lib.nn.Linear(2, 2)
        s = lib.empty(3, 3).as_subclass(Sub)
        assert isinstance(getattr(init, name)(s, *args), Sub)
    return found


def test_calls_are_seen_whole() -> None:
    ours, theirs = seen(rushlight), seen(torch)
    keys = [name for name, *_ in theirs]
    assert set(keys) == set(CALLS)
    # A Linear asks for its bias by uniform_ after the weight; the bounds agree to the last digits.
    assert [name for name, *_ in ours] == keys
    for (_, n, a), (_, m, b) in zip(ours, theirs, strict=True):
        assert n == m == 0 and a.keys() == b.keys()
        assert all(x == pytest.approx(y) if isinstance(y, float) else x == y for x, y in ((a[k], b[k]) for k in b))
