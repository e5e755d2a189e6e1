"""Where modules, graphs and loaders meet programs: hooks at a module's boundary, causal biases, LSTM under autocast,
graphs shared by modules, how namespaces without a file are reached.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import fx
from torch.fx.passes.shape_prop import ShapeProp
from torch.fx.passes.split_module import split_module
from torch.nn.attention.bias import causal_lower_right, causal_upper_left
from torch.utils.data import DataLoader
from torch.utils.data.dataloader import _SingleProcessDataLoaderIter


class Two(nn.Module):
    def forward(self, a, b):
        return a * b, a + b


def shown(grads):
    return [None if g is None else g.tolist() for g in grads]


two = Two()
two.register_full_backward_hook(lambda m, gi, go: print("full", shown(gi), shown(go)))
a, b = torch.tensor([1.5, 2.5], requires_grad=True), torch.tensor([3.0, 4.0])
out = two(a, b)
print(type(out[0].grad_fn).__name__, [o.requires_grad for o in out])
out[0].sum().backward()

q = torch.linspace(-1, 1, 16).view(1, 1, 4, 4)
for bias in (causal_lower_right(4, 4), causal_upper_left(4, 4), causal_lower_right(2, 4)):
    n = bias.seq_len_q
    print(bias, tuple(bias.shape), F.scaled_dot_product_attention(q[:, :, :n], q, q, attn_mask=bias).sum().item())

lstm = nn.LSTM(3, 4, 2)
for _, p in lstm.named_parameters():
    nn.init.constant_(p, 0.1)
with torch.autocast("cpu"):
    y, (h, c) = lstm(torch.ones(2, 1, 3))
    print(
        y.dtype,
        h.dtype,
        c.dtype,
        nn.GRU(3, 4)(torch.ones(2, 1, 3))[0].dtype,
        nn.LSTM(3, 4, proj_size=2)(y[..., :3])[1][1].dtype,
    )

traced = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2)))
asked = []
parts = split_module(traced, None, lambda node: asked.append(node.name) or len(asked) // 3)
print(asked, [name for name, _ in parts.named_children()])
again = fx.GraphModule(nn.Module(), fx.symbolic_trace(lambda x: x + 1).graph)
shared = fx.GraphModule(nn.Module(), again.graph)
print(shared.graph is again.graph)
ShapeProp(traced).propagate(torch.ones(3, 2))
print([line.strip() for line in traced.print_readable(print_output=False).splitlines() if "f32" in line])

print(isinstance(iter(DataLoader(range(3))), _SingleProcessDataLoaderIter), type(iter(DataLoader(range(3)))).__name__)
with torch._tensor_str.printoptions(precision=1):
    print(torch.tensor(1.23456))
print(type(nn.Linear(1, 1).load_state_dict({}, strict=False)).__module__)
