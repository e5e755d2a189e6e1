"""Hooks of every kind: features, gradients, parametrized state dicts, Grad-CAM, frozen layers, the graph's names."""

import numpy as np
import torch
import torch.nn as nn
from common import array, fill, show

rng = np.random.default_rng(0)
net = fill(
    nn.Sequential(
        nn.Conv2d(1, 4, 3),
        nn.ReLU(),
        nn.Conv2d(4, 4, 3),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(4, 2),
    ),
    1,
)
seen = {}
handles = [
    net[1].register_forward_hook(lambda m, args, out: seen.__setitem__("features", out.detach())),
    net[2].register_forward_pre_hook(lambda m, args: (args[0] * 2,)),
    net[3].register_full_backward_hook(lambda m, gin, gout: seen.__setitem__("gout", gout[0])),
    net[6].register_full_backward_pre_hook(lambda m, gout: (gout[0] * 0.5,)),
]
x = array(rng, 2, 1, 6, 6).requires_grad_()
y = net(x)
y.register_hook(lambda g: g * 3)
y[:, 1].sum().backward()
show("features", seen["features"].shape, seen["features"].mean(), seen["gout"].shape, seen["gout"].sum())
show("x.grad", x.grad.abs().sum())
for h in handles:
    h.remove()
net.zero_grad()
x.grad = None
net(x)[:, 1].sum().backward()
show("without", x.grad.abs().sum())

for p in net[0].parameters():
    p.requires_grad = False
print([n for n, p in net.named_parameters() if p.requires_grad])
opt = torch.optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), lr=0.1)
opt.zero_grad()
print(all(p.grad is None for p in net.parameters() if p.requires_grad))

a = torch.tensor([2.0, 3.0], requires_grad=True)
b = a * a
b.retain_grad()
c = torch.exp(b).sum()
c.backward()
show("retained", b.grad, a.grad)
d = (a + 1).mean()
print(c.grad_fn.name(), b.grad_fn.name(), d.grad_fn.name(), d.grad_fn.next_functions[0][0].name(), a.grad_fn)
leaf = torch.ones(2, requires_grad=True)
log = []
leaf.register_post_accumulate_grad_hook(lambda t: log.append(t.grad.sum().item()))
(leaf * 3).sum().backward()
print(log, leaf.is_leaf, (leaf * 2).is_leaf)


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros((), dtype=torch.long))
        self.inner = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.Identity()})
        self.extra = nn.ParameterList([nn.Parameter(torch.ones(1))])

    def forward(self, x):
        self.calls += 1
        return self.inner["a"](x)

    def get_extra_state(self):
        return {"version": 3}

    def set_extra_state(self, state):
        self.loaded = state


m = Counter()
m(torch.zeros(1, 2))
sd = m.state_dict()
print(list(sd), m.calls.item())
n = Counter()
n.load_state_dict(sd)
print(n.loaded, n.calls.item(), [type(k).__name__ for k in n.modules()])
print(n)
