"""Shapes and dtypes of a graph's values, found by running it."""

from __future__ import annotations

from typing import Any, NamedTuple

from rushlight.core.tensor import Tensor
from rushlight.fx.interpreter import Interpreter
from rushlight.fx.node import Node, map_aggregate

__all__ = ["ShapeProp", "TensorMetadata"]


class TensorMetadata(NamedTuple):
    """What is known of a tensor without its elements."""

    shape: Any
    dtype: Any
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: Any
    is_quantized: bool
    qparams: dict[str, Any]


def _extract_tensor_metadata(result: Tensor, include_contiguity: bool = True) -> TensorMetadata:
    import rushlight

    formats = (rushlight.contiguous_format, rushlight.channels_last, rushlight.channels_last_3d)
    fitting = (f for f in formats if f is formats[0] or result.dim() == (4 if f is formats[1] else 5))
    memory_format = (
        next((f for f in fitting if result.is_contiguous(memory_format=f)), None) if include_contiguity else None
    )
    return TensorMetadata(
        result.shape, result.dtype, result.requires_grad, tuple(result.stride()), memory_format, False, {}
    )


class ShapeProp(Interpreter):
    """Runs a graph and leaves `tensor_meta` (TensorMetadata, nested as the value) and `type` in the meta of each
    node.
    """

    def run_node(self, n: Node) -> Any:
        """The value of a node, whose meta is written."""
        result = super().run_node(n)
        found = False

        def look(x: Any) -> Any:
            nonlocal found
            if not isinstance(x, Tensor):
                return x
            found = True
            return _extract_tensor_metadata(x)

        meta = map_aggregate(result, look)
        if found:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run on these inputs; returns the graph's output."""
        return super().run(*args)
