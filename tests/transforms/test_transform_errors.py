"""The errors of function transforms: they name the transform, the argument, what was expected and what was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight
from rushlight import func

X = rushlight.ones(3, 2)
LINEAR = rushlight.nn.Linear(2, 1)

CASES: list[tuple[Callable[[], Any], type[Exception], str]] = [
    *[
        (lambda d=d: func.jvp(rushlight.sin, (X,), (X.to(d),)), ValueError, rf"float32, is; found {d}")
        for d in (rushlight.int64, rushlight.bool, rushlight.complex64)
    ],
    *[
        (
            lambda d=d, c=c: func.vjp(lambda x: x.to(d), X)[1](X.to(c)),
            RuntimeError,
            rf"vjp: a cotangent must be complex exactly when its result is, of dtype {d}; found {c}",
        )
        for d, c in (
            (rushlight.float32, rushlight.complex64),
            (rushlight.complex64, rushlight.float32),
            (rushlight.complex64, rushlight.int64),
        )
    ],
    (
        lambda: func.vmap(rushlight.sin, in_dims=(0, 0))(X),
        ValueError,
        r"vmap\(sin\): 'in_dims' must be like the arguments, TreeSpec\(tuple, None, \[\*\]\); found \(0, 0\)",
    ),
    (
        lambda: func.vmap(rushlight.sin, in_dims=3)(X),
        ValueError,
        r"vmap\(sin\): 'in_dims' must be in \[-2, 2\) .*; found 3",
    ),
    (
        lambda: func.vmap(rushlight.sin, in_dims=(None,))(X),
        ValueError,
        r"vmap\(sin\): 'in_dims' must not be None for every argument",
    ),
    (
        lambda: func.vmap(rushlight.sin)(2),
        ValueError,
        r"vmap\(sin\): 'in_dims' must be None .*; found 0 for an argument of type int",
    ),
    (
        lambda: func.vmap(rushlight.add)(X, rushlight.ones(4, 2)),
        ValueError,
        r"vmap\(add\): .* must be of one size; found \[3, 4\]",
    ),
    (lambda: func.vmap(rushlight.sin)(), ValueError, r"vmap\(sin\): must be called with an argument"),
    (lambda: func.vmap(lambda v: 3)(X), ValueError, "every result must be a Tensor; found int"),
    (
        lambda: func.vmap(rushlight.sin, out_dims=(0, 0))(X),
        ValueError,
        r"'out_dims' must be like the results, \*; found \(0, 0\)",
    ),
    (lambda: func.vmap(rushlight.sin, out_dims=None)(X), ValueError, "'out_dims' must not be None"),
    (lambda: func.vmap(rushlight.sin, out_dims=5)(X), IndexError, r"'out_dims' must be in \[-2, 2\) .*; found 5"),
    (lambda: func.vmap(rushlight.sin, randomness="no"), RuntimeError, "vmap: 'randomness' must be .*; found 'no'"),
    (
        lambda: func.vmap(rushlight.sin, chunk_size=0),
        ValueError,
        "vmap: 'chunk_size' must be None or a positive int; found 0",
    ),
    (
        lambda: func.vmap(lambda v: v + rushlight.randn(2))(X),
        RuntimeError,
        "vmap: 'randomness' must be 'same' or 'different'",
    ),
    (
        lambda: func.vmap(lambda v: v.sum().item())(X),
        RuntimeError,
        r"vmap: item\(\) must be called on a tensor that all examples share",
    ),
    (
        lambda: func.vmap(lambda v: rushlight.ones(2).add_(v))(X),
        RuntimeError,
        r"vmap: add_\(\) must write to a tensor that is mapped over",
    ),
    (
        lambda: func.grad(rushlight.sin)(X),
        RuntimeError,
        r"grad: 'func' must return a real Tensor .*; found torch.float32 of shape \(3, 2\)",
    ),
    (
        lambda: func.grad(rushlight.sum, argnums=3)(X),
        RuntimeError,
        r"grad: 'argnums' must be .* in \[-1, 1\), .*; found 3",
    ),
    (
        lambda: func.grad(rushlight.add, argnums=(0, -2))(X, X),
        RuntimeError,
        "grad: 'argnums' must name different arguments",
    ),
    (
        lambda: func.grad(rushlight.sum, has_aux=True)(X),
        RuntimeError,
        r"grad: with has_aux=True 'func' must return a pair",
    ),
    (
        lambda: func.grad(rushlight.sum)(rushlight.ones(2, dtype=rushlight.int64)),
        RuntimeError,
        "grad: what is differentiated by must be floating point or complex",
    ),
    (
        lambda: func.vjp(rushlight.sin, X)[1](rushlight.ones(2)),
        RuntimeError,
        r"vjp: a cotangent must have the shape \(3, 2\) of its result; found \(2,\)",
    ),
    (lambda: func.vjp(lambda v: 3, X), RuntimeError, "vjp: 'func' must return Tensors; found int"),
    (
        lambda: func.jvp(rushlight.sin, X, X),
        RuntimeError,
        "jvp: 'primals' must be a tuple, of all arguments; found Tensor",
    ),
    (lambda: func.jvp(rushlight.sin, (X,), (X, X)), RuntimeError, "jvp: 'tangents' must come as 'primals' do"),
    (lambda: func.jvp(lambda v: X, (X,), (X,), strict=True), RuntimeError, "jvp: with strict=True every result"),
    (
        lambda: func.jacrev(rushlight.sin, chunk_size=0),
        ValueError,
        "jacrev: 'chunk_size' must be None or a positive int; found 0",
    ),
    (lambda: func.stack_module_state([]), RuntimeError, "stack_module_state: 'models' must hold at least one"),
    (
        lambda: func.stack_module_state([LINEAR, rushlight.nn.ReLU()]),
        RuntimeError,
        r"must be of one class and one mode; found Linear \(training\), ReLU \(training\)",
    ),
    (
        lambda: func.functional_call(LINEAR, {"in_features": X}, (X,)),
        TypeError,
        "functional_call: 'in_features' must name a tensor; found an attribute of type int",
    ),
    (
        lambda: func.functional_call(LINEAR, {"weight": X}, (X,), strict=True),
        RuntimeError,
        r"functional_call: with strict=True .*\['bias'\] missing",
    ),
    (
        lambda: func.functional_call(LINEAR, [{"bias": X}, {"bias": X}], (X,)),
        ValueError,
        r"functional_call: a name must be in one .*; found \['bias'\] in two",
    ),
    (
        lambda: rushlight.autograd.functional.jacobian(rushlight.sin, X, strategy="no"),
        AssertionError,
        r"jacobian\(\): 'strategy' must be .*; found 'no'",
    ),
    (
        lambda: rushlight.autograd.functional.vjp(rushlight.sin, X),
        RuntimeError,
        r"vjp\(\): 'v' must be given unless 'func' returns one number",
    ),
    (
        lambda: rushlight.autograd.functional.hvp(rushlight.sin, X, X),
        RuntimeError,
        r"hvp\(\): 'func' must return one number; found the shape \(3, 2\)",
    ),
    (
        lambda: rushlight.autograd.functional.vjp(lambda v: X, X, X, strict=True),
        RuntimeError,
        r"vjp\(\): with strict=True every output .*; output 0 has none",
    ),
    (
        lambda: rushlight.autograd.forward_ad.make_dual(X, X),
        RuntimeError,
        r"make_dual\(\): must be called inside of a dual_level",
    ),
    (
        lambda: rushlight.autograd.forward_ad.exit_dual_level(),
        RuntimeError,
        r"exit_dual_level\(\): a level must have been entered",
    ),
    (
        lambda: rushlight.autograd.gradcheck(rushlight.sin, X),
        ValueError,
        "gradcheck: at least one tensor of 'inputs' must require grad",
    ),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_error_names_transform_argument_and_value(case: int) -> None:
    call, kind, words = CASES[case]
    with pytest.raises(kind, match=words):
        call()
