"""The roofline of `benchmarks`: the work that is counted, the rates that are measured, what is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from benchmarks import roofline
from benchmarks.roofline import functions, machine, work
from benchmarks.roofline.machine import Limits, Rates
from benchmarks.roofline.work import Work

import rushlight as rl

MB = 1_000_000
LIMITS = Limits(
    {"L2": Rates(8e9, 4e9, 6e9), "L3": Rates(4e9, 2e9, 3e9), "memory": Rates(2e9, 1e9, 1.5e9)},
    {"L2": MB, "L3": 10 * MB},
    {"float32": 1e11, "float64": 5e10, "int64": 1e10, "bfloat16": 2e11, "float16": 1e11},
)


def _inplace() -> Any:
    x, y = rl.ones(100, 100), rl.ones(100)
    return lambda: x.add_(y)


def _matmul() -> Any:
    a, b = rl.ones(20, 30), rl.ones(30, 40)
    return lambda: (a @ b).relu()


def _rows() -> Any:
    table, index = rl.ones(1000, 8), rl.arange(10)
    return lambda: rl.nn.functional.embedding(index, table)


def _step() -> Any:
    w, x = rl.ones(8, 8, requires_grad=True), rl.ones(4, 8)

    def run() -> None:
        w.grad = None
        (x @ w).sum().backward()

    return run


def _expanded() -> Any:
    x = rl.ones(10, 1).expand(10, 50)
    return lambda: x + 1


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (_inplace, Work(40_400, 40_000, 0, "float32")),
        (_matmul, Work(4 * (600 + 1200), 3200, 2 * 20 * 30 * 40, "float32")),
        (_rows, Work(80 + 320, 320, 0, "float32")),
        # forward and the weight's gradient: x needs none
        (_step, Work(4 * (64 + 32), 256, 2 * 2 * 4 * 8 * 8, "float32")),
        (_expanded, Work(40, 2000, 0, "float32")),
    ],
)
def test_work(make: Any, expected: Work) -> None:
    assert work.count(make()) == expected


@pytest.mark.parametrize(
    ("operator", "function"),
    [("exp", "exp"), ("exp_", "exp"), ("special_i0e", "i0e"), ("gelu", "erf"), ("softmax", "exp"), ("add", None)],
)
def test_function_of_an_operator(operator: str, function: str | None) -> None:
    assert functions.function_of(operator) == function


def test_instructions_of_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors that fill several registers count as so many, divisions as what they take; rare blocks are left out."""
    text = """
      %1 = load <16 x double>, ptr %p, align 4
      %2 = fmul <16 x double> %1, %1
      %3 = fcmp uno <16 x double> %2, %2
      %4 = fadd double 1.0, 2.0
      br i1 %c, label %needed, label %join

    needed:
      %5 = fdiv <16 x double> %2, %1
      br label %join

    join:
      %6 = call <16 x float> @llvm.fma.v16f32(<16 x float> %a, <16 x float> %a, <16 x float> %a)
      %7 = fdiv <16 x float> %6, %a
    """.replace("\n    ", "\n")
    for masks, expected in ((True, 2 + 2 + 1 + 32), (False, 4 + 4 + 2 + 2 * 10)):
        monkeypatch.setattr(functions.machine, "masks", lambda masks=masks: masks)
        assert functions._instructions(text) == expected


def test_work_of_functions() -> None:
    x, wide = rl.rand(30, 40), rl.rand(5, 8, dtype=rl.float64)
    assert functions.operations("i0e", "float32") > functions.operations("exp", "float32") > 10
    assert work.count(lambda: x.exp()).operations == 1200 * functions.operations("exp", "float32")
    assert work.count(lambda: x.logsumexp(-1)).operations == 1200 * functions.operations("exp", "float32")
    assert work.count(lambda: wide.log()).operations == 40 * functions.operations("log", "float64")


def test_least_time() -> None:
    assert Work(3000, 1000, 0, "float32").seconds(LIMITS) == pytest.approx(2000 / 6e9 + 2000 / 8e9)
    assert Work(0, 5 * MB, 0, "float32").seconds(LIMITS) == pytest.approx(5 * MB / 2e9)
    assert Work(400, 400, 1e9, "float64").seconds(LIMITS) == pytest.approx(1e9 / 5e10)


def test_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "SECONDS", 1e-4)
    monkeypatch.setattr(machine, "REPEATS", 1)
    monkeypatch.setattr(machine, "_cache", lambda level, otherwise: 64 << 10)
    limits = machine.measure(2)
    assert set(limits.memory) == {"L2", "L3", "memory"}
    assert all(rate > 0 for rates in limits.memory.values() for rate in rates)
    assert all(rate > 0 for rate in limits.operations.values())


def test_report(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    rows = [
        roofline.Row("dense/near", Work(4e6, 4e6, 1e9, "float32"), 1e-2, 2e-2, 1.5e-2),
        roofline.Row("dense/far", Work(4e5, 4e5, 0, "float32"), 1e-4, 2e-4, 9e-4),
    ]
    lines = [line for line in roofline.report(LIMITS, rows, 2).splitlines() if line.startswith("| dense")]
    assert [line.split(" | ")[0] for line in lines] == ["| dense/far", "| dense/near"]
    assert " L2 " in lines[0]
    assert all(line.endswith(" |  |") for line in lines)
    slow = roofline.Row("science/fft_1M", Work(4e6, 4e6, 0, "float32"), 1e-3, 2e-3, 4e-3)
    assert roofline.reason(slow.name)
    assert roofline.reason(slow.name) in roofline.report(LIMITS, [slow], 2)
    assert roofline.reason(slow.name) not in roofline.report(LIMITS, [slow._replace(ours=2e-3)], 2)
    assert " float32 " in lines[1]
    roofline.picture(LIMITS, rows, tmp_path)
    assert (tmp_path / "roofline.svg").read_text().count("near") == 1
    assert (tmp_path / "roofline.png").stat().st_size > 10_000
