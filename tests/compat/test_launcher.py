"""`python -m rushlight` and the import alias, each in a process of its own as users run them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import zipapp
from pathlib import Path

import pytest

from processes import printed


def launch(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rushlight", *arguments], capture_output=True, text=True, cwd=cwd, timeout=120
    )


def script(folder: Path, text: str, name: str = "prog.py") -> str:
    path = folder / name
    path.write_text(textwrap.dedent(text))
    return str(path)


def output(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_modules_are_the_same_objects() -> None:
    code = """
    import sys, torch, rushlight
    import torch.nn.functional as F
    import torch.optim.lr_scheduler
    from torch import nn, optim
    from torch.utils.data import DataLoader
    assert torch is rushlight and sys.modules["torch"] is sys.modules["rushlight"]
    assert F is rushlight.nn.functional is sys.modules["torch.nn.functional"]
    assert nn is rushlight.nn and optim is rushlight.optim
    assert F.__spec__.name == "rushlight.nn.functional" and F.__name__ == "torch.nn.functional"
    assert DataLoader is rushlight.utils.data.DataLoader
    """
    output(launch("-c", textwrap.dedent(code)))


@pytest.mark.parametrize(
    "code, kind, words",
    [
        ("torch.softmaxx", "AttributeError", ["'softmaxx'", "did you mean torch.softmax?"]),
        ("from torch import softmaxx", "ImportError", ["'softmaxx'", "did you mean torch.softmax?"]),
        ("torch.utils.data.DataLoder", "AttributeError", ["did you mean torch.utils.data.DataLoader?"]),
        ("torch.distributions.Normall", "AttributeError", ["did you mean torch.distributions.Normal?"]),
        ("torch.distributions.normall", "AttributeError", ["did you mean torch.distributions.normal?"]),
        ("torch.optim.Adm", "AttributeError", ["did you mean torch.optim.Adam?"]),
        ("torch.autograd.Functon", "AttributeError", ["did you mean torch.autograd.Function?"]),
        ("torch.linalg.sovle", "AttributeError", ["'sovle'", "did you mean torch.linalg.solve?"]),
        (
            "torch.quantized_batch_norm",
            "AttributeError",
            ["PyTorch 2.13.0 has torch.quantized_batch_norm, and rushlight lacks it so far"],
        ),
        (
            "from torch import quantized_batch_norm",
            "ImportError",
            ["PyTorch 2.13.0 has torch.quantized_batch_norm, and rushlight lacks it so far"],
        ),
        ("import torch.numa", "ModuleNotFoundError", ["PyTorch 2.13.0 has torch.numa, and rushlight lacks it so far"]),
        ("import torch.optin", "ModuleNotFoundError", ["'torch.optin'", "did you mean torch.optim?"]),
        ("import torch.nowhere.at_all", "ModuleNotFoundError", ["'torch.nowhere'", "rushlight does not have it"]),
    ],
)
def test_missing_names(code: str, kind: str, words: list[str]) -> None:
    found = output(launch("-c", f"import torch\ntry:\n    {code}\nexcept {kind} as e:\n    print(e)"))
    for word in words:
        assert word in found[0]


@pytest.mark.parametrize(
    "code, words",
    [
        ("torch.ones(2).to_mkldnn()", "PyTorch 2.13.0 has torch.Tensor.to_mkldnn, and rushlight lacks it so far"),
        ("torch.ones(2).reshap(2)", "Did you mean: 'reshape'?"),
    ],
)
def test_missing_methods(code: str, words: str) -> None:
    done = launch("-c", f"import torch\n{code}")
    assert done.returncode == 1 and words in done.stderr


def test_probing() -> None:
    code = """
    import importlib.util, torch
    print(hasattr(torch, "softmaxx"), importlib.util.find_spec("torch.nowhere"))
    print(importlib.util.find_spec("torch.nn") is not None)
    """
    assert output(launch("-c", textwrap.dedent(code))) == ["False None", "True"]


def test_version() -> None:
    code = """
    import torch
    v = torch.__version__
    assert isinstance(v, str) and "rushlight" in v
    assert v >= "2.2" and v >= (2, 13) and v < "2.14" and not v < "2.9" and v > "2.13.0" and v != "2.13.0"
    assert v.split("+")[0].split(".")[:2] == ["2", "13"]
    """
    output(launch("-c", textwrap.dedent(code)))


def test_version_is_that_of_the_build() -> None:
    build = (Path(__file__).resolve().parents[2] / "meson.build").read_text()
    number = build.split("version: '")[1].split("'")[0]
    assert output(launch("--version")) == [f"rushlight {number}, standing in for torch 2.13.0"]
    assert output(launch("-c", "import torch; print(torch.__version__)")) == [f"2.13.0+rushlight.{number}"]


def test_real_torch_first(tmp_path: Path) -> None:
    script(tmp_path, "", "torch.py")
    code = "import torch, rushlight.compat\nrushlight.compat.install()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1 and "RuntimeError" in done.stderr and "another torch is imported already" in done.stderr


def test_uninstall() -> None:
    code = """
    import sys, rushlight.compat as c
    c.install(); c.install()
    import torch.nn
    c.uninstall()
    assert not c.installed() and not [n for n in sys.modules if n.split(".")[0] == "torch"]
    c.install()
    import torch
    assert torch is sys.modules["rushlight"]
    """
    printed("-c", textwrap.dedent(code))


def test_children_find_torch(tmp_path: Path) -> None:
    """Whatever a program starts with the same Python finds rushlight as torch, its submodules and its metadata; another
    Python its own torch.
    """
    script(
        tmp_path,
        """
        import importlib.metadata, sys, torch, torch.nn.functional as F
        from torch.nn import Linear
        version = importlib.metadata.version("torch")[:6]
        print(torch is sys.modules["rushlight"], float(F.relu(torch.tensor(-1.0))), version)
        """,
        "child.py",
    )
    code = """
        import os, subprocess, sys
        run = lambda *a, **k: print(subprocess.run(a, capture_output=True, text=True, **k).stdout.strip(), flush=True)
        run(sys.executable, "child.py")
        run(sys.executable, "-c", "import os; os.system(__import__('sys').executable + ' child.py')")
        run(sys.executable, "-c", "import torch.nn; from torch.nn.functional import relu; print(relu(torch.ones(1)))")
        elsewhere = {**os.environ, "RUSHLIGHT_STANDS_IN": "elsewhere"}
        run(sys.executable, "-c", "import torch; print(torch.mine)", env=elsewhere)
        """
    path = script(tmp_path, code)
    (tmp_path / "own").mkdir()
    script(tmp_path / "own", "mine = 'another torch'", "torch.py")
    before = os.environ.get("PYTHONPATH")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [before, str(tmp_path / "own")]))}
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", path], capture_output=True, text=True, cwd=tmp_path, env=env, timeout=120
    )
    assert done.stdout.splitlines() == ["True 0.0 2.13.0", "True 0.0 2.13.0", "tensor([1.])", "another torch"], (
        done.stderr
    )


def test_uninstall_leaves_the_environment(tmp_path: Path) -> None:
    code = """
    import os
    for value in (None, "", "/somewhere"):
        if value is not None: os.environ["PYTHONPATH"] = value
        before = dict(os.environ)
        import rushlight.compat as c
        c.install(); assert os.environ != before
        c.uninstall(); assert {**before, "PYTHONPATH": value or ""} == {"PYTHONPATH": "", **os.environ}, value
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
    )
    assert done.returncode == 0, done.stderr


