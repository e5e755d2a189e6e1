"""An example of each class and function of the reference, as code in which `torch` is rushlight; the build runs them.

Families that are called in one way share a line.
"""

from __future__ import annotations

_SEED = "_ = torch.manual_seed(0)\n"
EXAMPLES: dict[str, str] = {}


def _each(names: str, code: str) -> None:
    """One example for several names, which stand in its place `{name}`."""
    EXAMPLES.update({path: code.replace("{name}", path.rpartition(".")[2]) for path in names.split()})


def _in(namespace: str, names: str) -> str:
    return " ".join(f"{namespace}.{n}" for n in names.split())


# --------------------------------------------------------------------------------------------------------------- layers
_each(
    _in("nn", "CELU ELU GELU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid Mish ReLU ReLU6 "
    "SELU SiLU Sigmoid "
        "Softplus Softshrink Softsign Tanh Tanhshrink PReLU Identity"),
    "torch.nn.{name}()(torch.tensor([-2.0, 0.0, 2.0])).detach()",
)  # fmt: skip
_each(_in("nn", "Softmax LogSoftmax Softmin"), "torch.nn.{name}(dim=0)(torch.tensor([1.0, 2.0, 3.0]))")
_each(_in("nn", "Softmax2d"), "torch.nn.Softmax2d()(torch.ones(1, 2, 1, 1)).flatten()")
_each(_in("nn", "GLU"), "torch.nn.GLU()(torch.tensor([1.0, 2.0, 0.0, 100.0]))")
_each(_in("nn", "Threshold"), "torch.nn.Threshold(1.0, 0.0)(torch.tensor([-2.0, 1.0, 2.0]))")
_each(_in("nn", "RReLU"), _SEED + "torch.nn.RReLU()(torch.tensor([-1.0, 2.0]))")
_each(
    _in("nn", "AlphaDropout Dropout Dropout1d FeatureAlphaDropout"),
    _SEED + "torch.nn.{name}(0.5)(torch.ones(1, 4, 2))\ntorch.nn.{name}(0.5).eval()(torch.ones(1, 2, 2))",
)
_each(_in("nn", "Dropout2d"), _SEED + "torch.nn.Dropout2d(0.5)(torch.ones(1, 4, 2, 2)).sum((2, 3))")
_each(_in("nn", "Dropout3d"), _SEED + "torch.nn.Dropout3d(0.5)(torch.ones(1, 4, 2, 2, 2)).sum((2, 3, 4))")
for _n, _shape in ((1, "8"), (2, "8, 8"), (3, "8, 8, 8")):
    _one = ", ".join(["2"] * _n)
    _each(
        _in("nn", f"Conv{_n}d ConvTranspose{_n}d"),
        f"layer = torch.nn.{{name}}(3, 6, kernel_size=3, stride=2)\nlayer(torch.ones(1, 3, {_shape})).shape\n"
        f"layer.weight.shape",
    )
    _each(
        _in("nn", f"LazyConv{_n}d LazyConvTranspose{_n}d"),
        f"layer = torch.nn.{{name}}(6, kernel_size=3)\nlayer(torch.ones(1, 3, {_shape})).shape\nlayer.in_channels",
    )
    _each(
        _in("nn", f"BatchNorm{_n}d InstanceNorm{_n}d"),
        f"x = torch.arange({2 ** (_n + 1)}.0).view(1, 2, {_one})\ny = torch.nn.{{name}}(2)(x)\n"
        f"y.mean().abs() < 1e-6, y.shape",
    )
    _each(
        _in("nn", f"LazyBatchNorm{_n}d LazyInstanceNorm{_n}d"),
        f"layer = torch.nn.{{name}}()\nlayer(torch.ones(1, 2, {_one})).shape\nlayer.num_features",
    )
    _each(
        _in("nn", f"AvgPool{_n}d MaxPool{_n}d"),
        f"x = torch.arange({4**_n}.0).view(1, 1, {', '.join(['4'] * _n)})\ntorch.nn.{{name}}(2)(x)",
    )
    _each(
        _in("nn", f"AdaptiveAvgPool{_n}d AdaptiveMaxPool{_n}d"),
        f"x = torch.arange({4**_n}.0).view(1, 1, {', '.join(['4'] * _n)})\ntorch.nn.{{name}}(1)(x)",
    )
    _each(_in("nn", f"LPPool{_n}d"), f"torch.nn.{{name}}(2, 2)(torch.ones(1, 1, {', '.join(['4'] * _n)}))")
    _each(
        _in("nn", f"MaxUnpool{_n}d"),
        f"x = torch.arange({2**_n}.0).view(1, 1, {_one})\n"
        f"y, places = torch.nn.MaxPool{_n}d(2, return_indices=True)(x)\n"
        "torch.nn.{name}(2)(y, places)",
    )
    _each(
        _in("nn", f"CircularPad{_n}d ReflectionPad{_n}d ReplicationPad{_n}d ZeroPad{_n}d"),
        f"x = torch.arange({2**_n}.0).view(1, 1, {_one})\ntorch.nn.{{name}}(1)(x)",
    )
    _each(_in("nn", f"ConstantPad{_n}d"), f"torch.nn.{{name}}(1, 9.0)(torch.ones(1, 1, {_one}))")
for _n in (2, 3):
    _each(
        _in("nn", f"FractionalMaxPool{_n}d"),
        _SEED + f"torch.nn.{{name}}(2, output_size=2)(torch.ones(1, 1, {', '.join(['5'] * _n)})).shape",
    )
