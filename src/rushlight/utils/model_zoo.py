"""The older place of `torch.hub.load_state_dict_from_url`."""

from __future__ import annotations

from rushlight.hub.download import load_state_dict_from_url
from rushlight.hub.progress import tqdm

__all__ = ["load_state_dict_from_url", "load_url", "tqdm"]

load_url = load_state_dict_from_url
