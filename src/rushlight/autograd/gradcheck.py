"""`gradcheck` and `gradgradcheck`: analytical derivatives against central differences.

A complex number counts as two real ones: Jacobians are real, rows are the real and imaginary parts of outputs, columns
those of inputs. PyTorch's gradient of a complex input is dL/d(re) + i dL/d(im), so its parts are a row of this
Jacobian.
"""

from __future__ import annotations

import functools
import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.autograd.grad_mode import no_grad
from rushlight.autograd.running import grad as _grad
from rushlight.core.tensor import Tensor
from rushlight.operators.table.define import METHODS, TABLE

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """A derivative that is wrong, or arguments that cannot be checked."""


def _tensors(x: Any) -> list[Tensor]:
    if isinstance(x, Tensor):
        return [x]
    return [t for v in x for t in _tensors(v)] if isinstance(x, (tuple, list)) else []


def _outputs(fn: Callable[..., Any], inputs: Sequence[Any]) -> list[Tensor]:
    found = [y for y in _tensors(fn(*inputs)) if y.dtype.kind in "fc"]
    return [y.to_dense() if y.is_sparse else y for y in found]


def _of_values(fn: Callable[..., Any], inputs: tuple[Any, ...], masked: bool) -> tuple[Callable[..., Any], Any]:
    """The function and its arguments with the values of sparse ones in their places: those of their entries, if
    `masked`, else of all elements.
    """
    from rushlight.core.dtypes import sparse_coo
    from rushlight.operators.table.define import FUNCTIONS

    places = {i: x for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.layout is sparse_coo}
    if not places:
        return fn, inputs
    given, patterns = list(inputs), {}
    for i, x in places.items():
        with no_grad():
            whole = x.detach().coalesce()
            if not masked:
                ones = TABLE["ones"](tuple(x.shape[: x.sparse_dim()])).to_sparse()
                whole = whole.to_dense().sparse_mask(
                    FUNCTIONS["sparse_coo_tensor"](
                        ones.indices(),
                        TABLE["zeros"]((ones._nnz(), *x.shape[x.sparse_dim() :]), dtype=x.dtype),
                        x.shape,
                    ).coalesce()
                )
            patterns[i] = whole
            given[i] = whole.values().clone()
        given[i].requires_grad_(x.requires_grad)

    def of_values(*arguments: Any) -> Any:
        back = list(arguments)
        for i, whole in patterns.items():
            back[i] = FUNCTIONS["sparse_coo_tensor"](whole.indices(), back[i], whole.shape, is_coalesced=True)
        return fn(*back)

    return of_values, tuple(given)


def _parts(x: Tensor) -> list[float]:
    """The numbers of a tensor in order, a complex one as two."""
    flat = METHODS["reshape"](x.detach().to_dense(), (-1,)).tolist()
    return [p for z in flat for p in (z.real, z.imag)] if x.dtype.kind == "c" else flat


def _steps(x: Tensor) -> list[tuple[tuple[int, ...], complex]]:
    """Every element of x with the directions it can move in."""
    units: tuple[complex, ...] = (1, 1j) if x.dtype.kind == "c" else (1,)
    return [(index, u) for index in itertools.product(*(range(n) for n in x.shape)) for u in units]


def _numerical(fn: Callable[..., Any], inputs: Sequence[Any], x: Tensor, eps: float) -> list[list[list[float]]]:
    """Per output the columns of its Jacobian with respect to x."""
    data = x.data
    columns: list[list[list[float]]] = []
    for index, unit in _steps(x):
        old = data[index].item()
        sides = []
        for sign in (1, -1):
            data[index] = old + sign * eps * unit
            # recording goes on: the function may differentiate something itself
            sides.append([_parts(y) for y in _outputs(fn, inputs)])
        data[index] = old
        columns.append([[(a - b) / (2 * eps) for a, b in zip(p, m, strict=True)] for p, m in zip(*sides, strict=True)])
    return [[c[k] for c in columns] for k in range(len(columns[0]))] if columns else []