def test_arguments_and_paths(tmp_path: Path) -> None:
    script(tmp_path, "value = 5", "neighbour.py")
    path = script(
        tmp_path,
        """
        import sys, neighbour
        same = sys.modules["__main__"].__dict__ is globals()
        print(sys.argv, sys.path[0], __name__, __file__, __spec__, neighbour.value, same)
        """,
    )
    assert output(launch(path, "-a", "b")) == [f"{[path, '-a', 'b']} {tmp_path} __main__ {path} None 5 True"]
    assert output(launch("-m", "neighbour", cwd=tmp_path)) == []
    assert output(launch("-c", "import sys; print(sys.argv, repr(sys.path[0]))", "x")) == ["['-c', 'x'] ''"]


def test_the_main_module_is_what_python_makes(tmp_path: Path) -> None:
    """A script named from its folder, and a folder and an archive with a `__main__.py`: Python's own launch says what
    is right.
    """
    code = """
    import os, sys
    os.chdir("/")
    line = sys._getframe().f_code.co_filename
    print(__file__, line, sys.argv, sys.path[0], __name__, type(__spec__).__name__, repr(__package__), __cached__)
    print(sorted(globals()))
    """
    (tmp_path / "pack").mkdir()
    script(tmp_path, code)
    script(tmp_path / "pack", code, "__main__.py")
    zipapp.create_archive(tmp_path / "pack", tmp_path / "pack.pyz")
    for name in ("prog.py", "pack", "pack.pyz", "pack/__main__.py"):
        shown = printed(name, "a", cwd=tmp_path)
        assert output(launch(name, "a", cwd=tmp_path)) == shown.splitlines()
    (tmp_path / "pack" / "__main__.py").unlink()
    refused = launch("pack", cwd=tmp_path)
    assert refused.returncode == 2 and "can't find '__main__' module in" in refused.stderr


@pytest.mark.parametrize("name", ["IPython", "ipykernel_launcher"])
def test_shells_are_told_of_the_extension(tmp_path: Path, name: str) -> None:
    """They make their shell after the launcher has done its work: errors would be shown with the library's frames."""
    (tmp_path / f"{name}.py").write_text("import sys\nprint(sys.argv[1:])\n")
    assert output(launch("-m", name, "-c", "1", cwd=tmp_path)) == ["['--ext=rushlight.compat', '-c', '1']"]


