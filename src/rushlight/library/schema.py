"""Schemas of custom operators, as PyTorch writes them, read from text or made from a signature."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rushlight.core.dtypes import dtype
from rushlight.core.tensor import Tensor, device

__all__ = ["Argument", "FunctionSchema", "Return", "infer_schema", "parse_schema"]

Number = int | float | bool
_BASE: dict[Any, str] = {
    Tensor: "Tensor",
    int: "SymInt",
    float: "float",
    bool: "bool",
    str: "str",
    Number: "Scalar",
    dtype: "ScalarType",
    device: "Device",
}
_LISTED = (Tensor, int, float, bool, Number)
_NAMES = {
    "Tensor": Tensor,
    "torch.Tensor": Tensor,
    "rushlight.Tensor": Tensor,
    "torch.dtype": dtype,
    "torch.device": device,
}


@dataclass(frozen=True)
class Argument:
    """One parameter. Its type is PyTorch's: "Tensor", "SymInt[]?", "Tensor(a0!)"."""

    name: str
    type: str
    default_value: Any = None
    has_default: bool = False
    kwarg_only: bool = False

    @property
    def is_write(self) -> bool:
        """Whether the operator writes to it."""
        return "!" in self.type

    def has_default_value(self) -> bool:
        """Whether it may be left out."""
        return self.has_default

    def __str__(self) -> str:
        value = self.default_value
        if re.search(r"\[\d+\]\??$", self.type) and isinstance(value, (list, tuple)) and len(set(value)) == 1:
            value = value[0]  # of a list of a fixed length one number stands for all
        return f"{self.type} {self.name}" + (f"={_text(value)}" if self.has_default else "")


@dataclass(frozen=True)
class Return:
    """One result."""

    type: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.type} {self.name}".rstrip()


@dataclass(frozen=True)
class FunctionSchema:
    """A name, an overload's name, arguments and results."""

    name: str
    overload_name: str
    arguments: tuple[Argument, ...]
    returns: tuple[Return, ...]

    @property
    def is_mutable(self) -> bool:
        """Whether an argument is written to."""
        return any(a.is_write for a in self.arguments)

    def __str__(self) -> str:
        parts, star = [], False
        for a in self.arguments:
            if a.kwarg_only and not star:
                parts.append("*")
                star = True
            parts.append(str(a))
        results = ", ".join(map(str, self.returns))
        whole = results if len(self.returns) == 1 else f"({results})"
        return f"{self.name}{'.' + self.overload_name if self.overload_name else ''}({', '.join(parts)}) -> {whole}"


class _Written(str):
    """A default as Python writes it."""


def _text(value: Any) -> str:
    if isinstance(value, _Written):
        return str(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, float) and value.is_integer():
        return f"{int(value)}."
    if isinstance(value, dtype):
        return value.name
    return str(list(value)) if isinstance(value, tuple) else str(value)


def _value(text: str) -> Any:
    if text in ("None", "True", "False"):
        return {"None": None, "True": True, "False": False}[text]
    if text[:1] in "\"'":
        return text[1:-1]
    if text[:1] == "[":
        return [_value(part.strip()) for part in text[1:-1].split(",") if part.strip()]
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


_HEAD = re.compile(
    r"\s*(?:(?P<name>[\w:]+)(?:\.(?P<overload>\w+))?)?\s*\((?P<arguments>.*)\)\s*->\s*(?P<returns>.*?)\s*$", re.DOTALL
)
_ARGUMENT = re.compile(
    r"(?P<type>[\w.]+(?:\([\w!| ->*]*\))?(?:\[\d*\])?\??(?:\[\d*\])?\??)\s+(?P<name>\w+)\s*(?:=\s*(?P<default>.+))?$",
    re.DOTALL,
)


def _split(text: str) -> list[str]:
    """The parts between commas that stand in no bracket and no string."""
    parts, depth, quoted, start = [], 0, "", 0
    for i, c in enumerate(text):
        if quoted:
            quoted = "" if c == quoted else quoted
        elif c in "\"'":
            quoted = c
        elif c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    rest = text[start:].strip()
    return [*parts, rest] if rest else parts


_TYPES = frozenset(
    """Tensor int SymInt float SymFloat bool SymBool str Scalar number ScalarType Device Layout MemoryFormat Generator
    Dimname Storage Stream QScheme Any t Dict
    Future t1 t2 __torch__ Optional List""".split()
)


