"""Reversing sequences with nn.Transformer: source and target masks, padding, greedy decoding; attention on its own."""

import numpy as np
import torch
import torch.nn as nn
from common import array, fill, show

PAD, BOS, EOS = 0, 1, 2
rng = np.random.default_rng(0)


def batch(n):
    src, tgt = torch.zeros(n, 6, dtype=torch.long), torch.zeros(n, 7, dtype=torch.long)
    for i in range(n):
        words = rng.integers(3, 9, int(rng.integers(2, 6)))
        src[i, : len(words)] = torch.from_numpy(words)
        tgt[i, : len(words) + 2] = torch.tensor([BOS, *words[::-1].tolist(), EOS])
    return src, tgt


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 16, padding_idx=PAD)
        self.place = nn.Parameter(torch.zeros(8, 16))
        self.core = nn.Transformer(16, 2, 1, 1, 32, dropout=0.0, batch_first=True)
        self.out = nn.Linear(16, 9)

    def forward(self, src, tgt):
        mask = self.core.generate_square_subsequent_mask(tgt.size(1))
        src_pad, tgt_pad = src == PAD, tgt == PAD
        e = lambda t: self.embed(t) + self.place[: t.size(1)]
        bool_mask = mask == float("-inf")
        h = self.core(
            e(src),
            e(tgt),
            tgt_mask=bool_mask,
            src_key_padding_mask=src_pad,
            tgt_key_padding_mask=tgt_pad,
            memory_key_padding_mask=src_pad,
        )
        return self.out(h)


model = fill(Model(), 1)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss(ignore_index=PAD)
for step in range(20):
    src, tgt = batch(16)
    scores = model(src, tgt[:, :-1])
    loss = criterion(scores.reshape(-1, 9), tgt[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 5 == 0:
        show("step", step, loss.item())
model.train(False)
with torch.no_grad():
    out = torch.full((2, 1), BOS)
    for _ in range(3):
        out = torch.cat([out, model(src[:2], out)[:, -1].argmax(-1, keepdim=True)], 1)
print(out.shape)

for kwargs in (
    {},
    {"bias": False, "add_zero_attn": True},
    {"add_bias_kv": True},
    {"kdim": 6, "vdim": 10, "batch_first": True},
):
    attention = fill(nn.MultiheadAttention(8, 2, **kwargs), 2)
    q, k, v = array(rng, 3, 3, 8), array(rng, 3, 3, kwargs.get("kdim", 8)), array(rng, 3, 3, kwargs.get("vdim", 8))
    q.requires_grad_()
    padding = torch.tensor([[False, False, True]] * 3)
    out, w = attention(q, k, v, key_padding_mask=padding, attn_mask=torch.zeros(3, 3))
    out2, w2 = attention(q, k, v, need_weights=False)
    _, w3 = attention(q, k, v, average_attn_weights=False)
    (out.sum() + out2.pow(2).sum() + w3.pow(2).sum()).backward()
    show(
        "attention",
        out.sum(),
        out2.sum(),
        w.shape,
        w2,
        w3.shape,
        w[0],
        q.grad.abs().sum(),
        list(attention.state_dict()),
    )
    print(attention)
print(nn.TransformerDecoderLayer(8, 2, 16, activation="gelu", bias=False))
