"""Modules to export, written for whichever library is given as `T`."""

from __future__ import annotations

from typing import Any


def programs(T: Any) -> dict[str, tuple[Any, tuple[Any, ...], Any]]:
    """By a name: a module, its arguments, and which of their sizes vary."""
    nn, F, Dim = T.nn, T.nn.functional, T.export.Dim
    T.manual_seed(0)
    x, image = T.randn(4, 6), T.randn(2, 3, 8, 8)

    class Fn(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self, f: Any) -> None:
            super().__init__()
            self.f = f

        def forward(self, *xs: Any) -> Any:
            return self.f(*xs)

    class Perceptron(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 3)
            self.register_buffer("scale", T.ones(3))
            self.c = T.full((3,), 2.0)

        def forward(self, x: Any) -> Any:
            return self.b(T.relu(self.a(x))) * self.scale + self.c

    class Convolutions(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
            self.pool, self.out = nn.MaxPool2d(2), nn.Linear(128, 10)

        def forward(self, x: Any) -> Any:
            return self.out(T.flatten(self.pool(T.relu(self.norm(self.conv(x)))), 1))

    class Block(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self, n: int = 16, heads: int = 4) -> None:
            super().__init__()
            self.n1, self.n2 = nn.LayerNorm(n), nn.LayerNorm(n)
            self.qkv, self.o = nn.Linear(n, 3 * n), nn.Linear(n, n)
            self.up, self.down = nn.Linear(n, 4 * n), nn.Linear(4 * n, n)
            self.heads = heads
            self.register_buffer("mask", T.tril(T.ones(5, 5)).bool(), persistent=False)

        def forward(self, x: Any) -> Any:
            b, t, c = x.shape
            q, k, v = (
                y.view(b, t, self.heads, c // self.heads).transpose(1, 2) for y in self.qkv(self.n1(x)).split(c, dim=2)
            )
            a = ((q @ k.transpose(-2, -1)) * 0.25).masked_fill(self.mask[:t, :t] == 0, float("-inf"))
            y = (F.softmax(a, dim=-1) @ v).transpose(1, 2).contiguous().view(b, t, c)
            x = x + self.o(y)
            return x + self.down(F.gelu(self.up(self.n2(x))))

    class Attention(nn.Module):  # type: ignore[misc,name-defined]
        def forward(self, q: Any, k: Any, v: Any) -> Any:
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    class Words(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.e, self.n = nn.Embedding(10, 4), nn.RMSNorm(4)

        def forward(self, i: Any) -> Any:
            return self.n(self.e(i)).mean(1), i.argmax(-1), F.one_hot(i, 10).sum((0, 1))

    class Writes(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("n", T.zeros(3))

        def forward(self, x: Any, d: Any) -> Any:
            self.n.add_(1)
            y = x.clone()
            y[:, 1].mul_(2)
            y[1:].add_(1)
            return {"a": y[:, :3] * self.n, "b": (d["k"], x.shape[0], None)}

    def many(x: Any) -> Any:
        return (
            x.softmax(-1),
            x.sum(),
            x.sum(1),
            x.mean(1, keepdim=True),
            x.max(1)[0],
            x.t(),
            x.reshape(-1),
            x.chunk(2),
            x.split(3, 1),
            x**2,
            2 - x,
            x / 2,
            x // 2,
            x > 0,
            x[0],
            x[:, 1:3],
            x[..., None],
            x.clamp(0, 1),
            x @ x.t(),
            x.to(T.float64),
            T.where(x > 0, x, 0),
            x.argmax(1),
            x.exp().log1p().sqrt().rsqrt(),
            x.std(0),
            x.masked_fill(x > 0, 0.0),
            T.stack([x, x]),
            x.unsqueeze(0).expand(3, -1, -1),
            x.repeat(2, 2),
            T.einsum("ij,kj->ik", x, x),
            x.cumsum(0),
            x.topk(2)[0],
            x.sort()[0],
            x[x.argmax(0)],
            x.tril(),
            x.flatten(),
            x.roll(1, 0),
            x.flip(0),
            T.cat([x, x], 1),
            x * float("inf"),
            T.full((2, 3), 1.5),
            T.arange(5),
            x.logsumexp(1),
            x.amax(1),
            T.zeros_like(x),
            T.atan2(x, x + 1),
        )

    def layers(x: Any, image: Any) -> Any:
        return (
            F.gelu(x),
            F.silu(x),
            F.layer_norm(x, (6,)),
            F.pad(x, (1, 1)),
            F.avg_pool2d(image, 2),
            F.adaptive_avg_pool2d(image, 1),
            F.max_pool2d(image, 2),
            F.interpolate(image, scale_factor=2.0),
            F.interpolate(image, size=(5, 5), mode="bilinear"),
            F.leaky_relu(x),
            F.hardswish(x),
            F.cross_entropy(x, T.zeros(4, dtype=T.int64)),
            F.normalize(x),
            F.cosine_similarity(x, x + 1),
            F.group_norm(image, 3),
            F.conv_transpose2d(image, T.ones(3, 3, 2, 2)),
            F.conv1d(image[0], T.ones(3, 8, 1)),
            F.log_softmax(x, 1),
            F.elu(x),
            F.glu(x),
            F.unfold(image, 2),
            F.instance_norm(image),
            F.rms_norm(x, (6,)),
            F.pixel_shuffle(T.ones(1, 4, 2, 2), 2),
            F.threshold(x, 0.0, 1.0),
            F.grid_sample(image, T.zeros(2, 3, 3, 2), align_corners=False),
            F.binary_cross_entropy_with_logits(x, x.sigmoid()),
        )

    def sizes(x: Any) -> Any:
        b = x.shape[0]
        y = x.view(b * 2, -1)
        return y.sum(0), T.zeros(b, 2) + 1, y.view(b, 3, 2), x[:1], b

    small = ({0: Dim("b", min=2, max=64)},)
    return {
        "perceptron": (Perceptron(), (x,), None),
        "convolutions": (Convolutions().eval(), (image,), ({0: Dim("b")},)),
        "block": (Block(), (T.randn(2, 5, 16),), ({0: Dim("b")},)),
        "attention": (Attention(), tuple(T.randn(2, 2, 5, 8) for _ in range(3)), None),
        "words": (Words(), (T.tensor([[1, 2, 3], [4, 5, 6]]),), None),
        "writes": (Writes(), (x, {"k": x + 1}), None),
        "many": (Fn(many), (x,), None),
        "layers": (Fn(layers), (x, image), None),
        "sizes": (Fn(sizes), (x,), (small,)),
        "batch norm": (nn.BatchNorm2d(3), (image,), None),
        "lstm": (nn.LSTM(6, 5, 2, batch_first=True, bidirectional=True), (T.randn(2, 3, 6),), None),
        "gru": (nn.GRU(6, 5), (T.randn(3, 2, 6),), None),
        "encoder": (nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval(), (T.randn(2, 5, 16),), None),
    }
