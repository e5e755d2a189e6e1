"""What the options of an optimizer may be: ranges by name, and the one check that every constructor makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rushlight import Tensor
from rushlight.utils._checks import check_argument

# How an error puts it, and the test.
Range = tuple[str, Callable[[Any], bool]]

AT_LEAST_0: Range = ("at least 0", lambda value: bool(0.0 <= value))

# What these names mean in all optimizers; a class with another meaning of its own says so in its ``_ranges``.
USUAL: Mapping[str, Range] = {
    "betas": ("numbers in [0, 1)", lambda betas: all(0.0 <= beta < 1.0 for beta in betas)),
    "eps": AT_LEAST_0,
    "lr": ("one number, at least 0", lambda lr: bool((not isinstance(lr, Tensor) or lr.numel() == 1) and 0.0 <= lr)),
    "momentum": AT_LEAST_0,
    "weight_decay": AT_LEAST_0,
}


def options_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options among the ``locals()`` of an optimizer's constructor: all but ``self`` and ``params``.

    Raises:
        ValueError: an option is out of its range.
        RuntimeError: options that exclude each other.
    """
    owner = type(arguments["self"])
    options = {name: value for name, value in arguments.items() if name not in ("self", "params", "__class__")}
    for name, (expected, test) in {**USUAL, **owner._ranges}.items():
        if name in options:
            check_argument(owner.__name__, name, options[name], expected, test(options[name]))
    for other in ("differentiable", "foreach"):
        if options.get("fused") and options.get(other):
            raise RuntimeError(f"{owner.__name__}: 'fused' and '{other}' exclude each other; found both True")
    return options
