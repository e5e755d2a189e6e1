# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat.checkpoint import MapLocation as _of_MAP_LOCATION
from rushlight.compat.checkpoint import get_unsafe_globals_in_checkpoint as get_unsafe_globals_in_checkpoint
from rushlight.compat.checkpoint import load as load
from rushlight.compat.checkpoint import save as save
from rushlight.compat.unpickler import add_safe_globals as add_safe_globals
from rushlight.compat.unpickler import clear_safe_globals as clear_safe_globals
from rushlight.compat.unpickler import get_safe_globals as get_safe_globals
from rushlight.compat.unpickler import safe_globals as safe_globals
from rushlight.serialization import DEFAULT_PROTOCOL as DEFAULT_PROTOCOL
from rushlight.serialization import SourceChangeWarning as SourceChangeWarning
from rushlight.serialization import check_module_version_greater_or_equal as check_module_version_greater_or_equal
from rushlight.serialization import mkdtemp as mkdtemp
from rushlight.serialization import validate_cuda_device as validate_cuda_device
from rushlight.utils.serialization._options import LoadEndianness as LoadEndianness
from rushlight.utils.serialization._options import default_restore_location as default_restore_location
from rushlight.utils.serialization._options import get_crc32_options as get_crc32_options
from rushlight.utils.serialization._options import get_default_load_endianness as get_default_load_endianness
from rushlight.utils.serialization._options import get_default_mmap_options as get_default_mmap_options
from rushlight.utils.serialization._options import location_tag as location_tag
from rushlight.utils.serialization._options import register_package as register_package
from rushlight.utils.serialization._options import set_crc32_options as set_crc32_options
from rushlight.utils.serialization._options import set_default_load_endianness as set_default_load_endianness
from rushlight.utils.serialization._options import set_default_mmap_options as set_default_mmap_options
from rushlight.utils.serialization._options import skip_data as skip_data

MAP_LOCATION = _of_MAP_LOCATION
