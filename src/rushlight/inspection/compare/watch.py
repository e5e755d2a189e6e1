"""The program that `compare` runs twice, by PyTorch and by rushlight: it runs a script, and tells of each call.

It is written as an ordinary PyTorch program. It tells of the calls that the script itself makes: of functions and
methods of tensors, modules of torch.nn, steps of optimizers. The process that compares answers each message with what
is to be done.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import random
import runpy
import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from rushlight.operators.table.types import Args, Classes, Function, Kwargs

torch = importlib.import_module("torch")  # whichever it is in this process
exchange = importlib.import_module("exchange")  # beside this file, which is first on the path
del sys.modules["exchange"]  # the script may have one of its own
overrides = importlib.import_module("torch.overrides")
_Mode: Any = overrides.TorchFunctionMode
modules = importlib.import_module("torch.nn.modules.module")
optimizers = importlib.import_module("torch.optim.optimizer")

_LIBRARY = tuple(
    os.path.dirname(os.path.abspath(module.__file__)) + os.sep for module in (torch, modules) if module.__file__
)
_HERE = os.path.abspath(__file__)
_ON_THE_WAY = (
    "/operators/table/dispatch.py",
    "/torch/overrides.py",
    "/rushlight/overrides.py",
)  # from any call to a mode
_NUMBERS = ("item", "tolist", "__float__", "__int__", "__bool__")  # what leaves tensors
_UNWRITTEN = ("empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted")
_NOT_WATCHED = ("__get__", "__set__", "__repr__", "__str__", "__format__", "numpy", "set_", "to_dense")


def parts(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The tensors and numbers in a value, with the way to each."""
    if isinstance(value, (torch.Tensor, bool, int, float, complex)):
        yield path, value
    elif isinstance(value, (tuple, list)):
        for i, v in enumerate(value):
            yield from parts(v, f"{path}[{i}]")
    elif isinstance(value, dict):
        for key, v in value.items():
            yield from parts(v, f"{path}[{key!r}]")


def raw(value: Any) -> tuple[str, tuple[int, ...], bytes]:
    """A tensor or number as dtype, shape and bytes."""
    if not isinstance(value, torch.Tensor):
        return type(value).__name__, (), repr(value).encode()
    t = value.detach()
    if t.layout != torch.strided:
        t = t.to_dense()
    t = t.resolve_conj().resolve_neg().contiguous().reshape(-1)
    data = t.view(torch.uint8).numpy().tobytes() if t.numel() else b""
    return str(value.dtype).removeprefix("torch."), tuple(value.shape), data


def digest(value: Any) -> tuple[str, tuple[int, ...], bytes]:
    """As raw, with a hash of the bytes."""
    dtype, shape, data = raw(value)
    return dtype, shape, hashlib.blake2b(data, digest_size=16).digest()


