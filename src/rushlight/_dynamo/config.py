"""Settings of PyTorch's compiler that programs write: they are kept, and change nothing."""

from __future__ import annotations

from rushlight.utils._written import patch_of

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


patch = patch_of(__name__)
