# ruff: noqa
"""Classes of a program's own in the place of tensors and numbers: what their constructors take, what place in the graph
results have, and that numbers of a class of its own are numbers. A line a fact, by PyTorch and by rushlight.
"""

import enum

import torch
from torch.utils._python_dispatch import TorchDispatchMode


def say(label, f):
    try:
        found = f()
    except Exception as e:
        found = f"raises {type(e).__name__}"
    print(f"{label}: {found}".replace("\n", " "))


class Passes(torch.Tensor):
    def __init__(self, data):
        pass


class Calls(torch.Tensor):
    def __init__(self, data):
        super().__init__()


class Hands(torch.Tensor):
    def __init__(self, *a):
        super().__init__(*a)


class More(torch.Tensor):
    def __init__(self, data, extra):
        super().__init__()


class Both(torch.Tensor):
    def __new__(cls, data, extra=None):
        return super().__new__(cls, data)

    def __init__(self, data, extra=None):
        super().__init__(data)


class Sets(torch.Tensor):
    @staticmethod
    def __new__(cls, x, meta=None, *a, **k):
        return super().__new__(cls, x, *a, **k)

    def __init__(self, x, meta=None):
        self.meta = meta


class New(torch.Tensor):
    @staticmethod
    def __new__(cls, x, *a):
        return torch.Tensor.__new__(cls, x)


class Made(torch.Tensor):
    def __new__(cls, *a, **k):
        return torch.Tensor._make_subclass(cls, torch.ones(2))


class Empty(torch.Tensor):
    def __new__(cls, *a, **k):
        return super().__new__(cls)


class Kept(torch.nn.Parameter):
    def __new__(cls, d, extra=1):
        return super().__new__(cls, d, requires_grad=False)

    def __init__(self, d, extra=1):
        self.extra = extra


class Plain(torch.Tensor):
    pass


leaf = torch.ones(2, requires_grad=True)
given = {
    "nothing": (),
    "values": ([1.0, 2.0],),
    "values and more": ([1.0, 2.0], 3),
    "sizes": (2, 3),
    "a size": (torch.Size([2, 1]),),
    "ints": (torch.arange(3),),
    "floats": (torch.arange(3.0),),
    "leaf": (leaf,),
    "result": (leaf * 2,),
    "None": (None,),
    "text": ("a",),
    "dtype": (torch.float64,),
    "storage": (torch.ones(2).untyped_storage(),),
}


def fact(x):
    node = x.grad_fn.name() if x.grad_fn is not None else None
    return type(x).__name__, tuple(x.shape), x.dtype, x.requires_grad, x.is_leaf, x._is_view(), node


for cls in (torch.Tensor, Plain, Passes, Calls, Hands, More, Both, Sets, New, Made, Empty, Kept):
    for name, args in given.items():
        say(f"{cls.__name__} of {name}", lambda: fact(cls(*args)))
for keywords in ({"device": "cpu"}, {"size": (2,)}, {"data": [1.0]}):
    say(f"keywords {sorted(keywords)}", lambda: fact(Plain(**keywords)))
for args in ((), (1,), ("x",)):
    say(f"init of a plain tensor {args}", lambda: torch.Tensor.__init__(torch.ones(1), *args))
with torch.device("meta"):
    say("default device", lambda: (torch.Tensor(2).device, Plain([1.0]).device))
with torch.inference_mode():
    say("inference", lambda: (torch.Tensor([1.0]).is_inference(), Plain([1.0]).is_inference()))


def shared():
    base = torch.arange(3.0)
    Passes(base)[0] = 9
    return base


say("memory is shared", shared)

s = Plain([1.0, 2.0]).requires_grad_()
for name, f in {
    "mul": lambda: s * 2,
    "index": lambda: s[0],
    "max": lambda: s.max(0).values,
    "view": lambda: s.view(2, 1),
    "clone": lambda: s.clone(),
    "detach": lambda: s.detach(),
    "stack": lambda: torch.stack([s, s]),
    "as_subclass": lambda: torch.ones(2).as_subclass(Plain),
}.items():
    say(f"result of {name}", lambda: fact(f()))
with torch.no_grad():
    say("result without grad", lambda: fact(s * 2))


def through_a_view():
    x = Plain([1.0, 2.0]).requires_grad_()
    a = x * 2
    a[0:1].mul_(10)
    a.sum().backward()
    return x.grad


def base_of_a_view():
    x = Plain([1.0, 2.0])
    v = x.view(2, 1)
    v.add_(1)
    return x.tolist(), x._version, v._version, v._base is x


def leaf_by_a_view():
    Plain([1.0, 2.0]).requires_grad_().view(2, 1).add_(1)


say("write through a view", through_a_view)
say("base of a view", base_of_a_view)
say("write to a view of a leaf", leaf_by_a_view)
say("one part of many", lambda: (s * 2).unbind(0)[0].mul_(2))


class P(torch.nn.Parameter):
    pass


for x in (P(torch.ones(2)), torch.nn.Parameter(Plain([1.0])), torch.nn.Parameter(torch.ones(1)), s * 2):
    say("shown", lambda: repr(x))


class Float(float):
    pass


