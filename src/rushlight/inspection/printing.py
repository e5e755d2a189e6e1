"""The text of a tensor, character for character as PyTorch prints it, and the options of printing."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["PrintOptions", "get_printoptions", "printoptions", "set_printoptions", "tensor_repr"]


@dataclasses.dataclass
class PrintOptions:
    """How tensors are printed; see `set_printoptions`."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}
_options = PrintOptions()


def _wraps(t: Any) -> bool:
    """Whether a tensor stands for others and has no elements of its own."""
    from rushlight.core import raw
    from rushlight.core import tensor as core

    return type(t) is not core.Tensor and raw.no_storage(t) and hasattr(type(t), "__torch_dispatch__")


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors are printed.

    Args:
        precision: digits after the point.
        threshold: tensors of more elements are summarized.
        edgeitems: how many items a summary shows at each end of a dimension.
        linewidth: characters a line.
        profile: "default", "short" or "full": sets the four above before they are applied.
        sci_mode: True or False forces scientific notation on or off; None (also when left out) chooses by the values.

    Raises:
        ValueError: for an unknown profile.
    """
    global _options
    new = _options
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"set_printoptions(): profile must be one of {', '.join(_PROFILES)}; found {profile!r}")
        new = _PROFILES[profile]
    given: dict[str, Any] = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    _options = dataclasses.replace(new, sci_mode=sci_mode, **{k: v for k, v in given.items() if v is not None})


def get_printoptions() -> dict[str, Any]:
    """The options in force, by name."""
    return dataclasses.asdict(_options)


@contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """`set_printoptions` for the duration of a with block."""
    global _options
    before = _options
    set_printoptions(**options)
    try:
        yield
    finally:
        _options = before


# Stands in a nested list for what a summary leaves out.
_GAP = object()


class _Numbers:
    """One notation for all the numbers shown: integers, plain or scientific, and the width they are aligned to."""

    def __init__(self, values: list[Any], floating: bool, options: PrintOptions, zero: float = 0) -> None:
        self.floating = floating
        self.precision = options.precision
        self.whole = True
        self.scientific = False
        self.width = 1
        if not floating:
            self.width = max((len(str(v)) for v in values), default=1)
            return
        # Zero, nan and inf look the same in any notation and take no part in the choice, nor in the width.
        deciding = [v for v in values if v != zero and math.isfinite(v)]
        if not deciding:
            return
        largest, smallest = max(map(abs, deciding)), min(map(abs, deciding))
        self.whole = all(v == math.floor(v) for v in deciding)
        spread = largest / smallest if smallest else math.inf
        self.scientific = spread > 1000.0 or largest > 1.0e8 or (not self.whole and smallest < 1.0e-4)
        if options.sci_mode is not None:
            self.scientific = options.sci_mode
        self.width = max(len(self.text(v)) for v in deciding)

    def text(self, value: Any) -> str:
        if not self.floating:
            return str(value)
        if self.scientific:
            return f"{value:.{self.precision}e}"
        if self.whole:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{self.precision}f}"

    def aligned(self, value: Any) -> str:
        return self.text(value).rjust(self.width)


class _ComplexNumbers:
    """Real and imaginary parts, each in its own notation."""

    def __init__(self, values: list[complex], options: PrintOptions) -> None:
        self.real = _Numbers([v.real for v in values], True, options)
        self.imag = _Numbers([v.imag for v in values], True, options)
        self.width = self.real.width + self.imag.width + 1

    def aligned(self, value: complex) -> str:
        imag = self.imag.text(value.imag)
        return self.real.aligned(value.real) + ("" if imag.startswith("-") else "+") + imag + "j"


def _shown(t: Any, options: PrintOptions) -> Any:
    """The elements to show as a nested list, with `_GAP` where a summary leaves some out."""
    if t.ndim == 0 or t.numel() <= options.threshold:
        return t.tolist()
    n, edge = t.shape[0], options.edgeitems
    if n <= 2 * edge:
        parts: list[Any] = [t]
    else:
        parts = [t[:edge], _GAP, t[n - edge :]] if edge else [_GAP]
    out: list[Any] = []
    for part in parts:
        if part is _GAP:
            out.append(_GAP)
        elif t.ndim == 1:
            out.extend(part.tolist())
        else:
            # Inner dimensions are cut whatever their own size: what counts is the size of the whole.
            inner = dataclasses.replace(options, threshold=-1)
            out.extend(_shown(part[i], inner) for i in range(part.shape[0]))
    return out


def _flat(nested: Any) -> Iterator[Any]:
    if isinstance(nested, list):
        for item in nested:
            yield from _flat(item)
    elif nested is not _GAP:
        yield nested


def _layout(nested: Any, depth: int, indent: int, numbers: _Numbers | _ComplexNumbers, options: PrintOptions) -> str:
    """Brackets, commas and line breaks; `depth` is the number of dimensions, `indent` where the text starts in its
    line.
    """
    if depth == 0:
        return numbers.aligned(nested)
    if depth == 1:
        per_line = max(1, (options.linewidth - indent) // (numbers.width + 2))
        gap = " ..." if len(nested) > 1 else "..."
        items = [gap if item is _GAP else numbers.aligned(item) for item in nested]
        lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)] or [""]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    blocks = ["..." if item is _GAP else _layout(item, depth - 1, indent + 1, numbers, options) for item in nested]
    return "[" + ("," + "\n" * (depth - 1) + " " * (indent + 1)).join(blocks) + "]"


def _default_dtype() -> str:
    from rushlight.operators.tensors.info import get_default_dtype

    return str(get_default_dtype())


def _contents(t: Any, indent: int, options: PrintOptions) -> str:
    if t.dtype.format is not None and t.dtype.format.parts > 1:  # the bytes as numbers, as PyTorch shows them
        from rushlight.core.dtypes import float32, uint8

        t = t.detach().view(uint8).to(float32)
    # Reading all elements needs no operator; a summary is cut out by views, which shall not be recorded.
    shown = _shown(t.detach() if t.numel() > options.threshold else t, options)
    values = list(_flat(shown))
    numbers: _Numbers | _ComplexNumbers
    if t.is_complex():
        numbers = _ComplexNumbers(values, options)
    else:
        form = t.dtype.format  # one without a zero has its least number in the place of it
        numbers = _Numbers(values, t.is_floating_point(), options, 0 if form is None else form.decode(form.encode(0.0)))
    return _layout(shown, len(t.shape), indent, numbers, options)


def _grad_fn_name(node: Any) -> str:
    name = node.name() if callable(getattr(node, "name", None)) else type(node).__name__
    return name.rpartition("::")[2]


def tensor_repr(t: Any, *, tensor_contents: str | None = None, kind: str | None = None, tangent: Any = None) -> str:
    """The text of a tensor as PyTorch prints it.

    Args:
        t: a tensor.
        tensor_contents: text to show in place of the elements.
        kind: the word before the parenthesis; by default "tensor", or the class name of a subclass.
    """
    options = _options
    if kind is None:
        name = type(t).__name__
        kind = "tensor" if name in ("Tensor", "Parameter", "Buffer") else name
    # The other class of a Parameter is printed around it.
    around = "Parameter(" if type(t).__name__ != "Parameter" and _is_parameter(t) else ""
    kind = around + kind
    indent = len(kind) + 1
    sparse, compressed = t.layout.name == "sparse_coo", t.layout.name in _COMPRESSED
    dtype, default = str(t.dtype), _default_dtype()
    usual = {default, "torch.int64", "torch.bool"}
    usual.add("torch.complex128" if default == "torch.float64" else "torch.complex64")
    suffixes: list[str] = []
    if t.device.type != "cpu":
        suffixes.append(f"device='{t.device}'")
    if t.device.type == "meta" or _wraps(t):
        suffixes.append(f"size={tuple(t.shape)}")
        text = "..."
        if t.device.type == "meta" or kind == "FakeTensor":
            usual = {default}
    elif sparse or compressed:
        text = _parts(t, indent)
        suffixes += [f"size={tuple(t.shape)}", f"nnz={t._nnz()}"]
        if not t.numel():
            usual = {default}
    elif t.numel() == 0 and tensor_contents is None:
        if len(t.shape) != 1:
            suffixes.append(f"size={tuple(t.shape)}")
        text, usual = "[]", {default}  # there is no element to tell int64 and bool by
    else:
        text = _contents(t, indent, options) if tensor_contents is None else tensor_contents
        if options.edgeitems == 0:  # a summary without items tells nothing else
            suffixes.append(f"size={tuple(t.shape)}")
    if dtype not in usual:
        suffixes.append(f"dtype={dtype}")
    if str(t.layout) != "torch.strided":
        suffixes.append(f"layout={t.layout}")
    # A leaf has no node; asking a view that was written to makes its node anew, which may be an error of the user's.
    try:
        node = t.grad_fn
        if node is not None:
            suffixes.append(f"grad_fn=<{_grad_fn_name(node)}>")
        elif t.requires_grad:
            suffixes.append("requires_grad=True")
    except RuntimeError:
        suffixes.append("grad_fn=<Invalid>")
    if tangent is not None:
        suffixes.append(f"tangent={tangent.item() if tangent.dim() == 0 and not _wraps(tangent) else tangent}")
    return _with_suffixes(f"{kind}({text}", suffixes, indent, options.linewidth, own_line=sparse) + ")" * (
        1 + bool(around)
    )


class _Options:
    """`torch._tensor_str.PRINT_OPTS`: what set_printoptions() has set, by attribute; assigning one sets it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(_options, name)

    def __setattr__(self, name: str, value: Any) -> None:
        global _options
        _options = dataclasses.replace(_options, **{name: value})


