"""An error shows the program's lines: no frame of the library stands between them and the message, unless all are asked
for.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight.core import dtypes as dt
from rushlight.inspection import full_tracebacks, set_full_tracebacks
from rushlight.operators.samples._registry import ErrorSample, load
from rushlight.operators.table.define import METHODS, TABLE, public

PACKAGE = str(Path(rushlight.__file__).parent)


@pytest.fixture
def short() -> Iterator[None]:
    before = full_tracebacks()
    set_full_tracebacks(False)
    yield
    set_full_tracebacks(before)


def frames(error: BaseException) -> list[str]:
    """The functions of the library in a traceback."""
    return [
        f"{f.filename}:{f.name}"
        for f in traceback.extract_tb(error.__traceback__)
        if f.filename.startswith(PACKAGE) or f.filename.endswith((".pyx", ".pxi"))
    ]


def raised(op: Any, sample: ErrorSample) -> Exception | None:
    try:
        op(*sample.args, **sample.kwargs)
    except Exception as error:
        return error
    return None


def test_errors_of_every_operator(short: None) -> None:
    """Whatever an operator refuses, the last line shown is the one that called it, and the message is the one that
    there is with all frames.
    """
    tried = 0
    for name, known in load().items():
        op = public(name) if name in TABLE else METHODS.get(name)
        for sample in (
            known.errors(dt.float32 if dt.float32 in known.dtypes else known.dtypes[0]) if op is not None else ()
        ):
            set_full_tracebacks(True)
            whole = raised(op, sample)
            set_full_tracebacks(False)
            error = raised(op, sample)
            if error is None:
                continue  # refused when it is used by a program that lies around it
            tried += 1
            assert (type(error), str(error)) == (type(whole), str(whole)), name
            assert frames(error) == [] and traceback.extract_tb(error.__traceback__)[-1].filename == __file__, name
    assert tried > 1000


def test_frames_of_the_program_stay(short: None) -> None:
    """What an operator calls of the program's (a class's `__torch_function__`) is shown, what lies between is not."""

    class Own(rushlight.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            return {}["nothing"]

    with pytest.raises(KeyError) as caught:
        rushlight.exp(rushlight.ones(2).as_subclass(Own))
    assert "__torch_function__" in [f.name for f in traceback.extract_tb(caught.value.__traceback__)]


def test_the_setting() -> None:
    before = full_tracebacks()
    try:
        for full in (False, True):
            set_full_tracebacks(full)
            assert full_tracebacks() is full
            with pytest.raises(RuntimeError) as caught:
                rushlight.add(rushlight.ones(2), rushlight.ones(3))
            assert bool(frames(caught.value)) is full
    finally:
        set_full_tracebacks(before)
    with pytest.raises(TypeError, match="'full' must be a bool"):
        set_full_tracebacks("yes")  # type: ignore[arg-type]


PROGRAM = """\
import sys, threading
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 2))

    def forward(self, x):
        return self.layers(x)


