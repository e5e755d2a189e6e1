"""What weight norm and spectral norm by hooks have in common: an attribute computed anew before each forward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rushlight import Tensor
from rushlight.core.naming import named
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

M = TypeVar("M", bound=Module)


class WeightHook:
    """A forward pre-hook that computes a module's ``name`` from tensors that stand in the parameter's place.

    A subclass has ``current``, the value, and ``parts``, the endings of those tensors' names.
    """

    name: str
    parts: tuple[str, ...]

    def current(self, module: Module) -> Tensor:
        """The value for a forward of the module."""
        raise NotImplementedError

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.current(module))

    def check_first(self, module: Module) -> None:
        """RuntimeError when the parameter has such a hook already."""
        if self.find(module, self.name) is not None:
            raise RuntimeError(
                f"{type(self).__name__}: {self.name!r} of {type(module).__name__} has such a hook already"
            )

    def settle(self, module: Module, value: Tensor) -> None:
        """Make a value the parameter of that name again, in the place of what it was computed from."""
        for gone in (self.name, *(f"{self.name}_{part}" for part in self.parts)):
            delattr(module, gone)
        module.register_parameter(self.name, Parameter(value.detach()))

    def remove(self, module: Module) -> None:
        """Make the present value a parameter again."""
        self.settle(module, self.current(module))

    @classmethod
    def find(cls, module: Module, name: str) -> tuple[int, WeightHook] | None:
        """The module's hook of this class for a name, and its key."""
        return next(
            ((k, h) for k, h in module._forward_pre_hooks.items() if isinstance(h, cls) and h.name == name), None
        )

    @classmethod
    def take_off(cls, module: Module, name: str) -> None:
        """Remove the hook of this class for a name; ValueError when there is none."""
        found = cls.find(module, name)
        if found is None:
            raise ValueError(f"{name!r} of {type(module).__name__} has no {cls.__name__}")
        key, hook = found
        hook.remove(module)
        del module._forward_pre_hooks[key]

    @classmethod
    def remover(cls, name: str, hook: str) -> Callable[[M, str], M]:
        """The public function of that name that takes such a hook off."""

        def remove(module: M, name: str = "weight") -> M:
            cls.take_off(module, name)
            return module

        doc = f"""Make a weight an ordinary parameter again, with its present values; returns the module.

    Raises:
        ValueError: it has no {hook}.
    """
        return named(remove, name, doc, module=cls.__module__)
