"""torch.func: per-sample gradients, an ensemble by vmap, Jacobians and Hessians, MAML's inner loop, forward mode."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from common import array, fill, show
from torch.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    stack_module_state,
    vjp,
    vmap,
)

rng = np.random.default_rng(0)
model = fill(nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1)), 1)
params = {k: v.detach() for k, v in model.named_parameters()}
X, Y = array(rng, 6, 3), array(rng, 6, 1)


def loss_of(params, x, y):
    return F.mse_loss(functional_call(model, params, (x.unsqueeze(0),)), y.unsqueeze(0))


each = vmap(grad(loss_of), in_dims=(None, 0, 0))(params, X, Y)
show("norms", sum(g.flatten(1).pow(2).sum(1) for g in each.values()).sqrt())
total, value = grad_and_value(lambda p: F.mse_loss(functional_call(model, p, (X,)), Y))(params)
for k in params:
    assert torch.allclose(each[k].mean(0), total[k], atol=1e-5)
show("value", value)

models = [fill(nn.Linear(3, 2), i) for i in range(4)]
stacked, buffers = stack_module_state(models)
base = models[0]
out = vmap(lambda p, b, x: functional_call(base, (p, b), (x,)), in_dims=(0, 0, None))(stacked, buffers, X)
assert torch.allclose(out, torch.stack([m(X) for m in models]), atol=1e-6)

f = lambda x: (x**3).sum() + x.prod()
x = torch.tensor([1.0, 2.0, -1.0])
show("hessian", hessian(f)(x), jacfwd(grad(f))(x))
show(
    "jacobian", jacrev(torch.sin)(x), jvp(torch.exp, (x,), (torch.ones(3),))[1], vjp(torch.cos, x)[1](torch.ones(3))[0]
)


def adapted(params, x, y):
    g = grad(lambda p: F.mse_loss(functional_call(model, p, (x,)), y))(params)
    return {k: v - 0.1 * g[k] for k, v in params.items()}


meta = {k: v.clone().requires_grad_() for k, v in params.items()}
opt = torch.optim.Adam(meta.values(), lr=0.01)
for step in range(5):
    loss = sum(
        F.mse_loss(functional_call(model, adapted(meta, X[a], Y[a]), (X[b],)), Y[b])
        for a, b in ((slice(0, 3), slice(3, 6)), (slice(3, 6), slice(0, 3)))
    )
    opt.zero_grad()
    loss.backward()
    opt.step()
    show("maml", step, loss.item())
