"""The roofline of `benchmarks`: the work that is counted, the rates that are measured, what is written."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks import roofline, turns
from benchmarks.roofline import counts, functions, machine, work
from benchmarks.roofline.machine import Limits, Rates
from benchmarks.roofline.work import Work

import rushlight as rl
from rushlight.inspection.explaining import sample
from rushlight.operators.table.define import TABLE, operator_of
from rushlight.program.ir import PRIMS
from rushlight.testing.samples import load
from rushlight.transforms import inline_calls

F = rl.nn.functional
MB = 1_000_000
LIMITS = Limits(
    {"L2": Rates(8e9, 4e9, 6e9), "L3": Rates(4e9, 2e9, 3e9), "memory": Rates(2e9, 1e9, 1.5e9)},
    {"L2": MB, "L3": 10 * MB},
    {"float32": 1e11, "float64": 5e10, "int64": 1e10, "bfloat16": 2e11, "float16": 1e11},
)


# ---------------------------------------------------------------------------------------------------------------- bytes
def _inplace() -> Any:
    x, y = rl.ones(100, 100), rl.ones(100)
    return lambda: x.add_(y)


def _filled() -> Any:
    x = rl.ones(100)
    return lambda: x[:50].fill_(2.0)


def _matmul() -> Any:
    a, b = rl.ones(20, 30), rl.ones(30, 40)
    return lambda: (a @ b).relu()


def _dropped() -> Any:
    """Two results, one of which nobody reads."""
    x = rl.ones(100)
    return lambda: (x + 1, (x * 2).sum())[1]


def _rows() -> Any:
    table, index = rl.ones(1000, 8), rl.arange(10)
    return lambda: F.embedding(index, table)


def _part() -> Any:
    x = rl.ones(100, 10)
    return lambda: x.t()[2:4] + 1


def _expanded() -> Any:
    x = rl.ones(10, 1).expand(10, 50)
    return lambda: x + 1


def _masked() -> Any:
    x = rl.arange(100.0)
    return lambda: x[x > 89]


def _drawn() -> Any:
    x = rl.ones(1000)
    return lambda: F.dropout(x, 0.5, True)


def _step() -> Any:
    w, x = rl.ones(8, 8, requires_grad=True), rl.ones(4, 8)

    def run() -> None:
        w.grad = None
        (x @ w).sum().backward()

    return run


def _optimizer() -> Any:
    """The gradient is written, and not read from memory; so are the number and the two moments of each weight."""
    w, x = rl.ones(64, 64, requires_grad=True), rl.ones(64, 64)
    steps = rl.optim.SGD([w], lr=0.1)

    def run() -> None:
        steps.zero_grad()
        (x @ w).sum().backward()
        steps.step()

    return run


def _backward_alone() -> Any:
    """What the forward has kept is read, and the cotangent."""
    x = rl.ones(100, requires_grad=True)
    y, g = x.exp(), rl.ones(100)
    return lambda: rl.autograd.grad(y, x, g, retain_graph=True)


@pytest.mark.parametrize(
    ("make", "read", "written"),
    [
        (_inplace, 40_400, 40_000),
        (_filled, 0, 200),
        (_matmul, 4 * (600 + 1200), 3200),
        (_dropped, 400, 400 + 4),
        (_rows, 80 + 320, 320),
        (_part, 800, 800),
        (_expanded, 40, 2000),
        (_masked, 400, 40),
        (_drawn, 4000, 4000),
        (_step, 4 * (64 + 32), 256),
        (_optimizer, 2 * 4 * 64 * 64, 2 * 4 * 64 * 64),
        (_backward_alone, 800, 400),
    ],
)
def test_bytes(make: Any, read: int, written: int) -> None:
    found = work.count(make())
    assert (found.read, found.written) == (read, written)


def test_memory_that_others_are_handed_has_no_limit() -> None:
    x = rl.ones(10)
    assert work.count(lambda: rl.from_numpy(x.numpy() + 1)).unknown == ("numpy",)
    assert work.count(lambda: x + 1).unknown == ()


# ----------------------------------------------------------------------------------------------------------- operations
def test_every_primitive_has_a_rule() -> None:
    assert [name for name, prim in PRIMS.items() if not counts.has_rule(name, prim.kind)] == []


_FAMILIES = ("contraction", "linalg", "transform", "scan", "sort", "data-dependent", "random")
# Of the core's library, what is no product, transform, recurrence, factorisation or sort.
_NO_WORK = {"refuse", "phases", "phase_check", "pivots_to_permutation"}


def _backward(result: Any) -> None:
    """Of all that needs a gradient."""
    due = [t for t in rl.utils._pytree.tree_leaves(result) if isinstance(t, rl.Tensor) and t.requires_grad]
    rl.autograd.backward(due, [rl.ones_like(t) for t in due])


def test_whatever_calls_run_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each operator of these families: where its program has a product, a transform, a recurrence or the like, or
    that of a node of its backward has, operations are counted, whichever way the call goes.
    """
    seen: set[str] = set()
    real = counts.of_program

    def of_program(program: Any, sizes: Any = None) -> Any:
        found = real(program, sizes)
        env = program.env.copy()
        env.hints[: len(sizes or ())] = sizes or ()
        heavy = {
            e.prim.name
            for e in inline_calls(program).eqns
            if e.prim.kind in ("library", "band") and all(env.hint(n) for v in e.inputs for n in v.shape)
        } - _NO_WORK
        assert not heavy or sum(found.values()) > 0, f"nothing is counted of {heavy}"
        seen.update(heavy)
        return found

    monkeypatch.setattr(counts, "of_program", of_program)
    for name in load():
        op = operator_of(name) if name in TABLE else None
        if op is None or op.shape_class not in _FAMILIES or name.endswith("_"):
            continue
        args, kwargs = sample(op)
        differentiated = op.shape_class in ("contraction", "transform", "scan")

        def run(op: Any = op, args: Any = args, kwargs: Any = kwargs, too: bool = differentiated) -> None:
            result = op(*args, **kwargs)
            if too:
                _backward(result)

        assert work.count(run).total >= 0, name
    assert seen >= set(
        "dot conv conv_dw conv_dx attention attention_grad fft rfft irfft sort_keys "
        "cholesky lu lu_solve triangular_solve qr eigh eig svd lstsq".split()
    )


