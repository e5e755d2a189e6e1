"""Cell by cell, as notebooks and IPython run a program: a module `__main__` that lives on, errors between the cells,
code that is reloaded.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

CELLS = [
    "import torch, torch.nn as nn",
    "x = torch.arange(3.0)\nprint(x)",
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.layer = nn.Linear(3, "
    "2)\n    def forward(self, x):\n        return self.layer(x)\nnet = Net()",
    "net(torch.ones(5))",
    "torch.softmaxx",
    "import helper\nprint(helper.scaled(x))",
    "text = open('helper.py').read().replace('SCALE = 1', 'SCALE = 50')\nopen('helper.py', 'w').write(text)",
    "RELOAD",
    "print(helper.scaled(x))",
    "def work(i):\n    return (torch.ones(2) * i).sum().item()\nimport multiprocessing\nwith "
    "multiprocessing.get_context('fork').Pool(2) as pool:\n    print(pool.map(work, range(3)))",
    "from torch.utils.data import DataLoader, TensorDataset\nprint([b.tolist() for b, in "
    "DataLoader(TensorDataset(x), batch_size=2, num_workers=1)])",
    "import pickle\nprint(pickle.loads(pickle.dumps(net)).layer.weight.shape)",
    "class Net(Net):\n    def forward(self, x):\n        return super().forward(x).sum()\nprint(Net()(x).shape)",
    "loss = net(x).sum(); loss.backward(); print(net.layer.bias.grad)",
]
PRINTED = [
    "tensor([0., 1., 2.])",
    "tensor([0., 1., 2.])",
    "tensor([  0.,  50., 100.])",
    "[0.0, 2.0, 4.0]",
    "[[0.0, 1.0], [2.0]]",
    "torch.Size([2, 3])",
    "torch.Size([])",
    "tensor([1., 1.])",
]
HELPER = "import torch\nSCALE = 1\n\n\ndef scaled(x):\n    return x * SCALE\n"

# A cell is compiled and run in `__main__`; what it raises is shown, and the next one runs.
LOOP = """
import importlib, json, sys
import rushlight.compat
rushlight.compat.install()
space = vars(sys.modules["__main__"])
for i, cell in enumerate(json.load(open("cells.json"))):
    if cell == "RELOAD":
        importlib.reload(space["helper"])
        continue
    try:
        exec(compile(cell, f"<cell {i}>", "exec"), space)
    except Exception as error:
        sys.excepthook(type(error), error, error.__traceback__)
"""
IPYTHON = """
import json
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("colors", "NoColor")
shell.run_line_magic("load_ext", "rushlight.compat")
shell.run_line_magic("load_ext", "autoreload")
shell.run_line_magic("autoreload", "2")
for cell in json.load(open("cells.json")):
    if cell != "RELOAD":
        shell.run_cell(cell)
shell.run_line_magic("run", "script.py")
shell.Completer.use_jedi = False
texts = ("torch.optim.SG", "x.softm", "torch.autograd.Funct")
print([[name.rpartition(".")[2] for name in shell.complete(None, t, len(t))[1]] for t in texts])
shell.run_line_magic("unload_ext", "rushlight.compat")
print("torch" in __import__("sys").modules)
"""


def run(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    import json

    (folder / "cells.json").write_text(json.dumps(CELLS))
    (folder / "helper.py").write_text(HELPER)
    (folder / "script.py").write_text("import torch\nprint('script', torch.ones(1), __name__)\n")
    (folder / "program.py").write_text(textwrap.dedent(program))
    done = subprocess.run([sys.executable, "program.py"], capture_output=True, text=True, timeout=300, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done


def checked(shown: str) -> None:
    """Both errors, with the cells' lines and no other."""
    assert "RuntimeError: linear(): the last dimension of 'input' must be that of 'weight', 3; found 5" in shown
    assert (
        "did you mean torch.softmax?" in shown
        and "forward" in shown
        and "module.py" not in shown
        and ".pyx" not in shown
    )


def test_cells(tmp_path: Path) -> None:
    done = run(LOOP, tmp_path)
    assert done.stdout.splitlines() == PRINTED
    checked(done.stderr)


@pytest.mark.skipif(importlib.util.find_spec("IPython") is None, reason="IPython is not installed")
def test_ipython(tmp_path: Path) -> None:
    done = run(IPYTHON, tmp_path)
    lines = [
        line for line in done.stdout.splitlines() if line in {*PRINTED, "False"} or line.startswith(("script", "[["))
    ]
    assert lines == [*PRINTED, "script tensor([1.]) __main__", "[['SGD'], ['softmax'], ['Function']]", "False"], (
        done.stdout
    )
    checked(done.stdout + done.stderr)
