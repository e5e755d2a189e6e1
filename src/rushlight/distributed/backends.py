"""How processes exchange tensors: `Collectives`, the class that a way to do it derives from, and `OneProcess`, the
group of one.

A further one is put in by `Backend.register_backend(name, make)`, where `make(store, rank, size, timeout)` gives a
`Collectives`; all of torch.distributed and DistributedDataParallel then go by it.
"""

from __future__ import annotations

import abc
import datetime
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import rushlight
from rushlight.core.checks import check_argument, check_that
from rushlight.core.tensor import Tensor
from rushlight.distributed.stores import Store

__all__ = ["Backend", "Collectives", "OneProcess", "ReduceOp", "Work"]

_NO_TIMEOUT = datetime.timedelta(0)


class ReduceOp:
    """How the values of the processes of a group are combined."""

    class RedOpType:
        """One of the ways."""

        def __init__(self, name: str, value: int) -> None:
            self.name, self.value = name, value

        def __repr__(self) -> str:
            return f"<RedOpType.{self.name}: {self.value}>"

        def __str__(self) -> str:
            return f"RedOpType.{self.name}"

        def __int__(self) -> int:
            return self.value

        def __reduce__(self) -> tuple[Any, ...]:
            return getattr, (ReduceOp, self.name)

    SUM = RedOpType("SUM", 0)
    AVG = RedOpType("AVG", 1)
    PRODUCT = RedOpType("PRODUCT", 2)
    MIN = RedOpType("MIN", 3)
    MAX = RedOpType("MAX", 4)
    BAND = RedOpType("BAND", 5)
    BOR = RedOpType("BOR", 6)
    BXOR = RedOpType("BXOR", 7)
    PREMUL_SUM = RedOpType("PREMUL_SUM", 8)
    UNUSED = RedOpType("UNUSED", 9)


Op = ReduceOp.RedOpType


class Work:
    """An exchange that has been begun. A backend whose exchanges take time overrides `wait` and `is_completed`.

    tensors: what it writes.
    """

    def __init__(self, tensors: Sequence[Tensor] = ()) -> None:
        self._tensors = list(tensors)

    def wait(self, timeout: datetime.timedelta = _NO_TIMEOUT) -> bool:
        """Return once the tensors are written."""
        return True

    def is_completed(self) -> bool:
        """Whether the tensors are written."""
        return True

    def is_success(self) -> bool:
        """Whether it has ended without an error."""
        return self.is_completed() and self.exception() is None

    def exception(self) -> BaseException | None:
        """The error that it has ended with, or None."""
        return None

    def result(self) -> list[Tensor]:
        """The tensors that it writes."""
        self.wait()
        return self._tensors

    def synchronize(self) -> None:
        """Let what is computed next see the tensors: `wait`."""
        self.wait()

    def block_current_stream(self) -> None:
        """`wait`: there are no streams on the CPU."""
        self.wait()

    def source_rank(self) -> int:
        """The process that sent. RuntimeError: this is no receiving."""
        raise RuntimeError("source_rank(): only a receiving from any process has a source")

    def get_future(self) -> Any:
        """A Future of the tensors."""
        from rushlight.futures import Future

        made: Any = Future()
        made.set_result(self.result())
        return made


class Backend(str):
    """The name of a way to talk to other processes."""

    UNDEFINED: ClassVar[str] = "undefined"
    GLOO: ClassVar[str] = "gloo"
    NCCL: ClassVar[str] = "nccl"
    MPI: ClassVar[str] = "mpi"
    UCC: ClassVar[str] = "ucc"
    XCCL: ClassVar[str] = "xccl"
    backend_list: ClassVar[list[str]] = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI]
    default_device_backend_map: ClassVar[dict[str, str]] = {"cpu": GLOO}
    makers: ClassVar[dict[str, Callable[..., Collectives]]] = {}

    def __new__(cls, name: str) -> Backend:
        """The name in small letters. ValueError: it is no string."""
        if not isinstance(name, str):
            raise ValueError(f"Backend constructor parameter must be string-ish: {name}")
        return super().__new__(cls, name.lower())

    @classmethod
    def register_backend(
        cls,
        name: str,
        func: Callable[..., Collectives],
        extended_api: bool = False,
        devices: str | list[str] | None = None,
    ) -> None:
        """Let groups be made by a name: `func(store, rank, size, timeout)` gives the `Collectives`.

        Raises:
            AssertionError: for a name that is taken.
        """
        key = name.lower()
        if key in cls.makers:
            raise AssertionError(f"register_backend(): 'name' must be new; {name} is registered already")
        setattr(Backend, name.upper(), key)
        if key not in cls.backend_list:
            cls.backend_list.append(key)
        for device in [devices] if isinstance(devices, str) else devices or []:
            cls.default_device_backend_map[device] = key
        cls.makers[key] = func


