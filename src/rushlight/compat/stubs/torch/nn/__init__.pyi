# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
import builtins
from rushlight.nn.modules.activation import CELU as CELU
from rushlight.nn.modules.activation import ELU as ELU
from rushlight.nn.modules.activation import GELU as GELU
from rushlight.nn.modules.activation import GLU as GLU
from rushlight.nn.modules.activation import Hardshrink as Hardshrink
from rushlight.nn.modules.activation import Hardsigmoid as Hardsigmoid
from rushlight.nn.modules.activation import Hardswish as Hardswish
from rushlight.nn.modules.activation import Hardtanh as Hardtanh
from rushlight.nn.modules.activation import LeakyReLU as LeakyReLU
from rushlight.nn.modules.activation import LogSigmoid as LogSigmoid
from rushlight.nn.modules.activation import LogSoftmax as LogSoftmax
from rushlight.nn.modules.activation import Mish as Mish
from rushlight.nn.modules.activation import PReLU as PReLU
from rushlight.nn.modules.activation import RReLU as RReLU
from rushlight.nn.modules.activation import ReLU as ReLU
from rushlight.nn.modules.activation import ReLU6 as ReLU6
from rushlight.nn.modules.activation import SELU as SELU
from rushlight.nn.modules.activation import SiLU as SiLU
from rushlight.nn.modules.activation import Sigmoid as Sigmoid
from rushlight.nn.modules.activation import Softmax as Softmax
from rushlight.nn.modules.activation import Softmax2d as Softmax2d
from rushlight.nn.modules.activation import Softmin as Softmin
from rushlight.nn.modules.activation import Softplus as Softplus
from rushlight.nn.modules.activation import Softshrink as Softshrink
from rushlight.nn.modules.activation import Softsign as Softsign
from rushlight.nn.modules.activation import Tanh as Tanh
from rushlight.nn.modules.activation import Tanhshrink as Tanhshrink
from rushlight.nn.modules.activation import Threshold as Threshold
from rushlight.nn.modules.adaptive import AdaptiveLogSoftmaxWithLoss as AdaptiveLogSoftmaxWithLoss
from rushlight.nn.modules.attention import MultiheadAttention as MultiheadAttention
from rushlight.nn.modules.batchnorm import BatchNorm1d as BatchNorm1d
from rushlight.nn.modules.batchnorm import BatchNorm2d as BatchNorm2d
from rushlight.nn.modules.batchnorm import BatchNorm3d as BatchNorm3d
from rushlight.nn.modules.batchnorm import SyncBatchNorm as SyncBatchNorm
from rushlight.nn.modules.channelshuffle import ChannelShuffle as ChannelShuffle
from rushlight.nn.modules.container import ModuleDict as ModuleDict
from rushlight.nn.modules.container import ModuleList as ModuleList
from rushlight.nn.modules.container import ParameterDict as ParameterDict
from rushlight.nn.modules.container import ParameterList as ParameterList
from rushlight.nn.modules.container import Sequential as Sequential
from rushlight.nn.modules.conv import Conv1d as Conv1d
from rushlight.nn.modules.conv import Conv2d as Conv2d
from rushlight.nn.modules.conv import Conv3d as Conv3d
from rushlight.nn.modules.conv import ConvTranspose1d as ConvTranspose1d
from rushlight.nn.modules.conv import ConvTranspose2d as ConvTranspose2d
from rushlight.nn.modules.conv import ConvTranspose3d as ConvTranspose3d
from rushlight.nn.modules.distance import CosineSimilarity as CosineSimilarity
from rushlight.nn.modules.distance import PairwiseDistance as PairwiseDistance
from rushlight.nn.modules.dropout import AlphaDropout as AlphaDropout
from rushlight.nn.modules.dropout import Dropout as Dropout
from rushlight.nn.modules.dropout import Dropout1d as Dropout1d
from rushlight.nn.modules.dropout import Dropout2d as Dropout2d
from rushlight.nn.modules.dropout import Dropout3d as Dropout3d
from rushlight.nn.modules.dropout import FeatureAlphaDropout as FeatureAlphaDropout
from rushlight.nn.modules.flatten import Flatten as Flatten
from rushlight.nn.modules.flatten import Unflatten as Unflatten
from rushlight.nn.modules.fold import Fold as Fold
from rushlight.nn.modules.fold import Unfold as Unfold
from rushlight.nn.modules.instancenorm import InstanceNorm1d as InstanceNorm1d
from rushlight.nn.modules.instancenorm import InstanceNorm2d as InstanceNorm2d
from rushlight.nn.modules.instancenorm import InstanceNorm3d as InstanceNorm3d
from rushlight.nn.modules.linear import Bilinear as Bilinear
from rushlight.nn.modules.linear import Identity as Identity
from rushlight.nn.modules.linear import Linear as Linear
from rushlight.nn.modules.linear_cross_entropy import LinearCrossEntropyLoss as LinearCrossEntropyLoss
from rushlight.nn.modules.linear_cross_entropy_options import LinearCrossEntropyOptions as LinearCrossEntropyOptions
from rushlight.nn.modules.loss import BCELoss as BCELoss
from rushlight.nn.modules.loss import BCEWithLogitsLoss as BCEWithLogitsLoss
from rushlight.nn.modules.loss import CTCLoss as CTCLoss
from rushlight.nn.modules.loss import CosineEmbeddingLoss as CosineEmbeddingLoss
from rushlight.nn.modules.loss import CrossEntropyLoss as CrossEntropyLoss
from rushlight.nn.modules.loss import GaussianNLLLoss as GaussianNLLLoss
from rushlight.nn.modules.loss import HingeEmbeddingLoss as HingeEmbeddingLoss
from rushlight.nn.modules.loss import HuberLoss as HuberLoss
from rushlight.nn.modules.loss import KLDivLoss as KLDivLoss
from rushlight.nn.modules.loss import L1Loss as L1Loss
from rushlight.nn.modules.loss import MSELoss as MSELoss
from rushlight.nn.modules.loss import MarginRankingLoss as MarginRankingLoss
from rushlight.nn.modules.loss import MultiLabelMarginLoss as MultiLabelMarginLoss
from rushlight.nn.modules.loss import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from rushlight.nn.modules.loss import MultiMarginLoss as MultiMarginLoss
from rushlight.nn.modules.loss import NLLLoss as NLLLoss
from rushlight.nn.modules.loss import NLLLoss2d as NLLLoss2d
from rushlight.nn.modules.loss import PoissonNLLLoss as PoissonNLLLoss
from rushlight.nn.modules.loss import SmoothL1Loss as SmoothL1Loss
from rushlight.nn.modules.loss import SoftMarginLoss as SoftMarginLoss
from rushlight.nn.modules.loss import TripletMarginLoss as TripletMarginLoss
from rushlight.nn.modules.loss import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.normalization import CrossMapLRN2d as CrossMapLRN2d
from rushlight.nn.modules.normalization import GroupNorm as GroupNorm
from rushlight.nn.modules.normalization import LayerNorm as LayerNorm
from rushlight.nn.modules.normalization import LocalResponseNorm as LocalResponseNorm
from rushlight.nn.modules.normalization import RMSNorm as RMSNorm
from rushlight.nn.modules.padding import CircularPad1d as CircularPad1d
from rushlight.nn.modules.padding import CircularPad2d as CircularPad2d
from rushlight.nn.modules.padding import CircularPad3d as CircularPad3d
from rushlight.nn.modules.padding import ConstantPad1d as ConstantPad1d
from rushlight.nn.modules.padding import ConstantPad2d as ConstantPad2d
from rushlight.nn.modules.padding import ConstantPad3d as ConstantPad3d
from rushlight.nn.modules.padding import ReflectionPad1d as ReflectionPad1d
from rushlight.nn.modules.padding import ReflectionPad2d as ReflectionPad2d
from rushlight.nn.modules.padding import ReflectionPad3d as ReflectionPad3d
from rushlight.nn.modules.padding import ReplicationPad1d as ReplicationPad1d
from rushlight.nn.modules.padding import ReplicationPad2d as ReplicationPad2d
from rushlight.nn.modules.padding import ReplicationPad3d as ReplicationPad3d
from rushlight.nn.modules.padding import ZeroPad1d as ZeroPad1d
from rushlight.nn.modules.padding import ZeroPad2d as ZeroPad2d
from rushlight.nn.modules.padding import ZeroPad3d as ZeroPad3d
from rushlight.nn.modules.pixelshuffle import PixelShuffle as PixelShuffle
from rushlight.nn.modules.pixelshuffle import PixelUnshuffle as PixelUnshuffle
from rushlight.nn.modules.pooling import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from rushlight.nn.modules.pooling import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from rushlight.nn.modules.pooling import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from rushlight.nn.modules.pooling import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from rushlight.nn.modules.pooling import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from rushlight.nn.modules.pooling import AdaptiveMaxPool3d as AdaptiveMaxPool3d
from rushlight.nn.modules.pooling import AvgPool1d as AvgPool1d
from rushlight.nn.modules.pooling import AvgPool2d as AvgPool2d
from rushlight.nn.modules.pooling import AvgPool3d as AvgPool3d
from rushlight.nn.modules.pooling import FractionalMaxPool2d as FractionalMaxPool2d
from rushlight.nn.modules.pooling import FractionalMaxPool3d as FractionalMaxPool3d
from rushlight.nn.modules.pooling import LPPool1d as LPPool1d
from rushlight.nn.modules.pooling import LPPool2d as LPPool2d
from rushlight.nn.modules.pooling import LPPool3d as LPPool3d
from rushlight.nn.modules.pooling import MaxPool1d as MaxPool1d
from rushlight.nn.modules.pooling import MaxPool2d as MaxPool2d
from rushlight.nn.modules.pooling import MaxPool3d as MaxPool3d
from rushlight.nn.modules.pooling import MaxUnpool1d as MaxUnpool1d
from rushlight.nn.modules.pooling import MaxUnpool2d as MaxUnpool2d
from rushlight.nn.modules.pooling import MaxUnpool3d as MaxUnpool3d
from rushlight.nn.modules.rnn import GRU as GRU
from rushlight.nn.modules.rnn import GRUCell as GRUCell
from rushlight.nn.modules.rnn import LSTM as LSTM
from rushlight.nn.modules.rnn import LSTMCell as LSTMCell
from rushlight.nn.modules.rnn import RNN as RNN
from rushlight.nn.modules.rnn import RNNBase as RNNBase
from rushlight.nn.modules.rnn import RNNCell as RNNCell
from rushlight.nn.modules.rnn import RNNCellBase as RNNCellBase
from rushlight.nn.modules.sparse import Embedding as Embedding
from rushlight.nn.modules.sparse import EmbeddingBag as EmbeddingBag
from rushlight.nn.modules.transformer import Transformer as Transformer
from rushlight.nn.modules.transformer import TransformerDecoder as TransformerDecoder
from rushlight.nn.modules.transformer import TransformerDecoderLayer as TransformerDecoderLayer
from rushlight.nn.modules.transformer import TransformerEncoder as TransformerEncoder
from rushlight.nn.modules.transformer import TransformerEncoderLayer as TransformerEncoderLayer
from rushlight.nn.modules.upsampling import Upsample as Upsample
from rushlight.nn.modules.upsampling import UpsamplingBilinear2d as UpsamplingBilinear2d
from rushlight.nn.modules.upsampling import UpsamplingNearest2d as UpsamplingNearest2d
from rushlight.nn.parallel.data_parallel import DataParallel as DataParallel
from rushlight.nn.parameter import Buffer as Buffer
from rushlight.nn.parameter import Parameter as Parameter
from rushlight.nn.parameter import UninitializedBuffer as UninitializedBuffer
from rushlight.nn.parameter import UninitializedParameter as UninitializedParameter
from torch.nn import attention as attention
from torch.nn import functional as functional
from torch.nn import init as init
from torch.nn import modules as modules
from torch.nn import parallel as parallel
from torch.nn import parameter as parameter
from torch.nn import utils as utils
from typing import Any

class LazyBatchNorm1d:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class LazyBatchNorm2d:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class LazyBatchNorm3d:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class LazyConv1d:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class LazyConv2d:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class LazyConv3d:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class LazyConvTranspose1d:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class LazyConvTranspose2d:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class LazyConvTranspose3d:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class LazyInstanceNorm1d:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class LazyInstanceNorm2d:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class LazyInstanceNorm3d:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
class LazyLinear:      # made while the program runs
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
