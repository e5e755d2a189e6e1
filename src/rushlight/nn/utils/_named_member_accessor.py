"""Tensors and modules of a module by their dotted names: read, set, taken out, exchanged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from rushlight import Tensor
from rushlight.nn.modules.module import Module

__all__ = ["NamedMemberAccessor", "set_tensor", "swap_submodule", "swap_tensor"]

_MISSING: Any = object()


def _check_module(value: Any) -> None:
    if not isinstance(value, Module):
        raise TypeError(f"{value} is not an instance of torch.nn.Module")


def _checked(module: Module, name: str) -> None:
    """Raise unless `name` can be that of a member of `module`."""
    _check_module(module)
    if "." in name:
        raise KeyError('tensor name can\'t contain "."')
    if not name:
        raise KeyError('tensor name can\'t be empty string ""')


def _tensor(value: Any, what: str) -> Any:
    """`value`, which must be a tensor, or stand for none."""
    if value is not _MISSING and not isinstance(value, Tensor):
        raise TypeError(f"{what}{value} is not an instance of torch.Tensor")
    return value


def swap_tensor(module: Module, name: str, tensor: Any, allow_missing: bool = False) -> Any:
    """Put a tensor in the place of a parameter, buffer or attribute, as what that is; returns what stood there.

    Args:
        allow_missing: there may be none of the name.

    Raises:
        AttributeError: there is none.
        TypeError: what is there, or is given, is no tensor.
    """
    _checked(module, name)
    _tensor(tensor, "")
    for store in (module._parameters, module._buffers):
        if name in store:
            before = store[name]
            if tensor is _MISSING:
                del store[name]
            else:
                store[name] = tensor
            return before
    before = getattr(module, name, _MISSING)
    if before is _MISSING and not allow_missing:
        raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
    _tensor(before, f"attribute `{name}`: ")
    if tensor is not _MISSING:
        setattr(module, name, tensor)
    elif before is not _MISSING:
        delattr(module, name)
    return before


def set_tensor(module: Module, name: str, tensor: Tensor) -> None:
    """Put a tensor under a name, which may be new."""
    swap_tensor(module, name, tensor, allow_missing=True)


def swap_submodule(module: Module, name: str, submodule: Module) -> Module:
    """Put a module in the place of a part; returns what stood there."""
    _checked(module, name)
    _check_module(submodule)
    before = module._modules.get(name)
    if before is None:
        raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
    module._modules[name] = submodule
    return before


class NamedMemberAccessor:
    """The parameters, buffers and parts of `module` by their dotted names."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def get_submodule(self, name: str) -> Module:
        """The part of a dotted name; the module itself for "". AttributeError: there is none."""
        return self.module.get_submodule(name)

    def swap_submodule(self, path: str, value: Module) -> Module:
        """Put a module in the place of a part; returns what stood there."""
        owner, _, name = path.rpartition(".")
        return swap_submodule(self.get_submodule(owner), name, value)

    def swap_tensor(self, name: str, value: Tensor, allow_missing: bool = False) -> Tensor:
        """Put a tensor in the place of another; returns what stood there."""
        owner, _, last = name.rpartition(".")
        found: Tensor = swap_tensor(self.get_submodule(owner), last, value, allow_missing)
        return found

    def get_tensor(self, name: str) -> Tensor:
        """The tensor of a name. AttributeError: there is none; TypeError: it is something else."""
        owner, _, last = name.rpartition(".")
        found: Tensor = _tensor(getattr(self.get_submodule(owner), last), f"attribute `{name}`: ")
        return found

    def set_tensor(self, name: str, value: Tensor) -> None:
        """Put a tensor under a name, which may be new."""
        self.swap_tensor(name, value, allow_missing=True)

    def del_tensor(self, name: str) -> None:
        """Take a tensor out."""
        self.swap_tensor(name, _MISSING)

    def get_tensors(self, names: Iterable[str]) -> list[Tensor]:
        """`get_tensor` of each name."""
        return [self.get_tensor(name) for name in names]

    def set_tensors(self, names: Iterable[str], values: Iterable[Tensor]) -> None:
        """`set_tensor` of each pair."""
        self.swap_tensors(names, values, allow_missing=True)

    def set_tensors_dict(self, named_tensors: dict[str, Tensor]) -> None:
        """`set_tensor` of each item."""
        self.swap_tensors(named_tensors.keys(), named_tensors.values(), allow_missing=True)

    def del_tensors(self, names: Iterable[str]) -> None:
        """`del_tensor` of each name."""
        for name in names:
            self.del_tensor(name)

    def swap_tensors(self, names: Iterable[str], values: Iterable[Tensor], allow_missing: bool = False) -> list[Tensor]:
        """`swap_tensor` of each pair."""
        return [self.swap_tensor(name, value, allow_missing) for name, value in zip(names, values, strict=True)]

    def swap_tensors_dict(
        self, named_tensors: dict[str, Tensor], allow_missing: bool = False
    ) -> tuple[dict[str, Tensor], list[str]]:
        """`swap_tensor` of each item: what stood there, and the names under which nothing did."""
        before = {name: self.swap_tensor(name, value, allow_missing=True) for name, value in named_tensors.items()}
        missing = [name for name, value in before.items() if value is _MISSING]
        if missing and not allow_missing:
            self.set_tensors_dict(before)
            raise RuntimeError(f"Missing key(s): {', '.join(map(repr, missing))}.")
        return before, missing

    def check_keys(self, keys: Iterable[str]) -> tuple[list[str], list[str]]:
        """The names of tensors that are not among `keys`, and keys that are no names."""
        given, own = set(keys), {name for name, _ in self.named_tensors(remove_duplicate=False)}
        return sorted(own - given), sorted(given - own)

    def named_parameters(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """The module's."""
        yield from self.module.named_parameters(remove_duplicate=remove_duplicate)

    def named_buffers(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """The module's."""
        yield from self.module.named_buffers(remove_duplicate=remove_duplicate)

    def named_tensors(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Parameters, then buffers."""
        yield from chain(self.named_parameters(remove_duplicate), self.named_buffers(remove_duplicate))

    def named_modules(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """The module's."""
        yield from self.module.named_modules(remove_duplicate=remove_duplicate)
