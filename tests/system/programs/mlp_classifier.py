"""Two spirals: an MLP with dropout off, AdamW groups, OneCycle, clipping, an exponential moving average, early
stopping.
"""

import copy
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from common import fill, show
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn
from torch.utils.data import DataLoader, TensorDataset, random_split

n = 200
t = np.sqrt(np.random.default_rng(0).uniform(0, 1, n)) * 3 * math.pi
label = np.arange(n) % 2
points = np.stack([t * np.cos(t + math.pi * label), t * np.sin(t + math.pi * label)], 1) / 10
data = TensorDataset(torch.tensor(points, dtype=torch.float32), torch.from_numpy(label))
train, test = random_split(data, [160, 40], generator=torch.Generator().manual_seed(0))
assert len(train) == 160 and len(test) == 40
loader = DataLoader(data, batch_size=50, shuffle=False)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(2, 32), nn.BatchNorm1d(32), nn.Tanh(), nn.Dropout(0.0), nn.Linear(32, 32), nn.GELU()
        )
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        return self.head(self.body(x))


torch.manual_seed(0)
model = fill(Net(), 1)
decay = [p for p in model.parameters() if p.ndim > 1]
rest = [p for p in model.parameters() if p.ndim <= 1]
opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0.0}], lr=1e-2)
epochs = 12
schedule = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=[2e-2, 1e-2], total_steps=epochs * len(loader))
ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
best, best_state = math.inf, None
for epoch in range(epochs):
    model.train()
    total = 0.0
    for x, y in loader:
        opt.zero_grad(set_to_none=True)
        loss = criterion(model(x), y)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        schedule.step()
        ema.update_parameters(model)
        total += loss.item() * len(x)
    if total < best:
        best, best_state = total, copy.deepcopy(model.state_dict())
    if epoch % 4 == 3:
        show("epoch", epoch, total / n, norm, schedule.get_last_lr())
model.load_state_dict(best_state)
update_bn(loader, ema)
ema.eval()
model.eval()
with torch.inference_mode():
    show("model", F.cross_entropy(model(data.tensors[0]), data.tensors[1]))
    show("ema", F.cross_entropy(ema(data.tensors[0]), data.tensors[1]), ema.n_averaged)
assert best / n < 0.69
swa = AveragedModel(model)
after = SWALR(opt, swa_lr=0.005, anneal_epochs=3)
for _ in range(5):
    opt.step()
    after.step()
    swa.update_parameters(model)
    show("swa lr", after.get_last_lr())
show("swa", sum(p.abs().sum().item() for p in swa.parameters()), list(swa.state_dict())[:2])
