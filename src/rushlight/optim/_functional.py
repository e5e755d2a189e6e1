"""One step of an optimizer as a function of lists: parameters, gradients, states. Each is what the class's step does
behind its hooks: options are not checked, and no hook is called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.core.naming import named

from .adam import Adam, AdamW
from .adam_variants import ASGD, Adamax, NAdam, RAdam
from .adaptive import Adadelta, Adagrad, RMSprop, Rprop
from .matrices import Adafactor, Muon
from .optimizer import Row, SteppedOptimizer, number
from .sgd import SGD
from .sparse_adam import SparseAdam

_Step = Callable[..., None]
_Stepped = SGD | SteppedOptimizer

# Options of the classes that the functions take in two parts.
_PAIRS = {
    "betas": ("beta1", "beta2"),
    "step_sizes": ("step_size_min", "step_size_max"),
    "etas": ("etaminus", "etaplus"),
}


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


def _options(name: str, cls: type[_Stepped], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a group among a call's arguments, which are not checked: a class does that as it is made."""
    foreach, differentiable, lr = given.get("foreach"), given.get("differentiable"), given.get("lr")
    if foreach and differentiable:
        raise AssertionError(f"{name}(): 'foreach' and 'differentiable' exclude each other; found both True")
    if given.get("fused") and differentiable:
        raise RuntimeError(f"{name}(): 'fused' and 'differentiable' exclude each other; found both True")
    if issubclass(cls, Adam) and foreach and not given.get("fused") and isinstance(lr, Tensor):
        raise RuntimeError(f"{name}(): 'lr' must be a number where foreach=True; found a Tensor")
    options = dict(given)
    for whole, parts in _PAIRS.items():
        if parts[0] in options:
            options[whole] = tuple(options.pop(part) for part in parts)
    if lr is not None and not differentiable:
        options["lr"] = number(lr)
    if cls is AdamW:
        options["decoupled_weight_decay"] = True
    return options


def _check_list(name: str, argument: str, values: Sequence[Any], size: int, equal: bool, empty: bool = False) -> None:
    """Refuse what is no list along the parameters.

    Args:
        name: the function's.
        argument: what the list is called.
        values: the list.
        size: how many parameters there are.
        equal: whether a longer list is refused too, as PyTorch does where it walks the lists by `zip`.
        empty: whether it may hold None.
    """
    if len(values) < size or (equal and len(values) > size):
        raise (ValueError if equal else IndexError)(
            f"{name}(): '{argument}' must hold one tensor for each of the {size} 'params'; found {len(values)}"
        )
    for i, value in enumerate(values[:size]):
        if not (isinstance(value, Tensor) or (empty and value is None)):
            raise TypeError(f"{name}(): '{argument}' must hold tensors; found {rushlight.typename(value)} at {i}")


