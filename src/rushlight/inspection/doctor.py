"""`python -m rushlight doctor`: what this installation stands on, and what is wrong with it, ready to paste."""

from __future__ import annotations

import os
import platform
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NamedTuple

import rushlight
from rushlight.compiler.kernels import cache
from rushlight.utils import collect_env

__all__ = ["Finding", "examine", "main", "report"]

# The variables that rushlight reads, and those of others that change what it does.
VARIABLES = {
    "RUSHLIGHT_CACHE_DIR": "where compiled kernels are kept",
    "RUSHLIGHT_CACHE_MB": "how many megabytes of them",
    "RUSHLIGHT_PRODUCTS": "which kernels multiply matrices",
    "RUSHLIGHT_TRACEBACK": "`full` shows rushlight's own lines in errors",
    "RUSHLIGHT_PROGRESS": "0: no line about compiling on a terminal",
    "RUSHLIGHT_GUARD": "pages without access around tensors",
    "RUSHLIGHT_OPENBLAS": "the OpenBLAS that programs in C open for packages",
    "RUSHLIGHT_STANDS_IN": "set for processes that a program on rushlight starts",
}
_OTHERS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "KMP_AFFINITY", "LD_PRELOAD", "PYTHONPATH")


class Finding(NamedTuple):
    """One thing that was looked at: whether it is well, what was found, and what to do where it isn't."""

    well: bool
    what: str
    advice: str = ""

    def __str__(self) -> str:
        return f"{'ok ' if self.well else '!! '} {self.what}" + (f"\n     -> {self.advice}" if self.advice else "")


def _versions() -> Iterator[Finding]:
    python = sys.version_info
    yield Finding(python >= (3, 11), f"Python {platform.python_version()} ({sys.executable})", "")
    for name, version in collect_env.library_versions().items():
        there = version != "not installed"
        yield Finding(there, f"{name} {version}", "" if there else f"pip install {name}")


def _processor() -> Iterator[Finding]:
    name, features = collect_env.processor()
    usual = platform.machine() in ("x86_64", "AMD64")
    yield Finding(
        usual, f"{name} ({platform.machine()})", "" if usual else "developed and tested on x86-64 alone: expect faults"
    )
    quick = "avx2" in features.split() and "fma" in features.split()
    yield Finding(quick, f"features: {features}", "" if quick else "without AVX2 and FMA products are left to OpenBLAS")


