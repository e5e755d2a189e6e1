"""`PassManager`: passes run in an order that keeps their constraints, until nothing changes or a number of times."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rushlight.fx.graph_module import GraphModule
from rushlight.fx.passes.infra.pass_base import PassResult
from rushlight.nn import Module

__all__ = ["PassManager", "pass_result_wrapper", "this_before_that_pass_constraint"]


def pass_result_wrapper(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Make one that always returns a PassResult of a function of a GraphModule that may return nothing."""
    if fn is None:
        return None

    @functools.wraps(fn)
    def wrapped(gm: GraphModule) -> PassResult:
        result = fn(gm)
        if result is None:
            return PassResult(gm, True)
        if isinstance(result, PassResult):
            return result
        if isinstance(result, Module):
            return PassResult(result, True)  # type: ignore[arg-type]  # a pass may give any module
        raise TypeError(
            f"pass_result_wrapper(): a pass must return a PassResult, a module or None; found {type(result).__name__}"
        )

    if not hasattr(fn, "__name__"):
        wrapped.__name__ = str(type(fn))
    return wrapped


def this_before_that_pass_constraint(this: Callable[..., Any], that: Callable[..., Any]) -> Callable[..., bool]:
    """The constraint that one pass runs before another: of two passes whether they may follow each other."""
    return lambda a, b: not (a is that and b is this)


class PassManager:
    """Runs passes over a graph.

    Args:
        passes: functions or PassBase objects; each returns a PassResult.
        constraints: functions of two passes, whether the first may stand before the second.
        steps: how many times all are run, at most.
        run_checks_after_each_pass: check the graph in between.
        suppress_check_failures: go on where a check fails.
    """

    def __init__(
        self,
        passes: list[Callable[..., Any]] | None = None,
        constraints: list[Callable[..., bool]] | None = None,
        steps: int | None = None,
        run_checks_after_each_pass: bool = False,
        suppress_check_failures: bool = False,
    ) -> None:
        self.passes, self.constraints = passes or [], constraints or []
        self.steps = steps or 1
        self.run_checks_after_each_pass, self.suppress_check_failures = (
            run_checks_after_each_pass,
            suppress_check_failures,
        )
        self._validated = False

    def add_pass(self, _pass: Callable[..., Any]) -> None:
        """Put a pass behind the others."""
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint: Callable[..., bool]) -> None:
        """One more constraint on the order."""
        self.constraints.append(constraint)
        self._validated = False

    def validate_constraints(self) -> None:
        """RuntimeError where the order of the passes breaks a constraint."""
        if self._validated:
            return
        for constraint in self.constraints:
            for i, a in enumerate(self.passes):
                for j, b in enumerate(self.passes[i + 1 :], i + 1):
                    if not constraint(a, b):
                        raise RuntimeError(f"PassManager: pass {i} must not stand before pass {j}")
        self._validated = True

    def check(self, module: Module) -> None:
        """What holds between passes: for a subclass to say."""
        return

    def __call__(self, module: Module) -> PassResult:
        self.validate_constraints()
        self.check(module)
        changed = False
        current: Any = module
        for _ in range(self.steps):
            modified = False
            for i, fn in enumerate(self.passes):
                try:
                    result = fn(current)
                except Exception as error:
                    before = [getattr(p, "__name__", type(p).__name__) for p in self.passes[:i]]
                    raise type(error)(
                        f"pass {getattr(fn, '__name__', type(fn).__name__)} failed, after {before or 'none'}: {error}"
                    ) from error
                if not (isinstance(result, PassResult) or hasattr(result, "graph_module")):
                    raise TypeError(f"PassManager: a pass must return a PassResult; found {type(result).__name__}")
                current, modified = result.graph_module, modified or result.modified
                if isinstance(current, GraphModule):
                    current.recompile()
                if self.run_checks_after_each_pass:
                    self.check(current)
            changed = changed or modified
            if not modified:
                break
        return PassResult(current, changed)
