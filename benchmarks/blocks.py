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
