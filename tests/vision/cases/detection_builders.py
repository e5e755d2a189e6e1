"""Every builder of `torchvision.models.detection`: the cases of detection.py that take long."""

from __future__ import annotations

from detection import builders as cases

__all__ = ["cases"]
