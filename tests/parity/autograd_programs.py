"""Random autograd programs, run line by line with PyTorch and with rushlight and compared after each line.

A program is a list of Python lines over tensors t0, t1, ...; it is written while PyTorch runs it, so that it knows
shapes. Compared: whether a line raises and what type, the log of hook calls, and of every tensor its values, version,
gradient, and place in the graph.

By hand: python tests/parity/autograd_programs.py --count 50000 --seed 1 (differences are printed, shrunk to few lines).
The programs run in worker processes: one that ends is reported with the library that ended it, for some programs
end PyTorch.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

import rushlight


# ----------------------------------------------------------------------------------------------- what a program may use
def functions(M: Any) -> dict[str, Any]:
    """Custom Functions of the library `M`, by name."""
    base = M.autograd.Function

    class Square(base):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 2 * g * x

    class Tanh(base):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x.tanh()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (y,) = ctx.saved_tensors
            return g * (1 - y * y)

    class Double(base):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    class Two(base):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            a, b = x * 3, y > 0
            c = x - y
            ctx.mark_non_differentiable(b)
            return a, b, c

        @staticmethod
        def backward(ctx: Any, ga: Any, gb: Any, gc: Any) -> Any:
            return ga * 3 + gc, -gc

    rules = {"forward": lambda ctx, x: x.view_as(x), "backward": lambda ctx, g: g * 5}
    Same = type("Same", (base,), {name: staticmethod(rule) for name, rule in rules.items()})

    class Sparing(base):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x + 1, y + 2

        @staticmethod
        def backward(ctx: Any, a: Any, b: Any) -> Any:
            return a, b

    return {f.__name__: f for f in (Square, Tanh, Double, Two, Same, Sparing)}


def helpers(M: Any, log: list[Any]) -> dict[str, Any]:
    """The names that lines use beside the tensors."""

    def look(tag: str) -> Callable[[Any], None]:
        def hook(g: Any) -> None:
            log.append((tag, numbers(g)))

        return hook

    def scale(tag: str, by: float) -> Callable[[Any], Any]:
        def hook(g: Any) -> Any:
            log.append((tag, numbers(g)))
            return g * by

        return hook

    def after(tag: str) -> Callable[[Any], None]:
        def hook(t: Any) -> None:
            log.append((tag, numbers(t.grad)))

        return hook

    def node_before(tag: str, by: float | None) -> Callable[[Any], Any]:
        def hook(grads: Any) -> Any:
            log.append((tag, [numbers(g) for g in grads]))
            return None if by is None else tuple(None if g is None else g * by for g in grads)

        return hook

    def node_after(tag: str, by: float | None) -> Callable[[Any, Any], Any]:
        # The gradients of a node's own inputs are the library's affair (how a call is cut into nodes); how often it
        # runs is not.
        def hook(grads: Any, given: Any) -> Any:
            log.append((tag, [numbers(g) for g in given]))
            return None if by is None else tuple(None if g is None else g * by for g in grads)

        return hook

    def copies(grads: Any) -> list[Any]:
        # PyTorch's may be expanded views of one number, or share memory with one another.
        return [None if g is None else g.clone() for g in grads]

    return {
        "M": M,
        "copies": copies,
        "look": look,
        "scale": scale,
        "after": after,
        "node_before": node_before,
        "node_after": node_after,
        "T": lambda v, g=False: M.tensor(v, dtype=M.float64, requires_grad=g),
        "F": type("F", (), functions(M)),
    }


def numbers(t: Any) -> Any:
    """A tensor as an array; None stays."""
    return None if t is None else np.array(t.detach().tolist(), dtype=object if t.dtype is None else None)


def same(a: Any, b: Any) -> bool:
    if a is None or b is None or isinstance(a, (str, bool, int)):
        return type(a) is type(b) and a == b
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-8, atol=1e-10, equal_nan=True)


# -------------------------------------------------------------------------------------------------------------- running
_running: int | None = None  # a file that says which program runs, in which library and line
PROGRAMS_A_WORKER = 1000


class Side:
    """A library, the names of one program in it, and the log of its hooks."""

    def __init__(self, M: Any) -> None:
        self.M, self.log = M, []  # type: ignore[var-annotated]
        self.names = helpers(M, self.log)

    def do(self, line: str) -> str | None:
        """Run a line; the name of the exception that it raised."""
        if _running is not None:
            os.pwrite(_running, f"{self.M.__name__:12}{line}".encode()[:300].ljust(300), 20)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(line, self.names)
        except Exception as error:
            self.error = error
            return next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")
        return None

    def tensors(self) -> dict[str, Any]:
        """The program's tensors by name."""
        kind = self.M.Tensor
        return {k: v for k, v in self.names.items() if k[0] == "t" and k[1:].isdigit() and isinstance(v, kind)}

    def state(self, graph: bool) -> dict[str, Any]:
        """What is compared after a line. graph: also what asks a view for its place in the graph, which may renew
        it.
        """
        out: dict[str, Any] = {}
        for k, t in self.tensors().items():
            out[f"{k}"] = numbers(t)
            out[f"{k}._version"] = t._version
            out[f"{k}.requires_grad"], out[f"{k}.retains_grad"] = t.requires_grad, t.retains_grad
            try:
                with warnings.catch_warnings():
                    # PyTorch warns of asking a result for a gradient that it does not keep
                    warnings.simplefilter("ignore")
                    out[f"{k}.grad"] = numbers(t.grad)
                if graph:
                    out[f"{k}.is_leaf"] = t.is_leaf
            except RuntimeError:
                out[f"{k}.is_leaf"] = "raises"
        out["log"] = list(self.log)
        return out


