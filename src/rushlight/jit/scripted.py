"""Scripted and traced functions and modules: Python runs them; graph, code and files are those of `fx`."""

from __future__ import annotations

import functools
import importlib
import inspect
import pickle
import sys
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import rushlight
import rushlight.fx.proxy
from rushlight import fx
from rushlight.core.errors import is_of_handler
from rushlight.nn import Module

__all__ = [
    "Error",
    "RecursiveScriptModule",
    "ScriptFunction",
    "ScriptModule",
    "TopLevelTracedModule",
    "TracedModule",
    "load",
    "save",
]

_KIND = "rushlight.jit"
_VERSION = 1


class Error(Exception):
    """What a scripted or traced function raises for an assertion, or an error that is no RuntimeError."""


def _graph_module(root: Any, asked: str) -> fx.GraphModule:
    try:
        try:
            return fx.symbolic_trace(root)
        except fx.proxy.TraceError:
            choices = _choices(root)
            if not choices:
                raise
            # It may decide by an option: the graph is that for the options' defaults.
            return fx.symbolic_trace(root, concrete_args=choices)
    except Exception as error:
        if is_of_handler(error):
            raise
        shown = getattr(root, "__name__", type(root).__name__)
        raise RuntimeError(
            f"jit: {asked} of {shown}: must be of a function that fx.symbolic_trace can read, which does not decide "
            "by values; "
            f"found {type(error).__name__}: {error}"
        ) from error


def _choices(root: Any) -> dict[str, Any]:
    """The arguments whose defaults are no numbers or tensors: what a function decides by."""
    function = root.forward if isinstance(root, Module) else root
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # an operator: it has no options that a graph could lose
        return {}
    return {p.name: p.default for p in parameters if p.default is None or isinstance(p.default, (bool, str))}


def _by_name(made: Any) -> Any:
    """The class or function that its module has by the name of this one."""
    found = sys.modules.get(made.__module__)
    for part in made.__qualname__.split("."):
        found = getattr(found, part, None)
    return found._function if isinstance(found, ScriptFunction) else found


def _is_program(root: Any) -> bool:
    """Whether a graph would lose something of it: what it does for other options, and methods beside forward."""
    return bool(_choices(root)) or any(
        hasattr(getattr(type(root), name, None), "_exported_") for name in dir(type(root))
    )


def _saved_program(root: Any) -> Any:
    """The contents of a file for a module or function that no graph can stand for: the module's parts and the names of
    its classes, or the function's name; None when the names do not lead to them.
    """
    if not isinstance(root, Module):
        return (root.__module__, root.__qualname__) if _by_name(root) is root else None
    parts = [part._inner if isinstance(part, RecursiveScriptModule) else part for part in root.modules()]
    return root if all(_by_name(type(part)) is type(part) for part in parts) else None


