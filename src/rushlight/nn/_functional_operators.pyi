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
from rushlight._operators import adaptive_avg_pool1d as adaptive_avg_pool1d
from rushlight._operators import avg_pool1d as avg_pool1d
from rushlight._operators import celu_ as celu_
from rushlight._operators import channel_shuffle as channel_shuffle
from rushlight._operators import conv1d as conv1d
from rushlight._operators import conv2d as conv2d
from rushlight._operators import conv3d as conv3d
from rushlight._operators import conv_tbc as conv_tbc
from rushlight._operators import conv_transpose1d as conv_transpose1d
from rushlight._operators import conv_transpose2d as conv_transpose2d
from rushlight._operators import conv_transpose3d as conv_transpose3d
from rushlight._operators import hardshrink as hardshrink
from rushlight._operators import pixel_shuffle as pixel_shuffle
from rushlight._operators import pixel_unshuffle as pixel_unshuffle
from rushlight._operators import prelu as prelu
from rushlight._operators import relu_ as relu_
from rushlight._operators import rms_norm as rms_norm
from rushlight._operators import rrelu_ as rrelu_
from rushlight._operators import selu_ as selu_
from rushlight._operators import threshold_ as threshold_

def adaptive_avg_pool2d(input: Tensor, output_size: _int | Sequence[_int | None]) -> Tensor:
    """Means of windows that divide the last 2 dimension(s) into `output_size` (an int or one each; None: as the input).
    """

def adaptive_avg_pool3d(input: Tensor, output_size: _int | Sequence[_int | None]) -> Tensor:
    """Means of windows that divide the last 3 dimension(s) into `output_size` (an int or one each; None: as the input).
    """

def adaptive_max_pool1d(input: Tensor, output_size: _int | Sequence[_int | None], return_indices: _bool = False) -> Any:
    """Maxima (and their flat indices) of windows that divide the last 1 dimension(s) into `output_size`."""

def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: _int | Sequence[_int | None], return_indices: _bool = False,
) -> tuple[Tensor, Tensor]:
    """Maxima (and their flat indices) of windows that divide the last 1 dimension(s) into `output_size`."""

def adaptive_max_pool2d(input: Tensor, output_size: _int | Sequence[_int | None], return_indices: _bool = False) -> Any:
    """Maxima (and their flat indices) of windows that divide the last 2 dimension(s) into `output_size`."""

def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: _int | Sequence[_int | None], return_indices: _bool = False,
) -> tuple[Tensor, Tensor]:
    """Maxima (and their flat indices) of windows that divide the last 2 dimension(s) into `output_size`."""

def adaptive_max_pool3d(input: Tensor, output_size: _int | Sequence[_int | None], return_indices: _bool = False) -> Any:
    """Maxima (and their flat indices) of windows that divide the last 3 dimension(s) into `output_size`."""

def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: _int | Sequence[_int | None], return_indices: _bool = False,
) -> tuple[Tensor, Tensor]:
    """Maxima (and their flat indices) of windows that divide the last 3 dimension(s) into `output_size`."""

def affine_grid(theta: Tensor, size: _int | Sequence[_int], align_corners: _bool | None = None) -> Tensor:
    """The grid for grid_sample of affine maps: (N, 2, 3) and size (N, C, H, W), or (N, 3, 4) and (N, C, D, H, W)."""

def alpha_dropout(input: Tensor, p: _float = 0.5, training: _bool = False, inplace: _bool = False) -> Tensor:
    """Elements set to the value that keeps a SELU network's statistics with probability p, the rest rescaled; the input
    itself unless train.
    """

def avg_pool2d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True,
    divisor_override: _int | Sequence[_int] | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The mean of each window of an image; see avg_pool1d. divisor_override: divide the sum by this."""

def avg_pool3d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True,
    divisor_override: _int | Sequence[_int] | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The mean of each window of a volume; see avg_pool1d. divisor_override: divide the sum by this."""

def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
    bias: Tensor | None = None, training: _bool = False, momentum: _float = 0.1, eps: _float = 1e-05,
) -> Tensor:
    """Channels normalized by their mean and variance over the batch (training) or by the running ones; then weight and
    bias.
    """

def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Any = None, size_average: _bool | None = None, reduce: _bool | None = None,
    reduction: _str = 'mean',
) -> Tensor:
    """-(target log(input) + (1 - target) log(1 - input)) * weight, reduced; logarithms are at least -100."""

