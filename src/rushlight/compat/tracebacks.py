"""Where rushlight stands in for torch, errors show the program's lines, and not those of the library between them.

RUSHLIGHT_TRACEBACK=full, or `rushlight.inspection.set_full_tracebacks(True)`, shows all. Errors of operators leave the
core without its frames already (core/tracebacks.pyx); this does the rest at the three places that show an error which
nobody has caught.
"""

from __future__ import annotations

import inspect
import re
import sys
import threading
from collections.abc import Callable
from difflib import get_close_matches
from types import FunctionType, TracebackType
from typing import Any

from rushlight.compat.missing import gap
from rushlight.core.nesting import reached
from rushlight.core.tensor import Tensor
from rushlight.core.tracebacks import frames_are_hidden, visible

__all__ = ["cover_shell", "install", "shorten", "uninstall"]

_before: dict[str, Any] = {}  # the former functions of the hooks


_UNEXPECTED = re.compile(r"([A-Za-z_][\w.]*)\(\) got an unexpected keyword argument '(\w+)'")


def _nearest_keyword(called: str, given: str) -> str | None:
    """The keyword of a function or constructor of the library, by the name that Python gives it, that is most like
    `given`.
    """
    keywords: set[str] = set()
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in ("rushlight", "torch") or module is None:
            continue
        found: Any = vars(module)
        for part in called.split("."):
            found = (
                found.get(part)
                if isinstance(found, dict)
                else vars(found).get(part)
                if isinstance(found, type)
                else None
            )
        if isinstance(found, FunctionType):
            code = inspect.unwrap(found).__code__
            keywords.update(code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount])
    return next(iter(get_close_matches(given, sorted(keywords - {"self", "cls"}), 1)), None)


def tell(error: BaseException) -> None:
    """Add the nearest keyword to a wrong one, and what PyTorch has and rushlight lacks: a method of Tensor. (A typing
    mistake in one is named by Python.)
    """
    if (
        type(error) is TypeError
        and len(error.args) == 1
        and (wrong := _UNEXPECTED.fullmatch(str(error.args[0]))) is not None
    ):
        nearest = _nearest_keyword(wrong[1], wrong[2])
        if nearest is not None:
            error.args = (f"{error.args[0]}; did you mean '{nearest}'?",)
    if (
        type(error) is AttributeError
        and isinstance(getattr(error, "obj", None), Tensor)
        and not getattr(error, "__notes__", None)
    ):
        lacking = gap("torch.Tensor", error.name or "")
        if lacking is not None:
            error.add_note(lacking)


def shorten(error: BaseException) -> None:
    """Leave the library's frames out of an error's traceback, and of those of the errors that led to it."""
    if not frames_are_hidden():
        return
    for e in reached([error], lambda e: (e.__cause__, e.__context__)):
        e.__traceback__ = visible(e.__traceback__)


def _show(kind: type[BaseException], error: BaseException, tb: TracebackType | None) -> None:
    tell(error)
    shorten(error)
    _before["sys"](kind, error, error.__traceback__ if frames_are_hidden() else tb)


def _show_of_thread(args: Any) -> None:
    if args.exc_value is not None and frames_are_hidden():
        shorten(args.exc_value)
        args = threading.ExceptHookArgs((args.exc_type, args.exc_value, args.exc_value.__traceback__, args.thread))
    _before["threading"](args)


def _show_in_notebook(
    shell: Any, kind: type[BaseException], error: BaseException, tb: TracebackType | None, tb_offset: int | None = None
) -> None:
    tell(error)
    shorten(error)
    shell.showtraceback(
        (kind, error, error.__traceback__ if frames_are_hidden() else tb),
        tb_offset=tb_offset,
        running_compiled_code=True,
    )


def _shell() -> Any:
    """IPython's shell, which notebooks have too; None outside of one."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def install() -> None:
    """Let uncaught errors, in the main thread, in others and in IPython, be shortened before they are
    shown.
    """
    _before["sys"], _before["threading"] = sys.excepthook, threading.excepthook
    sys.excepthook, threading.excepthook = _show, _show_of_thread
    cover_shell()


def cover_shell() -> None:
    """Do so in IPython's shell, if there is one by now: an installation before it was made has not seen it."""
    shell = _shell()
    if shell is not None and not shell.custom_exceptions:  # a handler of the user's own stays
        shell.set_custom_exc((Exception,), _show_in_notebook)
        _before["shell"] = shell


def uninstall() -> None:
    """Put back what stood there; hooks that the program has set since stay."""
    if sys.excepthook is _show:
        sys.excepthook = _before["sys"]
    if threading.excepthook is _show_of_thread:
        threading.excepthook = _before["threading"]
    shell = _before.pop("shell", None)
    if shell is not None:
        handler: Callable[..., Any] | None = None
        shell.set_custom_exc((), handler)
