"""torch.compile and the names around it: calls give what the function gives, arguments are checked as PyTorch does."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import pytest

import rushlight as rl
import rushlight.export
from processes import printed
from rushlight import nn
from rushlight._dynamo.testing import CompileCounter, CompileCounterWithBackend, EagerAndRecordGraphs
from rushlight.compiler.marks import REGISTERED
from rushlight.fx.experimental import symbolic_shapes
from rushlight.fx.experimental.symbolic_shapes import (
    guard_or_false,
    guard_or_true,
    guard_size_oblivious,
    is_concrete_int,
    statically_known_true,
    sym_eq,
)

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


def test_backends_that_programs_register() -> None:
    seen: list[Any] = []

    @rl._dynamo.register_backend(name="kept_here", tags=("debug",))
    def kept(gm: Any, example_inputs: Any) -> Any:
        seen.append(gm)
        return gm.forward

    try:
        assert rl.compile(double, backend="kept_here")(rl.ones(2)).tolist() == [2.0, 2.0] and len(seen) == 1
        assert rl._dynamo.lookup_backend("kept_here") is kept and rl._dynamo.lookup_backend(kept) is kept
        assert "kept_here" not in rl._dynamo.list_backends() and "kept_here" in rl._dynamo.list_backends(None)
        for taken in ("kept_here", "inductor"):
            with pytest.raises(AssertionError, match="which is taken"):
                rl._dynamo.register_backend(kept, name=taken)
        with pytest.raises(AssertionError, match="must be a function; found int"):
            rl._dynamo.register_backend(3)
    finally:
        del REGISTERED["kept_here"]
    with pytest.raises(rl._dynamo.exc.InvalidBackend):
        rl._dynamo.lookup_backend("kept_here")


def test_backends_that_count() -> None:
    counter, kept, both = CompileCounter(), EagerAndRecordGraphs(), CompileCounterWithBackend("inductor")
    for backend in (counter, kept, both):
        compiled = rl.compile(lambda x: double(x) + 1, backend=backend)
        for _ in range(2):
            assert compiled(rl.ones(2)).tolist() == [3.0, 3.0]
    assert len(kept.graphs) == len(both.graphs) == 1
    for counting in (counter, both):
        assert (counting.frame_count, counting.op_count) == (1, 2)
        counting.clear()
        assert (counting.frame_count, counting.op_count) == (0, 0)
    assert both.graphs == []
    assert sorted(n for n in [*vars(counter), *vars(CompileCounter)] if n[0] != "_") == [
        "clear",
        "frame_count",
        "op_count",
    ]


def test_questions_about_sizes() -> None:
    class Asks(nn.Module):
        def forward(self, x: Any) -> Any:
            seen.append((is_concrete_int(x.size(0)), is_concrete_int(3), guard_size_oblivious(x.size(1) == 3)))
            if statically_known_true(x.sum() > 0) or not guard_or_true(x.sum() > 0):
                return x
            return x * 2 if sym_eq(x.shape[1:], (3,)) else x

    seen: list[Any] = []
    n = rl.export.Dim("n")
    program = rl.export.export(Asks(), (rl.ones(2, 3),), dynamic_shapes=({0: n},)).module()
    assert program(rl.ones(5, 3)).tolist() == rl.full((5, 3), 2.0).tolist()
    assert seen[-1] == (False, True, True)
    assert guard_or_false(rl.ones(1) > 0) and not sym_eq((1, 2), (1,))


@pytest.mark.parametrize("name", "guard_or_false guard_or_true guard_size_oblivious statically_known_true".split())
def test_questions_are_of_truth_values(name: str) -> None:
    ask = getattr(symbolic_shapes, name)
    assert ask.__name__ == name and ask(True) is True and ask(False) is False
    for x in (1, 0, "a", None):
        with pytest.raises(AssertionError, match=rf"{name}\(\): .* must be a bool or a SymBool; found"):
            ask(x)


def test_checks_of_sizes_that_are_open() -> None:
    class Checks(nn.Module):
        def forward(self, x: Any) -> Any:
            rl._check(x.size(0) < 7)
            return x * 2

    sizes = ({0: rl.export.Dim("n", max=6)},)
    assert rl.export.export(Checks(), (rl.ones(3),), dynamic_shapes=sizes).module()(rl.ones(6)).tolist() == [2.0] * 6
    with pytest.raises(rl._dynamo.exc.UserError, match="constraints violated"):
        rl.export.export(Checks(), (rl.ones(3),), dynamic_shapes=({0: rl.export.Dim("n")},))


def test_sizes_are_ints() -> None:
    for x in ("a", None, 1.0):
        with pytest.raises(AssertionError, match=r"is_concrete_int\(\): 'a' must be an int or a SymInt; found"):
            is_concrete_int(x)


def test_wrap_numpy() -> None:
    import numpy as np

    @rl.compile(fullgraph=True)
    @rl.compiler.wrap_numpy
    def squares(a: Any, b: Any = None) -> Any:
        assert isinstance(a, np.ndarray)
        return {"sum": np.sum(a * a), "rows": [a[0], "text"], "b": b}

    x = rl.arange(6.0).view(2, 3)
    found = squares(x, b=x)
    assert found["sum"].dtype is rl.float32 and found["sum"].item() == 55
    assert found["rows"][0].tolist() == [0, 1, 2] and found["rows"][1] == "text"
    found["b"].zero_()  # it lies on the memory of what was given
    assert x.sum() == 0
    with pytest.raises(RuntimeError, match=r"wrap_numpy\(\): .*computes no gradients"):
        squares(x.requires_grad_())
    with rl.no_grad():
        assert squares(x)["sum"].item() == 0


SAVING = """
import sys, warnings
import rushlight as rl
f = rl.compile(lambda x: (x * 2).tanh().sum(), options={"always": True})
assert rl.compiler.save_cache_artifacts() is None
f(rl.ones(5, 7))
data, info = rl.compiler.save_cache_artifacts()
assert info.inductor_artifacts and not info.empty()
open(sys.argv[1], "wb").write(data)
print(len(info.inductor_artifacts))
"""
LOADING = """
import sys, warnings
import rushlight as rl
data = open(sys.argv[1], "rb").read()
info = rl.compiler.load_cache_artifacts(data)
f = rl.compile(lambda x: (x * 2).tanh().sum(), options={"always": True})
f(rl.ones(5, 7))
compiled = rl.compiler.stats()["kernels_compiled"]
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    for bad in (data[:-1], b"else", data[:60] + b"x" + data[61:], data[:9] + b"g" + data[10:]):
        assert rl.compiler.load_cache_artifacts(bad) is None
print(len(info.inductor_artifacts), compiled, len(said))
"""


def test_cache_artifacts(tmp_path: Any) -> None:
    """What one process has compiled, another one with another cache does not compile again."""
    file = tmp_path / "artifacts"
    saved = printed("-c", SAVING, file, env={"RUSHLIGHT_CACHE_DIR": str(tmp_path / "one")}).strip()
    loaded = printed("-c", LOADING, file, env={"RUSHLIGHT_CACHE_DIR": str(tmp_path / "two")}).split()
    assert loaded == [saved, "0", "4"]
    with pytest.raises(TypeError, match=r"load_cache_artifacts\(\): "):
        rl.compiler.load_cache_artifacts("text")