def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None,
    reduce: _bool | None = None, reduction: _str = 'mean', pos_weight: Tensor | None = None,
) -> Tensor:
    """binary_cross_entropy(sigmoid(input), target), accurate."""

def celu(input: Tensor, alpha: _float = 1.0, inplace: _bool = False) -> Tensor:
    """max(0, input) + min(0, alpha * (exp(input / alpha) - 1))."""

def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: _float = 0, size_average: _bool | None = None,
    reduce: _bool | None = None, reduction: _str = 'mean',
) -> Tensor:
    """1 - cos(input1, input2) where target is 1, max(0, cos - margin) where it is -1, reduced."""

def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None,
    ignore_index: _Number | Tensor = -100, reduce: _bool | None = None, reduction: _str = 'mean',
    label_smoothing: _float = 0.0,
) -> Tensor:
    """-log softmax(input)[target]."""

def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: _int = 0,
    reduction: _str = 'mean', zero_infinity: _bool = False,
) -> Tensor:
    """-log of the probability that a sequence, blanks and repetitions taken out, spells its target: over all
    alignments.
    """

def dropout(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Elements set to zero with probability p, the rest rescaled; the input itself unless train."""

def dropout1d(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Whole channels zeroed with probability p: (N, C, L) or (C, L)."""

def dropout2d(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Whole channels zeroed with probability p: (N, C, H, W)."""

def dropout3d(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Whole channels zeroed with probability p: (N, C, D, H, W) or (C, D, H, W)."""

def elu(input: Tensor, alpha: _Number | Tensor = 1.0, inplace: _bool = False) -> Tensor:
    """input where positive, alpha * (exp(input) - 1) elsewhere."""

def elu_(input: Tensor, alpha: _Number | Tensor = 1.0) -> Tensor:
    """input where positive, alpha * (exp(input) - 1) elsewhere."""

def embedding(
    input: Tensor, weight: Tensor, padding_idx: _int | None = None, max_norm: _float | None = None,
    norm_type: _float = 2.0, scale_grad_by_freq: _bool = False, sparse: _bool = False,
) -> Tensor:
    """The rows of `weight` that `input` names."""

def embedding_bag(
    input: Tensor, weight: Tensor, offsets: Any = None, max_norm: _float | None = None, norm_type: _float = 2,
    scale_grad_by_freq: _bool = False, mode: _str = 'mean', sparse: _bool = False, per_sample_weights: Any = None,
    include_last_offset: _bool = False, padding_idx: _int | None = None,
) -> Tensor:
    """Sums, means or maxima of bags of rows of `weight`."""

def feature_alpha_dropout(input: Tensor, p: _float = 0.5, training: _bool = False, inplace: _bool = False) -> Tensor:
    """Whole channels set to the value that keeps a SELU network's statistics with probability p, the rest rescaled; the
    input itself unless train.
    """

def fold(
    input: Tensor, output_size: _int | Sequence[_int | None], kernel_size: _int | Sequence[_int],
    dilation: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, stride: _int | Sequence[_int] = 1,
) -> Tensor:
    """The columns of `unfold` added up at the places that they were taken from: (N, C * kH * kW, L) to (N, C, H, W);
    without N likewise.
    """

def fractional_max_pool2d(
    input: Tensor, kernel_size: Any, output_size: _int | Sequence[_int | None] | None = None, output_ratio: Any = None,
    return_indices: _bool = False, _random_samples: Tensor | None = None,
) -> Any:
    """Maxima of 2-d windows that begin at random places; return_indices: with their flat indices."""

def fractional_max_pool2d_with_indices(
    input: Tensor, kernel_size: Any, output_size: _int | Sequence[_int | None] | None = None, output_ratio: Any = None,
    return_indices: _bool = False, _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Maxima of 2-d windows that begin at random places; return_indices: with their flat indices."""

def fractional_max_pool3d(
    input: Tensor, kernel_size: Any, output_size: _int | Sequence[_int | None] | None = None, output_ratio: Any = None,
    return_indices: _bool = False, _random_samples: Tensor | None = None,
) -> Any:
    """Maxima of 3-d windows that begin at random places; return_indices: with their flat indices."""

def fractional_max_pool3d_with_indices(
    input: Tensor, kernel_size: Any, output_size: _int | Sequence[_int | None] | None = None, output_ratio: Any = None,
    return_indices: _bool = False, _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Maxima of 3-d windows that begin at random places; return_indices: with their flat indices."""

def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: _bool = False, eps: _float = 1e-06, reduction: _str = 'mean',
) -> Tensor:
    """0.5 * (log(max(var, eps)) + (input - target)^2 / max(var, eps)), reduced; full: plus 0.5 * log(2 pi)."""

def gelu(input: Tensor, *, approximate: _str = 'none', out: Tensor | None = None) -> Tensor:
    """input * Phi(input), Phi the normal distribution function."""

def glu(input: Tensor, dim: _int = -1, *, out: Tensor | None = None) -> Tensor:
    """The first half of a dimension times the sigmoid of its second half."""

def grid_sample(
    input: Tensor, grid: Tensor, mode: _str = 'bilinear', padding_mode: _str = 'zeros',
    align_corners: _bool | None = None,
) -> Tensor:
    """The input sampled at the positions of a grid."""

def group_norm(
    input: Tensor, num_groups: _int, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = 1e-05,
) -> Tensor:
    """Each group of channels normalized to mean 0 and variance 1; then weight and bias for each channel."""

def grouped_mm(
    mat_a: Tensor, mat_b: Tensor, *, offs: Tensor | None = None, bias: Tensor | None = None,
    out_dtype: _dtype | None = None,
) -> Tensor:
    """Products of groups: of rows of a matrix with a matrix each, of matrices with columns, of columns with rows, or of
    two stacks.
    """

def gumbel_softmax(logits: Tensor, tau: _float = 1, hard: _bool = False, eps: _float = 1e-10, dim: _int = -1) -> Tensor:
    """A sample of the Gumbel-softmax distribution; hard: one-hot, differentiated as if it were soft. eps is without
    effect.
    """

def hardsigmoid(input: Tensor, inplace: _bool = False) -> Tensor:
    """min(max(input + 3, 0), 6) / 6, elementwise."""

def hardswish(input: Tensor, inplace: _bool = False) -> Tensor:
    """input * min(max(input + 3, 0), 6) / 6, elementwise."""

def hardtanh(input: Tensor, min_val: _float = -1.0, max_val: _float = 1.0, inplace: _bool = False) -> Tensor:
    """input clipped to [min_val, max_val], with derivative 0 at the bounds."""

def hardtanh_(input: Tensor, min_val: _float = -1.0, max_val: _float = 1.0) -> Tensor:
    """input clipped to [min_val, max_val], with derivative 0 at the bounds."""

def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: _float = 1.0, size_average: _bool | None = None, reduce: _bool | None = None,
    reduction: _str = 'mean',
) -> Tensor:
    """input where target is 1, max(0, margin - input) where it is -1, reduced."""

def huber_loss(
    input: Tensor, target: Tensor, reduction: _str = 'mean', delta: _float = 1.0, weight: Tensor | None = None,
) -> Tensor:
    """d^2 / 2 where d = |input - target| < delta, delta (d - delta / 2) elsewhere, reduced."""

def instance_norm(
    input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None,
    bias: Tensor | None = None, use_input_stats: _bool = True, momentum: _float = 0.1, eps: _float = 1e-05,
) -> Tensor:
    """Every channel of every example normalized by its own mean and variance (or by the running ones); then weight and
    bias.
    """

def interpolate(
    input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Any = None, mode: _str = 'nearest',
    align_corners: _bool | None = None, recompute_scale_factor: _bool | None = None, antialias: _bool = False,
) -> Tensor:
    """The input resampled to another spatial size."""

def kl_div(
    input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None,
    reduction: _str = 'mean', log_target: _bool = False,
) -> Tensor:
    """target * (log(target) - input), reduced ('batchmean': the sum over the first size); log_target: target is
    log(target).
    """

def l1_loss(
    input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None,
    reduction: _str = 'mean', weight: Tensor | None = None,
) -> Tensor:
    """|input - target|, reduced; weight: one for each element, the mean then is over the weights."""

def layer_norm(
    input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, bias: Tensor | None = None,
    eps: _float = 1e-05,
) -> Tensor:
    """(input - mean) / sqrt(var + eps) * weight + bias, over the last dimensions."""

def leaky_relu(input: Tensor, negative_slope: _Number | Tensor = 0.01, inplace: _bool = False) -> Tensor:
    """input where positive, negative_slope * input elsewhere."""

def leaky_relu_(input: Tensor, negative_slope: _Number | Tensor = 0.01) -> Tensor:
    """input where positive, negative_slope * input elsewhere."""

def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias."""

def linear_cross_entropy(
    input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None,
    weight: Tensor | None = None, reduction: _str = 'mean', ignore_index: _Number | Tensor | None = None,
    label_smoothing: _float = 0.0, options: Any = None,
) -> Tensor:
    """cross_entropy of the logits input @ linear_weight^T + linear_bias."""

def local_response_norm(
    input: Tensor, size: _int, alpha: _float = 0.0001, beta: _float = 0.75, k: _float = 1.0,
) -> Tensor:
    """input / (k + alpha * (the mean of squares of `size` neighbouring channels))^beta."""

def log_softmax(input: Tensor, dim: _int | None = None, _stacklevel: _int = 3, dtype: _dtype | None = None) -> Tensor:
    """log(softmax(input, dim)), accurate; dtype: cast to it first."""

def logsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(sigmoid(input)), elementwise, without overflow."""

def lp_pool1d(
    input: Tensor, norm_type: _float, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    ceil_mode: _bool = False,
) -> Tensor:
    """(sum of x^p)^(1/p) of each window, for p of infinity the greatest absolute value, for -infinity the least; NaN
    where that is no real number.
    """

def lp_pool2d(
    input: Tensor, norm_type: _float, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    ceil_mode: _bool = False,
) -> Tensor:
    """(sum of x^p)^(1/p) of each window, for p of infinity the greatest absolute value, for -infinity the least; NaN
    where that is no real number.
    """

def lp_pool3d(
    input: Tensor, norm_type: _float, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    ceil_mode: _bool = False,
) -> Tensor:
    """(sum of x^p)^(1/p) of each window, for p of infinity the greatest absolute value, for -infinity the least; NaN
    where that is no real number.
    """

def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: _float = 0, size_average: _bool | None = None,
    reduce: _bool | None = None, reduction: _str = 'mean',
) -> Tensor:
    """max(0, -target (input1 - input2) + margin), reduced. The product of integers is one of their dtype, which wraps.
    """

