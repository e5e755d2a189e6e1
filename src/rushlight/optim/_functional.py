"""One step of an optimizer as a function of lists: parameters, gradients, states. Each is a step of the class, on
parameters that share the memory of those given.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.core.naming import named

from .adam import Adam, AdamW
from .adam_variants import ASGD, Adamax, NAdam, RAdam
from .adaptive import Adadelta, Adagrad, RMSprop, Rprop
from .optimizer import Optimizer
from .sgd import SGD

_Step = Callable[..., None]

# Options of the classes that the functions take in two parts.
_PAIRS = {
    "betas": ("beta1", "beta2"),
    "step_sizes": ("step_size_min", "step_size_max"),
    "etas": ("etaminus", "etaplus"),
}
_NOT_OPTIONS = frozenset(("foreach", "has_complex", "has_sparse_grad", "grad_scale", "found_inf"))


def _signature(lists: list[str], flags: str, options: str) -> inspect.Signature:
    """The lists by position, then flags with their defaults, and the options by keyword."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    constants = {"None": None, "False": False}
    pairs = [flag.split("=") for flag in flags.split()]
    return inspect.Signature(
        [
            *(inspect.Parameter(name, kind) for name in lists),
            *(inspect.Parameter(name, kind, default=constants[value]) for name, value in pairs),
            *(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in options.split()),
        ]
    )


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The constructor's options among a call's arguments."""
    parts = {part for pair in _PAIRS.values() for part in pair}
    whole = {name: (given[a], given[b]) for name, (a, b) in _PAIRS.items() if a in given}
    return whole | {k: v for k, v in given.items() if k not in parts and k not in _NOT_OPTIONS}


def _of_class(
    name: str, cls: type[Optimizer], states: str, flags: str, options: str, grads: str = "grads", steps: bool = True
) -> _Step:
    """The function for a class.

    Args:
        name: its name.
        cls: the optimizer.
        states: pairs "list:state", of an argument and the state that it has of each parameter.
        flags: arguments after the lists, with their defaults.
        options: arguments by keyword alone.
        grads: what the gradients are called.
        steps: whether there is a list of step counts, `state_steps`.
    """
    of = dict(pair.split(":") for pair in states.split())
    lists = ["params", grads, *of, *(["state_steps"] if steps else [])]
    signature = _signature(lists, flags, options)

    def step(*args: Any, **kwargs: Any) -> None:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}(): {error}") from None
        bound.apply_defaults()
        given = bound.arguments
        params, gradients, *columns = (given.pop(key) for key in lists)
        counts = columns.pop() if steps else []
        if not all(isinstance(t, Tensor) for t in counts):
            raise RuntimeError(f"{name}(): 'state_steps' must be tensors of one element in a list; found {counts!r}")
        scale, stop = given.get("grad_scale"), given.get("found_inf")
        if not given.get("fused") and not (scale is stop is None):
            raise AssertionError(f"{name}(): 'grad_scale' and 'found_inf' must be None unless fused=True")
        if stop is not None and bool(stop):
            return
        recorded = rushlight.is_grad_enabled() and any(p.requires_grad for p in params)
        if recorded and any(p.is_leaf and p.requires_grad for p in params):
            raise RuntimeError(
                f"{name}(): 'params' must hold no leaf that requires grad, which is not written where operations are "
                "recorded; call it within no_grad()"
            )
        # Leaves of their own, whose gradients are those of this call; a step that is recorded needs the parameters.
        leaves = list(params) if recorded else [p.detach() for p in params]
        before = [p.grad if p.is_leaf else None for p in leaves]
        optimizer = cls(leaves, **_options(given) | {"differentiable": recorded})
        try:
            for i, (p, g) in enumerate(zip(leaves, gradients, strict=True)):
                p.grad = g if scale is None else g / scale
                found = {key: column[i] for key, column in zip(of.values(), columns, strict=True) if len(column)}
                optimizer.state[p] = {k: v for k, v in found.items() if v is not None} | (
                    {"step": counts[i]} if steps else {}
                )
            optimizer.step()
        finally:
            for p, g in zip(leaves, before, strict=True):
                p.grad = g
        for i, p in enumerate(leaves):
            state = optimizer.state[p]
            if steps and state["step"] is not counts[i]:
                counts[i].copy_(state["step"])
            for key, column in zip(of.values(), columns, strict=True):
                if not len(column) or key not in state or state[key] is column[i]:
                    continue
                if column[i] is None:
                    column[i] = state[key]
                else:
                    column[i].copy_(state[key])

    words = cls.__name__
    made: _Step = named(
        step,
        name,
        f"""One step of {words} on lists; the parameters, the states and `state_steps` are written.

    Args:
        params: the parameters.
        {grads}: their gradients.
        {", ".join([*of, *(["state_steps"] if steps else [])])}: of each parameter, what {words} keeps in its state;
            empty, or None, where the options need none.

    Raises:
        ValueError: for options that {words} refuses.
    """,
    )
    made.__signature__ = signature  # type: ignore[attr-defined]
    return made


_AVERAGES = "exp_avgs:exp_avg exp_avg_sqs:exp_avg_sq"
_FUSED = "fused=None grad_scale=None found_inf=None"
_LATE = "foreach=None maximize=False differentiable=False capturable=False has_complex=False"
_ADAM = f"foreach=None capturable=False differentiable=False {_FUSED} has_complex=False"
_ADAM_OPTIONS = "amsgrad beta1 beta2 lr weight_decay eps maximize"
_TOPS = f"{_AVERAGES} max_exp_avg_sqs:max_exp_avg_sq"

adam = _of_class("adam", Adam, _TOPS, f"{_ADAM} decoupled_weight_decay=False", _ADAM_OPTIONS)
adamw = _of_class("adamw", AdamW, _TOPS, _ADAM, _ADAM_OPTIONS)
sgd = _of_class(
    "sgd",
    SGD,
    "momentum_buffer_list:momentum_buffer",
    f"has_sparse_grad=False foreach=None {_FUSED}",
    "weight_decay momentum lr dampening nesterov maximize",
    grads="d_p_list",
    steps=False,
)
adagrad = _of_class(
    "adagrad",
    Adagrad,
    "state_sums:sum",
    f"{_FUSED} has_sparse_grad=False foreach=None differentiable=False has_complex=False",
    "lr weight_decay lr_decay eps maximize",
)
adadelta = _of_class(
    "adadelta",
    Adadelta,
    "square_avgs:square_avg acc_deltas:acc_delta",
    "capturable=False foreach=None differentiable=False has_complex=False",
    "lr rho eps weight_decay maximize",
)
adamax = _of_class("adamax", Adamax, "exp_avgs:exp_avg exp_infs:exp_inf", _LATE, "eps beta1 beta2 lr weight_decay")
nadam = _of_class(
    "nadam",
    NAdam,
    f"{_AVERAGES} mu_products:mu_product",
    "decoupled_weight_decay=False foreach=None capturable=False differentiable=False has_complex=False maximize=False",
    "beta1 beta2 lr weight_decay momentum_decay eps",
)
radam = _of_class(
    "radam",
    RAdam,
    _AVERAGES,
    "decoupled_weight_decay=False foreach=None differentiable=False capturable=False has_complex=False maximize=False",
    "beta1 beta2 lr weight_decay eps",
)
asgd = _of_class("asgd", ASGD, "axs:ax mus:mu etas:eta", _LATE, "lambd lr t0 alpha weight_decay")
rmsprop = _of_class(
    "rmsprop",
    RMSprop,
    "square_avgs:square_avg grad_avgs:grad_avg momentum_buffer_list:momentum_buffer",
    _LATE,
    "lr alpha eps weight_decay momentum centered",
)
rprop = _of_class(
    "rprop",
    Rprop,
    "prevs:prev step_sizes:step_size",
    "foreach=None capturable=False maximize=False differentiable=False has_complex=False",
    "step_size_min step_size_max etaminus etaplus",
)
