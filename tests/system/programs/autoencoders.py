"""A convolutional autoencoder with transposed convolutions, and a variational one."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from common import array, fill, show

rng = np.random.default_rng(0)
images = torch.sigmoid(F.interpolate(array(rng, 16, 1, 4, 4), scale_factor=4, mode="bilinear", align_corners=False))

auto = nn.Sequential(
    nn.Conv2d(1, 8, 4, stride=2, padding=1),
    nn.LeakyReLU(0.2),
    nn.Conv2d(8, 16, 4, stride=2, padding=1),
    nn.ELU(),
    nn.ConvTranspose2d(16, 8, 3, stride=2, padding=1, output_padding=1),
    nn.SiLU(),
    nn.Upsample(scale_factor=2),
    nn.Conv2d(8, 1, 3, padding=1),
    nn.Sigmoid(),
)
fill(auto, 1)
opt = torch.optim.RMSprop(auto.parameters(), lr=2e-3)
for step in range(15):
    loss = F.mse_loss(auto(images), images)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 5 == 0:
        show("auto", step, loss.item())


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Flatten(), nn.Linear(256, 32), nn.ReLU())
        self.mu, self.logvar = nn.Linear(32, 4), nn.Linear(32, 4)
        self.decode = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 256), nn.Unflatten(1, (1, 16, 16)))

    def forward(self, x, noise):
        h = self.encode(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + noise * torch.exp(0.5 * logvar)
        return self.decode(z), mu, logvar


vae = fill(VAE(), 2)
opt = torch.optim.Adam(vae.parameters(), lr=1e-2)
first = None
for step in range(20):
    logits, mu, logvar = vae(images, array(rng, 16, 4))
    rebuilt = F.binary_cross_entropy_with_logits(logits, images, reduction="sum") / len(images)
    kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp(), dim=1).mean()
    loss = rebuilt + 0.1 * kl
    first = first or loss.item()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 6 == 0:
        show("vae", step, rebuilt.item(), kl.item())
assert loss.item() < first
