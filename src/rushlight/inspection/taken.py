"""Which shapes and dtypes tensors among the arguments have in the samples.

Made by `python tools/taken.py`; do not edit. A line is of `namespace.operator:argument`, several with a space between.
"""

from __future__ import annotations

TAKEN: dict[str, str] = {
    "floating point, complex, integers or bool": (
        "__dlpack__:input __dlpack_device__:input adjoint:input alias_copy:input apply_:input argwhere:input "
        "as_strided:input as_strided_:input as_strided_copy:input as_strided_scatter:input as_strided_scatter:src "
        "bernoulli_:input bincount:weights block_diag:tensors broadcast_tensors:tensors broadcast_to:input "
        "cartesian_prod:tensors cat:tensors cdouble:input cfloat:input chalf:input chunk:input clone:input "
        "column_stack:tensors combinations:input conj_physical_:input const_data_ptr:input constant_pad_nd:input "
        "contiguous:input copy_:input copy_:src cpu:input detach:input detach_:input detach_copy:input diag:input "
        "diag_embed:input diagflat:input diagonal:input diagonal_copy:input diagonal_scatter:input "
        "diagonal_scatter:src diff:append diff:input diff:prepend dim_order:input dsplit:input dstack:tensors "
        "empty_like:input equal:input equal:other expand:input expand_as:input expand_as:other expand_copy:input "
        "fft.fftshift:input fft.ifftshift:input fill:input fill:value fill_diagonal_:input fliplr:input flipud:input "
        "full_like:input hsplit:input hstack:tensors index_add:alpha index_copy:input index_copy:source "
        "index_fill:input index_fill:value index_put:input index_put:values index_select:input is_nonzero:input "
        "is_pinned:input is_same_size:input is_same_size:other is_set_to:input is_set_to:tensor is_shared:input "
        "linalg.diagonal:A linalg.multi_dot:tensors map2_:input map2_:x map2_:y masked_fill:input "
        "masked_scatter:input masked_scatter:source masked_select:input meshgrid:tensors module_load:input "
        "module_load:other movedim:input narrow:input narrow_copy:input new:input new_empty:input "
        "new_empty_strided:input new_full:input new_ones:input new_tensor:input new_zeros:input "
        "nn.functional.binary_cross_entropy_with_logits:pos_weight "
        "nn.functional.binary_cross_entropy_with_logits:weight nn.functional.huber_loss:weight "
        "nn.functional.l1_loss:weight nn.functional.mse_loss:weight nn.functional.multilabel_soft_margin_loss:weight "
        "nonzero:input nonzero_static:input numpy:input ones_like:input put:input put:source ravel:input repeat:input "
        "repeat_interleave:input reshape_as:input reshape_as:other resize:input resize_:input resize_as:input "
        "resize_as:tensor resize_as_:input resize_as_:the_template roll:input rot90:input scatter:input scatter:src "
        "scatter_add:input scatter_add:src select:input select_copy:input select_scatter:input select_scatter:src "
        "set_:input share_memory_:input slice_scatter:input slice_scatter:src split:tensor split_with_sizes:input "
        "split_with_sizes_copy:input squeeze_:input squeeze_copy:input stack:tensors storage:input swapaxes:input "
        "swapaxes_:input swapdims_:input t:input t_:input t_copy:input take:input take_along_dim:input "
        "tensor_split:input tile:input to:input transpose_:input transpose_copy:input tril:input triu:input "
        "type_as:input type_as:other unbind:input unbind_copy:input unflatten:input unfold:input unfold_copy:input "
        "unsafe_chunk:input unsafe_split:tensor unsafe_split_with_sizes:input unsqueeze:input unsqueeze_:input "
        "unsqueeze_copy:input view_as:input view_as:other view_copy:input vsplit:input vstack:tensors where:input "
        "zero_:input zeros_like:input"
    ),
    "floating point or int64": (
        "__reversed__:input fft.ihfft2:input fft.ihfftn:input fft.rfft2:input fft.rfftn:input masked.median:input "
        "nn.functional.avg_pool1d:input nn.functional.avg_pool2d:input nn.functional.avg_pool3d:input "
        "nn.functional.channel_shuffle:input nn.functional.local_response_norm:input "
        "nn.functional.margin_ranking_loss:input1 nn.functional.margin_ranking_loss:input2 "
        "nn.functional.margin_ranking_loss:target nn.functional.pixel_shuffle:input "
        "nn.functional.pixel_unshuffle:input nn.functional.poisson_nll_loss:input "
        "nn.functional.poisson_nll_loss:target pairwise_distance:x1 pairwise_distance:x2 slice_copy:input "
        "split_copy:input"
    ),
    "int32 or int64": (
        "_convert_indices_from_coo_to_csr:input _convert_indices_from_csr_to_coo:col_indices "
        "_convert_indices_from_csr_to_coo:crow_indices unravel_index:indices"
    ),
    "floating point": (
        "_dirichlet_grad:alpha _dirichlet_grad:total _dirichlet_grad:x _log_softmax_backward_data:grad_output "
        "_log_softmax_backward_data:output _softmax_backward_data:grad_output _softmax_backward_data:output "
        "_standard_gamma_grad:input _standard_gamma_grad:output adaptive_max_pool1d_with_indices:input "
        "adaptive_max_pool2d_with_indices:input adaptive_max_pool3d_with_indices:input affine_grid_generator:theta "
        "alpha_dropout:input alpha_dropout_:input batch_norm:bias batch_norm:input batch_norm:weight bernoulli:input "
        "bilinear:bias bilinear:input1 bilinear:input2 bilinear:weight cauchy_:input cdist:x1 cdist:x2 complex:imag "
        "complex:real conv_tbc:bias conv_tbc:input conv_tbc:weight convolution:input convolution:weight "
        "corrcoef:input cosine_similarity:x1 cosine_similarity:x2 cov:input ctc_loss:log_probs dropout:input "
        "dropout_:input embedding_renorm_:input exponential_:input fake_quantize_per_channel_affine:input "
        "feature_alpha_dropout:input feature_alpha_dropout_:input feature_dropout:input feature_dropout_:input "
        "fft.dctn:x fft.dstn:x fft.idctn:x fft.idstn:x frobenius_norm:input grid_sampler:grid grid_sampler:input "
        "grid_sampler_2d:grid grid_sampler_2d:input grid_sampler_3d:grid grid_sampler_3d:input gru_cell:b_hh "
        "gru_cell:b_ih gru_cell:hx gru_cell:input gru_cell:w_hh gru_cell:w_ih histc:input histogram:input "
        "histogram:weight histogramdd:input kl_div:input kl_div:target log_normal_:input lstm_cell:input "
        "lstm_cell:w_hh lstm_cell:w_ih masked.argmax:input masked.argmin:input masked.log_softmax:input "
        "masked.logaddexp:input masked.logaddexp:other masked.softmax:input masked.softmin:input max_pool1d:input "
        "max_pool1d_with_indices:input max_pool2d:input max_pool2d_with_indices:input max_pool3d:input "
        "max_pool3d_with_indices:input multinomial:input mvlgamma:input nanquantile:input "
        "nn.functional.adaptive_avg_pool1d:input nn.functional.adaptive_avg_pool2d:input "
        "nn.functional.adaptive_avg_pool3d:input nn.functional.adaptive_max_pool1d:input "
        "nn.functional.adaptive_max_pool2d:input nn.functional.adaptive_max_pool3d:input "
        "nn.functional.affine_grid:theta nn.functional.batch_norm:bias nn.functional.batch_norm:input "
        "nn.functional.batch_norm:weight nn.functional.binary_cross_entropy:input "
        "nn.functional.binary_cross_entropy:target nn.functional.binary_cross_entropy_with_logits:input "
        "nn.functional.binary_cross_entropy_with_logits:target nn.functional.conv1d:bias nn.functional.conv1d:input "
        "nn.functional.conv1d:weight nn.functional.conv2d:bias nn.functional.conv2d:input nn.functional.conv2d:weight "
        "nn.functional.conv3d:bias nn.functional.conv3d:input nn.functional.conv3d:weight "
        "nn.functional.conv_transpose1d:bias nn.functional.conv_transpose1d:input "
        "nn.functional.conv_transpose1d:weight nn.functional.conv_transpose2d:bias "
        "nn.functional.conv_transpose2d:input nn.functional.conv_transpose2d:weight "
        "nn.functional.conv_transpose3d:bias nn.functional.conv_transpose3d:input "
        "nn.functional.conv_transpose3d:weight nn.functional.cross_entropy:input nn.functional.ctc_loss:log_probs "
        "nn.functional.dropout1d:input nn.functional.dropout2d:input nn.functional.dropout3d:input "
        "nn.functional.embedding:weight nn.functional.embedding_bag:weight "
        "nn.functional.fractional_max_pool2d:_random_samples nn.functional.fractional_max_pool2d:input "
        "nn.functional.fractional_max_pool2d_with_indices:_random_samples "
        "nn.functional.fractional_max_pool2d_with_indices:input nn.functional.fractional_max_pool3d:_random_samples "
        "nn.functional.fractional_max_pool3d:input nn.functional.fractional_max_pool3d_with_indices:_random_samples "
        "nn.functional.fractional_max_pool3d_with_indices:input nn.functional.gaussian_nll_loss:input "
        "nn.functional.gaussian_nll_loss:target nn.functional.glu:input nn.functional.grid_sample:grid "
        "nn.functional.grid_sample:input nn.functional.group_norm:bias nn.functional.group_norm:input "
        "nn.functional.group_norm:weight nn.functional.gumbel_softmax:logits nn.functional.hinge_embedding_loss:input "
        "nn.functional.hinge_embedding_loss:target nn.functional.huber_loss:input nn.functional.huber_loss:target "
        "nn.functional.instance_norm:bias nn.functional.instance_norm:input nn.functional.instance_norm:weight "
        "nn.functional.interpolate:input nn.functional.kl_div:input nn.functional.kl_div:target "
        "nn.functional.l1_loss:input nn.functional.l1_loss:target nn.functional.layer_norm:bias "
        "nn.functional.layer_norm:input nn.functional.layer_norm:weight nn.functional.linear_cross_entropy:input "
        "nn.functional.linear_cross_entropy:linear_weight nn.functional.lp_pool1d:input nn.functional.lp_pool2d:input "
        "nn.functional.lp_pool3d:input nn.functional.max_unpool1d:input nn.functional.max_unpool2d:input "
        "nn.functional.max_unpool3d:input nn.functional.mse_loss:input nn.functional.mse_loss:target "
        "nn.functional.multi_margin_loss:input nn.functional.multilabel_margin_loss:input "
        "nn.functional.multilabel_soft_margin_loss:input nn.functional.multilabel_soft_margin_loss:target "
        "nn.functional.nll_loss:input nn.functional.nll_loss:weight nn.functional.normalize:input "
        "nn.functional.scaled_dot_product_attention:key nn.functional.scaled_dot_product_attention:query "
        "nn.functional.scaled_dot_product_attention:value nn.functional.smooth_l1_loss:input "
        "nn.functional.smooth_l1_loss:target nn.functional.soft_margin_loss:input "
        "nn.functional.soft_margin_loss:target norm_except_dim:v pdist:input poisson:input polar:abs polar:angle "
        "polygamma:input prelu:input prelu:weight quantile:input rnn_relu_cell:b_hh rnn_relu_cell:b_ih "
        "rnn_relu_cell:hx rnn_relu_cell:input rnn_relu_cell:w_hh rnn_relu_cell:w_ih rnn_tanh_cell:b_hh "
        "rnn_tanh_cell:b_ih rnn_tanh_cell:hx rnn_tanh_cell:input rnn_tanh_cell:w_hh rnn_tanh_cell:w_ih rrelu:input "
        "rrelu_:input segment_reduce:data special.betainc:a special.betainc:b special.betaincinv:a "
        "special.betaincinv:b special.chebyshev_polynomial_t:input special.chebyshev_polynomial_u:input "
        "special.chebyshev_polynomial_v:input special.chebyshev_polynomial_w:input special.hermite_polynomial_h:input "
        "special.hermite_polynomial_he:input special.hyp1f1:a special.hyp1f1:b special.hyp2f1:a special.hyp2f1:b "
        "special.hyp2f1:c special.iv:v special.iv:z special.ive:v special.ive:z special.jv:v special.jv:z "
        "special.kv:v special.kv:z special.kve:v special.kve:z special.laguerre_polynomial_l:input "
        "special.legendre_polynomial_p:input special.shifted_chebyshev_polynomial_t:input "
        "special.shifted_chebyshev_polynomial_u:input special.shifted_chebyshev_polynomial_v:input "
        "special.shifted_chebyshev_polynomial_w:input special.voigt_profile:sigma special.voigt_profile:x "
        "special.yv:v special.yv:z view_as_complex:input view_as_complex_copy:input"
    ),
    "int32": (
        "_grouped_mm:offs linalg.ldl_solve:pivots linalg.lu_solve:pivots lu_solve:LU_pivots lu_unpack:LU_pivots "
        "nn.functional.grouped_mm:offs"
    ),
    "any shape; floating point, complex or integers": (
        "abs:input addcmul:tensor1 neg:input positive:input pow:exponent pow:input rsub:input rsub:other sub:input "
        "sub:other"
    ),
    "any shape; floating point, complex, integers or bool": (
        "acos:input acosh:input add:input add:other all:input angle:input any:input asin:input asinh:input atan:input "
        "atanh:input atleast_1d:tensors atleast_2d:tensors atleast_3d:tensors conj:input conj_physical:input "
        "cos:input cosh:input count_nonzero:input cumprod:input cumsum:input div:input div:other eq:input eq:other "
        "exp2:input exp:input expm1:input flatten:input flip:input float_power:exponent float_power:input "
        "gather:input index_add:input index_add:source isclose:input isclose:other isfinite:input isinf:input "
        "isnan:input isreal:input log10:input log1p:input log2:input log:input logical_and:input logical_and:other "
        "logical_not:input logical_or:input logical_or:other logical_xor:input logical_xor:other masked.prod:input "
        "masked.sum:input mul:input mul:other nan_to_num:input ne:input ne:other permute:input permute_copy:input "
        "prod:input reciprocal:input reshape:input resolve_conj:input resolve_neg:input rsqrt:input sgn:input "
        "sigmoid:input sin:input sinc:input sinh:input sqrt:input square:input squeeze:input sum:input tan:input "
        "tanh:input transpose:input view:input where:other"
    ),
    "a number or a 0-d tensor; floating point, integers or bool": (
        "add:alpha constant_pad_nd:value nn.functional.leaky_relu:negative_slope nn.functional.softplus:beta "
        "nn.functional.softplus:threshold rsub:alpha sub:alpha"
    ),
    "a number or a 0-d tensor; floating point, complex, integers or bool": (
        "addbmm:alpha addbmm:beta addcdiv:value addcmul:value addmm:alpha addmm:beta addmv:alpha addmv:beta "
        "addr:alpha addr:beta baddbmm:alpha baddbmm:beta cumulative_trapezoid:dx fill_diagonal_:fill_value "
        "full:fill_value full_like:fill_value hardshrink:lambd new_full:fill_value nn.functional.elu:alpha "
        "threshold:threshold threshold:value trapezoid:dx trapz:dx"
    ),
    "floating point, complex, int32 or int64": (
        "addbmm:batch1 addbmm:batch2 addbmm:input addmm:input addmm:mat1 addmm:mat2 addmv:input addmv:mat addmv:vec "
        "addr:input addr:vec1 addr:vec2 baddbmm:batch1 baddbmm:batch2 baddbmm:input dot:input dot:tensor inner:input "
        "inner:other kron:input kron:other mv:input mv:vec outer:input outer:vec2 vdot:input vdot:other"
    ),
    "floating point or complex": (
        "addcdiv:input addcdiv:tensor2 cholesky:input cholesky_inverse:L cholesky_solve:L cholesky_solve:input "
        "cumulative_trapezoid:x cumulative_trapezoid:y det:input dist:input dist:other geqrf:input gradient:input "
        "inverse:input lerp:end lerp:weight linalg.cholesky:A linalg.cholesky_ex:A linalg.cond:A linalg.det:A "
        "linalg.eig:A linalg.eigh:A linalg.eigvals:A linalg.eigvalsh:A linalg.householder_product:input "
        "linalg.householder_product:tau linalg.inv:A linalg.inv_ex:A linalg.ldl_factor:A linalg.ldl_factor_ex:A "
        "linalg.ldl_solve:B linalg.ldl_solve:LD linalg.lstsq:A linalg.lstsq:B linalg.lu:A linalg.lu_factor:A "
        "linalg.lu_factor_ex:A linalg.lu_solve:B linalg.lu_solve:LU linalg.matrix_exp:A linalg.matrix_norm:A "
        "linalg.matrix_power:A linalg.matrix_rank:A linalg.norm:A linalg.pinv:A linalg.qr:A linalg.slogdet:A "
        "linalg.solve:A linalg.solve:B linalg.solve_ex:A linalg.solve_ex:B linalg.solve_triangular:A "
        "linalg.solve_triangular:B linalg.svd:A linalg.svdvals:A linalg.tensorinv:A linalg.tensorsolve:A "
        "linalg.tensorsolve:B linalg.vecdot:x linalg.vecdot:y linalg.vector_norm:x lobpcg:A logdet:input lu:A "
        "lu_solve:LU_data lu_solve:input lu_unpack:LU_data masked.norm:input masked.normalize:input matrix_exp:input "
        "matrix_power:input nn.functional.fold:input nn.functional.linear:bias nn.functional.linear:input "
        "nn.functional.linear:weight nn.functional.rms_norm:input nn.functional.rms_norm:weight "
        "nn.functional.unfold:input normal_:input nuclear_norm:input orgqr:input orgqr:input2 ormqr:input ormqr:other "
        "ormqr:tau pca_lowrank:A pinverse:input qr:input rand_like:input randn_like:input renorm:input slogdet:input "
        "std:input std_mean:input stft:input stft:window svd:input svd_lowrank:A trapezoid:x trapezoid:y trapz:x "
        "trapz:y triangular_solve:A triangular_solve:input uniform_:input var:input var_mean:input"
    ),
    "any shape; floating point or complex": (
        "addcdiv:tensor1 is_conj:input is_neg:input lerp:input logaddexp:input logaddexp:other logcumsumexp:input "
        "masked.logsumexp:input masked.mean:input mean:input norm:input"
    ),
    "floating point, complex or integers": (
        "addcmul:input addcmul:tensor2 allclose:input allclose:other bmm:input bmm:mat2 cross:input cross:other "
        "geometric_:input linalg.cross:input linalg.cross:other linalg.matmul:input linalg.matmul:other "
        "linalg.vander:x masked.cumprod:input masked.cumsum:input matmul:input matmul:other mm:input mm:mat2 "
        "nn.functional.triplet_margin_loss:anchor nn.functional.triplet_margin_loss:negative "
        "nn.functional.triplet_margin_loss:positive randint_like:input svd_lowrank:M trace:input"
    ),
    "any shape; floating point, integers or bool": (
        "amax:input amin:input aminmax:input argsort:input atan2:input atan2:other copysign:input copysign:other "
        "cummax:input cummin:input deg2rad:input digamma:input erf:input erfc:input erfinv:input fmax:input "
        "fmax:other fmin:input fmin:other ge:input ge:other gt:input gt:other hash_tensor:input heaviside:input "
        "heaviside:values i0:input isneginf:input isposinf:input le:input le:other lgamma:input logit:input lt:input "
        "lt:other max:input maximum:input maximum:other min:input minimum:input minimum:other msort:input "
        "nansum:input rad2deg:input sign:input signbit:input sort:input special.airy_ai:x special.bessel_j0:input "
        "special.bessel_j1:input special.erfcx:input special.i0e:input special.i1:input special.i1e:input "
        "special.log_ndtr:input special.modified_bessel_i0:input special.modified_bessel_i1:input special.ndtr:input "
        "special.spherical_bessel_j0:x xlogy:input xlogy:other"
    ),
    "any shape; floating point or integers": (
        "argmax:input argmin:input ceil:input clamp:input floor:input floor_divide:input floor_divide:other "
        "fmod:input fmod:other masked.amax:input masked.amin:input median:input nanmedian:input relu:input "
        "remainder:input remainder:other round:input topk:input trunc:input"
    ),
    "floating point, integers or bool": (
        "bfloat16:input bool:input byte:input char:input clamp:max clamp:min clamp_max:max clamp_min:min double:input "
        "float:input half:input int:input linalg.matrix_rank:atol linalg.matrix_rank:rtol linalg.matrix_rank:tol "
        "linalg.pinv:rcond long:input map_:input map_:tensor masked_fill:value mode:input short:input "
        "special.chebyshev_polynomial_t:n special.chebyshev_polynomial_u:n special.chebyshev_polynomial_v:n "
        "special.chebyshev_polynomial_w:n special.hermite_polynomial_h:n special.hermite_polynomial_he:n "
        "special.laguerre_polynomial_l:n special.legendre_polynomial_p:n special.shifted_chebyshev_polynomial_t:n "
        "special.shifted_chebyshev_polynomial_u:n special.shifted_chebyshev_polynomial_v:n "
        "special.shifted_chebyshev_polynomial_w:n unique:input unique_consecutive:input"
    ),
    "integers": "bincount:input gcd_:input gcd_:other lcm_:input lcm_:other tensordot:dims",
    "any shape; integers or bool": (
        "bitwise_and:input bitwise_and:other bitwise_not:input bitwise_or:input bitwise_or:other bitwise_xor:input "
        "bitwise_xor:other"
    ),
    "any shape; integers": (
        "bitwise_left_shift:input bitwise_left_shift:other bitwise_right_shift:input bitwise_right_shift:other "
        "gcd:input gcd:other lcm:input lcm:other"
    ),
    "floating point or integers": (
        "bucketize:boundaries bucketize:input clamp_max:input clamp_min:input index_reduce:input index_reduce:source "
        "isin:elements isin:test_elements istft:window kthvalue:input logsumexp:input random_:input "
        "scatter_reduce:input scatter_reduce:src searchsorted:input searchsorted:sorted_sequence type:input"
    ),
    "any shape; floating point": (
        "celu:input fake_quantize_per_tensor_affine:input frac:input frexp:input hardshrink:input hypot:input "
        "hypot:other igamma:input igamma:other igammac:input igammac:other log_softmax:input logaddexp2:input "
        "logaddexp2:other nanmean:input nextafter:input nextafter:other nn.functional.elu:input "
        "nn.functional.gelu:input nn.functional.hardsigmoid:input nn.functional.hardswish:input "
        "nn.functional.hardtanh:input nn.functional.leaky_relu:input nn.functional.logsigmoid:input "
        "nn.functional.mish:input nn.functional.relu6:input nn.functional.silu:input nn.functional.softmin:input "
        "nn.functional.softplus:input nn.functional.softshrink:input nn.functional.softsign:input "
        "nn.functional.tanhshrink:input selu:input softmax:input special.bessel_y0:input special.bessel_y1:input "
        "special.beta:input special.beta:other special.betainc:x special.betaincinv:y special.betaln:input "
        "special.betaln:other special.ellipe:m special.ellipeinc:m special.ellipeinc:phi special.ellipk:m "
        "special.ellipkinc:m special.ellipkinc:phi special.ellipkm1:p special.entr:input special.gammainccinv:a "
        "special.gammainccinv:y special.gammaincinv:a special.gammaincinv:y special.hyp1f1:x special.hyp2f1:x "
        "special.lambertw:z special.modified_bessel_k0:input special.modified_bessel_k1:input special.ndtri:input "
        "special.owens_t:a special.owens_t:h special.scaled_modified_bessel_k0:x special.scaled_modified_bessel_k1:x "
        "special.voigt_profile:gamma special.xlog1py:input special.xlog1py:other special.zeta:input "
        "special.zeta:other"
    ),
    "int64": (
        "ctc_loss:targets embedding_renorm_:indices index_add:index index_copy:index index_fill:index "
        "index_reduce:index index_select:index nn.functional.ctc_loss:targets nn.functional.embedding:input "
        "nn.functional.embedding_bag:input nn.functional.linear_cross_entropy:target "
        "nn.functional.max_unpool1d:indices nn.functional.max_unpool2d:indices nn.functional.max_unpool3d:indices "
        "nn.functional.multi_margin_loss:target nn.functional.multilabel_margin_loss:target "
        "nn.functional.nll_loss:target nn.functional.one_hot:tensor put:index scatter:index scatter_add:index "
        "scatter_reduce:index take:index take_along_dim:indices tensor_split:indices_or_sections"
    ),
    "floating point, complex or int64": (
        "fft.dct:x fft.dst:x fft.fft2:input fft.fftn:input fft.hfft2:input fft.hfftn:input fft.idct:x fft.idst:x "
        "fft.ifft2:input fft.ifftn:input fft.irfft2:input fft.irfftn:input masked.std:input masked.var:input "
        "nn.functional.pad:input sum_to_size:input tensordot:a tensordot:b vander:x"
    ),
    "floating point, complex, bool or int64": "fft.fft:input fft.hfft:input fft.ifft:input fft.irfft:input",
    "floating point, bool or int64": (
        "fft.ihfft:input fft.rfft:input nn.functional.cosine_embedding_loss:input1 "
        "nn.functional.cosine_embedding_loss:input2 nn.functional.cosine_embedding_loss:target"
    ),
    "any shape; int64": "gather:index",
    "complex": "imag:input istft:input real:input view_as_real:input view_as_real_copy:input",
    "floating point, int32 or int64": "ldexp:input ldexp:other",
    "bool or int64": (
        "masked.amax:mask masked.amin:mask masked.logsumexp:mask masked.mean:mask masked.prod:mask masked.sum:mask"
    ),
    "bool": (
        "masked.argmax:mask masked.argmin:mask masked.cumprod:mask masked.cumsum:mask masked.log_softmax:mask "
        "masked.logaddexp:input_mask masked.logaddexp:other_mask masked.median:mask masked.norm:mask "
        "masked.normalize:mask masked.softmax:mask masked.softmin:mask masked.std:mask masked.var:mask "
        "masked_fill:mask masked_scatter:mask masked_select:mask"
    ),
    "float32": "nanquantile:q quantile:q",
    "of the input's dtype": (
        "nn.functional.batch_norm:running_mean nn.functional.batch_norm:running_var nn.functional.cross_entropy:weight"
    ),
    "any shape; floating point or int64": "threshold:input",
}
