"""The older name of ``func.functional_call``."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

from rushlight.func.module_calls import replaced_tensors
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
    return func.functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


@contextlib.contextmanager
def _reparametrize_module(
    module: Module,
    parameters_and_buffers: dict[str, Any],
    tie_weights: bool = False,
    strict: bool = False,
    stack_weights: bool = False,
) -> Iterator[None]:
    """Inside, the tensors of the dict stand in the place of the module's own; what the block writes to buffers is in
    the dict afterwards.
    """
    with replaced_tensors(module, parameters_and_buffers, tie_weights, strict, "_reparametrize_module"):
        yield