_each(_in("nn", "SyncBatchNorm"), "torch.nn.SyncBatchNorm(2).eval()(torch.ones(1, 2, 2)).shape")
_each(_in("nn", "Linear"), "layer = torch.nn.Linear(3, 2)\nlayer(torch.ones(4, 3)).shape\nlayer.weight.shape")
_each(_in("nn", "LazyLinear"), "layer = torch.nn.LazyLinear(2)\nlayer(torch.ones(4, 3)).shape\nlayer.in_features")
_each(_in("nn", "Bilinear"), "torch.nn.Bilinear(3, 4, 2)(torch.ones(5, 3), torch.ones(5, 4)).shape")
_each(_in("nn", "Flatten"), "torch.nn.Flatten()(torch.ones(2, 3, 4)).shape")
_each(_in("nn", "Unflatten"), "torch.nn.Unflatten(1, (3, 4))(torch.ones(2, 12)).shape")
_each(_in("nn", "Fold"), "torch.nn.Fold((3, 3), kernel_size=2)(torch.ones(1, 4, 4))")
_each(_in("nn", "Unfold"), "torch.nn.Unfold(kernel_size=2)(torch.arange(9.0).view(1, 1, 3, 3))")
_each(_in("nn", "ChannelShuffle"), "torch.nn.ChannelShuffle(2)(torch.arange(4.0).view(1, 4, 1, 1)).flatten()")
_each(_in("nn", "PixelShuffle"), "torch.nn.PixelShuffle(2)(torch.arange(4.0).view(1, 4, 1, 1))")
_each(_in("nn", "PixelUnshuffle"), "torch.nn.PixelUnshuffle(2)(torch.arange(4.0).view(1, 1, 2, 2)).shape")
_each(
    _in("nn", "CosineSimilarity PairwiseDistance"),
    "torch.nn.{name}()(torch.tensor([[3.0, 4.0]]), torch.tensor([[4.0, 3.0]]))",
)
_each(_in("nn", "LayerNorm RMSNorm"), "torch.nn.{name}(3)(torch.tensor([[1.0, 2.0, 3.0]])).detach()")
_each(_in("nn", "GroupNorm"), "torch.nn.GroupNorm(2, 4)(torch.arange(8.0).view(1, 4, 2)).detach()")
_each(_in("nn", "LocalResponseNorm"), "torch.nn.LocalResponseNorm(2)(torch.ones(1, 3, 2))")
_each(_in("nn", "CrossMapLRN2d"), "torch.nn.CrossMapLRN2d(2)(torch.ones(1, 3, 1, 2))")
_each(_in("nn", "Embedding"), _SEED + "table = torch.nn.Embedding(10, 3)\ntable(torch.tensor([[1, 2], [1, 9]])).shape")
_each(
    _in("nn", "EmbeddingBag"),
    "table = torch.nn.EmbeddingBag(10, 3)\ntable(torch.tensor([1, 2, 4]), torch.tensor([0, 2])).shape",
)
_each(
    _in("nn", "RNN GRU"),
    "layer = torch.nn.{name}(3, 5, num_layers=2, batch_first=True)\noutput, state = layer(torch.ones(4, 7, 3))\n"
    "output.shape, state.shape",
)
_each(
    _in("nn", "LSTM"),
    "layer = torch.nn.LSTM(3, 5, batch_first=True)\noutput, (h, c) = layer(torch.ones(4, 7, 3))\n"
    "output.shape, h.shape, c.shape",
)
_each(_in("nn", "RNNCell GRUCell"), "torch.nn.{name}(3, 5)(torch.ones(4, 3)).shape")
_each(_in("nn", "LSTMCell"), "h, c = torch.nn.LSTMCell(3, 5)(torch.ones(4, 3))\nh.shape, c.shape")
_each(
    _in("nn", "MultiheadAttention"),
    "layer = torch.nn.MultiheadAttention(8, num_heads=2, batch_first=True)\nx = torch.ones(1, 5, 8)\n"
    "output, weights = layer(x, x, x)\noutput.shape, weights.shape",
)
_each(_in("nn", "Transformer"), "torch.nn.Transformer(8, 2, 1, 1, 16)(torch.ones(5, 1, 8), torch.ones(3, 1, 8)).shape")
_each(_in("nn", "TransformerEncoderLayer"), "torch.nn.TransformerEncoderLayer(8, 2, 16)(torch.ones(5, 1, 8)).shape")
_each(
    _in("nn", "TransformerDecoderLayer"),
    "torch.nn.TransformerDecoderLayer(8, 2, 16)(torch.ones(3, 1, 8), torch.ones(5, 1, 8)).shape",
)
_each(
    _in("nn", "TransformerEncoder"),
    "layer = torch.nn.TransformerEncoderLayer(8, 2, 16)\n"
    "torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)(torch.ones(5, 1, 8)).shape",
)
_each(
    _in("nn", "TransformerDecoder"),
    "layer = torch.nn.TransformerDecoderLayer(8, 2, 16)\n"
    "torch.nn.TransformerDecoder(layer, 2)(torch.ones(3, 1, 8), torch.ones(5, 1, 8)).shape",
)
_each(_in("nn", "Upsample"), "torch.nn.Upsample(scale_factor=2)(torch.arange(4.0).view(1, 1, 2, 2))")
_each(
    _in("nn", "UpsamplingBilinear2d UpsamplingNearest2d"),
    "torch.nn.{name}(scale_factor=2)(torch.arange(4.0).view(1, 1, 2, 2))",
)
_each(
    _in("nn", "Sequential"),
    "net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())\nnet\nnet(torch.ones(1, 2)).shape",
)
_each(
    _in("nn", "ModuleList"),
    "layers = torch.nn.ModuleList([torch.nn.Linear(2, 2) for _ in range(3)])\nlen(layers), layers[0]",
)
_each(_in("nn", "ModuleDict"), "layers = torch.nn.ModuleDict({'relu': torch.nn.ReLU()})\nlayers['relu']")
_each(
    _in("nn", "ParameterList"),
    "ps = torch.nn.ParameterList([torch.ones(2), torch.zeros(3)])\nlen(ps), ps[1].requires_grad",
)
_each(_in("nn", "ParameterDict"), "ps = torch.nn.ParameterDict({'w': torch.ones(2)})\nlist(ps), ps['w'].requires_grad")
_each(
    _in("nn", "Module"),
    "class Scale(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.factor = torch.nn.Parameter(torch.tensor(2.0))\n"
    "    def forward(self, x):\n        return self.factor * x\n"
    "Scale()(torch.tensor([1.0, 2.0])).detach()\nlist(dict(Scale().named_parameters()))",
)
_each(_in("nn", "Parameter"), "torch.nn.Parameter(torch.ones(2))")
_each(_in("nn", "Buffer"), "torch.nn.Buffer(torch.ones(2)).persistent")
_each(_in("nn", "UninitializedParameter UninitializedBuffer"), "torch.nn.LazyLinear(2).weight")
_each(_in("nn", "DataParallel"), "torch.nn.DataParallel(torch.nn.Linear(2, 3))(torch.ones(1, 2)).shape")
_each(
    _in("nn", "AdaptiveLogSoftmaxWithLoss"),
    "layer = torch.nn.AdaptiveLogSoftmaxWithLoss(4, 10, cutoffs=[3])\n"
    "output, loss = layer(torch.ones(2, 4), torch.tensor([0, 9]))\noutput.shape, loss.shape",
)

