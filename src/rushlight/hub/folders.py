"""Where fetched repositories and weights are kept."""

from __future__ import annotations

import os

_chosen: list[str] = []


def _get_torch_home() -> str:
    """The folder of PyTorch's caches."""
    cache = os.environ.get("XDG_CACHE_HOME", os.path.join("~", ".cache"))
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """The folder of the hub: what `set_dir` said, else `hub` in PyTorch's cache folder."""
    return _chosen[0] if _chosen else os.path.join(_get_torch_home(), "hub")


def set_dir(d: str | os.PathLike[str]) -> None:
    """Keep fetched repositories and weights in this folder."""
    _chosen[:] = [os.path.expanduser(os.fspath(d))]
