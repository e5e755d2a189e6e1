"""How many floating point operations products, convolutions and attention take: `FlopCounterMode` counts those of calls
in its block, and of their backward.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.func.tree import flatten
from rushlight.operators.table.types import Args, Classes, Function, Kwargs
from rushlight.utils._flop_formulas import (
    SEVERAL,
    Products,
    Raw,
    addmm_flop,
    baddbmm_flop,
    bmm_flop,
    conv_flop,
    conv_flop_count,
    flop_registry,
    mm_flop,
    sdpa_flop,
    sdpa_flop_count,
    shapes,
    shapes_of,
)
from rushlight.utils._python_dispatch import TorchDispatchMode

if TYPE_CHECKING:
    from rushlight.nn.modules.module import Module

__all__ = [
    "FlopCounterMode",
    "addmm_flop",
    "baddbmm_flop",
    "bmm_flop",
    "conv_flop",
    "conv_flop_count",
    "flop_registry",
    "mm_flop",
    "register_flop_formula",
    "sdpa_flop",
    "sdpa_flop_count",
]

_ATTENTION = ("scaled_dot_product_attention",)


def _name(op: Any) -> str:
    name = getattr(op, "name", None) or getattr(op, "__name__", "")
    return str(name() if callable(name) else name).rpartition(".")[2].rpartition("::")[2]


def _overload(name: str, args: Any, kwargs: Any, backward: bool) -> Any:
    """What PyTorch counts a call under, a packet of `torch.ops.aten`: that of the product or convolution beneath; None
    where the call is none of these.
    """
    from rushlight import ops

    operands = [x for x in flatten((args, kwargs))[0] if isinstance(x, Tensor)]
    if name in ("linear", "addmm"):
        beneath = "addmm" if not backward and len(operands) == 3 else "mm"
    elif name in ("mm", "tensordot", "_chain_matmul", "multi_dot"):
        beneath = "mm"
    elif name in ("bmm", "baddbmm", "_einsum"):
        beneath = name if name == "baddbmm" and not backward else "bmm"
    elif name == "matmul":
        beneath = "mm" if len(operands) == 2 and min(x.ndim for x in operands) < 3 else "bmm"
    elif name.startswith("conv"):
        beneath = "convolution_backward" if backward else "convolution"
    else:
        return None
    return getattr(ops.aten, beneath, f"aten.{beneath}")


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A decorator: the function counts the operations of an operator, or of several.

    Args:
        targets: an operator, or a list.
        get_raw: the function takes tensors; else shapes, and `out_shape` by name.
    """

    def register(formula: Callable[..., int]) -> Callable[..., int]:
        counted = formula if not get_raw else Raw(formula)
        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            flop_registry[_name(target)] = counted
        return formula

    return register