def differences(a: Side, b: Side, graph: bool, twice: bool) -> list[str]:
    """What is not equal on the two sides. twice: where derivatives of derivatives are taken, zeros may stand for None
    (docs/differences.md).
    """
    x, y = a.state(graph), b.state(graph)
    for state in (x, y):
        # Listed: hooks are not called for a missing gradient.
        state["log"] = [
            (tag, g)
            for tag, g in state["log"]
            if g is not None and not (isinstance(g, list) and all(h is None for h in g))
        ]
    if twice:
        for state in (x, y):
            state["log"] = [(tag, g) for tag, g in state["log"] if not zero(g)]
            # the tensor itself: None is no tensor
            nothing = [k for k, v in state.items() if "." not in k and k != "log" and zero(v)]
            for k in [
                k
                for k, v in state.items()
                if k.partition(".")[0] in nothing
                or k.endswith((".requires_grad", ".is_leaf"))
                or (k.endswith(".grad") and zero(v))
            ]:
                state[k] = None
    return [
        f"{k}: {_short(x.get(k))} in PyTorch, {_short(y.get(k))} here"
        for k in {**x, **y}
        if not same(x.get(k), y.get(k))
    ]


def zero(g: Any) -> bool:
    return g is None or (all(map(zero, g)) if isinstance(g, list) else bool((abs(g) < 1e-12).all()))


def _short(x: Any) -> str:
    return repr(
        x.tolist()
        if isinstance(x, np.ndarray)
        else [(t, v.tolist() if isinstance(v, np.ndarray) else v) for t, v in x]
        if isinstance(x, list)
        else x
    )[:300]


ENDS = ("backward(", "autograd.grad(", ".apply(")
# Overlapping writes are compared elsewhere; PyTorch calls hooks with None for a gradient that is missing, and has bugs
# of its own.
PASSED_OVER = ("single memory location", "NoneType", "INTERNAL ASSERT")
# What PyTorch alone refuses (docs/differences.md): what is not needed may be overwritten or cut off; a view of a tensor
# that requires grad later; a leaf that changed its shape under no_grad.
TAKEN = (
    "modified by an inplace operation",
    "has been detached in-place",
    "a leaf Variable that requires grad is being used",
    "returned an invalid gradient",
    "must match the size of tensor",
)
# What is refused here alone: a gradient that depends on nothing does not require grad.
CONSTANT = ("require grad", "requires grad", "gradient is never computed", "NoneType")


