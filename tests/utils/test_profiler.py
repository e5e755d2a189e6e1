"""Profiles: what is timed, how events nest, schedules, and what is left behind (nothing)."""

from __future__ import annotations

import gzip
import json
import re
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import rushlight
from rushlight import nn
from rushlight.autograd import profiler as timing
from rushlight.autograd import running
from rushlight.autograd.profiler_memory import CATEGORIES
from rushlight.core import tensor as core
from rushlight.inspection.drawings import flame_graph
from rushlight.overrides import TorchFunctionMode
from rushlight.profiler import ProfilerAction, ProfilerActivity, profile, record_function, schedule
from rushlight.utils.flop_counter import FlopCounterMode


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
    timed = [e for e in trace if e["ph"] == "X"]
    assert [e["name"] for e in timed] == saved[0] and all(e["dur"] > 0 for e in timed)


def test_record_function_decorates() -> None:
    @record_function("double")
    def double(x: rushlight.Tensor) -> rushlight.Tensor:
        return x * 2

    with timing.profile() as prof:
        double(double(rushlight.ones(2)))
    counts = {e.key: e.count for e in prof.key_averages()}
    assert counts["double"] == 2 and counts["aten::mul"] == 2


def test_floating_point_operations() -> None:
    """Those of FlopCounterMode, and a column of them."""
    net = rushlight.nn.Sequential(rushlight.nn.Conv2d(3, 4, 3), rushlight.nn.Flatten(), rushlight.nn.Linear(4 * 36, 5))
    x, y = rushlight.ones(2, 3, 8, 8), rushlight.ones(5, 6)
    with FlopCounterMode(display=False) as counter:
        net(x) @ y
    with profile(with_flops=True) as prof:
        net(x) @ y
        y + y
    assert sum(e.flops for e in prof.events()) == counter.get_total_flops() + y.numel()
    assert {e.name: e.flops for e in prof.events()}["aten::add"] == 30
    averages = prof.key_averages()
    total = {e.key: e.flops for e in averages}["aten::conv2d"]
    table = averages.table()
    assert "Total KFLOPs" in table and f"{total / 1e3:.3f}" in table and "--" in table
    with profile() as without:
        net(x)
    assert all(e.flops == 0 for e in without.events()) and "FLOPs" not in without.key_averages().table()


def checked_trace(path: Path) -> dict[str, Any]:
    """A trace whose events are as the Trace Event Format of Chrome and Perfetto says."""
    trace: dict[str, Any] = json.loads(path.read_text())
    last: dict[Any, list[tuple[float, float]]] = {}
    for e in trace["traceEvents"]:
        assert (
            e["ph"] in ("X", "M", "i", "C") and isinstance(e["name"], str) and type(e["pid"]) is type(e["tid"]) is int
        )
        assert isinstance(e["ts"], (int, float)) and isinstance(e["args"], dict)
        if e["ph"] == "i":
            assert e["s"] in ("g", "p", "t")
        if e["ph"] == "C":
            assert all(isinstance(v, (int, float)) for v in e["args"].values())
        if e["ph"] == "X":  # those of a thread lie within one another, or apart
            assert e["dur"] >= 0
            begin, end = e["ts"], e["ts"] + e["dur"]
            around = last.setdefault(e["tid"], [])
            while around and around[-1][1] <= begin:
                around.pop()
            assert not around or end <= around[-1][1] + 1e-6
            around.append((begin, end))
    return trace


def test_the_trace_is_of_the_format(tmp_path: Path) -> None:
    w = rushlight.randn(40, 40, requires_grad=True)
    with profile(
        record_shapes=True, profile_memory=True, with_stack=True, custom_trace_id_callback=lambda: "one"
    ) as prof:
        prof.add_metadata("run", 'the "first"')
        with record_function("step"):
            (w @ w).exp().sum().backward()
    prof.add_metadata_json("numbers", "[1, 2]")
    with pytest.raises(json.JSONDecodeError):
        prof.add_metadata_json("numbers", "[1,")
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    trace = checked_trace(tmp_path / "trace.json")
    assert (trace["run"], trace["numbers"], trace["trace_id"], trace["displayTimeUnit"]) == (
        'the "first"',
        [1, 2],
        "one",
        "ms",
    )
    assert prof.get_trace_id() == "one"
    named = {e["name"]: e for e in trace["traceEvents"]}
    assert named["aten::matmul"]["args"]["Input Dims"] == [[40, 40], [40, 40]]
    assert named["aten::matmul"]["args"]["Input type"] == ["float32", "float32"]
    assert named["step"]["cat"] == "user_annotation" and named["process_name"]["ph"] == "M"
    held = [e["args"]["Total Allocated"] for e in trace["traceEvents"] if e["name"] == "[memory]"]
    assert max(held) - held[0] >= 2 * 40 * 40 * 4  # the product and its exp