def max_pool1d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Any:
    """The maximum of each window in 1 dimension(s)."""

def max_pool1d_with_indices(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> tuple[Tensor, Tensor]:
    """max_pool1d, and the index of each maximum in the flattened spatial dimensions."""

def max_pool2d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Any:
    """The maximum of each window in 2 dimension(s)."""

def max_pool2d_with_indices(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> tuple[Tensor, Tensor]:
    """max_pool2d, and the index of each maximum in the flattened spatial dimensions."""

def max_pool3d(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Any:
    """The maximum of each window in 3 dimension(s)."""

def max_pool3d_with_indices(
    input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> tuple[Tensor, Tensor]:
    """max_pool3d, and the index of each maximum in the flattened spatial dimensions."""

def max_unpool1d(
    input: Tensor, indices: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, output_size: _int | Sequence[_int | None] | None = None,
) -> Tensor:
    """The maxima put back at their indices, zeros elsewhere."""

def max_unpool2d(
    input: Tensor, indices: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, output_size: _int | Sequence[_int | None] | None = None,
) -> Tensor:
    """The maxima put back at their indices, zeros elsewhere."""

def max_unpool3d(
    input: Tensor, indices: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0, output_size: _int | Sequence[_int | None] | None = None,
) -> Tensor:
    """The maxima put back at their indices, zeros elsewhere."""

def mish(input: Tensor, inplace: _bool = False) -> Tensor:
    """input * tanh(softplus(input)), elementwise."""

def mse_loss(
    input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None,
    reduction: _str = 'mean', weight: Tensor | None = None,
) -> Tensor:
    """(input - target)^2, reduced; weight: one for each element, the mean then is over the weights."""

def multi_margin_loss(
    input: Tensor, target: Tensor, p: _int = 1, margin: _float = 1.0, weight: Tensor | None = None,
    size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean',
) -> Tensor:
    """The sum over the classes i != target of max(0, margin - input[target] + input[i])^p / C, reduced; p: 1 or 2."""

def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None,
    reduction: _str = 'mean',
) -> Tensor:
    """The sum over targets j and other classes i of max(0, 1 - (input[j] - input[i])) / C, reduced."""

def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None,
    reduce: _bool | None = None, reduction: _str = 'mean',
) -> Tensor:
    """The sum over the classes of -(target log(sigmoid(input)) + (1 - target) log(sigmoid(-input))) * weight, divided
    by their number, reduced; the classes are the input's last dimension.
    """

def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None,
    ignore_index: _Number | Tensor = -100, reduce: _bool | None = None, reduction: _str = 'mean',
) -> Tensor:
    """-input[target]: the negative log likelihood, given log probabilities."""

def normalize(
    input: Tensor, p: _float = 2.0, dim: _int | Sequence[_int] | None = 1, eps: _float = 1e-12, *,
    out: Tensor | None = None,
) -> Tensor:
    """input / max(|input|_p, eps) along a dimension, or several."""

def one_hot(tensor: Tensor, num_classes: _int = -1) -> Tensor:
    """int64 ones at each class, zeros elsewhere: (*) to (*, num_classes); num_classes=-1: the greatest class plus 1."""

def pad(
    input: Tensor, pad: _int | Sequence[_int], mode: _str = 'constant', value: _float | _str | None = None,
) -> Tensor:
    """The input extended (or, for negative widths, cropped) at both ends of its last dimensions."""

def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: _bool = True, full: _bool = False, size_average: _bool | None = None,
    eps: _float = 1e-08, reduce: _bool | None = None, reduction: _str = 'mean',
) -> Tensor:
    """exp(input) - target * input (log_input), or input - target * log(input + eps); full: plus Stirling's term for
    target > 1.
    """

