"""Settings of PyTorch's compiler that programs write: they are kept, and change nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

assume_static_by_default = True
automatic_dynamic_shapes = True
cache_size_limit = recompile_limit = 8
accumulated_cache_size_limit = accumulated_recompile_limit = 256
capture_dynamic_output_shape_ops = capture_scalar_outputs = False
disable = False
dynamic_shapes = True
error_on_recompile = False
fail_on_recompile_limit_hit = False
guard_nn_modules = inline_inbuilt_nn_modules = True
optimize_ddp = True
specialize_int = False
suppress_errors = False
verbose = False


@contextmanager
def _patched(values: dict[str, Any]) -> Iterator[None]:
    space = vars(sys.modules[__name__])
    missing = object()
    old = {k: space.get(k, missing) for k in values}
    space.update(values)
    try:
        yield
    finally:
        for k, v in old.items():
            if v is missing:
                del space[k]
            else:
                space[k] = v


def patch(arg: str | dict[str, Any] | None = None, value: Any = None, **kwargs: Any) -> Any:
    """A context manager and decorator in which settings have other values: `patch("verbose", True)`, `patch({...})`,
    `patch(verbose=True)`.
    """
    given = {arg: value} if isinstance(arg, str) else dict(arg or {})
    return _patched(given | kwargs)
