"""`explain` of functions, modules, optimizers and einsum: each operator that runs, what it launches, and the program
behind it.
"""

from __future__ import annotations

import io
import re
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn


def explained(*args: Any, **kwargs: Any) -> str:
    out = io.StringIO()
    rl.explain(*args, file=out, **kwargs)
    return out.getvalue()


def calls(text: str) -> list[str]:
    """The operators of the list, by name, with the part of the module."""
    return [f"{m[1]}{m[2] or ''}" for m in re.finditer(r"^ +\d+  (\w+)\(.*?\)(  in [\w.]+)?: ", text, re.MULTILINE)]


def test_a_module() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Sequential(nn.Linear(4, 2)))
    x = rl.ones(5, 3)
    text = explained(net, x)
    assert (
        calls(text) == ["linear  in 0", "relu  in 1", "linear  in 2.0"]
        and "calls       3 operators, 3 of them different, 3 launches" in text
    )
    assert "derivative program" in text and "dot(" in text and len(re.findall(r"^\d+: ", text, re.MULTILINE)) == 3
    assert not net._forward_hooks and not net[0]._forward_pre_hooks
    with rl.no_grad():
        assert "derivative program" not in explained(net, x)


def test_a_function_and_what_lies_in_it() -> None:
    """Operators that are Python functions are gone into, a repeated call is explained once, keyword arguments are
    passed on.
    """

    def f(x: Any, scale: float = 1.0) -> Any:
        y = (x + x).softmax(-1) + x
        return rl.stack([y * scale, y * scale]).sum()

    x = rl.ones(3, 4)
    text = explained(f, x, scale=2.0)
    names = calls(text)
    assert (
        names[:3] == ["add", "softmax", "add"]
        and names.count("mul") == 2
        and names[-1] == "sum"
        and "stack" in " ".join(names) + text
    )
    assert (
        "scale=2.0" in text
        and "\n1: add" in text
        and re.findall(r"^(\d+): ", text, re.MULTILINE)
        == sorted(set(re.findall(r"^ +(\d+)  ", text.split("\n1: ")[0], re.MULTILINE)), key=int)
    )
    assert float(f(x, scale=2.0)) == float(f(x, scale=2.0))  # nothing is left behind


def test_an_optimizer_is_left_as_it_was() -> None:
    net = nn.Linear(3, 2)
    for make in (
        lambda: rl.optim.Adam(net.parameters(), lr=0.5),
        lambda: rl.optim.SGD(net.parameters(), lr=0.5, momentum=0.9),
    ):
        optimizer = make()
        net.zero_grad()
        net(rl.ones(4, 3)).sum().backward()
        for _ in range(2):
            values, state = (
                [p.detach().clone() for p in net.parameters()],
                {k: str(v) for k, v in optimizer.state_dict().items()},
            )
            text = explained(optimizer)
            assert "optimizer_step" in calls(text)[-1] and "kernel" in text
            assert (
                all(rl.equal(a, b) for a, b in zip(values, net.parameters(), strict=True))
                and {k: str(v) for k, v in optimizer.state_dict().items()} == state
            )
            optimizer.step()
    net.zero_grad()
    explained(optimizer)
    assert net.weight.grad is None


def test_einsum_shows_its_path() -> None:
    a, b, c = rl.ones(2, 30), rl.ones(30, 4), rl.ones(4, 5)
    for call in (
        (rl.einsum, "ij,jk,kl->il", a, b, c),
        ("einsum", "ij,jk,kl->il", [a, b, c]),
        (rl.einsum, a, [0, 1], b, [1, 2], c, [2, 3], [0, 3]),
    ):
        text = explained(*call)
        assert re.search(
            r"product 0: operand 0 with operand 1, (\w)(\w),\2(\w)->\1\3, 8 elements\n +the result: operand 2 with "
            r"product 0",
            text,
        ), text
        assert calls(text) == ["einsum"] and text.count("dot(") >= 2
    # the pair with the smaller product comes first, wherever it stands
    assert "product 0: operand 1 with operand 2, jk,kl->jl, 30 elements" in explained(
        "einsum", "ij,jk,kl->il", rl.ones(50, 30), rl.ones(30, 40), rl.ones(40, 1)
    )


def test_functions_that_ask_modes() -> None:
    """Whether a mode sees functions is asked of every mode, `explain`'s own too."""
    F, x = nn.functional, rl.ones(2, 3, 8)
    for call in (lambda: F.dropout(x, 0.5), lambda: F.max_pool1d(x, 2), lambda: F.interpolate(x, scale_factor=2.0)):
        assert calls(explained(call))


def test_passes() -> None:
    out = io.StringIO()
    rl.explain("softmax", rl.ones(3, 4), -1, passes=True, file=out)
    text = out.getvalue()
    at = [text.index(f"\npass {name}\n") for name in ("trace", "inline", "cluster", "assemble")]
    assert at == sorted(at) and "pass legalise" not in text  # which had nothing to do
    assert "kernel over k0 < s0, r0 < s1" in text and "launch over [s0] reducing [s1]" in text
    out = io.StringIO()
    rl.explain(lambda x: (x @ x).relu(), rl.ones(3, 3), passes=True, file=out)
    assert out.getvalue().count("\npass trace\n") == 2 and "call dot" in out.getvalue()


def test_what_cannot_be_explained() -> None:
    with pytest.raises(
        TypeError,
        match="expected an operator or its name, a function, a module, an optimizer or a tensor with a graph; found",
    ):
        rl.explain(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="an optimizer takes no arguments; found 1"):
        rl.explain(rl.optim.SGD([rl.ones(2, requires_grad=True)], lr=1.0), 3)
    with pytest.raises(ZeroDivisionError):
        explained(lambda: 1 / 0)
    assert calls(explained(rl.exp.op if hasattr(rl.exp, "op") else rl.exp)) == []
