"""Calls on disk: what a second process loads is what the first one traced, and nothing is taken that is another's."""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import textwrap
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pytest
from checks import pick
from support import find, flat, inputs_of

import rushlight as rl
from processes import TIMEOUT, printed
from rushlight.compiler import watching
from rushlight.compiler.counters import stats
from rushlight.compiler.kernels import cache
from rushlight.compiler.kernels.kernel import Kernel
from rushlight.compiler.written import written, written_loops
from rushlight.core import dtypes as dt
from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Kind
from rushlight.core.record import CompiledCall
from rushlight.core.tensor import Tensor
from rushlight.core.upcalls import upcalls
from rushlight.operators.table import kept, trace
from rushlight.operators.table.define import TABLE, operator
from rushlight.operators.table.tracer import set_default
from rushlight.operators.table.types import Number
from rushlight.testing.samples import REGISTRY, OperatorSamples, load

load()


def miss(op: Any, *values: Any, out: Any = None, grad: bool = False) -> tuple[CompiledCall, bool]:
    """The compiled call of an operator that knows none yet, and whether it was on disk."""
    before = stats()["calls_loaded_from_disk"]
    bound = [*values, *(p.default for p in op.params[len(values) :])]
    call = trace.miss(op, bound, out, grad)
    return call, stats()["calls_loaded_from_disk"] > before


def told(plan: Any) -> str:
    """A plan with its kernels, as one text."""

    def kernel(x: Kernel) -> Any:
        return json.dumps(written_loops(x.loops))

    return json.dumps(written(plan, kernel))


def same_call(made: CompiledCall, loaded: CompiledCall) -> None:
    """Assert that two compiled calls are the same, down to the programs."""
    assert told(loaded.executable.plan) == told(made.executable.plan)
    assert loaded.n_outputs == made.n_outputs and loaded.warned == made.warned and repr(loaded.wrap) == repr(made.wrap)
    assert str(loaded.program) == str(made.program) and repr(loaded.program.env.guards) == repr(made.program.env.guards)
    d, e = made.derivative, loaded.derivative
    assert (d is None) == (e is None)
    if d is None or e is None:
        return
    for name in (*kept._PLAIN, "label", "old"):
        assert getattr(e, name) == getattr(d, name), name
    assert upcalls.edge_places(e) == upcalls.edge_places(d) and upcalls.edge_visits(e) == upcalls.edge_visits(d)
    assert str(e.backward) == str(d.backward) and (e.again is None) == (d.again is None)
    if d.again is not None:
        first, second = d.again(), e.again()
        assert str(first.forward) == str(second.forward) and str(first.backward) == str(second.backward)
    assert e.origin.op is d.origin.op and repr(e.origin.structure) == repr(d.origin.structure)
    assert [v.dtype for v in e.origin.outputs] == [v.dtype for v in d.origin.outputs]
    assert repr(e.origin.bound) == repr(d.origin.bound)


