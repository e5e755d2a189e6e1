"""Terms that the rules of several optimizers share."""

from __future__ import annotations

from typing import Any

from rushlight import Tensor

from .optimizer import number


def downhill(p: Tensor, g: Tensor, maximize: bool, decay: bool, weight_decay: float) -> Tensor:
    """The gradient to go against: turned round to go up, and with an L2 penalty where there is one."""
    g = -g if maximize else g
    return g + weight_decay * p if decay else g


def decayed(
    p: Tensor, g: Tensor, maximize: bool, decay: bool, decoupled: bool, weight_decay: float, shrink: float
) -> tuple[Tensor, Tensor]:
    """The parameter and the gradient to go against; the decay is applied to the gradient, or to the parameter where it
    is decoupled."""
    g = downhill(p, g, maximize, decay and not decoupled, weight_decay)
    return p * shrink if decay and decoupled else p, g


def averaged(g: Tensor, mean: Tensor, square: Tensor, beta1: float, beta2: float) -> tuple[Tensor, Tensor]:
    """The running means of the gradient and of its square after this one."""
    return mean + (1 - beta1) * (g - mean), beta2 * square + (1 - beta2) * g * g


def moments(group: dict[str, Any]) -> dict[str, Any]:
    """The options of a group that rules with two running means take."""
    beta1, beta2 = (number(beta) for beta in group["betas"])
    return {"weight_decay": number(group["weight_decay"]), "beta1": beta1, "beta2": beta2, "eps": group["eps"]}
