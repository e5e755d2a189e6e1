"""Programs that fail in a call of an operator, by name; each is far longer or larger than what makes it fail."""

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\ntorch.manual_seed(0)\n"
FAILURES: dict[str, str] = {
    "view": "x = torch.randn(30, 40)\nfor _ in range(5):\n    x = x * 2\ny = x.t()\nprint(y.view(-1))\n",
    "matmul": "a = torch.randn(64, 128)\nb = torch.randn(64, 32)\na = (a + 1).relu()\nc = a @ b\n",
    "linear": "net = nn.Sequential(nn.Linear(20, 50), nn.ReLU(), nn.Linear(40, 10))\nnet(torch.randn(16, 20))\n",
    "index": "e = nn.Embedding(100, 16)\ni = torch.randint(0, 100, (4, 7))\ni[2, 3] = 100\ne(i)\n",
    "cross_entropy": "logits = torch.randn(32, 10)\ntarget = torch.randint(0, 10, (32,))\ntarget[17] = 12\n"
    "F.cross_entropy(logits, target)\n",
    "cat": "parts = [torch.randn(3, 8) for _ in range(6)]\nparts.append(torch.randn(3, 9))\ntorch.cat(parts)\n",
    "inplace": "w = torch.randn(10, requires_grad=True)\nx = w * 3\ny = x.exp()\ny.add_(1)\nz = y.sum() * 2\n"
    "z.backward()\n",
    "leaf": "w = torch.randn(10, 10, requires_grad=True)\nb = torch.zeros(10)\nw += b\n",
    "twice": "w = torch.randn(5, requires_grad=True)\nloss = (w * w).sum()\nloss.backward()\nloss.backward()\n",
    "conv": "net = nn.Conv2d(3, 8, 3)\nnet(torch.randn(4, 1, 28, 28))\n",
    "dtype": "i = torch.arange(100).view(10, 10)\ni.mean(1)\n",
    "expand": "x = torch.randn(12, 7)\nx[:, :5].expand(12, 9)\n",
    "reshape": "def f(x):\n    x = x.flatten(1)\n    return x.reshape(-1, 17)\n\nf(torch.randn(8, 3, 5))\n",
    "scalar": "x = torch.randn(40)\nif x > 0:\n    print('more')\n",
    "gather": "x = torch.randn(5, 6)\ni = torch.full((5, 2), 6)\nx.gather(1, i)\n",
    "squeeze": "x = torch.randn(2, 3, 4)\nx.sum(3)\n",
    "einsum": "torch.einsum('bij,bjk->bik', torch.randn(2, 3, 4), torch.randn(2, 5, 6))\n",
    "solve": "a = torch.ones(6, 6)\ntorch.linalg.solve(a, torch.randn(6))\n",
    "norm": "m = nn.BatchNorm1d(30)\nm(torch.randn(1, 30))\n",
    "stack": "xs = [torch.randn(4), torch.randn(5)]\ntry:\n    torch.stack(xs)\nexcept RuntimeError as e:\n"
    "    raise ValueError('no batch') from e\n",
    "setitem": "x = torch.zeros(20, 30)\nx[3:9] = torch.ones(5, 30)\n",
    "numpy": "x = torch.randn(3, requires_grad=True)\ny = x * 2\ny.numpy()\n",
}
