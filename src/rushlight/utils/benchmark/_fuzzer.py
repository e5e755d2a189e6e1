"""Random tensors by which code is timed: of drawn sizes, orders in memory and steps between elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.core.dtypes import dtype as dtype_type

Parameters = dict[str, Any]

_MOST_TRIES = 1000  # draws in a row that the constraints may refuse


class ParameterAlias:
    """Stands in a distribution for the value that another parameter has.

    Args:
        alias_to: its name.
    """

    def __init__(self, alias_to: str) -> None:
        self.alias_to = alias_to

    def __repr__(self) -> str:
        return f"ParameterAlias({self.alias_to!r})"


class FuzzedParameter:
    """A number, or another value, that is drawn.

    Args:
        name: by which it is found.
        minval, maxval: the least and the largest number, for the distributions with a name.
        distribution: "uniform" or "loguniform", or a dict from values to their probabilities.
        strict: whether a value that stands for another parameter must not be resolved.

    Raises:
        ValueError: probabilities do not add up to 1, or bounds are missing or given beside a dict.
    """

    def __init__(
        self,
        name: str,
        minval: float | None = None,
        maxval: float | None = None,
        distribution: str | Mapping[Any, float] | None = None,
        strict: bool = False,
    ) -> None:
        self.name, self.minval, self.maxval, self.strict = name, minval, maxval, strict
        self.distribution = distribution
        if isinstance(distribution, Mapping):
            if minval is not None or maxval is not None:
                raise ValueError(
                    f"FuzzedParameter(): 'minval' and 'maxval' must be None beside probabilities; found {minval} and "
                    f"{maxval}"
                )
            total = sum(distribution.values())
            if not math.isclose(total, 1.0, rel_tol=1e-6):
                raise ValueError(
                    f"FuzzedParameter(): the probabilities of 'distribution' must add up to 1; found {total}"
                )
        elif distribution not in ("uniform", "loguniform"):
            raise ValueError(
                "FuzzedParameter(): 'distribution' must be 'uniform', 'loguniform' or a dict of probabilities; found "
                f"{distribution!r}"
            )
        elif minval is None or maxval is None or minval > maxval or distribution == "loguniform" and minval <= 0:
            raise ValueError(
                f"FuzzedParameter(): 'minval' and 'maxval' must be numbers in order, above 0 for 'loguniform'; found "
                f"{minval} and {maxval}"
            )

    def sample(self, state: Any) -> Any:
        """A value, drawn from a `numpy.random.RandomState`."""
        if isinstance(self.distribution, Mapping):
            values, weights = list(self.distribution), list(self.distribution.values())
            return values[state.choice(len(values), p=[w / sum(weights) for w in weights])]
        low, high = self.minval, self.maxval
        assert low is not None and high is not None  # __init__ has seen to it
        if self.distribution == "loguniform":
            drawn = math.exp(state.uniform(math.log(low), math.log(high)))
            return max(low, min(high, round(drawn))) if isinstance(low, int) and isinstance(high, int) else drawn
        return (
            int(state.randint(low, high + 1))
            if isinstance(low, int) and isinstance(high, int)
            else state.uniform(low, high)
        )


class FuzzedTensor:
    """A tensor whose sizes are drawn, and whose order in memory may be.

    Args:
        name: by which it is found.
        size: for each dimension a number, or the name of a parameter.
        steps: for each dimension the step between elements in the memory: a number, or a parameter's name.
        probability_contiguous: how often dimensions lie in memory in their order.
        min_elements, max_elements: bounds on the number of elements; draws outside are refused.
        max_allocation_bytes: bound on the memory, steps included.
        dim_parameter: the name of the parameter that says how many dimensions there are.
        roll_parameter: the name of the parameter that says how far the dimensions are rotated.
        dtype: of the elements.
        cuda: must be False.
        tensor_constructor: makes the tensor of `(size, dtype, **parameters)` in place of random numbers.

    Raises:
        RuntimeError: cuda is True.
    """

    def __init__(
        self,
        name: str,
        size: tuple[str | int, ...],
        steps: tuple[str | int, ...] | None = None,
        probability_contiguous: float = 0.5,
        min_elements: int | None = None,
        max_elements: int | None = None,
        max_allocation_bytes: int | None = None,
        dim_parameter: str | None = None,
        roll_parameter: str | None = None,
        dtype: dtype_type = rushlight.float32,
        cuda: bool = False,
        tensor_constructor: Callable[..., Tensor] | None = None,
    ) -> None:
        if cuda:
            raise RuntimeError("FuzzedTensor(): 'cuda' must be False, for there is no CUDA device; found True")
        self.name, self._size, self._steps = name, size, steps
        self._contiguous, self._bounds = probability_contiguous, (min_elements, max_elements)
        self._most_bytes, self._dims, self._roll = max_allocation_bytes, dim_parameter, roll_parameter
        self._dtype, self._make = dtype, tensor_constructor

    def _shape(self, parameters: Parameters) -> tuple[list[int], list[int]]:
        """The sizes and the steps."""

        def of(entries: Sequence[str | int]) -> list[int]:
            return [int(parameters[e]) if isinstance(e, str) else int(e) for e in entries]

        ndim = int(parameters[self._dims]) if self._dims is not None else len(self._size)
        size = of(self._size[:ndim])
        return size, of(self._steps[:ndim]) if self._steps is not None else [1] * len(size)

    def satisfies_constraints(self, parameters: Parameters) -> bool:
        """Whether the tensor has as many elements and bytes as it may have."""
        size, steps = self._shape(parameters)
        least, most = self._bounds
        count, held = math.prod(size), math.prod(n * s for n, s in zip(size, steps)) * self._dtype.itemsize
        return (
            (least is None or count >= least)
            and (most is None or count <= most)
            and (self._most_bytes is None or held <= self._most_bytes)
        )

    def make(self, parameters: Parameters, state: Any) -> tuple[Tensor, dict[str, Any]]:
        """The tensor and what it is like.

        Args:
            parameters: the drawn values.
            state: a `numpy.random.RandomState`.
        """
        size, steps = self._shape(parameters)
        order = list(range(len(size)))
        if len(size) > 1 and state.rand() >= self._contiguous:
            order = [int(d) for d in state.permutation(len(size))]
        wide = [size[d] * steps[d] for d in order]
        if self._make is not None:
            whole = self._make(size=wide, dtype=self._dtype, **parameters)
        elif self._dtype.is_floating_point or self._dtype.is_complex:
            whole = rushlight.rand(wide, dtype=self._dtype)
        else:
            whole = rushlight.randint(0, 2 if self._dtype is rushlight.bool else 127, wide, dtype=self._dtype)
        back = [order.index(d) for d in range(len(size))]
        made = whole.permute(back)[tuple(slice(None, None, s) for s in steps)]
        if self._roll is not None and len(size) > 1:
            turn = int(parameters[self._roll]) % len(size)
            made = made.permute([*range(turn, len(size)), *range(turn)])
        return made, {
            "numel": made.numel(),
            "order": order,
            "steps": steps,
            "is_contiguous": made.is_contiguous(),
            "dtype": str(self._dtype),
        }


class Fuzzer:
    """Draws parameters, and makes tensors by them.

    Args:
        parameters: `FuzzedParameter`s, and lists of them.
        tensors: `FuzzedTensor`s, and lists of them.
        constraints: functions that get the parameters as keyword arguments; a draw for which one is false is refused.
        seed: of the draws of parameters and orders; the elements come from the library's own generator.

    Raises:
        ValueError: two have one name, or none is free of a name that stands for another.
    """

    def __init__(
        self,
        parameters: Sequence[FuzzedParameter | Sequence[FuzzedParameter]],
        tensors: Sequence[FuzzedTensor | Sequence[FuzzedTensor]],
        constraints: Sequence[Callable[..., bool]] | None = None,
        seed: int | None = None,
    ) -> None:
        import numpy as np

        self._parameters: list[FuzzedParameter] = _flat(parameters)
        self._tensors: list[FuzzedTensor] = _flat(tensors)
        self._constraints = list(constraints or ())
        names = [p.name for p in self._parameters] + [t.name for t in self._tensors]
        twice = sorted({n for n in names if names.count(n) > 1})
        if twice:
            raise ValueError(f"Fuzzer(): names must differ; found {', '.join(twice)} more than once")
        self._state = np.random.RandomState(
            seed if seed is not None else np.random.randint(0, 2**32 - 1, dtype=np.int64)
        )
        self._drawn = self._refused = 0

    @property
    def rejection_rate(self) -> float:
        """The share of draws that were refused."""
        return self._refused / self._drawn if self._drawn else 0.0

    def take(self, n: int) -> Iterator[tuple[dict[str, Tensor], dict[str, dict[str, Any]], Parameters]]:
        """n times the tensors, what each is like, and the parameters, by name."""
        for _ in range(n):
            parameters = self._draw()
            made = {t.name: t.make(parameters, self._state) for t in self._tensors}
            yield {k: t for k, (t, _) in made.items()}, {k: about for k, (_, about) in made.items()}, parameters

    def _draw(self) -> Parameters:
        for _ in range(_MOST_TRIES):
            self._drawn += 1
            values = {p.name: p.sample(self._state) for p in self._parameters}
            for name, value in values.items():
                seen = [name]
                while isinstance(value, ParameterAlias):
                    if value.alias_to in seen or value.alias_to not in values:
                        raise ValueError(f"Fuzzer(): {seen[-1]!r} stands for {value.alias_to!r}, which has no value")
                    seen.append(value.alias_to)
                    value = values[value.alias_to]
                values[name] = value
            if all(c(**values) for c in self._constraints) and all(
                t.satisfies_constraints(values) for t in self._tensors
            ):
                return values
            self._refused += 1
        raise ValueError(f"Fuzzer(): the constraints refused {_MOST_TRIES} draws in a row; found none that they allow")


def _flat(entries: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    for e in entries:
        found += e if isinstance(e, (list, tuple)) else [e]
    return found
