"""Exported programs: what they are of, for which sizes they are, what they write, how they are saved, and what is
refused.
"""

from __future__ import annotations

import copy
import dataclasses
import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn
from rushlight.export import Dim, ShapesCollection, export, load, save
from rushlight.fx.experimental.symbolic_shapes import ConstraintViolationError, GuardOnDataDependentSymNode

UserError = rl._dynamo.exc.UserError


class Fn(nn.Module):
    """A module of a function."""

    def __init__(self, f: Callable[..., Any]) -> None:
        super().__init__()
        self.f = f

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.f(*args, **kwargs)


class Net(nn.Module):
    """A network with a parameter, buffers of both kinds, and a tensor that is neither."""

    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(6, 3)
        self.register_buffer("scale", rl.ones(3) * 2)
        self.register_buffer("offset", rl.ones(3) * 3, persistent=False)
        self.extra = rl.ones(3) * 5

    def forward(self, x: Any) -> Any:
        return rl.relu(self.lin(x)) * self.scale + self.offset + self.extra


def again(program: Any) -> Any:
    file = io.BytesIO()
    save(program, file)
    file.seek(0)
    return load(file)


def targets(program: Any) -> list[str]:
    return [str(n.target) for n in program.graph.nodes if n.op == "call_function"]


X = rl.randn(4, 6)


def test_the_inputs_of_a_graph_are_what_the_module_refers_to_then_what_the_caller_gives() -> None:
    program = export(Net(), (X,))
    s = program.graph_signature
    assert [str(x) for x in s.input_specs] == [
        "p_lin_weight: PARAMETER target='lin.weight'",
        "p_lin_bias: PARAMETER target='lin.bias'",
        "b_scale: BUFFER target='scale' persistent=True",
        "b_offset: BUFFER target='offset' persistent=False",
        "c_extra: CONSTANT_TENSOR target='extra'",
        "x: USER_INPUT",
    ]
    assert (s.user_inputs, s.user_outputs) == (("x",), ("add_1",))
    assert list(program.state_dict) == ["lin.weight", "lin.bias", "scale"]
    assert list(program.constants) == ["offset", "extra"]
    assert targets(program) == ["aten.linear.default", "aten.relu.default", "aten.mul.Tensor", *["aten.add.Tensor"] * 2]
    assert dict(program.named_parameters())["lin.weight"] is program.state_dict["lin.weight"]
    assert [name for name, _ in program.named_buffers()] == ["scale", "offset"]


@pytest.mark.parametrize("change", [lambda p: p, again, copy.deepcopy, lambda p: p.run_decompositions()])
def test_a_program_computes_what_its_module_does(change: Callable[[Any], Any]) -> None:
    net = Net()
    module = change(export(net, (X,))).module()
    assert module(X).tolist() == net(X).tolist()
    module(X).sum().backward()
    net(X).sum().backward()
    assert rl.equal(module.lin.weight.grad, net.lin.weight.grad)
    assert sorted(module.state_dict()) == ["lin.bias", "lin.weight", "scale"]


def test_values_of_the_graph_have_sizes_dtypes_and_strides() -> None:
    program = export(Fn(lambda x, y: (x.sum(0, keepdim=True), x.max(1), y.long())), (X, X.double()))
    vals = {n.name: n.meta["val"] for n in program.graph.nodes if n.op == "call_function" and "assert" not in n.name}
    assert tuple(vals["sum_1"].shape) == (1, 6) and vals["sum_1"].dtype is rl.float32
    assert [tuple(v.shape) for v in vals["max_1"]] == [(4,), (4,)] and vals["max_1"][1].dtype is rl.int64
    assert vals["to"].dtype is rl.int64 and type(vals["to"]).__name__ == "FakeTensor"
    assert program.graph.find_nodes(op="placeholder")[1].meta["val"].dtype is rl.float64
    path = program.graph.find_nodes(op="call_function")[0].meta["nn_module_stack"]
    assert next(iter(path.values()))[0] == "" and next(iter(path.values()))[1].endswith("test_export.Fn")


