"""The generated stubs: up to date, accepted by a type checker on the examples and typical uses, and strict about
mistakes.
"""

from __future__ import annotations

import importlib
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rushlight
from processes import printed
from rushlight.core.dispatch import Operator
from rushlight.core.dtypes import dtype
from rushlight.core.named import Named
from rushlight.operators.samples._registry import load

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "typing"
# Function bodies are checked whether annotated or not; what other packages' stubs say is not the question.
CONFIG = f"""[mypy]
mypy_path = {ROOT / "src"}
check_untyped_defs = true
ignore_missing_imports = true
[mypy-matplotlib.*,sklearn.*,tqdm.*,numpy.*]
follow_imports = skip
"""
# How a user has mypy take rushlight for torch; the package's own sources are here in the place of an installed one,
# whose errors are not shown.
STUBS = ROOT / "src" / "rushlight" / "compat" / "stubs"
AS_TORCH = f"""[mypy]
mypy_path = {STUBS}:{ROOT / "src"}
strict = true
[mypy-rushlight.*]
ignore_errors = true
"""


def mypy(folder: Path, *files: Path, settings: str = CONFIG) -> list[str]:
    """The errors that mypy finds in some files; `folder` is for its configuration."""
    pytest.importorskip("mypy")
    config = folder / "mypy.ini"
    config.write_text(settings)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--config-file",
            str(config),
            "--cache-dir",
            str(ROOT / ".mypy_cache" / "typing"),
            *map(str, files),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    mine = {f.name for f in files}
    # As a user has it, whatever is not a package's own is the user's.
    return [
        line
        for line in done.stdout.splitlines()
        if " error: " in line and (settings is AS_TORCH or Path(line.split(":")[0]).name in mine)
    ]


def test_the_stubs_are_up_to_date() -> None:
    printed(ROOT / "tools" / "stubs.py", "--check")


def test_typical_uses(tmp_path: Path) -> None:
    assert mypy(tmp_path, CASES / "uses.py") == []
    runpy.run_path(str(CASES / "uses.py"))


def planted(program: Path) -> dict[int, str]:
    """The lines of a program that have an error by intention, with its kind."""
    found = {
        i: m[1]
        for i, line in enumerate(program.read_text().splitlines(), 1)
        if (m := re.search(r"# expect: ([\w-]+)", line))
    }
    assert found
    return found


def kinds(errors: list[str]) -> dict[int, str]:
    """The lines that a checker complained of, with the kind of error."""
    return {int(line.split(":")[1]): line.rpartition("[")[2].rstrip("]") for line in errors}


def test_mistakes_are_found(tmp_path: Path) -> None:
    assert kinds(mypy(tmp_path, CASES / "misuses.py")) == planted(CASES / "misuses.py")


def test_a_program_that_imports_torch(tmp_path: Path) -> None:
    """Under strict settings; the program runs too."""
    program = CASES / "torch_program.py"
    assert kinds(mypy(tmp_path, program, settings=AS_TORCH)) == planted(program)
    launch(str(program))


def launch(*arguments: str, status: int = 0) -> str:
    """What `python -m rushlight` prints."""
    done = subprocess.run([sys.executable, "-m", "rushlight", *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def test_stubs_are_laid_where_they_are_wanted(tmp_path: Path) -> None:
    """A copy, which replaces an earlier one, and never another torch."""
    folder = tmp_path / "typings"
    for _ in range(2):
        assert launch("--stubs", str(folder)) == f"{folder}\n"
        assert {p.relative_to(folder): p.read_text() for p in folder.rglob("*.pyi")} == {
            p.relative_to(STUBS): p.read_text() for p in STUBS.rglob("*.pyi")
        }
        (folder / "torch" / "gone.pyi").touch()
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("mine = True\n")
    assert "none of rushlight's stubs" in launch("--stubs", str(tmp_path), status=1)
    assert (tmp_path / "torch" / "__init__.py").read_text() == "mine = True\n"


def test_every_stub_of_torch(tmp_path: Path) -> None:
    """Every module can be imported and read; a name that a stub takes from elsewhere is there."""
    names = sorted(".".join(p.relative_to(STUBS).parts[:-1]) for p in STUBS.rglob("__init__.pyi"))
    program = tmp_path / "everything.py"
    program.write_text("".join(f"import {name}\n" for name in names))
    pytest.importorskip("mypy")
    assert mypy(tmp_path, program, settings=AS_TORCH) == []


def written(value: Any) -> str | None:
    """A sample's argument as an expression with its type; None for what has none of a stub's types."""
    if isinstance(value, rushlight.Tensor):
        return "t"
    if isinstance(value, dtype):
        return f"rushlight.{value.name}"
    if value is None or type(value) in (bool, int, str, complex) or type(value) is float and abs(value) < 1e300:
        return repr(value)
    if type(value) in (list, tuple):
        parts = [written(v) for v in value]
        return (
            None
            if None in parts
            else f"[{', '.join(map(str, parts))}]"
            if type(value) is list
            else f"({''.join(f'{p}, ' for p in parts)})"
        )
    return None


def test_every_sample_is_accepted(tmp_path: Path) -> None:
    """The stubs take the calls that the operators take: every sample, by its types."""
    calls: dict[str, None] = {}
    for name, known in sorted(load().items()):
        space, _, last = name.rpartition(".")
        if last.startswith("_") or space.startswith("ops."):  # what torch.ops holds has no stubs
            continue
        for sample in known.samples(known.dtypes[0]):
            arguments = [written(v) for v in sample.args] + [
                f"{k}={w}" if (w := written(v)) else None for k, v in sample.kwargs.items()
            ]
            if None in arguments:
                continue
            home = importlib.import_module(f"rushlight.{space}".rstrip("."))
            if isinstance(getattr(home, last, None), Operator | Named):
                calls[f"rushlight.{name}({', '.join(map(str, arguments))})"] = None
            # where's method has the first two arguments the other way round.
            if (
                not space
                and callable(getattr(rushlight.Tensor, last, None))
                and last != "where"
                and isinstance(next(iter(sample.args), None), rushlight.Tensor)
            ):
                calls[f"t.{name}({', '.join(map(str, arguments[1:]))})"] = None
    assert len(calls) > 2000
    program = tmp_path / "calls.py"
    program.write_text(
        "import rushlight\nimport rushlight.nn.functional\n\n\ndef f(t: rushlight.Tensor) -> None:\n"
        + "".join(f"    {c}\n" for c in calls)
    )
    lines = program.read_text().splitlines()
    errors = [f"{lines[int(e.split(':')[1]) - 1].strip()}  # {e.split('error:')[1]}" for e in mypy(tmp_path, program)]
    assert not errors, "\n".join(errors)


def test_the_examples(tmp_path: Path) -> None:
    """The examples are scripts that import torch; they are read with rushlight in its place."""
    copies = []
    for example in sorted((ROOT / "examples").glob("*.py")):
        text = re.sub(r"^import torch$", "import rushlight as torch", example.read_text(), flags=re.MULTILINE)
        text = re.sub(r"^import torch\.([\w.]+) as", r"import rushlight.\1 as", text, flags=re.MULTILINE)
        text = re.sub(r"^from torch\b", "from rushlight", text, flags=re.MULTILINE)
        copies.append(tmp_path / f"example_{example.name}")
        copies[-1].write_text(text)
    assert copies
    assert mypy(tmp_path, *copies) == []
