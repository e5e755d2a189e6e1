# Made by `python tools/stubs.py` from the operator table; do not edit.
# ruff: noqa
from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from builtins import type as _type
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Self, TypeAlias, overload

from rushlight import return_types as _return_types
from rushlight.core.dtypes import dtype as _dtype
from rushlight.core.dtypes import layout as _layout
from rushlight.core.dtypes import memory_format as _memory_format
from rushlight.core.tensor import Size, Tensor
from rushlight.core.tensor import device as _device
from rushlight.operators.random.generators import Generator as _Generator

_Number: TypeAlias = _complex  # int, float and bool are taken for a complex
from rushlight.operators.random.generators import Generator as Generator
from rushlight.operators.tensors.memory import TypedStorage as TypedStorage
from rushlight.core.storage import Storage as UntypedStorage
from rushlight.operators.tensors.checking import _assert as _assert
from rushlight.operators.tensors.checking import _assert_async as _assert_async
from rushlight.operators.tensors.checking import _check_is_size as _check_is_size
from rushlight.operators.tensors.checking import _check_tensor_all as _check_tensor_all
from rushlight.operators.tensors.checking import _check_tensor_all_with as _check_tensor_all_with
from rushlight.operators.tensors.checking import _check_with as _check_with
from rushlight.operators.tensors.checking import _is_all_true as _is_all_true
from rushlight.operators.tensors.checking import _is_any_true as _is_any_true
from rushlight.operators.tensors.info import _shape_as_tensor as _shape_as_tensor
from rushlight.operators.tensors.interop import asarray as asarray
from rushlight.operators.shapes.join import broadcast_shapes as broadcast_shapes
from rushlight.operators.tensors.info import can_cast as can_cast
from rushlight.operators.linalg.contraction import chain_matmul as chain_matmul
from rushlight.operators.tensors.refusals import dequantize as dequantize
from rushlight.operators.shapes.layouts import dsmm as dsmm
from rushlight.operators.tensors.refusals import eig as eig
from rushlight.operators.linalg.contraction import einsum as einsum
from rushlight.operators.nn.native import embedding_bag as embedding_bag
from rushlight.operators.tensors.info import finfo as finfo
from rushlight.operators.random.generators import fork_rng as fork_rng
from rushlight.operators.tensors.interop import from_dlpack as from_dlpack
from rushlight.operators.tensors.interop import from_numpy as from_numpy
from rushlight.operators.tensors.interop import frombuffer as frombuffer
from rushlight.operators.creation.creation import get_default_device as get_default_device
from rushlight.operators.tensors.info import get_default_dtype as get_default_dtype
from rushlight.operators.tensors.memory import get_device as get_device
from rushlight.operators.random.generators import get_rng_state as get_rng_state
from rushlight.operators.shapes.layouts import hsmm as hsmm
from rushlight.operators.shapes.layouts import hspmm as hspmm
from rushlight.operators.tensors.info import iinfo as iinfo
from rushlight.operators.random.generators import initial_seed as initial_seed
from rushlight.operators.tensors.info import is_complex as is_complex
from rushlight.operators.tensors.info import is_floating_point as is_floating_point
from rushlight.operators.tensors.info import is_inference as is_inference
from rushlight.operators.tensors.info import is_nonzero as is_nonzero
from rushlight.operators.tensors.memory import is_signed as is_signed
from rushlight.operators.tensors.memory import is_storage as is_storage
from rushlight.operators.tensors.info import is_tensor as is_tensor
from rushlight.operators.tensors.refusals import lstsq as lstsq
from rushlight.operators.random.generators import manual_seed as manual_seed
from rushlight.operators.tensors.refusals import matrix_rank as matrix_rank
from rushlight.operators.nn.native import native_batch_norm as native_batch_norm
from rushlight.operators.nn.native import native_dropout as native_dropout
from rushlight.operators.nn.native import native_group_norm as native_group_norm
from rushlight.operators.nn.native import native_layer_norm as native_layer_norm
from rushlight.operators.tensors.info import numel as numel
from rushlight.operators.tensors.info import promote_types as promote_types
from rushlight.operators.shapes.layouts import resize_as_sparse_ as resize_as_sparse_
from rushlight.operators.tensors.info import result_type as result_type
from rushlight.operators.shapes.layouts import saddmm as saddmm
from rushlight.operators.tensors.interop import scalar_tensor as scalar_tensor
from rushlight.operators.random.generators import seed as seed
from rushlight.operators.creation.creation import set_default_device as set_default_device
from rushlight.operators.tensors.info import set_default_dtype as set_default_dtype
from rushlight.operators.tensors.info import set_default_tensor_type as set_default_tensor_type
from rushlight.operators.tensors.memory import set_flush_denormal as set_flush_denormal
from rushlight.operators.random.generators import set_rng_state as set_rng_state
from rushlight.operators.shapes.layouts import smm as smm
from rushlight.operators.tensors.refusals import solve as solve
from rushlight.operators.shapes.layouts import sparse_coo_tensor as sparse_coo_tensor
from rushlight.operators.shapes.layouts import spmm as spmm
from rushlight.operators.shapes.layouts import sspaddmm as sspaddmm
from rushlight.operators.tensors.refusals import symeig as symeig
from rushlight.operators.tensors.info import typename as typename
from rushlight.accelerator import AcceleratorError as AcceleratorError
from rushlight.overrides import DisableTorchFunction as DisableTorchFunction
from rushlight.overrides import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from rushlight._C.keys import DispatchKey as DispatchKey
from rushlight._C.keys import DispatchKeySet as DispatchKeySet
from rushlight.names.streams import Event as Event
from rushlight.futures import Future as Future
from rushlight.amp import GradScaler as GradScaler
from rushlight.cuda import OutOfMemoryError as OutOfMemoryError
from rushlight._C import PyTorchFileReader as PyTorchFileReader
from rushlight._C import PyTorchFileWriter as PyTorchFileWriter
from rushlight._C import ScriptModule as ScriptModule
from rushlight._C import ScriptObject as ScriptObject
from rushlight._C import StorageBase as StorageBase
from rushlight.names.streams import Stream as Stream
from rushlight.names.symbols import SymBool as SymBool
from rushlight.names.symbols import SymFloat as SymFloat
from rushlight.names.symbols import SymInt as SymInt
from rushlight.library.tags import Tag as Tag
from rushlight.names.settings import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from rushlight.array_api import astype as astype
from rushlight.amp.autocast_mode import autocast as autocast
from rushlight.array_api import bitwise_invert as bitwise_invert
from rushlight.array_api import broadcast_arrays as broadcast_arrays
from rushlight.amp.autocast_mode import clear_autocast_cache as clear_autocast_cache
from rushlight._dynamo import compile as compile
from rushlight.func.control import cond as cond
from rushlight.array_api import cumulative_prod as cumulative_prod
from rushlight.array_api import cumulative_sum as cumulative_sum
from rushlight.autograd import enable_grad as enable_grad
from rushlight.array_api import expand_dims as expand_dims
from rushlight.inspection.explaining import explain as explain
from rushlight.amp.autocast_mode import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from rushlight.amp.autocast_mode import get_autocast_dtype as get_autocast_dtype
from rushlight.amp.autocast_mode import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from rushlight.names.settings import get_deterministic_debug_mode as get_deterministic_debug_mode
from rushlight.accelerator import get_device_module as get_device_module
from rushlight.names.settings import get_float32_matmul_precision as get_float32_matmul_precision
from rushlight.names.settings import get_num_interop_threads as get_num_interop_threads
from rushlight.inspection.printing import get_printoptions as get_printoptions
from rushlight.nn.modules._flat_rnn import gru as gru
from rushlight.names.settings import has_lapack as has_lapack
from rushlight.names.settings import has_mkl as has_mkl
from rushlight.names.settings import has_openmp as has_openmp
from rushlight.autograd import inference_mode as inference_mode
from rushlight.autograd.anomaly_mode import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from rushlight.autograd.anomaly_mode import is_anomaly_enabled as is_anomaly_enabled
from rushlight.amp.autocast_mode import is_autocast_cache_enabled as is_autocast_cache_enabled
from rushlight.amp.autocast_mode import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from rushlight.amp.autocast_mode import is_autocast_enabled as is_autocast_enabled
from rushlight.names.settings import (
    is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled,
)
from rushlight.names.settings import is_warn_always_enabled as is_warn_always_enabled
from rushlight.array_api import isdtype as isdtype
from rushlight.compat.checkpoint import load as load
from rushlight.packaging import load_package as load_package
from rushlight.inspection.logs import logging as logging
from rushlight.nn.modules._flat_rnn import lstm as lstm
from rushlight.array_api import matrix_transpose as matrix_transpose
from rushlight.autograd import no_grad as no_grad
from rushlight.packaging import package as package
from rushlight.names.quantized import per_channel_affine as per_channel_affine
from rushlight.names.quantized import per_channel_affine_float_qparams as per_channel_affine_float_qparams
from rushlight.names.quantized import per_channel_symmetric as per_channel_symmetric
from rushlight.names.quantized import per_tensor_affine as per_tensor_affine
from rushlight.names.quantized import per_tensor_symmetric as per_tensor_symmetric
from rushlight.array_api import permute_dims as permute_dims
from rushlight.names.quantized import qscheme as qscheme
from rushlight.array_api import repeat as repeat
from rushlight.inspection.minimize import repro as repro
from rushlight.nn.modules._flat_rnn import rnn_relu as rnn_relu
from rushlight.nn.modules._flat_rnn import rnn_tanh as rnn_tanh
from rushlight.compat.checkpoint import save as save
from rushlight.autograd.anomaly_mode import set_anomaly_enabled as set_anomaly_enabled
from rushlight.amp.autocast_mode import set_autocast_cache_enabled as set_autocast_cache_enabled
from rushlight.amp.autocast_mode import set_autocast_dtype as set_autocast_dtype
from rushlight.amp.autocast_mode import set_autocast_enabled as set_autocast_enabled
from rushlight.names.settings import set_deterministic_debug_mode as set_deterministic_debug_mode
from rushlight.names.settings import set_float32_matmul_precision as set_float32_matmul_precision
from rushlight.autograd import set_grad_enabled as set_grad_enabled
from rushlight.names.settings import set_num_interop_threads as set_num_interop_threads
from rushlight.inspection.printing import set_printoptions as set_printoptions
from rushlight.names.settings import set_warn_always as set_warn_always
from rushlight.inspection.strides import show as show
from rushlight.names.symbols import sym_float as sym_float
from rushlight.names.symbols import sym_fresh_size as sym_fresh_size
from rushlight.names.symbols import sym_int as sym_int
from rushlight.names.symbols import sym_ite as sym_ite
from rushlight.names.symbols import sym_max as sym_max
from rushlight.names.symbols import sym_min as sym_min
from rushlight.names.symbols import sym_not as sym_not
from rushlight.names.symbols import sym_sqrt as sym_sqrt
from rushlight.names.symbols import sym_sum as sym_sum
from rushlight.array_api import take_along_axis as take_along_axis
from rushlight.utils.dlpack import to_dlpack as to_dlpack
from rushlight.array_api import unique_all as unique_all
from rushlight.array_api import unique_counts as unique_counts
from rushlight.array_api import unique_inverse as unique_inverse
from rushlight.array_api import unique_values as unique_values
from rushlight.array_api import unstack as unstack
from rushlight.names.settings import use_deterministic_algorithms as use_deterministic_algorithms
from rushlight.array_api import vecdot as vecdot
from rushlight.func import vmap as vmap
from rushlight.func.control import while_loop as while_loop
from rushlight import _C as _C
from rushlight import _VF as _VF
from rushlight import __config__ as __config__
from rushlight import __future__ as __future__
from rushlight import _custom_ops as _custom_ops
from rushlight import _dynamo as _dynamo
from rushlight import _functorch as _functorch
from rushlight import _guards as _guards
from rushlight import _higher_order_ops as _higher_order_ops
from rushlight import _inductor as _inductor
from rushlight import _logging as _logging
from rushlight import _ops as _ops
from rushlight import _subclasses as _subclasses
from rushlight import _tensor as _tensor
from rushlight import _utils as _utils
from rushlight import _vmap_internals as _vmap_internals
from rushlight import accelerator as accelerator
from rushlight import amp as amp
from rushlight import ao as ao
from rushlight import array_api as array_api
from rushlight import autograd as autograd
from rushlight import backends as backends
from rushlight import compat as compat
from rushlight import compiler as compiler
from rushlight import cpu as cpu
from rushlight import cuda as cuda
from rushlight import distributed as distributed
from rushlight import distributions as distributions
from rushlight import export as export
from rushlight import fft as fft
from rushlight import func as func
from rushlight import functional as functional
from rushlight import futures as futures
from rushlight import fx as fx
from rushlight import hub as hub
from rushlight import inspection as inspection
from rushlight import jit as jit
from rushlight import library as library
from rushlight import linalg as linalg
from rushlight import masked as masked
from rushlight import mps as mps
from rushlight import multiprocessing as multiprocessing
from rushlight import nested as nested
from rushlight import nn as nn
from rushlight import onnx as onnx
from rushlight import ops as ops
from rushlight import optim as optim
from rushlight import overrides as overrides
from rushlight import packaging as packaging
from rushlight import profiler as profiler
from rushlight import quantization as quantization
from rushlight import quasirandom as quasirandom
from rushlight import random as random
from rushlight import return_types as return_types
from rushlight import serialization as serialization
from rushlight import signal as signal
from rushlight import sparse as sparse
from rushlight import special as special
from rushlight import storage as storage
from rushlight import testing as testing
from rushlight import torch_version as torch_version
from rushlight import types as types
from rushlight import utils as utils
from rushlight import version as version
from rushlight import xpu as xpu

def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The absolute value, elementwise; real for complex input."""

def abs_(input: Tensor) -> Tensor:
    """The absolute value, elementwise; real for complex input."""

def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The absolute value, elementwise; real for complex input."""

def absolute_(input: Tensor) -> Tensor:
    """The absolute value, elementwise; real for complex input."""

def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse cosine, elementwise; integers become the default float dtype."""

def acos_(input: Tensor) -> Tensor:
    """The inverse cosine, elementwise; integers become the default float dtype."""

def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic cosine, elementwise; integers become the default float dtype."""

def acosh_(input: Tensor) -> Tensor:
    """The inverse hyperbolic cosine, elementwise; integers become the default float dtype."""

def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int | None]) -> Tensor:
    """Means of windows that divide the last 1 dimension(s) into `output_size` (an int or one each; None: as the input).
    """

def adaptive_max_pool1d(input: Tensor, output_size: _int | Sequence[_int | None]) -> tuple[Tensor, Tensor]:
    """Maxima (and their flat indices) of windows that divide the last 1 dimension(s) into `output_size`."""

