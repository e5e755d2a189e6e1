"""How the process that compares and the two that run a script talk: messages through pipes."""

from __future__ import annotations

import pickle
import struct
from pathlib import Path
from typing import Any

CHANNEL = "RUSHLIGHT_COMPARE"  # the two pipes' numbers, in the environment
WATCH = Path(__file__).with_name("watch.py")


def send(stream: Any, message: Any) -> None:
    """Write a message whole."""
    data = pickle.dumps(message)
    stream.write(struct.pack("<Q", len(data)) + data)
    stream.flush()


def receive(stream: Any) -> Any:
    """Read a message; EOFError where the other side has ended."""
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    return pickle.loads(stream.read(struct.unpack("<Q", head)[0]))
