"""Modules that learn the size of their input from the first one they see."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy

from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, _ConvNd
from .linear import Linear
from .module import Module
from .normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d


class LazyModuleMixin:
    """For modules whose parameters have no shape before the first call.

    A class that has it defines ``initialize_parameters(*inputs)``, which materializes the parameters; it runs before the
    first ``forward``. Then the module becomes an instance of ``cls_to_become``, when that is not None.
    """

    cls_to_become: Any = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        me: Any = self
        self._load_hook = me._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = me.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        # An uninitialized parameter is saved as it is: there is nothing to detach.
        me: Any = self
        for name, param in {**me._parameters, **me._buffers}.items():
            if param is not None and name not in me._non_persistent_buffers_set:
                destination[prefix + name] = param if is_lazy(param) or keep_vars else param.detach()

    def _lazy_load_hook(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        """Take the shapes from a checkpoint that has them."""
        me: Any = self
        for name, param in {**me._parameters, **me._buffers}.items():
            found = state_dict.get(prefix + name)
            if param is not None and found is not None and is_lazy(param) and not is_lazy(found):
                param.materialize(found.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give the parameters their shapes; to be written by the subclass."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer of this module, not of its children, has no shape yet."""
        me: Any = self
        return any(is_lazy(p) for p in [*me._parameters.values(), *me._buffers.values()])

    def _infer_parameters(self, module: Any, args: Any, kwargs: Any = None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {type(self).__name__} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become


class LazyLinear(LazyModuleMixin, Linear):
    """A Linear whose ``in_features`` is the last size of the first input.

    Args:
        out_features: size of the last dimension of the output.
        bias: whether a bias is learned.
    """

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        # Sizes of 0, and no bias: what follows replaces the parameters.
        super().__init__(0, 0, False, device, dtype)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw weight and bias anew, once there are any."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:  # type: ignore[override]
        """Take ``in_features`` from an input (*, in_features)."""
        if self.has_uninitialized_params():
            self.in_features = input.shape[-1]
            me: Any = self
            me.weight.materialize((self.out_features, self.in_features))
            if self.bias is not None:
                me.bias.materialize((self.out_features,))
            self.reset_parameters()
        elif self.in_features == 0:  # the shapes came from a checkpoint
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features from "
                    f"self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = input.shape[-1]


class _LazyConv(LazyModuleMixin):
    _n: int

    def reset_parameters(self) -> None:
        """Draw weight and bias anew, once there are any."""
        me: Any = self
        if not me.has_uninitialized_params() and me.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]

    def _finish(self, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        me: Any = self
        me.weight = UninitializedParameter(device=device, dtype=dtype)
        me.out_channels = out_channels
        if bias:
            me.bias = UninitializedParameter(device=device, dtype=dtype)

    def initialize_parameters(self, input: Tensor, *rest: Any, **kwargs: Any) -> None:
        """Take ``in_channels`` from an input (N, C, ...) or (C, ...)."""
        me: Any = self
        if input.dim() not in (self._n + 1, self._n + 2):
            raise RuntimeError(
                f"Expected {self._n + 1}D (unbatched) or {self._n + 2}D (batched) input to {type(self).__name__}, "
                f"but got input of size: {input.shape}"
            )
        channels = input.shape[-self._n - 1]
        if me.has_uninitialized_params():
            me.in_channels = channels
            if channels % me.groups != 0:
                raise ValueError("in_channels must be divisible by groups")
            sizes = (
                (channels, me.out_channels // me.groups)
                if me.transposed
                else (me.out_channels, channels // me.groups)
            )
            me.weight.materialize((*sizes, *me.kernel_size))
            if me.bias is not None:
                me.bias.materialize((me.out_channels,))
            me.reset_parameters()
        elif me.in_channels == 0:  # the shapes came from a checkpoint
            me.in_channels = me.weight.shape[0] if me.transposed else me.weight.shape[1] * me.groups


def _lazy_conv(base: type[_ConvNd]) -> Any:
    """LazyConvNd or LazyConvTransposeNd."""
    transposed = base._transposed

    class LazyConv(_LazyConv, base):  # type: ignore[misc, valid-type]
        cls_to_become = base

        if transposed:

            def __init__(
                self,
                out_channels: int,
                kernel_size: Any,
                stride: Any = 1,
                padding: Any = 0,
                output_padding: Any = 0,
                groups: int = 1,
                bias: bool = True,
                dilation: Any = 1,
                padding_mode: str = "zeros",
                device: Any = None,
                dtype: Any = None,
            ) -> None:
                super().__init__(
                    0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device,
                    dtype,
                )
                self._finish(out_channels, bias, device, dtype)

        else:

            def __init__(  # type: ignore[misc]
                self,
                out_channels: int,
                kernel_size: Any,
                stride: Any = 1,
                padding: Any = 0,
                dilation: Any = 1,
                groups: int = 1,
                bias: bool = True,
                padding_mode: str = "zeros",
                device: Any = None,
                dtype: Any = None,
            ) -> None:
                super().__init__(
                    0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype
                )
                self._finish(out_channels, bias, device, dtype)

    LazyConv.__name__ = LazyConv.__qualname__ = f"Lazy{base.__name__}"
    LazyConv.__doc__ = f"A {base.__name__} whose ``in_channels`` is that of the first input; the other arguments are its."
    return LazyConv


class _LazyNorm(LazyModuleMixin):
    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        # Without parameters and statistics first: what follows makes them.
        super().__init__(0, eps, momentum, False, False, **place)
        me: Any = self
        me.affine = affine
        me.track_running_stats = track_running_stats
        if affine:
            me.weight = UninitializedParameter(**place)
            if bias:
                me.bias = UninitializedParameter(**place)
        if track_running_stats:
            del me._buffers["running_mean"], me._buffers["running_var"], me._buffers["num_batches_tracked"]
            me.register_buffer("running_mean", UninitializedBuffer(**place))
            me.register_buffer("running_var", UninitializedBuffer(**place))
            me.register_buffer("num_batches_tracked", rushlight.tensor(0, dtype=rushlight.long, device=device))

    def reset_parameters(self) -> None:
        """Set weight, bias and statistics to their first values, once there are any."""
        me: Any = self
        if not me.has_uninitialized_params() and me.num_features != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor) -> None:  # type: ignore[override]
        """Take ``num_features`` from an input (N, C, ...) (or (C, ...) for instance norm)."""
        me: Any = self
        if not me.has_uninitialized_params() and me.num_features != 0:
            return
        me._check_input_dim(input)
        batched = not isinstance(self, (InstanceNorm1d, InstanceNorm2d, InstanceNorm3d)) or input.dim() == me._ranks[-1]
        me.num_features = input.shape[1 if batched else 0]
        if me.has_uninitialized_params():
            for p in (me.weight, me.bias, me.running_mean, me.running_var):
                if p is not None and is_lazy(p):
                    p.materialize((me.num_features,))
            me.reset_parameters()


def _lazy_norm(base: type[Module]) -> Any:
    """LazyBatchNormNd or LazyInstanceNormNd."""
    made = type(f"Lazy{base.__name__}", (_LazyNorm, base), {"cls_to_become": base})
    made.__doc__ = f"A {base.__name__} whose ``num_features`` is that of the first input; the other arguments are its."
    made.__module__ = __name__
    return made


LazyConv1d = _lazy_conv(Conv1d)
LazyConv2d = _lazy_conv(Conv2d)
LazyConv3d = _lazy_conv(Conv3d)
LazyConvTranspose1d = _lazy_conv(ConvTranspose1d)
LazyConvTranspose2d = _lazy_conv(ConvTranspose2d)
LazyConvTranspose3d = _lazy_conv(ConvTranspose3d)
LazyBatchNorm1d = _lazy_norm(BatchNorm1d)
LazyBatchNorm2d = _lazy_norm(BatchNorm2d)
LazyBatchNorm3d = _lazy_norm(BatchNorm3d)
LazyInstanceNorm1d = _lazy_norm(InstanceNorm1d)
LazyInstanceNorm2d = _lazy_norm(InstanceNorm2d)
LazyInstanceNorm3d = _lazy_norm(InstanceNorm3d)
