# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.signal.windows._operators import bartlett as bartlett
from rushlight.signal.windows._operators import blackman as blackman
from rushlight.signal.windows._operators import cosine as cosine
from rushlight.signal.windows._operators import exponential as exponential
from rushlight.signal.windows._operators import gaussian as gaussian
from rushlight.signal.windows._operators import general_cosine as general_cosine
from rushlight.signal.windows._operators import general_hamming as general_hamming
from rushlight.signal.windows._operators import hamming as hamming
from rushlight.signal.windows._operators import hann as hann
from rushlight.signal.windows._operators import kaiser as kaiser
from rushlight.signal.windows._operators import nuttall as nuttall
