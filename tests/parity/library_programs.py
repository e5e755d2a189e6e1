# ruff: noqa: UP006, UP035, UP045, UP007, F811, RUF100, E704, B023, E302, E305, E731, F821, F401, I001
"""What `torch.library` does with operators that programs define, a line a fact: run by PyTorch and by rushlight, the
lines are compared.
"""

import typing
from collections.abc import Sequence
from typing import List, Optional, Tuple, Union

import torch
from torch import Tensor
from torch.library import Library, custom_op, infer_schema, opcheck

lines: list[str] = []


def say(label: str, f) -> None:
    try:
        found = f()
    except Exception as e:
        found = f"raises {type(e).__name__}"
    lines.append(f"{label}: {found}")


# ---- schemas of signatures
def s00(x: Tensor) -> Tensor: ...
def s01(x: Tensor, y: float) -> Tensor: ...
def s02(x: Tensor, y: int = 3) -> Tensor: ...
def s03(x: Tensor, y: bool = True) -> Tuple[Tensor, Tensor]: ...
def s04(x: Optional[Tensor]) -> Tensor: ...
def s05(x: Optional[Tensor] = None) -> Tensor: ...
def s06(x: List[Tensor]) -> List[Tensor]: ...
def s07(x: Sequence[int]) -> Tensor: ...
def s08(x: List[int], y: List[float], z: List[bool]) -> Tensor: ...
def s09(x: Tensor, *, y: float = 1.5) -> Tensor: ...
def s10(x: Tensor, y: str = "abc") -> Tensor: ...
def s11(x: Tensor, d: torch.dtype) -> Tensor: ...
def s12(x: Tensor, d: Optional[torch.dtype] = None) -> Tensor: ...
def s13(x: Tensor, d: torch.device) -> Tensor: ...
def s14(x: Tensor) -> None: ...
def s15(x: Tensor) -> int: ...
def s16(x: Tensor) -> Tuple[int, Tensor, float]: ...
def s17(x: Union[int, float, bool]) -> Tensor: ...
def s18(x: List[Optional[Tensor]]) -> Tensor: ...
def s19(x: Optional[List[int]] = None) -> Tensor: ...
def s20(x: Tensor, y): ...
def s21(x) -> Tensor: ...
def s22(x: Tensor, *args: int) -> Tensor: ...
def s23(x: Tensor, **kw: int) -> Tensor: ...
def s24(x: dict) -> Tensor: ...
def s25(x: Tensor, y: float = 1e-5, z: int = -1) -> Tensor: ...
def s26(x: Tensor, y: Optional[int] = None, z: Optional[float] = 2.0) -> Tensor: ...
def s27(x: typing.Sequence[Tensor], n: int) -> typing.Sequence[Tensor]: ...
def s28(x: Tensor) -> bool: ...
def s29(x: "Tensor") -> "Tensor": ...
def s30(x: "torch.Tensor", y: "Optional[int]" = None) -> "torch.Tensor": ...
def s31(x: Tensor | None, y: int | None = None) -> Tensor: ...
def s32(x: list[int], y: tuple[int, int]) -> Tensor: ...
def s33(x: torch.SymInt) -> Tensor: ...
def s34(x: Tensor, y: List[int] = (1, 2)) -> Tensor: ...
def s35(x: Tensor, y: torch.types.Number = 1) -> Tensor: ...
def s36(x: Tensor, y: Tensor) -> Tensor: ...
def s37() -> Tensor: ...
def s38(x: Tensor) -> Optional[Tensor]: ...
def s39(x: Tensor) -> dict: ...


for _i in range(40):
    _f = globals()[f"s{_i:02}"]
    say(f"schema {_i}", lambda: infer_schema(_f, mutates_args=()))
for _args in (("x",), ["x"], "unknown", ("z",), ("x", "y"), {"x"}):
    say(f"mutates {_args}", lambda: infer_schema(s36, mutates_args=_args))
say("mutates a number", lambda: infer_schema(s01, mutates_args=("y",)))
say("mutates an optional", lambda: infer_schema(s04, mutates_args=("x",)))
say("mutates a list", lambda: infer_schema(s06, mutates_args=("x",)))
say("named", lambda: infer_schema(s00, mutates_args=(), op_name="space::f"))


# ---- an operator with everything
@custom_op("facts::scaled", mutates_args=())
def scaled(x: Tensor, factor: float = 2.0) -> Tensor:
    """x times a factor."""
    return torch.from_numpy(x.detach().numpy() * factor)