@pytest.mark.parametrize("spec", REGISTRY.values(), ids=lambda spec: spec.name)
def test_calls_of_the_table(spec: OperatorSamples, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call that samples come to, with its derivative, is the one that a trace gives when it is loaded."""
    texts: dict[str, str] = {}  # in the place of the disk: plans and kernels are those of all tests

    def save(name: str, entry: Any) -> None:
        texts[name] = json.dumps([entry])

    monkeypatch.setattr(watching, "_watches", [])
    monkeypatch.setattr(kept, "_loaded", lambda name: json.loads(texts.get(name, "[]")))
    monkeypatch.setattr(kept, "_save", save)
    first, first_backward = upcalls.miss, upcalls.compile_backward
    seen = []

    def twice(op: Operator, values: Any, out: Any, grad: bool) -> CompiledCall:
        made = first(op, values, out, grad)
        before = stats()
        loaded = first(op, values, out, grad)
        now = stats()
        assert now["calls_traced"] == before["calls_traced"], f"{op.name} is not kept"
        assert now["calls_loaded_from_disk"] == before["calls_loaded_from_disk"] + 1
        same_call(made, loaded)
        seen.append(op)
        return loaded

    def backward_twice(d: Any, args: Any) -> CompiledCall:
        made = first_backward(d, args)
        before = stats()["calls_loaded_from_disk"]
        loaded = first_backward(d, args)
        assert stats()["calls_loaded_from_disk"] == before + (d.origin is not None and d.origin.name is not None)
        assert told(loaded.executable.plan) == told(made.executable.plan)
        assert (loaded.n_outputs, loaded.wrap) == (made.n_outputs, made.wrap)
        assert str(loaded.program) == str(made.program)
        return loaded

    monkeypatch.setattr(upcalls, "miss", twice)
    monkeypatch.setattr(upcalls, "compile_backward", backward_twice)
    op = find(spec.name)
    for s in spec.samples(pick(spec, dt.float32)[0])[:3]:
        leaves = [t.requires_grad_() for t in inputs_of(s) if t.dtype.kind in "fc" and t.is_leaf and not t.is_sparse]
        try:
            found = flat(op(*s.args, **s.kwargs))
        except RuntimeError:  # a write to a leaf, or no derivative
            for t in leaves:
                t.requires_grad_(False)
            op(*s.args, **s.kwargs)
            continue
        due = [y for y in found if y.requires_grad and y.dtype.kind in "fc" and y.layout is rl.strided]
        if leaves and due:
            try:
                rl.autograd.grad(due, leaves, [rl.ones_like(y).detach() for y in due], allow_unused=True)
            except RuntimeError as error:
                assert "derivative" in str(error), error


# ------------------------------------------------------------------------------------------------------ other processes
BEGINS = """
    import hashlib, json
    import rushlight as rl
    from rushlight.compiler import stats
    nn, F = rl.nn, rl.nn.functional
    found = []

    def note(*tensors):
        found.extend(hashlib.blake2b(t.detach().numpy().tobytes(), digest_size=8).hexdigest() for t in tensors)
"""
# Steps of training, eager and compiled.
PROGRAM = """
    def train(net, data, loss_of, compiled):
        optimizer = rl.optim.AdamW(net.parameters(), lr=1e-3)

        def step(*data):
            loss = loss_of(net, *data)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            return loss

        run = rl.compile(step, options={"always": True}) if compiled else step
        for _ in range(3):
            note(run(*data))
        note(*net.state_dict().values())

    for compiled in (False, True):
        rl.manual_seed(0)
        start = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)
        images = nn.Sequential(*start, nn.Flatten(), nn.Linear(128, 4))
        classes = lambda net, x, y: F.cross_entropy(net(x), y)
        train(images, [rl.randn(5, 3, 8, 8), rl.randint(0, 4, (5,))], classes, compiled)
        rows = nn.Sequential(nn.LayerNorm(12), nn.Linear(12, 12), nn.GELU(), nn.Dropout(0.5), nn.Linear(12, 3))
        train(rows, [rl.randn(7, 12)], lambda net, x: net(x).square().mean(), compiled)
"""
# What looks into programs: second derivatives, attributes of nodes.
LOOKS = """
    x = rl.linspace(0.1, 1, 6).requires_grad_()
    y = (x.sin() * x.exp()).sum()
    (g,) = rl.autograd.grad(y, x, create_graph=True)
    (h,) = rl.autograd.grad(g.sum(), x)
    note(y, g, h, x.exp().grad_fn._saved_result)
"""
TELLS = """
    print(json.dumps([found, stats()]))
