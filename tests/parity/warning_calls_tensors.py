"""Calls that PyTorch warns of, or not: those of tensors, operators, autograd and amp. Each is a function;
warning_programs.py runs them.
"""

SOURCE = """
# tensors
def t_of_1d(): torch.ones(3).T
def t_of_2d(): torch.ones(3, 2).T
def t_of_3d(): torch.ones(2, 3, 4).T
def t_of_0d(): torch.tensor(1.0).T
def h_of_0d(): torch.tensor(1.0).H
def mt_of_0d(): torch.tensor(1.0).mT
def mt_of_3d(): torch.ones(2, 3, 4).mT
def t_method_1d(): torch.ones(3).t()
def grad_of_leaf(): torch.ones(2, requires_grad=True).grad
def grad_of_plain(): torch.ones(2).grad
def grad_of_nonleaf(): (torch.ones(2, requires_grad=True) * 2).grad
def grad_of_retained():
    y = torch.ones(2, requires_grad=True) * 2; y.retain_grad(); y.grad
def grad_of_retained_after():
    y = torch.ones(2, requires_grad=True) * 2; y.retain_grad(); y.sum().backward(); y.grad
def grad_of_view(): torch.ones(2, requires_grad=True)[0].grad
def grad_of_detached(): (torch.ones(2, requires_grad=True) * 2).detach().grad
def grad_set_nonleaf(): y = torch.ones(2, requires_grad=True) * 2; y.grad = torch.ones(2)
def tensor_of_tensor(): torch.tensor(torch.ones(2))
def tensor_of_parameter(): torch.tensor(nn.Parameter(torch.ones(2)))
def tensor_of_scalars(): torch.tensor([torch.tensor(1.0), torch.tensor(2.0)])
def new_tensor_of_tensor(): torch.ones(2).new_tensor(torch.ones(2))
def as_tensor_of_tensor(): torch.as_tensor(torch.ones(2))
def asarray_of_tensor(): torch.asarray(torch.ones(2), copy=True)
def tensor_of_arrays(): torch.tensor([np.ones(3), np.ones(3)])
def as_tensor_of_arrays(): torch.as_tensor([np.ones(3), np.ones(3)])
def float_tensor_of_arrays(): torch.FloatTensor([np.ones(3), np.ones(3)])
def tensor_of_array(): torch.tensor(np.ones(3))
def tensor_of_tuple_of_arrays(): torch.tensor((np.ones(3), np.ones(3)))
def read_only_from_numpy(): a = np.ones(3); a.flags.writeable = False; torch.from_numpy(a)
def read_only_as_tensor(): a = np.ones(3); a.flags.writeable = False; torch.as_tensor(a)
def read_only_tensor(): a = np.ones(3); a.flags.writeable = False; torch.tensor(a)
def read_only_frombuffer(): torch.frombuffer(b'12345678', dtype=torch.uint8)
def read_only_asarray(): torch.asarray(memoryview(b'12345678'), dtype=torch.uint8)
def storage(): torch.ones(2).storage()
def storage_item(): torch.ones(2).storage()[0]
def float_storage(): torch.FloatStorage(3)
def untyped_storage(): torch.ones(2).untyped_storage()[0]
def typed_storage_dtype(): torch.ones(2).storage().dtype
def float_of_grad(): float(torch.ones((), requires_grad=True))
def int_of_grad(): int(torch.ones((), requires_grad=True))
def item_of_grad(): torch.ones((), requires_grad=True).item()
def bool_of_grad(): bool(torch.ones((), requires_grad=True))
def float_of_grad_result(): float(torch.ones((), requires_grad=True) * 2)
def complex_of_grad(): complex(torch.ones((), requires_grad=True))
def format_of_grad(): format(torch.ones((), requires_grad=True))
def format_spec_of_grad(): f'{torch.ones((), requires_grad=True):.3f}'
def math_of_grad(): math.sqrt(torch.ones((), requires_grad=True))
def index_of_grad(): [1, 2][torch.tensor(1)]
def tolist_of_grad(): torch.ones(2, requires_grad=True).tolist()
def fill_with_grad(): torch.zeros(2).fill_(torch.ones((), requires_grad=True))
def tensor_of_grads(): torch.tensor([torch.ones((), requires_grad=True)])
def full_of_grad(): torch.full((2,), torch.ones((), requires_grad=True))
def round_of_grad(): round(torch.ones((), requires_grad=True))
def resize(): torch.ones(2).resize(2)
def resize_as(): torch.ones(2).resize_as(torch.ones(2))
def contiguous_resize(): torch.ones(2).resize_(3)
def requires_grad_resize():
    with torch.no_grad(): torch.ones(2, requires_grad=True)
def variable(): torch.autograd.Variable(torch.ones(2))
def volatile(): torch.autograd.Variable(torch.ones(2), volatile=True)
def get_volatile(): torch.ones(2).volatile
def set_volatile(): torch.ones(2).volatile = True
def array_of(): np.array(torch.ones(2))
def asarray_of(): np.asarray(torch.ones(2))
def array_of_list(): np.array([torch.ones(2), torch.ones(2)])
def ufunc_of(): np.exp(torch.ones(2))
def add_array(): torch.ones(2) + np.ones(2)
def array_mul(): np.float64(2.0) * torch.ones(2)
def named(): torch.zeros(2, 3, names=('a', 'b'))
def refine(): torch.zeros(2, 3).refine_names('a', 'b')
def names_of(): torch.zeros(2, 3).names
def to_real(): torch.ones(2, dtype=torch.complex64).to(torch.float32)
def float_of_complex(): torch.ones(2, dtype=torch.complex64).float()
def int_of_complex(): torch.ones(2, dtype=torch.complex64).int()
def bool_of_complex(): torch.ones(2, dtype=torch.complex64).bool()
def copy_complex(): torch.ones(2).copy_(torch.ones(2, dtype=torch.complex64))
def assign_complex(): torch.ones(2)[0] = torch.ones((), dtype=torch.complex64)
def type_as_complex(): torch.ones(2, dtype=torch.complex64).type_as(torch.ones(2))
def type_complex(): torch.ones(2, dtype=torch.complex64).type(torch.float32)
def tensor_dtype_complex(): torch.tensor([1.0], dtype=torch.complex64).double()
def complex_sum_dtype(): torch.ones(2, dtype=torch.complex64).sum(dtype=torch.float32)
def complex_cumsum_dtype(): torch.ones(2, dtype=torch.complex64).cumsum(0, dtype=torch.float32)
def complex_softmax_dtype(): torch.ones(2, dtype=torch.complex64).softmax(0, dtype=torch.float32)
def half_complex(): torch.ones(2, dtype=torch.complex64).chalf()
def empty_half_complex(): torch.empty(2, dtype=torch.complex32)
def zeros_half_complex(): torch.zeros(2, dtype=torch.complex32)
def to_half_complex(): torch.ones(2).to(torch.complex32)
def int_pow(): torch.tensor(2) ** 2
def floordiv(): torch.tensor(5) // 2
def floor_divide(): torch.floor_divide(torch.tensor(5), 2)
def true_divide(): torch.true_divide(torch.tensor(5), 2)
def rfloordiv(): 5 // torch.tensor(2)
def contains(): 1 in torch.ones(2)
def eq_none(): torch.ones(2) == None
def reversed_(): reversed(torch.ones(2))
def len_0d():
    try: len(torch.tensor(1))
    except TypeError: pass
def iterate(): list(torch.ones(2))
def bool_mask(): torch.ones(3)[torch.tensor([True, False, True])]
def byte_mask(): torch.ones(3)[torch.tensor([1, 0, 1], dtype=torch.uint8)]
def byte_mask_set(): torch.ones(3)[torch.tensor([1, 0, 1], dtype=torch.uint8)] = 2.0
def byte_mask_2d(): torch.ones(2, 3)[:, torch.tensor([1, 0, 1], dtype=torch.uint8)]
def byte_index_put(): torch.ones(3).index_put((torch.tensor([1, 0, 1], dtype=torch.uint8),), torch.tensor(1.0))
def byte_where(): torch.where(torch.tensor([1, 0], dtype=torch.uint8), torch.ones(2), torch.zeros(2))
def byte_masked_fill():
    try: torch.ones(2).masked_fill(torch.tensor([1, 0], dtype=torch.uint8), 0.0)
    except RuntimeError: pass
def byte_masked_select():
    try: torch.ones(2).masked_select(torch.tensor([1, 0], dtype=torch.uint8))
    except RuntimeError: pass
def byte_masked_scatter():
    try: torch.ones(2).masked_scatter(torch.tensor([1, 0], dtype=torch.uint8), torch.ones(2))
    except RuntimeError: pass
def list_index(): torch.ones(3)[[0, 1]]
def nested_list_index(): torch.ones(3, 3)[[[0, 1], [1, 2]]]
def list_of_slices_index(): torch.ones(3, 3)[[slice(0, 1), slice(0, 2)]]
def expanded_index_put():
    try: torch.ones(1).expand(3).index_put_((torch.tensor([0]),), torch.tensor(2.0))
    except RuntimeError: pass
def expanded_write():
    try: torch.ones(1).expand(3).add_(1)
    except RuntimeError: pass
def masked_fill_broadcast(): torch.ones(1, 3).masked_fill(torch.ones(2, 3, dtype=torch.bool), 0.0)
# operators
def std_of_one(): torch.ones(1).std()
def var_of_one(): torch.ones(1).var()
def std_of_none(): torch.ones(0).std()
def std_of_two(): torch.ones(2).std()
def std_over_one(): torch.ones(3, 1).std(1)
def std_over_two(): torch.ones(3, 2).std(1)
def std_uncorrected(): torch.ones(1).std(correction=0)
def std_corrected(): torch.ones(3).std(correction=3)
def std_corrected_more(): torch.ones(3).std(correction=4)
def std_biased(): torch.ones(1).std(unbiased=False)
def std_of_0d(): torch.tensor(1.0).std()
def var_over_dims(): torch.ones(1, 3, 1).var((0, 2))
def std_mean_of_one(): torch.std_mean(torch.ones(1))
def var_mean_of_one(): torch.var_mean(torch.ones(2, 1), 1)
def std_empty_over(): torch.ones(0, 3).std(0)
def std_empty_kept(): torch.ones(0, 3).std(1)
def std_with_grad(): torch.ones(1, requires_grad=True).std()
def std_in_vmap(): torch.vmap(torch.std)(torch.ones(3, 1))
def std_meta(): torch.ones(1, device='meta').std()
def std_out(): torch.std(torch.ones(3, 1), 1, out=torch.ones(3))
def cov_of_one(): torch.ones(2, 1).cov()
def corrcoef_of_one(): torch.ones(2, 1).corrcoef()
def cov_weights(): torch.cov(torch.ones(2, 1), fweights=torch.tensor([1]))
def linalg_std(): torch.linalg.norm(torch.ones(1))
def var_complex(): torch.ones(1, dtype=torch.complex64).var()
def mean_of_none(): torch.ones(0).mean()
def median_of_none(): torch.ones(0).median()
def nanmean_of_nan(): torch.tensor([math.nan]).nanmean()
def meshgrid(): torch.meshgrid(torch.arange(2), torch.arange(3))
def meshgrid_list(): torch.meshgrid([torch.arange(2), torch.arange(3)])
def meshgrid_ij(): torch.meshgrid(torch.arange(2), torch.arange(3), indexing='ij')
def meshgrid_xy(): torch.meshgrid(torch.arange(2), torch.arange(3), indexing='xy')
def meshgrid_one(): torch.meshgrid(torch.arange(2))
def cartesian_prod(): torch.cartesian_prod(torch.arange(2), torch.arange(3))
def range_(): torch.range(0, 2)
def stft_no_window(): torch.stft(torch.ones(16), 4, return_complex=True)
def stft_window(): torch.stft(torch.ones(16), 4, window=torch.hann_window(4), return_complex=True)
def stft_real(): torch.stft(torch.ones(16), 4, window=torch.hann_window(4), return_complex=False)
def stft_unsaid():
    try: torch.stft(torch.ones(16), 4, window=torch.hann_window(4))
    except RuntimeError: pass
def istft_no_window(): torch.istft(torch.stft(torch.ones(16), 4, window=torch.ones(4), return_complex=True), 4)
def cholesky(): torch.cholesky(torch.eye(2))
def cholesky_method(): torch.eye(2).cholesky()
def qr(): torch.qr(torch.eye(2))
def lu(): torch.lu(torch.eye(2))
def lu_method(): torch.eye(2).lu()
def lu_infos(): torch.lu(torch.eye(2), get_infos=True)
def lu_solve(): torch.lu_solve(torch.ones(2, 1), *torch.linalg.lu_factor(torch.eye(2)))
def triangular_solve(): torch.triangular_solve(torch.ones(2, 1), torch.eye(2))
def svd(): torch.svd(torch.eye(2))
def ger(): torch.ger(torch.ones(2), torch.ones(2))
def orgqr(): torch.orgqr(torch.eye(2), torch.ones(2))
def pinverse(): torch.pinverse(torch.eye(2))
def norm(): torch.norm(torch.ones(2))
def frobenius(): torch.norm(torch.eye(2), p='fro')
def nuclear(): torch.norm(torch.eye(2), p='nuc')
def frobenius_norm(): torch.frobenius_norm(torch.eye(2), (0, 1))
def nuclear_norm(): torch.nuclear_norm(torch.eye(2), (0, 1))
def chain_matmul(): torch.chain_matmul(torch.eye(2), torch.eye(2), torch.eye(2))
def matrix_rank_tol(): torch.linalg.matrix_rank(torch.eye(2), tol=0.1)
def lstsq(): torch.linalg.lstsq(torch.eye(2), torch.ones(2, 1))
def cross_no_dim(): torch.cross(torch.ones(2, 3), torch.ones(2, 3))
def cross_dim(): torch.cross(torch.ones(2, 3), torch.ones(2, 3), dim=1)
def cross_method(): torch.ones(3).cross(torch.ones(3))
def linalg_cross(): torch.linalg.cross(torch.ones(3), torch.ones(3))
def searchsorted_strided(): torch.searchsorted(torch.arange(12).reshape(4, 3).t(), torch.ones(3, 2, dtype=torch.int64))
def searchsorted_values_strided():
    torch.searchsorted(torch.arange(12).reshape(3, 4), torch.ones(2, 3, dtype=torch.int64).t())
def searchsorted(): torch.searchsorted(torch.arange(4), torch.arange(3))
def searchsorted_dtypes():
    try: torch.searchsorted(torch.arange(4), torch.ones(3))
    except RuntimeError: pass
def bucketize_strided(): torch.bucketize(torch.ones(2), torch.arange(6.)[::2])
def bucketize_values_strided(): torch.bucketize(torch.ones(2, 3).t(), torch.arange(6.))
def scatter_reduce_string(): torch.zeros(3).scatter(0, torch.tensor([0]), torch.ones(1), reduce='add')
def scatter_reduce_number(): torch.zeros(3).scatter(0, torch.tensor([0]), 1.0, reduce='add')
def scatter_reduce(): torch.zeros(3).scatter_reduce(0, torch.tensor([0]), torch.ones(1), reduce='sum')
def scatter_in_place_reduce(): torch.zeros(3).scatter_(0, torch.tensor([0]), torch.ones(1), reduce='multiply')
def index_reduce(): torch.zeros(3).index_reduce(0, torch.tensor([0]), torch.ones(1), 'mean')
def index_reduce_in_place(): torch.zeros(3).index_reduce_(0, torch.tensor([0]), torch.ones(1), 'prod')
def segment_reduce(): torch.segment_reduce(torch.ones(3), 'sum', lengths=torch.tensor([1, 2]))
def out_resized(): torch.add(torch.ones(3), 1, out=torch.ones(2))
def out_empty(): torch.add(torch.ones(3), 1, out=torch.ones(0))
def out_fits(): torch.add(torch.ones(3), 1, out=torch.ones(3))
def out_sort(): torch.sort(torch.ones(3), out=(torch.ones(2), torch.ones(2, dtype=torch.int64)))
def out_cat(): torch.cat([torch.ones(3)], out=torch.ones(2))
def out_stack(): torch.stack([torch.ones(3)], out=torch.ones(2))
def out_matmul(): torch.matmul(torch.ones(2, 3), torch.ones(3, 4), out=torch.ones(2))
def out_mm(): torch.mm(torch.ones(2, 3), torch.ones(3, 4), out=torch.ones(2))
def out_sum(): torch.sum(torch.ones(2, 3), 1, out=torch.ones(3))
def out_arange(): torch.arange(3, out=torch.ones(2))
def out_linspace(): torch.linspace(0, 1, 3, out=torch.ones(2))
def out_zeros(): torch.zeros(3, out=torch.ones(2))
def out_where(): torch.where(torch.ones(3, dtype=torch.bool), torch.ones(3), torch.ones(3), out=torch.ones(2))
def out_nonzero(): torch.nonzero(torch.ones(3), out=torch.ones(2, 2, dtype=torch.int64))
def out_masked_select(): torch.masked_select(torch.ones(3), torch.ones(3, dtype=torch.bool), out=torch.ones(2))
def out_index_select(): torch.index_select(torch.ones(3), 0, torch.tensor([0, 1]), out=torch.ones(3))
def out_gather(): torch.gather(torch.ones(3), 0, torch.tensor([0, 1]), out=torch.ones(3))
def out_take(): torch.take(torch.ones(3), torch.tensor([0, 1]), out=torch.ones(3))
def out_max(): torch.max(torch.ones(3, 2), 1, out=(torch.ones(2), torch.ones(2, dtype=torch.int64)))
def out_topk(): torch.topk(torch.ones(3), 2, out=(torch.ones(3), torch.ones(3, dtype=torch.int64)))
def out_cumsum(): torch.cumsum(torch.ones(3), 0, out=torch.ones(2))
def out_randn(): torch.randn(3, out=torch.ones(2))
def out_rand(): torch.rand(3, out=torch.ones(2))
def out_randperm(): torch.randperm(3, out=torch.ones(2, dtype=torch.int64))
def out_randint(): torch.randint(3, (3,), out=torch.ones(2, dtype=torch.int64))
def out_normal(): torch.normal(torch.zeros(3), torch.ones(3), out=torch.ones(2))
def out_normal_sizes(): torch.normal(0., 1., (3,), out=torch.ones(2))
def out_bernoulli(): torch.bernoulli(torch.ones(3), out=torch.ones(2))
def out_multinomial(): torch.multinomial(torch.ones(3), 2, out=torch.ones(3, dtype=torch.int64))
def out_inv(): torch.linalg.inv(torch.eye(3), out=torch.ones(2, 2))
def out_svd(): torch.linalg.svdvals(torch.eye(3), out=torch.ones(2))
def out_eye(): torch.eye(3, out=torch.ones(2))
def out_full(): torch.full((3,), 1.0, out=torch.ones(2))
def out_fft(): torch.fft.fft(torch.ones(3), out=torch.ones(2, dtype=torch.complex64))
def out_einsum(): torch.bmm(torch.ones(1, 2, 3), torch.ones(1, 3, 4), out=torch.ones(2))
def out_tril(): torch.tril(torch.eye(3), out=torch.ones(2))
def out_kthvalue(): torch.kthvalue(torch.ones(3), 1, out=(torch.ones(2), torch.ones(2, dtype=torch.int64)))
def out_mode(): torch.mode(torch.ones(3), out=(torch.ones(2), torch.ones(2, dtype=torch.int64)))
def out_median(): torch.median(torch.ones(3), 0, out=(torch.ones(2), torch.ones(2, dtype=torch.int64)))
def out_norm(): torch.norm(torch.ones(3), dim=0, out=torch.ones(2))
def out_std(): torch.std(torch.ones(3), 0, out=torch.ones(2))
def out_tensordot(): torch.tensordot(torch.ones(2, 3), torch.ones(3, 4), 1, out=torch.ones(2))
def out_hstack(): torch.hstack([torch.ones(3)], out=torch.ones(2))
def out_polar(): torch.polar(torch.ones(3), torch.ones(3), out=torch.ones(2, dtype=torch.complex64))
def out_complex(): torch.complex(torch.ones(3), torch.ones(3), out=torch.ones(2, dtype=torch.complex64))
def out_bincount(): torch.histc(torch.ones(3), 4, out=torch.ones(2))
def out_addmm(): torch.addmm(torch.ones(2, 2), torch.eye(2), torch.eye(2), out=torch.ones(3))
def out_clamp(): torch.clamp(torch.ones(3), 0, 1, out=torch.ones(2))
def out_lerp(): torch.lerp(torch.ones(3), torch.ones(3), 0.5, out=torch.ones(2))
def old_add(): torch.ones(2).add(2, torch.ones(2))
def old_add_in_place(): torch.ones(2).add_(2, torch.ones(2))
def old_addmm(): torch.addmm(1, torch.eye(2), 1, torch.eye(2), torch.eye(2))
def old_addcmul(): torch.addcmul(torch.ones(2), 1, torch.ones(2), torch.ones(2))
def old_addcdiv(): torch.ones(2).addcdiv_(1, torch.ones(2), torch.ones(2))
def old_sub(): torch.ones(2).sub(2, torch.ones(2))
def clamp_none():
    try: torch.ones(2).clamp()
    except ValueError: pass
def nonzero(): torch.ones(2).nonzero()
def nonzero_tuple(): torch.ones(2).nonzero(as_tuple=True)
def where_one(): torch.where(torch.ones(2) > 0)
def isclose(): torch.isclose(torch.ones(2), torch.ones(2))
def logical(): torch.logical_not(torch.ones(2))
def bernoulli(): torch.bernoulli(torch.ones(2))
def quantile(): torch.quantile(torch.ones(2), 0.5)
def cdist(): torch.cdist(torch.ones(2, 2), torch.ones(2, 2))
def set_default_type(): torch.set_default_tensor_type(torch.FloatTensor)
def set_default_dtype(): torch.set_default_dtype(torch.float32)
def as_strided(): torch.ones(4).as_strided((2,), (2,))
def vander(): torch.vander(torch.ones(2))
def sparse(): torch.eye(2).to_sparse()
def unsafe_chunk(): torch.ones(2).unsafe_chunk(2)
def nan_to_num(): torch.ones(2).nan_to_num()
def normal_negative():
    try: torch.normal(torch.ones(2), -torch.ones(2))
    except RuntimeError: pass
def uniform_int():
    try: torch.ones(2, dtype=torch.int64).uniform_()
    except RuntimeError: pass
def exponential(): torch.ones(2).exponential_()
def random_out_of_range(): torch.zeros(2, dtype=torch.uint8).random_(0, 255)
def random_beyond_float(): torch.zeros(2, dtype=torch.float16).random_(0, 70000)
def random_beyond_float_2(): torch.zeros(2).random_(0, 2 ** 25)
def random_beyond_byte():
    try: torch.zeros(2, dtype=torch.uint8).random_(0, 300)
    except RuntimeError: pass
def randint_float(): torch.randint(0, 3, (2,), dtype=torch.float32)
def gradient(): torch.gradient(torch.arange(4.))
def unique(): torch.unique(torch.ones(2))
def take_along_dim(): torch.take_along_dim(torch.ones(2), torch.tensor([0]), 0)
def tensor_split(): torch.tensor_split(torch.ones(4), 2)
def sum_bool(): torch.ones(2, dtype=torch.bool).sum()
def argmax_bool(): torch.ones(2).argmax()
def put_deterministic():
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        torch.ones(3).put_(torch.tensor([0]), torch.ones(1))
        torch.ones(3).index_put_((torch.tensor([0]),), torch.ones(1), accumulate=True)
    finally: torch.use_deterministic_algorithms(False)
def scatter_deterministic():
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        torch.ones(3).scatter_add_(0, torch.tensor([0]), torch.ones(1)); torch.ones(3).kthvalue(1)
        torch.bincount(torch.tensor([1, 2])); torch.ones(3).cumsum(0); torch.histc(torch.ones(3))
    finally: torch.use_deterministic_algorithms(False)
def deterministic_more():
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        x = torch.ones(1, 1, 4, 4, requires_grad=True)
        F.interpolate(x, scale_factor=2, mode='bilinear').sum().backward()
        F.adaptive_avg_pool2d(x, 2).sum().backward(); F.pad(x, (1, 1), mode='reflect').sum().backward()
        torch.median(torch.ones(3), 0); torch.ones(3).index_add_(0, torch.tensor([0]), torch.ones(1))
        torch.ones(3).index_copy_(0, torch.tensor([0]), torch.ones(1)); torch.empty(3)
        torch.ones(3).resize_(5)
    finally: torch.use_deterministic_algorithms(False)
# autograd
def backward_create_graph():
    x = torch.ones(2, requires_grad=True); (x * x).sum().backward(create_graph=True); x.grad = None
def grad_create_graph(): x = torch.ones(2, requires_grad=True); torch.autograd.grad((x * x).sum(), x, create_graph=True)
def autograd_backward_create_graph():
    x = torch.ones(2, requires_grad=True); torch.autograd.backward((x * x).sum(), create_graph=True); x.grad = None
def grad_variables():
    x = torch.ones(2, requires_grad=True); torch.autograd.backward(x * 2, grad_variables=torch.ones(2))
def only_inputs(): x = torch.ones(2, requires_grad=True); torch.autograd.grad((x * x).sum(), x, only_inputs=False)
def detect_anomaly():
    with torch.autograd.detect_anomaly(): pass
def set_detect_anomaly():
    with torch.autograd.set_detect_anomaly(True): pass
def anomaly_failing():
    try:
        with torch.autograd.set_detect_anomaly(True): torch.sqrt(torch.tensor(-1.0, requires_grad=True)).backward()
    except RuntimeError: pass
def saved_variables():
    class S(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x): ctx.save_for_backward(x); return x * 2
        @staticmethod
        def backward(ctx, g): ctx.saved_variables; return g
    S.apply(torch.ones(2, requires_grad=True)).sum().backward()
def function_extra_methods():
    class S(PassesGradient):
        @staticmethod
        def forward(ctx, x): ctx.mark_dirty(x); x.add_(1); return x
    S.apply(torch.ones(2))
def shared_storage():
    class S(PassesGradient):
        @staticmethod
        def forward(ctx, x): ctx.mark_shared_storage((x, x)); return x.clone()
    S.apply(torch.ones(2))
def dirty_not_input():
    class S(PassesGradient):
        @staticmethod
        def forward(ctx, x): y = x.clone(); ctx.mark_dirty(y); return y
    S.apply(torch.ones(2, requires_grad=True))
def new_function_object():
    class S(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x): return x.clone()
    S()
def gradcheck_single():
    try: torch.autograd.gradcheck(torch.sin, torch.ones(2, requires_grad=True))
    except Exception: pass
def gradcheck_double(): torch.autograd.gradcheck(torch.sin, torch.ones(2, dtype=torch.float64, requires_grad=True))
def no_grad_class():
    @torch.no_grad()
    class A: pass
def inference_class():
    @torch.inference_mode()
    class A: pass
def no_grad_without_call():
    @torch.no_grad
    def f(): pass
    f()
def no_grad_generator():
    @torch.no_grad()
    def f(): yield 1
    list(f())
def hook_on_nonleaf(): (torch.ones(2, requires_grad=True) * 2).register_hook(lambda g: g)
def accumulate_layouts(): x = torch.ones(2, 3, requires_grad=True); x.t().contiguous().sum().backward()
def functional_strict(): torch.autograd.functional.jacobian(torch.sin, torch.ones(2))
def profile_cuda():
    with torch.autograd.profiler.profile(use_cuda=True): pass
def profiler_cuda():
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]): pass
def profiler_schedule(): torch.profiler.schedule(wait=1, warmup=0, active=1)
def profiler_warmup():
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU],
        schedule=torch.profiler.schedule(wait=0, warmup=0, active=1)) as p:
        p.step()
def multi_grad_view_in_place():
    x = torch.ones(2, requires_grad=True) * 1
    a, b = x.unbind()
    try: a.add_(1)
    except RuntimeError: pass
def in_place_on_split_view():
    x = torch.ones(4, requires_grad=True) * 1
    a, b = x.chunk(2)
    try: a.mul_(2)
    except RuntimeError: pass
def in_place_no_grad_view():
    x = torch.ones(4, requires_grad=True)
    with torch.no_grad(): v = x[:2]
    try: v.mul_(2)
    except RuntimeError: pass
def checkpoint_unsaid(): torch.utils.checkpoint.checkpoint(torch.sin, torch.ones(2, requires_grad=True))
def checkpoint_reentrant():
    torch.utils.checkpoint.checkpoint(torch.sin, torch.ones(2, requires_grad=True), use_reentrant=True)
def checkpoint_no_grad(): torch.utils.checkpoint.checkpoint(torch.sin, torch.ones(2), use_reentrant=True)
def checkpoint_not_reentrant(): torch.utils.checkpoint.checkpoint(torch.sin, torch.ones(2), use_reentrant=False)
def checkpoint_sequential_unsaid():
    torch.utils.checkpoint.checkpoint_sequential(nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)), 2, torch.ones(1, 2,
        requires_grad=True))
# amp
def autocast_cuda():
    with torch.autocast('cuda'): pass
def cuda_autocast():
    with torch.cuda.amp.autocast(): pass
def cpu_autocast():
    with torch.cpu.amp.autocast(): pass
def autocast_cpu():
    with torch.autocast('cpu'): pass
def autocast_cpu_float64():
    with torch.autocast('cpu', dtype=torch.float64): pass
def autocast_cpu_half():
    with torch.autocast('cpu', dtype=torch.float16): pass
def grad_scaler_cuda(): torch.amp.GradScaler('cuda')
def grad_scaler_default(): torch.amp.GradScaler()
def grad_scaler_cpu(): torch.amp.GradScaler('cpu')
def cuda_grad_scaler(): torch.cuda.amp.GradScaler()
def autocast_set(): torch.is_autocast_cpu_enabled()
def autocast_set_2(): torch.get_autocast_cpu_dtype()
def autocast_set_3(): torch.set_autocast_cpu_enabled(False)
def autocast_set_4(): torch.get_autocast_gpu_dtype()
"""