say("call", lambda: scaled(torch.ones(2)).tolist())
say("by ops", lambda: torch.ops.facts.scaled(torch.ones(2), 3.0).tolist())
say("overload", lambda: torch.ops.facts.scaled.default(torch.ones(2), factor=4.0).tolist())
say("repr", lambda: repr(scaled))
say(
    "text",
    lambda: (
        str(torch.ops.facts.scaled),
        str(torch.ops.facts.scaled.default),
        torch.ops.facts.scaled.default.name(),
        repr(torch.ops.facts.scaled.default),
    ),
)
say("schema", lambda: str(torch.ops.facts.scaled.default._schema))
say(
    "arguments",
    lambda: [
        (a.name, str(a.type), a.has_default_value(), a.default_value, a.kwarg_only)
        for a in torch.ops.facts.scaled.default._schema.arguments
    ],
)
say("returns", lambda: [str(a.type) for a in torch.ops.facts.scaled.default._schema.returns])
say("overloads", lambda: torch.ops.facts.scaled.overloads())
say(
    "namespace",
    lambda: (
        torch.ops.facts.scaled.default.namespace,
        torch.ops.facts.scaled.default._opname,
        torch.ops.facts.scaled.default._overloadname,
        torch.ops.facts.scaled.__name__,
        torch.ops.facts.scaled.__module__,
    ),
)
for op in (torch.ops.facts.scaled.default, torch.ops.aten.add.Tensor, torch.ops.aten.transpose.int):
    say(
        f"names of {op}",
        lambda op=op: (
            [op._name, op.name(), op.__name__, op.__qualname__, op.__module__, op._overloadname],
            op._overloadpacket is op.overloadpacket,
            str(op._overloadpacket),
            getattr(op._overloadpacket, op._overloadname) is op,
        ),
    )
say(
    "has",
    lambda: (
        hasattr(torch.ops.facts, "scaled"),
        hasattr(torch.ops.facts, "other"),
        hasattr(torch.ops, "nothing_there"),
    ),
)
say("missing argument", lambda: scaled())
say("unknown argument", lambda: scaled(torch.ones(2), there=1))
say("wrong kind", lambda: scaled(2.0))
say("wrong number", lambda: scaled(torch.ones(2), "a"))
say("int for float", lambda: scaled(torch.ones(2), 3).tolist())
say("name", lambda: (scaled.__name__, scaled.__doc__, scaled._qualname, scaled._name, scaled._namespace))
say("meta before", lambda: scaled(torch.ones(2, device="meta")).shape)


@scaled.register_fake
def _(x, factor=2.0):
    return torch.empty_like(x)


say("meta", lambda: scaled(torch.ones(2, 3, device="meta")).shape)
say("gradient before", lambda: scaled(torch.ones(2, requires_grad=True)).sum().backward())


def _setup(ctx, inputs, output):
    ctx.factor = inputs[1]
    ctx.n = len(inputs)


def _backward(ctx, g):
    return g * ctx.factor, None


scaled.register_autograd(_backward, setup_context=_setup)


def _grad():
    x = torch.ones(2, requires_grad=True)
    y = scaled(x, 5.0)
    y.sum().backward()
    return x.grad.tolist(), y.requires_grad


say("gradient", _grad)
say(
    "node",
    lambda: (
        scaled(torch.ones(2, requires_grad=True)).grad_fn.name(),
        type(scaled(torch.ones(2, requires_grad=True)).grad_fn).__name__,
    ),
)
say("vmap before", lambda: torch.func.vmap(scaled)(torch.ones(3, 2)))


@scaled.register_vmap
def _(info, in_dims, x, factor=2.0):
    return scaled(x, factor), in_dims[0]


say("vmap", lambda: torch.func.vmap(lambda x: scaled(x, 3.0))(torch.ones(3, 2)).tolist())
say("vmap dim", lambda: torch.func.vmap(scaled, in_dims=1)(torch.ones(3, 2)).shape)
say(
    "opcheck",
    lambda: opcheck(
        scaled, (torch.ones(3), 2.0), test_utils=("test_schema", "test_autograd_registration", "test_faketensor")
    ),
)
say(
    "opcheck grad",
    lambda: opcheck(
        scaled,
        (torch.ones(3, requires_grad=True), 2.0),
        test_utils=("test_schema", "test_autograd_registration", "test_faketensor"),
    ),
)
say("again", lambda: custom_op("facts::scaled", mutates_args=())(s00) and "replaced")
say("no namespace", lambda: custom_op("plain", mutates_args=())(s00))
say("no mutates", lambda: custom_op("facts::nomut")(s00))