# --------------------------------------------------------------------------------------------------------------- losses
_each(
    _in("nn", "MSELoss L1Loss SmoothL1Loss HuberLoss"),
    "torch.nn.{name}()(torch.tensor([1.0, 2.0, 5.0]), torch.tensor([1.0, 3.0, 2.0]))",
)
_each(_in("nn", "BCELoss"), "torch.nn.BCELoss()(torch.tensor([0.9, 0.2]), torch.tensor([1.0, 0.0]))")
_each(
    _in("nn", "BCEWithLogitsLoss"), "torch.nn.BCEWithLogitsLoss()(torch.tensor([2.0, -1.0]), torch.tensor([1.0, 0.0]))"
)
_each(
    _in("nn", "CrossEntropyLoss MultiMarginLoss"),
    "torch.nn.{name}()(torch.tensor([[2.0, 0.5, 0.1], [0.0, 3.0, 0.0]]), torch.tensor([0, 1]))",
)
_each(
    _in("nn", "NLLLoss"),
    "x = torch.tensor([[2.0, 0.5], [0.0, 3.0]]).log_softmax(1)\ntorch.nn.NLLLoss()(x, torch.tensor([0, 1]))",
)
_each(
    _in("nn", "NLLLoss2d"), "x = torch.zeros(1, 2, 1, 1).log_softmax(1)\ntorch.nn.NLLLoss2d()(x, torch.tensor([[[0]]]))"
)
_each(
    _in("nn", "KLDivLoss"),
    "x, t = torch.tensor([[0.4, 0.6]]), torch.tensor([[0.5, 0.5]])\n"
    "torch.nn.KLDivLoss(reduction='batchmean')(x.log(), t)",
)
_each(_in("nn", "PoissonNLLLoss"), "torch.nn.PoissonNLLLoss()(torch.tensor([0.5, 1.0]), torch.tensor([1.0, 3.0]))")
_each(
    _in("nn", "GaussianNLLLoss"),
    "torch.nn.GaussianNLLLoss()(torch.tensor([0.5]), torch.tensor([1.0]), torch.tensor([2.0]))",
)
_each(
    _in("nn", "HingeEmbeddingLoss SoftMarginLoss"),
    "torch.nn.{name}()(torch.tensor([0.5, -1.0]), torch.tensor([1.0, -1.0]))",
)
_each(
    _in("nn", "MarginRankingLoss"),
    "torch.nn.MarginRankingLoss(margin=1.0)(torch.tensor([1.0]), torch.tensor([0.5]), torch.tensor([1.0]))",
)
_each(
    _in("nn", "CosineEmbeddingLoss"),
    "torch.nn.CosineEmbeddingLoss()(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]), torch.tensor([1.0]))",
)
_each(
    _in("nn", "MultiLabelMarginLoss"),
    "torch.nn.MultiLabelMarginLoss()(torch.tensor([[0.1, 0.9]]), torch.tensor([[1, -1]]))",
)
_each(
    _in("nn", "MultiLabelSoftMarginLoss"),
    "torch.nn.MultiLabelSoftMarginLoss()(torch.tensor([[0.1, 0.9]]), torch.tensor([[0.0, 1.0]]))",
)
_each(
    _in("nn", "TripletMarginLoss TripletMarginWithDistanceLoss"),
    "torch.nn.{name}()(torch.tensor([[0.0, 0.0]]), torch.tensor([[0.0, 1.0]]), torch.tensor([[1.0, 1.0]]))",
)
_each(
    _in("nn", "CTCLoss"),
    "x = torch.zeros(5, 1, 3).log_softmax(2)\ntorch.nn.CTCLoss()(x, torch.tensor([[1, 2]]), (5,), (2,))",
)