def add(
    input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Number | Tensor = 1, out: Tensor | None = None,
) -> Tensor:
    """input + alpha * other, elementwise."""

def add_(input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Number | Tensor = 1) -> Tensor:
    """input + alpha * other, elementwise."""

def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number | Tensor = 1, alpha: _Number | Tensor = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta * input + alpha * (the sum over the batch of batch1 @ batch2), input broadcast."""

def addbmm_(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number | Tensor = 1, alpha: _Number | Tensor = 1,
) -> Tensor:
    """beta * input + alpha * (the sum over the batch of batch1 @ batch2), input broadcast."""

def addcdiv(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Number | Tensor = 1, out: Tensor | None = None,
) -> Tensor:
    """input + value * tensor1 / tensor2, elementwise; floating point and complex dtypes."""

def addcdiv_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Number | Tensor = 1) -> Tensor:
    """input + value * tensor1 / tensor2, elementwise; floating point and complex dtypes."""

def addcmul(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Number | Tensor = 1, out: Tensor | None = None,
) -> Tensor:
    """input + value * tensor1 * tensor2, elementwise."""

def addcmul_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Number | Tensor = 1) -> Tensor:
    """input + value * tensor1 * tensor2, elementwise."""

def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Number | Tensor = 1, alpha: _Number | Tensor = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2), input broadcast."""

def addmm_(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Number | Tensor = 1, alpha: _Number | Tensor = 1,
) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2), input broadcast."""

def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Number | Tensor = 1, alpha: _Number | Tensor = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta * input + alpha * (mat @ vec), input broadcast."""

def addmv_(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Number | Tensor = 1, alpha: _Number | Tensor = 1,
) -> Tensor:
    """beta * input + alpha * (mat @ vec), input broadcast."""

def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: _Number | Tensor = 1, alpha: _Number | Tensor = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta * input + alpha * outer(vec1, vec2), input broadcast; bools with `or` and `and`."""

def addr_(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: _Number | Tensor = 1, alpha: _Number | Tensor = 1,
) -> Tensor:
    """beta * input + alpha * outer(vec1, vec2), input broadcast; bools with `or` and `and`."""

def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions exchanged, complex values conjugated."""

def affine_grid_generator(theta: Tensor, size: _int | Sequence[_int], align_corners: _bool) -> Tensor:
    """nn.functional.affine_grid, which alone warns of sides of one element."""

def alias_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of the tensor."""

def all(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """Whether all elements are nonzero, over dimensions (of (): each by itself); bool (uint8 for uint8)."""

def allclose(
    input: Tensor, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False,
) -> _bool:
    """Whether isclose(input, other) holds for every element; a Python bool."""

def alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """Elements set to the value that keeps a SELU network's statistics with probability p, the rest rescaled; the input
    itself unless train.
    """

def alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """alpha_dropout in place."""

def amax(
    input: Tensor, dim: _int | Sequence[_int] | None = ..., keepdim: _bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """The maximum over dimensions; ties share the gradient evenly."""

def amin(
    input: Tensor, dim: _int | Sequence[_int] | None = ..., keepdim: _bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """The minimum over dimensions; ties share the gradient evenly."""

def aminmax(
    input: Tensor, *, dim: _int | None = None, keepdim: _bool = False, out: tuple[Tensor, ...] | None = None,
) -> _return_types.aminmax:
    """The minimum and the maximum, over one dimension or all; a named tuple (min, max)."""

def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The argument of a complex number in radians, in (-pi, pi]; for real input 0, pi for negatives, NaN for NaN."""

