"""Layers of recurrent networks, which run a whole sequence as one plan, against their cells, one step after the
other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn, prims
from rushlight.compiler import compile_program
from rushlight.core import _native
from rushlight.core.execute import Executable
from rushlight.func import functional_call, jacfwd, jacrev, vmap
from rushlight.library.programs import run_program
from rushlight.nn.utils.rnn import pack_sequence, pad_packed_sequence
from rushlight.prims.emit import trace
from rushlight.program.ir import Builder
from rushlight.utils._python_dispatch import TorchDispatchMode

STEPS, BATCH, FEATURES, HIDDEN = 5, 3, 4, 6

MODES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "LSTM": (nn.LSTM, nn.LSTMCell),
    "GRU": (nn.GRU, nn.GRUCell),
    "tanh": (
        lambda *a, **k: nn.RNN(*a, nonlinearity="tanh", **k),
        lambda *a, **k: nn.RNNCell(*a, nonlinearity="tanh", **k),
    ),
    "relu": (
        lambda *a, **k: nn.RNN(*a, nonlinearity="relu", **k),
        lambda *a, **k: nn.RNNCell(*a, nonlinearity="relu", **k),
    ),
}


def sequence(*shape: int, grad: bool = True) -> Any:
    return rl.randn(*shape, dtype=rl.float64, requires_grad=grad)


def cell_of(mode: str, net: Any, suffix: str) -> Any:
    """A cell with the weights of one layer and direction."""
    cell = MODES[mode][1](net.weight_ih_l0.shape[1], HIDDEN, bias=net.bias, dtype=rl.float64)
    for name in [n for n, _ in cell.named_parameters()]:
        delattr(cell, name)
        setattr(cell, name, getattr(net, name + suffix))
    return cell


def by_steps(cell: Any, x: Any, reverse: bool) -> Any:
    """The states of a cell over (steps, batch, features)."""
    state, states = None, []
    for row in reversed(x) if reverse else x:
        state = cell(row, state)
        states.append(state[0] if isinstance(state, tuple) else state)
    return rl.stack(states[::-1] if reverse else states)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("mode", MODES)
def test_a_layer_is_its_cell_over_all_steps(mode: str, bias: bool) -> None:
    rl.manual_seed(0)
    net = MODES[mode][0](FEATURES, HIDDEN, bias=bias, bidirectional=True, dtype=rl.float64)
    x = sequence(STEPS, BATCH, FEATURES)
    weights = [x, *net.parameters()]
    expected = rl.cat([by_steps(cell_of(mode, net, s), x, r) for s, r in (("_l0", False), ("_l0_reverse", True))], -1)
    found = net(x)[0]
    cotangent = rl.randn_like(found)
    rl.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
    for a, b in zip(rl.autograd.grad(found, weights, cotangent), rl.autograd.grad(expected, weights, cotangent)):
        rl.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)
    batch_first = MODES[mode][0](FEATURES, HIDDEN, bias=bias, bidirectional=True, dtype=rl.float64, batch_first=True)
    batch_first.load_state_dict(net.state_dict())
    rl.testing.assert_close(batch_first(x.transpose(0, 1))[0].transpose(0, 1), found, rtol=0, atol=0)


@pytest.mark.parametrize("mode", MODES)
def test_what_reaches_the_last_state_alone(mode: str) -> None:
    rl.manual_seed(1)
    net = MODES[mode][0](FEATURES, HIDDEN, num_layers=2, bidirectional=True, dtype=rl.float64)
    x = sequence(STEPS, BATCH, FEATURES)

    def last(x: Any) -> Any:
        final = net(x)[1]
        return rl.cat(final) if isinstance(final, tuple) else final

    assert rl.autograd.gradcheck(last, (x,))
    assert rl.autograd.gradgradcheck(lambda x: last(x).sum(), (x,))


@pytest.mark.parametrize("mode", MODES)
def test_both_modes_of_derivatives_agree(mode: str) -> None:
    rl.manual_seed(2)
    net = MODES[mode][0](FEATURES, HIDDEN, dtype=rl.float64)
    x = sequence(STEPS, FEATURES, grad=False)
    parameters = {k: v.detach() for k, v in net.named_parameters()}

    def states(weights: dict[str, Any], x: Any) -> Any:
        return functional_call(net, weights, (x,))[0]

    forward, backward = jacfwd(states, argnums=(0, 1))(parameters, x), jacrev(states, argnums=(0, 1))(parameters, x)
    for name in parameters:
        rl.testing.assert_close(forward[0][name], backward[0][name], rtol=1e-10, atol=1e-12)
    rl.testing.assert_close(forward[1], backward[1], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_a_batch_of_networks(mode: str) -> None:
    rl.manual_seed(3)
    nets = [MODES[mode][0](FEATURES, HIDDEN, dtype=rl.float64) for _ in range(3)]
    stacked = {
        k: rl.stack([dict(n.named_parameters())[k].detach() for n in nets]) for k in dict(nets[0].named_parameters())
    }
    x = sequence(3, STEPS, BATCH, FEATURES, grad=False)
    for dim in (0, None):
        given = x if dim == 0 else x[0]
        found = vmap(lambda w, x: functional_call(nets[0], w, (x,))[0], in_dims=(0, dim))(stacked, given)
        expected = rl.stack([n(given[i] if dim == 0 else given)[0] for i, n in enumerate(nets)])
        rl.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_packed_sequences_run_as_each_alone(mode: str, bidirectional: bool) -> None:
    rl.manual_seed(4)
    net = MODES[mode][0](FEATURES, HIDDEN, num_layers=2, bidirectional=bidirectional, dtype=rl.float64)
    sequences = [sequence(n, FEATURES) for n in (6, 4, 4, 1)]
    y, final = net(pack_sequence(sequences))
    padded, lengths = pad_packed_sequence(y)
    assert lengths.tolist() == [6, 4, 4, 1]
    for i, x in enumerate(sequences):
        alone, last = net(x)
        rl.testing.assert_close(padded[: len(x), i], alone, rtol=1e-12, atol=1e-12)
        pair = (final, last) if isinstance(final, tuple) else ((final,), (last,))
        for f, a in zip(*pair):
            rl.testing.assert_close(f[:, i], a, rtol=1e-12, atol=1e-12)
    for i, g in enumerate(rl.autograd.grad(y.data.square().sum(), sequences)):
        (expected,) = rl.autograd.grad(net(sequences[i])[0].square().sum(), sequences[i])
        rl.testing.assert_close(g, expected, rtol=1e-10, atol=1e-12)


def test_projections() -> None:
    rl.manual_seed(5)
    net = nn.LSTM(FEATURES, HIDDEN, proj_size=2, bidirectional=True, dtype=rl.float64)
    x = sequence(STEPS, BATCH, FEATURES)
    assert rl.autograd.gradcheck(lambda x: net(x)[0], (x,))
    y, (h, c) = net(x)
    assert (y.shape, h.shape, c.shape) == ((STEPS, BATCH, 4), (2, BATCH, 2), (2, BATCH, HIDDEN))


@pytest.mark.parametrize("hidden", [33, 40, 128])
def test_bits_do_not_depend_on_threads(hidden: int) -> None:
    """A hidden size of 33 leaves a column beside the panels of the weights."""
    rl.manual_seed(6)
    net, x = nn.LSTM(24, hidden), rl.randn(7, 70, 24, requires_grad=True)
    before, found = _native.num_threads(), []
    try:
        for threads in (1, 2, 3):
            _native.set_num_threads(threads)
            y = net(x)[0]
            found.append([y, *rl.autograd.grad(y.square().sum(), [x, *net.parameters()])])
    finally:
        _native.set_num_threads(before)
    for other in found[1:]:
        assert all(rl.equal(a, b) for a, b in zip(found[0], other, strict=True))


def test_another_length_or_batch_compiles_nothing() -> None:
    from rushlight import compiler

    net = nn.GRU(FEATURES, HIDDEN)
    net(rl.randn(3, 2, FEATURES))[0].sum().backward()
    net(rl.randn(4, 3, FEATURES))[0].sum().backward()
    before = compiler.stats()
    for steps, batch in ((5, 4), (9, 2), (2, 7)):
        net(rl.randn(steps, batch, FEATURES))[0].sum().backward()
    assert compiler.stats() == before


@pytest.mark.parametrize("mode", MODES)
def test_below_a_mode_a_layer_is_products_and_elementwise_operators(mode: str) -> None:
    rl.manual_seed(7)
    net, x = MODES[mode][0](FEATURES, HIDDEN, bidirectional=True), rl.randn(STEPS, BATCH, FEATURES, requires_grad=True)
    seen: set[str] = set()

    class Noting(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.add(str(func))
            return func(*args, **(kwargs or {}))

    weights = [x, *net.parameters()]
    plain = net(x)[0]
    expected = rl.autograd.grad(plain.square().sum(), weights)
    with Noting():
        found = net(x)[0]
        gradients = rl.autograd.grad(found.square().sum(), weights)
    assert {"aten.addmm.default", "aten.stack.default"} <= seen
    assert not any("layer" in name or "gates" in name or name.startswith("prims.") for name in seen)
    rl.testing.assert_close(found, plain)
    for a, b in zip(gradients, expected, strict=True):
        rl.testing.assert_close(a, b)


@pytest.mark.parametrize("reverse", [False, True])
def test_a_recurrence_primitive_by_primitive(reverse: bool) -> None:
    """As `library.programs` runs the programs of derivatives below a mode."""

    def step(w: Any, x: Any, h: Any) -> Any:
        return prims.tanh(prims.add(x, prims.dot(h, w)))

    shapes = (HIDDEN, HIDDEN), (STEPS, BATCH, HIDDEN), (BATCH, HIDDEN)
    with Builder() as b:
        w, x, h = (b.input(shape, rl.float64) for shape in shapes)
        body = trace(step, (w, x, h), [w.shape, x.shape[1:], h.shape])
        program = b.build(prims.recurrence.several(w, x, h, body=body, counts=(1, 1), reverse=reverse))
    values = [rl.randn(*shape, dtype=rl.float64) for shape in shapes]
    (found,) = run_program(program, (), values)
    state, states = values[2], []
    for row in reversed(values[1]) if reverse else values[1]:
        state = rl.tanh(row + state @ values[0])
        states.append(state)
    rl.testing.assert_close(found, rl.stack(states[::-1] if reverse else states), rtol=1e-12, atol=1e-12)


def _plain(h: Any) -> Any:
    return h


def _rows_turned(h: Any) -> Any:
    return prims.slice(h, starts=(h.shape[0] - 1, 0), sizes=h.shape, steps=(-1, 1))


def _columns_turned(h: Any) -> Any:
    return prims.slice(h, starts=(0, h.shape[1] - 1), sizes=h.shape, steps=(1, -1))


def _the_row_before(h: Any) -> Any:
    n, m = h.shape
    last = prims.slice(h, starts=(n - 1, 0), sizes=(1, m), steps=(1, 1))
    return prims.concatenate(last, prims.slice(h, starts=(0, 0), sizes=(n - 1, m), steps=(1, 1)), dim=0)


def _the_first_row(h: Any) -> Any:
    row = prims.slice(h, starts=(0, 0), sizes=(1, h.shape[1]), steps=(1, 1))
    return prims.broadcast_in_dim(prims.reshape(row, shape=row.shape[1:]), shape=h.shape, dims=(1,))


def _the_sum_of_rows(h: Any) -> Any:
    return prims.broadcast_in_dim(prims.reduce_sum(h, dims=(0,)), shape=h.shape, dims=(1,))


def _the_sum_of_columns(h: Any) -> Any:
    return prims.broadcast_in_dim(prims.reduce_sum(h, dims=(1,)), shape=h.shape, dims=(0,))


def _transposed(h: Any) -> Any:
    return prims.permute(h, perm=(1, 0))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize(
    "read",
    [
        _plain,
        _rows_turned,
        _columns_turned,
        _the_row_before,
        _the_first_row,
        _the_sum_of_rows,
        _the_sum_of_columns,
        _transposed,
    ],
)
def test_steps_whose_rows_meet_or_not(read: Callable[[Any], Any], behind: bool, reverse: bool) -> None:
    """Threads that take rows through all steps never read what another makes. `behind`: the product reads the state as
    it lies, and what is made of it goes on otherwise.
    """
    n, steps = 96, 40

    def step(w: Any, x: Any, h: Any) -> Any:
        """Two gates, so that rows of the kernel lie apart."""
        y = prims.dot(h if behind else read(h), w)
        one, other = (prims.slice(y, starts=(0, k), sizes=(n, n), steps=(1, 1)) for k in (0, n))
        new = prims.add(prims.add(x, one), prims.mul(other, x))
        return prims.tanh(prims.add(new, read(h)) if behind else new)

    rl.manual_seed(8)
    shapes = (n, 2 * n), (steps, n, n), (n, n)
    values = [rl.randn(*shape) / n for shape in shapes]
    with Builder() as b:
        operands = [b.input(shape, rl.float32) for shape in shapes]
        body = trace(step, operands, [shapes[0], shapes[1][1:], shapes[2]])
        program = b.build(prims.recurrence.several(*operands, body=body, counts=(1, 1), reverse=reverse))
    whole = Executable(compile_program(program), [], len(values), 0)
    with Builder() as b:
        w, x, h = (b.input(shape, rl.float32) for shape in [shapes[0], shapes[1][1:], shapes[2]])
        one = b.build([step(w, x, h)])
    state, states = values[2], []
    for row in reversed(values[1]) if reverse else values[1]:
        (state,) = run_program(one, (), [values[0], row, state])
        states.append(state)
    expected = rl.stack(states[::-1] if reverse else states)
    before = _native.num_threads()
    try:
        for threads in (1, 2, 3):
            _native.set_num_threads(threads)
            (found,) = whole.launch(values)
            rl.testing.assert_close(found, expected, rtol=1e-4, atol=1e-6)
    finally:
        _native.set_num_threads(before)
