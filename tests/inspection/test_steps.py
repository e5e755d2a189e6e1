"""What `explain` says of the steps of a program: what they fuse, what was kept apart and why, how long they take."""

from __future__ import annotations

import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import rushlight as rl
from rushlight.compiler.kernels import cache
from rushlight.inspection import steps
from rushlight.program.ir import PRIMS


def explained(*args: Any, **kwargs: Any) -> str:
    out = io.StringIO()
    rl.explain(*args, file=out, **kwargs)
    return out.getvalue()


def rows_of(text: str) -> list[list[str]]:
    """The first table of steps, its columns apart."""
    lines = text[text.index("\nsteps\n") :].split("\n\n")[0].splitlines()[2:]
    return [re.split(r" {2,}", line.strip()) for line in lines]


def test_a_kernel_names_what_it_fuses() -> None:
    head, row = rows_of(explained("softmax", rl.ones(4, 5), -1))
    assert head == ["step", "fused", "bytes"]
    assert row[0].startswith("0: kernel ") and row[2] == f"{2 * 4 * 5 * 4}"
    assert row[1] == "reduce_max, broadcast_in_dim, sub, exp, reduce_sum, reciprocal, broadcast_in_dim, mul"


def test_a_product_and_the_kernel_on_its_pieces_are_one_step() -> None:
    f = rl.jit(lambda x, w, b: (x @ w + b).relu())
    _, row = rows_of(explained(f, rl.ones(20, 30), rl.ones(30, 40), rl.ones(40)))
    assert row[0].startswith("0: dot and on its pieces kernel ") and row[1].startswith("dot, ") and "max" in row[1]
    assert row[2] == f"{4 * (20 * 30 + 30 * 40 + 40 + 20 * 40):,}"  # the product itself has no memory


def apart(text: str) -> dict[str, str]:
    """Primitive -> reason, of the values that lie in memory between steps."""
    if "\nin memory between steps\n" not in text:
        return {}
    lines = text.split("\nin memory between steps\n")[1].split("\n\n")[0].splitlines()
    found = dict(line.split(": ", 1) for line in lines)
    numbers = dict(re.findall(r"(%\d+): \S+\[.*?\] = (\w+)\(", text.split("with its calls written out")[-1]))
    for name in found:
        number, primitive = name.split()
        assert numbers[number] == primitive, "the numbers are those of the program that is shown"
    return {name.split()[1]: reason for name, reason in found.items()}


TILES = "a routine goes over whole rows of its operands in tiles"
ROW = "where an element goes depends on its whole row"
CASES: dict[str, tuple[Any, tuple[Any, ...], dict[str, str]]] = {
    "fused": (lambda x: x.exp().sin() + 1, ((8, 8),), {}),
    "product": (lambda x: (x @ x).sum(), ((8, 8),), {"dot": f"dot is a step of its own: {TILES}"}),
    "operand": (lambda x: x.exp() @ x, ((8, 8),), {"exp": "dot reads it in memory"}),
    "two reductions": (
        lambda x: (x - x.sum(0)).sum(1),
        ((8, 8),),
        {"reduce_sum": "a reduction over other dims than those that the kernel reduces"},
    ),
    "again and again": (
        lambda x, y: x.exp()[:, None] * y.cos()[None, :],
        ((8,), (9,)),
        dict.fromkeys(
            ("exp", "cos"), "it has fewer dims than the kernel that reads it, which would compute it again and again"
        ),
    ),
    "sorted": (lambda x: x.exp().sort(-1)[0] + 1, ((8, 8),), {"sort_keys": f"sort_keys is a step of its own: {ROW}"}),
}


@pytest.mark.parametrize("name", CASES)
def test_why_values_are_kept_apart(name: str) -> None:
    function, shapes, reasons = CASES[name]
    found = apart(explained(rl.jit(function), *(rl.rand(*s) for s in shapes)))
    assert reasons.items() <= found.items()
    assert bool(found) == bool(reasons)


def why(text: str) -> list[str]:
    """The lines on why each step is one."""
    if "\nwhy each is a step\n" not in text:
        return []
    return [line.strip() for line in text.split("\nwhy each is a step\n")[1].split("\n\n")[0].splitlines()]


def test_why_each_step_is_one() -> None:
    f = rl.jit(lambda x, i: ((x @ x).relu().sum(0), rl.zeros_like(x).scatter_add(0, i, x).cos()))
    text = explained(f, rl.rand(8, 8), rl.zeros(8, 8, dtype=rl.int64))
    lines = why(text)
    _, *rows = rows_of(text)
    assert [line.split(":")[0] for line in lines] == [row[0].split(":")[0] for row in rows]
    product = next(line for line in lines if "dot, makes" in line)
    assert product.endswith(f": {TILES}")
    assert any("(result 0) from" in line and f"of step {product[0]}, in loops over (8, 8)" in line for line in lines)
    assert any("which step" in line and "has begun from inputs alone" in line for line in lines), "the scatter"
    assert "several elements may go to one place" in text
    assert any("(result 1) from" in line for line in lines)
    assert why(explained("softmax", rl.ones(4, 5), -1)) == [], "one kernel needs no reason"


def test_every_primitive_that_is_a_step_of_its_own_says_why() -> None:
    rl.rand(2, 2).sort()  # enters the families
    assert {name for name, prim in PRIMS.items() if not prim.fuses and prim.kind != "call" and not prim.apart} == set()
    assert sum(not prim.fuses for prim in PRIMS.values()) > 40


def test_times_and_shares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path))
    f = rl.jit(lambda x: (x @ x).exp().sum(0))
    text = explained(f, rl.rand(64, 64), measure=True, html=tmp_path / "page.html")
    head, *rows = rows_of(text)
    assert head == ["step", "fused", "bytes", "time us", "roofline"] and len(rows) == 2
    for row in rows:
        assert float(row[3]) > 0 and 0 <= float(row[4]) <= 1
    # measured once, and kept
    kept = json.loads((tmp_path / "machine.json").read_text())
    key = f"{cache.target()} {rl.get_num_threads()}"
    assert len(kept[key]["copies"]) == 3 and kept[key]["products"] > 1e6
    assert steps.machine() == steps.Machine(tuple(kept[key]["copies"]), kept[key]["products"])
    (tmp_path / "machine.json").write_text("no json")
    assert steps.machine().products > 1e6
    # the page has the same cells
    cells: list[str] = []

    class Cells(HTMLParser):
        def handle_data(self, data: str) -> None:
            cells.append(data)

    Cells().feed((tmp_path / "page.html").read_text())
    assert {cell for row in rows for cell in row} <= set(cells)


def test_the_least_time_of_a_machine() -> None:
    m = steps.Machine((4e9, 2e9, 1e9), 1e10)
    assert m.seconds(1 << 18) == (1 << 18) / 4e9 and m.seconds(1 << 20) == (1 << 20) / 2e9
    assert m.seconds(1 << 30) == (1 << 30) / 1e9 and m.seconds(4, 10**10) == 1.0
