"""Modules that learn the size of their input from the first one they see."""

from __future__ import annotations

import inspect
from typing import Any, cast

from rushlight import Tensor
from rushlight.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy

from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .linear import Linear
from .module import Module

__all__ = [
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "LazyLinear",
]


class LazyModuleMixin:
    """For modules whose parameters have no shape before the first call.

    A class that has it defines ``initialize_parameters(*inputs)``, which materializes the parameters; it runs before
    the first ``forward``. Then the module becomes an instance of ``cls_to_become``, when that is not None.
    """

    cls_to_become: Any = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        me: Any = self
        self._load_hook = me._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = me.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        me: Any = self
        for key, (_, tensor) in me._persistent_(prefix).items():
            # One without a shape is saved as it is: there is nothing to detach.
            destination[key] = tensor if keep_vars or is_lazy(tensor) else tensor.detach()

    def _lazy_load_hook(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        """Take the shapes from a checkpoint that has them."""
        me: Any = self
        for key, (_, tensor) in me._persistent_(prefix).items():
            found = state_dict.get(key)
            if found is not None and is_lazy(tensor) and not is_lazy(found):
                tensor.materialize(found.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give the parameters their shapes; to be written by the subclass."""
        raise NotImplementedError(f"{type(self).__name__} defines no initialize_parameters()")

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer of this module, not of its children, has no shape yet."""
        me: Any = self
        return any(is_lazy(t) for table in (me._parameters, me._buffers) for t in table.values())

    def _infer_parameters(self, module: Module, args: Any, kwargs: Any = None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"{type(module).__name__}: initialize_parameters() has left parameters without a shape")
        for hook in ("_initialize_hook", "_load_hook"):
            module.__dict__.pop(hook).remove()
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become


class _Lazy(LazyModuleMixin):
    """The lazy form of a class whose constructor takes a size of the input first: that argument is left out."""

    _sized_: str  # the attribute that holds the size: 0 while it is not known

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(0, *args, **kwargs)
        me: Any = self
        for name, p in me._parameters.items():
            if p is not None:
                me._parameters[name] = UninitializedParameter(p.requires_grad, p.device, p.dtype)
        for name, b in me._buffers.items():
            if b is not None and b.dim():  # a count has its shape already
                me._buffers[name] = UninitializedBuffer(device=b.device, dtype=b.dtype)

    def reset_parameters(self) -> None:
        """Set the parameters to their first values, once there are any."""
        if getattr(self, self._sized_) and not self.has_uninitialized_params():
            super().reset_parameters()  # type: ignore[misc]

    def _size_in_(self, input: Tensor) -> int:
        """The size that an input has."""
        raise NotImplementedError

    def _shapes_(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the parameters and buffers, now that the size is known."""
        raise NotImplementedError

    def initialize_parameters(self, input: Tensor, *rest: Any, **more: Any) -> None:
        """Take the size from an input.

        Raises:
            RuntimeError, ValueError: the input is none for this module.
            AssertionError: the parameters, loaded from a checkpoint, are for an input of another size.
        """
        fresh = self.has_uninitialized_params()
        if getattr(self, self._sized_) and not fresh:
            return
        size = self._size_in_(input)
        setattr(self, self._sized_, size)
        for name, shape in self._shapes_().items():
            t = getattr(self, name)
            if is_lazy(t):
                t.materialize(shape)
            elif t is not None and tuple(t.shape) != shape:
                raise AssertionError(
                    f"{type(self).__name__}: {self._sized_} is {size} in the first input, for which {name!r} must "
                    "have shape "
                    f"{shape}; the one loaded has {tuple(t.shape)}"
                )
        if fresh:
            self.reset_parameters()


class _LazyLinear(_Lazy):
    _sized_ = "in_features"

    def _size_in_(self, input: Tensor) -> int:
        return input.shape[-1]

    def _shapes_(self) -> dict[str, tuple[int, ...]]:
        me: Any = self
        return {"weight": (me.out_features, me.in_features), "bias": (me.out_features,)}


class _LazyConv(_Lazy):
    _sized_ = "in_channels"

    def _size_in_(self, input: Tensor) -> int:
        n = self._n_  # type: ignore[attr-defined]
        if input.dim() not in (n + 1, n + 2):
            raise RuntimeError(
                f"{type(self).__name__}: the input must be {n + 2}-d, or {n + 1}-d without a batch; "
                f"found {input.dim()}-d"
            )
        return cast("int", input.shape[-n - 1])

    def _shapes_(self) -> dict[str, tuple[int, ...]]:
        me: Any = self
        me._check_(me.in_channels, me.out_channels, me.stride, me.padding, me.groups, me.padding_mode)
        return {"weight": me._weight_shape_(), "bias": (me.out_channels,)}


class _LazyNorm(_Lazy):
    _sized_ = "num_features"

    def _size_in_(self, input: Tensor) -> int:
        me: Any = self
        me._check_input_dim(input)
        return cast("int", input.shape[me._channel_dim_(input)])

    def _shapes_(self) -> dict[str, tuple[int, ...]]:
        return dict.fromkeys(("weight", "bias", "running_mean", "running_var"), (getattr(self, self._sized_),))


def _lazy(family: type[_Lazy], base: type) -> Any:
    """The lazy form of a class."""

    def start(self: Any, *args: Any, **kwargs: Any) -> None:
        super(made, self).__init__(*args, **kwargs)

    signature = inspect.signature(base.__init__)  # type: ignore[misc]
    me, _, *others = signature.parameters.values()
    start.__signature__ = signature.replace(parameters=[me, *others])  # type: ignore[attr-defined]
    body = {"__init__": start, "__module__": __name__, "cls_to_become": base}
    made: Any = type(f"Lazy{base.__name__}", (family, base), body)
    made.__doc__ = (
        f"A {base.__name__} whose ``{family._sized_}`` is that of the first input; the other arguments are its."
    )
    return made


LazyLinear = _lazy(_LazyLinear, Linear)
LazyConv1d, LazyConv2d, LazyConv3d = (_lazy(_LazyConv, base) for base in (Conv1d, Conv2d, Conv3d))
LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = (
    _lazy(_LazyConv, base) for base in (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
)
LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = (
    _lazy(_LazyNorm, base) for base in (BatchNorm1d, BatchNorm2d, BatchNorm3d)
)
LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = (
    _lazy(_LazyNorm, base) for base in (InstanceNorm1d, InstanceNorm2d, InstanceNorm3d)
)
