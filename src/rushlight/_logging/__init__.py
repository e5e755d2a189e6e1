"""What PyTorch's compiler logs: `set_logs` leads to `rushlight.logging`."""

from __future__ import annotations

from rushlight.inspection.logs import set_logs

__all__ = ["set_logs"]
