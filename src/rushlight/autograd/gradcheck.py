"""`gradcheck` and `gradgradcheck`: analytical derivatives against central differences.

A complex number counts as two real ones: Jacobians are real, rows are the real and imaginary parts of outputs, columns
those of inputs. PyTorch's gradient of a complex input is dL/d(re) + i dL/d(im), so its parts are a row of this
Jacobian.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.autograd.grad_mode import no_grad
from rushlight.autograd.running import grad as _grad
from rushlight.core.dtypes import float64
from rushlight.core.tensor import Tensor
from rushlight.operators.table.define import METHODS, TABLE

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """A derivative that is wrong, or arguments that cannot be checked."""


@dataclasses.dataclass(frozen=True)
class _Checks:
    """The checks that are asked for, and their tolerances; `gradcheck` describes each."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    undefined: bool
    batched: bool
    forward: bool
    batched_forward: bool
    backward: bool
    fast: bool


def _tensors(x: Any) -> list[Tensor]:
    if isinstance(x, Tensor):
        return [x]
    return [t for v in x for t in _tensors(v)] if isinstance(x, (tuple, list)) else []


def _outputs(fn: Callable[..., Any], inputs: Sequence[Any]) -> list[Tensor]:
    found = [y for y in _tensors(fn(*inputs)) if y.dtype.kind in "fc"]
    return [y.to_dense() if y.is_sparse else y for y in found]


def _recorded(fn: Callable[..., Any], inputs: Sequence[Any]) -> tuple[Callable[..., Any], bool]:
    """The function with the outputs alone that have a graph, and whether there are any; if none has, all of them."""
    places = [k for k, y in enumerate(_outputs(fn, inputs)) if y.requires_grad]
    if not places:
        return fn, False
    return lambda *arguments: [y for k, y in enumerate(_outputs(fn, arguments)) if k in places], True


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


def _difference(
    fn: Callable[..., Any], inputs: Sequence[Any], eps: float, move: Callable[[float], None]
) -> list[list[float]]:
    """Per output the central difference while `move` takes an input eps to either side, and back with 0."""
    sides = []
    for sign in (1, -1):
        move(sign * eps)
        # recording goes on: the function may differentiate something itself
        sides.append([_parts(y) for y in _outputs(fn, inputs)])
    move(0.0)
    return [[(a - b) / (2 * eps) for a, b in zip(p, m, strict=True)] for p, m in zip(*sides, strict=True)]


def _numerical(fn: Callable[..., Any], inputs: Sequence[Any], x: Tensor, eps: float) -> list[list[list[float]]]:
    """Per output the columns of its Jacobian with respect to x."""
    data = x.data
    columns: list[list[list[float]]] = []
    for index, unit in _steps(x):
        old = data[index].item()

        def move(step: float, index: Any = index, unit: complex = unit, old: Any = old) -> None:
            data[index] = old + step * unit if step else old

        columns.append(_difference(fn, inputs, eps, move))
    return [[c[k] for c in columns] for k in range(len(columns[0]))] if columns else []


def _unit(y: Tensor, index: tuple[int, ...], u: complex) -> Tensor:
    v = TABLE["zeros"](tuple(y.shape), dtype=y.dtype)
    v[index] = u
    return v


def _pulled(y: Tensor, xs: Sequence[Tensor], v: Tensor, nondet_tol: float) -> list[list[float]]:
    """Per input the numbers of v's row of y's Jacobian, by reverse mode."""
    runs = (
        [_grad([y], list(xs), [v], retain_graph=True, allow_unused=True) for _ in range(2)]
        if y.requires_grad
        else [[None] * len(xs)] * 2
    )
    rows = []
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
        rows.append(first)
    return rows


def _analytical(
    fn: Callable[..., Any], inputs: Sequence[Any], x: Tensor, k: int, nondet_tol: float
) -> list[list[float]]:
    """The rows of output k's Jacobian by x, by reverse mode."""
    y = _outputs(fn, inputs)[k]
    return [_pulled(y, [x], _unit(y, index, u), nondet_tol)[0] for index, u in _steps(y)]


def _agree(a: float, n: float, atol: float, rtol: float) -> bool:
    return a == n or abs(a - n) <= atol + rtol * abs(n) or (a != a and n != n)


def _compare(
    numerical: list[list[float]], rows: list[list[float]], atol: float, rtol: float, i: int, k: int, mode: str
) -> None:
    """Compare numerical[c][r] with rows[r][c]."""
    for c, column in enumerate(numerical):
        for r, n in enumerate(column):
            a = rows[r][c]
            if not _agree(a, n, atol, rtol):
                raise GradcheckError(
                    f"gradcheck: {mode} of output {k} by input {i}: the Jacobian's row {r}, column {c} must be {n}, "
                    f"as differences say; found {a}"
                )


def _forward(fn: Callable[..., Any], inputs: Sequence[Any], x: Tensor, tangent: Tensor) -> list[list[float]]:
    """Per output the numbers of its derivative along a tangent of x, by forward mode."""
    from rushlight.autograd import forward_ad as fwad

    with no_grad(), fwad.dual_level():
        given = [
            fwad.make_dual(t.detach(), tangent) if t is x else t.detach() if isinstance(t, Tensor) else t
            for t in inputs
        ]
        pairs = [fwad.unpack_dual(y) for y in _outputs(fn, given)]
    return [_parts(TABLE["zeros_like"](p) if t is None else t) for p, t in pairs]


