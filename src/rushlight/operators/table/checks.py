"""The checks that many operators make of their arguments, each with its one error.

`name` is the operator's public name, `argument` what its signature calls the value.
"""

from __future__ import annotations

import numbers
from collections.abc import Collection, Sequence
from typing import Any

from rushlight.core.checks import check_argument as check_argument
from rushlight.core.checks import check_that as check_that
from rushlight.core.checks import check_type as check_type
from rushlight.core.dtypes import dtype
from rushlight.core.tensor import Tensor
from rushlight.program.sym import Int, Sym, hint, hints, prod

_KINDS = {
    "f": "floating point",
    "c": "complex",
    "biuf": "real",
    "fc": "of a float or complex dtype",
    "iu": "of an integer dtype",
}
_RANKS = {1: "a vector", 2: "a matrix"}


def _listed(words: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return " or ".join([*[", ".join(words[:-1])] * (len(words) > 1), words[-1]])


def _value(x: object) -> object:
    return hint(x) if isinstance(x, Sym) else x


def check_dtype(name: str, argument: str, x: Tensor, *dtypes: dtype) -> None:
    """RuntimeError for a tensor that has none of the dtypes."""
    if x.dtype not in dtypes:
        names = _listed([d.name for d in dtypes])
        raise RuntimeError(f"{name}(): '{argument}' must be of dtype {names}; found {x.dtype}")


def check_one_dtype(owner: str, what: str, a: Tensor, b: Tensor) -> None:
    """RuntimeError for two tensors, of which `what` speaks, that have different dtypes."""
    check_that(a.dtype is b.dtype, owner, what, "be of one dtype", lambda: f"{a.dtype} and {b.dtype}")


def check_same_dtype(name: str, argument: str, x: Tensor, input: Tensor) -> None:
    """RuntimeError for a tensor that has another dtype than the operator's `input`."""
    if x.dtype is not input.dtype:
        raise RuntimeError(f"{name}(): '{argument}' must be of the dtype of 'input', {input.dtype}; found {x.dtype}")


def check_kind(name: str, argument: str, x: Tensor, kinds: str) -> None:
    """RuntimeError for a tensor whose numbers are of none of the kinds, a key of _KINDS."""
    if x.dtype.kind not in kinds:
        raise RuntimeError(f"{name}(): '{argument}' must be {_KINDS[kinds]}; found {x.dtype}")


def check_rank(name: str, argument: str, x: Tensor, rank: int) -> None:
    """RuntimeError for a tensor that is no vector (rank 1), or no matrix (2)."""
    if x.ndim != rank:
        raise RuntimeError(f"{name}(): '{argument}' must be {_RANKS[rank]}; found a {x.ndim}-d tensor")


def check_least_rank(name: str, argument: str, x: Tensor, least: int, sizes: str = "") -> None:
    """RuntimeError for a tensor of too few dimensions; sizes: what they are called, "(N, C, ...)"."""
    if x.ndim < least:
        dimensions = f"{least} dimension{'s' * (least > 1)}{' ' * bool(sizes)}{sizes}"
        raise RuntimeError(f"{name}(): '{argument}' must be of {dimensions} or more; found {x.ndim}")


def check_spatial(name: str, input: Tensor, n: int) -> None:
    """RuntimeError for an input that does not have n spatial dimensions behind its channels."""
    if input.ndim not in (n + 1, n + 2):
        raise RuntimeError(
            f"{name}(): 'input' must be of {n + 2} dimensions (N, C, ...), or {n + 1} without a batch; found the "
            f"shape {hints(input.shape)}"
        )


def check_examples(name: str, input: Tensor, n: int) -> None:
    """RuntimeError for examples, of n dimensions, without elements: the batch alone may be of size 0."""
    if prod(input.var.shape[input.ndim - n :]) == 0:
        raise RuntimeError(
            f"{name}(): 'input' must have elements in each example, its last {n} dimensions; found the shape "
            f"{hints(input.shape)}"
        )


def same_shape(x: Tensor, y: Tensor) -> bool:
    """Whether two tensors have one shape."""
    return x.ndim == y.ndim and all(a == b for a, b in zip(x.shape, y.shape, strict=True))


def check_same_shape(
    name: str, argument: str, x: Tensor, input: Tensor, error: type[Exception] = RuntimeError, what: str = "'input'"
) -> None:
    """An error for a tensor that has another shape than the operator's `input`, or than another tensor that it belongs
    to."""
    if not same_shape(x, input):
        shapes = f"{hints(input.shape)}; found {hints(x.shape)}"
        raise error(f"{name}(): '{argument}' must have the shape of {what}, {shapes}")


def check_least(name: str, argument: str, value: Any, least: int, error: type[Exception] = RuntimeError) -> None:
    """An error for a number that is less than the least one, or NaN."""
    if not value >= least:
        raise error(f"{name}(): '{argument}' must be at least {least}; found {_value(value)}")


def check_each(
    name: str, argument: str, values: Sequence[Int], least: int, error: type[Exception] = RuntimeError
) -> None:
    """An error for sizes, or other numbers of which there is one per dimension, if one is less than the least
    allowed."""
    if any(v < least for v in values):
        raise error(f"{name}(): '{argument}' must be at least {least} in each dimension; found {hints(values)}")


def check_positive(name: str, argument: str, value: Any, error: type[Exception] = RuntimeError) -> None:
    """An error for a number that is 0, negative or NaN."""
    if not value > 0:
        raise error(f"{name}(): '{argument}' must be greater than 0; found {_value(value)}")


def check_bools(name: str, **given: object) -> None:
    """TypeError for a switch that is no bool; PyTorch's compiled functions take no int for one."""
    for label, value in given.items():
        if not isinstance(value, bool):
            raise TypeError(f"{name}(): argument '{label}' must be bool, not {type(value).__name__}")


_PLAIN = (str, numbers.Number)


def check_choice(
    name: str, argument: str, value: object, choices: Collection[object], error: type[Exception] = RuntimeError
) -> None:
    """An error for a value that is none of the choices."""
    # (By what a value equals, not by its hash: what may stand wrongly in its place has none, or fails to say it.)
    if not any(value is choice or (isinstance(value, _PLAIN) and value == choice) for choice in choices):
        words = _listed([repr(choice) for choice in choices if choice is not None])
        raise error(f"{name}(): '{argument}' must be {words}; found {value!r}")
