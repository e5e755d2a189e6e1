"""What several benchmarks are made of."""

from __future__ import annotations

from typing import Any


def gpt_block(T: Any, width: int, heads: int) -> Any:
    """A block of a small GPT, without dropout, of a library's modules."""
    nn, F = T.nn, T.nn.functional

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
            self.heads, self.join = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            b, t, c = x.shape
            q, k, v = (z.view(b, t, heads, -1).transpose(1, 2) for z in self.heads(self.before(x)).split(c, 2))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.join(y.transpose(1, 2).reshape(b, t, c))
            return x + self.down(F.gelu(self.up(self.between(x))))

    return Block()


def resnet18(T: Any) -> Any:
    """ResNet-18 (He et al. 2015, arXiv:1512.03385), of a library's modules."""
    nn = T.nn

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, given: int, made: int, stride: int) -> None:
            super().__init__()
            self.first, self.norm = nn.Conv2d(given, made, 3, stride, 1, bias=False), nn.BatchNorm2d(made)
            self.second, self.last = nn.Conv2d(made, made, 3, 1, 1, bias=False), nn.BatchNorm2d(made)
            across = [nn.Conv2d(given, made, 1, stride, bias=False), nn.BatchNorm2d(made)] if stride > 1 else []
            self.across = nn.Sequential(*across)

        def forward(self, x: Any) -> Any:
            y = self.last(self.second(nn.functional.relu(self.norm(self.first(x)))))
            return nn.functional.relu(y + self.across(x))

    start = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    sizes = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2)]
    blocks = [Block(*s) for s in (*sizes, (512, 512, 1))]
    end = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)]
    return nn.Sequential(*start, *blocks, *end)
