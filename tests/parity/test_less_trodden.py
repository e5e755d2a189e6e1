"""What is seldom called does what PyTorch does: each program gives the same, or is refused by the same kind of
error.
"""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

# Each ends with an expression; `M` is the module, `calls` a list that is compared too.
PROGRAMS = {
    "a mask below a dispatch mode": """
from importlib import import_module
Mode = import_module(M.__name__ + ".utils._python_dispatch").TorchDispatchMode
class Seeing(Mode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        calls.append(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))
x = M.arange(6.0).reshape(2, 3)
with Seeing():
    y = x[x > 2]
y.tolist()
""",
    "a mask below a function mode": """
class Seeing(M.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        calls.append(func.__name__)
        return func(*args, **(kwargs or {}))
x = M.arange(6.0)
mask = x > 2
with Seeing():
    y = x[mask]
    x[mask] = 0.0
y.tolist(), x.tolist()
""",
    "a mask of a subclass": """
class Sub(M.Tensor):
    pass
x = M.arange(6.0).as_subclass(Sub)
type(x[x > 2]).__name__, x[x > 2].tolist(), type(M.arange(6.0)[x > 2]).__name__
""",
    "a mask of a wrapper, with a gradient": """
class Wrapper(M.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return M.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, requires_grad=inner.requires_grad)
    def __init__(self, inner):
        self.inner = inner
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        def of(v):
            return v.inner if isinstance(v, cls) else [of(u) for u in v] if isinstance(v, (list, tuple)) else v
        out = func(*of(args), **(kwargs or {}))
        return cls(out) if isinstance(out, M.Tensor) else out
x = Wrapper(M.arange(4.0)).requires_grad_()
y = x[M.tensor([True, False, True, False])]
(y * 2).sum().backward()
tuple(y.shape), y.inner.tolist(), x.grad.inner.tolist()
""",
    "the gradient of a copy on another device": """
x = M.ones(2, 3, requires_grad=True)
y = x.to("meta")
y.requires_grad, type(y.grad_fn).__name__, str(y.device), tuple(y.shape)
""",
    "its backward": """
x = M.ones(2, requires_grad=True)
x.to("meta").sum().backward()
x.grad is None or str(x.grad.device)
""",
    "an error of TorchScript": "issubclass(M.jit.Error, RuntimeError), M.jit.Error.__name__",
    "it raised": """
try:
    raise M.jit.Error("what was wrong")
except M.jit.Error as error:
    result = str(error)
result
""",
    "a divergence of a program's own": """
from importlib import import_module
D = M.distributions
class Own(D.Normal):
    pass
@D.kl.register_kl(Own, Own)
def _own(p, q):
    return M.tensor(7.0)
(D.kl_divergence(Own(0.0, 1.0), Own(0.0, 1.0)).item(), D.kl_divergence(Own(0.0, 1.0), D.Normal(0.0, 1.0)).item(),
 D.kl_divergence(D.Normal(0.0, 1.0), D.Normal(1.0, 1.0)).item())
""",
    "an ambiguous divergence": """
import warnings
D = M.distributions
class A(D.Normal):
    pass
class B(D.Normal):
    pass
@D.kl.register_kl(A, D.Normal)
def _left(p, q):
    return 1
@D.kl.register_kl(D.Normal, B)
def _right(p, q):
    return 2
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    result = D.kl_divergence(A(0.0, 1.0), B(0.0, 1.0))
result, [w.category.__name__ for w in seen]
""",
    "a divergence of no class": "M.distributions.kl.register_kl(3, M.distributions.Normal)",
    "no divergence": "M.distributions.kl_divergence(M.distributions.Normal(0.0, 1.0), M.distributions.Poisson(1.0))",
    **{
        f"segments: {text}": f"M.segment_reduce({text})"
        for text in (
            'M.arange(6.0), "sum", lengths=M.tensor([2, 0, 4])',
            'M.arange(6.0), "mean", lengths=M.tensor([2, 0, 4])',
            'M.arange(6.0), "max", lengths=M.tensor([2, 0, 4]), initial=9',
            'M.arange(6.0), "min", lengths=M.tensor([6])',
            'M.arange(6.0), "prod", lengths=M.tensor([3, 3])',
            'M.arange(6.0), "sum", offsets=M.tensor([0, 2, 6])',
            'M.arange(6.0).reshape(3, 2), "max", lengths=M.tensor([1, 2])',
            'M.arange(6.0).reshape(2, 3), "sum", lengths=M.tensor([[1, 2], [3, 0]]), axis=1',
            'M.arange(6.0), "sum", lengths=M.tensor([2, 3])',
            'M.arange(6.0), "sum", lengths=M.tensor([2, 3]), unsafe=True',
            'M.arange(6.0), "sum", lengths=M.tensor([-1, 7])',
            'M.arange(6.0), "median", lengths=M.tensor([6])',
            'M.arange(6.0), "sum"',
            'M.arange(6), "sum", lengths=M.tensor([6])',
            'M.arange(6.0), "sum", lengths=M.tensor([6.0])',
        )
    },
    **{
        f"the dtype of gradients: {text}": f"""
x = M.ones(2, requires_grad=True)
def run():
    {text}
run()
"""
        for text in (
            "x.grad_dtype = M.float64; (x * 2).sum().backward(); (x * 2).sum().backward(); return x.grad_dtype, x.grad",
            "x.grad_dtype = M.float64; x.register_hook(lambda g: calls.append(str(g.dtype)[-7:])); x.sum().backward()",
            "x.grad_dtype = M.float64; return M.autograd.grad((x * 2).sum(), x)",
            "x.grad_dtype = None; x.grad = M.ones(2).half(); (x * 2).sum().backward(); return x.grad_dtype, x.grad",
            "x.grad = M.ones(2); x.grad_dtype = M.float64",
            "x.grad = M.ones(2); x.grad_dtype = None; return x.grad_dtype",
            "x.grad_dtype = 'float'",
            "x.grad_dtype = M.float64; x.grad = M.ones(2)",
            "return (x * 2).grad_dtype",
            "(x * 2).grad_dtype = M.float64",
            "x.grad_dtype = M.float64; return x.detach().grad_dtype, x.clone().detach().grad_dtype",
        )
    },
    **{
        f"storages: {text}": f"""
import warnings
warnings.simplefilter("ignore")
TS = M.storage.TypedStorage
{text}
"""
        for text in (
            "TS()",
            "TS(3).size()",
            "TS([1, 2])",
            "TS([1, 2], dtype=M.int8), TS((1,), dtype=M.bool)",
            "TS(3, dtype=M.float32, device='meta')",
            "TS(M.ones(2), dtype=M.float32)",
            "TS(M.UntypedStorage(8), dtype=M.float32)",
            "TS(wrap_storage=M.UntypedStorage(8))",
            "TS(wrap_storage=M.UntypedStorage(8), dtype=M.int64).size()",
            "TS(3, wrap_storage=M.UntypedStorage(8), dtype=M.float32)",
            "TS([1], dtype='a')",
            "M.FloatStorage([1, 2]), M.LongStorage(2).size()",
            "M.arange(3, dtype=M.int16).untyped_storage()",
            "M.UntypedStorage(0), M.empty(2, device='meta').untyped_storage()",
        )
    },
    "denormal numbers": """
x = M.tensor([1e-310, 1.0], dtype=M.float64)
had = M.set_flush_denormal(True)
flushed = (x * 1).tolist()
M.set_flush_denormal(False)
had, flushed, (x * 1).tolist()
""",
    "a mode of denormal numbers that is none": "M.set_flush_denormal(1)",
    "results of aten in tuples": """
x = M.arange(4.0)
found = M.ops.aten.topk(x, 2), M.ops.aten.max.dim(x, 0), M.ops.aten.sort(x)
[type(f).__name__ for f in found], type(M.topk(x, 2)).__name__
""",
    "names of results below a dispatch mode": """
from importlib import import_module
Mode = import_module(M.__name__ + ".utils._python_dispatch").TorchDispatchMode
class Seeing(Mode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        calls.append(type(out).__name__)
        return out
x = M.arange(4.0)
with Seeing():
    found = M.topk(x, 2), x.max(0), M.linalg.eigh(M.eye(2)), x.sort()
[type(f).__name__ for f in found]
""",
    "one level of overriding left out": """
O = M.overrides
class Sub(M.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        calls.append(func.__name__)
        return O.redispatch_function(func, types, args, kwargs)
def twice(a):
    if O.has_torch_function((a,)):
        return O.handle_torch_function(twice, (a,), a)
    return a * 2 + 1
y = twice(M.ones(1).as_subclass(Sub))
type(y).__name__, y.tolist()
""",
    "settings of the compiler": """
from importlib import import_module
config = import_module(M.__name__ + "._inductor.config")
with config.patch(max_autotune=True):
    inside = config.max_autotune
inside, config.max_autotune, config.triton.cudagraphs
""",
    "schemes": """
import copy, pickle
s = M.per_tensor_affine
repr(s), isinstance(s, M.qscheme), copy.deepcopy(s) is s, M.per_channel_symmetric == s
""",
    **{
        f"what plain tensors are not: {text}": text
        for text in (
            "M.ones(2).q_scale()",
            "M.q_zero_point(M.ones(2))",
            "M.ones(2).qscheme()",
            "M.ones(2).int_repr()",
            "M.ones(2)._nested_tensor_size()",
            "M.ones(2, dtype=M.int8).dequantize(), M.dequantize(M.ones(2).half())",
            "M.dequantize([M.ones(2)])",
            "M.ones(2, 2).solve(M.ones(2, 2))",
            "M.qscheme()",
        )
    },
    "gradients of segments": """
x = M.arange(1.0, 7.0).requires_grad_()
total = sum((M.segment_reduce(x, how, lengths=M.tensor([2, 1, 3])) * M.tensor([1.0, 2.0, 3.0])).sum()
            for how in ("sum", "mean", "max", "min", "prod"))
total.backward()
x.grad.tolist()
""",
    **{
        f"indices: {text}": text
        for text in (
            "M._convert_indices_from_coo_to_csr(M.tensor([0, 0, 2]), 3)",
            "M._convert_indices_from_coo_to_csr(M.tensor([0, 0, 2]), 3, out_int32=True)",
            "M._convert_indices_from_coo_to_csr(M.tensor([0, 0, 2], dtype=M.int32), 4)",
            "M._convert_indices_from_coo_to_csr(M.tensor([], dtype=M.int64), 2)",
            "M._convert_indices_from_coo_to_csr(M.tensor([[0, 1]]), 2)",
            "M._convert_indices_from_csr_to_coo(M.tensor([0, 2, 2, 3]), M.tensor([0, 1, 2]))",
            "M._convert_indices_from_csr_to_coo(M.tensor([0, 2, 2, 3]), M.tensor([0, 1, 2]), transpose=True)",
            "M._convert_indices_from_csr_to_coo(M.tensor([0, 2, 2, 3]), M.tensor([0, 1, 2]), out_int32=True)",
            "M._convert_indices_from_csr_to_coo(M.tensor([0]), M.tensor([], dtype=M.int64))",
            "M._convert_indices_from_csr_to_coo(M.tensor([[0, 1], [0, 1]]), M.tensor([[0], [1]]))",
        )
    },
}


def outcome(module: Any, program: str) -> Any:
    calls: list[str] = []
    names: dict[str, Any] = {"M": module, "calls": calls}
    lines = program.strip().splitlines()
    at = max(
        i for i, line in enumerate(lines) if line and line[0] not in " )@" and not line.startswith(("class", "def"))
    )
    try:
        exec("\n".join(lines[:at]), names)
        result = eval("\n".join(lines[at:]), names)
    except (RuntimeError, TypeError, ValueError, NotImplementedError, IndexError) as error:
        result = type(error).__name__
    return str((result, calls)).replace("rushlight.", "torch.")


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_there(name: str) -> None:
    importlib.import_module("rushlight.distributions")
    assert outcome(rushlight, PROGRAMS[name]) == outcome(torch, PROGRAMS[name])


def test_all_threads_keep_denormal_numbers_again() -> None:
    """In PyTorch the workers go on as they were told first."""
    x = rushlight.full((300000,), 1e-310, dtype=rushlight.float64)
    for flushed in (False, True, False):
        assert rushlight.set_flush_denormal(flushed)
        try:
            assert (x * 1).count_nonzero().item() == (0 if flushed else 300000)
        finally:
            rushlight.set_flush_denormal(False)
