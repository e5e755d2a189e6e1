"""Whole trainings from a seed alone, no weights copied: the losses follow PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
from stream import drawn_by_library  # noqa: E402


def network(T: Any) -> list[float]:
    """A perceptron with dropout and batch norm on shuffled batches."""
    nn, data = T.nn, T.utils.data
    x = T.randn(256, 20)
    y = (x[:, :3].sum(1) > 0).long()
    model = nn.Sequential(
        nn.Linear(20, 64),
        nn.BatchNorm1d(64),
        nn.ReLU(),
        nn.Dropout(0.2),
        nn.Linear(64, 32),
        nn.GELU(),
        nn.Linear(32, 2),
    )
    optimizer = T.optim.AdamW(model.parameters(), lr=1e-3)
    return _train(
        T,
        data.DataLoader(data.TensorDataset(x, y), batch_size=32, shuffle=True),
        model,
        optimizer,
        nn.CrossEntropyLoss(),
    )


def convolutions(T: Any) -> list[float]:
    """A convolutional network with dropout of channels, momentum and a schedule."""
    nn, data = T.nn, T.utils.data
    x = T.rand(96, 1, 12, 12)
    y = T.randint(0, 4, (96,))
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Dropout2d(0.3),
        nn.Conv2d(8, 16, 3),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(256, 4),
    )
    optimizer = T.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    return _train(
        T,
        data.DataLoader(data.TensorDataset(x, y), batch_size=16, shuffle=True),
        model,
        optimizer,
        nn.CrossEntropyLoss(),
    )


def _train(T: Any, loader: Any, model: Any, optimizer: Any, criterion: Any, steps: int = 50) -> list[float]:
    losses: list[float] = []
    while len(losses) < steps:
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses[:steps]


def transformer(T: Any) -> list[float]:
    """A small GPT with dropout everywhere, and batches of random places in a text."""
    nn, F = T.nn, T.nn.functional

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, width: int) -> None:
            super().__init__()
            self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
            self.heads, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.hidden, self.back, self.drop = (
                nn.Linear(width, 4 * width),
                nn.Linear(4 * width, width),
                nn.Dropout(0.1),
            )

        def forward(self, x: Any) -> Any:
            b, t, c = x.shape
            q, k, v = (part.view(b, t, 4, c // 4).transpose(1, 2) for part in self.heads(self.first(x)).split(c, dim=2))
            y = F.scaled_dot_product_attention(q, k, v, dropout_p=0.1 if self.training else 0.0, is_causal=True)
            x = x + self.drop(self.out(y.transpose(1, 2).reshape(b, t, c)))
            return x + self.drop(self.back(F.gelu(self.hidden(self.second(x)))))

    class Model(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, vocabulary: int, length: int, width: int) -> None:
            super().__init__()
            self.tokens, self.places, self.drop = (
                nn.Embedding(vocabulary, width),
                nn.Embedding(length, width),
                nn.Dropout(0.1),
            )
            self.blocks, self.last = nn.Sequential(Block(width), Block(width)), nn.LayerNorm(width)
            self.head = nn.Linear(width, vocabulary, bias=False)
            for p in self.parameters():
                if p.ndim > 1:
                    nn.init.normal_(p, 0.0, 0.02)

        def forward(self, x: Any) -> Any:
            return self.head(self.last(self.blocks(self.drop(self.tokens(x) + self.places(T.arange(x.shape[1]))))))

    text = T.tensor([ord(c) % 32 for c in "the quick brown fox jumps over the lazy dog " * 20])
    model = Model(32, 24, 32)
    optimizer = T.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.1)
    losses = []
    for _ in range(50):
        starts = T.randint(len(text) - 25, (8,))
        x, y = (T.stack([text[i + k : i + k + 24] for i in starts]) for k in (0, 1))
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("program", [network, convolutions, transformer], ids=lambda f: f.__name__)
@pytest.mark.parametrize("seed", [0, 1337])
def test_losses_follow(program: Any, seed: int) -> None:
    if drawn_by_library():
        pytest.skip("PyTorch draws dropout by a library of this processor's maker")
    theirs, ours = [], []
    for T, losses in ((torch, theirs), (rushlight, ours)):
        T.manual_seed(seed)
        losses += program(T)
    assert len(ours) == 50
    np.testing.assert_allclose(ours, theirs, rtol=1e-4)
