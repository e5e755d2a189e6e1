"""Python in a process of its own: what it prints, on rushlight or on PyTorch; and work on several threads."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

# Far beyond what any of these programs takes: a machine may be busy with other things.
TIMEOUT = 900
RUSHLIGHT = ("-m", "rushlight")


def printed(
    *arguments: str | int | Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    text: str | None = None,
    timeout: float = TIMEOUT,
) -> str:
    """What Python prints when it is started with these arguments, and given `text`; it must end well.

    `env` is added to this process's variables."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **(env or {})},
        cwd=cwd,
        input=text,
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stdout[-6000:]}{done.stderr[-3000:]}"
    return done.stdout


def in_its_own_process(file: Path | str, function: str) -> None:
    """Call a function of a file of tests in a fresh process, whose memory holds nothing of the other tests."""
    folders = [str(Path(file).parent), str(Path(__file__).parent)]
    module = Path(file).stem
    printed("-c", f"import sys; sys.path[:0] = {folders!r}; import {module}; {module}.{function}()")


def printed_with_vectors(kind: str, code: str, folders: Sequence[Path | str], env: Mapping[str, str]) -> str:
    """What code prints in a process of its own, with the processor's vectors ("wide") or without AVX-512 ("narrow")."""
    here = Path(__file__).parent
    begins = f"import sys; sys.path[:0] = {[*map(str, folders), str(here)]!r}\n"
    if kind == "narrow":
        begins += f"sys.path.append({str(here.parent / 'tools')!r})\nfrom processor import without_avx512\n"
        begins += "without_avx512()\n"
    return printed("-c", begins + textwrap.dedent(code), kind, env=env)


@functools.cache
def reported(program: Path, *launcher: str) -> Any:
    """What a program writes, as JSON, to the file that is its last argument."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        printed(*launcher, program, file.name)
        return json.loads(Path(file.name).read_text())


def on_threads(work: Callable[[], None], count: int) -> None:
    """Let so many threads do the work at once; each has a minute."""
    threads = [threading.Thread(target=work) for _ in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert not any(t.is_alive() for t in threads)
