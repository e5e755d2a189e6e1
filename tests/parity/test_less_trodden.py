"""What is seldom called does what PyTorch does: each program gives the same, or is refused by the same kind of error."""

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
