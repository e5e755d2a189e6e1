"""`torch._inductor`: names that lead to rushlight's compiler, and settings that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import rushlight as rl
from rushlight import _inductor, nn
from rushlight.export import export
from rushlight.fx import symbolic_trace


class _Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(6, 4)

    def forward(self, x: Any) -> Any:
        return self.layer(x).relu() * 2, x.sum()


@pytest.fixture
def net() -> Any:
    rl.manual_seed(3)
    return _Net().eval(), rl.randn(5, 6)


def _same(got: Any, expected: Any) -> None:
    assert len(got) == len(expected) and all(a.equal(b) for a, b in zip(got, expected, strict=True))


def test_a_graph_is_compiled(net: Any) -> None:
    module, x = net
    run = _inductor.compile(symbolic_trace(module), [x], {"max_autotune": True})
    _same(run(x), module(x))
    _same(run(x[:2]), module(x[:2]))
    x = x.requires_grad_()
    run(x)[0].sum().backward()
    got, x.grad = x.grad, None
    module(x)[0].sum().backward()
    assert got.equal(x.grad)
    with pytest.raises(TypeError, match="argument 'gm' must be GraphModule, not _Net"):
        _inductor.compile(module, [x])
    with pytest.raises(AttributeError, match=r"torch._inductor.config.nope does not exist"):
        _inductor.compile(symbolic_trace(module), [x], {"nope": 1})


def test_an_exported_program_becomes_a_package(net: Any, tmp_path: Path) -> None:
    module, x = net
    path = _inductor.aoti_compile_and_package(export(module, (x,)), package_path=str(tmp_path / "model.pt2"))
    _same(_inductor.aoti_load_package(path)(x), module(x))
    _same(_inductor.aoti_load_package(_inductor.aoti_compile_and_package(export(module, (x,))))(x), module(x))
    with pytest.raises(ValueError, match="Only ExportedProgram is supported"):
        _inductor.aoti_compile_and_package(module)
    with pytest.raises(AssertionError, match=r"'package_path' must end in .pt2"):
        _inductor.aoti_compile_and_package(export(module, (x,)), package_path="model.rl")


def test_a_graph_is_saved_and_loaded(net: Any, tmp_path: Path) -> None:
    module, x = net
    made = _inductor.standalone_compile(symbolic_trace(module), [x])
    _same(made(x), module(x))
    made.save(path=tmp_path / "graph")
    loaded = _inductor.CompiledArtifact.load(path=tmp_path / "graph")
    _same(loaded(x), module(x))
    with pytest.raises(RuntimeError, match="this one was loaded"):
        loaded.save(path=tmp_path / "again")
    with pytest.raises(ValueError, match="'format' must be 'binary'; found 'unpacked'"):
        made.save(path=tmp_path / "graph", format="unpacked")


def test_modes_and_options() -> None:
    assert _inductor.list_mode_options()["max-autotune"] == _inductor.list_mode_options("max-autotune")
    assert _inductor.list_mode_options("default", dynamic=True) == {}
    with pytest.raises(RuntimeError, match="Unrecognized mode=bad, should be one of: default, lite, reduce-overhead"):
        _inductor.list_mode_options("bad")
    names = _inductor.list_options()
    assert {"epilogue_fusion", "triton.cudagraphs", "max_autotune", "fx_graph_cache"} <= set(names)
    for mode in _inductor.list_mode_options().values():
        assert set(mode) <= set(names)
    _inductor.cudagraph_mark_step_begin()
    with pytest.raises(RuntimeError, match=r"compile\(\): .options. must have names of torch._inductor.list_options"):
        rl.compile(len, options={"unknown": 1})
    with pytest.raises(RuntimeError, match=r"options\[.max_fusion_size.\] must be of type int; found float"):
        rl.compile(len, options={"max_fusion_size": 2.0})


def test_settings_are_kept() -> None:
    config: Any = _inductor.config
    before = config.get_config_copy()
    try:
        config.max_autotune = True
        config.triton.cudagraphs = True
        assert config.max_autotune and config.triton.cudagraphs
        with config.patch({"triton.cudagraphs": False}, max_autotune=False):
            assert not config.max_autotune and not config.triton.cudagraphs
            with pytest.raises(KeyError), config.patch("max_autotune", True):
                assert config.max_autotune
                raise KeyError
            assert not config.max_autotune
        assert config.max_autotune and config.triton.cudagraphs

        @config.patch(debug=True)
        def inside() -> Any:
            return config.debug

        assert inside() and not config.debug
        saved = config.save_config()
        config.load_config(before)
        assert not config.max_autotune
        config.load_config(saved)
        assert config.max_autotune and config.to_dict() == config.shallow_copy_dict()
        for wrong in (
            lambda: config.nope,
            lambda: config.triton.nope,
            lambda: setattr(config, "nope", 1),
            lambda: setattr(config.triton, "nope", 1),
            lambda: config.patch(nope=1),
            lambda: config.load_config({"nope": 1}),
        ):
            with pytest.raises(AttributeError, match=r"torch._inductor.config.(triton.)?nope does not exist"):
                wrong()
        assert "max_autotune" in dir(config) and "triton" in dir(config) and "cudagraphs" in dir(config.triton)
    finally:
        config.load_config(before)