def relu(input: Tensor, inplace: _bool = False) -> Tensor:
    """max(input, 0), elementwise; real dtypes but bool."""

def relu6(input: Tensor, inplace: _bool = False) -> Tensor:
    """min(max(input, 0), 6), elementwise."""

def rrelu(
    input: Tensor, lower: _float = 0.125, upper: _float = 0.3333333333333333, training: _bool = False,
    inplace: _bool = False,
) -> Tensor:
    """leaky_relu with a random slope from [lower, upper) for each element in training, and their mean otherwise."""

def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Any = None, dropout_p: _float = 0.0, is_causal: _bool = False,
    scale: _float | None = None, enable_gqa: _bool = False,
) -> Tensor:
    """softmax(query @ key^T * scale + mask) @ value."""

def selu(input: Tensor, inplace: _bool = False) -> Tensor:
    """scale * elu(input, alpha) with the self-normalizing constants."""

def silu(input: Tensor, inplace: _bool = False) -> Tensor:
    """input * sigmoid(input), elementwise."""

def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None,
    reduction: _str = 'mean', beta: _float = 1.0,
) -> Tensor:
    """d^2 / (2 beta) where d = |input - target| < beta, d - beta / 2 elsewhere, reduced."""

def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None,
    reduction: _str = 'mean',
) -> Tensor:
    """log(1 + exp(-target * input)), reduced."""

