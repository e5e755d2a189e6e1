# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from collections.abc import Callable
from rushlight import (
    __version__ as __version__, bool as bool, cdouble as cdouble, cfloat as cfloat, chalf as chalf, double as double, e as e,
    float as float, half as half, inf as inf, int as int, legacy_contiguous_format as legacy_contiguous_format, long as long,
    nan as nan, newaxis as newaxis, pi as pi, short as short,
)
from rushlight._C.keys import DispatchKeySet as DispatchKeySet
from rushlight._dynamo.eval_frame import compile as compile
from rushlight._operators import (
    segment_reduce as _of__segment_reduce, abs as abs, abs_ as abs_, absolute as absolute, acos as acos, acos_ as acos_,
    acosh as acosh, acosh_ as acosh_, adaptive_avg_pool1d as adaptive_avg_pool1d, adaptive_max_pool1d as adaptive_max_pool1d,
    add as add, addbmm as addbmm, addcdiv as addcdiv, addcmul as addcmul, addmm as addmm, addmv as addmv, addmv_ as addmv_,
    addr as addr, adjoint as adjoint, affine_grid_generator as affine_grid_generator, alias_copy as alias_copy, all as all,
    allclose as allclose, alpha_dropout as alpha_dropout, alpha_dropout_ as alpha_dropout_, amax as amax, amin as amin,
    aminmax as aminmax, angle as angle, any as any, arange as arange, arccos as arccos, arccos_ as arccos_, arccosh as arccosh,
    arccosh_ as arccosh_, arcsin as arcsin, arcsin_ as arcsin_, arcsinh as arcsinh, arcsinh_ as arcsinh_, arctan as arctan,
    arctan2 as arctan2, arctan_ as arctan_, arctanh as arctanh, arctanh_ as arctanh_, argmax as argmax, argmin as argmin,
    argsort as argsort, argwhere as argwhere, as_strided as as_strided, as_strided_ as as_strided_,
    as_strided_copy as as_strided_copy, as_strided_scatter as as_strided_scatter, as_tensor as as_tensor, asin as asin,
    asin_ as asin_, asinh as asinh, asinh_ as asinh_, atan as atan, atan2 as atan2, atan_ as atan_, atanh as atanh,
    atanh_ as atanh_, atleast_1d as atleast_1d, atleast_2d as atleast_2d, atleast_3d as atleast_3d, avg_pool1d as avg_pool1d,
    baddbmm as baddbmm, bartlett_window as bartlett_window, batch_norm as batch_norm, bernoulli as bernoulli,
    bilinear as bilinear, binary_cross_entropy_with_logits as binary_cross_entropy_with_logits, bincount as bincount,
    binomial as binomial, bitwise_and as bitwise_and, bitwise_left_shift as bitwise_left_shift, bitwise_not as bitwise_not,
    bitwise_or as bitwise_or, bitwise_right_shift as bitwise_right_shift, bitwise_xor as bitwise_xor,
    blackman_window as blackman_window, block_diag as block_diag, bmm as bmm, broadcast_tensors as broadcast_tensors,
    broadcast_to as broadcast_to, bucketize as bucketize, cartesian_prod as cartesian_prod, cat as cat,
    ccol_indices_copy as ccol_indices_copy, cdist as cdist, ceil as ceil, ceil_ as ceil_, celu as celu, celu_ as celu_,
    channel_shuffle as channel_shuffle, cholesky as cholesky, cholesky_inverse as cholesky_inverse,
    cholesky_solve as cholesky_solve, chunk as chunk, clamp as clamp, clamp_ as clamp_, clamp_max as clamp_max,
    clamp_max_ as clamp_max_, clamp_min as clamp_min, clamp_min_ as clamp_min_, clip as clip, clip_ as clip_, clone as clone,
    col_indices_copy as col_indices_copy, column_stack as column_stack, combinations as combinations, complex as complex,
    concat as concat, concatenate as concatenate, conj as conj, conj_physical as conj_physical, conj_physical_ as conj_physical_,
    constant_pad_nd as constant_pad_nd, conv1d as conv1d, conv2d as conv2d, conv3d as conv3d, conv_tbc as conv_tbc,
    conv_transpose1d as conv_transpose1d, conv_transpose2d as conv_transpose2d, conv_transpose3d as conv_transpose3d,
    convolution as convolution, copysign as copysign, corrcoef as corrcoef, cos as cos, cos_ as cos_, cosh as cosh,
    cosh_ as cosh_, cosine_embedding_loss as cosine_embedding_loss, cosine_similarity as cosine_similarity,
    count_nonzero as count_nonzero, cov as cov, cross as cross, crow_indices_copy as crow_indices_copy, ctc_loss as ctc_loss,
    cummax as cummax, cummin as cummin, cumprod as cumprod, cumsum as cumsum, cumulative_trapezoid as cumulative_trapezoid,
    default_generator as default_generator, deg2rad as deg2rad, deg2rad_ as deg2rad_, det as det, detach as detach,
    detach_ as detach_, detach_copy as detach_copy, diag as diag, diag_embed as diag_embed, diagflat as diagflat,
    diagonal as diagonal, diagonal_copy as diagonal_copy, diagonal_scatter as diagonal_scatter, diff as diff, digamma as digamma,
    dist as dist, div as div, divide as divide, dot as dot, dropout as dropout, dropout_ as dropout_, dsplit as dsplit,
    dstack as dstack, embedding as embedding, embedding_renorm_ as embedding_renorm_, empty as empty, empty_like as empty_like,
    empty_permuted as empty_permuted, empty_strided as empty_strided, eq as eq, equal as equal, erf as erf, erf_ as erf_,
    erfc as erfc, erfc_ as erfc_, erfinv as erfinv, exp as exp, exp2 as exp2, exp2_ as exp2_, exp_ as exp_,
    expand_copy as expand_copy, expm1 as expm1, expm1_ as expm1_, eye as eye,
    fake_quantize_per_channel_affine as fake_quantize_per_channel_affine,
    fake_quantize_per_tensor_affine as fake_quantize_per_tensor_affine, feature_alpha_dropout as feature_alpha_dropout,
    feature_alpha_dropout_ as feature_alpha_dropout_, feature_dropout as feature_dropout, feature_dropout_ as feature_dropout_,
    fill as fill, fill_ as fill_, fix as fix, fix_ as fix_, flatten as flatten, flip as flip, fliplr as fliplr, flipud as flipud,
    float_power as float_power, floor as floor, floor_ as floor_, floor_divide as floor_divide, fmax as fmax, fmin as fmin,
    fmod as fmod, frac as frac, frac_ as frac_, frexp as frexp, frobenius_norm as frobenius_norm, from_file as from_file,
    full as full, full_like as full_like, gather as gather, gcd as gcd, gcd_ as gcd_, ge as ge, geqrf as geqrf, ger as ger,
    gradient as gradient, greater as greater, greater_equal as greater_equal, grid_sampler as grid_sampler,
    grid_sampler_2d as grid_sampler_2d, grid_sampler_3d as grid_sampler_3d, group_norm as group_norm, gru_cell as gru_cell,
    gt as gt, hamming_window as hamming_window, hann_window as hann_window, hardshrink as hardshrink, hash_tensor as hash_tensor,
    heaviside as heaviside, hinge_embedding_loss as hinge_embedding_loss, histc as histc, histogram as histogram,
    histogramdd as histogramdd, hsplit as hsplit, hstack as hstack, hypot as hypot, i0 as i0, i0_ as i0_, igamma as igamma,
    igammac as igammac, imag as imag, index_add as index_add, index_copy as index_copy, index_fill as index_fill,
    index_put as index_put, index_put_ as index_put_, index_reduce as index_reduce, index_select as index_select,
    indices_copy as indices_copy, inner as inner, instance_norm as instance_norm, int_repr as int_repr, inverse as inverse,
    is_conj as is_conj, is_neg as is_neg, is_same_size as is_same_size, isclose as isclose, isfinite as isfinite, isin as isin,
    isinf as isinf, isnan as isnan, isneginf as isneginf, isposinf as isposinf, isreal as isreal, istft as istft,
    kaiser_window as kaiser_window, kl_div as kl_div, kron as kron, kthvalue as kthvalue, layer_norm as layer_norm, lcm as lcm,
    lcm_ as lcm_, ldexp as ldexp, ldexp_ as ldexp_, le as le, lerp as lerp, less as less, less_equal as less_equal,
    lgamma as lgamma, linspace as linspace, lobpcg as lobpcg, log as log, log10 as log10, log10_ as log10_, log1p as log1p,
    log1p_ as log1p_, log2 as log2, log2_ as log2_, log_ as log_, log_softmax as log_softmax, logaddexp as logaddexp,
    logaddexp2 as logaddexp2, logcumsumexp as logcumsumexp, logdet as logdet, logical_and as logical_and,
    logical_not as logical_not, logical_or as logical_or, logical_xor as logical_xor, logit as logit, logit_ as logit_,
    logspace as logspace, logsumexp as logsumexp, lstm_cell as lstm_cell, lt as lt, lu as lu, lu_solve as lu_solve,
    lu_unpack as lu_unpack, margin_ranking_loss as margin_ranking_loss, masked_fill as masked_fill,
    masked_scatter as masked_scatter, masked_select as masked_select, matmul as matmul, matrix_exp as matrix_exp,
    matrix_power as matrix_power, max as max, max_pool1d as max_pool1d, max_pool1d_with_indices as max_pool1d_with_indices,
    max_pool2d as max_pool2d, max_pool3d as max_pool3d, maximum as maximum, mean as mean, median as median, meshgrid as meshgrid,
    min as min, minimum as minimum, mm as mm, mode as mode, moveaxis as moveaxis, movedim as movedim, msort as msort, mul as mul,
    multinomial as multinomial, multiply as multiply, mv as mv, mvlgamma as mvlgamma, nan_to_num as nan_to_num,
    nan_to_num_ as nan_to_num_, nanmean as nanmean, nanmedian as nanmedian, nanquantile as nanquantile, nansum as nansum,
    narrow as narrow, narrow_copy as narrow_copy, native_channel_shuffle as native_channel_shuffle, ne as ne, neg as neg,
    neg_ as neg_, negative as negative, negative_ as negative_, nextafter as nextafter, nonzero as nonzero,
    nonzero_static as nonzero_static, norm as norm, norm_except_dim as norm_except_dim, normal as normal, not_equal as not_equal,
    nuclear_norm as nuclear_norm, ones as ones, ones_like as ones_like, orgqr as orgqr, ormqr as ormqr, outer as outer,
    pairwise_distance as pairwise_distance, pca_lowrank as pca_lowrank, pdist as pdist, permute as permute,
    permute_copy as permute_copy, pinverse as pinverse, pixel_shuffle as pixel_shuffle, pixel_unshuffle as pixel_unshuffle,
    poisson as poisson, poisson_nll_loss as poisson_nll_loss, polar as polar, polygamma as polygamma, positive as positive,
    pow as pow, prelu as prelu, prod as prod, put as put, q_per_channel_axis as q_per_channel_axis,
    q_per_channel_scales as q_per_channel_scales, q_per_channel_zero_points as q_per_channel_zero_points, q_scale as q_scale,
    q_zero_point as q_zero_point, qr as qr, quantile as quantile, quantize_per_channel as quantize_per_channel,
    quantize_per_tensor as quantize_per_tensor, quantize_per_tensor_dynamic as quantize_per_tensor_dynamic, rad2deg as rad2deg,
    rad2deg_ as rad2deg_, rand as rand, rand_like as rand_like, randint as randint, randint_like as randint_like, randn as randn,
    randn_like as randn_like, randperm as randperm, range as range, ravel as ravel, real as real, reciprocal as reciprocal,
    reciprocal_ as reciprocal_, relu as relu, relu_ as relu_, remainder as remainder, renorm as renorm,
    repeat_interleave as repeat_interleave, reshape as reshape, resize_as_ as resize_as_, resolve_conj as resolve_conj,
    resolve_neg as resolve_neg, rms_norm as rms_norm, rnn_relu_cell as rnn_relu_cell, rnn_tanh_cell as rnn_tanh_cell,
    roll as roll, rot90 as rot90, round as round, round_ as round_, row_indices_copy as row_indices_copy, row_stack as row_stack,
    rrelu as rrelu, rrelu_ as rrelu_, rsqrt as rsqrt, rsqrt_ as rsqrt_, rsub as rsub, scatter as scatter,
    scatter_add as scatter_add, scatter_reduce as scatter_reduce, searchsorted as searchsorted, segment_reduce as segment_reduce,
    select as select, select_copy as select_copy, select_scatter as select_scatter, selu as selu, selu_ as selu_, sgn as sgn,
    sigmoid as sigmoid, sigmoid_ as sigmoid_, sign as sign, signbit as signbit, sin as sin, sin_ as sin_, sinc as sinc,
    sinc_ as sinc_, sinh as sinh, sinh_ as sinh_, slice_copy as slice_copy, slice_scatter as slice_scatter, slogdet as slogdet,
    softmax as softmax, sort as sort, split as split, split_copy as split_copy, split_with_sizes as split_with_sizes,
    split_with_sizes_copy as split_with_sizes_copy, sqrt as sqrt, sqrt_ as sqrt_, square as square, square_ as square_,
    squeeze as squeeze, squeeze_copy as squeeze_copy, stack as stack, std as std, std_mean as std_mean, stft as stft, sub as sub,
    subtract as subtract, sum as sum, svd as svd, svd_lowrank as svd_lowrank, swapaxes as swapaxes, swapdims as swapdims, t as t,
    t_copy as t_copy, take as take, take_along_dim as take_along_dim, tan as tan, tan_ as tan_, tanh as tanh, tanh_ as tanh_,
    tensor as tensor, tensor_split as tensor_split, tensordot as tensordot, threshold as threshold, threshold_ as threshold_,
    tile as tile, topk as topk, trace as trace, transpose as transpose, transpose_copy as transpose_copy, trapezoid as trapezoid,
    trapz as trapz, triangular_solve as triangular_solve, tril as tril, tril_indices as tril_indices,
    triplet_margin_loss as triplet_margin_loss, triu as triu, triu_indices as triu_indices, true_divide as true_divide,
    trunc as trunc, trunc_ as trunc_, unbind as unbind, unbind_copy as unbind_copy, unflatten as unflatten,
    unfold_copy as unfold_copy, unique as unique, unique_consecutive as unique_consecutive, unravel_index as unravel_index,
    unsafe_chunk as unsafe_chunk, unsafe_split as unsafe_split, unsafe_split_with_sizes as unsafe_split_with_sizes,
    unsqueeze as unsqueeze, unsqueeze_copy as unsqueeze_copy, values_copy as values_copy, vander as vander, var as var,
    var_mean as var_mean, vdot as vdot, view_as_complex as view_as_complex, view_as_complex_copy as view_as_complex_copy,
    view_as_real as view_as_real, view_as_real_copy as view_as_real_copy, view_copy as view_copy, vsplit as vsplit,
    vstack as vstack, where as where, xlogy as xlogy, xlogy_ as xlogy_, zero_ as zero_, zeros as zeros, zeros_like as zeros_like,
)
from rushlight.accelerator import AcceleratorError as AcceleratorError, get_device_module as get_device_module
from rushlight.amp.autocast_mode import (
    autocast as autocast, clear_autocast_cache as clear_autocast_cache, get_autocast_cpu_dtype as get_autocast_cpu_dtype,
    get_autocast_dtype as get_autocast_dtype, get_autocast_gpu_dtype as get_autocast_gpu_dtype,
    is_autocast_cache_enabled as is_autocast_cache_enabled, is_autocast_cpu_enabled as is_autocast_cpu_enabled,
    is_autocast_enabled as is_autocast_enabled, set_autocast_cache_enabled as set_autocast_cache_enabled,
    set_autocast_dtype as set_autocast_dtype, set_autocast_enabled as set_autocast_enabled,
)
from rushlight.amp.grad_scaler import GradScaler as GradScaler
from rushlight.autograd.anomaly_mode import is_anomaly_enabled as is_anomaly_enabled, set_anomaly_enabled as set_anomaly_enabled
from rushlight.autograd.grad_mode import (
    enable_grad as enable_grad, inference_mode as inference_mode, no_grad as no_grad, set_grad_enabled as set_grad_enabled,
)
from rushlight.compat.checkpoint import load as load, save as save
from rushlight.core._native import num_threads as _of_get_num_threads, set_num_threads as set_num_threads
from rushlight.core.dispatch import Operator as _Operator
from rushlight.core.dtypes import (
    bfloat16 as bfloat16, channels_last as channels_last, channels_last_3d as channels_last_3d, complex128 as complex128,
    complex32 as complex32, complex64 as complex64, contiguous_format as contiguous_format, dtype as dtype, float16 as float16,
    float32 as float32, float4_e2m1fn_x2 as float4_e2m1fn_x2, float64 as float64, float8_e4m3fn as float8_e4m3fn,
    float8_e4m3fnuz as float8_e4m3fnuz, float8_e5m2 as float8_e5m2, float8_e5m2fnuz as float8_e5m2fnuz,
    float8_e8m0fnu as float8_e8m0fnu, int16 as int16, int32 as int32, int64 as int64, int8 as int8, layout as layout,
    memory_format as memory_format, preserve_format as preserve_format, strided as strided, uint16 as uint16, uint32 as uint32,
    uint64 as uint64, uint8 as uint8, dtype as _dtype, layout as _layout,
)
from rushlight.core.places import Size as Size, device as device
from rushlight.core.storage import Storage as _of_UntypedStorage
from rushlight.core.tensor import (
    Tensor as Tensor, is_grad_enabled as is_grad_enabled, is_inference_mode_enabled as is_inference_mode_enabled,
    Tensor as _Tensor,
)
from rushlight.cuda import OutOfMemoryError as OutOfMemoryError
from rushlight.func.control import cond as cond, while_loop as while_loop
from rushlight.func.mapping import vmap as vmap
from rushlight.futures import Future as Future
from rushlight.inspection.printing import set_printoptions as set_printoptions
from rushlight.library.tags import Tag as Tag
from rushlight.names.quantized import (
    per_channel_affine as per_channel_affine, per_channel_affine_float_qparams as per_channel_affine_float_qparams,
    per_channel_symmetric as per_channel_symmetric, per_tensor_affine as per_tensor_affine,
    per_tensor_symmetric as per_tensor_symmetric, qscheme as qscheme,
)
from rushlight.names.settings import (
    are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled,
    get_deterministic_debug_mode as get_deterministic_debug_mode, get_float32_matmul_precision as get_float32_matmul_precision,
    get_num_interop_threads as get_num_interop_threads, has_lapack as has_lapack, has_mkl as has_mkl, has_openmp as has_openmp,
    is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled,
    is_warn_always_enabled as is_warn_always_enabled, set_deterministic_debug_mode as set_deterministic_debug_mode,
    set_float32_matmul_precision as set_float32_matmul_precision, set_num_interop_threads as set_num_interop_threads,
    set_warn_always as set_warn_always, use_deterministic_algorithms as use_deterministic_algorithms,
)
from rushlight.names.streams import Event as Event, Stream as Stream
from rushlight.names.symbols import (
    SymBool as SymBool, SymFloat as SymFloat, SymInt as SymInt, sym_float as sym_float, sym_fresh_size as sym_fresh_size,
    sym_int as sym_int, sym_ite as sym_ite, sym_max as sym_max, sym_min as sym_min, sym_not as sym_not, sym_sqrt as sym_sqrt,
    sym_sum as sym_sum,
)
from rushlight.nn.modules._flat_rnn import gru as gru, lstm as lstm, rnn_relu as rnn_relu, rnn_tanh as rnn_tanh
from rushlight.operators.creation.creation import get_default_device as get_default_device, set_default_device as set_default_device
from rushlight.operators.linalg.contraction import chain_matmul as chain_matmul, einsum as einsum
from rushlight.operators.nn.native import (
    embedding_bag as embedding_bag, native_batch_norm as native_batch_norm, native_dropout as native_dropout,
    native_group_norm as native_group_norm, native_layer_norm as native_layer_norm,
)
from rushlight.operators.random.generators import (
    Generator as Generator, get_rng_state as get_rng_state, initial_seed as initial_seed, manual_seed as manual_seed,
    seed as seed, set_rng_state as set_rng_state,
)
from rushlight.operators.shapes.join import broadcast_shapes as broadcast_shapes
from rushlight.operators.shapes.layouts import (
    dsmm as dsmm, hsmm as hsmm, hspmm as hspmm, resize_as_sparse_ as resize_as_sparse_, saddmm as saddmm, smm as smm,
    sparse_bsc_tensor as sparse_bsc_tensor, sparse_bsr_tensor as sparse_bsr_tensor,
    sparse_compressed_tensor as sparse_compressed_tensor, sparse_coo_tensor as sparse_coo_tensor,
    sparse_csc_tensor as sparse_csc_tensor, sparse_csr_tensor as sparse_csr_tensor, spmm as spmm, sspaddmm as sspaddmm,
)
from rushlight.operators.tensors.checking import (
    _assert as _assert, _assert_async as _assert_async, _check_is_size as _check_is_size, _check_tensor_all as _check_tensor_all,
    _check_tensor_all_with as _check_tensor_all_with, _check_with as _check_with, _is_all_true as _is_all_true,
    _is_any_true as _is_any_true,
)
from rushlight.operators.tensors.info import (
    _shape_as_tensor as _shape_as_tensor, can_cast as can_cast, finfo as finfo, get_default_dtype as get_default_dtype,
    iinfo as iinfo, is_complex as is_complex, is_floating_point as is_floating_point, is_inference as is_inference,
    is_nonzero as is_nonzero, is_tensor as is_tensor, numel as numel, promote_types as promote_types, result_type as result_type,
    set_default_dtype as set_default_dtype, set_default_tensor_type as set_default_tensor_type, typename as typename,
)
from rushlight.operators.tensors.interop import (
    asarray as asarray, from_dlpack as from_dlpack, from_numpy as from_numpy, frombuffer as frombuffer,
    scalar_tensor as scalar_tensor,
)
from rushlight.operators.tensors.memory import (
    TypedStorage as TypedStorage, get_device as get_device, is_signed as is_signed, is_storage as is_storage,
    set_flush_denormal as set_flush_denormal,
)
from rushlight.operators.tensors.refusals import (
    dequantize as dequantize, eig as eig, lstsq as lstsq, matrix_rank as matrix_rank, solve as solve, symeig as symeig,
)
from rushlight.overrides import (
    DisableTorchFunction as DisableTorchFunction, DisableTorchFunctionSubclass as DisableTorchFunctionSubclass,
)
from rushlight.utils.dlpack import to_dlpack as to_dlpack
from torch import (
    accelerator as accelerator, amp as amp, ao as ao, autograd as autograd, backends as backends, compiler as compiler,
    cpu as cpu, cuda as cuda, distributed as distributed, distributions as distributions, export as export, fft as fft,
    func as func, functional as functional, futures as futures, fx as fx, hub as hub, jit as jit, library as library,
    linalg as linalg, masked as masked, mps as mps, multiprocessing as multiprocessing, nested as nested, nn as nn, onnx as onnx,
    ops as ops, optim as optim, overrides as overrides, profiler as profiler, quantization as quantization,
    quasirandom as quasirandom, random as random, return_types as return_types, serialization as serialization, signal as signal,
    sparse as sparse, special as special, storage as storage, testing as testing, torch_version as torch_version, types as types,
    utils as utils, version as version, xpu as xpu,
)
from typing import Any

