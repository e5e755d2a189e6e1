"""A wrapper subclass for tests of dispatch."""

from __future__ import annotations

from typing import Any, ClassVar

import rushlight as rl
from rushlight.utils._pytree import tree_map


class Wrapper(rl.Tensor):
    """Holds a tensor, hands every call on to it, and logs what is done with it."""

    elem: rl.Tensor
    log: ClassVar[list[str]] = []

    @staticmethod
    def __new__(cls, elem: rl.Tensor, requires_grad: bool = False) -> Wrapper:
        return rl.Tensor._make_wrapper_subclass(
            cls, elem.size(), strides=elem.stride(), dtype=elem.dtype, device=elem.device, requires_grad=requires_grad
        )

    def __init__(self, elem: rl.Tensor, requires_grad: bool = False) -> None:
        self.elem = elem

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.log.append(str(func))
        args, kwargs = (tree_map(lambda e: e.elem if isinstance(e, cls) else e, x) for x in (args, kwargs or {}))
        return tree_map(lambda e: cls(e) if isinstance(e, rl.Tensor) else e, func(*args, **kwargs))
