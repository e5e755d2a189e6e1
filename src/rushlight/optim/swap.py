"""Other parameters and state in an optimizer for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight import Tensor

from .optimizer import Optimizer

__all__ = ["swap_in_optimizer_params_and_state"]


@contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer, swapin_parameters: dict[str, Tensor], swapin_optim_state: dict[str, Any]
) -> Iterator[None]:
    """Inside, the optimizer steps other parameters with other state; afterwards it has its own again.

    Args:
        optimizer: its own state must be there already: it has made a step.
        swapin_parameters: as many tensors as it has parameters, in their order.
        swapin_optim_state: as ``optimizer.state_dict()`` gives it; tensors in it are changed in place.

    Raises:
        ValueError: there are more parameters or groups, or fewer.
    """
    groups, state = optimizer.param_groups, optimizer.state
    given = list(swapin_parameters.values())
    own = sum(len(group["params"]) for group in groups)
    if len(given) != own:
        raise ValueError(
            f"swap_in_optimizer_params_and_state(): 'swapin_parameters' must be {own}, as the optimizer has; found "
            f"{len(given)}"
        )
    new_groups = swapin_optim_state["param_groups"]
    if [len(g["params"]) for g in new_groups] != [len(g["params"]) for g in groups]:
        raise ValueError(
            "swap_in_optimizer_params_and_state(): 'swapin_optim_state' must have groups of the optimizer's sizes, "
            f"{[len(g['params']) for g in groups]}; found {[len(g['params']) for g in new_groups]}"
        )
    by_number = dict(zip((n for g in new_groups for n in g["params"]), given, strict=True))
    kind = type(state)
    new_state = kind(state.default_factory) if hasattr(state, "default_factory") else kind()
    new_state.update({by_number[n]: dict(values) for n, values in swapin_optim_state["state"].items()})
    try:
        optimizer.param_groups = [
            {**old, **new, "params": [by_number[n] for n in new["params"]]}
            for old, new in zip(groups, new_groups, strict=True)
        ]
        optimizer.state = new_state
        yield
    finally:
        optimizer.param_groups, optimizer.state = groups, state
