# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat.checkpoint import (
    MapLocation as _of_MAP_LOCATION, get_unsafe_globals_in_checkpoint as get_unsafe_globals_in_checkpoint, load as load,
    save as save,
)
from rushlight.compat.unpickler import (
    add_safe_globals as add_safe_globals, clear_safe_globals as clear_safe_globals, get_safe_globals as get_safe_globals,
    safe_globals as safe_globals,
)
from rushlight.serialization import (
    DEFAULT_PROTOCOL as DEFAULT_PROTOCOL, SourceChangeWarning as SourceChangeWarning,
    check_module_version_greater_or_equal as check_module_version_greater_or_equal, mkdtemp as mkdtemp,
    validate_cuda_device as validate_cuda_device,
)
from rushlight.utils.serialization._options import (
    LoadEndianness as LoadEndianness, default_restore_location as default_restore_location,
    get_crc32_options as get_crc32_options, get_default_load_endianness as get_default_load_endianness,
    get_default_mmap_options as get_default_mmap_options, location_tag as location_tag, register_package as register_package,
    set_crc32_options as set_crc32_options, set_default_load_endianness as set_default_load_endianness,
    set_default_mmap_options as set_default_mmap_options, skip_data as skip_data,
)

MAP_LOCATION = _of_MAP_LOCATION