def test_module(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    script(tmp_path / "pack", "")
    script(tmp_path / "pack", "", "__init__.py")
    script(
        tmp_path / "pack",
        "import sys, torch\nfrom . import prog\nprint(sys.argv[1:], __package__, __spec__.name)",
        "__main__.py",
    )
    assert output(launch("-m", "pack", "1", cwd=tmp_path)) == ["['1'] pack pack.__main__"]


@pytest.mark.parametrize(
    "code, status",
    [("import sys; sys.exit(7)", 7), ("raise SystemExit('bye')", 1), ("1/0", 1), ("x = = 1", 1), ("", 0)],
)
def test_exit_status(tmp_path: Path, code: str, status: int) -> None:
    assert launch(script(tmp_path, code)).returncode == status
    assert launch("-c", code).returncode == status


def test_tracebacks_are_the_programs(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        """\
        def f():
            return 1 / 0

        f()
        """,
    )
    done = launch(path)
    lines = done.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):" and lines[1] == f'  File "{path}", line 4, in <module>'
    assert "return 1 / 0" in done.stderr and "launcher.py" not in done.stderr
    assert "launcher.py" not in launch(script(tmp_path, "x = = 1")).stderr


def test_usage() -> None:
    for arguments in [("no-such-file.py",), ("--nonsense",), ("-m",), ("-m", "no_such_module_here"), ("explain",)]:
        done = launch(*arguments)
        assert done.returncode == 2 and "rushlight:" in done.stderr, arguments


def typed(lines: str, *arguments: str) -> str:
    """What a terminal shows when `lines` are typed at it."""
    import pty

    main, end = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "rushlight", *arguments],
        stdin=end,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    os.close(end)
    os.write(main, lines.encode() + b"\x04")
    shown = process.communicate(timeout=120)[0]
    os.close(main)
    return shown


def test_prompt(tmp_path: Path) -> None:
    assert "[2.0, 2.0]" in typed("print((torch.ones(2) * 2).tolist())\n")
    path = script(tmp_path, "import sys, torch\nx = torch.full((2,), 3.0)\nprint(sys.argv[1:])\nsys.exit(4)")
    shown = typed("print(x.sum().item(), __name__)\n", "-i", path, "a")
    assert "['a']" in shown and "SystemExit: 4" in shown and "6.0 __main__" in shown
    done = subprocess.run(
        [sys.executable, "-m", "rushlight"],
        input="import torch\nprint(torch.ones(1).item(), __name__)\n",
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout == "1.0 __main__\n" and done.returncode == 0


def test_explain() -> None:
    done = launch("explain", "softmax")
    assert done.returncode == 0 and all(
        word in done.stdout for word in ("reduce_max", "activation.py:", "kernel", "residual")
    ), done.stdout
    done = launch("explain", "softmaxx")
    assert (
        done.returncode == 1
        and done.stderr == "rushlight: explain(): there is no operator 'softmaxx'; the nearest is 'softmax'\n"
    )
    pipe = subprocess.run(
        f"{sys.executable} -m rushlight explain softmax | head -1", shell=True, capture_output=True, text=True
    )
    assert pipe.stdout.startswith("operator") and pipe.stderr == ""


def test_child_processes_and_pickles(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        """
        import multiprocessing, pickle
        import torch

        class Thing:
            pass

        def work(queue, thing):
            import torch
            queue.put((torch.__name__, type(thing).__name__))

        if __name__ == "__main__":
            assert type(pickle.loads(pickle.dumps(Thing()))) is Thing
            for method in ("fork", "spawn", "forkserver"):
                context = multiprocessing.get_context(method)
                queue = context.Queue()
                child = context.Process(target=work, args=(queue, Thing()))
                child.start()
                print(method, *queue.get(timeout=60))
                child.join()
        """,
    )
    assert output(launch(path)) == [f"{method} torch Thing" for method in ("fork", "spawn", "forkserver")]


def test_all_names_at_once() -> None:
    """`from torch import *` gives functions, classes and dtypes of PyTorch's, and neither modules nor what is ours,
    whatever has been loaded.
    """
    code = """
    import types
    import torch
    import torch.nn
    repr(torch.ones(2)), torch.set_num_threads(1)
    names = {}
    exec("from torch import *", names)
    del names["__builtins__"]
    assert len(names) > 700 and {"Tensor", "add", "float32", "no_grad", "save", "manual_seed"} <= set(names), len(names)
    assert not [n for n, v in names.items() if isinstance(v, types.ModuleType) or n.startswith("_")]
    assert not set(names) - set(dir(torch)) and set(names) == set(torch.__all__)
    """
    assert output(launch("-c", textwrap.dedent(code))) == []