def _of_class(
    name: str,
    cls: type[_Stepped],
    states: str,
    flags: str,
    options: str,
    grads: str = "grads",
    steps: bool = True,
    equal: bool = False,
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
        equal: whether lists longer than that of the parameters are refused.
    """
    of = dict(pair.split(":") for pair in states.split())
    lists = ["params", grads, *of, *(["state_steps"] if steps else [])]
    signature = _signature(lists, flags, options)
    stepper = cls.__new__(cls)  # its `_update_` reads nothing that a constructor sets

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
        scale, stop = given.pop("grad_scale", None), given.pop("found_inf", None)
        if not given.get("fused") and not (scale is stop is None):
            raise AssertionError(f"{name}(): 'grad_scale' and 'found_inf' must be None unless fused=True")
        group = _options(name, cls, given)
        size = len(params)
        _check_list(name, "params", params, size, equal)
        _check_list(name, grads, gradients, size, equal)
        needed = stepper._names_(group)
        # Lists of states that the options do not need are not read.
        kept = {of[key]: (key, column) for key, column in zip(of, columns, strict=True) if of[key] in needed}
        for key, column in kept.values():
            _check_list(name, key, column, size, equal, key == "momentum_buffer_list" and cls is SGD)
        if steps:
            _check_list(name, "state_steps", counts, size, equal)
        if stop is not None and bool(stop):
            return
        written = [*params, *(column[i] for _, column in kept.values() for i in range(size))]
        group["differentiable"] = rushlight.is_grad_enabled() and any(
            t.requires_grad for t in (*written, *gradients[:size], group.get("lr")) if isinstance(t, Tensor)
        )
        if group["differentiable"] and any(p.is_leaf and p.requires_grad for p in params):
            raise RuntimeError(
                f"{name}(): 'params' must hold no leaf that requires grad, which is not written where operations are "
                "recorded; call it within no_grad()"
            )
        if scale is not None:
            with rushlight.no_grad():
                for g in gradients[:size]:
                    g.div_(scale)
        rows: list[Row] = []
        for i, p in enumerate(params):
            state = {key: column[i] for key, (_, column) in kept.items() if column[i] is not None}
            rows.append((p, gradients[i], state | ({"step": counts[i]} if steps else {})))
        stepper._update_(group, rows)
        for i, (_, _, state) in enumerate(rows):
            if steps and state["step"] is not counts[i]:
                with rushlight.no_grad():
                    counts[i].copy_(state["step"])
            for key, (_, column) in kept.items():
                if key not in state or state[key] is column[i]:
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
        {"ValueError" if equal else "IndexError"}: a list is too short.
        TypeError: a list holds something that is not a tensor.
        RuntimeError: a parameter is a leaf that requires grad, where operations are recorded.
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
    equal=True,
)
adadelta = _of_class(
    "adadelta",
    Adadelta,
    "square_avgs:square_avg acc_deltas:acc_delta",
    "capturable=False foreach=None differentiable=False has_complex=False",
    "lr rho eps weight_decay maximize",
    equal=True,
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
_sparse_adam = _of_class("sparse_adam", SparseAdam, _AVERAGES, "", "eps beta1 beta2 lr maximize")


def sparse_adam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    state_steps: list[int],
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float,
    maximize: bool,
) -> None:
    """One step of SparseAdam on lists; the parameters and the states are written.

    Args:
        params: the parameters.
        grads: their sparse gradients.
        exp_avgs, exp_avg_sqs: of each parameter, what SparseAdam keeps in its state.
        state_steps: the number of each one's step, from 1.
        eps, beta1, beta2, lr, maximize: as the class's options.

    Raises:
        IndexError, TypeError, RuntimeError: as the other functions.
    """
    before = [rushlight.tensor(float(n - 1)) for n in state_steps]
    _sparse_adam(
        params, grads, exp_avgs, exp_avg_sqs, before, eps=eps, beta1=beta1, beta2=beta2, lr=lr, maximize=maximize
    )


def _one_by_one(
    name: str,
    stepper: Adafactor | Muon,
    group: dict[str, Any],
    params: list[Tensor],
    grads: list[Tensor],
    **states: Any,
) -> None:
    """A step of each parameter with its entries of the lists of states."""
    _check_list(name, "params", params, len(params), False)
    for argument, values in {"grads": grads, **states}.items():
        _check_list(name, argument, values, len(params), False, argument in _OF_SOME)
    for i, (p, grad) in enumerate(zip(params, grads, strict=False)):
        if rushlight.is_grad_enabled() and p.is_leaf and p.requires_grad:
            raise RuntimeError(
                f"{name}(): 'params' must hold no leaf that requires grad, which is not written where operations are "
                "recorded; call it within no_grad()"
            )
        state = {_STATES[key]: values[i] for key, values in states.items() if values[i] is not None}
        stepper._step_one_(group, p, grad, state)


_STATES = {
    "muon_momentum_bufs": "momentum_buffer",
    "row_vars": "row_var",
    "col_vars": "col_var",
    "variances": "variance",
    "state_steps": "step",
}
_OF_SOME = frozenset({"row_vars", "col_vars", "variances"})  # of matrices the first two, of other parameters the last


def muon(
    params: list[Tensor],
    grads: list[Tensor],
    muon_momentum_bufs: list[Tensor],
    *,
    foreach: bool | None = None,
    lr: float,
    weight_decay: float,
    momentum: float,
    nesterov: bool,
    ns_coefficients: tuple[float, float, float],
    ns_steps: int,
    eps: float,
    adjust_lr_fn: str | None,
    has_complex: bool,
) -> None:
    """One step of Muon on lists; the parameters and their velocities are written.

    Args:
        params: the parameters, matrices.
        grads: their gradients.
        muon_momentum_bufs: their velocities.
        foreach: None or False.
        lr, weight_decay, momentum, nesterov, ns_coefficients, ns_steps, eps, adjust_lr_fn: as the class's options.
        has_complex: False.

    Raises:
        RuntimeError: foreach or has_complex is True, or a parameter is a leaf that requires grad, where operations are
            recorded.
        ValueError: a parameter is no matrix.
        IndexError, TypeError: a list is too short, or holds something that is not a tensor.
    """
    if foreach:
        raise RuntimeError("muon(): 'foreach' must be None or False; found True")
    if has_complex:
        raise ValueError("muon(): 'params' must be real; found has_complex=True")
    for p in params:
        if p.dim() != 2:
            raise ValueError(f"muon(): 'params' must be matrices; found the shape {tuple(p.shape)}")
    group: dict[str, Any] = {"lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov}
    group |= {"ns_coefficients": ns_coefficients, "ns_steps": ns_steps, "eps": eps, "adjust_lr_fn": adjust_lr_fn}
    _one_by_one("muon", Muon.__new__(Muon), group, params, grads, muon_momentum_bufs=muon_momentum_bufs)


def adafactor(
    params: list[Tensor],
    grads: list[Tensor],
    row_vars: list[Tensor | None],
    col_vars: list[Tensor | None],
    variances: list[Tensor | None],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    *,
    d: float,
    lr: float | Tensor,
    beta2_decay: float,
    weight_decay: float,
    eps1: float,
    eps2: float,
    maximize: bool,
) -> None:
    """One step of Adafactor on lists; the parameters, the states and `state_steps` are written.

    Args:
        params: the parameters.
        grads: their gradients.
        row_vars, col_vars: of each parameter with two or more dimensions the means of its rows and columns; None of
            others.
        variances: of each other parameter the mean square; None of those.
        state_steps: their numbers of steps.
        foreach, has_complex: accepted and not needed.
        grad_scale, found_inf: None.
        d, lr, beta2_decay, weight_decay, maximize: as the class's options; eps1, eps2: as its `eps`.

    Raises:
        AssertionError: grad_scale or found_inf is given.
        RuntimeError: a parameter is complex, a step is no tensor, or a parameter is a leaf that requires grad, where
            operations are recorded.
        IndexError, TypeError: a list is too short, or holds something that is not a tensor.
    """
    if not (grad_scale is found_inf is None):
        raise AssertionError("adafactor(): 'grad_scale' and 'found_inf' must be None; found another")
    if not all(isinstance(t, Tensor) for t in state_steps):
        raise RuntimeError(
            f"adafactor(): 'state_steps' must be tensors of one element in a list; found {state_steps!r}"
        )
    group: dict[str, Any] = {
        "lr": lr,
        "beta2_decay": beta2_decay,
        "weight_decay": weight_decay,
        "eps": (eps1, eps2),
        "d": d,
    }
    group["maximize"] = maximize
    states = {"row_vars": row_vars, "col_vars": col_vars, "variances": variances, "state_steps": state_steps}
    _one_by_one("adafactor", Adafactor.__new__(Adafactor), group, params, grads, **states)
