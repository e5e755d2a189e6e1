"""Windows whose winners are numbered are visited as they lie: no kernel of them counts its dims, which would have to
stay in their order.
"""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as rl
from rushlight.nn import functional as F

CALLS = {
    "max_pool2d": ((2, 5, 13, 11), (3, 2, 1)),
    "max_pool2d of whole planes": ((2, 40, 6, 5), ((6, 5),)),
    "max_pool1d": ((3, 40, 33), (33,)),
    "max_pool3d": ((2, 3, 7, 6, 9), (2, 2, 1)),
    "adaptive_max_pool1d": ((3, 40, 33), (3,)),
    "adaptive_max_pool2d": ((2, 37, 12, 8), (4,)),
}


@pytest.mark.parametrize("what", CALLS)
def test_kernels_count_no_dims(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    size, args = CALLS[what]
    rl.explain(f"{what.split()[0]}_with_indices", rl.randn(size), *args)
    text = capsys.readouterr().out
    assert "window_max" in text
    for kernel in text.split("kernel kept=")[1:]:
        assert "reduce(" not in kernel or " index() ('r'" not in kernel and kernel.startswith("*")


@pytest.mark.parametrize("what", CALLS)
def test_results_in_every_order_of_memory(what: str) -> None:
    """Ties, NaN and all: values and places, bit for bit."""
    size, args = CALLS[what]
    x = np.random.default_rng(0).integers(-3, 4, size).astype("float32")
    x.flat[::29] = np.nan
    call = getattr(F, what.split()[0])
    expected = [y.numpy() for y in call(rl.tensor(x), *args, return_indices=True)]
    assert np.array_equal(x.reshape(*size[:2], -1)[0, 0].take(expected[1][0, 0]), expected[0][0, 0], equal_nan=True)
    n = len(size)
    for order in ([0, *range(2, n), 1], [*range(1, n), 0], [*range(n)][::-1]):
        back = np.argsort(order).tolist()
        lies = rl.tensor(np.ascontiguousarray(x.transpose(order))).permute(back)
        for y, e in zip(call(lies, *args, return_indices=True), expected, strict=True):
            assert np.array_equal(y.numpy(), e, equal_nan=True)