# ------------------------------------------------------------------------------------------------------- initial values
_each(
    _in(
        "nn.init",
        "kaiming_normal_ kaiming_uniform_ normal_ orthogonal_ trunc_normal_ uniform_ xavier_normal_ xavier_uniform_",
    ),
    _SEED + "torch.nn.init.{name}(torch.empty(2, 3))",
)
_each(_in("nn.init", "ones_ zeros_ eye_"), "torch.nn.init.{name}(torch.empty(2, 2))")
_each(_in("nn.init", "constant_"), "torch.nn.init.constant_(torch.empty(2), 0.5)")
_each(_in("nn.init", "dirac_"), "torch.nn.init.dirac_(torch.empty(1, 1, 3))")
_each(_in("nn.init", "sparse_"), _SEED + "(torch.nn.init.sparse_(torch.empty(4, 2), 0.5) == 0).sum(0)")
_each(_in("nn.init", "calculate_gain"), "torch.nn.init.calculate_gain('relu')")

# ----------------------------------------------------------------------------------------------------------- optimizers
_each(
    _in("optim", "ASGD SGD Adadelta Adafactor Adagrad Adam AdamW Adamax NAdam RAdam RMSprop Rprop"),
    "w = torch.nn.Parameter(torch.tensor([1.0, -2.0]))\noptimizer = torch.optim.{name}([w], lr=0.1)\n"
    "for _ in range(3):\n    optimizer.zero_grad()\n    (w**2).sum().backward()\n    _ = optimizer.step()\nw.detach()",
)
_each(
    _in("optim", "Muon"),
    "w = torch.nn.Parameter(torch.tensor([[1.0, -2.0], [0.5, 1.0]]))\noptimizer = torch.optim.Muon([w], lr=0.1)\n"
    "(w**2).sum().backward()\n_ = optimizer.step()\nw.shape",
)
_each(
    _in("optim", "LBFGS"),
    "w = torch.nn.Parameter(torch.tensor([1.0, -2.0]))\noptimizer = torch.optim.LBFGS([w])\n"
    "def loss():\n    optimizer.zero_grad()\n    value = (w**2).sum()\n    value.backward()\n    return value\n"
    "_ = optimizer.step(loss)\nbool(w.abs().max() < 1e-3)",
)
_each(
    _in("optim", "SparseAdam"),
    "table = torch.nn.Embedding(4, 2, sparse=True)\noptimizer = torch.optim.SparseAdam(list(table.parameters()))\n"
    "table(torch.tensor([1])).sum().backward()\n_ = optimizer.step()\ntable.weight.grad.layout",
)
_each(
    _in("optim", "Optimizer"),
    "w = torch.nn.Parameter(torch.ones(2))\noptimizer = torch.optim.SGD([w], lr=0.1)\noptimizer.param_groups[0]['lr']",
)
_schedule = (
    "w = torch.nn.Parameter(torch.zeros(1))\noptimizer = torch.optim.SGD([w], lr=1.0)\n"
    "schedule = torch.optim.lr_scheduler.{name}(%s)\n"
    "rates = []\nfor _ in range(5):\n    rates.append(round(optimizer.param_groups[0]['lr'], 4))\n"
    "    _ = optimizer.step()\n"
    "    schedule.step(%s)\nrates"
)
for _name, _given, _step in (
    ("StepLR", "optimizer, step_size=2", ""), ("MultiStepLR", "optimizer, milestones=[1, 3]", ""),
    ("ExponentialLR", "optimizer, gamma=0.5", ""), ("ConstantLR", "optimizer, factor=0.5, total_iters=2", ""),
    ("LinearLR", "optimizer, start_factor=0.5, total_iters=4", ""), ("PolynomialLR", "optimizer, total_iters=4", ""),
    ("CosineAnnealingLR", "optimizer, T_max=4", ""), ("CosineAnnealingWarmRestarts", "optimizer, T_0=2", ""),
    ("LambdaLR", "optimizer, lambda epoch: 0.5**epoch", ""), ("MultiplicativeLR", "optimizer, lambda epoch: 0.5", ""),
    ("CyclicLR", "optimizer, base_lr=0.1, max_lr=1.0, step_size_up=2, cycle_momentum=False", ""),
    ("OneCycleLR", "optimizer, max_lr=1.0, total_steps=6", ""), ("ReduceLROnPlateau", "optimizer, patience=1", "1.0"),
):  # fmt: skip
    _each(f"optim.lr_scheduler.{_name}", _schedule % (_given, _step))
_each(
    _in("optim.lr_scheduler", "SequentialLR"),
    _schedule.replace(
        "schedule = torch.optim.lr_scheduler.{name}(%s)",
        "S = torch.optim.lr_scheduler\nparts = [S.ConstantLR(optimizer, 0.1, 2), S.ExponentialLR(optimizer, 0.5)]\n"
        "schedule = S.SequentialLR(optimizer, parts, milestones=[2])",
    )
    % "",
)
_each(
    _in("optim.lr_scheduler", "ChainedScheduler"),
    _schedule.replace(
        "schedule = torch.optim.lr_scheduler.{name}(%s)",
        "S = torch.optim.lr_scheduler\nparts = [S.ConstantLR(optimizer, 0.1, 2), S.ExponentialLR(optimizer, 0.5)]\n"
        "schedule = S.ChainedScheduler(parts, optimizer)",
    )
    % "",
)
_each(
    _in("optim.swa_utils", "AveragedModel"),
    "model = torch.nn.Linear(1, 1)\naverage = torch.optim.swa_utils.AveragedModel(model)\n"
    "average.update_parameters(model)\n"
    "average.n_averaged",
)

