"""The drawings of the design pages: boxes in rows, with an arrow from row to row.

python tools/site_build/diagrams.py           # writes docs/design/drawings/
python tools/site_build/diagrams.py --check   # says which are not up to date
"""

from __future__ import annotations

import html
import sys
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent.parent / "docs" / "design" / "drawings"
WIDTH, BOX, STEP, GAP = 720, 52, 88, 14


@dataclass(frozen=True)
class Diagram:
    """A title for who does not see it, and rows: boxes (name, what it does), and what goes down from it."""

    title: str
    rows: tuple[tuple[tuple[tuple[str, str], ...], str], ...]


DIAGRAMS: dict[str, Diagram] = {
    "layers": Diagram(
        "The layers of rushlight, from the public namespaces down to the core",
        (
            ((("public namespaces", "nn, optim, utils, func, ..."), ("compat", "standing in for torch")), "calls"),
            ((("operators", "one Python function each"),), "a program of primitives"),
            (
                (
                    ("transforms", "jvp, vjp, vmap"),
                    ("prims", "the rules of each primitive"),
                    ("program", "the form itself"),
                ),
                "a program",
            ),
            ((("compiler", "loops, fused, then machine code"), ("kernel cache", "on disk, by content")), "a plan"),
            ((("core", "tensors, dispatch, launch, autograd"), ("native", "threads, allocator, BLAS, in C")), ""),
        ),
    ),
    "call": Diagram(
        "A call: what is known is launched, what is not is traced and compiled",
        (
            ((("softmax(x, -1)", "a call of a program of yours"),), "arguments are flattened"),
            ((("dispatch", "dtypes, ranks, what is static: the key"),), "known: at once; new: once"),
            (
                (
                    ("trace", "the body becomes a program"),
                    ("vjp", "and its reverse, if a gradient is due"),
                    ("compile", "and both become kernels"),
                ),
                "the plan, kept by its key",
            ),
            ((("launch", "sizes and numbers are given here"),), "a result, and a node of the graph"),
            ((("result", "a tensor"), ("grad_fn", "knows the way back")), ""),
        ),
    ),
    "compiler": Diagram(
        "The compiler: from a program to machine code",
        (
            ((("program", "primitives over symbolic sizes"),), "simplified"),
            (
                (("partition", "which equations make one kernel"), ("plan", "buffers, their lives, the steps")),
                "for each kernel",
            ),
            ((("loop nest", "kept and reduced dimensions"), ("order of sums", "by the size alone")), "lowered"),
            ((("LLVM", "vectors of the processor at hand"),), "kept on disk"),
            ((("machine code", "launched over the pool's threads"),), ""),
        ),
    ),
    "autograd": Diagram(
        "The backward: nodes in order, each a program that was derived",
        (
            ((("loss.backward()", "begins with 1"),), "of the nodes that are ready, the one recorded last"),
            (
                (("node", "a derived program"), ("saved values", "checked: not written to since")),
                "gradients, added where ways meet",
            ),
            ((("hooks", "see what goes by"), ("node", "the next")), "at the leaves"),
            ((("AccumulateGrad", "adds to .grad"),), ""),
        ),
    ),
}


def draw(diagram: Diagram) -> str:
    """A diagram as SVG, in colours that serve in the light and in the dark."""
    text = ""
    for number, (boxes, goes) in enumerate(diagram.rows):
        top, wide = 8 + number * STEP, (WIDTH - 16 - GAP * (len(boxes) - 1)) / len(boxes)
        for i, (name, about) in enumerate(boxes):
            left = 8 + i * (wide + GAP)
            middle = left + wide / 2
            text += (
                f'<rect x="{left:g}" y="{top}" width="{wide:g}" height="{BOX}" rx="7"/>\n'
                f'<text class="name" x="{middle:g}" y="{top + 22}">{html.escape(name)}</text>\n'
                f'<text x="{middle:g}" y="{top + 40}">{html.escape(about)}</text>\n'
            )
        if goes:
            text += (
                f'<path d="M{WIDTH / 2:g} {top + BOX + 3}v{STEP - BOX - 8}m-5 -6l5 6l5 -6"/>\n'
                f'<text class="goes" x="{WIDTH / 2 + 12:g}" y="{top + BOX + 22}">{html.escape(goes)}</text>\n'
            )
    tall = 8 + STEP * len(diagram.rows) - (STEP - BOX) + 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall}" '
        f'width="{WIDTH}" height="{tall}" role="img">\n'
        f"<title>{html.escape(diagram.title)}</title>\n<style>\n"
        "text { font: 13px sans-serif; text-anchor: middle; fill: #1e293b }\n"
        ".name { font-weight: bold; font-size: 15px }\n"
        ".goes { text-anchor: start; fill: #7c8698 }\nrect { fill: #e8eefc; stroke: #7c8698 }\n"
        "path { stroke: #7c8698; stroke-width: 1.5; fill: none }\n</style>\n" + text + "</svg>\n"
    )


def main() -> None:
    check = "--check" in sys.argv[1:]
    stale = [n for n, d in DIAGRAMS.items() if not (p := FOLDER / f"{n}.svg").exists() or p.read_text() != draw(d)]
    for name in stale:
        print(f"docs/design/drawings/{name}.svg {'is not up to date' if check else 'written'}")
        if not check:
            FOLDER.mkdir(parents=True, exist_ok=True)
            (FOLDER / f"{name}.svg").write_text(draw(DIAGRAMS[name]))
    sys.exit(bool(stale) and check)


if __name__ == "__main__":
    main()
