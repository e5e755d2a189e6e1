"""The settings and modes of `torch._inductor`: PyTorch's names, kinds of values, and errors."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight._inductor as ours

torch = pytest.importorskip("torch")


def test_modes() -> None:
    import torch._inductor as theirs

    assert ours.list_mode_options() == theirs.list_mode_options()
    assert ours.list_mode_options("max-autotune", dynamic=True) == theirs.list_mode_options("max-autotune", True)


def test_settings() -> None:
    import torch._inductor as theirs

    mine, other = ours.config.get_config_copy(), theirs.config.get_config_copy()
    public = {
        n for n in theirs.list_options() if not n.startswith("_") and n != "TYPE_CHECKING" and "/" not in str(other[n])
    }
    assert set(ours.list_options()) == public
    for name in public:
        if mine[name] is not None:
            assert type(mine[name]) is type(other[name]), name


@pytest.mark.parametrize(
    "use",
    [
        lambda c: c.nope,
        lambda c: setattr(c, "nope", 1),
        lambda c: setattr(c.triton, "nope", 1),
        lambda c: c.patch({"nope": 1}).__enter__(),
    ],
)
def test_names_that_are_none(use: Any) -> None:
    import torch._inductor.config as theirs

    said = []
    for config in (theirs, ours.config):
        with pytest.raises(AttributeError) as error:
            use(config)
        said.append(str(error.value))
    assert said[0] == said[1]
