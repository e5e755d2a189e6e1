"""The calls that PyTorch's own operator database (OpInfo) lists as errors are errors here, of the same type or of one
derived from it.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import rushlight
from processes import in_its_own_process

torch = pytest.importorskip("torch")

# operator -> why a call of it runs here that PyTorch refuses, or raises another error
_NUMBER_FIRST = "a number may come first, as in NumPy and the array API standard"
_HIGHEST_RANK = "NumPy, by which the tensor is handed over, has no more than 64 dimensions"
LISTED = {
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), _NUMBER_FIRST),
    **dict.fromkeys(("amax", "amin", "aminmax"), _HIGHEST_RANK),
    "cov": "weights below 0 are not looked for",
    "narrow_copy": "a dimension out of range is an IndexError, as of narrow",
}
# A destination may overlap an operand, and be of another dtype that can hold the result.
ALLOWED = re.compile(
    "unsupported operation|a single memory location|[Ee]xpect.* (out tensor|Long tensor out|scalar type)"
)
PRIVATE = ("_", "torch.ops", "jiterator", "sparse.", "native_")


def converted(x: Any) -> Any:
    """An argument with rushlight's objects in place of PyTorch's; LookupError for what has no counterpart."""
    if isinstance(x, torch.Tensor):
        if x.layout is not torch.strided or x.is_meta:
            raise LookupError
        dense = x.detach().resolve_conj().resolve_neg()
        y = rushlight.from_numpy(dense.float().numpy() if x.dtype is torch.bfloat16 else dense.numpy())
        y = y.to(rushlight.bfloat16) if x.dtype is torch.bfloat16 else y
        return y.requires_grad_() if x.requires_grad else y
    if isinstance(x, (torch.dtype, torch.layout, torch.memory_format)):
        return getattr(rushlight, str(x).removeprefix("torch."))
    if isinstance(x, torch.device):
        return rushlight.device(str(x))
    if type(x) in (list, tuple):
        return type(x)(map(converted, x))
    if type(x) is dict:
        return {k: converted(v) for k, v in x.items()}
    if type(x).__module__.partition(".")[0] == "torch" and not isinstance(x, tuple):
        raise LookupError
    return x


def found(fn: Any, args: Any, kwargs: Any) -> type[BaseException] | None:
    try:
        fn(*args, **kwargs)
    except Exception as error:
        return type(error)
    return None


def public(root: Any, name: str) -> Any:
    for part in name.split("."):
        root = getattr(root, part, None)
    return root


def calls() -> Iterator[tuple[str, Any, Any, Any, list[Any], dict[str, Any]]]:
    """Name, both functions, and PyTorch's arguments of each call."""
    from torch.testing._internal.common_methods_invocations import op_db

    for op in op_db:
        fn = public(torch, op.name)
        ours = public(rushlight, op.name)
        if op.error_inputs_func is None or op.name.startswith(PRIVATE) or fn is None or fn is not op.op or ours is None:
            continue
        torch.manual_seed(0)
        for wrong in op.error_inputs("cpu"):
            s = wrong.sample_input
            yield op.name, fn, ours, wrong.error_regex, [s.input, *s.args], s.kwargs


def names_of(error: type[BaseException]) -> set[str]:
    """The names of a type and of those that it is derived from."""
    return {t.__name__.lstrip("_") for t in error.__mro__}


def compare() -> None:
    unlike, compared = [], 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, theirs, ours, what, args, kwargs in calls():
            try:
                own = converted(args), converted(kwargs)
            except LookupError:
                continue
            except ValueError:
                assert name in LISTED
                continue
            expected = found(theirs, args, kwargs)
            if expected is None:
                continue
            compared += 1
            got = found(ours, *own)
            # (Two numbers are taken for 0-d tensors, as by add in both.)
            if got is None and (ALLOWED.search(what) or not any(isinstance(x, (torch.Tensor, list)) for x in args)):
                continue
            if name not in LISTED and (got is None or expected.__name__.lstrip("_") not in names_of(got)):
                unlike.append(f"{name}, {what!r}: {expected.__name__} in PyTorch, {got} here")
    assert not unlike, "\n".join(unlike)
    assert compared > 400


def test_error_inputs() -> None:
    in_its_own_process(__file__, "compare")  # (the database freezes switches of the PyTorch that imports it)
