# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.config import (
    accumulated_cache_size_limit as accumulated_cache_size_limit, accumulated_recompile_limit as accumulated_recompile_limit,
    assume_static_by_default as assume_static_by_default, automatic_dynamic_shapes as automatic_dynamic_shapes,
    cache_size_limit as cache_size_limit, capture_dynamic_output_shape_ops as capture_dynamic_output_shape_ops,
    capture_scalar_outputs as capture_scalar_outputs, disable as disable, dynamic_shapes as dynamic_shapes,
    error_on_recompile as error_on_recompile, fail_on_recompile_limit_hit as fail_on_recompile_limit_hit,
    guard_nn_modules as guard_nn_modules, inline_inbuilt_nn_modules as inline_inbuilt_nn_modules, optimize_ddp as optimize_ddp,
    patch as patch, recompile_limit as recompile_limit, specialize_int as specialize_int, suppress_errors as suppress_errors,
    verbose as verbose,
)
from rushlight.utils._written import patch_of as patch_of
