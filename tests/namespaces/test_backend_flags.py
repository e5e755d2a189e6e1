"""`torch.backends.disable_global_flags`: switches are set by `flags` alone."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import pytest

import rushlight as rl
from rushlight.backends import _switch


@pytest.fixture
def frozen() -> Iterator[None]:
    assert not rl.backends.flags_frozen()
    rl.backends.disable_global_flags()
    yield
    _switch._frozen = False
    for module in (rl.backends.cudnn, rl.backends.mkldnn):
        module.__class__ = ModuleType


@pytest.mark.usefixtures("frozen")
def test_assignments_end_and_flags_stay() -> None:
    assert rl.backends.flags_frozen()
    for module in (rl.backends.cudnn, rl.backends.mkldnn):
        before = module.enabled
        with pytest.raises(RuntimeError, match=r"enabled: an assignment cannot set it .* found the value False"):
            module.enabled = False
        with module.flags(enabled=not before):
            assert module.enabled is not before
        assert module.enabled is before
    rl.backends.cudnn.something_else = 1  # no switch
    del rl.backends.cudnn.something_else
    rl.backends.opt_einsum.enabled = rl.backends.opt_einsum.enabled


def test_before_that_they_are_assigned() -> None:
    before = rl.backends.cudnn.benchmark
    rl.backends.cudnn.benchmark = not before
    assert rl.backends.cudnn.benchmark is not before
    rl.backends.cudnn.benchmark = before
