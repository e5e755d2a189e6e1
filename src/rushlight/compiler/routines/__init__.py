"""What a plan calls instead of a kernel. Every routine is (inputs, outputs, params) and writes its outputs.

A program's first plan loads this table; what it takes to sort or to transform is loaded when that is first done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.compiler.routines import phases, products, resampling
from rushlight.compiler.routines.arrays import array_of, float_array, store
from rushlight.core import dtypes as dt
from rushlight.core.library import LIBRARY
from rushlight.core.tensor import Tensor
from rushlight.core.upcalls import upcalls


def sort(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """Values and int64 indices of x sorted along a dim."""
    from rushlight.compiler.routines import sorting

    (x,), (values, indices) = inputs, outputs
    if not values.is_contiguous() or values.dtype is dt.bfloat16 or values.dtype is dt.float16:
        import numpy as np

        sorted_values = np.empty(tuple(values.shape), float_array(x).dtype)
        sorting.sort(float_array(x), sorted_values, array_of(indices), **params)
        store(values, sorted_values)
        return
    sorting.sort(array_of(x), array_of(values), array_of(indices), **params)


def sort_keys(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """The least int64 keys along a dim, in order."""
    from rushlight.compiler.routines import sorting

    sorting.sort_keys(array_of(inputs[0]), array_of(outputs[0]), params["dim"])


def resample_bytes(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """Images of bytes at another size."""
    kinds = params["reach"], params["antialias"], params["corners"]
    resampling.resample_bytes(inputs[0], inputs[1:], outputs[0], *kinds)


def resample_along(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """Numbers at another size along a dimension."""
    resampling.resample_along(inputs[0], inputs[1], outputs[0], params["dim"], params["reach"], params["turned"])


def open_attention(number: int, backward: bool, mask: int) -> None:
    """Make ready for attention in a dtype: the core asks for it before the first."""
    from rushlight.compiler.routines import attention

    attention.open_attention(number, backward, mask)


def of_regions(name: str) -> Callable[[Sequence[Tensor], Sequence[Tensor], dict[str, Any]], None]:
    """A routine of regions of images, or of boxes."""

    def run(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
        from rushlight.compiler.routines import regions

        getattr(regions, name)(inputs, outputs, params)

    return run


def transform(name: str, *given: Any) -> tuple[Any, ...]:
    """What a transform takes: the core asks for it when operands have other sizes than at the call before."""
    from rushlight.compiler.routines import fourier

    return tuple(fourier.transform(name, *given))


def make_codelet(number: int) -> None:
    """Make what a transform has missed."""
    from rushlight.compiler.routines import fourier

    fourier.make_codelet(number)


upcalls.open_blas = products.open_blas
upcalls.open_products = products.open_products
upcalls.open_convolutions = products.open_convolutions
upcalls.open_attention = open_attention
upcalls.transform, upcalls.make_codelet = transform, make_codelet
_BY_NAME = (sort, sort_keys, resample_along, resample_bytes, phases.refuse, phases.phases, phases.phase_check)
LIBRARY.update({routine.__name__: routine for routine in _BY_NAME})
LIBRARY.update({name: getattr(products, name) for name in ("dot", "conv", "conv_dx", "conv_dw")})
LIBRARY.update({f"region_{name}": of_regions(name) for name in ("average", "spread", "largest")})
LIBRARY.update(boxes_keep=of_regions("keep"), boxes_turned=of_regions("turned"))
