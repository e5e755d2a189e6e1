"""Typical uses with the types that a checker must find: mypy reads this, test_typing.py runs it too."""

from __future__ import annotations

from typing import Any, assert_type

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor, nn
from rushlight.core.dtypes import dtype
from rushlight.core.tensor import Size

x = rushlight.randn(3, 4, requires_grad=True)
assert_type(x, Tensor)
assert_type(x.shape, Size)
assert_type(x.dtype, dtype)
assert_type(x.dim(), int)
assert_type(x.size(0), int)
assert_type(x.requires_grad, bool)
assert_type(x.grad, Tensor | None)
assert_type(x.T, Tensor)

# operators: methods, functions, operator syntax
assert_type(x + 1, Tensor)
assert_type(2 / x, Tensor)
assert_type(x @ x.T, Tensor)
assert_type(x.softmax(-1), Tensor)
assert_type(x.add(x, alpha=2), Tensor)
assert_type(rushlight.where(x > 0, x, 0.0), Tensor)
assert_type(rushlight.cat([x, x], dim=1), Tensor)
assert_type(x[0, ..., None], Tensor)
assert_type(x.view(4, 3), Tensor)
assert_type(x.view((2, 6)), Tensor)
assert_type(x.detach().view(rushlight.int32), Tensor)
assert_type(x.permute(1, 0), Tensor)
assert_type(x.sum(), Tensor)
assert_type(x.sum((0, 1), keepdim=True), Tensor)
assert_type(x.detach().clone().mul_(2.0), Tensor)
assert_type(x.split(2), tuple[Tensor, ...])

# results that depend on how the call is written
assert_type(x.max(), Tensor)
values, indices = x.max(1)
assert_type(values, Tensor)
assert_type(x.max(dim=0).indices, Tensor)
assert_type(x.max(x), Tensor)
assert_type(rushlight.topk(x, 2).values, Tensor)
assert_type(x.sort(descending=True).indices, Tensor)

# neural networks and training
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
loss = F.cross_entropy(net(x), rushlight.tensor([0, 1, 0]))
assert_type(loss, Tensor)
assert_type(loss.backward(), None)
assert_type(F.conv2d(rushlight.ones(1, 1, 4, 4), rushlight.ones(1, 1, 2, 2)), Tensor)
optimizer = rushlight.optim.SGD(net.parameters(), lr=0.1)
optimizer.step()
with rushlight.no_grad():
    assert_type(x.mean().item(), Any)
