"""`Variable`, the old name of Tensor: making one gives a tensor, and every tensor is one."""

from __future__ import annotations

from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn

__all__ = ["Variable"]


class _VariableMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableMeta):
    """Variable(data, requires_grad=False): a tensor on the memory of `data`, without its history.

    Raises:
        TypeError: `data` is no tensor.
    """

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: bool = False) -> Any:
        """The tensor."""
        if data is None:
            data = Tensor()
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable(): 'data' must be a Tensor; found {type(data).__name__}")
        if volatile:
            warn("Variable(): 'volatile' has no effect any more; compute within torch.no_grad()")
        return data.detach().requires_grad_(requires_grad)
