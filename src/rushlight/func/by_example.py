"""Calls of eager operators whose result depends on the numbers in mapped tensors: example by example.

A batch cannot be asked for the size of `nonzero` or a number from `item()`; each of its examples can.
"""

from __future__ import annotations

from typing import Any

from rushlight.core.dispatch import Operator
from rushlight.core.held import held
from rushlight.core.tensor import Tensor
from rushlight.func.levels import Batched, Dual, Level, Wrapper, batched, dual
from rushlight.func.tree import Spec, flatten
from rushlight.operators.random.generators import default_generator
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.arguments import call_by_example
from rushlight.operators.table.arrays import ValuesDiffer
from rushlight.operators.table.define import METHODS, TABLE


def by_example(op: Operator, values: list[Any], out: Any, error: ValuesDiffer) -> Any:
    """The call as a loop over the examples of the level that `error` names, their results stacked.

    Raises:
        ValuesDiffer: for examples whose results differ in number, shape or Python value, and for a batch of none;
            `error` itself where no argument is mapped there.
    """
    level = error.level
    given = out is not None
    if given:
        values = [*values, out]
    leaves, spec = flatten(values)
    if not any(_mapped(x, level) for x in leaves):
        raise error
    if level.size == 0:
        raise ValuesDiffer(
            f"{op.name}(): vmap: the result depends on the numbers in each example, and a batch of size 0 has none",
            level,
        )
    state = default_generator.snapshot()
    results: list[list[Any]] = []
    specs: list[Spec] = []
    with held(level, "looping", True):
        for i in range(level.size):
            if level.randomness == "same":
                default_generator.restore(state)
            one = spec.rebuild([_example(x, level, i) if isinstance(x, Tensor) else x for x in leaves])
            args, kwargs = _dispatch.arguments(op, one[:-1] if given else one)
            found, shape = flatten(op(*args, **kwargs, **({"out": one[-1]} if given else {})))
            results.append(found)
            specs.append(shape)
    if given or op.inplace:
        return out if given else values[0]
    other = next((s for s in specs if s != specs[0]), None)
    if other is not None:
        raise ValuesDiffer(
            f"{op.name}(): vmap: the result depends on the numbers in each example, and must be built alike for all; "
            f"found {specs[0]} and {other}",
            level,
        )
    return specs[0].rebuild([_together(op, each, level) for each in zip(*results, strict=True)])


def stacked(function: Any, values: list[Any], level: Level) -> Any:
    """function(values) for every example of a level, the tensors of the results stacked."""
    if level.size == 0:
        raise RuntimeError(
            "vmap: a function that is called example by example needs an example; found a batch of size 0"
        )
    leaves, spec = flatten(values)
    with held(level, "looping", True):
        found = [
            flatten(function(spec.rebuild([_example(x, level, i) if isinstance(x, Tensor) else x for x in leaves])))
            for i in range(level.size)
        ]
    return found[0][1].rebuild(
        [
            batched(TABLE["stack"](list(each)), level) if isinstance(each[0], Tensor) else each[0]
            for each in zip(*(f for f, _ in found), strict=True)
        ]
    )


def _together(op: Operator, each: tuple[Any, ...], level: Level) -> Any:
    """One result of every example as one mapped tensor, or as the Python value that they all are."""
    if all(isinstance(x, Tensor) for x in each):
        kinds = {(tuple(x.shape), x.dtype) for x in each}
        if len(kinds) == 1:
            return _wrap(TABLE["stack"](list(each)), level)
        found = [f"{d}{list(s)}" for s, d in dict.fromkeys((tuple(x.shape), x.dtype) for x in each)]
        raise ValuesDiffer(
            f"{op.name}(): vmap: the shape of the result depends on the numbers in each example, and must be one for "
            "all; found "
            f"{', '.join(found[:4])}{', ...' if len(found) > 4 else ''}",
            level,
        )
    if any(x != each[0] for x in each):
        raise ValuesDiffer(
            f"{op.name}(): vmap: the result is no tensor, and must be the same for all examples; found "
            f"{', '.join(map(repr, each[:4]))}",
            level,
        )
    return each[0]


def _mapped(x: Any, level: Level) -> bool:
    """Whether a tensor has examples of its own at a level."""
    if isinstance(x, Batched):
        return x.level is level or _mapped(x.value, level)
    return isinstance(x, Dual) and (_mapped(x.primal, level) or _mapped(x.tangent, level))


def _example(x: Any, level: Level, i: int) -> Any:
    """Example i of a level, inside of the wrappers of higher ones."""
    if not _mapped(x, level):
        return x
    if isinstance(x, Dual):
        return dual(_example(x.primal, level, i), _example(x.tangent, level, i), x.level)
    return METHODS["select"](x.value, 0, i) if x.level is level else batched(_example(x.value, level, i), x.level)


def _wrap(x: Tensor, level: Level) -> Tensor:
    """A tensor with the examples of a level in front as one example, inside of the wrappers of higher levels."""
    if not isinstance(x, Wrapper) or x.level.number < level.number:
        return batched(x, level)
    if isinstance(x, Dual):
        return dual(_wrap(x.primal, level), None if x.tangent is None else _wrap(x.tangent, level), x.level)
    assert isinstance(x, Batched)  # there are two kinds of wrappers
    return batched(_wrap(METHODS["movedim"](x.value, 1, 0), level), x.level)


call_by_example[:] = [by_example]