def any(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """Whether any element is nonzero, over dimensions (of (): each by itself); bool (uint8 for uint8)."""

def arange(
    start: Any = None, end: Any = None, step: Any = 1, *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The numbers start, start + step, ... below end: arange(end), arange(start, end), arange(start, end, step)."""

def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse cosine, elementwise; integers become the default float dtype."""

def arccos_(input: Tensor) -> Tensor:
    """The inverse cosine, elementwise; integers become the default float dtype."""

def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic cosine, elementwise; integers become the default float dtype."""

def arccosh_(input: Tensor) -> Tensor:
    """The inverse hyperbolic cosine, elementwise; integers become the default float dtype."""

def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse sine, elementwise; integers become the default float dtype."""

def arcsin_(input: Tensor) -> Tensor:
    """The inverse sine, elementwise; integers become the default float dtype."""

def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic sine, elementwise; integers become the default float dtype."""

def arcsinh_(input: Tensor) -> Tensor:
    """The inverse hyperbolic sine, elementwise; integers become the default float dtype."""

def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse tangent, elementwise; integers become the default float dtype."""

def arctan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (other, input), in (-pi, pi], elementwise."""

def arctan2_(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (other, input), in (-pi, pi], elementwise."""

def arctan_(input: Tensor) -> Tensor:
    """The inverse tangent, elementwise; integers become the default float dtype."""

def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic tangent, elementwise; integers become the default float dtype."""

def arctanh_(input: Tensor) -> Tensor:
    """The inverse hyperbolic tangent, elementwise; integers become the default float dtype."""

def argmax(input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The int64 index of the maximum (the first of equal ones; NaN is the greatest), along `dim` or in the flattened
    input.
    """

def argmin(input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The int64 index of the minimum (the first of equal ones; NaN is the least), along `dim` or in the flattened
    input.
    """

def argsort(
    input: Tensor, dim: _int = -1, descending: _bool = False, stable: _bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """The indices that sort the input along `dim`; see sort."""

def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, shape (found, ndim)."""

def as_strided(
    input: Tensor, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: _int | None = None,
) -> Tensor:
    """A view of the tensor's memory with any size, stride and offset (elements from the start of the storage)."""

def as_strided_(
    input: Tensor, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: _int | None = None,
) -> Tensor:
    """`as_strided` in place: the tensor takes these sizes and strides on its memory."""

def as_strided_copy(
    input: Tensor, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: _int | None = None, *,
    out: Tensor | None = None,
) -> Tensor:
    """`as_strided` with memory of its own."""

def as_strided_scatter(
    input: Tensor, src: Tensor, size: _int | Sequence[_int], stride: _int | Sequence[_int],
    storage_offset: _int | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """A copy of input whose view as_strided(size, stride, storage_offset), taken of a contiguous input, is src."""

def as_tensor(data: Any, dtype: _dtype | None = None, device: _device | _str | _int | None = None) -> Tensor:
    """`data` as a tensor, sharing memory (and autograd history) with it where dtype and device allow."""

def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse sine, elementwise; integers become the default float dtype."""

def asin_(input: Tensor) -> Tensor:
    """The inverse sine, elementwise; integers become the default float dtype."""

def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic sine, elementwise; integers become the default float dtype."""

def asinh_(input: Tensor) -> Tensor:
    """The inverse hyperbolic sine, elementwise; integers become the default float dtype."""

def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse tangent, elementwise; integers become the default float dtype."""

def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (other, input), in (-pi, pi], elementwise."""

def atan2_(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (other, input), in (-pi, pi], elementwise."""

def atan_(input: Tensor) -> Tensor:
    """The inverse tangent, elementwise; integers become the default float dtype."""

def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic tangent, elementwise; integers become the default float dtype."""

def atanh_(input: Tensor) -> Tensor:
    """The inverse hyperbolic tangent, elementwise; integers become the default float dtype."""

@overload
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """Views with at least 1 dimension of one tensor or several."""
@overload
def atleast_1d(tensors: Sequence[Tensor]) -> Any:
    """Views with at least 1 dimension of one tensor or several."""

@overload
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """Views with at least 2 dimensions of one tensor or several."""
@overload
def atleast_2d(tensors: Sequence[Tensor]) -> Any:
    """Views with at least 2 dimensions of one tensor or several."""

@overload
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """Views with at least 3 dimensions of one tensor or several."""
@overload
def atleast_3d(tensors: Sequence[Tensor]) -> Any:
    """Views with at least 3 dimensions of one tensor or several."""

def avg_pool1d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True,
) -> Tensor:
    """The mean of each window."""

def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number | Tensor = 1, alpha: _Number | Tensor = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta * input + alpha * bmm(batch1, batch2), input broadcast."""

def baddbmm_(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number | Tensor = 1, alpha: _Number | Tensor = 1,
) -> Tensor:
    """beta * input + alpha * bmm(batch1, batch2), input broadcast."""

def bartlett_window(
    window_length: _int, periodic: _bool = True, *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """The Bartlett window, periodic by default; see signal.windows.bartlett."""

def batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    training: _bool, momentum: _float, eps: _float, cudnn_enabled: _bool,
) -> Tensor:
    """nn.functional.batch_norm with its arguments in another order, for any eps; cudnn_enabled is without effect."""

def bernoulli(
    input: Tensor, p: Any = None, *, generator: _Generator | None = None, out: Tensor | None = None,
) -> Tensor:
    """Zeros and ones, each 1 with the probability that `input` holds (or p, where it is given)."""

def bilinear(
    input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """y[..., o] = input1[..., i] weight[o, i, j] input2[..., j] + bias[o]."""

def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None, reduction: _int = 0,
) -> Tensor:
    """binary_cross_entropy(sigmoid(input), target), accurate."""

def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
    """How often each value occurs in a 1-d tensor of integers that are not negative."""

def binomial(count: Tensor, prob: Tensor, generator: _Generator | None = None) -> Tensor:
    """How many of `count` trials succeed, each with probability `prob`; the arguments broadcast."""

def bitwise_and(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input & other, elementwise; integers and bools."""

def bitwise_and_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor:
    """input & other, elementwise; integers and bools."""

def bitwise_left_shift(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input << other, elementwise; integers. Shifts outside of the width give 0."""

def bitwise_left_shift_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor:
    """input << other, elementwise; integers. Shifts outside of the width give 0."""

def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """~input, elementwise; integers and bools."""

def bitwise_not_(input: Tensor) -> Tensor:
    """~input, elementwise; integers and bools."""

def bitwise_or(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input | other, elementwise; integers and bools."""

def bitwise_or_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor:
    """input | other, elementwise; integers and bools."""

def bitwise_right_shift(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input >> other, elementwise; integers. Shifts outside of the width give 0 or -1."""

def bitwise_right_shift_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor:
    """input >> other, elementwise; integers. Shifts outside of the width give 0 or -1."""

def bitwise_xor(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input ^ other, elementwise; integers and bools."""

def bitwise_xor_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor:
    """input ^ other, elementwise; integers and bools."""

def blackman_window(
    window_length: _int, periodic: _bool = True, *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """The Blackman window, periodic by default; see signal.windows.blackman. Args, errors: as bartlett_window."""

@overload
def block_diag(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """A matrix with the given matrices on its diagonal and zeros elsewhere; vectors are rows."""
@overload
def block_diag(tensors: Sequence[Tensor]) -> Tensor:
    """A matrix with the given matrices on its diagonal and zeros elsewhere; vectors are rows."""

def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Products of a batch of matrices, (b, n, k) @ (b, k, m); no broadcasting."""

@overload
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The tensors expanded to their common shape, as views; one that has it already is given itself."""
@overload
def broadcast_tensors(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The tensors expanded to their common shape, as views; one that has it already is given itself."""

@overload
def broadcast_to(input: Tensor, size: _int | Sequence[_int]) -> Tensor:
    """A view broadcast to `size`."""
@overload
def broadcast_to(input: Tensor, shape: _int | Sequence[_int]) -> Tensor:
    """A view broadcast to `size`."""

def bucketize(
    input: Tensor | _Number, boundaries: Tensor, *, out_int32: _bool = False, right: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The index of the bucket between sorted 1-d `boundaries` that each element falls into."""

@overload
def cartesian_prod(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """All combinations of one element of each vector, as rows; a single vector as it is."""
@overload
def cartesian_prod(tensors: Sequence[Tensor]) -> Tensor:
    """All combinations of one element of each vector, as rows; a single vector as it is."""

def cat(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors joined along a dimension; dtypes are promoted."""

def cdist(
    x1: Tensor, x2: Tensor, p: _float = 2.0, compute_mode: _str | None = 'use_mm_for_euclid_dist_if_necessary',
) -> Tensor:
    """The p-norm distances of all pairs of rows."""

def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smallest integer not below input, elementwise, in input's dtype."""

def ceil_(input: Tensor) -> Tensor:
    """The smallest integer not below input, elementwise, in input's dtype."""

def celu(input: Tensor, alpha: _float = 1.0, *, out: Tensor | None = None) -> Tensor:
    """max(0, input) + min(0, alpha * (exp(input / alpha) - 1))."""

def celu_(input: Tensor, alpha: _float = 1.0) -> Tensor:
    """max(0, input) + min(0, alpha * (exp(input / alpha) - 1))."""

def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """(N, g C, *) with the channels of the g groups taken in turn."""

def cholesky(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The Cholesky factor of Hermitian positive definite matrices; linalg.cholesky."""

def cholesky_inverse(L: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the A whose Cholesky factor is L (an upper one with `upper`)."""

def cholesky_solve(input: Tensor, L: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The solution X of A X = input for the A whose Cholesky factor is L (an upper one with `upper`)."""

def chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of consecutive parts of a dimension, all but the last of one size."""

def clamp(
    input: Tensor, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None, *,
    out: Tensor | None = None,
) -> Tensor:
    """input bounded below by min and above by max (max wins), elementwise."""

def clamp_(input: Tensor, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None) -> Tensor:
    """input bounded below by min and above by max (max wins), elementwise."""

def clamp_max(input: Tensor, max: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input bounded above by max, elementwise."""

def clamp_max_(input: Tensor, max: Tensor | _Number) -> Tensor:
    """input bounded above by max, elementwise."""

def clamp_min(input: Tensor, min: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input bounded below by min, elementwise."""

def clamp_min_(input: Tensor, min: Tensor | _Number) -> Tensor:
    """input bounded below by min, elementwise."""

def clip(
    input: Tensor, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None, *,
    out: Tensor | None = None,
) -> Tensor:
    """input bounded below by min and above by max (max wins), elementwise."""

def clip_(input: Tensor, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None) -> Tensor:
    """input bounded below by min and above by max (max wins), elementwise."""

def clone(input: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
    """A copy with memory of its own; gradients flow through it."""

def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors joined along dimension 1, vectors as columns."""

def combinations(input: Tensor, r: _int = 2, with_replacement: _bool = False) -> Tensor:
    """All combinations of r elements of a vector in order, as rows."""

def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """real + imag * i, elementwise."""

def concat(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors joined along a dimension; dtypes are promoted."""

def concatenate(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors joined along a dimension; dtypes are promoted."""

def conj(input: Tensor) -> Tensor:
    """The complex conjugate, computed at once (there is no lazy conjugate bit); a real tensor is returned itself."""

def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex conjugate, elementwise; a real tensor is returned itself."""

def conj_physical_(input: Tensor) -> Tensor:
    """The complex conjugate, elementwise; real input copied."""

def constant_pad_nd(input: Tensor, pad: _int | Sequence[_int], value: _Number | Tensor = 0) -> Tensor:
    """The input extended by a constant, which may be complex for complex numbers; see nn.functional.pad."""

def conv1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1,
) -> Tensor:
    """Cross-correlation in one dimension."""

def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1,
) -> Tensor:
    """Cross-correlation in two dimensions."""

def conv3d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | _str = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1,
) -> Tensor:
    """Cross-correlation in three dimensions."""

def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: _int = 0) -> Tensor:
    """conv1d of a sequence with time first and channels last."""

def conv_transpose1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor:
    """The transpose of convolution in one dimension."""

def conv_transpose2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor:
    """The transpose of convolution in two dimensions."""

def conv_transpose3d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor:
    """The transpose of convolution in three dimensions."""

def convolution(
    input: Tensor, weight: Tensor, bias: Any, stride: _int | Sequence[_int], padding: Any, dilation: Any,
    transposed: _bool, output_padding: Any, groups: _int,
) -> Tensor:
    """nn.functional's conv1d to conv3d, or conv_transpose1d to conv_transpose3d when transposed, by the input's rank.
    """

def copy_(input: Tensor, src: Tensor | _Number, non_blocking: _bool = False) -> Tensor:
    """Write the values of `src` (broadcast, converted) into `input`."""

def copysign(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """|input| with the sign of other, elementwise."""

def copysign_(input: Tensor, other: Tensor | _Number) -> Tensor:
    """|input| with the sign of other, elementwise."""

def corrcoef(input: Tensor) -> Tensor:
    """The matrix of Pearson correlation coefficients of variables (rows) over observations (columns)."""

def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The cosine (radians), elementwise; integers become the default float dtype."""

def cos_(input: Tensor) -> Tensor:
    """The cosine (radians), elementwise; integers become the default float dtype."""

def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic cosine, elementwise; integers become the default float dtype."""

def cosh_(input: Tensor) -> Tensor:
    """The hyperbolic cosine, elementwise; integers become the default float dtype."""

def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: _float = 0, reduction: _int = 0,
) -> Tensor:
    """1 - cos(input1, input2) where target is 1, max(0, cos - margin) where it is -1, reduced."""

def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = 1e-08) -> Tensor:
    """<x1, x2> / (max(|x1|, eps) * max(|x2|, eps)) along a dimension; x1 and x2 broadcast."""

def count_nonzero(input: Tensor, dim: _int | Sequence[_int] | None = None, *, out: Tensor | None = None) -> Tensor:
    """How many elements are not zero, as int64; dim: int, sequence of ints, or None for all."""

def cov(
    input: Tensor, *, correction: _float = 1, fweights: Tensor | None = None, aweights: Tensor | None = None,
) -> Tensor:
    """The covariance matrix of variables (rows) over observations (columns)."""

def cross(input: Tensor, other: Tensor, dim: _int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The vector product of the 3-vectors along `dim` (default: the first dimension of size 3); the other dimensions
    broadcast.
    """

def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: _int = 0, reduction: _int = 0,
    zero_infinity: _bool = False,
) -> Tensor:
    """nn.functional.ctc_loss with the reduction as a number: 0 none, 1 mean, 2 sum."""

def cummax(input: Tensor, dim: _int, *, out: tuple[Tensor, ...] | None = None) -> _return_types.cummax:
    """The running maximum along `dim` and the index of its last occurrence so far; a named tuple (values, indices)."""

def cummin(input: Tensor, dim: _int, *, out: tuple[Tensor, ...] | None = None) -> _return_types.cummin:
    """The running minimum along `dim` and the index of its last occurrence so far; a named tuple (values, indices)."""

def cumprod(input: Tensor, dim: _int, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The running product along `dim`; integers and bools are multiplied in int64 unless `dtype` says otherwise."""

def cumprod_(input: Tensor, dim: _int, *, dtype: _dtype | None = None) -> Tensor:
    """The running product along `dim`; integers and bools are multiplied in int64 unless `dtype` says otherwise."""

def cumsum(input: Tensor, dim: _int, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The running sum along `dim`; integers and bools are summed in int64 unless `dtype` says otherwise."""

def cumsum_(input: Tensor, dim: _int, *, dtype: _dtype | None = None) -> Tensor:
    """The running sum along `dim`; integers and bools are summed in int64 unless `dtype` says otherwise."""

def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: _Number | Tensor = 1, dim: _int = -1, out: Tensor | None = None,
) -> Tensor:
    """The running integral of y along `dim` by the trapezoidal rule; one element less than y has."""

def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Degrees to radians, elementwise."""

def deg2rad_(input: Tensor) -> Tensor:
    """Degrees to radians, elementwise."""

def det(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinants of square matrices (*, n, n) -> (*)."""

def detach(input: Tensor) -> Tensor:
    """The same memory without history: no gradient flows through the result."""

def detach_(input: Tensor) -> Tensor:
    """Cut the tensor off its history in place: it becomes a leaf that requires no gradient."""

def detach_copy(input: Tensor) -> Tensor:
    """A copy of the tensor without history."""

def diag(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """A matrix with a vector on its diagonal, or the diagonal of a matrix."""

def diag_embed(
    input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _int = -1, *, out: Tensor | None = None,
) -> Tensor:
    """Square matrices in dimensions dim1 and dim2 of the result, with the last dimension of the input on a diagonal."""

def diagflat(input: Tensor, offset: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """A matrix with the flattened input on its diagonal."""

def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """A view of the diagonal of two dimensions, appended as the last one."""

def diagonal_copy(
    input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1, *, out: Tensor | None = None,
) -> Tensor:
    """`diagonal` with memory of its own."""

def diagonal_scatter(
    input: Tensor, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1, *, out: Tensor | None = None,
) -> Tensor:
    """A copy of input whose diagonal (see diagonal) is src."""

def diff(
    input: Tensor, n: _int = 1, dim: _int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *,
    out: Tensor | None = None,
) -> Tensor:
    """The n-th differences of neighbours along `dim`: input[i + 1] - input[i], n times over (of bools: whether they
    differ).
    """

def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of lgamma, elementwise; integers become the default float dtype."""

def digamma_(input: Tensor) -> Tensor:
    """The derivative of lgamma, elementwise; integers become the default float dtype."""

def dist(input: Tensor, other: Tensor, p: _float = 2, *, out: Tensor | None = None) -> Tensor:
    """The p-norm of input - other (broadcast), over all elements."""

def div(
    input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _str | None = None, out: Tensor | None = None,
) -> Tensor:
    """input / other, elementwise."""

def div_(input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _str | None = None) -> Tensor:
    """input / other, elementwise."""

def divide(
    input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _str | None = None, out: Tensor | None = None,
) -> Tensor:
    """input / other, elementwise."""

def divide_(input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _str | None = None) -> Tensor:
    """input / other, elementwise."""

def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inner product of two vectors, without conjugation."""

def dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """Elements set to zero with probability p, the rest rescaled; the input itself unless train."""

def dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """dropout in place."""

@overload
def dsplit(input: Tensor, indices_or_sections: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """Views of parts of dimension 2, as tensor_split."""
@overload
def dsplit(input: Tensor, indices: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """Views of parts of dimension 2, as tensor_split."""
@overload
def dsplit(input: Tensor, sections: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """Views of parts of dimension 2, as tensor_split."""

def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors joined along dimension 2."""

def embedding(
    weight: Tensor, indices: Tensor, padding_idx: _int | None = -1, scale_grad_by_freq: _bool = False,
    sparse: _bool = False,
) -> Tensor:
    """The rows of `weight` that `input` names."""

def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: _float, norm_type: _float) -> Tensor:
    """Scale the rows of a table that `indices` names down to a norm of at most max_norm, in place."""

@overload
def empty(
    *size: _int | Sequence[_int], dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    memory_format: _memory_format | None = None, out: Tensor | None = None,
) -> Tensor:
    """A tensor of uninitialised memory."""
@overload
def empty(
    size: Sequence[_int], *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    memory_format: _memory_format | None = None, out: Tensor | None = None,
) -> Tensor:
    """A tensor of uninitialised memory."""

def empty_like(
    input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor:
    """A tensor of uninitialised memory with the shape of `input`; its dtype, device and order of dimensions unless they
    are given.
    """

def empty_permuted(
    size: _int | Sequence[_int], physical_layout: Any, *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """Uninitialised memory whose dimensions lie in memory in the order `physical_layout`, outermost first."""

def empty_strided(
    size: _int | Sequence[_int], stride: _int | Sequence[_int], *, dtype: _dtype | None = None,
    layout: _layout | None = None, device: _device | _str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """A tensor of uninitialised memory with the given strides (elements, not negative)."""

def eq(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input == other, elementwise, as bool."""

def eq_(input: Tensor, other: Tensor | _Number) -> Tensor:
    """input == other, elementwise, as bool."""

def equal(input: Tensor, other: Tensor) -> _bool:
    """Whether two tensors have the same shape and equal elements (NaN is not equal to NaN)."""

def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function 2/sqrt(pi) * integral of exp(-t^2) from 0 to input, elementwise; integers become the default
    float dtype.
    """

def erf_(input: Tensor) -> Tensor:
    """The error function 2/sqrt(pi) * integral of exp(-t^2) from 0 to input, elementwise; integers become the default
    float dtype.
    """

def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 - erf(input), accurate for large input, elementwise; integers become the default float dtype."""

def erfc_(input: Tensor) -> Tensor:
    """1 - erf(input), accurate for large input, elementwise; integers become the default float dtype."""

def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of erf on (-1, 1), elementwise; integers become the default float dtype."""

def erfinv_(input: Tensor) -> Tensor:
    """The inverse of erf on (-1, 1), elementwise; integers become the default float dtype."""

def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e to the power input, elementwise; integers become the default float dtype."""

def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2 to the power input, elementwise; integers become the default float dtype."""

def exp2_(input: Tensor) -> Tensor:
    """2 to the power input, elementwise; integers become the default float dtype."""

def exp_(input: Tensor) -> Tensor:
    """e to the power input, elementwise; integers become the default float dtype."""

@overload
def expand_copy(
    input: Tensor, *size: _int | Sequence[_int], implicit: _bool = False, out: Tensor | None = None,
) -> Tensor:
    """`expand` with memory of its own."""
@overload
def expand_copy(input: Tensor, size: Sequence[_int], *, implicit: _bool = False, out: Tensor | None = None) -> Tensor:
    """`expand` with memory of its own."""

def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(input) - 1, accurate near 0, elementwise; integers become the default float dtype."""

def expm1_(input: Tensor) -> Tensor:
    """exp(input) - 1, accurate near 0, elementwise; integers become the default float dtype."""

def eye(
    n: Any, m: Any = None, *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The identity matrix, cut or widened to n rows and m columns."""

def fake_quantize_per_channel_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: _int, quant_min: _int, quant_max: _int,
) -> Tensor:
    """`fake_quantize_per_tensor_affine` with a step and a zero for each index along one dimension."""

def fake_quantize_per_tensor_affine(
    input: Tensor, scale: Any, zero_point: Any, quant_min: _int, quant_max: _int,
) -> Tensor:
    """input as a quantized tensor would hold it: rounded to multiples of `scale` and clamped."""

def feature_alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """Whole channels set to the value that keeps a SELU network's statistics with probability p, the rest rescaled; the
    input itself unless train.
    """

def feature_alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """feature_alpha_dropout in place."""

def feature_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """Whole channels set to zero with probability p, the rest rescaled; the input itself unless train."""

def feature_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """feature_dropout in place."""

def fill(input: Tensor, value: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """`value` in the shape and dtype of `input`; fill_ writes it there."""

def fill_(input: Tensor, value: Tensor | _Number) -> Tensor:
    """`value` in the shape and dtype of `input`; fill_ writes it there."""

def fill_diagonal_(input: Tensor, fill_value: _Number | Tensor, wrap: _bool = False) -> Tensor:
    """`fill_value` where all indices are equal, the rest as it is; fill_diagonal_ writes it."""

def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The integer part of input, elementwise, in input's dtype."""

def fix_(input: Tensor) -> Tensor:
    """The integer part of input, elementwise, in input's dtype."""

def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
    """Dimensions start_dim to end_dim as one; a view where possible."""

@overload
def flip(input: Tensor, *dims: _int | Sequence[_int], out: Tensor | None = None) -> Tensor:
    """The elements in reverse order along the given dimensions."""
@overload
def flip(input: Tensor, dims: Sequence[_int], *, out: Tensor | None = None) -> Tensor:
    """The elements in reverse order along the given dimensions."""

def fliplr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The columns in reverse order."""

def flipud(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The rows in reverse order."""

def float_power(input: Tensor | _Number, exponent: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input to the power exponent in float64 (complex128 for complex operands), elementwise."""

def float_power_(input: Tensor | _Number, exponent: Tensor | _Number) -> Tensor:
    """input to the power exponent in float64 (complex128 for complex operands), elementwise."""

def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The largest integer not above input, elementwise, in input's dtype."""

def floor_(input: Tensor) -> Tensor:
    """The largest integer not above input, elementwise, in input's dtype."""

def floor_divide(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """floor(input / other), elementwise; integer division by zero is an error."""

def floor_divide_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor:
    """floor(input / other), elementwise; integer division by zero is an error."""

def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger, elementwise; the number where one is NaN, and input where both are equal."""

def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller, elementwise; the number where one is NaN, and input where both are equal."""

def fmod(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The remainder of truncated division, with the sign of input, elementwise."""

def fmod_(input: Tensor, other: Tensor | _Number) -> Tensor:
    """The remainder of truncated division, with the sign of input, elementwise."""

def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input - trunc(input), elementwise; floating point dtypes."""

def frac_(input: Tensor) -> Tensor:
    """input - trunc(input), elementwise; floating point dtypes."""

def frexp(input: Tensor, *, out: tuple[Tensor, ...] | None = None) -> _return_types.frexp:
    """input = mantissa * 2**exponent with |mantissa| in [0.5, 1), elementwise; 0, infinities and NaN have exponent 0.
    """

def frobenius_norm(input: Tensor, dim: Any, keepdim: _bool = False) -> Tensor:
    """The 2-norm over dimensions; an empty list means all."""

def from_file(
    filename: Any, shared: _bool | None = None, size: _int = 0, *, dtype: _dtype | None = None,
    layout: _layout | None = None, device: _device | _str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """A 1-d tensor on the bytes of a file, read as they are needed."""

def full(
    size: _int | Sequence[_int], fill_value: _Number | Tensor, *, dtype: _dtype | None = None,
    layout: _layout | None = None, device: _device | _str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False, out: Tensor | None = None,
) -> Tensor:
    """A tensor filled with one number."""

def full_like(
    input: Tensor, fill_value: _Number | Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor:
    """A tensor filled with `fill_value`, with the shape of `input`, and its dtype, device and order of dimensions
    unless they are given.
    """

def gather(input: Tensor, dim: _int, index: Tensor, *, sparse_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """out[i][j][k] = input[index[i][j][k]][j][k] for dim 0, and likewise for the other dimensions."""

def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greatest common divisor, elementwise, not negative; integers."""

def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """gcd, written to input."""

def ge(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input >= other, elementwise, as bool; real dtypes."""

def ge_(input: Tensor, other: Tensor | _Number) -> Tensor:
    """input >= other, elementwise, as bool; real dtypes."""

def geqrf(input: Tensor, *, out: tuple[Tensor, ...] | None = None) -> _return_types.geqrf:
    """(a, tau): R in the upper triangle of a, and the Householder vectors of Q below it; see
    linalg.householder_product.
    """

def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The outer product of two vectors: out[i, j] = input[i] * vec2[j]."""

def gradient(input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: _int = 1) -> tuple[Tensor, ...]:
    """Estimates of the partial derivatives of a function given by its values on a grid, one tensor a dimension."""

def greater(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input > other, elementwise, as bool; real dtypes."""

def greater_(input: Tensor, other: Tensor | _Number) -> Tensor:
    """input > other, elementwise, as bool; real dtypes."""

def greater_equal(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input >= other, elementwise, as bool; real dtypes."""

def greater_equal_(input: Tensor, other: Tensor | _Number) -> Tensor:
    """input >= other, elementwise, as bool; real dtypes."""

def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool,
) -> Tensor:
    """nn.functional.grid_sample with its modes as numbers: 0 bilinear, 1 nearest, 2 bicubic; 0 zeros, 1 border, 2
    reflection.
    """

def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool,
) -> Tensor:
    """nn.functional.grid_sample with its modes as numbers: 0 bilinear, 1 nearest, 2 bicubic; 0 zeros, 1 border, 2
    reflection.
    """

def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool,
) -> Tensor:
    """nn.functional.grid_sample with its modes as numbers: 0 bilinear, 1 nearest, 2 bicubic; 0 zeros, 1 border, 2
    reflection.
    """

def group_norm(
    input: Tensor, num_groups: _int, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = 1e-05,
    cudnn_enabled: _bool = True,
) -> Tensor:
    """Each group of channels normalized to mean 0 and variance 1; then weight and bias for each channel."""

def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None,
) -> Tensor:
    """One step of a gated recurrent unit."""

def gt(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input > other, elementwise, as bool; real dtypes."""

def gt_(input: Tensor, other: Tensor | _Number) -> Tensor:
    """input > other, elementwise, as bool; real dtypes."""

def hamming_window(
    window_length: _int, periodic: _bool = True, alpha: _float = 0.54, beta: _float = 0.46, *,
    dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None,
    requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """alpha - beta cos(2 pi k / n), periodic by default. Args, errors: as bartlett_window."""

def hann_window(
    window_length: _int, periodic: _bool = True, *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """The Hann window, periodic by default; see signal.windows.hann. Args, errors: as bartlett_window."""

def hardshrink(input: Tensor, lambd: _Number | Tensor = 0.5, *, out: Tensor | None = None) -> Tensor:
    """input where |input| > lambd, 0 elsewhere; a NaN stays, with derivative 0."""

def hash_tensor(
    input: Tensor, dim: _int | Sequence[_int] | None = None, *, keepdim: _bool = False, mode: _int = 0,
    out: Tensor | None = None,
) -> Tensor:
    """The exclusive or, over dimensions, of the elements' bits as float64 or int64."""

def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """0 where input < 0, values where it is 0, 1 where input > 0; both of one dtype."""

def heaviside_(input: Tensor, values: Tensor) -> Tensor:
    """0 where input < 0, values where it is 0, 1 where input > 0; both of one dtype."""

def hinge_embedding_loss(input: Tensor, target: Tensor, margin: _float = 1.0, reduction: _int = 0) -> Tensor:
    """input where target is 1, max(0, margin - input) where it is -1, reduced."""

def histc(
    input: Tensor, bins: _int = 100, min: _float = 0.0, max: _float = 0.0, *, out: Tensor | None = None,
) -> Tensor:
    """How many elements fall into each of `bins` equal intervals between min and max (those of the data when both are
    equal).
    """

def histogram(
    input: Tensor, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: _bool = False,
    out: tuple[Tensor, ...] | None = None,
) -> _return_types.histogram:
    """How many elements (or what weight) fall into each bin; the last bin holds its right edge too."""

def histogramdd(
    input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: _bool = False,
) -> _return_types.histogramdd:
    """How many points (or what weight) fall into each box of a grid."""

@overload
def hsplit(input: Tensor, indices_or_sections: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """Views of parts of dimension 1 (0 for vectors), as tensor_split."""
@overload
def hsplit(input: Tensor, indices: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """Views of parts of dimension 1 (0 for vectors), as tensor_split."""
@overload
def hsplit(input: Tensor, sections: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """Views of parts of dimension 1 (0 for vectors), as tensor_split."""

def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors side by side: joined along dimension 1 (0 for vectors)."""

def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sqrt(input^2 + other^2) without undue overflow, elementwise; infinite for an infinity and a NaN, as in C."""

def hypot_(input: Tensor, other: Tensor) -> Tensor:
    """sqrt(input^2 + other^2) without undue overflow, elementwise; infinite for an infinity and a NaN, as in C."""

def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function I of order 0 (A&S 9.6), elementwise; 0.7 ulp."""

def i0_(input: Tensor) -> Tensor:
    """The modified Bessel function I of order 0 (A&S 9.6), elementwise; 0.7 ulp."""

def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularized lower incomplete gamma function P(input, other) (A&S 6.5.1), elementwise."""

def igamma_(input: Tensor, other: Tensor) -> Tensor:
    """The regularized lower incomplete gamma function P(input, other) (A&S 6.5.1), elementwise."""

def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularized upper incomplete gamma function Q(input, other) = 1 - P(input, other) (A&S 6.5.3), elementwise.
    """

def igammac_(input: Tensor, other: Tensor) -> Tensor:
    """The regularized upper incomplete gamma function Q(input, other) = 1 - P(input, other) (A&S 6.5.3), elementwise.
    """

def imag(input: Tensor) -> Tensor:
    """The imaginary parts of a complex tensor as a view."""

def index_add(
    input: Tensor, dim: _int, index: Tensor, source: Tensor, *, alpha: Tensor | _Number = 1, out: Tensor | None = None,
) -> Tensor:
    """input with alpha * source added to the slices along `dim` that the 1-d `index` names; equal indices add up."""

def index_add_(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, alpha: Tensor | _Number = 1) -> Tensor:
    """input with alpha * source added to the slices along `dim` that the 1-d `index` names; equal indices add up."""

def index_copy(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input with the slices along `dim` that the 1-d `index` names replaced by those of source; see index_add."""

def index_copy_(input: Tensor, dim: _int, index: Tensor, source: Tensor) -> Tensor:
    """input with the slices along `dim` that the 1-d `index` names replaced by those of source; see index_add."""

def index_fill(
    input: Tensor, dim: _int, index: Tensor, value: Tensor | _Number, *, out: Tensor | None = None,
) -> Tensor:
    """input with the slices along `dim` that the 1-d `index` (int64; negative from the end) names filled with a number
    or 0-d tensor.
    """

def index_fill_(input: Tensor, dim: _int, index: Tensor, value: Tensor | _Number) -> Tensor:
    """input with the slices along `dim` that the 1-d `index` (int64; negative from the end) names filled with a number
    or 0-d tensor.
    """

def index_put(input: Tensor, indices: Sequence[Tensor] | None, values: Tensor, accumulate: _bool = False) -> Tensor:
    """A copy of input with input[indices] = values."""

def index_put_(input: Tensor, indices: Sequence[Tensor] | None, values: Tensor, accumulate: _bool = False) -> Tensor:
    """index_put in place. It runs at every call: masks have to be searched."""

def index_reduce(
    input: Tensor, dim: _int, index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """input with the slices of source reduced into those along `dim` that the 1-d `index` names; see index_add."""

def index_reduce_(
    input: Tensor, dim: _int, index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True,
) -> Tensor:
    """input with the slices of source reduced into those along `dim` that the 1-d `index` names; see index_add."""

def index_select(input: Tensor, dim: _int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The slices of input along `dim` that the 1-d `index` (int64 or int32, not negative) names."""

def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sums of products over the last dimension of both; a product with a number for 0-d tensors."""

def instance_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    use_input_stats: _bool, momentum: _float, eps: _float, cudnn_enabled: Any,
) -> Tensor:
    """Every channel of every example normalized by its own mean and variance (or by the running ones); then weight and
    bias.
    """

def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of square matrices (*, n, n); linalg.inv."""

def is_conj(input: Tensor) -> _bool:
    """False: conjugation is never lazy here."""

def is_neg(input: Tensor) -> _bool:
    """False: negation is never lazy here."""

def is_same_size(input: Tensor, other: Tensor) -> _bool:
    """Whether two tensors have the same shape; a Python bool."""

def isclose(
    input: Tensor, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False, *,
    out: Tensor | None = None,
) -> Tensor:
    """Whether |input - other| <= atol + rtol * |other|, elementwise."""

def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether elements are neither infinite nor NaN."""

def isin(
    elements: Tensor | _Number, test_elements: Tensor | _Number, *, assume_unique: _bool = False, invert: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Whether each of `elements` is among `test_elements`, a bool tensor in the shape of elements; `invert` negates it.
    """

def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether elements are infinite."""

def isnan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether elements are NaN."""

def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether elements are negative infinity."""

def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether elements are positive infinity."""

def isreal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether elements have no imaginary part."""

def istft(
    input: Tensor, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None,
    window: Tensor | None = None, center: _bool = True, normalized: _bool = False, onesided: _bool | None = None,
    length: _int | None = None, return_complex: _bool = False,
) -> Tensor:
    """The inverse of stft: the signal whose short-time Fourier transform is nearest to `input`."""

def kaiser_window(
    window_length: _int, periodic: _bool = True, beta: _float = 12.0, *, dtype: _dtype | None = None,
    layout: _layout | None = None, device: _device | _str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """The Kaiser window, periodic by default; see signal.windows.kaiser. Args, errors: as bartlett_window."""

def kl_div(input: Tensor, target: Tensor, reduction: _int = 0, *, log_target: _bool = False) -> Tensor:
    """nn.functional.kl_div with its reduction as a number, and without its warning."""

def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: blocks input[i, ...] * other, missing leading dimensions counted as 1."""

def kthvalue(
    input: Tensor, k: _int, dim: _int = -1, keepdim: _bool = False, *, out: tuple[Tensor, ...] | None = None,
) -> _return_types.kthvalue:
    """The k-th smallest element along `dim`, counted from 1, and its index; a named tuple (values, indices)."""

def layer_norm(
    input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, bias: Tensor | None = None,
    eps: _float = 1e-05, cudnn_enable: _bool = True,
) -> Tensor:
    """(input - mean) / sqrt(var + eps) * weight + bias, over the last dimensions."""

def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The least common multiple, elementwise, not negative; integers."""

def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """lcm, written to input."""

def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input * 2**other, elementwise; an `other` of integers counts as input's float dtype (or the default one)."""

def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """input * 2**other, elementwise; an `other` of integers counts as input's float dtype (or the default one)."""

def le(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input <= other, elementwise, as bool; real dtypes."""

def le_(input: Tensor, other: Tensor | _Number) -> Tensor:
    """input <= other, elementwise, as bool; real dtypes."""

def lerp(input: Tensor, end: Tensor, weight: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input + weight * (end - input), computed from the nearer end, elementwise."""

def lerp_(input: Tensor, end: Tensor, weight: Tensor | _Number) -> Tensor:
    """input + weight * (end - input), computed from the nearer end, elementwise."""

def less(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input < other, elementwise, as bool; real dtypes."""

def less_(input: Tensor, other: Tensor | _Number) -> Tensor:
    """input < other, elementwise, as bool; real dtypes."""

def less_equal(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input <= other, elementwise, as bool; real dtypes."""

def less_equal_(input: Tensor, other: Tensor | _Number) -> Tensor:
    """input <= other, elementwise, as bool; real dtypes."""

def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log |Gamma(input)|, elementwise; integers become the default float dtype."""

def lgamma_(input: Tensor) -> Tensor:
    """log |Gamma(input)|, elementwise; integers become the default float dtype."""

def linspace(
    start: Any, end: Any, steps: Any, *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """`steps` evenly spaced numbers from start to end, both included."""

def lobpcg(
    A: Tensor, k: _int | None = None, B: Tensor | None = None, X: Tensor | None = None, n: _int | None = None,
    iK: Tensor | None = None, niter: _int | None = None, tol: _float | None = None, largest: _bool | None = None,
    method: _str | None = None, tracker: Any = None, ortho_iparams: Any = None, ortho_fparams: Any = None,
    ortho_bparams: Any = None,
) -> Any:
    """(E, X): k eigenvalues (*, k) of Hermitian matrices A x = e B x, largest or smallest first, and eigenvectors (*,
    m, k), by LOBPCG.
    """

def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm, elementwise; integers become the default float dtype."""

def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 10, elementwise; integers become the default float dtype."""

def log10_(input: Tensor) -> Tensor:
    """The logarithm to base 10, elementwise; integers become the default float dtype."""

def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(1 + input), accurate near 0, elementwise; integers become the default float dtype."""

def log1p_(input: Tensor) -> Tensor:
    """log(1 + input), accurate near 0, elementwise; integers become the default float dtype."""

def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 2, elementwise; integers become the default float dtype."""

def log2_(input: Tensor) -> Tensor:
    """The logarithm to base 2, elementwise; integers become the default float dtype."""

def log_(input: Tensor) -> Tensor:
    """The natural logarithm, elementwise; integers become the default float dtype."""

def log_softmax(input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """log(softmax(input, dim)), accurate; dtype: cast to it first."""

def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(exp(input) + exp(other)) without overflow, elementwise."""

def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log2(2^input + 2^other) without overflow, elementwise."""

def logcumsumexp(input: Tensor, dim: _int, *, out: Tensor | None = None) -> Tensor:
    """log of the running sum of exp(input) along `dim`; floating point and complex dtypes."""

def logdet(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the determinant; NaN for a negative one, -inf for 0."""

def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input and other as truth values, elementwise."""

def logical_and_(input: Tensor, other: Tensor) -> Tensor:
    """input and other as truth values, elementwise."""

def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether elements are zero."""

def logical_not_(input: Tensor) -> Tensor:
    """Whether elements are zero."""

def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input or other as truth values, elementwise."""

def logical_or_(input: Tensor, other: Tensor) -> Tensor:
    """input or other as truth values, elementwise."""

def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input != other as truth values, elementwise."""

def logical_xor_(input: Tensor, other: Tensor) -> Tensor:
    """input != other as truth values, elementwise."""

def logit(input: Tensor, eps: _float | None = None, *, out: Tensor | None = None) -> Tensor:
    """log(x / (1 - x)), elementwise; eps: x is first brought into [eps, 1 - eps]."""

def logit_(input: Tensor, eps: _float | None = None) -> Tensor:
    """log(x / (1 - x)), elementwise; eps: x is first brought into [eps, 1 - eps]."""

def logspace(
    start: Any, end: Any, steps: Any, base: _float = 10.0, *, dtype: _dtype | None = None,
    layout: _layout | None = None, device: _device | _str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False, out: Tensor | None = None,
) -> Tensor:
    """base ** linspace(start, end, steps)."""

def logsumexp(
    input: Tensor, dim: _int | Sequence[_int] | None, keepdim: _bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """log(sum(exp(input))) over dimensions, computed from differences to the maximum."""

def lstm_cell(
    input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None,
) -> tuple[Tensor, Tensor]:
    """One step of an LSTM."""

def lt(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input < other, elementwise, as bool; real dtypes."""

def lt_(input: Tensor, other: Tensor | _Number) -> Tensor:
    """input < other, elementwise, as bool; real dtypes."""

def lu(
    A: Tensor, pivot: _bool = True, get_infos: _bool = False, *, out: Tensor | tuple[Tensor, ...] | None = None,
) -> Any:
    """(LU, pivots), with get_infos (LU, pivots, info): linalg.lu_factor_ex."""

def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The solution X of A X = input for the A that lu_factor made LU_data and LU_pivots of."""

def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: _bool = True, unpack_pivots: _bool = True, *,
    out: tuple[Tensor, ...] | None = None,
) -> _return_types.lu_unpack:
    """(P, L, U) of packed factors; what is not asked for is an empty tensor."""

def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: _float = 0, reduction: _int = 0,
) -> Tensor:
    """max(0, -target (input1 - input2) + margin), reduced. The product of integers is one of their dtype, which wraps.
    """

def masked_fill(input: Tensor, mask: Tensor, value: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input with `value` wherever the bool `mask` is true."""

def masked_fill_(input: Tensor, mask: Tensor, value: Tensor | _Number) -> Tensor:
    """input with `value` wherever the bool `mask` is true."""

def masked_scatter(input: Tensor, mask: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input with the elements of `source`, in order, wherever the bool `mask` is true."""

def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """input with the elements of `source`, in order, wherever the bool `mask` is true."""

def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements of input where the bool `mask` is true, as a 1-d tensor; both broadcast."""

def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix product, as NumPy's @: vectors, matrices, and batches of matrices whose leading dimensions broadcast.
    """

def matrix_exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The exponential of square matrices, the sum of A^k / k!."""

def matrix_power(input: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor:
    """The n-th power of square matrices (*, k, k); of the inverse for negative n."""

@overload
def max(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The maximum of all elements; along `dim`, a named tuple (values, indices); of two tensors, their elementwise
    maximum.
    """
@overload
def max(
    input: Tensor, dim: _int, keepdim: _bool = False, *, out: tuple[Tensor, ...] | None = None,
) -> _return_types.max:
    """The maximum of all elements; along `dim`, a named tuple (values, indices); of two tensors, their elementwise
    maximum.
    """
@overload
def max(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The maximum of all elements; along `dim`, a named tuple (values, indices); of two tensors, their elementwise
    maximum.
    """

def max_pool1d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
) -> Tensor:
    """The maximum of each window in 1 dimension(s)."""

def max_pool1d_with_indices(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
) -> tuple[Tensor, Tensor]:
    """max_pool1d, and the index of each maximum in the flattened spatial dimensions."""

def max_pool2d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
) -> Tensor:
    """The maximum of each window in 2 dimension(s)."""

def max_pool3d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
) -> Tensor:
    """The maximum of each window in 3 dimension(s)."""

def maximum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger, elementwise; NaN if either is NaN."""

def mean(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The mean over dimensions; floating point and complex dtypes only. Arguments as sum."""

@overload
def median(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The lower median of all elements, or along `dim` a named tuple (values, indices); NaN if there is one among them.
    """
@overload
def median(
    input: Tensor, dim: _int, keepdim: _bool = False, *, out: tuple[Tensor, ...] | None = None,
) -> _return_types.median:
    """The lower median of all elements, or along `dim` a named tuple (values, indices); NaN if there is one among them.
    """

@overload
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: _str | None = None) -> tuple[Tensor, ...]:
    """Coordinates: each vector expanded over the grid that all of them span."""
@overload
def meshgrid(tensors: Sequence[Tensor], *, indexing: _str | None = None) -> tuple[Tensor, ...]:
    """Coordinates: each vector expanded over the grid that all of them span."""

@overload
def min(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The minimum of all elements; along `dim`, a named tuple (values, indices); of two tensors, their elementwise
    minimum.
    """
@overload
def min(
    input: Tensor, dim: _int, keepdim: _bool = False, *, out: tuple[Tensor, ...] | None = None,
) -> _return_types.min:
    """The minimum of all elements; along `dim`, a named tuple (values, indices); of two tensors, their elementwise
    minimum.
    """
@overload
def min(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The minimum of all elements; along `dim`, a named tuple (values, indices); of two tensors, their elementwise
    minimum.
    """

def minimum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller, elementwise; NaN if either is NaN."""

def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices, (n, k) @ (k, m); no broadcasting."""

def mode(
    input: Tensor, dim: _int = -1, keepdim: _bool = False, *, out: tuple[Tensor, ...] | None = None,
) -> _return_types.mode:
    """The most frequent element along `dim` (the smallest of equally frequent ones) and the index of its last
    occurrence.
    """

def moveaxis(input: Tensor, source: _int | Sequence[_int] | None, destination: _int | Sequence[_int] | None) -> Tensor:
    """A view with dimensions `source` moved to the places `destination`; the others keep their order."""

def movedim(input: Tensor, source: _int | Sequence[_int] | None, destination: _int | Sequence[_int] | None) -> Tensor:
    """A view with dimensions `source` moved to the places `destination`; the others keep their order."""

def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The input sorted along its first dimension."""

def mul(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input * other, elementwise."""

def mul_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor:
    """input * other, elementwise."""

def multinomial(
    input: Tensor, num_samples: _int, replacement: _bool = False, *, generator: _Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Indices drawn with probabilities in proportion to the weights in each row."""

def multiply(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input * other, elementwise."""

def multiply_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor:
    """input * other, elementwise."""

def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix and a vector, (n, k) @ (k)."""

def mvlgamma(input: Tensor, p: _int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension p, elementwise; integers become the default float
    dtype.
    """

def mvlgamma_(input: Tensor, p: _int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension p, elementwise; integers become the default float
    dtype.
    """

def nan_to_num(
    input: Tensor, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None, *,
    out: Tensor | None = None,
) -> Tensor:
    """input with NaN, inf and -inf replaced (by default: 0, the largest and the smallest finite value), elementwise."""

def nan_to_num_(
    input: Tensor, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None,
) -> Tensor:
    """input with NaN, inf and -inf replaced (by default: 0, the largest and the smallest finite value), elementwise."""

def nanmean(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The mean over dimensions of the elements that are not NaN; floating point dtypes only."""

@overload
def nanmedian(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The lower median of the elements that are not NaN; along `dim` a named tuple (values, indices)."""
@overload
def nanmedian(
    input: Tensor, dim: _int, keepdim: _bool = False, *, out: tuple[Tensor, ...] | None = None,
) -> _return_types.nanmedian:
    """The lower median of the elements that are not NaN; along `dim` a named tuple (values, indices)."""

def nanquantile(
    input: Tensor, q: _float | Tensor, dim: _int | None = None, keepdim: _bool = False, *,
    interpolation: _str = 'linear', out: Tensor | None = None,
) -> Tensor:
    """The q-quantiles along `dim` (None: of all elements); of the elements that are not NaN."""

def nansum(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The sum over dimensions with NaN counted as zero."""

def narrow(input: Tensor, dim: _int, start: Any, length: Any) -> Tensor:
    """A view of elements start to start + length of a dimension; start may be negative or a 0-d integer tensor."""

def narrow_copy(input: Tensor, dim: _int, start: _int, length: _int, *, out: Tensor | None = None) -> Tensor:
    """`narrow` with memory of its own."""

def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """(N, g C, *) with the channels of the g groups taken in turn."""

def ne(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input != other, elementwise, as bool."""

def ne_(input: Tensor, other: Tensor | _Number) -> Tensor:
    """input != other, elementwise, as bool."""

def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-input, elementwise; any dtype but bool."""

def neg_(input: Tensor) -> Tensor:
    """-input, elementwise; any dtype but bool."""

def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-input, elementwise; any dtype but bool."""

def negative_(input: Tensor) -> Tensor:
    """-input, elementwise; any dtype but bool."""

def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The next representable value after input towards other, elementwise."""

def nextafter_(input: Tensor, other: Tensor) -> Tensor:
    """The next representable value after input towards other, elementwise."""

def nonzero(input: Tensor, *, as_tuple: _bool = False, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """The indices of the elements that are not zero."""

def nonzero_static(input: Tensor, *, size: _int, fill_value: _int = -1) -> Tensor:
    """The indices of the first `size` elements that are not zero, shape (size, ndim), filled up with `fill_value`."""

def norm(
    input: Tensor, p: _float | _str = 'fro', dim: _int | Sequence[_int] | None = None, keepdim: _bool = False,
    dtype: _dtype | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The vector norm (sum |x|^p)^(1/p) over dimensions, or the nuclear norm."""

def norm_except_dim(v: Tensor, pow: _int = 2, dim: _int = 0) -> Tensor:
    """The pow-norm over all dimensions but one, kept with size 1; dim: -1 for the norm over all."""

def normal(
    mean: Any = 0.0, std: Any = 1.0, size: _int | Sequence[_int] | None = None, *, generator: _Generator | None = None,
    dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None,
    requires_grad: _bool = False, pin_memory: _bool = False, out: Tensor | None = None,
) -> Tensor:
    """Normal numbers: normal(mean, std, size) for numbers, normal(mean, std) with a tensor for one or both."""

def not_equal(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input != other, elementwise, as bool."""

def not_equal_(input: Tensor, other: Tensor | _Number) -> Tensor:
    """input != other, elementwise, as bool."""

def nuclear_norm(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """The sum of the singular values of a matrix, or of the matrices in two dimensions."""

@overload
def ones(
    *size: _int | Sequence[_int], dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """A tensor filled with 1."""
@overload
def ones(
    size: Sequence[_int], *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """A tensor filled with 1."""

def ones_like(
    input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor:
    """A tensor of ones with the shape of `input`; its dtype, device and order of dimensions unless they are given."""

def orgqr(input: Tensor, input2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """linalg.householder_product."""

def ormqr(
    input: Tensor, tau: Tensor, other: Tensor, left: _bool = True, transpose: _bool = False, *,
    out: Tensor | None = None,
) -> Tensor:
    """Q other, or other Q with left=False, for the Q (m x m) of geqrf's (input, tau); its adjoint with `transpose`."""

def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The outer product of two vectors: out[i, j] = input[i] * vec2[j]."""

def pairwise_distance(x1: Tensor, x2: Tensor, p: _float = 2.0, eps: _float = 1e-06, keepdim: _bool = False) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dimension; x1 and x2 broadcast. The difference of integers is one of
    their dtype, which wraps.
    """

def pca_lowrank(
    A: Tensor, q: _int | None = None, center: _bool = True, niter: _int = 2,
) -> tuple[Tensor, Tensor, Tensor]:
    """(U, S, V): the q principal components of the rows of A (*, m, n), as columns of V, by svd_lowrank."""

def pdist(input: Tensor, p: _float = 2.0) -> Tensor:
    """The p-norm distances of all pairs i < j of the rows of a matrix, in row-major order."""

@overload
def permute(input: Tensor, *dims: _int | Sequence[_int]) -> Tensor:
    """A view with its dimensions in the order `dims`."""
@overload
def permute(input: Tensor, dims: Sequence[_int]) -> Tensor:
    """A view with its dimensions in the order `dims`."""

@overload
def permute_copy(input: Tensor, *dims: _int | Sequence[_int], out: Tensor | None = None) -> Tensor:
    """`permute` with memory of its own."""
@overload
def permute_copy(input: Tensor, dims: Sequence[_int], *, out: Tensor | None = None) -> Tensor:
    """`permute` with memory of its own."""

def pinverse(input: Tensor, rcond: _float = 1e-15, *, out: Tensor | None = None) -> Tensor:
    """The Moore-Penrose inverse; singular values not above rcond times the largest count as 0."""

def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """(*, C r^2, H, W) to (*, C, H r, W r): channels become pixels."""

def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """(*, C, H r, W r) to (*, C r^2, H, W): pixels become channels."""

def poisson(input: Tensor, generator: _Generator | None = None) -> Tensor:
    """Poisson numbers whose rates are the elements of `input`."""

def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: _bool, full: _bool, eps: _float, reduction: _int,
) -> Tensor:
    """exp(input) - target * input (log_input), or input - target * log(input + eps); full: plus Stirling's term for
    target > 1.
    """

def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """abs * (cos(angle) + i sin(angle)), elementwise."""

def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The n-th derivative of digamma, elementwise; integers become the default float dtype."""

def polygamma_(input: Tensor, n: _int) -> Tensor:
    """The n-th derivative of digamma, elementwise: the method, whose tensor comes first."""

def positive(input: Tensor) -> Tensor:
    """input itself; any dtype but bool."""

def pow(input: Tensor | _Number, exponent: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input to the power exponent, elementwise."""

def pow_(input: Tensor | _Number, exponent: Tensor | _Number) -> Tensor:
    """input to the power exponent, elementwise."""

def prelu(input: Tensor, weight: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input where positive, weight * input elsewhere."""

def prod(
    input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The product over one dimension or all."""

def put(
    input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """input with its elements at `index` (counted in the flattened input; int64, negative from the end) replaced by
    source.
    """

def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
    """input with its elements at `index` (counted in the flattened input; int64, negative from the end) replaced by
    source.
    """

def qr(input: Tensor, some: _bool = True, *, out: tuple[Tensor, ...] | None = None) -> _return_types.qr:
    """(Q, R) with input = Q R: linalg.qr, reduced, or complete with some=False."""

def quantile(
    input: Tensor, q: _float | Tensor, dim: _int | None = None, keepdim: _bool = False, *,
    interpolation: _str = 'linear', out: Tensor | None = None,
) -> Tensor:
    """The q-quantiles along `dim` (None: of all elements); NaN where there is one."""

def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Radians to degrees, elementwise."""

def rad2deg_(input: Tensor) -> Tensor:
    """Radians to degrees, elementwise."""

@overload
def rand(
    *size: _int | Sequence[_int], generator: _Generator | None = None, dtype: _dtype | None = None,
    layout: _layout | None = None, device: _device | _str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False, out: Tensor | None = None,
) -> Tensor:
    """Uniform numbers in [0, 1)."""
@overload
def rand(
    size: Sequence[_int], *, generator: _Generator | None = None, dtype: _dtype | None = None,
    layout: _layout | None = None, device: _device | _str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False, out: Tensor | None = None,
) -> Tensor:
    """Uniform numbers in [0, 1)."""

def rand_like(
    input: Tensor, *, generator: _Generator | None = None, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor:
    """Uniform numbers in [0, 1). In the shape of `input`, and its dtype and device unless they are given."""

def randint(
    low: Any = None, high: Any = None, size: _int | Sequence[_int] | None = None, *,
    generator: _Generator | None = None, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Integers in [low, high): randint(high, size) or randint(low, high, size)."""

def randint_like(
    input: Tensor, low: Any = None, high: Any = None, *, generator: _Generator | None = None,
    dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None,
    requires_grad: _bool = False, pin_memory: _bool = False, memory_format: _memory_format | None = None,
) -> Tensor:
    """Integers in [low, high) in the shape of `input`: randint_like(x, high) or randint_like(x, low, high)."""

@overload
def randn(
    *size: _int | Sequence[_int], generator: _Generator | None = None, dtype: _dtype | None = None,
    layout: _layout | None = None, device: _device | _str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False, out: Tensor | None = None,
) -> Tensor:
    """Normal numbers of mean 0 and variance 1."""
@overload
def randn(
    size: Sequence[_int], *, generator: _Generator | None = None, dtype: _dtype | None = None,
    layout: _layout | None = None, device: _device | _str | _int | None = None, requires_grad: _bool = False,
    pin_memory: _bool = False, out: Tensor | None = None,
) -> Tensor:
    """Normal numbers of mean 0 and variance 1."""

def randn_like(
    input: Tensor, *, generator: _Generator | None = None, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor:
    """Normal numbers of mean 0 and variance 1. In the shape of `input`, and its dtype and device unless they are given.
    """

def randperm(
    n: Any, *, generator: _Generator | None = None, dtype: _dtype | None = ..., layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """A random permutation of 0 ... n - 1."""

def range(
    start: Any = 0, end: Any = None, step: Any = 1, *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """start, start + step, ... up to and including end; deprecated in favour of arange."""

def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension; a view where possible."""

def real(input: Tensor) -> Tensor:
    """The real parts of a complex tensor as a view; a real tensor itself."""

def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / input, elementwise; integers become the default float dtype."""

def reciprocal_(input: Tensor) -> Tensor:
    """1 / input, elementwise; integers become the default float dtype."""

def relu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """max(input, 0), elementwise; real dtypes but bool."""

def relu_(input: Tensor) -> Tensor:
    """max(input, 0), elementwise; real dtypes but bool."""

def remainder(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The remainder of floored division, with the sign of other, elementwise."""

def remainder_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor:
    """The remainder of floored division, with the sign of other, elementwise."""

def renorm(input: Tensor, p: _float, dim: _int, maxnorm: _float, *, out: Tensor | None = None) -> Tensor:
    """input with every slice along `dim` whose p-norm exceeds maxnorm scaled down to it."""

def renorm_(input: Tensor, p: _float, dim: _int, maxnorm: _float) -> Tensor:
    """input with every slice along `dim` whose p-norm exceeds maxnorm scaled down to it."""

def repeat_interleave(
    input: Tensor, repeats: _int | Sequence[_int] | Tensor | None = None, dim: _int | None = None, *,
    output_size: _int | None = None,
) -> Tensor:
    """Each element of a dimension repeated in place."""

@overload
def reshape(input: Tensor, *shape: _int | Sequence[_int]) -> Tensor:
    """The same elements in another shape: a view where strides can express it, else a copy."""
@overload
def reshape(input: Tensor, shape: Sequence[_int]) -> Tensor:
    """The same elements in another shape: a view where strides can express it, else a copy."""
@overload
def reshape(input: Tensor, size: Sequence[_int]) -> Tensor:
    """The same elements in another shape: a view where strides can express it, else a copy."""

def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
    """Resize in place to the size of `the_template`."""

def resolve_conj(input: Tensor) -> Tensor:
    """input itself: conjugation is never lazy here."""

def resolve_neg(input: Tensor) -> Tensor:
    """input itself: negation is never lazy here."""

def rms_norm(
    input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, eps: _float | None = None,
) -> Tensor:
    """input / sqrt(mean(input^2) + eps) * weight, over the last dimensions; eps: by default the dtype's epsilon."""

def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None,
) -> Tensor:
    """One step of a simple recurrent network: relu(w_ih x + b_ih + w_hh h + b_hh)."""

def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None,
) -> Tensor:
    """One step of a simple recurrent network: tanh(w_ih x + b_ih + w_hh h + b_hh)."""

def roll(
    input: Tensor, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None, *,
    out: Tensor | None = None,
) -> Tensor:
    """The elements shifted along dimensions, those that leave at the end coming back at the start."""

def rot90(input: Tensor, k: _int = 1, dims: _int | Sequence[_int] | None = ..., *, out: Tensor | None = None) -> Tensor:
    """Rotated k quarter turns in the plane of two dimensions, from the first towards the second."""

def round(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor:
    """input to the nearest multiple of 10**-decimals, halves to even, elementwise, in input's dtype."""

def round_(input: Tensor, *, decimals: _int = 0) -> Tensor:
    """input to the nearest multiple of 10**-decimals, halves to even, elementwise, in input's dtype."""

def row_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors one below the other: joined along dimension 0, vectors as rows."""

def rrelu(
    input: Tensor, lower: _float = 0.125, upper: _float = 0.3333333333333333, training: _bool = False,
    generator: _Generator | None = None,
) -> Tensor:
    """leaky_relu with a random slope from [lower, upper) for each element in training, and their mean otherwise."""

def rrelu_(
    input: Tensor, lower: _float = 0.125, upper: _float = 0.3333333333333333, training: _bool = False,
    generator: _Generator | None = None,
) -> Tensor:
    """rrelu in place."""

def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / sqrt(input), elementwise; integers become the default float dtype."""

def rsqrt_(input: Tensor) -> Tensor:
    """1 / sqrt(input), elementwise; integers become the default float dtype."""

def rsub(input: Tensor, other: Tensor | _Number, *, alpha: _Number | Tensor = 1, out: Tensor | None = None) -> Tensor:
    """other - alpha * input, elementwise."""

@overload
def scatter(
    input: Tensor, dim: _int, index: Tensor, src: Tensor | _Number, *, reduce: _str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """input with out[index[i][j]][j] = src[i][j] for dim 0, and likewise for the other dimensions."""
@overload
def scatter(
    input: Tensor, dim: _int, index: Tensor, value: Tensor | _Number, *, reduce: _str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """input with out[index[i][j]][j] = src[i][j] for dim 0, and likewise for the other dimensions."""

@overload
def scatter_(input: Tensor, dim: _int, index: Tensor, src: Tensor | _Number, *, reduce: _str | None = None) -> Tensor:
    """input with out[index[i][j]][j] = src[i][j] for dim 0, and likewise for the other dimensions."""
@overload
def scatter_(input: Tensor, dim: _int, index: Tensor, value: Tensor | _Number, *, reduce: _str | None = None) -> Tensor:
    """input with out[index[i][j]][j] = src[i][j] for dim 0, and likewise for the other dimensions."""

def scatter_add(input: Tensor, dim: _int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input with out[index[i][j]][j] += src[i][j] for dim 0, and likewise for the other dimensions; see scatter."""

def scatter_add_(input: Tensor, dim: _int, index: Tensor, src: Tensor) -> Tensor:
    """input with out[index[i][j]][j] += src[i][j] for dim 0, and likewise for the other dimensions; see scatter."""

def scatter_reduce(
    input: Tensor, dim: _int, index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """input with the elements of src reduced into the places that index names; see scatter."""

def scatter_reduce_(
    input: Tensor, dim: _int, index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True,
) -> Tensor:
    """input with the elements of src reduced into the places that index names; see scatter."""

def searchsorted(
    sorted_sequence: Tensor, input: Tensor | _Number, *, out_int32: _bool = False, right: _bool = False,
    side: _str | None = None, sorter: Tensor | None = None, out: Tensor | None = None,
) -> Tensor:
    """Where each element of `input` would be inserted in the sorted innermost dimension of `sorted_sequence`."""

def segment_reduce(
    data: Tensor, reduce: _str, *, lengths: Any = None, indices: Any = None, offsets: Any = None, axis: _int = 0,
    unsafe: _bool = False, initial: Any = None,
) -> Tensor:
    """Reduce consecutive pieces of a dimension."""

def select(input: Tensor, dim: _int, index: _int) -> Tensor:
    """The part of a tensor at one index of a dimension, as a view without that dimension."""

def select_copy(input: Tensor, dim: _int, index: _int, *, out: Tensor | None = None) -> Tensor:
    """`select` with memory of its own."""

def select_scatter(input: Tensor, src: Tensor, dim: _int, index: _int, *, out: Tensor | None = None) -> Tensor:
    """A copy of input whose slice input.select(dim, index) is src."""

def selu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """scale * elu(input, alpha) with the self-normalizing constants."""

def selu_(input: Tensor) -> Tensor:
    """scale * elu(input, alpha) with the self-normalizing constants."""

def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input / |input| (0 at 0), elementwise."""

def sgn_(input: Tensor) -> Tensor:
    """input / |input| (0 at 0), elementwise."""

def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / (1 + exp(-input)), elementwise; integers become the default float dtype."""

def sigmoid_(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input)), elementwise; integers become the default float dtype."""

def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-1, 0 or 1 by the sign of input, elementwise, in input's dtype."""

def sign_(input: Tensor) -> Tensor:
    """-1, 0 or 1 by the sign of input, elementwise, in input's dtype."""

def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether the sign bit is set (true for -0.0)."""

def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sine (radians), elementwise; integers become the default float dtype."""

def sin_(input: Tensor) -> Tensor:
    """The sine (radians), elementwise; integers become the default float dtype."""

def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sin(pi x) / (pi x), 1 at 0, elementwise."""

def sinc_(input: Tensor) -> Tensor:
    """sin(pi x) / (pi x), 1 at 0, elementwise."""

def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic sine, elementwise; integers become the default float dtype."""

def sinh_(input: Tensor) -> Tensor:
    """The hyperbolic sine, elementwise; integers become the default float dtype."""

def slice_copy(input: Tensor, dim: _int = 0, start: Any = None, end: Any = None, step: _int = 1) -> Tensor:
    """A slice of one dimension with memory of its own."""

def slice_scatter(
    input: Tensor, src: Tensor, dim: _int = 0, start: _int | None = None, end: _int | None = None, step: _int = 1, *,
    out: Tensor | None = None,
) -> Tensor:
    """A copy of input whose slice start:end:step along `dim` is src; step > 0."""

def slogdet(input: Tensor, *, out: tuple[Tensor, ...] | None = None) -> _return_types.slogdet:
    """(sign, logabsdet) with determinant sign * exp(logabsdet); linalg.slogdet."""

def softmax(input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """exp(input) / sum(exp(input)) along a dimension; dtype: cast to it first."""

def sort(
    input: Tensor, dim: _int = -1, descending: _bool = False, stable: _bool | None = False, *,
    out: tuple[Tensor, ...] | None = None,
) -> _return_types.sort:
    """The elements in order along `dim` (NaN is the greatest) and where they were; a named tuple (values, indices)."""

@overload
def split(tensor: Tensor, split_size_or_sections: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts of a dimension."""
@overload
def split(tensor: Tensor, split_size: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts of a dimension."""

def split_copy(input: Tensor, split_size: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """`split` with memory of its own."""

def split_with_sizes(input: Tensor, split_sizes: Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts of a dimension, of the given sizes."""

def split_with_sizes_copy(
    input: Tensor, split_sizes: Sequence[_int], dim: _int = 0, *, out: tuple[Tensor, ...] | None = None,
) -> tuple[Tensor, ...]:
    """`split_with_sizes` with memory of its own."""

def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The square root, elementwise; integers become the default float dtype."""

def sqrt_(input: Tensor) -> Tensor:
    """The square root, elementwise; integers become the default float dtype."""

def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input * input, elementwise; bools become int64."""

def square_(input: Tensor) -> Tensor:
    """input * input, elementwise; bools become int64."""

def squeeze(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """A view without dimensions of size 1: all of them, or those among `dim`."""

def squeeze_copy(input: Tensor, dim: _int | Sequence[_int] | None = None, *, out: Tensor | None = None) -> Tensor:
    """`squeeze` with memory of its own."""

def stack(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors of one shape joined along a new dimension."""

def std(
    input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: _bool = True, keepdim: _bool = False, *,
    correction: _float | None = None, out: Tensor | None = None,
) -> Tensor:
    """The standard deviation over dimensions, the root of `var`."""

def std_mean(
    input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: _bool = True, keepdim: _bool = False, *,
    correction: _float | None = None,
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean over dimensions; see var."""

def stft(
    input: Tensor, n_fft: _int, hop_length: _int | Sequence[_int] | None = None,
    win_length: _int | Sequence[_int] | None = None, window: Tensor | None = None, center: _bool = True,
    pad_mode: _str = 'reflect', normalized: _bool = False, onesided: _bool | None = None,
    return_complex: _bool | None = None, align_to_window: _bool | None = None,
) -> Tensor:
    """The short-time Fourier transform: the spectra of segments that start every hop_length samples."""

def sub(
    input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Number | Tensor = 1, out: Tensor | None = None,
) -> Tensor:
    """input - alpha * other, elementwise."""

def sub_(input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Number | Tensor = 1) -> Tensor:
    """input - alpha * other, elementwise."""

def subtract(
    input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Number | Tensor = 1, out: Tensor | None = None,
) -> Tensor:
    """input - alpha * other, elementwise."""

def subtract_(input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Number | Tensor = 1) -> Tensor:
    """input - alpha * other, elementwise."""

def sum(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The sum over dimensions."""

def svd(
    input: Tensor, some: _bool = True, compute_uv: _bool = True, *, out: tuple[Tensor, ...] | None = None,
) -> _return_types.svd:
    """(U, S, V) with input = U diag(S) V^H: linalg.svd; with compute_uv=False U (m, m) and V (n, n) are zeros."""

def svd_lowrank(
    A: Tensor, q: _int | None = 6, niter: _int | None = 2, M: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """(U, S, V) with A - M close to U diag(S) V^H, of rank q: a random approximation."""

def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """A view with dimensions axis0 and axis1 exchanged."""

@overload
def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """A view with dimensions dim0 and dim1 exchanged."""
@overload
def swapdims(input: Tensor, axis0: _int, dim1: _int) -> Tensor:
    """A view with dimensions dim0 and dim1 exchanged."""
@overload
def swapdims(input: Tensor, dim0: _int, axis1: _int) -> Tensor:
    """A view with dimensions dim0 and dim1 exchanged."""
@overload
def swapdims(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """A view with dimensions dim0 and dim1 exchanged."""

def t(input: Tensor) -> Tensor:
    """A matrix transposed; tensors with fewer dimensions as they are."""

def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`t` with memory of its own."""

def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements of the flattened input at `index` (int64; negative ones count from the end), in the shape of
    `index`.
    """

def take_along_dim(input: Tensor, indices: Tensor, dim: _int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The elements of input along `dim` at `indices` (as argsort and argmax give them); the other dimensions broadcast.
    """

def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The tangent (radians), elementwise; integers become the default float dtype."""

def tan_(input: Tensor) -> Tensor:
    """The tangent (radians), elementwise; integers become the default float dtype."""

def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent, elementwise; integers become the default float dtype."""

def tanh_(input: Tensor) -> Tensor:
    """The hyperbolic tangent, elementwise; integers become the default float dtype."""

def tensor(
    data: Any, *, dtype: _dtype | None = None, device: _device | _str | _int | None = None,
    requires_grad: _bool = False, pin_memory: _bool = False,
) -> Tensor:
    """A tensor with memory of its own from numbers, nested sequences, NumPy arrays or scalars, or a tensor; or on the
    memory of a storage, as elements of `dtype`.
    """

@overload
def tensor_split(
    input: Tensor, indices_or_sections: _int | Sequence[_int] | Tensor, dim: _int = 0,
) -> tuple[Tensor, ...]:
    """Views of parts of a dimension: a number of parts of nearly equal size, or the indices where to cut."""
@overload
def tensor_split(input: Tensor, indices: _int | Sequence[_int] | Tensor, dim: _int = 0) -> tuple[Tensor, ...]:
    """Views of parts of a dimension: a number of parts of nearly equal size, or the indices where to cut."""
@overload
def tensor_split(input: Tensor, sections: _int | Sequence[_int] | Tensor, dim: _int = 0) -> tuple[Tensor, ...]:
    """Views of parts of a dimension: a number of parts of nearly equal size, or the indices where to cut."""

def tensordot(
    a: Tensor, b: Tensor, dims: _int | Sequence[Sequence[_int]] | Tensor = 2, *, out: Tensor | None = None,
) -> Tensor:
    """The sum of products over pairs of dimensions."""

def threshold(
    input: Tensor, threshold: _Number | Tensor, value: _Number | Tensor, *, out: Tensor | None = None,
) -> Tensor:
    """input where it is greater than threshold, value elsewhere."""

def threshold_(input: Tensor, threshold: _Number | Tensor, value: _Number | Tensor) -> Tensor:
    """input where it is greater than threshold, value elsewhere."""

@overload
def tile(input: Tensor, *dims: _int | Sequence[_int], out: Tensor | None = None) -> Tensor:
    """The tensor repeated dims[d] times along each dimension; missing counts are 1."""
@overload
def tile(input: Tensor, dims: Sequence[_int], *, out: Tensor | None = None) -> Tensor:
    """The tensor repeated dims[d] times along each dimension; missing counts are 1."""

def topk(
    input: Tensor, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True, *,
    out: tuple[Tensor, ...] | None = None,
) -> _return_types.topk:
    """The k largest (or smallest) elements along `dim` and their indices, in order; a named tuple (values, indices)."""

def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix; integers and bools sum to int64."""

@overload
def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """A view with dimensions dim0 and dim1 exchanged."""
@overload
def transpose(input: Tensor, axis0: _int, dim1: _int) -> Tensor:
    """A view with dimensions dim0 and dim1 exchanged."""
@overload
def transpose(input: Tensor, dim0: _int, axis1: _int) -> Tensor:
    """A view with dimensions dim0 and dim1 exchanged."""
@overload
def transpose(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """A view with dimensions dim0 and dim1 exchanged."""

def transpose_copy(input: Tensor, dim0: _int, dim1: _int, *, out: Tensor | None = None) -> Tensor:
    """`transpose` with memory of its own."""

def trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: _Number | Tensor = 1, dim: _int = -1, out: Tensor | None = None,
) -> Tensor:
    """The integral of y along `dim` by the trapezoidal rule."""

def trapz(
    y: Tensor, x: Tensor | None = None, *, dx: _Number | Tensor = 1, dim: _int = -1, out: Tensor | None = None,
) -> Tensor:
    """The same as `trapezoid`."""

def triangular_solve(
    input: Tensor, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False, *,
    out: tuple[Tensor, ...] | None = None,
) -> _return_types.triangular_solve:
    """(X, A) with A X = input, or A^T X = input with transpose, for triangular A: (solution, cloned_coefficient)."""

def tril(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The elements on and below a diagonal of the last two dimensions, zeros above it."""

def tril_(input: Tensor, diagonal: _int = 0) -> Tensor:
    """The elements on and below a diagonal of the last two dimensions, zeros above it."""

def tril_indices(
    row: _int, col: _int, offset: _int = 0, *, dtype: _dtype | None = ..., device: _device | _str | _int | None = None,
    layout: _layout | None = None,
) -> Tensor:
    """The row and column indices of the lower triangle of a (row, col) matrix, shape (2, n), in row-major order; offset
    shifts the diagonal.
    """

def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: _float = 1.0, p: _float = 2, eps: _float = 1e-06,
    swap: _bool = False, reduction: _int = 0,
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), reduced; d: the p-norm of the difference plus eps."""

def triu(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The elements on and above a diagonal of the last two dimensions, zeros below it."""

def triu_(input: Tensor, diagonal: _int = 0) -> Tensor:
    """The elements on and above a diagonal of the last two dimensions, zeros below it."""

def triu_indices(
    row: _int, col: _int, offset: _int = 0, *, dtype: _dtype | None = ..., device: _device | _str | _int | None = None,
    layout: _layout | None = None,
) -> Tensor:
    """The row and column indices of the upper triangle of a (row, col) matrix, shape (2, n), in row-major order; offset
    shifts the diagonal.
    """

def true_divide(
    input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _str | None = None, out: Tensor | None = None,
) -> Tensor:
    """input / other, elementwise."""

def true_divide_(input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _str | None = None) -> Tensor:
    """input / other, elementwise."""

def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The integer part of input, elementwise, in input's dtype."""

def trunc_(input: Tensor) -> Tensor:
    """The integer part of input, elementwise, in input's dtype."""

def unbind(input: Tensor, dim: _int = 0) -> tuple[Tensor, ...]:
    """The parts of a tensor at each index of a dimension, as views without that dimension."""

def unbind_copy(input: Tensor, dim: _int = 0, *, out: tuple[Tensor, ...] | None = None) -> tuple[Tensor, ...]:
    """`unbind` with memory of its own."""

def unflatten(input: Tensor, dim: _int, sizes: Any) -> Tensor:
    """Dimension `dim` as several, of the given sizes (one may be -1)."""

def unfold_copy(input: Tensor, dimension: _int, size: _int, step: _int, *, out: Tensor | None = None) -> Tensor:
    """`unfold` with memory of its own."""

def unique(
    input: Tensor, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False,
    dim: _int | None = None,
) -> Any:
    """The distinct elements in order (or distinct slices along `dim`), and where asked for their places and counts."""

def unique_consecutive(
    input: Tensor, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None,
) -> Any:
    """The first of every run of equal elements (or equal slices along `dim`); see unique."""

def unravel_index(indices: Tensor, shape: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """The coordinates, one tensor a dimension, of the elements of a row-major tensor of `shape` at flat `indices`;
    int64.
    """

def unsafe_chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """The parts that `chunk` gives, each of which may be written to while gradients are recorded."""

@overload
def unsafe_split(tensor: Tensor, split_size_or_sections: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
    """The parts that `split` gives, each of which may be written to while gradients are recorded."""
@overload
def unsafe_split(tensor: Tensor, split_size: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
    """The parts that `split` gives, each of which may be written to while gradients are recorded."""

def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
    """The parts that `split_with_sizes` gives, each of which may be written to while gradients are recorded."""

def unsqueeze(input: Tensor, dim: _int) -> Tensor:
    """A view with a dimension of size 1 inserted at `dim`."""

def unsqueeze_copy(input: Tensor, dim: _int, *, out: Tensor | None = None) -> Tensor:
    """`unsqueeze` with memory of its own."""

def vander(x: Tensor, N: _int | None = None, increasing: _bool = False) -> Tensor:
    """The matrix whose columns are the powers N - 1 ... 0 of x (0 ... N - 1 if `increasing`)."""

def var(
    input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: _bool = True, keepdim: _bool = False, *,
    correction: _float | None = None, out: Tensor | None = None,
) -> Tensor:
    """The variance over dimensions: the sum of squared differences to the mean, over max(0, n - correction)."""

def var_mean(
    input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: _bool = True, keepdim: _bool = False, *,
    correction: _float | None = None,
) -> tuple[Tensor, Tensor]:
    """The variance and the mean over dimensions; see var."""

def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inner product of two vectors, the first conjugated."""

def view_as_complex(input: Tensor) -> Tensor:
    """A real tensor with a last dimension of size 2 as a view of complex numbers."""

def view_as_complex_copy(input: Tensor) -> Tensor:
    """`view_as_complex` with memory of its own."""

def view_as_real(input: Tensor) -> Tensor:
    """A complex tensor as a view of real numbers with a last dimension of size 2 (real, imaginary)."""

def view_as_real_copy(input: Tensor) -> Tensor:
    """`view_as_real` with memory of its own."""

def view_copy(input: Tensor, size: _int | Sequence[_int], *, out: Tensor | None = None) -> Tensor:
    """`view` with memory of its own."""

@overload
def vsplit(input: Tensor, indices_or_sections: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """Views of parts of dimension 0, as tensor_split."""
@overload
def vsplit(input: Tensor, indices: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """Views of parts of dimension 0, as tensor_split."""
@overload
def vsplit(input: Tensor, sections: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """Views of parts of dimension 0, as tensor_split."""

def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors one below the other: joined along dimension 0, vectors as rows."""

@overload
def where(condition: Tensor) -> tuple[Tensor, ...]:
    """input where condition holds, other elsewhere; with condition alone, the indices of its nonzero elements."""
@overload
def where(condition: Tensor, input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input where condition holds, other elsewhere; with condition alone, the indices of its nonzero elements."""

def xlogy(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """input * log(other), and 0 where input is 0 (NaN where other is NaN), elementwise; integers become the default
    float dtype.
    """

def xlogy_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor:
    """input * log(other), and 0 where input is 0 (NaN where other is NaN), elementwise; integers become the default
    float dtype.
    """

def zero_(input: Tensor) -> Tensor:
    """Zeros in the shape of `input`; zero_ writes them there."""

@overload
def zeros(
    *size: _int | Sequence[_int], dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """A tensor filled with 0."""
@overload
def zeros(
    size: Sequence[_int], *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """A tensor filled with 0."""

def zeros_like(
    input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor:
    """A tensor of zeros with the shape of `input`; its dtype, device and order of dimensions unless they are given."""

BFloat16Storage: Any

BFloat16Tensor: Any

BoolStorage: Any

BoolTensor: Any

ByteStorage: Any

ByteTensor: Any

CharStorage: Any

CharTensor: Any

ComplexDoubleStorage: Any

ComplexFloatStorage: Any

DoubleStorage: Any

DoubleTensor: Any

FloatStorage: Any

FloatTensor: Any

HalfStorage: Any

HalfTensor: Any

IntStorage: Any

IntTensor: Any

LongStorage: Any

LongTensor: Any

ShortStorage: Any

ShortTensor: Any

def _cast_Byte(input: Tensor, non_blocking: _bool = False) -> Tensor:
    """The tensor as torch.uint8: an old name for `to`."""

def _cast_Char(input: Tensor, non_blocking: _bool = False) -> Tensor:
    """The tensor as torch.int8: an old name for `to`."""

def _cast_Double(input: Tensor, non_blocking: _bool = False) -> Tensor:
    """The tensor as torch.float64: an old name for `to`."""

def _cast_Float(input: Tensor, non_blocking: _bool = False) -> Tensor:
    """The tensor as torch.float32: an old name for `to`."""

def _cast_Half(input: Tensor, non_blocking: _bool = False) -> Tensor:
    """The tensor as torch.float16: an old name for `to`."""

def _cast_Int(input: Tensor, non_blocking: _bool = False) -> Tensor:
    """The tensor as torch.int32: an old name for `to`."""

def _cast_Long(input: Tensor, non_blocking: _bool = False) -> Tensor:
    """The tensor as torch.int64: an old name for `to`."""

def _cast_Short(input: Tensor, non_blocking: _bool = False) -> Tensor:
    """The tensor as torch.int16: an old name for `to`."""

def _check(cond: _bool, message: Any = None) -> None:
    """RuntimeError unless cond is True; message: a function that makes the text."""

def _check_index(cond: _bool, message: Any = None) -> None:
    """IndexError unless cond is True; message: a function that makes the text."""

def _check_not_implemented(cond: _bool, message: Any = None) -> None:
    """NotImplementedError unless cond is True; message: a function that makes the text."""

def _check_type(cond: _bool, message: Any = None) -> None:
    """TypeError unless cond is True; message: a function that makes the text."""

def _check_value(cond: _bool, message: Any = None) -> None:
    """ValueError unless cond is True; message: a function that makes the text."""

def _foreach_abs(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """abs of each tensor of a list."""

def _foreach_abs_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """abs_ of each tensor of a list."""

def _foreach_acos(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """acos of each tensor of a list."""

def _foreach_acos_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """acos_ of each tensor of a list."""

def _foreach_add(
    self: Sequence[Tensor] | Tensor | _Number, other: Tensor | _Number | Sequence[Tensor | _Number], *,
    alpha: _Number | Tensor = 1,
) -> tuple[Tensor, ...]:
    """add of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor on
    tensors of it.
    """

def _foreach_add_(
    self: Sequence[Tensor], other: Tensor | _Number | Sequence[Tensor | _Number], *, alpha: _Number | Tensor = 1,
) -> Sequence[Tensor]:
    """add of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor on
    tensors of it, in place.
    """

def _foreach_addcdiv(
    self: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor],
    value: Tensor | _Number | Sequence[Tensor | _Number] = 1,
) -> tuple[Tensor, ...]:
    """addcdiv of the tensors of three lists; value: a number, or one for each."""

def _foreach_addcdiv_(
    self: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor],
    value: Tensor | _Number | Sequence[Tensor | _Number] = 1,
) -> Sequence[Tensor]:
    """addcdiv of the tensors of three lists; value: a number, or one for each, in place."""

def _foreach_addcmul(
    self: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor],
    value: Tensor | _Number | Sequence[Tensor | _Number] = 1,
) -> tuple[Tensor, ...]:
    """addcmul of the tensors of three lists; value: a number, or one for each."""

def _foreach_addcmul_(
    self: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor],
    value: Tensor | _Number | Sequence[Tensor | _Number] = 1,
) -> Sequence[Tensor]:
    """addcmul of the tensors of three lists; value: a number, or one for each, in place."""

def _foreach_asin(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """asin of each tensor of a list."""

def _foreach_asin_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """asin_ of each tensor of a list."""

def _foreach_atan(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """atan of each tensor of a list."""

def _foreach_atan_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """atan_ of each tensor of a list."""

def _foreach_ceil(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """ceil of each tensor of a list."""

def _foreach_ceil_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """ceil_ of each tensor of a list."""

def _foreach_clamp_max(
    self: Sequence[Tensor] | Tensor | _Number, other: Tensor | _Number | Sequence[Tensor | _Number], *,
    alpha: _Number | Tensor = 1,
) -> tuple[Tensor, ...]:
    """clamp_max of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor
    on tensors of it.
    """

def _foreach_clamp_max_(
    self: Sequence[Tensor], other: Tensor | _Number | Sequence[Tensor | _Number], *, alpha: _Number | Tensor = 1,
) -> Sequence[Tensor]:
    """clamp_max of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor
    on tensors of it, in place.
    """

def _foreach_clamp_min(
    self: Sequence[Tensor] | Tensor | _Number, other: Tensor | _Number | Sequence[Tensor | _Number], *,
    alpha: _Number | Tensor = 1,
) -> tuple[Tensor, ...]:
    """clamp_min of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor
    on tensors of it.
    """

def _foreach_clamp_min_(
    self: Sequence[Tensor], other: Tensor | _Number | Sequence[Tensor | _Number], *, alpha: _Number | Tensor = 1,
) -> Sequence[Tensor]:
    """clamp_min of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor
    on tensors of it, in place.
    """

def _foreach_clone(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """A copy of each tensor of a list."""

def _foreach_copy_(self: Sequence[Tensor], src: Sequence[Tensor], non_blocking: _bool = False) -> Sequence[Tensor]:
    """Write the values of each tensor of a second list into that of the first."""

def _foreach_cos(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """cos of each tensor of a list."""

def _foreach_cos_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """cos_ of each tensor of a list."""

def _foreach_cosh(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """cosh of each tensor of a list."""

def _foreach_cosh_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """cosh_ of each tensor of a list."""

def _foreach_div(
    self: Sequence[Tensor] | Tensor | _Number, other: Tensor | _Number | Sequence[Tensor | _Number], *,
    alpha: _Number | Tensor = 1,
) -> tuple[Tensor, ...]:
    """div of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor on
    tensors of it.
    """

def _foreach_div_(
    self: Sequence[Tensor], other: Tensor | _Number | Sequence[Tensor | _Number], *, alpha: _Number | Tensor = 1,
) -> Sequence[Tensor]:
    """div of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor on
    tensors of it, in place.
    """

def _foreach_erf(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """erf of each tensor of a list."""

def _foreach_erf_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """erf_ of each tensor of a list."""

def _foreach_erfc(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """erfc of each tensor of a list."""

def _foreach_erfc_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """erfc_ of each tensor of a list."""

def _foreach_exp(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """exp of each tensor of a list."""

def _foreach_exp_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """exp_ of each tensor of a list."""

def _foreach_expm1(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """expm1 of each tensor of a list."""

def _foreach_expm1_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """expm1_ of each tensor of a list."""

def _foreach_floor(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """floor of each tensor of a list."""

def _foreach_floor_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """floor_ of each tensor of a list."""

def _foreach_frac(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """frac of each tensor of a list."""

def _foreach_frac_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """frac_ of each tensor of a list."""

def _foreach_lerp(
    self: Sequence[Tensor], tensors1: Sequence[Tensor], weight: Tensor | _Number | Sequence[Tensor | _Number],
) -> tuple[Tensor, ...]:
    """lerp of the tensors of two lists; weight: a number, or a number or tensor for each."""

def _foreach_lerp_(
    self: Sequence[Tensor], tensors1: Sequence[Tensor], weight: Tensor | _Number | Sequence[Tensor | _Number],
) -> Sequence[Tensor]:
    """lerp of the tensors of two lists, in place."""

def _foreach_lgamma(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """lgamma of each tensor of a list."""

def _foreach_lgamma_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """lgamma_ of each tensor of a list."""

def _foreach_log(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """log of each tensor of a list."""

def _foreach_log10(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """log10 of each tensor of a list."""

def _foreach_log10_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """log10_ of each tensor of a list."""

def _foreach_log1p(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """log1p of each tensor of a list."""

def _foreach_log1p_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """log1p_ of each tensor of a list."""

def _foreach_log2(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """log2 of each tensor of a list."""

def _foreach_log2_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """log2_ of each tensor of a list."""

def _foreach_log_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """log_ of each tensor of a list."""

def _foreach_max(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The greatest element of each tensor of a list."""

def _foreach_maximum(
    self: Sequence[Tensor] | Tensor | _Number, other: Tensor | _Number | Sequence[Tensor | _Number], *,
    alpha: _Number | Tensor = 1,
) -> tuple[Tensor, ...]:
    """maximum of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor on
    tensors of it.
    """

def _foreach_maximum_(
    self: Sequence[Tensor], other: Tensor | _Number | Sequence[Tensor | _Number], *, alpha: _Number | Tensor = 1,
) -> Sequence[Tensor]:
    """maximum of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor on
    tensors of it, in place.
    """

def _foreach_minimum(
    self: Sequence[Tensor] | Tensor | _Number, other: Tensor | _Number | Sequence[Tensor | _Number], *,
    alpha: _Number | Tensor = 1,
) -> tuple[Tensor, ...]:
    """minimum of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor on
    tensors of it.
    """

def _foreach_minimum_(
    self: Sequence[Tensor], other: Tensor | _Number | Sequence[Tensor | _Number], *, alpha: _Number | Tensor = 1,
) -> Sequence[Tensor]:
    """minimum of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor on
    tensors of it, in place.
    """

def _foreach_mm(self: Sequence[Tensor], mat2: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The matrix products of two lists."""

def _foreach_mul(
    self: Sequence[Tensor] | Tensor | _Number, other: Tensor | _Number | Sequence[Tensor | _Number], *,
    alpha: _Number | Tensor = 1,
) -> tuple[Tensor, ...]:
    """mul of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor on
    tensors of it.
    """

def _foreach_mul_(
    self: Sequence[Tensor], other: Tensor | _Number | Sequence[Tensor | _Number], *, alpha: _Number | Tensor = 1,
) -> Sequence[Tensor]:
    """mul of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor on
    tensors of it, in place.
    """

def _foreach_neg(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """neg of each tensor of a list."""

def _foreach_neg_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """neg_ of each tensor of a list."""

def _foreach_norm(self: Sequence[Tensor], ord: _Number | Tensor = 2, dtype: _dtype | None = None) -> tuple[Tensor, ...]:
    """The vector norm of each tensor of a list; dtype: computed in."""

def _foreach_pow(
    self: Sequence[Tensor] | Tensor | _Number, other: Tensor | _Number | Sequence[Tensor | _Number], *,
    alpha: _Number | Tensor = 1,
) -> tuple[Tensor, ...]:
    """pow of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor on
    tensors of it.
    """

def _foreach_pow_(
    self: Sequence[Tensor], other: Tensor | _Number | Sequence[Tensor | _Number], *, alpha: _Number | Tensor = 1,
) -> Sequence[Tensor]:
    """pow of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor on
    tensors of it, in place.
    """

def _foreach_powsum(
    self: Sequence[Tensor], ord: _Number | Tensor = 2, dtype: _dtype | None = None,
) -> tuple[Tensor, ...]:
    """The sum of |x|^ord of each tensor of a list; dtype: computed in."""

def _foreach_reciprocal(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """reciprocal of each tensor of a list."""

def _foreach_reciprocal_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """reciprocal_ of each tensor of a list."""

def _foreach_round(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """round of each tensor of a list."""

def _foreach_round_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """round_ of each tensor of a list."""

def _foreach_rsqrt(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """rsqrt of each tensor of a list."""

def _foreach_rsqrt_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """rsqrt_ of each tensor of a list."""

def _foreach_sigmoid(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """sigmoid of each tensor of a list."""

def _foreach_sigmoid_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """sigmoid_ of each tensor of a list."""

def _foreach_sign(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """sign of each tensor of a list."""

def _foreach_sign_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """sign_ of each tensor of a list."""

def _foreach_sin(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """sin of each tensor of a list."""

def _foreach_sin_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """sin_ of each tensor of a list."""

def _foreach_sinh(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """sinh of each tensor of a list."""

def _foreach_sinh_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """sinh_ of each tensor of a list."""

def _foreach_sqrt(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """sqrt of each tensor of a list."""

def _foreach_sqrt_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """sqrt_ of each tensor of a list."""

def _foreach_sub(
    self: Sequence[Tensor] | Tensor | _Number, other: Tensor | _Number | Sequence[Tensor | _Number], *,
    alpha: _Number | Tensor = 1,
) -> tuple[Tensor, ...]:
    """sub of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor on
    tensors of it.
    """

def _foreach_sub_(
    self: Sequence[Tensor], other: Tensor | _Number | Sequence[Tensor | _Number], *, alpha: _Number | Tensor = 1,
) -> Sequence[Tensor]:
    """sub of each tensor of a list and a number, a 0-d tensor, or the element of a second list; alpha: a factor on
    tensors of it, in place.
    """

def _foreach_tan(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """tan of each tensor of a list."""

def _foreach_tan_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """tan_ of each tensor of a list."""

def _foreach_tanh(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """tanh of each tensor of a list."""

def _foreach_tanh_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """tanh_ of each tensor of a list."""

def _foreach_trunc(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """trunc of each tensor of a list."""

def _foreach_trunc_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """trunc_ of each tensor of a list."""

def _foreach_zero_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """Set each tensor of a list to zero."""

def ccol_indices_copy(self: Tensor) -> Tensor:
    """A copy of ccol_indices() of a sparse tensor."""

def col_indices_copy(self: Tensor) -> Tensor:
    """A copy of col_indices() of a sparse tensor."""

def crow_indices_copy(self: Tensor) -> Tensor:
    """A copy of crow_indices() of a sparse tensor."""

default_generator: _Generator

def indices_copy(self: Tensor) -> Tensor:
    """A copy of indices() of a sparse tensor."""

def int_repr(input: Tensor) -> Any:
    """NotImplementedError: the tensor is not quantized, and there are no quantized tensors here."""

def q_per_channel_axis(input: Tensor) -> Any:
    """NotImplementedError: the tensor is not quantized, and there are no quantized tensors here."""

def q_per_channel_scales(input: Tensor) -> Any:
    """NotImplementedError: the tensor is not quantized, and there are no quantized tensors here."""

def q_per_channel_zero_points(input: Tensor) -> Any:
    """NotImplementedError: the tensor is not quantized, and there are no quantized tensors here."""

def q_scale(input: Tensor) -> Any:
    """NotImplementedError: the tensor is not quantized, and there are no quantized tensors here."""

def q_zero_point(input: Tensor) -> Any:
    """NotImplementedError: the tensor is not quantized, and there are no quantized tensors here."""

def quantize_per_channel(*args: Any, **kwargs: Any) -> Any:
    """Not there: NotImplementedError. There are no quantized tensors, which PyTorch is about to remove;
    fake_quantize_per_tensor_affine() and fake_quantize_per_channel_affine() give the same numbers in floating point.
    """

def quantize_per_tensor(*args: Any, **kwargs: Any) -> Any:
    """Not there: NotImplementedError. There are no quantized tensors, which PyTorch is about to remove;
    fake_quantize_per_tensor_affine() and fake_quantize_per_channel_affine() give the same numbers in floating point.
    """

def quantize_per_tensor_dynamic(*args: Any, **kwargs: Any) -> Any:
    """Not there: NotImplementedError. There are no quantized tensors, which PyTorch is about to remove;
    fake_quantize_per_tensor_affine() and fake_quantize_per_channel_affine() give the same numbers in floating point.
    """

def row_indices_copy(self: Tensor) -> Tensor:
    """A copy of row_indices() of a sparse tensor."""

def sparse_bsc_tensor(
    ccol_indices: Any, row_indices: Any, values: Any, size: Sequence[_int] | None = None, *,
    dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None,
    pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None,
) -> Tensor:
    """A sparse tensor of blocks by columns; see sparse_compressed_tensor()."""

def sparse_bsr_tensor(
    crow_indices: Any, col_indices: Any, values: Any, size: Sequence[_int] | None = None, *,
    dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None,
    pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None,
) -> Tensor:
    """A sparse tensor of blocks by rows; see sparse_compressed_tensor()."""

def sparse_compressed_tensor(
    compressed_indices: Any, plain_indices: Any, values: Any, size: Sequence[_int] | None = None, *,
    dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None,
    pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None,
) -> Tensor:
    """A sparse tensor in a compressed layout: its indices are looked at, whatever check_invariants is."""

def sparse_csc_tensor(
    ccol_indices: Any, row_indices: Any, values: Any, size: Sequence[_int] | None = None, *,
    dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None,
    pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None,
) -> Tensor:
    """A sparse tensor by columns; see sparse_compressed_tensor()."""

def sparse_csr_tensor(
    crow_indices: Any, col_indices: Any, values: Any, size: Sequence[_int] | None = None, *,
    dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None,
    pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None,
) -> Tensor:
    """A sparse tensor by rows; see sparse_compressed_tensor()."""

def values_copy(self: Tensor) -> Tensor:
    """A copy of values() of a sparse tensor."""
