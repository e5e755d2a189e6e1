# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.amp.autocast_mode import autocast as autocast
from rushlight.amp.autocast_mode import custom_bwd as custom_bwd
from rushlight.amp.autocast_mode import custom_fwd as custom_fwd
from rushlight.amp.autocast_mode import is_autocast_available as is_autocast_available
from rushlight.amp.grad_scaler import GradScaler as GradScaler
from torch.amp import autocast_mode as autocast_mode
from torch.amp import grad_scaler as grad_scaler
