"""Docstrings taken apart, and completed by what follows from an operator's signature: its arguments and results."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from rushlight.core.dispatch import Operator
from rushlight.inspection.arguments import ARGUMENTS, RESULTS

SECTIONS = ("Args", "Returns", "Yields", "Raises", "Source", "Note", "Example", "Examples")
_HEAD = re.compile(rf"({'|'.join(SECTIONS)}):$")
_ENTRY = re.compile(r"(\S[^:]*): (.*)")
_AS = re.compile(r"(?:arguments|parameters)(?: and errors| and results?)? (?:as|are those of) [`']*([A-Za-z_.0-9]+)")


@dataclass
class Doc:
    """A docstring in its parts; entries of a section are (names, text)."""

    text: str
    sections: dict[str, list[str]] = field(default_factory=dict)

    @property
    def arguments(self) -> dict[str, str]:
        """What is said of each argument; one line may be of several."""
        return {
            name.strip("*` "): text
            for names, text in entries(self.sections.get("Args", []))
            for name in re.split(r", | and | or ", re.sub(r"\s*\(.*?\)", "", names))
        }

    @property
    def like(self) -> str | None:
        """The name of the function to whose docstring the text refers for the arguments, where it does."""
        found = _AS.search(" ".join(self.text.split()))
        return found[1].rstrip(".") if found else None


def entries(lines: Iterable[str]) -> list[tuple[str, str]]:
    """The entries of a section: what stands before the first colon, and the text behind it."""
    found: list[tuple[str, str]] = []
    for line in lines:
        entry = _ENTRY.match(line)
        if entry and not line.startswith(" "):
            found.append((entry[1], entry[2]))
        elif found and line.strip():
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        elif line.strip():
            found.append(("", line.strip()))
    return found


def parse(doc: str | None) -> Doc:
    """A docstring with Google's sections in its parts.

    Args:
        doc: the docstring; None is an empty one.

    Returns:
        The text before the sections, and the lines of each section without their indentation.
    """
    text: list[str] = []
    sections: dict[str, list[str]] = {}
    into = text
    for line in inspect.cleandoc(doc or "").splitlines():
        if head := _HEAD.match(line):
            into = sections.setdefault(head[1], [])
        elif into is not text and line and not line.startswith(" "):
            into = text
            text.append(line)
        elif line.startswith(">>>") and into is text:
            into = sections.setdefault("Example", [])
            into.append(line)
        else:
            into.append(line.removeprefix("    ") if into is not text else line)
    return Doc("\n".join(text).strip(), sections)


def argument(owner: str, name: str, annotation: str = "") -> str | None:
    """The meaning of an argument that a docstring leaves out; None where that is not known."""
    if name == "dim" and f"{owner}:dim" not in ARGUMENTS:
        if annotation.strip("'") == "int":
            return "the dimension, an int; a negative one counts from the end."
        if "None" in annotation:
            return (
                "the dimension, or a sequence of them; None: all."
                if "Seq" in annotation
                else "the dimension; None: all."
            )
    return ARGUMENTS.get(f"{owner}:{name}") or ARGUMENTS.get(name)


def results(op: Operator) -> str:
    """What an operator returns, by its class and its signature (`tests/inspection` compares it with samples)."""
    if op.inplace:
        return "The tensor itself, changed in place."
    if said := RESULTS.get(op.name):
        return said
    names = {p.name for p in op.params}
    annotation = str(inspect.signature(op).return_annotation).strip("'")
    plain = {"bool": "True or False.", "int": "An int.", "float": "A float.", "None": "Nothing.", "str": "A text."}
    if annotation in plain:
        return plain[annotation]
    a = "Tensors" if annotation.startswith("tuple") else "A tensor"
    first = op.params[0].name if op.params else "input"
    kind = op.shape_class
    tensors = [
        p for p in inspect.signature(op).parameters.values() if "Tensor" in str(p.annotation) and p.name != "out"
    ]
    if "reduction" in names:
        return 'The loss: one number, or with reduction="none" one of each element or sample.'
    if kind == "reduction" and "keepdim" in names:
        return f"{a} without the dimensions that are folded; with keepdim they stay, of size 1."
    if kind in ("pointwise", "scan") or op.name.endswith(_SAME_SHAPE):
        if op.name.endswith("_copy"):
            kind = "movement"
        elif len(tensors) == 1 or kind != "pointwise":
            return f"{a} of the shape of `{first}`."
        else:
            return f"{a} of the shape to which the arguments broadcast."
    return f"{a}{_BY_CLASS[kind].format(first=first)}"


_SAME_SHAPE = ("softmax", "softmin", "_norm", "normalize", "dropout")
_BY_CLASS = {
    "reduction": " of what is folded: the values of many elements in one.",
    "sort": ", ordered along the dimension.",
    "view": " on the memory of `{first}`: a write to one is seen in the other.",
    "movement": " with memory of its own.",
    "join": " with memory of its own.",
    "factory": ", new.",
    "random": ", new; the same numbers after the same seed.",
    "index": " with memory of its own.",
    "contraction": ": sums of products.",
    "linalg": ": the result for each matrix of the batch.",
    "transform": " of the transformed values.",
    "data-dependent": "; what it holds, or its size, depends on values.",
    "host": ", or what Python has for it.",
}


@cache
def _taken() -> dict[str, str]:
    from rushlight.inspection.taken import TAKEN

    return {key: what for what, keys in TAKEN.items() for key in keys.split()}


# Where a text speaks of a shape, or of a dtype, itself.
_SHAPE = re.compile(r"shape|broadcast|dimension|\(\*|\([A-Z0-9a-z]+(, [A-Za-z0-9.*]+)*\)|vector|matri[xc]|0-d|sizes?\b")
_DTYPE = re.compile(r"\b(float|int\d|ints?\b|whole|real|complex|bool|uint8|integer)|('s|same|any) dtype")


def label(op: Operator) -> str:
    """An operator's name with its namespace, of which two may have one name."""
    return f"{op.definition.namespace or ''}.{op.name}".lstrip(".")


