"""Profiles: what is timed, how events nest, schedules, and what is left behind (nothing)."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path

import pytest

import rushlight
from rushlight.autograd import profiler as timing
from rushlight.autograd import running
from rushlight.core import tensor as core
from rushlight.profiler import ProfilerAction, ProfilerActivity, profile, record_function, schedule


def test_operators_ranges_and_backward_are_timed() -> None:
    x = rushlight.randn(300, 300, requires_grad=True)
    (x @ x).relu().sum().backward()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True, with_stack=True) as prof:
        began = time.perf_counter()
        with record_function("model"):
            y = (x @ x).relu().sum()
            time.sleep(0.02)
        y.backward()
        took = (time.perf_counter() - began) * 1e6
    events = {e.name: e for e in prof.events()}
    assert {"model", "aten::matmul", "aten::relu", "aten::sum", "MmBackward0", "ReluBackward0", "SumBackward0"} <= set(
        events
    )
    assert [c.name for c in events["model"].cpu_children] == ["aten::matmul", "aten::relu", "aten::sum"]
    assert 20_000 < events["model"].cpu_time_total <= took and events["model"].self_cpu_time_total >= 20_000
    assert events["aten::matmul"].cpu_parent is events["model"] and events["aten::matmul"].input_shapes == [
        [300, 300],
        [300, 300],
    ]
    assert events["aten::matmul"].cpu_memory_usage == 300 * 300 * 4 and events["aten::matmul"].cpu_time_total > 0
    assert __file__ in events["aten::relu"].stack[0]
    assert sum(e.self_cpu_time_total for e in prof.events()) <= took
    table = prof.key_averages().table(sort_by="cpu_time_total", row_limit=3)
    assert "Self CPU time total" in table and len(table.splitlines()) == 8
    assert not running.watchers and core.add_modes(0) == 0
    assert x.grad is not None and y.grad_fn is not None and not y.grad_fn.node_hooks


def test_nothing_is_recorded_outside() -> None:
    x = rushlight.ones(3)
    with timing.profile() as prof:
        x + 1
    x * 2
    assert [e.name for e in prof.function_events or ()] == ["aten::add"]
    with timing.profile(enabled=False) as off:
        x + 1
    assert off.function_events is None
    with pytest.raises(RuntimeError, match=r"profile\(\): the block must have ended"):
        off.key_averages()
    with pytest.raises(NotImplementedError, match="with_flops"):
        profile(with_flops=True)
    with pytest.raises(RuntimeError, match="CUDA"):
        timing.emit_nvtx()


def test_schedule_and_trace(tmp_path: Path) -> None:
    plan = schedule(wait=1, warmup=1, active=2, repeat=1, skip_first=1)
    assert [plan(i).name for i in range(7)] == ["NONE", "NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE", "NONE", "NONE"]
    assert plan(0) is ProfilerAction.NONE
    with pytest.raises(AssertionError):
        schedule(wait=0, warmup=0, active=0)
    saved: list[list[str]] = []

    def keep(prof: profile) -> None:
        saved.append([e.name for e in prof.events()])
        prof.export_chrome_trace(str(tmp_path / "trace.json.gz"))

    x = rushlight.ones(3)
    with profile(schedule=plan, on_trace_ready=keep) as prof:
        for _ in range(7):
            x + 1
            prof.step()
    assert saved == [["ProfilerStep#3", "aten::add", "ProfilerStep#4", "aten::add"]]
    with gzip.open(tmp_path / "trace.json.gz", "rt") as f:
        trace = json.load(f)["traceEvents"]
    assert [e["name"] for e in trace] == saved[0] and all(e["dur"] > 0 for e in trace)


def test_record_function_decorates() -> None:
    @record_function("double")
    def double(x: rushlight.Tensor) -> rushlight.Tensor:
        return x * 2

    with timing.profile() as prof:
        double(double(rushlight.ones(2)))
    counts = {e.key: e.count for e in prof.key_averages()}
    assert counts["double"] == 2 and counts["aten::mul"] == 2
