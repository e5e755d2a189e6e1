"""Write, as JSON, what a `__torch_dispatch__` mode is handed for each of many calls.

Run by plain Python (PyTorch) and by `python -m rushlight`; test_dispatch_calls.py compares.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode

warnings.simplefilter("ignore")
torch.manual_seed(0)
x, y, w, b, q = torch.randn(3, 4), torch.randn(3, 4), torch.randn(5, 4), torch.randn(5), torch.randn(2, 3, 4)
img, k, lab, idx = torch.randn(1, 3, 8, 8), torch.randn(2, 3, 3, 3), torch.tensor([1, 0, 2]), torch.tensor([0, 2])


def show(v: Any) -> str:
    if isinstance(v, torch.Tensor):
        return f"T{list(v.shape)}"
    if isinstance(v, (tuple, list)):
        return "[" + ", ".join(map(show, v)) + "]"
    return f"{v:g}" if isinstance(v, float) else str(v)


class Log(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.log: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        self.log.append(
            f"{func}({', '.join([*map(show, args), *(f'{name}={show(v)}' for name, v in sorted(kwargs.items()))])})"
        )
        return func(*args, **kwargs)


CASES: dict[str, Callable[[], Any]] = {
    "add": lambda: x + y,
    "addn": lambda: x + 2,
    "addal": lambda: torch.add(x, y, alpha=2),
    "sub": lambda: x - y,
    "rsub": lambda: 1 - x,
    "mul": lambda: x * y,
    "muln": lambda: 2 * x,
    "div": lambda: x / y,
    "divn": lambda: x / 2,
    "rdiv": lambda: 2 / x,
    "pow2": lambda: x**2,
    "powt": lambda: x.abs() ** y,
    "rpow": lambda: 2**x,
    "neg": lambda: -x,
    "cmp": lambda: x > y,
    "cmpn": lambda: x == 0,
    "iadd": lambda: x.clone().add_(1),
    "imul": lambda: x.clone().mul_(y),
    "relu": lambda: F.relu(x),
    "gelu": lambda: F.gelu(x),
    "sig": lambda: x.sigmoid(),
    "exp": lambda: x.exp(),
    "where": lambda: torch.where(x > 0, x, y),
    "wherez": lambda: torch.where(x > 0, x, 0.0),
    "clamp": lambda: x.clamp(0, 1),
    "clampmin": lambda: x.clamp(min=0),
    "leaky": lambda: F.leaky_relu(x),
    "silu": lambda: F.silu(x),
    "elu": lambda: F.elu(x),
    "softplus": lambda: F.softplus(x),
    "linear": lambda: F.linear(x, w, b),
    "linnob": lambda: F.linear(x, w),
    "lin3": lambda: F.linear(q, w, b),
    "mm": lambda: x @ w.t(),
    "bmm": lambda: q @ q.mT,
    "mv": lambda: x @ x[0],
    "dot": lambda: x[0] @ x[1],
    "matmul32": lambda: q @ w.t(),
    "einsum": lambda: torch.einsum("ij,kj->ik", x, w),
    "addmm": lambda: torch.addmm(b, x, w.t()),
    "baddbmm": lambda: torch.baddbmm(q @ q.mT, q, q.mT),
    "outer": lambda: torch.outer(b, b),
    "conv": lambda: F.conv2d(img, k),
    "convp": lambda: F.conv2d(img, k, padding=1, stride=2),
    "convT": lambda: F.conv_transpose2d(torch.randn(1, 2, 4, 4), k),
    "conv1": lambda: F.conv1d(q, torch.randn(2, 3, 2)),
    "pool": lambda: F.max_pool2d(img, 2),
    "avg": lambda: F.avg_pool2d(img, 2),
    "adapt": lambda: F.adaptive_avg_pool2d(img, 1),
    "adapt2": lambda: F.adaptive_avg_pool2d(img, 2),
    "bn": lambda: F.batch_norm(img, torch.zeros(3), torch.ones(3)),
    "bnt": lambda: F.batch_norm(img, None, None, training=True),
    "up": lambda: F.interpolate(img, scale_factor=2),
    "pad": lambda: F.pad(x, (1, 1)),
    "softmax": lambda: F.softmax(x, -1),
    "logsm": lambda: F.log_softmax(x, 1),
    "ce": lambda: F.cross_entropy(x, lab),
    "nll": lambda: F.nll_loss(x, lab),
    "mse": lambda: F.mse_loss(x, y),
    "bce": lambda: F.binary_cross_entropy_with_logits(x, y.sigmoid()),
    "l1": lambda: F.l1_loss(x, y),
    "ln": lambda: F.layer_norm(x, (4,)),
    "gn": lambda: F.group_norm(img, 3),
    "emb": lambda: F.embedding(idx, w),
    "drop": lambda: F.dropout(x, 0.5, False),
    "sdpa": lambda: F.scaled_dot_product_attention(img, img, img),
    "norm": lambda: x.norm(),
    "normd": lambda: x.norm(dim=1),
    "onehot": lambda: F.one_hot(lab, 3),
    "sum": lambda: x.sum(),
    "sumd": lambda: x.sum(1),
    "sumk": lambda: x.sum((0, 1), keepdim=True),
    "mean": lambda: x.mean(),
    "meand": lambda: x.mean(-1),
    "max": lambda: x.max(),
    "maxd": lambda: x.max(1),
    "var": lambda: x.var(),
    "vard": lambda: x.var(1, unbiased=False),
    "std": lambda: x.std(),
    "argmax": lambda: x.argmax(1),
    "any": lambda: (x > 0).any(),
    "alld": lambda: (x > 0).all(1),
    "cumsum": lambda: x.cumsum(1),
    "prod": lambda: x.prod(),
    "amax": lambda: x.amax(1),
    "lse": lambda: x.logsumexp(1),
    "topk": lambda: x.topk(2),
    "sort": lambda: x.sort(),
    "argsort": lambda: x.argsort(),
    "view": lambda: x.view(-1),
    "reshape": lambda: x.reshape(2, 6),
    "reshc": lambda: x.t().reshape(-1),
    "flatten": lambda: q.flatten(1),
    "t": lambda: x.t(),
    "T": lambda: x.T,
    "mT": lambda: q.mT,
    "transpose": lambda: q.transpose(0, 1),
    "permute": lambda: q.permute(2, 0, 1),
    "unsq": lambda: x.unsqueeze(0),
    "sq": lambda: x[None].squeeze(0),
    "sqall": lambda: x[None].squeeze(),
    "expand": lambda: x.expand(2, 3, 4),
    "chunk": lambda: x.chunk(2, 1),
    "split": lambda: x.split(2),
    "unbind": lambda: x.unbind(),
    "cat": lambda: torch.cat([x, y]),
    "catd": lambda: torch.cat([x, y], 1),
    "stack": lambda: torch.stack([x, y]),
    "repeat": lambda: x.repeat(2, 1),
    "flip": lambda: x.flip(0),
    "roll": lambda: x.roll(1, 0),
    "narrow": lambda: x.narrow(0, 1, 2),
    "select": lambda: x.select(0, 1),
    "diag": lambda: x.diagonal(),
    "tril": lambda: x.tril(),
    "contig": lambda: x.t().contiguous(),
    "clone": lambda: x.clone(),
    "detach": lambda: x.detach(),
    "double": lambda: x.double(),
    "tofl": lambda: x.to(torch.float16),
    "tosame": lambda: x.to(torch.float32),
    "asst": lambda: x.as_strided((2, 2), (1, 1)),
    "idx0": lambda: x[0],
    "idxs": lambda: x[1:],
    "idxc": lambda: x[:, 1],
    "idxt": lambda: x[idx],
    "idxm": lambda: x[x > 0],
    "idxn": lambda: x[:, None],
    "idxe": lambda: x[..., 1:3],
    "setit": lambda: x.clone().__setitem__(0, 1.0),
    "setm": lambda: x.clone().__setitem__(idx, y[:2]),
    "gather": lambda: x.gather(1, lab[:, None]),
    "isel": lambda: x.index_select(0, idx),
    "mfill": lambda: x.masked_fill(x > 0, 0.0),
    "scatter": lambda: torch.zeros(3, 4).scatter_(1, lab[:, None], 1.0),
    "sadd": lambda: torch.zeros(3, 4).scatter_add(1, lab[:, None], x),
    "iadd2": lambda: x.clone().index_add_(0, idx, y[:2]),
    "msel": lambda: x.masked_select(x > 0),
    "nonzero": lambda: x.nonzero(),
    "zeros": lambda: torch.zeros(2, 3),
    "ones": lambda: torch.ones(2),
    "full": lambda: torch.full((2,), 3.0),
    "arange": lambda: torch.arange(3),
    "arange2": lambda: torch.arange(0, 6, 2),
    "zl": lambda: torch.zeros_like(x),
    "ol": lambda: torch.ones_like(x),
    "empty": lambda: torch.empty(2),
    "randn": lambda: torch.randn(2),
    "rand": lambda: torch.rand(2, 3),
    "eye": lambda: torch.eye(3),
    "nz": lambda: x.new_zeros(2),
    "tensor": lambda: torch.tensor([1.0, 2.0]),
    "fill": lambda: x.clone().fill_(1),
    "zero": lambda: x.clone().zero_(),
    "copy": lambda: x.clone().copy_(y),
    "linspace": lambda: torch.linspace(0, 1, 5),
    "fl": lambda: torch.full_like(x, 2.0),
    "el": lambda: torch.empty_like(x),
    "normal_": lambda: torch.empty(2).normal_(),
    "uniform_": lambda: torch.empty(2).uniform_(),
    "bern": lambda: torch.bernoulli(x.sigmoid()),
    "randint": lambda: torch.randint(0, 5, (2,)),
    "randperm": lambda: torch.randperm(3),
    "inv": lambda: torch.linalg.inv(x[:, :3]),
    "qr": lambda: torch.linalg.qr(x),
    "solve": lambda: torch.linalg.solve(x[:, :3], y),
    "svd": lambda: torch.linalg.svd(x),
    "det": lambda: torch.linalg.det(x[:, :3]),
    "chol": lambda: torch.linalg.cholesky(x @ x.t() + torch.eye(3)),
    "eigh": lambda: torch.linalg.eigh(x @ x.t()),
    "fft": lambda: torch.fft.fft(x),
    "rfft": lambda: torch.fft.rfft(x),
    "item": lambda: x.sum().item(),
    "bool": lambda: bool(x.sum() > 0),
    "maximum": lambda: torch.maximum(x, y),
    "lerp": lambda: torch.lerp(x, y, 0.5),
    "addcmul": lambda: torch.addcmul(x, x, y, value=0.5),
    "isnan": lambda: x.isnan(),
    "floordiv": lambda: x // 2,
    "mod": lambda: x % 2,
    "band": lambda: (x > 0) & (y > 0),
    "inv_": lambda: ~(x > 0),
    "equal": lambda: torch.equal(x, y),
    "allclose": lambda: torch.allclose(x, y),
}
FOUND = {}
for name, case in CASES.items():
    with Log() as mode:
        case()
    FOUND[name] = mode.log
with open(sys.argv[1], "w") as file:
    json.dump(FOUND, file)
