# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._operators import (
    bilinear as bilinear, cosine_similarity as cosine_similarity, pairwise_distance as pairwise_distance, pdist as pdist,
    sigmoid as sigmoid, tanh as tanh,
)
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn._functional_operators import (
    adaptive_avg_pool1d as adaptive_avg_pool1d, adaptive_avg_pool2d as adaptive_avg_pool2d,
    adaptive_avg_pool3d as adaptive_avg_pool3d, adaptive_max_pool1d as adaptive_max_pool1d,
    adaptive_max_pool1d_with_indices as adaptive_max_pool1d_with_indices, adaptive_max_pool2d as adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices as adaptive_max_pool2d_with_indices, adaptive_max_pool3d as adaptive_max_pool3d,
    adaptive_max_pool3d_with_indices as adaptive_max_pool3d_with_indices, affine_grid as affine_grid,
    alpha_dropout as alpha_dropout, avg_pool1d as avg_pool1d, avg_pool2d as avg_pool2d, avg_pool3d as avg_pool3d,
    batch_norm as batch_norm, binary_cross_entropy as binary_cross_entropy,
    binary_cross_entropy_with_logits as binary_cross_entropy_with_logits, celu as celu, celu_ as celu_,
    channel_shuffle as channel_shuffle, conv1d as conv1d, conv2d as conv2d, conv3d as conv3d, conv_tbc as conv_tbc,
    conv_transpose1d as conv_transpose1d, conv_transpose2d as conv_transpose2d, conv_transpose3d as conv_transpose3d,
    cosine_embedding_loss as cosine_embedding_loss, cross_entropy as cross_entropy, ctc_loss as ctc_loss, dropout as dropout,
    dropout1d as dropout1d, dropout2d as dropout2d, dropout3d as dropout3d, elu as elu, elu_ as elu_, embedding as embedding,
    embedding_bag as embedding_bag, feature_alpha_dropout as feature_alpha_dropout, fold as fold,
    fractional_max_pool2d as fractional_max_pool2d, fractional_max_pool2d_with_indices as fractional_max_pool2d_with_indices,
    fractional_max_pool3d as fractional_max_pool3d, fractional_max_pool3d_with_indices as fractional_max_pool3d_with_indices,
    gaussian_nll_loss as gaussian_nll_loss, gelu as gelu, glu as glu, grid_sample as grid_sample, group_norm as group_norm,
    grouped_mm as grouped_mm, gumbel_softmax as gumbel_softmax, hardshrink as hardshrink, hardsigmoid as hardsigmoid,
    hardswish as hardswish, hardtanh as hardtanh, hardtanh_ as hardtanh_, hinge_embedding_loss as hinge_embedding_loss,
    huber_loss as huber_loss, instance_norm as instance_norm, interpolate as interpolate, kl_div as kl_div, l1_loss as l1_loss,
    layer_norm as layer_norm, leaky_relu as leaky_relu, leaky_relu_ as leaky_relu_, linear as linear,
    linear_cross_entropy as linear_cross_entropy, local_response_norm as local_response_norm, log_softmax as log_softmax,
    logsigmoid as logsigmoid, lp_pool1d as lp_pool1d, lp_pool2d as lp_pool2d, lp_pool3d as lp_pool3d,
    margin_ranking_loss as margin_ranking_loss, max_pool1d as max_pool1d, max_pool1d_with_indices as max_pool1d_with_indices,
    max_pool2d as max_pool2d, max_pool2d_with_indices as max_pool2d_with_indices, max_pool3d as max_pool3d,
    max_pool3d_with_indices as max_pool3d_with_indices, max_unpool1d as max_unpool1d, max_unpool2d as max_unpool2d,
    max_unpool3d as max_unpool3d, mish as mish, mse_loss as mse_loss, multi_margin_loss as multi_margin_loss,
    multilabel_margin_loss as multilabel_margin_loss, multilabel_soft_margin_loss as multilabel_soft_margin_loss,
    nll_loss as nll_loss, normalize as normalize, one_hot as one_hot, pad as pad, pixel_shuffle as pixel_shuffle,
    pixel_unshuffle as pixel_unshuffle, poisson_nll_loss as poisson_nll_loss, prelu as prelu, relu as relu, relu6 as relu6,
    relu_ as relu_, rms_norm as rms_norm, rrelu as rrelu, rrelu_ as rrelu_,
    scaled_dot_product_attention as scaled_dot_product_attention, selu as selu, selu_ as selu_, silu as silu,
    smooth_l1_loss as smooth_l1_loss, soft_margin_loss as soft_margin_loss, softmax as softmax, softmin as softmin,
    softplus as softplus, softshrink as softshrink, softsign as softsign, tanhshrink as tanhshrink, threshold as threshold,
    threshold_ as threshold_, triplet_margin_loss as triplet_margin_loss, unfold as unfold,
)
from rushlight.nn.functional import (
    multi_head_attention_forward as multi_head_attention_forward,
    triplet_margin_with_distance_loss as triplet_margin_with_distance_loss, upsample as upsample,
    upsample_bilinear as upsample_bilinear, upsample_nearest as upsample_nearest,
)
