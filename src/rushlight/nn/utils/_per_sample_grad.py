"""Gradients per sample: what each example of a batch adds to the gradient of a parameter."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight import Tensor, autograd, func
from rushlight.nn.modules.module import Module
from rushlight.operators.table.types import Args, Classes, Function, Kwargs
from rushlight.overrides import TorchFunctionMode
from rushlight.utils import _pytree as pytree

__all__ = ["call_for_per_sample_grads"]


def call_for_per_sample_grads(
    module: Module, *, batch_size: int | None = None, loss_reduction: str = "sum", batch_first: bool = True
) -> Callable[..., Any]:
    """The forward of a module whose backward leaves, instead of `grad` of its parameters, their `grad_sample`: a row
    for each example of the batch.

    Args:
        module: its forward must treat the examples of a batch apart.
        batch_size: the number of examples; that of the tensors among the arguments, by default.
        loss_reduction: "mean" multiplies by the number of examples, which a mean over them has divided by.
        batch_first: the examples lie along the first dimension of the arguments and results, else along the second.

    Returns:
        A function with the signature of the module's forward.

    Raises:
        RuntimeError: for arguments of other types, tensors that disagree on the number of examples, an earlier
            `grad_sample`, and for batch norm in training, which mixes the examples.
    """
    if loss_reduction not in ("sum", "mean"):
        raise RuntimeError(f"Expected loss_reduction argument to be sum or mean; found {loss_reduction}")
    if not isinstance(module, Module):
        raise RuntimeError(f"Module passed must be nn.Module; found {type(module).__name__}")
    if not (batch_size is None or isinstance(batch_size, int)):
        raise RuntimeError(f"Batch size passed must be None or an integer; found {type(batch_size).__name__}")
    if batch_size is not None and batch_size < 1:
        raise RuntimeError(f"Batch size must be positive; found {batch_size}")
    for parameter in module.parameters():
        if getattr(parameter, "grad_sample", None) is not None:
            raise RuntimeError(
                "call_for_per_sample_grads: 'grad_sample' of a parameter is set, and would be added to; set it to None "
                f"before the call. It is that of {parameter}"
            )
    dim = 0 if batch_first else 1

    @functools.wraps(module.forward)
    def forward(*args: Any, **kwargs: Any) -> Any:
        size = _batch_size((args, kwargs), dim, batch_size)
        scale = size if loss_reduction == "mean" else 1
        samples: dict[int, Tensor] = {}  # a parameter that the module holds by several names has one gradient
        parameters = {}
        for name, p in module.named_parameters(remove_duplicate=False):
            if id(p) not in samples:
                samples[id(p)] = _PerSample.apply(p, size, scale)
            parameters[name] = samples[id(p)]
        buffers = {name: b.expand(size, *b.shape).clone() for name, b in module.named_buffers()}
        leaves, spec = pytree.tree_flatten((args, kwargs))
        where = [dim if isinstance(leaf, Tensor) else None for leaf in leaves]

        def one(parameters: dict[str, Tensor], buffers: dict[str, Tensor], *leaves: Any) -> tuple[Any, Any]:
            given = [leaf.unsqueeze(dim) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
            args, kwargs = pytree.tree_unflatten(given, spec)
            with _ApartMode():
                result = func.functional_call(module, {**parameters, **buffers}, args, kwargs)
            return pytree.tree_map_only(Tensor, lambda t: t.squeeze(dim), result), buffers

        run = func.vmap(one, (0, 0, *where), (dim, 0), randomness="different")
        result, after = run(parameters, buffers, *leaves)
        with rushlight.no_grad():
            for name, b in module.named_buffers():
                b.copy_(after[name].mean(0) if after[name].is_floating_point() else after[name][0])
        return result

    return forward


def _batch_size(given: Any, dim: int, said: int | None) -> int:
    """The number of examples in the tensors among the arguments."""
    size = said
    for leaf in pytree.tree_leaves(given):
        if not isinstance(leaf, Tensor):
            continue
        if leaf.dim() <= dim:
            raise RuntimeError(
                "Input does not have a batch dimension. Expanded Weights expected input of at least rank "
                f"{dim + 1}; found of rank {leaf.dim()}"
            )
        if leaf.shape[dim] == 0:
            raise RuntimeError("0 is not a valid batch size for call_for_per_sample_grads")
        if size is None:
            size = leaf.shape[dim]
        elif size != leaf.shape[dim]:
            raise RuntimeError(
                "When computing batch size, found at least one input with batch size "
                f"{leaf.shape[dim]} and one with batch size {size}. All must be of one"
            )
    if size is None:
        raise RuntimeError(
            "Unable to find a tensor in the passed args and kwargs. Please specify the batch size explicitly"
        )
    return size


class _PerSample(autograd.Function):  # type: ignore[misc]
    """A parameter once for each example; what comes back is left in `grad_sample`, not in `grad`."""

    @staticmethod
    def forward(ctx: Any, parameter: Tensor, size: int, scale: int) -> Tensor:
        ctx.parameter, ctx.scale = parameter, scale
        return parameter.expand(size, *parameter.shape)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, None, None]:
        rows = gradient.detach() * ctx.scale
        before = getattr(ctx.parameter, "grad_sample", None)
        ctx.parameter.grad_sample = rows if before is None else before + rows
        return None, None, None


class _ApartMode(TorchFunctionMode):
    """Refuses what would see one example where it means the batch."""

    def __torch_function__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        kwargs = kwargs or {}
        if func is rushlight.nn.functional.batch_norm:
            training = kwargs["training"] if "training" in kwargs else len(args) > 5 and args[5]
            if training or args[1] is None:
                raise RuntimeError("Expanded Weights encountered but cannot handle function batch_norm in training")
        return func(*args, **kwargs)
