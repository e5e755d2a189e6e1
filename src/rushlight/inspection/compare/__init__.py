"""Run a program on PyTorch and on rushlight in parallel, call by call, and find the first call whose results differ."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, NamedTuple

from rushlight.core import dtypes as dt
from rushlight.inspection.compare.exchange import CHANNEL, WATCH, receive, send

__all__ = ["Parting", "compare", "main"]

# By how much results may differ, relative to each element and to the greatest one: rounding in the sums and products of
# networks stays below it, and an operator that is wrong by a thousandth does not.
_TOLERANCES = {"float64": (1e-8, 1e-10), "float32": (1e-4, 2e-5), "float16": (1e-2, 4e-3), "bfloat16": (4e-2, 2e-2)}
_TOLERANCES |= {"complex128": _TOLERANCES["float64"], "complex64": _TOLERANCES["float32"]}
_CHILDREN = str(Path(__file__).parents[2] / "compat" / "children")  # on the path while rushlight stands in for torch
_TOLERANCES |= {"float": _TOLERANCES["float32"], "complex": _TOLERANCES["float32"]}


class Parting(NamedTuple):
    """Where two runs part: what happened, at which call and line, and where its inputs were saved."""

    what: str
    call: str
    file: str
    line: int
    calls: int
    saved: Path | None

    def __str__(self) -> str:
        text = f"{self.what}\n  call {self.calls}, {self.call}, at {self.file}:{self.line}"
        return text + (f"\n  its inputs and results: {self.saved}" if self.saved else "")


class _Side:
    """One of the two processes."""

    def __init__(self, name: str, command: Sequence[str], env: dict[str, str]) -> None:
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        self.name = name
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [sys.executable, *command],
            env={**env, CHANNEL: f"{theirs_in},{theirs_out}"},
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self.errors,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.out, self.into = os.fdopen(ours_out, "wb"), os.fdopen(ours_in, "rb")

    def next(self) -> Any:
        """Its next event."""
        try:
            return receive(self.into)
        except EOFError:
            self.process.wait()
            self.errors.seek(0)
            text = self.errors.read().decode(errors="replace").strip()
            raise RuntimeError(
                f"compare(): {self.name} ended with status {self.process.returncode}; its last words:\n{text[-2000:]}"
            ) from None

    def ask(self, *order: Any) -> Any:
        send(self.out, order)
        return self.next()

    def close(self) -> None:
        """End it, whatever it is at."""
        self.process.kill()
        self.process.wait()
        for stream in (self.out, self.into, self.errors):
            try:
                stream.close()
            except BrokenPipeError:
                continue  # a call without a value has none to read


def compare(
    script: str | Path,
    arguments: Sequence[str] = (),
    *,
    seed: int = 0,
    rtol: float | None = None,
    folder: str | Path | None = None,
    ours: Sequence[str] = ("-m", "rushlight"),
) -> Parting | int:
    """Run a script on the installed PyTorch and on rushlight, in two processes with the same seeds, call by call.

    Each call that the script itself makes (functions and methods of tensors, modules of torch.nn, backward, steps of
    optimizers) is compared by its inputs and results; where rounding has made a difference, rushlight goes on with
    PyTorch's numbers, so that differences don't add up.

    Args:
        script: a Python file that says `import torch`.
        arguments: its arguments.
        seed: of torch, random and NumPy.
        rtol: the relative difference that is taken for rounding (default: 1e-4 of float32, 1e-8 of float64, 1e-2 of
            float16, 4e-2 of bfloat16).
        folder: where the inputs and results of the call that parts are saved (default: a new temporary folder).
        ours: the arguments by which Python runs a script on rushlight.

    Returns:
        Where the runs part; the number of calls that were compared where they don't.

    Raises:
        ModuleNotFoundError: PyTorch is not installed.
        RuntimeError: a process ended without a word.
    """
    env = _without_rushlight()
    if PathFinder.find_spec("torch", [p for p in sys.path if p != _CHILDREN]) is None:
        raise ModuleNotFoundError(
            "compare(): PyTorch must be installed beside rushlight, to compare with: `pip install torch`", name="torch"
        )
    program = [str(WATCH), str(seed), str(script), *arguments]
    theirs, mine = _Side("PyTorch", program, env), _Side("rushlight", [*ours, *program], env)
    try:
        return _Run(theirs, mine, rtol, folder).until_they_part()
    finally:
        theirs.close()
        mine.close()


def _without_rushlight() -> dict[str, str]:
    """The environment as it was before rushlight stood in for torch."""
    env = {k: v for k, v in os.environ.items() if k != "RUSHLIGHT_STANDS_IN"}
    path = [p for p in env.get("PYTHONPATH", "").split(os.pathsep) if p and p != _CHILDREN]
    env["PYTHONPATH"] = os.pathsep.join(path)
    return env


class _Run:
    def __init__(self, theirs: _Side, mine: _Side, rtol: float | None, folder: str | Path | None) -> None:
        self.theirs, self.mine, self.rtol, self.folder = theirs, mine, rtol, folder
        self.calls = 0
        self.last = "the beginning"

    def until_they_part(self) -> Parting | int:
        while True:
            a, b = self.theirs.next(), self.mine.next()
            if a[0] == "end" or b[0] == "end":
                return self.ended(a, b)
            self.calls += 1
            parting = self.compared(a, b)
            if parting is not None:
                return parting
            self.last = f"call {self.calls}, {a[1]}, line {a[2][1]}"
            for side in (self.theirs, self.mine):
                send(side.out, ("go",))

    def ended(self, a: Any, b: Any) -> Parting | int:
        if a[0] == b[0]:
            if (a[1] is None) == (b[1] is None):
                return self.calls
            return Parting(f"the runs end differently: {_ends(a, b)}", "the end", "", 0, self.calls, None)
        event, name = (b, "rushlight") if a[0] == "end" else (a, "PyTorch")
        what = f"{name} goes on where the other has ended: {_ends(a, b)}; both had made {self.last}"
        return Parting(what, event[1], event[2][0], event[2][1], self.calls + 1, None)

    def compared(self, a: Any, b: Any) -> Parting | None:
        """Where two calls part; None where they do not."""
        _, name, where, inputs, made, raised = a
        if where != b[2]:
            return self.parting(
                a, f"the runs take different ways: PyTorch calls {name} at line {where[1]}, rushlight {b[1]} at line "
                f"{b[2][1]}, after {self.last}", save=False,
            )  # fmt: skip
        if raised != b[5]:
            text = "{} raises {}, {} does not" if not (raised and b[5]) else "{} raises {}, {} {}"
            first = ("PyTorch", raised, "rushlight", b[5]) if raised else ("rushlight", b[5], "PyTorch", raised)
            return self.parting(a, text.format(*first), save=True)
        given = self.difference(inputs, b[3], "inputs")
        if given is not None:
            return self.parting(
                a, f"the inputs of {name} differ already: {given}; what changed them was not seen, after {self.last}",
                save=True,
            )  # fmt: skip
        difference = self.difference(made, b[4], "outputs")
        if difference is not None:
            shown = name if name == b[1] else f"{name} ({b[1]} on rushlight)"
            return self.parting(a, f"the results of {shown} part: {difference}", save=True)
        return None

    def difference(self, theirs: Any, mine: Any, which: str) -> str | None:
        """How two sides' values differ, beyond rounding. Results that differ by rounding become PyTorch's here."""
        if theirs == mine:
            return None
        if len(theirs) != len(mine):
            return f"PyTorch has {len(theirs)} tensors or numbers, rushlight {len(mine)}"
        for (path, (dtype, shape, _)), (_, (own, own_shape, _)) in zip(theirs, mine):
            if (dtype, shape) != (own, own_shape):
                return f"{path or 'it'} is {dtype}{list(shape)} by PyTorch, {own}{list(own_shape)} by rushlight"
        expected, found = self.theirs.ask("values", which), self.mine.ask("values", which)
        for (path, _), x, y in zip(theirs, expected, found):
            how = differ(x, y, self.rtol)
            if how is not None:
                return f"{path}: {how}" if path else how
        if which == "outputs":
            send(self.mine.out, ("take", expected))
        return None

    def parting(self, event: Any, what: str, save: bool) -> Parting:
        saved = None
        if save:
            saved = Path(self.folder or tempfile.mkdtemp(prefix="rushlight-"))
            saved.mkdir(parents=True, exist_ok=True)
            for side in (self.theirs, self.mine):
                side.ask("save", str(saved / f"{side.name.lower()}.pt"))
        return Parting(what, event[1], event[2][0], event[2][1], self.calls, saved)


def _ends(a: Any, b: Any) -> str:
    return ", ".join(
        f"{name} {'ends well' if e[1] is None else f'raises {e[1]}'}"
        for name, e in (("PyTorch", a), ("rushlight", b))
        if e[0] == "end"
    )


def differ(theirs: Any, mine: Any, rtol: float | None = None) -> str | None:
    """How two values differ beyond rounding; None where they don't. Each is a dtype, a shape and bytes."""
    dtype, shape, data = theirs
    if data == mine[2]:
        return None
    a, b = _numbers(dtype, data), _numbers(dtype, mine[2])
    relative, absolute = _TOLERANCES.get(dtype, (0.0, 0.0))
    if rtol is not None and dtype in _TOLERANCES:
        relative, absolute = rtol, rtol / 5
    most = max((abs(x) for x in a if math.isfinite(abs(x))), default=0.0)
    wrong = [
        i
        for i, (x, y) in enumerate(zip(a, b))
        if not (
            x == y or (x != x and y != y) or abs(x - y) <= min(relative * abs(x) + absolute * most, sys.float_info.max)
        )
    ]
    if not wrong:
        return None
    worst = max(wrong, key=lambda i: abs(a[i] - b[i]) if abs(a[i] - b[i]) == abs(a[i] - b[i]) else math.inf)
    index: list[int] = []
    rest = worst
    for n in reversed(shape):
        index.insert(0, rest % n)
        rest //= n
    return (
        f"{len(wrong)} of {len(a)} elements of a {dtype}{list(shape)}, most at {index}: {a[worst]} by PyTorch, "
        f"{b[worst]} by rushlight"
    )


