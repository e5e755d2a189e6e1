"""What programs of other people met: a case for each kind of call that they make and our own tests did not."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any

import pytest

import rushlight as rl
from rushlight.nn import functional as F

M, V, W = rl.full((2, 2), 2.0), rl.tensor([1.0, 2.0]), rl.tensor([3.0, 4.0])
OTHERS: dict[str, tuple[Any, ...]] = {
    "addmm": (M, M),
    "addmv": (M, V),
    "addr": (V, W),
    "addbmm": (M[None], M[None]),
    "baddbmm": (M[None], M[None]),
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.filterwarnings("ignore:.*deprecated")
def test_former_orders_of_products(name: str) -> None:
    x, others = (V if name == "addmv" else M), OTHERS[name]
    f = getattr(rl, name)
    both, one = f(x, *others, beta=2, alpha=3), f(x, *others, beta=2)
    assert f(2, x, 3, *others).equal(both) and f(2, x, *others).equal(one)
    assert getattr(x, name)(2, 3, *others).equal(both) and getattr(x, name)(2, *others).equal(one)
    if name != "baddbmm":
        assert getattr(x.clone(), name + "_")(2, 3, *others).equal(both)


@pytest.mark.usefixtures("every_warning")
@pytest.mark.parametrize(
    "name, keyword", [("add", "alpha"), ("sub", "alpha"), ("addcmul", "value"), ("addcdiv", "value")]
)
def test_former_orders_of_sums(name: str, keyword: str) -> None:
    others = (W,) if keyword == "alpha" else (W, V)
    wanted = getattr(rl, name)(V, *others, **{keyword: 0.5})
    for call in (getattr(rl, name), getattr(rl.Tensor, name), getattr(rl.Tensor, name + "_")):
        with pytest.warns(UserWarning, match=f"{name}_?.*deprecated"):
            assert call(V.clone(), 0.5, *others).equal(wanted)
    with pytest.raises(TypeError, match="positional arguments"):
        getattr(rl, name)(V, 0.5, "x", *others)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(rl, name)(V, *others, **{keyword: 2})


@pytest.mark.filterwarnings("ignore:storage")
def test_storages_of_meta_tensors() -> None:
    """They have a size and no memory, and nothing reads from them."""
    x = rl.empty(2, 3, device="meta")
    s = x.untyped_storage()
    assert (s.nbytes(), s.data_ptr(), s.device.type, x[1:].untyped_storage().nbytes()) == (24, 0, "meta", 24)
    assert x.storage().nbytes() == 24 and s.clone().device.type == "meta" and s.resize_(8).nbytes() == 8
    for use in (lambda: s[0], lambda: s.tolist(), lambda: s.fill_(1), lambda: rl.UntypedStorage(8).copy_(s), s.cpu):
        with pytest.raises(NotImplementedError, match="meta"):
            use()
    with pytest.raises(BufferError, match="meta"):
        memoryview(s)
    with pytest.raises(NotImplementedError, match=r"Cannot copy out of meta tensor; no data!"):
        x.cpu()


def test_storages_are_bytes(tmp_path: Path) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(bytes(range(16)))
    own = rl.UntypedStorage.from_file(str(path), False, 8)
    own[0] = 77
    assert own.tolist() == [77, 1, 2, 3, 4, 5, 6, 7] and path.read_bytes()[0] == 0 and own.filename is None
    shared = rl.UntypedStorage.from_file(path, shared=True, nbytes=32)
    shared[-1], shared[1:3] = 9, 5
    assert (
        path.read_bytes()[:4] == bytes([0, 5, 5, 3])
        and path.read_bytes()[31] == 9
        and shared.is_shared()
        and shared.filename == str(path)
    )
    part = shared[1:3]
    part.fill_(8)
    assert shared[2] == 8 and part.tolist() == [8, 8] and list(shared)[:2] == [0, 8]
    with pytest.raises(IndexError, match="out of range"):
        shared[32]
    with pytest.raises(RuntimeError, match="must have 64 bytes; found 32"):
        rl.UntypedStorage.from_file(path, False, 64)
    moved = rl.arange(3.0)
    assert (
        moved.untyped_storage().share_memory_().is_shared() and moved.is_shared() and moved.tolist() == [0.0, 1.0, 2.0]
    )


def test_types_of_devices_can_be_read_from_the_message() -> None:
    with pytest.raises(
        RuntimeError, match=r"Expected one of cpu, .*meta.* device type at start of device string: notadevice"
    ):
        rl.device("notadevice")


def test_an_optimizer_without_init_steps() -> None:
    class Wrapper(rl.optim.Optimizer):
        def __init__(self, inner: Any) -> None:
            self.inner, self.param_groups = inner, inner.param_groups

        def step(self, closure: Any = None) -> Any:
            return self.inner.step(closure)

    p = rl.nn.Parameter(rl.ones(2))
    p.grad = rl.ones(2)
    Wrapper(rl.optim.SGD([p], lr=0.5)).step()
    assert p.tolist() == [0.5, 0.5]


def test_equal_compares_values_of_different_dtypes() -> None:
    kinds = [rl.int64, rl.int32, rl.uint8, rl.float32, rl.float64, rl.complex64]
    for a, b in itertools.product(kinds, kinds):
        assert rl.equal(rl.tensor([1, 2], dtype=a), rl.tensor([1, 2], dtype=b)) and not rl.equal(
            rl.tensor([1, 2], dtype=a), rl.tensor([1, 3], dtype=b)
        )


def test_attention_takes_a_mask_and_causality() -> None:
    q = rl.linspace(-1, 1, 2 * 4 * 6).reshape(2, 4, 6)
    later = rl.ones(4, 4, dtype=rl.bool).triu(1)
    for mask in (rl.linspace(0, 1, 16).reshape(4, 4), rl.tensor([[True, False, True, True]] * 4)):
        both = mask & ~later if mask.dtype is rl.bool else mask.masked_fill(later, -float("inf"))
        rl.testing.assert_close(
            F.scaled_dot_product_attention(q, q, q, attn_mask=mask, is_causal=True),
            F.scaled_dot_product_attention(q, q, q, attn_mask=both),
        )


def test_the_class_of_tensors_names_the_default_type() -> None:
    assert rl.ones(2, dtype=rl.float64).type(rl.Tensor).dtype is rl.get_default_dtype()


def test_ctc_loss_takes_targets_that_are_floats() -> None:
    x = rl.linspace(-1, 1, 60).reshape(5, 3, 4).log_softmax(-1)
    of = lambda t: F.ctc_loss(x, t, (5, 5, 5), (2, 2, 2))
    assert of(rl.tensor([[1.7, 2.0], [1.0, 3.0], [2.0, 2.0]])).equal(of(rl.tensor([[1, 2], [1, 3], [2, 2]])))
