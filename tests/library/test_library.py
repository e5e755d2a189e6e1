"""Operators that a program defines: the call, what is derived, what is registered, what is refused; and
torch.ops.aten.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import rushlight as rl
from rushlight import library
from rushlight.library.operator import NAMESPACES
from rushlight.library.schema import fitting, parse_schema, taken_as_they_are
from rushlight.operators.table.define import METHODS, TABLE


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    yield
    for name in [n for n in NAMESPACES if n.startswith("mine")]:
        del NAMESPACES[name]


def scaled(x: rl.Tensor, by: float = 2.0) -> rl.Tensor:
    return x.sin() * by


def cubed(x: rl.Tensor, n: int) -> rl.Tensor:
    return rl.from_numpy(x.numpy() ** n)


def test_an_operator_written_in_operators_gets_its_gradient_and_its_batched_form() -> None:
    f = library.custom_op("mine::scaled", scaled, mutates_args=())
    x = rl.rand(4, dtype=rl.float64, requires_grad=True)
    assert rl.equal(f(x, 3.0), scaled(x, 3.0)) and rl.equal(rl.ops.mine.scaled(x), scaled(x))
    assert rl.autograd.gradcheck(f, (x,)) and rl.autograd.gradcheck(
        lambda t: rl.ops.mine.scaled.default(t, by=0.5), (x,)
    )
    rows = rl.rand(3, 4)
    assert rl.equal(rl.vmap(f)(rows), scaled(rows)) and f(rl.empty(2, 3, device="meta")).shape == (2, 3)
    assert library.opcheck(f, (x,)) == dict.fromkeys(
        ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic"), "SUCCESS"
    )


def test_an_opaque_operator_takes_what_is_registered() -> None:
    f = library.custom_op("mine::cubed", cubed, mutates_args=())
    x = rl.rand(4, dtype=rl.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match="register_autograd"):
        f(x, 3).sum().backward()

    def keep(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(inputs[0])
        ctx.n = inputs[1]

    f.register_autograd(lambda ctx, g: (g * ctx.n * ctx.saved_tensors[0] ** (ctx.n - 1), None), setup_context=keep)
    assert rl.autograd.gradcheck(lambda t: f(t, 3), (x,))
    f.register_fake(lambda x, n: rl.empty_like(x))
    assert f(rl.empty(3, device="meta"), 2).shape == (3,)
    f.register_vmap(lambda info, dims, x, n: (f(x, n), dims[0]))
    assert rl.equal(rl.vmap(lambda v: f(v, 2), in_dims=1)(rl.full((3, 2), 3.0)), rl.full((2, 3), 9.0))


def test_what_a_graph_does_not_repeat_fails_the_check() -> None:
    calls = [0]

    def counted(x: rl.Tensor) -> rl.Tensor:
        calls[0] += 1
        return x + calls[0]

    f = library.custom_op("mine::counted", counted, mutates_args=())
    with pytest.raises(Exception, match="traced graph differs"):
        library.opcheck(f, (rl.ones(2),), test_utils="test_aot_dispatch_dynamic")
    assert library.opcheck(f, (rl.ones(2),), test_utils="test_aot_dispatch_dynamic", atol=9.0, rtol=0.0) == {
        "test_aot_dispatch_dynamic": "SUCCESS"
    }


def test_writing_to_an_argument() -> None:
    def write(x: rl.Tensor, out: rl.Tensor) -> None:
        out.copy_(x * 2)

    f = library.custom_op("mine::write", write, mutates_args={"out"})
    out = rl.zeros(2)
    f(rl.ones(2), out)
    assert (
        out.tolist() == [2, 2]
        and str(rl.ops.mine.write.default._schema) == "mine::write(Tensor x, Tensor(a1!) out) -> ()"
    )
    secret = library.custom_op("mine::secret", write, mutates_args=())
    with pytest.raises(Exception, match="'out' was written to"):
        library.opcheck(secret, (rl.ones(2), rl.zeros(2)))
    with pytest.raises(RuntimeError, match="functional operators only"):
        library.register_autograd(f, lambda ctx, g: g)


def test_a_library_defines_and_implements() -> None:
    mine = library.Library("mine2", "DEF")
    assert mine.define("both(Tensor x, int n=3, *, float[]? w=None, str s='a,b') -> (Tensor, Tensor)") == "both"
    with pytest.raises(NotImplementedError, match="no function is registered"):
        rl.ops.mine2.both(rl.ones(2))
    mine.impl("both", lambda x, n=3, *, w=None, s="": (x * n, x), "CPU")
    assert [t.tolist() for t in rl.ops.mine2.both(rl.ones(2), n=4)] == [[4, 4], [1, 1]]
    part = library.Library("mine2", "FRAGMENT")
    part.define("tri(Tensor x) -> Tensor")
    part.impl("tri", lambda x: x * x * x, "CompositeImplicitAutograd")
    x = rl.full((2,), 2.0, requires_grad=True)
    rl.ops.mine2.tri(x).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [12, 12]
    library.define("mine2::later", "(Tensor x) -> Tensor")
    library.impl("mine2::later", "cpu")(lambda x: x + 1)
    assert rl.ops.mine2.later(rl.zeros(1)).item() == 1
    op = rl.ops.mine2.later.default
    assert pickle.loads(pickle.dumps(op)) is op and op.name() == "mine2::later" and str(op) == "mine2.later.default"
    mine._destroy()
    assert not hasattr(rl.ops.mine2, "both")


def test_subclasses_and_modes_see_the_call() -> None:
    f = library.custom_op("mine::scaled", scaled, mutates_args=())
    seen = []

    class Mode(rl.overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func)
            return func(*args, **(kwargs or {}))

    x = rl.ones(2)
    with Mode():
        f(x)
    assert seen[0] is rl.ops.mine.scaled.default


@pytest.mark.parametrize(
    "text",
    [
        "a::b(Tensor x, SymInt n=1, *, float? f=None) -> Tensor",
        "a::b.c(Tensor(a!) self, Tensor? w=None, bool flag=True) -> Tensor(a!)",
        "a::b() -> ()",
        'a::b(Tensor[] xs, int[2] k, Scalar s=1, str m="mean") -> (Tensor values, Tensor indices)',
        "a::b(Tensor x, float eps=1e-05, int[] d=[0, 1]) -> Tensor[]",
    ],
)
def test_schemas_are_read_and_written_alike(text: str) -> None:
    assert str(parse_schema(text)) == text


def test_what_is_refused() -> None:
    library.custom_op("mine::scaled", scaled, mutates_args=())
    for error, call in (
        (OSError, lambda: rl.ops.load_library("x.so")),
        (NotImplementedError, lambda: library.triton_op("a::b", mutates_args=())),
        (AttributeError, lambda: rl.ops.mine.nothing),
        (RuntimeError, lambda: rl.ops.mine.scaled("text")),
        (RuntimeError, lambda: rl.ops.mine.scaled()),
        (RuntimeError, lambda: rl.ops.mine.scaled(rl.ones(1), 1.0, 2)),
        (ValueError, lambda: library.custom_op("scaled", scaled, mutates_args=())),
        (ValueError, lambda: library.infer_schema(lambda x: x, mutates_args=())),
        (RuntimeError, lambda: library.register_vmap("mine::nothing", scaled)),
        (RuntimeError, lambda: parse_schema("f(x) -> Tensor")),
    ):
        with pytest.raises(error):
            call()  # type: ignore[no-untyped-call]


def test_arguments_by_name_are_bound_and_refused_by_name() -> None:
    library.define("mine::many", "(Tensor x, float f, int n=1, *, bool? b=None) -> (Tensor, float, int, bool?)")
    library.impl("mine::many", "cpu")(lambda *places, **named: (places, named))
    many, x = rl.ops.mine.many, rl.ones(1)
    places, named = many(x, n=3, b=True, f=2)
    assert places[0] is x and places[1:] == (2.0, 3) and type(places[1]) is float and named == {"b": True}
    assert many(x, 2.5)[0][1:] == (2.5,)
    for message, call in (
        ("argument given twice 'f'", lambda: many(x, 1.0, f=1.0)),
        ("unknown argument 'g'", lambda: many(x, 1.0, g=1.0)),
        ("missing value for argument 'f'", lambda: many(x, n=2)),
        ("at most 3 argument", lambda: many(x, 1.0, 2, True)),
        ("'int' for argument 'n' but instead found type 'str'. Position: 2", lambda: many(x, 1.0, "2")),
    ):
        with pytest.raises(RuntimeError, match=message):
            call()  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(
    "kind", ["Tensor", "Tensor(a!)", "Tensor?", "int", "SymInt?", "float", "bool", "str", "Scalar", "Device?", "int[]"]
)
def test_what_is_taken_as_it_is_fits_as_it_is(kind: str) -> None:
    values = [rl.ones(1), 2, 2.5, True, "cpu", None, 1j, rl.float32, rl.device("cpu"), [1], (1,)]
    taken = [v for v in values if type(v) in taken_as_they_are(kind)]
    assert all(fitting(kind, v) is v for v in taken)
    assert bool(taken) == (kind != "int[]")  # the items of a list are looked at


def test_aten_has_the_table() -> None:
    x = rl.rand(2, 3)
    aten = rl.ops.aten
    assert (
        rl.equal(aten.add.Tensor(x, x), x + x)
        and rl.equal(aten.mul.Scalar(x, 2), x * 2)
        and rl.equal(aten.relu.default(x), x.relu())
    )
    out = rl.empty(2, 3)
    assert aten.add.out(x, x, out=out) is out and rl.equal(out, x + x)
    assert str(aten.relu.default._schema) == "aten::relu(Tensor self) -> Tensor" and aten.add.overloads() == [
        "Tensor",
        "Scalar",
        "out",
    ]
    assert aten.add is aten.add and aten.add.Tensor is aten.add.Tensor and aten.add.Tensor.overloadpacket is aten.add
    for name in [*METHODS, *(key for key in TABLE if "." not in key and not key.startswith("__"))]:
        if name.startswith("__"):
            continue
        packet = getattr(aten, name)
        assert packet.overloads() and all(
            str(getattr(packet, o)._schema).startswith(f"aten::{name}") for o in packet.overloads()
        )
    with pytest.raises(AttributeError):
        _ = aten.nothing_of_that_name


def test_a_fake_may_come_before_its_operator() -> None:
    library.register_fake("mine_early::twice", lambda x: rl.empty_like(x))
    with library._scoped_library("mine_early", "DEF") as defined:
        defined.define("twice(Tensor x) -> Tensor")
        defined.impl("twice", lambda x: x * 2, "CPU")
        assert rl.ops.mine_early.twice(rl.ones(2)).tolist() == [2, 2]
        assert rl.ops.mine_early.twice(rl.ones(3, device="meta")).shape == (3,)
    with pytest.raises(RuntimeError, match="no operator 'mine_early::other'"):
        library.register_vmap("mine_early::other", lambda: None)


def test_explain_shows_an_operator_of_the_program(capsys) -> None:
    """By name, as the object, and inside of a function: its schema, the operators in it, and where they are called."""

    @library.custom_op("shown::halved", mutates_args=())
    def halved(x: rl.Tensor, by: float = 2.0) -> rl.Tensor:
        return (x / by).tanh()

    x = rl.ones(2, 3)
    for what in ("shown::halved", halved, rl.ops.shown.halved, rl.ops.shown.halved.default, lambda x: halved(x)):
        rl.explain(what, x)
        text = capsys.readouterr().out
        assert "custom      shown::halved(Tensor x, float by=2.) -> Tensor: 2 operators" in text
        assert "tanh(float32[2, 3])" in text and "in shown::halved" in text
    with pytest.raises(LookupError, match="shown::nothing"):
        rl.explain("shown::nothing", x)


def test_vmap_of_what_is_no_composition_goes_example_by_example() -> None:
    """With a warning that says so; what is written in operators is derived, without one."""

    @library.custom_op("shown::by_numpy", mutates_args=())
    def by_numpy(x: rl.Tensor, ys: list[rl.Tensor]) -> tuple[rl.Tensor, rl.Tensor]:
        return rl.from_numpy(x.numpy() * 2), rl.from_numpy(ys[0].numpy() + 1)

    @library.custom_op("shown::by_operators", mutates_args=())
    def by_operators(x: rl.Tensor) -> rl.Tensor:
        return x * 2

    x, y = rl.randn(4, 3), rl.randn(3, 4)
    with pytest.warns(UserWarning, match="by_numpy.*once for each of 4 examples.*register_vmap"):
        a, b = rl.func.vmap(lambda x, y: by_numpy(x, [y]), in_dims=(0, 1))(x, y)
    assert rl.equal(a, x * 2) and rl.equal(b, y.t() + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rl.equal(rl.func.vmap(by_operators)(x), x * 2)
