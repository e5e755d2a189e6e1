"""`torch.hub`: models from repositories that have a `hubconf.py`, and weights from addresses, kept in a folder.

The folder is `$TORCH_HOME/hub`, else `$XDG_CACHE_HOME/torch/hub`, else `~/.cache/torch/hub`: what PyTorch has fetched
is found there.
"""

from __future__ import annotations

from rushlight.hub.download import HASH_REGEX, download_url_to_file, load_state_dict_from_url, urlparse
from rushlight.hub.folders import _get_torch_home, get_dir, set_dir
from rushlight.hub.progress import tqdm
from rushlight.hub.repositories import help, list, load

__all__ = [
    "HASH_REGEX",
    "_get_torch_home",
    "download_url_to_file",
    "get_dir",
    "help",
    "list",
    "load",
    "load_state_dict_from_url",
    "set_dir",
    "tqdm",
    "urlparse",
]
