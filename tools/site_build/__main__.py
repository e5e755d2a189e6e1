"""Builds the site: `PYTHONPATH=tools python -m site_build` writes build/site; `make docs` installs what it needs."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tqdm import tqdm

from site_build import sources

ROOT = sources.ROOT
SOURCES, SITE, WORK = ROOT / "build" / "site-sources", ROOT / "build" / "site", ROOT / "build" / "site-work"
LIMIT = 60  # MB


def run(*command: object) -> None:
    """Run a step in a process of its own."""
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(str(ROOT / p) for p in ("src", "tools")),
            "RUSHLIGHT_CACHE_DIR": os.environ.get("RUSHLIGHT_CACHE_DIR", str(ROOT / "build" / "test-kernels")),
            "COLUMNS": "100",
        },
    )
    if done.returncode:
        raise SystemExit(f"site: {' '.join(map(str, command))} ended with {done.returncode}")


def steps() -> list[tuple[object, ...]]:
    """What makes pages, each independent of the others; the longest first."""
    pages = [Path("index.md"), *(p.relative_to(sources.DOCS) for p in sorted((sources.DOCS / "learn").glob("*.md")))]
    return [
        ("tools/site_build/operators.py", SOURCES),
        ("tools/site_build/reference.py", SOURCES),
        *(("tools/site_build/execute.py", SOURCES / page, SOURCES / page) for page in pages),
    ]


def bar(steps: int) -> Any:
    """A bar of so many steps, where a person looks."""
    return tqdm(total=steps, desc="site: pages", unit="step", disable=not sys.stderr.isatty(), leave=False)


def megabytes(folder: Path) -> float:
    """What a folder takes."""
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, help="processes at a time")
    options = parser.parse_args()
    start = time.monotonic()
    shutil.rmtree(SITE, ignore_errors=True)
    sources.gather(SOURCES)
    wanted = steps()
    with ThreadPoolExecutor(options.j) as pool, bar(len(wanted)) as done:
        for _ in pool.map(lambda step: run(*step), wanted):
            done.update()
    print(f"site: pages made in {time.monotonic() - start:.0f} s")
    run("-m", "sphinx", "-W", "--keep-going", "-q", "-j", options.j, "-d", WORK, "-E", SOURCES, SITE)
    run("tools/site_build/links.py", SITE)
    size = megabytes(SITE)
    print(f"site: {SITE.relative_to(ROOT)}/index.html, {size:.1f} MB, {time.monotonic() - start:.0f} s")
    if size > LIMIT:
        raise SystemExit(f"site: {size:.1f} MB; at most {LIMIT} are allowed")


if __name__ == "__main__":
    main()
