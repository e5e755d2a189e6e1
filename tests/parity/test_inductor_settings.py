"""The settings and modes of `torch._inductor`: PyTorch's names, kinds of values, and errors."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as rl
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


@pytest.mark.parametrize(
    "options",
    [
        {"unknown": 1}, {"max_autotune": 3}, {"max-autotune": True}, {"triton.cudagraphs": True}, {"trace": {}},
        {"triton.cudagraphs": None}, {"max_fusion_size": 2.0}, {"max_fusion_size": True}, {"cpp.simdlen": 8},
        {"max_autotune_gemm_backends": 1}, {"epilogue_fusion": 0}, {"guard_filter_fn": len},
    ],
    ids=str,
)  # fmt: skip
def test_options_of_compile(options: dict[str, Any]) -> None:
    """What PyTorch refuses is refused with its type of error, and nothing else."""
    raised = []
    for module in (torch, rl):
        try:
            module.compile(lambda x: x, options=dict(options))
        except Exception as error:
            raised.append(type(error).__name__)
        else:
            raised.append("")
    assert raised[0] == raised[1]
    rl.compile(lambda x: x, backend="eager", options={"unknown": 1})  # what another backend takes is its own
