"""What repeated work leaves behind: programs compiled, memory, tensors, cycles."""

from __future__ import annotations

import gc
import os
import weakref
from typing import Any

import rushlight as rl
from processes import in_its_own_process
from rushlight import compiler, nn
from rushlight.operators.table import compile as _compile

STEPS = 10_000 if os.environ.get("RUSHLIGHT_SLOW") == "1" else 2_000


def network() -> Any:
    rl.manual_seed(0)
    return nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 4))


def step(model: Any, optimizer: Any, n: int) -> float:
    """One training step on a batch of n."""
    x, y = rl.ones(n, 12), rl.zeros(n, dtype=rl.int64)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return float(loss.item())


def counters() -> tuple[int, float, float]:
    """Programs traced and compiled, kernels compiled, kernels loaded."""
    found = compiler.stats()
    return _compile.compile_count[0], found["programs"], found["kernels_compiled"] + found["kernels_loaded_from_disk"]


def test_new_batch_sizes_compile_nothing() -> None:
    model = network()
    optimizer = rl.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for n in (7, 8, 7):  # the first steps also make the optimizer's state
        step(model, optimizer, n)
    before = counters()
    for n in range(2, 202):
        step(model, optimizer, n)
    assert counters() == before, f"(programs, plans, kernels) were {before}, are {counters()}"


def resident() -> int:
    """Resident memory in bytes."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def live_tensors() -> int:
    gc.collect()
    return sum(isinstance(x, rl.Tensor) for x in gc.get_objects())


def train_and_measure() -> None:
    """Train, and assert that neither tensors nor memory are left over."""
    model = network()
    optimizer = rl.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(200):
        step(model, optimizer, 32)
    # Memory is read while no list of all objects has just been made: in a process with 700,000 objects the second such
    # list (8 bytes each) stays with malloc and looks like a leak of 5.5 MiB, which is how this test once failed.
    tensors = live_tensors()
    live_tensors()
    memory = resident()
    for _ in range(STEPS):
        step(model, optimizer, 32)
    grown = resident() - memory
    assert live_tensors() == tensors, f"{live_tensors()} tensors live, {tensors} at the start"
    assert grown < 1 << 20, f"resident memory grew by {grown / 2**20:.1f} MiB in {STEPS} steps"  # 8 KiB in 15,000 steps


def test_training_leaves_nothing_behind() -> None:
    # In a process of its own: what other tests of this one leave to be collected or freed is not measured.
    in_its_own_process(__file__, "train_and_measure")


def test_a_hook_that_holds_its_tensor_is_collected() -> None:
    x = rl.ones(3, requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad, y=y: y)  # y -> its node -> the hook -> y
    gone = weakref.ref(y)
    del y
    gc.collect()
    assert gone() is None


def test_a_graph_in_an_attribute_is_collected() -> None:
    x = rl.ones(3, requires_grad=True)
    z = (x * 2).exp()
    x.result = z  # x -> z -> the graph -> x
    gone = weakref.ref(x)
    del x, z
    gc.collect()
    assert gone() is None


def test_a_result_is_freed_without_the_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        x = rl.ones(3, requires_grad=True)
        y = (x * 2).exp().sum()
        y.backward()
        gone = weakref.ref(y)
        del y
        assert gone() is None
    finally:
        gc.enable()


def test_a_static_argument_that_is_a_tensor_is_not_kept() -> None:
    """What the call cache keeps alive are objects that it tells apart by identity, not tensors, which are taken by
    value.
    """
    dim = rl.tensor(1)
    there = weakref.ref(dim)
    rl.ones(2, 3).softmax(dim)
    del dim
    gc.collect()
    assert there() is None
