"""Random calls under vmap: shapes, and which examples draw numbers of their own, are PyTorch's."""

from types import ModuleType
from typing import Any

import pytest
import torch

import rushlight

# Calls of one example's vector `v` of four zeros; `M` is the module.
CALLS = (
    "M.normal(v, 1.0)",
    "M.normal(0.0, v + 1)",
    "M.normal(v, v + 1)",
    "M.normal(0.0, 1.0, (2,))",
    "M.normal(M.zeros(4), 1.0)",
    "M.normal(0.0, M.ones(4))",
    "M.normal(M.zeros(4), M.ones(4))",
    "M.normal(M.zeros(4), v + 1)",
    "M.normal(v[:2, None], M.ones(3))",
    "M.normal(M.ones(3), v[:2, None] + 1)",
    "M.normal(M.ones(2, 4), v + 1)",
    "M.bernoulli(v + 0.5)",
    "M.bernoulli(v, p=0.5)",
    "M.ones(64).mul(0.5).bernoulli()",
    "M.multinomial(v + 1, 2, replacement=True)",
    "M.randint_like(v, 500)",
    "M.rand_like(M.ones(4))",
    "M.randperm(40)",
    "M.randperm(40, dtype=M.int32)",
    "M.poisson(v + 300)",
    "M.binomial(v + 300, v + 0.5)",
    "M.nn.functional.dropout(M.cat([v + 1] * 20))",
    "v.clone().uniform_()",
    "v.new_empty(4).normal_()",
    "v.new_zeros(4).uniform_()",
    "v.new_full((2,), 1.0).exponential_()",
    "v.new_ones(64).bernoulli_()",
    "v.new_empty(4).copy_(M.rand(4))",
    "M.empty_like(v).normal_()",
    "M.zeros_like(v).random_()",
)
# Draws into memory that all examples share, which "different" refuses.
SHARED = (
    "M.zeros(4).normal_()",
    "M.ones(4).log_normal_()",
    "M.nn.functional.dropout(M.ones(4), inplace=True)",
    "M.nn.functional.rrelu(-M.ones(4), training=True, inplace=True)",
    "M.nn.functional.alpha_dropout(M.ones(4), training=True, inplace=True)",
)


def drawn(module: ModuleType, call: str, randomness: str) -> Any:
    module.manual_seed(3)
    return module.func.vmap(lambda v: eval(call, {"M": module, "v": v}), randomness=randomness)(module.zeros(3, 4))


@pytest.mark.parametrize("randomness", ["same", "different"])
@pytest.mark.parametrize("call", CALLS)
def test_examples_draw_as_there(call: str, randomness: str) -> None:
    ours = drawn(rushlight, call, randomness)
    try:
        theirs = drawn(torch, call, randomness)
    except RuntimeError as error:  # PyTorch draws one number for all examples from shared tensors alone
        assert randomness == "same"
        assert "same randomness with a batched tensor input" in str(error)
        assert bool((ours == ours[0]).all())
        return
    assert tuple(ours.shape) == tuple(theirs.shape)
    assert str(ours.dtype) == str(theirs.dtype)
    alike = [[bool((x[i] == x[j]).all()) for i in range(3) for j in range(i)] for x in (ours, theirs)]
    assert alike[0] == alike[1]
    assert alike[0] == [randomness == "same"] * 3


@pytest.mark.parametrize("call", SHARED)
def test_memory_that_examples_share(call: str) -> None:
    with pytest.raises(RuntimeError):
        drawn(torch, call, "different")
    with pytest.raises(RuntimeError, match=r"vmap: .*one that all examples share"):
        drawn(rushlight, call, "different")
    same = drawn(rushlight, call, "same")
    assert bool((same == same[0]).all())
