# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.library.codecs import DECODERS as DECODERS
from rushlight.library.codecs import GRAY as GRAY
from rushlight.library.codecs import GRAY_ALPHA as GRAY_ALPHA
from rushlight.library.codecs import RGB as RGB
from rushlight.library.codecs import RGB_ALPHA as RGB_ALPHA
from rushlight.library.codecs import UNCHANGED as UNCHANGED
from rushlight.library.codecs import decode_gif as decode_gif
from rushlight.library.codecs import decode_jpeg as decode_jpeg
from rushlight.library.codecs import decode_png as decode_png
from rushlight.library.codecs import decode_webp as decode_webp
from rushlight.library.codecs import encode_jpeg as encode_jpeg
from rushlight.library.codecs import encode_png as encode_png
from rushlight.library.codecs import format_of as format_of
from rushlight.library.codecs import has_turbo as has_turbo
from rushlight.library.codecs import jpeg_into as jpeg_into
from rushlight.library.codecs import size_of_jpeg as size_of_jpeg
from torch.library import damage as damage
from torch.library import png16 as png16
