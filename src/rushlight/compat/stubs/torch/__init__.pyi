# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight import __version__ as __version__
from rushlight import bool as bool
from rushlight import cdouble as cdouble
from rushlight import cfloat as cfloat
from rushlight import chalf as chalf
from rushlight import double as double
from rushlight import e as e
from rushlight import float as float
from rushlight import half as half
from rushlight import inf as inf
from rushlight import int as int
from rushlight import legacy_contiguous_format as legacy_contiguous_format
from rushlight import long as long
from rushlight import nan as nan
from rushlight import newaxis as newaxis
from rushlight import pi as pi
from rushlight import short as short
from rushlight._C.keys import DispatchKeySet as DispatchKeySet
from rushlight._dynamo.eval_frame import compile as compile
from rushlight._operators import abs as abs
from rushlight._operators import abs_ as abs_
from rushlight._operators import absolute as absolute
from rushlight._operators import acos as acos
from rushlight._operators import acos_ as acos_
from rushlight._operators import acosh as acosh
from rushlight._operators import acosh_ as acosh_
from rushlight._operators import adaptive_avg_pool1d as adaptive_avg_pool1d
from rushlight._operators import adaptive_max_pool1d as adaptive_max_pool1d
from rushlight._operators import add as add
from rushlight._operators import addbmm as addbmm
from rushlight._operators import addcdiv as addcdiv
from rushlight._operators import addcmul as addcmul
from rushlight._operators import addmm as addmm
from rushlight._operators import addmv as addmv
from rushlight._operators import addmv_ as addmv_
from rushlight._operators import addr as addr
from rushlight._operators import adjoint as adjoint
from rushlight._operators import affine_grid_generator as affine_grid_generator
from rushlight._operators import alias_copy as alias_copy
from rushlight._operators import all as all
from rushlight._operators import allclose as allclose
from rushlight._operators import alpha_dropout as alpha_dropout
from rushlight._operators import alpha_dropout_ as alpha_dropout_
from rushlight._operators import amax as amax
from rushlight._operators import amin as amin
from rushlight._operators import aminmax as aminmax
from rushlight._operators import angle as angle
from rushlight._operators import any as any
from rushlight._operators import arange as arange
from rushlight._operators import arccos as arccos
from rushlight._operators import arccos_ as arccos_
from rushlight._operators import arccosh as arccosh
from rushlight._operators import arccosh_ as arccosh_
from rushlight._operators import arcsin as arcsin
from rushlight._operators import arcsin_ as arcsin_
from rushlight._operators import arcsinh as arcsinh
from rushlight._operators import arcsinh_ as arcsinh_
from rushlight._operators import arctan as arctan
from rushlight._operators import arctan2 as arctan2
from rushlight._operators import arctan_ as arctan_
from rushlight._operators import arctanh as arctanh
from rushlight._operators import arctanh_ as arctanh_
from rushlight._operators import argmax as argmax
from rushlight._operators import argmin as argmin
from rushlight._operators import argsort as argsort
from rushlight._operators import argwhere as argwhere
from rushlight._operators import as_strided as as_strided
from rushlight._operators import as_strided_ as as_strided_
from rushlight._operators import as_strided_copy as as_strided_copy
from rushlight._operators import as_strided_scatter as as_strided_scatter
from rushlight._operators import as_tensor as as_tensor
from rushlight._operators import asin as asin
from rushlight._operators import asin_ as asin_
from rushlight._operators import asinh as asinh
from rushlight._operators import asinh_ as asinh_
from rushlight._operators import atan as atan
from rushlight._operators import atan2 as atan2
from rushlight._operators import atan_ as atan_
from rushlight._operators import atanh as atanh
from rushlight._operators import atanh_ as atanh_
from rushlight._operators import atleast_1d as atleast_1d
from rushlight._operators import atleast_2d as atleast_2d
from rushlight._operators import atleast_3d as atleast_3d
from rushlight._operators import avg_pool1d as avg_pool1d
from rushlight._operators import baddbmm as baddbmm
from rushlight._operators import bartlett_window as bartlett_window
from rushlight._operators import batch_norm as batch_norm
from rushlight._operators import bernoulli as bernoulli
from rushlight._operators import bilinear as bilinear
from rushlight._operators import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from rushlight._operators import bincount as bincount
from rushlight._operators import binomial as binomial
from rushlight._operators import bitwise_and as bitwise_and
from rushlight._operators import bitwise_left_shift as bitwise_left_shift
from rushlight._operators import bitwise_not as bitwise_not
from rushlight._operators import bitwise_or as bitwise_or
from rushlight._operators import bitwise_right_shift as bitwise_right_shift
from rushlight._operators import bitwise_xor as bitwise_xor
from rushlight._operators import blackman_window as blackman_window
from rushlight._operators import block_diag as block_diag
from rushlight._operators import bmm as bmm
from rushlight._operators import broadcast_tensors as broadcast_tensors
from rushlight._operators import broadcast_to as broadcast_to
from rushlight._operators import bucketize as bucketize
from rushlight._operators import cartesian_prod as cartesian_prod
from rushlight._operators import cat as cat
from rushlight._operators import ccol_indices_copy as ccol_indices_copy
from rushlight._operators import cdist as cdist
from rushlight._operators import ceil as ceil
from rushlight._operators import ceil_ as ceil_
from rushlight._operators import celu as celu
from rushlight._operators import celu_ as celu_
from rushlight._operators import channel_shuffle as channel_shuffle
from rushlight._operators import cholesky as cholesky
from rushlight._operators import cholesky_inverse as cholesky_inverse
from rushlight._operators import cholesky_solve as cholesky_solve
from rushlight._operators import chunk as chunk
from rushlight._operators import clamp as clamp
from rushlight._operators import clamp_ as clamp_
from rushlight._operators import clamp_max as clamp_max
from rushlight._operators import clamp_max_ as clamp_max_
from rushlight._operators import clamp_min as clamp_min
from rushlight._operators import clamp_min_ as clamp_min_
from rushlight._operators import clip as clip
from rushlight._operators import clip_ as clip_
from rushlight._operators import clone as clone
from rushlight._operators import col_indices_copy as col_indices_copy
from rushlight._operators import column_stack as column_stack
from rushlight._operators import combinations as combinations
from rushlight._operators import complex as complex
from rushlight._operators import concat as concat
from rushlight._operators import concatenate as concatenate
from rushlight._operators import conj as conj
from rushlight._operators import conj_physical as conj_physical
from rushlight._operators import conj_physical_ as conj_physical_
from rushlight._operators import constant_pad_nd as constant_pad_nd
from rushlight._operators import conv1d as conv1d
from rushlight._operators import conv2d as conv2d
from rushlight._operators import conv3d as conv3d
from rushlight._operators import conv_tbc as conv_tbc
from rushlight._operators import conv_transpose1d as conv_transpose1d
from rushlight._operators import conv_transpose2d as conv_transpose2d
from rushlight._operators import conv_transpose3d as conv_transpose3d
from rushlight._operators import convolution as convolution
from rushlight._operators import copysign as copysign
from rushlight._operators import corrcoef as corrcoef
from rushlight._operators import cos as cos
from rushlight._operators import cos_ as cos_
from rushlight._operators import cosh as cosh
from rushlight._operators import cosh_ as cosh_
from rushlight._operators import cosine_embedding_loss as cosine_embedding_loss
from rushlight._operators import cosine_similarity as cosine_similarity
from rushlight._operators import count_nonzero as count_nonzero
from rushlight._operators import cov as cov
from rushlight._operators import cross as cross
from rushlight._operators import crow_indices_copy as crow_indices_copy
from rushlight._operators import ctc_loss as ctc_loss
from rushlight._operators import cummax as cummax
from rushlight._operators import cummin as cummin
from rushlight._operators import cumprod as cumprod
from rushlight._operators import cumsum as cumsum
from rushlight._operators import cumulative_trapezoid as cumulative_trapezoid
from rushlight._operators import default_generator as default_generator
from rushlight._operators import deg2rad as deg2rad
from rushlight._operators import deg2rad_ as deg2rad_
from rushlight._operators import det as det
from rushlight._operators import detach as detach
from rushlight._operators import detach_ as detach_
from rushlight._operators import detach_copy as detach_copy
from rushlight._operators import diag as diag
from rushlight._operators import diag_embed as diag_embed
from rushlight._operators import diagflat as diagflat
from rushlight._operators import diagonal as diagonal
from rushlight._operators import diagonal_copy as diagonal_copy
from rushlight._operators import diagonal_scatter as diagonal_scatter
from rushlight._operators import diff as diff
from rushlight._operators import digamma as digamma
from rushlight._operators import dist as dist
from rushlight._operators import div as div
from rushlight._operators import divide as divide
from rushlight._operators import dot as dot
from rushlight._operators import dropout as dropout
from rushlight._operators import dropout_ as dropout_
from rushlight._operators import dsplit as dsplit
from rushlight._operators import dstack as dstack
from rushlight._operators import embedding as embedding
from rushlight._operators import embedding_renorm_ as embedding_renorm_
from rushlight._operators import empty as empty
from rushlight._operators import empty_like as empty_like
from rushlight._operators import empty_permuted as empty_permuted
from rushlight._operators import empty_strided as empty_strided
from rushlight._operators import eq as eq
from rushlight._operators import equal as equal
from rushlight._operators import erf as erf
from rushlight._operators import erf_ as erf_
from rushlight._operators import erfc as erfc
from rushlight._operators import erfc_ as erfc_
from rushlight._operators import erfinv as erfinv
from rushlight._operators import exp as exp
from rushlight._operators import exp2 as exp2
from rushlight._operators import exp2_ as exp2_
from rushlight._operators import exp_ as exp_
from rushlight._operators import expand_copy as expand_copy
from rushlight._operators import expm1 as expm1
from rushlight._operators import expm1_ as expm1_
from rushlight._operators import eye as eye
from rushlight._operators import fake_quantize_per_channel_affine as fake_quantize_per_channel_affine
from rushlight._operators import fake_quantize_per_tensor_affine as fake_quantize_per_tensor_affine
from rushlight._operators import feature_alpha_dropout as feature_alpha_dropout
from rushlight._operators import feature_alpha_dropout_ as feature_alpha_dropout_
from rushlight._operators import feature_dropout as feature_dropout
from rushlight._operators import feature_dropout_ as feature_dropout_
from rushlight._operators import fill as fill
from rushlight._operators import fill_ as fill_
from rushlight._operators import fix as fix
from rushlight._operators import fix_ as fix_
from rushlight._operators import flatten as flatten
from rushlight._operators import flip as flip
from rushlight._operators import fliplr as fliplr
from rushlight._operators import flipud as flipud
from rushlight._operators import float_power as float_power
from rushlight._operators import floor as floor
from rushlight._operators import floor_ as floor_
from rushlight._operators import floor_divide as floor_divide
from rushlight._operators import fmax as fmax
from rushlight._operators import fmin as fmin
from rushlight._operators import fmod as fmod
from rushlight._operators import frac as frac
from rushlight._operators import frac_ as frac_
from rushlight._operators import frexp as frexp
from rushlight._operators import frobenius_norm as frobenius_norm
from rushlight._operators import from_file as from_file
from rushlight._operators import full as full
from rushlight._operators import full_like as full_like
from rushlight._operators import gather as gather
from rushlight._operators import gcd as gcd
from rushlight._operators import gcd_ as gcd_
from rushlight._operators import ge as ge
from rushlight._operators import geqrf as geqrf
from rushlight._operators import ger as ger
from rushlight._operators import gradient as gradient
from rushlight._operators import greater as greater
from rushlight._operators import greater_equal as greater_equal
from rushlight._operators import grid_sampler as grid_sampler
from rushlight._operators import grid_sampler_2d as grid_sampler_2d
from rushlight._operators import grid_sampler_3d as grid_sampler_3d
from rushlight._operators import group_norm as group_norm
from rushlight._operators import gru_cell as gru_cell
from rushlight._operators import gt as gt
from rushlight._operators import hamming_window as hamming_window
from rushlight._operators import hann_window as hann_window
from rushlight._operators import hardshrink as hardshrink
from rushlight._operators import hash_tensor as hash_tensor
from rushlight._operators import heaviside as heaviside
from rushlight._operators import hinge_embedding_loss as hinge_embedding_loss
from rushlight._operators import histc as histc
from rushlight._operators import histogram as histogram
from rushlight._operators import histogramdd as histogramdd
from rushlight._operators import hsplit as hsplit
from rushlight._operators import hstack as hstack
from rushlight._operators import hypot as hypot
from rushlight._operators import i0 as i0
from rushlight._operators import i0_ as i0_
from rushlight._operators import igamma as igamma
from rushlight._operators import igammac as igammac
from rushlight._operators import imag as imag
from rushlight._operators import index_add as index_add
from rushlight._operators import index_copy as index_copy
from rushlight._operators import index_fill as index_fill
from rushlight._operators import index_put as index_put
from rushlight._operators import index_put_ as index_put_
from rushlight._operators import index_reduce as index_reduce
from rushlight._operators import index_select as index_select
from rushlight._operators import indices_copy as indices_copy
from rushlight._operators import inner as inner
from rushlight._operators import instance_norm as instance_norm
from rushlight._operators import int_repr as int_repr
from rushlight._operators import inverse as inverse
from rushlight._operators import is_conj as is_conj
from rushlight._operators import is_neg as is_neg
from rushlight._operators import is_same_size as is_same_size
from rushlight._operators import isclose as isclose
from rushlight._operators import isfinite as isfinite
from rushlight._operators import isin as isin
from rushlight._operators import isinf as isinf
from rushlight._operators import isnan as isnan
from rushlight._operators import isneginf as isneginf
from rushlight._operators import isposinf as isposinf
from rushlight._operators import isreal as isreal
from rushlight._operators import istft as istft
from rushlight._operators import kaiser_window as kaiser_window
from rushlight._operators import kl_div as kl_div
from rushlight._operators import kron as kron
from rushlight._operators import kthvalue as kthvalue
from rushlight._operators import layer_norm as layer_norm
from rushlight._operators import lcm as lcm
from rushlight._operators import lcm_ as lcm_
from rushlight._operators import ldexp as ldexp
from rushlight._operators import ldexp_ as ldexp_
from rushlight._operators import le as le
from rushlight._operators import lerp as lerp
from rushlight._operators import less as less
from rushlight._operators import less_equal as less_equal
from rushlight._operators import lgamma as lgamma
from rushlight._operators import linspace as linspace
from rushlight._operators import lobpcg as lobpcg
from rushlight._operators import log as log
from rushlight._operators import log10 as log10
from rushlight._operators import log10_ as log10_
from rushlight._operators import log1p as log1p
from rushlight._operators import log1p_ as log1p_
from rushlight._operators import log2 as log2
from rushlight._operators import log2_ as log2_
from rushlight._operators import log_ as log_
from rushlight._operators import log_softmax as log_softmax
from rushlight._operators import logaddexp as logaddexp
from rushlight._operators import logaddexp2 as logaddexp2
from rushlight._operators import logcumsumexp as logcumsumexp
from rushlight._operators import logdet as logdet
from rushlight._operators import logical_and as logical_and
from rushlight._operators import logical_not as logical_not
from rushlight._operators import logical_or as logical_or
from rushlight._operators import logical_xor as logical_xor
from rushlight._operators import logit as logit
from rushlight._operators import logit_ as logit_
from rushlight._operators import logspace as logspace
from rushlight._operators import logsumexp as logsumexp
from rushlight._operators import lstm_cell as lstm_cell
from rushlight._operators import lt as lt
from rushlight._operators import lu as lu
from rushlight._operators import lu_solve as lu_solve
from rushlight._operators import lu_unpack as lu_unpack
from rushlight._operators import margin_ranking_loss as margin_ranking_loss
from rushlight._operators import masked_fill as masked_fill
from rushlight._operators import masked_scatter as masked_scatter
from rushlight._operators import masked_select as masked_select
from rushlight._operators import matmul as matmul
from rushlight._operators import matrix_exp as matrix_exp
from rushlight._operators import matrix_power as matrix_power
from rushlight._operators import max as max
from rushlight._operators import max_pool1d as max_pool1d
from rushlight._operators import max_pool1d_with_indices as max_pool1d_with_indices
from rushlight._operators import max_pool2d as max_pool2d
from rushlight._operators import max_pool3d as max_pool3d
from rushlight._operators import maximum as maximum
from rushlight._operators import mean as mean
from rushlight._operators import median as median
from rushlight._operators import meshgrid as meshgrid
from rushlight._operators import min as min
from rushlight._operators import minimum as minimum
from rushlight._operators import mm as mm
from rushlight._operators import mode as mode
from rushlight._operators import moveaxis as moveaxis
from rushlight._operators import movedim as movedim
from rushlight._operators import msort as msort
from rushlight._operators import mul as mul
from rushlight._operators import multinomial as multinomial
from rushlight._operators import multiply as multiply
from rushlight._operators import mv as mv
from rushlight._operators import mvlgamma as mvlgamma
from rushlight._operators import nan_to_num as nan_to_num
from rushlight._operators import nan_to_num_ as nan_to_num_
from rushlight._operators import nanmean as nanmean
from rushlight._operators import nanmedian as nanmedian
from rushlight._operators import nanquantile as nanquantile
from rushlight._operators import nansum as nansum
from rushlight._operators import narrow as narrow
from rushlight._operators import narrow_copy as narrow_copy
from rushlight._operators import native_channel_shuffle as native_channel_shuffle
from rushlight._operators import ne as ne
from rushlight._operators import neg as neg
from rushlight._operators import neg_ as neg_
from rushlight._operators import negative as negative
from rushlight._operators import negative_ as negative_
from rushlight._operators import nextafter as nextafter
from rushlight._operators import nonzero as nonzero
from rushlight._operators import nonzero_static as nonzero_static
from rushlight._operators import norm as norm
from rushlight._operators import norm_except_dim as norm_except_dim
from rushlight._operators import normal as normal
from rushlight._operators import not_equal as not_equal
from rushlight._operators import nuclear_norm as nuclear_norm
from rushlight._operators import ones as ones
from rushlight._operators import ones_like as ones_like
from rushlight._operators import orgqr as orgqr
from rushlight._operators import ormqr as ormqr
from rushlight._operators import outer as outer
from rushlight._operators import pairwise_distance as pairwise_distance
from rushlight._operators import pca_lowrank as pca_lowrank
from rushlight._operators import pdist as pdist
from rushlight._operators import permute as permute
from rushlight._operators import permute_copy as permute_copy
from rushlight._operators import pinverse as pinverse
from rushlight._operators import pixel_shuffle as pixel_shuffle
from rushlight._operators import pixel_unshuffle as pixel_unshuffle
from rushlight._operators import poisson as poisson
from rushlight._operators import poisson_nll_loss as poisson_nll_loss
from rushlight._operators import polar as polar
from rushlight._operators import polygamma as polygamma
from rushlight._operators import positive as positive
from rushlight._operators import pow as pow
from rushlight._operators import prelu as prelu
from rushlight._operators import prod as prod
from rushlight._operators import put as put
from rushlight._operators import q_per_channel_axis as q_per_channel_axis
from rushlight._operators import q_per_channel_scales as q_per_channel_scales
from rushlight._operators import q_per_channel_zero_points as q_per_channel_zero_points
from rushlight._operators import q_scale as q_scale
from rushlight._operators import q_zero_point as q_zero_point
from rushlight._operators import qr as qr
from rushlight._operators import quantile as quantile
from rushlight._operators import quantize_per_channel as quantize_per_channel
from rushlight._operators import quantize_per_tensor as quantize_per_tensor
from rushlight._operators import quantize_per_tensor_dynamic as quantize_per_tensor_dynamic
from rushlight._operators import rad2deg as rad2deg
from rushlight._operators import rad2deg_ as rad2deg_
from rushlight._operators import rand as rand
from rushlight._operators import rand_like as rand_like
from rushlight._operators import randint as randint
from rushlight._operators import randint_like as randint_like
from rushlight._operators import randn as randn
from rushlight._operators import randn_like as randn_like
from rushlight._operators import randperm as randperm
from rushlight._operators import range as range
from rushlight._operators import ravel as ravel
from rushlight._operators import real as real
from rushlight._operators import reciprocal as reciprocal
from rushlight._operators import reciprocal_ as reciprocal_
from rushlight._operators import relu as relu
from rushlight._operators import relu_ as relu_
from rushlight._operators import remainder as remainder
from rushlight._operators import renorm as renorm
from rushlight._operators import repeat_interleave as repeat_interleave
from rushlight._operators import reshape as reshape
from rushlight._operators import resize_as_ as resize_as_
from rushlight._operators import resolve_conj as resolve_conj
from rushlight._operators import resolve_neg as resolve_neg
from rushlight._operators import rms_norm as rms_norm
from rushlight._operators import rnn_relu_cell as rnn_relu_cell
from rushlight._operators import rnn_tanh_cell as rnn_tanh_cell
from rushlight._operators import roll as roll
from rushlight._operators import rot90 as rot90
from rushlight._operators import round as round
from rushlight._operators import round_ as round_
from rushlight._operators import row_indices_copy as row_indices_copy
from rushlight._operators import row_stack as row_stack
from rushlight._operators import rrelu as rrelu
from rushlight._operators import rrelu_ as rrelu_
from rushlight._operators import rsqrt as rsqrt
from rushlight._operators import rsqrt_ as rsqrt_
from rushlight._operators import rsub as rsub
from rushlight._operators import scatter as scatter
from rushlight._operators import scatter_add as scatter_add
from rushlight._operators import scatter_reduce as scatter_reduce
from rushlight._operators import searchsorted as searchsorted
from rushlight._operators import segment_reduce as _of__segment_reduce
from rushlight._operators import segment_reduce as segment_reduce
from rushlight._operators import select as select
from rushlight._operators import select_copy as select_copy
from rushlight._operators import select_scatter as select_scatter
from rushlight._operators import selu as selu
from rushlight._operators import selu_ as selu_
from rushlight._operators import sgn as sgn
from rushlight._operators import sigmoid as sigmoid
from rushlight._operators import sigmoid_ as sigmoid_
from rushlight._operators import sign as sign
from rushlight._operators import signbit as signbit
from rushlight._operators import sin as sin
from rushlight._operators import sin_ as sin_
from rushlight._operators import sinc as sinc
from rushlight._operators import sinc_ as sinc_
from rushlight._operators import sinh as sinh
from rushlight._operators import sinh_ as sinh_
from rushlight._operators import slice_copy as slice_copy
from rushlight._operators import slice_scatter as slice_scatter
from rushlight._operators import slogdet as slogdet
from rushlight._operators import softmax as softmax
from rushlight._operators import sort as sort
from rushlight._operators import sparse_bsc_tensor as sparse_bsc_tensor
from rushlight._operators import sparse_bsr_tensor as sparse_bsr_tensor
from rushlight._operators import sparse_compressed_tensor as sparse_compressed_tensor
from rushlight._operators import sparse_csc_tensor as sparse_csc_tensor
from rushlight._operators import sparse_csr_tensor as sparse_csr_tensor
from rushlight._operators import split as split
from rushlight._operators import split_copy as split_copy
from rushlight._operators import split_with_sizes as split_with_sizes
from rushlight._operators import split_with_sizes_copy as split_with_sizes_copy
from rushlight._operators import sqrt as sqrt
from rushlight._operators import sqrt_ as sqrt_
from rushlight._operators import square as square
from rushlight._operators import square_ as square_
from rushlight._operators import squeeze as squeeze
from rushlight._operators import squeeze_copy as squeeze_copy
from rushlight._operators import stack as stack
from rushlight._operators import std as std
from rushlight._operators import std_mean as std_mean
from rushlight._operators import stft as stft
from rushlight._operators import sub as sub
from rushlight._operators import subtract as subtract
from rushlight._operators import sum as sum
from rushlight._operators import svd as svd
from rushlight._operators import svd_lowrank as svd_lowrank
from rushlight._operators import swapaxes as swapaxes
from rushlight._operators import swapdims as swapdims
from rushlight._operators import t as t
from rushlight._operators import t_copy as t_copy
from rushlight._operators import take as take
from rushlight._operators import take_along_dim as take_along_dim
from rushlight._operators import tan as tan
from rushlight._operators import tan_ as tan_
from rushlight._operators import tanh as tanh
from rushlight._operators import tanh_ as tanh_
from rushlight._operators import tensor as tensor
from rushlight._operators import tensor_split as tensor_split
from rushlight._operators import tensordot as tensordot
from rushlight._operators import threshold as threshold
from rushlight._operators import threshold_ as threshold_
from rushlight._operators import tile as tile
from rushlight._operators import topk as topk
from rushlight._operators import trace as trace
from rushlight._operators import transpose as transpose
from rushlight._operators import transpose_copy as transpose_copy
from rushlight._operators import trapezoid as trapezoid
from rushlight._operators import trapz as trapz
from rushlight._operators import triangular_solve as triangular_solve
from rushlight._operators import tril as tril
from rushlight._operators import tril_indices as tril_indices
from rushlight._operators import triplet_margin_loss as triplet_margin_loss
from rushlight._operators import triu as triu
from rushlight._operators import triu_indices as triu_indices
from rushlight._operators import true_divide as true_divide
from rushlight._operators import trunc as trunc
from rushlight._operators import trunc_ as trunc_
from rushlight._operators import unbind as unbind
from rushlight._operators import unbind_copy as unbind_copy
from rushlight._operators import unflatten as unflatten
from rushlight._operators import unfold_copy as unfold_copy
from rushlight._operators import unique as unique
from rushlight._operators import unique_consecutive as unique_consecutive
from rushlight._operators import unravel_index as unravel_index
from rushlight._operators import unsafe_chunk as unsafe_chunk
from rushlight._operators import unsafe_split as unsafe_split
from rushlight._operators import unsafe_split_with_sizes as unsafe_split_with_sizes
from rushlight._operators import unsqueeze as unsqueeze
from rushlight._operators import unsqueeze_copy as unsqueeze_copy
from rushlight._operators import values_copy as values_copy
from rushlight._operators import vander as vander
from rushlight._operators import var as var
from rushlight._operators import var_mean as var_mean
from rushlight._operators import vdot as vdot
from rushlight._operators import view_as_complex as view_as_complex
from rushlight._operators import view_as_complex_copy as view_as_complex_copy
from rushlight._operators import view_as_real as view_as_real
from rushlight._operators import view_as_real_copy as view_as_real_copy
from rushlight._operators import view_copy as view_copy
from rushlight._operators import vsplit as vsplit
from rushlight._operators import vstack as vstack
from rushlight._operators import where as where
from rushlight._operators import xlogy as xlogy
from rushlight._operators import xlogy_ as xlogy_
from rushlight._operators import zero_ as zero_
from rushlight._operators import zeros as zeros
from rushlight._operators import zeros_like as zeros_like
from rushlight.accelerator import AcceleratorError as AcceleratorError
from rushlight.accelerator import get_device_module as get_device_module
from rushlight.amp.autocast_mode import autocast as autocast
from rushlight.amp.autocast_mode import clear_autocast_cache as clear_autocast_cache
from rushlight.amp.autocast_mode import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from rushlight.amp.autocast_mode import get_autocast_dtype as get_autocast_dtype
from rushlight.amp.autocast_mode import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from rushlight.amp.autocast_mode import is_autocast_cache_enabled as is_autocast_cache_enabled
from rushlight.amp.autocast_mode import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from rushlight.amp.autocast_mode import is_autocast_enabled as is_autocast_enabled
from rushlight.amp.autocast_mode import set_autocast_cache_enabled as set_autocast_cache_enabled
from rushlight.amp.autocast_mode import set_autocast_dtype as set_autocast_dtype
from rushlight.amp.autocast_mode import set_autocast_enabled as set_autocast_enabled
from rushlight.amp.grad_scaler import GradScaler as GradScaler
from rushlight.autograd.anomaly_mode import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from rushlight.autograd.anomaly_mode import is_anomaly_enabled as is_anomaly_enabled
from rushlight.autograd.anomaly_mode import set_anomaly_enabled as set_anomaly_enabled
from rushlight.autograd.grad_mode import enable_grad as enable_grad
from rushlight.autograd.grad_mode import inference_mode as inference_mode
from rushlight.autograd.grad_mode import no_grad as no_grad
from rushlight.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from rushlight.compat._made import Function as _Function
from rushlight.compat._made import Made as _Made
from rushlight.compat.checkpoint import load as load
from rushlight.compat.checkpoint import save as save
from rushlight.core._native import num_threads as _of_get_num_threads
from rushlight.core._native import set_num_threads as set_num_threads
from rushlight.core.devices import Size as Size
from rushlight.core.devices import device as device
from rushlight.core.dispatch import Operator as _Operator
from rushlight.core.dtypes import bfloat16 as bfloat16
from rushlight.core.dtypes import channels_last as channels_last
from rushlight.core.dtypes import channels_last_3d as channels_last_3d
from rushlight.core.dtypes import complex128 as complex128
from rushlight.core.dtypes import complex32 as complex32
from rushlight.core.dtypes import complex64 as complex64
from rushlight.core.dtypes import contiguous_format as contiguous_format
from rushlight.core.dtypes import dtype as _dtype
from rushlight.core.dtypes import dtype as dtype
from rushlight.core.dtypes import float16 as float16
from rushlight.core.dtypes import float32 as float32
from rushlight.core.dtypes import float4_e2m1fn_x2 as float4_e2m1fn_x2
from rushlight.core.dtypes import float64 as float64
from rushlight.core.dtypes import float8_e4m3fn as float8_e4m3fn
from rushlight.core.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from rushlight.core.dtypes import float8_e5m2 as float8_e5m2
from rushlight.core.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from rushlight.core.dtypes import float8_e8m0fnu as float8_e8m0fnu
from rushlight.core.dtypes import int16 as int16
from rushlight.core.dtypes import int32 as int32
from rushlight.core.dtypes import int64 as int64
from rushlight.core.dtypes import int8 as int8
from rushlight.core.dtypes import layout as _layout
from rushlight.core.dtypes import layout as layout
from rushlight.core.dtypes import memory_format as memory_format
from rushlight.core.dtypes import preserve_format as preserve_format
from rushlight.core.dtypes import strided as strided
from rushlight.core.dtypes import uint16 as uint16
from rushlight.core.dtypes import uint32 as uint32
from rushlight.core.dtypes import uint64 as uint64
from rushlight.core.dtypes import uint8 as uint8
from rushlight.core.storage import Storage as _of_StorageBase
from rushlight.core.storage import Storage as _of_UntypedStorage
from rushlight.core.tensor import Tensor as Tensor
from rushlight.core.tensor import Tensor as _Tensor
from rushlight.core.tensor import is_grad_enabled as is_grad_enabled
from rushlight.core.tensor import is_inference_mode_enabled as is_inference_mode_enabled
from rushlight.cuda import OutOfMemoryError as OutOfMemoryError
from rushlight.func.control import cond as cond
from rushlight.func.control import while_loop as while_loop
from rushlight.func.mapping import vmap as vmap
from rushlight.futures import Future as Future
from rushlight.inspection.printing import set_printoptions as set_printoptions
from rushlight.library.tags import Tag as Tag
from rushlight.names.quantized import per_channel_affine as per_channel_affine
from rushlight.names.quantized import per_channel_affine_float_qparams as per_channel_affine_float_qparams
from rushlight.names.quantized import per_channel_symmetric as per_channel_symmetric
from rushlight.names.quantized import per_tensor_affine as per_tensor_affine
from rushlight.names.quantized import per_tensor_symmetric as per_tensor_symmetric
from rushlight.names.quantized import qscheme as qscheme
from rushlight.names.settings import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from rushlight.names.settings import get_deterministic_debug_mode as get_deterministic_debug_mode
from rushlight.names.settings import get_float32_matmul_precision as get_float32_matmul_precision
from rushlight.names.settings import get_num_interop_threads as get_num_interop_threads
from rushlight.names.settings import has_lapack as has_lapack
from rushlight.names.settings import has_mkl as has_mkl
from rushlight.names.settings import has_openmp as has_openmp
from rushlight.names.settings import (
    is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled,
)
from rushlight.names.settings import is_warn_always_enabled as is_warn_always_enabled
from rushlight.names.settings import set_deterministic_debug_mode as set_deterministic_debug_mode
from rushlight.names.settings import set_float32_matmul_precision as set_float32_matmul_precision
from rushlight.names.settings import set_num_interop_threads as set_num_interop_threads
from rushlight.names.settings import set_warn_always as set_warn_always
from rushlight.names.settings import use_deterministic_algorithms as use_deterministic_algorithms
from rushlight.names.streams import Event as Event
from rushlight.names.streams import Stream as Stream
from rushlight.names.symbols import SymBool as SymBool
from rushlight.names.symbols import SymFloat as SymFloat
from rushlight.names.symbols import SymInt as SymInt
from rushlight.names.symbols import _sym_sqrt as _sym_sqrt
from rushlight.names.symbols import sym_float as sym_float
from rushlight.names.symbols import sym_fresh_size as sym_fresh_size
from rushlight.names.symbols import sym_int as sym_int
from rushlight.names.symbols import sym_ite as sym_ite
from rushlight.names.symbols import sym_max as sym_max
from rushlight.names.symbols import sym_min as sym_min
from rushlight.names.symbols import sym_not as sym_not
from rushlight.names.symbols import sym_sqrt as sym_sqrt
from rushlight.names.symbols import sym_sum as sym_sum
from rushlight.nn.modules._flat_rnn import gru as gru
from rushlight.nn.modules._flat_rnn import lstm as lstm
from rushlight.nn.modules._flat_rnn import rnn_relu as rnn_relu
from rushlight.nn.modules._flat_rnn import rnn_tanh as rnn_tanh
from rushlight.operators.creation.creation import get_default_device as get_default_device
from rushlight.operators.creation.creation import set_default_device as set_default_device
from rushlight.operators.linalg.contraction import chain_matmul as chain_matmul
from rushlight.operators.linalg.contraction import einsum as einsum
from rushlight.operators.nn.native import embedding_bag as embedding_bag
from rushlight.operators.nn.native import native_batch_norm as native_batch_norm
from rushlight.operators.nn.native import native_dropout as native_dropout
from rushlight.operators.nn.native import native_group_norm as native_group_norm
from rushlight.operators.nn.native import native_layer_norm as native_layer_norm
from rushlight.operators.random.generators import Generator as Generator
from rushlight.operators.random.generators import get_rng_state as get_rng_state
from rushlight.operators.random.generators import initial_seed as initial_seed
from rushlight.operators.random.generators import manual_seed as manual_seed
from rushlight.operators.random.generators import seed as seed
from rushlight.operators.random.generators import set_rng_state as set_rng_state
from rushlight.operators.shapes.join import broadcast_shapes as broadcast_shapes
from rushlight.operators.shapes.layouts import dsmm as dsmm
from rushlight.operators.shapes.layouts import hsmm as hsmm
from rushlight.operators.shapes.layouts import hspmm as hspmm
from rushlight.operators.shapes.layouts import resize_as_sparse_ as resize_as_sparse_
from rushlight.operators.shapes.layouts import saddmm as saddmm
from rushlight.operators.shapes.layouts import smm as smm
from rushlight.operators.shapes.layouts import sparse_coo_tensor as sparse_coo_tensor
from rushlight.operators.shapes.layouts import spmm as spmm
from rushlight.operators.shapes.layouts import sspaddmm as sspaddmm
from rushlight.operators.tensors.checking import _assert as _assert
from rushlight.operators.tensors.checking import _assert_async as _assert_async
from rushlight.operators.tensors.checking import _check_is_size as _check_is_size
from rushlight.operators.tensors.checking import _check_tensor_all as _check_tensor_all
from rushlight.operators.tensors.checking import _check_tensor_all_with as _check_tensor_all_with
from rushlight.operators.tensors.checking import _check_with as _check_with
from rushlight.operators.tensors.checking import _is_all_true as _is_all_true
from rushlight.operators.tensors.checking import _is_any_true as _is_any_true
from rushlight.operators.tensors.info import _shape_as_tensor as _shape_as_tensor
from rushlight.operators.tensors.info import can_cast as can_cast
from rushlight.operators.tensors.info import finfo as finfo
from rushlight.operators.tensors.info import get_default_dtype as get_default_dtype
from rushlight.operators.tensors.info import iinfo as iinfo
from rushlight.operators.tensors.info import is_complex as is_complex
from rushlight.operators.tensors.info import is_floating_point as is_floating_point
from rushlight.operators.tensors.info import is_inference as is_inference
from rushlight.operators.tensors.info import is_nonzero as is_nonzero
from rushlight.operators.tensors.info import is_tensor as is_tensor
from rushlight.operators.tensors.info import numel as numel
from rushlight.operators.tensors.info import promote_types as promote_types
from rushlight.operators.tensors.info import result_type as result_type
from rushlight.operators.tensors.info import set_default_dtype as set_default_dtype
from rushlight.operators.tensors.info import set_default_tensor_type as set_default_tensor_type
from rushlight.operators.tensors.info import typename as typename
from rushlight.operators.tensors.interop import asarray as asarray
from rushlight.operators.tensors.interop import from_dlpack as from_dlpack
from rushlight.operators.tensors.interop import from_numpy as from_numpy
from rushlight.operators.tensors.interop import frombuffer as frombuffer
from rushlight.operators.tensors.interop import scalar_tensor as scalar_tensor
from rushlight.operators.tensors.memory import TypedStorage as TypedStorage
from rushlight.operators.tensors.memory import get_device as get_device
from rushlight.operators.tensors.memory import is_signed as is_signed
from rushlight.operators.tensors.memory import is_storage as is_storage
from rushlight.operators.tensors.memory import set_flush_denormal as set_flush_denormal
from rushlight.operators.tensors.refusals import dequantize as dequantize
from rushlight.operators.tensors.refusals import eig as eig
from rushlight.operators.tensors.refusals import lstsq as lstsq
from rushlight.operators.tensors.refusals import matrix_rank as matrix_rank
from rushlight.operators.tensors.refusals import solve as solve
from rushlight.operators.tensors.refusals import symeig as symeig
from rushlight.overrides import DisableTorchFunction as DisableTorchFunction
from rushlight.overrides import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from rushlight.packaging._write import package as package
from rushlight.utils.dlpack import to_dlpack as to_dlpack
from torch import accelerator as accelerator
from torch import amp as amp
from torch import ao as ao
from torch import autograd as autograd
from torch import backends as backends
from torch import compiler as compiler
from torch import cpu as cpu
from torch import cuda as cuda
from torch import distributed as distributed
from torch import distributions as distributions
from torch import export as export
from torch import fft as fft
from torch import func as func
from torch import functional as functional
from torch import futures as futures
from torch import fx as fx
from torch import hub as hub
from torch import jit as jit
from torch import library as library
from torch import linalg as linalg
from torch import masked as masked
from torch import mps as mps
from torch import multiprocessing as multiprocessing
from torch import nested as nested
from torch import nn as nn
from torch import onnx as onnx
from torch import ops as ops
from torch import optim as optim
from torch import overrides as overrides
from torch import profiler as profiler
from torch import quantization as quantization
from torch import quasirandom as quasirandom
from torch import random as random
from torch import return_types as return_types
from torch import serialization as serialization
from torch import signal as signal
from torch import sparse as sparse
from torch import special as special
from torch import storage as storage
from torch import testing as testing
from torch import torch_version as torch_version
from torch import types as types
from torch import utils as utils
from torch import version as version
from torch import xpu as xpu

