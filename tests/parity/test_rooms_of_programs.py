"""What programs do beside computing (storages, files, processes, checkpoints, comparisons) gives what it gives in
PyTorch, or is refused by the same kind of error.
"""

from __future__ import annotations

import importlib
import warnings

import pytest
from test_less_trodden import outcome

import rushlight

torch = pytest.importorskip("torch")

# As in test_less_trodden: each ends with an expression.
PROGRAMS = {
    "autograd.backward is handed over as a whole": """
class Sub(M.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is M.autograd.backward:
            calls.append((args and len(args[0]), sorted(kwargs), kwargs["inputs"] is None, kwargs["retain_graph"]))
        return super().__torch_function__(func, types, args, kwargs or {})
x = M.ones(2).as_subclass(Sub).requires_grad_()
y = (x * 2).sum()
M.autograd.backward(y, retain_graph=True)
M.autograd.backward([y], [M.tensor(3.0)], inputs=x)
M.autograd.backward((M.ones(1, requires_grad=True) * 2).sum(), M.tensor(1.0).as_subclass(Sub))
x.grad.tolist()
""",
    "autograd.backward below a mode": """
class Seeing(M.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        calls.append(func.__name__)
        return func(*args, **(kwargs or {}))
x = M.ones(2, requires_grad=True)
y = (x * 2).sum()
with Seeing():
    M.autograd.backward(y)
x.grad.tolist()
""",
    "cat of an empty vector that requires grad": """
def of(dim, *tensors):
    y = M.cat(tensors, dim)
    y.sum().backward()
    return y.requires_grad, y.shape, [None if t.grad is None else tuple(t.grad.shape) for t in tensors]
def empty(grad=True):
    return M.ones(0, requires_grad=grad)
def full(grad=True):
    return M.ones(2, 3, requires_grad=grad)
str([of(0, empty(), full()), of(1, full(False), empty()), of(-1, empty(False), full(), empty()),
     of(0, empty(), M.ones(0, 3), full(False))])
""",
    "sparse tensors that are compared": """
def verdict(a, b, **options):
    try:
        M.testing.assert_close(a, b, **options)
    except AssertionError:
        return "differ"
eye, one = M.eye(3), M.ones(3, 3)
kinds = ("to_sparse", "to_sparse_csr", "to_sparse_csc")
pairs = [(getattr(a, k)(), getattr(b, k)()) for k in kinds for a, b in ((eye, eye), (eye, 2 * eye), (eye, one))]
pairs += [(eye.to_sparse_bsr((1, 3)), eye.to_sparse_bsr((1, 3))), (eye.to_sparse(), eye.to_sparse_csr())]
twice = M.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (2,))
pairs += [(twice, twice.coalesce()), (twice, M.sparse_coo_tensor([[0, 0]], [2.0, 1.0], (2,)))]
str([verdict(a, b) for a, b in pairs] + [verdict(eye.to_sparse(), eye, check_layout=False)])
""",
    "make_tensor within the range of a dtype": """
def drawn(dtype, low, high):
    M.manual_seed(0)
    try:
        return M.testing.make_tensor(3, dtype=getattr(M, dtype), device="cpu", low=low, high=high).tolist()
    except ValueError:
        return "refused"
str([drawn(*case) for case in (
    ("float16", -1e9, 1e9), ("int8", -1000, 1000), ("int8", 500, 1000), ("bool", -3, 7), ("uint8", -3, 7),
    ("float16", 1e6, 1e7), ("int64", 0.5, 2.5), ("float8_e4m3fn", -1e4, 1e4), ("int64", -(2**63), 2**63 - 1))])
""",
    "arrays in another order": """
np = importlib.import_module("numpy")
a = np.arange(24.0).reshape(2, 3, 4)
arrays = [a, np.asfortranarray(a), a.T, a[:, ::2], a.T[::2], np.broadcast_to(np.ones(3), (2, 3)), np.moveaxis(a, 0, 1)]
def facts(t):
    return t.stride(), t.dtype == M.float64, t.flatten().tolist()
str([[facts(t) for t in (M.tensor(x), M.tensor(x, dtype=M.float32), M.as_tensor(x, dtype=M.float32), M.Tensor(x))]
     for x in arrays])
""",
    "memory formats of one channel and of one pixel": """
shapes = (2, 1, 4, 4), (1, 3, 4, 4), (2, 3, 1, 1), (1, 1, 4, 4), (2, 1, 1, 1), (2, 1, 1, 5)
def facts(t, order):
    y = t.to(memory_format=order)
    copied, cast = t.to(memory_format=order, copy=True), t.to(M.float64, memory_format=order)
    return y.stride(), y is t, cast.stride(), copied.stride()
formats = M.channels_last, M.contiguous_format
str([facts(t, order) for shape in shapes for order in formats
     for t in (M.ones(shape), M.empty(shape, memory_format=M.channels_last))]
    + [M.nn.Conv2d(3, 3, 1).to(memory_format=M.channels_last).weight.stride()])
""",
    "typed storages": """
s = M.arange(4.0)._typed_storage()
shared = s._new_shared(3)
names = "double half bfloat16 long int short char byte bool complex_float complex_double".split()
converted = [(str(c.dtype), c.tolist(), c.type()) for c in (getattr(s, n)() for n in names)]
t = M.ones(4)
t.new(s).add_(1)
facts = (s.type(), s.cpu() is s, s.is_cuda, s.is_pinned(), s.filename)
str((shared.size(), shared.is_shared(), M.UntypedStorage._new_shared(16).is_shared(), converted, facts, s.tolist()))
""",
    "storages in files": """
import io
def again(what, **options):
    file = io.BytesIO()
    M.save(what, file)
    file.seek(0)
    return M.load(file, **options)
x = M.arange(3.0)
found = []
for only in (True, False):
    for where in (None, "meta"):
        back = again({"x": x, "s": x._typed_storage()}, weights_only=only, map_location=where)
        found.append((type(back["s"]).__name__, back["s"].size(), str(back["s"].dtype), back["s"].device.type))
        if where is None:
            back["s"][0] = 9.0
            found.append(back["x"].tolist())
str(found)
""",
    "options of load": """
import io, pickle
class Own:
    pass
def tried(what, **options):
    file = io.BytesIO()
    M.save(what, file)
    file.seek(0)
    try:
        return type(M.load(file, **options)).__name__
    except (RuntimeError, TypeError, pickle.UnpicklingError) as e:
        return "refused", isinstance(e, RuntimeError), isinstance(e, TypeError)
str([tried([1], pickle_module=pickle), tried([1], pickle_module=pickle, weights_only=True),
     tried([1], pickle_module=pickle, weights_only=False), tried([1], weights_only=False, foo=1),
     tried([1], weights_only=False, encoding="ascii")])
""",
    "an older file that was cut short": """
import io
file = io.BytesIO()
M.save({"a": M.ones(1000)}, file, _use_new_zipfile_serialization=False)
try:
    refused = None
    M.load(io.BytesIO(file.getvalue()[:-2000]))
except RuntimeError as e:
    refused = "cut short" in str(e) or "unexpected EOF" in str(e)
str(refused)
""",
    "keyword arguments of a checkpointed function": """
checkpoint = M.utils.checkpoint.checkpoint
def tried(how):
    try:
        return checkpoint(lambda a, b=1: a * b, M.ones(2, requires_grad=True), b=3, use_reentrant=how).tolist()
    except ValueError as e:
        return "refused"
str([tried(how) for how in (None, True, False)])
""",
    "modules that are entered": """
tracker = importlib.import_module(M.__name__ + ".utils.module_tracker").ModuleTracker()
def note(where):
    calls.append((where, sorted(tracker.parents), tracker.is_bw))
class Own(M.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 1
    @staticmethod
    def backward(ctx, g):
        note("own backward")
        return g
class Inner(M.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = M.nn.Linear(2, 2), M.nn.Sequential(M.nn.ReLU(), M.nn.Linear(2, 1))
    def forward(self, x):
        note("inner")
        return self.b(self.a(x))
class Outer(M.nn.Module):
    def __init__(self):
        super().__init__()
        self.m = Inner()
    def forward(self, x):
        return Own.apply(self.m(x))
net = Outer()
net.m.a.register_forward_hook(lambda *args: note("a"))
net.m.b[1].register_full_backward_hook(lambda *args: note("b.1 backward"))
with tracker:
    note("before")
    y = net(M.ones(1, 2))
    note("between")
    y.sum().backward()
    note("after")
net(M.ones(1, 2))
sorted(tracker.parents)
""",
    "types by name": """
def tried(name):
    try:
        return M.ones(2, dtype=M.int32).type(name).dtype
    except Exception as e:
        return "refused"
names = ["torch.FloatTensor", "torch.sparse.FloatTensor", "torch.cuda.FloatTensor", "FloatTensor", "torch.Foo"]
str([tried(n) for n in names] + [tried(M.cuda.FloatTensor), tried(M.LongTensor), tried(M.half)])
""",
    "the indentation of a module's text": """
_addindent = importlib.import_module(M.__name__ + ".nn.modules.module")._addindent
str([_addindent(text, 2) for text in ("a", "a\\nb\\nc", "")])
""",
    "errors of processes": """
spawn = importlib.import_module(M.__name__ + ".multiprocessing.spawn")
raised, ended = spawn.ProcessRaisedException("text", 1, 22), spawn.ProcessExitedException("text", 1, 22, 3, "SIGINT")
str((raised.msg, raised.error_index, raised.error_pid, ended.error_pid, ended.exit_code, ended.signal_name,
     raised.__class__ is M.multiprocessing.ProcessRaisedException, str(raised)))
""",
    "references to storages": """
reductions = importlib.import_module(M.__name__ + ".multiprocessing.reductions")
x = M.ones(3)
a, b, c = (reductions.StorageWeakRef(t.untyped_storage()) for t in (x, x[1:], M.ones(3)))
str((a == b, hash(a) == hash(b), a == c, a.expired(), c.expired(), reductions.reduce_tensor(x)[0].__name__))
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_there(name: str) -> None:
    program = "import importlib\n" + PROGRAMS[name]
    for module in ("utils.checkpoint", "utils.module_tracker", "testing", "multiprocessing"):
        importlib.import_module(f"rushlight.{module}"), importlib.import_module(f"torch.{module}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = (outcome(module, program) for module in (rushlight, torch))
    assert ours == theirs