def _threads() -> Iterator[Finding]:
    threads, allowed = rushlight.get_num_threads(), len(os.sched_getaffinity(0))
    quota = _quota()
    shown = f"{threads} threads; {allowed} of {os.cpu_count()} processors allowed"
    if quota is not None:
        shown += f", a quota of {quota:g}"
    most = allowed if quota is None else min(allowed, max(1, -int(-quota // 1)))
    many = threads > most
    yield Finding(not many, shown, f"more threads than processors: set_num_threads({most})" if many else "")


def _quota() -> float | None:
    """The processors that the control group may use at a time; None where it may use all."""
    try:
        limit, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
    except (OSError, ValueError):
        return None
    return None if limit == "max" else int(limit) / int(period)


def _kernel_cache() -> Iterator[Finding]:
    folder = cache.folder()
    try:
        most = cache.bound()
    except ValueError as error:
        yield Finding(False, str(error), "unset RUSHLIGHT_CACHE_MB, or give it a number")
        return
    if folder is None:
        yield Finding(
            False, "no home folder: kernels are kept in memory alone", "set RUSHLIGHT_CACHE_DIR to a folder of yours"
        )
        return
    if not most:
        yield Finding(True, "RUSHLIGHT_CACHE_MB=0: kernels are kept in memory alone")
        return
    if not folder.exists():
        near = next(p for p in folder.parents if p.exists())
        may = os.access(near, os.W_OK)
        advice = "" if may else f"{near} may not be written: set RUSHLIGHT_CACHE_DIR"
        yield Finding(may, f"kernel cache: {folder} (made with the first kernel)", advice)
        return
    info = folder.stat()
    ours = info.st_uid == os.getuid() and not info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    files = collect_env.sizes_in(folder)
    yield Finding(
        ours and os.access(folder, os.W_OK),
        f"kernel cache: {folder}, {len(files)} kernels, {sum(files) / 1e6:.1f} of at most {most / 1e6:.0f} MB",
        "" if ours else f"others own it or may write it, so nothing there is trusted: chmod go-w {folder}",
    )
    left = [f for f in folder.glob("??/.new-*") if f.is_file()]
    if left:
        yield Finding(False, f"{len(left)} unfinished files of processes that were killed", f"rm {folder}/??/.new-*")


def _compiles() -> Iterator[Finding]:
    """Whether a kernel can be made and run: executable memory may be forbidden."""
    try:
        x = rushlight.arange(5, dtype=rushlight.float32)
        total = float(((x * 3.0 + 0.5).exp().log() - 0.5).sum())
    except Exception as error:  # any error at all is to be reported
        advice = "may a process map executable memory here (SELinux, seccomp, noexec)?"
        yield Finding(False, f"a kernel can't be compiled: {type(error).__name__}: {error}", advice)
        return
    well = abs(total - 30.0) < 1e-3
    yield Finding(well, f"a kernel compiles and runs: {total:.4f}", "" if well else "30 was expected: report this")


def _folders() -> Iterator[Finding]:
    folder = tempfile.gettempdir()
    yield Finding(os.access(folder, os.W_OK), f"temporary files: {folder}")
    try:
        space = os.statvfs("/dev/shm")
    except OSError:
        yield Finding(False, "no /dev/shm: processes can't share tensors", "mount it, or use num_workers=0")
        return
    free = space.f_bavail * space.f_frsize
    small = free < 256 << 20
    advice = "a container's --shm-size: workers of a DataLoader hand tensors over there" if small else ""
    yield Finding(not small, f"/dev/shm: {free / 1e6:.0f} MB free", advice)


def _conflicts() -> Iterator[Finding]:
    children = str(Path(__file__).parents[1] / "compat" / "children")
    torch = PathFinder.find_spec("torch", [p for p in sys.path if p != children])
    where = "not installed" if torch is None else f"installed beside ({torch.origin})"
    yield Finding(True, f"PyTorch: {where}; a program gets rushlight by `python -m rushlight`, PyTorch by `python`")
    left = children in os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if left:
        yield Finding(
            False,
            "PYTHONPATH holds rushlight's folder for child processes: every `import torch` here is rushlight",
            "unset PYTHONPATH and RUSHLIGHT_STANDS_IN, unless a program on rushlight started this",
        )
    copies = sorted(
        {str(Path(p) / "rushlight") for p in sys.path if p and (Path(p) / "rushlight" / "__init__.py").exists()}
    )
    if len(copies) > 1:
        yield Finding(False, f"{len(copies)} copies of rushlight on the path: {', '.join(copies)}", "keep one")
    for name in sorted(n for n in os.environ if n.startswith("RUSHLIGHT_")):
        known = name in VARIABLES
        what = f"{name}={os.environ[name]}" + (f" ({VARIABLES[name]})" if known else "")
        advice = "" if known else "no such setting; there are " + ", ".join(VARIABLES)
        yield Finding(known, what, advice)
    for name in _OTHERS:
        if name in os.environ:
            yield Finding(True, f"{name}={os.environ[name]}")


SECTIONS: dict[str, Callable[[], Iterator[Finding]]] = {
    "Versions": _versions,
    "Processor": _processor,
    "Threads": _threads,
    "Kernels": lambda: iter([*_kernel_cache(), *_compiles()]),
    "Folders": _folders,
    "Surroundings": _conflicts,
}


def examine() -> dict[str, list[Finding]]:
    """Look at everything.

    Returns:
        What was found, by section.
    """
    return {title: list(look()) for title, look in SECTIONS.items()}


def report(found: dict[str, list[Finding]]) -> str:
    """What was found, as text.

    Args:
        found: as `examine` gives it.

    Returns:
        The text; its last line counts what is not well.
    """
    own = rushlight.__version__
    lines = [f"rushlight {own.partition('+rushlight.')[2] or own} on {platform.platform()}"]
    for title, findings in found.items():
        lines += ["", title, *map(str, findings)]
    wrong = sum(not f.well for findings in found.values() for f in findings)
    return "\n".join([*lines, "", f"{wrong} thing{'s' * (wrong != 1)} to look at" if wrong else "nothing is wrong"])


def main() -> int:
    """Print the report; the exit status is 1 where something is not well."""
    found = examine()
    print(report(found))
    return int(any(not f.well for findings in found.values() for f in findings))
