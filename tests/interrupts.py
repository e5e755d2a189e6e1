"""Interrupts at chosen moments: an exception where the handler of a signal may raise one.

Python runs handlers at the beginning of a function that is written in Python, behind a call of one that is not, and
where a loop begins its next turn. A tracer that raises there comes exactly where a signal may come: not between a
`with` block's end and its `__exit__`, which no signal does.
"""

from __future__ import annotations

import dis
import opcode
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

_LOOKS = ("RESUME", "JUMP_BACKWARD", "CALL", "CALL_KW", "CALL_FUNCTION_EX")  # behind these Python looks for signals
LOOKED = {opcode.opmap[name] for name in _LOOKS if name in opcode.opmap}


class Interrupt(BaseException):
    """What is raised."""


def _handlers(code: CodeType) -> list[int]:
    """For each byte of the code where an error there goes on, -1 for the caller. (An error behind an instruction is its
    own; a tracer can only raise one in the next instruction, which must have the same handler.)
    """
    found = [-1] * (len(code.co_code) + 2)
    read: Any = dis.Bytecode(code)
    for entry in read.exception_entries:
        found[entry.start : entry.end] = [entry.target] * (entry.end - entry.start)
    return found


class Moments:
    """The moments of a call at which a signal may come, in their order.

    Args:
        file: the end of the name of the file of which the moments count; those of all files by default.

    Attributes:
        count: how many there were.
        first: of these, the first at each instruction.
        came: whether the interrupt was raised.
    """

    def __init__(self, file: str = "") -> None:
        self.count, self.came = 0, False
        self._at, self._file = 0, file
        self._codes: dict[CodeType, tuple[bytes, list[int]]] = {}
        self.first: list[int] = []
        self._seen: set[tuple[CodeType, int]] = set()
        self._entered: set[int] = set()  # ids of frames that have called a function of Python's directly

    def of(self, call: Callable[[], Any]) -> int:
        """How many a call has."""
        self.interrupted(call, 0)
        return self.count

    def interrupted(self, call: Callable[[], Any], at: int) -> Any:
        """Make a call, with an interrupt at one of its moments (from 1 on); what the call gives, if it ends."""
        self.count, self.came, self._at = 0, False, at
        self.first, self._seen = [], set()
        sys.settrace(self._begin)
        try:
            return call()
        except Interrupt:
            return None
        finally:
            sys.settrace(None)

    def _begin(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        if frame.f_back is not None:
            self._entered.add(id(frame.f_back))  # (behind such a call Python does not look)
        if not code.co_filename.endswith(self._file):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if code not in self._codes:
            self._codes[code] = code.co_code, _handlers(code)
        ops, handlers = self._codes[code]
        own, last = id(frame), frame.f_lasti  # the function has just begun
        self._entered.discard(own)

        def step(frame: FrameType, event: str, arg: Any) -> Any:
            nonlocal last
            if event == "opcode":
                before, last = last, frame.f_lasti
                inside = own in self._entered
                self._entered.discard(own)
                if before >= 0 and ops[before] in LOOKED and not inside and handlers[before] == handlers[last]:
                    self.count += 1
                    if (code, last) not in self._seen:
                        self._seen.add((code, last))
                        self.first.append(self.count)
                    if self.count == self._at:
                        self.came = True
                        sys.settrace(None)
                        raise Interrupt
            return step

        return step
