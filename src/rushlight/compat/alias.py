"""`import torch` gives rushlight: an import hook under which `torch.x.y` and `rushlight.x.y` are one module object."""

from __future__ import annotations

import dis
import importlib
import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import FrameType, ModuleType
from typing import Any

from rushlight.compat import absent, identity, tracebacks
from rushlight.compat.distribution import distributions
from rushlight.compat.missing import explain
from rushlight.compat.places import NAMESPACES
from rushlight.compat.version import FOLLOWS, torch_version

__all__ = ["MissingAttribute", "install", "installed", "missing_attribute", "uninstall"]

_IMPORT_FROM = dis.opmap["IMPORT_FROM"]


def _rushlight_name(name: str) -> str:
    return "rushlight" + name.removeprefix("torch")


def _torch_name(name: str) -> str:
    return "torch" + name.removeprefix("rushlight")


def _explain_missing(module: ModuleType, name: str) -> str:
    shown = module.__name__
    return f"module '{shown}' has no attribute '{name}': " + explain(shown, name, dir(module))


class MissingAttribute(AttributeError):
    """An attribute of `torch` that rushlight lacks. The search for the nearest name waits until the message is read,
    for programs probe with `hasattr` by the thousand."""

    def __init__(self, module: ModuleType, missing: str) -> None:
        super().__init__(module.__name__, missing)
        self.module, self.missing = module, missing

    def __str__(self) -> str:
        return _explain_missing(self.module, self.missing)

    def __reduce__(self) -> tuple[Any, ...]:
        return AttributeError, (str(self),)


# It shows itself under the name of the class that programs catch.
MissingAttribute.__module__, MissingAttribute.__name__, MissingAttribute.__qualname__ = (
    "builtins",
    "AttributeError",
    "AttributeError",
)


def _in_from_import(frame: FrameType | None) -> bool:
    """Whether the frame is executing the second half of `from module import name`."""
    return frame is not None and frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == _IMPORT_FROM


def missing_attribute(module: ModuleType, name: str) -> Exception:
    """The error for a module's `__getattr__` to raise when it has no `name`: call it there and raise what it
    returns.
    """
    if name.startswith("__"):
        return AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
    # `from torch import x` would drop an AttributeError and its message; an ImportError it passes on. A submodule
    # named in that way has been imported before this point, so it cannot be one.
    if _in_from_import(sys._getframe(2)):
        return ImportError(_explain_missing(module, name), name=module.__name__)
    return MissingAttribute(module, name)


def _guard(module: ModuleType) -> None:
    """Let a miss on the module say that rushlight lacks the name, after the module's own `__getattr__` has had its
    turn.
    """
    own = module.__dict__.get("__getattr__")
    if getattr(own, "_rushlight_guard", False):
        return

    def __getattr__(name: str) -> Any:
        if own is not None:
            try:
                return own(name)
            except MissingAttribute:
                pass
            except AttributeError as e:
                # A lazy submodule that is there but broken must say so itself.
                if e.__cause__ is not None or name.startswith("__"):
                    raise
        here = module.__name__.replace("rushlight", "torch", 1)
        for source, names in NAMESPACES.get(here, {}).items():
            if name in names.split():
                return getattr(importlib.import_module(source), name)
        namespace = f"{here}.{name}"
        known = namespace in NAMESPACES or namespace in absent.NAMESPACES
        if known and (namespace.startswith("torch.optim._") or not namespace.startswith(_BY_IMPORT_ALONE)):
            return importlib.import_module(namespace)
        raise missing_attribute(module, name)

    __getattr__._rushlight_guard = True  # type: ignore[attr-defined]
    __getattr__._rushlight_own = own  # type: ignore[attr-defined]
    module.__dict__["__getattr__"] = __getattr__
    _guarded.append(module)


