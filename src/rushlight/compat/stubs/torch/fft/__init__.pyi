# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.fft._operators import (
    dct as dct, dctn as dctn, dst as dst, dstn as dstn, fft as fft, fft2 as fft2, fftfreq as fftfreq, fftn as fftn,
    fftshift as fftshift, hfft as hfft, hfft2 as hfft2, hfftn as hfftn, idct as idct, idctn as idctn, idst as idst,
    idstn as idstn, ifft as ifft, ifft2 as ifft2, ifftn as ifftn, ifftshift as ifftshift, ihfft as ihfft, ihfft2 as ihfft2,
    ihfftn as ihfftn, irfft as irfft, irfft2 as irfft2, irfftn as irfftn, rfft as rfft, rfft2 as rfft2, rfftfreq as rfftfreq,
    rfftn as rfftn,
)
