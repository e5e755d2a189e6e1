"""`python -m rushlight doctor`: what is well, and each thing that is not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rushlight as rl
from rushlight.compiler.kernels import cache
from rushlight.inspection import doctor
from rushlight.utils import collect_env

SOURCE = Path(rl.__file__).parent


def told(**env: str) -> tuple[int, str]:
    usual = {k: v for k, v in os.environ.items() if not k.startswith("RUSHLIGHT_") or k == "RUSHLIGHT_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", "doctor"], capture_output=True, text=True, env={**usual, **env}, timeout=300
    )
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


def test_the_report(tmp_path: Path) -> None:
    _, text = told(RUSHLIGHT_CACHE_DIR=str(tmp_path / "kernels"))
    for word in (
        "llvmlite",
        "numpy",
        "scipy-openblas64",
        "threads",
        f"kernel cache: {tmp_path}",
        "a kernel compiles and runs: 30.0000",
    ):
        assert f"ok  {word}" in text or word in text, word
    assert text.splitlines()[-1] == "nothing is wrong" or "!! " in text


def test_what_is_wrong(tmp_path: Path) -> None:
    folder = tmp_path / "kernels"
    folder.mkdir()
    folder.chmod(0o777)
    (folder / "ab").mkdir()
    (folder / "ab" / ".new-1-2-3").write_bytes(b"")
    status, text = told(
        RUSHLIGHT_CACHE_DIR=str(folder), RUSHLIGHT_CACHE="x", PYTHONPATH=str(SOURCE / "compat" / "children")
    )
    assert status == 1
    for line in (
        f"chmod go-w {folder}",
        "!!  RUSHLIGHT_CACHE=x\n     -> no such setting",
        "!!  1 unfinished files",
        "!!  PYTHONPATH holds rushlight's folder for child processes",
    ):
        assert line in text, text
    assert re.search(r"\n[4-9] things to look at\n$", text)
    status, text = told(RUSHLIGHT_CACHE_MB="many")
    assert status == 1 and "!!  RUSHLIGHT_CACHE_MB must be a number" in text


def test_each_finding(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def one(look: Any) -> list[str]:
        return [str(f) for f in look() if not f.well]

    monkeypatch.setattr(rl, "get_num_threads", lambda: 4096)
    assert "more threads than processors" in one(doctor._threads)[0]
    monkeypatch.setattr(doctor.collect_env, "processor", lambda: ("some", "sse4_2"))
    assert "without AVX2" in one(doctor._processor)[0]
    monkeypatch.setattr(cache, "folder", lambda: None)
    assert "RUSHLIGHT_CACHE_DIR" in one(doctor._kernel_cache)[0]
    monkeypatch.setattr(doctor.collect_env, "library_versions", lambda: {"numpy": "not installed"})
    assert one(doctor._versions) == ["!!  numpy not installed\n     -> pip install numpy"]
    monkeypatch.setattr(rl, "arange", lambda *a, **k: 1 / 0)
    assert "can't be compiled: ZeroDivisionError" in one(doctor._compiles)[0]


def test_every_variable_is_known() -> None:
    """What the sources read is what the report explains."""
    read = set()
    for path in SOURCE.rglob("*"):
        if path.suffix in (".py", ".pyx", ".c", ".h", ".pxi") and path.name != "doctor.py":
            read |= set(re.findall(r"[\"'](RUSHLIGHT_[A-Z_]+)[\"']", path.read_text()))
    assert read - {"RUSHLIGHT_COMPARE"} == set(doctor.VARIABLES)


def test_kernels_that_go_while_they_are_counted(tmp_path: Path) -> None:
    """Another process removes what is used least: a file that has gone is not counted, and is no error."""
    (tmp_path / "ab").mkdir()
    (tmp_path / "ab" / "abcd").write_bytes(b"12345")
    (tmp_path / "ab" / "abce").symlink_to(tmp_path / "gone")
    assert collect_env.sizes_in(tmp_path) == [5]
