"""Calls that a compiled function has met: they do not come to the recorder, and what they write may wait."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from test_recording import compiled, runner, same

import rushlight as rl
from rushlight import nn
from rushlight.jit.recording import Recorder

F = nn.functional


def test_writes_that_wait() -> None:
    net = nn.Sequential(nn.BatchNorm1d(3), nn.ReLU(), nn.BatchNorm1d(3), nn.Tanh())
    net[2].running_mean = net[0].running_mean  # the second write needs what the first gives
    net, plain = copy.deepcopy(net), copy.deepcopy(net)
    seen: list[Any] = []

    def f(net: Any, x: Any, how: str) -> Any:
        y = net[1](net[0](x))
        mean = net[0].running_mean
        if how == "read":
            seen.append(mean.tolist())
        elif how == "view":
            seen.append((mean[1:] * 1).tolist())
        elif how == "detach":
            seen.append(mean.detach())
        elif how == "write":
            mean.mul_(2)
        elif how == "state":
            seen.append(copy.deepcopy(net.state_dict())["0.running_mean"])
        elif how == "memory":
            mean.untyped_storage()[0] = 3
        elif how == "raise":
            raise KeyError(how)
        elif how == "version":
            seen.append(mean._version)
        elif how == "data":
            mean.data.add_(1)
        return net[3](net[2](y)) * mean.sum()

    g = compiled(f)
    for how in "nothing read view detach write state memory raise version data nothing".split():
        x = rl.randn(4, 3)
        for fn, module in ((g, net), (f, plain)):
            try:
                seen.append(fn(module, x, how))
            except KeyError:
                assert how == "raise"
        assert all(same(a, b) for a, b in zip(net.buffers(), plain.buffers(), strict=True)), how
        assert not any(t._keys_ for t in net.buffers())
        half = len(seen) // 2
        for a, b in zip(seen[:half], seen[half:], strict=True):
            assert same(a, b) if isinstance(a, rl.Tensor) else a == b, how
        seen.clear()
    assert any(call.op.inplace for p in runner(g).roots.values() for call in every_call(p))


def every_call(place: Any) -> Any:
    for child in place.children.values():
        yield child.call
        yield from every_call(child)


def test_known_calls_do_not_come_to_the_recorder(monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[str] = []
    record = Recorder.record

    def counted(self: Any, op: Any, *args: Any) -> Any:
        met.append(op.name)
        return record(self, op, *args)

    monkeypatch.setattr(Recorder, "record", counted)

    @compiled
    def f(x: Any, w: Any, n: float) -> Any:
        for k in range(20):  # more numbers than a program is given
            x = (x * (k + 0.5) + n).relu()
        x = F.layer_norm(x, x.shape[-1:]) @ w
        a, b = x.detach().reshape(2, -1).chunk(2, 1)
        return rl.cat([a, b * 2]).sum(0), F.gelu(F.linear(x, w), approximate="tanh")

    w = rl.randn(6, 6, requires_grad=True)
    for n, known in ((4, False), (4, True), (8, True), (2, True)):
        x = rl.randn(n, 6)
        met.clear()
        got = f(x, w, 1.5)
        assert not met if known else met
        expected = f._torchdynamo_orig_callable(x, w, 1.5)
        assert all(same(a, b) for a, b in zip(got, expected, strict=True))
    assert len(runner(f).plans) == 1
    assert same(*(g(x, w, 0.5)[1] for g in (f, f._torchdynamo_orig_callable)))
