"""Random programs of views, writes in place, out= and shared memory, run by rushlight and by PyTorch side by side.

After each statement every live tensor is compared: values, shape, stride, storage offset, dtype, version, what it is a
view of, which tensors share memory, and whether an error was raised by the same statement. A destination that overlaps
an operand must give what a copy of the operand gives; where PyTorch refuses such a call, so may rushlight.

    RUSHLIGHT_GUARD=end python tests/parity/aliasing.py PROGRAMS SEED      many programs, in worker processes
    python tests/parity/aliasing.py --program SEED NUMBER                  one of them, with its statements
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import rushlight

STEPS = 12
PROGRAMS_A_WORKER = 2000
DTYPES = ("float32", "float64", "int64", "int32", "int16", "uint8", "bool", "complex64")
VIEW_DTYPES = ("float32", "float64", "int64", "int32", "int16", "uint8")

Statement = Callable[[Any, list[Any]], Any]  # (library, live tensors) -> new tensor, tuple of them, or None


# What PyTorch alone refuses, each in docs/differences.md: masks of size 0; odd strides that it keeps along a dimension
# of size 1.
LISTED = ("The shape of the mask [0] ", "self.stride(-1) must be 1 to view")


class Listed(Exception):
    """PyTorch refuses what docs/differences.md says that we take: the program ends."""


class Difference(AssertionError):
    """rushlight and PyTorch part ways."""


def extent(t: Any) -> tuple[int, int]:
    """The bytes of its storage that a tensor of PyTorch may touch."""
    if not t.numel():
        return 0, 0
    item = t.element_size()
    low = t.storage_offset()
    high = low + sum((n - 1) * s for n, s in zip(t.shape, t.stride()))
    return low * item, (high + 1) * item


def place(t: Any) -> int:
    return t.untyped_storage().data_ptr()


def overlaps(a: Any, b: Any) -> bool:
    if place(a) != place(b) or not a.numel() or not b.numel():
        return False
    (p, q), (r, s) = extent(a), extent(b)
    return p < s and r < q


def expanded(t: Any) -> bool:
    return any(s == 0 and n > 1 for s, n in zip(t.stride(), t.shape))


def folded(t: Any) -> bool:
    """Whether two elements lie in one place (it may say so wrongly)."""
    reach = 0
    if not t.numel():
        return False
    for s, n in sorted((s, n) for s, n in zip(t.stride(), t.shape) if n > 1):
        if s <= reach:
            return True
        reach += s * (n - 1)
    return False


class Maker:
    """Draws the statements of one program, looking at PyTorch's tensors."""

    def __init__(self, r: random.Random, live: list[Any]) -> None:
        self.r, self.live = r, live

    def any(self, fits: Callable[[Any], bool] = lambda t: True) -> int | None:
        found = [i for i, t in enumerate(self.live) if fits(t)]
        return self.r.choice(found) if found else None

    def number(self, t: Any) -> Any:
        if t.dtype == torch.bool:
            return self.r.random() < 0.5
        return self.r.randint(0, 9) if t.dtype == torch.uint8 else self.r.randint(-9, 9)

    def dim(self, t: Any) -> int:
        return self.r.randrange(-t.ndim, t.ndim) if t.ndim else 0

    def slice_of(self, n: int) -> slice:
        r = self.r
        return slice(
            r.choice([None, r.randint(-n - 1, n + 1)]),
            r.choice([None, r.randint(-n - 1, n + 1)]),
            r.choice([None, 1, 1, 2, 3]),
        )

    def basic_index(self, t: Any) -> Any:
        r, found = self.r, []
        for n in t.shape[: r.randint(0, t.ndim)]:
            k = r.random()
            if k < 0.15:
                found.append(None)
            if k < 0.3 and n:
                found.append(r.randrange(-n, n))
            else:
                found.append(self.slice_of(n))
        if r.random() < 0.2:
            found.insert(r.randint(0, len(found)), Ellipsis)
        if not found:
            found.append(Ellipsis)
        return found[0] if len(found) == 1 and r.random() < 0.7 else tuple(found)

    # -- views ---------------------------------------------------------------------------------------------------------
    def view(self) -> tuple[str, Statement] | None:
        r = self.r
        i = self.any()
        assert i is not None
        t = self.live[i]
        d, e = self.dim(t), self.dim(t)
        n = t.shape[d] if t.ndim else 0
        kind = r.choice(
            "index index index select narrow expand unfold as_strided diagonal transpose permute view reshape dtype "
            "real complex squeeze unsqueeze "
            "chunk split movedim flatten detach data alias T squeeze_ unsqueeze_ transpose_ as_strided_ unbind "
            "tensor_split unflatten".split()
        )
        if kind == "index":
            at = self.basic_index(t)
            return f"x{i}[{at}]", lambda lib, x: x[i][at]
        if kind == "select" and n:
            k = r.randrange(-n, n)
            return f"x{i}.select({d}, {k})", lambda lib, x: x[i].select(d, k)
        if kind == "narrow" and t.ndim:
            a = r.randint(0, n)
            b = r.randint(0, n - a)
            return f"x{i}.narrow({d}, {a}, {b})", lambda lib, x: x[i].narrow(d, a, b)
        if kind == "expand":
            size = tuple(r.randint(1, 3) for _ in range(r.randint(0, 1))) + tuple(
                r.choice([-1, r.randint(0, 4)]) if s == 1 else -1 for s in t.shape
            )
            return f"x{i}.expand({size})", lambda lib, x: x[i].expand(size)
        if kind == "unfold" and t.ndim and n:
            w, s = r.randint(1, n), r.randint(1, 3)
            return f"x{i}.unfold({d}, {w}, {s})", lambda lib, x: x[i].unfold(d, w, s)
        if kind in ("as_strided", "as_strided_"):
            room = t.untyped_storage().nbytes() // max(t.element_size(), 1)
            size = tuple(r.randint(0, 4) for _ in range(r.randint(0, 3)))
            stride = tuple(r.choice([0, 1, 1, 2, 3, 4]) for _ in size)
            need = 1 + sum((a - 1) * b for a, b in zip(size, stride)) if 0 not in size else 0
            offset = r.randint(0, max(room - need, 0) + (r.random() < 0.05))
            return f"x{i}.{kind}({size}, {stride}, {offset})", lambda lib, x: getattr(x[i], kind)(size, stride, offset)
        if kind == "diagonal" and t.ndim >= 2 and d % t.ndim != e % t.ndim:
            k = r.randint(-3, 3)
            return f"x{i}.diagonal({k}, {d}, {e})", lambda lib, x: x[i].diagonal(k, d, e)
        if kind in ("transpose", "transpose_") and t.ndim:
            return f"x{i}.{kind}({d}, {e})", lambda lib, x: getattr(x[i], kind)(d, e)
        if kind == "permute":
            p = list(range(t.ndim))
            r.shuffle(p)
            return f"x{i}.permute({p})", lambda lib, x: x[i].permute(p)
        if kind in ("view", "reshape"):
            size = self.shape_for(t)
            return f"x{i}.{kind}({size})", lambda lib, x: getattr(x[i], kind)(size)
        if kind == "dtype" and str(t.dtype)[6:] in VIEW_DTYPES and t.numel():
            to = r.choice(VIEW_DTYPES)
            return f"x{i}.view({to})", lambda lib, x: x[i].view(getattr(lib, to))
        if kind == "real" and t.is_complex():
            part = r.choice(["real", "imag"])
            return f"x{i}.{part}", lambda lib, x: getattr(x[i], part)
        if kind == "complex":
            if t.is_complex():
                return f"view_as_real(x{i})", lambda lib, x: lib.view_as_real(x[i])
            if t.dtype == torch.float32 and t.ndim and t.shape[-1] == 2 and t.numel() and 1 not in t.shape:
                return f"view_as_complex(x{i})", lambda lib, x: lib.view_as_complex(x[i])
        if kind in ("squeeze", "squeeze_"):
            if r.random() < 0.5 or not t.ndim:
                return f"x{i}.{kind}()", lambda lib, x: getattr(x[i], kind)()
            return f"x{i}.{kind}({d})", lambda lib, x: getattr(x[i], kind)(d)
        if kind in ("unsqueeze", "unsqueeze_"):
            k = r.randint(-t.ndim - 1, t.ndim)
            return f"x{i}.{kind}({k})", lambda lib, x: getattr(x[i], kind)(k)
        if kind in ("chunk", "split", "tensor_split", "unbind") and t.ndim and n and n <= 6:
            k = r.randint(1, 3)
            if kind == "unbind":
                return f"x{i}.unbind({d})", lambda lib, x: tuple(x[i].unbind(d))
            return f"x{i}.{kind}({k}, {d})", lambda lib, x: tuple(getattr(x[i], kind)(k, d))
        if kind == "movedim" and t.ndim:
            return f"x{i}.movedim({d}, {e})", lambda lib, x: x[i].movedim(d, e)
        if kind == "flatten" and t.ndim:
            a, b = sorted((d % t.ndim, e % t.ndim))
            return f"x{i}.flatten({a}, {b})", lambda lib, x: x[i].flatten(a, b)
        if kind == "unflatten" and t.ndim and n and n % 2 == 0:
            return f"x{i}.unflatten({d}, (2, -1))", lambda lib, x: x[i].unflatten(d, (2, -1))
        if kind == "detach":
            return f"x{i}.detach()", lambda lib, x: x[i].detach()
        if kind == "data":
            return f"x{i}.data", lambda lib, x: x[i].data
        if kind == "alias":
            return f"x{i}.view_as(x{i})", lambda lib, x: x[i].view_as(x[i])
        if kind == "T" and t.ndim == 2:
            return f"x{i}.T", lambda lib, x: x[i].T
        return None

    def shape_for(self, t: Any) -> tuple[int, ...]:
        """A shape of the same number of elements, mostly."""
        left, found = t.numel(), []
        while left > 1 and len(found) < 3:
            k = self.r.choice([k for k in range(1, left + 1) if left % k == 0])
            found.append(k)
            left //= k
        if left != 1 or not found:
            found.append(left)
        if self.r.random() < 0.2 and t.numel():
            found[self.r.randrange(len(found))] = -1
        return tuple(found)

    # -- copies --------------------------------------------------------------------------------------------------------
    def copy(self) -> tuple[str, Statement] | None:
        r = self.r
        i = self.any()
        assert i is not None
        t, kind = self.live[i], r.choice("clone clone contiguous to memory_format new".split())
        if kind == "clone":
            return f"x{i}.clone()", lambda lib, x: x[i].clone()
        if kind == "contiguous":
            return f"x{i}.contiguous()", lambda lib, x: x[i].contiguous()
        if kind == "to":
            to = r.choice(["float64", "int64", "complex64"] if t.is_floating_point() or t.is_complex() else DTYPES)
            if t.is_complex() or (t.is_floating_point() and to == "int64"):
                return None  # (NaN and large values: the processor's choice)
            return f"x{i}.to({to})", lambda lib, x: x[i].to(getattr(lib, to))
        if kind == "memory_format":
            how = r.choice(["contiguous_format", "preserve_format", "channels_last"])
            return f"x{i}.clone({how})", lambda lib, x: x[i].clone(memory_format=getattr(lib, how))
        shape = tuple(r.randint(1, 4) for _ in range(r.randint(1, 3)))
        name = r.choice(DTYPES)
        return f"arange.reshape({shape}, {name})", lambda lib, x: fresh(lib, shape, name)

    # -- writes --------------------------------------------------------------------------------------------------------
    def write(self) -> tuple[str, Statement, int, list[int]] | None:
        """(text, statement, the destination, the other operands)."""
        r = self.r
        i = self.any()
        assert i is not None
        t = self.live[i]
        v, d = self.number(t), self.dim(t)
        kind = r.choice(
            "fill zero setitem setitem setitem add copy copy copy binary index_fill index_add index_copy masked_fill "
            "masked_scatter scatter gather_out "
            "out out cumsum put index_put foreach select_out cat_out sort_out tril fill_diagonal lerp where_out".split()
        )
        alone = {"fill", "zero", "masked_fill", "index_fill"}
        if folded(t) and kind not in alone and kind != "setitem":
            return None  # written twice: the order is nobody's promise
        if kind in ("masked_fill", "index_fill") and expanded(t):
            return None  # docs/differences.md: refused
        if kind == "fill":
            return f"x{i}.fill_({v})", lambda lib, x: none(x[-1].fill_(v)), i, []
        if kind == "zero":
            return f"x{i}.zero_()", lambda lib, x: none(x[-1].zero_()), i, []
        if kind == "setitem":
            return self.setitem(i)
        if kind == "add":
            if t.dtype == torch.bool:
                return f"x{i}.logical_not_()", lambda lib, x: none(x[-1].logical_not_()), i, []
            return f"x{i}.add_({v})", lambda lib, x: none(x[-1].add_(v)), i, []
        if kind in ("copy", "binary"):
            j = self.broadcasting(t)
            if j is None:
                return None
            if kind == "copy":
                return f"x{i}.copy_(x{j})", lambda lib, x: none(x[-1].copy_(x[j])), i, [j]
            how = r.choice(["add_", "sub_", "maximum"]) if t.dtype != torch.bool else "logical_xor_"
            if how == "maximum":
                if t.is_complex() or self.live[j].dtype != t.dtype or self.live[j].shape != t.shape:
                    return None
                return (
                    f"maximum(x{i}, x{j}, out=x{i})",
                    lambda lib, x: none(lib.maximum(x[-1], x[j], out=x[-1])),
                    i,
                    [j],
                )
            return f"x{i}.{how}(x{j})", lambda lib, x: none(getattr(x[-1], how)(x[j])), i, [j]
        n = t.shape[d] if t.ndim else 1
        if kind == "index_fill" and t.ndim and n:
            at = [r.randrange(n) for _ in range(r.randint(0, 3))]
            return (
                f"x{i}.index_fill_({d}, {at}, {v})",
                lambda lib, x: none(x[-1].index_fill_(d, ints(lib, at), v)),
                i,
                [],
            )
        if kind in ("index_add", "index_copy") and t.ndim and n and t.dtype != torch.bool:
            at = r.sample(range(n), r.randint(1, n))
            shape = list(t.shape)
            shape[d] = len(at)
            j = self.any(lambda s: list(s.shape) == shape and s.dtype == t.dtype)
            if j is not None:
                return (
                    f"x{i}.{kind}_({d}, {at}, x{j})",
                    lambda lib, x: none(getattr(x[-1], kind + "_")(d, ints(lib, at), x[j])),
                    i,
                    [j],
                )
        if kind in ("masked_fill", "masked_scatter"):
            j = self.any(lambda s: s.dtype == torch.bool and s.shape == t.shape)
            if j is None:
                bits = [r.random() < 0.5 for _ in range(t.numel())]
                shape = tuple(t.shape)
                if kind == "masked_fill":
                    return (
                        f"x{i}.masked_fill_({bits}, {v})",
                        lambda lib, x: none(x[-1].masked_fill_(bools(lib, bits, shape), v)),
                        i,
                        [],
                    )
                k = self.any(lambda s: s.dtype == t.dtype and s.numel() >= sum(bits))
                if k is None:
                    return None
                return (
                    f"x{i}.masked_scatter_({bits}, x{k})",
                    lambda lib, x: none(x[-1].masked_scatter_(bools(lib, bits, shape), x[k])),
                    i,
                    [k],
                )
            if kind == "masked_fill":
                return f"x{i}.masked_fill_(x{j}, {v})", lambda lib, x: none(x[-1].masked_fill_(x[j], v)), i, [j]
        if kind == "scatter" and t.ndim and n:
            rows = r.sample(range(n), r.randint(1, n))
            shape = list(t.shape)
            shape[d] = len(rows)
            at = np.broadcast_to(np.array(rows).reshape([-1 if k == d % t.ndim else 1 for k in range(t.ndim)]), shape)
            j = self.any(lambda s: list(s.shape) == shape and s.dtype == t.dtype)
            if j is None:
                return (
                    f"x{i}.scatter_({d}, {at.tolist()}, {v})",
                    lambda lib, x: none(x[-1].scatter_(d, indices(lib, at), v)),
                    i,
                    [],
                )
            add = r.random() < 0.4 and t.dtype != torch.bool
            name = "scatter_add_" if add else "scatter_"
            return (
                f"x{i}.{name}({d}, {at.tolist()}, x{j})",
                lambda lib, x: none(getattr(x[-1], name)(d, indices(lib, at), x[j])),
                i,
                [j],
            )
        if kind == "put" and t.numel():
            at = r.sample(range(t.numel()), r.randint(1, min(3, t.numel())))
            j = self.any(lambda s: s.dtype == t.dtype and s.numel() == len(at))
            if j is not None:
                return f"x{i}.put_({at}, x{j})", lambda lib, x: none(x[-1].put_(ints(lib, at), x[j])), i, [j]
        if kind == "index_put" and t.ndim and t.shape[0]:
            at = r.sample(range(t.shape[0]), r.randint(1, t.shape[0]))
            j = self.any(lambda s: s.dtype == t.dtype and list(s.shape) == [len(at), *t.shape[1:]])
            if j is not None:
                add = r.random() < 0.4 and t.dtype != torch.bool
                return (
                    f"x{i}.index_put_({at}, x{j}, {add})",
                    lambda lib, x: none(x[-1].index_put_((ints(lib, at),), x[j], add)),
                    i,
                    [j],
                )
        if kind == "foreach":
            j = self.any(lambda s: s.dtype == t.dtype and not folded(s))
            if j is not None and t.dtype != torch.bool:
                return (
                    f"_foreach_add_([x{i}, x{j}], {v})",
                    lambda lib, x: none(lib._foreach_add_([x[-1], x[j]], v)),
                    i,
                    [],
                )
        if kind == "tril" and t.ndim >= 2:
            return f"x{i}.tril_()", lambda lib, x: none(x[-1].tril_()), i, []
        if kind == "fill_diagonal" and t.ndim == 2:
            return f"x{i}.fill_diagonal_({v})", lambda lib, x: none(x[-1].fill_diagonal_(v)), i, []
        if kind == "lerp" and t.is_floating_point():
            j = self.any(lambda s: s.dtype == t.dtype and s.shape == t.shape)
            if j is not None:
                return f"x{i}.lerp_(x{j}, 0.5)", lambda lib, x: none(x[-1].lerp_(x[j], 0.5)), i, [j]
        return self.to_out(kind, i)

    def broadcasting(self, t: Any) -> int | None:
        def fits(s: Any) -> bool:
            return (
                s.ndim <= t.ndim
                and all(a in (1, b) for a, b in zip(s.shape[::-1], t.shape[::-1]))
                and torch.can_cast(s.dtype, t.dtype)
                and not (s.dtype != t.dtype and t.dtype == torch.uint8)
            )

        return self.any(fits)

    def to_out(self, kind: str, i: int) -> tuple[str, Statement, int, list[int]] | None:
        r, t = self.r, self.live[i]
        same = self.any(lambda s: s.shape == t.shape and s.dtype == t.dtype)
        if same is None:
            return None
        j, s = same, self.live[same]
        d = self.dim(s)
        if kind == "out":
            name = r.choice(["neg", "add", "abs", "mul", "square"])
            if t.dtype == torch.bool or (t.is_complex() and name != "add"):
                return (
                    f"logical_and(x{j}, x{i}, out=x{i})" if t.dtype == torch.bool else "",
                    lambda lib, x: none(
                        lib.logical_and(x[j], x[-1], out=x[-1]) if t.dtype == torch.bool else x[-1].add_(x[j])
                    ),
                    i,
                    [j],
                )
            if name in ("add", "mul"):
                k = self.any(lambda u: u.shape == t.shape and u.dtype == t.dtype)
                return (
                    f"{name}(x{j}, x{k}, out=x{i})",
                    lambda lib, x: none(getattr(lib, name)(x[j], x[k], out=x[-1])),
                    i,
                    [j, k],
                )  # type: ignore[list-item]
            return f"{name}(x{j}, out=x{i})", lambda lib, x: none(getattr(lib, name)(x[j], out=x[-1])), i, [j]
        if kind == "cumsum" and t.ndim and t.dtype != torch.bool and not t.is_floating_point() and not t.is_complex():
            return (
                f"cumsum(x{j}, {d}, dtype, out=x{i})",
                lambda lib, x: none(lib.cumsum(x[j], d, dtype=x[j].dtype, out=x[-1])),
                i,
                [j],
            )
        if kind == "gather_out" and t.ndim and 0 not in t.shape:
            at = np.array([r.randrange(s.shape[d]) for _ in range(t.numel())]).reshape(tuple(t.shape))
            return (
                f"gather(x{j}, {d}, {at.tolist()}, out=x{i})",
                lambda lib, x: none(lib.gather(x[j], d, indices(lib, at), out=x[-1])),
                i,
                [j],
            )
        if kind == "select_out" and t.ndim and t.shape[d]:
            rows = [r.randrange(t.shape[d]) for _ in range(t.shape[d])]
            return (
                f"index_select(x{j}, {d}, {rows}, out=x{i})",
                lambda lib, x: none(lib.index_select(x[j], d, ints(lib, rows), out=x[-1])),
                i,
                [j],
            )
        if kind == "cat_out" and t.ndim and t.shape[d] % 2 == 0 and t.shape[d]:
            h = t.shape[d] // 2
            return (
                f"cat([x{j}.narrow({d}, {h}, {h}), x{j}.narrow({d}, 0, {h})], {d}, out=x{i})",
                lambda lib, x: none(lib.cat([x[j].narrow(d, h, h), x[j].narrow(d, 0, h)], d, out=x[-1])),
                i,
                [j],
            )
        if kind == "where_out":
            k = self.any(lambda u: u.shape == t.shape and u.dtype == torch.bool)
            m = self.any(lambda u: u.shape == t.shape and u.dtype == t.dtype)
            if k is not None and m is not None:
                return (
                    f"where(x{k}, x{j}, x{m}, out=x{i})",
                    lambda lib, x: none(lib.where(x[k], x[j], x[m], out=x[-1])),
                    i,
                    [j, k, m],
                )
        if kind == "sort_out" and t.ndim and t.dtype == torch.int64:
            return (
                f"sort(x{j}, {d}, out=(x{i}, new))",
                lambda lib, x: none(lib.sort(x[j], d, out=(x[-1], lib.empty(0, dtype=lib.int64)))),
                i,
                [j],
            )
        return None

    def setitem(self, i: int) -> tuple[str, Statement, int, list[int]] | None:
        """x[-1] = number or tensor, with an index of ints, slices, None, ..., lists, tensors and masks."""
        r, t = self.r, self.live[i]
        entries: list[Any] = []
        d = 0
        while d < t.ndim and r.random() < 0.8:
            n, k = t.shape[d], r.random()
            if k < 0.1:
                entries.append(("plain", None))
                continue
            if k < 0.3 and n:
                entries.append(("plain", r.randrange(-n, n)))
            elif k < 0.5 and n:
                entries.append(("ints", r.sample(range(n), r.randint(1, n)) if r.random() < 0.7 else [r.randrange(n)]))
            elif k < 0.65:
                entries.append(("mask", [r.random() < 0.5 for _ in range(n)]))
            else:
                entries.append(("plain", self.slice_of(n)))
            d += 1
        if r.random() < 0.2 or not entries:
            entries.insert(r.randint(0, len(entries)), ("plain", Ellipsis))

        def index(lib: Any) -> Any:
            found = tuple(
                v if what == "plain" else ints(lib, v) if what == "ints" else bools(lib, v, (len(v),))
                for what, v in entries
            )
            return found[0] if len(found) == 1 else found

        text = f"x{i}[{', '.join(str(v) for _, v in entries)}]"
        try:
            target = t[index(torch)]
        except (IndexError, RuntimeError):
            target = None
        v = self.number(t)
        j = None if target is None or r.random() < 0.4 else self.broadcasting(target)
        if j is not None and self.live[j].dtype != t.dtype:
            j = None
        if folded(t) and (j is not None or expanded(t)):
            return None
        if j is None:
            return f"{text} = {v}", lambda lib, x: x[-1].__setitem__(index(lib), v), i, []
        return f"{text} = x{j}", lambda lib, x: x[-1].__setitem__(index(lib), x[j]), i, [j]

    # -- memory --------------------------------------------------------------------------------------------------------
    def memory(self) -> tuple[str, Statement] | None:
        r = self.r
        i = self.any()
        assert i is not None
        t, kind = self.live[i], r.choice("resize set_tensor set_storage data shared".split())
        if kind == "resize":
            if not t.numel():
                return None  # docs/differences.md: where an empty view lies
            size = tuple(r.randint(0, 4) for _ in range(r.randint(0, 3)))
            room = t.untyped_storage().nbytes() // t.element_size() - t.storage_offset()
            if int(np.prod(size)) > room:
                return f"x{i}.resize_({size}).zero_()", lambda lib, x: none(x[i].resize_(size).zero_())
            return f"x{i}.resize_({size})", lambda lib, x: none(x[i].resize_(size))
        j = self.any(lambda s: s.dtype == t.dtype)
        s = self.live[j]  # type: ignore[index]
        if kind == "set_tensor":
            return f"x{i}.set_(x{j})", lambda lib, x: none(x[i].set_(x[j]))
        if kind == "data":
            return f"x{i}.data = x{j}", lambda lib, x: setattr(x[i], "data", x[j])
        room = s.untyped_storage().nbytes() // s.element_size()
        n = r.randint(0, room)
        offset = r.randint(0, room - n)
        if kind == "set_storage":
            return f"x{i}.set_(x{j}.untyped_storage(), {offset}, ({n},), (1,))", lambda lib, x: none(
                x[i].set_(x[j].untyped_storage(), offset, (n,), (1,))
            )
        return f"empty(0).set_(x{j}.untyped_storage(), {offset}, ({n},))", lambda lib, x: lib.empty(
            0, dtype=x[j].dtype
        ).set_(x[j].untyped_storage(), offset, (n,), (1,))