"""


def told_by(disk: Path, program: str = BEGINS + PROGRAM + TELLS) -> tuple[Any, dict[str, float]]:
    """What a program prints, and what it has counted, in a process of its own with its kernels in a folder."""
    found, counts = json.loads(printed("-c", textwrap.dedent(program), env={"RUSHLIGHT_CACHE_DIR": str(disk)}))
    return found, counts


def test_a_second_process_traces_nothing(tmp_path: Path) -> None:
    first, before = told_by(tmp_path)
    second, after = told_by(tmp_path)
    assert before["calls_traced"] > 30 and after["calls_traced"] == 0
    assert after["kernels_compiled"] == 0 and after["programs"] == before["programs"]
    assert second == first


def test_programs_that_somebody_looks_into_are_traced_again(tmp_path: Path) -> None:
    looked, before = told_by(tmp_path, BEGINS + LOOKS + TELLS)
    again, after = told_by(tmp_path, BEGINS + LOOKS + TELLS)
    assert again == looked and 0 < after["calls_traced"] < before["calls_traced"]


@pytest.mark.parametrize("name", ["add", "nn.functional.leaky_relu", "nn.functional.elu", "addcdiv", "clamp_min"])
def test_numbers_that_are_given_as_tensors(disk: Path, name: str) -> None:
    """They are the numbers that they hold, for what a trace has asked about these too."""
    op, x = TABLE[name], rl.ones(3)
    tensors = [x] * (2 if name == "add" else sum(p.kind == Kind.P_TENSOR for p in op.params))
    for number in (2.0, 0.5, -3.0, 2, True):  # (1, add's own, has a program of its own)
        made, _ = miss(op, *tensors, number)
        loaded, found = miss(op, *tensors, rl.tensor(number)) if name != "clamp_min" else miss(op, *tensors, number)
        assert found
        same_call(made, loaded)


FORGET = """words = {}
    import gc
    for op in gc.get_objects():
        if type(op) is type(TABLE["add"]):
            op.words = None"""


def test_operators_are_the_same_in_words_whatever_has_run(tmp_path: Path) -> None:
    """And each of the table's own that is traced has such words."""
    words = """
    from rushlight.operators.table import kept
    from rushlight.operators.table.define import METHODS, TABLE
    words = {}
    for name, op in [*TABLE.items(), *METHODS.items()]:
        op = getattr(op, "op", op)
        if getattr(op, "eager", 0) is None:
            words[name] = hashlib.blake2b(repr(kept.of_operator(op)).encode(), digest_size=8).hexdigest()
    found = [words]
    """
    before, _ = told_by(tmp_path, BEGINS + words + TELLS)
    after, _ = told_by(tmp_path, BEGINS + LOOKS + words.replace("words = {}", FORGET) + TELLS)
    assert len(before[0]) > 300
    assert {name: after[0][name] for name in before[0]} == before[0], "(there are more once all namespaces are loaded)"


def test_processes_that_start_at_once(tmp_path: Path) -> None:
    """They write the same files, and each has the results of one alone."""
    env_of = {"RUSHLIGHT_CACHE_DIR": str(tmp_path / "shared")}
    text = BEGINS + PROGRAM.replace("(False, True)", "(True,)") + TELLS
    program = [sys.executable, "-c", textwrap.dedent(text)]
    running = [Popen(program, stdout=PIPE, text=True, env={**os.environ, **env_of}) for _ in range(3)]
    texts = [p.communicate(timeout=TIMEOUT)[0] for p in running]
    assert all(p.returncode == 0 for p in running)
    found = [json.loads(text)[0] for text in texts]
    last, counts = told_by(tmp_path / "shared", text)
    assert found == [last] * 3 and counts["calls_traced"] == 0


def test_a_backward_that_the_first_process_did_not_run(tmp_path: Path) -> None:
    forward = """
        import json
        import rushlight as rl
        from rushlight.compiler import stats
        x = rl.linspace(0.1, 1, 6).requires_grad_()
        y = rl.nn.functional.softplus(x)
    """
    backward = """
        y.backward(rl.ones(6))
        print(json.dumps([x.grad.tolist(), stats()]))
    """
    told_by(tmp_path, forward + "    print(json.dumps([0, stats()]))\n")
    found, counts = told_by(tmp_path, forward + backward)
    again, none = told_by(tmp_path, forward + backward)
    assert 1 <= counts["calls_traced"] <= 2 and none["calls_traced"] == 0
    assert again == found == told_by(tmp_path / "empty", forward + backward)[0]


