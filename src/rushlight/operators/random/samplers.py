"""Random numbers that depend on parameters of each element: Bernoulli, Poisson, binomial and multinomial ones, and
masks of dropout.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import locks
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.draw import Draw, draw_bernoulli, draw_binomial, draw_places, draw_poisson
from rushlight.core.flatten import Kind, Param
from rushlight.core.tensor import Tensor
from rushlight.operators.creation.placement import STANDS_FOR, Options, preserved_strides, raw_empty
from rushlight.operators.nn.activation import leaky_relu
from rushlight.operators.random.generators import Generator, generator_of, noted
from rushlight.operators.random.random import (
    UNIT,
    UNIT_DOUBLE,
    _float_only,
    draw,
    memory_order,
    not_for_storage,
    unit_uniform,
)
from rushlight.operators.reductions.sorting import ordered
from rushlight.operators.table.body import refuse_kinds, wide
from rushlight.operators.table.define import IN_PLACE, METHODS, TABLE, eager, form, operator
from rushlight.operators.table.definition import Definition
from rushlight.operators.table.tracer import P, broadcast_shapes, convert
from rushlight.operators.table.types import Int, Number, Random
from rushlight.program.ir import Builder
from rushlight.program.sym import prod

_TRANSFORM = _core.get_keys_flag_mask()["TRANSFORM"]

# Set by func/random_mode.py: draws for tensors that a transform wraps.
draw_wrapped: Callable[[Callable[..., Tensor], tuple[Tensor, ...], Generator], Tensor] | None = None


def draw_for(name: str, generator: Random, body: Callable[..., Tensor], *parameters: Tensor) -> Tensor:
    """body(*parameters), which draws numbers for parameters that it must see the values of; under transforms, for the
    tensors inside.

    Args:
        body: takes parameters with further dimensions in front, those of batches, and draws for each element of them.
    """
    parameters = tuple(METHODS["detach"](p) for p in parameters)
    if draw_wrapped is not None and any(p._keys_ & _TRANSFORM for p in parameters):
        return draw_wrapped(body, parameters, generator_of(generator, name))
    return body(*parameters)


def doubles(t: Tensor) -> Tensor:
    """A tensor's numbers as the samplers of the core take them: float64, row-major."""
    return METHODS["contiguous"](METHODS["to"](t, dt.float64))


def random_mask(
    name: str, like: Tensor, p: float, generator: Random = None, size: tuple[int, ...] | None = None
) -> Tensor:
    """Bools in the shape of a tensor (or `size`), drawn in its order of memory: True with probability p."""
    if Builder.active():
        q = float(p)

        def mask_of(size: tuple[int, ...]) -> Tensor:
            return draw_bernoulli(generator_of(generator, name), size, q)

        strides = None if size is not None else preserved_strides(noted.lies(like))
        order = None if strides is None else sorted(range(len(strides)), key=[-s for s in strides].__getitem__)
        return noted.draw(name, mask_of, (q, generator), like.shape if size is None else size, dt.bool_, order)
    if like.dtype.format is not None:
        not_for_storage(name, like.dtype)
    shape = like.shape if size is None else size
    if like.is_meta:
        return raw_empty(name, shape, dt.bool_, like.device)
    strides = None if size is not None or like.is_contiguous() else preserved_strides(like)
    mask = _mask_of(name, p, shape, strides, generator)
    for tell in tuple(_watching):
        tell(mask, name, p, tuple(shape), generator)
    return mask


def _mask_of(
    name: str, p: float, size: Sequence[int], strides: Sequence[int] | None, generator: Random = None
) -> Tensor:
    mask = draw_bernoulli(generator_of(generator, name), size, p)
    return mask if strides is None else _raw.view_of(mask, size, strides, 0)


Watcher = Callable[[Tensor, str, float, tuple[int, ...], Random], None]
_watching: list[Watcher] = []


class watched(locks.Block[None]):
    """A block in which a function is called with each mask that is drawn, in any thread: the mask, the operator's name,
    the probability, the mask's size and the generator.
    """

    def __init__(self, tell: Watcher) -> None:
        self.tell = tell

    def _before_(self) -> None:
        pass

    def _begin_(self) -> None:
        _watching.append(self.tell)

    def _end_(self, before: None) -> None:
        if self.tell in _watching:
            _watching.remove(self.tell)


