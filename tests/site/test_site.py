"""What the site is built with: pages are run, links are checked, pictures and formulas are of the operators' own."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

import pytest

import rushlight

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import operator_pages as table  # noqa: E402
from site_build import diagrams, differences, execute, formulas, links, pictures, reference, sources  # noqa: E402
from site_build.drawings import graph, storage  # noqa: E402
from site_build.examples import EXAMPLES, RAISES  # noqa: E402
from site_build.operators import drawn  # noqa: E402

THINGS = [t for n in reference.NAMESPACES for t in reference.things(n)]


# ---------------------------------------------------------------------------------------------------------------- pages
def ran(tmp_path: Path, text: str) -> str:
    source, target = tmp_path / "page.md", tmp_path / "out" / "page.md"
    source.write_text(text)
    execute.Page(source, target).run()
    return target.read_text()


def test_a_page_shows_what_its_code_prints(tmp_path: Path) -> None:
    text = ran(tmp_path, "Text.\n\n```python\nx = 6\nprint('a')\n```\n\n```python\nx * 7\n```\n")
    assert "```python\nx = 6\nprint('a')\n```\n\n```{code-block} text\n:class: output\n\na\n```" in text
    assert "\n42\n```" in text and text.startswith("Text.")


def test_every_page_is_in_the_contents() -> None:
    """Sphinx warns of a page that is not, which ends the build of the site."""
    contents = (ROOT / "docs" / "index.md").read_text().split()
    pages = [p.relative_to(ROOT / "docs").with_suffix("") for p in sorted((ROOT / "docs").glob("design/*.md"))]
    assert [str(page) for page in pages if str(page) not in contents] == []


def test_words_behind_the_language(tmp_path: Path) -> None:
    assert "hidden" not in ran(tmp_path, "```python hidden\nhidden = 1\n```\n")
    assert "12345" not in ran(tmp_path, "```python quiet\nprint(12345 * 1 + 0)\n```\n").replace("print(12345", "")
    assert "ValueError: so\n```" in ran(tmp_path, "```python raises=ValueError\nraise ValueError('so')\n```\n")
    assert "\nhere\n```" in ran(tmp_path, "```sh\necho here\n```\n")
    assert "output" not in ran(tmp_path, "```sh norun\nfalse\n```\n")


@pytest.mark.parametrize(
    "text",
    [
        "```python\n1 / 0\n```\n",
        "```python raises=ValueError\n1 / 0\n```\n",
        "```python raises=ValueError\nx = 1\n```\n",
        "```sh\nfalse\n```\n",
        "```python often\nx = 1\n```\n",
        "```python\nclass P:\n    def _repr_svg_(self):\n        return '<svg/>'\n\n\nP()\n```\n",  # no alt=
    ],
)
def test_what_fails_the_build(tmp_path: Path, text: str) -> None:
    with pytest.raises(execute.PageError):
        ran(tmp_path, text)


def test_a_picture_on_a_page(tmp_path: Path) -> None:
    text = ran(
        tmp_path,
        "```python alt=a_b\nclass P:\n    def _repr_svg_(self):\n        return '<svg>\\n\\n</svg>'\n\n\nP()\n```\n",
    )
    assert '<div class="picture" role="img" aria-label="a b"><svg> </svg></div>' in text


def test_a_page_in_a_frame(tmp_path: Path) -> None:
    text = ran(tmp_path, "```python alt=a\nclass P:\n    html = '<p>// a\\n</p>'\n\n\nP()\n```\n")
    assert '<iframe class="framed" src="_static/page-1.html" title="a"' in text
    assert (tmp_path / "out" / "_static" / "page-1.html").read_text() == "<p>// a\n</p>"


def test_every_learn_page_is_listed_and_runs_code() -> None:
    pages = {p.stem for p in (ROOT / "docs" / "learn").glob("*.md")} - {"index"}
    assert len(pages) == 12
    listed = (ROOT / "docs" / "learn" / "index.md").read_text()
    for name in pages:
        assert f"\n{name}\n" in listed
        blocks = [
            execute.Block.of(m) for m in execute.FENCE.finditer((ROOT / "docs" / "learn" / f"{name}.md").read_text())
        ]
        assert sum("norun" not in b.words for b in blocks) >= 5, name


# ---------------------------------------------------------------------------------------------------------------- links
def test_documents_of_other_folders_keep_their_links() -> None:
    assert sources.moved("[a](docs/design.md#x)", Path("README.md"), "readme.md") == "[a](design.md#x)"
    assert sources.moved("[a](../CHANGELOG.md)", Path("benchmarks/README.md"), "benchmarks.md") == "[a](changelog.md)"
    assert sources.moved("[a](https://b.c)", Path("README.md"), "readme.md") == "[a](https://b.c)"
    with pytest.raises(ValueError, match="which the site does not have"):
        sources.moved("[a](src/x.py)", Path("README.md"), "readme.md")


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<p id="here"></p><a href="b.html#there">b</a><a href="#here">a</a><a href="https://c.d">c</a>'
    )
    (tmp_path / "b.html").write_text('<p id="there"></p><img src="a.html"><a href="a.html">a</a>')
    assert links.faults(tmp_path) == []
    (tmp_path / "b.html").write_text(
        '<img src="no.svg"><script src="https://c.d/x.js"></script><a href="no.html">a</a><a href="a.html#no">a</a>'
    )
    assert len(links.faults(tmp_path)) == 5


# ------------------------------------------------------------------------------------------------------------- pictures
def test_curves() -> None:
    c = pictures.best_curve(rushlight.tanh)
    assert c is not None and c.slope is not None and (c.x[0], c.x[-1]) == (-4.0, 4.0)
    middle = pictures.POINTS // 2
    assert c.slope[middle] == pytest.approx(1.0) and 'class="slope"' in pictures.plot(c, "tanh(x)")
    log = pictures.best_curve(rushlight.log)
    assert log is not None and log.x[0] > 0
    acosh = pictures.best_curve(rushlight.acosh)
    assert acosh is not None and acosh.x[0] > 1
    whole = pictures.curve(lambda x: x.bitwise_and(3), -4, 4, whole=True)
    assert whole is not None and whole.slope is None and "<circle" in pictures.plot(whole, "x & 3")
    assert pictures.best_curve(lambda x: x.sum()) is None


def test_an_element_and_what_it_depends_on() -> None:
    a, b = (rushlight.ones(*s, dtype=rushlight.float64, requires_grad=True) for s in ((2, 3), (3, 4)))
    left, right = pictures.dependence({"a": a, "b": b}, a @ b, 5) or []  # row 1, column 1
    assert left.marked == {3, 4, 5} and right.marked == {1, 5, 9}
    picture = pictures.shapes([left, right], pictures.Grid("c", (2, 4), frozenset({5})), "matmul")
    assert picture.count("<rect") == 6 + 12 + 8 and picture.count("cell marked") == 7


@pytest.mark.parametrize(
    ("name", "code", "marked"),
    [
        ("view_as_complex", "x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])\ntorch.view_as_complex(x)", [[2, 3], [1]]),
        ("imag", "torch.imag(torch.tensor([1 + 2j, -3j]))", [[1], [1]]),
        ("resize_", "x = torch.tensor([1, 2, 3, 4])\nx.resize_(2, 2)", [[2], [2]]),
        ("set_", "x, y = torch.ones(2), torch.tensor([5, 6, 7])\nx.set_(y)", [[], [2], [2]]),
        ("isin", "x = torch.tensor([[0.3, 1.6], [1.7, 1.4]])\ntorch.isin(x, 1)", [[2], [2]]),
        (
            "max_pool1d_with_indices",
            "torch.max_pool1d_with_indices(torch.tensor([[1.0, 4.0, 2.0, 3.0]]), 2)",
            [[3], [1]],
        ),
        ("hash_tensor", "x = torch.tensor([1.0, 2.0])\ntorch.hash_tensor(x)", [[0, 1], [0]]),
        (
            "lstm_cell",
            "h = c = torch.zeros(1, 1)\n"
            "[t.shape for t in torch.lstm_cell(torch.ones(1, 2), (h, c), torch.ones(4, 2), torch.ones(4, 1))]",
            [[0], [0], [0, 1], list(range(8)), list(range(4)), [0]],
        ),
    ],
)
def test_the_elements_that_a_result_is_made_of(
    name: str, code: str, marked: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[list[int]] = []

    def shapes(operands: list[pictures.Grid], result: pictures.Grid, name: str) -> str:
        found.extend(sorted(grid.marked) for grid in (*operands, result))
        return name

    monkeypatch.setattr(pictures, "shapes", shapes)
    assert drawn(code, name) == name
    assert found == marked


def test_drawings_of_storages_and_graphs() -> None:
    x = rushlight.arange(6).view(2, 3)
    text = storage(x=x, t=x.t())._repr_svg_()
    assert "stride (1, 3)" in text and text.count("<rect") == 4 * 6
    w = rushlight.ones((), requires_grad=True)
    text = graph((w * w).sin(), w=w)._repr_svg_()
    assert all(name in text for name in ("SinBackward0", "MulBackward0", "w.grad")) and text.count("<rect") == 3


@pytest.mark.parametrize("name", diagrams.DIAGRAMS)
def test_the_drawings_of_the_design_pages_are_up_to_date(name: str) -> None:
    file = diagrams.FOLDER / f"{name}.svg"
    assert file.read_text() == diagrams.draw(diagrams.DIAGRAMS[name]), "run `python tools/site_build/diagrams.py`"
    assert any(
        f"drawings/{name}.svg" in p.read_text()
        for p in [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "design").glob("*.md")]
    )


# ------------------------------------------------------------------------------------------------------------- formulas
def test_formulas_are_read_from_programs() -> None:
    assert formulas.derived(rushlight.exp) == "y = e^{x}"
    assert formulas.derived(rushlight.sub) == "y = x - z"
    assert formulas.derived(rushlight.addcdiv) == r"y = x + \frac{z}{w}"
    assert formulas.derived(rushlight.nn.functional.tanhshrink) == r"y = x - \tanh\left(x\right)"
    assert formulas.derived(rushlight.eq) == r"y = \left[x = z\right]"
    assert formulas.derived(rushlight.clone) is None and formulas.derived(rushlight.special.bessel_j0) is None


def test_formulas_can_be_shown() -> None:
    latex = pytest.importorskip("docutils.utils.math.latex2mathml")
    entries = table.entries()
    written = {e.name: f for e in entries if (f := formulas.formula(e.name, e.op)) is not None}
    assert len(written) > 150 and set(formulas.FORMULAS) <= set(written)
    for name, formula in written.items():
        assert "<math" in str(latex.tex2mathml(formula, as_block=True)), name


# ------------------------------------------------------------------------------------------------------------ reference
def test_every_public_name_has_its_arguments_and_result() -> None:
    lacking = {}
    for thing in THINGS:
        missing = [n for n, said in reference.arguments(thing).items() if not said]
        if not inspect.getdoc(thing.value):
            missing.append("a docstring")
        returned = inspect.isclass(thing.value) or reference.parse(inspect.getdoc(thing.value)).sections.get("Returns")
        if not returned and reference.returns(thing) is None:
            missing.append("Returns")
        if missing:
            lacking[thing.path] = missing
    assert lacking == {}, "say it in the docstring; what means the same everywhere, in inspection/arguments.py"
    assert len(THINGS) > 800


def test_every_method_has_its_arguments_and_result() -> None:
    found = list({(t.value, m.name): m for t in THINGS for m in reference.methods(t)}.values())
    lacking = {}
    for m in found:
        missing = [n for n, said in m.arguments().items() if not said]
        if not m.doc:
            missing.append("a docstring")
        elif not m.says_result():
            missing.append("Returns")
        if missing:
            lacking[f"{m.owner.path}.{m.name}"] = missing
    assert lacking == {}, "say it in the docstring, or in inspection/method_arguments.py"
    assert len(found) > 800


def test_an_entry_of_the_reference() -> None:
    text = reference.entry(next(t for t in THINGS if t.path == "nn.Conv2d"))
    assert "```{py:class} Conv2d(in_channels: int" in text
    assert "  - `set_to_none`: " in reference.entry(next(t for t in THINGS if t.path == "nn.Module"))
    assert "- `kernel_size`: " in text and ">>> layer(torch.ones(1, 3, 8, 8)).shape" in text
    text = reference.entry(next(t for t in THINGS if t.path == "optim.AdamW"))
    assert re.search(r"- `betas`: \w", text), "the arguments of Adam, which the docstring refers to"


def test_every_class_and_function_has_an_example_that_runs() -> None:
    assert set(EXAMPLES) == {t.path for t in THINGS}, "write one into tools/site_build/examples"
    for path, code in EXAMPLES.items():
        shown = table.transcript(code, RAISES.get(path, "")).splitlines()
        assert len(shown) < 40, path
        assert any(line and not line.startswith((">>>", "...")) for line in shown), f"{path}: it shows nothing"


def test_an_example_that_raises_says_so() -> None:
    assert table.transcript("1 + 1\nint('a')", "ValueError").endswith(
        "\nValueError: invalid literal for int() with base 10: 'a'\n"
    )
    for code, raises in (
        ("int('a')", ""),
        ("int('a')", "TypeError"),
        ("int('1')", "ValueError"),
        ("int('a')\n1", "ValueError"),
    ):
        with pytest.raises(ValueError):
            table.transcript(code, raises)


def test_differences_are_found_by_name() -> None:
    assert "differences.md#more" in (differences.about("isin") or "")
    assert "`torch.lu`" not in (differences.about("_sample_dirichlet") or "")
    assert "`_sample_dirichlet` itself has one" in (differences.about("_sample_dirichlet") or "")
    assert differences.about("exp") is None
