"""The classes of operators that `torch.library` defines, by the module in which PyTorch has them."""

from __future__ import annotations

from rushlight.library.operator import OpOverload, OpOverloadPacket

__all__ = ["HigherOrderOperator", "OpOverload", "OpOverloadPacket"]


class HigherOrderOperator:
    """What takes functions beside tensors, as an operator: the class of none here; packages ask whether a call is of
    one.
    """
