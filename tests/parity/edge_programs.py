# ruff: noqa
"""What programs do at the edges of modules, loaders and custom functions, and how they are refused there. A line a
fact, by PyTorch and by rushlight.
"""

import importlib
import warnings

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call
from torch.utils.data import DataLoader, Dataset

warnings.simplefilter("ignore")


def say(label, f):
    torch.manual_seed(0)
    try:
        found = f()
    except Exception as e:
        found = f"raises {type(e).__name__}"
    print(f"{label}: {found}".replace("\n", " "))


# ------------------------------------------------------------------------------- lazy modules before their first input
def lazy():
    return nn.Sequential(nn.LazyConv1d(2, 1), nn.LazyBatchNorm1d(), nn.Flatten(), nn.LazyLinear(3, bias=False))


CONVERSIONS = {
    "double": lambda m: m.double(),
    "half": lambda m: m.half(),
    "float": lambda m: m.float(),
    "to dtype": lambda m: m.to(torch.float64),
    "to device": lambda m: m.to("cpu"),
    "to both": lambda m: m.to("cpu", torch.float64),
    "cpu": lambda m: m.cpu(),
    "eval": lambda m: m.eval(),
    "zero_grad": lambda m: m.zero_grad(),
}
for name, convert in CONVERSIONS.items():

    def facts():
        m = lazy()
        m = convert(m) or m
        p, b = m[3].weight, m[1].running_mean
        before = type(p).__name__, p.dtype, p.requires_grad, type(b).__name__, b.dtype
        out = m.double()(torch.ones(2, 3, 4, dtype=torch.float64))
        return before, out.dtype, out.shape, type(m[3]).__name__, m[1].running_mean.dtype

    say(f"lazy {name}", facts)

p = nn.LazyLinear(2).weight
for name, f in {
    "numel": lambda: p.numel(),
    "sum": lambda: p.sum(),
    "add": lambda: p + 1,
    "radd": lambda: 1 + p,
    "matmul": lambda: p @ p,
    "index": lambda: p[0],
    "len": lambda: len(p),
    "bool": lambda: bool(p),
    "zero_": lambda: p.zero_(),
    "detach": lambda: p.detach(),
    "clone": lambda: p.clone(),
    "item": lambda: p.item(),
    "tolist": lambda: p.tolist(),
    "numpy": lambda: p.numpy(),
    "view": lambda: p.view(-1),
    "register_hook": lambda: p.register_hook(print),
    "torch.sum": lambda: torch.sum(p),
    "zeros_like": lambda: torch.zeros_like(p),
    "equal": lambda: p == p,
    "init": lambda: nn.init.zeros_(p),
    "shape": lambda: p.shape,
    "dtype": lambda: p.dtype,
    "device": lambda: p.device,
    "grad": lambda: p.grad,
    "is_leaf": lambda: p.is_leaf,
    "requires_grad": lambda: p.requires_grad,
    "hash": lambda: hash(p) == id(p),
    "isinstance": lambda: isinstance(p, nn.Parameter),
    "float": lambda: type(p.float()).__name__,
    "to": lambda: type(p.to("cpu")).__name__,
    "count": lambda: sum(q.numel() for q in nn.LazyLinear(2).parameters()),
    "optimizer": lambda: type(torch.optim.SGD([p], 0.1)).__name__,
}.items():
    say(f"lazy parameter {name}", f)


# ------------------------------------------------------------------------------------ modules called with other tensors
class Scaled(nn.Module):
    kind = "a class attribute"

    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 1)
        self.t = torch.ones(2)
        self.k = 5

    def forward(self, x):
        return (self.l(x * self.t).sum() - self.l.bias.sum()).item(), hasattr(self, "new")


