"""`rushlight.logging` tells what is traced and compiled, and nothing else."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rushlight as rl
from rushlight.compiler import events
from rushlight.jit.capture import jit


@pytest.fixture(autouse=True)
def nobody_listens() -> Iterator[None]:
    yield
    rl._logging.set_logs()
    assert not any(map(events.heard, events.KINDS))


def test_graphs_and_breaks_of_a_compiled_function() -> None:
    def f(x: Any) -> Any:
        y = (x * 2).exp()
        if y.sum().item() > 0:
            y = y.sin() + 1
        return y

    compiled, out = rl.compile(f), io.StringIO()
    x = rl.randn(4)
    with rl.logging("graphs", "breaks", file=out):
        for _ in range(3):
            assert compiled(x).equal(f(x))
    lines = out.getvalue().splitlines()
    graphs = [line for line in lines if "a segment of" in line]
    assert graphs == ["[rushlight graphs] f, a segment of 3 calls:", "[rushlight graphs] f, a segment of 2 calls:"]
    assert sum(".exp(" in line for line in lines) == 1 and sum(".sin(" in line for line in lines) == 1
    breaks = [line for line in lines if line.startswith("[rushlight breaks]")]
    here = Path(__file__).name
    assert len(breaks) == 3 and all(re.search(rf"f: item\(\) asks for values .*{here}", b) for b in breaks), breaks
    compiled(x)
    assert out.getvalue().splitlines() == lines


def test_a_program_of_jit() -> None:
    out = io.StringIO()
    with rl.logging("graphs", file=out):
        f = jit(lambda x: x.sin() * 2)
        for _ in range(2):
            f(rl.randn(3))
    text = out.getvalue()
    assert text.count("a program of jit") == 1 and "= sin(" in text and "= mul(" in text


def test_what_is_traced_again() -> None:
    out = io.StringIO()
    f = jit(lambda x: x.sin() * 2)
    with rl.logging("recompiles", file=out):
        f(rl.randn(3))
        f(rl.randn(7))
        assert not out.getvalue()
        f(rl.randn(3, 2))
    assert out.getvalue() == (
        "[rushlight recompiles] <lambda>() is traced for ([float32[3, 2]]); before for ([float32[3]])\n"
    )


def test_kernels(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path))
    out = io.StringIO()
    from rushlight.compiler.kernels import cache

    with rl.logging("kernels", file=out):
        cache.forget()
        f = jit(lambda x: x.sin() * 2.640625 + x.cos() * 1.28125)
        f(rl.randn(3))
        f(rl.randn(3))
    text = out.getvalue()
    assert re.search(r"^\[rushlight kernels\] compiled in [\d.]+ ms, \d+ bytes:$", text, re.M), text
    assert "sin" in text and "variant 1 0 col" in text


def test_pytorch_s_names(capsys: Any) -> None:
    compiled = rl.compile(lambda x: x.sum().item() + x.exp().sum())
    rl._logging.set_logs(graph_breaks=True, graph_code=True, dynamo=10)
    compiled(rl.randn(3))
    said = capsys.readouterr().err
    assert "[rushlight breaks] <lambda>: item()" in said and "[rushlight graphs]" in said
    rl._logging.set_logs(graph_breaks=False)
    compiled(rl.randn(3))
    assert not capsys.readouterr().err


def test_errors_leave_nobody_listening() -> None:
    with pytest.raises(ValueError, match="kinds must be of graphs, breaks, recompiles, kernels; found 'graph'"):
        rl.logging("graph")
    with pytest.raises(ValueError, match="found none"):
        rl.logging()
    compiled, out = rl.compile(lambda x: (x + 1).view(5)), io.StringIO()
    with pytest.raises(RuntimeError), rl.logging("graphs", "breaks", file=out):
        compiled(rl.randn(3))
    log = rl.logging("breaks", file=out)
    log.stop()
    log.stop()