class FlopCounterMode(TorchDispatchMode):
    """Inside, the operations of products, convolutions and attention are counted, by module.

    Args:
        mods: accepted: modules are known when they are called.
        depth: how deep the table goes into modules.
        display: whether the table is printed at the end.
        custom_mapping: formulas by operator, in addition to the registered ones.

    A backward inside counts as many products as inputs need a gradient.
    """

    sees_whole_calls = True

    def __init__(
        self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: dict[Any, Any] | None = None
    ) -> None:
        super().__init__()
        self.depth, self.display = depth, display
        self.formulas = {**flop_registry, **{_name(op): formula for op, formula in (custom_mapping or {}).items()}}
        self.flop_counts: defaultdict[str, defaultdict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self._inside: list[str] = []
        self._names: dict[int, str] = {}
        self._handles: list[Any] = []

    def get_total_flops(self) -> int:
        """All that was counted."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """By module ("Global" for all), by operator."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """The counts as text: a line per module, with the operators below it."""
        depth = self.depth if depth is None else depth
        total = max(self.get_total_flops(), 1)
        rows = [("Module", "FLOP", "% Total")]
        for name in ["Global", *(n for n in self.flop_counts if n != "Global")]:
            level = 0 if name == "Global" else name.count(".") + 1
            if level > depth:
                continue
            counts = self.flop_counts[name]
            rows.append(
                (" " * level + name, _amount(sum(counts.values())), f"{100 * sum(counts.values()) / total:.2f}%")
            )
            rows += [
                (
                    " " * level + f" - {_name(op) if isinstance(op, Operator) else op}",
                    _amount(n),
                    f"{100 * n / total:.2f}%",
                )
                for op, n in counts.items()
            ]
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines = ["  ".join((row[0].ljust(widths[0]), row[1].rjust(widths[1]), row[2].rjust(widths[2]))) for row in rows]
        return "\n".join([lines[0], "  ".join("-" * w for w in widths), *lines[1:]])

    def __enter__(self) -> FlopCounterMode:
        from rushlight.nn.modules import module

        self.flop_counts.clear()
        self._handles = [
            module.register_module_forward_pre_hook(self._enter),
            module.register_module_forward_hook(self._leave, always_call=True),
        ]
        super().__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        super().__exit__(*exc)
        for handle in self._handles:
            handle.remove()
        self._inside.clear()
        if self.display:
            print(self.get_table())

    def _enter(self, module: Module, inputs: Any) -> None:
        if not self._inside:
            root = type(module).__name__
            self._names = {id(m): f"{root}.{name}" if name else root for name, m in module.named_modules()}
        self._inside.append(self._names.get(id(module), type(module).__name__))

    def _leave(self, module: Module, inputs: Any, output: Any) -> None:
        self._inside.pop()

    def _count(self, where: list[str], op: Any, n: int) -> None:
        for name in ("Global", *dict.fromkeys(where)):
            self.flop_counts[name][op] += n

    def __torch_dispatch__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        kwargs = kwargs or {}
        name = _name(func)
        formula = self.formulas.get(name)
        if formula is None:
            out = func(*args, **kwargs)
            if name in SEVERAL:
                self._count_several(SEVERAL[name](*args, **kwargs), out)
            return out
        out = func(*args, **kwargs)
        first = out[0] if isinstance(out, (tuple, list)) else out
        if isinstance(formula, Raw):
            n = formula(*args, **kwargs, out_val=out)
        else:
            n = formula(*shapes(args), **shapes_of(kwargs), out_shape=shapes(out))
        where = list(self._inside)
        self._count(where, _overload(name, args, kwargs, False) or func, n)
        if n and isinstance(first, Tensor) and first.requires_grad and first.grad_fn is not None:
            first.register_hook(
                lambda g: self._count(
                    where, _overload(name, args, kwargs, True) or func, self._backward(name, args, kwargs, n)
                )
            )
        return out

    def _count_several(self, products: list[Products], out: Any) -> None:
        from rushlight import ops

        where, first = list(self._inside), out[0] if isinstance(out, tuple) else out
        for p in products:
            self._count(where, ops.aten.addmm if p.biased else ops.aten.mm, p.forward)
        back = sum(p.backward for p in products)
        if back and first.grad_fn is not None:  # of the call, whichever of its results is used
            first.grad_fn.register_prehook(lambda grads: self._count(where, ops.aten.mm, back))

    def _backward(self, name: str, args: Any, kwargs: Any, n: int) -> int:
        tensors = [x for x in flatten((args, kwargs))[0] if isinstance(x, Tensor)]
        if name in ("addmm", "baddbmm"):
            tensors = tensors[1:]
        needing = sum(t.requires_grad for t in tensors[: 3 if name in _ATTENTION else 2])
        if name in _ATTENTION:
            return n * 5 // 2 if needing else 0  # the weights are computed again
        return n * needing


def _amount(n: int) -> str:
    for unit, size in (("T", 10**12), ("B", 10**9), ("M", 10**6), ("K", 10**3)):
        if n >= size:
            return f"{n / size:.3f}{unit}"
    return str(n)