m, x = Scaled(), torch.ones(1, 2)
for name, given in {
    "a plain tensor": {"t": torch.zeros(2)},
    "a new name": {"new": torch.ones(1)},
    "a new name of a part": {"l.new": torch.ones(1)},
    "a number's name": {"k": torch.ones(1)},
    "a class attribute's name": {"kind": torch.ones(1)},
    "a part's name": {"l": torch.ones(1)},
    "a part that is not there": {"q.weight": torch.ones(1)},
    "a number": {"l.weight": 3},
    "a number under a new name": {"new": 3},
    "a string": "abc",
    "an int": 3,
    "several": [{"t": torch.zeros(2)}, {"l.bias": torch.ones(1)}],
    "a name twice": [{"t": torch.zeros(2)}, {"t": torch.ones(2)}],
}.items():
    say(f"functional_call {name}", lambda: functional_call(m, given, (x,)))
    say(f"functional_call {name} afterwards", lambda: (m.t.tolist(), hasattr(m, "new"), hasattr(m.l, "new"), m.k))
say("functional_call strict", lambda: functional_call(m, {"t": torch.zeros(2)}, (x,), strict=True))


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.t = torch.ones(2)

    def forward(self, x):
        return (x * self.t**2).sum()


say("gradient of a plain tensor", lambda: torch.func.grad(lambda t: functional_call(Plain(), {"t": t}, (x,)))(x[0] * 3))


# --------------------------------------------------------------------------------------------------- attention's masks
a, q = nn.MultiheadAttention(8, 2, batch_first=True), torch.ones(2, 3, 8)
for kind in (torch.bool, torch.float32, torch.float64, torch.int32, torch.int64, torch.uint8):
    for need in (True, False):
        options = {"need_weights": need}
        say(f"attn_mask {kind} {need}", lambda: a(q, q, q, attn_mask=torch.zeros(3, 3, dtype=kind), **options)[0].shape)
        say(
            f"key_padding_mask {kind} {need}",
            lambda: a(q, q, q, key_padding_mask=torch.zeros(2, 3, dtype=kind), **options)[0].shape,
        )
say("keys and values of two lengths", lambda: a(q, torch.ones(2, 5, 8), torch.ones(2, 4, 8)))
say("keys and values of two batches", lambda: a(q, torch.ones(2, 5, 8), torch.ones(3, 5, 8)))
own = nn.MultiheadAttention(8, 2, kdim=4, vdim=6, batch_first=True)
say("sizes of their own", lambda: own(q, torch.ones(2, 5, 4), torch.ones(2, 5, 6))[0].shape)
say("sizes of their own, two lengths", lambda: own(q, torch.ones(2, 5, 4), torch.ones(2, 4, 6)))


# ------------------------------------------------------------ custom functions
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k, unused=None):
        ctx.k, ctx.count = k, len(ctx.needs_input_grad)
        return x * k

    @staticmethod
    def backward(ctx, g):
        return (g * ctx.k, None, None)[: ctx.count]


class Keyword(Double):
    @staticmethod
    def forward(ctx, x, *, k):
        return x * k


class Split(torch.autograd.Function):
    @staticmethod
    def forward(x, k):
        return x * k

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.k, ctx.count = inputs[1], len(inputs)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None


def through(call):
    x = torch.ones(2, requires_grad=True)
    y = call(x)
    y.sum().backward()
    return y.tolist(), x.grad.tolist()


say("apply by place", lambda: through(lambda x: Double.apply(x, 3.0)))
say("apply by name", lambda: through(lambda x: Double.apply(k=3.0, x=x)))
say("apply by place and name", lambda: through(lambda x: Double.apply(x, k=3.0)))
say("apply with all names", lambda: through(lambda x: Double.apply(x=x, unused=1, k=3.0)))
say("apply of the split form by name", lambda: through(lambda x: Split.apply(x, k=3.0)))
say("apply with a wrong name", lambda: through(lambda x: Double.apply(x, q=3.0)))
say("apply with an argument twice", lambda: through(lambda x: Double.apply(x, 3.0, x=x)))
for name, result in {"a number": 3, "a string": "s", "None": None, "a dict": {"a": 1}, "nothing": ()}.items():

    class Gives(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return result

    say(f"forward gives {name}", lambda: Gives.apply(torch.ones(1, requires_grad=True)))
    say(f"forward gives {name}, unrecorded", lambda: Gives.apply(torch.ones(1)))


class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x * 1

    @staticmethod
    def backward(ctx, g):
        return g


class Clean(Dirty):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x.mul_(2))
        return x


