"""`GradScaler`: losses times a factor, so that gradients in float16 do not vanish; the factor adapts (Micikevicius et al. 2018)."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Iterator
from typing import Any

import rushlight
from rushlight import Tensor

__all__ = ["GradScaler", "OptState"]

READY, UNSCALED, STEPPED = 0, 1, 2


class OptState:
    """What has been done with an optimizer's gradients since the last update."""

    READY, UNSCALED, STEPPED = READY, UNSCALED, STEPPED


class GradScaler:
    """Multiplies losses by a factor and divides gradients by it; steps with infinite gradients are skipped.

    Args: device: where the losses are; a device that is not there turns the scaler off with a warning. init_scale: the first
    factor. growth_factor: what it is multiplied by after growth_interval steps without infinities; backoff_factor: what after a
    step with some. enabled: False makes every method pass its arguments through.
    Errors: AssertionError unless growth_factor > 1 > backoff_factor.
    """

    def __init__(self, device: str = "cuda", init_scale: float = 2.0**16, growth_factor: float = 2.0, backoff_factor: float = 0.5,
                 growth_interval: int = 2000, enabled: bool = True) -> None:
        self._device = device
        if enabled and rushlight.device(device).type != "cpu":
            warnings.warn(f"torch.{device}.amp.GradScaler is enabled, but {device.upper()} is not available.  Disabling.", stacklevel=2)
            enabled = False
        self._enabled = enabled
        if enabled:
            if growth_factor <= 1.0:
                raise AssertionError(f"The growth factor must be > 1.0, got {growth_factor}")
            if backoff_factor >= 1.0:
                raise AssertionError(f"The backoff factor must be < 1.0, got {backoff_factor}")
            self._init_scale = init_scale
            self._scale: Tensor | None = None           # made when first needed
            self._growth_factor = growth_factor
            self._backoff_factor = backoff_factor
            self._growth_interval = growth_interval
            self._init_growth_tracker = 0
            self._growth_tracker: Tensor | None = None
            self._per_optimizer_states: dict[int, dict[str, Any]] = {}

    # ---------------------------------------------------------------------------------------------------------- scaling
    def _scale_tensor(self) -> Tensor:
        if self._scale is None:
            self._scale = rushlight.full((), self._init_scale, dtype=rushlight.float32)
            self._growth_tracker = rushlight.full((), self._init_growth_tracker, dtype=rushlight.int32)
        return self._scale

    def scale(self, outputs: Any) -> Any:
        """A tensor, or each of an iterable of tensors, times the factor.

        Errors: ValueError for anything else.
        """
        if not self._enabled:
            return outputs
        factor = self._scale_tensor()
        if isinstance(outputs, Tensor):
            return outputs * factor
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(self.scale(o) for o in outputs)
        if isinstance(outputs, Iterator) or hasattr(outputs, "__iter__"):
            return map(self.scale, outputs)
        raise ValueError(f"outputs must be a Tensor or an iterable of Tensors, got {type(outputs).__name__}")

    def _state_of(self, optimizer: Any) -> dict[str, Any]:
        return self._per_optimizer_states.setdefault(id(optimizer), {"stage": READY, "found_inf": None})

    def _started(self, name: str) -> Tensor:
        if self._scale is None:
            raise AssertionError(f"Attempted {name} but _scale is None.  This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration.")
        return self._scale

    def _unscale_grads(self, optimizer: Any, inverse: Tensor) -> bool:
        """Divide the gradients by the factor, in place; returns whether one has an infinity or NaN."""
        found = False
        with rushlight.no_grad():
            for group in optimizer.param_groups:
                for p in group["params"]:
                    if p.grad is None:
                        continue
                    if p.grad.dtype is rushlight.float16:
                        raise ValueError("Attempting to unscale FP16 gradients.")
                    found = found or not bool(rushlight.isfinite(p.grad).all())
                    p.grad.mul_(inverse.to(p.grad.dtype))
        return found

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimizer's parameters by the factor now, to clip them for instance, instead of in `step`.

        Errors: RuntimeError when that was done already since the last `update`, or after `step`.
        """
        if not self._enabled:
            return
        factor = self._started("unscale_()")
        state = self._state_of(optimizer)
        if state["stage"] == UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] == STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        # In float64: the reciprocal of a float32 factor is then exact enough for every power of two.
        state["found_inf"] = self._unscale_grads(optimizer, factor.double().reciprocal())
        state["stage"] = UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """`optimizer.step(*args, **kwargs)`, unless the gradients, divided by the factor first, have infinities or NaNs.

        Returns: what the optimizer returns; None for a step that was skipped. Errors: RuntimeError for a closure, or a second
        step without `update`.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        factor = self._started("step()")
        state = self._state_of(optimizer)
        if state["stage"] == STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False) and "grad_scaler" in inspect.signature(optimizer.step).parameters:
            # An optimizer that unscales by itself is given the scaler.
            result = optimizer.step(*args, **kwargs, grad_scaler=self)
            state["stage"] = STEPPED
            return result
        if state["stage"] == READY:
            self.unscale_(optimizer)
        if state["found_inf"] is None:
            raise AssertionError(f"No inf checks were recorded for this optimizer (factor {factor.item()}).")
        result = None if state["found_inf"] else optimizer.step(*args, **kwargs)
        state["stage"] = STEPPED
        return result

    def update(self, new_scale: Any = None) -> None:
        """Adapt the factor to what the steps since the last update found; or set it to `new_scale`."""
        if not self._enabled:
            return
        factor = self._started("update()")
        tracker = self._growth_tracker
        if tracker is None:
            raise AssertionError("Attempted update but _growth_tracker is None.")
        if new_scale is not None:
            factor.fill_(new_scale.item() if isinstance(new_scale, Tensor) else new_scale)
        else:
            found = [s["found_inf"] for s in self._per_optimizer_states.values() if s["found_inf"] is not None]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            if any(found):
                factor.mul_(self._backoff_factor)
                tracker.zero_()
            else:
                tracker.add_(1)
                if tracker.item() == self._growth_interval:
                    grown = factor.item() * self._growth_factor
                    if math.isfinite(grown) and grown <= rushlight.finfo(rushlight.float32).max:
                        factor.fill_(grown)
                    tracker.zero_()
        self._per_optimizer_states = {}

    # --------------------------------------------------------------------------------------------------- what it is made of
    def get_scale(self) -> float:
        """The factor; 1.0 when disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self) -> float:
        """What the factor is multiplied by when it grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set what the factor is multiplied by when it grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """What the factor is multiplied by after infinities."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set what the factor is multiplied by after infinities."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many steps without infinities the factor grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set after how many steps without infinities the factor grows."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker.item())

    def is_enabled(self) -> bool:
        """Whether the scaler does anything."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The factor, how it changes, and the steps since it last did; empty when disabled."""
        if not self._enabled:
            return {}
        return {"scale": self.get_scale(), "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
                "growth_interval": self._growth_interval, "_growth_tracker": self._get_growth_tracker()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take back what `state_dict` returned.

        Errors: RuntimeError when that is empty, because it came from a disabled scaler.
        """
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.")
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._growth_tracker is not None:
            self._growth_tracker.fill_(state_dict["_growth_tracker"])

    def __getstate__(self) -> dict[str, Any]:
        if self._enabled and self._per_optimizer_states:
            raise AssertionError("A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after scaler.update().")
        state = self.__dict__.copy()
        if self._enabled:
            state.update(_init_scale=self.get_scale(), _init_growth_tracker=self._get_growth_tracker(), _scale=None, _growth_tracker=None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
