"""A character language model: TransformerEncoder with a causal mask, weights tied between embedding and output."""

import math

import numpy as np
import torch
import torch.nn as nn
from common import fill, show

text = "the quick brown fox jumps over the lazy dog. " * 6
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
ids = torch.tensor([stoi[c] for c in text])


class PositionalEncoding(nn.Module):
    def __init__(self, d, length=64):
        super().__init__()
        position = torch.arange(length).unsqueeze(1)
        div = torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
        pe = torch.zeros(length, d)
        pe[:, 0::2] = torch.sin(position * div)
        pe[:, 1::2] = torch.cos(position * div)
        self.register_buffer("pe", pe, persistent=False)

    def forward(self, x):
        return x + self.pe[: x.size(1)]


class CharLM(nn.Module):
    def __init__(self, vocab, d=32, heads=4, layers=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.position = PositionalEncoding(d)
        layer = nn.TransformerEncoderLayer(
            d, heads, dim_feedforward=64, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(d), enable_nested_tensor=False)
        self.out = nn.Linear(d, vocab, bias=False)
        self.out.weight = self.embed.weight

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.size(1))
        h = self.position(self.embed(x) * math.sqrt(self.embed.embedding_dim))
        return self.out(self.encoder(h, mask=mask, is_causal=True))


model = fill(CharLM(len(chars)), 3)
assert len(list(model.parameters())) == len({id(p) for p in model.parameters()})
print(sum(p.numel() for p in model.parameters()), "parameters,", len(model.state_dict()), "entries")
opt = torch.optim.Adam(model.parameters(), lr=3e-3, betas=(0.9, 0.98))
warmup = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 5))
rng = np.random.default_rng(0)
for step in range(25):
    starts = rng.integers(0, len(ids) - 33, 8)
    x = torch.stack([ids[s : s + 32] for s in starts.tolist()])
    y = torch.stack([ids[s + 1 : s + 33] for s in starts.tolist()])
    logits = model(x)
    loss = nn.functional.cross_entropy(logits.view(-1, logits.size(-1)), y.view(-1))
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    warmup.step()
    if step % 6 == 0:
        show("step", step, loss.item())
assert loss.item() < 3.1
model.eval()
with torch.no_grad():
    out = ids[:4].unsqueeze(0)
    for _ in range(8):
        nxt = model(out[:, -32:])[:, -1].argmax(-1, keepdim=True)
        out = torch.cat([out, nxt], dim=1)
print(repr("".join(chars[i] for i in out[0].tolist())[:4]))
torch.manual_seed(0)
sampled = torch.multinomial(torch.softmax(model(out)[:, -1] / 0.8, -1), 3)
assert sampled.shape == (1, 3)