def listed(line: str, before: list[str], a: Side, b: Side, ea: str | None, eb: str | None, found: list[str]) -> bool:
    """Whether a line's difference is one of those that docs/differences.md lists. found: what differs in values, if
    nothing is raised on one side alone.
    """
    program_ = "\n".join([*before, line])
    # a node that some of its results are not used of
    missing = any(f"F.{name}.apply" in program_ for name in ("Sparing", "Two"))
    if ea != eb:
        if eb is None:
            return ea == "RuntimeError" and (
                any(text in str(a.error) for text in TAKEN) or ("a second time" in str(a.error) and missing)
            )
        text = str(b.error)
        return (
            "must keep every element in a place of its own" in text  # the shapes of views, in gradients too
            or (ea is not None and "IndexError" in (ea, eb))  # two mistakes in one line: either may be reported
            or (ea is None and "create_graph=True" in program_ and any(x in text for x in CONSTANT))
            or (ea is None and missing and "was not used in the graph" in text)
            or (ea is None and "detach_()" in program_)
            or (ea is None and "cannot be a view" in text and "softmax" in program_)
        )
    keys = {text.split(":")[0].partition(".")[2] or text.split(":")[0] for text in found}
    if keys == {"is_leaf"}:
        return "requires_grad_()" in program_  # a view from before
    if keys == {"log"}:
        return "autograd.grad(" in line and missing or "detach_()" in program_
    if re.search(r"\.data( =|\.)", program_) and (keys <= {"grad", "log"} or "autograd.grad(" in line):
        # what is saved was written to, unseen: then nothing differs where it is not written to
        lines = without_data([*before, line])
        return run(lines, [True] * len(lines)) is None
    if "autograd.grad(" in line and "softmax" in program_ and "contiguous()" in program_:
        return True  # whether contiguous() of a softmax is the same tensor
    if "lerp" in program_ and keys == {"grad"}:
        # an infinite gradient: w g + (1 - w) g or g - w g + w g
        return all("inf" in text and "nan" in text for text in found)
    return overlaps(line, a)


def without_data(lines: list[str]) -> list[str]:
    """A program without its writes through `.data`."""
    return [
        re.sub(r"^(t\d+) = (t\d+)\.data$", r"\1 = \2.detach()", x) for x in lines if not re.search(r"\.data( =|\.)", x)
    ]


def overlaps(line: str, a: Side) -> bool:
    """Whether a line writes in place with an operand that shares memory: PyTorch then reads some elements anew."""
    names = [n for n in re.findall(r"\bt\d+\b", line) if n in a.names]
    return re.search(r"_\(", line) is not None and len({a.names[n].untyped_storage().data_ptr() for n in names}) < len(
        names
    )


def run(lines: list[str], looks: list[bool]) -> tuple[int, list[str]] | None:
    """Run a program on both sides; (number of the line, differences) for the first line after which they differ. Shrunk
    programs may lack names.
    """
    a, b = Side(torch), Side(rushlight)
    for i, line in enumerate(lines):
        ea, eb = a.do(line), b.do(line)
        if ea is not None and any(text in str(a.error) for text in PASSED_OVER):
            return None
        if ea != eb:
            return (
                None
                if listed(line, lines[:i], a, b, ea, eb, [])
                else (i, [f"raises {ea} in PyTorch, {eb} here: {a.error if ea else b.error}"])
            )
        if ea is not None and (ea == "IndexError" or any(e in line for e in ENDS)):
            return None  # what a failed call has done before it failed is nobody's promise
        found = differences(a, b, looks[i], any("create_graph=True" in x for x in lines))
        if found:
            return None if listed(line, lines[:i], a, b, ea, eb, found) else (i, found)
    return None


