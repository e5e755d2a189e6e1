"""Attention, and its gradients: primitives of a routine that keeps no matrix of weights (`core/native/attention.c`).

Their derivatives are those of the composition that they stand for, and are given where they are used
(`operators/nn/attention.py`).
"""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.prims.base import check, register, to_front
from rushlight.prims.types import Batched, ShapeRule
from rushlight.program.ir import Primitive, Var
from rushlight.program.sym import Int


class _Attention(Primitive):
    """The operands of both: query (*B, M, E), key (*B, N, E), value (*B, N, V), scale (), ..., and perhaps at the end a
    mask (*B, M, N), whose dtype is bool, the query's, or the one that sums are made in. causal: query i sees the keys
    up to i.
    """

    apart = "a routine makes the scores in tiles, and keeps none"
    kind, shape_class, multiple = "library", "contraction", True
    alike: int  # how many of the results are matrices like the operand in their place

    def check_operands(self, q: Var, k: Var, v: Var, scale: Var, mask: Sequence[Var]) -> None:
        """ValueError or TypeError where they do not fit."""
        batch = q.shape[:-2]
        check(q.ndim >= 2, self, lambda: f"expected matrices; found {q}")
        check(
            k.shape == (*batch, k.shape[-2], q.shape[-1]) and v.shape[:-1] == k.shape[:-1],
            self,
            lambda: f"expected operands that fit one another; found {q}, {k} and {v}",
        )
        check(
            q.dtype is k.dtype is v.dtype and q.dtype.kind == "f" and scale.dtype is q.dtype.compute,
            self,
            lambda: f"expected operands of one floating dtype; found {q}, {k}, {v} and {scale}",
            TypeError,
        )
        check(not scale.shape, self, lambda: f"expected a number as scale; found {scale}")
        scores = (*batch, q.shape[-2], k.shape[-2])
        check(
            all(m.shape == scores and (m.dtype.kind == "b" or m.dtype in (q.dtype, q.dtype.compute)) for m in mask),
            self,
            lambda: f"expected a mask of the scores, of bools or of the query's dtype; found {mask[0]} for {q} and {k}",
            TypeError,
        )

    def in_order_of(self, result: Var) -> Var | None:
        e = result.eqn
        assert e is not None
        place = e.outputs.index(result)
        return e.inputs[place] if result.ndim == 4 and place < self.alike else None

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        if dims[3] is not None:
            raise NotImplementedError(f"{self.name}: a batch of scales")
        moved = [x if i == 3 else to_front(x, d, size) for i, (x, d) in enumerate(zip(inputs, dims, strict=True))]
        outs = self.several(*moved, **params)
        return outs, [0] * len(outs)


class Attention(_Attention):
    """attention(query, key, value, scale, *mask; causal) -> softmax(query @ key^T * scale + mask) @ value (*B, M, V),
    and log-sum-exp of the scores (*B, M); rows that see nothing: zeros, and +inf.
    """

    name, alike = "attention", 1

    def shape(self, *inputs: Var, causal: bool) -> ShapeRule:
        q, k, v, scale, *mask = inputs
        self.check_operands(q, k, v, scale, mask)
        return [((*q.shape[:-1], v.shape[-1]), q.dtype), (q.shape[:-1], q.dtype.compute)]


class AttentionGrad(_Attention):
    """attention_grad(query, key, value, scale, grad, lse, delta, *mask; causal) -> gradients of query, key and value,
    from that of the result, log-sum-exp, and the sums of grad * result over rows (*B, M).
    """

    name, alike = "attention_grad", 3

    def shape(self, *inputs: Var, causal: bool) -> ShapeRule:
        q, k, v, scale, grad, lse, delta, *mask = inputs
        self.check_operands(q, k, v, scale, mask)
        check(
            grad.shape == (*q.shape[:-1], v.shape[-1]) and lse.shape == delta.shape == q.shape[:-1],
            self,
            lambda: f"expected a gradient like the result, and numbers for its rows; found {grad}, {lse} and {delta}",
        )
        check(
            grad.dtype is q.dtype and lse.dtype is delta.dtype is q.dtype.compute,
            self,
            lambda: f"expected the result's dtype; found {grad}, {lse} and {delta}",
            TypeError,
        )
        return [(x.shape, x.dtype) for x in (q, k, v)]


attention, attention_grad = register(Attention()), register(AttentionGrad())
