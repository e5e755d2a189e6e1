"""The operators that `run_decompositions()` takes apart, as a mapping that programs change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from rushlight.library.aten_schemas import schemas_of
from rushlight.library.operator import OpOverload

__all__ = ["CustomDecompTable"]

# Operators of aten's that consist of core ones.
_COMPOSED = """
    batch_norm chunk contiguous conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d
    cross_entropy_loss dropout einsum expand_as flatten group_norm instance_norm layer_norm linear log_softmax matmul
    max_pool2d mse_loss nll_loss_nd one_hot pad rms_norm reshape softmax stack t transpose unflatten zeros ones silu
""".split()


class CustomDecompTable(MutableMapping[OpOverload, Callable[..., Any]]):
    """From an overload of `torch.ops` to the function that does its calls in other operators.

    It has every operator; those that are core ones give themselves. `del table[overload]` keeps the calls of one as
    they are; `table[overload] = function` puts a function in its place.
    """

    def __init__(self) -> None:
        self._given: dict[Any, Callable[..., Any]] = {}
        self._kept: set[Any] = set()

    def __getitem__(self, key: OpOverload) -> Callable[..., Any]:
        if key in self._kept:
            raise KeyError(key)
        return self._given.get(key, key)

    def __setitem__(self, key: OpOverload, value: Callable[..., Any]) -> None:
        self._kept.discard(key)
        self._given[key] = value

    def __delitem__(self, key: OpOverload) -> None:
        self._given.pop(key, None)
        self._kept.add(key)

    def __contains__(self, key: object) -> bool:
        return key not in self._kept

    def __iter__(self) -> Iterator[OpOverload]:
        import rushlight

        aten = rushlight.ops.aten
        known = [getattr(getattr(aten, s.name), s.overload) for name in _COMPOSED for s in schemas_of(name)]
        return iter([op for op in dict.fromkeys((*known, *self._given)) if op not in self._kept])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def keys(self) -> Any:
        """The operators that are no core ones, and those that were given."""
        return dict.fromkeys(self).keys()

    def copy(self) -> CustomDecompTable:
        """A table that changes apart from this one."""
        made = CustomDecompTable()
        made._given, made._kept = dict(self._given), set(self._kept)
        return made

    def materialize(self) -> dict[OpOverload, Callable[..., Any]]:
        """As a plain dict."""
        return {op: self[op] for op in self}