def _unit(y: Tensor, index: tuple[int, ...], u: complex) -> Tensor:
    v = TABLE["zeros"](tuple(y.shape), dtype=y.dtype)
    v[index] = u
    return v


def _analytical(
    fn: Callable[..., Any], inputs: Sequence[Any], xs: Sequence[Tensor], k: int, nondet_tol: float
) -> list[list[list[float]]]:
    """Per input the rows of output k's Jacobian, by reverse mode."""
    y = _outputs(fn, inputs)[k]
    rows: list[list[list[float]]] = [[] for _ in xs]
    for index, u in _steps(y):
        v = _unit(y, index, u)
        runs = (
            [_grad([y], list(xs), [v], retain_graph=True, allow_unused=True) for _ in range(2)]
            if y.requires_grad
            else [[None] * len(xs)] * 2
        )
        for i, (a, b, x) in enumerate(zip(*runs, xs, strict=True)):
            first = [0.0] * len(_parts(x)) if a is None else _parts(a)
            if a is not None:
                if a.dtype is not x.dtype or tuple(a.shape) != tuple(x.shape):
                    raise GradcheckError(
                        f"gradcheck: the gradient of input {i} must have its dtype {x.dtype} and shape "
                        f"{tuple(x.shape)}; found {a.dtype} and {tuple(a.shape)}"
                    )
                if any(abs(p - q) > nondet_tol for p, q in zip(first, _parts(b), strict=True)):
                    raise GradcheckError(
                        f"gradcheck: two backward runs must agree to {nondet_tol} ('nondet_tol'); the gradients of "
                        f"input {i} differ by more"
                    )
            rows[i].append(first)
    return rows


def _compare(
    numerical: list[list[float]], rows: list[list[float]], eps_atol: float, rtol: float, i: int, k: int, mode: str
) -> None:
    for c, column in enumerate(numerical):
        for r, n in enumerate(column):
            a = rows[r][c]
            if not (a == n or abs(a - n) <= eps_atol + rtol * abs(n) or (a != a and n != n)):
                raise GradcheckError(
                    f"gradcheck: {mode} of output {k} by input {i}: the Jacobian's row {r}, column {c} must be {n}, "
                    f"as differences say; found {a}"
                )


