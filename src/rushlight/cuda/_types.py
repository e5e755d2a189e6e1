"""`torch.cuda.FloatTensor` and its family: types to ask `isinstance` for. Nothing is of one, and making one is refused,
as there is no CUDA device.
"""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.core.tensor import Tensor
from rushlight.operators.tensors.interop import TYPES
from rushlight.utils._absent import absent_class


class _CudaType(type):
    dtype: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(
            f"{cls.__name__}(): type torch.cuda.{cls.__name__} not available. Torch not compiled with CUDA enabled: "
            "there is no CUDA device"
        )

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype and instance.is_cuda


NAMES: dict[str, Any] = {
    kind.__name__: _CudaType(
        kind.__name__, (), {"dtype": d, "__module__": "torch.cuda", "__doc__": f"CUDA tensors of {d}: there are none."}
    )
    for d, kind in TYPES.items()
}
NAMES.update(
    {
        name: absent_class(f"cuda.{name}", __name__, "there is no CUDA device")
        for name in (
            "CUDAGraph",
            "CUDAPluggableAllocator",
            "ExternalStream",
            "GreenContext",
            "MemPool",
            "BoolStorage",
            "ByteStorage",
            "CharStorage",
            "ComplexDoubleStorage",
            "ComplexFloatStorage",
            "DoubleStorage",
            "FloatStorage",
            "HalfStorage",
            "IntStorage",
            "LongStorage",
            "ShortStorage",
            "BFloat16Storage",
        )
    }
)
