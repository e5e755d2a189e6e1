# ruff: noqa
"""What function modes see of attributes, and what graph nodes and hooks answer: a line a fact, by PyTorch and by
rushlight.
"""

import threading

import torch
from torch.overrides import TorchFunctionMode, resolve_name


def say(label, f):
    try:
        found = f()
    except Exception as e:
        found = f"raises {type(e).__name__}"
    print(f"{label}: {found}")


class Log(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", str(func))
        owner = getattr(func, "__self__", None)
        self.seen.append(
            f"{getattr(owner, '__name__', '')}.{name}" if name in ("__get__", "__set__", "__delete__") else name
        )
        return func(*args, **(kwargs or {}))


def logged(f):
    x = torch.ones(2, 2, requires_grad=True)
    log = Log()
    with log:
        f(x)
    return log.seen


ATTRIBUTES = """grad shape T mT H mH real data dtype device layout requires_grad is_leaf grad_fn ndim names itemsize
nbytes is_cuda is_cpu is_meta is_sparse is_quantized _base _version
    output_nr retains_grad volatile name _grad imag is_nested is_mkldnn is_xpu is_mps is_vulkan is_maia is_mtia is_ipu
    is_xla grad_dtype""".split()
for a in ATTRIBUTES:
    say(f"get {a}", lambda: logged(lambda x: getattr(x, a)))
METHODS = """dim size stride numel nelement element_size is_floating_point is_complex is_contiguous storage_offset
data_ptr get_device is_signed is_shared ndimension tolist item backward
    detach requires_grad_ retain_grad register_hook cpu clone type numpy untyped_storage storage is_inference __len__
    __repr__ __format__ __iter__ __bool__ __float__ __int__ __index__ __contains__
    __hash__ __reversed__ __dir__ __array__ __deepcopy__ __setstate__ has_names is_pinned _is_view element_size
    is_same_size is_set_to is_conj is_neg dense_dim sparse_dim
    share_memory_ refine_names align_to unflatten new_tensor norm split unique stft lu __torch_dispatch__ dim_order
    type_as expand_as view_as""".split()
CALLS = {
    "size": lambda x: x.size(0),
    "item": lambda x: x.detach()[0, 0].item(),
    "tolist": lambda x: x.tolist(),
    "backward": lambda x: x.sum().backward(),
    "register_hook": lambda x: x.register_hook(print),
    "type": lambda x: x.type(torch.float64),
    "numpy": lambda x: x.detach().numpy(),
    "__len__": len,
    "__repr__": repr,
    "__format__": lambda x: f"{x}",
    "__iter__": list,
    "__bool__": lambda x: bool(x[0, 0]),
    "__float__": lambda x: float(x[0, 0]),
    "__int__": lambda x: int(x[0, 0]),
    "__index__": lambda x: [1, 2][torch.zeros((), dtype=torch.int64)],
    "__contains__": lambda x: 1.0 in x,
    "__hash__": hash,
    "__reversed__": reversed,
    "__dir__": dir,
    "__deepcopy__": lambda x: __import__("copy").deepcopy(x),
    "__setstate__": lambda x: None,
    "is_same_size": lambda x: x.is_same_size(x),
    "is_set_to": lambda x: x.is_set_to(x),
    "split": lambda x: x.split(1),
    "new_tensor": lambda x: x.new_tensor([1]),
    "type_as": lambda x: x.type_as(x),
    "expand_as": lambda x: x.expand_as(x),
    "view_as": lambda x: x.view_as(x),
    "stft": lambda x: None,
    "lu": lambda x: None,
    "align_to": lambda x: None,
    "refine_names": lambda x: None,
    "unflatten": lambda x: x.unflatten(0, (1, 2)),
    "__torch_dispatch__": lambda x: None,
    "__array__": lambda x: x.detach().__array__(),
}
for m in METHODS:
    say(f"call {m}", lambda: logged(CALLS.get(m, lambda x: getattr(x, m)())))
SETS = {
    "grad": lambda x: setattr(x, "grad", torch.ones(2, 2)),
    "data": lambda x: setattr(x, "data", torch.ones(2, 2)),
    "requires_grad": lambda x: setattr(x, "requires_grad", False),
    "own": lambda x: setattr(x, "own", 3),
    "del grad": lambda x: delattr(x, "grad"),
    "item": lambda x: x.detach().__setitem__(0, 1.0),
    "iadd": lambda x: x.detach().__iadd__(1),
}
for a, f in SETS.items():
    say(f"set {a}", lambda: logged(f))
say("equal get", lambda: torch.Tensor.grad.__get__ == torch.Tensor.grad.__get__)


def handed():
    class One(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            if func is torch.Tensor.shape.__get__ or func == torch.Tensor.shape.__get__:
                return "mine"
            return func(*args, **(kwargs or {}))

    with One():
        return torch.ones(2).shape, torch.ones(2).ndim


say("handed", handed)


def threads():
    found = []
    with Log() as log:
        other = threading.Thread(target=lambda: found.append(torch.ones(2).add(1).tolist()))
        other.start()
        other.join()
        n = len(log.seen)
    return n, found


say("another thread", threads)


def own_thread():
    seen = []

    def run():
        with Log() as log:
            torch.ones(2).add(1)
            seen.extend(log.seen)

    ts = [threading.Thread(target=run) for _ in range(3)]
    [t.start() for t in ts]
    [t.join() for t in ts]
    return seen


say("modes of threads", own_thread)

# ---- hooks on several gradients
from torch.autograd.graph import register_multi_grad_hook


def multi(mode, run):
    a, b, c = (torch.full((1,), float(i), requires_grad=True) for i in (1, 2, 3))
    y = a * b + b * c + (a * c).exp()
    seen = []
    h = register_multi_grad_hook(
        (a, b, c),
        lambda g: seen.append(
            [None if x is None else round(x.sum().item(), 3) for x in g]
            if isinstance(g, (list, tuple))
            else round(g.sum().item(), 3)
        ),
        mode=mode,
    )
    run(y, a, b, c)
    h.remove()
    return seen


RUNS = {
    "all": lambda y, a, b, c: y.backward(),
    "inputs a": lambda y, a, b, c: y.backward(inputs=[a]),
    "inputs a c": lambda y, a, b, c: y.backward(inputs=[a, c]),
    "grad a": lambda y, a, b, c: torch.autograd.grad(y, a),
    "grad b c": lambda y, a, b, c: torch.autograd.grad(y, (b, c)),
    "twice": lambda y, a, b, c: (y.backward(inputs=[a], retain_graph=True), y.backward(inputs=[b, c])),
    "grad twice": lambda y, a, b, c: (
        torch.autograd.grad(y, (a, b), retain_graph=True),
        torch.autograd.grad(y, (a, b, c)),
    ),
    "part": lambda y, a, b, c: (a * b).backward(),
    "other": lambda y, a, b, c: (a * 2).backward(),
}
for mode in ("all", "any"):
    for name, run in RUNS.items():
        say(f"multi {mode} {name}", lambda: multi(mode, run))


def inner():
    x = torch.ones(2, requires_grad=True)
    m = x * 2
    n = x * 3
    seen = []
    register_multi_grad_hook((m, n), lambda g: seen.append([None if v is None else v.tolist() for v in g]))
    torch.autograd.grad((m * n).sum(), m, retain_graph=True)
    (m * 5).sum().backward(retain_graph=True)
    torch.autograd.grad((m * n).sum(), x)
    return seen


say("multi of results", inner)

# ---- nodes
x = torch.ones(2, 3, requires_grad=True)


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.more = 3
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


node = Twice.apply(x).grad_fn
from torch.autograd.function import BackwardCFunction, FunctionCtx

say(
    "ctx",
    lambda: (
        isinstance(node, FunctionCtx),
        isinstance(node, BackwardCFunction),
        isinstance((x * 2).grad_fn, FunctionCtx),
        node.more,
        len(node.saved_tensors),
        type(node).__name__,
        node.name(),
    ),
)
say(
    "Node",
    lambda: (
        isinstance(node, torch.autograd.graph.Node),
        isinstance((x * 2).grad_fn, torch.autograd.graph.Node),
        issubclass(type(x.sum().grad_fn), torch.autograd.graph.Node),
    ),
)


def metadata(n):
    return [
        (tuple(m.shape), str(m.dtype), str(m.device), m.is_nested_tensor, m.is_cpp_nested_tensor)
        for m in n._input_metadata
    ]


MAKES = {
    "mul": lambda: x * 2,
    "sum": lambda: x.sum(),
    "max": lambda: x.max(0).values,
    "unbind": lambda: x.unbind()[0],
    "split": lambda: x.split(1)[1],
    "view": lambda: x.view(3, 2),
    "index": lambda: x[0],
    "slice": lambda: x[:, 1:],
    "t": lambda: x.t(),
    "permute": lambda: x.permute(1, 0),
    "expand": lambda: x[:1].expand(4, 3),
    "squeeze": lambda: x[:1].squeeze(0),
    "unsqueeze": lambda: x.unsqueeze(1),
    "as_strided": lambda: x.as_strided((2, 2), (1, 1)),
    "diagonal": lambda: x.diagonal(),
    "select": lambda: x.select(1, 2),
    "narrow": lambda: x.narrow(1, 1, 2),
    "chunk": lambda: x.chunk(2, 1)[0],
    "split sizes": lambda: x.split([1, 2], 1)[1],
    "custom": lambda: Twice.apply(x),
    "cat": lambda: torch.cat([x, x]),
    "stack": lambda: torch.stack([x, x]),
    "matmul": lambda: x @ x.t(),
    "linear": lambda: torch.nn.functional.linear(x, torch.ones(4, 3)),
    "softmax": lambda: x.softmax(0),
    "pow": lambda: x**2,
    "unfold": lambda: x.unfold(1, 2, 1),
    "movedim": lambda: x.movedim(0, 1),
    "swapaxes": lambda: x.swapaxes(0, 1),
    "reshape": lambda: x.reshape(6),
    "flatten": lambda: x.flatten(),
    "real": lambda: torch.view_as_real(torch.view_as_complex(x[:, :2])),
    "flip": lambda: x.flip(0),
    "to": lambda: x.to(torch.float64),
    "clone": lambda: x.clone(),
    "getitem mask": lambda: x[x > 0],
    "getitem list": lambda: x[[0, 1]],
    "where": lambda: torch.where(x > 0, x, 0),
    "mean": lambda: x.mean(1),
    "var": lambda: x.var(),
    "norm": lambda: x.norm(),
    "dropout": lambda: torch.nn.functional.dropout(x, 0.5),
    "exp": lambda: x.exp(),
    "relu": lambda: x.relu(),
    "repeat": lambda: x.repeat(2, 1),
    "gather": lambda: x.gather(0, torch.zeros(1, 3, dtype=torch.int64)),
    "topk": lambda: x.topk(2).values,
    "sort": lambda: x.sort().values,
    "cumsum": lambda: x.cumsum(0),
    "add_": lambda: x.clone().add_(1),
    "unsafe": lambda: x.view_as(torch.ones(3, 2)),
    "detach": lambda: x.detach().requires_grad_() * 1,
    "leaf": lambda: x.view_as(x),
    "tensor_split": lambda: x.tensor_split(2)[0],
    "mT": lambda: x.mT,
    "H": lambda: x.H,
}


def attributes(n):
    found = {}
    for k in sorted(a for a in dir(n) if a.startswith("_saved") and "raw" not in a):
        try:
            v = getattr(n, k)
        except RuntimeError:
            v = "freed"
        found[k] = (
            list(v.shape)
            if isinstance(v, torch.Tensor)
            else [list(t.shape) if isinstance(t, torch.Tensor) else t for t in v]
            if isinstance(v, (tuple, list))
            else v
        )
    return found


for name, make in MAKES.items():
    say(f"node {name}", lambda: (make().grad_fn.name(), type(make().grad_fn).__name__))
    say(f"input of {name}", lambda: metadata(make().grad_fn))
    if name in ("unbind", "split", "chunk", "split sizes", "as_strided", "select", "diagonal", "squeeze", "unfold"):
        say(f"saved by {name}", lambda: attributes(make().grad_fn))
say(
    "accumulate",
    lambda: (
        x.view_as(x).grad_fn.next_functions[0][0].variable is x,
        metadata(x.view_as(x).grad_fn.next_functions[0][0]),
    ),
)
say("raw", lambda: type((x * x).grad_fn._raw_saved_self).__name__)
say("sequence", lambda: isinstance((x * 2).grad_fn._sequence_nr(), int))
say("metadata", lambda: (x * 2).grad_fn.metadata)
