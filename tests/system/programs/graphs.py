"""Graph networks by index_add and scatter, contrastive learning, knowledge distillation, mixture density, a CRF's
forward algorithm.
"""

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from common import array, fill, show

rng = np.random.default_rng(0)
n = 20
source, target = (torch.from_numpy(rng.integers(0, n, 60)) for _ in range(2))
source, target = torch.cat([source, target, torch.arange(n)]), torch.cat([target, source, torch.arange(n)])
labels = torch.arange(n) % 3
features = F.one_hot(labels, 3).float() + 0.5 * array(rng, n, 3)


class GCN(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out)

    def forward(self, x):
        degree = torch.zeros(n).index_add_(0, target, torch.ones(len(target)))
        norm = degree.pow(-0.5)
        messages = self.lin(x)[source] * (norm[source] * norm[target]).unsqueeze(-1)
        return torch.zeros(n, messages.size(1)).index_add(0, target, messages)


class GAT(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.lin, self.att = nn.Linear(d_in, d_out, bias=False), nn.Parameter(torch.zeros(2 * d_out))

    def forward(self, x):
        h = self.lin(x)
        score = F.leaky_relu((torch.cat([h[source], h[target]], -1) * self.att).sum(-1), 0.2)
        top = torch.full((n,), -math.inf).scatter_reduce(0, target, score, reduce="amax", include_self=True)
        weight = (score - top[target]).exp()
        total = torch.zeros(n).scatter_add(0, target, weight)
        out = torch.zeros_like(h)
        return out.scatter_add(
            0, target.unsqueeze(-1).expand(-1, h.size(1)), h[source] * (weight / total[target]).unsqueeze(-1)
        )


net = nn.ModuleList([fill(GCN(3, 8), 1), fill(GAT(8, 3), 2)])
opt = torch.optim.Adam(net.parameters(), lr=0.02, weight_decay=5e-4)
mask = torch.zeros(n, dtype=torch.bool)
mask[torch.from_numpy(rng.permutation(n)[:12])] = True
for step in range(20):
    out = net[1](F.relu(net[0](features)))
    loss = F.nll_loss(F.log_softmax(out, dim=1)[mask], labels[mask])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 6 == 0:
        show("graph", step, loss.item())

encoder = fill(nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 8)), 3)
z = F.normalize(torch.cat([encoder(features), encoder(features + 0.1 * array(rng, n, 3))]), dim=1)
similar = z @ z.T / 0.5
similar.fill_diagonal_(-1e9) if not similar.requires_grad else None
similar = similar.masked_fill(torch.eye(2 * n, dtype=torch.bool), float("-inf"))
loss = F.cross_entropy(similar, (torch.arange(2 * n) + n) % (2 * n))
loss.backward()
show("contrast", loss.item(), encoder[0].weight.grad.norm())

teacher, student = array(rng, 6, 4), array(rng, 6, 4).requires_grad_()
kd = F.kl_div(F.log_softmax(student / 2, -1), F.softmax(teacher / 2, -1), reduction="batchmean") * 4
kd.backward()
show("distil", kd.item(), student.grad.abs().sum())

mu, log_sigma, mix = (array(rng, 5, 3).requires_grad_() for _ in range(3))
y = array(rng, 5, 1)
nll = -torch.logsumexp(
    F.log_softmax(mix, -1) - 0.5 * ((y - mu) / log_sigma.exp()) ** 2 - log_sigma - 0.5 * math.log(2 * math.pi), -1
).mean()
nll.backward()
show("mixture", nll.item(), [p.grad.abs().sum() for p in (mu, log_sigma, mix)])

emissions, transitions = array(rng, 6, 4).requires_grad_(), array(rng, 4, 4).requires_grad_()
alpha = emissions[0]
for t in range(1, 6):
    alpha = torch.logsumexp(alpha.unsqueeze(1) + transitions, dim=0) + emissions[t]
partition = torch.logsumexp(alpha, 0)
marginals = torch.autograd.grad(partition, emissions)[0]
show("crf", partition.item(), marginals.sum(1))
best, back = emissions[0].detach(), []
for t in range(1, 6):
    values, index = (best.unsqueeze(1) + transitions.detach()).max(0)
    best = values + emissions[t].detach()
    back.append(index)
path = [int(best.argmax())]
for index in reversed(back):
    path.append(int(index[path[-1]]))
print(path[::-1])
