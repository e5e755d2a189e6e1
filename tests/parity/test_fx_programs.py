"""`torch.fx` as programs use it: what each program of fx_programs.py prints (code, graphs, values, types of errors) is
what it prints on PyTorch, but for those listed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the reference")
PROGRAM = Path(__file__).parent / "fx_programs.py"

DIFFERENT = {
    "p01_print": "the text of a function written in C",
    "p06_replace_pattern": "functions of torch._C._nn have their public names",
    "p09_interpreter": "the text of an error",
    "p10_transformer": "functions of torch._C._nn have their public names",
    "p14_tabular": "printed without the package tabulate, which PyTorch needs",
    "p18_methods": "torch.split is torch.functional.split",
    "p19_starargs": "parameters by keyword alone are traced, where PyTorch's code does not compile",
    "p20_concrete": "arguments that are trees are taken apart in the graph",
    "p21_dce": "a method that writes is kept",
    "p22_lint": "the texts of errors",
    "p23_node_api": "PyTorch finds several overloads of add",
    "p25_python_code": "no globals for trees",
    "p37_drawer": "no pydot",
    "p38_normalize": "no NormalizeArgs",
    "p44_method_of_module_proxy": "functions of torch._C._nn have their public names",
    "p46_einsum_lists": "torch.einsum is torch.functional.einsum",
}


def printed(*command: str) -> dict[str, str]:
    done = subprocess.run([sys.executable, *command, str(PROGRAM)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    found = {}
    for part in done.stdout.split("##### ")[1:]:
        name, _, text = part.partition("\n")
        found[name] = re.sub(r"0x[0-9a-f]+", "0x", text)
    return found


def test_programs() -> None:
    theirs, ours = printed(), printed("-m", "rushlight")
    assert len(theirs) == 48 and list(theirs) == list(ours)
    assert {k: ours[k] for k, v in theirs.items() if ours[k] != v and k not in DIFFERENT} == {}
    assert [k for k in DIFFERENT if ours[k] == theirs[k]] == [], "these are equal now"
