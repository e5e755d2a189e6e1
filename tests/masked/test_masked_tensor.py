"""MaskedTensor: what operators do with data and mask."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight import masked
from rushlight.masked import MaskedTensor, as_masked_tensor, is_masked_tensor, masked_tensor

MASK = np.array([[True, False, True], [False, False, False]])


def made(requires_grad: bool = False) -> MaskedTensor:
    return masked_tensor(
        rushlight.arange(6.0, dtype=rushlight.float64).reshape(2, 3), rushlight.tensor(MASK), requires_grad
    )


def counts(x: Any, values: Any, mask: Any) -> None:
    """x has these values where the mask, which is its own, is True."""
    assert is_masked_tensor(x)
    np.testing.assert_array_equal(x.get_mask().numpy(), mask)
    np.testing.assert_allclose(x.get_data().detach().numpy()[np.asarray(mask)], np.asarray(values)[np.asarray(mask)])
    assert tuple(x.shape) == np.shape(mask)


X = np.arange(6.0).reshape(2, 3)
LINES = MASK.any(1)


@pytest.mark.parametrize(
    ("call", "values", "mask"),
    [
        (lambda m: m + 1, X + 1, MASK),
        (lambda m: 2 / (m + 1), 2 / (X + 1), MASK),
        (lambda m: m * m, X * X, MASK),
        (lambda m: rushlight.exp(m), np.exp(X), MASK),
        (lambda m: m > 1, X > 1, MASK),
        (lambda m: m + rushlight.ones(3), X + 1, MASK),
        (lambda m: m.clamp(0, 1), X.clip(0, 1), MASK),
        (lambda m: m.add_(3), X + 3, MASK),
        (lambda m: m.sum(1), X[:, [0, 2]].sum(1), LINES),
        (lambda m: m.mean(1, keepdim=True), [[1.0], [0]], LINES[:, None]),
        (lambda m: m.prod(), 0.0, True),
        (lambda m: m.amax(0), [0, 0, 2.0], [True, False, True]),
        (lambda m: m.max(), 2.0, True),
        (lambda m: m.argmax(1), [2, 0], LINES),
        (lambda m: m.std(), np.sqrt(2), True),
        (lambda m: m.norm(), 2.0, True),
        (lambda m: m.all(), False, True),
        (lambda m: m.any(1), [True, False], LINES),
        (lambda m: m.logsumexp(1), [np.log(1 + np.exp(2)), 0], LINES),
        (lambda m: m.cumsum(1), np.array([[0, 0, 2.0], [0, 0, 0]]), MASK),
        (lambda m: m.softmax(1), np.array([[1, 0, np.exp(2)], [0, 0, 0]]) / (1 + np.exp(2)), MASK),
        (lambda m: m.median(1).double(), [0, 0], LINES),
        (lambda m: m.t(), X.T, MASK.T),
        (lambda m: m.reshape(3, 2), X.reshape(3, 2), MASK.reshape(3, 2)),
        (lambda m: m[:, 1:], X[:, 1:], MASK[:, 1:]),
        (lambda m: m[0, 2], 2.0, True),
        (lambda m: rushlight.cat([m, m]), np.concatenate([X, X]), np.concatenate([MASK, MASK])),
        (
            lambda m: rushlight.stack([m, rushlight.ones(2, 3, dtype=rushlight.float64)]),
            np.stack([X, np.ones((2, 3))]),
            np.stack([MASK, ~MASK | True]),
        ),
        (lambda m: m.chunk(3, 1)[2], X[:, 2:], MASK[:, 2:]),
        (lambda m: m.expand(2, 2, 3), np.broadcast_to(X, (2, 2, 3)), np.broadcast_to(MASK, (2, 2, 3))),
        (lambda m: m.to(rushlight.int64), X, MASK),
        (lambda m: m.float(), X, MASK),
        (lambda m: rushlight.ones_like(m), np.ones((2, 3)), MASK),
        (lambda m: rushlight.where(rushlight.tensor(MASK), m, 1.0), np.where(MASK, X, 1), np.ones((2, 3), bool)),
    ],
    ids=lambda value: "",
)
def test_operators(call: Any, values: Any, mask: Any) -> None:
    counts(call(made()), values, mask)


def test_metadata_and_values() -> None:
    m = made()
    assert m.shape == (2, 3) and m.dtype is rushlight.float64 and m.ndim == 2 and len(m) == 2
    np.testing.assert_array_equal(m.to_tensor(-1).numpy(), np.where(MASK, X, -1))
    assert m[0, 2].item() == 2.0
    with pytest.raises(ValueError, match="masked out"):
        m[1, 0].item()
    assert (
        repr(m) == "MaskedTensor(\n  [\n    [  0.0000,       --,   2.0000],\n    [      --,       --,       --]\n  ]\n)"
    )
    assert repr(m.sum()) == "MaskedTensor(  2.0000, True)"


def test_functions_of_the_namespace_take_its_mask() -> None:
    m = made()
    np.testing.assert_array_equal(masked.sum(m, 1).numpy(), [2, 0])
    np.testing.assert_array_equal(masked.amin(m, 0).numpy(), [0, np.inf, 2])
    with pytest.raises(ValueError, match="has its own"):
        masked.sum(m, 1, mask=rushlight.tensor(MASK))


def test_gradients() -> None:
    m = made(requires_grad=True)
    (m.exp() * 2).sum().backward()
    counts(m.grad, 2 * np.exp(X), MASK)
    assert m.is_leaf and m.requires_grad
    a = rushlight.tensor(X, requires_grad=True)
    out = as_masked_tensor(a, rushlight.tensor(MASK)) ** 2
    assert not out.is_leaf and out.grad_fn is not None
    out.backward(as_masked_tensor(rushlight.ones(2, 3, dtype=rushlight.float64), rushlight.tensor(MASK)))
    np.testing.assert_allclose(a.grad.numpy(), np.where(MASK, 2 * X, 0))


def test_copies() -> None:
    m = made(requires_grad=True)
    for again in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        counts(again, X, MASK)
        assert again.requires_grad and again.get_data() is not m.get_data()


def test_errors() -> None:
    m, x = made(), rushlight.tensor(X)
    with pytest.raises(TypeError, match=r"add_\(\): a plain tensor has no mask"):
        x.add_(m)
    with pytest.raises(ValueError, match=r"add\(\): the masks of all operands must be the same"):
        m + masked_tensor(x, rushlight.tensor(~MASK))
    with pytest.raises(TypeError, match=r"matmul\(\): no implementation found for MaskedTensor"):
        rushlight.matmul(m, m.t())
    with pytest.raises(TypeError, match=r"MaskedTensor\(\): 'mask' must be of dtype torch.bool; found torch.float64"):
        masked_tensor(x, x)
    with pytest.raises(ValueError, match=r"'mask' must be of the shape \(2, 3\) of 'data'; found \(3, 2\)"):
        masked_tensor(x, rushlight.tensor(MASK.T.copy()))
    with pytest.raises(ValueError, match=r"'mask' must be of the shape \(2, 3\) of 'data'; found \(3,\)"):
        masked_tensor(x, rushlight.tensor(MASK[0]))
    with pytest.raises(TypeError, match="'data' must be a Tensor without a mask; found list"):
        masked_tensor([1.0], rushlight.tensor([True]))
    with pytest.raises(TypeError, match="'mask' must be a Tensor without a mask; found MaskedTensor"):
        masked_tensor(x, m)
    with pytest.raises(TypeError, match="only the extreme of all elements"):
        m.max(1)
    with pytest.raises(TypeError, match="out= is not supported"):
        rushlight.exp(m, out=rushlight.empty(2, 3))
    with pytest.raises(
        RuntimeError, match=r"tolist\(\): the tensor must have a value in every place; found a MaskedTensor"
    ):
        m.tolist()
