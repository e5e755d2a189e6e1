"""`torch.ops.image`: the operators that torchvision's extension `image` registers in PyTorch."""

from __future__ import annotations

from rushlight.library.operator import define
from rushlight.library.schema import parse_schema


def _no_turbo() -> bool:
    """Whether torchvision's own JPEG codec is libjpeg-turbo: there is none."""
    return False


define(parse_schema("image::_is_compiled_against_turbo() -> bool")).kernels[""] = _no_turbo
