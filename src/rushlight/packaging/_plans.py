"""Plans as JSON and back.

Tuples are lists, and what JSON lacks is an object with one key: `{"list": [...]}`, `{"dict": [[key, value], ...]}`,
`{"dtype": name}`, `{"float": hex}`, `{"kernel": number}`, and a part of a plan by the name of its class, with its
fields in order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from rushlight import return_types
from rushlight.compiler import plan as _plan
from rushlight.compiler.plan import Launch, Library, Plan
from rushlight.core import dtypes as dt
from rushlight.func.tree import Spec
from rushlight.utils import _pytree

_PARTS: dict[str, Any] = {
    c.__name__: c
    for c in (
        _plan.Plan,
        _plan.Alloc,
        _plan.Operand,
        _plan.Loose,
        _plan.Launch,
        _plan.BufferView,
        _plan.Library,
        _plan.Out,
    )
}


def launches_of(plan: Plan) -> Iterator[tuple[Launch, bool]]:
    """Every launch of a plan, those of recurrences' steps included; and whether it goes on with a product."""
    for step in plan.steps:
        if isinstance(step, Launch):
            yield step, False
            continue
        if step.then is not None:
            yield step.then, True
        if step.body is not None:
            yield from launches_of(step.body)


def calls_of(plan: Plan) -> Iterator[Library]:
    """Every call of a routine in a plan, those of recurrences' steps included."""
    for step in plan.steps:
        if isinstance(step, Library):
            yield step
            if step.body is not None:
                yield from calls_of(step.body)


def with_kernels(plan: Plan, kernel: Callable[[Any], Any]) -> Plan:
    """The plan with other objects in the place of its kernels."""

    def of_launch(launch: Launch) -> Launch:
        return dataclasses.replace(launch, kernel=kernel(launch.kernel))

    def changed(step: Launch | Library) -> Launch | Library:
        if isinstance(step, Launch):
            return of_launch(step)
        params = dict(step.params)
        if step.body is not None:
            params["body"] = with_kernels(step.body, kernel)
        return dataclasses.replace(step, params=params, then=None if step.then is None else of_launch(step.then))

    return dataclasses.replace(plan, steps=tuple(map(changed, plan.steps)))


def written(x: Any, kernel: Callable[[Any], int]) -> Any:
    """A plan, or a part of it, as what JSON has; `kernel` gives the number of a kernel."""
    if x is None or isinstance(x, (bool, int, str)):
        return x
    if isinstance(x, float):
        return {"float": x.hex()}
    if isinstance(x, tuple):
        return [written(v, kernel) for v in x]
    if isinstance(x, list):
        return {"list": [written(v, kernel) for v in x]}
    if isinstance(x, dict):
        return {"dict": [[written(k, kernel), written(v, kernel)] for k, v in x.items()]}
    if isinstance(x, dt.dtype):
        return {"dtype": x.name}
    name = type(x).__name__
    if _PARTS.get(name) is type(x):
        return {name: [written(getattr(x, f.name), kernel) for f in dataclasses.fields(x)]}
    return {"kernel": kernel(x)}


def read(x: Any, kernel: Callable[[int], Any]) -> Any:
    """The part of a plan that `written` has made into `x`; `kernel` gives the kernel of a number."""
    if isinstance(x, list):
        return tuple([read(v, kernel) for v in x])
    if not isinstance(x, dict):
        return x
    ((kind, value),) = x.items()
    if kind == "kernel":
        return kernel(value)
    if kind == "dtype":
        return dt.by_name[value]
    if kind == "float":
        return float.fromhex(value)
    if kind == "list":
        return [read(v, kernel) for v in value]
    if kind == "dict":
        return {read(k, kernel): read(v, kernel) for k, v in value}
    return _PARTS[kind](*[read(v, kernel) for v in value])


def written_container(spec: Spec) -> list[Any]:
    """The shape of a container as JSON, with the names of the operators' results in it (`topk`)."""
    names = sorted(set(_results_in(spec)))
    _know(names)
    return [names, _pytree.treespec_dumps(spec)]


def read_container(found: list[Any]) -> Spec:
    """The shape that `written_container` has made into `found`."""
    names, text = found
    _know(names)
    return _pytree.treespec_loads(text)


def _results_in(spec: Spec) -> Iterator[str]:
    if getattr(spec.context, "__module__", "").endswith("return_types"):
        yield spec.context.__name__
    for child in spec.children():
        yield from _results_in(child)


def _know(names: list[str]) -> None:
    """Let named results of operators be written and read: PyTorch's shapes have no names for them."""
    for name in names:
        _pytree._register_namedtuple(getattr(return_types, name), serialized_type_name=f"rushlight.return_types.{name}")
