"""Training in two halves, saved and loaded in between, ends where training in one go ends."""

import io
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
from common import array, fill, show

rng = np.random.default_rng(0)
X, Y = array(rng, 40, 5), array(rng, 40, 2)


def make():
    model = fill(nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2)), 1)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2, amsgrad=True)
    return model, opt, torch.optim.lr_scheduler.StepLR(opt, 3, 0.5)


def train(model, opt, schedule, steps):
    for _ in range(steps):
        opt.zero_grad()
        loss = nn.functional.smooth_l1_loss(model(X), Y)
        loss.backward()
        opt.step()
        schedule.step()
    return loss.item()


whole = make()
expected = train(*whole, 10)
first = make()
train(*first, 5)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "checkpoint.pt")
    torch.save(
        {
            "model": first[0].state_dict(),
            "opt": first[1].state_dict(),
            "schedule": first[2].state_dict(),
            "epoch": 5,
            "rng": torch.get_rng_state(),
        },
        path,
    )
    second = make()
    saved = torch.load(path, map_location="cpu", weights_only=True)
second[0].load_state_dict(saved["model"])
second[1].load_state_dict(saved["opt"])
second[2].load_state_dict(saved["schedule"])
torch.set_rng_state(saved["rng"])
resumed = train(*second, 10 - saved["epoch"])
assert resumed == expected, (resumed, expected)
show("loss", resumed, second[2].get_last_lr(), list(saved["opt"]))
show("keys", list(saved["model"]), sorted(saved["opt"]["state"][0]), sorted(saved["opt"]["param_groups"][0]))
buffer = io.BytesIO()
torch.save(second[0], buffer)
buffer.seek(0)
again = torch.load(buffer, weights_only=False)
again.eval()
assert torch.equal(again(X), second[0].eval()(X))
bad = nn.Linear(5, 3)
try:
    bad.load_state_dict({"weight": torch.zeros(2, 5), "extra": torch.zeros(1)})
except RuntimeError as e:
    *listed, _ = str(e).splitlines()  # the last line says in the library's own words which sizes do not fit
    print(*listed, "size mismatch for weight: " in str(e), sep="\n")
print(bad.load_state_dict({"weight": torch.zeros(3, 5)}, strict=False))