class Broken(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return [][3]


def shifted(x):
    return x.add(torch.ones(7))


def chained():
    try:
        torch.softmaxx
    except AttributeError as error:
        raise ValueError("mine") from error


def in_a_thread():
    thread = threading.Thread(target=lambda: Net()(torch.ones(5)))
    thread.start()
    thread.join()
    sys.exit(1)


def missing_module():
    import torch.nowhere


CASES = {
    "module": lambda: Net()(torch.ones(5)),
    "backward": lambda: Broken.apply(torch.ones(2, requires_grad=True)).sum().backward(),
    "vmap": lambda: torch.func.vmap(shifted)(torch.ones(3, 4)), "index": lambda: torch.ones(3)[5],
    "sum": lambda: torch.ones(2) + torch.ones(3),
    "name": lambda: torch.softmaxx, "chain": chained, "thread": in_a_thread, "import": missing_module,
    "optimizer": lambda: torch.optim.Adam([]), "distribution": lambda: torch.distributions.Normal(0.0, -1.0),
}
CASES[sys.argv[1]]()
"""
SHOWN = {
    "module": ["<module>", "<lambda>", "forward"],
    "backward": ["<module>", "<lambda>", "backward"],
    "vmap": ["<module>", "<lambda>", "shifted"],
    "chain": ["chained", "<module>", "chained"],
    "thread": ["_bootstrap_inner", "run", "<lambda>", "forward"],
    "import": ["<module>", "missing_module"],
}


@pytest.mark.parametrize(
    "case, how",
    [*((c, "launcher") for c in re.findall(r'"(\w+)": ', PROGRAM)), ("module", "install"), ("thread", "install")],
)
def test_what_a_program_shows(case: str, how: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM if how == "launcher" else "import rushlight.compat\nrushlight.compat.install()\n" + PROGRAM)
    run = [sys.executable, *(["-m", "rushlight"] if how == "launcher" else []), str(path), case]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and PACKAGE not in done.stderr and ".pyx" not in done.stderr, done.stderr
    assert re.findall(r'File ".*", line \d+, in (\S+)', done.stderr) == SHOWN.get(case, ["<module>", "<lambda>"])
    assert "rushlight.compat" not in done.stderr
    if case == "module":
        done = subprocess.run(
            run, capture_output=True, text=True, timeout=120, env=os.environ | {"RUSHLIGHT_TRACEBACK": "full"}
        )
        assert "module.py" in done.stderr and ".pyx" in done.stderr


def test_the_hooks_are_put_back() -> None:
    code = """
    import sys, threading
    before = sys.excepthook, threading.excepthook
    import rushlight.compat
    rushlight.compat.install()
    assert sys.excepthook is not before[0]
    rushlight.compat.uninstall()
    assert (sys.excepthook, threading.excepthook) == before
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, timeout=120)


def messages(call: str) -> tuple[str, str]:
    """What the error of a refused call says, before `tell` has seen it and after."""
    from rushlight.compat.tracebacks import tell

    with pytest.raises(TypeError) as caught:
        eval(call, {"torch": rushlight})
    before = str(caught.value)
    tell(caught.value)
    return before, str(caught.value)


@pytest.mark.parametrize(
    ("call", "nearest"),
    [
        ("torch.optim.SGD([torch.ones(1, requires_grad=True)], lrr=0.1)", "lr"),
        ("torch.nn.Linear(2, 2, bais=True)", "bias"),
        ("torch.nn.Conv2d(1, 1, 1, pading=1)", "padding"),
        ("torch.utils.data.DataLoader([1], batchsize=2)", "batch_size"),
        ("torch.distributions.Normal(0.0, sacle=1.0)", "scale"),
        ("torch.nn.utils.clip_grad_norm_([], maxnorm=1.0)", "max_norm"),
        ("torch.nn.init.kaiming_normal_(torch.ones(2, 2), nonlinerity='relu')", "nonlinearity"),
        ("torch.optim.lr_scheduler.StepLR(None, stepsize=1)", "step_size"),
    ],
)
def test_the_nearest_keyword_is_named(call: str, nearest: str) -> None:
    """Of Python functions and constructors; an operator's own error names it wherever it is caught."""
    assert messages(call)[1].endswith(f"; did you mean '{nearest}'?")


@pytest.mark.parametrize(
    ("call", "nearest"),
    [
        ("torch.nn.functional.relu(torch.ones(2), inplce=True)", "inplace"),
        ("torch.nn.functional.dropout(torch.ones(2), training_=True)", "training"),
        ("torch.softmax(torch.ones(2), dimm=0)", "dim"),
    ],
)
def test_an_operator_names_the_nearest_keyword_itself(call: str, nearest: str) -> None:
    before, after = messages(call)
    assert f", did you mean '{nearest}'? (expected " in before
    assert after == before


def test_none_is_named_as_the_argument_that_it_stands_for() -> None:
    with pytest.raises(TypeError, match="argument 'sizes' must not be None"):
        rushlight.ones(4).unflatten(0, None)
    with pytest.raises(
        TypeError, match=r"pad\(\): argument 'pad' \(position 2\) must be int or tuple of ints, not NoneType"
    ):
        rushlight.nn.functional.pad(rushlight.ones(2), None)