class BFloat16Storage(_Made): ...
class BFloat16Tensor(_Made, _Tensor): ...
class BoolStorage(_Made): ...
class BoolTensor(_Made, _Tensor): ...
class ByteStorage(_Made): ...
class ByteTensor(_Made, _Tensor): ...
class CharStorage(_Made): ...
class CharTensor(_Made, _Tensor): ...
class ComplexDoubleStorage(_Made): ...
class ComplexFloatStorage(_Made): ...
class DispatchKey(_Made): ...
class DoubleStorage(_Made): ...
class DoubleTensor(_Made, _Tensor): ...
class FloatStorage(_Made): ...
class FloatTensor(_Made, _Tensor): ...
class HalfStorage(_Made): ...
class HalfTensor(_Made, _Tensor): ...
class IntStorage(_Made): ...
class IntTensor(_Made, _Tensor): ...
class LongStorage(_Made): ...
class LongTensor(_Made, _Tensor): ...
class PyTorchFileReader(_Made): ...
class PyTorchFileWriter(_Made): ...
class ScriptModule(_Made): ...
class ScriptObject(_Made): ...
class ShortStorage(_Made): ...
class ShortTensor(_Made, _Tensor): ...
StorageBase = _of_StorageBase
UntypedStorage = _of_UntypedStorage
_cast_Byte: _Function
_cast_Char: _Function
_cast_Double: _Function
_cast_Float: _Function
_cast_Half: _Function
_cast_Int: _Function
_cast_Long: _Function
_cast_Short: _Function
_check: _Function
_check_index: _Function
_check_not_implemented: _Function
_check_type: _Function
_check_value: _Function
_convert_indices_from_coo_to_csr: _Operator
_convert_indices_from_csr_to_coo: _Operator
_dirichlet_grad: _Operator
_foreach_abs: _Function
_foreach_abs_: _Function
_foreach_acos: _Function
_foreach_acos_: _Function
_foreach_add: _Function
_foreach_add_: _Function
_foreach_addcdiv: _Function
_foreach_addcdiv_: _Function
_foreach_addcmul: _Function
_foreach_addcmul_: _Function
_foreach_asin: _Function
_foreach_asin_: _Function
_foreach_atan: _Function
_foreach_atan_: _Function
_foreach_ceil: _Function
_foreach_ceil_: _Function
_foreach_clamp_max: _Function
_foreach_clamp_max_: _Function
_foreach_clamp_min: _Function
_foreach_clamp_min_: _Function
_foreach_clone: _Function
_foreach_copy_: _Function
_foreach_cos: _Function
_foreach_cos_: _Function
_foreach_cosh: _Function
_foreach_cosh_: _Function
_foreach_div: _Function
_foreach_div_: _Function
_foreach_erf: _Function
_foreach_erf_: _Function
_foreach_erfc: _Function
_foreach_erfc_: _Function
_foreach_exp: _Function
_foreach_exp_: _Function
_foreach_expm1: _Function
_foreach_expm1_: _Function
_foreach_floor: _Function
_foreach_floor_: _Function
_foreach_frac: _Function
_foreach_frac_: _Function
_foreach_lerp: _Function
_foreach_lerp_: _Function
_foreach_lgamma: _Function
_foreach_lgamma_: _Function
_foreach_log: _Function
_foreach_log10: _Function
_foreach_log10_: _Function
_foreach_log1p: _Function
_foreach_log1p_: _Function
_foreach_log2: _Function
_foreach_log2_: _Function
_foreach_log_: _Function
_foreach_max: _Function
_foreach_maximum: _Function
_foreach_maximum_: _Function
_foreach_minimum: _Function
_foreach_minimum_: _Function
_foreach_mm: _Function
_foreach_mul: _Function
_foreach_mul_: _Function
_foreach_neg: _Function
_foreach_neg_: _Function
_foreach_norm: _Function
_foreach_pow: _Function
_foreach_pow_: _Function
_foreach_powsum: _Function
_foreach_reciprocal: _Function
_foreach_reciprocal_: _Function
_foreach_round: _Function
_foreach_round_: _Function
_foreach_rsqrt: _Function
_foreach_rsqrt_: _Function
_foreach_sigmoid: _Function
_foreach_sigmoid_: _Function
_foreach_sign: _Function
_foreach_sign_: _Function
_foreach_sin: _Function
_foreach_sin_: _Function
_foreach_sinh: _Function
_foreach_sinh_: _Function
_foreach_sqrt: _Function
_foreach_sqrt_: _Function
_foreach_sub: _Function
_foreach_sub_: _Function
_foreach_tan: _Function
_foreach_tan_: _Function
_foreach_tanh: _Function
_foreach_tanh_: _Function
_foreach_trunc: _Function
_foreach_trunc_: _Function
_foreach_zero_: _Function
_grouped_mm: _Operator
_int_mm: _Operator
_log_softmax_backward_data: _Operator
_sample_dirichlet: _Operator
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
class AnyType(_Made): ...
class AwaitType(_Made): ...
class BoolType(_Made): ...
class ClassType(_Made): ...
class ComplexType(_Made): ...
class DeviceObjType(_Made): ...
class DictType(_Made): ...
class EnumType(_Made): ...
class FloatType(_Made): ...
class FutureType(_Made): ...
class IntType(_Made): ...
class InterfaceType(_Made): ...
class ListType(_Made): ...
class NoneType(_Made): ...
class NumberType(_Made): ...
class OptionalType(_Made): ...
class PyObjectType(_Made): ...
class RRefType(_Made): ...
class StreamObjType(_Made): ...
class StringType(_Made): ...
class SymBoolType(_Made): ...
class SymIntType(_Made): ...
class TensorType(_Made): ...
class TupleType(_Made): ...
class Type(_Made): ...
class UnionType(_Made): ...
