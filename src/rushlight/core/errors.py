"""Errors that the core raises and that are public elsewhere."""

from __future__ import annotations

import functools
import signal
import sys
from collections.abc import Container, Sequence
from types import CodeType
from typing import Any

_LIBRARIES = sys.stdlib_module_names | {"rushlight", "numpy", "scipy", "llvmlite", "mpmath"}


def module_of(names: dict[str, Any]) -> str:
    """The name by which the module of a frame's globals was loaded: below `python -m rushlight` the package's modules
    call themselves torch's.
    """
    spec = names.get("__spec__")
    return str(names.get("__name__", "")) if spec is None else str(spec.name)


def is_of_library(error: BaseException, called: Container[CodeType] = ()) -> bool:
    """Whether the library itself has raised an error. Handlers of signals raise errors at any moment; those come from a
    function that the library has not called.

    Args:
        error: was caught by the library, below which no function of the program's was called.
        called: the code of functions of the program's that were.
    """
    at = error.__traceback__
    while at is not None:
        name = module_of(at.tb_frame.f_globals)
        if name.partition(".")[0] not in _LIBRARIES and at.tb_frame.f_code not in called:
            return False
        at = at.tb_next
    return True


def is_of_handler(error: BaseException) -> bool:
    """Whether an error was raised by a handler of signals, which may run at any moment: then nothing that was called
    has failed. For what calls functions of the program's; see `is_of_library` for what does not.
    """
    codes = {_code_of(signal.getsignal(n)) for n in signal.valid_signals()} - {None}
    at = error.__traceback__
    while at is not None:
        if at.tb_frame.f_code in codes:
            return True
        at = at.tb_next
    return False


def _code_of(handler: Any) -> CodeType | None:
    """The code that a handler runs first, None where Python has none of it."""
    while isinstance(handler, functools.partial):
        handler = handler.func
    for f in (handler, getattr(handler, "__func__", None), *[vars(c).get("__call__") for c in type(handler).__mro__]):
        code = getattr(f, "__code__", None)
        if isinstance(code, CodeType):
            return code
    return None


class LinAlgError(RuntimeError):
    """An operator of linear algebra cannot handle its matrix: it is singular or not positive definite, or an iteration
    does not converge.
    """

    __module__ = "rushlight._C"


# as PyTorch calls it, whose public name is linalg.LinAlgError
LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


NOT_FINITE = -1000  # RL_NOT_FINITE in native/lapack.h

_REASONS = {
    "cholesky": "the matrix is not positive definite: its leading minor of order {info} is not positive",
    "lu": "the matrix is singular: the diagonal element {info} of U is zero",
    "ldl": "the matrix is singular: the diagonal element {info} of D is zero",
    "eigh": "the iteration did not converge ({info} off-diagonal elements are left)",
    "eig": "the iteration did not converge (the first {info} eigenvalues are missing)",
    "svd": "the iteration did not converge ({info} superdiagonals are left)",
    "lstsq": "the matrix is not of full rank, or the iteration did not converge (code {info})",
    "triangular_solve": "the matrix is singular: its diagonal element {info} is zero",
    "lu_solve": "the pivot {info} is not in the range of the rows",
    "ldl_solve": "the pivot {info} is not in the range of the rows",
    "pivots_to_permutation": "the pivot {info} is not in the range of the rows",
}


# What is wrong is an argument, no matrix.
_ARGUMENTS = frozenset({"lu_solve", "ldl_solve", "pivots_to_permutation"})


def linear_algebra_error(operator: str, routine: str, index: int, info: int, batch: Sequence[int]) -> RuntimeError:
    """The error for the first matrix of a batch that failed.

    Args:
        operator: its public name.
        routine: the primitive that failed.
        index: the matrix's number in the batch, row by row.
        info: LAPACK's report.
        batch: the sizes of the batch.
    """
    where = ""
    if batch:
        position = []
        rest = index
        for n in reversed(batch):
            position.append(rest % n)
            rest //= n
        where = f"(Batch element {', '.join(map(str, reversed(position)))}): "
    reason = (
        "the matrix has an element that is not finite" if info == NOT_FINITE else _REASONS[routine].format(info=info)
    )
    return (RuntimeError if routine in _ARGUMENTS else LinAlgError)(f"{operator}: {where}{reason}.")