MASK = Operator(
    "random_mask",
    [Param(name, Kind.P_STATIC) for name in ("name", "p", "size", "strides")],
    Definition("random_mask", _mask_of, None, "random"),
    eager=_mask_of,
)
"""`random_mask` as an operator, for calls that are made again."""


# The numbers change with their parameters only by jumps: the results require grad where the parameters do, and the
# gradients are zero.
@operator(name="bernoulli", register=False, zero_gradient=True)
def _bernoulli_of(input: Tensor, drawn: Tensor) -> Tensor:
    """Bools as input's dtype; differentiable by input (with gradient zero)."""
    return convert(drawn, input.dtype)


@operator(name="poisson", register=False, zero_gradient=True)
def _poisson_of(input: Tensor, counts: Tensor) -> Tensor:
    """Counts as input's dtype; differentiable by input (with gradient zero)."""
    return convert(counts, input.dtype)


@operator(name="binomial", register=False, zero_gradient=True)
def _binomial_of(count: Tensor, prob: Tensor, counts: Tensor) -> Tensor:
    """Counts as count's dtype; differentiable by count and prob (with gradient zero)."""
    return convert(counts, count.dtype)


@operator(name="are_probabilities", register=False)
def _are_probabilities(p: Tensor) -> Tensor:
    """Whether all elements are in [0, 1], as a tensor."""
    return ((p >= 0) & (p <= 1)).all()


def _check_probability(name: str, p: Tensor) -> None:
    if p._keys_ & _TRANSFORM:
        return  # the examples of a batch are not looked at
    if not p.is_meta and p.numel() and not bool(_are_probabilities(p)):
        raise RuntimeError(f"{name}(): probabilities must be in [0, 1]; found others")


def _unit_for(name: str, size: tuple[int, ...], p: Tensor, where: Any, generator: Random) -> Tensor:
    """A uniform number for each probability: in float64 for probabilities in float64, else in float32."""
    return draw(UNIT, name, size, dt.float64 if p.dtype is dt.float64 else dt.float32, where, generator)


@eager(out=True)
def bernoulli(input: Tensor, p: Any = None, *, generator: Random = None, out: Tensor | None = None) -> Tensor:
    """Zeros and ones, each 1 with the probability that `input` holds (or p, where it is given)."""
    _float_only("bernoulli", input.dtype, "f")
    if p is not None and not isinstance(p, Tensor):
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli(): 'p' must be in [0, 1]; found {p}")
        drawn = random_mask("bernoulli", input, p, generator)
    else:
        probability = METHODS["detach"](input if p is None else p)
        _check_probability("bernoulli", probability)
        drawn = METHODS["lt"](
            _unit_for("bernoulli", tuple(input.shape), probability, input.device, generator), probability
        )
    return Options().finish(_bernoulli_of(input, drawn), "bernoulli", out)


@eager(name="bernoulli_", namespace=None)
def bernoulli_(input: Tensor, p: Any = 0.5, *, generator: Random = None) -> Tensor:
    """Fill with zeros and ones, 1 with probability p (a number or a tensor)."""
    if not isinstance(p, Tensor):
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli_(): 'p' must be in [0, 1]; found {p}")
        return METHODS["copy_"](input, random_mask("bernoulli_", input, p, generator))
    not_for_storage("bernoulli_", input.dtype)
    probability = METHODS["detach"](p)
    _check_probability("bernoulli_", probability)
    if input._keys_ & STANDS_FOR:
        u = _unit_for("bernoulli_", tuple(input.shape), probability, input.device, generator)
        return METHODS["copy_"](input, METHODS["lt"](u, probability))
    order = memory_order(input)
    ordered, bound = (
        METHODS["permute"](input, order),
        METHODS["permute"](METHODS["expand_as"](probability, input), order),
    )
    METHODS["copy_"](
        ordered,
        METHODS["lt"](_unit_for("bernoulli_", tuple(ordered.shape), probability, input.device, generator), bound),
    )
    return input