def test_memory_over_time(tmp_path: Path) -> None:
    with profile(profile_memory=True) as prof:
        x = rushlight.ones(1000, 1000)
        y = x + 1
        del x
        z = y * 2
        del y, z
        rushlight.ones(3) + 1
    prof.export_memory_timeline(str(tmp_path / "memory.json"), device="cpu")
    times, rows = json.loads((tmp_path / "memory.json").read_text())
    held = [sum(row) for row in rows]
    assert len(times) == len(rows) and times == sorted(times) and all(len(row) == 9 for row in rows)
    assert 8_000_000 <= max(held) - held[0] < 9_000_000 and held[-1] - held[0] < 100_000
    prof.export_memory_timeline(str(tmp_path / "memory.raw.json.gz"))
    with gzip.open(tmp_path / "memory.raw.json.gz", "rt") as f:
        assert json.load(f) == [times, rows]
    prof.export_memory_timeline(str(tmp_path / "memory.html"))
    page = (tmp_path / "memory.html").read_text()
    assert "<polygon" in page and re.search(r"at most [\d.]+ MB", page)
    with pytest.raises(ValueError, match="profile_memory=True"):
        profile().export_memory_timeline("x.json")
    with pytest.raises(ValueError, match="'device' must be 'cpu'; found 'cuda:0'"):
        prof.export_memory_timeline("x.json", device="cuda:0")


def test_what_memory_is_for(tmp_path: Path) -> None:
    """The categories of a training step, each of as many bytes as PyTorch's profile of this step says."""
    net = nn.Sequential(nn.Linear(100, 200), nn.ReLU(), nn.Linear(200, 10))
    optimizer = rushlight.optim.Adam(net.parameters())
    x, y = rushlight.randn(64, 100), rushlight.randint(0, 10, (64,))
    with profile(profile_memory=True) as prof:
        for _ in range(2):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
    events = prof.events()
    parameters = 4 * sum(p.numel() for p in net.parameters())
    most = dict(zip(CATEGORIES, map(max, zip(*events.uses, strict=True)), strict=True))
    assert most["parameter"] == most["gradient"] == parameters == 88840
    assert 2 * parameters <= most["optimizer state"] <= 2 * parameters + 16
    assert most["input"] == 64 * 100 * 4 + 64 * 8
    hidden, logits = 64 * 200 * 4, 64 * 10 * 4
    assert hidden + logits <= most["activation"] <= hidden + logits + 100
    assert hidden <= most["autograd detail"] <= hidden + logits
    last = dict(zip(CATEGORIES, events.uses[-1], strict=True))
    assert last["activation"] < 100 and last["autograd detail"] == 0, "a step has let go of what it needed"
    for (_, total), row in zip(events.allocated, events.uses, strict=True):
        assert sum(row) >= total and min(row) >= 0
    optimizer.step()  # nothing looks on any more
    assert len(events.uses) == len(events.allocated)


def test_a_profile_costs_nothing_that_it_does_not_record() -> None:
    """The core takes the calls: what comes up to Python is none of an operator."""
    x = rushlight.ones(3, requires_grad=True)
    told: list[str] = []
    with timing.profile() as prof:
        assert prof._recorder is not None
        prof._recorder.timed = lambda func, *_: told.append(str(func))
        (x * 2).exp().sum().backward()
    assert told == []
    names = [e.name for e in prof.function_events or ()]
    assert names[:3] == ["aten::mul", "aten::exp", "aten::sum"]
    whole = next(e for e in prof.function_events or () if e.name == "autograd::engine::run_backward")
    assert [c.name for c in whole.cpu_children] == ["SumBackward0", "ExpBackward0", "MulBackward0"]


def test_profiles_within_one_another_and_modes() -> None:
    class Doubling(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **(kwargs or {})) * 2 if func is rushlight.exp else func(*args, **(kwargs or {}))

    x = rushlight.zeros(2)
    with timing.profile() as outer:
        x.sin()
        with timing.profile() as inner:
            x.cos()
        with Doubling():
            assert rushlight.exp(x).tolist() == [2.0, 2.0]
        with pytest.raises(RuntimeError):
            x.view(7)
        x.tan()
    assert [e.name for e in inner.function_events or ()] == ["aten::cos"]
    names = [e.name for e in outer.function_events or ()]
    assert names == ["aten::sin", "aten::cos", "aten::exp", "aten::mul", "aten::view", "aten::tan"]
    assert all(e.cpu_parent is None and e.cpu_time_total >= 0 for e in outer.function_events or ())


# What a viewer reads of an event of each phase (the "Trace Event Format"): fields and their types.
NUMBER = (int, float)
PHASES: dict[str, dict[str, Any]] = {
    "X": {"name": str, "cat": str, "ts": NUMBER, "dur": NUMBER, "pid": int, "tid": int, "args": dict},
    "M": {"name": str, "ts": NUMBER, "pid": int, "tid": int, "args": dict},
    "C": {"name": str, "ts": NUMBER, "pid": int, "args": dict},
    "i": {"name": str, "cat": str, "ts": NUMBER, "pid": int, "tid": int, "s": str},
}


