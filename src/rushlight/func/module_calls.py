"""Modules as functions of their parameters."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.ops._define import TABLE


def functional_call(module: Any, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: dict[str, Any] | None = None, *, tie_weights: bool = True,
                    strict: bool = False) -> Any:
    """The result of `module(*args, **kwargs)` with the parameters and buffers named in the dict(s) in the place of its own.

    Args: parameter_and_buffer_dicts: a dict from name to tensor, or a sequence of dicts. args: a tuple, or the one
    argument. tie_weights: tensors that the module shares under several names are replaced together. strict: the dicts must
    name exactly the module's parameters and buffers.
    Errors: ValueError for a name given twice; RuntimeError with `strict`.
    """
    given: dict[str, Any] = {}
    dicts = [parameter_and_buffer_dicts] if isinstance(parameter_and_buffer_dicts, dict) else list(parameter_and_buffer_dicts)
    for d in dicts:
        if not isinstance(d, dict):
            raise ValueError(f"Expected all elements of parameter_and_buffer_dicts to be dictionaries, got {type(d)}")
        for k, v in d.items():
            if k in given:
                raise ValueError(f"{k} appears in multiple dictionaries; behavior of functional call is ambiguous")
            given[k] = v
    own: dict[str, tuple[dict[str, Any], str]] = {}
    for prefix, m in module.named_modules(remove_duplicate=False):
        for store in (m._parameters, m._buffers):
            for name, value in store.items():
                if value is not None:
                    own[f"{prefix}.{name}" if prefix else name] = (store, name)
    if strict:
        unexpected, missing = sorted(set(given) - set(own)), sorted(set(own) - set(given))
        if unexpected or missing:
            raise RuntimeError(f"Error(s) in loading state_dict: Unexpected key(s): {unexpected}. Missing key(s): {missing}.")
    replace = {k: v for k, v in given.items() if k in own}
    for k in given:
        if k not in own:
            raise AttributeError(f"functional_call: {type(module).__name__} has no parameter or buffer named '{k}'")
    if tie_weights:
        by_id: dict[int, Any] = {}
        for k, v in replace.items():
            store, name = own[k]
            by_id[id(store[name])] = v
        for k, (store, name) in own.items():
            if k not in replace and id(store[name]) in by_id:
                replace[k] = by_id[id(store[name])]
    old = {k: own[k][0][own[k][1]] for k in replace}
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    try:
        for k, v in replace.items():
            own[k][0][own[k][1]] = v
        return module(*args, **(kwargs or {}))
    finally:
        for k, v in old.items():
            store, name = own[k]
            if given is not None and isinstance(parameter_and_buffer_dicts, dict) and k in parameter_and_buffer_dicts and store[name] is not replace[k]:
                parameter_and_buffer_dicts[k] = store[name]        # the call has put a new value there
            store[name] = v


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """(parameters, buffers) of like modules, each stacked along a new first dimension: what `vmap` over an ensemble takes."""
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    params = {k: _stacked([dict(m.named_parameters())[k] for m in models]) for k, _ in models[0].named_parameters()}
    buffers = {k: _stacked([dict(m.named_buffers())[k] for m in models]) for k, _ in models[0].named_buffers()}
    return params, buffers


def _stacked(tensors: Sequence[Tensor]) -> Tensor:
    if all(t.requires_grad and t.is_leaf for t in tensors):
        return TABLE["stack"]([t.detach() for t in tensors]).requires_grad_()
    return TABLE["stack"](list(tensors))


def functionalize(func: Any, *, remove: str = "mutations") -> Any:
    """`func` itself: operators are traced into programs without mutation whether or not the function mutates.

    Args: remove: "mutations" or "mutations_and_views".
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(f"functionalize(f, remove='{remove}'): the valid options are 'mutations' and 'mutations_and_views'")
    return func


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Let all batch norms of a module use the batch's statistics alone, as `vmap` needs; returns the module, changed in place."""
    from rushlight.nn.modules.normalization import _BatchNorm

    for m in root.modules():
        if isinstance(m, _BatchNorm):
            m.track_running_stats = False
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                setattr(m, name, None)
    return root
