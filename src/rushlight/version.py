"""PyTorch's module of version facts: `torch.version.cuda` and the like."""

from rushlight import __version__

cuda: str | None = None
hip: str | None = None
xpu: str | None = None
debug = False
git_version = "unknown"

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "xpu"]