@eager(method=False)
def poisson(input: Tensor, generator: Random = None) -> Tensor:
    """Poisson numbers whose rates are the elements of `input`.

    Raises:
        RuntimeError: for a rate that is negative or NaN.
    """
    _float_only("poisson", input.dtype, "f")
    if input.is_meta:
        return raw_empty("poisson", tuple(input.shape), input.dtype, input.device)

    def body(rates: Tensor) -> Tensor:
        if not bool(METHODS["all"](METHODS["ge"](rates, 0))):
            raise RuntimeError("poisson(): the elements of 'input', rates, must be at least 0; found others")
        return draw_poisson(generator_of(generator, "poisson"), doubles(rates))

    return _poisson_of(input, draw_for("poisson", generator, body, input))


@eager(method=False)
def binomial(count: Tensor, prob: Tensor, generator: Random = None) -> Tensor:
    """How many of `count` trials succeed, each with probability `prob`; the arguments broadcast.

    Args:
        count, prob: floating point tensors of one dtype.

    Raises:
        RuntimeError: for counts or probabilities out of range, or different dtypes.
    """
    _float_only("binomial", count.dtype, "f")
    if count.dtype is not prob.dtype:
        raise RuntimeError(f"binomial(): 'count' and 'prob' must be of one dtype; found {count.dtype} and {prob.dtype}")
    shape = broadcast_shapes(count.shape, prob.shape)
    if count.is_meta or prob.is_meta:
        return raw_empty("binomial", shape, count.dtype, count.device)

    def body(counts: Tensor, probs: Tensor) -> Tensor:
        probs = METHODS["expand_as"](probs, counts)
        inside = METHODS["logical_and"](METHODS["ge"](probs, 0), METHODS["le"](probs, 1))
        if not bool(METHODS["all"](METHODS["logical_and"](METHODS["ge"](counts, 0), inside))):
            raise RuntimeError(
                "binomial(): the elements of 'count' must be at least 0 and those of 'prob' in [0, 1]; found others"
            )
        return draw_binomial(generator_of(generator, "binomial"), doubles(counts), doubles(probs))

    return _binomial_of(
        count,
        prob,
        draw_for("binomial", generator, body, METHODS["expand"](count, shape), METHODS["expand"](prob, shape)),
    )


@operator(name="multinomial", register=False)
def _race(p: Tensor, words: Tensor, num: Int) -> Tensor:
    """Without replacement: the places of the largest weights over exponential numbers (Efraimidis and Spirakis,
    "Weighted random sampling with a reservoir", 2006).
    """
    q = convert(-P.log1p(-unit_uniform(words)), p.dtype)
    ratio = P.select(p <= 0.0, -1.0, p / q)
    order = ordered(ratio, 1, descending=True)[1]
    return P.slice(order, starts=(0, 0), sizes=(p.var.shape[0], num), steps=(1, 1))


@operator(name="random_source", register=False)
def _source(words: Tensor, *, dtype: dt.dtype) -> Tensor:
    """The words themselves."""
    return words


@operator(name="fault_of_weights", register=False)
def _fault_of_weights(p: Tensor) -> Tensor:
    """What is wrong with weights: 1, a negative or infinite element or NaN; 2, a row without a positive one; or 0."""
    inside = ((p >= 0) & (p < math.inf)).all()
    empty = convert((p.amax(-1) <= 0).any(), dt.int64) * 2
    return P.select(inside, empty, 1)


_PAIRS = Draw(_source, "pair")


@eager(out=True)
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Random = None, out: Tensor | None = None
) -> Tensor:
    """Indices drawn with probabilities in proportion to the weights in each row.

    Args:
        input: weights >= 0, a vector or a matrix.
        num_samples: how many indices for each row.
        replacement: whether one may be drawn again.

    Raises:
        RuntimeError: for weights that are negative, not finite or all zero, or too many samples.
    """
    if input.ndim not in (1, 2):
        raise RuntimeError(f"multinomial(): 'input' must be a vector or a matrix; found a {input.ndim}-d tensor")
    _float_only("multinomial", input.dtype, "f")
    k = input.shape[-1]
    if num_samples <= 0:
        raise RuntimeError(f"multinomial(): 'num_samples' must be at least 1; found {num_samples}")
    if not replacement and num_samples > k:
        raise RuntimeError(
            f"multinomial(): 'num_samples' must be at most {k}, the number of weights, unless replacement=True; "
            f"found {num_samples}"
        )
    if k == 0:
        raise RuntimeError(
            f"multinomial(): each row of 'input', weights, must have elements; found the shape {list(input.shape)}"
        )

    def body(p: Tensor) -> Tensor:
        rows, size = prod(p.shape[:-1]), (*p.shape[:-1], num_samples)
        if p.is_meta or not rows:
            return raw_empty("multinomial", size, dt.int64, p.device)
        fault = _fault_of_weights(p).item()
        if fault == 1:
            raise RuntimeError(
                "multinomial(): the elements of 'input', the probabilities, must be finite and at least 0; "
                "probability tensor contains either `inf`, `nan` or element < 0"
            )
        if fault == 2:
            raise RuntimeError(
                "multinomial(): each row of 'input', weights, must have a positive sum; found one without"
            )
        flat = METHODS["reshape"](p, (rows, k))
        if replacement and num_samples > 1:
            found = draw_places(
                generator_of(generator, "multinomial"), doubles(flat), num_samples, p.dtype is not dt.float64
            )
        else:
            found = _race(flat, draw(_PAIRS, "multinomial", (rows, k), dt.uint64, p.device, generator), num_samples)
        return METHODS["reshape"](found, size)

    return Options().finish(draw_for("multinomial", generator, body, input), "multinomial", out)