def says_dtypes(text: str) -> bool:
    """Whether a text names dtypes, or a family of them."""
    return _DTYPE.search(text) is not None


def said_of(op: Operator, name: str) -> str | None:
    """What an operator's docstring, or the list of arguments, says of an argument; None: nothing."""
    annotation = str(inspect.signature(op).parameters[name].annotation)
    own = parse(op.definition.__doc__).arguments if op.definition is not None else {}
    return own.get(name) or argument(op.name, name, annotation)


def with_kinds(op: Operator, name: str, text: str) -> str:
    """What is said of an argument, with the shapes and dtypes that a tensor there may have where it does not say so."""
    known = _taken().get(f"{label(op)}:{name}")
    if known is None and op.inplace and op.functional is not None:
        known = _taken().get(f"{label(op.functional)}:{name}")
    if known is None:
        return text
    shape, _, dtypes = known.rpartition("; ")
    parts = [p for p, said in ((shape, _SHAPE), (dtypes, _DTYPE)) if p and not said.search(text)]
    if dtypes == "any shape":  # and of no family of dtypes
        parts = [] if _SHAPE.search(text) else [dtypes]
    return f"{text.rstrip('.')}; {'; '.join(parts)}." if parts else text


def arguments_of(op: Operator, doc: Doc) -> dict[str, str]:
    """What each argument of an operator means, in the order of its signature."""
    own, found = doc.arguments, {}
    for name, parameter in inspect.signature(op).parameters.items():
        text = own.get(name) or argument(op.name, name, str(parameter.annotation))
        if text is None:
            continue
        text = with_kinds(op, name, text)
        if parameter.default not in (inspect.Parameter.empty, None) and "default" not in text.lower():
            text = f"{text} Default: {parameter.default!r}."
        found[name] = text
    return found


def documentation(op: Operator) -> str:
    """An operator's docstring, with the lines about arguments and results that the function itself leaves out.

    Args:
        op: an operator of the table.

    Returns:
        The text with Google's sections, as `help` shows it.
    """
    if op.definition is None:  # made by hand, of a function
        return getattr(op.eager, "__doc__", None) or ""
    doc = parse(op.definition.__doc__)
    parts = [doc.text]
    described = arguments_of(op, doc)
    if described:
        parts.append("Args:\n" + "\n".join(f"    {name}: {text}" for name, text in described.items()))
    for section in SECTIONS[1:]:
        lines = doc.sections.get(section)
        if section == "Returns" and not lines and not (op.definition.namespace or "").startswith("ops"):
            lines = [results(op)]
        if lines and section != "Yields":
            content = "\n".join(f"    {line}" if line else "" for line in lines).rstrip()
            parts.append(f"{section}:\n{content}")
    return "\n\n".join(parts) + "\n"
