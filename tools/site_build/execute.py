"""Runs the code of a page and writes the page with what the code prints and draws.

    python tools/site_build/execute.py docs/learn/tensors.md build/site-sources/learn/tensors.md

Every block of Python is run, in order, in one namespace; below it comes what it prints, and its last value as Python's
prompt shows it. A value that draws itself (`_repr_svg_`, `_repr_html_`) and the open figures of matplotlib become
pictures; one that is a page (`html`) stands in a frame. A block of `sh` is run by a shell, in a folder that the page
has for itself. Words behind the language:
`raises=NAME` (the block must end with that error, whose message is shown), `alt=` the picture's description with
`_` for spaces, `quiet` (shows no output), `hidden` (shows no code), `norun`. Code that fails fails the build.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import linecache
import os
import re
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
# Frames of this file in a traceback that a page prints, each with the line of code below it.
OURS = re.compile(r' *File "[^"]*site_build/[^"]*", line .*\n(?: {4,}.*\n)*')
FENCE = re.compile(r"^```(python|sh)\b([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KNOWN = ("raises", "alt", "quiet", "hidden", "norun")


class PageError(RuntimeError):
    """A block of a page that did not do what the page says."""


@dataclass(frozen=True)
class Block:
    """A piece of code with the words behind its language."""

    language: str
    words: dict[str, str]
    code: str
    line: int

    @classmethod
    def of(cls, match: re.Match[str]) -> Block:
        """Read a fenced block."""
        words = dict(w.partition("=")[::2] for w in match[2].split())
        line = match.string.count("\n", 0, match.start()) + 1
        if unknown := set(words) - set(KNOWN):
            raise PageError(f"line {line}: unknown words behind the language: {sorted(unknown)}; known are {KNOWN}")
        return cls(match[1], words, match[3], line)


class Page:
    """A page as it is run: its namespace, its folder, its pictures."""

    def __init__(self, source: Path, target: Path) -> None:
        self.source, self.target = source, target
        self.space: dict[str, Any] = {"__name__": "__main__"}
        self.folder = tempfile.TemporaryDirectory()
        self.pictures = 0

    def run(self) -> None:
        """Write the page with its results."""
        text = self.source.read_text()
        here = os.getcwd()
        with self.folder as folder:
            os.chdir(folder)
            try:
                text = FENCE.sub(lambda m: self.block(Block.of(m)), text)
            finally:
                os.chdir(here)
        self.target.parent.mkdir(parents=True, exist_ok=True)
        self.target.write_text(text)

    def block(self, block: Block) -> str:
        """A block and what it gives, as the page shows them."""
        shown = "" if "hidden" in block.words else f"```{block.language}\n{block.code}```\n"
        if "norun" in block.words:
            return shown
        printed, drawn = self.shell(block) if block.language == "sh" else self.python(block)
        printed = OURS.sub("", printed).replace(f"{ROOT}/", "").replace(self.folder.name, ".")
        if printed.strip() and "quiet" not in block.words:
            fence = "`" * max(3, 1 + max((len(m) for m in re.findall("`+", printed)), default=0))
            shown += f"\n{fence}{{code-block}} text\n:class: output\n\n{printed.rstrip()}\n{fence}\n"
        return shown + drawn

    def shell(self, block: Block) -> tuple[str, str]:
        """What a shell prints; `python` is the one that runs this."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", "-e", "-c", block.code],
            env={**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p.endswith("src"))},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        if (done.returncode != 0) != ("raises" in block.words):
            raise PageError(f"line {block.line}: the commands ended with {done.returncode}:\n{done.stdout}")
        return done.stdout, ""

    def python(self, block: Block) -> tuple[str, str]:
        """What Python prints, with the last value, and the pictures."""
        name = f"{self.source.name}, line {block.line}"
        linecache.cache[name] = (len(block.code), None, block.code.splitlines(True), name)
        out, drawn, wanted = io.StringIO(), "", block.words.get("raises")
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                value = self.statements(ast.parse(block.code, name), name)
                if hasattr(value, "html"):
                    drawn = self.framed(value.html, block)
                elif hasattr(value, "_repr_svg_"):
                    drawn = self.inline(value._repr_svg_(), block)
                elif hasattr(value, "_repr_html_"):
                    drawn = self.inline(value._repr_html_(), block)
                elif value is not None:
                    print(repr(value))
        except Exception as error:
            if type(error).__name__ != wanted:
                raise PageError(
                    f"{self.source}, block at line {block.line}: {type(error).__name__}: {error}\n"
                    f"{traceback.format_exc()}"
                ) from error
            return out.getvalue() + f"{wanted}: {error}", drawn
        if wanted:
            raise PageError(f"{self.source}, block at line {block.line}: {wanted} did not come")
        return out.getvalue(), drawn + self.figures(block)

    def statements(self, tree: ast.Module, name: str) -> Any:
        """Run statements; the value of the last one where it is an expression."""
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), self.space)
        return eval(compile(ast.Expression(last.value), name, "eval"), self.space) if last is not None else None

    def alt(self, block: Block) -> str:
        """What the picture is to who does not see it."""
        if "alt" not in block.words:
            raise PageError(f"{self.source}, block at line {block.line}: a picture must have alt=")
        return block.words["alt"].replace("_", " ")

    def inline(self, markup: str, block: Block) -> str:
        """A picture within the page; its lines are joined, for an empty one would end the HTML."""
        markup = re.sub(r"^<\?xml.*?\?>|<!DOCTYPE.*?>", "", markup, flags=re.DOTALL)
        return f'\n<div class="picture" role="img" aria-label="{self.alt(block)}">{" ".join(markup.split())}</div>\n\n'

    def framed(self, document: str, block: Block) -> str:
        """A page of its own, with scripts, in a frame: a file among the static ones, which are copied as they are."""
        static = next((p for p in self.target.parents if (p / "_static").is_dir()), self.target.parent)
        self.pictures += 1
        file = static / "_static" / f"{self.target.stem}-{self.pictures}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(document)
        up = "../" * (len(self.target.relative_to(static).parts) - 1)
        return (
            f'\n<iframe class="framed" src="{up}_static/{file.name}" title="{self.alt(block)}" '
            'loading="lazy"></iframe>\n\n'
            f'<p><a href="{up}_static/{file.name}">The same as a page of its own</a></p>\n\n'
        )

    def figures(self, block: Block) -> str:
        """The open figures of matplotlib, as files beside the page."""
        if "matplotlib.pyplot" not in sys.modules:
            return ""
        from matplotlib import pyplot

        text = ""
        for number in pyplot.get_fignums():
            self.pictures += 1
            file = f"{self.target.stem}-{self.pictures}.svg"
            self.target.parent.mkdir(parents=True, exist_ok=True)
            pyplot.figure(number).savefig(self.target.with_name(file), transparent=True, bbox_inches="tight")
            text += f"\n![{self.alt(block)}]({file})\n"
        pyplot.close("all")
        return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    options = parser.parse_args()
    os.environ.setdefault("MPLBACKEND", "agg")
    try:
        Page(options.source.resolve(), options.target.resolve()).run()
    except PageError as error:
        sys.exit(f"{options.source}: {error}")


if __name__ == "__main__":
    main()