# ---- writing to arguments
@custom_op("facts::fill_up", mutates_args={"x"})
def fill_up(x: Tensor, value: float) -> None:
    x.fill_(value)


def _written():
    x = torch.zeros(2)
    v = x._version
    r = fill_up(x, 3.0)
    return (
        x.tolist(),
        r,
        x._version > v,
        str(torch.ops.facts.fill_up.default._schema),
        torch.ops.facts.fill_up.default._schema.is_mutable,
    )


say("written", _written)
say("gradient of a writer", lambda: fill_up.register_autograd(lambda ctx, g: g))
say("written requires grad", lambda: fill_up(torch.zeros(2, requires_grad=True), 1.0))


@custom_op("facts::liar", mutates_args=())
def liar(x: Tensor) -> Tensor:
    x.add_(1)
    return x.clone()


say("opcheck liar", lambda: opcheck(liar, (torch.ones(2),), test_utils="test_schema"))


@custom_op("facts::same", mutates_args=())
def same(x: Tensor) -> Tensor:
    return x


say("returns its argument", lambda: same(torch.ones(2)).tolist())


@custom_op("facts::several", mutates_args=())
def several(xs: List[Tensor], n: int) -> Tuple[Tensor, Tensor]:
    return xs[0] * n, torch.stack(list(xs)).sum(0)


say("several", lambda: [t.tolist() for t in several([torch.ones(2), torch.ones(2)], 3)])
say("several schema", lambda: str(torch.ops.facts.several.default._schema))
several.register_autograd(
    lambda ctx, a, b: ([a * ctx.n + b] + [b] * (ctx.k - 1), None),
    setup_context=lambda ctx, inputs, output: (
        (setattr(ctx, "n", inputs[1]), setattr(ctx, "k", len(inputs[0]))) and None
    ),
)


def _lists():
    xs = [torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)]
    a, b = several(xs, 3)
    (a.sum() + 2 * b.sum()).backward()
    return [x.grad.tolist() for x in xs]


say("gradients of a list", _lists)


# ---- registered kernels, autocast
@custom_op("facts::kinds", mutates_args=(), device_types="cpu")
def kinds(x: Tensor) -> Tensor:
    return x + 1


@kinds.register_kernel("cuda")
def _(x):
    return x - 1


say("kernel", lambda: kinds(torch.zeros(1)).item())
kinds.register_autocast("cpu", torch.bfloat16)


def _cast():
    with torch.autocast("cpu", torch.bfloat16):
        return (
            kinds(torch.zeros(1)).dtype,
            kinds(torch.zeros(1, dtype=torch.int64)).dtype,
            kinds(torch.zeros(1, dtype=torch.float64)).dtype,
        )


say("autocast", _cast)
say("autocast off", lambda: kinds(torch.zeros(1)).dtype)
say("autocast type", lambda: kinds.register_autocast("nothing", torch.float16))


def _disabled():
    kinds.register_kernel("cpu", lambda x: x + 10)
    with kinds.set_kernel_enabled("cpu", False):
        inside = kinds(torch.zeros(1)).item()
    return inside, kinds(torch.zeros(1)).item()


say("kernel enabled", _disabled)