def none(result: Any) -> None:
    """Statements of writes make no tensor."""


def fresh(lib: Any, shape: tuple[int, ...], dtype: str) -> Any:
    t = lib.arange(1, 1 + int(np.prod(shape))).reshape(shape)
    return t % 2 == 0 if dtype == "bool" else t.to(getattr(lib, dtype))


def ints(lib: Any, values: list[int]) -> Any:
    return lib.tensor(values, dtype=lib.int64)


def indices(lib: Any, a: Any) -> Any:
    return lib.tensor(a.tolist(), dtype=lib.int64).reshape(tuple(a.shape))


def bools(lib: Any, values: list[bool], shape: tuple[int, ...]) -> Any:
    return lib.tensor(values, dtype=lib.bool).reshape(shape)


# ---------------------------------------------------------------------------------------------------------- comparison
def bits(t: Any) -> Any:
    return t.detach().clone().numpy()  # (of a copy: PyTorch does not resize what NumPy has seen)


def equal(a: Any, b: Any) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    parts = [(a.real, b.real), (a.imag, b.imag)] if a.dtype.kind == "c" else [(a, b)]
    return all(bool(((x == y) | ((x != x) & (y != y))).all()) for x, y in parts)


def strides(t: Any) -> tuple[int, ...]:
    """The strides that elements lie along."""
    return tuple(s if n > 1 and t.numel() else 0 for s, n in zip(t.stride(), t.shape))


