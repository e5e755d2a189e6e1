"""Stochastic gradient descent."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rushlight import Tensor
from rushlight.optim.optimizer import ParamsT

from . import _step
from ._options import options_of
from ._terms import downhill
from .optimizer import Optimizer, Row, number, rate


@functools.cache
def _rule(maximize: bool, decay: bool, momentum: bool, first: bool, nesterov: bool) -> Any:
    """The rule for one choice of options: p and the buffer of the velocity, which ``first`` starts with g."""

    def plain(p: Tensor, g: Tensor, *, lr: float, weight_decay: float) -> tuple[Tensor, ...]:
        g = downhill(p, g, maximize, decay, weight_decay)
        return (p - lr * g,)

    def heavy(
        p: Tensor, g: Tensor, buf: Tensor, *, lr: float, weight_decay: float, mu: float, dampening: float
    ) -> tuple[Tensor, ...]:
        g = downhill(p, g, maximize, decay, weight_decay)
        buf = g if first else mu * buf + (1 - dampening) * g
        return p - lr * (g + mu * buf if nesterov else buf), buf

    return heavy if momentum else plain


def _velocity(p: Tensor, grad: Tensor, decay: bool, differentiable: bool) -> Tensor:
    """What the first step writes its velocity to: with the dtype and shape of the gradient, or of its sum with p."""
    if decay and (grad.dtype != p.dtype or grad.shape != p.shape):
        return (grad + p).detach()
    return grad.clone() if differentiable else grad.detach().clone()


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum (Sutskever et al. 2013) if asked for.

    Args:
        params: parameters or groups of them.
        lr: learning rate.
        momentum: what remains of the velocity at each step.
        dampening: how much of the gradient is left out of the velocity.
        weight_decay: an L2 penalty.
        nesterov: look ahead along the velocity.
        maximize: go up instead of down.
        foreach: accepted and not needed: all parameters are always stepped together.
        differentiable: record the step in the autograd graph.
        fused: accepted and not needed.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if nesterov and not (momentum > 0 and dampening == 0):
            raise ValueError(
                f"{type(self).__name__}: 'nesterov' needs a positive 'momentum' and no 'dampening'; "
                f"found momentum={momentum!r}, dampening={dampening!r}"
            )
        super().__init__(params, options_of(locals()))

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters once; returns the loss that ``closure``, if given, computes."""
        loss = self._call_closure_(closure)
        for group in self.param_groups:
            self._update_(group, self._rows_(group))
        return loss

    def _names_(self, group: dict[str, Any]) -> tuple[str, ...]:
        """The states that a step takes."""
        return ("momentum_buffer",) if group["momentum"] != 0 else ()

    def _rows_(self, group: dict[str, Any]) -> Iterator[Row]:
        if group["momentum"] != 0:
            yield from super()._rows_(group)
            return
        none: dict[str, Any] = {}  # no state is begun
        for p in group["params"]:
            grad = p.grad
            if grad is not None:
                yield p, grad, none

    def _update_(self, group: dict[str, Any], rows: Iterable[Row]) -> None:
        """Step parameters of a group; of `self` nothing is read that a constructor sets."""
        momentum, weight_decay = group["momentum"] != 0, number(group["weight_decay"])
        # Parameters at their first step have no velocity yet: they are a list of their own.
        lists: dict[bool, tuple[list[Tensor], list[Tensor], list[Tensor]]] = {}
        for p, grad, state in rows:
            if grad.is_sparse:
                self._sparse_(group, p, grad, state)
                continue
            first = False
            if momentum:
                buf = state.get("momentum_buffer")
                if buf is None:
                    first = True
                    buf = state["momentum_buffer"] = _velocity(p, grad, weight_decay != 0, group["differentiable"])
                lists.setdefault(first, ([], [], []))[2].append(buf)
            params, grads, _ = lists.setdefault(first, ([], [], []))
            params.append(p)
            grads.append(grad)
        scalars: dict[str, Any] = {"lr": rate(group), "weight_decay": weight_decay}
        if momentum:
            scalars |= {"mu": number(group["momentum"]), "dampening": number(group["dampening"])}
        for first, (params, grads, bufs) in lists.items():
            rule = _rule(group["maximize"], weight_decay != 0, momentum, first, group["nesterov"])
            states = (bufs,) if momentum else ()
            _step.apply(rule, scalars, params, grads, *states, differentiable=group["differentiable"])

    @staticmethod
    def _sparse_(group: dict[str, Any], p: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        import rushlight

        if number(group["weight_decay"]) != 0:
            raise RuntimeError(
                f"SGD: 'weight_decay' must be 0 where a gradient is sparse; found {number(group['weight_decay'])}"
            )
        momentum = number(group["momentum"])
        with rushlight.no_grad():
            if group["maximize"]:
                grad = -grad
            if momentum != 0:
                if state.get("momentum_buffer") is None:
                    velocity = state["momentum_buffer"] = grad.clone()
                else:
                    velocity = state["momentum_buffer"]
                    velocity.mul_(momentum).add_(grad, alpha=1 - number(group["dampening"]))
                grad = grad.add(velocity, alpha=momentum) if group["nesterov"] else velocity
            p.add_(grad, alpha=-number(group["lr"]))
