"""Modules as functions of their parameters."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rushlight.core.checks import check_argument, check_type
from rushlight.core.tensor import Tensor
from rushlight.operators.table.define import TABLE
from rushlight.operators.table.dispatch import modes

if TYPE_CHECKING:
    from rushlight.nn.modules.module import Module


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """The result of `module(*args, **kwargs)` with the parameters and buffers named in the dict(s) in the place of its
    own.

    Args:
        parameter_and_buffer_dicts: a dict from name to tensor, or a sequence of dicts. A name that is no parameter or
            buffer is an attribute of the module, which has the tensor during the call.
        args: a tuple, or the one argument.
        tie_weights: tensors that the module shares under several names are replaced together.
        strict: the dicts must name exactly the module's parameters and buffers.

    Raises:
        AttributeError: for a name in a module that does not exist.
        TypeError: for a value that is no tensor, and a name of an attribute that is none.
        ValueError: for a name given twice.
        RuntimeError: with `strict`.
    """
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with replaced_tensors(module, parameter_and_buffer_dicts, tie_weights, strict):
        return module(*args, **(kwargs or {}))


@contextlib.contextmanager
def replaced_tensors(
    module: Module,
    parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    tie_weights: bool,
    strict: bool,
    owner: str = "functional_call",
) -> Iterator[None]:
    """Inside, the tensors of the dict(s) stand in the place of the module's own. Tensors that the module puts there go
    into the dict afterwards, if it is a single one.
    """
    given = _merged(parameter_and_buffer_dicts)
    own = _places(module)
    if strict and own.keys() != given.keys():
        more, fewer = sorted(given.keys() - own.keys()), sorted(own.keys() - given.keys())
        raise RuntimeError(
            f"{owner}: with strict=True exactly the names of {type(module).__name__} must be given; found {more} "
            f"beside them, {fewer} missing"
        )
    for name, value in given.items():
        check_type(owner, name, value, Tensor | None, "a tensor")
        if name not in own:
            own[name] = _attribute(module, name, owner)
    replace = dict(given)
    if tie_weights:
        by_id: dict[int, Any] = {}
        for k, v in replace.items():
            store, name = own[k]
            by_id[id(store[name])] = v
        for k, (store, name) in own.items():
            if k not in replace and id(store[name]) in by_id:
                replace[k] = by_id[id(store[name])]
    old = {k: own[k][0][own[k][1]] for k in replace}
    try:
        for k, v in replace.items():
            own[k][0][own[k][1]] = v
        yield
    finally:
        for k, v in old.items():
            store, name = own[k]
            if (
                isinstance(parameter_and_buffer_dicts, dict)
                and k in parameter_and_buffer_dicts
                and store[name] is not replace[k]
            ):
                parameter_and_buffer_dicts[k] = store[name]  # the call has put a new value there
            store[name] = v


_ABSENT: Any = object()


class _Attributes:
    """A module's attributes beside its parameters and buffers, read and written as the entries of a dict are; one that
    is not there is _ABSENT.
    """

    def __init__(self, module: Module) -> None:
        self.module = module

    def __getitem__(self, name: str) -> Any:
        return getattr(self.module, name, _ABSENT)

    def __setitem__(self, name: str, value: Any) -> None:
        if value is _ABSENT:
            delattr(self.module, name)
        else:
            setattr(self.module, name, value)


def _attribute(module: Module, path: str, owner: str) -> tuple[Any, str]:
    """The place of a name that is no parameter or buffer: an attribute, which must be a tensor if it is there."""
    prefix, _, name = path.rpartition(".")
    place = _Attributes(module.get_submodule(prefix))
    found = place[name]
    if found is not _ABSENT and found is not None and not isinstance(found, Tensor):
        raise TypeError(f"{owner}: '{path}' must name a tensor; found an attribute of type {type(found).__name__}")
    return place, name


def _merged(dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]]) -> dict[str, Any]:
    """One dict of the one or several that name tensors."""
    given: dict[str, Any] = {}
    check_type(
        "functional_call", "parameter_and_buffer_dicts", dicts, (dict, list, tuple), "a dict, or several", ValueError
    )
    for part in [dicts] if isinstance(dicts, dict) else dicts:
        check_type("functional_call", "parameter_and_buffer_dicts", part, dict, "a dict, or several", ValueError)
        twice = given.keys() & part.keys()
        if twice:
            raise ValueError(
                "functional_call: a name must be in one of 'parameter_and_buffer_dicts' alone; found "
                f"{sorted(twice)} in two"
            )
        given.update(part)
    return given


def _places(module: Module) -> dict[str, tuple[Any, str]]:
    """For each name of a parameter or buffer, the dictionary that holds it and its key there."""
    return {
        f"{prefix}.{name}" if prefix else name: (store, name)
        for prefix, part in module.named_modules(remove_duplicate=False)
        for store in (part._parameters, part._buffers)
        for name, value in store.items()
        if value is not None
    }


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """(parameters, buffers) of like modules, each stacked along a new first dimension: what `vmap` over an ensemble
    takes.

    Raises:
        RuntimeError: for no models, and for models that differ in class or mode.
    """
    check_argument(models, "stack_module_state", "models", "hold at least one", "none")
    kinds = {f"{type(model).__name__} ({'training' if model.training else 'eval'})" for model in models}
    if len(kinds) > 1 or len({type(model) for model in models}) > 1:
        raise RuntimeError(
            f"stack_module_state: 'models' must be of one class and one mode; found {', '.join(sorted(kinds))}"
        )

    def columns(method: str) -> dict[str, Tensor]:
        tables = [dict(getattr(model, method)()) for model in models]
        return {name: _stacked([table[name] for table in tables]) for name in tables[0]}

    return columns("named_parameters"), columns("named_buffers")


def _stacked(tensors: Sequence[Tensor]) -> Tensor:
    parameters = all(t.requires_grad and t.is_leaf for t in tensors)
    stacked: Tensor = TABLE["stack"]([t.detach() for t in tensors] if parameters else list(tensors))
    return stacked.requires_grad_() if parameters else stacked


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """A function that does what `func` does. In a graph that `make_fx` makes of it, no call writes to a tensor, except
    to the arguments at the end.

    Operators are traced into programs without mutation whether or not a function mutates.

    Args:
        remove: "mutations" or "mutations_and_views".
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(f"functionalize: 'remove' must be 'mutations' or 'mutations_and_views'; found {remove!r}")

    @functools.wraps(func)
    def functional(*args: Any, **kwargs: Any) -> Any:
        with contextlib.ExitStack() as stack:
            begins = [getattr(getattr(entered, "mode", entered), "functionalized", None) for entered in modes.stack]
            told = [stack.enter_context(begin(remove)) for begin in begins if begin is not None]
            result = func(*args, **kwargs)
            for tell in told:
                tell(result)
            return result

    return functional


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Let all batch norms of a module use the batch's statistics alone, as `vmap` needs; returns the module, changed in
    place.
    """
    for m in root.modules():
        if getattr(m, "_is_batch_norm_", False):
            m.track_running_stats = False
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                setattr(m, name, None)
    return root