# ------------------------------------------------------------------------------------------------------ sizes that vary
def test_a_size_that_varies_is_a_symbol_and_the_program_takes_all_of_them() -> None:
    batch = Dim("batch", min=2, max=64)
    net = Fn(
        lambda x: (x.view(x.shape[0] * 2, -1), x.shape[0], rl.zeros(x.shape[0], 2) + 1, x[1:], x[: x.shape[0] // 2])
    )
    program = export(net, (X,), dynamic_shapes=(({0: batch},),))
    (symbol,) = program.range_constraints
    assert repr(program.range_constraints[symbol]) == "VR[2, 64]"
    assert isinstance(program.graph.find_nodes(op="placeholder")[0].meta["val"].shape[0], rl.SymInt)
    for p in (program, again(program), program.run_decompositions(), again(program.run_decompositions())):
        for n in (2, 5, 64):
            x = rl.randn(n, 6)
            got, expected = p.module()(x), net(x)
            assert [g.tolist() if isinstance(g, rl.Tensor) else g for g in got] == [
                e.tolist() if isinstance(e, rl.Tensor) else e for e in expected
            ]
        with pytest.raises(AssertionError, match=r"Guard failed: args_0\.size\(\)\[0\] <= 64"):
            p.module()(rl.randn(65, 6))
        with pytest.raises(AssertionError, match=r"Guard failed: args_0\.size\(\)\[1\] == 6"):
            p.module()(rl.randn(4, 7))
    assert program.module(check_guards=False)(rl.randn(65, 6))[1] == 65


def test_sizes_that_depend_on_one_another() -> None:
    n = Dim("n", min=3)
    program = export(Fn(lambda x, y: x[1:] + y), (X, rl.randn(3, 6)), dynamic_shapes=(({0: n}, {0: n - 1}),))
    assert program.module()(rl.randn(7, 6), rl.randn(6, 6)).shape == (6, 6)
    with pytest.raises(AssertionError, match="Guard failed"):
        program.module()(rl.randn(7, 6), rl.randn(7, 6))
    assert repr(2 * n + 1) == "2*n + 1"
    for wrong in (lambda: n * 0, lambda: n + 0.5, lambda: 2 - n, lambda: n * n):
        with pytest.raises(NotImplementedError):
            wrong()


def test_sizes_that_the_program_decides_on() -> None:
    both = ({0: Dim.AUTO}, {0: Dim.AUTO})
    program = export(Fn(lambda x, y: x + y), (X, X + 1), dynamic_shapes=(both,))
    assert program.module()(rl.randn(9, 6), rl.randn(9, 6)).shape == (9, 6)
    with pytest.raises(AssertionError, match="Guard failed"):
        program.module()(rl.randn(9, 6), rl.randn(1, 6))
    fixed = export(Fn(lambda x: x.view(4, 6)), (X,), dynamic_shapes=(({0: Dim.AUTO},),))
    with pytest.raises(AssertionError, match="== 4"):
        fixed.module()(rl.randn(5, 6))
    assert export(Fn(lambda x: x + 1), (X[:1],), dynamic_shapes=(({0: Dim.AUTO},),)).range_constraints == {}
    bounded = export(Fn(lambda x: x + 1), (X,), dynamic_shapes=(({0: Dim.DYNAMIC(min=3, max=8)},),))
    assert [repr(r) for r in bounded.range_constraints.values()] == ["VR[3, 8]"]


def test_a_branch_on_a_size_narrows_its_bounds() -> None:
    f = Fn(lambda x: x + 1 if x.shape[0] > 3 else x - 1)
    program = export(f, (X,), dynamic_shapes=(({0: Dim.AUTO},),))
    assert [repr(r) for r in program.range_constraints.values()] == ["VR[4, int_oo]"]
    with pytest.raises(AssertionError, match=">= 4"):
        program.module()(rl.randn(2, 6))
    batch = Dim("batch", max=64)
    with pytest.raises(UserError, match=r"batch = Dim\('batch', min=4, max=64\)") as told:
        export(f, (X,), dynamic_shapes=(({0: batch},),))
    refined = rl.export.dynamic_shapes.refine_dynamic_shapes_from_suggested_fixes(
        str(told.value), (({0: batch, 1: None},),)
    )
    assert export(f, (X,), dynamic_shapes=refined).module()(rl.randn(64, 6)).shape == (64, 6)


@pytest.mark.parametrize(
    ("shapes", "error", "words"),
    [
        ((({0: Dim("b", min=5)},),), ConstraintViolationError, "between 5 and int_oo; found 4"),
        ((({0: 3},),), ConstraintViolationError, "must be 3"),
        ((({5: Dim("b")},),), UserError, "2 dimensions"),
        ((({0: "b"},),), UserError, "must be None, an int"),
        ((((Dim.AUTO,),),), UserError, "one for each dimension"),
        (({0: Dim("b")},), UserError, "containers of the arguments"),
        ({"y": None}, UserError, "names of the arguments"),
        ((({1: Dim("b")},),), UserError, "declared to change"),
        ((({0: Dim.DYNAMIC, 1: Dim.DYNAMIC},),), UserError, "declared to change"),
    ],
)
def test_sizes_that_a_program_cannot_vary_are_refused(shapes: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        export(Fn(lambda x: x @ rl.ones(6, 2)), (X,), dynamic_shapes=shapes)


def test_a_size_that_must_divide_another_is_checked_at_each_call() -> None:
    f = Fn(lambda x: x.view(-1, 8))
    with pytest.raises(UserError, match="the program needs"):
        export(f, (X,), dynamic_shapes=(({0: Dim("b")},),))
    module = export(f, (X,), dynamic_shapes=(({0: Dim.AUTO},),)).module()
    assert module(rl.ones(12, 6)).shape == (9, 8)
    with pytest.raises(AssertionError, match="Guard failed"):
        module(rl.ones(5, 6))


def test_two_names_of_one_size_are_refused() -> None:
    with pytest.raises(UserError, match="one size to the program"):
        export(Fn(lambda x, y: x + y), (X, X + 1), dynamic_shapes=(({0: Dim("a")}, {0: Dim("b")}),))


def test_sizes_by_tensors_and_by_examples() -> None:
    shapes = ShapesCollection()
    y = X + 1
    shapes[X] = {0: Dim("n")}
    shapes[y] = {0: Dim("n")}
    f = Fn(lambda x, d: x + d["k"])
    assert export(f, (X, {"k": y}), dynamic_shapes=shapes).module()(rl.ones(9, 6), {"k": rl.ones(9, 6)}).shape == (9, 6)
    with pytest.raises(ValueError, match="not among the arguments"):
        shapes.dynamic_shapes(f, (X, {"k": X}))
    more = rl.export.AdditionalInputs()
    more.add((rl.ones(7, 6), {"k": rl.ones(7, 6)}))
    program = export(f, (X, {"k": y}), dynamic_shapes=more)
    more.verify(program)
    assert len(program.range_constraints) == 1


# ------------------------------------------------------------------------------------------------------ what is written
class Writes(nn.Module):
    """A module that writes to a buffer, to its argument and to views."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("n", rl.zeros(3))

    def forward(self, x: Any) -> Any:
        self.n.add_(1)
        x.mul_(2)
        y = x.clone()
        y[0] = 5.0
        y[:, 1].add_(self.n[0])
        y[y > 5] = 0.0
        return y.t()


@pytest.mark.parametrize("change", [lambda p: p, again, lambda p: p.run_decompositions()])
def test_what_is_written_is_written_by_the_program(change: Callable[[Any], Any]) -> None:
    module = change(export(Writes(), (X.clone(),))).module()
    reference = Writes()
    for _ in range(2):
        a, b = X.clone(), X.clone()
        assert rl.equal(module(a), reference(b))
        assert rl.equal(a, b)
    assert module.n.tolist() == [2.0, 2.0, 2.0]


def test_a_decomposed_program_writes_to_nothing() -> None:
    program = export(Writes(), (X.clone(),)).run_decompositions()
    s = program.graph_signature
    assert list(s.buffers_to_mutate.values()) == ["n"] and list(s.user_inputs_to_mutate.values()) == ["x"]
    assert not any(name.split(".")[1].endswith("_") for name in targets(program))
    assert program.dialect == "ATEN"


def test_batch_normalization_keeps_statistics() -> None:
    x = rl.randn(5, 3)
    for change in (lambda p: p, lambda p: p.run_decompositions()):
        norm = nn.BatchNorm1d(3)
        module = change(export(copy.deepcopy(norm), (x,))).module()
        assert rl.allclose(module(x), norm(x), atol=1e-6)
        for name in ("running_mean", "running_var", "num_batches_tracked"):
            assert rl.allclose(getattr(module, name), getattr(norm, name)), name


def test_exporting_leaves_the_module_and_the_random_stream_as_they_were() -> None:
    net = Writes()
    x = X.clone()
    rl.manual_seed(3)
    before = rl.get_rng_state()
    export(net, (x,))
    export(nn.Dropout(0.5), (x,))
    export(Fn(lambda x: x + rl.rand(4, 6)), (x,))
    assert net.n.tolist() == [0.0] * 3 and rl.equal(x, X) and rl.equal(rl.get_rng_state(), before)


def test_random_numbers_are_drawn_by_the_program() -> None:
    f = Fn(lambda x: nn.functional.dropout(x, 0.5, True) + rl.rand(4, 6) + rl.randn_like(x))
    module = export(f, (X,)).module()
    rl.manual_seed(5)
    got = module(X)
    rl.manual_seed(5)
    assert rl.equal(got, f(X))


def test_a_buffer_that_is_replaced_is_written_and_another_attribute_is_refused() -> None:
    class Replaces(nn.Module):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.register_buffer("total", rl.zeros(3))
            self.name = name

        def forward(self, x: Any) -> Any:
            setattr(self, self.name, self.total + x)
            return self.total * 2

    net = Replaces("total")
    module = export(net, (rl.ones(3),)).module()
    assert net.total.tolist() == [0.0] * 3
    module(rl.ones(3))
    assert module(rl.ones(3)).tolist() == [4.0] * 3
    with pytest.raises(ValueError, match=r"into self\.other"):
        export(Replaces("other"), (rl.ones(3),))


# -------------------------------------------------------------------------------------------------------- calls, errors
def test_arguments_in_containers_and_constants() -> None:
    f = Fn(lambda d, items, *, n=3, flag=True: {"a": d["k"] * n + items[0], "b": (items[1], flag)})
    program = export(f, ({"k": X}, [X + 1, X + 2]), {"n": 2, "flag": False})
    assert program.graph_signature.user_inputs == ("args_0_k", "args_1_0", "args_1_1", 2, False)
    for p in (program, again(program)):
        got = p.module()({"k": X}, [X + 1, X + 2], flag=False, n=2)
        assert rl.equal(got["a"], X * 2 + (X + 1)) and got["b"][1] is False
        with pytest.raises(AssertionError, match="Guard failed: n == 2"):
            p.module()({"k": X}, [X + 1, X + 2], n=4, flag=False)
        with pytest.raises(ValueError, match="that it was exported for"):
            p.module()({"k": X}, [X + 1], n=2, flag=False)
    with pytest.raises(RuntimeError, match="is not called itself"):
        program({"k": X})
    with pytest.raises(NotImplementedError, match="train"):
        program.module().train()


@pytest.mark.parametrize(
    ("f", "error"),
    [
        (lambda x: x + 1 if x.sum() > 0 else x, GuardOnDataDependentSymNode),
        (lambda x: x * x.sum().item(), GuardOnDataDependentSymNode),
        (lambda x: x.nonzero(), NotImplementedError),
        (lambda x: rl.func.grad(lambda y: y.sum())(x), (NotImplementedError, RuntimeError)),
        (lambda x: rl.add(x, x, out=rl.empty(4, 6)), NotImplementedError),
        (lambda x: object(), UserError),
    ],
)
def test_what_no_graph_can_be_of_is_refused(f: Callable[..., Any], error: Any) -> None:
    with pytest.raises(error):
        export(Fn(f), (X,))


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="must be a Module"):
        export(lambda x: x, (X,))  # type: ignore[arg-type]
    with pytest.raises(UserError, match="must be a tuple"):
        export(Net(), [X])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="ExportedProgram"):
        save(Net(), io.BytesIO())  # type: ignore[arg-type]
    with pytest.raises(UserError, match="an input must be a tensor"):
        export(Fn(lambda x: X), (object(),))


# ------------------------------------------------------------------------------------------------------------ the files
def test_files_keep_extra_members_shared_memory_and_kinds_of_tensors(tmp_path: Path) -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
            self.b.weight = self.a.weight
            self.register_buffer("part", rl.arange(12.0).view(4, 3)[:, 1])
            self.register_buffer("low", rl.ones(4, dtype=rl.bfloat16))
            self.register_buffer("none", rl.ones(0, 2))

        def forward(self, x: Any) -> Any:
            return self.b(self.a(x)) + self.part + self.low + self.none.sum()

    net, x = Tied(), rl.randn(2, 4)
    path = tmp_path / "tied.pt2"
    save(export(net, (x,)), path, extra_files={"note.txt": "hello"})
    extra = {"note.txt": ""}
    program = load(path, extra_files=extra)
    assert extra == {"note.txt": "hello"}
    assert rl.equal(program.module()(x), net(x))
    assert program.state_dict["a.weight"] is program.state_dict["b.weight"]
    assert program.state_dict["low"].dtype is rl.bfloat16
    assert program.example_inputs is not None and rl.equal(program.example_inputs[0][0], x)


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    import zipfile

    text = tmp_path / "text.pt2"
    text.write_text("no archive")
    with pytest.raises(zipfile.BadZipFile):
        load(text)
    rl.save({}, tmp_path / "checkpoint.pt2")
    with pytest.raises(RuntimeError, match=r"lacks models/model\.json"):
        load(tmp_path / "checkpoint.pt2")


def test_operators_that_are_kept_and_replaced_in_decompositions() -> None:
    aten: Any = rl.ops.aten
    program = export(Net(), (X,))
    assert "aten.addmm.default" in targets(program.run_decompositions())
    table = rl.export.default_decompositions()
    del table[aten.linear.default]
    assert "aten.linear.default" in targets(program.run_decompositions(table))
    assert "aten.linear.default" in targets(program.run_decompositions({}))
    own = {aten.relu.default: lambda x: aten.clamp.default(x, 0)}
    changed = program.run_decompositions(own)
    assert "aten.clamp.default" in targets(changed) and "aten.relu.default" not in targets(changed)
    assert rl.equal(changed.module()(X), program.module()(X))


def test_export_costs_an_import_of_the_package_nothing() -> None:
    code = "import sys, rushlight; assert not [m for m in sys.modules if m.startswith('rushlight.export')]"
    subprocess.run([sys.executable, "-c", code], check=True)


class Tower(nn.Module):
    """Modules within modules, one of which is called twice."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Sequential(nn.Linear(6, 6), nn.ReLU()) for _ in range(2)])
        self.last = Net()

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = x + layer(x)
        return self.last(self.layers[0](x))


@pytest.mark.parametrize("change", [lambda p: p, again])
def test_a_program_as_modules_again(change: Callable[[Any], Any]) -> None:
    net = Tower()
    module = rl.export.unflatten(change(export(net, (X,))))
    assert rl.equal(module(X), net(X))
    assert sorted(n for n, _ in module.named_parameters()) == sorted(n for n, _ in net.named_parameters())
    assert isinstance(getattr(module.layers, "0"), nn.Module)
    assert rl.equal(module.last(X), net.last(X))
    calls = [n.target for n in module.graph.nodes if n.op == "call_module"]
    assert calls == ["layers.0", "layers.1", "layers.0@1", "last"]
    with pytest.raises(ValueError, match="that it was exported for"):
        module(X, X)

    class Adapter(rl.export.FlatArgsAdapter):
        def adapt(
            self, target_spec: Any, input_spec: Any, input_args: Any, metadata: Any = None, obj: Any = None
        ) -> Any:
            return input_args[:1]

    assert rl.equal(rl.export.unflatten(export(net, (X,)), Adapter())(X, X), net(X))


@dataclasses.dataclass
class Pair:
    """Two tensors."""

    a: Any
    b: Any


@pytest.mark.filterwarnings("ignore:export.load")
def test_a_dataclass_among_the_arguments() -> None:
    rl.export.register_dataclass(Pair, serialized_type_name="test_export.Pair")
    f = Fn(lambda p: Pair(p.a + p.b, p.a))
    program = export(f, (Pair(X, X + 1),))
    for p in (program, again(program)):
        found = p.module()(Pair(X, X + 1))
        assert isinstance(found, Pair) and rl.equal(found.a, X + (X + 1))
    assert [n.name for n in program.graph.nodes if n.op == "placeholder"] == ["args_0_a", "args_0_b"]


def test_what_is_lacking_says_so() -> None:
    with pytest.raises(NotImplementedError, match="draft_export"):
        rl.export.draft_export(Net(), (X,))
    with pytest.raises(NotImplementedError, match="preserve_module_call_signature"):
        export(Net(), (X,), preserve_module_call_signature=("lin",))


def test_a_program_on_another_device() -> None:
    program = export(Net(), (X,))
    meta = rl.export.passes.move_to_device_pass(program, "meta")
    assert {str(t.device) for t in (*meta.state_dict.values(), *meta.constants.values())} == {"meta"}
    assert meta.module()(X.to("meta")).shape == (4, 3)
    made = rl.export.passes.move_to_device_pass(export(Fn(lambda x: x + rl.ones(6)), (X,)), {"cpu": "meta"})
    assert made.module()(X.to("meta")).is_meta
    assert {str(t.device) for t in program.state_dict.values()} == {"cpu"}
