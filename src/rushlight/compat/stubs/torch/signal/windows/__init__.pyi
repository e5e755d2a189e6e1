# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.signal.windows._operators import (
    bartlett as bartlett, blackman as blackman, cosine as cosine, exponential as exponential, gaussian as gaussian,
    general_cosine as general_cosine, general_hamming as general_hamming, hamming as hamming, hann as hann, kaiser as kaiser,
    nuttall as nuttall,
)
