"""A training script's habits: argparse, seeds, devices, logging, metrics, freezing, channels-last, whole-model pickles,
plateau schedules.
"""

import argparse
import copy
import io
import logging
import os
import random
import sys
from collections import OrderedDict, defaultdict
from functools import partial

import numpy as np
import torch
import torch.backends.cudnn as cudnn
import torch.nn as nn
import torch.nn.functional as F
import torch.nn.parallel
import torch.optim as optim
import torch.utils.data
import torch.utils.data.distributed
from common import array, fill, show
from torch import Tensor
from torch.optim import lr_scheduler

log = logging.getLogger("training")
log.setLevel(logging.INFO)
handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
log.handlers[:] = [handler]
log.propagate = False


class AverageMeter:
    def __init__(self):
        self.sum = self.count = 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    @property
    def avg(self):
        return self.sum / self.count


def accuracy(output: Tensor, target: Tensor, topk=(1,)):
    with torch.no_grad():
        maxk = max(topk)
        _, pred = output.topk(maxk, 1, True, True)
        pred = pred.t()
        correct = pred.eq(target.view(1, -1).expand_as(pred))
        return [correct[:k].reshape(-1).float().sum(0, keepdim=True).mul_(100.0 / target.size(0)) for k in topk]


class SqueezeExcite(nn.Module):
    def __init__(self, c: int, r: int = 2, act: type | None = None):
        super().__init__()
        self.fc = nn.Sequential(
            OrderedDict(
                [
                    ("squeeze", nn.AdaptiveAvgPool2d(1)),
                    ("down", nn.Conv2d(c, c // r, 1)),
                    ("act", (act or nn.ReLU)(inplace=True)),
                    ("up", nn.Conv2d(c // r, c, 1)),
                    ("gate", nn.Hardsigmoid()),
                ]
            )
        )

    def forward(self, x: Tensor) -> Tensor:
        return x * self.fc(x)


class Net(nn.Module):
    def __init__(self, norm_layer=None, drop: float = 0.0):
        super().__init__()
        norm_layer = norm_layer or partial(nn.BatchNorm2d, eps=1e-3, momentum=0.05)
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1, bias=False),
            norm_layer(8),
            nn.Hardswish(),
            SqueezeExcite(8),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 8, 3, padding=1, groups=8),
            norm_layer(8),
            nn.ReLU6(),
        )
        self.classifier = nn.Sequential(nn.Dropout(drop), nn.Linear(8, 5))

    def forward(self, x: Tensor, *, pooled: bool = False):
        x = self.features(x)
        x = torch.flatten(F.adaptive_avg_pool2d(x, (1, 1)), 1)
        return (self.classifier(x), x) if pooled else self.classifier(x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", default=0.05, type=float)
    parser.add_argument("--epochs", default=3, type=int)
    parser.add_argument("--no-cuda", action="store_true")
    args = parser.parse_args([])
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(0)
    cudnn.deterministic, cudnn.benchmark = True, False
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    device = torch.device("cuda:0" if torch.cuda.is_available() and not args.no_cuda else "cpu")
    log.info("device %s", device)

    model = fill(Net(), 1).to(device, memory_format=torch.channels_last)
    rng = np.random.default_rng(0)
    X, Y = array(rng, 30, 3, 8, 8), torch.from_numpy(rng.integers(0, 5, 30))
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(X, Y), batch_size=10, pin_memory=torch.cuda.is_available(), num_workers=0
    )
    criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 1.0, 1.0, 0.5])).to(device)
    no_decay = {"bias", "bn"}
    groups = [
        {"params": [p for n, p in model.named_parameters() if not any(s in n for s in no_decay)], "weight_decay": 1e-3},
        {"params": [p for n, p in model.named_parameters() if any(s in n for s in no_decay)], "lr": args.lr * 2},
    ]
    optimizer = optim.SGD(groups, args.lr, momentum=0.9)
    scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=0, threshold=0.5)
    warmup = lr_scheduler.SequentialLR(
        optimizer,
        [lr_scheduler.LinearLR(optimizer, 0.5, total_iters=3), lr_scheduler.ExponentialLR(optimizer, 0.9)],
        milestones=[3],
    )
    history = defaultdict(list)
    for epoch in range(args.epochs):
        model.train()
        losses, top1 = AverageMeter(), AverageMeter()
        for images, target in loader:
            images = images.to(device, non_blocking=True, memory_format=torch.channels_last)
            target = target.to(device, non_blocking=True)
            output = model(images)
            loss = criterion(output, target)
            acc1, _ = accuracy(output, target, topk=(1, 3))
            losses.update(loss.item(), images.size(0))
            top1.update(acc1[0].item(), images.size(0))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            warmup.step()
        scheduler.step(losses.avg)
        history["loss"].append(losses.avg)
        show("epoch", epoch, losses.avg, [g["lr"] for g in optimizer.param_groups])
    assert history["loss"][-1] < history["loss"][0]

    for p in model.features.parameters():
        p.requires_grad_(False)
    model.classifier[1] = fill(nn.Linear(8, 2), 2)
    print(
        sum(p.numel() for p in model.parameters() if p.requires_grad),
        [n for n, _ in model.named_children()],
        model.classifier,
    )
    model.eval()
    with torch.no_grad():
        out, features = model(X[:2], pooled=True)
    show("features", features.shape, out.shape, features.abs().sum())
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    again = torch.load(file, map_location=device, weights_only=False)
    assert torch.equal(again(X), model(X)) and str(again) == str(model)
    state = {("module." + k): v for k, v in model.state_dict().items()}
    wrapped = nn.DataParallel(copy.deepcopy(model))
    print(wrapped.load_state_dict(state), isinstance(wrapped.module, Net))
    halved = copy.deepcopy(model).to(torch.bfloat16)
    print(halved(X[:1].bfloat16()).dtype, next(halved.parameters()).dtype, next(model.buffers()).dtype)
    meta = nn.Linear(1000, 1000, device="meta")
    print(meta.weight.device, meta(torch.empty(3, 1000, device="meta")).shape)
    fresh = nn.Linear(2, 2)
    fresh.load_state_dict({"weight": torch.ones(2, 2), "bias": torch.zeros(2)}, assign=True)
    show("assigned", fresh(torch.ones(1, 2)))
    for name, module in model.named_modules():
        if isinstance(module, (nn.BatchNorm2d, nn.modules.batchnorm._BatchNorm)):
            print(name, module.eps, module.momentum, int(module.num_batches_tracked))
    print(
        torch.__version__.split(".")[0],
        torch.get_default_dtype(),
        torch.is_tensor(X),
        torch.is_grad_enabled(),
        X.is_pinned() if torch.cuda.is_available() else False,
    )


if __name__ == "__main__":
    main()
