"""`rushlight.load_package`: a model of a file, run without a compiler."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight.compiler import routines  # noqa: F401  registers the routines that plans name
from rushlight.compiler.kernels import cache
from rushlight.compiler.kernels.kernel import Code
from rushlight.compiler.llvm.objfile import Made
from rushlight.compiler.products import kernels as _products
from rushlight.compiler.routines.arrays import array_of
from rushlight.compiler.written import read
from rushlight.core import dtypes as dt
from rushlight.core import locks, raw
from rushlight.core.execute import Executable
from rushlight.core.tensor import Tensor
from rushlight.func.tree import leaf_of_result
from rushlight.packaging._containers import read_container
from rushlight.packaging._errors import PackageError
from rushlight.packaging._file import Reader
from rushlight.packaging._processors import own_flags

__all__ = ["Package", "load_package"]


def load_package(path: str | os.PathLike[str]) -> Package:
    """The model of a file that `package` has written, which runs without llvmlite.

    A file holds machine code that is run: load what you trust. It is mapped into memory, and must stay as it is.

    Args:
        path: the file.

    Returns:
        The model: it is called as the packaged one, and gives what that gave, without a graph for gradients.

    Raises:
        PackageError: the file is none of `package`, was cut or changed, is of another version, or has no code for this
            processor.
        OSError: it cannot be read.
    """
    return Package(path)


class _Pack:
    """Code of packages by its key in the kernel cache."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[Reader, Any]] = {}

    def __call__(self, name: str) -> Made | None:
        entry = self.found.get(name)
        return None if entry is None else _made(*entry)


_pack = _Pack()
cache.packs.append(_pack)


def _made(reader: Reader, placed: Sequence[Any]) -> Made:
    at, size, entry, calls = placed
    return Made(reader.blob((at, size)), entry, tuple([(where, name) for where, name in calls]))


class _Kernel:
    """A kernel of a file, which the core asks for variants."""

    def __init__(self, package: Package, fields: dict[str, Any], variants: Sequence[Any]) -> None:
        vars(self).update(fields)
        self.package = package
        self.made = {(K, R, mode, classes): (placed, block) for K, R, mode, classes, placed, block in variants}
        self.codes: dict[Any, Code] = {}
        self.n_operands: int
        self.cost: float

    def variant(self, K: int, R: int, mode: str, classes: bytes | str) -> Code:
        """The code of a variant; of operands with any strides, where the file has none for these."""
        if isinstance(classes, bytes):
            classes = classes.decode("ascii")
        key = K, R, mode, classes
        code = self.codes.get(key)
        if code is None:
            with locks.building:
                placed, block = self.placed(key)
                address = cache.load(_made(self.package.reader, placed), self.package.function)
                code = self.codes[key] = Code(address, block, self.cost)
        return code

    def placed(self, key: tuple[int, int, str, str]) -> tuple[Any, int]:
        """Where the code of a variant is, and what a work item of it covers."""
        K, R, mode, _ = key
        found = self.made.get(key) or self.made.get((K, R, mode, "s" * self.n_operands))
        if found is None:
            raise RuntimeError(
                f"{self.package!r}: the file has no code for these sizes ({mode} of {K} and {R} dimensions); package "
                "the model with dynamic_shapes"
            )
        return found