class Collectives(abc.ABC):
    """The exchanges of a group, as process `rank` of `size` takes part in them. Each returns a `Work` at once or when
    it is done; tensors are written without history.
    """

    name = "undefined"

    def __init__(self, rank: int, size: int) -> None:
        self._rank, self._size = rank, size

    def rank(self) -> int:
        """This process's number."""
        return self._rank

    def size(self) -> int:
        """The number of processes."""
        return self._size

    @abc.abstractmethod
    def allreduce(self, tensors: Sequence[Tensor], op: Op) -> Work:
        """Combine the tensors of all processes, in all of them."""

    @abc.abstractmethod
    def broadcast(self, tensors: Sequence[Tensor], root: int) -> Work:
        """Give all processes the root's tensors."""

    @abc.abstractmethod
    def reduce(self, tensors: Sequence[Tensor], root: int, op: Op) -> Work:
        """Combine the tensors of all processes, in the root."""

    @abc.abstractmethod
    def allgather(self, outputs: Sequence[Tensor], tensor: Tensor) -> Work:
        """Give all processes the tensors of each: `outputs` has one for each process."""

    @abc.abstractmethod
    def reduce_scatter(self, output: Tensor, tensors: Sequence[Tensor], op: Op) -> Work:
        """Combine lists of one tensor for each process, and give each process its one."""

    @abc.abstractmethod
    def gather(self, outputs: Sequence[Tensor], tensor: Tensor, root: int) -> Work:
        """Give the root the tensors of all processes."""

    @abc.abstractmethod
    def scatter(self, output: Tensor, tensors: Sequence[Tensor], root: int) -> Work:
        """Give each process its one of the root's tensors."""

    @abc.abstractmethod
    def alltoall(self, outputs: Sequence[Tensor], tensors: Sequence[Tensor]) -> Work:
        """Give each process its one of the tensors of each."""

    @abc.abstractmethod
    def barrier(self) -> Work:
        """Wait for all processes."""

    @abc.abstractmethod
    def send(self, tensor: Tensor, dst: int, tag: int) -> Work:
        """Send a tensor to a process."""

    @abc.abstractmethod
    def recv(self, tensor: Tensor, src: int | None, tag: int) -> Work:
        """Receive a tensor from a process, or any (None)."""