def compare(theirs: list[Any], ours: list[Any], versions: bool, views: bool) -> None:
    """Difference unless the live tensors of both libraries are alike. (docs/differences.md says what is left out.)"""
    looks: dict[str, Callable[[Any], Any]] = {
        "shape": lambda t: tuple(t.shape),
        "strides": strides,
        "offset": lambda t: t.storage_offset() if t.numel() else 0,
        "dtype": lambda t: str(t.dtype),
        "contiguity": lambda t: t.is_contiguous(),
        "being a view": lambda t: views and t._is_view(),
        "version": lambda t: t._version if versions else 0,
    }
    for i, (t, r) in enumerate(zip(theirs, ours, strict=True)):
        for what, look in looks.items():
            a, b = look(t), look(r)
            if a != b:
                raise Difference(f"x{i}: {what} is {b}, PyTorch has {a}")
        if views and t._is_view():
            a, b = ([k for k, s in enumerate(xs) if s is x._base] for xs, x in ((theirs, t), (ours, r)))
            if a != b:
                raise Difference(f"x{i} is a view of {b}, in PyTorch of {a}")
        if not equal(bits(t), bits(r)):
            raise Difference(f"x{i}: values are {r.tolist()}, PyTorch has {t.tolist()}")
    a, b = (shared(xs) for xs in (theirs, ours))
    if a != b:
        raise Difference(f"memory is shared as {b}, in PyTorch as {a}")


