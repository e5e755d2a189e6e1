"""Files from addresses: a download appears under its name only when it is whole and its hash is right."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
import zipfile
from typing import Any
from urllib.error import URLError
from urllib.parse import urlparse
from urllib.request import Request, urlopen

from rushlight.hub.folders import get_dir
from rushlight.serialization import load

__all__ = ["HASH_REGEX", "download_url_to_file", "load_state_dict_from_url", "urlparse"]

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
_BLOCK = 1 << 17


def fetch(url: str) -> Any:
    """The open answer of an address. RuntimeError: it cannot be reached, with what to do without a network."""
    try:
        return urlopen(Request(url, headers={"User-Agent": "torch.hub"}))
    except URLError as error:
        raise RuntimeError(
            f"torch.hub: {url} cannot be reached ({getattr(error, 'reason', error)}); without a network, put the "
            f"file into {get_dir()} by hand "
            "(weights: its folder checkpoints), or load from a folder with source='local'"
        ) from error


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Fetch an address into a file.

    Args:
        dst: the path.
        hash_prefix: the first digits of the SHA-256 that the content must have.
        progress: show a bar, where tqdm is installed and a person looks.

    Raises:
        RuntimeError: for an address that cannot be reached, and for a wrong hash.
        OSError: for a file that cannot be written.
    """
    dst = os.path.expanduser(dst)
    with fetch(url) as answer:
        length = answer.headers.get("Content-Length")
        handle, part = tempfile.mkstemp(dir=os.path.dirname(dst) or ".", suffix=".partial")
        try:
            found = hashlib.sha256()
            with os.fdopen(handle, "wb") as file:
                bar = _bar(int(length) if length else None, progress)
                while block := answer.read(_BLOCK):
                    file.write(block)
                    found.update(block)
                    if bar is not None:
                        bar.update(len(block))
                if bar is not None:
                    bar.close()
            digest = found.hexdigest()
            if hash_prefix and not digest.startswith(hash_prefix):
                raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest}")')
            os.replace(part, dst)
        finally:
            if os.path.exists(part):
                os.remove(part)


def _bar(total: int | None, wanted: bool) -> Any:
    if not wanted or not sys.stderr.isatty():
        return None
    from rushlight.hub.progress import tqdm

    return tqdm(total=total, unit="B", unit_scale=True, unit_divisor=1024)


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> dict[str, Any]:
    """The state dict behind an address, from the hub's folder where it has been fetched before.

    Args:
        model_dir: the folder (default: checkpoints in the hub's).
        check_hash: the name of the file holds the first digits of its hash, as in name-0123abcd.pth.
        file_name: its name in the folder.
        map_location, weights_only: those of `load`.

    Raises:
        Those of `download_url_to_file` and of `load`.
    """
    folder = model_dir or os.path.join(get_dir(), "checkpoints")
    os.makedirs(folder, exist_ok=True)
    name = file_name or os.path.basename(urlparse(url).path)
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        print(f'Downloading: "{url}" to {path}')
        digits = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, path, digits[1] if digits else None, progress)
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            # A state dict that was put into a zip archive, as old releases were: the archive holds just that file.
            if len(members) == 1 and not members[0].filename.endswith("data.pkl"):
                if os.path.basename(members[0].filename) != members[0].filename:
                    raise RuntimeError(
                        f"load_state_dict_from_url(): the archive {path} must hold one file without folders; found "
                        f"{members[0].filename}"
                    )
                archive.extractall(folder)
                path = os.path.join(folder, members[0].filename)
    return load(path, map_location=map_location, weights_only=weights_only)  # type: ignore[no-any-return]