PRINT_OPTS = _Options()


def _tensor_str(self: Any, indent: int) -> str:
    """The elements of a tensor as they are printed, without what is said of the whole. indent: columns before them."""
    return _contents(self, indent, _options)


def _is_parameter(t: Any) -> bool:
    """Whether `t` passes for a Parameter: by its class, or marked as one."""
    parameters = sys.modules.get("rushlight.nn.parameter")
    return parameters is not None and isinstance(t, parameters.Parameter)


_COMPRESSED = dict.fromkeys(("sparse_csr", "sparse_bsr"), ("crow_indices", "col_indices")) | dict.fromkeys(
    ("sparse_csc", "sparse_bsc"), ("ccol_indices", "row_indices")
)


def _parts(t: Any, indent: int) -> str:
    """Indices and values of a sparse tensor, without what is said of the whole."""
    shown = []
    parts = [("indices", t._indices), ("values", t._values)]
    if t.layout.name in _COMPRESSED:
        parts = [*((name, getattr(t, name)) for name in _COMPRESSED[t.layout.name]), ("values", t.detach().values)]
    for name, ask in parts:
        part = ask()
        start = f"{name}=tensor("
        if part.numel():
            contents = _contents(part, indent + len(start), _options)
        else:
            contents = f"[], size={tuple(part.shape)}"
        shown.append(f"{start}{contents})")
    return f",\n{' ' * indent}".join(shown)


def _with_suffixes(text: str, suffixes: list[str], indent: int, linewidth: int, own_line: bool) -> str:
    column = len(text) - text.rfind("\n") + 1
    for i, suffix in enumerate(suffixes):
        if column + len(suffix) + 2 > linewidth or (own_line and i == 0):
            text += ",\n" + " " * indent + suffix
            column = indent + len(suffix)
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text


def _add_suffixes(tensor_str: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    """A tensor's text, `tensor(...` without its end, with what is said of the whole, and its end.

    Args:
        indent: columns before the elements.
        force_newline: the first suffix begins a line.
    """
    return _with_suffixes(tensor_str, list(suffixes), indent, _options.linewidth, force_newline) + ")"


def _str_intern(inp: Any, *, tensor_contents: str | None = None) -> str:
    """A tensor's text. tensor_contents: its elements, in the place of those that it has."""
    return tensor_repr(inp, tensor_contents=tensor_contents)