def shared(tensors: list[Any]) -> list[int]:
    """Of each tensor the first that lies in the same storage (those without elements lie nowhere)."""
    found: list[int] = []
    for i, t in enumerate(tensors):
        found.append(
            i
            if not t.numel()
            else next(k for k in range(i + 1) if tensors[k].numel() and place(tensors[k]) == place(t))
        )
    return found


def attempt(statement: Statement, lib: Any, live: list[Any]) -> tuple[Any, Exception | None]:
    try:
        return statement(lib, live), None
    except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError) as error:
        return None, error


def run(number: int, seed: int, show: bool = False) -> int:
    """Run program `number` of `seed`; returns how many statements were compared. Raises Difference."""
    r = random.Random(seed * 1_000_003 + number)
    theirs: list[Any] = []
    ours: list[Any] = []
    for _ in range(r.randint(1, 3)):
        shape = tuple(r.choice([0, 1, 2, 2, 3, 4, 4, 6]) if k else r.randint(2, 6) for k in range(r.randint(1, 3)))
        dtype = r.choice(DTYPES)
        theirs.append(fresh(torch, shape, dtype))
        ours.append(fresh(rushlight, shape, dtype))
        if show:
            print(f"x{len(ours) - 1} = {dtype} {shape}")
    make, done, versions, views = Maker(r, theirs), 0, True, True
    text = ""
    try:
        for _ in range(STEPS):
            dest, operands = None, []
            k = r.random()
            drawn: Any = (
                make.view() if k < 0.42 else make.copy() if k < 0.5 else make.memory() if k < 0.55 else make.write()
            )
            if drawn is None:
                continue
            text, statement, *more = drawn
            if more:
                dest, operands = more
            if show:
                print(text, flush=True)
            before = len(theirs)
            try:
                step(statement, theirs, ours, dest, operands)
            except Listed:
                break
            if len(theirs) > 8:
                drop = sorted(r.sample(range(len(theirs)), len(theirs) - 8), reverse=True)
                for i in drop:
                    del theirs[i], ours[i]
                if show:
                    print(f"del {drop}")
            elif show and len(theirs) > before:
                print(f"    -> x{before}..x{len(theirs) - 1}")
            versions = versions and not re.search(r"resize_|set_|data", text)  # docs/differences.md
            views = views and not re.search(r"\.data|view\([a-z]", text)
            compare(theirs, ours, versions, views)
            done += 1
            if any(t.numel() and t.dtype.is_floating_point and not bool((t.abs() < 1e30).all()) for t in theirs):
                break  # infinities and NaN tell nothing any more
    except Difference as error:
        raise Difference(f"program {number} of seed {seed}: {text}: {error}") from None
    return done