def softmax(input: Tensor, dim: _int | None = None, _stacklevel: _int = 3, dtype: _dtype | None = None) -> Tensor:
    """exp(input) / sum(exp(input)) along a dimension; dtype: cast to it first."""

def softmin(input: Tensor, dim: _int | None = None, _stacklevel: _int = 3, dtype: _dtype | None = None) -> Tensor:
    """softmax(-input) along a dimension; dtype: cast to it first."""

def softplus(
    input: Tensor, beta: _Number | Tensor = 1.0, threshold: _Number | Tensor = 20.0, *, out: Tensor | None = None,
) -> Tensor:
    """log(1 + exp(beta * input)) / beta; input itself where beta * input exceeds the threshold."""

def softshrink(input: Tensor, lambd: _float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """input moved towards 0 by lambd, and 0 within."""

def softsign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input / (1 + |input|), elementwise; integers become the default float dtype."""

def tanhshrink(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input - tanh(input), elementwise; integers become the default float dtype."""

def threshold(input: Tensor, threshold: _Number | Tensor, value: _Number | Tensor, inplace: _bool = False) -> Tensor:
    """input where it is greater than threshold, value elsewhere."""

def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: _float = 1.0, p: _float = 2, eps: _float = 1e-06,
    swap: _bool = False, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean',
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), reduced; d: the p-norm of the difference plus eps."""

def unfold(
    input: Tensor, kernel_size: _int | Sequence[_int], dilation: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0, stride: _int | Sequence[_int] = 1,
) -> Tensor:
    """The sliding blocks of an image as columns: (N, C, H, W) to (N, C * kH * kW, L); without N likewise."""
