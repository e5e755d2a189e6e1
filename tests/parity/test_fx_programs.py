"""`torch.fx` as programs use it: what each program of these files prints (code, graphs, values, types of errors) is
what it prints on PyTorch, but for those listed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the reference")
HERE = Path(__file__).parent
PROGRAMS = {"fx_programs.py": 24, "fx_tracing.py": 24, "fx_surgery.py": 21}

DIFFERENT = {
    "p01_print": "the text of a function written in C",
    "p09_interpreter": "the text of an error",
    "p14_tabular": "printed without the package tabulate, which PyTorch needs",
    "p19_starargs": "parameters by keyword alone are traced, where PyTorch's code does not compile",
    "p21_dce": "a method that writes is kept",
    "p22_lint": "the texts of errors",
    "p23_node_api": "the name of a function in the text of an error",
}


def printed(program: str, *command: str) -> dict[str, str]:
    done = subprocess.run([sys.executable, *command, str(HERE / program)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    found = {}
    for part in done.stdout.split("##### ")[1:]:
        name, _, text = part.partition("\n")
        found[name] = re.sub(r"0x[0-9a-f]+", "0x", text)
    return found


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program: str) -> None:
    theirs, ours = printed(program), printed(program, "-m", "rushlight")
    assert len(theirs) == PROGRAMS[program] and list(theirs) == list(ours)
    assert {k: ours[k] for k, v in theirs.items() if ours[k] != v and k not in DIFFERENT} == {}
    assert [k for k in DIFFERENT if k in ours and ours[k] == theirs[k]] == [], "these are equal now"
