"""Linear regression by gradient descent by hand, by SGD, and by LBFGS."""

import numpy as np
import torch
from common import array, show

rng = np.random.default_rng(0)
X = array(rng, 64, 3)
true_w = torch.tensor([1.5, -2.0, 0.5])
y = X @ true_w + 0.3 + 0.01 * array(rng, 64)

w = torch.zeros(3, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for _ in range(60):
    loss = ((X @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
        w.grad.zero_()
        b.grad.zero_()
show("by hand", loss.item(), w, b)

model = torch.nn.Linear(3, 1)
torch.nn.init.zeros_(model.weight)
torch.nn.init.constant_(model.bias, 0.5)
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-4)
for _ in range(40):
    opt.zero_grad()
    loss = torch.nn.functional.mse_loss(model(X).squeeze(-1), y)
    loss.backward()
    opt.step()
show("sgd", loss.item(), model.weight, model.bias)

torch.nn.init.zeros_(model.weight)
opt = torch.optim.LBFGS(model.parameters(), max_iter=20, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    loss = torch.nn.functional.mse_loss(model(X).squeeze(-1), y)
    loss.backward()
    return loss


opt.step(closure)
assert closure().item() < 1e-3
show("lbfgs", closure().item() < 1e-3, torch.round(model.weight * 100) / 100)
