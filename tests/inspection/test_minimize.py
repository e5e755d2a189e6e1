"""`python -m rushlight minimize` and `rushlight.repro`: twenty programs that fail, each brought to a few lines that
fail the same way.
"""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from failures import FAILURES, HEAD

import rushlight as rl
from rushlight.inspection.minimize import of_program
from rushlight.inspection.minimize.record import Recorder
from rushlight.inspection.minimize.shrink import Failure

MOST = 15  # lines


def raised(path: Path) -> BaseException:
    """What a file raises."""
    with pytest.raises(Exception) as found:
        runpy.run_path(str(path))
    return found.value


def minimized(text: str, tmp_path: Path) -> tuple[BaseException, str]:
    """The exception of a program, and the small program that fails as it does: checked to do so."""
    own = text.replace("import torch.nn", "import rushlight.nn").replace(
        "import torch\n", "import rushlight as torch\n"
    )
    code = compile(own, "<the program>", "exec")
    found = of_program(lambda: exec(code, {"__name__": "program"}), tmp_path / "repro.py")
    assert found is not None
    error, path = found
    again = raised(path)
    cause = error.__cause__ or error
    assert Failure.of(again) == Failure.of(cause), f"{again!r} is not {cause!r}"
    return error, path.read_text()


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_becomes_a_few_lines(name: str, tmp_path: Path) -> None:
    _, text = minimized(HEAD + FAILURES[name], tmp_path)
    lines = text.splitlines()
    assert len(lines) <= MOST and max(map(len, lines)) <= 160, text
    theirs = (tmp_path / "repro_torch.py").read_text().splitlines()
    assert theirs[0] == "import torch" and theirs[1:] == lines[1:] and lines[0] == "import rushlight as torch"
    assert lines[-2].startswith("# rushlight says: ")


def test_how_small(tmp_path: Path) -> None:
    """What is no part of a failure is gone: other calls, sizes, values, gradients, arguments."""
    for name, expected in {
        "matmul": 2, "view": 1, "dtype": 1, "squeeze": 1, "cross_entropy": 2, "index": 2, "linear": 2, "leaf": 1,
    }.items():  # fmt: skip
        _, text = minimized(HEAD + FAILURES[name], tmp_path)
        body = [line for line in text.splitlines()[2:] if not line.startswith("#")]
        assert len(body) <= expected + 1, text
        assert "randn" not in text and not any(n in text for n in ("64,", "128", "100", "16)")), text


def test_what_depends_on_earlier_calls_keeps_them(tmp_path: Path) -> None:
    _, text = minimized(HEAD + FAILURES["inplace"], tmp_path)
    assert ".exp()" in text and "backward()" in text and "* 3" not in text
    _, text = minimized(HEAD + FAILURES["twice"], tmp_path)
    assert text.count("\nz.backward()") == 2


def test_without_gradients(tmp_path: Path) -> None:
    _, text = minimized(HEAD + "with torch.no_grad():\n    torch.ones(3).view(7)\n", tmp_path)
    assert "view(" in text


def test_what_is_no_failure_of_a_call(tmp_path: Path) -> None:
    def own() -> None:
        rl.ones(2).exp()
        raise ValueError("the program's own")

    with pytest.raises(RuntimeError, match="no call of an operator raised ValueError"):
        of_program(own, tmp_path / "repro.py")
    assert of_program(lambda: rl.ones(2).exp(), tmp_path / "repro.py") is None
    assert not (tmp_path / "repro.py").exists()

    def swallowed() -> None:
        try:
            rl.ones(2).view(3)
        except RuntimeError:
            pass  # as programs do that try

    assert of_program(swallowed, tmp_path / "repro.py") is None


def test_repro_after_an_exception(tmp_path: Path) -> None:
    def step(x: Any, w: Any) -> Any:
        x = x * 2
        return (x + 1) @ w

    try:
        step(rl.ones(30, 40), rl.ones(50, 20))
    except RuntimeError as error:
        path = rl.repro(file=tmp_path / "repro.py")
        assert Failure.of(raised(path)) == Failure.of(error)
        assert len(path.read_text().splitlines()) <= 6
        assert rl.repro(error, tmp_path / "other.py").read_text() == path.read_text()
    with pytest.raises(RuntimeError, match="there is no exception"):
        rl.repro()
    turn = [0]

    def once() -> rl.Tensor:
        turn[0] += 1
        return rl.ones(2).view(2 + (turn[0] == 1))

    try:
        once()
    except RuntimeError as error:
        turn[0] = 2
        with pytest.raises(RuntimeError, match="does not fail when it is run again"):
            rl.repro(error, tmp_path / "repro.py")


def test_the_recorder_keeps_a_window() -> None:
    with Recorder() as recorder:
        x = rl.ones(3)
        for _ in range(300):
            x = x + 1
    assert len(recorder.calls) == 100 and {c.name for c in recorder.calls} == {"torch.Tensor.add"}
    assert recorder.failed is None


def test_from_a_terminal(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(HEAD + FAILURES["view"])
    command = [sys.executable, "-m", "rushlight", "minimize", "--output", str(tmp_path / "small.py"), str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("RuntimeError: view()") and done.stdout.endswith((tmp_path / "small.py").read_text())
    script.write_text("import torch\nprint(torch.ones(1))\n")
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and "ends without an exception" in done.stderr