def _as_one(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a call of a scripted or traced function, whose errors are all RuntimeErrors.

    In TorchScript, an error that the program itself raises, an assertion too, is an `Error`. So are errors of all other
    types here; each says which type it had.
    """
    try:
        return function(*args, **kwargs)
    except (RuntimeError, MemoryError):
        raise
    except Exception as error:
        if is_of_handler(error):
            raise
        raise Error(f"{type(error).__name__}: {error}") from error


class _Graphed:
    """What has the graph that it makes, as `fx.Graph` and as Python."""

    def _graph_module(self, asked: str) -> fx.GraphModule:
        raise NotImplementedError(asked)

    @property
    def graph(self) -> fx.Graph:
        """The graph."""
        return self._graph_module("graph").graph

    inlined_graph = graph

    @property
    def code(self) -> str:
        """The graph as Python."""
        return str(self._graph_module("code").code)


class ScriptFunction(_Graphed):
    """A function that Python runs, with the graph that it makes.

    Attributes: graph: an `fx.Graph`, made when asked for. code: the graph as Python.

    Raises:
        RuntimeError: for both when it decides by values.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._traced: fx.GraphModule | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _as_one(self._function, args, kwargs)

    def _graph_module(self, asked: str) -> fx.GraphModule:
        if self._traced is None:
            self._traced = _graph_module(self._function, asked)
        return self._traced

    @property
    def name(self) -> str:
        """The function's name."""
        return str(getattr(self._function, "__name__", type(self._function).__name__))

    qualified_name = name

    def save(self, filename: Any, _extra_files: dict[str, Any] | None = None) -> None:
        """Write the graph; `jit.load` reads it."""
        save(self, filename, _extra_files)

    def __repr__(self) -> str:
        return f"<ScriptFunction {self.name}>"


class ScriptModule(Module):
    """A Module; programs derive from it or ask for it."""


class RecursiveScriptModule(_Graphed, ScriptModule):
    """A module that Python runs, with the graph that it makes; its parameters, buffers and submodules are the module's
    own.

    Attributes: graph: an `fx.Graph`, made when asked for. code: the graph as Python. original_name: of the class.

    Raises:
        RuntimeError: for graph and code when it decides by values.
    """

    def __init__(self, inner: Module) -> None:
        super().__init__()
        own = self.__dict__
        for name in [n for n in own if n.startswith("_") and n in inner.__dict__]:
            own[name] = inner.__dict__[name]  # dictionaries of parameters, hooks and so on: the same ones
        own["_inner"], own["training"] = inner, inner.training

    @property
    def original_name(self) -> str:
        """The name of the module's class."""
        return type(self._inner).__name__

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The module's forward."""
        return _as_one(self._inner.forward, args, kwargs)

    def _graph_module(self, asked: str) -> fx.GraphModule:
        inner = self._inner
        return inner if isinstance(inner, fx.GraphModule) else _graph_module(inner, asked)

    def train(self, mode: bool = True) -> RecursiveScriptModule:
        """Put the module and its submodules in training mode, or in evaluation mode. Returns the module."""
        self._inner.train(mode)
        self.__dict__["training"] = mode
        return self

    def save(self, f: Any, _extra_files: dict[str, Any] | None = None) -> None:
        """Write graph, parameters and buffers; `jit.load` reads them."""
        save(self, f, _extra_files)

    def __getattr__(self, name: str) -> Any:
        if name == "_inner":
            raise AttributeError(name)  # of an object that is being made
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self._inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if "_inner" in self.__dict__ and name not in self.__dict__:
            setattr(self._inner, name, value)
        else:
            super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(original_name={self.original_name})\n{self._inner!r}"

    def __len__(self) -> int:
        return len(self._inner)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[int]:
        return iter(self._inner)

    def __getitem__(self, index: Any) -> Any:
        return self._inner[index]


class TracedModule(RecursiveScriptModule):
    """A module that was given to `trace`."""


class TopLevelTracedModule(TracedModule):
    """A module that was given to `trace` itself."""


def save(m: Any, f: Any, _extra_files: dict[str, Any] | None = None) -> None:
    """Write a scripted or traced function or module: its graph, parameters and buffers.

    What a graph cannot hold, decisions by values and options, is written by name, as `rushlight.save` of a module is:
    whoever loads it must have its class or function.

    Args:
        m: from `script`, `trace` or `load`.
        f: a path or a file.
        _extra_files: texts or bytes by name, which `load` gives back.

    Raises:
        RuntimeError: for another object, and for what decides by values and has no name that leads to it.
    """
    if not isinstance(m, (RecursiveScriptModule, ScriptFunction)):
        raise RuntimeError(f"jit.save(): 'm' must come from jit.script() or jit.trace(); found {type(m).__name__}")
    extra = {
        name: text.encode() if isinstance(text, str) else bytes(text) for name, text in (_extra_files or {}).items()
    }
    root = m._function if isinstance(m, ScriptFunction) else m._inner
    program = _saved_program(root) if not isinstance(root, fx.GraphModule) and _is_program(root) else None
    traced = None
    if program is None:
        try:
            traced = m._graph_module("save")
        except RuntimeError:
            program = _saved_program(root)
            if program is None:
                raise
    rushlight.save(
        {
            "kind": _KIND,
            "version": _VERSION,
            "is_function": isinstance(m, ScriptFunction),
            "module": traced,
            "program": program,
            "training": getattr(m, "training", True),
            "extra": extra,
        },
        f,
    )


def load(
    f: Any, map_location: Any = None, _extra_files: dict[str, Any] | None = None, _restore_shapes: bool = False
) -> ScriptFunction | RecursiveScriptModule:
    """Read what `save` has written. The file holds Python code, which is run: load only what you trust.

    Args:
        f: a path or a file.
        map_location: as of `load` of the package.
        _extra_files: names, whose values are put there.

    Raises:
        NotImplementedError: for an archive of TorchScript, which PyTorch wrote.
        ValueError: for a name in _extra_files that is not there.
    """
    if _is_torchscript(f):
        raise NotImplementedError(
            "jit.load(): 'f' must be a file of rushlight's jit.save(); found an archive of TorchScript, whose "
            "compiler is not here; "
            "save the state_dict() in PyTorch and load that"
        )
    try:
        found = rushlight.load(f, map_location=map_location, weights_only=False)
    except pickle.UnpicklingError as error:
        raise RuntimeError(f"jit.load(): 'f' must be a file of jit.save(); {error}") from error
    except (AttributeError, ImportError) as error:
        raise RuntimeError(
            "jit.load(): the file holds a module that decides by values, by the name of its class, which must be there "
            f"when it is loaded: {error}"
        ) from error
    if not (isinstance(found, dict) and found.get("kind") == _KIND):
        raise RuntimeError("jit.load(): 'f' must be a file of jit.save(); found a file of save(), which load() reads")
    if found["version"] != _VERSION:
        raise RuntimeError(f"jit.load(): the file's version must be {_VERSION}; found {found['version']}")
    for name in _extra_files or {}:
        if name not in found["extra"]:
            raise ValueError(
                f"jit.load(): '_extra_files' must name files that are there, {sorted(found['extra'])}; found {name!r}"
            )
        assert _extra_files is not None
        _extra_files[name] = found["extra"][name]
    program = found.get("program")
    if isinstance(program, tuple):
        return ScriptFunction(_named_function(*program))
    if program is not None:
        return RecursiveScriptModule(program).train(found["training"])
    module: fx.GraphModule = found["module"]
    if found["is_function"]:
        made = ScriptFunction(module)
        made._traced = module
        return made
    return RecursiveScriptModule(module).train(found["training"])


def _named_function(module: str, name: str) -> Callable[..., Any]:
    """The function that a file names. RuntimeError: it is not there."""
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (AttributeError, ImportError) as error:
        raise RuntimeError(
            f"jit.load(): the file holds the function {module}.{name}, which decides by values, and which must be "
            f"there when it is loaded: {error}"
        ) from error
    return found._function if isinstance(found, ScriptFunction) else found


def _is_torchscript(f: Any) -> bool:
    """Whether a file is an archive with code in it."""
    start = f.tell() if hasattr(f, "tell") else None
    try:
        if not zipfile.is_zipfile(f):
            return False
        with zipfile.ZipFile(f) as archive:
            return any(name.split("/")[1:2] in (["code"], ["constants.pkl"]) for name in archive.namelist())
    finally:
        if start is not None:
            f.seek(start)
