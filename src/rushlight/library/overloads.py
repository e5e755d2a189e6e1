"""Overloads of aten's operators that do not follow from the parameters of ours."""

from __future__ import annotations

_OPERATORS = {
    "Dict_Tensor": "copy",
    "IntList": "ctc_loss",
    "KN": "fbgemm_pack_quantized_matrix",
    "L": "linalg_cholesky_ex",
    "List": (
        "_foreach_add _foreach_add_ _foreach_clamp_max _foreach_clamp_max_ _foreach_clamp_min "
        "_foreach_clamp_min_ _foreach_div _foreach_div_ _foreach_lerp _foreach_lerp_ _foreach_maximum "
        "_foreach_maximum_ _foreach_minimum _foreach_minimum_ _foreach_mul _foreach_mul_ _foreach_pow "
        "_foreach_pow_ _foreach_sub _foreach_sub_ "
    ),
    "OutScalar_Other": "xlogy",
    "OutScalar_Self": "xlogy",
    "OutTensor": "xlogy",
    "Q": "qr",
    "Scalar": (
        "_add_relu _add_relu_ _foreach_add _foreach_add_ _foreach_addcdiv _foreach_addcdiv_ _foreach_addcmul "
        "_foreach_addcmul_ _foreach_clamp_max _foreach_clamp_max_ _foreach_clamp_min _foreach_clamp_min_ "
        "_foreach_div _foreach_div_ _foreach_lerp _foreach_lerp_ _foreach_maximum _foreach_maximum_ "
        "_foreach_minimum _foreach_minimum_ _foreach_mul _foreach_mul_ _foreach_norm _foreach_pow "
        "_foreach_pow_ _foreach_powsum _foreach_sub _foreach_sub_ norm result_type "
    ),
    "ScalarAndTensor": "_foreach_pow",
    "ScalarList": (
        "_foreach_add _foreach_add_ _foreach_addcdiv _foreach_addcdiv_ _foreach_addcmul _foreach_addcmul_ "
        "_foreach_clamp_max _foreach_clamp_max_ _foreach_clamp_min _foreach_clamp_min_ _foreach_div "
        "_foreach_div_ _foreach_lerp _foreach_lerp_ _foreach_maximum _foreach_maximum_ _foreach_minimum "
        "_foreach_minimum_ _foreach_mul _foreach_mul_ _foreach_pow _foreach_pow_ _foreach_sub _foreach_sub_ "
    ),
    "ScalarOpt_dim": "norm",
    "ScalarOpt_dim_dtype": "native_norm norm",
    "ScalarOpt_dtype": "norm",
    "Scalar_Other": "xlogy xlogy_",
    "Scalar_Self": "xlogy",
    "Scalar_Tensor": (
        "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor isin linspace logspace "
        "remainder result_type "
    ),
    "Scalar_mode": "div div_ divide divide_",
    "Sequence": "atleast_1d atleast_2d atleast_3d",
    "Tensor": (
        "_add_relu _add_relu_ _ctc_loss _ctc_loss_backward _cudnn_ctc_loss _foreach_add _foreach_add_ "
        "_foreach_addcdiv _foreach_addcdiv_ _foreach_addcmul _foreach_addcmul_ _foreach_div _foreach_div_ "
        "_foreach_mul _foreach_mul_ _unsafe_index _use_cudnn_ctc_loss _use_miopen_ctc_loss bernoulli "
        "bernoulli_ ctc_loss frexp ldexp miopen_ctc_loss narrow pow_ randint_like repeat_interleave "
        "result_type slice_copy sort split split_copy unsafe_split values "
    ),
    "TensorList": "backward",
    "TensorList_bins": "histogramdd",
    "Tensor_Scalar": (
        "bitwise_left_shift bitwise_left_shift_ bitwise_right_shift bitwise_right_shift_ float_power isin "
        "linspace logspace "
    ),
    "Tensor_Tensor": "float_power isin linspace logspace normal",
    "Tensor_float": "normal",
    "Tensor_generator": "randint_like",
    "Tensor_mode": "div div_ divide divide_",
    "X": "triangular_solve",
    "atol_rtol_float": "linalg_matrix_rank linalg_pinv",
    "atol_rtol_tensor": "linalg_matrix_rank linalg_pinv",
    "beta": "kaiser_window",
    "bin_ct": "histogram",
    "bins_tensor": "histogram",
    "ccol_row_value": "sparse_bsc_tensor sparse_csc_tensor",
    "ccol_row_value_size": "sparse_bsc_tensor sparse_csc_tensor",
    "center": "stft",
    "comp_plain_value": "sparse_compressed_tensor",
    "comp_plain_value_size": "sparse_compressed_tensor",
    "correction": "std std_mean var var_mean",
    "crow_col_value": "sparse_bsr_tensor sparse_csr_tensor",
    "crow_col_value_size": "sparse_bsr_tensor sparse_csr_tensor",
    "array": "dsplit gradient hsplit vsplit",
    "data": "gru lstm quantized_gru quantized_lstm rnn_relu rnn_tanh",
    "data_legacy": "quantized_gru quantized_lstm",
    "decimals": "round round_",
    "default": (
        "clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ copy_ floor_divide index_add "
        "index_add_ linalg_matrix_rank linalg_pinv special_chebyshev_polynomial_t "
        "special_chebyshev_polynomial_u special_chebyshev_polynomial_v special_chebyshev_polynomial_w "
        "special_hermite_polynomial_h special_hermite_polynomial_he special_laguerre_polynomial_l "
        "special_legendre_polynomial_p special_shifted_chebyshev_polynomial_t "
        "special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v "
        "special_shifted_chebyshev_polynomial_w special_xlog1py special_zeta where "
    ),
    "deprecated": "_convolution",
    "device": "to",
    "dim": ("_aminmax _sparse_sum frobenius_norm nanmedian nuclear_norm squeeze_ squeeze_copy std_mean var_mean "),
    "dim_IntList": "count_nonzero",
    "dim_dtype": "_sparse_csr_prod _sparse_csr_sum _sparse_sum",
    "dim_int": "prod",
    "dim_max": "max",
    "dim_min": "min",
    "dim_values": "median nanmedian",
    "dims": "all any squeeze squeeze_ squeeze_copy",
    "dtype": "_sparse_sum addmm baddbmm bmm mm to view view_copy",
    "eigenvalues": "_linalg_eigh",
    "eigvals": "linalg_eigh",
    "float_Tensor": "normal",
    "float_float": "normal",
    "from": "random random_",
    "generator": "rand rand_like randint randint_like randn randn_like randperm",
    "grad_input": (
        "_slow_conv2d_backward _upsample_bicubic2d_aa_backward _upsample_bilinear2d_aa_backward "
        "_upsample_lanczos2d_aa_backward _upsample_nearest_exact1d_backward "
        "_upsample_nearest_exact2d_backward _upsample_nearest_exact3d_backward adaptive_avg_pool3d_backward "
        "adaptive_max_pool2d_backward adaptive_max_pool3d_backward avg_pool2d_backward avg_pool3d_backward "
        "binary_cross_entropy_backward elu_backward fractional_max_pool2d_backward "
        "fractional_max_pool3d_backward gelu_backward glu_backward hardshrink_backward hardsigmoid_backward "
        "hardtanh_backward leaky_relu_backward log_sigmoid_backward logit_backward "
        "max_pool2d_with_indices_backward max_pool3d_with_indices_backward mse_loss_backward "
        "multi_margin_loss_backward multilabel_margin_loss_backward nll_loss2d_backward nll_loss_backward "
        "reflection_pad1d_backward reflection_pad2d_backward reflection_pad3d_backward "
        "replication_pad1d_backward replication_pad2d_backward replication_pad3d_backward sigmoid_backward "
        "silu_backward smooth_l1_loss_backward soft_margin_loss_backward softplus_backward "
        "softshrink_backward tanh_backward threshold_backward upsample_bicubic2d_backward "
        "upsample_bilinear2d_backward upsample_linear1d_backward upsample_nearest1d_backward "
        "upsample_nearest2d_backward upsample_nearest3d_backward upsample_trilinear3d_backward "
    ),
    "dx": "cumulative_trapezoid trapezoid trapz",
    "float": "bernoulli_",
    "indexing": "meshgrid",
    "indices": "sparse_coo_tensor tensor_split",
    "indices_size": "sparse_coo_tensor",
    "input": "conv_transpose2d conv_transpose3d gru lstm quantized_gru quantized_lstm rnn_relu rnn_tanh",
    "input_legacy": "quantized_gru quantized_lstm",
    "int": "dsplit hsplit movedim moveaxis select_copy transpose transpose_copy unbind_copy unflatten vsplit",
    "int_Scalar": "index_fill index_fill_",
    "int_Tensor": "index_fill index_fill_",
    "int_bins": "histogramdd",
    "intlist": "moveaxis movedim",
    "inverse": "linalg_inv_ex",
    "list_Tensor": "index",
    "low": "randint",
    "low_dtype": "randint_like",
    "low_generator": "randint",
    "low_generator_dtype": "randint_like",
    "m": "eye",
    "memory_format": "empty is_contiguous",
    "msg": "_assert_async _functional_assert_async",
    "n_scalar": (
        "special_chebyshev_polynomial_t special_chebyshev_polynomial_u special_chebyshev_polynomial_v "
        "special_chebyshev_polynomial_w special_hermite_polynomial_h special_hermite_polynomial_he "
        "special_laguerre_polynomial_l special_legendre_polynomial_p special_shifted_chebyshev_polynomial_t "
        "special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v "
        "special_shifted_chebyshev_polynomial_w "
    ),
    "no_stats": "_native_batch_norm_legit",
    "ord_str": "linalg_norm",
    "other": "max min to",
    "other_scalar": "special_xlog1py special_zeta",
    "out_": "range",
    "out_mode": "div divide",
    "out_rcond_tensor": "linalg_pinv",
    "out_tol_tensor": "linalg_matrix_rank",
    "output": (
        "_slow_conv2d_forward fractional_max_pool2d fractional_max_pool3d log_sigmoid_forward "
        "multilabel_margin_loss_forward nll_loss2d_forward nll_loss_forward slow_conv3d_forward "
    ),
    "output_mask": "_slow_conv2d_backward",
    "p": "bernoulli",
    "p_str": "linalg_cond",
    "padding": "conv1d conv2d conv3d",
    "padding_idx": "embedding_bag",
    "periodic": "bartlett_window blackman_window hamming_window hann_window kaiser_window",
    "periodic_alpha": "hamming_window",
    "periodic_alpha_beta": "hamming_window",
    "prim_Device": "to",
    "prim_dtype": "to",
    "prim_other": "to",
    "quantized": "_flash_attention_forward _scaled_dot_product_flash_attention",
    "rcond_tensor": "linalg_pinv",
    "reduce": "_sparse_mm scatter scatter_",
    "result": "_linalg_det _linalg_solve_ex",
    "scalar": "nanquantile quantile",
    "scalararray": "gradient",
    "scalarint": "gradient",
    "scalarrayarray": "gradient",
    "scalarrayint": "gradient",
    "sections": "tensor_split",
    "self": "dequantize",
    "self_Tensor": "repeat_interleave",
    "self_int": "repeat_interleave",
    "self_scalar": "special_xlog1py special_zeta",
    "sign": "_linalg_slogdet",
    "size": "sparse_coo_tensor",
    "sizes": "split",
    "source_Storage": "set set_",
    "source_Storage_storage_offset": "set set_",
    "source_Tensor": "set set_",
    "source_Tensor_storage_offset": "set_",
    "sparse_dim": "_to_sparse to_sparse",
    "src": "scatter scatter_",
    "stable": "argsort sort",
    "start": "arange",
    "start_step": "arange",
    "step": "range",
    "str_ord": "linalg_matrix_norm",
    "sublist": "einsum",
    "tensor": "dequantize",
    "tensor_indices_or_sections": "tensor_split",
    "tensor_lr": (
        "_fused_adagrad _fused_adagrad_ _fused_adam _fused_adam_ _fused_adamw _fused_adamw_ _fused_sgd _fused_sgd_ "
    ),
    "tensor_qparams": "fake_quantize_per_tensor_affine quantize_per_tensor",
    "tensorarray": "gradient",
    "tensorarrayint": "gradient",
    "tensors": "dequantize quantize_per_tensor",
    "to": "random random_",
    "tol_tensor": "linalg_matrix_rank",
    "two": "scatter_reduce scatter_reduce_",
    "using_ints": "flatten",
    "value": "scatter scatter_",
    "value_reduce": "scatter scatter_",
    "values": "kthvalue mode sort topk",
    "values_stable": "sort",
    "vec": (
        "_upsample_bicubic2d_aa _upsample_bilinear2d_aa _upsample_lanczos2d_aa _upsample_nearest_exact1d "
        "_upsample_nearest_exact2d _upsample_nearest_exact3d upsample_bicubic2d upsample_bilinear2d "
        "upsample_linear1d upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_trilinear3d "
    ),
    "x": "cumulative_trapezoid trapezoid trapz",
    "x_scalar": (
        "special_chebyshev_polynomial_t special_chebyshev_polynomial_u special_chebyshev_polynomial_v "
        "special_chebyshev_polynomial_w special_hermite_polynomial_h special_hermite_polynomial_he "
        "special_laguerre_polynomial_l special_legendre_polynomial_p special_shifted_chebyshev_polynomial_t "
        "special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v "
        "special_shifted_chebyshev_polynomial_w "
    ),
}
OVERLOADS: dict[str, list[str]] = {}
for _overload, _names in _OPERATORS.items():
    for _name in _names.split():
        OVERLOADS.setdefault(_name, []).append(_overload)
