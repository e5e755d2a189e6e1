"""`torch.qscheme`: the names of the ways to quantize, which settings and files mention."""

from __future__ import annotations

from typing import Any

__all__ = [
    "per_channel_affine",
    "per_channel_affine_float_qparams",
    "per_channel_symmetric",
    "per_tensor_affine",
    "per_tensor_symmetric",
    "qscheme",
]


class qscheme:
    """A way to quantize: whether there is a step for the whole tensor or for each channel, and whether 0 is in the
    middle.
    """

    _name: str

    def __new__(cls, *args: Any) -> qscheme:
        raise TypeError("qscheme(): there are no others than torch.per_tensor_affine and the like")

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


def _named(name: str) -> qscheme:
    made: qscheme = object.__new__(qscheme)  # which refuses to be made otherwise
    made._name = name
    return made


per_tensor_affine, per_tensor_symmetric = _named("per_tensor_affine"), _named("per_tensor_symmetric")
per_channel_affine, per_channel_symmetric = _named("per_channel_affine"), _named("per_channel_symmetric")
per_channel_affine_float_qparams = _named("per_channel_affine_float_qparams")
