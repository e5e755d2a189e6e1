"""Names of `torch.ao.nn.quantized`: what a model that may be quantized is written with, on floats; nothing is quantized
here.
"""

from __future__ import annotations

import rushlight
from rushlight.core.tensor import Tensor
from rushlight.nn.modules.linear import Identity
from rushlight.nn.modules.module import Module

__all__ = ["FloatFunctional"]


class FloatFunctional(Module):
    """Functions as methods of a module, so that their results can be observed: each passes through
    `activation_post_process`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.activation_post_process = Identity()

    def forward(self, x: Tensor) -> Tensor:
        """Refused: RuntimeError. The methods are what is called."""
        raise RuntimeError("FloatFunctional is not called: use its methods (add, mul, cat, ...)")

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """x + y."""
        return self._seen(x + y)

    def add_scalar(self, x: Tensor, y: float) -> Tensor:
        """x + y of a number, which is not observed."""
        return x + y

    def mul(self, x: Tensor, y: Tensor) -> Tensor:
        """x * y."""
        return self._seen(x * y)

    def mul_scalar(self, x: Tensor, y: float) -> Tensor:
        """x * y of a number, which is not observed."""
        return x * y

    def cat(self, x: list[Tensor], dim: int = 0) -> Tensor:
        """The tensors joined along a dimension."""
        return self._seen(rushlight.cat(x, dim))

    def add_relu(self, x: Tensor, y: Tensor) -> Tensor:
        """relu(x + y)."""
        return self._seen(rushlight.relu(x + y))

    def matmul(self, x: Tensor, y: Tensor) -> Tensor:
        """The product of matrices."""
        return self._seen(x @ y)

    def _seen(self, x: Tensor) -> Tensor:
        result: Tensor = self.activation_post_process(x)
        return result
