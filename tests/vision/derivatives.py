"""A program of test_wheel.py: derivatives, batches and traces of torchvision's operators, which PyTorch has a part
of.
"""

import torch
from torch.autograd import gradcheck, gradgradcheck
from torch.func import jvp, vjp, vmap
from torchvision import ops

torch.manual_seed(0)
rois = torch.tensor([[0, 0.5, 0.7, 6.1, 5.2], [1, 2.0, 1.1, 7.3, 6.8], [0, -1.0, 2.0, 3.3, 9.0]], dtype=torch.float64)
x = torch.randn(2, 4, 7, 8, dtype=torch.float64)
POOLING = {
    "roi_align": lambda x: ops.roi_align(x, rois, 2, 1.0, 2, True),
    "roi_pool": lambda x: ops.roi_pool(x, rois, 2),
    "ps_roi_align": lambda x: ops.ps_roi_align(x, rois, 2, 1.0, 2),
    "ps_roi_pool": lambda x: ops.ps_roi_pool(x, rois, 2),
}
for name, pool in POOLING.items():
    leaf = x.clone().requires_grad_()
    assert gradcheck(pool, leaf, fast_mode=True) and gradgradcheck(pool, leaf, fast_mode=True), name
    value, tangent = jvp(pool, (x,), (x,))
    _, pull = vjp(pool, x)
    assert torch.allclose((tangent * value).sum(), (pull(value)[0] * x).sum()), name
    batch = torch.stack([x, x + 1, -x])
    assert torch.allclose(vmap(pool)(batch), torch.stack([pool(b) for b in batch])), name

# Batches of regions, with the same images or with their own.
many = torch.stack([rois, rois + torch.tensor([0, 0.3, 0.1, 0.2, 0.4]).double()])
align = lambda x, r: ops.roi_align(x, r, 2, 1.0, 2)
assert torch.allclose(vmap(align, (None, 0))(x, many), torch.stack([align(x, r) for r in many]))
assert torch.allclose(vmap(align)(torch.stack([x, -x]), many), torch.stack([align(x, many[0]), align(-x, many[1])]))

offset, mask = torch.rand(1, 8, 3, 3).double() * 0.8 + 0.1, torch.rand(1, 4, 3, 3).double()
weight, image = torch.randn(2, 2, 2, 2).double(), torch.randn(1, 2, 4, 4).double()
inputs = [t.requires_grad_() for t in (image, offset, weight, mask)]
convolve = lambda x, o, w, m: ops.deform_conv2d(x, o, w, mask=m)
assert gradcheck(convolve, inputs, fast_mode=True) and gradgradcheck(convolve, inputs, fast_mode=True)

# A module that pools, traced by fx and recorded by compile.
pool = ops.RoIAlign(2, 1.0, 2)
traced = torch.fx.symbolic_trace(pool)
assert torch.equal(traced(x, rois), pool(x, rois)), traced.code
assert torch.equal(torch.compile(pool)(x, rois), pool(x, rois))

# What no image is: an error, and not what lies beside it in memory.
for bad in (-1.0, 2.0, float("nan")):
    wrong = rois.clone()
    wrong[1, 0] = bad
    try:
        ops.roi_align(x, wrong, 2)
    except IndexError as error:
        assert "must be the number of an image" in str(error)
    else:
        raise AssertionError("an image that is not there")
huge = rois.clone()
huge[:, 1:] = torch.tensor([[-1e30, 0.0, 1e30, 1e300], [float("nan")] * 4, [0.0, 0.0, float("inf"), 5.0]])
for name, pool in (("roi_align", ops.roi_align), ("roi_pool", ops.roi_pool)):
    assert pool(x, huge, 2).shape == (3, 4, 2, 2), name
