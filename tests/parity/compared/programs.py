"""Small programs by the operator that is made wrong in them; the line that calls it ends in `# here`."""

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, x):
        x = self.first(x){first}
        return self.second(F.relu(x)){second}

net = Net()
x, y = torch.randn(10, 8), torch.randint(0, 4, (10,))
"""

PROGRAMS: dict[str, str] = {
    "exp": "x = torch.randn(5, 5)\ny = (x * 2).exp()  # here\nprint(y.sum())\n",
    "sum": "x = torch.arange(12.0).view(3, 4)\nx.t().contiguous()\ns = x.sum(0)  # here\n",
    "matmul": "a, b = torch.randn(6, 7), torch.randn(7, 3)\nc = a @ b  # here\nd = c.relu()\n",
    "softmax": "x = torch.randn(4, 9)\nx = x - x.mean()\np = F.softmax(x, -1)  # here\n",
    "cross_entropy": "x = torch.randn(6, 3)\nloss = F.cross_entropy(x, torch.tensor([0, 1, 2, 0, 1, 2]))  # here\n",
    "add_": "x = torch.ones(3)\nfor i in range(3):\n    x.mul_(2)\nx.add_(1)  # here\n",
    "conv2d": "x = torch.randn(2, 3, 8, 8)\nnet = nn.Sequential(nn.ReLU(), nn.Conv2d(3, 4, 3))\nnet(x)  # here\n",
    "linear": NET.format(first="  # here", second="") + "net(x)\n",
    "gradient:relu": NET.format(first="", second="")
    + "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\nloss = F.cross_entropy(net(x), y)\n"
    "loss.backward()  # here\n"
    "optimizer.step()\n",
    "layer_norm": "m = nn.LayerNorm(6)\nx = torch.rand(2, 6)\nfor _ in range(2):\n    x = m(x)  # here\n",
    "einsum": "a, b = torch.randn(3, 4), torch.randn(4, 5)\nc = torch.einsum('ij,jk->ik', a, b)  # here\n",
    "cumsum": "x = torch.randn(20)\ny = x.sort().values.cumsum(0)  # here\nz = y.max()\n",
    "where": "x = torch.randn(20)\ny = torch.where(x > 0, x, x * 0.1)  # here\n",
    "gather": "x = torch.randn(3, 4)\ni = x.argsort(1)\ny = x.gather(1, i)  # here\n",
    "index_select": "x = torch.randn(4, 3)\ny = torch.index_select(x, 0, torch.tensor([2, 0]))  # here\n",
    "gelu": "def block(x):\n    return F.gelu(x)  # here\n\nx = torch.randn(3, 3)\nblock(block(x))\n",
    "std": "x = torch.randn(50)\nx = (x - x.mean()) / x.std()  # here\n",
    "embedding": "e = nn.Embedding(10, 4)\nout = e(torch.tensor([[1, 2], [3, 9]]))  # here\n",
    "linalg_solve": "a = torch.eye(3) * 2 + 0.1\nx = torch.linalg.solve(a, torch.ones(3))  # here\n",
    "dropout": "x = torch.ones(20)\ny = F.dropout(x, 0.5)  # here\n",
}
