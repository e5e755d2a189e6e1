# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.config import _patched as _patched
from rushlight._dynamo.config import accumulated_cache_size_limit as accumulated_cache_size_limit
from rushlight._dynamo.config import accumulated_recompile_limit as accumulated_recompile_limit
from rushlight._dynamo.config import assume_static_by_default as assume_static_by_default
from rushlight._dynamo.config import automatic_dynamic_shapes as automatic_dynamic_shapes
from rushlight._dynamo.config import cache_size_limit as cache_size_limit
from rushlight._dynamo.config import capture_dynamic_output_shape_ops as capture_dynamic_output_shape_ops
from rushlight._dynamo.config import capture_scalar_outputs as capture_scalar_outputs
from rushlight._dynamo.config import disable as disable
from rushlight._dynamo.config import dynamic_shapes as dynamic_shapes
from rushlight._dynamo.config import error_on_recompile as error_on_recompile
from rushlight._dynamo.config import fail_on_recompile_limit_hit as fail_on_recompile_limit_hit
from rushlight._dynamo.config import guard_nn_modules as guard_nn_modules
from rushlight._dynamo.config import inline_inbuilt_nn_modules as inline_inbuilt_nn_modules
from rushlight._dynamo.config import optimize_ddp as optimize_ddp
from rushlight._dynamo.config import patch as patch
from rushlight._dynamo.config import recompile_limit as recompile_limit
from rushlight._dynamo.config import specialize_int as specialize_int
from rushlight._dynamo.config import suppress_errors as suppress_errors
from rushlight._dynamo.config import verbose as verbose
