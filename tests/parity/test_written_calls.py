"""`__torch_function__` is handed a call as it was written, or whole where PyTorch's function is a Python function: fx
graphs and their code show it.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")


class Duck:
    """Answers with the arguments that it is handed."""

    def __repr__(self) -> str:
        return "D"

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func.__name__, args, sorted((k, v) for k, v in (kwargs or {}).items() if (k, v) != ("out", None))


D = Duck()
SPACES = {
    "nn.functional": lambda lib: lib.nn.functional,
    "torch": lambda lib: lib,
    "linalg": lambda lib: lib.linalg,
    "fft": lambda lib: lib.fft,
    "special": lambda lib: lib.special,
}
# In-place names, which are other functions here; one object under two names; an operator beneath, or a parameter more.
LEFT_OUT = {
    "nn.functional.multi_head_attention_forward",
    "nn.functional.gumbel_softmax",
    "nn.functional.celu_",
    "nn.functional.elu_",
    "nn.functional.rrelu_",
    "nn.functional.hardtanh_",
    "nn.functional.leaky_relu_",
    "nn.functional.threshold_",
    "nn.functional.threshold",
    "nn.functional.logsigmoid",
    "nn.functional.softshrink",
    "nn.functional.l1_loss",
    "torch.dsmm",
    "torch.spmm",
    "torch.rms_norm",
    "torch.lu",
}


def functions() -> list[str]:
    found = []
    for space, of in SPACES.items():
        for name in dir(of(torch)):
            f = getattr(of(rushlight), name, None)
            if (
                name.startswith("_")
                or not callable(f)
                or isinstance(f, type)
                or f"{space}.{name}" in LEFT_OUT
                or not callable(getattr(of(torch), name))
            ):
                continue
            try:
                parameters = inspect.signature(f).parameters
            except (TypeError, ValueError):
                continue
            if parameters and next(iter(parameters)) in ("input", "self", "A", "tensor", "x"):
                found.append(f"{space}.{name}")
    return found


def answer(call: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(call())
        except Exception as error:
            return type(error)


@pytest.mark.parametrize("name", functions())
def test_arguments_are_handed_on_as_in_pytorch(name: str) -> None:
    space, _, short = name.rpartition(".")
    ours, theirs = (getattr(SPACES[space](lib), short) for lib in (rushlight, torch))
    parameters = [
        p for p in inspect.signature(ours).parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    needed = [p for p in parameters if p.default is p.empty]
    optional = [
        p
        for p in parameters
        if p.default is not p.empty and p.name not in ("out", "dtype", "device", "layout", "generator")
    ]
    spellings = [((D,) * len(needed), {})] if needed else []
    spellings += [((D,) * max(1, len(needed)), {p.name: p.default}) for p in optional]
    spellings += [((D,), {p.name: D for p in needed[1:]})]
    for args, kwargs in spellings:
        a, b = (
            answer(lambda args=args, kwargs=kwargs: ours(*args, **kwargs)),
            answer(lambda args=args, kwargs=kwargs: theirs(*args, **kwargs)),
        )
        if isinstance(a, str) and isinstance(b, str):
            assert a == b, (args, kwargs)


def test_graphs_of_fx_show_calls_as_pytorchs_do() -> None:
    """Of Python functions with all their arguments, of compiled ones as they were written; the text is that of the code
    that a graph prints.
    """

    def code(lib: Any) -> str:
        F = lib.nn.functional
        elementwise = lib.fx.symbolic_trace(
            lambda x: (
                F.relu(x)
                + F.dropout(x, p=0.1)
                + F.softmax(x, 1)
                + F.leaky_relu(x, 0.2)
                + F.gelu(x)
                + F.silu(x, inplace=True)
            )
        )
        others = lib.fx.symbolic_trace(
            lambda x: (
                F.max_pool2d(x, 2),
                F.avg_pool2d(x, kernel_size=2),
                F.interpolate(x, scale_factor=2),
                F.layer_norm(x, (2,)),
                F.batch_norm(x, None, None, training=True),
                lib.cat([x, F.linear(x, x, bias=None)], dim=1).sum(dim=1, keepdim=True),
                F.conv2d(x, x, padding=1),
                F.cross_entropy(x, x),
            )
        )
        text: str = elementwise.code + others.code
        # Compiled functions name a compiled module there, the public one here.
        return (
            text.replace("rushlight.", "torch.")
            .replace("torch._C._nn.", "torch.nn.functional.")
            .replace("torch.conv2d", "torch.nn.functional.conv2d")
        )

    assert code(rushlight) == code(torch)
