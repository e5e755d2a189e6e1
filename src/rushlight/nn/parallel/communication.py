"""How DistributedDataParallel exchanges gradients: buckets, and the hooks that do it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import rushlight
from rushlight.core.tensor import Tensor

if TYPE_CHECKING:
    from rushlight.distributed.groups import ProcessGroup

__all__ = ["GradBucket", "allreduce_hook", "bf16_compress_hook", "fp16_compress_hook"]


class GradBucket:
    """Gradients behind one another in one tensor.

    parameters: whose gradients they are. buffer: the tensor. is_last: whether no other follows in this backward.
    """

    def __init__(self, index: int, parameters: Sequence[Tensor], buffer: Tensor, is_last: bool) -> None:
        self._index, self._parameters, self._buffer, self._is_last = index, list(parameters), buffer, is_last

    def index(self) -> int:
        """Its place among the buckets."""
        return self._index

    def buffer(self) -> Tensor:
        """The gradients as one tensor of rank 1."""
        return self._buffer

    def set_buffer(self, buffer: Tensor) -> None:
        """Let another tensor be the gradients."""
        self._buffer = buffer

    def gradients(self) -> list[Tensor]:
        """The gradients, as views of the buffer."""
        parts = self._buffer.split([p.numel() for p in self._parameters])
        return [part.view(p.shape) for part, p in zip(parts, self._parameters, strict=True)]

    def parameters(self) -> list[Tensor]:
        """Whose gradients they are."""
        return self._parameters

    def is_last(self) -> bool:
        """Whether no other follows in this backward."""
        return self._is_last


def _averaged(group: ProcessGroup | None, buffer: Tensor) -> Any:
    from rushlight.distributed import distributed_c10d, groups

    found = groups._get_default_group() if group is None else group
    buffer.div_(found.size())
    work = distributed_c10d.all_reduce(buffer, group=found, async_op=True)
    assert work is not None
    return work.get_future().then(lambda f: f.value()[0])


def allreduce_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Any:
    """The mean over the processes, as without a hook: a Future of the buffer."""
    return _averaged(process_group, bucket.buffer())


def _compressed(process_group: ProcessGroup | None, bucket: GradBucket, dtype: Any) -> Any:
    buffer = bucket.buffer()
    return _averaged(process_group, buffer.to(dtype)).then(lambda f: buffer.copy_(f.value()))


def fp16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Any:
    """The mean over the processes, exchanged in float16."""
    return _compressed(process_group, bucket, rushlight.float16)


def bf16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Any:
    """The mean over the processes, exchanged in bfloat16."""
    return _compressed(process_group, bucket, rushlight.bfloat16)
