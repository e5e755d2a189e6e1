"""Which sizes of an exported program's inputs may change, and within what bounds."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Any

from rushlight._dynamo.exc import UserError
from rushlight.core.checks import check_that
from rushlight.core.tensor import Tensor
from rushlight.export._ranges import Ranges, ValueRanges
from rushlight.fx.experimental.symbolic_shapes import ConstraintViolationError
from rushlight.nn.modules.module import Module
from rushlight.program.sym import Int, Sym

__all__ = [
    "AdditionalInputs",
    "Constraint",
    "Dim",
    "ShapesCollection",
    "dims",
    "refine_dynamic_shapes_from_suggested_fixes",
]

Constraint = Any  # what an export once took in place of a Dim; nothing makes one


class _DimHintType(enum.Enum):
    AUTO = enum.auto()
    STATIC = enum.auto()
    DYNAMIC = enum.auto()


class DimHint:
    """`Dim.AUTO`, `Dim.DYNAMIC` or `Dim.STATIC`: what becomes of a size, without a name. Called with bounds (`min`,
    `max`) it gives one with these.
    """

    def __init__(self, type: _DimHintType, min: int | None = None, max: int | None = None) -> None:
        self.type, self.min, self.max = type, min, max

    def __call__(self, min: int | None = None, max: int | None = None) -> DimHint:
        if self.type is _DimHintType.STATIC:
            raise TypeError("Dim.STATIC: a size that stays as it is has no bounds")
        if min is not None and min < 0:
            raise AssertionError(f"Dim.{self.type.name}(): 'min' must be non-negative; found {min}")
        if max is not None and max < 0:
            raise AssertionError(f"Dim.{self.type.name}(): 'max' must be non-negative; found {max}")
        if min is not None and max is not None and min > max:
            raise AssertionError(f"Dim.{self.type.name}(): 'min' must be at most 'max'; found {min} and {max}")
        return DimHint(self.type, min, max)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DimHint) and (self.type, self.min, self.max) == (other.type, other.min, other.max)

    def __hash__(self) -> int:
        return hash((self.type, self.min, self.max))

    def __repr__(self) -> str:
        bounds = "".join(f", {k}={v}" for k, v in (("min", self.min), ("max", self.max)) if v is not None)
        return f"DimHint({self.type.name}{bounds})"


class Dim:
    """A size by name, with bounds: `Dim("batch", min=1, max=64)`. The same name stands for the same size everywhere;
    `2 * batch + 1` is a size that depends on it.

    Args:
        name: an identifier.
        min, max: bounds, inclusive.
    """

    AUTO = DimHint(_DimHintType.AUTO)
    DYNAMIC = DimHint(_DimHintType.DYNAMIC)
    STATIC = DimHint(_DimHintType.STATIC)

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None) -> None:
        if not isinstance(name, str) or not name.isidentifier():
            raise AssertionError(f"Dim(): 'name' must be a valid identifier; found {name!r}")
        self.__name__ = name
        self.min = 0 if min is None else min
        self.max: float = float("inf") if max is None else max
        if self.min > self.max:
            raise AssertionError(f"Dim(): 'min' must be at most 'max'; found min={min}, max={max}")

    # a size a * root + b
    @property
    def _linear(self) -> tuple[Dim, int, int]:
        return self, 1, 0

    def _derived(self, a: int, b: int) -> Dim:
        root, c, d = self._linear
        return _DerivedDim(root, a * c, a * d + b)

    def __add__(self, other: Any) -> Dim:
        if type(other) is not int:
            raise NotImplementedError(
                f"Dim: {other!r} cannot be added to {self.__name__}: sizes take whole numbers alone"
            )
        return self._derived(1, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dim:
        if type(other) is not int:
            raise NotImplementedError(
                f"Dim: {other!r} cannot be subtracted from {self.__name__}: sizes take whole numbers alone"
            )
        return self._derived(1, -other)

    def __rsub__(self, other: Any) -> Dim:
        raise NotImplementedError(f"Dim: {self.__name__} cannot be negated: sizes that depend on it must grow with it")

    def __mul__(self, other: Any) -> Dim:
        if type(other) is not int or other <= 0:
            raise NotImplementedError(
                f"Dim: {self.__name__} cannot be multiplied by {other!r}: that must be a positive whole number"
            )
        return self._derived(other, 0)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        low = f", min={self.min}" if self.min else ""
        high = "" if self.max == float("inf") else f", max={self.max}"
        return f"Dim('{self.__name__}'{low}{high})"


class _DerivedDim(Dim):
    """The size a * root + b."""

    def __init__(self, root: Dim, a: int, b: int) -> None:
        self.root, self.a, self.b = root, a, b
        sign = "" if not b else f" + {b}" if b > 0 else f" - {-b}"
        self.__name__ = f"{'' if a == 1 else f'{a}*'}{root.__name__}{sign}"
        self.min, self.max = a * root.min + b, a * root.max + b

    @property
    def _linear(self) -> tuple[Dim, int, int]:
        return self.root, self.a, self.b

    def __repr__(self) -> str:
        return self.__name__


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:
    """Several sizes by name, with the same bounds."""
    return tuple(Dim(n, min=min, max=max) for n in names)


class ShapesCollection:
    """Dynamic sizes by the tensors that have them, for `export(dynamic_shapes=...)`: `shapes[tensor] = {0: batch}`."""

    def __init__(self) -> None:
        self._shapes: dict[int, Any] = {}
        self._held: list[Any] = []  # whose ids stand there

    def __setitem__(self, t: Any, shape: Any) -> None:
        if not isinstance(t, Tensor) and not isinstance(t, int):
            raise AssertionError(f"ShapesCollection: a key must be a tensor or an int; found {type(t).__name__}")
        known = self._shapes.get(id(t))
        if known is not None and known is not shape and known != shape:
            raise AssertionError(
                f"ShapesCollection: shapes assigned to the same tensor must be equal; found {known} and {shape}"
            )
        self._shapes[id(t)] = shape
        self._held.append(t)

    def __getitem__(self, t: Any) -> Any:
        found = self._shapes.get(id(t))
        if found is None:
            found = self._shapes[id(t)] = {}
            self._held.append(t)
        return found

    def __len__(self) -> int:
        return len(self._shapes)

    def dynamic_shapes(self, m: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
        """The sizes as `export` takes them, for a call of `m`.

        Raises:
            ValueError: a tensor is none of the call's.
        """
        from rushlight.func.tree import tree_map

        used: set[int] = set()

        def find(x: Any) -> Any:
            if id(x) in self._shapes:
                used.add(id(x))
            return self._shapes.get(id(x))

        found = {name: tree_map(find, x) for name, x in arguments(m, args, kwargs or {}).items()}
        if len(used) != len(self._shapes):
            raise ValueError(
                f"ShapesCollection: {len(self._shapes) - len(used)} of the tensors with shapes are not among the "
                "arguments; use the very objects that are handed to export()"
            )
        return found


class AdditionalInputs:
    """Further example calls, of which dynamic sizes are inferred: those that differ."""

    def __init__(self) -> None:
        self._examples: list[tuple[tuple[Any, ...], dict[str, Any] | None]] = []

    def add(self, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
        """Add a call."""
        if type(args) is not tuple:
            raise AssertionError(f"AdditionalInputs.add(): 'args' must be a tuple; found {type(args).__name__}")
        if kwargs is not None and type(kwargs) is not dict:
            raise AssertionError(f"AdditionalInputs.add(): 'kwargs' must be a dict; found {type(kwargs).__name__}")
        self._examples.append((args, kwargs))

    def dynamic_shapes(self, m: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
        """The sizes as `export` takes them: Dim.DYNAMIC where the examples differ.

        Raises:
            ValueError: the examples have other shapes of containers, or other constants.
        """
        from rushlight.func.tree import flatten

        calls = [(args, kwargs or {}), *((a, k or {}) for a, k in self._examples)]
        found = [flatten(arguments(m, a, k)) for a, k in calls]
        spec = found[0][1]
        shapes: list[Any] = []
        for others in zip(*(f[0] for f in found), strict=True):
            first = others[0]
            if isinstance(first, Tensor):
                shapes.append(
                    tuple(
                        Dim.DYNAMIC if any(s != sizes[0] for s in sizes) else None
                        for sizes in zip(*(x.shape for x in others), strict=True)
                    )
                )
            else:
                if any(x != first for x in others):
                    raise ValueError(
                        f"AdditionalInputs: an argument that is no tensor must stay the same; found {others}"
                    )
                shapes.append(None)
        if any(f[1] != spec for f in found):
            raise ValueError("AdditionalInputs: all examples must have the same containers")
        return spec.unflatten(shapes)

    def verify(self, ep: Any) -> None:
        """Run an exported program on the examples; its checks fail where it does not take one."""
        module = ep.module()
        for args, kwargs in self._examples:
            module(*args, **(kwargs or {}))


def refine_dynamic_shapes_from_suggested_fixes(msg: str, dynamic_shapes: Any) -> Any:
    """The dynamic shapes with what an error of `export` suggests (its lines behind "Suggested fixes:")."""
    import re

    from rushlight.func.tree import tree_map

    fixes: dict[str, Any] = {}
    for line in msg.partition("Suggested fixes:")[2].splitlines():
        found = re.match(r"\s*(\w+) = (.+)$", line)
        if found is None:
            continue
        name, text = found[1], found[2].strip()
        bounds = re.match(r"Dim\('\w+'(?:, min=(\d+))?(?:, max=(\d+))?\)$", text)
        if bounds is not None:
            fixes[name] = Dim(
                name, min=int(bounds[1]) if bounds[1] else None, max=int(bounds[2]) if bounds[2] else None
            )
        else:
            fixes[name] = int(text) if text.isdigit() else text

    def refined(x: Any) -> Any:
        if not isinstance(x, Dim):
            return x
        root, a, b = x._linear
        fix = fixes.get(root.__name__)
        if isinstance(fix, str):
            fix = fixes.get(fix) or Dim(fix)
        if fix is None:
            return x
        if isinstance(fix, int):
            return a * fix + b
        return fix if x is root else fix._derived(a, b)

    return tree_map(refined, dynamic_shapes, is_leaf=lambda x: isinstance(x, Dim))


# ---------------------------------------------------------------------------------------- what an export makes of them
def arguments(mod: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call of `forward` by its parameters' names, in order."""
    import inspect

    forward = getattr(mod, "forward", mod)
    return dict(inspect.signature(forward).bind(*args, **kwargs).arguments)


