"""What the options of an optimizer may be: ranges by name, and the one check that every constructor makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rushlight import Tensor
from rushlight.core.checks import check_argument

# The words of an error, and the test.
Range = tuple[str, Callable[[Any], bool]]

AT_LEAST_0: Range = ("at least 0", lambda value: bool(0.0 <= value))

# What these names mean in all optimizers; a class with another meaning of its own says so in its ``_ranges_``.
USUAL: Mapping[str, Range] = {
    "betas": ("numbers in [0, 1)", lambda betas: all(0.0 <= beta < 1.0 for beta in betas)),
    "eps": AT_LEAST_0,
    "lr": ("one number, at least 0", lambda lr: bool((not isinstance(lr, Tensor) or lr.numel() == 1) and 0.0 <= lr)),
    "momentum": AT_LEAST_0,
    "weight_decay": AT_LEAST_0,
}


# In what order the groups hold the options, where it is not that of the constructor's arguments.
ORDER: Mapping[str, str] = {
    "Adam": "lr betas eps weight_decay amsgrad maximize foreach capturable differentiable fused",
    "NAdam": "lr betas eps weight_decay momentum_decay decoupled_weight_decay maximize foreach capturable",
    "RAdam": "lr betas eps weight_decay maximize foreach capturable decoupled_weight_decay",
    "Adadelta": "lr rho eps weight_decay maximize capturable foreach",
    "Adagrad": "lr lr_decay eps",
    "RMSprop": "lr momentum alpha eps centered weight_decay",
    "Rprop": "lr etas step_sizes foreach maximize differentiable",
}


def options_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options among the ``locals()`` of an optimizer's constructor: all but ``self`` and ``params``.

    Raises:
        ValueError: an option is out of its range.
        RuntimeError: options that exclude each other.
    """
    owner = type(arguments["self"])
    options = {name: value for name, value in arguments.items() if name not in ("self", "params", "__class__")}
    for name, (expected, test) in {**USUAL, **owner._ranges_}.items():
        if name in options:
            check_argument(
                test(options[name]),
                owner.__name__,
                name,
                f"be {expected}",
                lambda given=options[name]: repr(given),
                ValueError,
            )
    for other in ("differentiable", "foreach"):
        if options.get("fused") and options.get(other):
            raise RuntimeError(f"{owner.__name__}: 'fused' and '{other}' exclude each other; found both True")
    order = next((ORDER[cls.__name__].split() for cls in owner.__mro__ if cls.__name__ in ORDER), [])
    return {name: options[name] for name in dict.fromkeys([*order, *options]) if name in options}
