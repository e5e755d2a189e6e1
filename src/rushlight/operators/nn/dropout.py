"""Dropout: what a random mask lets through. The backward keeps the mask, a byte an element."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.random.samplers import random_mask
from rushlight.operators.table.arguments import wrong_argument
from rushlight.operators.table.body import wide
from rushlight.operators.table.checks import check_kind
from rushlight.operators.table.define import IN_PLACE, METHODS, eager, form, operator
from rushlight.operators.table.tracer import P, Tracer, convert
from rushlight.operators.table.types import Number

# Klambauer et al., "Self-normalizing neural networks", 2017: what dropped units of a SELU network are set to.
ALPHA = -1.7580993408473766


def _spread(mask: Any, like: tuple[Any, ...]) -> Tracer:
    """A mask of the first dimensions (traced), for all elements."""
    return mask if mask.ndim == len(like) else P.broadcast_in_dim(mask, shape=like, dims=tuple(range(mask.ndim)))


@operator(namespace=None, method=False, inplace="argument", out=False, shape_class="pointwise")
def _dropout(input: Tensor, mask: Tensor, scale: Number) -> Tensor:
    """input * scale where the mask is true, 0 elsewhere; a mask of two dimensions decides for whole channels."""
    check_kind("dropout", "input", input, "fc")
    x = wide(input)
    y = P.select(_spread(mask, x.var.shape), x * scale, 0)
    return convert(y, input.dtype)


@operator(namespace=None, method=False, inplace="argument", out=False, shape_class="pointwise")
def _alpha_dropout(input: Tensor, mask: Tensor, a: Number, b: Number) -> Tensor:
    """a * (input or ALPHA) + b, by the mask."""
    check_kind("alpha_dropout", "input", input, "f")
    x = wide(input)
    y = P.select(_spread(mask, x.var.shape), x, ALPHA)
    return convert(y * a + b, input.dtype)


def check_p(p: float, name: str) -> None:
    """ValueError unless p is a probability."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"{name}(): 'p' must be a probability, in [0, 1]; found {p}")


def dropped(
    input: Tensor, p: float, training: bool, inplace: bool, name: str, alpha: bool = False, feature: bool = False
) -> Tensor:
    """The dropout family: what nn.functional's functions call."""
    check_p(p, name)
    if not training or p == 0.0:
        return input
    if feature and input.ndim < 2:
        raise RuntimeError(f"{name}(): 'input' must be of 2 dimensions (N, C) or more; found {input.ndim}")
    if p == 1.0:
        return input.mul_(0.0) if inplace else input * 0.0
    mask = random_mask(name, input, 1 - p, size=tuple(input.shape[:2]) if feature else None)
    op: Operator[Tensor] = _alpha_dropout if alpha else _dropout
    if inplace:
        op = IN_PLACE[op]
    if alpha:
        a = 1.0 / math.sqrt((1 - p) * (1 + p * ALPHA * ALPHA))
        return op(input, mask, a, -a * ALPHA * p)
    return op(input, mask, 1.0 / (1.0 - p))


def _make(name: str, what: str, training: bool | None, alpha: bool = False, feature: bool = False) -> None:
    """The functions of a kind of dropout: `name` and `name_` of the package, and nn.functional's, whose default of
    `training` is given.
    """

    def function(name: str, inplace: bool, doc: str, **options: Any) -> Operator:
        def body(input: Tensor, p: float, train: bool) -> Tensor:
            if type(p) is not float or type(train) is not bool:  # (a look at all types takes as long as the rest)
                wrong = wrong_argument(op, (input, p, train), failed=True)
                if wrong is not None:
                    raise wrong
            return dropped(input, p, train, inplace, name, alpha, feature)

        op = eager(name=name, method=False, shape_class="random", **options, doc=doc)(body)
        return op

    op = function(name, False, f"{what} with probability p, the rest rescaled; the input itself unless train.")
    shape = form("input", p=0.5, training=training, inplace=False, same={"training": "train"})
    forms = {} if training is None else {f"nn.functional.{name}": shape}
    function(name + "_", True, f"{name} in place.", inplace_of=op, forms=forms)


def _channels(n: int, ranks: tuple[int, ...], shapes: str) -> None:
    """Dropout of whole channels, of inputs of these ranks; those of the first have no batch."""
    name = f"dropout{n}d"

    def body(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        if input.ndim not in ranks:
            if n == 1:
                raise RuntimeError(f"dropout1d(): 'input' must be {shapes}; found a {input.ndim}-d one")
            warn(f"{name}(): 'input' should be {shapes}; found a {input.ndim}-d one, which is deprecated")
        check_p(p, name)
        single = input.ndim == ranks[0]
        if n == 2 and single:
            warn("dropout2d(): a 3-d input is taken for (N, C, L), not for (C, H, W); for it, write dropout1d()")
        elif single:
            input = METHODS["unsqueeze_" if inplace else "unsqueeze"](input, 0)  # its own channels come first
        result = dropped(input, p, training, inplace, name, feature=True)
        if single and n != 2:
            result = METHODS["squeeze_" if inplace else "squeeze"](result, 0)
        return result

    eager(
        name=name,
        namespace="nn.functional",
        method=False,
        shape_class="random",
        doc=f"Whole channels zeroed with probability p: {shapes}.",
    )(body)


_SELU = "set to the value that keeps a SELU network's statistics"
_make("dropout", "Elements set to zero", True)
_make("feature_dropout", "Whole channels set to zero", None, feature=True)
_channels(1, (2, 3), "(N, C, L) or (C, L)")
_channels(2, (3, 4), "(N, C, H, W)")
_channels(3, (4, 5), "(N, C, D, H, W) or (C, D, H, W)")
_make("alpha_dropout", f"Elements {_SELU}", False, alpha=True)
_make("feature_alpha_dropout", f"Whole channels {_SELU}", False, alpha=True, feature=True)
