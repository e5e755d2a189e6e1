"""PyTorch's name for saving and loading."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from mmap import MAP_PRIVATE, MAP_SHARED
from typing import Any

from rushlight.compat.checkpoint import MapLocation as MAP_LOCATION
from rushlight.compat.checkpoint import get_unsafe_globals_in_checkpoint, load, save
from rushlight.compat.unpickler import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from rushlight.utils.serialization._options import (
    LoadEndianness,
    default_restore_location,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    location_tag,
    register_package,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)

__all__ = [
    "DEFAULT_PROTOCOL",
    "LoadEndianness",
    "MAP_LOCATION",
    "MAP_PRIVATE",
    "MAP_SHARED",
    "SourceChangeWarning",
    "add_safe_globals",
    "check_module_version_greater_or_equal",
    "clear_safe_globals",
    "default_restore_location",
    "get_crc32_options",
    "get_default_load_endianness",
    "get_default_mmap_options",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "location_tag",
    "mkdtemp",
    "register_package",
    "safe_globals",
    "save",
    "set_crc32_options",
    "set_default_load_endianness",
    "set_default_mmap_options",
    "skip_data",
    "validate_cuda_device",
]

DEFAULT_PROTOCOL = 2


@contextmanager
def mkdtemp() -> Iterator[str]:
    """A new folder, which is removed with its contents when the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        yield folder


class SourceChangeWarning(Warning):
    """Warns that the source of a class in an old file has changed since it was written."""


def check_module_version_greater_or_equal(
    module: Any, req_version_tuple: tuple[int, ...], error_if_malformed: bool = True
) -> bool:
    """Whether a module's `__version__` is at least this one.

    Args:
        error_if_malformed: whether a version that is not of the form "1.2.3" is a RuntimeError; otherwise it is warned
            about and counts as new enough.
    """
    import warnings

    try:
        return (
            tuple(
                type(want)(part) for want, part in zip(req_version_tuple, module.__version__.split("."), strict=False)
            )
            >= req_version_tuple
        )
    except Exception as error:
        message = (
            f"check_module_version_greater_or_equal(): the version of {module!r} must be numbers with dots; "
            f"found {module.__version__!r}"
        )
        if error_if_malformed:
            raise RuntimeError(message) from error
        warnings.warn(f"{message}; it is taken as new enough", stacklevel=2)
        return True


def validate_cuda_device(location: str) -> int:
    """The index of the CUDA device that a location names. RuntimeError: there is no CUDA here."""
    raise RuntimeError(
        f"validate_cuda_device(): there must be a CUDA device for {location!r}, and CUDA is not available; give "
        "map_location='cpu' to load()"
    )
