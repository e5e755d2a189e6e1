"""Models that a repository's `hubconf.py` makes, from GitHub or from a folder."""

from __future__ import annotations

import builtins
import importlib.util
import os
import re
import shutil
import sys
import tempfile
import warnings
import zipfile
from types import ModuleType
from typing import Any

from rushlight.hub.download import download_url_to_file, fetch
from rushlight.hub.folders import get_dir

__all__ = ["help", "list", "load"]

CONF = "hubconf.py"
# Owners whose code PyTorch's hub runs without asking.
_TRUSTED = ("facebookresearch", "facebookincubator", "pytorch", "fairinternal")


def _parsed(github: str) -> tuple[str, str, str]:
    found = re.fullmatch(r"([\w.-]+)/([\w.-]+)(?::(.+))?", github)
    if found is None:
        raise ValueError(
            f"torch.hub: the repository must be given as 'owner/name' or 'owner/name:branch'; found {github!r}"
        )
    owner, name, ref = found.groups()
    if ref is None:
        ref = "main"
        try:
            fetch(f"https://github.com/{owner}/{name}/tree/main/").close()
        except RuntimeError as error:
            if getattr(error.__cause__, "code", None) != 404:
                # Without a network: the branch that is there already.
                ref = next((r for r in ("main", "master") if os.path.exists(_folder(owner, name, r))), "")
                if not ref:
                    raise
            else:
                ref = "master"
    return owner, name, ref


def _folder(owner: str, name: str, ref: str) -> str:
    return os.path.join(get_dir(), "_".join([owner, name, ref.replace("/", "_")]))


def _trusted(owner: str, name: str, trust: bool | str | None) -> None:
    listed = os.path.join(get_dir(), "trusted_list")
    known: set[str] = set()
    if os.path.exists(listed):
        with open(listed) as file:
            known = {line.strip() for line in file}
    key = f"{owner}_{name}"
    if owner in _TRUSTED or key in known:
        return
    if trust in (False, "check"):
        answer = (
            ""
            if not sys.stdin or not sys.stdin.isatty()
            else input(
                f"The repository {owner}/{name} is not on the list of trusted ones, and its code will be run. Trust "
                "it (y/N)? "
            )
        )
        if answer.strip().lower() not in ("y", "yes"):
            raise Exception(f"torch.hub: {owner}/{name} is not trusted; call with trust_repo=True to run its code")
    elif trust is None:
        warnings.warn(
            f"torch.hub runs the code of {owner}/{name}, which is not on the list of trusted repositories; pass "
            "trust_repo=True to say that it may",
            stacklevel=4,
        )
        return
    with open(listed, "a") as file:
        file.write(key + "\n")


def _fetched(github: str, force_reload: bool, verbose: bool, trust: bool | str | None) -> str:
    owner, name, ref = _parsed(github)
    os.makedirs(get_dir(), exist_ok=True)
    folder = _folder(owner, name, ref)
    _trusted(owner, name, trust)
    if os.path.exists(folder) and not force_reload:
        if verbose:
            print(f"Using cache found in {folder}", file=sys.stderr)
        return folder
    with tempfile.TemporaryDirectory(dir=get_dir()) as work:
        archive = os.path.join(work, "repository.zip")
        download_url_to_file(f"https://github.com/{owner}/{name}/zipball/{ref}", archive, progress=False)
        with zipfile.ZipFile(archive) as z:
            top = z.namelist()[0].split("/")[0]
            z.extractall(work)
        if os.path.exists(folder):
            shutil.rmtree(folder)
        shutil.move(os.path.join(work, top), folder)
    return folder


def _conf(folder: str) -> ModuleType:
    path = os.path.join(folder, CONF)
    if not os.path.exists(path):
        raise FileNotFoundError(f"torch.hub: the repository must have a file {CONF}; there is none in {folder}")
    spec = importlib.util.spec_from_file_location("hubconf", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    lacking = [p for p in getattr(module, "dependencies", None) or () if importlib.util.find_spec(p) is None]
    if lacking:
        raise RuntimeError(f"Missing dependencies: {', '.join(lacking)}")
    return module


def _entry(module: ModuleType, name: str) -> Any:
    if not isinstance(name, str):
        raise ValueError(f"torch.hub: 'model' must be the name of a function; found {type(name).__name__}")
    found = getattr(module, name, None)
    if not callable(found):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return found


def list(
    github: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: bool | str | None = "check",
    verbose: bool = True,
) -> builtins.list[str]:
    """The names of the models of a repository, 'owner/name' or 'owner/name:branch'."""
    module = _conf(_fetched(github, force_reload, verbose, trust_repo))
    return [n for n, f in vars(module).items() if callable(f) and not n.startswith("_")]


def help(
    github: str,
    model: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: bool | str | None = "check",
) -> str | None:
    """The docstring of a model of a repository."""
    return _entry(_conf(_fetched(github, force_reload, True, trust_repo)), model).__doc__  # type: ignore[no-any-return]


def load(
    repo_or_dir: str,
    model: str,
    *args: Any,
    source: str = "github",
    trust_repo: bool | str | None = "check",
    force_reload: bool = False,
    verbose: bool = True,
    skip_validation: bool = False,
    **kwargs: Any,
) -> Any:
    """What the function `model` of a repository's hubconf.py returns.

    Args:
        repo_or_dir: 'owner/name[:branch]', or a folder with source="local".
        args, kwargs: the function's.
        trust_repo: True to run the code of a repository that is not on the list; "check" asks.
        force_reload: fetch it again.

    Raises:
        ValueError: for another source.
        RuntimeError: without a network, and where the function or a dependency is missing.
    """
    if source.lower() not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    folder = (
        _fetched(repo_or_dir, force_reload, verbose, trust_repo)
        if source.lower() == "github"
        else os.path.expanduser(repo_or_dir)
    )
    return _entry(_conf(folder), model)(*args, **kwargs)
