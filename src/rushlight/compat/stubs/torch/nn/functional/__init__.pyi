# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from collections.abc import Callable
from rushlight._operators import adaptive_avg_pool1d as adaptive_avg_pool1d
from rushlight._operators import adaptive_max_pool1d as _of_adaptive_max_pool1d_with_indices
from rushlight._operators import avg_pool1d as avg_pool1d
from rushlight._operators import bilinear as bilinear
from rushlight._operators import celu_ as celu_
from rushlight._operators import channel_shuffle as channel_shuffle
from rushlight._operators import conv1d as conv1d
from rushlight._operators import conv2d as conv2d
from rushlight._operators import conv3d as conv3d
from rushlight._operators import conv_tbc as conv_tbc
from rushlight._operators import conv_transpose1d as conv_transpose1d
from rushlight._operators import conv_transpose2d as conv_transpose2d
from rushlight._operators import conv_transpose3d as conv_transpose3d
from rushlight._operators import cosine_similarity as cosine_similarity
from rushlight._operators import hardshrink as hardshrink
from rushlight._operators import max_pool1d as max_pool1d
from rushlight._operators import max_pool1d_with_indices as max_pool1d_with_indices
from rushlight._operators import max_pool2d as max_pool2d
from rushlight._operators import max_pool3d as max_pool3d
from rushlight._operators import pairwise_distance as pairwise_distance
from rushlight._operators import pdist as pdist
from rushlight._operators import pixel_shuffle as pixel_shuffle
from rushlight._operators import pixel_unshuffle as pixel_unshuffle
from rushlight._operators import relu_ as relu_
from rushlight._operators import rms_norm as rms_norm
from rushlight._operators import rrelu_ as rrelu_
from rushlight._operators import selu_ as selu_
from rushlight._operators import sigmoid as sigmoid
from rushlight._operators import tanh as tanh
from rushlight._operators import threshold_ as threshold_
from rushlight.core.dispatch import Operator as _Operator
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn._functional_operators import adaptive_avg_pool2d as adaptive_avg_pool2d
from rushlight.nn._functional_operators import adaptive_avg_pool3d as adaptive_avg_pool3d
from rushlight.nn._functional_operators import affine_grid as affine_grid
from rushlight.nn._functional_operators import alpha_dropout as alpha_dropout
from rushlight.nn._functional_operators import avg_pool2d as avg_pool2d
from rushlight.nn._functional_operators import avg_pool3d as avg_pool3d
from rushlight.nn._functional_operators import batch_norm as batch_norm
from rushlight.nn._functional_operators import binary_cross_entropy as binary_cross_entropy
from rushlight.nn._functional_operators import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from rushlight.nn._functional_operators import celu as celu
from rushlight.nn._functional_operators import channel_shuffle as _of_native_channel_shuffle
from rushlight.nn._functional_operators import cosine_embedding_loss as cosine_embedding_loss
from rushlight.nn._functional_operators import cross_entropy as cross_entropy
from rushlight.nn._functional_operators import ctc_loss as ctc_loss
from rushlight.nn._functional_operators import dropout as dropout
from rushlight.nn._functional_operators import elu as elu
from rushlight.nn._functional_operators import elu_ as elu_
from rushlight.nn._functional_operators import embedding as embedding
from rushlight.nn._functional_operators import embedding_bag as embedding_bag
from rushlight.nn._functional_operators import feature_alpha_dropout as feature_alpha_dropout
from rushlight.nn._functional_operators import fold as fold
from rushlight.nn._functional_operators import gelu as gelu
from rushlight.nn._functional_operators import glu as glu
from rushlight.nn._functional_operators import grid_sample as grid_sample
from rushlight.nn._functional_operators import group_norm as group_norm
from rushlight.nn._functional_operators import grouped_mm as grouped_mm
from rushlight.nn._functional_operators import hardsigmoid as hardsigmoid
from rushlight.nn._functional_operators import hardswish as hardswish
from rushlight.nn._functional_operators import hardtanh as hardtanh
from rushlight.nn._functional_operators import hardtanh_ as hardtanh_
from rushlight.nn._functional_operators import hinge_embedding_loss as hinge_embedding_loss
from rushlight.nn._functional_operators import huber_loss as huber_loss
from rushlight.nn._functional_operators import instance_norm as instance_norm
from rushlight.nn._functional_operators import interpolate as interpolate
from rushlight.nn._functional_operators import kl_div as kl_div
from rushlight.nn._functional_operators import l1_loss as l1_loss
from rushlight.nn._functional_operators import layer_norm as layer_norm
from rushlight.nn._functional_operators import leaky_relu as leaky_relu
from rushlight.nn._functional_operators import leaky_relu_ as leaky_relu_
from rushlight.nn._functional_operators import linear as linear
from rushlight.nn._functional_operators import linear_cross_entropy as linear_cross_entropy
from rushlight.nn._functional_operators import local_response_norm as local_response_norm
from rushlight.nn._functional_operators import log_softmax as log_softmax
from rushlight.nn._functional_operators import logsigmoid as logsigmoid
from rushlight.nn._functional_operators import lp_pool1d as lp_pool1d
from rushlight.nn._functional_operators import lp_pool2d as lp_pool2d
from rushlight.nn._functional_operators import lp_pool3d as lp_pool3d
from rushlight.nn._functional_operators import margin_ranking_loss as margin_ranking_loss
from rushlight.nn._functional_operators import max_unpool1d as max_unpool1d
from rushlight.nn._functional_operators import max_unpool2d as max_unpool2d
from rushlight.nn._functional_operators import max_unpool3d as max_unpool3d
from rushlight.nn._functional_operators import mish as mish
from rushlight.nn._functional_operators import mse_loss as mse_loss
from rushlight.nn._functional_operators import multi_margin_loss as multi_margin_loss
from rushlight.nn._functional_operators import multilabel_margin_loss as multilabel_margin_loss
from rushlight.nn._functional_operators import multilabel_soft_margin_loss as multilabel_soft_margin_loss
from rushlight.nn._functional_operators import nll_loss as nll_loss
from rushlight.nn._functional_operators import normalize as normalize
from rushlight.nn._functional_operators import one_hot as one_hot
from rushlight.nn._functional_operators import pad as pad
from rushlight.nn._functional_operators import poisson_nll_loss as poisson_nll_loss
from rushlight.nn._functional_operators import prelu as prelu
from rushlight.nn._functional_operators import relu as relu
from rushlight.nn._functional_operators import relu6 as relu6
from rushlight.nn._functional_operators import rrelu as rrelu
from rushlight.nn._functional_operators import scaled_dot_product_attention as scaled_dot_product_attention
from rushlight.nn._functional_operators import selu as selu
from rushlight.nn._functional_operators import silu as silu
from rushlight.nn._functional_operators import smooth_l1_loss as smooth_l1_loss
from rushlight.nn._functional_operators import soft_margin_loss as soft_margin_loss
from rushlight.nn._functional_operators import softmax as softmax
from rushlight.nn._functional_operators import softmin as softmin
from rushlight.nn._functional_operators import softplus as softplus
from rushlight.nn._functional_operators import softshrink as softshrink
from rushlight.nn._functional_operators import softsign as softsign
from rushlight.nn._functional_operators import tanhshrink as tanhshrink
from rushlight.nn._functional_operators import threshold as threshold
from rushlight.nn._functional_operators import triplet_margin_loss as triplet_margin_loss
from rushlight.nn._functional_operators import unfold as unfold
from rushlight.nn.functional import multi_head_attention_forward as multi_head_attention_forward
from rushlight.nn.functional import triplet_margin_with_distance_loss as triplet_margin_with_distance_loss
from rushlight.nn.functional import upsample as upsample
from rushlight.nn.functional import upsample_bilinear as upsample_bilinear
from rushlight.nn.functional import upsample_nearest as upsample_nearest
from typing import Any

adaptive_max_pool1d: _Operator
adaptive_max_pool1d_with_indices = _of_adaptive_max_pool1d_with_indices
adaptive_max_pool2d: _Operator
adaptive_max_pool2d_with_indices: Callable[..., Any]
adaptive_max_pool3d: _Operator
adaptive_max_pool3d_with_indices: Callable[..., Any]
dropout1d: _Operator
dropout2d: _Operator
dropout3d: _Operator
fractional_max_pool2d: _Operator
fractional_max_pool2d_with_indices: _Operator
fractional_max_pool3d: _Operator
fractional_max_pool3d_with_indices: _Operator
gaussian_nll_loss: _Operator
gumbel_softmax: _Operator
max_pool2d_with_indices: Callable[..., Any]
max_pool3d_with_indices: Callable[..., Any]
native_channel_shuffle = _of_native_channel_shuffle
