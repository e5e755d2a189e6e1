"""Compile the core and put it in place, so that `src/` is importable and editing Python needs no build.

    python tools/build.py [-j JOBS]
    python tools/build.py --sanitize [-j JOBS]

Meson builds in `build/`; the compiled modules, one file, and the library that runs packages in C are copied beside
their sources in `src/rushlight/core/`, and the running Python's site-packages gets a `.pth` file that names `src/`.

With --sanitize the core is built with AddressSanitizer, UndefinedBehaviorSanitizer and Cython's checks, in
`build/sanitize/`. `build/sanitize/package/` then holds a package of links to the sources and to these modules;
tools/sanitize.py runs programs on it.
"""

from __future__ import annotations

import argparse
import compileall
import fcntl
import filecmp
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
CORE = ROOT / "src" / "rushlight" / "core"
SANITIZED = BUILD / "sanitize"
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
COMPILED = f"compiled{SUFFIX}"  # all compiled modules: core/__init__.py loads them from it
RUNTIME = "librushlight.a"  # for programs in C that run packages


@contextmanager
def build_lock(folder: Path) -> Iterator[None]:
    """Hold a build folder: ninja does not stand two runs in one folder at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run(*command: str) -> None:
    """Run a tool of this Python's environment; its failure ends the build with its exit status."""
    env = dict(os.environ, PATH=os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", ""))
    done = subprocess.run(command, env=env, cwd=ROOT)
    if done.returncode:
        sys.exit(done.returncode)


def compile_core(folder: Path, jobs: int, *options: str) -> None:
    """Configure `folder` if it is fresh or of another Python, then compile."""
    meson = [sys.executable, "-m", "mesonbuild.mesonmain"]
    marker = folder / ".python"
    if not (folder / "build.ninja").exists():
        run(*meson, "setup", str(folder), str(ROOT), *options)
    elif not marker.exists() or marker.read_text() != sys.executable:
        run(*meson, "setup", "--wipe", str(folder), str(ROOT), *options)
    marker.write_text(sys.executable)
    run(*meson, "compile", "-C", str(folder), "-j", str(jobs))


def link_sanitized() -> None:
    """Make `build/sanitize/package/rushlight`: links to the sources, and to the core as it was compiled there."""
    package = SANITIZED / "package" / "rushlight"
    shutil.rmtree(package, ignore_errors=True)
    (package / "core").mkdir(parents=True)
    for source in (ROOT / "src" / "rushlight").iterdir():
        if source.name not in ("core", "__pycache__"):
            (package / source.name).symlink_to(source)
    for source in CORE.iterdir():
        if not source.name.endswith(SUFFIX) and source.name != "__pycache__":
            (package / "core" / source.name).symlink_to(source)
    for name in (COMPILED, RUNTIME):
        (package / "core" / name).unlink(missing_ok=True)
        (package / "core" / name).symlink_to(SANITIZED / "src" / "rushlight" / name)


def place() -> Path:
    """Copy the compiled modules, and the library for C, beside their sources if they changed; remove what other builds
    have left there. Returns the file of the modules.
    """
    for name in (RUNTIME, COMPILED):
        built, target = BUILD / "src" / "rushlight" / name, CORE / name
        if not target.exists() or not filecmp.cmp(built, target, shallow=False):
            # A new file under the old name: a process that has the old one mapped keeps its own copy.
            fresh = target.with_name(target.name + ".new")
            shutil.copy2(built, fresh)
            os.replace(fresh, target)
    for other in CORE.glob(f"*{SUFFIX}"):
        if other != target:
            other.unlink()
    return target


def link_source() -> None:
    """Let the running Python import the package from `src/` (only in a virtual environment)."""
    if sys.prefix == sys.base_prefix:
        sys.exit("tools/build.py: run me with the Python of a virtual environment (make setup makes one in .venv)")
    line = str(ROOT / "src") + "\n"
    pth = Path(sysconfig.get_path("purelib")) / "rushlight-in-place.pth"
    if not pth.exists() or pth.read_text() != line:
        pth.write_text(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)), help="compilers at a time")
    parser.add_argument("--sanitize", action="store_true", help="build with sanitizers, in build/sanitize")
    args = parser.parse_args()
    with build_lock(SANITIZED if args.sanitize else BUILD):
        if args.sanitize:
            compile_core(
                SANITIZED, args.jobs, "-Dbuildtype=debugoptimized", "-Db_sanitize=address,undefined", "-Db_lundef=false"
            )
            link_sanitized()
            return
        compile_core(BUILD, args.jobs)
        target = place()
        link_source()
        # Also where PYTHONDONTWRITEBYTECODE is set: without .pyc files an import takes several times as long.
        compileall.compile_dir(ROOT / "src" / "rushlight", quiet=1)
    print(f"rushlight.core: {target.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
