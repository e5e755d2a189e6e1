"""Autocast in bfloat16, a gradient scaler, gradient accumulation, and activation checkpointing."""

import numpy as np
import torch
import torch.nn as nn
from common import array, fill, show
from torch.amp import GradScaler, autocast
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

rng = np.random.default_rng(0)
X, Y = array(rng, 32, 8), torch.from_numpy(rng.integers(0, 3, 32))
model = fill(nn.Sequential(nn.Linear(8, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 3)), 1)
for p in model[1].parameters():
    nn.init.ones_(p)
opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
scaler = GradScaler("cpu", init_scale=1024.0, growth_interval=4)
first = None
for _ in range(8):
    opt.zero_grad()
    for part in range(2):
        rows = slice(part * 16, part * 16 + 16)
        with autocast(device_type="cpu", dtype=torch.bfloat16):
            logits = model(X[rows])
            loss = nn.functional.cross_entropy(logits, Y[rows]) / 2
        assert logits.dtype == torch.bfloat16 and loss.dtype == torch.float32
        scaler.scale(loss).backward()
    scaler.unscale_(opt)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
    first = first or loss.item()
assert loss.item() < first
show("scale", scaler.get_scale(), scaler.state_dict())
model[0].weight.grad[0, 0] = float("inf")
before = model[0].weight.detach().clone()
scaler.step(opt)
scaler.update()
show("skipped", torch.equal(before, model[0].weight), scaler.get_scale())


@torch.autocast("cpu", dtype=torch.bfloat16)
def product(a, b):
    return a @ b, (a + b).dtype


print(product(X[:8], X[:8])[0].dtype, torch.is_autocast_enabled("cpu"))
with autocast("cpu"):
    with autocast("cpu", enabled=False):
        print((X.T @ X).dtype)
    print((X.T @ X).dtype, torch.get_autocast_dtype("cpu"))

deep = fill(nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Dropout(0.3)) for _ in range(4)]), 2)
x = X.clone().requires_grad_()
torch.manual_seed(1)
plain = deep(x)
plain.pow(2).sum().backward()
want = [p.grad.clone() for p in deep.parameters()] + [x.grad.clone()]
for run in (
    lambda: deep[3](checkpoint(deep[:3], x, use_reentrant=False)),
    lambda: checkpoint_sequential(deep, 2, x, use_reentrant=False),
):
    deep.zero_grad()
    x.grad = None
    torch.manual_seed(1)
    out = run()
    assert torch.equal(out, plain)
    out.pow(2).sum().backward()
    got = [p.grad for p in deep.parameters()] + [x.grad]
    print("same", all(torch.allclose(a, b, atol=1e-6) for a, b in zip(got, want)))
z = torch.tensor([0.5, 1.0], requires_grad=True)
y = checkpoint(lambda t: (t.sin() * t).exp(), z, use_reentrant=False)
(g,) = torch.autograd.grad(y.sum(), z, create_graph=True)
show("second", g, torch.autograd.grad(g.sum(), z)[0])
