"""Errors of wrong calls are of PyTorch's types: what a program catches there it catches here."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pytest

import rushlight
from rushlight.testing.samples import load

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[1] / "operators"))

from support import find  # noqa: E402
from test_operators import counterpart, to_torch  # noqa: E402
from wrong_calls import sample_of, tried, wrong_calls  # noqa: E402

# PyTorch's type -> what else is taken for it, with the reason.
ALIKE: dict[type, tuple[type, ...]] = {
    AttributeError: (TypeError,),  # its Python code asks an object that is no tensor for what tensors have
    # the first of which it is; and a kind of number that a function has no meaning for
    NotImplementedError: (RuntimeError, TypeError, ValueError),
    AssertionError: (RuntimeError,),  # of its Python code
    # a tensor, or a list, that is too short: it asks for an element, here its length is said
    IndexError: (RuntimeError, ValueError, TypeError),
    RuntimeError: (ValueError, IndexError),  # sizes that its Python code looks at in one function and not in the next
    ValueError: (RuntimeError, TypeError),
    TypeError: (ValueError, RuntimeError),  # a value of which its type alone was looked at
}
NAMES = [name for name in sorted(load()) if not name.rpartition(".")[2].startswith("_") and tried(name)]


def raised(function: object, args: list[object], kwargs: dict[str, object]) -> Exception | None:
    try:
        function(*args, **kwargs)  # type: ignore[operator]
    except Exception as error:
        return error
    return None


def test_types_of_errors() -> None:
    """Nine in ten are the same, hardly a call that PyTorch refuses runs, and the rest are of a type that is taken for
    PyTorch's.
    """
    same = other = runs = 0
    unlike = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in NAMES:
            theirs, sample = counterpart(name), sample_of(load()[name])
            if (
                theirs is None
                or sample is None
                or raised(theirs, list(map(to_torch, sample.args)), {k: to_torch(v) for k, v in sample.kwargs.items()})
                is not None
            ):
                continue
            for what, args, kwargs in wrong_calls(sample):
                expected = raised(theirs, list(map(to_torch, args)), {k: to_torch(v) for k, v in kwargs.items()})
                if expected is None:
                    continue
                found = raised(
                    find(name), [a.detach().clone() if isinstance(a, rushlight.Tensor) else a for a in args], kwargs
                )
                if found is None:
                    runs += 1
                elif type(found) is type(expected):
                    same += 1
                elif isinstance(found, (type(expected), *ALIKE.get(type(expected), ()))):
                    other += 1
                else:
                    unlike.append((name, what, expected, found))
    print(same, other, runs)
    assert unlike == []
    assert same > 1500 and same > 0.9 * (same + other + runs) and runs < 0.05 * same
