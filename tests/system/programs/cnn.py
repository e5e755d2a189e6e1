"""A small residual CNN with batch norm on synthetic images, read by two worker processes; accuracy and confusion
matrix.
"""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from common import fill, show
from torch.utils.data import DataLoader, Dataset


class Bars(Dataset):
    """Images of 8 x 8 with a horizontal (0), vertical (1) or diagonal (2) bar, in noise."""

    def __init__(self, n, transform=None):
        self.n, self.transform = n, transform

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = np.random.default_rng(i)
        image = rng.normal(0, 0.3, (8, 8)).astype(np.float32)
        kind, at = i % 3, int(rng.integers(0, 8))
        if kind == 0:
            image[at] += 1
        elif kind == 1:
            image[:, at] += 1
        else:
            image += np.eye(8, k=at - 4, dtype=np.float32)
        x = torch.from_numpy(image)[None]
        return (self.transform(x) if self.transform else x), kind


class Block(nn.Module):
    def __init__(self, c_in, c_out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(c_in, c_out, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(c_out)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(c_out)
        self.short = (
            nn.Sequential(nn.Conv2d(c_in, c_out, 1, stride, bias=False), nn.BatchNorm2d(c_out))
            if stride != 1 or c_in != c_out
            else nn.Identity()
        )

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = self.bn2(self.conv2(y))
        y += self.short(x)
        return F.relu(y)


def main():
    model = nn.Sequential(
        Block(1, 8, 1), Block(8, 16, 2), nn.MaxPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 3)
    )
    for m in model.modules():
        if isinstance(m, nn.Conv2d):
            nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
        elif isinstance(m, nn.BatchNorm2d):
            nn.init.constant_(m.weight, 1)
            nn.init.constant_(m.bias, 0)
    fill(model, 5)
    with torch.no_grad():
        for m in model.modules():
            if isinstance(m, nn.BatchNorm2d):
                m.weight.fill_(1.0)
    print(model[0].short)
    loader = DataLoader(
        Bars(90, lambda x: x * 0.5), batch_size=30, num_workers=2, drop_last=True, persistent_workers=True
    )
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=6)
    for epoch in range(6):
        model.train()
        for x, y in loader:
            opt.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            opt.step()
        schedule.step()
        if epoch < 2:
            show("epoch", epoch, loss.item(), schedule.get_last_lr())
    model.eval()
    confusion = torch.zeros(3, 3, dtype=torch.long)
    with torch.no_grad():
        for x, y in DataLoader(Bars(60, lambda x: x * 0.5), batch_size=20):
            guess = model(x).argmax(1)
            for a, b in zip(y, guess):
                confusion[a, b] += 1
    accuracy = confusion.diag().sum().item() / confusion.sum().item()
    assert accuracy > 0.6, accuracy
    print("batches", int(model[0].bn1.num_batches_tracked))


if __name__ == "__main__":
    main()