def _unguard(module: ModuleType) -> None:
    own = module.__dict__["__getattr__"]._rushlight_own
    if own is None:
        del module.__dict__["__getattr__"]
    else:
        module.__dict__["__getattr__"] = own


# Namespaces below these are no attributes in PyTorch before a program has imported them; others are.
_BY_IMPORT_ALONE = ("torch.distributed.", "torch.optim.")
_guarded: list[ModuleType] = []
_own_dir: list[Any] = []  # the package's own __dir__, while the alias is in force


class _NamingLoader(identity.NamingLoader):
    """Runs a module of rushlight's under its torch name, and lets a miss on it say that rushlight lacks the name."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        _guard(module)


class _AliasLoader:
    """Hands the import system the rushlight module, and gives the module its own spec back afterwards."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.spec: ModuleSpec | None = None  # the module's own

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.target)
        # The import system is about to overwrite it with the alias's, and relative imports look at it.
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec
        _guard(module)

    # Methods for which pkgutil, inspect and runpy (`-m torch.x`) ask a loader.
    def get_code(self, name: str) -> Any:
        return self.spec_loader().get_code(self.target)

    def get_source(self, name: str) -> Any:
        return self.spec_loader().get_source(self.target)

    def is_package(self, name: str) -> bool:
        return bool(self.spec_loader().is_package(self.target))

    def spec_loader(self) -> Any:
        spec = importlib.util.find_spec(self.target)
        assert spec is not None and spec.loader is not None
        return spec.loader


def _torchcodec(name: str, importing: bool) -> ModuleSpec | None:
    """Rushlight's own, where it can work: not the wheel's, whose libraries are linked against libtorch."""
    if importlib.util.find_spec("av") is None:
        if importing:
            raise ModuleNotFoundError(f"{name}: PyAV is expected, which binds FFmpeg: `pip install av`", name="av")
        return None
    own = f"rushlight.compat.{name}"
    if importlib.util.find_spec(own) is None:
        return None
    return ModuleSpec(name, _AliasLoader(own), is_package="." not in name)  # type: ignore[arg-type]


class _AliasFinder:
    """Finds `torch`, everything under it, `functorch` and `torchcodec` among rushlight's modules, and lets rushlight's
    own run under torch's names.
    """

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.startswith("rushlight.") and identity.is_public(name):
            found = PathFinder.find_spec(name, path)
            if found is not None and type(found.loader) is SourceFileLoader:
                found.loader = _NamingLoader(found.loader.name, found.loader.path)
            return found
        if name == "functorch":
            loader: Any = _AliasLoader("rushlight.compat.functorch")
            return ModuleSpec(name, loader, is_package=True)
        if name == "torchcodec" or name.startswith("torchcodec."):
            return _torchcodec(name, sys._getframe(2).f_code.co_name == "_find_and_load_unlocked")
        if name != "torch" and not name.startswith("torch."):
            if name.startswith("multiprocessing."):
                _cover_multiprocessing()
            return None
        own = _rushlight_name(name)
        module = sys.modules.get(own)
        # (Below a namespace that rushlight has no file for there is none either.)
        absent_here = _rushlight_name(name.rpartition(".")[0]) not in sys.modules and name != "torch"
        spec = module.__spec__ if module is not None else None if absent_here else importlib.util.find_spec(own)
        if spec is None and module is None and (name in NAMESPACES or name in absent.NAMESPACES):
            loader = identity.NamespaceLoader(name)
            inside = any(namespace.startswith(name + ".") for namespace in (*NAMESPACES, *absent.NAMESPACES))
            return ModuleSpec(name, loader, is_package=inside)
        if spec is None and module is None:
            # A probe with importlib.util.find_spec() is to get None; an import, a message that helps.
            asking = sys._getframe(2)
            if asking.f_code.co_name == "_find_and_load_unlocked":
                raise ModuleNotFoundError(_explain_missing_module(name), name=name)
            return None
        found = ModuleSpec(name, _AliasLoader(own), origin=getattr(spec, "origin", None))  # type: ignore[arg-type]
        found.submodule_search_locations = getattr(spec, "submodule_search_locations", None)
        return found

    def find_distributions(self, context: Any = None) -> Any:
        """What importlib.metadata asks: the installed packages "torch" and "torchcodec"."""
        return distributions(getattr(context, "name", None))