def parse_schema(text: str) -> FunctionSchema:
    """The schema that a text such as "scale(Tensor x, float by=2.) -> Tensor" writes.

    Raises:
        RuntimeError: for a text that is none, with the part that is not understood.
    """
    head = _HEAD.match(text)
    if head is None:
        raise RuntimeError(f"schema: expected 'name(arguments) -> results'; found {text!r}")
    arguments, keyword = [], False
    for part in _split(head["arguments"]):
        if part == "*":
            keyword = True
            continue
        found = _ARGUMENT.match(part)
        if found is None:
            raise RuntimeError(
                f"schema: expected an argument such as 'Tensor x' or 'int n=3'; found {part!r} in {text!r}"
            )
        base = re.match(r"\w+", found["type"])
        if base is None or base[0] not in _TYPES:
            raise RuntimeError(
                f"schema: expected a type such as Tensor, int or Scalar; found {found['type']!r} in {text!r}"
            )
        given = found["default"]
        arguments.append(
            Argument(
                found["name"],
                found["type"],
                None if given is None else _value(given.strip()),
                given is not None,
                keyword,
            )
        )
    results = head["returns"]
    if results.startswith("("):
        results = results[1:-1]
    returns = tuple(Return(*part.split(maxsplit=1)) for part in _split(results))
    return FunctionSchema(head["name"] or "", head["overload"] or "", tuple(arguments), returns)


UNFIT: Any = object()


def type_shown(kind: str) -> str:
    """A schema's type as errors name it: "List[int]" of "SymInt[]", "Optional[float]" of "float?"."""
    if kind.endswith("?"):
        return f"Optional[{type_shown(kind[:-1])}]"
    if kind.endswith("]"):
        return f"List[{type_shown(kind[: kind.rindex('[')])}]"
    return {"SymInt": "int", "Scalar": "number", "ScalarType": "int"}.get(
        kind, "Tensor" if kind.startswith("Tensor") else kind
    )


def fitting(kind: str, value: Any) -> Any:
    """A value as an argument of a schema's type: an int becomes a float, a tuple a list, where the type wants that;
    UNFIT for a value that does not fit.
    """
    if kind.startswith("Tensor("):
        kind = "Tensor" + kind[kind.index(")") + 1 :]
    if kind.endswith("?"):
        return None if value is None else fitting(kind[:-1], value)
    if kind.endswith("]"):
        item = kind[: kind.rindex("[")]
        if isinstance(value, (list, tuple)):
            found = [fitting(item, x) for x in value]
            return (
                UNFIT
                if any(x is UNFIT for x in found)
                else value
                if isinstance(value, list) and all(a is b for a, b in zip(found, value, strict=True))
                else found
            )
        if not kind.endswith("[]") and item in _PLAIN:  # int[2]: one number stands for all
            one = fitting(item, value)
            return UNFIT if one is UNFIT else [one] * int(kind[kind.rindex("[") + 1 : -1])
        return value if _stands_in(value) else UNFIT
    if kind == "Tensor":
        return value if isinstance(value, Tensor) or _stands_in(value) else UNFIT
    accepted = _PLAIN.get(kind)
    if accepted is None or isinstance(value, accepted):
        return float(value) if kind == "float" and isinstance(value, int) else value
    if (
        kind in ("int", "SymInt", "float", "bool", "Scalar")
        and (hasattr(value, "__index__") or kind != "bool" and hasattr(value, "__float__"))
        and not isinstance(value, Tensor)
    ):
        return value  # NumPy's numbers
    return value if _stands_in(value) else UNFIT


def taken_as_they_are(kind: str) -> frozenset[type]:
    """Classes whose own instances `fitting` gives back for a schema's type: it need not be asked of them."""
    if kind.startswith("Tensor("):
        kind = "Tensor" + kind[kind.index(")") + 1 :]
    if kind.endswith("?"):
        return taken_as_they_are(kind[:-1]) | {type(None)}
    if kind == "Tensor":
        return frozenset({Tensor})
    return frozenset(_PLAIN.get(kind, ())) - ({int} if kind == "float" else set())


_PLAIN: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "SymInt": (int,),
    "float": (float, int),
    "bool": (bool, int),
    "str": (str,),
    "Scalar": (int, float, bool, complex),
    "ScalarType": (dtype, int),
    "Device": (device, str),
}


def _stands_in(value: Any) -> bool:
    """Whether a value of a foreign class may stand for any argument, as the proxies of a trace do."""
    return not isinstance(value, Tensor) and hasattr(type(value), "__torch_function__")


