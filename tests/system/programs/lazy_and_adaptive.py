"""Lazy modules, the adaptive softmax, quadratic layers, distances, folds, and the ends of nn."""

import copy

import numpy as np
import torch
import torch.nn as nn
from common import array, fill, show

rng = np.random.default_rng(0)
net = nn.Sequential(
    nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.LazyConvTranspose2d(2, 2), nn.Flatten(), nn.LazyLinear(3)
)
print(net)
x = array(rng, 2, 3, 6, 6)
dry = net(x)
fill(net, 1)
print(net, dry.shape, {k: tuple(v.shape) for k, v in net.state_dict().items()})
show("lazy", net(x).sum())
try:
    print(nn.LazyLinear(2).weight.shape)
except RuntimeError:
    print("no shape yet")

soft = fill(nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs=[4, 12], div_value=2.0, head_bias=True), 2)
h = array(rng, 6, 8).requires_grad_()
out, loss = soft(h, torch.tensor([0, 3, 5, 11, 12, 19]))
loss.backward()
show("adaptive", out, loss, h.grad.sum(), soft.predict(h), soft.log_prob(h).exp().sum(1))
one = soft(h[0], torch.tensor(5))
show("single", one.output, one.loss)
try:
    soft(h, torch.full((6,), 20))
except RuntimeError as e:
    print(type(e).__name__)
print(soft)
show("bilinear", fill(nn.Bilinear(3, 4, 2), 3)(array(rng, 5, 3), array(rng, 5, 4)).sum())
a, b = array(rng, 4, 6), array(rng, 4, 6)
show(
    "distances", nn.CosineSimilarity(dim=1)(a, b), nn.PairwiseDistance(p=1, keepdim=True)(a, b), torch.cdist(a, b).sum()
)
image = array(rng, 1, 2, 5, 5)
folded = nn.Fold((5, 5), 2)(nn.Unfold(2)(image))
show("fold", folded.sum(), nn.functional.unfold(image, 3, dilation=2).shape)
table = nn.ParameterDict({"left": nn.Parameter(torch.zeros(2, 3)), "right": torch.ones(1)})
print(table, list(table.keys()), "left" in table)
copied = copy.deepcopy(table)
copied["left"].data.fill_(1)
show("apart", table["left"].sum(), copied["left"].sum())
seq = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
seq.append(nn.Linear(2, 1)).insert(1, nn.Tanh())
print(seq, len(seq), seq[-1])
print(
    [tuple(c.shape) for c in torch.linspace(0, 1, 12).view(3, 4).chunk(2, dim=1)],
    nn.Module.named_parameters(seq).__class__.__name__,
)
