"""A failing call of a program as a file of a few lines that fails the same way with nothing but rushlight."""

from __future__ import annotations

import ast
import linecache
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from rushlight.inspection.minimize.program import Program, Unwritable, of_call
from rushlight.inspection.minimize.record import Call, Recorder
from rushlight.inspection.minimize.shrink import Failure, Shrinker, run

__all__ = ["minimize", "repro"]

_PACKAGE = str(Path(__file__).parents[2]) + os.sep
SECONDS = 60.0


def repro(error: BaseException | None = None, file: str | Path = "repro.py", *, seconds: float = SECONDS) -> Path:
    """Write a file of a few lines that fails as the last exception did, and a version of it for PyTorch.

    The program's line that failed is run once more, to see its calls; then shapes, values, arguments and the calls
    before are made smaller as long as the failure is the same.

    Args:
        error: the exception (default: the one that is being handled, or the latest that reached the prompt).
        file: where to write; the file for PyTorch has `_torch` before its suffix.
        seconds: how long to look for something smaller.

    Returns:
        The path of the file.

    Raises:
        RuntimeError: there is no exception, the line can't be found, or it does not fail again.
    """
    error = error or sys.exc_info()[1] or getattr(sys, "last_value", None)
    if error is None:
        raise RuntimeError("repro(): there is no exception to look at; give it one, or call it after one")
    frame, statement = _failing_line(error)
    recorder = Recorder()
    try:
        with recorder:
            exec(compile(statement, frame.f_code.co_filename, "exec"), frame.f_globals, dict(frame.f_locals))
    except Exception as again:
        return minimize(recorder, again, file, seconds=seconds)
    raise RuntimeError(
        "repro(): the line that failed does not fail when it is run again; `python -m rushlight minimize SCRIPT` sees "
        "the whole program"
    )


def minimize(recorder: Recorder, error: BaseException, file: str | Path, *, seconds: float = SECONDS) -> Path:
    """As repro, of the calls that were recorded on the way to an exception.

    Raises:
        RuntimeError: no call of an operator raised it, or it does not fail when it is run again.
    """
    failed = recorder.failed
    if failed is None or failed.error is None or not _leads_to(failed.error, error):
        raise RuntimeError(
            f"minimize: no call of an operator raised {type(error).__name__}: {error}: it comes from the program itself"
        )
    small = smallest(failed, list(recorder.calls), seconds)
    path = Path(file)
    words = f"{type(failed.error).__name__}: {run(small)}".splitlines()[0]
    if len(words) > 100:
        words = words[:97] + "..."
    for target, module in ((path, "import rushlight as torch"), (path.with_stem(path.stem + "_torch"), "import torch")):
        lines = [module, "", *small.lines()]
        lines[-1:] = [f"# rushlight says: {words}", lines[-1]]
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def smallest(failed: Call, before: list[Call], seconds: float = SECONDS) -> Program:
    """The smallest program found that fails as a call did.

    Raises:
        RuntimeError: the call does not fail when it is run again.
    """
    assert failed.error is not None
    failure = Failure.of(failed.error)
    problem: str = "it does not fail again: what it depends on is none of its arguments"
    for calls in ([], before):
        try:
            program = of_call(failed, calls).pruned()
            program.lines()
        except Unwritable as error:
            problem = str(error)
            continue
        again = run(program)
        if again is not None and Failure.of(again) == failure:
            return Shrinker(program, failure, seconds).shrink()
    raise RuntimeError(f"minimize: {failed.name} can't be made to fail by itself: {problem}")


def _leads_to(cause: BaseException, error: BaseException | None) -> bool:
    """Whether an exception is another one, or one that the other was raised from."""
    while error is not None:
        if error is cause:
            return True
        error = error.__cause__ or error.__context__
    return False


def _failing_line(error: BaseException) -> tuple[FrameType, Any]:
    """The program's innermost frame in an exception's traceback, and the statement there that was being run."""
    found = None
    tb = error.__traceback__
    while tb is not None:
        if not tb.tb_frame.f_code.co_filename.startswith((_PACKAGE, "rushlight/")):  # (the core's are relative)
            found = tb
        tb = tb.tb_next
    if found is None:
        raise RuntimeError("repro(): the exception has no line of a program in its traceback")
    frame, line = found.tb_frame, found.tb_lineno
    source = "".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals))
    statement = _statement(source, line)
    if statement is None:
        raise RuntimeError(
            f"repro(): line {line} of {frame.f_code.co_filename} can't be read; `python -m rushlight minimize SCRIPT` "
            "records a program as it runs"
        )
    return frame, statement


def _statement(source: str, line: int) -> Any:
    """The statement at a line as a module to run (for a compound statement, the expressions in its head); None where
    there is none.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    inside = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or n.lineno)]
    if not inside:
        return None
    node = max(inside, key=lambda n: (n.lineno, -(n.end_lineno or n.lineno), n.col_offset))
    heads: list[Any] = []
    if isinstance(node, ast.Return):
        heads = [node.value]
    elif isinstance(node, (ast.If, ast.While)):
        heads = [node.test]
    elif isinstance(node, ast.For):
        heads = [node.iter]
    elif isinstance(node, ast.With):
        heads = [item.context_expr for item in node.items]
    body: list[ast.stmt] = [ast.Expr(h) for h in heads if h is not None] if heads else [node]
    return ast.fix_missing_locations(ast.Module(body=body, type_ignores=[]))


def of_program(
    program: Callable[[], Any], file: str | Path, seconds: float = SECONDS
) -> tuple[BaseException, Path] | None:
    """Run a program; the exception that it ends with, and the file that fails in the same way. None where it ends well.

    Raises:
        RuntimeError: as minimize.
    """
    recorder = Recorder()
    try:
        with recorder:
            program()
    except SystemExit:
        return None
    except Exception as error:
        return error, minimize(recorder, error, file, seconds=seconds)
    return None
