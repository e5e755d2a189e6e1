"""Calls that PyTorch warns of, or not: those of modules, optimizers, schedules and utilities. Each is a function;
warning_programs.py runs them.
"""

SOURCE = """
# nn
def softmax_no_dim(): F.softmax(torch.ones(2))
def log_softmax_no_dim(): F.log_softmax(torch.ones(2, 3))
def softmin_no_dim(): F.softmin(torch.ones(2))
def softmax_module_no_dim(): nn.Softmax()(torch.ones(2, 2))
def log_softmax_module_no_dim(): nn.LogSoftmax()(torch.ones(2, 2))
def f_tanh(): F.tanh(torch.ones(2))
def f_sigmoid(): F.sigmoid(torch.ones(2))
def gumbel_eps(): F.gumbel_softmax(torch.ones(2), eps=1e-5)
def upsample(): F.upsample(torch.ones(1, 1, 2, 2), scale_factor=2)
def upsample_bilinear_mode(): F.upsample(torch.ones(1, 1, 2, 2), scale_factor=2, mode='bilinear')
def upsample_nearest(): F.upsample_nearest(torch.ones(1, 1, 2, 2), scale_factor=2)
def upsample_bilinear(): F.upsample_bilinear(torch.ones(1, 1, 2, 2), scale_factor=2)
def interpolate(): F.interpolate(torch.ones(1, 1, 2, 2), scale_factor=2)
def interpolate_bilinear(): F.interpolate(torch.ones(1, 1, 2, 2), scale_factor=2, mode='bilinear')
def interpolate_fraction(): F.interpolate(torch.ones(1, 1, 2, 2), scale_factor=1.5, mode='bilinear')
def interpolate_recompute():
    F.interpolate(torch.ones(1, 1, 2, 2), scale_factor=1.5, mode='bilinear', recompute_scale_factor=True)
def upsample_module(): nn.Upsample(scale_factor=2, mode='bilinear')(torch.ones(1, 1, 2, 2))
def upsampling_module(): nn.UpsamplingNearest2d(scale_factor=2)(torch.ones(1, 1, 2, 2))
def grid_sample(): F.grid_sample(torch.ones(1, 1, 2, 2), torch.zeros(1, 2, 2, 2))
def grid_sample_said(): F.grid_sample(torch.ones(1, 1, 2, 2), torch.zeros(1, 2, 2, 2), align_corners=False)
def affine_grid(): F.affine_grid(torch.ones(1, 2, 3), (1, 1, 2, 2))
def affine_grid_said(): F.affine_grid(torch.ones(1, 2, 3), (1, 1, 2, 2), align_corners=True)
def affine_grid_unit(): F.affine_grid(torch.ones(1, 2, 3), (1, 1, 1, 2), align_corners=True)
def affine_grid_unit_not(): F.affine_grid(torch.ones(1, 2, 3), (1, 1, 1, 2), align_corners=False)
def mse_shapes(): F.mse_loss(torch.ones(2, 1), torch.ones(2))
def mse_module_shapes(): nn.MSELoss()(torch.ones(2, 1), torch.ones(2))
def l1_shapes(): F.l1_loss(torch.ones(2, 1), torch.ones(2))
def smooth_l1_shapes(): F.smooth_l1_loss(torch.ones(2, 1), torch.ones(2))
def huber_shapes(): F.huber_loss(torch.ones(2, 1), torch.ones(2))
def mse_same(): F.mse_loss(torch.ones(2), torch.ones(2))
def mse_grad_shapes(): F.mse_loss(torch.ones(2, 1, requires_grad=True), torch.ones(2)).backward()
def bce_shapes():
    try: F.binary_cross_entropy(torch.ones(2, 1), torch.ones(2))
    except ValueError: pass
def poisson_shapes(): F.poisson_nll_loss(torch.ones(2, 1), torch.ones(2))
def gaussian_shapes():
    try: F.gaussian_nll_loss(torch.ones(2, 1), torch.ones(2), torch.ones(2))
    except (ValueError, RuntimeError): pass
def kl_mean(): F.kl_div(torch.ones(2), torch.ones(2))
def kl_batchmean(): F.kl_div(torch.ones(2), torch.ones(2), reduction='batchmean')
def kl_sum(): F.kl_div(torch.ones(2), torch.ones(2), reduction='sum')
def kl_module(): nn.KLDivLoss()(torch.ones(2), torch.ones(2))
def kl_module_batchmean(): nn.KLDivLoss(reduction='batchmean')(torch.ones(2), torch.ones(2))
def size_average(): F.mse_loss(torch.ones(2), torch.ones(2), size_average=True)
def reduce_false(): F.mse_loss(torch.ones(2), torch.ones(2), reduce=False)
def size_average_ce(): F.cross_entropy(torch.ones(2, 2), torch.tensor([0, 1]), size_average=False)
def size_average_module(): nn.MSELoss(size_average=True)
def reduce_module(): nn.CrossEntropyLoss(reduce=False)
def nll_2d(): nn.NLLLoss2d()
def l1_size_average(): F.l1_loss(torch.ones(2), torch.ones(2), size_average=True)
def smooth_reduce(): F.smooth_l1_loss(torch.ones(2), torch.ones(2), reduce=True)
def triplet_size_average():
    F.triplet_margin_loss(torch.ones(2, 2), torch.ones(2, 2), torch.ones(2, 2), size_average=True)
def bce_size_average(): F.binary_cross_entropy(torch.ones(2), torch.ones(2), size_average=True)
def bcel_size_average(): F.binary_cross_entropy_with_logits(torch.ones(2), torch.ones(2), reduce=False)
def nll_size_average(): F.nll_loss(torch.ones(2, 2), torch.tensor([0, 1]), size_average=True)
def poisson_size_average(): F.poisson_nll_loss(torch.ones(2), torch.ones(2), size_average=True)
def hinge_size_average(): F.hinge_embedding_loss(torch.ones(2), torch.ones(2), size_average=True)
def margin_size_average(): F.margin_ranking_loss(torch.ones(2), torch.ones(2), torch.ones(2), size_average=True)
def soft_margin_size_average(): F.soft_margin_loss(torch.ones(2), torch.ones(2), size_average=True)
def multi_margin_size_average(): F.multi_margin_loss(torch.ones(2, 2), torch.tensor([0, 1]), size_average=True)
def multilabel_size_average():
    F.multilabel_margin_loss(torch.ones(2, 2), torch.tensor([[0, 1], [1, 0]]), size_average=True)
def multilabel_soft_size_average(): F.multilabel_soft_margin_loss(torch.ones(2, 2), torch.ones(2, 2), size_average=True)
def cosine_size_average(): F.cosine_embedding_loss(torch.ones(2, 2), torch.ones(2, 2), torch.ones(2), size_average=True)
def kl_size_average(): F.kl_div(torch.ones(2), torch.ones(2), size_average=False)
def lstm_dropout(): nn.LSTM(2, 2, dropout=0.5)
def lstm_dropout_2(): nn.LSTM(2, 2, num_layers=2, dropout=0.5)
def gru_dropout(): nn.GRU(2, 2, dropout=0.5)
def lstm_forward(): nn.LSTM(2, 2)(torch.ones(3, 1, 2))
def lstm_noncontiguous(): l = nn.LSTM(2, 2); l.weight_hh_l0 = nn.Parameter(torch.ones(2, 8).t()); l(torch.ones(3, 1, 2))
def transformer_layer(): nn.TransformerEncoderLayer(4, 2)
def transformer_encoder(): nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2), 1)
def transformer_encoder_batch_first(): nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, batch_first=True), 1)
def transformer_encoder_norm_first():
    nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, batch_first=True, norm_first=True), 1)
def transformer_encoder_odd(): nn.TransformerEncoder(nn.TransformerEncoderLayer(3, 1, batch_first=True), 1)
def transformer_encoder_activation():
    nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, batch_first=True, activation=torch.tanh), 1)
def transformer_encoder_bias(): nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, batch_first=True, bias=False), 1)
def transformer_encoder_not_nested():
    nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2), 1, enable_nested_tensor=False)
def transformer_encoder_own_layer():
    class L(nn.TransformerEncoderLayer): pass
    nn.TransformerEncoder(L(4, 2, batch_first=True), 1)
def transformer_encoder_foreign_layer(): nn.TransformerEncoder(nn.Linear(2, 2), 1)
def transformer(): nn.Transformer(4, 2, 1, 1, 8)
def transformer_batch_first(): nn.Transformer(4, 2, 1, 1, 8, batch_first=True)
def transformer_norm_first(): nn.Transformer(4, 2, 1, 1, 8, batch_first=True, norm_first=True)
def encoder_padding_eval():
    e = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, batch_first=True), 1).eval()
    with torch.no_grad(): e(torch.ones(1, 3, 4), src_key_padding_mask=torch.tensor([[False, False, True]]))
def encoder_padding_train():
    e = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, batch_first=True), 1)
    e(torch.ones(1, 3, 4), src_key_padding_mask=torch.tensor([[False, False, True]]))
def masks_mismatched():
    e = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, batch_first=True), 1)
    e(torch.ones(1, 3, 4), mask=nn.Transformer.generate_square_subsequent_mask(3),
        src_key_padding_mask=torch.tensor([[False, False, True]]))
def attention_masks_mismatched():
    a = nn.MultiheadAttention(4, 2, batch_first=True)
    a(torch.ones(1, 3, 4), torch.ones(1, 3, 4), torch.ones(1, 3, 4), attn_mask=torch.zeros(3, 3),
        key_padding_mask=torch.tensor([[False, False, True]]))
def attention_masks_alike():
    a = nn.MultiheadAttention(4, 2, batch_first=True)
    a(torch.ones(1, 3, 4), torch.ones(1, 3, 4), torch.ones(1, 3, 4), attn_mask=torch.zeros(3, 3, dtype=torch.bool),
        key_padding_mask=torch.tensor([[False, False, True]]))
def attention_byte_mask():
    a = nn.MultiheadAttention(4, 2, batch_first=True)
    try:
        a(torch.ones(1, 3, 4), torch.ones(1, 3, 4), torch.ones(1, 3, 4), attn_mask=torch.zeros(3, 3, dtype=torch.uint8))
    except Exception: pass
def attention_causal():
    F.scaled_dot_product_attention(torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 4),
        is_causal=True)
def init_zero(): nn.init.xavier_uniform_(torch.empty(0, 2)) if False else nn.init.kaiming_uniform_(torch.empty(0, 2))
def linear_zero(): nn.Linear(0, 2)
def linear_zero_out(): nn.Linear(2, 0)
def conv_zero():
    try: nn.Conv2d(0, 2, 1)
    except Exception: pass
def trunc_normal(): nn.init.trunc_normal_(torch.empty(3), mean=5.0)
def old_xavier(): nn.init.xavier_uniform(torch.empty(2, 2))
def old_kaiming(): nn.init.kaiming_normal(torch.empty(2, 2))
def old_constant(): nn.init.constant(torch.empty(2, 2), 1.0)
def old_normal(): nn.init.normal(torch.empty(2, 2))
def old_uniform(): nn.init.uniform(torch.empty(2, 2))
def old_eye(): nn.init.eye(torch.empty(2, 2))
def old_orthogonal(): nn.init.orthogonal(torch.empty(2, 2))
def old_sparse(): nn.init.sparse(torch.empty(2, 2), 0.5)
def old_dirac(): nn.init.dirac(torch.empty(2, 2, 2))
def weight_norm(): nn.utils.weight_norm(nn.Linear(2, 2))
def remove_weight_norm(): nn.utils.remove_weight_norm(nn.utils.weight_norm(nn.Linear(2, 2)))
def weight_norm_parametrized(): nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))
def spectral_norm(): nn.utils.spectral_norm(nn.Linear(2, 2))
def clip_grad_norm(): nn.utils.clip_grad_norm([torch.ones(2, requires_grad=True)], 1.0)
def clip_grad_norm_(): nn.utils.clip_grad_norm_([torch.ones(2, requires_grad=True)], 1.0)
def clip_grad_norm_no_parameters(): nn.utils.clip_grad_norm_([], 1.0)
def clip_grad_norm_generator_used():
    p = iter([torch.ones(2, requires_grad=True)]); list(p); nn.utils.clip_grad_norm_(p, 1.0)
def clip_grad_value_(): nn.utils.clip_grad_value_([torch.ones(2, requires_grad=True)], 1.0)
def stateless(): nn.utils.stateless.functional_call(nn.Linear(2, 2), {}, (torch.ones(2),))
def func_call(): torch.func.functional_call(nn.Linear(2, 2), {}, (torch.ones(2),))
def lazy_linear(): nn.LazyLinear(2)
def lazy_conv(): nn.LazyConv2d(2, 3)
def lazy_norm(): nn.LazyBatchNorm1d()
def to_complex(): nn.Linear(2, 2).to(torch.complex64)
def to_half(): nn.Linear(2, 2).to(torch.float16)
def hook_old(): nn.Linear(2, 2).register_backward_hook(lambda m, a, b: None)
def hook_old_run():
    m = nn.Sequential(nn.Linear(2, 2), nn.ReLU()); m.register_backward_hook(lambda m, a, b: None)
    m(torch.ones(1, 2)).sum().backward()
def hook_old_tuple():
    m = nn.LSTM(2, 2); m.register_backward_hook(lambda m, a, b: None); m(torch.ones(1, 1, 2))[0].sum().backward()
def hook_old_no_grad():
    m = nn.ReLU(); m.register_backward_hook(lambda m, a, b: None); m(torch.ones(1, 2))
def hook_full_run():
    m = nn.Linear(2, 2); m.register_full_backward_hook(lambda m, a, b: None); m(torch.ones(1, 2)).sum().backward()
def hook_full_no_tensor():
    class M(nn.Module):
        def forward(self, x): return {'a': x}
    m = M(); m.register_full_backward_hook(lambda m, a, b: None); m(torch.ones(1, requires_grad=True))
def hook_full_dict_input():
    class M(nn.Module):
        def forward(self, x): return x['a']
    m = M(); m.register_full_backward_hook(lambda m, a, b: None)
    m({'a': torch.ones(1, requires_grad=True)}).sum().backward()
def dropout2d_3d(): F.dropout2d(torch.ones(2, 3, 4))
def dropout2d_2d(): F.dropout2d(torch.ones(2, 3))
def dropout2d_4d(): F.dropout2d(torch.ones(2, 3, 4, 4))
def dropout3d_3d(): F.dropout3d(torch.ones(2, 3, 4))
def dropout3d_4d(): F.dropout3d(torch.ones(2, 3, 4, 4))
def dropout1d_4d():
    try: F.dropout1d(torch.ones(2, 3, 4, 4))
    except RuntimeError: pass
def dropout2d_module(): nn.Dropout2d()(torch.ones(2, 3, 4))
def dropout2d_eval(): nn.Dropout2d().eval()(torch.ones(2, 3, 4))
def conv_same_even(): F.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 2, 2), padding='same')
def conv_same_odd(): F.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 3, 3), padding='same')
def conv_same_even_1d(): nn.Conv1d(1, 1, 4, padding='same')(torch.ones(1, 1, 8))
def conv_same_even_dilated(): nn.Conv1d(1, 1, 4, padding='same', dilation=2)(torch.ones(1, 1, 8))
def conv_same_reflect(): nn.Conv1d(1, 1, 4, padding='same', padding_mode='reflect')(torch.ones(1, 1, 8))
def instance_norm_channels(): nn.InstanceNorm1d(5)(torch.ones(2, 3, 4))
def instance_norm_right(): nn.InstanceNorm1d(3)(torch.ones(2, 3, 4))
def instance_norm_2d_channels(): nn.InstanceNorm2d(5)(torch.ones(2, 3, 4, 4))
def hardtanh_old(): nn.Hardtanh(min_value=-2.0)
def hardtanh_old_max(): nn.Hardtanh(max_value=2.0)
def embedding_bag_order(): F.embedding_bag(torch.ones(3, 2), torch.tensor([0, 1]), torch.tensor([0]))
def embedding_bag(): F.embedding_bag(torch.tensor([0, 1]), torch.ones(3, 2), torch.tensor([0]))
def parameter_list_repr(): repr(nn.ParameterList([torch.ones(2)]))
def parameter_list_call():
    try: nn.ParameterList()()
    except RuntimeError: pass
def load_to_meta(): nn.Linear(2, 2, device='meta').load_state_dict(nn.Linear(2, 2).state_dict())
def load_scalar(): nn.PReLU().load_state_dict({'weight': torch.tensor(0.5)})
def prelu_shape(): nn.PReLU()(torch.ones(2))
def data_parallel(): nn.DataParallel(nn.Linear(2, 2))
def cross_entropy_int(): F.cross_entropy(torch.ones(2, 2), torch.tensor([0, 1]))
def max_pool(): F.max_pool2d(torch.ones(1, 1, 4, 4), 2)
def max_pool_indices(): F.max_pool2d_with_indices(torch.ones(1, 1, 4, 4), 2)
def unpool(): F.max_unpool2d(*F.max_pool2d(torch.ones(1, 1, 4, 4), 2, return_indices=True), 2)
def unflatten(): nn.Unflatten(0, (1, 2))(torch.ones(2))
def rnn_relu(): nn.RNN(2, 2, nonlinearity='relu')
def pack(): nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2, 1), [3, 2])
def pack_tensor(): nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2, 1), torch.tensor([3, 2]))
def pack_repack(): nn.utils.rnn.PackedSequence(torch.ones(2, 1), torch.tensor([1, 1]))
def parametrize(): nn.utils.parametrize.register_parametrization(nn.Linear(2, 2), 'weight', nn.Identity())
def prune(): nn.utils.prune.l1_unstructured(nn.Linear(2, 2), 'weight', 1)
def share(): nn.Linear(2, 2).share_memory()
def state_dict_positional(): nn.Linear(2, 2).state_dict({}, 'a.', False)
def module_type(): nn.Linear(2, 2).type(torch.float64)
def sync_batch_norm(): nn.SyncBatchNorm(2)
def multilabel(): F.multilabel_margin_loss(torch.ones(2), torch.tensor([0, 1]))
def ctc(): F.ctc_loss(torch.ones(4, 1, 3).log_softmax(2), torch.tensor([[1, 2]]), torch.tensor([4]), torch.tensor([2]))
def adaptive_softmax(): nn.AdaptiveLogSoftmaxWithLoss(4, 10, [2])(torch.ones(2, 4), torch.tensor([0, 5]))
def pixel_shuffle(): F.pixel_shuffle(torch.ones(1, 4, 2, 2), 2)
def batch_norm_one():
    try: nn.BatchNorm1d(2)(torch.ones(1, 2))
    except ValueError: pass
def circular_pad(): F.pad(torch.ones(1, 1, 4), (1, 1), mode='circular')
def pad_value(): F.pad(torch.ones(1, 1, 4), (1, 1), mode='constant', value=0)
def flex(): nn.Flatten()(torch.ones(2, 2))
def module_register():
    m = nn.Module(); m.register_buffer('a', torch.ones(1)); m.add_module('b', None)
def module_list_extend(): nn.ModuleList([nn.Linear(1, 1)]).extend([nn.Linear(1, 1)])
def zero_grad_old(): nn.Linear(2, 2).zero_grad(set_to_none=False)
# optimizers and schedules
def make(**k): p = torch.ones(2, requires_grad=True); p.grad = torch.ones(2); return torch.optim.SGD([p], lr=0.1, **k)
def schedule_before(): o = make(); s = torch.optim.lr_scheduler.StepLR(o, 1); s.step(); o.step()
def schedule_after(): o = make(); s = torch.optim.lr_scheduler.StepLR(o, 1); o.step(); s.step()
def schedule_never(): o = make(); s = torch.optim.lr_scheduler.StepLR(o, 1); s.step(); s.step()
def schedule_before_exponential(): o = make(); s = torch.optim.lr_scheduler.ExponentialLR(o, 0.9); s.step()
def schedule_before_cosine(): o = make(); s = torch.optim.lr_scheduler.CosineAnnealingLR(o, 5); s.step()
def schedule_before_one_cycle(): o = make(); s = torch.optim.lr_scheduler.OneCycleLR(o, 0.1, total_steps=5); s.step()
def schedule_before_cyclic(): o = make(); s = torch.optim.lr_scheduler.CyclicLR(o, 0.1, 0.2); s.step()
def schedule_before_warm(): o = make(); s = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 2); s.step()
def schedule_before_plateau(): o = make(); s = torch.optim.lr_scheduler.ReduceLROnPlateau(o); s.step(1.0)
def schedule_before_lambda(): o = make(); s = torch.optim.lr_scheduler.LambdaLR(o, lambda e: 1.0); s.step()
def schedule_before_linear(): o = make(); s = torch.optim.lr_scheduler.LinearLR(o); s.step()
def schedule_sequential():
    o = make()
    s = torch.optim.lr_scheduler.SequentialLR(o, [torch.optim.lr_scheduler.LinearLR(o),
        torch.optim.lr_scheduler.StepLR(o, 1)], [2])
    for _ in range(4): o.step(); s.step()
def schedule_sequential_before():
    o = make()
    s = torch.optim.lr_scheduler.SequentialLR(o, [torch.optim.lr_scheduler.LinearLR(o),
        torch.optim.lr_scheduler.StepLR(o, 1)], [2])
    s.step()
def schedule_chained():
    o = make()
    s = torch.optim.lr_scheduler.ChainedScheduler([torch.optim.lr_scheduler.ConstantLR(o),
        torch.optim.lr_scheduler.ExponentialLR(o, 0.9)])
    o.step(); s.step()
def schedule_chained_before():
    o = make()
    s = torch.optim.lr_scheduler.ChainedScheduler([torch.optim.lr_scheduler.ConstantLR(o),
        torch.optim.lr_scheduler.ExponentialLR(o, 0.9)])
    s.step()
def schedule_epoch(): o = make(); s = torch.optim.lr_scheduler.StepLR(o, 1); o.step(); s.step(3)
def schedule_epoch_lambda(): o = make(); s = torch.optim.lr_scheduler.LambdaLR(o, lambda e: 1.0); o.step(); s.step(3)
def schedule_epoch_warm():
    o = make(); s = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 2); o.step(); s.step(0.5)
def schedule_epoch_plateau(): o = make(); s = torch.optim.lr_scheduler.ReduceLROnPlateau(o); o.step(); s.step(1.0, 3)
def schedule_get_lr(): o = make(); s = torch.optim.lr_scheduler.StepLR(o, 1); s.get_lr()
def schedule_get_lr_exponential(): o = make(); s = torch.optim.lr_scheduler.ExponentialLR(o, 0.9); s.get_lr()
def schedule_get_lr_lambda(): o = make(); s = torch.optim.lr_scheduler.LambdaLR(o, lambda e: 1.0); s.get_lr()
def schedule_get_lr_cosine(): o = make(); s = torch.optim.lr_scheduler.CosineAnnealingLR(o, 5); s.get_lr()
def schedule_get_lr_cyclic(): o = make(); s = torch.optim.lr_scheduler.CyclicLR(o, 0.1, 0.2); s.get_lr()
def schedule_get_lr_poly(): o = make(); s = torch.optim.lr_scheduler.PolynomialLR(o); s.get_lr()
def schedule_get_lr_one(): o = make(); s = torch.optim.lr_scheduler.OneCycleLR(o, 0.1, total_steps=5); s.get_lr()
def schedule_get_lr_warm(): o = make(); s = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 2); s.get_lr()
def schedule_get_last_lr(): o = make(); s = torch.optim.lr_scheduler.StepLR(o, 1); s.get_last_lr()
def schedule_state(): o = make(); s = torch.optim.lr_scheduler.StepLR(o, 1); s.load_state_dict(s.state_dict())
def schedule_state_lambda():
    o = make(); s = torch.optim.lr_scheduler.LambdaLR(o, lambda e: 1.0); s.load_state_dict(s.state_dict())
def schedule_state_one():
    o = make(); s = torch.optim.lr_scheduler.OneCycleLR(o, 0.1, total_steps=5); s.load_state_dict(s.state_dict())
def schedule_replaced_step(): o = make(); s = torch.optim.lr_scheduler.StepLR(o, 1); o.step = lambda: None; s.step()
def schedule_verbose():
    try: torch.optim.lr_scheduler.StepLR(make(), 1, verbose=True)
    except TypeError: pass
def schedule_two():
    o = make(); s = torch.optim.lr_scheduler.StepLR(o, 1); t = torch.optim.lr_scheduler.StepLR(o, 1); o.step()
    s.step(); t.step()
def schedule_swa(): o = make(); s = torch.optim.swa_utils.SWALR(o, 0.1); s.step()
def schedule_swa_get(): o = make(); s = torch.optim.swa_utils.SWALR(o, 0.1); s.get_lr()
def schedule_scaler():
    o = make(); s = torch.optim.lr_scheduler.StepLR(o, 1); g = torch.amp.GradScaler('cpu'); g.step(o)
    g.update(); s.step()
def same_twice(): p = torch.ones(2, requires_grad=True); torch.optim.SGD([p, p], lr=0.1)
def sgd_no_lr(): torch.optim.SGD([torch.ones(2, requires_grad=True)])
def adam_old_grad(): o = torch.optim.Adam([torch.ones(2, requires_grad=True)]); o.step()
def adam_eps(): torch.optim.Adam([torch.ones(2, requires_grad=True)], lr=torch.tensor(0.1))
def adagrad(): p = torch.ones(2, requires_grad=True); p.grad = torch.ones(2); torch.optim.Adagrad([p]).step()
def rprop(): p = torch.ones(2, requires_grad=True); p.grad = torch.ones(2); torch.optim.Rprop([p]).step()
def lbfgs(): p = torch.ones(2, requires_grad=True); torch.optim.LBFGS([p]).step(lambda: torch.ones(()))
def zero_grad(): make().zero_grad()
def optimizer_load(): o = make(); o.load_state_dict(o.state_dict())
def optimizer_dampening(): make(momentum=0.9, dampening=0.1).step()
def averaged(): m = torch.optim.swa_utils.AveragedModel(nn.Linear(2, 2)); m.update_parameters(nn.Linear(2, 2))
def update_bn(): torch.optim.swa_utils.update_bn([torch.ones(2, 2)], nn.Sequential(nn.BatchNorm1d(2)))
def muon():
    try: torch.optim.Muon([torch.ones(2, 2, requires_grad=True)])
    except AttributeError: pass
# utilities
def loader_workers_many(): torch.utils.data.DataLoader([1, 2], num_workers=999)
def loader_pin(): list(torch.utils.data.DataLoader([1, 2], pin_memory=True))
def loader_pin_device(): list(torch.utils.data.DataLoader([1, 2], pin_memory=True, pin_memory_device='cuda'))
def loader_length():
    class D(torch.utils.data.IterableDataset):
        def __iter__(self): return iter(range(5))
        def __len__(self): return 2
    list(torch.utils.data.DataLoader(D()))
def loader_prefetch():
    try: torch.utils.data.DataLoader([1, 2], prefetch_factor=2)
    except ValueError: pass
def sampler_source():
    class S(torch.utils.data.Sampler):
        def __iter__(self): return iter(())
    try: S([1])
    except TypeError: pass
def random_split_empty(): torch.utils.data.random_split([1, 2], [2, 0])
def random_split_fractions(): torch.utils.data.random_split([1, 2], [0.99, 0.01])
def weighted(): list(torch.utils.data.WeightedRandomSampler([1.0, 2.0], 2))
def collate_arrays(): torch.utils.data.default_collate([np.ones(2), np.ones(2)])
def collate_lists(): torch.utils.data.default_collate([[1, 2], [3, 4]])
def collate_read_only():
    a = np.ones(2); a.flags.writeable = False; torch.utils.data.default_collate([a, a])
def save_module(): torch.save(nn.Linear(2, 2), io.BytesIO())
def load_unsafe():
    f = io.BytesIO(); torch.save({'a': 1}, f); f.seek(0); torch.load(f, weights_only=False)
def load_default():
    f = io.BytesIO(); torch.save({'a': 1}, f); f.seek(0); torch.load(f)
def load_legacy():
    f = io.BytesIO(); torch.save({'a': torch.ones(1)}, f, _use_new_zipfile_serialization=False); f.seek(0)
    torch.load(f)
def save_storage(): torch.save(torch.ones(2).untyped_storage(), io.BytesIO())
def pickle_tensor(): pickle.loads(pickle.dumps(torch.ones(2)))
def deepcopy_storage(): copy.deepcopy(torch.ones(2).untyped_storage())
def pytree_register():
    torch.utils._pytree._register_pytree_node(type('N', (), {}), lambda x: ([], None), lambda a, b: None)
def dlpack(): torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(torch.ones(2)))
def from_dlpack_array(): torch.from_dlpack(np.ones(2))
def from_dlpack_read_only():
    a = np.ones(2); a.flags.writeable = False
    try: torch.from_dlpack(a)
    except Exception: pass
def make_tensor_same(): torch.testing.make_tensor(2, dtype=torch.float32, device='cpu', low=1.0, high=1.0)
def assert_close_tolerance(): torch.testing.assert_close(torch.ones(2), torch.ones(2))
def assert_allclose():
    try: torch.testing.assert_allclose(torch.ones(2), torch.ones(2))
    except AttributeError: pass
def script(): torch.jit.script(nn.Linear(2, 2))
def script_function():
    try: torch.jit.script(named_function)
    except Exception: pass
def trace(): torch.jit.trace(nn.Linear(2, 2), torch.ones(1, 2))
def jit_ignore(): torch.jit.ignore(lambda x: x)
def functorch_vmap(): functorch.vmap(torch.sin)(torch.ones(2))
def functorch_grad(): functorch.grad(torch.sin)(torch.tensor(1.0))
def functorch_make(): functorch.make_functional(nn.Linear(2, 2))
def functorch_buffers(): functorch.make_functional_with_buffers(nn.Linear(2, 2))
def functorch_jacrev(): functorch.jacrev(torch.sin)(torch.ones(2))
def functorch_combine(): functorch.combine_state_for_ensemble([nn.Linear(2, 2), nn.Linear(2, 2)])
def stack_module(): torch.func.stack_module_state([nn.Linear(2, 2), nn.Linear(2, 2)])
def vmap(): torch.func.vmap(torch.sin)(torch.ones(2))
def masked(): torch.masked.masked_tensor(torch.ones(2), torch.tensor([True, False]))
def masked_grad(): torch.masked.masked_tensor(torch.ones(2, requires_grad=True), torch.tensor([True, False]))
def masked_sum(): torch.masked.sum(torch.ones(2), mask=torch.tensor([True, False]))
def masked_as(): torch.masked.as_masked_tensor(torch.ones(2), torch.tensor([True, False]))
def fx_no_attribute():
    g = torch.fx.Graph(); g.owning_module = nn.Module(); g.get_attr('nothing')
def fx_no_module():
    g = torch.fx.Graph(); g.owning_module = nn.Module(); g.call_module('nothing')
def fx_trace(): torch.fx.symbolic_trace(nn.Linear(2, 2))
def sdp_kernel():
    with torch.backends.cuda.sdp_kernel(): pass
def sdpa_kernel():
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH): pass
def tf32(): torch.backends.cuda.matmul.allow_tf32
def set_tf32(): torch.backends.cuda.matmul.allow_tf32 = False
def cudnn_tf32(): torch.backends.cudnn.allow_tf32
def cudnn_benchmark(): torch.backends.cudnn.benchmark = False
def matmul_precision(): torch.set_float32_matmul_precision('high')
def matmul_precision_wrong():
    try: torch.set_float32_matmul_precision('nonsense')
    except Exception: pass
def cuda_available(): torch.cuda.is_available(); torch.cuda.device_count()
def cuda_seed(): torch.cuda.manual_seed_all(0)
def cuda_empty(): torch.cuda.empty_cache()
def cuda_stats():
    try: torch.cuda.memory_allocated()
    except Exception: pass
def cuda_reset(): torch.cuda.reset_peak_memory_stats() if False else None
def cuda_max_cached():
    try: torch.cuda.max_memory_cached()
    except Exception: pass
def fork_rng():
    with torch.random.fork_rng(): pass
def set_deterministic(): torch.use_deterministic_algorithms(False)
def threads(): torch.set_num_threads(torch.get_num_threads())
def flush(): torch.set_flush_denormal(False)
def dist_no_constraints():
    class D(torch.distributions.Distribution): pass
    D(validate_args=True)
def dist_sample_n(): torch.distributions.Normal(0.0, 1.0).sample_n(2)
def dist_support():
    class D(torch.distributions.Distribution):
        arg_constraints = {}
    try: D(validate_args=True)._validate_sample(torch.ones(1))
    except NotImplementedError: pass
def dist_wishart(): torch.distributions.Wishart(torch.tensor(1.5), torch.eye(2))
def dist_wishart_sample():
    torch.manual_seed(0); torch.distributions.Wishart(torch.tensor(2.5), torch.eye(2)).sample((20,))
def dist_lkj(): torch.distributions.LKJCholesky(3).sample()
def dist_kl():
    torch.distributions.kl_divergence(torch.distributions.Normal(0.0, 1.0), torch.distributions.Normal(0.0, 1.0))
def dist_kl_ambiguous():
    class A(torch.distributions.Normal): pass
    class B(torch.distributions.Normal): pass
    torch.distributions.register_kl(A, torch.distributions.Normal)(lambda p, q: torch.zeros(()))
    torch.distributions.register_kl(torch.distributions.Normal, B)(lambda p, q: torch.zeros(()))
    torch.distributions.kl_divergence(A(0.0, 1.0), B(0.0, 1.0))
def dist_binomial(): torch.distributions.Binomial(3, torch.tensor(0.5)).log_prob(torch.tensor(1.0))
def dist_transform():
    torch.distributions.TransformedDistribution(torch.distributions.Normal(0.0, 1.0),
        torch.distributions.ExpTransform()).sample()
def dist_sigmoid(): torch.distributions.SigmoidTransform()(torch.ones(2))
def hub_untrusted(): pass
def library_twice():
    lib = torch.library.Library('warned', 'FRAGMENT')
    lib.define('f' + str(counter()) + '(Tensor x) -> Tensor')
def allreduce(): torch.ones(2).is_shared()
def tensor_list_print(): str(torch.ones(2)); repr(torch.ones(2, requires_grad=True))
def set_printoptions(): torch.set_printoptions(precision=4)
def compile_(): torch.compile(lambda x: x)
def compile_disable(): torch.compiler.disable(lambda x: x)
def dynamo_reset(): torch.compiler.reset()
def allow_in_graph(): torch.compiler.is_compiling()
def swap(): torch.__future__.set_overwrite_module_params_on_conversion(False)
def typename(): torch.typename(torch.ones(1))
def is_storage(): torch.is_storage(torch.ones(1).untyped_storage())
def get_rng(): torch.set_rng_state(torch.get_rng_state())
def default_generator(): torch.default_generator.initial_seed()
def linalg_ex(): torch.linalg.inv_ex(torch.eye(2))
def quant():
    try: torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.quint8)
    except Exception: pass
def vmap_in_place(): torch.vmap(lambda x: x.clone().add_(1))(torch.ones(2))
def hessian(): torch.func.hessian(lambda x: (x ** 3).sum())(torch.ones(2))
def module_call_old():
    class F1(torch.autograd.Function):
        def forward(self, x): return x
        def backward(self, g): return g
    try: F1()(torch.ones(1))
    except RuntimeError: pass
def set_grad(): torch.set_grad_enabled(True)
def data_set(): x = torch.ones(2, requires_grad=True); x.data = torch.zeros(2)
def retain_grad_leaf(): torch.ones(2, requires_grad=True).retain_grad()
def jit_is(): torch.jit.is_scripting(); torch.jit.is_tracing()
def resize_with_grad():
    try: torch.ones(2, requires_grad=True).resize_(3)
    except RuntimeError: pass
def type_legacy(): torch.ones(2).type('torch.DoubleTensor')
def double_tensor(): torch.DoubleTensor(2)
def tensor_new(): torch.ones(2).new(3)
def tensor_new_list(): torch.ones(2).new([1, 2])
def cuda_method():
    try: torch.ones(2).cuda()
    except Exception: pass
def to_cuda():
    try: torch.ones(2).to('cuda')
    except Exception: pass
def pin_memory():
    try: torch.ones(2).pin_memory()
    except Exception: pass
"""