for name, make in {
    "plain": lambda: torch.ones(2),
    "a leaf": lambda: torch.ones(2, requires_grad=True),
    "a result": lambda: torch.ones(2, requires_grad=True) * 1,
}.items():
    say(f"dirty and not returned, {name}", lambda: Dirty.apply(make()).tolist())
    say(f"dirty and returned, {name}", lambda: Clean.apply(make()).tolist())


# ------------------------------------------------------------------------------------------------------------ loaders
class Draws(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return i, np.random.randint(1000), torch.randint(1000, ()).item()


for workers in (1, 2):
    for persistent in (False, True):

        def epochs():
            np.random.seed(0)
            loader = DataLoader(Draws(), batch_size=None, num_workers=workers, persistent_workers=persistent)
            return [list(loader), list(loader)]

        say(f"numbers of {workers} workers {persistent}", epochs)
for context in ("fork", "spawn", "nonsense", 3, None):
    for workers in (0, 1):
        say(
            f"context {context} {workers}",
            lambda: DataLoader(range(3), num_workers=workers, multiprocessing_context=context) and None,
        )


def late(context):
    DataLoader(range(3)).multiprocessing_context = context


say("a context later", lambda: late("fork"))
say("no context later", lambda: late(None))
say("a part named without an import", lambda: torch.utils.data._utils.collate.default_collate([1, 2]))

# -------------------------------------------------------------------------------------------------------------- masks
mask = torch.tensor([True, False])
for name, f in {
    "1 - mask": lambda: 1 - mask,
    "mask - 1": lambda: mask - 1,
    "mask - mask": lambda: mask - mask,
    "mask - floats": lambda: mask - torch.ones(2),
    "floats - mask": lambda: torch.ones(2) - mask,
    "-mask": lambda: -mask,
    "torch.neg": lambda: torch.neg(mask),
    "neg_": lambda: mask.clone().neg_(),
    "sub_": lambda: mask.clone().sub_(mask),
    "rsub": lambda: torch.rsub(mask, 1),
    "~mask": lambda: ~mask,
}.items():
    say(f"of masks, {name}", f)

# --------------------------------------------------------------------------------------------------------- small parts
padded = torch.arange(6.0).reshape(3, 2)
for first in (True, False):

    def cut():
        parts = nn.utils.rnn.unpad_sequence(padded, torch.tensor([3, 1] if not first else [2, 1, 2]), batch_first=first)
        parts[0].fill_(9)
        # (PyTorch transposes what it was given, without batch_first.)
        return [(p.tolist(), p.stride()) for p in parts], padded.tolist() if first else None

    say(f"unpad_sequence {first}", cut)
say("skip_init of no module", lambda: nn.utils.skip_init(int, 3))
say("skip_init", lambda: nn.utils.skip_init(nn.Linear, 2, 3).weight.shape)
say("anomalies", lambda: (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()))
say("old types", lambda: (torch.FloatTensor, torch.LongTensor, torch.BoolTensor, torch.HalfTensor, torch.FloatStorage))
say("names of methods", lambda: (torch.Tensor.backward.__qualname__, torch.ones(1).register_hook.__name__))


def functional():
    functorch = importlib.import_module("functorch")
    f, values = functorch.make_functional(nn.Linear(2, 1))
    return f, f.stateless_model.weight.device, f(values, x).shape, callable(functorch.make_fx)


say("functorch", functional)
say("sizes", lambda: importlib.import_module("torch.nn.common_types")._size_2_t)
say("sizes that may be None", lambda: importlib.import_module("torch.nn.common_types")._size_any_opt_t)
for word in ("none", "mean", "sum", "elementwise_mean", "nonsense"):
    say(f"reduction {word}", lambda: importlib.import_module("torch.nn._reduction").get_enum(word))
for flags in ((None, None), (True, None), (False, None), (None, False), (False, False), (False, True)):
    say(f"old flags {flags}", lambda: torch.nn._reduction.legacy_get_enum(*flags, emit_warning=False))
for name in ("torch.cuda.amp.autocast_mode", "torch.cuda.amp.grad_scaler", "torch.cuda.memory", "torch._VF"):
    say(f"module {name}", lambda: importlib.import_module(name).__name__)
say("_VF", lambda: torch._VF.tanh(torch.zeros(1)))
say("nvtx", lambda: torch.cuda.nvtx.range_push("a"))
say("nvtx range", lambda: torch.cuda.nvtx.range("a").__enter__())


# ---------------------------------------------------------------------------------------- devices, floats and results
for name, args in {
    "a string": ("cpu", "a"),
    "a negative": ("cpu", -2),
    "a float": ("cpu", 1.5),
    "a bool": ("cpu", True),
    "a list": ("cpu", []),
    "an int first": (1, 2),
    "a device first": (torch.device("cpu"), 1),
    "two indices": ("cpu:0", 1),
    "None": ("cpu", None),
    "an array": (np.ones(2),),
    "a bool alone": (True,),
    "a negative alone": (-1,),
    "a zero before it": ("cpu:01",),
    "an index": ("cpu", 1),
    "an index of NumPy": ("cpu", np.int64(1)),
}.items():
    say(f"device with {name}", lambda: repr(torch.device(*args)))

for dtype in (torch.float32, torch.bfloat16, torch.complex64, torch.int32, torch.bool):
    say(f"~ of {dtype}", lambda: (~torch.ones(2, dtype=dtype)).tolist())


def returning(make):
    class Returning(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return make(x)

        @staticmethod
        def backward(ctx, *grads):
            return grads[0]

    return Returning.apply(torch.ones(2, requires_grad=True))


for name, make in {
    "a list": lambda x: [x * 2, x * 3],
    "a list in a tuple": lambda x: (x * 2, [x * 3]),
    "a dict": lambda x: {"a": x * 2},
    "a named tuple": lambda x: torch.max(x[None], 0),
}.items():

    def facts():
        found = returning(make)
        found = found.values() if isinstance(found, dict) else found
        return type(found).__name__, [getattr(t, "requires_grad", type(t).__name__) for t in found]

    say(f"forward returns {name}", facts)

for training in (True, False):
    for recorded in (True, False):

        def facts():
            attention = nn.MultiheadAttention(8, 2, batch_first=True).train(training)
            with torch.set_grad_enabled(recorded):
                x = torch.ones(3, 4, 8)
                return attention(x, x, x)[0].stride()

        say(f"attention strides {training} {recorded}", facts)

packed = nn.utils.rnn.pack_padded_sequence(torch.ones(2, 6, 1), [3, 5], batch_first=True, enforce_sorted=False)
for first in (True, False):
    say(f"padded strides {first}", lambda: nn.utils.rnn.pad_packed_sequence(packed, first)[0].stride())
ordered = nn.utils.rnn.pack_padded_sequence(torch.ones(2, 6, 1), [5, 3], batch_first=True)
say("padded strides of ordered", lambda: nn.utils.rnn.pad_packed_sequence(ordered, True)[0].stride())

for name, bad in {"dict": {}, "list": [], "set": set(), "array": np.ones(2), "number": 3, "word": "some"}.items():
    for loss in (F.l1_loss, F.hinge_embedding_loss, F.kl_div, F.multilabel_soft_margin_loss):

        def facts():
            try:
                loss(torch.ones(2), torch.ones(2), reduction=bad)
            except (TypeError, ValueError):
                return "refused"

        say(f"{loss.__name__} with a {name}", facts)
