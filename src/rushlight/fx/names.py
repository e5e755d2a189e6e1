"""How functions, classes and constants are written in the code of a graph, and unique names for its values."""

from __future__ import annotations

import builtins
import keyword
import re
import types
from collections.abc import Callable
from typing import Any

from rushlight.core.dispatch import Operator
from rushlight.core.named import Method, Named
from rushlight.core.tensor import Tensor

_operator_names: dict[int, str] = {}


def operator_name(op: Operator | Named) -> str | None:
    """The public name of an operator of the table, such as 'torch.nn.functional.relu'."""
    if not _operator_names:
        from rushlight.operators.table.define import TABLE, public

        for name in sorted(TABLE, key=lambda name: name.count(".")):  # torch.relu before torch.nn.functional.relu
            _operator_names.setdefault(id(public(name)), f"torch.{name}")
    return _operator_names.get(id(op))


def module_of(x: Any) -> str:
    """The module of a function or class, ours by the name that programs import it under."""
    name = getattr(x, "__module__", None) or "builtins"
    if name == "_operator":
        return "operator"
    if name == "rushlight" or name.startswith("rushlight."):
        name = "torch" + name.removeprefix("rushlight")
    return name.replace("torch._ops", "torch.ops", 1)  # overloads stand in the public one


# Functions that PyTorch defines elsewhere than where they are public, as the code of its graphs shows.
_IN_NN = frozenset(
    "avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear logsigmoid one_hot scaled_dot_product_attention "
    "softplus softshrink".split()
)
_IN_FUNCTIONAL = frozenset(
    "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul "
    "einsum lu meshgrid norm split stft tensordot unique unique_consecutive unravel_index".split()
)


def _defined(public: str) -> str:
    """Where PyTorch defines what it has under a public name."""
    space, _, name = public.rpartition(".")
    if space == "torch" and name in _IN_FUNCTIONAL:
        return f"torch.functional.{name}"
    if space == "torch.nn.functional" and name in _IN_NN:
        return f"torch._C._nn.{'log_sigmoid' if name == 'logsigmoid' else name}"
    if space in ("torch.linalg", "torch.fft", "torch.special"):
        short = space.removeprefix("torch.")
        return f"torch._C._{short}.{short}_{name.removeprefix(short + '_')}"
    return public


def qualified_name(f: Callable[..., Any]) -> str:
    """The dotted name of a function: 'operator.add', 'torch.relu', 'package.module.f'."""
    return _defined(_public_name(f))


def _public_name(f: Callable[..., Any]) -> str:
    if isinstance(f, Method):
        return f"torch.Tensor.{f.name}"
    if isinstance(f, (Operator, Named)):
        found = operator_name(f)
        if found is not None:
            return found
    if isinstance(f, type):
        return type_name(f)
    import rushlight

    name = getattr(f, "__name__", type(f).__name__)
    module = module_of(f)
    # A public function is known by its public place, wherever it is defined.
    if module.startswith("torch"):
        for place, space in (("torch", rushlight), ("torch.nn.functional", rushlight.nn.functional)):
            if vars(space).get(name) is f:
                return f"{place}.{name}"
        return f"{module}.{name}"
    return f"{module}.{getattr(f, '__qualname__', name)}" if module != "builtins" else f"builtins.{name}"


def type_name(t: Any) -> str:
    """A type annotation as source text."""
    if t is None or t is type(None):
        return "None"
    if t is Tensor:
        return "torch.Tensor"
    args = getattr(t, "__args__", None)
    if args is not None and not isinstance(t, type):
        origin = getattr(t, "__origin__", None)
        base = "typing_Union" if isinstance(t, types.UnionType) else (getattr(t, "_name", None) or str(origin))
        return f"{base}[{', '.join(type_name(a) for a in args)}]"
    if isinstance(t, type):
        return t.__name__ if t.__module__ == "builtins" else f"{module_of(t)}.{t.__qualname__}"
    return str(t)


_ILLEGAL = re.compile(r"[^0-9a-zA-Z_]+")
_NUMBERED = re.compile(r"(.*)_(\d+)$")
_TAKEN = (
    frozenset(dir(builtins))
    | frozenset(keyword.kwlist)
    | {"inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree"}
)


class Namespace:
    """Hands out names that are valid, free and, for one object, the same."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._of: dict[int, str] = {}
        self._counts: dict[str, int] = {}

    def create_name(self, candidate: str, obj: Any) -> str:
        """A free name like `candidate`: the same with a number behind it where that is taken. `obj`: what it is for, or
        None.
        """
        if obj is not None and id(obj) in self._of:
            return self._of[id(obj)]
        name = _ILLEGAL.sub("_", candidate) or "_unnamed"
        if name[0].isdigit():
            name = f"_{name}"
        found = name
        if found in self._used or found in _TAKEN:
            numbered = _NUMBERED.match(name)
            base, n = (numbered[1], int(numbered[2])) if numbered else (name, 0)
            n = max(n, self._counts.get(base, 0))
            while True:
                n += 1
                found = f"{base}_{n}"
                if found not in self._used:
                    break
            self._counts[base] = n
        self._used.add(found)
        if obj is not None:
            self._of[id(obj)] = found
        return found

    def associate(self, name: str, obj: Any) -> None:
        """Take a name that is known to be free for an object."""
        self._used.add(name)
        self._of[id(obj)] = name
