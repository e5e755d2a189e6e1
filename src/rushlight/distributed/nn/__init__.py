"""`torch.distributed.nn`: exchanges between processes that gradients go back through."""

from __future__ import annotations

from rushlight.distributed.nn import functional
from rushlight.distributed.nn.functional import *  # noqa: F403
from rushlight.distributed.nn.functional import __all__ as _calls
from rushlight.utils._absent import absent_names

_LACKING = absent_names(__name__, "rushlight lacks it: there is no torch.distributed.rpc", ["RemoteModule"])
globals().update(_LACKING)
__all__ = [*_calls, "functional", *_LACKING]
