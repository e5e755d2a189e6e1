"""Whether PyTorch draws by its own stream on this machine."""

from __future__ import annotations

import torch


def drawn_by_library() -> bool:
    """Whether `bernoulli_`, `dropout` and `exponential_` come from a library of the processor's maker (Intel's), with
    numbers of its own: they take other words then.
    """
    torch.manual_seed(0)
    torch.empty(8).bernoulli_(0.5)
    after = torch.get_rng_state()
    torch.manual_seed(0)
    torch.rand(8, dtype=torch.float64)
    return not torch.equal(after, torch.get_rng_state())