def test_operators_of_a_program_have_their_own_bodies(tmp_path: Path) -> None:
    """By whatever name: they are traced in every process."""
    program = """
        import json
        import rushlight as rl
        from rushlight.compiler import stats
        from rushlight.operators.table.define import operator

        @operator(name="relu", register=False)
        def body(input: rl.Tensor) -> rl.Tensor:
            return input + FACTOR

        @rl.library.custom_op("mine::scaled", mutates_args=())
        def scaled(x: rl.Tensor) -> rl.Tensor:
            return x * FACTOR

        class Scaled(rl.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * FACTOR

            @staticmethod
            def backward(ctx, g):
                return g * FACTOR

        @rl.compile(options={"always": True})
        def step(x):
            return (body(x.exp()) + scaled(x) + Scaled.apply(x)).sin()

        x = rl.linspace(0.1, 1, 6).requires_grad_()
        y = step(x)
        y.sum().backward()
        print(json.dumps([[body(x).tolist(), y.tolist(), x.grad.tolist()], stats()]))
    """
    for factor in ("2.0", "-3.0"):
        found, _ = told_by(tmp_path, program.replace("FACTOR", factor))
        again, counts = told_by(tmp_path, program.replace("FACTOR", factor))
        assert again == found == told_by(tmp_path / f"empty{factor}", program.replace("FACTOR", factor))[0]
        assert counts["calls_traced"] > 0


