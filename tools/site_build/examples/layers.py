"""Layers, losses and initial values."""

from __future__ import annotations

from site_build.examples.table import SEED as _SEED
from site_build.examples.table import each as _each
from site_build.examples.table import within as _in

# --------------------------------------------------------------------------------------------------------------- layers
_each(
    _in(
        "nn",
        "CELU ELU GELU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid Mish ReLU ReLU6 SELU SiLU "
        "Sigmoid "
        "Softplus Softshrink Softsign Tanh Tanhshrink PReLU Identity",
    ),
    "torch.nn.{name}()(torch.tensor([-2.0, 0.0, 2.0])).detach()",
)
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
        f"layer = torch.nn.{{name}}(3, 6, kernel_size=3, stride=2)\n"
        f"layer(torch.ones(1, 3, {_shape})).shape\nlayer.weight.shape",
    )
    _each(
        _in("nn", f"LazyConv{_n}d LazyConvTranspose{_n}d"),
        f"layer = torch.nn.{{name}}(6, kernel_size=3)\nlayer(torch.ones(1, 3, {_shape})).shape\nlayer.in_channels",
    )
    _each(
        _in("nn", f"BatchNorm{_n}d InstanceNorm{_n}d"),
        f"x = torch.arange({2 ** (_n + 1)}.0).view(1, 2, {_one})\n"
        f"y = torch.nn.{{name}}(2)(x)\ny.mean().abs() < 1e-6, y.shape",
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
    "layer = torch.nn.LSTM(3, 5, batch_first=True)\n"
    "output, (h, c) = layer(torch.ones(4, 7, 3))\noutput.shape, h.shape, c.shape",
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
