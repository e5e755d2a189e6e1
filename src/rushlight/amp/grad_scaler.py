"""`GradScaler`: losses times a factor, so that gradients in float16 do not vanish; the factor adapts (Micikevicius et
al. 2018).
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import rushlight
from rushlight import Tensor
from rushlight.core.checks import check_argument

if TYPE_CHECKING:
    from rushlight.optim.optimizer import Optimizer

__all__ = ["GradScaler", "OptState"]

READY, UNSCALED, STEPPED = 0, 1, 2


class OptState:
    """What has been done with an optimizer's gradients since the last update."""

    READY, UNSCALED, STEPPED = READY, UNSCALED, STEPPED


# The method that led to a stage.
_METHODS = {UNSCALED: "unscale_", STEPPED: "step"}

# How the factor changes: what state_dict calls it.
_CHANGES = ("growth_factor", "backoff_factor", "growth_interval")


class GradScaler:
    """Multiplies losses by a factor and divides gradients by it; steps with infinite gradients are skipped.

    Args:
        device: where the losses are; a device that is not there turns the scaler off with a warning.
        init_scale: the first factor.
        growth_factor: what it is multiplied by after growth_interval steps without infinities.
        backoff_factor: what after a step with some.
        enabled: False makes every method pass its arguments through.

    Raises:
        AssertionError: unless growth_factor > 1 > backoff_factor.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if enabled and rushlight.device(device).type != "cpu":
            warnings.warn(f"GradScaler: {device.upper()} is not available; nothing is scaled", stacklevel=2)
            enabled = False
        self._device, self._enabled = device, enabled
        if enabled:
            check_argument(
                growth_factor > 1.0, "GradScaler", "growth_factor", "be above 1", growth_factor, AssertionError
            )
            check_argument(
                backoff_factor < 1.0, "GradScaler", "backoff_factor", "be below 1", backoff_factor, AssertionError
            )
            self._growth_factor, self._backoff_factor, self._growth_interval = (
                growth_factor,
                backoff_factor,
                growth_interval,
            )
            # The tensors are made when first needed.
            self._scale: Tensor | None = None
            self._growth_tracker: Tensor | None = None
            self._init_scale, self._init_growth_tracker = init_scale, 0
            self._per_optimizer_states: dict[int, dict[str, Any]] = {}

    # ---------------------------------------------------------------------------------------------------------- scaling
    def _scale_tensor(self) -> Tensor:
        if self._scale is None:
            self._scale = rushlight.tensor(self._init_scale, dtype=rushlight.float32)
            self._growth_tracker = rushlight.tensor(self._init_growth_tracker, dtype=rushlight.int32)
        return self._scale

    def scale(self, outputs: Any) -> Any:
        """A tensor, or each of an iterable of tensors, times the factor.

        Raises:
            ValueError: for anything else.
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
        raise ValueError(f"GradScaler.scale: 'outputs' must be a Tensor, or several; found {type(outputs).__name__}")

    def _state_of(self, optimizer: Optimizer) -> dict[str, Any]:
        return self._per_optimizer_states.setdefault(id(optimizer), {"stage": READY, "found_inf": None})

    def _before(self, method: str, optimizer: Optimizer, stages: tuple[int, ...]) -> tuple[Tensor, dict[str, Any]]:
        """The factor and an optimizer's state, at one of the stages in which the method may be called."""
        factor, state = self._started(method), self._state_of(optimizer)
        if state["stage"] not in stages:
            raise RuntimeError(
                f"GradScaler.{method}: {_METHODS[state['stage']]}() was called for this optimizer already; update() "
                "must come first"
            )
        return factor, state

    def _started(self, method: str) -> Tensor:
        if self._scale is None:
            raise AssertionError(
                f"GradScaler.{method}: scale() must come first, for the loss whose gradients these are"
            )
        return self._scale

    def _unscale_grads(self, optimizer: Optimizer, inverse: Tensor) -> bool:
        """Divide the gradients by the factor, in place; returns whether one has an infinity or NaN."""
        finite: list[Tensor] = []
        with rushlight.no_grad():
            for group in optimizer.param_groups:
                for p in group["params"]:
                    if p.grad is None:
                        continue
                    if p.grad.dtype is rushlight.float16:
                        raise ValueError(
                            "GradScaler.unscale_: gradients must have more digits than float16; keep parameters in "
                            "float32"
                        )
                    finite.append(rushlight.isfinite(p.grad).all())
                    p.grad.mul_(inverse.to(p.grad.dtype))
        # (One value is asked for, whatever there is of gradients.)
        return bool(finite) and not bool(rushlight.stack(finite).all())

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divide the gradients of an optimizer's parameters by the factor now, to clip them for instance, instead of in
        `step`.

        Raises:
            RuntimeError: that was done already since the last `update`, or after `step`.
        """
        if not self._enabled:
            return
        factor, state = self._before("unscale_", optimizer, (READY,))
        # In float64: the reciprocal of a float32 factor is then exact enough for every power of two.
        state["found_inf"] = self._unscale_grads(optimizer, factor.double().reciprocal())
        state["stage"] = UNSCALED

    def step(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
        """`optimizer.step(*args, **kwargs)`, unless the gradients, divided by the factor first, have infinities or
        NaNs.

        Returns:
            What the optimizer returns; None for a step that was skipped.

        Raises:
            RuntimeError: for a closure, or a second step without `update`.
        """
        state: dict[str, Any] = {}
        if self._enabled:
            if "closure" in kwargs:
                raise RuntimeError(
                    "GradScaler.step: 'closure' is not supported, for its gradients would not be unscaled"
                )
            _, state = self._before("step", optimizer, (READY, UNSCALED))
            if (
                getattr(optimizer, "_step_supports_amp_scaling", False)
                and "grad_scaler" in inspect.signature(optimizer.step).parameters
            ):
                kwargs["grad_scaler"] = self  # an optimizer that unscales by itself is given the scaler
            else:
                if state["stage"] == READY:
                    self.unscale_(optimizer)
                if state["found_inf"] is None:
                    raise AssertionError("GradScaler.step: the gradients of this optimizer were never unscaled")
        result = None if state.get("found_inf") else optimizer.step(*args, **kwargs)
        state["stage"] = STEPPED
        return result

    def update(self, new_scale: Any = None) -> None:
        """Adapt the factor to what the steps since the last update found; or set it to `new_scale`."""
        if not self._enabled:
            return
        factor, tracker = self._started("update"), self._growth_tracker
        assert tracker is not None  # made with the factor
        found = [state["found_inf"] for state in self._per_optimizer_states.values() if state["found_inf"] is not None]
        if new_scale is not None:
            factor.fill_(new_scale.item() if isinstance(new_scale, Tensor) else new_scale)
        elif not found:
            raise AssertionError(
                "GradScaler.update: no gradients were unscaled since the last update; step() must come first"
            )
        elif any(found):
            factor.mul_(self._backoff_factor)
            tracker.zero_()
        elif int(tracker) + 1 < self._growth_interval:
            tracker.add_(1)
        else:
            grown = float(factor) * self._growth_factor
            if grown <= rushlight.finfo(rushlight.float32).max:
                factor.fill_(grown)
            tracker.zero_()
        self._per_optimizer_states = {}

    # ----------------------------------------------------------------------------------------------- what it is made of
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
        changes = {name: getattr(self, f"_{name}") for name in _CHANGES}
        return {"scale": self.get_scale(), **changes, "_growth_tracker": self._get_growth_tracker()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take back what `state_dict` returned.

        Raises:
            RuntimeError: that is empty, because it came from a disabled scaler.
        """
        if not self._enabled:
            return
        check_argument(
            state_dict, "GradScaler.load_state_dict", "state_dict", "be that of an enabled scaler", "it empty"
        )
        for name in _CHANGES:
            setattr(self, f"_{name}", state_dict[name])
        self._init_scale, self._init_growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]
        if self._scale is not None and self._growth_tracker is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)

    def __getstate__(self) -> dict[str, Any]:
        if not self._enabled:
            return dict(vars(self))
        if self._per_optimizer_states:
            raise AssertionError("GradScaler: to be pickled, a scaler must be between an update() and the next step")
        started = {"_init_scale": self.get_scale(), "_init_growth_tracker": self._get_growth_tracker()}
        return {**vars(self), **started, "_scale": None, "_growth_tracker": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
