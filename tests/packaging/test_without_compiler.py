"""Packages run in an environment that has no llvmlite: its own, with what remains of the installed packages."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest
from networks import CASES, at_sizes, made

import rushlight as rl
from rushlight.func.tree import flatten

NEEDED = ("rushlight", "numpy", "numpy.libs", "scipy_openblas64")
MOST = 150e6  # bytes of an installation that runs packages

_RUN = """
import importlib.util, json, pickle, sys
import rushlight as rl
from rushlight.func.tree import flatten

assert importlib.util.find_spec("llvmlite") is None
found = {}
for name, calls in pickle.load(open(sys.argv[1], "rb")).items():
    run = rl.load_package(f"{sys.argv[2]}/{name}.rl")
    for args in calls:
        args = [{k: rl.from_numpy(v) for k, v in a.items()} if type(a) is dict else rl.from_numpy(a) for a in args]
        told = [x.numpy().tobytes().hex() if isinstance(x, rl.Tensor) else x for x in flatten(run(*args))[0]]
        found.setdefault(name, []).append(told)
print(json.dumps({"results": found, "loaded": sorted(sys.modules)}))
"""


def _folder_of(name: str) -> Path:
    if name == "rushlight":
        return Path(rl.__file__).parent
    spec = importlib.util.find_spec("numpy" if name == "numpy.libs" else name)
    assert spec is not None and spec.submodule_search_locations
    folder = Path(next(iter(spec.submodule_search_locations)))
    return folder.with_name(name) if name == "numpy.libs" else folder


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with all that rushlight needs but llvmlite."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False, symlinks=True)
    (site,) = home.glob("lib/python*/site-packages")
    for name in NEEDED:
        if (folder := _folder_of(name)).is_dir():
            (site / name).symlink_to(folder)
    return home / "bin" / "python"


def _printed(python: Path, home: Path, *arguments: Any) -> str:
    """What a program prints that has no kernels on disk, and whose folders are the environment's alone."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "RUSHLIGHT"))}
    done = subprocess.run(
        [python, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
        env={**env, "RUSHLIGHT_CACHE_DIR": str(home / "kernels")},
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_packages_run_without_llvmlite(python: Path, tmp_path: Path) -> None:
    import pickle

    calls: dict[str, Any] = {}
    expected: dict[str, Any] = {}
    processors = ("native", "x86-64-v3") if sys.platform == "linux" and os.uname().machine == "x86_64" else ("native",)
    for name in CASES:
        if name == "half":  # NumPy has no bfloat16
            continue
        module, args = made(name)
        rl.package(module, tmp_path / f"{name}.rl", args, dynamic_shapes=CASES[name].shapes, processors=processors)
        for given in [args, *[at_sizes(name, sizes, args) for sizes in CASES[name].sizes]]:
            with rl.no_grad():
                leaves = flatten(module(*given))[0]
            plain = [{k: v.numpy() for k, v in a.items()} if isinstance(a, dict) else a.numpy() for a in given]
            calls.setdefault(name, []).append(plain)
            told = [x.numpy().tobytes().hex() if isinstance(x, rl.Tensor) else x for x in leaves]
            expected.setdefault(name, []).append(told)
    (tmp_path / "calls").write_bytes(pickle.dumps(calls))
    (tmp_path / "run.py").write_text(_RUN)
    found = json.loads(_printed(python, tmp_path, tmp_path / "run.py", tmp_path / "calls", tmp_path))
    for name in expected:
        assert found["results"][name] == expected[name], name
    loaded = [m for m in found["loaded"] if m.startswith(("rushlight.compiler.passes", "rushlight.compiler.vecmath"))]
    assert not loaded and "rushlight.transforms" not in found["loaded"] and "rushlight.export" not in found["loaded"]


def test_an_operator_says_what_is_missing(python: Path, tmp_path: Path) -> None:
    program = "import rushlight as rl\ntry:\n    rl.ones(3).exp()\nexcept ModuleNotFoundError as e:\n    print(e)"
    said = _printed(python, tmp_path, "-c", program)
    assert said.startswith("rushlight needs the package llvmlite to compile a kernel"), said


def test_the_installation_is_small() -> None:
    def size(folder: Path) -> int:
        return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)

    assert sum(size(_folder_of(name)) for name in NEEDED if _folder_of(name).is_dir()) <= MOST
