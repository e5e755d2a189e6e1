"""Names of `torch.distributed` that programs import and rushlight lacks; using one is an error that says so."""

from __future__ import annotations

from typing import Any

from rushlight.utils._absent import absent_names

__all__ = ["lacking"]


def lacking(module: str, classes: str = "", calls: str = "", error: type[Exception] = RuntimeError) -> dict[str, Any]:
    """Classes and functions of a module, named in words: to make or call one raises `error`."""
    why = "rushlight lacks it: there are groups of one process here, with collectives and DistributedDataParallel"
    return absent_names(module, why, classes.split(), calls.split(), error)
