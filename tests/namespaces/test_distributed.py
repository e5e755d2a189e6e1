"""`torch.distributed`: a backend that is put in from outside is what all exchanges and DistributedDataParallel go by;
the one that is here makes groups of one and refuses more.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import rushlight as rl
from rushlight import distributed, nn
from rushlight.distributed.backends import Backend, Collectives, OneProcess, ReduceOp, Work
from rushlight.nn.parallel import DistributedDataParallel


class Twins(Collectives):
    """Two processes, of which the other one always has what this one has."""

    name = "twins"

    def __init__(self, rank: int, size: int) -> None:
        super().__init__(rank, size)
        self.calls: list[str] = []

    def allreduce(self, tensors: Sequence[rl.Tensor], op: Any) -> Work:
        self.calls.append("allreduce")
        for t in tensors:
            if op is ReduceOp.SUM:
                t.mul_(2)
        return Work(tensors)

    def broadcast(self, tensors: Sequence[rl.Tensor], root: int) -> Work:
        self.calls.append("broadcast")
        return Work(tensors)

    def reduce(self, tensors: Sequence[rl.Tensor], root: int, op: Any) -> Work:
        return self.allreduce(tensors, op)

    def allgather(self, outputs: Sequence[rl.Tensor], tensor: rl.Tensor) -> Work:
        for out in outputs:
            out.copy_(tensor)
        return Work(outputs)

    def reduce_scatter(self, output: rl.Tensor, tensors: Sequence[rl.Tensor], op: Any) -> Work:
        output.copy_(tensors[self.rank()] * 2)
        return Work([output])

    def gather(self, outputs: Sequence[rl.Tensor], tensor: rl.Tensor, root: int) -> Work:
        return self.allgather(outputs, tensor)

    def scatter(self, output: rl.Tensor, tensors: Sequence[rl.Tensor], root: int) -> Work:
        output.copy_(tensors[self.rank()])
        return Work([output])

    def alltoall(self, outputs: Sequence[rl.Tensor], tensors: Sequence[rl.Tensor]) -> Work:
        for out in outputs:
            out.copy_(tensors[self.rank()])
        return Work(outputs)

    def barrier(self) -> Work:
        self.calls.append("barrier")
        return Work()

    def send(self, tensor: rl.Tensor, dst: int, tag: int) -> Work:
        self.sent = tensor.clone()
        return Work()

    def recv(self, tensor: rl.Tensor, src: int | None, tag: int) -> Work:
        tensor.copy_(self.sent)
        return Work([tensor])


Backend.register_backend("twins", lambda store, rank, size, timeout: Twins(rank, size), devices="cpu_twins")


@pytest.fixture
def twins(tmp_path: Path) -> Iterator[Any]:
    distributed.init_process_group("twins", init_method=f"file://{tmp_path / 'store'}", rank=0, world_size=2)
    yield distributed.group.WORLD._backend  # type: ignore[union-attr]
    distributed.destroy_process_group()


def test_exchanges_go_by_the_backend(twins: Twins) -> None:
    assert (distributed.get_world_size(), distributed.get_backend()) == (2, "twins")
    x = rl.arange(3.0)
    distributed.all_reduce(x)
    assert x.tolist() == [0, 2, 4]
    outputs = [rl.empty(3), rl.empty(3)]
    distributed.all_gather(outputs, x)
    whole = rl.empty(6)
    distributed.all_gather_into_tensor(whole, x)
    assert outputs[1].tolist() == x.tolist() and whole.tolist() == x.tolist() * 2
    part = rl.empty(3)
    distributed.reduce_scatter_tensor(part, whole)
    assert part.tolist() == [0, 4, 8]
    found = [None, None]
    distributed.all_gather_object(found, {"a": [1]})
    assert found == [{"a": [1]}] * 2
    distributed.send(x, 1)
    received = rl.empty(3)
    assert distributed.recv(received, 1) == 1 and received.tolist() == x.tolist()
    with pytest.raises(ValueError, match="same as the rank"):
        distributed.send(x, 0)
    assert distributed.new_group([1]) == distributed.GroupMember.NON_GROUP_MEMBER
    distributed.barrier()
    assert twins.calls[-1] == "barrier"


def test_gradients_are_averaged(twins: Twins) -> None:
    plain = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    copied = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    copied.load_state_dict(plain.state_dict())
    wrapped = DistributedDataParallel(copied)
    x = rl.rand(4, 2)
    plain(x).sum().backward()
    twins.calls.clear()
    wrapped(x).sum().backward()
    assert twins.calls == ["allreduce"]  # the twin has the same gradients, and so their mean is what they are
    for p, q in zip(plain.parameters(), copied.parameters(), strict=True):
        assert rl.allclose(p.grad, q.grad)
    twins.calls.clear()
    with wrapped.no_sync():
        wrapped(x).sum().backward()
    assert twins.calls == []
    wrapped(x).sum().backward()
    assert twins.calls == ["allreduce"]
    with rl.no_grad():
        wrapped(x)
    seen: list[tuple[int, ...]] = []

    def hook(state: Any, bucket: Any) -> Any:
        seen.append(tuple(bucket.buffer().shape))
        future: Any = rl.futures.Future()
        future.set_result(bucket.buffer() * 0)
        return future

    wrapped.register_comm_hook(None, hook)
    wrapped(x).sum().backward()
    assert seen == [(13,)] and all(not p.grad.any() for p in copied.parameters())


@pytest.mark.parametrize("compressed", ["allreduce_hook", "fp16_compress_hook", "bf16_compress_hook"])
def test_hooks_that_average(twins: Twins, compressed: str) -> None:
    from rushlight.nn.parallel import communication

    module = nn.Linear(2, 1)
    wrapped = DistributedDataParallel(module)
    wrapped.register_comm_hook(None, getattr(communication, compressed))
    wrapped(rl.ones(3, 2)).sum().backward()
    assert module.weight.grad.tolist() == [[3, 3]] and module.bias.grad.tolist() == [3]


def test_gradients_through_exchanges(twins: Twins) -> None:
    from rushlight.distributed.nn import functional

    x = rl.tensor([1.0, 2.0], requires_grad=True)
    y = functional.all_reduce(x)
    y.sum().backward()
    assert y.tolist() == [2, 4] and x.grad.tolist() == [2, 2]
    a, b = functional.all_gather(x)
    (grad,) = rl.autograd.grad((a * 3 + b).sum(), x)
    assert grad.tolist() == [6, 6]  # both processes have taken it, the twin with the same weights


def test_one_process_refuses_more(tmp_path: Path) -> None:
    url = f"file://{tmp_path / 'store'}"
    with pytest.raises(RuntimeError, match=r"'world_size' must be 1 .* found 2: rushlight lacks communication"):
        distributed.init_process_group("gloo", init_method=url, rank=0, world_size=2)
    assert not distributed.is_initialized()
    with pytest.raises(TypeError, match="abstract"):
        Collectives(0, 1)  # type: ignore[abstract]
    with pytest.raises(AssertionError, match="registered already"):
        Backend.register_backend("gloo", lambda *a: OneProcess(0, 1))


def test_stores(tmp_path: Path) -> None:
    path = str(tmp_path / "store")
    first, second = distributed.FileStore(path, 2), distributed.FileStore(path, 2)
    first.set("a", "1")
    first.add("n", 2)
    assert second.get("a") == b"1" and second.add("n", 3) == 5 and first.get("n") == b"5"
    assert second.delete_key("a") and not first.check(["a"])
    inner = distributed.PrefixStore("p", first)
    inner.set("k", b"\x00\xff")
    assert second.get("p/k") == b"\x00\xff" and inner.num_keys() == 1
    second.set_timeout(datetime.timedelta(seconds=0.05))
    with pytest.raises(distributed.DistStoreError, match="no zz"):
        second.get("zz")
    with pytest.raises(NotImplementedError, match="between processes"):
        distributed.TCPStore("localhost", 1, 2, False)