class Package:
    """A model of a file; see `load_package`.

    Attributes:
        path: the file.
        processor: the one that its code was made for, of those that the file has code for.
        inputs: the names of the arguments.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.reader = Reader(path)
        entry = self.reader.description
        if entry["code"] != cache.version():
            raise PackageError(
                f"load_package(): {self.path!r} was made by another version of rushlight ({entry['made_by']}), or of "
                "its code generator: package the model again"
            )
        code = self._code(entry["processors"])
        self.processor: str = code["name"]
        self._functions: dict[str, Any] = code["functions"]
        self._addresses: dict[str, int] = {}
        kernels = [_Kernel(self, fields, row) for fields, row in zip(entry["kernels"], code["variants"], strict=True)]
        _ready(self.reader, code)
        plan = read(entry["plan"], kernels.__getitem__)
        held = [self._weight(w) for w in entry["weights"]]
        self._weights = [held[k] for k in entry["order"]]
        self._inputs: list[dict[str, Any]] = entry["inputs"]
        self.inputs = [x["name"] for x in self._inputs]
        self._bounds: list[Any] = entry["bounds"]
        self._leaves: list[Any] = entry["leaves"]
        self._in_spec, self._out_spec = read_container(entry["in_spec"]), read_container(entry["out_spec"])
        n_tensors = len(self._weights) + len([x for x in self._inputs if x["dtype"] is not None])
        self._executable = Executable(plan, [tuple(s) for s in entry["sources"]], n_tensors, 0)
        self._executable.belongs_to(self._name)

    @property
    def _name(self) -> str:
        return os.path.basename(self.path)

    def __repr__(self) -> str:
        return f"Package({self.path!r}, processor={self.processor!r})"

    def _code(self, processors: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """The best code that runs on this processor: that which asks most of it."""
        own = own_flags()
        fits = [p for p in processors if own.issuperset(p["flags"])]
        if not fits:
            lacks = sorted(set(processors[0]["flags"]) - own)
            raise PackageError(
                f"load_package(): {self.path!r} has code for {', '.join(p['name'] for p in processors)}; this "
                f"processor lacks {', '.join(lacks)}"
            )
        return max(fits, key=lambda p: len(p["flags"]))

    def _weight(self, entry: dict[str, Any]) -> Tensor:
        shape, dtype = entry["shape"], dt.by_name[entry["dtype"]]
        at, size = entry["at"]
        if not size:
            return rushlight.empty(shape, dtype=dtype)
        flat = rushlight.frombuffer(self.reader.memory, dtype=dtype, count=size // dtype.itemsize, offset=at)
        strides = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
        return raw.view_of(flat, shape, strides, None)  # (an operator would be traced)

    def function(self, name: str) -> int:
        """The address of a function that kernels of the file call."""
        if name not in self._addresses:
            self._addresses[name] = cache.load(_made(self.reader, self._functions[name]), self.function)
        return self._addresses[name]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the model.

        Raises:
            ValueError: the arguments lie in other containers than those that the model was packaged with.
            TypeError: an argument is no tensor, or one of another dtype.
            RuntimeError: an argument has another number of dimensions, or sizes that are not those of the model.
        """
        leaves = self._in_spec.leaves_of_call(args, kwargs)
        tensors = [*self._weights, *self._checked(leaves)]
        values = self._executable.launch(tensors, [2])
        if values is None:
            sizes = [list(t.shape) for t in tensors[len(self._weights) :]]
            raise RuntimeError(
                f"{self._name}: the program compares sizes, and takes another way for {sizes} than for those that it "
                "was packaged with"
            )
        return self._out_spec.rebuild([leaf_of_result(leaf, values, tensors) for leaf in self._leaves])

    def _checked(self, leaves: Sequence[Any]) -> list[Tensor]:
        """The tensors among the arguments, row by row in memory."""
        symbols: dict[int, tuple[int, str]] = {}
        tensors: list[Tensor] = []
        for entry, x in zip(self._inputs, leaves, strict=True):
            name = entry["name"]
            if entry["dtype"] is None:
                if isinstance(x, Tensor) or x != entry["value"]:
                    raise RuntimeError(
                        f"{self._name}: argument {name!r} must be {entry['value']!r}, with which the model was packaged"
                    )
                continue
            if not isinstance(x, Tensor):
                raise TypeError(f"{self._name}: argument {name!r} must be Tensor, not {type(x).__name__}")
            if x.dtype.name != entry["dtype"]:
                expected = dt.by_name[entry["dtype"]]
                raise TypeError(f"{self._name}: argument {name!r} must be of {expected}, not {x.dtype}")

            self._check_sizes(name, entry["shape"], x, symbols)
            tensors.append(_row_by_row(x))
        return tensors

    def _check_sizes(self, name: str, sizes: Sequence[Any], x: Tensor, symbols: dict[int, tuple[int, str]]) -> None:
        where = f"{self._name}: argument {name!r}"
        if x.ndim != len(sizes):
            raise RuntimeError(f"{where} must have {len(sizes)} dimensions; found {x.ndim}")
        for d, (size, found) in enumerate(zip(sizes, x.shape, strict=True)):
            index = _symbol(size)
            if index is None or index in symbols:
                expected = _value(size, {k: n for k, (n, _) in symbols.items()})
                if found != expected:
                    why = "" if index is None else f", as {symbols[index][1]} is"
                    raise RuntimeError(f"{where} must have the size {expected} in dimension {d}{why}; found {found}")
                continue
            _, least, most = self._bounds[index]
            if found < least or (most is not None and found > most):
                ends = f"from {least} on" if most is None else f"from {least} to {most}"
                raise RuntimeError(f"{where} must have a size {ends} in dimension {d}; found {found}")
            symbols[index] = found, f"dimension {d} of {name!r}"


_ATOMS: dict[str, Callable[[int, int], int]] = {
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "min": min,
    "max": max,
}


def _symbol(size: Any) -> int | None:
    """The number of a symbol that stands alone."""
    if isinstance(size, list) and len(size) == 1 and size[0][0] == 1 and len(size[0][1]) == 1:
        atom = size[0][1][0]
        return atom if isinstance(atom, int) else None
    return None


def _value(size: Any, symbols: dict[int, int]) -> int:
    """A size as a number."""
    if isinstance(size, int):
        return size
    total = 0
    for c, factors in size:
        for f in factors:
            c *= symbols[f] if isinstance(f, int) else _ATOMS[f[0]](*(_value(n, symbols) for n in f[1:]))
        total += c
    return total


def _row_by_row(x: Tensor) -> Tensor:
    """The tensor, or a copy that lies row by row: without a kernel, for there may be no compiler."""
    x = raw.alias_of(x)
    if x.is_contiguous():
        return x
    made: Tensor = rushlight.empty(x.shape, dtype=x.dtype)
    array_of(made)[...] = array_of(x)
    return made


def _ready(reader: Reader, code: dict[str, Any]) -> None:
    """Let routines find the code that the file has for them; without a compiler they run no other."""
    from importlib.util import find_spec

    if find_spec("llvmlite") is None and code["texts"]:
        _products.limit_to(code["code_path"])
    for text, placed in code["texts"].items():
        _pack.found[cache.key(text)] = reader, placed
    for name, placed in code["functions"].items():
        _pack.found[cache.key(name)] = reader, placed
