"""Random operations under vmap: refused, drawn once for all examples, or drawn for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.core import locks
from rushlight.core.dispatch import Operator
from rushlight.core.draw import refuse_drawing
from rushlight.core.tensor import Tensor
from rushlight.func.levels import Batched, Dual, Level, Wrapper, batched, in_force
from rushlight.operators.random import samplers as _random
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.operators.table.types import Args, Classes, Function, Kwargs

# Operators that draw numbers for a size (or make the memory that is to be filled with them), and those that draw an
# independent number for each element of a tensor.
SIZED = frozenset({"rand", "randn", "randint", "normal", "empty"})
ELEMENTWISE = frozenset(
    {
        "rand_like",
        "randn_like",
        "randint_like",
        "bernoulli",
        "dropout",
        "alpha_dropout",
        "feature_alpha_dropout",
        "rrelu",
        "bernoulli_",
        "uniform_",
        "normal_",
        "exponential_",
        "random_",
        "cauchy_",
        "geometric_",
        "log_normal_",
        "dropout_",
        "rrelu_",
    }
)
# Operators that draw by the values of their parameters, through operators/random_samplers.draw_for.
BY_VALUES = frozenset(
    {"_standard_gamma", "_sample_dirichlet", "_sample_von_mises", "poisson", "multinomial", "binomial"}
)
# Operators that make memory of a tensor's dtype and device, which is then filled with numbers.
MEMORY = frozenset({"new_empty", "new_zeros", "new_ones", "new_full"})


def _refuse() -> None:
    """Refuse to draw, where the innermost vmap of this thread asks for that. Called before every draw once there has
    been a vmap.
    """
    vmaps = [level for level in in_force() if level.kind == "vmap"]
    if vmaps and vmaps[-1].randomness == "error":
        raise RuntimeError(
            "vmap: 'randomness' must be 'same' or 'different' for a function that draws random numbers; found 'error'"
        )


class _Different:
    """A function mode that gives every example numbers of its own."""

    sees_functions = True

    def __init__(self, level: Level) -> None:
        self.level = level

    def __torch_function__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "name", "")
        level = self.level
        if level.looping:
            return func(*args, **kwargs)
        if name in ELEMENTWISE and args and isinstance(args[0], Tensor):
            x = args[0]
            if isinstance(x, Batched) and x.level is level:
                result = func(x.value, *args[1:], **kwargs)
                return x if result is x.value else batched(result, level)
            if not name.endswith("_") and not _given(func, args, kwargs).get("inplace"):
                return batched(func(_repeated(x, level), *args[1:], **kwargs), level)
            if not _inside(x, level):
                raise RuntimeError(
                    f"vmap: {name}() with randomness='different' must draw into a tensor that is mapped over, for each "
                    "example has numbers of its own; found one that all examples share"
                )
        if name in MEMORY and args and _inside(args[0], level):
            return batched(METHODS["clone"](_repeated(func(*args, **kwargs), level)), level)
        if name == "randperm":
            return batched(TABLE["stack"]([func(*args, **kwargs) for _ in range(level.size)]), level)
        if name in BY_VALUES and not any(_inside(x, level) for x in args):
            zero = batched(METHODS["new_zeros"](args[0], (level.size,)), level)
            return func(METHODS["add"](args[0], zero), *args[1:], **kwargs)  # the same parameter for each example
        if name == "normal":
            given = _given(func, args, kwargs)
            if any(isinstance(given.get(k), Tensor) for k in ("mean", "std")):
                return batched(func(**_side_by_side(given, level)), level)
        if name in SIZED:
            return batched(_wider(name, func, level.size, args, dict(kwargs)), level)
        return func(*args, **kwargs)


def _given(func: Operator[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by the names of an operator's parameters."""
    return {**{p.name: v for p, v in zip(func.params, args, strict=False)}, **kwargs}


def _repeated(x: Tensor, level: Level) -> Tensor:
    """A tensor that all examples share, once for each."""
    wide: Tensor = METHODS["expand"](METHODS["unsqueeze"](x, 0), (level.size, *x.shape))
    return wide


def _side_by_side(given: dict[str, Any], level: Level) -> dict[str, Any]:
    """Arguments whose tensors broadcast for one example, reshaped to one rank with the batch in front, so that they
    broadcast for all."""
    wide = {
        k: v.value if isinstance(v, Batched) and v.level is level else _repeated(v, level)
        for k, v in given.items()
        if isinstance(v, Tensor)
    }
    rank = max(v.ndim for v in wide.values())
    for k, v in wide.items():
        wide[k] = METHODS["reshape"](v, (v.shape[0], *(1,) * (rank - v.ndim), *v.shape[1:]))
    return {**given, **wide}


def _inside(x: object, level: Level) -> bool:
    """Whether a level's batch is somewhere inside a value."""
    while isinstance(x, Wrapper):
        if x.level is level:
            return True
        x = x.value if isinstance(x, Batched) else x.primal  # type: ignore[attr-defined]
    return False


def _draw_wrapped(body: Callable[..., Tensor], parameters: tuple[Tensor, ...], generator: Any) -> Tensor:
    """body(*parameters), which draws numbers by the values of parameters, for what the transforms wrap.

    A tangent does not change what is drawn. Under vmap one call draws for all examples ("different"), or one call per
    example draws from the same state of the generator ("same").
    """
    wrapped = [p for p in parameters if isinstance(p, Wrapper)]
    if not wrapped:
        return body(*parameters)
    level = max((p.level for p in wrapped), key=lambda found: found.number)
    if level.kind != "vmap":
        return _draw_wrapped(
            body, tuple(p.primal if isinstance(p, Dual) and p.level is level else p for p in parameters), generator
        )
    if level.randomness == "error":
        _refuse()
    inside = tuple(
        p.value
        if isinstance(p, Batched) and p.level is level
        else METHODS["expand"](METHODS["unsqueeze"](p, 0), (level.size, *p.shape))
        for p in parameters
    )
    if level.randomness == "different":
        return batched(_draw_wrapped(body, inside, generator), level)
    state, found = generator.snapshot(), []
    for k in range(level.size):
        generator.restore(state)
        found.append(_draw_wrapped(body, tuple(METHODS["select"](p, 0, k) for p in inside), generator))
    return batched(TABLE["stack"](found), level)


_random.draw_wrapped = _draw_wrapped


def _wider(name: str, func: Operator[Any], n: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """The same factory with the batch in front of its size."""
    params = [p.name for p in func.params]
    place = params.index("size")
    if "size" in kwargs:
        size = kwargs.pop("size")
        wider: Tensor = func(*args, size=(n, *(size if isinstance(size, (tuple, list)) else (size,))), **kwargs)
        return wider
    size = args[place:]
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        size = tuple(size[0])
    wider = func(*args[:place], (n, *size), **kwargs)
    return wider


@contextmanager
def random_mode(level: Level) -> Iterator[None]:
    """While a vmap level runs, treat random operations as its `randomness` says."""
    refuse_drawing(_refuse)
    if level.randomness != "different":
        yield
        return
    with locks.entered(_Different(level)):
        yield