def _numbers(dtype: str, data: bytes) -> list[Any]:
    """The numbers that bytes stand for."""
    if dtype in ("int", "float", "complex"):
        return [{"int": int, "float": float, "complex": complex}[dtype](data.decode())]
    import rushlight

    if dtype == "bool" and data in (b"True", b"False"):  # a number of Python
        return [data == b"True"]
    return list(rushlight.frombuffer(bytearray(data), dtype=getattr(dt, dtype, dt.uint8)).tolist())


def main(arguments: list[str]) -> int:
    """`python -m rushlight compare [--seed N] [--rtol R] [--save FOLDER] script.py ...`; the exit status: 0 where the
    runs agree, 1 where they part.
    """
    import argparse

    parser = argparse.ArgumentParser(
        prog="python -m rushlight compare",
        description="Run a program on PyTorch and on rushlight, and name the first call whose results part.",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rtol", type=float, help="relative difference that is taken for rounding")
    parser.add_argument("--save", metavar="FOLDER", help="where the inputs of the call that parts are written")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args(arguments)
    try:
        found = compare(given.script, given.arguments, seed=given.seed, rtol=given.rtol, folder=given.save)
    except (ModuleNotFoundError, RuntimeError) as error:
        print(f"rushlight: {error}", file=sys.stderr)
        return 2
    if isinstance(found, int):
        print(f"{found} calls compared: the runs agree")
        return 0
    print(found)
    return 1