class Sizes:
    """The sizes of one export: symbols for those that may change.

    Args:
        ranges: the symbols' environment, which knows their bounds.
    """

    def __init__(self, ranges: Ranges) -> None:
        self.ranges = ranges
        self.roots: dict[str, Sym] = {}  # by the name of a Dim
        self.declared: dict[int, tuple[str, ValueRanges | None]] = {}  # by symbol: its name, and bounds of a named Dim
        self.hints: dict[int, DimHint] = {}
        self.derived: list[tuple[Int, Dim]] = []

    def of(self, t: Tensor, spec: Any, where: str) -> tuple[Int, ...]:
        """The sizes of a tensor whose dynamic ones `spec` says; `where` names it in errors."""
        entries = self._entries(t, spec, where)
        return tuple(self._size(int(n), entries.get(d), f"{where}.size()[{d}]") for d, n in enumerate(t.shape))

    def _entries(self, t: Tensor, spec: Any, where: str) -> dict[int, Any]:
        if spec is None:
            return {}
        if isinstance(spec, Mapping):
            for d in spec:
                if type(d) is not int or not -t.ndim <= d < t.ndim:
                    raise UserError(
                        f"dynamic_shapes: {where} has {t.ndim} dimensions, of shape {list(t.shape)}; found one for "
                        f"dimension {d!r}"
                    )
            return {d % t.ndim: x for d, x in spec.items()}
        if isinstance(spec, (tuple, list)):
            if len(spec) != t.ndim:
                raise UserError(
                    f"export(): the sizes of {where} in 'dynamic_shapes' must be {t.ndim}, one for each dimension; "
                    f"found {len(spec)}"
                )
            return dict(enumerate(spec))
        if isinstance(spec, DimHint):
            return dict.fromkeys(range(t.ndim), spec)
        raise UserError(
            f"export(): the sizes of {where} in 'dynamic_shapes' must be a dict by dimensions, or a tuple or list of "
            f"all; found {spec!r}"
        )

    def _size(self, n: int, entry: Any, where: str) -> Int:
        if entry is None or isinstance(entry, DimHint) and entry.type is _DimHintType.STATIC:
            return n
        if type(entry) is int:
            check_that(
                entry == n, "export()", where, f"be {entry}, as 'dynamic_shapes' says", n, ConstraintViolationError
            )
            return n
        if isinstance(entry, DimHint):
            if n <= 1:
                if entry.type is _DimHintType.DYNAMIC:
                    raise specialized(where, n)
                return n
            symbol = self.ranges.size(n, entry.min, entry.max)
            self.declared[_index(symbol)] = (where, None)
            self.hints[_index(symbol)] = entry
            return symbol
        if not isinstance(entry, Dim):
            raise UserError(
                f"export(): {where} in 'dynamic_shapes' must be None, an int, a Dim, Dim.AUTO, Dim.STATIC or "
                f"Dim.DYNAMIC; found {entry!r}"
            )
        root, a, b = entry._linear
        quotient, rest = divmod(n - b, a)
        check_that(not rest, where, "the size", f"be {entry.__name__}", n, ConstraintViolationError)
        if not root.min <= quotient <= root.max:
            raise ConstraintViolationError(
                f"export(): {where} must be between {entry.min} and {_bound(entry.max)}; found {n}"
            )
        known = self.roots.get(root.__name__)
        if known is None:
            if quotient <= 1:
                raise specialized(root.__name__, quotient)
            known = self.roots[root.__name__] = self.ranges.size(quotient, root.min, root.max)
            self.declared[_index(known)] = (root.__name__, ValueRanges(root.min, root.max))
        elif self.ranges.hint(known) != quotient:
            raise ConstraintViolationError(
                f"{where}: {entry.__name__} is {a * self.ranges.hint(known) + b} elsewhere; found {n}"
            )
        if (a, b) != (1, 0):
            self.derived.append((known * a + b, entry))
        return known * a + b


