"""State dicts of a model and its optimizer in which everything goes by the parameters' names, as
`torch.distributed.checkpoint.state_dict` has them; of one process, which holds the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import rushlight
from rushlight.core.tensor import Tensor
from rushlight.nn import Module
from rushlight.optim import Optimizer

__all__ = [
    "StateDictOptions",
    "get_model_state_dict",
    "get_optimizer_state_dict",
    "get_state_dict",
    "set_model_state_dict",
    "set_optimizer_state_dict",
    "set_state_dict",
]


@dataclass
class StateDictOptions:
    """How state dicts are made and taken.

    full_state_dict, broadcast_from_rank0: of one process no difference. cpu_offload: tensors on the CPU.
    ignore_frozen_params: without parameters that need no gradient. keep_submodule_prefixes: names of a submodule's
    parameters begin with its own. strict: names must be those of the model. flatten_optimizer_state_dict: one dict
    from "state.NAME.KEY" and "param_groups.NAME.OPTION" to values. dsd_fqn_modifiers: accepted.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


def _values(x: Any, change: Callable[[Tensor], Tensor]) -> Any:
    if isinstance(x, Tensor):
        return change(x)
    if isinstance(x, dict):
        return {k: _values(v, change) for k, v in x.items()}
    return x


def _given(state: Any, options: StateDictOptions) -> Any:
    return _values(state, lambda t: t.detach().to("cpu")) if options.cpu_offload else state


def _listed(optimizers: Optimizer | Iterable[Optimizer]) -> tuple[Optimizer, ...]:
    return (optimizers,) if isinstance(optimizers, Optimizer) else tuple(optimizers)


def get_model_state_dict(
    model: Module, *, submodules: set[Module] | None = None, options: StateDictOptions | None = None
) -> dict[str, Any]:
    """The model's state dict, or that of some submodules of it."""
    options = options or StateDictOptions()
    state: dict[str, Any] = dict(model.state_dict())
    if options.ignore_frozen_params:
        frozen = {name for name, p in model.named_parameters(remove_duplicate=False) if not p.requires_grad}
        state = {name: value for name, value in state.items() if name not in frozen}
    if submodules is not None:
        kept: dict[str, Any] = {}
        for path, module in model.named_modules():
            if module in submodules:
                for name, value in state.items():
                    if name.startswith(f"{path}."):
                        kept[name if options.keep_submodule_prefixes else name[len(path) + 1 :]] = value
        state = kept
    found: dict[str, Any] = _given(state, options)
    return found


def _names(model: Module) -> dict[Any, str]:
    return {p: name for name, p in model.named_parameters()}


def _with_state(optimizer: Optimizer) -> None:
    """Give an optimizer that has not run its state, by a step that changes nothing."""
    if optimizer.state:
        return
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    if any(p.grad is not None for p in parameters):
        return  # its state comes with the step that these gradients are for
    rates = [group.get("lr") for group in optimizer.param_groups]
    for p in parameters:
        if p.requires_grad:
            p.grad = rushlight.zeros_like(p)
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        if rate is not None:
            group["lr"] = rushlight.tensor(0.0) if isinstance(rate, Tensor) else 0.0
    optimizer.step(closure=None)
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        if rate is not None:
            group["lr"] = rate
    optimizer.zero_grad(set_to_none=True)


