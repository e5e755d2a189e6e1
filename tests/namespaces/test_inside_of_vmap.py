"""The names of vmap's inside: a batch put on and taken off by hand, and steps that a package replaces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import rushlight
from rushlight._C import _are_functorch_transforms_active, _functorch, _is_alias_of, _is_torch_function_mode_enabled
from rushlight._functorch import vmap as steps
from rushlight.func import grad, jvp, vmap
from rushlight.overrides import TorchFunctionMode


def test_what_a_transform_has_wrapped() -> None:
    x = rushlight.randn(3, 2)
    seen: list[Any] = []

    def look(t: rushlight.Tensor) -> rushlight.Tensor:
        seen.append(
            (
                _functorch.is_batchedtensor(t),
                _functorch.is_gradtrackingtensor(t),
                _functorch.is_functorch_wrapped_tensor(t),
                _functorch.maybe_get_level(t),
                _functorch.maybe_get_bdim(t),
                _functorch.current_level(),
                _are_functorch_transforms_active(),
            )
        )
        return t * 1.0

    vmap(look, in_dims=1)(x)
    jvp(look, (x,), (x,))
    assert seen == [(True, False, True, 1, 0, 1, True), (False, True, True, 1, -1, 1, True)]
    assert vmap(lambda t: _functorch.get_unwrapped(t).sum() + 0 * t.sum())(x).shape == (3,)
    assert not _functorch.is_functorch_wrapped_tensor(x) and _functorch.maybe_get_level(x) == -1
    assert not _are_functorch_transforms_active() and _functorch.maybe_current_level() is None
    for ask in (lambda: _functorch.get_unwrapped(x), _functorch.current_level, _functorch._vmap_decrement_nesting):
        with pytest.raises(RuntimeError):
            ask()


def test_a_batch_dimension_by_hand() -> None:
    x, y = rushlight.randn(4, 3), rushlight.randn(4)
    level = _functorch._vmap_increment_nesting(3, "error")
    one = _functorch._add_batch_dim(x, 1, level)
    assert one.shape == (4,)
    result = _functorch._remove_batch_dim(one * y, level, 3, 1)
    same = _functorch._remove_batch_dim(y, level, 3, 0)
    assert _functorch._unwrap_batched(y, level) == (y, None)
    assert _functorch._vmap_decrement_nesting() == level
    rushlight.testing.assert_close(result, x * y[:, None])
    rushlight.testing.assert_close(same, y.expand(3, 4))
    with pytest.raises(RuntimeError, match="level 1"):
        _functorch._add_batch_dim(x, 1, level)


class Box:
    """What holds a tensor and is none."""

    def __init__(self, inside: rushlight.Tensor) -> None:
        self.inside = inside

    def __getitem__(self, rows: Any) -> Box:
        return Box(self.inside[rows])


@pytest.fixture
def boxes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    process, create = steps._process_batched_inputs, steps._create_batched_inputs

    def processed(in_dims: Any, args: Any, func: Any) -> Any:
        if not isinstance(args[0], Box):
            return process(in_dims, args, func)
        return len(args[0].inside), [0], list(args), steps.tree_flatten(args)[1]

    def created(dims: Any, flat: Any, level: int, spec: Any) -> Any:
        if not isinstance(flat[0], Box):
            return create(dims, flat, level, spec)
        return (Box(steps._add_batch_dim(flat[0].inside, 0, level)),)

    monkeypatch.setattr(steps, "_process_batched_inputs", processed)
    monkeypatch.setattr(steps, "_create_batched_inputs", created)
    yield


@pytest.mark.parametrize("chunk", [None, 2])
def test_replaced_steps_are_used(boxes: None, chunk: int | None) -> None:
    x = rushlight.randn(5, 2)
    result = vmap(lambda box, k=None: (box.inside.sum() * k, k), chunk_size=chunk)(Box(x), k=x[:, 0])
    rushlight.testing.assert_close(result, (x.sum(1) * x[:, 0], x[:, 0]))


def test_replaced_steps_leave_tensors_as_they_were(boxes: None) -> None:
    x = rushlight.randn(5, 2)
    plain = vmap(grad(lambda t, s: (t**3).sum() * s), in_dims=(0, None), out_dims=1)(x, 2.0)
    rushlight.testing.assert_close(plain, (6 * x**2).T)
    with pytest.raises(ValueError, match="out_dims"):
        vmap(lambda t: t, out_dims=None)(x)
    with pytest.raises(ValueError, match="Tensor"):
        vmap(lambda t: 3)(x)
    with pytest.raises(ValueError, match="out_dims"):
        vmap(lambda t: t, out_dims=(0, 0))(x)
    assert not _are_functorch_transforms_active()


def test_what_tensors_share_and_which_mode_is_in_force() -> None:
    x = rushlight.ones(3)
    assert _is_alias_of(x, x[1:]) and not _is_alias_of(x, x.clone())
    with TorchFunctionMode.__new__(TorchFunctionMode):
        inside = _is_torch_function_mode_enabled()
    assert inside and not _is_torch_function_mode_enabled()