def shrink(lines: list[str], looks: list[bool]) -> tuple[list[str], list[bool], list[str]]:
    """Fewer lines that still differ."""
    pairs = list(zip(lines, looks, strict=True))

    def fails(some: list[Any]) -> tuple[int, list[str]] | None:
        found = run([x for x, _ in some], [g for _, g in some])
        return None if found is None or any("NameError" in f for f in found[1]) else found

    best = fails(pairs)
    assert best is not None
    pairs = pairs[: best[0] + 1]
    progress = True
    while progress:
        progress = False
        for i in range(len(pairs) - 2, -1, -1):
            fewer = pairs[:i] + pairs[i + 1 :]
            found = fails(fewer)
            if found is not None:
                pairs, best, progress = fewer[: found[0] + 1], found, True
                break
    return [x for x, _ in pairs], [g for _, g in pairs], best[1]


# -------------------------------------------------------------------------------------------------------------- writing
UNARY = (
    "{0} * 2.0",
    "{0} + 1.0",
    "-{0}",
    "{0}.sin()",
    "{0}.tanh()",
    "{0}.sigmoid()",
    "{0}.relu()",
    "{0}.exp()",
    "{0} ** 2",
    "{0}.clone()",
    "1.0 - {0}",
    "{0} / 2.0",
    "{0}.abs()",
    "{0}.clamp(-1.0, 1.0)",
    "{0}.contiguous()",
    "{0}.floor()",
    "{0}.square()",
    "F.Square.apply({0})",
    "F.Tanh.apply({0})",
    "F.Same.apply({0})",
)
REDUCE = (
    "{0}.sum()",
    "{0}.mean()",
    "{0}.sum(0)",
    "{0}.mean(-1)",
    "{0}.max(0)[0]",
    "{0}.min(-1)[0]",
    "{0}.cumsum(0)",
    "{0}.softmax(0)",
    "{0}.amax(0)",
    "{0}.logsumexp(0)",
    "{0}.prod()",
    "{0}.max()",
    "{0}.norm()",
    "{0}.var(0)",
)
BINARY = (
    "{0} * {1}",
    "{0} + {1}",
    "{0} - {1}",
    "{0} / {1}",
    "M.where({0} > {1}, {0}, {1})",
    "M.maximum({0}, {1})",
    "M.lerp({0}, {1}, 0.25)",
    "M.addcmul({0}, {1}, {1})",
)
VIEWS = ("{0}.view(-1)", "{0}.unsqueeze(0)", "{0}[...]", "{0}.expand_as({0})", "{0}.reshape(-1)", "{0}.view_as({0})")
VIEWS1 = (
    "{0}[1:]",
    "{0}[0]",
    "{0}[:2]",
    "{0}[::2]",
    "{0}.unsqueeze(1)",
    "{0}.narrow(0, 0, 1)",
    "{0}[-1]",
    "{0}.expand(2, -1)",
)
VIEWS2 = (
    "{0}.t()",
    "{0}[0]",
    "{0}[:, 0]",
    "{0}[:, 1:]",
    "{0}.diagonal()",
    "{0}.permute(1, 0)",
    "{0}[0, 1]",
    "{0}.select(1, 0)",
    "{0}.transpose(0, 1)[1]",
    "{0}.squeeze(0)",
)
MANY = ("{0}.unbind(0)[0]", "{0}.split(1)[0]", "{0}.chunk(2)[0]")
INPLACE = (
    "{0}.mul_(2.0)",
    "{0}.add_(1.0)",
    "{0}.zero_()",
    "{0}.fill_(3.0)",
    "{0}.sin_()",
    "{0}.neg_()",
    "{0}.tanh_()",
    "{0}.relu_()",
    "{0}.clamp_(-1.0, 1.0)",
    "{0}.exp_()",
    "{0}.sigmoid_()",
    "{0}.masked_fill_({0} > 0.5, 1.5)",
    "{0}.pow_(2)",
    "{0}.div_(2.0)",
    "{0}.sub_(0.5)",
    "{0}.abs_()",
    "{0}.floor_()",
    "F.Double.apply({0})",
    "{0}[...] = 0.5",
    "{0}.requires_grad_()",
    "{0}.detach_()",
    "{0}.square_()",
    "{0}.cumsum_(0)",
)
INPLACE1 = (
    "{0}[0] = 2.0",
    "{0}[1:] = 0.25",
    "{0}[[0, 1]] = 1.25",
    "{0}[M.tensor([1])] = -1.0",
    "{0}[0].mul_(3.0)",
    "{0}[:2].zero_()",
    "{0}.index_fill_(0, M.tensor([0]), 2.5)",
    "{0}[{0} > 0] = 0.125",
    "{0}[:2].add_(1.0)",
)
INPLACE2 = (
    "{0}[0] = 2.0",
    "{0}[:, 0] = 0.25",
    "{0}[0, 1] = 1.0",
    "{0}.t().mul_(2.0)",
    "{0}[:, 1].zero_()",
    "{0}.diagonal().fill_(1.0)",
    "{0}[0].view(-1)[1:].neg_()",
    "{0}[{0} > 0] = 0.125",
    "{0}.t_()",
    "{0}.select(0, 1).sin_()",
    "{0}[1][0] = 5.0",
)
INPLACE_TWO = (
    "{0}.mul_({1})",
    "{0}.add_({1})",
    "{0}.sub_({1})",
    "{0}.copy_({1})",
    "{0}.div_({1})",
    "{0}.addcmul_({1}, {1})",
    "{0}.lerp_({1}, 0.5)",
)
HOOKS = (
    "h{n} = {0}.register_hook(look('h{n}'))",
    "h{n} = {0}.register_hook(scale('h{n}', 2.0))",
    "{0}.retain_grad()",
    "{0}.retain_grad()",
    "{0}.register_post_accumulate_grad_hook(after('p{n}'))",
    "h{n} = {0}.grad_fn.register_prehook(node_before('b{n}', None))",
    "h{n} = {0}.grad_fn.register_hook(node_after('n{n}', None))",
    "h{n} = {0}.grad_fn.register_prehook(node_before('b{n}', 0.5))",
)
DATA = (
    "{0}.data.mul_(0.5)",
    "t{n} = {0}.data",
    "t{n} = {0}.detach()",
    "{0}.data = {0}.data * 2",
    "{0}.grad = None",
    "{0}.grad.zero_()",
    "t{n} = {0}.detach().requires_grad_()",
)
VALUES = (-1.5, -1.0, -0.5, 0.25, 0.5, 1.0, 1.5, 2.0)