def step(statement: Statement, theirs: list[Any], ours: list[Any], dest: int | None, operands: list[int]) -> None:
    """One statement by both libraries."""
    near = dest is not None and any(j == dest or overlaps(theirs[dest], theirs[j]) for j in operands)
    if near:
        result, mine = attempt(statement, rushlight, [*ours, ours[dest]])  # type: ignore[index]
        # What copies of the operands give; the call itself, where rushlight refuses it.
        copied = [t.clone() if k in operands else t for k, t in enumerate(theirs)] if mine is None else theirs
        expected, error = attempt(statement, torch, [*copied, theirs[dest]])  # type: ignore[index]
    else:
        expected, error = attempt(statement, torch, theirs if dest is None else [*theirs, theirs[dest]])
        result, mine = attempt(statement, rushlight, ours if dest is None else [*ours, ours[dest]])
    if mine is None and error is not None and any(text in str(error) for text in LISTED):
        raise Listed
    if (error is None) != (mine is None):
        raise Difference(f"raises {mine!r}; PyTorch raises {error!r}"[:400])
    if error is not None:
        return
    new, old = (list(x) if isinstance(x, (tuple, list)) else [] if x is None else [x] for x in (result, expected))
    for t, o in zip(old, new, strict=True):
        if not any(t is x for x in theirs):
            theirs.append(t)
            ours.append(o)
        elif [k for k, x in enumerate(theirs) if x is t] != [k for k, x in enumerate(ours) if x is o]:
            raise Difference("the result is the tensor itself in one library alone")


