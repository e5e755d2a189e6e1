"""Derivatives of functions on the recorded graph: `vjp`, `jvp`, `jacobian`, `hessian`, `vhp`, `hvp`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from rushlight.autograd.grad_mode import enable_grad
from rushlight.autograd.running import grad as _grad
from rushlight.core.checks import check_argument
from rushlight.core.tensor import Tensor
from rushlight.operators.table.define import METHODS, TABLE

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def _tuple(x: Any, name: str, fn: str) -> tuple[bool, tuple[Tensor, ...]]:
    many = isinstance(x, (tuple, list))
    items = tuple(x) if many else (x,)
    for i, t in enumerate(items):
        if not isinstance(t, Tensor):
            place = f" at {i}" if many else ""
            raise TypeError(f"{fn}(): '{name}' must be a Tensor or a tuple of them; found {type(t).__name__}{place}")
    return many, items


def _prepared(inputs: Sequence[Tensor], create_graph: bool) -> tuple[Tensor, ...]:
    # With create_graph the result must depend on the caller's tensors; otherwise fresh leaves keep the graph small.
    return tuple(
        METHODS["view_as"](x, x) if create_graph and x.requires_grad else x.detach().requires_grad_() for x in inputs
    )


def _cotangent(v: Any, like: Sequence[Tensor], fn: str, what: str) -> tuple[Tensor, ...]:
    if v is None:
        sizes = [tuple(t.shape) for t in like]
        if [t.numel() for t in like] != [1]:
            raise RuntimeError(f"{fn}(): 'v' must be given unless {what} one number; found None for the shapes {sizes}")
        return tuple(TABLE["ones_like"](y.detach()) for y in like)
    _, vs = _tuple(v, "v", fn)
    given, wanted = ([tuple(t.shape) for t in side] for side in (vs, like))
    check_argument(given == wanted, f"{fn}()", "v", f"have the shapes {wanted}", given)
    return vs


def _done(x: tuple[Tensor, ...], many: bool, create_graph: bool) -> tuple[Tensor, ...] | Tensor:
    items = tuple(x if create_graph or not isinstance(x, Tensor) else x.detach() for x in x)
    return items if many else items[0]


def _gradients(
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    v: Sequence[Tensor] | None,
    create_graph: bool,
    strict: bool,
    fn: str,
) -> tuple[Tensor, ...]:
    """Gradients with zeros for independent inputs; RuntimeError for these with `strict`."""
    pairs = [(y, None if v is None else v[i]) for i, y in enumerate(outputs) if y.requires_grad]
    found: Sequence[Any] = [None] * len(inputs)
    if pairs:
        found = _grad(
            [y for y, _ in pairs],
            list(inputs),
            None if v is None else [g for _, g in pairs],
            create_graph=create_graph,
            allow_unused=True,
        )
    for i, g in enumerate(found):
        if g is None and strict:
            _independent(fn, i)
    return tuple(TABLE["zeros_like"](x) if g is None else g for g, x in zip(found, inputs, strict=True))


def _checked_strict(outputs: Sequence[Tensor], strict: bool, fn: str) -> None:
    if strict:
        for i, y in enumerate(outputs):
            if not y.requires_grad:
                raise RuntimeError(
                    f"{fn}(): with strict=True every output of 'func' must have a gradient; output {i} has none"
                )


def _independent(fn: str, i: int) -> NoReturn:
    raise RuntimeError(
        f"{fn}(): with strict=True every output of 'func' must depend on every input; one does not on input {i}"
    )


def _check_strategy(fn: str, name: str, strategy: str, vectorize: bool) -> None:
    check_argument(
        strategy in ("reverse-mode", "forward-mode"),
        f"{fn}()",
        name,
        "be 'reverse-mode' or 'forward-mode'",
        lambda: repr(strategy),
        AssertionError,
    )
    if strategy == "forward-mode" and not vectorize:
        raise NotImplementedError(f"{fn}(): {name}='forward-mode' must come with vectorize=True; found False")


def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """(outputs, v^T J): the value and the product of a vector with the Jacobian.

    Args:
        func: from tensors to tensors.
        inputs: a tensor or a tuple.
        v: like the outputs; None for a scalar output.
        create_graph: make the results differentiable.
        strict: RuntimeError for independent inputs and outputs.
    """
    with enable_grad():
        many, xs = _tuple(inputs, "inputs", "vjp")
        xs = _prepared(xs, create_graph)
        many_out, ys = _tuple(func(*xs), "func's result", "vjp")
        _checked_strict(ys, strict, "vjp")
        vs = _cotangent(v, ys, "vjp", "'func' returns")
        found = _gradients(ys, xs, vs, create_graph, strict, "vjp")
    return _done(ys, many_out, create_graph), _done(found, many, create_graph)


def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """(outputs, J v): the value and the product of the Jacobian with a vector like the inputs."""
    with enable_grad():
        _, xs = _tuple(inputs, "inputs", "jvp")
        xs = _prepared(xs, create_graph)
        vs = _cotangent(v, xs, "jvp", "'inputs' is")
        many_out, ys = _tuple(func(*xs), "func's result", "jvp")
        _checked_strict(ys, strict, "jvp")
        # The pullback is linear in its cotangent; pulling v back through it gives J v.
        dummies = tuple(TABLE["zeros_like"](y).requires_grad_() for y in ys)
        pulled = _gradients(ys, xs, dummies, True, strict, "jvp")
        found = _gradients(pulled, dummies, vs, create_graph, False, "jvp")
    return _done(ys, many_out, create_graph), _done(found, many_out, create_graph)


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian: a tensor of shape (output's, input's); a tuple over inputs and over outputs where these are tuples.

    Args:
        vectorize: all rows at once by vmap.
        strategy: "reverse-mode" or "forward-mode" (with vectorize).
    """
    _check_strategy("jacobian", "strategy", strategy, vectorize)
    if vectorize and strict:
        raise RuntimeError("jacobian(): 'strict' and 'vectorize' exclude each other; found both True")
    many, xs = _tuple(inputs, "inputs", "jacobian")
    if strategy == "forward-mode":
        from rushlight.func import jacfwd

        if create_graph:
            raise NotImplementedError("jacobian(): 'create_graph' is for strategy='reverse-mode'; found 'forward-mode'")
        found = jacfwd(lambda *a: func(*a), argnums=tuple(range(len(xs))))(*xs)
        many_out = isinstance(found[0], (tuple, list))
        rows = [tuple(r) for r in found] if many_out else [tuple(found)]
        result = tuple(r if many else r[0] for r in rows)
        return result if many_out else result[0]
    with enable_grad():
        xs = _prepared(xs, create_graph)
        many_out, ys = _tuple(func(*xs), "func's result", "jacobian")
        _checked_strict(ys, strict, "jacobian")
        blocks: list[Any] = []
        for y in ys:
            n = y.numel()
            basis = METHODS["reshape"](TABLE["eye"](n, dtype=y.dtype), (n, *y.shape))
            if not y.requires_grad:
                parts = [TABLE["zeros"]((*y.shape, *x.shape), dtype=x.dtype) for x in xs]
            elif vectorize and n:
                got = _grad(
                    [y],
                    list(xs),
                    [basis],
                    create_graph=create_graph,
                    retain_graph=True,
                    allow_unused=True,
                    is_grads_batched=True,
                )
                parts = [
                    TABLE["zeros"]((*y.shape, *x.shape), dtype=x.dtype)
                    if g is None
                    else METHODS["reshape"](g, (*y.shape, *x.shape))
                    for g, x in zip(got, xs, strict=True)
                ]
            else:
                grads_of: list[list[Any]] = []
                for i in range(n):
                    got = _grad(
                        [y], list(xs), [basis[i]], create_graph=create_graph, retain_graph=True, allow_unused=True
                    )
                    for k, g in enumerate(got):
                        if g is None and strict:
                            _independent("jacobian", k)
                    grads_of.append([TABLE["zeros_like"](x) if g is None else g for g, x in zip(got, xs, strict=True)])
                parts = [
                    METHODS["reshape"](TABLE["stack"]([r[k] for r in grads_of]), (*y.shape, *x.shape))
                    if grads_of
                    else TABLE["zeros"]((*y.shape, *x.shape), dtype=x.dtype)
                    for k, x in enumerate(xs)
                ]
            parts = [p if create_graph else p.detach() for p in parts]
            blocks.append(tuple(parts) if many else parts[0])
    return tuple(blocks) if many_out else blocks[0]


