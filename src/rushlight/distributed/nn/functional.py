"""Exchanges between processes that gradients go back through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight.autograd.function import Function
from rushlight.core.tensor import Tensor
from rushlight.distributed.backends import Op, ReduceOp
from rushlight.distributed.groups import ProcessGroup, _get_default_group

__all__ = [
    "all_gather",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
]


def _of(group: ProcessGroup | None) -> ProcessGroup:
    return _get_default_group() if group is None or not isinstance(group, ProcessGroup) else group


def _on_a_copy(collective: str) -> Any:
    """The forward of a collective that writes into its tensor: `apply(group, root or operation or both, x)`."""

    def forward(ctx: Any, g: ProcessGroup, *args: Any) -> Tensor:
        *how, x = args
        ctx.g, ctx.how = g, how
        made: Tensor = x.clone()
        getattr(g._backend, collective)([made], *how).wait()
        return made

    return staticmethod(forward)


class _AllReduce(Function):
    forward = _on_a_copy("allreduce")

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, _AllReduce.apply(ctx.g, *ctx.how, grad)


class _Broadcast(Function):
    forward = _on_a_copy("broadcast")

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        (root,) = ctx.how
        found = _Reduce.apply(ctx.g, root, ReduceOp.SUM, grad)
        return None, None, found if ctx.g.rank() == root else rushlight.zeros_like(found)


class _Reduce(Function):
    forward = _on_a_copy("reduce")

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, None, _Broadcast.apply(ctx.g, ctx.how[0], grad)


class _AllGather(Function):
    @staticmethod
    def forward(ctx: Any, g: ProcessGroup, x: Tensor) -> tuple[Tensor, ...]:
        ctx.g = g
        outputs = [rushlight.empty_like(x) for _ in range(g.size())]
        g._backend.allgather(outputs, x.contiguous()).wait()
        return tuple(outputs)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return None, _ReduceScatter.apply(ctx.g, ReduceOp.SUM, *grads)


class _ReduceScatter(Function):
    @staticmethod
    def forward(ctx: Any, g: ProcessGroup, op: Op, *xs: Tensor) -> Tensor:
        ctx.g = g
        output = rushlight.empty_like(xs[g.rank()])
        g._backend.reduce_scatter(output, [x.contiguous() for x in xs], op).wait()
        return output

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        return (None, None, *_AllGather.apply(ctx.g, grad))


class _Gather(Function):
    @staticmethod
    def forward(ctx: Any, g: ProcessGroup, root: int, x: Tensor) -> tuple[Tensor, ...]:
        ctx.g, ctx.root = g, root
        outputs = [rushlight.zeros_like(x) for _ in range(g.size())]
        g._backend.gather(outputs if g.rank() == root else [], x.contiguous(), root).wait()
        return tuple(outputs)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return None, None, _Scatter.apply(ctx.g, ctx.root, *grads)


class _Scatter(Function):
    @staticmethod
    def forward(ctx: Any, g: ProcessGroup, root: int, *xs: Tensor) -> Tensor:
        ctx.g, ctx.root = g, root
        output = rushlight.zeros_like(xs[0])
        g._backend.scatter(output, [x.contiguous() for x in xs] if g.rank() == root else [], root).wait()
        return output

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        return (None, None, *_Gather.apply(ctx.g, ctx.root, grad))


class _AllToAll(Function):
    @staticmethod
    def forward(ctx: Any, g: ProcessGroup, outputs: Sequence[Tensor], *xs: Tensor) -> tuple[Tensor, ...]:
        ctx.g = g
        ctx.like = [rushlight.empty_like(x) for x in xs]
        made = [rushlight.empty_like(o) for o in outputs]
        g._backend.alltoall(made, [x.contiguous() for x in xs]).wait()
        return tuple(made)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Any, ...]:
        return (None, None, *_AllToAll.apply(ctx.g, ctx.like, *grads))


def all_reduce(tensor: Tensor, op: Op = ReduceOp.SUM, group: ProcessGroup | None = None) -> Tensor:
    """The tensors of all processes combined."""
    return _AllReduce.apply(_of(group), op, tensor)  # type: ignore[no-any-return]


def broadcast(tensor: Tensor, src: int, group: ProcessGroup | None = None) -> Tensor:
    """The tensor of process `src`."""
    return _Broadcast.apply(_of(group), src, tensor)  # type: ignore[no-any-return]


def reduce(tensor: Tensor, dst: int, op: Op = ReduceOp.SUM, group: ProcessGroup | None = None) -> Tensor:
    """The tensors of all processes combined, in process `dst`."""
    return _Reduce.apply(_of(group), dst, op, tensor)  # type: ignore[no-any-return]


def all_gather(tensor: Tensor, group: ProcessGroup | None = None) -> tuple[Tensor, ...]:
    """The tensors of all processes."""
    return _AllGather.apply(_of(group), tensor)  # type: ignore[no-any-return]


def reduce_scatter(
    output: Tensor, input_list: Sequence[Tensor], op: Op = ReduceOp.SUM, group: ProcessGroup | None = None
) -> Tensor:
    """This process's one of the tensors of all processes, combined; `output` says nothing but its sizes."""
    return _ReduceScatter.apply(_of(group), op, *input_list)  # type: ignore[no-any-return]


def gather(tensor: Tensor, dst: int = 0, group: ProcessGroup | None = None) -> tuple[Tensor, ...]:
    """The tensors of all processes, in process `dst`; zeros elsewhere."""
    return _Gather.apply(_of(group), dst, tensor)  # type: ignore[no-any-return]


def scatter(tensors: Sequence[Tensor], src: int = 0, group: ProcessGroup | None = None) -> Tensor:
    """This process's one of the tensors of process `src`."""
    return _Scatter.apply(_of(group), src, *tensors)  # type: ignore[no-any-return]


def all_to_all(
    output_tensor_list: Sequence[Tensor], input_tensor_list: Sequence[Tensor], group: ProcessGroup | None = None
) -> tuple[Tensor, ...]:
    """This process's one of the tensors of each; the outputs say nothing but their sizes."""
    return _AllToAll.apply(_of(group), list(output_tensor_list), *input_tensor_list)  # type: ignore[no-any-return]


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: ProcessGroup | None = None,
) -> Tensor:
    """This process's part of each process's tensor, behind one another."""
    from rushlight.distributed.distributed_c10d import _divided

    g = _of(group)
    outputs = _divided(output, output_split_sizes, g.size())
    return rushlight.cat(all_to_all(outputs, _divided(input, input_split_sizes, g.size()), g))
