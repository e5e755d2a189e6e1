"""The older name of ``func.functional_call``."""

from __future__ import annotations

import warnings
from typing import Any

from rushlight.nn.modules.module import Module

__all__ = ["functional_call"]


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Deprecated: use :func:`rushlight.func.functional_call`."""
    from rushlight import func

    warnings.warn(
        "nn.utils.stateless.functional_call is deprecated: use func.functional_call", FutureWarning, stacklevel=2
    )
    return func.functional_call(
        module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict
    )