# ---- Library
lib = Library("facts2", "DEF")
say("library", lambda: repr(lib))
say("define", lambda: lib.define("add_up(Tensor x, Tensor y, *, int n=1) -> Tensor"))
say("define overload", lambda: lib.define("add_up.scalar(Tensor x, Scalar y) -> Tensor"))
say("define twice", lambda: lib.define("add_up(Tensor x) -> Tensor"))
say("bad schema", lambda: lib.define("add_up2(Tensor x -> Tensor"))
say("unknown type", lambda: lib.define("add_up3(Nothing x) -> Tensor"))
say("not implemented", lambda: torch.ops.facts2.add_up(torch.ones(1), torch.ones(1)))
lib.impl("add_up", lambda x, y, *, n=1: x + n * y, "CPU")
say("implemented", lambda: torch.ops.facts2.add_up(torch.ones(1), torch.ones(1), n=4).tolist())
say("composite", lambda: lib.impl("add_up.scalar", lambda x, y: x + y, "CompositeImplicitAutograd"))
say(
    "by scalar",
    lambda: (
        torch.ops.facts2.add_up.scalar(torch.ones(1), 2).tolist(),
        torch.ops.facts2.add_up(torch.ones(1), 2.5).tolist(),
    ),
)
say("meta kernel", lambda: lib.impl("add_up", lambda x, y, *, n=1: torch.empty_like(x), "Meta"))
say("meta call", lambda: torch.ops.facts2.add_up(torch.ones(3, device="meta"), torch.ones(3, device="meta")).shape)
say("unknown key", lambda: lib.impl("add_up", lambda x: x, "Nothing"))
say("unknown op", lambda: lib.impl("subtract", lambda x: x, "CPU"))
say("second library", lambda: Library("facts2", "DEF"))
say("kind", lambda: Library("facts2", "WRONG"))
say("fragment", lambda: Library("facts2", "FRAGMENT").define("more(Tensor x) -> Tensor"))
say("impl library", lambda: Library("facts2", "IMPL").define("even_more(Tensor x) -> Tensor"))
say(
    "autograd key",
    lambda: lib.impl("add_up", lambda x, y, *, n=1: (_ for _ in ()).throw(ValueError("seen")), "AutogradCPU"),
)
say("autograd call", lambda: torch.ops.facts2.add_up(torch.ones(1, requires_grad=True), torch.ones(1)))
say("not callable", lambda: lib.impl("more", 3, "CPU"))

torch.library.define("facts3::g", "(Tensor x) -> Tensor")


@torch.library.impl("facts3::g", "cpu")
def _g(x):
    return x.cos()


say("define and impl", lambda: torch.ops.facts3.g(torch.zeros(1)).item())


@torch.library.register_fake("facts3::g")
def _g_fake(x):
    return torch.empty_like(x)


say("fake", lambda: torch.ops.facts3.g(torch.zeros(2, device="meta")).shape)
torch.library.register_autograd(
    "facts3::g",
    lambda ctx, g: -g * ctx.saved_tensors[0].sin(),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]),
)


def _g_grad():
    x = torch.ones(1, requires_grad=True)
    y = torch.ops.facts3.g(x)
    y.backward()
    return round(x.grad.item(), 4), y.grad_fn is not None


say("registered gradient", _g_grad)
say("func.grad", lambda: round(torch.func.grad(lambda x: torch.ops.facts3.g(x).sum())(torch.ones(1)).item(), 4))
say("unknown name", lambda: torch.library.register_fake("facts3::nothing")(lambda x: x) and "kept for later")
say("unknown gradient", lambda: torch.library.register_autograd("facts3::nothing2", lambda ctx, g: g))
say("kernel name", lambda: torch.library.register_kernel("facts3::g", "nothing")(lambda x: x))
say("attribute", lambda: torch.ops.facts3.nothing)
say("namespace is lazy", lambda: type(torch.ops.never_made).__name__)
say("load", lambda: torch.ops.load_library("/nowhere/there.so"))
say(
    "aten",
    lambda: (
        str(torch.ops.aten.add.Tensor),
        str(torch.ops.aten.relu.default),
        torch.ops.aten.add.Tensor(torch.ones(1), 2).tolist(),
    ),
)
say("tags", lambda: custom_op("facts::tagged", mutates_args=(), tags=(torch.Tag.pointwise,))(s00)._opoverload.tags)
say(
    "schema given",
    lambda: custom_op("facts::given", lambda x: x.clone(), mutates_args=(), schema="(Tensor x) -> Tensor")(
        torch.ones(1)
    ).tolist(),
)
say("device", lambda: (kinds._opoverload.namespace, kinds._opoverload is torch.ops.facts.kinds.default))


class Sub(torch.Tensor):
    pass


scaled.register_torch_dispatch if hasattr(scaled, "register_torch_dispatch") else None
say("subclass", lambda: type(kinds(torch.ones(1).as_subclass(Sub))).__name__)

with torch.library._scoped_library("facts4", "FRAGMENT") as scoped:
    scoped.define("h(Tensor x) -> Tensor")
    scoped.impl("h", lambda x: x * 2, "CompositeExplicitAutograd")
    say("scoped", lambda: torch.ops.facts4.h(torch.ones(1)).item())
say("scoped after", lambda: torch.ops.facts4.h(torch.ones(1)).item())

if __name__ == "__main__":
    print("\n".join(lines))