# --------------------------------------------------------------------------------------------------------- in a process
def test_another_call_has_another_name(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = rl.ones(3, 4), rl.ones(3, 4, dtype=rl.float64)
    leaf = rl.ones(3, 4).requires_grad_()
    add, tall = TABLE["add"], TABLE["sum"]
    assert not miss(add, x, x)[1] and miss(add, x, x)[1]
    assert miss(add, rl.ones(5, 7), rl.ones(5, 7))[1], "other sizes"
    for values, options in (
        ((x, w), {}),
        ((x, rl.ones(1, 4)), {}),
        ((x, rl.ones(4)), {}),
        ((x, 2), {}),
        ((x, 2.0), {}),
        ((x, True), {}),
        ((leaf, x), {"grad": True}),
        ((x, leaf), {"grad": True}),
        ((x, x), {"out": rl.ones(3, 4)}),
        ((x, x), {"out": rl.ones(3, 4, dtype=rl.float64)}),
    ):
        assert not miss(add, *values, **options)[1], (values, options)
        assert miss(add, *values, **options)[1], (values, options)
    assert not miss(tall, x, (0,))[1] and not miss(tall, x, (1,))[1] and not miss(tall, x, (0,), True)[1]
    assert not miss(TABLE["mean"], x.to(rl.int64), None, False, rl.float32)[1]
    sin = TABLE["sin"]
    assert not miss(sin, x.to(rl.int64))[1] and miss(sin, x.to(rl.int64))[1]
    set_default(dt.float64)
    try:
        assert not miss(sin, x.to(rl.int64))[1], "another default dtype"
    finally:
        set_default(dt.float32)
    with watching.watched():
        assert not miss(add, x, x)[1], "somebody watches"
    monkeypatch.setattr(kept, "version", lambda: "another")
    assert not miss(add, x, x)[1], "another version"


def test_answers_belong_to_a_call(disk: Path) -> None:
    """Where a trace has asked about sizes or numbers, or has looked at the example, the call is for those alone."""
    add = TABLE["add"]
    assert not miss(add, rl.ones(3), rl.ones(3))[1] and miss(add, rl.ones(5), rl.ones(5))[1]
    with pytest.raises(RuntimeError, match=r"broadcast|shape|size"):
        miss(add, rl.ones(3), rl.ones(4))
    seen = [miss(TABLE["renorm"], rl.ones(3, 4), order, 0, 1.0)[1] for order in (2.5, 3.5, 2.5)]
    assert seen == [False, True, True]
    chain = [[rl.ones(*s) for s in sizes] for sizes in (((9, 2), (2, 8), (8, 3)), ((2, 9), (9, 3), (3, 8)))]
    multi_dot = TABLE["linalg.multi_dot"]
    assert [miss(multi_dot, c)[1] for c in (chain[0], chain[0], chain[1], chain[1], chain[0])] == [
        False,
        True,
        False,
        True,
        True,
    ], "the order of the products follows from the sizes of the first call"


FACTS = [(op, y, -1) for op in ("==", "<", "<=", ">", ">=", "is") for y in (0.0, -0.0, 1.0, math.nan, math.inf)]
FACTS += [(op, (0.5, 2.0), -1) for op in ("in", "in or not finite")]
FACTS += [("==", 0.0, -2), ("<", 0.0, 1)]


@pytest.mark.parametrize(("op", "constant", "other"), FACTS)
def test_comparisons_of_numbers(op: str, constant: Any, other: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are answered as the core answers them, which a call is refused by otherwise."""

    @operator(name="scaled", register=False)
    def scaled(input: Tensor, a: Number, b: Number) -> Tensor:
        return input * a * b

    first = upcalls.miss
    fact: Any = ()

    def asks(*args: Any) -> CompiledCall:
        call = first(*args)
        call.valid_for([fact])
        return call

    monkeypatch.setattr(upcalls, "miss", asks)
    numbers: list[Any] = [1j, 0j] if other == -2 else [0.0, -0.0, 1.0, 2, -1, math.nan, math.inf, -math.inf, 1 << 63]
    for x in numbers:
        answers = []
        for answer in (False, True):
            fact = (0, op, constant, other, answer)
            try:
                fresh = Operator("scaled", list(scaled.params), scaled.definition)
                fresh(rl.ones(2), x, 1.5)
            except RuntimeError as error:
                assert "changed" in str(error), error
            else:
                answers.append(answer)
        assert [a for a in (False, True) if kept._answers((*fact[:4], a), [x, 1.5])] == answers, x


def test_files_that_are_damaged_are_made_again(disk: Path) -> None:
    x = rl.ones(3, 4)
    sin = TABLE["sin"]
    made, there = miss(sin, x)
    assert not there
    plans = {f.name for f in disk.rglob("*") if f.is_file()}
    name = kept.name_of(sin, [x], trace.described(sin, [x], False), None)
    assert name in plans
    file = disk / name[:2] / name
    good = file.read_bytes()
    for at in range(0, len(good), 41):
        file.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        call, there = miss(sin, x)
        assert not there and file.read_bytes() == good, at
        same_call(made, call)
    for n in (0, 10, 40, len(good) - 1):
        file.write_bytes(good[:n])
        assert not miss(sin, x)[1]
    assert miss(sin, x)[1]
    cos = kept.name_of(TABLE["cos"], [x], trace.described(TABLE["cos"], [x], False), None)
    assert cos is not None
    (disk / cos[:2]).mkdir(exist_ok=True)
    shutil.copy(file, disk / cos[:2] / cos)
    assert not miss(TABLE["cos"], x)[1], "a good file under another name"


def test_the_version_is_that_of_all_sources_that_a_trace_goes_through(disk: Path) -> None:
    """Every module of the package that a call passes through on its way to a plan is part of the version."""
    here = Path(rl.__file__).parent
    seen: set[Path] = set()

    def see(frame: Any, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and here in path.parents:
            seen.add(path)

    x = rl.ones(2, 3, 8, 8).requires_grad_()
    nn = rl.nn
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.GELU(), nn.Flatten(), nn.Linear(144, 2))
    first = upcalls.miss

    def watched(*args: Any) -> Any:
        sys.setprofile(see)
        try:
            return first(*args)
        finally:
            sys.setprofile(None)

    @rl.compile(options={"always": True})
    def step(x: Any) -> Any:
        loss = net(x).logsumexp(1).sum()
        loss.backward()
        optimizer.step()
        return loss

    optimizer = rl.optim.AdamW(net.parameters())
    upcalls.miss = watched
    try:
        step(x)
        rl.fft.rfft(x).abs().sum().backward()
        rl.sort(x, 1)
        rl.linalg.inv(rl.eye(3) + 0.1)
    finally:
        upcalls.miss = first
    known = {*map(Path, kept.sources()), *cache.generators()}
    left = {str(f.relative_to(here)) for f in seen - known}
    assert len(seen) > 40 and left == set()
