"""The generated stubs: up to date, accepted by a type checker on the examples and typical uses, and strict about mistakes."""
from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

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


def mypy(folder: Path, *files: Path) -> list[str]:
    """The errors that mypy finds in some files; `folder` is for its configuration."""
    pytest.importorskip("mypy")
    config = folder / "mypy.ini"
    config.write_text(CONFIG)
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(config), "--cache-dir", str(ROOT / ".mypy_cache" / "typing"), *map(str, files)],
                          cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    mine = {f.name for f in files}
    return [line for line in done.stdout.splitlines() if Path(line.split(":")[0]).name in mine and " error: " in line]


def test_the_stubs_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "tools" / "stubs.py"), "--check"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"run `python tools/stubs.py`:\n{done.stdout}{done.stderr}"


def test_typical_uses(tmp_path: Path) -> None:
    assert mypy(tmp_path, CASES / "uses.py") == []
    runpy.run_path(str(CASES / "uses.py"))


def test_mistakes_are_found(tmp_path: Path) -> None:
    found = {int(line.split(":")[1]): line.rpartition("[")[2].rstrip("]") for line in mypy(tmp_path, CASES / "misuses.py")}
    lines = (CASES / "misuses.py").read_text().splitlines()
    expected = {i: m[1] for i, line in enumerate(lines, 1) if (m := re.search(r"# expect: ([\w-]+)", line))}
    assert expected and found == expected


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
