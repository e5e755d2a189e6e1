"""torch.compile and the names around it: calls give what the function gives, arguments are checked as PyTorch does."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn

warnings.simplefilter("ignore")


def double(x: Any) -> Any:
    """Twice x."""
    return x * 2


def test_functions() -> None:
    for compiled in (
        rl.compile(double),
        rl.compile(fullgraph=True, mode="max-autotune")(double),
        rl.compile(double, backend="eager", dynamic=True),
        rl.compile(double, backend=lambda g, x: g),
        rl._dynamo.optimize("inductor")(double),
        rl.compile(double, options={"epilogue_fusion": True}),
    ):
        assert (
            compiled(rl.ones(2)).tolist() == [2.0, 2.0]
            and compiled.__name__ == "double"
            and compiled.__doc__ == "Twice x."
        )
    assert rl.compile(double, disable=True) is double


def test_modules() -> None:
    module = nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.5))
    compiled = rl.compile(module, mode="reduce-overhead")
    assert isinstance(compiled, rl._dynamo.OptimizedModule) and compiled._orig_mod is module
    assert list(compiled.state_dict()) == ["_orig_mod.0.weight", "_orig_mod.0.bias"] and list(module.state_dict()) == [
        "0.weight",
        "0.bias",
    ]
    compiled.eval()
    assert not module.training and not compiled.training and not module[1].training
    x = rl.randn(4, 2)
    assert compiled(x).equal(module(x)) and len(compiled) == 2
    with pytest.raises(TypeError, match="'Linear' has no len"):
        len(rl.compile(module[0]))
    for mode in (True, False):
        module.train(mode)
        assert compiled.training is module.training is mode
        compiled.train(not mode)
        assert compiled.training is module.training is not mode and module[1].training is not mode
    compiled.eval()
    compiled.note = 3
    assert module.note == 3 and compiled.note == 3 and "note" in dir(compiled)
    del compiled.note
    assert not hasattr(module, "note")
    compiled(x).sum().backward()
    assert module[0].weight.grad is not None
    for copied in (copy.deepcopy(compiled), pickle.loads(pickle.dumps(compiled))):
        assert copied(x).equal(module(x)) and copied._orig_mod is not module
    module.compile(mode="default")
    assert list(module.state_dict()) == ["0.weight", "0.bias"]
    with pytest.raises(RuntimeError, match="Unrecognized mode"):
        module.compile(mode="fast")


def test_a_module_that_compiles_more_of_its_methods() -> None:
    module = rl.nn.Linear(2, 2)
    compiled = rl.compile(module)
    context = compiled.dynamo_ctx
    forward = context(module.forward)
    x = rl.ones(1, 2)
    assert forward is not module.forward and rl.equal(forward(x), module(x))
    assert pickle.loads(pickle.dumps(compiled)).dynamo_ctx is context


@pytest.mark.parametrize(
    ("error", "match", "kwargs"),
    [
        (AssertionError, "model", {"model": 3}),
        (RuntimeError, "Unrecognized mode=fast", {"mode": "fast"}),
        (RuntimeError, "Either mode or options", {"mode": "default", "options": {}}),
        (RuntimeError, "Invalid backend: 'nope'", {"backend": "nope"}),
        (TypeError, "backend", {"backend": 3}),
        (RuntimeError, "options", {"options": 3}),
    ],
)
def test_refused(error: type[Exception], match: str, kwargs: dict[str, Any]) -> None:
    with pytest.raises(error, match=match):
        rl.compile(**{"model": double, **kwargs})
    with pytest.raises(RuntimeError, match="stance"):
        rl.compiler.set_stance("sideways")


def test_what_is_lacking_says_so() -> None:
    with pytest.raises(NotImplementedError, match="rushlight"):
        rl.onnx.export(nn.Linear(1, 1), (), "f")
    assert not rl.onnx.is_in_onnx_export() and not rl.compiler.is_compiling() and not rl._dynamo.is_compiling()


def test_settings_are_kept() -> None:
    config = rl._dynamo.config
    with config.patch(cache_size_limit=3, brand_new=1):
        assert config.cache_size_limit == 3 and config.brand_new == 1
    assert config.cache_size_limit == 8 and not hasattr(config, "brand_new")

    @config.patch("verbose", True)
    def f() -> bool:
        return config.verbose

    assert f() and not config.verbose
    rl._dynamo.reset()
    rl.compiler.set_default_backend("eager")
    assert rl.compiler.get_default_backend() == "eager"
    rl.compiler.set_default_backend(None)
    assert "inductor" in rl.compiler.list_backends()
