"""The classes of the operators that `torch.library` defines, in the module where PyTorch has them."""

from __future__ import annotations

from rushlight.library.operator import OpOverload, OpOverloadPacket

__all__ = ["HigherOrderOperator", "OpOverload", "OpOverloadPacket"]


class HigherOrderOperator:
    """The class of operators that take functions as well as tensors. Nothing here is an instance of it; packages ask
    whether an operator is.
    """
