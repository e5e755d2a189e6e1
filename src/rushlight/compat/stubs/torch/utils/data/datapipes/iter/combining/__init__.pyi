# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Function as _Function
from rushlight.compat._made import Made as _Made

class ConcaterIterDataPipe(_Made): ...
DemultiplexerIterDataPipe: _Function
ForkerIterDataPipe: _Function
class MultiplexerIterDataPipe(_Made): ...
class ZipperIterDataPipe(_Made): ...
