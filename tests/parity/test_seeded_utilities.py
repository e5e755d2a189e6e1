"""Utilities of nn that draw random numbers, or iterate: from a seed they give PyTorch's values, and leave its
generator's state.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")


def orthogonal(kind: str | None, size: tuple[int, int]) -> Callable[[Any], Any]:
    def program(lib: Any) -> Any:
        layer = lib.nn.utils.parametrizations.orthogonal(lib.nn.Linear(*size), orthogonal_map=kind)
        optimizer = lib.optim.SGD(layer.parameters(), 0.1)
        for _ in range(3):
            optimizer.zero_grad()
            (layer(lib.ones(2, size[0])) * lib.arange(1.0, size[1] + 1)).sum().backward()
            optimizer.step()
        return layer.weight

    return program


def spectral(old: bool, steps: int) -> Callable[[Any], Any]:
    def program(lib: Any) -> Any:
        made = lib.nn.utils.spectral_norm if old else lib.nn.utils.parametrizations.spectral_norm
        layer = made(lib.nn.Conv2d(2, 3, 2), n_power_iterations=steps)
        x = lib.ones(1, 2, 3, 3)
        return [layer(x), layer(x), layer.eval()(x)]

    return program


def pruned(how: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    def program(lib: Any) -> Any:
        layer = lib.nn.Conv2d(3, 4, 3)
        how(importlib.import_module(lib.__name__ + ".nn.utils.prune"), layer)
        return layer.weight

    return program


def checked(lib: Any) -> Any:
    """gradcheck and gradgradcheck draw what PyTorch's do."""
    x, y = lib.ones(4, dtype=lib.float64, requires_grad=True), lib.ones(4, dtype=lib.float64, requires_grad=True)
    assert lib.autograd.gradcheck(lib.sin, x) and lib.autograd.gradcheck(lib.sin, x, fast_mode=True)
    assert lib.autograd.gradgradcheck(lambda a, b: (a * b, a.sum()), (x, y))
    return lib.rand(3)


def drawn(lib: Any) -> Any:
    """Tensors for tests, of all kinds of dtypes."""
    make = importlib.import_module(lib.__name__ + ".testing").make_tensor
    dtypes = (lib.float32, lib.float64, lib.complex64, lib.int64, lib.uint8, lib.bool, lib.bfloat16)
    return [
        make(size, dtype=d, device="cpu", noncontiguous=apart).to(lib.complex128)
        for d in dtypes
        for size in ((2, 3), ())
        for apart in (False, True)
    ]


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    **{
        f"orthogonal {kind} {size}": orthogonal(kind, size)
        for kind in (None, "householder", "cayley", "matrix_exp")
        for size in ((3, 3), (5, 3), (3, 5))
    },
    **{
        f"spectral_norm {'old' if old else 'new'} {steps}": spectral(old, steps)
        for old in (True, False)
        for steps in (1, 3)
    },
    "gradcheck": checked,
    "make_tensor": drawn,
    "random_unstructured": pruned(lambda prune, m: prune.random_unstructured(m, "weight", 0.3)),
    "random_structured": pruned(lambda prune, m: prune.random_structured(m, "weight", 2, dim=0)),
    "twice": pruned(lambda prune, m: prune.random_unstructured(prune.l1_unstructured(m, "weight", 20), "weight", 0.5)),
    "ln_structured": pruned(lambda prune, m: prune.ln_structured(m, "weight", 1, n=2, dim=1)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_utility(name: str) -> None:
    found = []
    for lib in (rushlight, torch):
        lib.manual_seed(3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = PROGRAMS[name](lib)
        found.append(
            ([v.detach().numpy() for v in (values if isinstance(values, list) else [values])], lib.rand(2).tolist())
        )
    (ours, left), (theirs, theirs_left) = found
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(torch.tensor(a), torch.tensor(b), rtol=2e-4, atol=2e-5)
    assert left == theirs_left
