"""nn.utils on small layers: parametrizations, weight and spectral norm, pruning, fusion, modules without initial
values.
"""

import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.utils.parametrizations as ready
import torch.nn.utils.parametrize as P
import torch.nn.utils.prune as prune
from common import array, fill, show

rng = np.random.default_rng(0)
x = array(rng, 5, 4)


def linear(a=4, b=3):
    return fill(nn.Linear(a, b), a * b)


def run(m):
    m.zero_grad()
    y = m(x)
    y.square().sum().backward()
    show("run", y.sum(), [(n, tuple(p.shape), p.grad.abs().sum()) for n, p in m.named_parameters()])


def refused(f):
    try:
        f()
    except (ValueError, RuntimeError) as e:
        print(type(e).__name__)


m = ready.weight_norm(linear())
run(m)
print(m, list(m.state_dict()))
m.weight = torch.ones(3, 4)
show("assigned", m.weight, m.parametrizations.weight.original0)
c = copy.deepcopy(m)
show("copy", type(c).__name__, c.weight)
P.remove_parametrizations(m, "weight")
show(
    "removed",
    m.weight,
    type(m.weight).__name__,
    list(m.state_dict()),
    type(m).__name__,
    P.is_parametrized(c),
    P.is_parametrized(m),
)

m = nn.utils.weight_norm(linear())
run(m)
saved = m.state_dict()
nn.utils.remove_weight_norm(m)
show("weight_norm", m.weight, list(m.state_dict()))
new = ready.weight_norm(linear())
new.load_state_dict(saved)
show("from the old form", new.weight)


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu()


class Double(nn.Module):
    def forward(self, X):
        return X * 2


m = linear(4, 4)
P.register_parametrization(m, "weight", Symmetric())
P.register_parametrization(m, "weight", Double())
run(m)
show("symmetric", m.weight)
with P.cached():
    print(m.weight is m.weight)
refused(lambda: setattr(m, "weight", torch.eye(4)))
P.remove_parametrizations(m, "weight", leave_parametrized=False)
show("original", m.weight)
refused(lambda: P.register_parametrization(linear(), "nothing", Symmetric()))
refused(lambda: P.register_parametrization(linear(4, 4), "weight", nn.Flatten(0)))
refused(lambda: P.remove_parametrizations(linear(), "weight"))
show("transferred", P.transfer_parametrizations_and_params(ready.weight_norm(linear()), linear()).weight)

m = ready.spectral_norm(linear(), n_power_iterations=50)
run(m)
show("spectral", m.weight.norm(), list(m.state_dict()))
m = nn.utils.spectral_norm(linear(), n_power_iterations=50)
run(m)
show("spectral", m.weight.norm(), list(m.state_dict()))
m.eval()
show("spectral", m(x).sum())
nn.utils.remove_spectral_norm(m)
show("spectral", list(m.state_dict()), m.weight.norm())


m = prune.l1_unstructured(linear(), "weight", 0.5)
run(m)
show("pruned", m.weight, list(m.state_dict()), prune.is_pruned(m))
prune.ln_structured(m, "weight", 1, 2, 0)
show("pruned", m.weight_mask, type(next(iter(m._forward_pre_hooks.values()))).__name__)
prune.remove(m, "weight")
show("pruned", m.weight, list(m.state_dict()), prune.is_pruned(m))
a, b = linear(), linear(4, 5)
prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=10)
show("global", a.weight_mask, b.weight_mask)
show(
    "random",
    prune.random_unstructured(linear(), "weight", 3).weight_mask.sum(),
    prune.random_structured(linear(), "weight", 2, 1).weight_mask.sum(),
)
run(prune.identity(linear(), "bias"))
show("by mask", prune.custom_from_mask(linear(), "bias", torch.tensor([1.0, 0, 1])).bias_mask)

m = nn.utils.skip_init(nn.Linear, 3, 4)
print(m, m.weight.shape, m.weight.device)
conv, norm = fill(nn.Conv2d(2, 3, 2), 1).eval(), fill(nn.BatchNorm2d(3), 2).eval()
norm.running_mean.copy_(torch.tensor([0.1, -0.2, 0.3]))
z = array(rng, 1, 2, 3, 3)
show("fused", norm(conv(z)).sum(), nn.utils.fuse_conv_bn_eval(conv, norm)(z).sum())
first, second = linear().eval(), nn.BatchNorm1d(3).eval()
show("fused", nn.utils.fuse_linear_bn_eval(first, second)(x).sum(), second(first(x)).sum())
lstm = nn.utils.weight_norm(fill(nn.LSTM(4, 3), 3), "weight_hh_l0")
lstm(x)[0].sum().backward()
show("lstm", lstm.weight_hh_l0_g.grad.sum(), lstm(x)[0].sum())
