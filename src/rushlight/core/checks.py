"""The one form of the errors that refuse what was given: who refuses it, what must be, and what was found."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, UnionType

Text = str | Callable[[], str]


def check_that(
    ok: object, owner: str, subject: str, must: Text, found: object, error: type[Exception] = RuntimeError
) -> None:
    """Raise an error, "owner: subject must ...; found ...", unless `ok` is true.

    What takes time to write out, such as sizes, is given as a function without arguments, which is called for an error
    alone.

    Args:
        ok: Whether it is as it must be.
        owner: The function or class that refuses it, "stft()".
        subject: What is refused, "the elements of 'p'".
        must: What it must be or have, to go after "must"; or a function that writes that.
        found: What was found, a value or a text; or a function that makes one.
        error: The type to raise.

    Raises:
        Exception: The error, of that type.
    """
    if not ok:
        raise error(f"{owner}: {subject} must {_made(must)}; found {_made(found)}")


def check_argument(
    ok: object, owner: str, argument: str, must: Text, found: object, error: type[Exception] = RuntimeError
) -> None:
    """`check_that` of an argument, which the message puts between quotes: "owner: 'argument' must ...; found ...".

    Args:
        ok, owner, must, found, error: As `check_that`'s.
        argument: Its name.

    Raises:
        Exception: The error, of that type.
    """
    if not ok:
        check_that(False, owner, f"'{argument}'", must, found, error)


def check_type(
    owner: str,
    argument: str,
    value: object,
    kind: type | UnionType | tuple[type, ...],
    what: str = "",
    error: type[Exception] = TypeError,
) -> None:
    """Raise an error, "owner: 'argument' must be a ...; found ..." with the name of its class, for a value of another
    type.

    Args:
        owner, argument, error: As `check_argument`'s.
        value: What was given.
        kind: What `isinstance` is asked for.
        what: What the message calls that, "a number"; left out, the name of the class.

    Raises:
        Exception: The error, of that type.
    """
    if not isinstance(value, kind):
        name = getattr(kind, "__name__", "")
        what = what or f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
        check_argument(False, owner, argument, f"be {what}", type(value).__name__, error)


def _made(x: object) -> object:
    return x() if isinstance(x, FunctionType) else x
