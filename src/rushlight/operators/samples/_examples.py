"""Examples for the documentation of operators whose samples make none: random numbers, memory, what only reads well by
hand.

By name, as code in which `torch` is rushlight. tools/operator_pages.py runs it and writes what it prints on the pages;
tests/test_operator_pages.py runs it again.
"""

from __future__ import annotations

_SEED = "_ = torch.manual_seed(0)\n"
EXAMPLES: dict[str, str] = {
    # random numbers: repeatable after a seed, whatever the number of threads
    "rand": _SEED + "torch.rand(2, 3)",
    "randn": _SEED + "torch.randn(2, 3)",
    "randint": _SEED + "torch.randint(0, 10, (2, 4))",
    "randperm": _SEED + "torch.randperm(6)",
    "normal": _SEED + "torch.normal(torch.tensor([0.0, 10.0]), torch.tensor([1.0, 0.1]))",
    "rand_like": _SEED + "torch.rand_like(torch.ones(2, 2))",
    "randn_like": _SEED + "torch.randn_like(torch.ones(2, 2))",
    "randint_like": _SEED + "torch.randint_like(torch.ones(2, 2), 0, 10)",
    "bernoulli": _SEED + "torch.bernoulli(torch.tensor([0.1, 0.5, 0.9]))",
    "binomial": _SEED + "torch.binomial(torch.full((4,), 10.0), torch.full((4,), 0.3))",
    "multinomial": _SEED + "torch.multinomial(torch.tensor([0.1, 0.2, 0.7]), 5, replacement=True)",
    "poisson": _SEED + "torch.poisson(torch.full((4,), 5.0))",
    "Tensor.bernoulli_": _SEED + "torch.empty(4).bernoulli_(0.5)",
    "Tensor.cauchy_": _SEED + "torch.empty(3).cauchy_()",
    "Tensor.exponential_": _SEED + "torch.empty(3).exponential_(2.0)",
    "Tensor.geometric_": _SEED + "torch.empty(4).geometric_(0.5)",
    "Tensor.log_normal_": _SEED + "torch.empty(3).log_normal_()",
    "Tensor.normal_": _SEED + "torch.empty(3).normal_(mean=5.0, std=0.5)",
    "Tensor.random_": _SEED + "torch.empty(4, dtype=torch.int64).random_(0, 100)",
    "Tensor.uniform_": _SEED + "torch.empty(3).uniform_(-1, 1)",
    "conj_physical_": "x = torch.tensor([1 + 2j])\nx.conj_physical_()",
    # memory whose values are whatever it held
    "empty": "torch.empty(2, 3).shape",
    "empty_like": "torch.empty_like(torch.ones(2, 3, dtype=torch.int64)).dtype",
    "empty_permuted": "torch.empty_permuted((2, 3, 4), (0, 2, 1)).stride()",
    "empty_strided": "torch.empty_strided((2, 3), (1, 2)).stride()",
    "Tensor.new_empty": "torch.ones(1, dtype=torch.float64).new_empty(2, 3).dtype",
    "Tensor.new_empty_strided": "torch.ones(1).new_empty_strided((2, 3), (1, 2)).stride()",
    "Tensor.new": "torch.ones(1, dtype=torch.float64).new([1, 2])",
    "Tensor.resize_": "x = torch.tensor([1, 2, 3, 4])\nx.resize_(2, 2)",
    "resize_as_": "x = torch.tensor([1, 2, 3, 4])\nx.resize_as_(torch.ones(2, 2))",
    # Python's values and other libraries' arrays
    "tensor": "torch.tensor([[1, 2], [3, 4]])\ntorch.tensor([0.5, 2])\ntorch.tensor([1, 2], dtype=torch.bfloat16)",
    "as_tensor": "import numpy as np\na = np.array([1.0, 2.0])\nt = torch.as_tensor(a)\na[0] = 5\nt",
    "Tensor.new_tensor": "torch.ones(1, dtype=torch.float64).new_tensor([1, 2])",
    "Tensor.numpy": "t = torch.tensor([1.0, 2.0])\nt.numpy()[0] = 5\nt",
    "Tensor.__array__": "import numpy as np\nnp.asarray(torch.tensor([[1, 2], [3, 4]])).shape",
    "Tensor.__dlpack__": "import numpy as np\nnp.from_dlpack(torch.tensor([1, 2, 3])).sum().item()",
    "Tensor.__dlpack_device__": "torch.ones(2).__dlpack_device__()",
    "Tensor.cuda": "hasattr(torch.ones(2), 'cuda') and torch.cuda.is_available()",
    # what a sample shows badly
    "scatter_reduce": (
        "x = torch.zeros(3)\nx.scatter_reduce(0, torch.tensor([0, 1, 0, 1]), torch.tensor([1.0, 2.0, "
        "3.0, 4.0]), reduce='amax')"
    ),
    "index_reduce": (
        "x = torch.ones(3)\nx.index_reduce(0, torch.tensor([0, 2, 0]), torch.tensor([2.0, 3.0, 4.0]), 'prod')"
    ),
    "nn.functional.scaled_dot_product_attention": (
        "q = torch.linspace(-1, 1, 12).reshape(1, 3, "
        "4)\ntorch.nn.functional.scaled_dot_product_attention(q, q, q, "
        "is_causal=True)"
    ),
    "nn.functional.grid_sample": (
        "image = torch.arange(4.0).reshape(1, 1, 2, 2)\ngrid = torch.tensor([[[[-0.5, -0.5], [0.0, 0.0]]]])\n"
        "torch.nn.functional.grid_sample(image, grid, align_corners=False)"
    ),
    "unbind_copy": "torch.unbind_copy(torch.tensor([[1, 2], [3, 4]]))",
    "zero_": "torch.zero_(torch.ones(3))",
    "where": "x = torch.tensor([-1.0, 2.0, -3.0])\ntorch.where(x > 0, x, 0.0)",
    "istft": (
        "x = torch.tensor([1.0, 2.0, 3.0, 4.0, 3.0, 2.0, 1.0, 0.0])\nX = torch.stft(x, 4, "
        "return_complex=True)\ntorch.istft(X, 4)"
    ),
    "lstm_cell": (
        "h = c = torch.zeros(1, 2)\n[t.shape for t in torch.lstm_cell(torch.ones(1, 3), (h, c), "
        "torch.ones(8, 3), torch.ones(8, 2))]"
    ),
    "pca_lowrank": _SEED + "[t.shape for t in torch.pca_lowrank(torch.randn(6, 4), q=2)]",
    "svd_lowrank": _SEED + "[t.shape for t in torch.svd_lowrank(torch.randn(6, 4), q=2)]",
    "view_as_real_copy": "torch.view_as_real_copy(torch.tensor([1 + 2j, 3 - 1j]))",
    "Tensor.apply_": "torch.tensor([1.0, 2.0, 3.0]).apply_(lambda v: v * v)",
    "Tensor.map_": "torch.tensor([1, 2, 3]).map_(torch.tensor([3, 2, 1]), max)",
    "Tensor.map2_": (
        "torch.tensor([1.0, 2.0]).map2_(torch.tensor([3.0, 4.0]), torch.tensor([5.0, 6.0]), lambda a, b, c: a + b * c)"
    ),
    "special.beta": "torch.special.beta(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 2.0]))",
    "special.betaln": "torch.special.betaln(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 2.0]))",
    "special.betainc": (
        "torch.special.betainc(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 2.0]), torch.tensor([0.2, 0.5]))"
    ),
    "special.betaincinv": (
        "torch.special.betaincinv(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 2.0]), torch.tensor([0.488, 0.5]))"
    ),
    "special.gammaincinv": "torch.special.gammaincinv(torch.tensor([1.0, 2.0]), torch.tensor([0.5, 0.5]))",
    "special.gammainccinv": "torch.special.gammainccinv(torch.tensor([1.0, 2.0]), torch.tensor([0.5, 0.5]))",
    "special.hyp1f1": (
        "torch.special.hyp1f1(torch.tensor([1.0, -2.0]), torch.tensor([2.0, 0.5]), torch.tensor([1.0, 3.0]))"
    ),
    "special.hyp2f1": (
        "torch.special.hyp2f1(torch.tensor([1.0, -2.0]), torch.tensor([1.0, 4.0]), torch.tensor([2.0, "
        "0.5]), torch.tensor([0.5, -3.0]))"
    ),
    # memory
    "from_file": (
        "import pathlib, tempfile\npath = pathlib.Path(tempfile.mkdtemp(), 'numbers')\n_ = "
        "path.write_bytes(bytes([1, 2, 3]))\n"
        "torch.from_file(path, size=3, dtype=torch.uint8)"
    ),
    "Tensor.const_data_ptr": "x = torch.ones(3)\nx.const_data_ptr() == x.data_ptr()",
    "Tensor.dim_order": "torch.ones(2, 3).t().dim_order()",
    "Tensor.is_nonzero": "torch.tensor([2.0]).is_nonzero()",
    "Tensor.is_pinned": "torch.ones(2).is_pinned()",
    "Tensor.is_set_to": "x = torch.ones(3)\nx.is_set_to(x[:]), x.is_set_to(x[1:])",
    "Tensor.is_shared": "torch.ones(2).is_shared()",
    "Tensor.pin_memory": (
        "try:\n    torch.ones(2).pin_memory()\nexcept RuntimeError as error:\n    print(type(error).__name__)"
    ),
    "Tensor.resize": "torch.tensor([1, 2, 3, 4]).resize(2, 2)",
    "Tensor.resize_as": "torch.tensor([1, 2, 3, 4]).resize_as(torch.ones(2, 2))",
    "Tensor.share_memory_": "torch.ones(2).share_memory_().is_shared()",
    "Tensor.storage": "len(torch.ones(3).storage())",
    # in place
    "nn.functional.gumbel_softmax": _SEED
    + "torch.nn.functional.gumbel_softmax(torch.tensor([[0.1, 2.0, 0.3], [1.0, 0.0, 0.0]]), hard=True)",
    "nn.functional.max_pool2d_with_indices": (
        "torch.nn.functional.max_pool2d_with_indices(torch.tensor([[[1.0, 2.0], [4.0, 3.0]]]), 2)"
    ),
    "nn.functional.max_pool3d_with_indices": (
        "torch.nn.functional.max_pool3d_with_indices(torch.tensor([[[[1.0, 2.0], [4.0, 3.0]]]]), (1, 2, 2))"
    ),
    "dropout_": _SEED + "torch.dropout_(torch.ones(6), 0.5, True)",
    "alpha_dropout_": _SEED + "torch.alpha_dropout_(torch.ones(4), 0.5, True)",
    "feature_dropout_": _SEED + "torch.feature_dropout_(torch.ones(2, 3, 2), 0.5, True)[:, :, 0]",
    "feature_alpha_dropout_": _SEED + "torch.feature_alpha_dropout_(torch.ones(2, 3, 2), 0.5, True)[:, :, 0]",
    "rrelu_": "torch.rrelu_(torch.tensor([-1.0, 2.0, -3.0]))",
    # what shows best with numbers that one can follow
    "softmax": "x = torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])\ntorch.softmax(x, dim=1)",
    "log_softmax": "x = torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])\ntorch.log_softmax(x, dim=1)",
    "nn.functional.softmin": "x = torch.tensor([1.0, 2.0, 3.0])\ntorch.nn.functional.softmin(x, dim=0)",
    "transpose": "x = torch.arange(6).view(2, 3)\ntorch.transpose(x, 0, 1)",
    "swapaxes": "x = torch.arange(6).view(2, 3)\ntorch.swapaxes(x, 0, 1)",
    "movedim": "x = torch.arange(24).view(2, 3, 4)\ntorch.movedim(x, 0, -1).shape",
    "rot90": "x = torch.arange(6).view(2, 3)\ntorch.rot90(x)",
    "Tensor.t_": "x = torch.arange(6).view(2, 3)\nx.t_()",
    "Tensor.transpose_": "x = torch.arange(6).view(2, 3)\nx.transpose_(0, 1)",
    "Tensor.swapaxes_": "x = torch.arange(6).view(2, 3)\nx.swapaxes_(0, 1)",
    "Tensor.swapdims_": "x = torch.arange(6).view(2, 3)\nx.swapdims_(0, 1)",
    "atleast_1d": "torch.atleast_1d(torch.tensor(2.0), torch.tensor([1.0, 2.0]))",
    "conj": "torch.conj(torch.tensor([1 + 2j, -3j]))",
    "conj_physical": "torch.conj_physical(torch.tensor([1 + 2j, -3j]))",
    "resolve_conj": "x = torch.tensor([1 + 2j]).conj()\nx.is_conj()\ntorch.resolve_conj(x).is_conj()",
    "resolve_neg": "x = torch.tensor([1 + 2j]).conj().imag\nx.is_neg()\ntorch.resolve_neg(x)",
    "clone": "x = torch.tensor([1.0, 2.0])\ny = torch.clone(x)\ny[0] = 5\nx",
    "detach": "x = torch.tensor([1.0, 2.0], requires_grad=True)\ny = x * 2\ny\ntorch.detach(y)",
    "positive": "torch.positive(torch.tensor([1.0, -2.0]))",
    "Tensor.contiguous": "x = torch.arange(6).view(2, 3).t()\nx.stride()\nx.contiguous().stride()",
    "Tensor.float": "torch.tensor([1, 2]).float()",
    "cat": "a, b = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[5, 6]])\ntorch.cat([a, b], dim=0)",
    "nn.functional.dropout2d": (_SEED + "torch.nn.functional.dropout2d(torch.ones(1, 4, 1, 2), p=0.5)"),
    "nn.functional.dropout3d": (_SEED + "torch.nn.functional.dropout3d(torch.ones(1, 4, 1, 1, 2), p=0.5)"),
    "nn.functional.conv2d": (
        "image = torch.arange(16.0).view(1, 1, 4, 4)\nedges = torch.tensor([[[[1.0, -1.0]]]])\n"
        "torch.nn.functional.conv2d(image, edges)"
    ),
    "nn.functional.unfold": (
        "image = torch.arange(9.0).view(1, 1, 3, 3)\ntorch.nn.functional.unfold(image, kernel_size=2)"
    ),
    "nn.functional.fold": (
        "windows = torch.ones(1, 4, 4)\ntorch.nn.functional.fold(windows, output_size=(3, 3), kernel_size=2)"
    ),
    "nn.functional.pixel_shuffle": ("x = torch.arange(4.0).view(1, 4, 1, 1)\ntorch.nn.functional.pixel_shuffle(x, 2)"),
    "nn.functional.pixel_unshuffle": (
        "x = torch.arange(4.0).view(1, 1, 2, 2)\ntorch.nn.functional.pixel_unshuffle(x, 2).shape"
    ),
    "nn.functional.adaptive_max_pool2d": (
        "x = torch.arange(16.0).view(1, 4, 4)\ntorch.nn.functional.adaptive_max_pool2d(x, 2)"
    ),
    "nn.functional.avg_pool2d": "x = torch.arange(16.0).view(1, 4, 4)\ntorch.nn.functional.avg_pool2d(x, 2)",
    "nn.functional.lp_pool2d": "x = torch.ones(1, 4, 4)\ntorch.nn.functional.lp_pool2d(x, 2.0, 2)",
    "nn.functional.pad": (
        "x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])\ntorch.nn.functional.pad(x, (1, 2), value=-1.0)\n"
        "torch.nn.functional.pad(torch.tensor([[1.0, 2.0, 3.0]]), (2, 0), mode='reflect')"
    ),
    "nn.functional.max_unpool2d": (
        "x = torch.tensor([[[1.0, 5.0], [3.0, 2.0]]])\n"
        "y, places = torch.nn.functional.max_pool2d(x, 2, return_indices=True)\n"
        "torch.nn.functional.max_unpool2d(y, places, 2)"
    ),
    "nn.functional.instance_norm": "x = torch.tensor([[[1.0, 2.0, 3.0]]])\ntorch.nn.functional.instance_norm(x)",
    "stack": "a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])\ntorch.stack([a, b])",
    "hstack": "a, b = torch.tensor([[1.0], [2.0]]), torch.tensor([[3.0], [4.0]])\ntorch.hstack([a, b])",
    "vstack": "a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])\ntorch.vstack([a, b])",
    "dstack": "a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])\ntorch.dstack([a, b])",
    "column_stack": "a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])\ntorch.column_stack([a, b])",
    "diagonal": "x = torch.arange(9.0).view(3, 3)\ntorch.diagonal(x)",
    "narrow": "x = torch.arange(12.0).view(3, 4)\ntorch.narrow(x, 1, 1, 2)",
    "unbind": "x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])\ntorch.unbind(x)",
    "tril": "x = torch.arange(1.0, 10.0).view(3, 3)\ntorch.tril(x)",
    "triu": "x = torch.arange(1.0, 10.0).view(3, 3)\ntorch.triu(x)",
    "real": "torch.real(torch.tensor([1 + 2j, -3j]))",
    "imag": "torch.imag(torch.tensor([1 + 2j, -3j]))",
    "nn.functional.adaptive_avg_pool1d": (
        "x = torch.arange(6.0).view(1, 6)\ntorch.nn.functional.adaptive_avg_pool1d(x, 2)"
    ),
    "nn.functional.adaptive_avg_pool2d": (
        "x = torch.arange(16.0).view(1, 4, 4)\ntorch.nn.functional.adaptive_avg_pool2d(x, 2)"
    ),
    "nn.functional.adaptive_avg_pool3d": (
        "x = torch.arange(8.0).view(1, 2, 2, 2)\ntorch.nn.functional.adaptive_avg_pool3d(x, 1)"
    ),
    "nn.functional.adaptive_max_pool3d": (
        "x = torch.arange(8.0).view(1, 2, 2, 2)\ntorch.nn.functional.adaptive_max_pool3d(x, 1)"
    ),
    "max_pool3d": "x = torch.arange(16.0).view(1, 2, 2, 4)\ntorch.max_pool3d(x, 2)",
    "nn.functional.avg_pool3d": "x = torch.arange(16.0).view(1, 2, 2, 4)\ntorch.nn.functional.avg_pool3d(x, 2)",
    "nn.functional.conv3d": (
        "x = torch.arange(8.0).view(1, 2, 2, 2)\nweight = torch.ones(1, 1, 2, 2, 2)\n"
        "torch.nn.functional.conv3d(x, weight)"
    ),
    "nn.functional.conv_transpose2d": (
        "x = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])\nweight = torch.ones(1, 1, 2, 2)\n"
        "torch.nn.functional.conv_transpose2d(x, weight, stride=2)"
    ),
    "nn.functional.conv_transpose1d": (
        "x = torch.tensor([[1.0, 2.0, 3.0]])\nweight = torch.ones(1, 1, 2)\n"
        "torch.nn.functional.conv_transpose1d(x, weight, stride=2)"
    ),
    "nn.functional.conv_transpose3d": (
        "x = torch.ones(1, 1, 1, 2)\nweight = torch.ones(1, 1, 1, 1, 2)\n"
        "torch.nn.functional.conv_transpose3d(x, weight, stride=2)"
    ),
    "linalg.multi_dot": (
        "a, b, c = torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 2)\ntorch.linalg.multi_dot([a, b, c])"
    ),
    "argmax": "x = torch.tensor([[1.0, 5.0, 2.0], [7.0, 0.0, 3.0]])\ntorch.argmax(x, dim=1)",
    "argmin": "x = torch.tensor([[1.0, 5.0, 2.0], [7.0, 0.0, 3.0]])\ntorch.argmin(x, dim=1)",
    "lerp": "start, end = torch.tensor([0.0, 10.0]), torch.tensor([10.0, 20.0])\ntorch.lerp(start, end, 0.25)",
    "detach_": ("x = torch.tensor([1.0, 2.0], requires_grad=True)\ny = x * 2\ny.requires_grad\ntorch.detach_(y)"),
    "bucketize": (
        "input = torch.tensor([[0.5, 1.0, 2.5], [3.0, 3.5, 9.0]])\n"
        "boundaries = torch.tensor([1.0, 2.0, 3.0])\ntorch.bucketize(input, boundaries)"
    ),
    "searchsorted": (
        "sorted_sequence = torch.tensor([[1.0, 3.0, 5.0, 7.0], [2.0, 4.0, 6.0, 8.0]])\n"
        "input = torch.tensor([[3.0, 6.0], [3.0, 6.0]])\ntorch.searchsorted(sorted_sequence, input)"
    ),
    "histc": "input = torch.tensor([0.1, 0.4, 0.5, 0.6, 0.9, 1.7])\ntorch.histc(input, bins=4, min=0, max=2)",
    "hash_tensor": "input = torch.tensor([[1, 2, 3], [4, 5, 6]])\ntorch.hash_tensor(input, dim=1)",
    "nn.functional.adaptive_max_pool2d_with_indices": (
        "x = torch.arange(24.0).view(1, 4, 6)\ntorch.nn.functional.adaptive_max_pool2d_with_indices(x, (2, 3))"
    ),
    "nn.functional.adaptive_max_pool3d_with_indices": (
        "x = torch.arange(32.0).view(1, 2, 4, 4)\ntorch.nn.functional.adaptive_max_pool3d_with_indices(x, (1, 2, 2))"
    ),
    **{
        f"nn.functional.{name}": (
            "x = torch.arange(72.0).view(1, 3, 4, 6)\nsamples = torch.tensor([[[0.2, 0.7, 0.8]]])\n"
            f"torch.nn.functional.{name}(x, 2, (1, 2, 3), _random_samples=samples)"
        )
        for name in ("fractional_max_pool3d", "fractional_max_pool3d_with_indices")
    },
    "linspace": "torch.linspace(0, 1, 5)",
    "view_as_real": "x = torch.tensor([1 + 2j, 3 - 4j])\ntorch.view_as_real(x)",
    "triu_indices": "torch.triu_indices(3, 3, offset=1)",
    "gather": (
        "input = torch.tensor([[1, 2, 3], [4, 5, 6]])\nindex = torch.tensor([[0, 0, 2], [1, 2, 0]])\n"
        "torch.gather(input, 1, index)"
    ),
    "take": (
        "input = torch.tensor([[4.0, 3.0, 5.0], [6.0, 7.0, 8.0]])\nindex = torch.tensor([0, 2, -1])\n"
        "torch.take(input, index)"
    ),
    "nn.functional.adaptive_max_pool1d_with_indices": (
        "x = torch.arange(12.0).view(2, 6)\ntorch.nn.functional.adaptive_max_pool1d_with_indices(x, 3)"
    ),
    **{f"signal.windows.{name}": f"torch.signal.windows.{name}(6)" for name in ("bartlett", "blackman", "hann")},
    **{f"{name}_window": f"torch.{name}_window(6)" for name in ("bartlett", "blackman", "hann")},
    "nn.functional.linear": (
        "input = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])\n"
        "weight = torch.tensor([[1.0, 0.0, -1.0], [0.5, 0.5, 0.5]])\n"
        "bias = torch.tensor([10.0, 0.0])\ntorch.nn.functional.linear(input, weight, bias)"
    ),
    "nn.functional.cross_entropy": (
        "logits = torch.tensor([[2.0, 0.5, -1.0], [0.1, 0.2, 3.0]])\ntarget = torch.tensor([0, 2])\n"
        "torch.nn.functional.cross_entropy(logits, target)"
    ),
    "nn.functional.multi_margin_loss": (
        "input = torch.tensor([[0.1, 0.2, 0.4, 0.8], [0.9, 0.3, 0.2, 0.1]])\ntarget = torch.tensor([3, 0])\n"
        "torch.nn.functional.multi_margin_loss(input, target)"
    ),
    "meshgrid": ('x, y = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0, 5.0])\ntorch.meshgrid(x, y, indexing="ij")'),
    "broadcast_tensors": "x, y = torch.tensor([[1], [2]]), torch.tensor([3, 4, 5])\ntorch.broadcast_tensors(x, y)",
    "block_diag": ("a, b = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[5, 6, 7]])\ntorch.block_diag(a, b)"),
    # (The shifted ones live on 0 to 1.)
    **{
        f"special.{kind}{name}_polynomial_{letter}": (
            f"x = torch.linspace({0 if kind else -1}, 1, 5)\ntorch.special.{kind}{name}_polynomial_{letter}(x, 3)"
        )
        for kind, name, letters in (
            ("", "chebyshev", list("tuvw")),
            ("shifted_", "chebyshev", list("tuvw")),
            ("", "laguerre", ["l"]),
            ("", "legendre", ["p"]),
            ("", "hermite", ["h", "he"]),
        )
        for letter in letters
    },
}