@operator(namespace=None, method=False, inplace="argument", memory_format="rows")
def _rrelu(input: Tensor, slopes: Tensor) -> Tensor:
    """leaky_relu with a slope for each element."""
    refuse_kinds(input, "biuc", "rrelu")
    x = wide(input)
    return convert(P.select(x <= 0, x * convert(slopes, x.dtype), x), input.dtype)


@operator(name="rrelu", register=False)
def _drawn_slopes(x: Tensor) -> tuple[Tensor, Tensor]:
    """Which number of those that are drawn is the slope of each element, in the order of the elements; -1: none is.
    And how many are drawn.
    """
    shape, n = x.var.shape, prod(x.var.shape)
    drawn = P.reshape(convert(x <= 0, dt.int64), shape=(n,))
    number = drawn.cumsum(0)
    return P.reshape(P.select(drawn == 1, number - 1, -1), shape=shape), P.reduce_sum(drawn, dims=(0,))


@operator(name="rrelu", register=False)
def _slopes(place: Tensor, u: Tensor, lower: Number, upper: Number) -> Tensor:
    """Slopes from uniform numbers, 1 where none is drawn; float64."""
    low, high = convert(lower, dt.float64), convert(upper, dt.float64)
    slope = P.gather(u, P.max(place, 0), dims=(0,))
    return P.select(place < 0, 1.0, slope * (high - low) + low)


def _leaky(
    name: str, input: Tensor, lower: float, upper: float, training: bool, generator: Random, inplace: bool
) -> Tensor:
    """leaky_relu whose slope is drawn from [lower, upper) for each element that is not positive: none is drawn for
    others.
    """
    if not (math.isfinite(lower) and math.isfinite(upper) and lower <= upper):
        raise RuntimeError(
            f"{name}(): 'lower' and 'upper' must be finite, 'lower' at most 'upper'; found {lower} and {upper}"
        )
    if not training:
        return (IN_PLACE[leaky_relu] if inplace else leaky_relu)(input, (lower + upper) / 2)

    def body(x: Tensor) -> Tensor:
        if x.is_meta:
            return raw_empty("rrelu", tuple(x.shape), dt.float64, x.device)
        place, count = _drawn_slopes(x)
        u = draw(UNIT_DOUBLE, "rrelu", (int(count.item()),), dt.float64, None, generator)
        return _slopes(place, u, lower, upper) if u.numel() else TABLE["ones"](tuple(x.shape), dtype=dt.float64)

    return (IN_PLACE[_rrelu] if inplace else _rrelu)(input, draw_for("rrelu", generator, body, input))


@eager(method=False, shape_class="random")
def rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Random = None
) -> Tensor:
    """leaky_relu with a random slope from [lower, upper) for each element in training, and their mean otherwise."""
    return _leaky("rrelu", input, lower, upper, training, generator, False)


@eager(
    namespace=("", "nn.functional"),
    method=False,
    shape_class="random",
    inplace_of=rrelu,
    forms={"nn.functional.rrelu": form("input", lower=1 / 8, upper=1 / 3, training=False, inplace=False)},
)
def rrelu_(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Random = None
) -> Tensor:
    """rrelu in place."""
    return _leaky("rrelu_", input, lower, upper, training, generator, True)