class Int(int):
    pass


class Enum(enum.IntEnum):
    TWO = 2


one, x = torch.ones(1), torch.arange(4.0)
for name, f in {
    "full": lambda v: torch.full((2,), v),
    "fill_": lambda v: torch.zeros(2).fill_(v),
    "full_like": lambda v: torch.full_like(x, v),
    "new_full": lambda v: x.new_full((2,), v),
    "mul": lambda v: x * v,
    "rmul": lambda v: v * x,
    "add": lambda v: torch.add(x, v),
    "sub": lambda v: torch.sub(x, x, alpha=v),
    "pow": lambda v: x**v,
    "rpow": lambda v: v**x,
    "gt": lambda v: x > v,
    "clamp": lambda v: x.clamp(max=v),
    "where": lambda v: torch.where(x > 1, v, 0.0),
    "setitem": lambda v: x.clone().__setitem__(0, v),
    "arange": lambda v: torch.arange(v),
    "linspace": lambda v: torch.linspace(0, v, 3),
    "tensor": lambda v: torch.tensor([v, 1]),
    "masked_fill": lambda v: x.masked_fill(x > 1, v),
    "lerp": lambda v: torch.lerp(x, x + 1, v),
    "leaky_relu": lambda v: torch.nn.functional.leaky_relu(-x, v),
    "addcmul": lambda v: torch.addcmul(x, x, x, value=v),
    "norm": lambda v: x.norm(p=v),
    "pad": lambda v: torch.nn.functional.pad(x, (1, 1), value=v),
    "div": lambda v: torch.div(x, v, rounding_mode="floor"),
    "softplus": lambda v: torch.nn.functional.softplus(x, v),
    "isclose": lambda v: torch.isclose(x, x, rtol=v),
    "scalar_tensor": lambda v: torch.scalar_tensor(v),
    "nan_to_num": lambda v: torch.nan_to_num(x, v),
    "index_fill": lambda v: x.index_fill(0, torch.tensor([0]), v),
    "scatter": lambda v: torch.scatter(x, 0, torch.tensor([0]), v),
    "std": lambda v: x.std(correction=v),
    "logit": lambda v: torch.logit(x / 4, eps=v / 8),
}.items():
    for v in (Float(2.0), Int(2), Enum.TWO):
        say(f"number of {type(v).__name__} in {name}", lambda: (f(v), getattr(f(v), "dtype", None)))


class Passing(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


for name, f in {
    "ones": lambda: torch.ones(2, requires_grad=True),
    "zeros_like": lambda: torch.zeros_like(x, requires_grad=True),
    "tensor": lambda: torch.tensor([1.0], requires_grad=True),
    "rand": lambda: torch.rand(2, requires_grad=True),
    "full": lambda: torch.full((2,), 1.0, requires_grad=True),
    "new_zeros": lambda: x.new_zeros(2, requires_grad=True),
    "linspace": lambda: torch.linspace(0, 1, 3, requires_grad=True),
    "interpolate": lambda: torch.nn.functional.interpolate(leaf.view(1, 1, 2), scale_factor=2.0),
}.items():
    with Passing():
        say(f"in a dispatch mode {name}", lambda: f().requires_grad)
for (
    name
) in "native_layer_norm convolution_backward gelu_backward _scaled_dot_product_efficient_attention lift_fresh".split():
    say(
        f"inner name {name}",
        lambda: (str(getattr(torch.ops.aten, name).default), getattr(torch.ops.aten, name).default.name()),
    )
say("no inner name", lambda: torch.ops.aten.nope)

library = torch.library.Library("older_forms", "DEF")


@torch.library.define(library, "plus(Tensor x) -> Tensor")
def plus(x):
    return x + 1


library.define("times(Tensor x, int n, int[2] k=[1, 1], *, bool? f=None) -> Tensor")


@torch.library.impl(library, "times", "CPU")
def times(x, n, k=(1, 1), f=None):
    return x * n


class Recorded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n, k=None, f=None):
        ctx.n = n
        with torch._C._AutoDispatchBelowAutograd():
            return torch.ops.older_forms.times(x, n)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.n, None, None, None


say("define as a decorator", lambda: torch.ops.older_forms.plus(one))
say("impl as a decorator", lambda: torch.ops.older_forms.times(one, 3))
say("a schema with a list", lambda: torch.ops.older_forms.times.default._schema)
library.impl("times", Recorded.apply, "Autograd")
say("a function for autograd", lambda: type(torch.ops.older_forms.times(leaf, 4).grad_fn).__name__)
say("its gradient", lambda: torch.autograd.grad(torch.ops.older_forms.times(leaf, 4).sum(), leaf)[0])
overrides = torch.overrides.get_testing_overrides()
say("testing overrides", lambda: (overrides[torch.add](1, 2), overrides[torch.nn.functional.relu](1)))
say("testing overrides of too little", lambda: overrides[torch.add]())
say("a method", lambda: [torch.overrides.is_tensor_method_or_property(f) for f in (torch.Tensor.add, torch.add)])
handle = torch.ops.profiler._record_function_enter("range")
say("a range ends", lambda: torch.ops.profiler._record_function_exit(handle))
