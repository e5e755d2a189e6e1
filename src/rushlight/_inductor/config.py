"""Settings of PyTorch's compiler of kernels that programs write: they are kept, and change nothing.

Their names and values are those of `options.txt`, which `tools/inductor_options.py` writes of an installed torch.
"""

from __future__ import annotations

import ast
import copy
import functools
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Self

__all__ = ["get_config_copy", "load_config", "patch", "save_config", "shallow_copy_dict", "to_dict"]


def _read() -> dict[str, Any]:
    lines = (Path(__file__).with_name("options.txt")).read_text().splitlines()
    return {name: ast.literal_eval(value) for name, _, value in (line.partition(" ") for line in lines)}


_values = _read()
_parts = {name.rpartition(".")[0] for name in _values} - {""}


def known(name: str) -> str:
    """The name of a setting, "triton.cudagraphs". AttributeError: there is none of this name."""
    if name not in _values:
        raise AttributeError(f"torch._inductor.config.{name} does not exist")
    return name


def check(options: dict[str, Any]) -> None:
    """Whether values may be given to settings, whose names may have dashes. RuntimeError: not."""
    for given, value in options.items():
        name = given.replace("-", "_")
        if name not in _values:
            raise RuntimeError(
                f"compile(): 'options' must have names of torch._inductor.list_options(); found {given!r}"
            )
        kind = type(_values[name])
        if kind in (bool, int, float, str) and not isinstance(value, kind):
            raise RuntimeError(
                f"compile(): options[{given!r}] must be of type {kind.__name__}; found {type(value).__name__}"
            )


class _Part:
    """Settings that have a name in common, such as `config.triton`."""

    def __init__(self, name: str) -> None:
        self.__dict__["_name"] = name

    def __getattr__(self, name: str) -> Any:
        return _get(f"{self._name}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        _values[known(f"{self._name}.{name}")] = value

    def __dir__(self) -> list[str]:
        return sorted(n.removeprefix(f"{self._name}.") for n in _values if n.startswith(f"{self._name}."))


def _get(name: str) -> Any:
    return _Part(name) if name in _parts else _values[known(name)]


class _Settings(ModuleType):
    """The module: its attributes are the settings."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what Python itself asks of modules
            raise AttributeError(name)
        return _get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__") or name in vars(self):
            super().__setattr__(name, value)
        else:
            _values[known(name)] = value

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *(n for n in _values if "." not in n), *(p for p in _parts if "." not in p)})


class _Patch:
    """Settings with other values within a block, or within the calls of a function."""

    def __init__(self, changes: dict[str, Any]) -> None:
        self.changes = {known(name): value for name, value in changes.items()}
        self.before: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        self.before.append({name: _values[name] for name in self.changes})
        _values.update(self.changes)
        return self

    def __exit__(self, *exc: object) -> None:
        _values.update(self.before.pop())

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def patched(*args: Any, **kwargs: Any) -> Any:
            with _Patch(self.changes):
                return fn(*args, **kwargs)

        return patched


def patch(arg: str | dict[str, Any] | None = None, value: Any = None, **kwargs: Any) -> _Patch:
    """A context manager and decorator in which settings have other values: `patch("max_autotune", True)`,
    `patch({"triton.cudagraphs": True})`, `patch(max_autotune=True)`.

    Raises:
        AttributeError: there is no setting of a name.
    """
    given = {arg: value} if isinstance(arg, str) else dict(arg or {})
    return _Patch(given | kwargs)


def get_config_copy() -> dict[str, Any]:
    """All settings by name."""
    return copy.deepcopy(_values)


to_dict = shallow_copy_dict = get_config_copy


def save_config() -> bytes:
    """All settings as bytes, for `load_config`."""
    return repr(_values).encode()


def load_config(saved: bytes | dict[str, Any]) -> None:
    """Take the settings that `save_config` wrote, or those of a dict.

    Raises:
        AttributeError: there is no setting of a name.
    """
    found = saved if isinstance(saved, dict) else ast.literal_eval(saved.decode())
    _values.update({known(name): value for name, value in found.items()})


sys.modules[__name__].__class__ = _Settings
