"""How `__torch_function__` is handed a call of nn.functional: PyTorch has these functions in Python, and says every parameter that has a default by its name."""
from __future__ import annotations

NAMED = frozenset("""
    affine_grid alpha_dropout batch_norm binary_cross_entropy binary_cross_entropy_with_logits celu cosine_embedding_loss cross_entropy ctc_loss dropout
    dropout1d dropout2d dropout3d elu embedding embedding_bag feature_alpha_dropout fold gaussian_nll_loss glu grid_sample group_norm gumbel_softmax
    hardsigmoid hardswish hardtanh hinge_embedding_loss huber_loss instance_norm interpolate kl_div l1_loss layer_norm leaky_relu linear_cross_entropy
    local_response_norm log_softmax lp_pool1d lp_pool2d lp_pool3d margin_ranking_loss max_unpool1d max_unpool2d max_unpool3d mish mse_loss
    multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss nll_loss normalize pad poisson_nll_loss relu relu6 rms_norm rrelu selu silu
    smooth_l1_loss soft_margin_loss softmax softmin triplet_margin_loss triplet_margin_with_distance_loss unfold
""".split())
IN_PLACE = frozenset("""alpha_dropout celu dropout dropout1d dropout2d dropout3d elu feature_alpha_dropout hardsigmoid hardswish hardtanh leaky_relu mish relu relu6 rrelu selu silu threshold""".split())      # those with `inplace`, at the end
