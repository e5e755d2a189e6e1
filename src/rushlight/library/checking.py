"""The checks of `torch.library.opcheck`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.autograd import grad
from rushlight.core import raw as _raw
from rushlight.core.tensor import Tensor
from rushlight.func.tree import flatten
from rushlight.library.operator import OpOverload
from rushlight.testing import assert_close


class OpCheckError(Exception):
    """What an operator does is not what its schema or its registrations say."""


def _listed(x: Any) -> list[Tensor]:
    return [y for y in (x if isinstance(x, (tuple, list)) else (x,)) if isinstance(y, Tensor)]


def check_schema(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Arguments that the schema does not mark are not written to, and are no result."""
    values = op.bind(args, kwargs)
    before = [
        (a, v, _raw.version(v), v.detach().clone())
        for a, v in zip(op._schema.arguments, values, strict=True)
        if isinstance(v, Tensor)
    ]
    results = _listed(op(*args, **kwargs))
    for a, v, version, old in before:
        if not a.is_write and (
            _raw.version(v) != version or not bool((v.detach() == old).logical_or(v.detach() != v.detach()).all())
        ):
            raise OpCheckError(
                f"{op.name()}: argument '{a.name}' was written to, which the schema does not say: {op._schema}"
            )
        if any(r.data_ptr() == v.data_ptr() and v.numel() and r.numel() for r in results):
            raise OpCheckError(
                f"{op.name()}: a result shares its memory with argument '{a.name}', which a custom operator may not "
                "do; return a clone()"
            )


def check_fake(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Shapes and dtypes on the device 'meta' are those of the real results."""
    real = _listed(op(*args, **kwargs))
    to_meta: Callable[[Any], Any] = lambda x: (
        x.detach().to("meta")
        if isinstance(x, Tensor)
        else type(x)(map(to_meta, x))
        if isinstance(x, (list, tuple))
        else x
    )
    fake = _listed(op(*map(to_meta, args), **{k: to_meta(v) for k, v in kwargs.items()}))
    for i, (a, b) in enumerate(zip(real, fake, strict=True)):
        if a.shape != b.shape or a.dtype is not b.dtype:
            raise OpCheckError(
                f"{op.name()}: result {i} on 'meta' is {b.dtype} of shape {list(b.shape)}; the real one is {a.dtype} "
                f"of shape {list(a.shape)}"
            )


def check_gradient(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Where inputs require grad, the results do, and gradients have the inputs' shapes."""
    wanted = [v for v in op.bind(args, kwargs) if isinstance(v, Tensor) and v.requires_grad]
    results = [y for y in _listed(op(*args, **kwargs)) if y.dtype.is_floating_point or y.dtype.is_complex]
    if wanted and results:
        if not any(y.requires_grad for y in results):
            raise OpCheckError(f"{op.name()}: an input requires grad, and no result does")
        for x, g in zip(
            wanted, grad([y.sum() for y in results if y.requires_grad], wanted, allow_unused=True), strict=True
        ):
            if g is not None and g.shape != x.shape:
                raise OpCheckError(f"{op.name()}: a gradient has the shape {list(g.shape)}; its input {list(x.shape)}")


def check_traced(
    op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], atol: float | None = None, rtol: float | None = None
) -> None:
    """The graph that make_fx writes of the call, and of its gradients, computes what the call does, to within atol and
    rtol (default: assert_close's).
    """
    from rushlight.fx.experimental.proxy_tensor import make_fx

    def call(*leaves: Any) -> list[Tensor]:
        given, options = structure.unflatten([x.clone() if isinstance(x, Tensor) else x for x in leaves])
        results = _listed(op(*given, **options))
        starts = [y.sum() for y in results if y.requires_grad]
        wanted = [x for x in leaves if isinstance(x, Tensor) and x.requires_grad]
        return [*results, *(g for g in (grad(starts, wanted, allow_unused=True) if starts else ()) if g is not None)]

    leaves, structure = flatten((args, kwargs))
    real, traced = call(*leaves), _listed(make_fx(call)(*leaves)(*leaves))
    for i, (a, b) in enumerate(zip(real, traced, strict=True)):
        try:
            assert_close(b, a, atol=atol, rtol=rtol, equal_nan=True)
        except AssertionError as error:
            raise OpCheckError(
                f"{op.name()}: value {i} (results, then gradients) of the traced graph differs: {error}"
            ) from error


CHECKS: dict[str, Callable[..., None]] = {
    "test_schema": check_schema,
    "test_faketensor": check_fake,
    "test_autograd_registration": check_gradient,
    "test_aot_dispatch_dynamic": check_traced,
}


def check(
    op: OpOverload,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    names: tuple[str, ...],
    raise_exception: bool,
    atol: float | None = None,
    rtol: float | None = None,
) -> dict[str, str]:
    """Run the named checks."""
    unknown = set(names) - CHECKS.keys()
    if unknown:
        raise ValueError(f"opcheck(): 'test_utils' must be among {sorted(CHECKS)}; found {sorted(unknown)}")
    found = {}
    for name in names:
        try:
            CHECKS[name](
                op, args, kwargs, **({"atol": atol, "rtol": rtol} if name == "test_aot_dispatch_dynamic" else {})
            )
            found[name] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise OpCheckError(f"opcheck(op, ...): {name} failed with {error}") from error
            found[name] = str(error)
    return found
