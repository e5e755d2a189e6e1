"""Names that PyTorch keeps for old programs."""

from __future__ import annotations

import pytest

import rushlight


@pytest.mark.usefixtures("every_warning")
def test_set_default_tensor_type() -> None:
    with pytest.warns(UserWarning, match="set_default_dtype"):
        rushlight.set_default_tensor_type("torch.DoubleTensor")
    try:
        assert rushlight.ones(1).dtype is rushlight.float64
        for wrong in ("torch.LongTensor", "torch.cuda.FloatTensor", rushlight.float32, None):
            with pytest.warns(UserWarning), pytest.raises(TypeError, match="set_default_tensor_type"):
                rushlight.set_default_tensor_type(wrong)
        assert rushlight.ones(1).dtype is rushlight.float64
    finally:
        with pytest.warns(UserWarning):
            rushlight.set_default_tensor_type(rushlight.FloatTensor)
    assert rushlight.ones(1).dtype is rushlight.float32


def test_assert_allclose() -> None:
    with pytest.warns(FutureWarning, match="assert_close"):
        rushlight.testing.assert_allclose(rushlight.tensor([1.0, float("nan")]), [1, float("nan")])
    with pytest.warns(FutureWarning), pytest.raises(AssertionError, match="Greatest absolute difference"):
        rushlight.testing.assert_allclose(rushlight.ones(2), rushlight.tensor([1.0, 1.1]))


def test_options_of_linear_cross_entropy() -> None:
    options = rushlight.nn.LinearCrossEntropyOptions
    assert options() == options(chunking_method="auto") and hash(options()) == hash(options())
    x, w, t = rushlight.randn(4, 3), rushlight.randn(5, 3), rushlight.tensor([0, 4, 2, 1])
    one = rushlight.nn.functional.linear_cross_entropy(x, w, t)
    pieces = rushlight.nn.functional.linear_cross_entropy(x, w, t, options=options(batch_chunk_size=2))
    assert one.item() == pieces.item()
    for wrong in (
        {"batch_chunk_size": 0},
        {"batch_chunk_size": "two"},
        {"chunking_method": "aspect_ratio:0"},
        {"chunking_method": "never"},
        {"acc_policy": "exact"},
        {"acc_dtype": rushlight.int64},
    ):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            options(**wrong)  # type: ignore[arg-type]


def test_checks() -> None:
    rushlight._assert(True, "never")
    rushlight._assert(rushlight.tensor(1), "never")
    with pytest.raises(AssertionError, match="said so"):
        rushlight._assert(rushlight.tensor(False), "said so")
    for name, error in (
        ("_check", RuntimeError),
        ("_check_index", IndexError),
        ("_check_value", ValueError),
        ("_check_type", TypeError),
        ("_check_not_implemented", NotImplementedError),
    ):
        check = getattr(rushlight, name)
        check(True, lambda: 1 / 0)
        with pytest.raises(error, match="'cond' must be True; found False"):
            check(False)
        with pytest.raises(error, match="3 apples"):
            check(False, lambda: "3 apples")
        with pytest.raises(TypeError, match=f"{name}.*must be a bool"):
            check(1)
        with pytest.raises(TypeError, match="'message' must be a function"):
            check(True, "text")
    with pytest.raises(KeyError, match="gone"):
        rushlight._check_with(KeyError, False, lambda: "gone")
    rushlight._check_is_size(3, max=3)
    with pytest.raises(RuntimeError, match="too many"):
        rushlight._check_is_size(4, lambda: "too many", max=3)
    rushlight._check_tensor_all(rushlight.tensor([True]))
    with pytest.raises(RuntimeError, match="some are not"):
        rushlight._check_tensor_all(rushlight.tensor([True, False]), lambda: "some are not")


def test_kinds_of_devices() -> None:
    x = rushlight.ones(1, requires_grad=True)
    assert not (x.is_mps or x.is_xpu)
    x.sum().backward()
    assert x._grad is x.grad
