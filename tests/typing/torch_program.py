"""A program as people write it, under strict settings: a checker that knows `import torch` by rushlight's stubs finds
no error but the planted ones.

A line with `expect:` has an error of that kind. test_typing.py has mypy read this and runs what is not planted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_type

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.utils.data
from torch import Tensor, optim
from torch.autograd import Function
from torch.distributions import Categorical, Normal, kl_divergence
from torch.nn.modules.loss import _Loss
from torch.nn.utils.rnn import pad_sequence
from torch.optim.lr_scheduler import LambdaLR, StepLR
from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split
from torch.utils.data.sampler import RandomSampler

PLANTED = False


class Net(nn.Module):
    scale: Tensor

    def __init__(self, width: int = 8, classes: int = 3) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, kernel_size=3, padding=1)
        self.layers = nn.ModuleList([nn.Linear(4, width), nn.Linear(width, classes)])
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.gain = nn.Parameter(torch.ones(width))
        self.register_buffer("scale", torch.tensor(2.0))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = F.max_pool2d(F.relu(self.conv(x)), 2).mean(dim=(2, 3))
        if mask is not None:
            x = x.masked_fill(mask, float("-inf"))
        x = F.gelu(self.norm(self.layers[0](x)) * self.gain) * self.scale
        return F.log_softmax(self.layers[1](x), dim=1)


class Product(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        x: Tensor
        y: Tensor
        x, y = ctx.saved_tensors
        return y * grad, x * grad


class Images(Dataset[tuple[Tensor, int]]):
    def __init__(self, count: int) -> None:
        self.data = torch.rand(count, 1, 8, 8, generator=torch.Generator().manual_seed(0))
        self.labels = torch.arange(count) % 3

    def __len__(self) -> int:
        return self.data.size(0)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        return self.data[index], int(self.labels[index])


class Weighted(_Loss):
    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, reduction="mean")


def batches(loader: DataLoader[tuple[Tensor, int]], device: torch.device) -> Iterator[tuple[Tensor, Tensor]]:
    for images, labels in loader:
        yield images.to(device), labels.to(device, dtype=torch.long)


def train(device: torch.device) -> list[float]:
    torch.manual_seed(0)
    model = Net().to(device)
    first, _rest = random_split(Images(12), [8, 4])
    whole: DataLoader[tuple[Tensor, int]] = DataLoader(Images(12), batch_size=4, shuffle=True)
    optimizer = optim.AdamW(model.parameters(), lr=1e-2, betas=(0.9, 0.99), weight_decay=0.01)
    schedule = StepLR(optimizer, step_size=1, gamma=0.9)
    criterion = Weighted()
    losses = []
    for _epoch in range(2):
        model.train()
        for images, labels in batches(whole, device):
            optimizer.zero_grad(set_to_none=True)
            loss: Tensor = criterion(model(images), labels)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
            optimizer.step()
            losses.append(loss.item())
        schedule.step()
    model.eval()
    with torch.no_grad(), torch.autocast("cpu", enabled=False):
        assert_type(model(torch.zeros(1, 1, 8, 8)).argmax(dim=1, keepdim=True), Any)
    assert len(first) == 8
    return losses


def shapes() -> None:
    x = torch.randn(3, 4, requires_grad=True)
    assert_type(x, torch.Tensor)
    assert_type(x.shape, torch.Size)
    assert_type(x.dtype, torch.dtype)
    assert_type(x.device, torch.device)
    assert_type(torch.sigmoid(x), Tensor)
    assert_type(torch.cat([x, x]), Tensor)
    assert_type(torch.linalg.norm(x), Tensor)
    assert_type(torch.fft.rfft(x), Tensor)
    assert_type(torch.special.expit(x), Tensor)
    assert_type(torch.cuda.is_available(), bool)
    assert_type(torch.get_default_dtype(), torch.dtype)
    assert_type(pad_sequence([x, x], batch_first=True), Tensor)
    values, indices = torch.topk(x, 2)
    assert_type(values, Tensor)
    assert_type(x.max(dim=0).indices, Tensor)
    assert_type(Normal(0.0, 1.0).rsample(), Tensor)
    assert_type(kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0)), Tensor)
    assert_type(Categorical(logits=x).log_prob(torch.tensor([0, 1, 2])), Tensor)
    (grad,) = torch.autograd.grad(x.sum(), x)
    assert_type(grad, Tensor)
    assert_type(torch.func.functional_call(nn.Linear(4, 2), {}, x) if PLANTED else None, Any | None)
    print(
        torch.float16,
        torch.channels_last,
        torch.strided,
        torch.inf,
        torch.__version__,
        RandomSampler,
        LambdaLR,
        TensorDataset,
        indices.tolist(),
    )


def planted() -> None:
    x = torch.ones(2, 3)
    x.sotfmax(0)  # expect: attr-defined
    torch.sofmax(x, 0)  # expect: attr-defined
    x.sum(dimension=0)  # expect: call-arg
    x.softmax("0")  # expect: arg-type
    F.gelo(x)  # expect: attr-defined
    nn.Lineer(2, 3)  # expect: attr-defined
    nn.Linear(2, 3, biass=False)  # expect: call-arg
    nn.Linear("2", 3)  # expect: arg-type
    optim.Adam(nn.Linear(2, 3).parameters(), learning_rate=0.1)  # expect: call-arg
    torch.utils.data.DataLoader(TensorDataset(x), batchsize=2)  # expect: call-arg
    torch.optim.lr_scheduler.StepLR(x, 3)  # expect: arg-type
    count: int = torch.argmax(x)  # expect: assignment
    name: str = x.sum()  # expect: assignment
    from torch.nn import Linnear  # expect: attr-defined

    print(count, name, Linnear)


if __name__ == "__main__":
    train(torch.device("cpu"))
    shapes()