def _construct_standard_basis_for(tensors: Sequence[Tensor], tensor_numels: Sequence[int]) -> tuple[Tensor, ...]:
    """The rows of a unit matrix for all elements of several tensors, cut into a matrix (all elements, its own elements)
    for each; packages take it from here.
    """
    whole, start, found = sum(tensor_numels), 0, []
    for t, n in zip(tensors, tensor_numels, strict=True):
        found.append(TABLE["eye"](whole, dtype=t.dtype, device=t.device)[:, start : start + n])
        start += n
    return tuple(found)


def _scalar(func: Callable[..., Any], fn: str) -> Callable[..., Tensor]:
    def checked(*xs: Tensor) -> Tensor:
        y = func(*xs)
        check_argument(isinstance(y, Tensor), f"{fn}()", "func", "return one Tensor", type(y).__name__)
        check_argument(y.numel() == 1, f"{fn}()", "func", "return one number", lambda: f"the shape {tuple(y.shape)}")
        return METHODS["reshape"](y, ())

    return checked


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of a function that returns one element: a tensor of shape (input's, input's), or a tuple of tuples of
    them.
    """
    many, xs = _tuple(inputs, "inputs", "hessian")
    _check_strategy("hessian", "outer_jacobian_strategy", outer_jacobian_strategy, vectorize)
    scalar = _scalar(func, "hessian")
    if outer_jacobian_strategy == "forward-mode":
        from rushlight.func import jacfwd, jacrev

        nums = tuple(range(len(xs)))
        found = jacfwd(jacrev(scalar, nums), nums)(*xs)
        return tuple(tuple(r) for r in found) if many else found[0][0]

    def gradient(*new: Tensor) -> Any:
        # The arguments are views of the caller's or fresh leaves already; the inner graph must reach them.
        y = scalar(*new)
        got = _gradients([y], new, None, True, strict, "hessian")
        return got if many else got[0]

    return jacobian(gradient, inputs, create_graph=create_graph, strict=strict, vectorize=vectorize)


def _hessian_product(
    fn: str, func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool, strict: bool
) -> tuple[Any, Any]:
    """(output, v^T H), or (output, H v) for `hvp`."""
    scalar = _scalar(func, fn)
    with enable_grad():
        many, xs = _tuple(inputs, "inputs", fn)
        xs = _prepared(xs, create_graph)
        vs = _cotangent(v, xs, fn, "'inputs' is")
        y = scalar(*xs)
        _checked_strict([y], strict, fn)
        first = _gradients([y], xs, None, True, strict, fn)
        if fn == "hvp":  # as in jvp: v is pulled back through the pullback
            dummies = tuple(TABLE["zeros_like"](x).requires_grad_() for x in xs)
            pulled = _gradients(first, xs, dummies, True, strict, fn)
            found = _gradients(pulled, dummies, vs, create_graph, False, fn)
        else:
            found = _gradients(first, xs, vs, create_graph, strict, fn)
    return _done((y,), False, create_graph), _done(found, many, create_graph)


def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """(output, v^T H): the value and the product of a vector like the inputs with the Hessian."""
    return _hessian_product("vhp", func, inputs, v, create_graph, strict)


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """(output, H v): the value and the product of the Hessian with a vector like the inputs."""
    return _hessian_product("hvp", func, inputs, v, create_graph, strict)
