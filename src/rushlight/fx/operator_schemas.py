"""Arguments of a node bound by the parameters of what it calls."""

from __future__ import annotations

import inspect
import numbers
import types
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.core.dispatch import Operator
from rushlight.core.dtypes import dtype
from rushlight.core.named import Method, Named
from rushlight.fx.names import operator_name, qualified_name
from rushlight.fx.overloads import parameter_lists
from rushlight.nn import Module

__all__ = [
    "ArgsKwargsPair",
    "check_for_mutable_operation",
    "create_type_hint",
    "get_signature_for_torch_op",
    "normalize_function",
    "normalize_module",
    "type_matches",
]

_FIRST = frozenset(("A", "L", "self", "tensor", "x"))  # a first operand that PyTorch's own list calls input
_WINDOWS = frozenset(("stride", "padding", "output_padding", "dilation"))  # one number stands for all dims


class ArgsKwargsPair(NamedTuple):
    """Positional and keyword arguments."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def _inner_signature(op: Operator | Named, name: str) -> inspect.Signature:
    """The parameters of the operator inside: as `inspect.signature` has them, with lists for tuples and no `out`."""
    if qualified_name(op).startswith("torch.functional."):
        return inspect.signature(op)  # which PyTorch writes in Python
    dims = int(name[-2]) if name[-2:] in ("1d", "2d", "3d") else 0
    found = []
    for i, p in enumerate(inspect.signature(op).parameters.values()):
        default = p.default
        if p.name in ("out", "requires_grad"):
            continue
        if i == 0 and p.name in _FIRST:
            p = p.replace(name="input")
        if isinstance(default, tuple):
            default = list(default)
        elif p.name in _WINDOWS and dims:
            default = [] if default is None else [default] * dims if isinstance(default, int) else default
        elif p.name == "pin_memory":
            default = None
        elif name == "roll" and p.name == "dims":
            default = []
        if p.kind is inspect.Parameter.VAR_POSITIONAL:  # `x.permute(0, 1)` is of the method alone
            p = p.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)
        found.append(p.replace(default=default))
    return inspect.Signature(found)


def get_signature_for_torch_op(op: Callable[..., Any], return_schemas: bool = False) -> Any:
    """The signatures of the ways to call an operator; None for what is none.

    return_schemas: a pair of them and None: there are no schemas of TorchScript here.
    """
    found: list[inspect.Signature] | None = None
    if isinstance(op, (Operator, Named)) and not isinstance(op, Method):
        public = operator_name(op)
        if public is not None:
            name = public.removeprefix("torch.")
            found = parameter_lists(name) or [_inner_signature(op, name)]
    return (found, None) if return_schemas else found


def check_for_mutable_operation(target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """RuntimeError where a call writes to an argument, which passes over graphs of values cannot follow."""
    if isinstance(target, (Operator, Named)) and (
        target.__name__.endswith("_") and not target.__name__.startswith("_") or kwargs.get("out") is not None
    ):
        raise RuntimeError(
            f"Tried to trace mutable operation {target.__name__}. FX only supports functional code, so operations that "
            "mutate operands in-place (e.g. via `out` arguments) are not supported"
        )


def create_type_hint(x: Any) -> Any:
    """A list or tuple of types as the type of such lists or tuples; anything else as it is."""
    if isinstance(x, (list, tuple)) and all(isinstance(v, type) or typing.get_origin(v) is not None for v in x):
        if isinstance(x, tuple):
            return tuple[tuple(x)] if x else tuple[()]  # type: ignore[misc]
        kinds = list(dict.fromkeys(x))
        return list[kinds[0]] if len(kinds) == 1 else list[Any]  # type: ignore[valid-type]
    return x


def type_matches(signature_type: Any, argument_type: Any) -> bool:
    """Whether an argument of a type may stand for a parameter of another; a number for a list of numbers, too."""
    if signature_type is argument_type or signature_type is Any:
        return True
    origin = typing.get_origin(signature_type)
    if origin in (typing.Union, types.UnionType):
        return any(type_matches(t, argument_type) for t in typing.get_args(signature_type))
    if origin is list:
        (element,) = typing.get_args(signature_type)
        if isinstance(argument_type, type) and argument_type is element:
            return True
        inner = typing.get_origin(argument_type)
        return inner in (list, tuple) and all(type_matches(element, t) for t in typing.get_args(argument_type))
    if signature_type is int and argument_type is dtype:
        return True
    if signature_type is numbers.Number and argument_type in (int, float):
        return True
    return (
        isinstance(argument_type, type)
        and isinstance(signature_type, type)
        and issubclass(argument_type, signature_type)
    )


def normalize_function(
    target: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    arg_types: tuple[Any, ...] | None = None,
    kwarg_types: dict[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """The arguments of a call of a function of torch bound by its parameters, with defaults.

    Args:
        arg_types, kwarg_types: the types of the arguments, which tell apart the ways to call a function that has
            several.
        normalize_to_only_use_kwargs: everything by name.

    Returns:
        None for what is no function of torch, or not called with its parameters.

    Raises:
        RuntimeError: several ways fit and no types are given.
    """
    kwargs = {} if kwargs is None else kwargs
    ways = get_signature_for_torch_op(target)
    if ways is None:
        if not _of_functional(target):
            return None
        ways = [inspect.signature(target)]
    fitting = [s for s in ways if _bound(s, args, kwargs) is not None]
    if not fitting:
        return None
    if len(fitting) == 1:
        return _normalized(fitting[0], args, kwargs, normalize_to_only_use_kwargs)
    if arg_types is None and kwarg_types is None:
        shown = "\n".join(map(str, fitting))
        raise RuntimeError(
            f"Tried to normalize arguments to torch.{getattr(target, '__name__', target)} but the schema match was "
            "ambiguous! Please provide argument types to the normalize_arguments() call. Available schemas:\n" + shown
        )
    for way in fitting:
        kinds = _bound(way, arg_types or (), kwarg_types or {})
        if kinds is not None and all(type_matches(way.parameters[k].annotation, t) for k, t in kinds.arguments.items()):
            return _normalized(way, args, kwargs, normalize_to_only_use_kwargs)
    return None


def _of_functional(target: Callable[..., Any]) -> bool:
    """Whether this is a function of torch that is written in Python."""
    return isinstance(target, types.FunctionType) and qualified_name(target).rpartition(".")[0] in (
        "torch.nn.functional",
        "torch.functional",
    )


def normalize_module(
    root: Module,
    target: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """The arguments of a call of a module of torch.nn bound by the parameters of its `forward`, with defaults; None for
    other modules.

    Raises:
        RuntimeError: for a path that leads to no module.
    """
    try:
        module = root.get_submodule(target)
    except AttributeError as error:
        raise RuntimeError(
            f"Tried to normalize node with target {target} but root did not have that target!"
        ) from error
    from rushlight import nn

    if getattr(nn, type(module).__name__, None) is not type(module):
        return None
    way = inspect.signature(module.forward)
    return _normalized(way, args, kwargs or {}, normalize_to_only_use_kwargs)


def _bound(way: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> inspect.BoundArguments | None:
    try:
        return way.bind(*args, **kwargs)
    except TypeError:
        return None


def _normalized(
    way: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any], only_kwargs: bool
) -> ArgsKwargsPair | None:
    kinds = {p.kind for p in way.parameters.values()}
    if not kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}:
        return None  # *args have no names
    bound = _bound(way, args, kwargs)
    if bound is None:
        return None
    bound.apply_defaults()
    values = {name: bound.arguments[name] for name in way.parameters}
    if only_kwargs:
        return ArgsKwargsPair((), values)
    return ArgsKwargsPair(tuple(list(values.values())[: len(args)]), dict(list(values.items())[len(args) :]))
