"""Selective activation checkpointing: a policy says which operators' results are kept, so that they are not computed
again.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from rushlight.autograd.graph import saved_tensors_hooks
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.func.tree import flatten, tree_map
from rushlight.library.dispatching import represented
from rushlight.operators.table.types import Args, Classes, Function, Kwargs
from rushlight.utils._python_dispatch import TorchDispatchMode

__all__ = ["CheckpointPolicy", "SelectiveCheckpointContext", "create_selective_checkpoint_contexts"]


class CheckpointPolicy(enum.Enum):
    """What becomes of an operator's result. PREFER_ leaves a compiler free; here it is what MUST_ is. On the CPU,
    offloading is saving.
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_KEPT = (
    CheckpointPolicy.MUST_SAVE,
    CheckpointPolicy.PREFER_SAVE,
    CheckpointPolicy.MUST_CPU_OFFLOAD,
    CheckpointPolicy.PREFER_CPU_OFFLOAD,
)


class SelectiveCheckpointContext:
    """What a policy is given: `is_recompute`, whether this is the second run; `op_output`, the operator's result in the
    first.
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute, self.op_output = is_recompute, op_output


class _Cache:
    """The results that are kept, by operator, in the order of the calls."""

    def __init__(self, policy: Callable[..., Any], may_change: bool) -> None:
        self.policy, self.may_change = policy, may_change
        self.results: defaultdict[Any, list[tuple[Any, list[int]]]] = defaultdict(list)

    def keeps(self, is_recompute: bool, output: Any, func: Callable[..., Any], args: Any, kwargs: Any) -> bool:
        shown = represented(func, args, kwargs) if isinstance(func, Operator) else func
        found = self.policy(
            SelectiveCheckpointContext(is_recompute=is_recompute, op_output=output), shown, *args, **kwargs
        )
        if isinstance(found, bool):
            return found
        if not isinstance(found, CheckpointPolicy):
            raise TypeError(
                "create_selective_checkpoint_contexts(): the policy must return a CheckpointPolicy or a bool; found "
                f"{type(found).__name__}"
            )
        return found in _KEPT


class _Run(TorchDispatchMode):
    """A run of the function, which asks a cache about every call."""

    sees_whole_calls = True

    def __init__(self, cache: _Cache) -> None:
        super().__init__()
        self.cache = cache


class _First(_Run):
    """The first run: what the policy keeps is recorded plainly, for its backward needs no second run."""

    def __torch_dispatch__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        kwargs = kwargs or {}
        if not self.cache.keeps(False, None, func, args, kwargs):
            return func(*args, **kwargs)
        with saved_tensors_hooks(lambda t: t, lambda t: t):
            out = func(*args, **kwargs)
        kept = tree_map(lambda x: x.detach() if isinstance(x, Tensor) else x, out)
        self.cache.results[func].append((kept, [x._version for x in flatten(kept)[0] if isinstance(x, Tensor)]))
        return out


class _Again(_Run):
    """The second run: kept results stand in the place of the calls that made them."""

    def __torch_dispatch__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        kwargs = kwargs or {}
        waiting = self.cache.results[func]
        if not self.cache.keeps(True, waiting[0][0] if waiting else None, func, args, kwargs):
            return func(*args, **kwargs)
        if not waiting:
            raise RuntimeError(
                f"checkpoint: the policy must keep the same results in both runs; found one of {func} that the first "
                "run has not kept"
            )
        kept, versions = waiting.pop(0)
        if not self.cache.may_change and versions != [x._version for x in flatten(kept)[0] if isinstance(x, Tensor)]:
            raise RuntimeError(
                f"checkpoint: a kept result of {func} must not be modified in place; allow_cache_entry_mutation=True "
                "allows it"
            )
        needs = any(isinstance(x, Tensor) and x.requires_grad for x in flatten((args, kwargs))[0])

        def used(x: Any) -> Any:
            differentiable = isinstance(x, Tensor) and (x.is_floating_point() or x.is_complex())
            return x.detach().requires_grad_() if differentiable and needs else x

        return tree_map(used, kept)


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Callable[..., Any] | Sequence[Any], allow_cache_entry_mutation: bool = False
) -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """The contexts that `checkpoint`'s `context_fn` is to return, so that some operators' results are kept.

    Args:
        policy_fn_or_list: policy(ctx, op, *args, **kwargs) returns a `CheckpointPolicy`; or a list of the operators
        whose results are kept.
        allow_cache_entry_mutation: whether kept results may be written to.

    Returns:
        (the context of the first run, that of the second).

    Raises:
        TypeError: the argument is neither, or something in the list is no operator.

    The policy is handed the overload of `torch.ops.aten` that the call is, mm's for a product of matrices; what is kept
    is the result of the whole call.
    """
    if isinstance(policy_fn_or_list, (list, tuple)):
        for op in policy_fn_or_list:
            if not callable(op):
                raise TypeError(
                    "create_selective_checkpoint_contexts(): 'policy_fn_or_list' must be a list of operators; found "
                    f"{type(op).__name__} in it"
                )
        chosen = {_key(op) for op in policy_fn_or_list}

        def policy(ctx: SelectiveCheckpointContext, op: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
            return CheckpointPolicy.MUST_SAVE if _key(op) in chosen else CheckpointPolicy.PREFER_RECOMPUTE
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError(
            "create_selective_checkpoint_contexts(): 'policy_fn_or_list' must be a function or a list of operators; "
            f"found {type(policy_fn_or_list).__name__}"
        )
    cache = _Cache(policy, allow_cache_entry_mutation)
    return _First(cache), _Again(cache)


def _key(op: Any) -> str:
    """An operator by name, whatever object it is called by: a function, a method, or one of its overloads in
    `ops.aten`.
    """
    name = getattr(op, "_opname", None) or getattr(op, "name", None) or getattr(op, "__name__", "")
    name = name() if callable(name) else name
    return str(name).rpartition("::")[2].partition(".")[0] if "::" in str(name) else str(name)
