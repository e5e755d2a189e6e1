"""Typed storages, memory shared with other processes and with files, and Python functions of elements."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import pick
from jitted import _copied
from support import find, inputs_of

import rushlight
from rushlight.core.pending import is_shared_outside
from rushlight.testing.samples import REGISTRY, OperatorSamples, load

load()


def test_typed_storage() -> None:
    x = rushlight.tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.warns(UserWarning, match="untyped_storage"):
        s = x[1].storage()
    assert (len(s), s.size(), s.nbytes(), s.element_size(), s.dtype) == (4, 4, 16, 4, rushlight.float32)
    assert s.data_ptr() == x.data_ptr() and list(s) == s.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert s[1] == 2.0 and s[1:3].tolist() == [2.0, 3.0]
    s[0] = 9.0
    assert x[0, 0].item() == 9.0
    copy = s.clone().fill_(5.0)
    assert copy.tolist() == [5.0] * 4 and x[1, 1].item() == 4.0
    assert rushlight.empty(0).set_(copy, 1, (3,)).tolist() == [5.0] * 3
    assert repr(copy).endswith("[torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of size 4]")
    assert rushlight.UntypedStorage(4).nbytes() == 4


def test_shared_memory_is_seen_across_a_fork() -> None:
    x = rushlight.arange(6.0).reshape(2, 3).t()
    kept = x.tolist()
    assert not x.is_shared()
    assert x.share_memory_() is x and x.is_shared() and x.share_memory_().is_shared()
    assert x.tolist() == kept and x.stride() == (1, 3)
    plain = rushlight.zeros(2)
    child = os.fork()
    if child == 0:
        x.fill_(7.0)
        plain.fill_(7.0)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert x.tolist() == [[7.0, 7.0]] * 3 and plain.tolist() == [0.0, 0.0]


def test_a_shared_parameter_still_learns() -> None:
    p = rushlight.nn.Linear(2, 1, bias=False).share_memory().weight
    assert p.is_shared() and p.requires_grad and p.is_leaf
    (p * 2).sum().backward()
    assert p.grad is not None and p.grad.tolist() == [[2.0, 2.0]]


def test_from_file(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    x = rushlight.from_file(path, shared=True, size=3, dtype=rushlight.int64)
    assert x.is_shared() and x.tolist() == [0, 0, 0]
    x.copy_(rushlight.tensor([1, 2, 3]))
    assert np.fromfile(path, np.int64).tolist() == [1, 2, 3]
    own = rushlight.from_file(str(path), size=2, dtype=rushlight.int64)
    own.fill_(8)
    assert np.fromfile(path, np.int64).tolist() == [1, 2, 3]
    assert rushlight.from_file(path).shape == (0,)
    with pytest.raises(RuntimeError, match="must have 32 bytes; found 24: too short"):
        rushlight.from_file(path, size=4, dtype=rushlight.int64)
    with pytest.raises(
        RuntimeError,
        match=r"from_file\(\): 'filename' must be a file that can be opened; found '.*none' \(No such file",
    ):
        rushlight.from_file(tmp_path / "none", size=1)


def test_functions_of_elements() -> None:
    x = rushlight.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x.clone().apply_(lambda v: v + 1).tolist() == [[2.0, 3.0], [4.0, 5.0]]
    assert x.clone().map_(rushlight.tensor([10.0, 20.0]), lambda a, b: a * b).tolist() == [[10.0, 40.0], [30.0, 80.0]]
    assert x.clone().map2_(x, x, lambda a, b, c: a * b + c).tolist() == [[2.0, 6.0], [12.0, 20.0]]
    assert rushlight.tensor([1, 2]).apply_(lambda v: 2.5 * v).tolist() == [2, 5]
    with pytest.raises(TypeError, match="the tensor must be on a CPU; found meta"):
        rushlight.empty(2, device="meta").apply_(abs)


def test_questions() -> None:
    x = rushlight.ones(2, 3, 4, 5)
    assert x.dim_order() == (0, 1, 2, 3) and x.permute(3, 0, 2, 1).dim_order() == (1, 3, 2, 0)
    last = x.contiguous(memory_format=rushlight.channels_last)
    formats = [rushlight.contiguous_format, rushlight.channels_last]
    assert last.dim_order(ambiguity_check=formats) == (0, 2, 3, 1) and x.dim_order(ambiguity_check=formats) == (
        0,
        1,
        2,
        3,
    )
    for choice in (True, formats):
        with pytest.raises(RuntimeError, match="the strides must fit one order of the dimensions alone"):
            rushlight.ones(2, 1, 1, 1).dim_order(ambiguity_check=choice)
    assert x.is_set_to(x.view(2, 3, 4, 5)) and not x.is_set_to(x[:1]) and not x.is_set_to(x.clone())
    assert x.const_data_ptr() == x.data_ptr() and not x.is_nested and x.name is None and not x.is_pinned()
    with pytest.raises(RuntimeError, match="found no accelerator"):
        x.pin_memory()
    assert rushlight.tensor(2).is_nonzero() and not rushlight.tensor([0.0]).is_nonzero()
    with pytest.raises(RuntimeError, match="the tensor must have 1 element; found 120"):
        x.is_nonzero()
    assert rushlight.get_device(x) == -1 and rushlight.is_signed(x) and not rushlight.is_signed(x.bool())
    assert [
        d.abbr for d in (rushlight.float32, rushlight.bfloat16, rushlight.int8, rushlight.bool, rushlight.complex128)
    ] == ["f32", "bf16", "i8", "b8", "c128"]


def test_resize_out_of_place() -> None:
    x = rushlight.arange(6.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert x.resize(2, 3).shape == (2, 3) and x.resize_as(rushlight.ones(3, 2)).shape == (3, 2)
        with pytest.raises(RuntimeError, match="must hold the 6 elements of the tensor"):
            x.resize(7)


def test_the_number_of_one_element() -> None:
    """item() below a mode: the value as Python has it, and an error for more elements."""
    for value in (3, 2.5, True, 1 - 2j):
        found = rushlight.ops.aten._local_scalar_dense(rushlight.tensor([value]))
        assert found == value and type(found) is type(value)
    with pytest.raises(RuntimeError, match="a Tensor with 2 elements cannot be converted to Scalar"):
        rushlight.ops.aten._local_scalar_dense(rushlight.ones(2))


def test_generator_offset() -> None:
    g = rushlight.Generator(kind="philox").manual_seed(3)
    first = rushlight.rand(4, generator=g)
    assert g.get_offset() == 4 and g.device == rushlight.device("cpu")
    g.set_offset(2)
    assert rushlight.rand(2, generator=g).tolist() == first[2:].tolist()
    with pytest.raises(RuntimeError, match="no offset"):
        rushlight.Generator().get_offset()
    with pytest.raises(RuntimeError, match=r"'offset' must be in \[0, 2\*\*64\); found -1"):
        g.set_offset(-1)


def test_fill_diagonal_has_no_gradient_on_the_diagonal() -> None:
    x = rushlight.ones(2, 3, requires_grad=True)
    (x * 2).fill_diagonal_(5.0).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [[0.0, 2.0, 2.0], [2.0, 0.0, 2.0]]


def test_parts_between_indices() -> None:
    """Each is the view that narrow() takes, and may be written by itself while gradients are recorded."""
    for x in (
        rushlight.randn(5, 4),
        rushlight.randn(4, 5).t(),
        rushlight.empty(5, 4, device="meta"),
        rushlight.randn(5, 4).requires_grad_(),
    ):
        for cuts, ranges in (
            ([1, 3], [(0, 1), (1, 2), (3, 2)]),
            ([3, 1], [(0, 3), (3, 0), (1, 4)]),
            ([-1, 9], [(0, 4), (4, 1), (5, 0)]),
            ([], [(0, 5)]),
        ):
            for part, (start, length) in zip(rushlight.tensor_split(x, cuts), ranges, strict=True):
                same = x.narrow(0, start, length)
                assert (part.shape, part.stride(), part.storage_offset(), part._base is same._base) == (
                    same.shape,
                    same.stride(),
                    same.storage_offset(),
                    True,
                )
                assert part.requires_grad == x.requires_grad and part.is_meta == x.is_meta
    x = rushlight.ones(3)
    rushlight.tensor_split(x, [1])[1].mul_(rushlight.tensor(2.0, requires_grad=True))
    assert x.tolist() == [1.0, 2.0, 2.0] and x.requires_grad


@pytest.mark.parametrize("make", [rushlight.tensor, rushlight.as_tensor])
def test_a_tensor_on_a_storage(make: Any) -> None:
    """Its bytes are elements of the dtype, in the same memory."""
    x = rushlight.arange(4.0)
    for storage, options in ((x.untyped_storage(), {"dtype": rushlight.float32}), (x.storage(), {})):
        found = make(storage, **options)
        assert found.dtype is rushlight.float32 and found.tolist() == x.tolist()
        found[1] += 1
        assert x[1] == found[1]
    assert make(x.untyped_storage()).shape == (2,) and make(x.untyped_storage()).dtype is rushlight.int64
    assert make(rushlight.UntypedStorage(6), dtype=rushlight.float32).shape == (1,)
    with pytest.raises(RuntimeError, match=r"must be of torch\.float64, or untyped; found one of torch\.float32"):
        make(x.storage(), dtype=rushlight.float64)


@pytest.mark.parametrize("spec", REGISTRY.values(), ids=lambda spec: spec.name)
def test_no_call_shows_memory_to_others(spec: OperatorSamples) -> None:
    """Whoever has seen memory may write to it at any time: no later call that reads it is recorded."""
    op = find(spec.name)
    for s in list(spec.samples(pick(spec, rushlight.float32)[0]))[:2]:
        sample = _copied(s, False)
        before = [t._keys_ == 0 and is_shared_outside(t) for t in inputs_of(sample)]
        try:
            op(*sample.args, **sample.kwargs)
        except Exception:
            continue
        assert [t._keys_ == 0 and is_shared_outside(t) for t in inputs_of(sample)] == before


def test_comparing_shows_no_memory_to_others() -> None:
    t = rushlight.arange(3.0)
    rushlight.testing.assert_close(t, t.clone())
    assert not is_shared_outside(t) and t.resize_(1000).numel() == 1000
