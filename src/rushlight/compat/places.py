"""Where PyTorch keeps classes that rushlight has in another file: what pickles and `__module__` name."""
from __future__ import annotations

# The module here -> the module there -> names.
_ELSEWHERE: dict[str, dict[str, str]] = {
    "rushlight.nn.modules.attention": {
        "torch.nn.modules.activation": "MultiheadAttention",
    },
    "rushlight.nn.modules.lazy": {
        "torch.nn.modules.batchnorm": "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d",
        "torch.nn.modules.conv": "LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d",
        "torch.nn.modules.instancenorm": "LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d",
        "torch.nn.modules.linear": "LazyLinear",
    },
    "rushlight.nn.modules.linear_cross_entropy": {
        "torch.nn.modules.loss": "LinearCrossEntropyLoss",
    },
    "rushlight.nn.modules.loss": {
        "torch.nn.modules.distance": "CosineSimilarity PairwiseDistance",
    },
    "rushlight.nn.modules.normalization": {
        "torch.nn.modules.batchnorm": "BatchNorm1d BatchNorm2d BatchNorm3d",
        "torch.nn.modules.instancenorm": "InstanceNorm1d InstanceNorm2d InstanceNorm3d",
    },
    "rushlight.nn.modules.shape": {
        "torch.nn.modules.channelshuffle": "ChannelShuffle",
        "torch.nn.modules.flatten": "Flatten Unflatten",
        "torch.nn.modules.fold": "Fold Unfold",
        "torch.nn.modules.padding": "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d",
        "torch.nn.modules.pixelshuffle": "PixelShuffle PixelUnshuffle",
        "torch.nn.modules.upsampling": "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
    },
    "rushlight.nn.parallel": {
        "torch.nn.parallel.data_parallel": "DataParallel",
    },
    "rushlight.optim._cyclic": {
        "torch.optim.lr_scheduler": "CyclicLR OneCycleLR",
    },
    "rushlight.optim._schedule": {
        "torch.optim.lr_scheduler": "LRScheduler",
    },
    "rushlight.optim.adam": {
        "torch.optim.adamw": "AdamW",
    },
    "rushlight.optim.adam_kin": {
        "torch.optim.adamax": "Adamax",
        "torch.optim.asgd": "ASGD",
        "torch.optim.nadam": "NAdam",
        "torch.optim.radam": "RAdam",
    },
    "rushlight.optim.adaptive": {
        "torch.optim.adadelta": "Adadelta",
        "torch.optim.adagrad": "Adagrad",
        "torch.optim.rmsprop": "RMSprop",
        "torch.optim.rprop": "Rprop",
    },
    "rushlight.optim.matrices": {
        "torch.optim": "Adafactor Muon",
    },
}

# Module and name here -> (module here, module there).
PLACES: dict[str, dict[str, tuple[str, str]]] = {
    own: {name: (own, theirs) for theirs, names in there.items() for name in names.split()} for own, there in _ELSEWHERE.items()}
