"""Tagging sequences of uneven length: embedding with padding, packed bidirectional LSTM, loss that ignores padding; a
GRU cell loop.
"""

import numpy as np
import torch
import torch.nn as nn
from common import array, fill, show
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

rng = np.random.default_rng(0)
sentences = [torch.from_numpy(rng.integers(1, 12, n)) for n in (7, 5, 3, 6)]
tags = [(s % 3) for s in sentences]
lengths = torch.tensor([len(s) for s in sentences])
x = pad_sequence(sentences, batch_first=True)
y = pad_sequence(tags, batch_first=True, padding_value=-100)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(12, 8, padding_idx=0)
        self.lstm = nn.LSTM(8, 10, num_layers=2, batch_first=True, bidirectional=True, dropout=0.0)
        self.out = nn.Linear(20, 3)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(self.embed(x), lengths, batch_first=True, enforce_sorted=False)
        h, (hn, _) = self.lstm(packed)
        h, _ = pad_packed_sequence(h, batch_first=True)
        return self.out(h), hn


model = fill(Tagger(), 2)
opt = torch.optim.Adam(model.parameters(), lr=0.02)
loss_fn = nn.CrossEntropyLoss(ignore_index=-100)
for step in range(30):
    scores, hn = model(x, lengths)
    loss = loss_fn(scores.transpose(1, 2), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 0:
        show("tagger", step, loss.item(), tuple(hn.shape))
assert loss.item() < 0.5
print("right", ((scores.argmax(-1) == y) & (y >= 0)).sum().item() >= 19)

cell, readout = fill(nn.GRUCell(3, 6), 4), fill(nn.Linear(6, 3), 5)
series = array(rng, 10, 2, 3)
opt = torch.optim.Adagrad([*cell.parameters(), *readout.parameters()], lr=0.1)
for _ in range(6):
    h = torch.zeros(2, 6)
    loss = 0.0
    for t in range(9):
        h = cell(series[t], h)
        loss = loss + (readout(h) - series[t + 1]).abs().mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(cell.parameters(), 0.5)
    opt.step()
show("gru", loss.item())