class OneProcess(Collectives):
    """The group of one process, to which every exchange gives its own data back."""

    name = "gloo"

    def _root(self, call: str, root: int) -> None:
        check_that(root == 0, call, "the root", "be 0, the one process there is", lambda: f"{root} (invalid root rank)")

    def _combine(self, tensors: Sequence[Tensor], op: Op) -> None:
        """What the operation refuses; one value alone is combined already."""
        for t in tensors:
            if op in (ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR) and t.dtype.kind not in "biu":
                raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype {t.dtype}")
            if op is ReduceOp.AVG and t.dtype.kind in "biu":
                raise RuntimeError(f"ReduceOp.AVG: the quotient cannot be cast to the desired output type {t.dtype}")
            if op in (ReduceOp.PREMUL_SUM, ReduceOp.UNUSED):
                raise RuntimeError(f"Cannot use ReduceOp.{op.name} with Gloo")

    def _give(self, call: str, outputs: Sequence[Tensor], tensors: Sequence[Tensor]) -> Work:
        """Copy tensors to outputs of the same sizes and dtypes."""
        for i, (out, t) in enumerate(zip(outputs, tensors, strict=True)):
            if out.shape != t.shape:
                raise RuntimeError(
                    f"{call}: invalid tensor size at index {i} (expected {_sizes(t)}, got {_sizes(out)})"
                )
            if out.dtype != t.dtype:
                raise RuntimeError(f"{call}: invalid tensor type at index {i} (expected {t.dtype}, got {out.dtype})")
        with rushlight.no_grad():
            for out, t in zip(outputs, tensors, strict=True):
                out.copy_(t)
        return Work(outputs)

    def _one(self, call: str, what: str, tensors: Sequence[Tensor]) -> None:
        if len(tensors) != 1:
            raise RuntimeError(
                f"{call}: invalid {what} list size: it must have one tensor, the size of the group; got {len(tensors)}"
            )

    def allreduce(self, tensors: Sequence[Tensor], op: Op) -> Work:
        """The tensors as they are."""
        self._combine(tensors, op)
        return Work(tensors)

    def broadcast(self, tensors: Sequence[Tensor], root: int) -> Work:
        """The tensors as they are."""
        self._root("broadcast", root)
        return Work(tensors)

    def reduce(self, tensors: Sequence[Tensor], root: int, op: Op) -> Work:
        """The tensors as they are."""
        self._root("reduce", root)
        self._combine(tensors, op)
        return Work(tensors)

    def allgather(self, outputs: Sequence[Tensor], tensor: Tensor) -> Work:
        """A copy of the tensor."""
        self._one("allgather", "output tensor", outputs)
        return self._give("allgather", outputs, [tensor])

    def reduce_scatter(self, output: Tensor, tensors: Sequence[Tensor], op: Op) -> Work:
        """A copy of the one tensor."""
        self._one("reduce_scatter", "input tensor", tensors)
        self._combine(tensors, op)
        return self._give("reduce_scatter", [output], tensors)

    def gather(self, outputs: Sequence[Tensor], tensor: Tensor, root: int) -> Work:
        """A copy of the tensor."""
        self._root("gather", root)
        self._one("gather", "output tensor", outputs)
        return self._give("gather", outputs, [tensor])

    def scatter(self, output: Tensor, tensors: Sequence[Tensor], root: int) -> Work:
        """A copy of the one tensor."""
        self._root("scatter", root)
        self._one("scatter", "input tensor", tensors)
        return self._give("scatter", [output], tensors)

    def alltoall(self, outputs: Sequence[Tensor], tensors: Sequence[Tensor]) -> Work:
        """A copy of the one tensor."""
        self._one("alltoall", "output tensor", outputs)
        self._one("alltoall", "input tensor", tensors)
        return self._give("alltoall", outputs, tensors)

    def barrier(self) -> Work:
        """Return at once: there is no other process to wait for."""
        return Work()

    def send(self, tensor: Tensor, dst: int, tag: int) -> Work:
        """RuntimeError: there is no other process."""
        raise RuntimeError(f"send: there must be another process to send to; the group has one, and 'dst' is {dst}")

    def recv(self, tensor: Tensor, src: int | None, tag: int) -> Work:
        """RuntimeError: there is no other process."""
        raise RuntimeError(
            f"recv: there must be another process to receive from; the group has one, and 'src' is {src}"
        )


def _sizes(t: Tensor) -> str:
    return f"({', '.join(map(str, t.shape))})"


def make_gloo(store: Store, rank: int, size: int, timeout: datetime.timedelta) -> Collectives:
    """The group of one. RuntimeError: it would have more."""
    if size != 1:
        raise RuntimeError(
            f"init_process_group(): 'world_size' must be 1 for the backend gloo; found {size}: rushlight lacks "
            "communication between processes. Run in one process, or register a backend of your own by "
            "torch.distributed.Backend.register_backend"
        )
    check_argument(rank == 0, "init_process_group()", "rank", "be less than 'world_size'", lambda: f"rank {rank} of 1")
    return OneProcess(rank, size)


Backend.makers["gloo"] = make_gloo
