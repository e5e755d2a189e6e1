"""Public classes have the public attributes and `__constants__` of PyTorch's, which programs derive from, call and
override.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import pytest

torch = pytest.importorskip("torch")

MODULES = [
    "nn",
    "nn.utils.rnn",
    "optim",
    "optim.lr_scheduler",
    "optim.swa_utils",
    "utils.data",
    "distributions",
    "autograd.function",
    "autograd.graph",
    "nn.utils.prune",
    "nn.parameter",
    "amp",
]
# Devices that are not there, TorchScript's inner names, and what is deprecated.
LACKING = {
    "T_destination",
    "ipu",
    "mtia",
    "xpu",
    "OptimizerPreHook",
    "OptimizerPostHook",
    "recursive_undo",
    "cummulative_sizes",
    "check_worker_number_rationality",
    "multiprocessing_context",
    "backward_extended",
    "forward_extended",
    "gather",
    "scatter",
    "replicate",
    "parallel_apply",
}


def classes() -> list[tuple[str, str]]:
    found = []
    for where in MODULES:
        module = importlib.import_module(f"torch.{where}")
        found += [
            (where, name)
            for name, value in vars(module).items()
            if isinstance(value, type)
            and not name.startswith("_")
            and (value.__module__ or "").startswith("torch.")
            and not issubclass(value, torch.Tensor)
            and name != "BackwardCFunction"
        ]  # the class of a context, here a name to ask isinstance for
    return found


@pytest.mark.parametrize(("where", "name"), classes(), ids=lambda value: value)
def test_class(where: str, name: str) -> None:
    ours: Any = getattr(importlib.import_module(f"rushlight.{where}"), name, None)
    reference = getattr(importlib.import_module(f"torch.{where}"), name)
    if ours is None or not inspect.isclass(ours):
        pytest.skip("a name that rushlight lacks: tests/namespaces has the list")
    lost = [a for a in dir(reference) if not a.startswith("_") and not hasattr(ours, a) and a not in LACKING]
    assert lost == []
    assert getattr(ours, "__constants__", None) == getattr(reference, "__constants__", None)


def test_exceptions_have_names_that_pytorch_knows() -> None:
    """What a program prints of an exception is its class's name: none of ours is one of its own where PyTorch raises
    another.
    """
    import rushlight
    from rushlight.operators.table.arrays import ValuesDiffer

    assert rushlight.linalg.LinAlgError.__name__ == torch.linalg.LinAlgError.__name__
    assert ValuesDiffer.__name__ == "RuntimeError"