# ----------------------------------------------------------------------------------------------------------------- data
_each(
    _in("utils.data", "TensorDataset"),
    "data = torch.utils.data.TensorDataset(torch.arange(6).view(3, 2), torch.tensor([0, 1, 0]))\nlen(data), data[1]",
)
_each(
    _in("utils.data", "DataLoader"),
    "data = torch.utils.data.TensorDataset(torch.arange(5))\n"
    "[batch for (batch,) in torch.utils.data.DataLoader(data, batch_size=2)]",
)
_each(
    _in("utils.data", "Dataset"),
    "class Squares(torch.utils.data.Dataset):\n    def __len__(self):\n        return 3\n"
    "    def __getitem__(self, i):\n"
    "        return i * i\nlist(torch.utils.data.DataLoader(Squares(), batch_size=3))",
)
_each(
    _in("utils.data", "IterableDataset"),
    "class Count(torch.utils.data.IterableDataset):\n    def __iter__(self):\n        return iter(range(3))\n"
    "list(torch.utils.data.DataLoader(Count(), batch_size=2))",
)
_each(_in("utils.data", "ConcatDataset"), "len(torch.utils.data.ConcatDataset([range(3), range(4)]))")
_each(_in("utils.data", "ChainDataset"), "issubclass(torch.utils.data.ChainDataset, torch.utils.data.IterableDataset)")
_each(_in("utils.data", "StackDataset"), "torch.utils.data.StackDataset(x=range(3), y=range(3, 6))[1]")
_each(_in("utils.data", "Subset"), "list(torch.utils.data.Subset(range(10), [2, 4]))")
_each(
    _in("utils.data", "random_split"),
    _SEED + "a, b = torch.utils.data.random_split(range(10), [0.8, 0.2])\nlen(a), len(b)",
)
_each(_in("utils.data", "SequentialSampler"), "list(torch.utils.data.SequentialSampler(range(3)))")
_each(_in("utils.data", "RandomSampler"), _SEED + "sorted(torch.utils.data.RandomSampler(range(3)))")
_each(_in("utils.data", "SubsetRandomSampler"), _SEED + "sorted(torch.utils.data.SubsetRandomSampler([4, 2]))")
_each(_in("utils.data", "WeightedRandomSampler"), _SEED + "list(torch.utils.data.WeightedRandomSampler([0.0, 1.0], 3))")
_each(_in("utils.data", "BatchSampler"), "list(torch.utils.data.BatchSampler(range(5), 2, drop_last=False))")
_each(
    _in("utils.data", "DistributedSampler"),
    "list(torch.utils.data.DistributedSampler(range(6), num_replicas=2, rank=1, shuffle=False))",
)
_each(_in("utils.data", "default_collate"), "torch.utils.data.default_collate([{'x': 1.0}, {'x': 2.0}])")
_each(_in("utils.data", "default_convert"), "torch.utils.data.default_convert([1, 'a'])")
_each(_in("utils.data", "get_worker_info"), "torch.utils.data.get_worker_info() is None")

# ------------------------------------------------------------------------------------------------------------- autograd
_each("autograd.grad", "x = torch.tensor(3.0, requires_grad=True)\ntorch.autograd.grad(x**2, x)")
_each("autograd.backward", "x = torch.tensor(3.0, requires_grad=True)\ntorch.autograd.backward(x**2)\nx.grad")
_each(
    "autograd.Function",
    "class Cube(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
    "        ctx.save_for_backward(x)\n"
    "        return x**3\n    @staticmethod\n    def backward(ctx, g):\n        (x,) = ctx.saved_tensors\n"
    "        return 3 * x**2 * g\n"
    "x = torch.tensor(2.0, requires_grad=True)\nCube.apply(x).backward()\nx.grad",
)
_each(
    "autograd.gradcheck autograd.gradgradcheck",
    "x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)\ntorch.autograd.{name}(torch.sin, x)",
)
_each(
    "no_grad autograd.no_grad",
    "x = torch.ones(1, requires_grad=True)\nwith torch.no_grad():\n    y = x * 2\ny.requires_grad",
)
_each(
    "enable_grad autograd.enable_grad",
    "x = torch.ones(1, requires_grad=True)\nwith torch.no_grad(), torch.enable_grad():\n    y = x * 2\ny.requires_grad",
)
_each("inference_mode autograd.inference_mode", "with torch.inference_mode():\n    y = torch.ones(2)\ny.is_inference()")
_each(
    "set_grad_enabled autograd.set_grad_enabled",
    "with torch.set_grad_enabled(False):\n    print(torch.is_grad_enabled())",
)
_each(
    _in("autograd.functional", "jacobian"),
    "torch.autograd.functional.jacobian(lambda x: x**2, torch.tensor([1.0, 2.0]))",
)
_each(
    _in("autograd.functional", "hessian"),
    "torch.autograd.functional.hessian(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]))",
)
_each(
    _in("autograd.functional", "jvp vjp"),
    "torch.autograd.functional.{name}(lambda x: x**2, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))",
)
_each(
    _in("autograd.functional", "hvp vhp"),
    "torch.autograd.functional.{name}(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))",
)
_each(
    _in("autograd.forward_ad", "dual_level make_dual unpack_dual"),
    "import rushlight.autograd.forward_ad as fwAD\nwith fwAD.dual_level():\n"
    "    x = fwAD.make_dual(torch.tensor(2.0), torch.tensor(1.0))\n"
    "    print(fwAD.unpack_dual(x**2).tangent)",
)
_each(
    "autograd.graph.saved_tensors_hooks",
    "x = torch.tensor(3.0, requires_grad=True)\nsaved = []\n"
    "with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):\n"
    "    y = x**2\nlen(saved)",
)
_each("autograd.graph.Node", "x = torch.ones(1, requires_grad=True)\n(x * 2).grad_fn.name()")

