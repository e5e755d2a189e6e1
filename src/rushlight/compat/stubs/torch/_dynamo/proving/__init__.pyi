# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._dynamo.effects import Effects as Effects
from rushlight._dynamo.effects import Gradients as Gradients
from rushlight._dynamo.interpreter import Interpreter as Interpreter
from rushlight._dynamo.proving import _Act as _Act
from rushlight._dynamo.proving import _CREATION as _CREATION
from rushlight._dynamo.proving import _Epoch as _Epoch
from rushlight._dynamo.proving import _FEW as _FEW
from rushlight._dynamo.proving import _HEAP as _HEAP
from rushlight._dynamo.proving import _Lines as _Lines
from rushlight._dynamo.proving import _PLAIN as _PLAIN
from rushlight._dynamo.proving import _Planned as _Planned
from rushlight._dynamo.proving import _Proving as _Proving
from rushlight._dynamo.proving import _RANDOM as _RANDOM
from rushlight._dynamo.proving import _Segment as _Segment
from rushlight._dynamo.proving import _UNKNOWN as _UNKNOWN
from rushlight._dynamo.proving import _check_given_back as _check_given_back
from rushlight._dynamo.proving import _is_object as _is_object
from rushlight._dynamo.proving import _kept as _kept
from rushlight._dynamo.proving import _numbers_in as _numbers_in
from rushlight._dynamo.proving import _source as _source
from rushlight._dynamo.proving import _tensors_in as _tensors_in
from rushlight._dynamo.proving import leaves_of as leaves_of
from rushlight._dynamo.proving import proven as proven
from rushlight._dynamo.reads import Reads as Reads
from rushlight._dynamo.reads import dict_of as dict_of
from rushlight._dynamo.source import NotKnown as NotKnown
from rushlight._dynamo.values import SCALARS as SCALARS
from rushlight._operators import detach as _of_DETACH
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.tree import flatten as flatten
from rushlight.jit.backward import CUT as CUT
from rushlight.jit.checks import asking as asking
from rushlight.jit.recording import PENDING as PENDING
from rushlight.jit.recording import Recorder as Recorder
from rushlight.jit.recording import recording as recording
from rushlight.jit.segments import Segments as Segments
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter

DETACH = _of_DETACH
