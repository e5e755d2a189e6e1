"""The parts of `DataParallel` as functions. Devices that are named must be the CPU: there is no other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.nn.modules.module import Module

__all__ = ["gather", "parallel_apply", "replicate", "scatter", "scatter_kwargs"]


def _check_devices(name: str, devices: Sequence[Any]) -> None:
    for d in devices:
        where = rushlight.device(d)
        if where.type != "cpu":
            raise RuntimeError(f"{name}(): devices must be the CPU, for there is no other; found {where}")


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> tuple[Any, ...]:
    """The inputs in as many parts as there are devices: tensors are divided along ``dim``, containers by their tensors,
    the rest is repeated.
    """
    _check_devices("scatter", target_gpus)
    n = len(target_gpus)
    if isinstance(inputs, Tensor):
        return tuple(inputs.chunk(n, dim))
    if isinstance(inputs, tuple) and hasattr(inputs, "_fields"):
        return tuple(
            type(inputs)(*parts) for parts in zip(*(scatter(x, target_gpus, dim) for x in inputs), strict=False)
        )
    if isinstance(inputs, (tuple, list)) and inputs:
        return tuple(
            type(inputs)(parts) for parts in zip(*(scatter(x, target_gpus, dim) for x in inputs), strict=False)
        )
    if isinstance(inputs, dict) and inputs:
        return tuple(
            dict(zip(inputs, parts, strict=True))
            for parts in zip(*(scatter(x, target_gpus, dim) for x in inputs.values()), strict=False)
        )
    return tuple(inputs for _ in target_gpus)


def scatter_kwargs(
    inputs: tuple[Any, ...], kwargs: dict[str, Any] | None, target_gpus: Sequence[Any], dim: int = 0
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """`scatter` of positional and of keyword arguments: as many of both, filled up with empty ones."""
    parts: list[Any] = list(scatter(inputs, target_gpus, dim)) if inputs else []
    named: list[Any] = list(scatter(kwargs, target_gpus, dim)) if kwargs else []
    parts += [()] * (len(named) - len(parts))
    named += [{}] * (len(parts) - len(named))
    return tuple(parts), tuple(named)


def gather(outputs: Sequence[Any], target_device: Any, dim: int = 0) -> Any:
    """The inverse of `scatter`: tensors of all parts joined along ``dim`` (numbers of dimension 0 stacked)."""
    _check_devices("gather", [target_device])
    first = outputs[0]
    if isinstance(first, Tensor):
        parts = [x.unsqueeze(0) for x in outputs] if all(x.ndim == 0 for x in outputs) else list(outputs)
        return rushlight.cat(parts, dim)
    if first is None:
        return None
    if isinstance(first, dict):
        if any(len(x) != len(first) for x in outputs):
            raise ValueError(
                f"gather(): all parts must have the keys {list(first)}; found {[list(x) for x in outputs]}"
            )
        return type(first)((key, gather([x[key] for x in outputs], target_device, dim)) for key in first)
    columns = [gather(list(column), target_device, dim) for column in zip(*outputs, strict=True)]
    return type(first)(*columns) if hasattr(first, "_fields") else type(first)(columns)


def replicate(network: Module, devices: Sequence[Any], detach: bool = False) -> list[Module]:
    """As many modules as there are devices, on the same parameters (detached, if asked): with one device, the network
    itself would do.
    """
    import copy

    _check_devices("replicate", devices)
    copies = []
    for _ in devices:
        shared = {id(t): t for t in (*network.parameters(), *network.buffers())}
        one = copy.deepcopy(network, dict(shared))
        if detach:
            for module in one.modules():
                for name, p in module._parameters.items():
                    if p is not None:
                        module._parameters[name] = p.detach()  # type: ignore[assignment]
        copies.append(one)
    return copies


def parallel_apply(
    modules: Sequence[Module],
    inputs: Sequence[Any],
    kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Sequence[Any] | None = None,
) -> list[Any]:
    """Each module's result for its inputs, one after the other: a call uses all threads already.

    Raises:
        ValueError: there are not as many inputs as modules.
    """
    if len(modules) != len(inputs):
        raise ValueError(f"parallel_apply(): 'inputs' must be {len(modules)}, one per module; found {len(inputs)}")
    given = kwargs_tup if kwargs_tup is not None else [{}] * len(modules)
    return [
        m(*(x if isinstance(x, (tuple, list)) else (x,)), **k) for m, x, k in zip(modules, inputs, given, strict=True)
    ]