# ----------------------------------------------------------------------------------------------------------- transforms
_each("func.grad", "torch.func.grad(lambda x: x**3)(torch.tensor(2.0))")
_each("func.grad_and_value", "torch.func.grad_and_value(lambda x: x**3)(torch.tensor(2.0))")
_each("func.vmap vmap", "torch.vmap(torch.dot)(torch.ones(2, 3), torch.arange(6.0).view(2, 3))")
_each("func.jacrev func.jacfwd", "torch.func.{name}(lambda x: x**2)(torch.tensor([1.0, 2.0]))")
_each("func.hessian", "torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))")
_each("func.jvp", "torch.func.jvp(torch.sin, (torch.tensor(0.0),), (torch.tensor(1.0),))")
_each("func.vjp", "value, back = torch.func.vjp(torch.sin, torch.tensor(0.0))\nback(torch.tensor(1.0))")
_each(
    "func.linearize", "value, tangent = torch.func.linearize(torch.sin, torch.tensor(0.0))\ntangent(torch.tensor(2.0))"
)
_each(
    "func.functional_call",
    "layer = torch.nn.Linear(2, 1, bias=False)\n"
    "torch.func.functional_call(layer, {'weight': torch.tensor([[1.0, 2.0]])}, torch.ones(1, 2))",
)
_each(
    "func.stack_module_state",
    "params, buffers = torch.func.stack_module_state([torch.nn.Linear(2, 1) for _ in range(3)])\n"
    "params['weight'].shape",
)
_each("func.functionalize", "torch.func.functionalize(lambda x: x.add_(1))(torch.zeros(2))")
_each(
    "func.replace_all_batch_norm_modules_",
    "net = torch.nn.Sequential(torch.nn.BatchNorm1d(2))\n_ = torch.func.replace_all_batch_norm_modules_(net)\n"
    "net[0].running_mean is None",
)

# -------------------------------------------------------------------------------------------------------- distributions
_DISTRIBUTIONS = {
    "Bernoulli": "0.3", "Beta": "2.0, 3.0", "Binomial": "10, 0.3", "Cauchy": "0.0, 1.0", "Chi2": "3.0",
    "ContinuousBernoulli": "0.3",
    "Exponential": "2.0", "FisherSnedecor": "3.0, 5.0", "Gamma": "2.0, 3.0", "GeneralizedPareto": "0.0, 1.0, 0.2",
    "Geometric": "0.3", "Gumbel": "0.0, 1.0", "HalfCauchy": "1.0", "HalfNormal": "1.0", "InverseGamma": "3.0, 2.0",
    "Kumaraswamy": "2.0, 3.0", "Laplace": "0.0, 1.0", "LogNormal": "0.0, 1.0", "NegativeBinomial": "5.0, 0.3",
    "Normal": "0.0, 1.0",
    "Pareto": "1.0, "
    "3.0", "Poisson": "4.0", "StudentT": "5.0", "Uniform": "0.0, 2.0", "VonMises": "0.0, 2.0", "Weibull": "1.0, 2.0",
}  # fmt: skip
for _name, _given in _DISTRIBUTIONS.items():
    _tensors = ", ".join(g if g.isdigit() else f"torch.tensor({g})" for g in _given.split(", "))
    _value = "1.0" if _name in ("Bernoulli", "Binomial", "Geometric", "NegativeBinomial", "Poisson") else "0.5"
    _value = "1.5" if _name == "Pareto" else _value
    _each(
        f"distributions.{_name}",
        f"{_SEED}d = torch.distributions.{_name}({_tensors})\nd.sample((3,))\n"
        f"d.log_prob(torch.tensor({_value}))\nd.mean",
    )