def placeless(t: Any) -> bool:
    """Whether a view has no place in the graph, having been made inside of no_grad()."""
    try:
        return t.grad_fn is None
    except RuntimeError:
        return True


class Writer:
    """Writes one random program, running it with PyTorch as it goes."""

    def __init__(self, rng: random.Random, length: int) -> None:
        self.rng, self.side = rng, Side(torch)
        self.lines: list[str] = []
        self.n = self.n_hooks = 0
        for _ in range(rng.choice((1, 2, 2, 3))):
            self.leaf()
        while len(self.lines) < length:
            if not self.step():
                break

    def add(self, line: str) -> str | None:
        if self.rng.random() < 0.06 and " = " not in line.partition("(")[0]:
            line = f"with M.no_grad(): {line}"
        elif self.rng.random() < 0.03:
            line = f"with M.no_grad(): {line}"
        self.lines.append(line)
        return self.side.do(line)

    def new(self, expression: str) -> None:
        line = f"t{self.n} = {expression}"
        self.n += 1
        self.add(line)

    def leaf(self) -> None:
        rng = self.rng
        shape = rng.choice(((3,), (3,), (2, 3), (2, 3), (3, 2), ()))
        values = np.array([rng.choice(VALUES) for _ in range(int(np.prod(shape)))]).reshape(shape).tolist()
        self.lines.append(f"t{self.n} = T({values}, {rng.random() < 0.75})")
        self.n += 1
        self.side.do(self.lines[-1])

    def pick(self, accept: Callable[[Any], bool] = lambda t: True) -> str | None:
        """A tensor's name; the newest are likelier."""
        names = [k for k, t in self.side.tensors().items() if accept(t) and t.dtype is torch.float64]
        if not names:
            return None
        return names[min(int(self.rng.expovariate(0.5)), len(names) - 1) * -1 - 1]

    def fitting(self, name: str, within: bool) -> str | None:
        """A tensor that broadcasts with (within: to) the one of that name."""
        t = self.side.tensors()[name]

        def fits(o: Any) -> bool:
            try:
                shape = torch.broadcast_shapes(t.shape, o.shape)
            except RuntimeError:
                return False
            return not within or shape == t.shape

        return self.pick(fits)

    def step(self) -> bool:
        rng = self.rng
        name = self.pick()
        if name is None:
            return False
        t = self.side.tensors()[name]
        if t.numel() > 40:
            return False
        kind = rng.choices(
            (
                "leaf",
                "unary",
                "reduce",
                "binary",
                "view",
                "many",
                "inplace",
                "two",
                "hook",
                "data",
                "remove",
                "run",
                "custom",
            ),
            (2, 16, 5, 12, 14, 2, 18, 8, 12, 4, 2, 9, 3),
        )[0]
        n = t.ndim
        if kind == "leaf":
            self.leaf()
        elif kind == "unary":
            self.new(rng.choice(UNARY).format(name))
        elif kind == "reduce" and n:
            self.new(rng.choice(REDUCE).format(name))
        elif kind == "binary":
            other = self.fitting(name, False)
            self.new(rng.choice(BINARY).format(name, other))
        elif kind == "view":
            self.new(rng.choice(VIEWS + (VIEWS1 if n == 1 else VIEWS2 if n == 2 else ())).format(name))
        elif kind == "many" and n:
            self.new(rng.choice(MANY).format(name))
        elif kind == "inplace":
            self.add(rng.choice(INPLACE + (INPLACE1 * 2 if n == 1 else INPLACE2 * 2 if n == 2 else ())).format(name))
        elif kind == "two":
            other = self.fitting(name, True)
            self.add(rng.choice(INPLACE_TWO).format(name, other))
        elif kind == "custom":
            other = self.fitting(name, False)
            if other is not None and tuple(self.side.tensors()[other].shape) == tuple(t.shape):
                k = self.n
                self.n += 3
                self.add(
                    rng.choice(
                        (
                            f"t{k}, t{k + 1}, t{k + 2} = F.Two.apply({name}, {other})",
                            f"t{k}, t{k + 1} = F.Sparing.apply({name}, {other})",
                        )
                    )
                )
        elif kind == "hook":
            if t.requires_grad and t._is_view() and placeless(t):
                return True  # PyTorch 2.13 ends the process
            self.n_hooks += 1
            self.lines.append(rng.choice(HOOKS).format(name, n=self.n_hooks))
            self.side.do(self.lines[-1])
        elif kind == "remove":
            handles = [k for k in self.side.names if k[0] == "h" and k[1:].isdigit()]
            if handles:
                self.add(f"{rng.choice(handles)}.remove()")
        elif kind == "data":
            line = rng.choice(DATA).format(name, n=self.n)
            if ".data =" in line and any(
                o is not t and o.untyped_storage().data_ptr() == t.untyped_storage().data_ptr()
                for o in self.side.tensors().values()
            ):
                return True  # a count of writes that others share: see docs/differences.md
            self.n += line.startswith(f"t{self.n} ")
            self.add(line)
        elif kind == "run":
            return self.backward()
        return True

    def backward(self) -> bool:
        """A run of the graph; False when it failed: what it has done before is nobody's promise."""
        rng = self.rng
        name = self.pick(lambda t: t.requires_grad) or self.pick()
        keep = rng.random() < 0.6
        scalar = "" if rng.random() < 0.5 else ".sum()"
        if rng.random() < 0.55:
            given = (
                ""
                if scalar
                else f"M.ones_like({name}), "
                if rng.random() < 0.5
                else f"M.full({name}.shape, 0.5, dtype=M.float32), "
            )
            create = ", create_graph=True" if rng.random() < 0.12 else ""
            inputs = self.pick(lambda t: t.requires_grad)
            inputs = f", inputs=[{inputs}]" if rng.random() < 0.15 and inputs else ""
            return self.add(f"{name}{scalar}.backward({given}retain_graph={keep}{create}{inputs})") is None
        wrt = sorted({self.pick(lambda t: t.requires_grad) or name for _ in range(rng.choice((1, 1, 2, 3)))})
        create = rng.random() < 0.5
        names = [f"t{self.n + i}" for i in range(len(wrt))]
        self.n += len(wrt)
        given = "" if scalar else f"M.ones_like({name}), "
        return (
            self.add(
                f"{', '.join(names)}, = copies(M.autograd.grad({name}{scalar}, [{', '.join(wrt)}], "
                f"{given}retain_graph={keep or create}, create_graph={create}, "
                f"allow_unused={rng.random() < 0.8 or any('create_graph=True' in line for line in self.lines)}))"
            )
            is None
        )