@pytest.fixture
def products(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but products, transforms, factorisations and sorts counts."""
    monkeypatch.setattr(counts, "_pointwise", lambda e, size: {})
    monkeypatch.setattr(counts, "_elements", lambda x, size: {})
    monkeypatch.setattr(counts, "_function", lambda name, x, n, arity=1: {})


def _total(run: Callable[[], Any]) -> float:
    return work.count(run).total


def _forward_and_backward(model: Any, *operands: Any) -> Callable[[], Any]:
    def run() -> None:
        model.zero_grad()
        _backward(model(*operands))

    return run


class _Steps(rl.nn.Module):
    """The results of all steps of a recurrent network."""

    def __init__(self, net: rl.nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, x: rl.Tensor) -> Any:
        return self.net(x)[0]


@pytest.mark.parametrize(("kind", "gates"), [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
@pytest.mark.parametrize("trained", [False, True])
def test_layers_of_recurrences(kind: str, gates: int, trained: bool, products: None) -> None:
    """Each step has the products of its input and of its state; a backward has the weights' gradients, and the
    state's: the first state's is one of a step more than need be, which is not asked for.
    """
    steps, batch, width, state = 7, 3, 5, 6
    net, x = getattr(rl.nn, kind)(width, state), rl.ones(steps, batch, width)
    of_input, of_state = (2 * batch * gates * state * n * steps for n in (width, state))
    if not trained:
        with rl.no_grad():
            assert _total(lambda: net(x)[0]) == of_input + of_state
        return
    found = _total(_forward_and_backward(_Steps(net), x))
    assert found == pytest.approx(2 * of_input + 3 * of_state, abs=of_state / steps)


@pytest.mark.parametrize("cell", ["RNNCell", "GRUCell", "LSTMCell"])
def test_cells_of_recurrences(cell: str, products: None) -> None:
    net, x = getattr(rl.nn, cell)(5, 6), rl.ones(3, 5)
    gates = net.weight_ih.shape[0]
    with rl.no_grad():
        assert _total(lambda: net(x)) == 2 * 3 * gates * (5 + 6)


@pytest.mark.parametrize("window", [(3, 1, 1, 1), (3, 2, 0, 1), (2, 3, 1, 2), (1, 1, 0, 1), (5, 1, 4, 1)])
@pytest.mark.parametrize("groups", [1, 2])
def test_convolutions(window: tuple[int, int, int, int], groups: int, products: None) -> None:
    kernel, stride, padding, dilation = window
    n, m = 7, (7 + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
    inside = sum(0 <= i * stride + k * dilation - padding < n for i, k in itertools.product(range(m), range(kernel)))
    once = 2 * 3 * 4 * 6 // groups * inside**2
    x, w = rl.ones(3, 4, n, n, requires_grad=True), rl.ones(6, 4 // groups, kernel, kernel, requires_grad=True)
    run = lambda: F.conv2d(x, w, None, stride, padding, dilation, groups)
    assert _total(run) == once
    assert _total(lambda: _backward(run())) == 3 * once
    g = rl.ones(3, 6, m, m)
    assert _total(lambda: F.conv_transpose2d(g, w, None, stride, padding, 0, groups, dilation)) <= once


@pytest.mark.parametrize("causal", [False, True])
def test_attention(causal: bool, products: None) -> None:
    q, k, v = (rl.ones(2, 3, n, 8, requires_grad=True) for n in (16, 20, 20))
    seen = 2 * 3 * (sum(range(1, 17)) if causal else 16 * 20)
    run = lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    assert _total(run) == 2 * seen * (8 + 8)
    assert _total(lambda: _backward(run())) == 2 * seen * (2 + 5) * 8


def _matrix(*shape: int) -> Any:
    return rl.eye(*shape[-2:]).expand(shape).clone() * 3 + rl.ones(shape)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (lambda a: a @ a, 2 * 8**3),
        (lambda a: a @ a[0], 2 * 8**2),
        (lambda a: rl.linalg.cholesky(a), 8**3 / 3),
        (lambda a: rl.linalg.solve(a, a[:, :2]), 2 * 8**3 / 3 + 2 * 8**2 * 2),
        (lambda a: rl.linalg.inv(a), 2 * 8**3 / 3 + 2 * 8**3),
        (lambda a: rl.linalg.qr(a), 8 * 8**3 / 3),
        (lambda a: rl.linalg.eigh(a), 9 * 8**3),
        (lambda a: rl.linalg.eigvalsh(a), 4 * 8**3 / 3),
        (lambda a: rl.linalg.svd(a), 22 * 8**3),
        (lambda a: rl.linalg.inv(a.expand(5, 8, 8)), 5 * (2 * 8**3 / 3 + 2 * 8**3)),
        (lambda a: rl.linalg.solve_triangular(a, a[:, :2], upper=True), 8**2 * 2),
        (lambda a: rl.linalg.cholesky(a.to(rl.complex64)), 4 * 8**3 / 3),
        (lambda a: rl.einsum("ij,kj->ik", a, a), 2 * 8**3),
        (lambda a: a.sort(-1), 2 * 8 * math.log2(math.factorial(8))),
        (lambda a: a.topk(2, -1), 2 * 8 * 7),
        (lambda a: rl.fft.rfft(a), 2.5 * 64 * 3),
        (lambda a: rl.fft.rfft2(a), 2.5 * 64 * 6),
        (lambda a: rl.fft.fft(a), 2.5 * 64 * 3),
        (lambda a: rl.fft.fft(a.to(rl.complex64)), 5 * 64 * 3),
        (lambda a: rl.fft.irfft(a.to(rl.complex64)[:, :5]), 2.5 * 64 * 3),
        (lambda a: rl.fft.fftn(a.to(rl.complex64)), 5 * 64 * 6),
        (lambda a: F.interpolate(a[None, None], size=(4, 4), mode="bilinear", antialias=True), 2 * (32 + 16) * 4),
    ],
)
def test_products_transforms_and_factorisations(run: Any, expected: float, products: None) -> None:
    a = _matrix(8, 8)
    assert _total(lambda: run(a)) == pytest.approx(expected)


def test_gradients_that_are_differentiated_again_count_once(products: None) -> None:
    x, w = rl.ones(4, 8), rl.ones(8, 6, requires_grad=True)
    once = 2 * 4 * 8 * 6
    assert _total(lambda: rl.autograd.grad((x @ w).sum(), w, create_graph=True)) == 2 * once
    assert _total(lambda: rl.func.vmap(lambda row: row @ w)(x)) == once
    assert _total(lambda: rl.func.jacrev(lambda v: w.detach().T @ v)(x[0])) == 2 * 8 * 6 * (1 + 6)


def test_dtypes_of_operations() -> None:
    a = rl.ones(8, 8)
    assert work.count(lambda: a.bfloat16() @ a.bfloat16()).operations["bfloat16"] == 2 * 8**3
    assert work.count(lambda: a.double() @ a.double()).operations["float64"] == 2 * 8**3
    assert work.count(lambda: a.long() @ a.long()).operations["int64"] == 2 * 8**3
    assert work.count(lambda: a.bfloat16() * 2).operations.keys() == {"float32"}


def test_random_numbers() -> None:
    """Words of the twister, and what makes numbers of them; a normal number takes half of two functions' work."""
    word = 2 * counts.TWISTER
    for n in (1, 500, 624, 5000):
        assert work.count(lambda n=n: rl.randperm(n + 1)).total == n * word
        assert n * word < work.count(lambda n=n: rl.rand(n)).total < n * (word + 8)
    n = 10_000
    functions_of_two = sum(functions.operations(f, "float32") for f in ("log", "sqrt", "sin", "cos"))
    assert work.count(lambda: rl.randn(n)).total == pytest.approx(n * (word + functions_of_two / 2), rel=0.1)
    assert work.count(lambda: F.dropout(rl.ones(n), 0.5, True)).total == pytest.approx(n * (2 * word + 2), rel=0.05)


def test_the_table_of_cases() -> None:
    """Cases that multiply, transform or draw count operations."""
    for name, build in turns.table(None).items():
        if name.startswith(("dense/mm", "dense/attention", "train_eager/", "windows/avg")) or name.endswith(
            "1x64_float32"
        ):
            counted = work.count(build(rl))
            assert counted.total > 0 and not counted.unknown, name


def test_convolutions_and_averages_of_places_that_are_computed(products: None) -> None:
    x, w, offset = rl.ones(1, 4, 8, 8), rl.ones(6, 4, 3, 3), rl.zeros(1, 18, 8, 8)
    call = TABLE["ops.torchvision.deform_conv2d"]
    given = [t.requires_grad_() for t in (x, w, offset)]
    run = lambda: call(x, w, offset, rl.ones(1, 9, 8, 8), rl.zeros(6), 1, 1, 1, 1, 1, 1, 1, 1, True)
    with rl.no_grad():
        assert _total(run) == 2 * 64 * 6 * 4 * 9
    assert _total(lambda: rl.autograd.grad(run().sum(), given)) == 3 * 2 * 64 * 6 * 4 * 9
    boxes = rl.tensor([[0, 0, 0, 4, 4], [0, 1, 1, 5, 5.0]])
    assert _total(lambda: TABLE["ops.torchvision.roi_align"](x, boxes, 1.0, 2, 2, 2, True)) == 2 * 4 * 2 * 2 * 4 * 8
    assert _total(lambda: TABLE["ops.torchvision.nms"](boxes[:, 1:], rl.ones(2), 0.5)) >= 2


# ---------------------------------------------------------------------------------------------------- functions, limits
def test_instructions_of_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors that fill several registers count as so many, divisions as what they take; rare blocks are left out, and
    so is what a single bit chooses for rare elements, and whatever nobody needs.
    """
    text = """
      %1 = load <16 x double>, ptr %p, align 4
      %2 = fmul <16 x double> %1, %1
      %3 = fcmp uno <16 x double> %2, %2
      %4 = fadd double 1.0, 2.0
      %5 = bitcast <16 x i1> %3 to i16
      %6 = icmp ne i16 %5, 0
      %7 = fmul <16 x double> %2, %2
      br i1 %6, label %needed, label %join

    needed:
      %8 = fdiv <16 x double> %2, %1
      br label %join

    join:
      %9 = call <16 x float> @llvm.fma.v16f32(<16 x float> %a, <16 x float> %a, <16 x float> %a)
      %10 = fdiv <16 x float> %9, %a
      %11 = call <16 x float> @llvm.sqrt.v16f32(<16 x float> %10)
      %12 = select i1 %6, <16 x float> %11, <16 x float> %10
      store <16 x float> %12, ptr %q, align 4
    """.replace("\n    ", "\n")
    for masks, expected in ((True, 2 + 2 + 1 + 1 + 32), (False, 4 + 4 + 2 + 2 + 2 * 10)):
        monkeypatch.setattr(functions.machine, "masks", lambda masks=masks: masks)
        assert functions._instructions(text) == expected


def test_work_of_functions() -> None:
    x, wide = rl.rand(30, 40), rl.rand(5, 8, dtype=rl.float64)
    exp = functions.operations("exp", "float32")
    assert functions.operations("i0e", "float32") > exp > 10
    assert functions.operations("exp", "complex64") > 2 * exp
    assert functions.operations("pow", "float32", 2) > exp
    assert work.count(lambda: x.exp()).operations == {"float32": 1200 * exp}
    # a maximum, a difference and a sum of each element; of each row a logarithm, and a few more
    found = work.count(lambda: x.logsumexp(-1)).total - 1200 * exp - 30 * functions.operations("log", "float32")
    assert 3 * 1200 <= found <= 3 * 1200 + 300
    assert work.count(lambda: wide.log()).operations == {"float64": 40 * functions.operations("log", "float64")}
    assert work.count(lambda: x.half().exp()).operations["float32"] >= 1200 * exp


def test_least_time() -> None:
    assert Work(3000, 1000, {}).seconds(LIMITS) == pytest.approx(2000 / 6e9 + 2000 / 8e9)
    assert Work(0, 5 * MB, {}).seconds(LIMITS) == pytest.approx(5 * MB / 2e9)
    assert Work(400, 400, {"float64": 1e9, "float32": 1e9}).seconds(LIMITS) == pytest.approx(1e9 / 5e10 + 1e9 / 1e11)
    # tiles of bfloat16 are a unit of their own
    both = Work(400, 400, {"bfloat16": 1e9, "float32": 1e9})
    assert both.seconds(LIMITS) == pytest.approx(1e9 / 1e11)
    assert both.bound(LIMITS) == "float32"
    slower = LIMITS._replace(operations={**LIMITS.operations, "bfloat16": 1e11})
    assert both.seconds(slower) == pytest.approx(2e9 / 1e11)


def test_better_rates() -> None:
    slower = LIMITS._replace(operations={**LIMITS.operations, "float32": 1e10, "int64": 2e10})
    assert LIMITS.better(slower).operations == {**LIMITS.operations, "int64": 2e10}
    assert LIMITS.better(LIMITS) == LIMITS


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
        roofline.Row("dense/near", Work(4e6, 4e6, {"float32": 1e9}), 2e-2, 1.5e-2),
        roofline.Row("dense/far", Work(4e5, 4e5, {}), 2e-4, 9e-4),
    ]
    text = roofline.report(LIMITS, rows, 2, 3, ["vision/decoded"])
    assert "Left out: 3 that take less than 100 us. Left out: vision/decoded, whose work is not counted." in text
    lines = [line for line in text.splitlines() if line.startswith("| dense")]
    assert [line.split(" | ")[0] for line in lines] == ["| dense/far", "| dense/near"]
    assert " L2 " in lines[0]
    assert all(line.endswith(" |  |") for line in lines)
    slow = roofline.Row("science/fft_1M", Work(4e6, 4e6, {}), 2e-3, 10e-3)
    assert roofline.reason(slow.name) and roofline.reason("dense/unheard_of") == ""
    assert roofline.reason(slow.name) in roofline.report(LIMITS, [slow], 2)
    assert roofline.reason(slow.name) not in roofline.report(LIMITS, [slow._replace(ours=2e-3)], 2)
    assert " float32 " in lines[1]
    roofline.picture(LIMITS, rows, tmp_path)
    assert (tmp_path / "roofline.svg").read_text().count("near") == 1
    assert (tmp_path / "roofline.png").stat().st_size > 10_000


def test_short_cases_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("torch")
    cases = tmp_path / "some_cases.py"
    cases.write_text(
        "def short(T):\n    x = T.ones(3)\n    return lambda: x + 1\n"
        "def long(T):\n    x = T.ones(500, 500)\n    return lambda: x @ x\n"
        "CASES = {'a/short': (1, short), 'a/long': (1, long)}\n"
    )
    # As no machine is, so that no speed brings the case near to its limit.
    bytes_a_second = dict.fromkeys(LIMITS.memory, Rates(1e18, 1e18, 1e18))
    fast = LIMITS._replace(memory=bytes_a_second, operations=dict.fromkeys(LIMITS.operations, 1e18))
    monkeypatch.setattr(machine, "measure", lambda threads, processor: fast)
    assert roofline.main(["--cases", str(cases), "--rounds", "1", "--budget", "0.01", "--out", str(tmp_path)]) == 1
    text = (tmp_path / "roofline.md").read_text()
    assert "| a/long |" in text and "a/short" not in text
    out = capsys.readouterr().out
    assert "\n1 cases of at least 100 us: median" in out and "no reason is given for a/long" in out