_each(
    _in("distributions", "Categorical OneHotCategorical OneHotCategoricalStraightThrough"),
    _SEED + "d = torch.distributions.{name}(torch.tensor([0.2, 0.3, 0.5]))\nd.sample((2,))\nd.entropy()",
)
_each(
    "distributions.Dirichlet",
    _SEED + "d = torch.distributions.Dirichlet(torch.tensor([1.0, 2.0]))\nd.sample().sum()\nd.mean",
)
_each(
    "distributions.Multinomial", _SEED + "torch.distributions.Multinomial(6, torch.tensor([0.5, 0.5])).sample().sum()"
)
_each(
    "distributions.MultivariateNormal",
    "d = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))\nd.log_prob(torch.zeros(2))\nd.entropy()",
)
_each(
    "distributions.LowRankMultivariateNormal",
    "d = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2))\n"
    "d.covariance_matrix",
)
_each("distributions.Wishart", "torch.distributions.Wishart(torch.tensor(3.0), torch.eye(2)).mean")
_each("distributions.LKJCholesky", _SEED + "torch.distributions.LKJCholesky(3).sample().shape")
_each(
    "distributions.LogisticNormal",
    _SEED + "torch.distributions.LogisticNormal(torch.zeros(2), torch.ones(2)).sample().sum().round(decimals=4)",
)
_each(
    "distributions.RelaxedBernoulli distributions.RelaxedOneHotCategorical",
    _SEED + "d = torch.distributions.{name}(torch.tensor(0.5), torch.tensor([0.3, 0.7]))\nd.sample().shape",
)
_each(
    "distributions.Independent",
    "d = torch.distributions.Independent(torch.distributions.Normal(torch.zeros(3), torch.ones(3)), 1)\n"
    "d.log_prob(torch.zeros(3))",
)
_each(
    "distributions.MixtureSameFamily",
    "D = torch.distributions\n"
    "mix, parts = D.Categorical(torch.ones(2)), D.Normal(torch.tensor([-1.0, 1.0]), torch.ones(2))\n"
    "D.MixtureSameFamily(mix, parts).mean",
)
_each(
    "distributions.TransformedDistribution",
    "D = torch.distributions\n"
    "d = D.TransformedDistribution(D.Normal(torch.tensor(0.0), torch.tensor(1.0)), [D.ExpTransform()])\n"
    "d.log_prob(torch.tensor(1.0))",
)
_each(
    "distributions.kl_divergence",
    "N = torch.distributions.Normal\n"
    "torch.distributions.kl_divergence(N(torch.tensor(0.0), torch.tensor(1.0)), N(torch.tensor(1.0), "
    "torch.tensor(1.0)))",
)
_each(
    _in("distributions", "AbsTransform ExpTransform SigmoidTransform SoftplusTransform TanhTransform"),
    "t = torch.distributions.{name}()\nt(torch.tensor([0.5, 2.0]))",
)
_each("distributions.AffineTransform", "torch.distributions.AffineTransform(1.0, 2.0)(torch.tensor([0.5, 2.0]))")
_each("distributions.PowerTransform", "torch.distributions.PowerTransform(torch.tensor(2.0))(torch.tensor([0.5, 2.0]))")
_each("distributions.StickBreakingTransform", "torch.distributions.StickBreakingTransform()(torch.zeros(2))")
_each("distributions.SoftmaxTransform", "torch.distributions.SoftmaxTransform()(torch.zeros(2))")
_each("distributions.LowerCholeskyTransform", "torch.distributions.LowerCholeskyTransform()(torch.zeros(2, 2))")
_each(
    "distributions.ComposeTransform",
    "D = torch.distributions\nD.ComposeTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0)])(torch.zeros(2))",
)

# ---------------------------------------------------------------------------------------------------------- the package
_each("einsum", "torch.einsum('ij,jk->ik', torch.ones(2, 3), torch.ones(3, 2))")
_each("broadcast_shapes", "torch.broadcast_shapes((2, 1), (3,))")
_each(
    "manual_seed",
    "_ = torch.manual_seed(0)\na = torch.rand(2)\n_ = torch.manual_seed(0)\nbool((a == torch.rand(2)).all())",
)
_each("Generator", "g = torch.Generator().manual_seed(0)\ntorch.rand(2, generator=g).shape")
_each("get_default_dtype set_default_dtype", "torch.get_default_dtype()")
_each("get_num_threads set_num_threads", "torch.get_num_threads() >= 1")
_each("promote_types", "torch.promote_types(torch.int64, torch.float32)")
_each("result_type", "torch.result_type(torch.ones(2, dtype=torch.int8), 1.5)")
_each("can_cast", "torch.can_cast(torch.float32, torch.int64)")
_each("finfo", "torch.finfo(torch.float32).eps")
_each("iinfo", "torch.iinfo(torch.int8).max")
_each("Size", "x = torch.ones(2, 3).size()\nx, x.numel()")
_each("is_tensor", "torch.is_tensor([1]), torch.is_tensor(torch.ones(1))")
_each("is_floating_point is_complex", "torch.{name}(torch.ones(1))")
_each("is_nonzero", "torch.is_nonzero(torch.tensor([0.0]))")
_each("numel", "torch.numel(torch.ones(2, 3))")
_each("asarray", "torch.asarray([1, 2], dtype=torch.float32)")
_each("from_numpy", "import numpy as np\na = np.zeros(2)\nt = torch.from_numpy(a)\na[0] = 5\nt")
_each("frombuffer", "torch.frombuffer(bytearray([1, 2, 3]), dtype=torch.uint8)")
_each(
    "save load",
    "import io\nfile = io.BytesIO()\ntorch.save({'w': torch.ones(2)}, file)\n_ = file.seek(0)\ntorch.load(file)",
)
_each(
    "lstm",
    "layer = torch.nn.LSTM(3, 5)\nx, state = torch.ones(7, 1, 3), (torch.zeros(1, 1, 5), torch.zeros(1, 1, 5))\n"
    "output, h, c = torch.lstm(x, state, list(layer.parameters()), True, 1, 0.0, False, False, False)\noutput.shape",
)
_each(
    "gru rnn_tanh rnn_relu",
    "gates = {'gru': 3}.get('{name}', 1)\nweights = [torch.ones(5 * gates, 3), torch.ones(5 * gates, 5)]\n"
    "x = torch.ones(7, 1, 3)\n"
    "output, state = torch.{name}(x, torch.zeros(1, 1, 5), weights, False, 1, 0.0, False, False, False)\noutput.shape",
)
_each("cond", "torch.cond(torch.tensor(True), lambda x: x + 1, lambda x: x - 1, (torch.ones(1),))")
_each("while_loop", "torch.while_loop(lambda i: i < 3, lambda i: (i + 1,), (torch.tensor(0),))")
_each("compile", "f = torch.compile(lambda x: x.sin() + 1)\nf(torch.zeros(2))")
_each("chain_matmul", "torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 1)).shape")
_each(
    "autocast amp.autocast",
    "with torch.autocast('cpu', dtype=torch.bfloat16):\n    y = torch.ones(2, 2) @ torch.ones(2, 2)\ny.dtype",
)
_each("device", "torch.device('cpu')")
_each("is_grad_enabled", "torch.is_grad_enabled()")
_each("typename", "torch.typename(torch.ones(1))")
_each("sparse_coo_tensor", "torch.sparse_coo_tensor([[0, 1], [1, 0]], [3.0, 4.0], (2, 2)).to_dense()")
_each("sparse_csr_tensor", "torch.sparse_csr_tensor([0, 1, 2], [1, 0], [3.0, 4.0], (2, 2)).to_dense()")
_each("scalar_tensor", "torch.scalar_tensor(2.5)")
_each("embedding_bag", "torch.embedding_bag(torch.ones(4, 2), torch.tensor([0, 1, 2]), torch.tensor([0, 2]))[0]")
_each(
    "get_rng_state set_rng_state",
    "state = torch.get_rng_state()\na = torch.rand(2)\ntorch.set_rng_state(state)\nbool((a == torch.rand(2)).all())",
)
_each("initial_seed", "_ = torch.manual_seed(7)\ntorch.initial_seed()")