def test_the_format_of_a_trace(tmp_path: Path) -> None:
    net = nn.Linear(8, 4)
    with profile(record_shapes=True, profile_memory=True, with_stack=True, with_flops=True) as prof:
        with record_function("outer"):
            net(rushlight.ones(2, 8)).sum().backward()
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    trace = json.loads((tmp_path / "trace.json").read_text())
    assert trace["displayTimeUnit"] in ("ms", "ns") and isinstance(trace["traceEvents"], list)
    assert {e["ph"] for e in trace["traceEvents"]} == set(PHASES)
    for event in trace["traceEvents"]:
        for field, kind in PHASES[event["ph"]].items():
            assert isinstance(event[field], kind) and not isinstance(event[field], bool), (field, event)
        assert event.get("s", "t") in ("g", "p", "t") and event["ts"] >= 0 and event.get("dur", 0) >= 0
        if event["ph"] == "C":
            assert all(isinstance(v, NUMBER) for v in event["args"].values())
    # Slices of a thread lie apart, or one within the other: viewers drop what overlaps.
    slices = sorted((e["ts"], -e["dur"], e["name"]) for e in trace["traceEvents"] if e["ph"] == "X")
    open_: list[float] = []
    for start, minus, name in slices:
        while open_ and open_[-1] <= start:
            open_.pop()
        assert not open_ or start - minus <= open_[-1] + 0.0015, name
        open_.append(start - minus)


def test_recording_by_hand() -> None:
    x = rushlight.ones(3)
    prof = profile()
    prof.start_trace()
    x + 1
    prof.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
    x * 1
    prof.toggle_collection_dynamic(True, [ProfilerActivity.CPU])
    x - 1
    prof.stop_trace()
    x / 1
    assert [e.name for e in prof.events()] == ["aten::add", "aten::sub"]
    prof.start_trace()
    x / 1
    prof.stop_trace()
    assert [e.name for e in prof.events()] == ["aten::div"]


@pytest.mark.parametrize("stack", [False, True])
def test_a_flame_graph(tmp_path: Path, stack: bool) -> None:
    w = rushlight.randn(100, 100, requires_grad=True)
    with profile(with_stack=stack) as prof:
        with record_function("<model>"):
            y = (w @ w).exp().sum()
        y.backward()
    flame_graph(prof, tmp_path / "flame.svg")
    root = ElementTree.parse(tmp_path / "flame.svg").getroot()
    space = "{http://www.w3.org/2000/svg}"
    titles = [t.text or "" for t in root.iter(f"{space}title")]
    assert titles[0].startswith("all: ") and titles[0].endswith("(100.0%)")
    assert any(t.startswith("<model>: ") for t in titles) and any("aten::matmul" in t for t in titles)
    assert any(__file__ in t for t in titles) is stack
    # What lies on a frame is no wider than it, and within it.
    boxes = [{k: float(r.attrib[k]) for k in ("x", "y", "width")} for r in root.iter(f"{space}rect")]
    for b in boxes[1:]:
        under = [u for u in boxes if u["y"] == b["y"] + 18 and u["x"] - 0.2 <= b["x"] <= u["x"] + u["width"] + 0.2]
        assert any(b["x"] + b["width"] <= u["x"] + u["width"] + 0.3 for u in under)
    old = timing.profile()
    with old:
        w.exp()
    flame_graph(old, tmp_path / "old.svg")
    assert "aten::exp" in (tmp_path / "old.svg").read_text()


def test_what_a_training_loop_names() -> None:
    """A step, `zero_grad` and the loader's batches are ranges, by the names that PyTorch gives them."""
    w = rushlight.nn.Parameter(rushlight.ones(3))
    optimizer = rushlight.optim.SGD([w], lr=0.1)
    loader = rushlight.utils.data.DataLoader([1.0, 2.0, 3.0], batch_size=2)
    with profile() as prof:
        for batch in loader:
            optimizer.zero_grad()
            (w.sum() * batch.sum()).backward()
            optimizer.step()
    counts = {e.key: e.count for e in prof.key_averages() if "#" in e.key}
    assert counts == {
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__": 3,
        "Optimizer.zero_grad#SGD.zero_grad": 2,
        "Optimizer.step#SGD.step": 2,
    }


def test_columns_of_a_table() -> None:
    """They are as wide as PyTorch's: 12 for numbers, the longest text and 4 for names and shapes."""
    x = rushlight.ones(2, 3)
    with profile(record_shapes=True) as prof, record_function("a_range_with_a_name"):
        x.relu()
    head, names, rule, *rows, end, total = (
        prof.key_averages(group_by_input_shape=True).table(header="H").splitlines()[2:9]
    )
    assert names.startswith(f"{'Name':>23}  {'Self CPU %':>12}  {'Self CPU':>12}  ") and head == rule == end
    assert names.endswith(f"  {'# of Calls':>12}  {'Input Shapes':>12}  ") and len(head) == len(rows[0])
    assert total.startswith("Self CPU time total: ")
    outer = prof.key_averages().table(top_level_events_only=True)
    assert "a_range_with_a_name" in outer and "aten::relu" not in outer