def _forward(
    fn: Callable[..., Any], inputs: Sequence[Any], x: Tensor, index: tuple[int, ...], u: complex
) -> list[list[float]]:
    from rushlight.autograd import forward_ad as fwad

    with no_grad(), fwad.dual_level():
        given = [
            fwad.make_dual(t.detach(), _unit(t, index, u)) if t is x else t.detach() if isinstance(t, Tensor) else t
            for t in inputs
        ]
        pairs = [fwad.unpack_dual(y) for y in _outputs(fn, given)]
    return [_parts(TABLE["zeros_like"](p) if t is None else t) for p, t in pairs]


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_ad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the derivatives of `func` agree with central differences.

    Args:
        func: from tensors (and other arguments) to a tensor or a tuple.
        inputs: a tensor or a tuple; those that require grad, of double precision, are checked.
        eps: the step.
        atol, rtol: a difference up to atol + rtol * |numerical| is accepted.
        raise_exception: raise GradcheckError rather than return False.
        nondet_tol: how far two backward runs may differ.
        check_undefined_grad, check_batched_grad, check_forward_ad, check_batched_forward_ad, check_backward_ad: what to
            check.
        masked: of a sparse input only the entries move.
        fast_mode, check_grad_dtypes: accepted; the full comparison is always made.
    """
    func, inputs = _of_values(func, (inputs,) if isinstance(inputs, Tensor) else tuple(inputs), bool(masked))
    try:
        return _check(
            func,
            inputs,
            eps,
            atol,
            rtol,
            nondet_tol,
            check_undefined_grad,
            check_batched_grad,
            check_forward_ad,
            check_batched_forward_ad,
            check_backward_ad,
        )
    except GradcheckError:
        if raise_exception:
            raise
        return False


def _check(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
    undefined: bool,
    batched: bool,
    forward: bool,
    batched_forward: bool,
    backward: bool,
) -> bool:
    xs = [t for t in _tensors(inputs) if t.requires_grad]
    if not xs:
        raise ValueError("gradcheck: at least one tensor of 'inputs' must require grad; found none")
    for i, x in enumerate(xs):
        if x.dtype.name not in ("float64", "complex128"):
            warnings.warn(
                f"gradcheck: input {i} is of dtype {x.dtype}, whose differences have few digits; float64 or "
                "complex128 are right for this",
                UserWarning,
                stacklevel=4,
            )
        if any(n > 1 and s == 0 for n, s in zip(x.shape, x.stride(), strict=True)):
            raise RuntimeError(
                f"gradcheck: elements of an input must not share memory, or they cannot move one by one; input {i} "
                f"has the strides {x.stride()}. "
                "contiguous() gives each its own"
            )
    outputs = _outputs(func, inputs)
    if not any(y.requires_grad for y in outputs):
        if backward and not forward:
            for x in xs:
                for per_output in _numerical(func, inputs, x, eps):
                    if any(abs(v) > atol for column in per_output for v in column):
                        raise GradcheckError(
                            "gradcheck: 'func' has no graph, so its derivative must be 0; differences are not"
                        )
            return True
    for i, x in enumerate(xs):
        numerical = _numerical(func, inputs, x, eps)
        if not numerical:
            continue
        for k in range(len(outputs)):
            if backward:
                _compare(
                    numerical[k], _analytical(func, inputs, [x], k, nondet_tol)[0], atol, rtol, i, k, "backward mode"
                )
        if forward:
            for c, (index, u) in enumerate(_steps(x)):
                for k, found in enumerate(_forward(func, inputs, x, index, u)):
                    _compare([numerical[k][c]], [[v] for v in found], atol, rtol, i, k, "forward mode")
    if batched:
        _check_batched(func, inputs, xs)
    if batched_forward:
        _check_batched_forward(func, inputs, xs)
    if undefined and backward:
        _check_undefined(func, inputs, xs)
    return True


def _check_batched(func: Callable[..., Any], inputs: Sequence[Any], xs: Sequence[Tensor]) -> None:
    for k, y in enumerate(_outputs(func, inputs)):
        if not y.requires_grad or y.numel() == 0:
            continue
        rows = [TABLE["randn_like"](y.detach()) for _ in range(2)]
        one = [_grad([y], list(xs), [v], retain_graph=True, allow_unused=True) for v in rows]
        both = _grad([y], list(xs), [TABLE["stack"](rows)], retain_graph=True, allow_unused=True, is_grads_batched=True)
        for i, g in enumerate(both):
            for n in range(2):
                if g is not None and any(
                    abs(a - b) > 1e-6 * (1 + abs(b)) for a, b in zip(_parts(g[n]), _parts(one[n][i]), strict=True)
                ):
                    raise GradcheckError(
                        f"gradcheck: output {k}, input {i}: batched gradients must be those computed one by one; "
                        "found others"
                    )


def _check_batched_forward(func: Callable[..., Any], inputs: Sequence[Any], xs: Sequence[Tensor]) -> None:
    from rushlight.func import jvp, vmap

    for x in xs:
        rows = [TABLE["randn_like"](x.detach()) for _ in range(2)]

        def along(v: Tensor, x: Tensor = x) -> Any:
            return tuple(
                jvp(lambda t: tuple(_outputs(func, [t if a is x else a for a in inputs])), (x.detach(),), (v,))[1]
            )

        both = vmap(along)(TABLE["stack"](rows))
        for n in range(2):
            for a, b in zip(both, along(rows[n]), strict=True):
                if any(abs(p - q) > 1e-6 * (1 + abs(q)) for p, q in zip(_parts(a[n]), _parts(b), strict=True)):
                    raise GradcheckError(
                        "gradcheck: batched derivatives in forward mode must be those computed one by one; found others"
                    )


def _check_undefined(func: Callable[..., Any], inputs: Sequence[Any], xs: Sequence[Tensor]) -> None:
    """A function must take an absent cotangent (None) for zero."""
    outputs = [y for y in _outputs(func, inputs) if y.requires_grad and y.grad_fn is not None]
    for k, y in enumerate(outputs):
        found = _grad([y], list(xs), [TABLE["zeros_like"](y.detach())], retain_graph=True, allow_unused=True)
        for i, g in enumerate(found):
            if g is not None and any(v != 0 and v == v for v in _parts(g)):
                raise GradcheckError(
                    f"gradcheck: for a gradient of zeros of output {k}, that of input {i} must be zeros; found others"
                )


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the second derivatives of `func` agree with central differences of its gradients; arguments as for
    `gradcheck`.

    Args:
        grad_outputs: cotangents of the outputs (default: random).
        check_fwd_over_rev: check forward mode over the gradient too.
    """
    from rushlight.testing import make_tensor

    func, given = _of_values(func, (inputs,) if isinstance(inputs, Tensor) else tuple(inputs), bool(masked))
    outputs = [y for y in _outputs(func, given) if y.requires_grad]
    if grad_outputs is None:
        cts = []
        for y in outputs:
            cts.append(
                make_tensor(
                    tuple(y.shape),
                    dtype=y.dtype,
                    low=-1,
                    high=1,
                    requires_grad=True,
                    noncontiguous=gen_non_contig_grad_outputs,
                )
            )
    else:
        cts = list((grad_outputs,) if isinstance(grad_outputs, Tensor) else grad_outputs)
    n = len(given)

    def gradients(*args: Any) -> Any:
        first, vs = args[:n], args[n:]
        from rushlight.autograd.grad_mode import enable_grad

        with enable_grad():  # the numerical side calls this without recording
            first = tuple(
                METHODS["view_as"](t, t)
                if isinstance(t, Tensor) and t.requires_grad
                else t.detach().requires_grad_()
                if isinstance(t, Tensor) and t.dtype.kind in "fc" and given[i].requires_grad
                else t
                for i, t in enumerate(first)
            )
            wanted = [t for t in first if isinstance(t, Tensor) and t.requires_grad]
            outs = [y for y in _outputs(func, first) if y.requires_grad]
            found = _grad(outs, wanted, list(vs), create_graph=True, allow_unused=True)
        return tuple(TABLE["zeros_like"](t) if g is None else g for g, t in zip(found, wanted, strict=True))

    options: dict[str, Any] = {
        "eps": eps,
        "atol": atol,
        "rtol": rtol,
        "raise_exception": raise_exception,
        "nondet_tol": nondet_tol,
    }
    ok = True
    if check_fwd_over_rev:
        ok = gradcheck(
            functools.partial(_pulled_back, func, given),
            (*given, *cts),
            check_forward_ad=True,
            check_backward_ad=False,
            **options,
        )
    if check_rev_over_rev:
        ok = (
            gradcheck(
                gradients,
                (*given, *cts),
                check_undefined_grad=check_undefined_grad,
                check_batched_grad=check_batched_grad,
                **options,
            )
            and ok
        )
    return ok


def _pulled_back(func: Callable[..., Any], given: Sequence[Any], *args: Any) -> Any:
    """The gradients as a function of inputs and cotangents, by `func.vjp`: open to forward mode."""
    from rushlight.func import vjp

    n = len(given)
    places = [i for i, t in enumerate(given) if isinstance(t, Tensor) and t.requires_grad]

    def of_wanted(*new: Any) -> Any:
        full = list(args[:n])
        for i, t in zip(places, new, strict=True):
            full[i] = t
        return tuple(_outputs(func, full))

    _, pull = vjp(of_wanted, *[args[i] for i in places])
    return pull(tuple(args[n:]))