class Watch(_Mode):  # type: ignore[misc]
    """Tells of each call that a script makes, and does what is answered."""

    def __init__(self, out: Any, into: Any) -> None:
        super().__init__()
        self.out, self.into = out, into
        self.depth = 0  # of library modules and steps that are running
        self.names: dict[int, str] = {}  # of modules, within the first that was seen to hold them
        self.leaves: dict[int, Any] = {}  # tensors whose gradients a backward gives, in the order in which they came

    # ----------------------------------------------------------------------------------------------- the script's lines
    def caller(self) -> tuple[FrameType | None, list[str]]:
        """The script's frame that is calling, and the library's functions between it and here, innermost first."""
        frame: FrameType | None = sys._getframe(2)
        between: list[str] = []
        while frame is not None:
            file = frame.f_code.co_filename
            if file != _HERE and not file.startswith(_LIBRARY):
                return frame, between
            if file != _HERE and not file.endswith(_ON_THE_WAY):
                between.append(frame.f_code.co_name)
            frame = frame.f_back
        return None, between

    # ---------------------------------------------------------------------------------------------------------- events
    def tell(self, name: str, frame: FrameType, inputs: Any, result: Any, outputs: Any, saved: Any) -> None:
        """One event; the answer may be to send values, to take the other's, or to save the inputs and end."""
        given = [(p, v) for p, v in parts(inputs) if isinstance(v, torch.Tensor)]
        made = list(parts(outputs))
        where = (frame.f_code.co_filename, frame.f_lineno)
        exchange.send(
            self.out,
            ("call", name, where, [(p, digest(v)) for p, v in given], [(p, digest(v)) for p, v in made], result),
        )
        while True:
            order, *more = exchange.receive(self.into)
            if order == "go":
                return
            if order == "values":
                exchange.send(self.out, [raw(v) for _, v in (given if more[0] == "inputs" else made)])
            elif order == "take":
                take(made, more[0])
            elif order == "save":
                torch.save({"args": saved[0], "kwargs": saved[1], "result": detached(outputs)}, more[0])
                exchange.send(self.out, "saved")
            elif order == "end":
                os._exit(0)

    def call(self, func: Any, args: Any, kwargs: Any) -> Any:
        self.depth += 1  # what it calls in turn is part of it
        try:
            return func(*args, **kwargs)
        finally:
            self.depth -= 1

    def __torch_function__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", str(func))
        frame, between = self.caller()
        first = between[-1] if between else ""  # the library's function that the script has called
        direct = first.strip("_") in ("", name.strip("_"), "wrapped") or (first, name) == ("__iter__", "unbind")
        if self.depth or frame is None or not direct or name in _NOT_WATCHED:
            return func(*args, **kwargs)
        for _, v in parts((args, kwargs)):
            if isinstance(v, torch.Tensor) and v.requires_grad and v.is_leaf:
                self.leaves[id(v)] = v
        writes = (name.endswith("_") and not name.endswith("__")) or name == "__setitem__" or "out" in kwargs
        # what a call writes to is kept as it was
        inputs = (detached(args), detached(kwargs)) if writes else (args, kwargs)
        try:
            result = self.call(func, args, kwargs)
        except Exception as error:
            self.tell(public(func), frame, inputs, type(error).__name__, [], inputs)
            raise
        if name in _UNWRITTEN:
            result.zero_()  # whatever lay there
        outputs = self.outputs(name, args, kwargs, result)
        if outputs is not None:
            self.tell(public(func), frame, inputs, None, outputs, inputs)
        return result

    def outputs(self, name: str, args: Any, kwargs: Any, result: Any) -> Any:
        """The results of a call that are compared; None for a call without any."""
        if name == "backward":
            return {f"gradient {i}": leaf.grad for i, leaf in enumerate(self.leaves.values()) if leaf.grad is not None}
        if name == "__setitem__":
            return args[0]
        found = [v for _, v in parts(result) if isinstance(v, torch.Tensor)]
        return result if found or name in _NUMBERS else None

    # ------------------------------------------------------------------------------------------- modules and optimizers
    def __enter__(self) -> Watch:
        modules.register_module_forward_pre_hook(self.enter_module)
        modules.register_module_forward_hook(self.leave_module, always_call=True)
        optimizers.register_optimizer_step_pre_hook(self.enter_step)
        optimizers.register_optimizer_step_post_hook(self.leave_step)
        torch.autograd.grad = self.watched_grad(torch.autograd.grad)
        super().__enter__()
        return self

    def watched_grad(self, plain: Any) -> Any:
        """torch.autograd.grad, which not every mode is shown."""

        def grad(*args: Any, **kwargs: Any) -> Any:
            frame, between = self.caller()
            if self.depth or between or frame is None:
                return plain(*args, **kwargs)
            result = self.call(plain, args, kwargs)
            self.aside("torch.autograd.grad", frame, (args, kwargs), result, (args, kwargs))
            return result

        return grad

    def enter_module(self, module: Any, args: Any) -> None:
        if id(module) not in self.names:
            for name, part in module.named_modules():
                self.names.setdefault(id(part), name)
        for p in module.parameters():
            if p.requires_grad and p.is_leaf:
                self.leaves[id(p)] = p
        if of_library(module):
            self.depth += 1

    def leave_module(self, module: Any, args: Any, output: Any) -> None:
        if not of_library(module):
            return
        self.depth -= 1
        frame, _ = self.caller()
        if self.depth or frame is None or output is None:  # (None: it has raised)
            return
        state = dict(module.named_parameters())
        name = f"torch.nn.{type(module).__name__}" + f" ({self.names[id(module)]})" * bool(self.names[id(module)])
        self.aside(name, frame, (args, state), output, (args, {"parameters": state, "module": str(module)}))

    def enter_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self.depth += 1

    def leave_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self.depth -= 1
        frame, _ = self.caller()
        if self.depth or frame is None:
            return
        params = [p for group in optimizer.param_groups for p in group["params"]]
        grads = [p.grad for p in params]
        self.aside(f"torch.optim.{type(optimizer).__name__}.step", frame, grads, params, (detached(grads), {}))

    def aside(self, name: str, frame: FrameType, inputs: Any, outputs: Any, saved: Any) -> None:
        """Tell of an event that was not seen as a call, without watching the calls made meanwhile."""
        self.depth += 1
        try:
            self.tell(name, frame, inputs, None, outputs, saved)
        finally:
            self.depth -= 1