def program(seed: int) -> tuple[list[str], list[bool]]:
    """The lines of program number `seed`, and after which of them the graph is looked at."""
    rng = random.Random(seed)
    lines = Writer(rng, rng.choice((6, 10, 14, 20, 30))).lines
    often = rng.choice((0.0, 0.2, 1.0))
    lines += [
        f"{k}.sum().backward(retain_graph=True)"
        for k in rng.sample([f"t{i}" for i in range(40)], 2)
        if any(line.startswith(f"{k} = ") for line in lines)
    ]
    return lines, [rng.random() < often or i == len(lines) - 1 for i in range(len(lines))]


def failures(first: int, count: int) -> Iterator[str]:
    """The reports of programs number first to first + count - 1 whose two runs differ."""
    for seed in range(first, first + count):
        if _running is not None:
            os.pwrite(_running, f"{seed:<20}".encode(), 0)
        lines, looks = program(seed)
        if run(lines, looks) is not None:
            small, _, what = shrink(lines, looks)
            yield f"program {seed}:\n    " + "\n    ".join(small) + "\n  " + "\n  ".join(what)


def main() -> int:
    """Run programs from the command line."""
    global _running
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("--count", type=int, default=1000)
    args.add_argument("--seed", type=int, default=0, help="number of the first program")
    args.add_argument("--running", type=int, help="of a worker: the file that says what runs")
    given = args.parse_args()
    if given.running is not None:
        _running = given.running
        return sum(print(report, flush=True) is None for report in failures(given.seed, given.count)) % 256
    at, end = given.seed, given.seed + given.count
    found = ended = theirs = 0
    with tempfile.TemporaryFile() as file:
        while at < end:
            file.truncate(0)
            count = min(PROGRAMS_A_WORKER, end - at)
            done = subprocess.run(
                [sys.executable, __file__, "--count", str(count), "--seed", str(at), "--running", str(file.fileno())],
                pass_fds=[file.fileno()],
                stdout=subprocess.PIPE,
                text=True,
            )
            print(done.stdout, end="", flush=True)
            found += sum(line.startswith("program ") for line in done.stdout.splitlines())
            at += count
            if done.returncode < 0:
                said = os.pread(file.fileno(), 400, 0).decode(errors="replace")
                number, library, line = said[:20].strip("\0 "), said[20:32].strip(), said[32:].strip()
                at = int(number) + 1
                theirs, ended = theirs + (library == "torch"), ended + (library != "torch")
                print(f"program {number} ends its process with {done.returncode} in {library}: {line}", flush=True)
    print(f"{given.count} programs, {found} differ, {ended} end the process here and {theirs} in PyTorch")
    return found + ended != 0


if __name__ == "__main__":
    sys.exit(main())