def _random(x: Tensor, generator: Any) -> Tensor:
    """A tensor like x whose numbers lie in 1 <= |r| < 2, of either sign: none is so small as to hide the element that
    it multiplies."""
    n = 2 if x.dtype.kind == "c" else 1
    drawn = TABLE["rand"]((*x.shape, n), dtype=float64, generator=generator) * 2 - 1
    weights = drawn + METHODS["sign"](drawn)
    return METHODS["to"](TABLE["view_as_complex"](weights) if n == 2 else weights.squeeze(-1), x.dtype)


def _length(x: Tensor) -> float:
    return math.sqrt(math.fsum(p * p for p in _parts(x)))


def _agree_along(fn: Callable[..., Any], inputs: Sequence[Any], x: Tensor, checks: _Checks) -> bool:
    """Whether v J u is the same for the J of differences and that of each mode, for one random u and v. The tolerance
    is what errors of `atol` in each element, of random signs, add up to. A single wrong element shows if its error is
    larger than that.
    """
    from rushlight.operators.random.generators import Generator

    if not x.numel():
        return True
    generator = Generator().manual_seed(0)  # the program's own stream stays where it is
    u = _random(x, generator)
    length = _length(u)
    data, old = x.data, x.detach().clone()

    def move(step: float) -> None:
        data.copy_(old + u * (step / length) if step else old)

    def dot(a: list[float], b: list[float]) -> float:
        return math.fsum(p * q for p, q in zip(a, b, strict=True))

    columns = _difference(fn, inputs, checks.eps, move)
    tangents = _forward(fn, inputs, x, u) if checks.forward else None
    for k, y in enumerate(_outputs(fn, inputs)):
        v = _random(y, generator)
        expected = dot(_parts(v), columns[k]) * length
        scale = length * max(_length(v), 1)  # about |v J u| of a J whose elements are 1 or -1
        found = []
        if checks.backward:
            found.append(dot(_pulled(y, [x], v, checks.nondet_tol)[0], _parts(u)))
        if tangents is not None:
            found.append(dot(_parts(v), tangents[k]))
        if not all(_agree(a, expected, checks.atol * scale, checks.rtol / scale) for a in found):
            return False
    return True


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
        fast_mode: compare one random projection of each Jacobian, and the Jacobians themselves only where it differs.
        check_grad_dtypes: accepted; dtypes are always compared.
    """
    func, inputs = _of_values(func, (inputs,) if isinstance(inputs, Tensor) else tuple(inputs), bool(masked))
    checks = _Checks(
        eps=eps,
        atol=atol,
        rtol=rtol,
        nondet_tol=nondet_tol,
        undefined=check_undefined_grad,
        batched=check_batched_grad,
        forward=check_forward_ad,
        batched_forward=check_batched_forward_ad,
        backward=check_backward_ad,
        fast=fast_mode,
    )
    try:
        return _check(func, inputs, checks)
    except GradcheckError:
        if raise_exception:
            raise
        return False


def _check(func: Callable[..., Any], inputs: tuple[Any, ...], checks: _Checks) -> bool:
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
    func, recorded = _recorded(func, inputs)
    if not recorded:
        if checks.backward and not checks.forward:
            for x in xs:
                for per_output in _numerical(func, inputs, x, checks.eps):
                    if any(abs(v) > checks.atol for column in per_output for v in column):
                        raise GradcheckError(
                            "gradcheck: 'func' has no graph, so its derivative must be 0; differences are not"
                        )
            return True
    for i, x in enumerate(xs):
        if not (checks.fast and _agree_along(func, inputs, x, checks)):
            _check_jacobians(func, inputs, x, i, checks)
    if checks.batched:
        _check_batched(func, inputs, xs)
    if checks.batched_forward:
        _check_batched_forward(func, inputs, xs)
    if checks.undefined and checks.backward:
        _check_undefined(func, inputs, xs)
    return True


def _check_jacobians(func: Callable[..., Any], inputs: Sequence[Any], x: Tensor, i: int, checks: _Checks) -> None:
    """Every element of the outputs' Jacobians by x, input i."""
    numerical = _numerical(func, inputs, x, checks.eps)
    if checks.backward:
        for k, columns in enumerate(numerical):
            rows = _analytical(func, inputs, x, k, checks.nondet_tol)
            _compare(columns, rows, checks.atol, checks.rtol, i, k, "backward mode")
    if checks.forward:
        found = [_forward(func, inputs, x, _unit(x, index, u)) for index, u in _steps(x)]
        for k, columns in enumerate(numerical):
            rows = [list(row) for row in zip(*(of_outputs[k] for of_outputs in found), strict=True)]
            _compare(columns, rows, checks.atol, checks.rtol, i, k, "forward mode")


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

    def gradients(*args: Any) -> tuple[Tensor, ...]:
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
        "fast_mode": fast_mode,
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

    def of_wanted(*new: Any) -> tuple[Tensor, ...]:
        full = list(args[:n])
        for i, t in zip(places, new, strict=True):
            full[i] = t
        return tuple(_outputs(func, full))

    _, pull = vjp(of_wanted, *[args[i] for i in places])
    return pull(tuple(args[n:]))
