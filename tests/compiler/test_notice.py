"""The line that says that kernels are being compiled: on a terminal alone, after a second, and gone afterwards."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rushlight.compiler.kernels import notice

PROGRAM = """
import time
from rushlight.compiler.kernels import notice
notice.PATIENCE = 0.3
def slow():  # stands for a compilation that takes long
    with notice.waiting:
        time.sleep(SECONDS)
slow()
print("done", flush=True)
"""


def seen(seconds: float, **env: str) -> str:
    """What a terminal gets of a program that compiles for so long."""
    main, other = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.replace("SECONDS", str(seconds))],
        stdout=other,
        stderr=other,
        env={**os.environ, **env},
    )
    os.close(other)
    data = b""
    while True:
        try:
            more = os.read(main, 1000)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        data += more
    os.close(main)
    assert process.wait(60) == 0, data
    return data.decode()


def test_a_terminal_is_told() -> None:
    text = seen(1.0)
    assert "\rrushlight compiles kernels" in text and text.index("\r\x1b[K") < text.index("done")
    assert seen(0.0).strip() == "done"
    assert seen(1.0, RUSHLIGHT_PROGRESS="0").strip() == "done"


def test_a_pipe_is_not_told() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("SECONDS", "0.6")], capture_output=True, text=True, timeout=100
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_kernels_that_follow_one_another_are_one_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(notice, "wanted", lambda: True)
    monkeypatch.setattr(notice, "_write", said.append)
    monkeypatch.setattr(notice, "PATIENCE", 0.4)
    waiting = notice._Waiting()
    for _ in range(8):  # none of them takes as long
        with waiting:
            time.sleep(0.1)
    assert said and said[0].startswith("\rrushlight compiles") and said[-1] == "\r\x1b[K"
    since = waiting.since
    time.sleep(0.3)  # another call
    with waiting:
        assert waiting.since > since


def test_compiling_is_waited_for(tmp_path: Path) -> None:
    """The cache enters it where it builds a kernel, and only there."""
    code = (
        "from rushlight.compiler.kernels import notice\n"
        "entered = []\nplain = notice._Waiting.__enter__\n"
        "notice._Waiting.__enter__ = lambda self: (entered.append(1), plain(self))[1]\n"
        "import rushlight as rl\nrl.ones(7).exp().sum()\nprint(len(entered) > 0)"
    )
    env = {**os.environ, "RUSHLIGHT_CACHE_DIR": str(tmp_path)}
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=100
        ).stdout.strip()
        for _ in range(2)
    ]
    assert runs == ["True", "False"]