def get_optimizer_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    submodules: set[Module] | None = None,
    options: StateDictOptions | None = None,
) -> dict[str, Any]:
    """The state dict of one or several optimizers of a model, by the names of its parameters.

    Raises:
        RuntimeError: for a parameter that is not one of the model's.
    """
    options = options or StateDictOptions()
    names, state, groups = _names(model), dict[str, Any](), list[dict[str, Any]]()
    inside = None if submodules is None else {p for m in submodules for p in m.parameters()}
    for optimizer in _listed(optimizers):
        _with_state(optimizer)
        for group in optimizer.state_dict()["param_groups"]:
            groups.append(group)
        for made, group in zip(groups[-len(optimizer.param_groups) :], optimizer.param_groups, strict=True):
            kept = [p for p in group["params"] if inside is None or p in inside]
            missing = [tuple(p.shape) for p in kept if p not in names]
            if missing:
                raise RuntimeError(
                    "get_optimizer_state_dict(): the optimizer's parameters must be the model's; found others, of the "
                    f"shapes {missing}"
                )
            made["params"] = [names[p] for p in kept]
            state.update({names[p]: dict(optimizer.state[p]) for p in kept if p in optimizer.state})
    state = _given(state, options)
    if not options.flatten_optimizer_state_dict:
        return {"state": state, "param_groups": groups}
    flat = {f"state.{name}.{key}": value for name, own in state.items() for key, value in own.items()}
    for group in groups:
        for name in group["params"]:
            flat.update({f"param_groups.{name}.{k}": v for k, v in group.items() if k != "params"})
    return flat


def get_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    submodules: set[Module] | None = None,
    options: StateDictOptions | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """`get_model_state_dict` and `get_optimizer_state_dict`."""
    of_model = get_model_state_dict(model, submodules=submodules, options=options)
    optimizers = _listed(optimizers)
    if not optimizers:
        return of_model, {}
    return of_model, get_optimizer_state_dict(model, optimizers, submodules=submodules, options=options)


def set_model_state_dict(
    model: Module, model_state_dict: Mapping[Any, Any], *, options: StateDictOptions | None = None
) -> Any:
    """Load a state dict into a model; one by submodules, too: from a submodule to its own names.

    Returns:
        The names that were missing and those that were not expected.

    Raises:
        RuntimeError: for these when `options.strict`.
    """
    options = options or StateDictOptions()
    state: dict[str, Any] = {}
    paths = {module: path for path, module in model.named_modules()}
    for key, value in model_state_dict.items():
        if isinstance(key, Module):
            prefix = f"{paths[key]}." if paths[key] else ""
            state.update({prefix + name: v for name, v in value.items()})
        else:
            state[key] = value
    if not state:
        from rushlight.nn.modules.module import _IncompatibleKeys

        return _IncompatibleKeys([], [])
    return model.load_state_dict(state, strict=options.strict)


def set_optimizer_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    optim_state_dict: Mapping[str, Any],
    *,
    options: StateDictOptions | None = None,
) -> None:
    """Load what `get_optimizer_state_dict` gave into optimizers.

    Raises:
        KeyError: for a parameter of an optimizer that no group of the state dict has.
    """
    options = options or StateDictOptions()
    names = _names(model)
    if not optim_state_dict:
        return
    for optimizer in _listed(optimizers):
        state: dict[int, Any] = {}
        groups: list[dict[str, Any]] = []
        number = 0
        for group, made in zip(optimizer.param_groups, optimizer.state_dict()["param_groups"], strict=True):
            here = [names[p] for p in group["params"]]
            if options.flatten_optimizer_state_dict:
                own = {k: optim_state_dict.get(f"param_groups.{here[0]}.{k}", v) for k, v in made.items()}
            else:
                own = next(dict(g) for g in optim_state_dict["param_groups"] if here[0] in g["params"])
            groups.append({**own, "params": list(range(number, number + len(here)))})
            for i, name in enumerate(here, number):
                if options.flatten_optimizer_state_dict:
                    start = f"state.{name}."
                    state[i] = {k[len(start) :]: v for k, v in optim_state_dict.items() if k.startswith(start)}
                elif name in optim_state_dict["state"]:
                    state[i] = dict(optim_state_dict["state"][name])
            number += len(here)
        optimizer.load_state_dict({"state": state, "param_groups": groups})


def set_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    model_state_dict: Mapping[Any, Any],
    optim_state_dict: Mapping[str, Any],
    options: StateDictOptions | None = None,
) -> Any:
    """`set_model_state_dict`, whose result is returned, and `set_optimizer_state_dict`."""
    done = set_model_state_dict(model, model_state_dict, options=options)
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return done
