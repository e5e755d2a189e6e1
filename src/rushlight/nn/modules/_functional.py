"""Modules that are a function of nn.functional, its options kept as attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import rushlight.nn.functional as F
from rushlight import Tensor

from .module import Module

_NO_OPTIONS = ("size_average", "reduce")  # PyTorch's old flags of a loss, which are its reduction


class FunctionModule(Module):
    """A module whose forward gives its inputs and its options to a function of nn.functional.

    A subclass names the function, the attributes that are its options (under the function's own names for them), and
    those that ``repr`` shows. The options are what its constructor takes, where it does not say which they are.
    """

    _function_: ClassVar[str]
    _options_: ClassVar[tuple[str, ...]] = ()
    _shown_: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, function: str = "", **others: Any) -> None:
        """function: the name in nn.functional."""
        super().__init_subclass__(**others)
        if function:
            cls._function_ = function
            if "_options_" not in vars(cls):
                code = cls.__init__.__code__
                names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
                cls._options_ = tuple(name for name in names if name not in _NO_OPTIONS)

    def _set_(self, **options: Any) -> None:
        """Keep options as attributes."""
        for name, value in options.items():
            setattr(self, name, value)

    def _compute_(self, *inputs: Any, **more: Any) -> Tensor:
        """The function of these inputs. It is looked up at each call, so that it can be replaced in nn.functional."""
        own = self.__dict__
        for name in self._options_:
            # Most are plain attributes; only a parameter or buffer needs the slower way.
            more[name] = own[name] if name in own else getattr(self, name)
        function: Callable[..., Tensor] = getattr(F, self._function_)
        return function(*inputs, **more)

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in self._shown_)


class Rearranged(FunctionModule):
    """A function of one input that moves elements, with all its options shown."""

    def __init_subclass__(cls, **others: Any) -> None:
        super().__init_subclass__(**others)
        cls._shown_ = cls._options_

    def forward(self, input: Tensor) -> Tensor:
        return self._compute_(input)
