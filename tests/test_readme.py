"""The documents say what is so: their code runs, their links lead somewhere, and what they call missing is missing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from processes import printed

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "design").glob("*.md")),
    *sorted((ROOT / "docs" / "learn").glob("*.md")),
]

# After the code of CONTRIBUTING.md: the checks that `make test` makes of an operator with samples.
SUITE = """
import sys
sys.path.insert(0, {folder!r})
import checks
from rushlight.testing.samples import REGISTRY

passed = []
for name, check in checks.CHECKS.items():
    try:
        check(REGISTRY["softcap"])
        passed.append(name)
    except checks.Inapplicable as why:
        raise AssertionError(f"{{name}} says nothing about softcap: {{why}}") from why
print("passed", *passed)
"""


def blocks(page: str) -> str:
    """The Python code of a document, in order, as one program."""
    found = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    assert found, f"{page} has no Python code"
    return "\n".join(found)


def run(code: str, folder: Path, *options: str) -> str:
    script = folder / "program.py"
    script.write_text(code)
    return printed(*options, script, cwd=folder)


def test_the_tour_of_the_readme(tmp_path: Path) -> None:
    lines = run(blocks("README.md"), tmp_path).splitlines()
    assert lines[0] == "tensor(11.6106)"
    assert lines[1] == "tensor([ 2.,  1.,  0., -1., -2.])"
    assert lines[3] == "tensor([-0.4161,  0.5403,  1.0000,  0.5403, -0.4161])"
    assert float(lines[4]) < 9.0, "100 steps have not brought the loss down"
    assert (tmp_path / "net.pt").exists()


def test_the_tour_as_a_program_that_imports_torch(tmp_path: Path) -> None:
    code = blocks("README.md").replace("import rushlight as torch", "import torch")
    # Negative steps and all: the launcher gives the program rushlight.
    assert run(code, tmp_path, "-m", "rushlight").splitlines()[1] == "tensor([ 2.,  1.,  0., -1., -2.])"


def test_the_new_operator_of_contributing(tmp_path: Path) -> None:
    printed = run(blocks("CONTRIBUTING.md") + SUITE.format(folder=str(ROOT / "tests" / "operators")), tmp_path)
    assert "grad_fn=<SoftcapBackward0>) tensor([0.0000, 1.0000, 0.9901, 0.0000])" in printed
    assert "defined at" in printed and "derivative program" in printed
    passed = printed.splitlines()[-1].split()[1:]
    assert {"reference", "inplace", "out", "gradcheck", "gradgradcheck", "forward", "vmap", "unfused", "errors"} <= set(
        passed
    )


def test_the_readme_shows_what_explain_prints() -> None:
    shown = re.search(
        r"From its output:\n\n```\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL
    )
    assert shown is not None
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", "explain", "softmax"], capture_output=True, text=True, timeout=300
    )
    printed = done.stdout.splitlines()
    for line in shown[1].splitlines():
        assert line in printed, f"README.md shows a line that `explain softmax` does not print: {line!r}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)", page.read_text()):
        file = (page.parent / target) if target else page
        if file.resolve().parent == ROOT / "docs" / "reference":
            continue  # made with the site, whose links are all checked
        assert file.exists(), f"{page.name}: {target} does not exist"
        if anchor:
            headings = [
                re.sub(r"[^\w -]", "", h).strip().lower().replace(" ", "-")
                for h in re.findall(r"^#+ (.*)$", file.read_text(), re.MULTILINE)
            ]
            assert anchor in headings, f"{page.name}: {target} has no heading #{anchor}"


def state_of_the_families() -> list[list[str]]:
    text = (ROOT / "docs" / "design" / "families.md").read_text()
    section = text[text.index("## State of the families") : text.index("## Known limits")]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| ")
    ]
    return [row for row in rows if not set(row[0]) <= {"-", " "} and row[1] != "there"]


def exists(name: str) -> bool:
    import rushlight

    found: object = rushlight
    for part in name.split("."):
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
    return True


def test_what_is_called_missing_is_missing() -> None:
    there = [name for row in state_of_the_families() for name in re.findall(r"`([\w.]+)`", row[2]) if exists(name)]
    assert not there, (
        f"docs/design/families.md calls these missing, and they exist: {there}; take them out of its table"
    )


def test_every_family_has_a_line() -> None:
    from rushlight.operators import FAMILIES

    described = {name for row in state_of_the_families() for name in row[0].split(", ")}
    assert set(FAMILIES) <= described, (
        f"docs/design/families.md, state of the families: no line for {sorted(set(FAMILIES) - described)}"
    )