# --------------------------------------------------------------------------------------------------------------- others
_each(
    "nn.utils.clip_grad_norm_",
    "w = torch.nn.Parameter(torch.ones(2))\n(w * 10).sum().backward()\n"
    "torch.nn.utils.clip_grad_norm_([w], 1.0)\nw.grad",
)
_each(
    "nn.utils.clip_grad_value_",
    "w = torch.nn.Parameter(torch.ones(2))\n(w * 10).sum().backward()\n"
    "torch.nn.utils.clip_grad_value_([w], 1.0)\nw.grad",
)
_each("nn.utils.parameters_to_vector", "torch.nn.utils.parameters_to_vector([torch.ones(2), torch.zeros(1)])")
_each("nn.utils.rnn.pad_sequence", "torch.nn.utils.rnn.pad_sequence([torch.ones(3), torch.ones(1)], batch_first=True)")
_each(
    "nn.utils.rnn.pack_padded_sequence nn.utils.rnn.PackedSequence",
    "torch.nn.utils.rnn.pack_padded_sequence(torch.ones(2, 3), [3, 1], batch_first=True).batch_sizes",
)
_each("nn.utils.rnn.pack_sequence", "torch.nn.utils.rnn.pack_sequence([torch.ones(3), torch.ones(1)]).data")
_each(
    "nn.utils.rnn.pad_packed_sequence",
    "U = torch.nn.utils.rnn\nU.pad_packed_sequence(U.pack_sequence([torch.ones(2), torch.ones(1)]), batch_first=True)",
)
_each(
    "nn.utils.parametrize.register_parametrization",
    "class Positive(torch.nn.Module):\n    def forward(self, w):\n        return w.exp()\n"
    "layer = torch.nn.Linear(2, 1)\n"
    "_ = torch.nn.utils.parametrize.register_parametrization(layer, 'weight', Positive())\n"
    "bool((layer.weight > 0).all())",
)
_each(
    "nn.utils.prune.l1_unstructured",
    "from rushlight.nn.utils import prune\nlayer = torch.nn.Linear(2, 2)\n"
    "_ = prune.l1_unstructured(layer, 'weight', amount=2)\n(layer.weight == 0).sum()",
)
_each(
    "utils.checkpoint.checkpoint",
    "x = torch.tensor(0.5, requires_grad=True)\n"
    "torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False).backward()\nx.grad",
)
_each("amp.GradScaler GradScaler", "torch.amp.GradScaler('cpu', enabled=False).get_scale()")
_each(
    "fx.symbolic_trace fx.Graph fx.GraphModule",
    "graph = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)\nprint(graph.code)",
)
_each("jit.script", "@torch.jit.script\ndef f(x):\n    return x + 1\nf(torch.ones(1))")
_each("jit.trace", "f = torch.jit.trace(lambda x: x.sin() + 1, torch.ones(2))\nf(torch.zeros(2))")
_each(
    "library.custom_op",
    "@torch.library.custom_op('example::twice', mutates_args=())\ndef twice(x: torch.Tensor) -> torch.Tensor:\n"
    "    return x * 2\n"
    "twice(torch.ones(2))",
)
_each(
    "export.export export.ExportedProgram",
    "program = torch.export.export(torch.nn.ReLU(), (torch.ones(2),))\nprogram.module()(torch.tensor([-1.0, 1.0]))",
)
_each(
    "profiler.profile profiler.record_function",
    "with torch.profiler.profile() as seen:\n    _ = torch.ones(2).exp()\nlen(seen.events()) > 0",
)
_each(
    "random.fork_rng", "_ = torch.manual_seed(0)\nwith torch.random.fork_rng():\n    _ = torch.rand(3)\ntorch.rand(1)"
)
_each("testing.assert_close", "torch.testing.assert_close(torch.tensor(1.0), torch.tensor(1.0 + 1e-7))")
_each("testing.make_tensor", "torch.testing.make_tensor(2, 3, dtype=torch.float32, device='cpu').shape")
_each(
    "masked.masked_tensor masked.MaskedTensor",
    "torch.masked.masked_tensor(torch.tensor([1.0, 2.0]), torch.tensor([True, False])).sum()",
)
_each("sparse.mm", "torch.sparse.mm(torch.eye(2).to_sparse(), torch.ones(2, 2))")
_each("sparse.sum", "torch.sparse.sum(torch.eye(2).to_sparse())")
_each("overrides.is_tensor_like", "torch.overrides.is_tensor_like(torch.ones(1))")
