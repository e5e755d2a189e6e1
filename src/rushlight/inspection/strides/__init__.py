"""The stride page: how tensors lie in their storage, as one HTML file that computes views itself."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from rushlight.core.checks import check_that
from rushlight.core.tensor import Tensor

__all__ = ["SCRIPTS", "Page", "show"]

SCRIPTS = Path(__file__).parent
MOST = 4096  # elements of a storage: beyond it nobody finds a cell


class Page:
    """A page that was made: its text `html`, its file `path`. As the last value of a notebook's cell it shows itself.

    Args:
        html: the text.
        path: where it was written.
    """

    def __init__(self, html: str, path: Path) -> None:
        self.html, self.path = html, path

    def __repr__(self) -> str:
        return f"<page {self.path}>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="Tensors in their storage" width="100%" height="720" '
            'style="border: 0"></iframe>'
        )


def show(*tensors: Tensor, file: str | Path | None = None, **named: Tensor) -> Page:
    """Write a page that shows how tensors lie in their storage: offset, sizes and strides as sliders, what an element's
    index comes to, what tensors share, and the view operators as buttons with their code.

    Args:
        tensors: strided tensors of any dtype, whose storage holds at most 4096 elements; named x, y, z, ...
        file: where to write it (default: a new file in the folder for temporary files).
        named: tensors by the name to be shown.

    Returns:
        The page, with its `path`.

    Raises:
        TypeError: for what is no strided tensor, or no tensor at all.
        ValueError: for a storage of more elements.
    """
    return page(list(zip(_names(), tensors)) + list(named.items()), file)


def page(tensors: list[tuple[str, Tensor]], file: str | Path | None = None) -> Page:
    """As show, of pairs of a name, or the code that makes it, and a tensor."""
    import json
    import tempfile

    if not tensors:
        raise TypeError("show(): expected at least one tensor; found none")
    data = json.dumps(_data(tensors)).replace("<", "\\u003c")  # no value may end the script
    parts = {"{style}": "page.css", "{views}": "views.js", "{script}": "page.js"}
    html = (SCRIPTS / "page.html").read_text(encoding="utf-8")
    for place, name in parts.items():
        html = html.replace(place, (SCRIPTS / name).read_text(encoding="utf-8"))
    html = html.replace("{data}", data)
    if file is None:
        path = Path(tempfile.mkdtemp(prefix="rushlight-")) / "strides.html"
    else:
        path = Path(file)
    path.write_text(html, encoding="utf-8")
    return Page(html, path)


def _names() -> Iterator[str]:
    yield from "xyzabcdefghijklmnopqrstuvw"
    n = 0
    while True:
        yield f"x{n}"
        n += 1


def _data(tensors: list[tuple[str, Tensor]]) -> dict[str, Any]:
    """What the page gets: storages with their values as text, and the tensors on them."""
    storages: list[dict[str, Any]] = []
    known: dict[int, int] = {}
    shown = []
    for name, t in tensors:
        check_that(isinstance(t, Tensor), "show()", name, "be a tensor", type(t).__name__, TypeError)
        check_that(t.layout.name == "strided", "show()", name, "be a strided tensor", t.layout, TypeError)
        storage = t.untyped_storage()
        item = t.element_size()
        if storage.nbytes() > MOST * item:
            raise ValueError(
                f"show(): the storage of {name} must hold at most {MOST} elements; found one of "
                f"{storage.nbytes() // item}: show a part, `{name}[...].clone()`"
            )
        key = id(storage)  # one object for all tensors on it
        if key not in known:
            known[key] = len(storages)
            storages.append({"bytes": storage.nbytes(), "cell": item, "values": {}})
        s = storages[known[key]]
        s["cell"] = min(s["cell"], item)
        if t.dtype.name not in s["values"]:
            s["values"][t.dtype.name] = _values(t)
        shown.append(
            {
                "name": name,
                "dtype": t.dtype.name,
                "item": item,
                "storage": known[key],
                "view": {"offset": t.storage_offset(), "size": list(t.shape), "stride": list(t.stride())},
            }
        )
    return {"storages": storages, "tensors": shown}


def _values(t: Tensor) -> list[str]:
    """All of a tensor's storage in its dtype, as text."""
    count = t.untyped_storage().nbytes() // t.element_size()
    if t.is_meta:
        return [""] * count
    whole = t.detach().as_strided((count,), (1,), 0)
    return [_text(v) for v in whole.resolve_conj().resolve_neg().tolist()]


def _text(value: Any) -> str:
    if isinstance(value, complex):
        sign = "-" if str(value.imag).startswith("-") else "+"
        return f"{_text(value.real)}{sign}{_text(abs(value.imag))}j"
    if isinstance(value, float):
        short = f"{value:.4g}"
        return short + ".0" if short.lstrip("-").isdigit() else short
    return str(value)
