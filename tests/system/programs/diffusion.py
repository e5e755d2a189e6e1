"""A denoising diffusion model with a small U-Net: sinusoidal time embedding, group norm, attention, EMA, ancestral
sampling.
"""

import copy
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from common import array, fill, show

T = 20
betas = torch.linspace(1e-4, 0.2, T)
alphas_bar = torch.cumprod(1.0 - betas, dim=0)


def time_embedding(t, dim):
    freqs = torch.exp(-math.log(10000) * torch.arange(dim // 2) / (dim // 2))
    args = t[:, None].float() * freqs[None]
    return torch.cat([torch.cos(args), torch.sin(args)], dim=-1)


class ResBlock(nn.Module):
    def __init__(self, c_in, c_out, emb):
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(4, c_in), nn.GroupNorm(4, c_out)
        self.conv1, self.conv2 = nn.Conv2d(c_in, c_out, 3, padding=1), nn.Conv2d(c_out, c_out, 3, padding=1)
        self.emb = nn.Linear(emb, 2 * c_out)
        self.skip = nn.Conv2d(c_in, c_out, 1) if c_in != c_out else nn.Identity()

    def forward(self, x, e):
        h = self.conv1(F.silu(self.norm1(x)))
        scale, shift = self.emb(F.silu(e))[:, :, None, None].chunk(2, dim=1)
        h = self.norm2(h) * (1 + scale) + shift
        return self.skip(x) + self.conv2(F.silu(h))


class UNet(nn.Module):
    def __init__(self, c=8, emb=16):
        super().__init__()
        self.emb = emb
        self.time = nn.Sequential(nn.Linear(emb, emb), nn.SiLU(), nn.Linear(emb, emb))
        self.stem = nn.Conv2d(1, c, 3, padding=1)
        self.down = ResBlock(c, c, emb)
        self.middle = ResBlock(c, 2 * c, emb)
        self.attention = nn.MultiheadAttention(2 * c, 2, batch_first=True)
        self.up = ResBlock(3 * c, c, emb)
        self.out = nn.Sequential(nn.GroupNorm(4, c), nn.SiLU(), nn.Conv2d(c, 1, 3, padding=1))

    def forward(self, x, t):
        e = self.time(time_embedding(t, self.emb))
        h1 = self.down(self.stem(x), e)
        h = self.middle(F.avg_pool2d(h1, 2), e)
        b, c, hh, ww = h.shape
        tokens = h.flatten(2).permute(0, 2, 1)
        h = h + self.attention(tokens, tokens, tokens, need_weights=False)[0].transpose(1, 2).reshape(b, c, hh, ww)
        h = F.interpolate(h, scale_factor=2.0, mode="nearest")
        return self.out(self.up(torch.cat([h, h1], dim=1), e))


rng = np.random.default_rng(0)
model = fill(UNet(), 1)
ema = copy.deepcopy(model).requires_grad_(False)
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
images = torch.zeros(8, 1, 8, 8)
for i in range(8):
    images[i, 0, :, i] = 1
losses = []
for _ in range(12):
    t = torch.from_numpy(rng.integers(0, T, 8))
    noise = array(rng, 8, 1, 8, 8)
    a = alphas_bar[t].view(-1, 1, 1, 1)
    loss = F.mse_loss(model(a.sqrt() * images + (1 - a).sqrt() * noise, t), noise)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p, q in zip(ema.parameters(), model.parameters()):
            p.lerp_(q, 0.1)
    losses.append(loss.item())
show("loss", losses[0], losses[4], sum(losses[8:]) / 4)
assert losses[-1] < losses[0]
x = array(rng, 2, 1, 8, 8)
with torch.no_grad():
    for i in reversed(range(T)):
        t = torch.full((2,), i, dtype=torch.long)
        eps = ema(x, t)
        alpha, bar = 1 - betas[i], alphas_bar[i]
        x = (x - betas[i] / (1 - bar).sqrt() * eps) / alpha.sqrt()
        if i > 0:
            x += betas[i].sqrt() * array(rng, 2, 1, 8, 8)
show("sample", x.mean(), x.clamp(-1, 1).std(), torch.isfinite(x).all().item())