class BFloat16Storage:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class BFloat16Tensor(_Tensor):      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class BoolStorage:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class BoolTensor(_Tensor):      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class ByteStorage:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class ByteTensor(_Tensor):      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class CharStorage:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class CharTensor(_Tensor):      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class ComplexDoubleStorage:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class ComplexFloatStorage:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class DispatchKey:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class DoubleStorage:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class DoubleTensor(_Tensor):      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class FloatStorage:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class FloatTensor(_Tensor):      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class HalfStorage:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class HalfTensor(_Tensor):      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class IntStorage:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class IntTensor(_Tensor):      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class LongStorage:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class LongTensor(_Tensor):      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class PyTorchFileReader:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class PyTorchFileWriter:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class ScriptModule:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class ShortStorage:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class ShortTensor(_Tensor):      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
UntypedStorage = _of_UntypedStorage
_check: Callable[..., Any]
_check_index: Callable[..., Any]
_check_not_implemented: Callable[..., Any]
_check_type: Callable[..., Any]
_check_value: Callable[..., Any]
_convert_indices_from_coo_to_csr: _Operator
_convert_indices_from_csr_to_coo: _Operator
_dirichlet_grad: _Operator
_foreach_abs: Callable[..., Any]
_foreach_abs_: Callable[..., Any]
_foreach_acos: Callable[..., Any]
_foreach_acos_: Callable[..., Any]
_foreach_add: Callable[..., Any]
_foreach_add_: Callable[..., Any]
_foreach_addcdiv: Callable[..., Any]
_foreach_addcdiv_: Callable[..., Any]
_foreach_addcmul: Callable[..., Any]
_foreach_addcmul_: Callable[..., Any]
_foreach_asin: Callable[..., Any]
_foreach_asin_: Callable[..., Any]
_foreach_atan: Callable[..., Any]
_foreach_atan_: Callable[..., Any]
_foreach_ceil: Callable[..., Any]
_foreach_ceil_: Callable[..., Any]
_foreach_clamp_max: Callable[..., Any]
_foreach_clamp_max_: Callable[..., Any]
_foreach_clamp_min: Callable[..., Any]
_foreach_clamp_min_: Callable[..., Any]
_foreach_clone: Callable[..., Any]
_foreach_copy_: Callable[..., Any]
_foreach_cos: Callable[..., Any]
_foreach_cos_: Callable[..., Any]
_foreach_cosh: Callable[..., Any]
_foreach_cosh_: Callable[..., Any]
_foreach_div: Callable[..., Any]
_foreach_div_: Callable[..., Any]
_foreach_erf: Callable[..., Any]
_foreach_erf_: Callable[..., Any]
_foreach_erfc: Callable[..., Any]
_foreach_erfc_: Callable[..., Any]
_foreach_exp: Callable[..., Any]
_foreach_exp_: Callable[..., Any]
_foreach_expm1: Callable[..., Any]
_foreach_expm1_: Callable[..., Any]
_foreach_floor: Callable[..., Any]
_foreach_floor_: Callable[..., Any]
_foreach_frac: Callable[..., Any]
_foreach_frac_: Callable[..., Any]
_foreach_lerp: Callable[..., Any]
_foreach_lerp_: Callable[..., Any]
_foreach_lgamma: Callable[..., Any]
_foreach_lgamma_: Callable[..., Any]
_foreach_log: Callable[..., Any]
_foreach_log10: Callable[..., Any]
_foreach_log10_: Callable[..., Any]
_foreach_log1p: Callable[..., Any]
_foreach_log1p_: Callable[..., Any]
_foreach_log2: Callable[..., Any]
_foreach_log2_: Callable[..., Any]
_foreach_log_: Callable[..., Any]
_foreach_max: Callable[..., Any]
_foreach_maximum: Callable[..., Any]
_foreach_maximum_: Callable[..., Any]
_foreach_minimum: Callable[..., Any]
_foreach_minimum_: Callable[..., Any]
_foreach_mm: Callable[..., Any]
_foreach_mul: Callable[..., Any]
_foreach_mul_: Callable[..., Any]
_foreach_neg: Callable[..., Any]
_foreach_neg_: Callable[..., Any]
_foreach_norm: Callable[..., Any]
_foreach_pow: Callable[..., Any]
_foreach_pow_: Callable[..., Any]
_foreach_powsum: Callable[..., Any]
_foreach_reciprocal: Callable[..., Any]
_foreach_reciprocal_: Callable[..., Any]
_foreach_round: Callable[..., Any]
_foreach_round_: Callable[..., Any]
_foreach_rsqrt: Callable[..., Any]
_foreach_rsqrt_: Callable[..., Any]
_foreach_sigmoid: Callable[..., Any]
_foreach_sigmoid_: Callable[..., Any]
_foreach_sign: Callable[..., Any]
_foreach_sign_: Callable[..., Any]
_foreach_sin: Callable[..., Any]
_foreach_sin_: Callable[..., Any]
_foreach_sinh: Callable[..., Any]
_foreach_sinh_: Callable[..., Any]
_foreach_sqrt: Callable[..., Any]
_foreach_sqrt_: Callable[..., Any]
_foreach_sub: Callable[..., Any]
_foreach_sub_: Callable[..., Any]
_foreach_tan: Callable[..., Any]
_foreach_tan_: Callable[..., Any]
_foreach_tanh: Callable[..., Any]
_foreach_tanh_: Callable[..., Any]
_foreach_trunc: Callable[..., Any]
_foreach_trunc_: Callable[..., Any]
_foreach_zero_: Callable[..., Any]
_grouped_mm: _Operator
_index_put_: _Operator
_local_scalar_dense: _Operator
_log_softmax_backward_data: _Operator
_sample_dirichlet: _Operator
_sample_von_mises: _Operator
_scaled_mm: _Operator
_segment_reduce = _of__segment_reduce
_softmax_backward_data: _Operator
_standard_gamma: _Operator
_standard_gamma_grad: _Operator
bits16: _dtype
bits1x8: _dtype
bits2x4: _dtype
bits4x2: _dtype
bits8: _dtype
get_num_threads = _of_get_num_threads
int1: _dtype
int2: _dtype
int3: _dtype
int4: _dtype
int5: _dtype
int6: _dtype
int7: _dtype
jagged: _layout
qint32: _dtype
qint8: _dtype
quint2x4: _dtype
quint4x2: _dtype
quint8: _dtype
sparse_bsc: _layout
sparse_bsr: _layout
sparse_coo: _layout
sparse_csc: _layout
sparse_csr: _layout
uint1: _dtype
uint2: _dtype
uint3: _dtype
uint4: _dtype
uint5: _dtype
uint6: _dtype
uint7: _dtype