def _explain_missing_module(name: str) -> str:
    import pkgutil

    parent, _, last = name.rpartition(".")
    module = sys.modules.get(_rushlight_name(parent), sys.modules[parent])
    siblings = [m.name for m in pkgutil.iter_modules(module.__path__)]
    return f"No module named '{name}': " + explain(parent, last, siblings)


def _cover_multiprocessing() -> None:
    """Have tensors shared that Python's own multiprocessing sends: it imports parts of itself at the first queue, pipe
    or process.
    """
    if "multiprocessing.reduction" in sys.modules:
        from rushlight.core.sharing import register_reductions

        register_reductions()


_finder = _AliasFinder()

# Holds a package `torch` and its metadata for processes that the program starts with the same Python: see
# children/torch.
_CHILDREN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "children")


def _cover_children(cover: bool) -> None:
    """Let Python processes that this one starts find rushlight as torch, by the environment that they inherit; or no
    longer.
    """
    path = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p and p != _CHILDREN]
    if cover:
        path.insert(0, _CHILDREN)
        os.environ["RUSHLIGHT_STANDS_IN"] = sys.prefix
    else:
        os.environ.pop("RUSHLIGHT_STANDS_IN", None)
    if path:
        os.environ["PYTHONPATH"] = os.pathsep.join(path)
    else:
        os.environ.pop("PYTHONPATH", None)


def installed() -> bool:
    """Whether `import torch` gives rushlight in this process."""
    return _finder in sys.meta_path


def install() -> None:
    """Let `import torch` give rushlight, from now on and in this process.

    `torch.x` and `rushlight.x` are the same module objects. Names that rushlight lacks raise AttributeError,
    ImportError or ModuleNotFoundError with the nearest name it has. Processes that this one starts with the same Python
    find rushlight as torch too, by PYTHONPATH, which they inherit. Calling it again does nothing.

    Raises:
        RuntimeError: the real PyTorch has been imported already, for half of its modules would stay.
    """
    if installed():
        return
    import rushlight

    present = sys.modules.get("torch")
    if present is not None and present is not rushlight:
        where = getattr(present, "__file__", None) or "a module made at run time"
        raise RuntimeError(
            f"rushlight.compat.install(): another torch is imported already ({where}); "
            "call install() before anything imports torch, or start the program with `python -m rushlight`"
        )
    if not str(getattr(rushlight, "__version__", "")).startswith(FOLLOWS):
        rushlight.__version__ = torch_version(getattr(rushlight, "__version__", "0"))
    sys.meta_path.insert(0, _finder)
    identity.rename("rushlight", "torch")
    _own_dir.append(rushlight.__dir__)
    rushlight.__dir__ = identity.shown_names
    for name in [n for n in sys.modules if identity.is_public(n)]:
        sys.modules[_torch_name(name)] = sys.modules[name]
        _guard(sys.modules[name])
    importlib.import_module("torch")
    _cover_children(True)
    tracebacks.install()


def uninstall() -> None:
    """Undo `install()`: `import torch` finds whatever it would find otherwise. Names bound already stay as they are."""
    if not installed():
        return
    sys.meta_path.remove(_finder)
    _cover_children(False)
    tracebacks.uninstall()
    for name in [n for n in sys.modules if n == "functorch" or n.partition(".")[0] in ("torch", "torchcodec")]:
        del sys.modules[name]
    identity.rename("torch", "rushlight")
    import rushlight

    rushlight.__dir__ = _own_dir.pop()
    while _guarded:
        _unguard(_guarded.pop())
