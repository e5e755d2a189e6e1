"""A GAN with a spectral norm discriminator; then a critic with gradient penalty (double backward)."""

import numpy as np
import torch
import torch.nn as nn
from common import array, fill, show

rng = np.random.default_rng(0)
real = array(rng, 64, 2) * 0.5 + torch.tensor([1.0, -1.0])
G = fill(nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)), 1)
D = fill(nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1)), 2)
opt_g = torch.optim.Adam(G.parameters(), lr=2e-2, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-2, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
for step in range(20):
    fake = G(array(rng, 64, 4))
    loss_d = bce(D(real), torch.ones(64, 1)) + bce(D(fake.detach()), torch.zeros(64, 1))
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()
    for p in D.parameters():
        p.requires_grad_(False)
    loss_g = bce(D(fake), torch.ones(64, 1))
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    for p in D.parameters():
        p.requires_grad_(True)
    if step % 5 == 0:
        show("gan", step, loss_d.item(), loss_g.item())

C = fill(nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1)), 3)
opt_c = torch.optim.RMSprop(C.parameters(), lr=1e-2)
for step in range(10):
    fake = G(array(rng, 64, 4)).detach()
    mix = torch.from_numpy(rng.uniform(0, 1, (64, 1)).astype(np.float32))
    between = (mix * real + (1 - mix) * fake).requires_grad_(True)
    out = C(between)
    (g,) = torch.autograd.grad(
        out, between, grad_outputs=torch.ones_like(out), create_graph=True, retain_graph=True, only_inputs=True
    )
    penalty = ((g.norm(2, dim=1) - 1) ** 2).mean()
    loss = C(fake).mean() - C(real).mean() + 10 * penalty
    opt_c.zero_grad()
    loss.backward()
    opt_c.step()
    if step % 3 == 0:
        show("critic", step, loss.item(), penalty.item())
S = nn.utils.spectral_norm(nn.Linear(3, 3), n_power_iterations=20)
S(torch.ones(1, 3))
assert (S.weight @ torch.ones(3)).norm() <= 3**0.5 + 1e-3
