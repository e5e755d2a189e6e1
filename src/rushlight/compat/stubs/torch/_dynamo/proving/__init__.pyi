# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.interpreter import Interpreter as Interpreter
from rushlight._dynamo.interpreter import Reads as Reads
from rushlight._dynamo.proving import _FEW as _FEW
from rushlight._dynamo.proving import _PLAIN as _PLAIN
from rushlight._dynamo.proving import _Proving as _Proving
from rushlight._dynamo.proving import _Sources as _Sources
from rushlight._dynamo.proving import _at_once as _at_once
from rushlight._dynamo.proving import _is_plain as _is_plain
from rushlight._dynamo.proving import _of_check as _of_check
from rushlight._dynamo.proving import _replay as _replay
from rushlight._dynamo.proving import asks_too_much as asks_too_much
from rushlight._dynamo.proving import proven as proven
from rushlight._dynamo.source import NotKnown as NotKnown
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.tree import flatten as flatten
from rushlight.jit.checks import asking as asking
from rushlight.jit.recording import PENDING as PENDING
from rushlight.jit.recording import Recorder as Recorder
from rushlight.jit.recording import recording as recording
from rushlight.jit.segments import Segments as Segments
