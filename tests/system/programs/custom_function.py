"""Functions with derivatives of one's own: a straight-through estimator, double backward, gradcheck, in-place, several
outputs.
"""

import torch
from common import show
from torch.autograd import Function, gradcheck, gradgradcheck
from torch.autograd.function import once_differentiable


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x**2


class Round(Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class SplitScale(Function):
    @staticmethod
    def forward(ctx, x, scale, name):
        ctx.scale = scale
        ctx.set_materialize_grads(False)
        ctx.name = name
        return x * scale, x.argmax()

    @staticmethod
    @once_differentiable
    def backward(ctx, g, _):
        assert ctx.needs_input_grad == (True, False, False) and ctx.name == "n"
        return g * ctx.scale, None, None


class Clip(Function):
    @staticmethod
    def forward(x, low, high):
        return x.clamp(low, high)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, low, high = inputs
        ctx.save_for_backward((x >= low) & (x <= high))

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0], None, None


x = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64, requires_grad=True)
assert gradcheck(Cube.apply, (x,)) and gradgradcheck(Cube.apply, (x,))
y = Cube.apply(x)
print(type(y.grad_fn).__name__)
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
(h,) = torch.autograd.grad(g.sum(), x)
show("cube", y, g, h)
(Round.apply(x * 1.7) * x).sum().backward()
show("straight through", x.grad)
x.grad = None
out, at = SplitScale.apply(x, 2.5, "n")
out.sum().backward()
show("scale", x.grad, at.item())
x.grad = None
Clip.apply(x * 1.0, -1.0, 0.7).sum().backward()
show("clip", x.grad)
try:
    Cube.apply(x).sum().backward(retain_graph=False)
    z = Cube.apply(x)
    s = z.sum()
    s.backward()
    s.backward()
except RuntimeError as e:
    print("second backward:", "retain_graph" in str(e))
