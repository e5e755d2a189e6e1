"""Sending samples from a worker process through a pipe.

A message is a pickle whose large buffers (tensors, NumPy arrays) follow it one by one, so that they are written from
and read into their final memory without a copy in between.
"""

from __future__ import annotations

import io
import pickle
import traceback
from typing import Any

import rushlight
from rushlight import Tensor


def _rebuild(buffer: Any, dtype_name: str, shape: tuple[int, ...], requires_grad: bool) -> Tensor:
    dtype = getattr(rushlight, dtype_name)
    flat = rushlight.frombuffer(buffer, dtype=dtype) if len(memoryview(buffer)) else rushlight.empty(0, dtype=dtype)
    return flat.reshape(shape).requires_grad_(requires_grad)


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        if type(obj) is Tensor and obj.layout == rushlight.strided and obj.device.type == "cpu":
            if obj.requires_grad and not obj.is_leaf:
                raise RuntimeError(
                    "a DataLoader worker cannot send a tensor that is part of an autograd graph: detach() it first"
                )
            flat = obj.detach().contiguous().reshape(-1)
            raw = flat.view(rushlight.uint8).numpy() if flat.numel() else bytearray()
            name = str(obj.dtype).rpartition(".")[2]
            return _rebuild, (pickle.PickleBuffer(raw), name, tuple(obj.shape), obj.requires_grad)
        return NotImplemented


def send(connection: Any, value: Any) -> None:
    """Write one message."""
    buffers: list[pickle.PickleBuffer] = []
    stream = io.BytesIO()
    _Pickler(stream, protocol=5, buffer_callback=buffers.append).dump(value)
    raws = [buffer.raw() for buffer in buffers]
    connection.send_bytes(pickle.dumps((len(stream.getbuffer()), [raw.nbytes for raw in raws])))
    connection.send_bytes(stream.getbuffer())
    for raw in raws:
        if raw.nbytes:
            connection.send_bytes(raw)


def receive(connection: Any) -> Any:
    """Read one message; EOFError when the other side is gone."""
    _, sizes = pickle.loads(connection.recv_bytes())
    body = connection.recv_bytes()
    buffers: list[bytearray] = []
    for size in sizes:
        buffer = bytearray(size)
        if size:
            connection.recv_bytes_into(buffer)
        buffers.append(buffer)
    return pickle.loads(body, buffers=buffers)


class _KeyErrorMessage(str):
    """A message that KeyError, which shows the repr of its argument, prints with its line breaks."""

    def __repr__(self) -> str:
        return self


class RemoteError:
    """An exception of a worker on its way to the main process.

    Args:
        where: which process, for the message.
        error: the exception, with its traceback.
    """

    def __init__(self, where: str, error: BaseException) -> None:
        self.exc_type: Any = type(error)
        self.where = where
        self.trace = "".join(traceback.format_exception(error))
        try:
            pickle.loads(pickle.dumps(self.exc_type))
        except Exception:  # a class local to a function cannot travel; its traceback can
            self.exc_type = RuntimeError

    def reraise(self) -> None:
        """Raise an exception of the same type with the worker's traceback in its message."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.trace}"
        if self.exc_type is KeyError:
            raise KeyError(_KeyErrorMessage(message))
        try:
            error = self.exc_type(message)
        except Exception:  # its constructor wants other arguments
            raise RuntimeError(message) from None
        raise error
