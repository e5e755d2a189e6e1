"""Functions and modules with torch.jit's marks on them, checked shapes, and code that asks where it runs."""

from typing import List, Optional, Tuple  # noqa: UP035  # as programs of that time write it

import torch
import torch.nn as nn
from common import fill, show


@torch.jit.script
def fused_gelu(x):
    return x * 0.5 * (1.0 + torch.erf(x / 1.41421))


@torch.jit.script
def total(xs: List[torch.Tensor], scale: Optional[float] = None) -> Tuple[torch.Tensor, int]:  # noqa: UP006, UP045
    out = torch.zeros_like(xs[0])
    for x in xs:
        out = out + x
    if scale is not None:
        out = out * scale
    return out, len(xs)


class Net(nn.Module):
    __constants__ = ["width"]
    width: torch.jit.Final[int]

    def __init__(self):
        super().__init__()
        self.width = 3
        self.lin = nn.Linear(3, 3)

    @torch.jit.export
    def shifted(self, x):
        return x + self.width

    @torch.jit.ignore
    def shown(self, x):
        return x.tolist()

    @torch.jit.unused
    def never(self, x):
        raise RuntimeError

    def forward(self, x):
        if not torch.jit.is_scripting() and not torch.jit.is_tracing():
            x = self.shifted(x)
        return fused_gelu(self.lin(x))


net = fill(Net(), 1)
show("net", net(torch.ones(2, 3)), net.shown(torch.ones(1)))
show("total", *total([torch.ones(2), torch.ones(2)], 2.0))
traced = torch.jit.trace(net.lin, torch.ones(1, 3))
show("traced", traced(torch.ones(2, 3)))
print(
    torch.cuda.is_available(),
    torch.backends.mps.is_available(),
    torch.distributed.is_available() and torch.distributed.is_initialized(),
)