def _index(symbol: Sym) -> int:
    ((mono, _),) = symbol.terms.items()
    index: int = mono[0].args[0]
    return index


def _bound(x: float) -> str:
    return "int_oo" if x == float("inf") else str(x)


def specialized(name: str, n: int) -> UserError:
    """A size that shall change is a constant of the program."""
    fix = f"\nSuggested fixes:\n  {name} = {n}" if name.isidentifier() else ""
    return UserError(
        f"export(): constraints violated on {name}:\n  - it was declared to change, and the program is for {n} alone; "
        f"declare it Dim.STATIC, or Dim.AUTO, which lets the program decide{fix}"
    )


def each_leaf(tree: Any, spec: Any, where: str) -> Iterator[tuple[Any, Any, str]]:
    """The leaves of arguments, each with its part of `dynamic_shapes`, which has the same containers, and its name."""
    from rushlight.func.tree import NODES, node_type

    node = NODES.get(node_type(tree))
    if node is None:
        yield tree, spec, where
        return
    children, _ = node.flatten_fn(tree)
    steps = list(tree) if isinstance(tree, Mapping) else list(range(len(children)))
    if spec is None:
        parts: list[Any] = [None] * len(children)
    elif isinstance(spec, DimHint):
        parts = [spec] * len(children)
    elif isinstance(tree, Mapping):
        if not isinstance(spec, Mapping) or set(spec) != set(tree):
            raise _mismatch(where, tree, spec)
        parts = [spec[k] for k in tree]
    else:
        if type(spec) is not type(tree) and not (isinstance(spec, (tuple, list)) and isinstance(tree, (tuple, list))):
            raise _mismatch(where, tree, spec)
        parts = list(spec) if isinstance(spec, (tuple, list)) else node.flatten_fn(spec)[0]
        if len(parts) != len(children):
            raise _mismatch(where, tree, spec)
    for child, part, step in zip(children, parts, steps, strict=True):
        yield from each_leaf(child, part, f"{where}[{step!r}]")


def _mismatch(where: str, tree: Any, spec: Any) -> UserError:
    return UserError(
        f"export(): 'dynamic_shapes' must have the containers of the arguments; {where} is a {type(tree).__name__}, "
        f"and there stands {spec!r}"
    )
