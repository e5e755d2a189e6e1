"""What a product reads: views of what there is, not copies; and what sums of columns leave to other kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight.compiler.passes import pipeline
from rushlight.compiler.plan import Launch, Plan
from rushlight.nn import functional as F


def plans(run: Callable[[], Any]) -> list[Plan]:
    """The plans that a call is compiled to."""
    with pipeline.watched() as forms:
        run()
    return [form for name, form in forms if name == "assemble"]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_rows_of_an_input_are_copied_only_where_they_lie_apart(order: tuple[int, ...]) -> None:
    x = rl.randn(3, 4, 5).permute(*order).contiguous().permute(*(order.index(d) for d in range(3)))
    w, before = rl.randn(7, 5), x.clone()
    (plan,) = plans(lambda: rl.jit(lambda x, w: F.linear(x, w))(x, w))
    (copy,) = [s for s in plan.steps if isinstance(s, Launch)]
    assert copy.unless is not None and copy.rarely
    rows = F.linear(x, w)
    one_by_one = rl.stack([F.linear(x[i].contiguous(), w) for i in range(3)])
    assert rl.equal(rows, one_by_one)
    assert rl.equal(x, before)


def test_what_is_written_over_an_input_that_is_read_as_rows() -> None:
    x, w = rl.randn(3, 4, 5), rl.randn(5, 5)
    expected = rl.matmul(x, w)
    assert rl.equal(rl.matmul(x, w, out=x), expected)
    assert rl.equal(x, expected)


@pytest.mark.parametrize("sizes", [(0, 4, 5), (3, 0, 5), (3, 4, 0), (1, 1, 5), (3, 1, 1)])
def test_rows_of_inputs_without_elements_and_of_size_one(sizes: tuple[int, ...]) -> None:
    x, w = rl.randn(*sizes), rl.randn(6, sizes[-1])
    assert rl.allclose(F.linear(x, w), (x.unsqueeze(-2) * w).sum(-1), atol=1e-6)


def test_a_product_is_the_result_in_dims_of_other_sizes() -> None:
    w, x, y = rl.randn(7, 5), rl.randn(3, 4, 5), rl.zeros(3, 4, 7)
    f = rl.jit(lambda x, w: (F.linear(x, w), F.linear(x, w).reshape(12, 7), F.linear(x, w).reshape(7, 12)))
    a, b, c = f(x, w)
    assert a.data_ptr() != b.data_ptr() != c.data_ptr() != a.data_ptr()
    assert a.is_contiguous() and rl.equal(a.reshape(12, 7), b) and rl.equal(c.reshape(3, 4, 7), a)
    assert rl.matmul(x, w.t(), out=y) is y and rl.equal(y, a)


def test_the_products_of_a_backward_read_one_cotangent() -> None:
    w, b, v = rl.randn(6, 5, requires_grad=True), rl.randn(6, requires_grad=True), rl.randn(8, 6, requires_grad=True)
    x = rl.randn(3, 4, 5, requires_grad=True)
    made = plans(lambda: rl.jit(lambda x: F.linear(F.gelu(F.linear(x, w, b)), v).sum())(x).backward())
    products = [s for p in made for s in p.steps if not isinstance(s, Launch) and s.name == "dot"]
    # The gradients by x and by w: of the cotangent, and of the cotangent turned.
    backward = products[-2:]
    first, second = (s.args[0] for s in backward)
    assert len(products) == 6 and first.buffer == second.buffer and first.strides != second.strides


def test_a_sum_of_columns_stores_nothing_on_its_way() -> None:
    def f(x: Any, b: Any) -> Any:
        y = (x + b).tanh()
        return y, y.sum((0, 1))

    x, b = rl.randn(3, 4, 5), rl.randn(5)
    (plan,) = plans(lambda: rl.jit(f)(x, b))
    full, sums = plan.steps
    assert isinstance(full, Launch) and isinstance(sums, Launch)
    assert not full.kernel.has_reduction and sums.kernel.has_reduction
    assert sum(o.write for o in sums.operands) == 1


def test_a_sum_of_columns_divides_once_a_row() -> None:
    x, n = rl.randn(6, 5), rl.rand(6) + 1.0
    (plan,) = plans(lambda: rl.jit(lambda x, n: (x * n.rsqrt()[:, None]).sum(0))(x, n))
    divides = [s for s in plan.steps if isinstance(s, Launch) and "rsqrt" in s.kernel.loops.text()]
    assert len(plan.steps) == 2 and not any(s.kernel.has_reduction for s in divides)
