"""The layers of a module while it is called: what each gives, its parameters, its multiply-adds, its activations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rushlight.core.dispatch import Operator
from rushlight.core.nesting import found_in
from rushlight.core.tensor import Tensor
from rushlight.inspection.report import Table

if TYPE_CHECKING:
    from rushlight.nn.modules.module import Module


class Layer:
    """What is known of one module."""

    def __init__(self, name: str, module: Module) -> None:
        self.name, self.module = name, module
        self.calls = 0
        self.output = ""
        self.bytes = 0  # of its outputs in all calls, if it holds no other modules
        self.multiply_adds = 0


class Layers:
    """The modules of one, watched while it is called."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.layers = {id(m): Layer(name, m) for name, m in model.named_modules()}
        self.open: list[Layer] = []

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Inside, calls of the modules are noted."""
        handles: list[Any] = []
        for layer in self.layers.values():
            handles.append(layer.module.register_forward_pre_hook(self._enter))
            handles.append(layer.module.register_forward_hook(self._leave, always_call=True))
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()
            self.open.clear()

    def _enter(self, module: Module, args: Any) -> None:
        self.open.append(self.layers[id(module)])

    def _leave(self, module: Module, args: Any, output: Any) -> None:
        layer = self.open.pop()
        layer.calls += 1
        layer.output = shapes(output)
        if not any(True for _ in module.children()):
            layer.bytes += sum(t.numel() * t.element_size() for t in tensors(output))

    def count(self, op: Operator, values: list[Any], result: Any) -> None:
        """Note the multiply-adds of a call, in all modules that it is made in."""
        n = multiply_adds(op, values, result) if self.open else 0
        for layer in self.open:
            layer.multiply_adds += n

    def table(self) -> Table:
        """The tree, a row a module."""
        rows = []
        for layer in self.layers.values():
            depth = layer.name.count(".") + bool(layer.name)
            name = layer.name.rpartition(".")[2]
            title = "  " * depth + (f"{name}: " if name else "") + type(layer.module).__name__
            if layer.calls > 1:
                title += f" ({layer.calls} calls)"
            own = sum(p.numel() for p in layer.module.parameters())
            rows.append(
                (
                    title,
                    layer.output or "not called",
                    f"{own:,}" if own else "-",
                    f"{layer.multiply_adds:,}" if layer.multiply_adds else "-",
                    f"{layer.bytes:,}" if layer.bytes else "-",
                )
            )
        return Table("layers", ("layer", "output", "parameters", "multiply-adds", "activation bytes"), rows)

    def totals(self) -> list[str]:
        """Sums over the whole module, a line each."""
        params = list(self.model.parameters())
        trained = sum(p.numel() for p in params if p.requires_grad)
        held = sum(p.numel() * p.element_size() for p in params)
        buffers = sum(b.numel() * b.element_size() for b in self.model.buffers())
        whole = self.layers[id(self.model)]
        return [
            f"parameters  {trained:,} trained, {sum(p.numel() for p in params) - trained:,} fixed; {held:,} bytes, "
            f"{buffers:,} of buffers",
            f"one call    {whole.multiply_adds:,} multiply-adds, "
            f"{sum(x.bytes for x in self.layers.values()):,} bytes of activations",
        ]


def tensors(value: Any) -> Iterator[Tensor]:
    """The tensors in what a module gives."""
    return found_in(value, Tensor, (tuple, list, dict))


def shapes(value: Any) -> str:
    """The shapes of what a module gives."""
    found = [str(list(t.shape)) for t in tensors(value)]
    return ", ".join(found) or type(value).__name__


def multiply_adds(op: Operator, values: list[Any], result: Any) -> int:
    """Those of a product, a convolution, attention or a recurrent layer; 0 of any other operator."""
    from rushlight.utils._flop_formulas import flops_of

    name = op.name.rpartition(".")[2]
    return 0 if name in ("add", "mul", "add_", "mul_") else flops_of(name, values, {}, result) // 2