def _resolved(note: Any, function: Callable[..., Any]) -> Any:
    if isinstance(note, str):
        space = {**vars(typing), **_NAMES, **getattr(function, "__globals__", {})}
        return eval(note, space)  # the annotation of a function that the program itself has written
    return note


def _type_text(note: Any) -> str | None:
    """The schema's type of an annotation; None for one that a schema cannot say."""
    try:
        if note in _BASE:
            return _BASE[note]
    except TypeError:
        return None
    origin, args = typing.get_origin(note), typing.get_args(note)
    if origin in (typing.Union, types.UnionType):
        rest = [a for a in args if a is not type(None)]
        if len(rest) < len(args):
            # made of a list
            inner = _type_text(rest[0] if len(rest) == 1 else typing.Union[tuple(rest)])  # noqa: UP007
            return None if inner is None else inner + "?"
        return "Scalar" if set(args) == {int, float, bool} else None
    if origin in (list, Sequence, typing.get_origin(typing.Sequence[int])) and args:
        inner = _type_text(args[0])
        return (
            None
            if inner is None or inner.rstrip("?") not in ("Tensor", "SymInt", "float", "bool", "Scalar")
            else inner + "[]"
        )
    return None


def _returned(note: Any) -> str | None:
    """The type of a result, which is always there, and a list where it is several."""
    kind = _type_text(note)
    return (
        None
        if kind is None or kind.endswith("?") or kind.endswith("]") and typing.get_origin(note) is not list
        else kind
    )


def infer_schema(
    prototype_function: Callable[..., Any], /, *, mutates_args: str | Iterable[str], op_name: str | None = None
) -> str:
    """The schema of a function with annotations, as text: "(Tensor x, SymInt n=1) -> Tensor".

    Args:
        mutates_args: names of the arguments that the function writes to, or "unknown" for every tensor.
        op_name: put before it.

    Raises:
        ValueError: for a parameter without an annotation, or with one that a schema cannot say.
    """
    signature = inspect.signature(prototype_function)

    def refuse(what: str) -> ValueError:
        return ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    unknown = mutates_args == "unknown"
    if isinstance(mutates_args, str) and not unknown:
        raise refuse(f"mutates_args must be a sequence of names or the string 'unknown'; found {mutates_args!r}.")
    written = set() if unknown else set(mutates_args)
    arguments, k = [], 0
    for name, p in signature.parameters.items():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            raise refuse("We do not support *args or **kwargs; every parameter must have a name.")
        if p.annotation is p.empty:
            raise refuse(f"Parameter {name} must have a type annotation.")
        kind = _type_text(_resolved(p.annotation, prototype_function))
        if kind is None:
            raise refuse(f"Parameter {name} has unsupported type {p.annotation}.")
        if name in written and not kind.startswith("Tensor"):
            raise refuse(
                f"Parameter {name} is in mutable_args but only Tensors or collections of Tensors can be mutated."
            )
        if name in written or unknown and kind.startswith("Tensor"):
            kind = f"Tensor(a{k}!)" + kind.removeprefix("Tensor")
        k += 1
        has = p.default is not p.empty
        if has and p.default is not None and not isinstance(p.default, (int, float, bool, str, dtype)):
            raise refuse(f"Parameter {name} has an unsupported default value type {type(p.default)}.")
        arguments.append(
            Argument(
                name,
                kind,
                _Written(p.default) if type(p.default) is float else p.default if has else None,
                has,
                p.kind is p.KEYWORD_ONLY,
            )
        )
    missing = written - set(signature.parameters)
    if missing:
        raise refuse(f"{sorted(missing)} in mutates_args were not found in the function's signature.")
    note = _resolved(signature.return_annotation, prototype_function)
    if note is signature.empty:
        raise refuse("No return type annotation was provided. Please add one.")
    if note is None or note is type(None):
        results: tuple[Return, ...] = ()
    elif typing.get_origin(note) is tuple:
        kinds = [_returned(a) for a in typing.get_args(note)]
        if None in kinds:
            raise refuse(f"Return has unsupported type {note}.")
        results = tuple(Return(str(kind)) for kind in kinds)
    else:
        kind = _returned(note)
        if kind is None:
            raise refuse(f"Return has unsupported type {note}.")
        results = (Return(kind),)
    return str(FunctionSchema(op_name or "", "", tuple(arguments), results))
