"""What the programs share: weights that do not depend on a library's random numbers, and printing."""

import numpy as np
import torch


def fill(module, seed=0, scale=None):
    """Set all parameters from NumPy's generator, each uniform in +-1/sqrt(fan in); returns the module."""
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for p in module.parameters():
            bound = scale or 1.0 / max(1, p[0].numel() if p.dim() > 1 else p.numel()) ** 0.5
            p.copy_(torch.from_numpy(rng.uniform(-bound, bound, tuple(p.shape))))
    return module


def array(rng, *shape):
    """A float32 tensor of normal numbers."""
    return torch.from_numpy(rng.standard_normal(shape).astype(np.float32))


def show(label, *values):
    """Print numbers to four digits, tensors as lists."""

    def text(v):
        if isinstance(v, torch.Tensor):
            v = v.detach().tolist()
        if isinstance(v, (list, tuple)):
            return "[" + ", ".join(map(text, v)) + "]"
        return f"{v:.4f}" if isinstance(v, float) else str(v)

    print(label, *map(text, values))
