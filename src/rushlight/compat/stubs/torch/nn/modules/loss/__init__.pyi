# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._functional import FunctionModule as FunctionModule
from rushlight.nn.modules.loss import (
    BCELoss as BCELoss, BCEWithLogitsLoss as BCEWithLogitsLoss, CTCLoss as CTCLoss, CosineEmbeddingLoss as CosineEmbeddingLoss,
    CosineSimilarity as CosineSimilarity, CrossEntropyLoss as CrossEntropyLoss, GaussianNLLLoss as GaussianNLLLoss,
    HingeEmbeddingLoss as HingeEmbeddingLoss, HuberLoss as HuberLoss, KLDivLoss as KLDivLoss, L1Loss as L1Loss,
    MSELoss as MSELoss, MarginRankingLoss as MarginRankingLoss, MultiLabelMarginLoss as MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss, MultiMarginLoss as MultiMarginLoss, NLLLoss as NLLLoss,
    NLLLoss2d as NLLLoss2d, PairwiseDistance as PairwiseDistance, PoissonNLLLoss as PoissonNLLLoss, SmoothL1Loss as SmoothL1Loss,
    SoftMarginLoss as SoftMarginLoss, TripletMarginLoss as TripletMarginLoss,
    TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss, _Loss as _Loss, _LossOfTwo as _LossOfTwo,
    _TripletLoss as _TripletLoss, _WeightedLoss as _WeightedLoss,
)
