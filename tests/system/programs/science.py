"""Physics-informed nets, neural ODEs by the adjoint method, Fourier operators, volume rendering, vector quantisation,
patches, CTC, subclasses.
"""

import itertools
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from common import array, fill, show
from torch.autograd.functional import hvp, jacobian, vhp
from torch.nn.utils import parameters_to_vector, vector_to_parameters

rng = np.random.default_rng(0)


class Siren(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in itertools.pairwise(sizes))

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.sin(3.0 * layer(x))
        return self.layers[-1](x)


def derivative(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


u = fill(Siren(1, 16, 16, 1), 1)
opt = torch.optim.Adam(u.parameters(), lr=5e-3)
for step in range(12):
    x = torch.linspace(0, math.pi, 20).unsqueeze(1).requires_grad_()
    y = u(x)
    residual = derivative(derivative(y, x), x) + y
    boundary = u(torch.tensor([[0.0], [math.pi / 2]])) - torch.tensor([[0.0], [1.0]])
    loss = residual.pow(2).mean() + boundary.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 5 == 0:
        show("pinn", step, loss.item())


class Adjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, f, y, steps, *params):
        ctx.f, ctx.steps = f, steps
        with torch.no_grad():
            for _ in range(steps):
                y = y + f(y) / steps
        ctx.save_for_backward(y, *params)
        return y

    @staticmethod
    def backward(ctx, a):
        y, *params = ctx.saved_tensors
        totals = [torch.zeros_like(p) for p in params]
        for _ in range(ctx.steps):
            with torch.enable_grad():
                y = y.detach().requires_grad_(True)
                dy = ctx.f(y) / ctx.steps
                grads = torch.autograd.grad(dy, (y, *params), a, allow_unused=True)
            y = (y - dy).detach()
            a = a + grads[0]
            totals = [t + g for t, g in zip(totals, grads[1:])]
        return (None, a, None, *totals)


f = fill(nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2)), 2)
y0 = array(rng, 4, 2).requires_grad_()
Adjoint.apply(f, y0, 5, *f.parameters()).pow(2).sum().backward()
show("ode", y0.grad, [p.grad.abs().sum() for p in f.parameters()])


class SpectralConv(nn.Module):
    def __init__(self, c, modes):
        super().__init__()
        self.modes = modes
        self.weight = nn.Parameter(
            torch.from_numpy(
                (rng.standard_normal((c, c, modes)) + 1j * rng.standard_normal((c, c, modes))).astype(np.complex64)
            )
            / c
        )

    def forward(self, x):
        spectrum = torch.fft.rfft(x)
        out = torch.zeros_like(spectrum)
        out[:, :, : self.modes] = torch.einsum("bix,iox->box", spectrum[:, :, : self.modes], self.weight)
        return torch.fft.irfft(out, n=x.size(-1))


fno = SpectralConv(3, 4)
z = array(rng, 2, 3, 16).requires_grad_()
F.gelu(fno(z)).pow(2).sum().backward()
show("fno", z.grad.abs().sum(), torch.view_as_real(fno.weight.grad).abs().sum())

density, colour = array(rng, 5, 8).requires_grad_(), torch.sigmoid(array(rng, 5, 8, 3))
t = torch.linspace(0, 1, 9)
alpha = 1 - torch.exp(-F.relu(density) * (t[1:] - t[:-1]))
through = torch.cumprod(torch.cat([torch.ones(5, 1), 1 - alpha + 1e-10], -1), -1)[:, :-1]
weights = alpha * through
(weights.unsqueeze(-1) * colour).sum(-2).mean().backward()
cdf = torch.cumsum(weights.detach() / weights.detach().sum(-1, keepdim=True).clamp_min(1e-5), -1)
show(
    "render", density.grad.sum(), torch.searchsorted(cdf, torch.tensor([[0.1, 0.5, 0.9]]).expand(5, 3).contiguous())[0]
)


class Quantise(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.register_buffer("codes", array(rng, n, d))
        self.register_buffer("counts", torch.ones(n))

    def forward(self, x):
        index = torch.cdist(x, self.codes).argmin(1)
        q = self.codes[index]
        if self.training:
            hits = F.one_hot(index, len(self.codes)).to(x.dtype)
            self.counts.mul_(0.9).add_(hits.sum(0), alpha=0.1)
            self.codes.lerp_((hits.t() @ x.detach()) / hits.sum(0).clamp_min(1).unsqueeze(1), 0.1)
        return x + (q - x).detach(), F.mse_loss(x, q.detach()), index


vq = Quantise(6, 3)
x = array(rng, 10, 3).requires_grad_()
q, commit, index = vq(x)
(q.sum() + commit).backward()
show("vq", commit.item(), x.grad.sum(), index, vq.counts)

image = array(rng, 2, 3, 8, 8)
patches = image.unfold(2, 4, 4).unfold(3, 4, 4).permute(0, 2, 3, 1, 4, 5).reshape(2, 4, -1)
conv = fill(nn.Conv2d(3, 6, 4, stride=4), 3)
tokens = torch.cat([nn.Parameter(torch.zeros(1, 1, 6)).expand(2, -1, -1), conv(image).flatten(2).transpose(1, 2)], 1)
assert torch.allclose(patches @ conv.weight.view(6, -1).T + conv.bias, tokens[:, 1:], atol=1e-5)
show(
    "patches",
    tokens.shape,
    nn.TransformerEncoder(
        fill(nn.TransformerEncoderLayer(6, 2, 8, 0.0, batch_first=True), 4), 2, enable_nested_tensor=False
    )(tokens).sum(),
)

logits = array(rng, 12, 2, 5).requires_grad_()
ctc = nn.CTCLoss(zero_infinity=True)(
    logits.log_softmax(2), torch.tensor([[1, 2, 2], [3, 4, 0]]), torch.tensor([12, 10]), torch.tensor([3, 2])
)
ctc.backward()
show("ctc", ctc.item(), logits.grad.abs().sum())

g = lambda v: (v.sin() * v.flip(0)).sum()
v = torch.tensor([0.1, 0.5, 1.0])
show("functional", jacobian(torch.exp, v).diagonal(), hvp(g, v, torch.ones(3))[1], vhp(g, v, torch.ones(3))[1])
theta = parameters_to_vector(f.parameters())
vector_to_parameters(theta * 0.5, f.parameters())
show("vector", theta.numel(), parameters_to_vector(f.parameters()).norm() / theta.norm())


class Metres(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        out = super().__torch_function__(func, types, args, kwargs or {})
        return out


m = torch.ones(3).as_subclass(Metres)
print(
    type(m + 1).__name__,
    type(torch.stack([m, m])).__name__,
    type(m.sum().item()).__name__,
    type(m.as_subclass(torch.Tensor)).__name__,
)
anchor, positive, negative = (F.normalize(array(rng, 4, 6), dim=-1).requires_grad_() for _ in range(3))
triplet = nn.TripletMarginLoss(margin=0.5)(anchor, positive, negative) + nn.CosineEmbeddingLoss(margin=0.1)(
    anchor, negative, torch.tensor([1, -1, 1, -1])
)
soft = F.gumbel_softmax(anchor, hard=True)
assert soft.sum().item() == 4 and soft.requires_grad
triplet.backward()
show("metric", triplet.item(), anchor.grad.abs().sum())
