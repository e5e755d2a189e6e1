"""What a checkpoint's pickle calls to make tensors: the functions that PyTorch's files name in `torch._utils`."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NamedTuple

from rushlight.core.dtypes import dtype, layout
from rushlight.core.tensor import Storage, Tensor, empty_meta, tensor_from_storage

__all__ = ["LoadedStorage", "REBUILD"]


class LoadedStorage(NamedTuple):
    """A storage as typed in a pickle: its memory (None: on the meta device) and the dtype of its elements."""

    raw: Storage | None
    dtype: dtype


def _tensor(raw: Storage | None, kind: dtype, offset: int, size: tuple[int, ...], stride: tuple[int, ...]) -> Tensor:
    if offset < 0 or len(size) != len(stride) or any(s < 0 for s in size):
        raise RuntimeError(f"load(): a tensor cannot have offset {offset}, sizes {tuple(size)} and strides {tuple(stride)}")
    # In Python's integers: sizes and strides come from a file that nobody vouches for, and their product may not fit 64 bits.
    reach = offset + sum((n - 1) * s for n, s in zip(size, stride)) + 1 if all(size) else 0
    if any(s < 0 for s in stride) or (raw is not None and reach * kind.itemsize > raw.nbytes()) or reach >= 1 << 62:
        raise RuntimeError(
            f"load(): a tensor with offset {offset}, sizes {tuple(size)} and strides {tuple(stride)} does not fit its storage"
            + ("" if raw is None else f" of {raw.nbytes()} bytes"))
    if raw is None:
        return empty_meta(kind, tuple(size), tuple(stride))
    return tensor_from_storage(raw, kind, offset, size, stride)


def _finish(tensor: Tensor, requires_grad: bool, metadata: dict[str, bool] | None) -> Tensor:
    # PyTorch's lazy conjugates and negatives: the file has the values before the flag.
    if metadata and metadata.get("conj"):
        tensor = tensor.conj()
    if metadata and metadata.get("neg"):
        tensor = -tensor
    if requires_grad:
        tensor.requires_grad_(True)
    return tensor


def rebuild_tensor(storage: LoadedStorage, offset: int, size: Any, stride: Any) -> Tensor:
    return _tensor(storage.raw, storage.dtype, offset, size, stride)


def rebuild_tensor_v2(storage: LoadedStorage, offset: int, size: Any, stride: Any, requires_grad: bool,
                      backward_hooks: Any, metadata: dict[str, bool] | None = None) -> Tensor:
    return _finish(_tensor(storage.raw, storage.dtype, offset, size, stride), requires_grad, metadata)


def rebuild_tensor_v3(storage: Storage | None, offset: int, size: Any, stride: Any, requires_grad: bool,
                      backward_hooks: Any, kind: dtype, metadata: dict[str, bool] | None = None) -> Tensor:
    return _finish(_tensor(storage, kind, offset, size, stride), requires_grad, metadata)


def rebuild_meta_tensor_no_storage(kind: dtype, size: Any, stride: Any, requires_grad: bool) -> Tensor:
    return _finish(_tensor(None, kind, 0, size, stride), requires_grad, None)


def rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: OrderedDict[Any, Any]) -> Tensor:
    from rushlight.nn.parameter import Parameter

    return Parameter(data, requires_grad)


def rebuild_parameter_with_state(data: Tensor, requires_grad: bool, backward_hooks: Any, state: Any) -> Tensor:
    return _set_state(rebuild_parameter(data, requires_grad, backward_hooks), state)


def rebuild_from_type_v2(function: Any, kind: type, args: tuple[Any, ...], state: Any) -> Any:
    made = function(*args)
    tensor: Any = made if type(made) is kind else made.as_subclass(kind)
    setter: Any = getattr(kind, "__setstate__", None)
    if setter in (None, getattr(Tensor, "__setstate__", None)):
        return _set_state(tensor, state)
    setter(tensor, state)
    return tensor


def _set_state(tensor: Tensor, state: Any) -> Tensor:
    # A dict, or, for classes with __slots__, (dict or None, dict of slots).
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    for name, value in {**(attributes or {}), **(slots or {})}.items():
        setattr(tensor, name, value)
    return tensor


def get_layout(name: str) -> layout:
    found = layout.registry.get(name.removeprefix("torch."))
    if found is None:
        raise RuntimeError(f"load(): there is no layout {name!r}")
    return found


# The names that the files use -> what is called here.
REBUILD: dict[str, Any] = {
    "torch._utils._rebuild_tensor": rebuild_tensor,
    "torch._utils._rebuild_tensor_v2": rebuild_tensor_v2,
    "torch._utils._rebuild_tensor_v3": rebuild_tensor_v3,
    "torch._utils._rebuild_meta_tensor_no_storage": rebuild_meta_tensor_no_storage,
    "torch._utils._rebuild_parameter": rebuild_parameter,
    "torch._utils._rebuild_parameter_with_state": rebuild_parameter_with_state,
    "torch._tensor._rebuild_from_type_v2": rebuild_from_type_v2,
    "torch.serialization._get_layout": get_layout,
}
