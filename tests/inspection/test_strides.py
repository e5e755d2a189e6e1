"""The stride page: what its own script computes of views is what rushlight computes, and the page holds what it
says.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rushlight as rl
from processes import printed
from rushlight.inspection.strides import SCRIPTS, Page, show

quickjs = pytest.importorskip("quickjs", reason="an engine of JavaScript, in the extra `test`")
CHAINS = 500


@pytest.fixture(scope="module")
def script() -> Any:
    context = quickjs.Context()
    context.eval((SCRIPTS / "views.js").read_text())
    context.eval(
        """function step(text) {
            const [view, name, args, length] = JSON.parse(text);
            try { return JSON.stringify(Views.apply(view, name, args, length)); }
            catch (error) { return JSON.stringify({ error: error.message }); }
        }"""
    )
    return context


def drawn(rng: random.Random, x: rl.Tensor) -> tuple[str, list[Any]]:
    """An operator with arguments, most of them good ones for x."""
    n = x.ndim
    dim = lambda extra=0: rng.randint(-n - extra, max(n + extra - 1, 0))
    factors = [k for k in range(1, x.numel() + 1) if x.numel() % k == 0] or [0]
    a = rng.choice(factors)
    rest = x.numel() // a if a else 0
    size = rng.choice(x.shape) if n else 1
    maybe = lambda: rng.choice([None, rng.randint(-4, 4)])
    calls: dict[str, Callable[[], list[Any]]] = {
        "view": lambda: rng.choice(
            [[a, rest], [-1, a], [-1], [1, a, rest], [rest, 1, a], [a, 2, -1], [*x.shape] or [1], [a]]
        ),
        "flatten": lambda: rng.choice([[], [dim(), dim()], [0, 1]]),
        "unflatten": lambda: [dim(), *rng.choice([[2, -1], [-1, 3], [1, -1], [size], [size, 1]])],
        "t": list,
        "transpose": lambda: [dim(), dim()],
        "permute": lambda: rng.sample(range(n), n) if n else [0],
        "movedim": lambda: [dim(), dim()],
        "unsqueeze": lambda: [dim(1)],
        "squeeze": lambda: rng.choice([[], [dim()]]),
        "expand": lambda: rng.choice(
            [[2, *x.shape], [-1] * n or [1], [3 if s == 1 else -1 for s in x.shape] or [2], [2, 2], [0]]
        ),
        "select": lambda: [dim(), rng.randint(-3, 3)],
        "narrow": lambda: [dim(), rng.randint(-2, 3), rng.randint(0, 3)],
        "slice": lambda: [dim(), maybe(), maybe(), rng.choice([None, 1, 2, 3, -1, -2])],
        "diagonal": lambda: rng.choice([[], [rng.randint(-3, 3)], [rng.randint(-2, 2), dim(), dim()]]),
        "unfold": lambda: [dim(), rng.randint(0, 3), rng.randint(1, 3)],
        "as_strided": lambda: [
            [rng.randint(0, 3) for _ in range(2)],
            [rng.randint(0, 4) for _ in range(2)],
            rng.randint(0, 9),
        ],
    }
    name = rng.choice(list(calls))
    return name, calls[name]()


def called(x: rl.Tensor, name: str, args: list[Any]) -> rl.Tensor:
    if name == "slice":
        dim = args[0] + x.ndim if args[0] < 0 else args[0]
        if not 0 <= dim < x.ndim:
            raise IndexError("a slice of a dimension that is not there")
        return x[(slice(None),) * dim + (slice(*args[1:]),)]
    if name == "flatten":  # which copies where a view can't be; the page says that it can't
        made: rl.Tensor = x.flatten(*args)
        if x.numel() and made.untyped_storage().data_ptr() != x.untyped_storage().data_ptr():
            raise RuntimeError("flatten() would copy")
        return made
    if name == "unflatten":
        return x.unflatten(args[0], args[1:])
    return getattr(x, name)(*args)  # type: ignore[no-any-return]


def state(x: rl.Tensor) -> dict[str, Any]:
    return {"offset": x.storage_offset(), "size": list(x.shape), "stride": list(x.stride())}


def read_by(view: dict[str, Any]) -> Any:
    """What decides which cells are read: where an empty view begins, and the stride of one element, do not."""
    offset, size, stride = view["offset"], view["size"], view["stride"]
    if 0 in size:
        return size
    return offset, size, [s for n, s in zip(size, stride, strict=True) if n != 1]


def test_views_are_those_of_rushlight(script: Any) -> None:
    rng, steps, refused, names = random.Random(0), 0, 0, set()
    for _ in range(CHAINS):
        length = rng.choice([1, 6, 12, 24, 36])
        x = rl.arange(length)
        view = state(x)
        for _ in range(rng.randint(2, 8)):
            name, args = drawn(rng, x)
            theirs = json.loads(script.eval(f"step({json.dumps(json.dumps([view, name, args, length]))})"))
            shown = f"{name}({args}) of {view} on {length} cells"
            try:
                y = called(x, name, args)
            except (RuntimeError, IndexError, ValueError) as error:
                assert "error" in theirs, f"{shown}: rushlight says {error}, the page makes {theirs}"
                refused += 1
                continue
            assert "error" not in theirs, f"{shown}: the page says {theirs}, rushlight makes {state(y)}"
            found = state(y)
            assert read_by(theirs) == read_by(found), shown
            if y.ndim > 6 or y.numel() > 300:
                break
            steps, x, view = steps + 1, y, state(y)
            names.add(name)
    assert steps > 1000 and refused > 200 and len(names) == 16


def test_cells_formula_and_code(script: Any) -> None:
    """The cells of a view hold its elements, and the code that is written along makes the same view: of negative
    strides too, which as_strided refuses.
    """
    rng = random.Random(1)
    storage = rl.arange(40)
    turned = 0
    for _ in range(200):
        n = rng.randint(0, 3)
        size, stride = [rng.randint(1, 3) for _ in range(n)], [rng.randint(-3, 3) for _ in range(n)]
        wanted = {"offset": 20, "size": size, "stride": stride}
        cells = json.loads(script.eval(f"JSON.stringify(Views.cells({json.dumps(wanted)}))"))
        code = script.eval(f"Views.code('x', 'as_strided', {json.dumps([size, stride, 20])})")
        made = eval(code, {"x": storage})
        assert list(made.shape) == size and made.reshape(-1).tolist() == cells, code
        turned += "::-1" in code
    assert turned > 50
    for name, args in (("slice", [1, None, None, -1]), ("slice", [-1, 1, None, 2]), ("slice", [0, 1, 3, None])):
        x = rl.arange(24).view(2, 3, 4)
        y = eval(script.eval(f"Views.code('x', '{name}', {json.dumps(args)})"), {"x": x})
        assert rl.equal(y, called(x, name, args))


def test_why_a_view_fails(script: Any) -> None:
    text = script.eval("step(JSON.stringify([{offset: 0, size: [4, 3], stride: [1, 4]}, 'view', [-1], 12]))")
    assert "lie in the cells 0, 4, 8, 1" in text and "steps of 4, -7" in text and "reshape() copies" in text


def data_of(page: Page) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.html, re.S)
    assert found is not None
    return json.loads(found[1])  # type: ignore[no-any-return]


def test_the_page_holds_the_tensors(tmp_path: Path) -> None:
    base = rl.arange(12.0)
    x, y = base.view(3, 4), base.view(3, 4).t()[1:]
    other = rl.tensor([1 + 2j, 3], dtype=rl.complex64)
    page = show(x, y, file=tmp_path / "page.html", other=other)
    assert page.path == tmp_path / "page.html" and page.path.read_text() == page.html
    data = data_of(page)
    assert [t["name"] for t in data["tensors"]] == ["x", "y", "other"]
    assert [t["storage"] for t in data["tensors"]] == [0, 0, 1]
    assert data["tensors"][1]["view"] == {"offset": 1, "size": [3, 3], "stride": [1, 4]}
    assert data["storages"][0]["values"]["float32"] == [str(float(i)) for i in range(12)]
    assert data["storages"][1]["values"]["complex64"] == ["1.0+2.0j", "3.0+0.0j"]
    # Self-contained: nothing is loaded, and a value can't end the script.
    assert not re.search(r"(src|href)\s*=|@import|url\(|https?://(?!www\.w3\.org)", page.html)
    assert page._repr_html_().startswith("<iframe srcdoc=") and str(page.path) in repr(page)
    named = show(file=tmp_path / "p.html", **{"</script><b>": x})
    assert data_of(named)["tensors"][0]["name"] == "</script><b>"
    assert "visualize" not in dir(rl) and data_of(x.visualize(tmp_path / "v.html"))["tensors"][0]["name"] == "x"


def test_dtypes_of_one_storage(tmp_path: Path) -> None:
    x = rl.arange(4, dtype=rl.int32)
    half = x.view(rl.int16)
    data = data_of(show(x, half, file=tmp_path / "p.html"))
    assert data["storages"] == [
        {
            "bytes": 16,
            "cell": 2,
            "values": {"int32": ["0", "1", "2", "3"], "int16": ["0", "0", "1", "0", "2", "0", "3", "0"]},
        }
    ]
    assert [t["item"] for t in data["tensors"]] == [4, 2]
    flags = data_of(show(rl.tensor([True, False]), rl.zeros(2, device="meta"), file=tmp_path / "p.html"))
    assert flags["storages"][0]["values"]["bool"] == ["True", "False"]
    assert flags["storages"][1]["values"]["float32"] == ["", ""]
    for dtype in (rl.bfloat16, rl.float8_e5m2, rl.float16, rl.uint8, rl.uint64):
        values = data_of(show(rl.ones(2).to(dtype), file=tmp_path / "p.html"))["storages"][0]["values"]
        assert [float(v) for v in values[dtype.name]] == [1.0, 1.0]
    grad = rl.ones(2, requires_grad=True)
    assert data_of(show(grad, file=tmp_path / "p.html"))["tensors"][0]["view"]["size"] == [2]


def test_what_cannot_be_shown(tmp_path: Path) -> None:
    for wrong, error, text in (
        ((), TypeError, "at least one tensor"),
        ((3,), TypeError, "tensor; found int"),
        ((rl.ones(5000),), ValueError, "at most 4096 elements; found one of 5000"),
        ((rl.eye(2).to_sparse(),), TypeError, "strided tensor; found"),
    ):
        with pytest.raises(error, match=text):
            show(*wrong)  # type: ignore[arg-type]


def test_torch_has_no_such_names() -> None:
    code = (
        "import rushlight.compat as c, rushlight as r; c.install(); import torch\n"
        "print('show' in dir(torch), 'visualize' in dir(torch.Tensor), hasattr(torch.ones(1), 'visualize'))\n"
        "c.uninstall(); print(hasattr(r.ones(1), 'visualize'))"
    )
    assert printed("-c", code).split() == ["False", "False", "False", "True"]


def test_from_a_terminal(tmp_path: Path) -> None:
    text = printed("-m", "rushlight", "show", "torch.arange(12).view(3, 4).t()[1:]", str(tmp_path / "page.html"))
    assert text.strip() == str(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "torch.arange(12).view(3, 4).t()[1:]" in page and '"size": [3, 3]' in page
    for expression, message in (("1 +", "SyntaxError"), ("torch.nope", "AttributeError"), ("3", "found int")):
        done = subprocess.run(
            [sys.executable, "-m", "rushlight", "show", expression], capture_output=True, text=True, timeout=100
        )
        assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr


def test_a_wheel_holds_the_parts_of_the_page() -> None:
    root = Path(__file__).parents[2]
    listed = printed(root / "tools" / "package_files.py", root / "src" / "rushlight").splitlines()
    parts = {f"inspection/strides/{name}" for name in ("page.html", "page.css", "page.js", "views.js")}
    assert parts <= set(listed)
