# ruff: noqa
"""Gradients through wrappers of calls that read values, and of those with inner names: whether they are those of plain
tensors, and what the wrappers are handed; by PyTorch and by rushlight."""

import warnings

import torch, torch.nn.functional as F
from torch.utils._pytree import tree_map

warnings.simplefilter("ignore")


class W(torch.Tensor):
    @staticmethod
    def __new__(cls, x):
        return torch.Tensor._make_wrapper_subclass(
            cls, x.shape, dtype=x.dtype, strides=x.stride(), requires_grad=x.requires_grad
        )

    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return "W"

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        un = lambda t: t.x if isinstance(t, W) else t
        wr = lambda t: W(t) if isinstance(t, torch.Tensor) else t
        LOG.append(str(func))
        return tree_map(wr, func(*tree_map(un, args), **tree_map(un, kwargs or {})))


LOG: list = []
torch.manual_seed(0)
x = torch.randn(4, 3)


def run(name, f, *ts):
    global LOG
    LOG = []
    try:
        ps = [t.clone().requires_grad_() for t in ts]
        w = [W(p.detach()).requires_grad_() for p in ps]
        LOG = []
        y = f(*w)
        fwd = list(LOG)
        (y * torch.arange(1.0, y.numel() + 1).reshape(y.shape)).sum().backward()
        z = f(*ps)
        (z * torch.arange(1.0, z.numel() + 1).reshape(z.shape)).sum().backward()
        print(
            name,
            [torch.allclose(a.grad.x if isinstance(a.grad, W) else a.grad, b.grad, atol=1e-5) for a, b in zip(w, ps)],
            [n for n in fwd if n != "aten.detach.default"] if "ctc" not in name else "",
        )
    except Exception as e:
        print(name, type(e).__name__)


m = x > 0
run("masked_select", lambda a: torch.masked_select(a, m), x)
run("masked_select b", lambda a: torch.masked_select(a, m[0]), x)
run("masked_select b2", lambda a: torch.masked_select(a, m), x[:1])
run("masked index", lambda a: a[m], x)
L = torch.tensor([1, 3])
for r in ("sum", "mean", "max", "min", "prod"):
    run("segment " + r, lambda a: torch.segment_reduce(a, r, lengths=L), x)
run("segment offsets", lambda a: torch.segment_reduce(a, "sum", offsets=torch.tensor([0, 1, 4])), x)
lp = torch.randn(5, 2, 4)
T = torch.tensor([[1, 2], [3, 1]])
for red in ("mean", "sum", "none"):
    run(
        "ctc " + red,
        lambda a: F.ctc_loss(a.log_softmax(2), T, torch.tensor([5, 4]), torch.tensor([2, 1]), reduction=red),
        lp,
    )
run("ctc ints", lambda a: F.ctc_loss(a.log_softmax(2), T, (5, 4), (2, 1)), lp)
run("ctc inf", lambda a: F.ctc_loss(a.log_softmax(2), T, (5, 1), (2, 2), zero_infinity=True), lp)
sq = torch.randn(3, 3) + 3 * torch.eye(3)
for n, f in dict(
    inv=torch.linalg.inv,
    det=torch.linalg.det,
    slog=lambda a: torch.linalg.slogdet(a)[1],
    chol=lambda a: torch.linalg.cholesky(a @ a.T + torch.eye(3)),
    solve=lambda a: torch.linalg.solve(a, x[:3]),
    eigh=lambda a: torch.linalg.eigvalsh(a + a.T),
    svd=lambda a: torch.linalg.svdvals(a),
    fft=lambda a: torch.fft.fft(a).abs(),
    rfft=lambda a: torch.fft.rfft(a, n=5).abs(),
    irfft=lambda a: torch.fft.irfft(torch.fft.fft(a)),
    fft2=lambda a: torch.fft.fft2(a).real,
    lu=lambda a: torch.linalg.lu_factor(a)[0],
    logdet=lambda a: torch.logdet(a @ a.T),
).items():
    run(n, f, sq)
q = torch.randn(1, 2, 4, 3)
run("sdpa", lambda a: F.scaled_dot_product_attention(a, a, a, is_causal=True), q)
run("sdpa m", lambda a: F.scaled_dot_product_attention(a, a * 2, a, attn_mask=torch.ones(4, 4).tril() > 0), q)
rm, rv = torch.zeros(3), torch.ones(3)
run("bn", lambda a: F.batch_norm(a, rm, rv, training=True, momentum=0.3), x)
print(rm, rv)
run("bn eval", lambda a: F.batch_norm(a, rm, rv), x)
run("bn w", lambda a, w, b: F.batch_norm(a, None, None, w, b, training=True), x, torch.rand(3), torch.rand(3))
