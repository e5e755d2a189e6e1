"""Every condition on a number that an operator's body states refuses one in some error sample.

A condition is a call of a check for numbers, or a refusal (`raise`, `check_that`, `check_argument`) that names an
argument and its least number, its range or the like. Operators that draw numbers, or are functions of Python, have no
samples: their calls are in CALLS.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from checks import pick

import rushlight as rl
from rushlight.core import dtypes as dt
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.testing.samples import load

FOLDER = Path(rl.__file__).parent / "operators"
LEFT_OUT = ("samples", "table", "sparse", "tensors")
CHECKS = ("check_least", "check_positive", "check_each")
ON_A_NUMBER = re.compile(
    r"'[\w ,']+' must (be (at (least|most) [^al]|greater|less|in [\[(]|finite|not )|not be (0|negative|less))"
)
_INFINITE = float("inf")


def _ones(*sizes: int) -> rl.Tensor:
    return rl.ones(sizes)


CALLS: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (RuntimeError, "empty_strided.*'stride' must be at least 0", lambda: rl.empty_strided((2,), (-1,))),
    (RuntimeError, "svd_lowrank.*'q' must be at least 0", lambda: rl.svd_lowrank(_ones(3, 2), q=-1)),
    (ValueError, "svd_lowrank.*'niter' must be at least 0", lambda: rl.svd_lowrank(_ones(3, 2), q=2, niter=-1)),
    (ValueError, "pca_lowrank.*'q' must be in", lambda: rl.pca_lowrank(_ones(3, 2), q=3)),
    (ValueError, "pca_lowrank.*'niter' must be at least 0", lambda: rl.pca_lowrank(_ones(3, 2), q=2, niter=-1)),
    (RuntimeError, "native_dropout.*'p' must be in", lambda: rl.native_dropout(_ones(3), 1.5, True)),
    (RuntimeError, "set_offset.*'offset' must be in", lambda: rl.Generator(kind="philox").set_offset(-1)),
    (ValueError, "manual_seed.*'seed' must be in", lambda: rl.manual_seed(2**64)),
    (RuntimeError, "random_.*'to' must be greater", lambda: _ones(3).random_(3, 2)),
    (RuntimeError, "random_.*must be at most 2", lambda: _ones(3).to(rl.bfloat16).random_(-(2**63), 2**63 + 1)),
    (RuntimeError, "as_strided.*'stride' must", lambda: rl.vmap(lambda x: x.as_strided((2,), (-1,)))(_ones(2, 3))),
    (RuntimeError, "uniform_.*'to' must be at least 'from'", lambda: _ones(3).uniform_(2, 1)),
    (RuntimeError, "uniform_.*must be finite", lambda: _ones(3).uniform_(0, _INFINITE)),
    (RuntimeError, "normal_.*'std' must be at least 0", lambda: _ones(3).normal_(0, -1)),
    (RuntimeError, "cauchy_.*'sigma' must be greater than 0", lambda: _ones(3).cauchy_(0, 0)),
    (RuntimeError, "exponential_.*'lambd' must be greater than 0", lambda: _ones(3).exponential_(0)),
    (RuntimeError, "log_normal_.*'std' must be greater than 0", lambda: _ones(3).log_normal_(0, 0)),
    (RuntimeError, "geometric_.*'p' must be in", lambda: _ones(3).geometric_(0)),
    (RuntimeError, "normal.*'std' must be at least 0", lambda: rl.normal(_ones(3), -1.0)),
    (RuntimeError, "normal.*elements of 'std' must be at least 0", lambda: rl.normal(0.0, -_ones(3))),
    (RuntimeError, "normal.*'std' must be at least 0", lambda: rl.normal(0.0, -1.0, (2,))),
    (RuntimeError, "multinomial.*'num_samples' must be at least 1", lambda: rl.multinomial(_ones(3), 0)),
    (RuntimeError, "multinomial.*'num_samples' must be at most 3", lambda: rl.multinomial(_ones(3), 4)),
    (RuntimeError, "rrelu.*'lower' at most 'upper'", lambda: rl.nn.functional.rrelu(_ones(3), 2, 1, training=True)),
    (RuntimeError, "bernoulli.*'p' must be in", lambda: rl.bernoulli(_ones(3), 2.0)),
    (RuntimeError, "bernoulli_.*'p' must be in", lambda: _ones(3).bernoulli_(2.0)),
    (RuntimeError, "binomial.*must be at least 0", lambda: rl.binomial(-_ones(3), _ones(3))),
]


def said(node: ast.AST) -> str:
    """What a refusal says, as it is written: a `raise`, or what must be by a call of check_that or check_argument."""
    match node:
        case ast.Raise():
            return ast.unparse(node)
        case ast.Call(func=ast.Name("check_that" | "check_argument" as kind), args=[_, _, subject, must, *_]):
            parts = [
                "".join(str(c.value) for c in ast.walk(part) if isinstance(c, ast.Constant)) or "x"
                for part in (subject, must)
            ]
            return (f"'{parts[0]}'" if kind == "check_argument" else parts[0]) + f" must {parts[1]}"
    return ""


def conditions() -> Iterator[tuple[str, range, str]]:
    """Each condition: its file, its lines, its text."""
    for path in sorted(FOLDER.rglob("*.py")):
        if path.relative_to(FOLDER).parts[0] in LEFT_OUT:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            checked = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CHECKS
            if isinstance(node, (ast.Raise, ast.Call)) and (checked or ON_A_NUMBER.search(said(node))):
                yield str(path), range(node.lineno, node.end_lineno + 1), ast.unparse(node)


def reached() -> set[tuple[str, int]]:
    """The lines of operators' bodies from which an error sample, or a call of CALLS, raises."""
    files, found = {path for path, _, _ in conditions()}, set[tuple[str, int]]()

    def inside(frame: FrameType, event: str, _: Any) -> Any:
        if event == "exception":
            found.add((frame.f_code.co_filename, frame.f_lineno))
        return inside

    def entered(frame: FrameType, event: str, _: Any) -> Any:
        return inside if frame.f_code.co_filename in files else None

    def refused(call: Callable[[], Any]) -> None:
        before = sys.gettrace()
        sys.settrace(entered)
        try:
            with pytest.raises(Exception):  # noqa: B017  (which one, checks.py and the test below compare)
                call()
        finally:
            sys.settrace(before)

    for name, spec in sorted(load().items()):
        op = TABLE[name] if name in TABLE else METHODS[name.removeprefix("Tensor.")]
        for s in spec.errors(pick(spec, dt.float32)[0]):
            refused(functools.partial(op, *s.args, **s.kwargs))
    for _, _, call in CALLS:
        refused(call)
    return found


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_conditions_on_numbers_have_error_samples() -> None:
    lines = reached()
    missing = [
        f"{Path(path).relative_to(FOLDER)}:{rows.start} {text}"
        for path, rows, text in conditions()
        if not any((path, row) in lines for row in rows)
    ]
    assert not missing, "\n".join(["conditions without an error sample:", *missing])


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("error, match, call", CALLS, ids=lambda x: x if isinstance(x, str) else "")
def test_numbers_that_are_refused(error: type[Exception], match: str, call: Callable[[], Any]) -> None:
    with pytest.raises(error, match=match):
        call()


def test_what_a_condition_is() -> None:
    found = [text for _, _, text in conditions()]
    assert len(found) > 100 and any("check_least" in text for text in found)