def work(first: int, last: int, seed: int, show_all: bool) -> int:
    warnings.simplefilter("ignore")
    bad = statements = 0
    for number in range(first, last):
        print(number, file=sys.stderr, flush=True)
        try:
            statements += run(number, seed)
        except Difference as error:
            bad += 1
            print(str(error)[:500], flush=True)
    print(f"STATEMENTS {statements}", flush=True)
    return bad


def main() -> int:
    if sys.argv[1] == "--program":
        warnings.simplefilter("ignore")
        try:
            run(int(sys.argv[3]), int(sys.argv[2]), True)
        except Difference as error:
            print(error)
            return 1
        return 0
    if "--worker" in sys.argv:
        first, last, seed = map(int, sys.argv[2:5])
        return min(work(first, last, seed, True), 100)
    programs, seed = int(sys.argv[1]), int(sys.argv[2])
    bad = crashes = statements = 0
    at = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    programs += at
    while at < programs:
        last = min(at + PROGRAMS_A_WORKER, programs)
        done = subprocess.run(
            [sys.executable, __file__, "--worker", str(at), str(last), str(seed)], capture_output=True, text=True
        )
        lines = done.stdout.splitlines()
        statements += sum(int(x.split()[1]) for x in lines if x.startswith("STATEMENTS"))
        found = [x for x in lines if not x.startswith("STATEMENTS")]
        print("\n".join(found), end="\n" if found else "", flush=True)
        bad += sum(x.startswith("program ") for x in found)
        if done.returncode < 0 or "STATEMENTS" not in done.stdout:
            number = int([x for x in done.stderr.splitlines() if x.isdigit()][-1])
            print(
                f"program {number} of seed {seed} ends its process with {done.returncode}: {done.stderr[-1500:]}",
                flush=True,
            )
            crashes += 1
            at = number + 1
        else:
            at = last
    print(f"{programs} programs, {statements} statements compared, {bad} differences, {crashes} crashes")
    return 1 if bad or crashes else 0


if __name__ == "__main__":
    sys.exit(main())
