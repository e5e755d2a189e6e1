"""The latest calls of a program, recorded as they are made: a failing call is rebuilt from them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from rushlight.core.nesting import found_in
from rushlight.core.tensor import Tensor
from rushlight.operators.table.types import Args, Classes, Function, Kwargs
from rushlight.overrides import TorchFunctionMode, resolve_name

WINDOW = 100  # calls that are kept, with their arguments and results


class Call:
    """A call that a program has made: a function's public name, its arguments and its result."""

    def __init__(self, name: str, args: Any, kwargs: Any) -> None:
        self.name, self.args, self.kwargs = name, args, kwargs
        self.result: Any = None
        self.error: BaseException | None = None


class Recorder(TorchFunctionMode):
    """Keeps the latest calls; the last one that has raised is `failed`."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: deque[Call] = deque(maxlen=WINDOW)
        self.failed: Call | None = None

    def __torch_function__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        call = Call(public_name(func), args, kwargs or {})
        try:
            call.result = func(*args, **call.kwargs)
        except Exception as error:
            call.error = error
            if self.failed is None or self.failed.error is not error:  # not once more on its way out
                self.failed = call
            raise
        if any(True for _ in tensors_in((args, kwargs, call.result))):
            self.calls.append(call)
        return call.result


def tensors_in(value: Any) -> Iterator[Tensor]:
    """The tensors in arguments or a result."""
    return found_in(value, Tensor, (tuple, list, dict))


def public_name(func: Any) -> str:
    """A function's name as a program writes it, with `torch` in front."""
    name = resolve_name(func)
    if name is None:
        module, inner = getattr(func, "__module__", None) or "torch", getattr(func, "__qualname__", func.__name__)
        name = f"{module}.{inner}"
    return name.replace("rushlight", "torch", 1) if name.startswith("rushlight") else name
