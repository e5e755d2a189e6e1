"""Settings of PyTorch's compiler of kernels that programs write: they are kept, and change nothing."""

from __future__ import annotations

from types import SimpleNamespace

from rushlight.utils._written import patch_of

benchmark_kernel = False
comment_origin = False
compile_threads = 1
conv_1x1_as_mm = False
coordinate_descent_check_all_directions = False
coordinate_descent_tuning = False
cpp_wrapper = False
debug = False
disable_progress = True
epilogue_fusion = True
fallback_random = False
force_disable_caches = False
force_fuse_int_mm_with_mul = False
freezing = False
fx_graph_cache = True
implicit_fallbacks = True
layout_optimization = True
max_autotune = max_autotune_gemm = max_autotune_pointwise = False
max_autotune_gemm_backends = "ATEN,TRITON,CPP"
max_fusion_size = 64
permute_fusion = False
shape_padding = True
size_asserts = True
use_mixed_mm = True
verbose_progress = False

cpp = SimpleNamespace(threads=-1, simdlen=None, enable_kernel_profile=False)
triton = SimpleNamespace(
    max_tiles=None,
    **dict.fromkeys(("autotune_pointwise", "cudagraph_trees", "unique_kernel_names"), True),
    **dict.fromkeys(("cooperative_reductions", "cudagraphs"), False),
)
trace = SimpleNamespace(enabled=False, debug_dir=None, graph_diagram=False, log_autotuning_results=False)

patch = patch_of(__name__)