def of_library(module: Any) -> bool:
    """Whether a module's class is the library's; a Sequential leaves it to what it holds to be seen."""
    return type(module).__module__.startswith("torch.nn.") and not isinstance(module, torch.nn.Sequential)


def public(func: Any) -> str:
    """A function's public name."""
    try:
        name = overrides.resolve_name(func)
    except Exception:  # what it is asked of may be of any kind
        name = None
    return name or f"torch.{getattr(func, '__name__', func)}"


def detached(value: Any) -> Any:
    """A copy of a value with its tensors."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if isinstance(value, (tuple, list)):  # (those with named fields as well)
        return [detached(v) for v in value] if isinstance(value, list) else tuple(detached(v) for v in value)
    if isinstance(value, dict):
        return {k: detached(v) for k, v in value.items()}
    return value


def take(made: Sequence[tuple[str, Any]], values: Sequence[tuple[str, tuple[int, ...], bytes]]) -> None:
    """Give results the values of the other side: each call starts from the same numbers."""
    for (_, v), (_, shape, data) in zip(made, values, strict=True):
        if isinstance(v, torch.Tensor) and v.numel() and (v.is_floating_point() or v.is_complex()):
            with torch.no_grad():
                v.data.copy_(torch.frombuffer(bytearray(data), dtype=v.dtype).reshape(shape))


def main() -> None:
    """Run the script that the arguments name."""
    reading, writing = (int(n) for n in os.environ.pop(exchange.CHANNEL).split(","))
    out, into = os.fdopen(writing, "wb"), os.fdopen(reading, "rb")
    seed, script, *arguments = sys.argv[1:]
    sys.argv = [script, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    random.seed(int(seed))
    torch.manual_seed(int(seed))
    numpy = importlib.import_module("numpy")
    numpy.random.seed(int(seed))
    watch = Watch(out, into)
    error = None
    try:
        with watch:
            runpy.run_path(script, run_name="__main__")
    except SystemExit as e:
        error = f"SystemExit: {e.code}" if e.code else None
    except BaseException as e:
        frame = e.__traceback__
        lines = []
        while frame is not None:
            file = frame.tb_frame.f_code.co_filename
            if file == os.path.abspath(script) or file == script:
                lines.append(frame.tb_lineno)
            frame = frame.tb_next
        error = f"{type(e).__name__}: {e} (line {lines[-1] if lines else '?'})"
    exchange.send(out, ("end", error))
    exchange.receive(into)
    os._exit(0)


if __name__ == "__main__":
    main()
