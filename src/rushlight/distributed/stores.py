"""Stores: keys and values that processes find each other by."""

from __future__ import annotations

import datetime
import fcntl
import struct
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core.naming import reads

__all__ = [
    "DistBackendError",
    "DistError",
    "DistStoreError",
    "FileStore",
    "HashStore",
    "PrefixStore",
    "Store",
    "TCPStore",
]

_DEFAULT = datetime.timedelta(minutes=5)


class DistError(RuntimeError):
    """Something between processes has failed."""


class DistBackendError(DistError):
    """An exchange has failed in the backend."""


class DistStoreError(DistError):
    """A key did not come in time."""


class Store:
    """Keys and values, bytes; the base of all. A subclass says how `change` reads and writes the table."""

    def __init__(self) -> None:
        self._timeout = _DEFAULT

    @property
    def timeout(self) -> datetime.timedelta:
        """How long `get` and `wait` wait for a key."""
        return self._timeout

    def set_timeout(self, timeout: datetime.timedelta) -> None:
        """Let `get` and `wait` wait so long."""
        self._timeout = timeout

    def change(self, act: Callable[[dict[str, bytes]], Any]) -> Any:
        """The result of `act` on the table, while no other process reads or writes it."""
        raise NotImplementedError(f"{type(self).__name__}: a store must have `change`")

    def set(self, key: str, value: str | bytes) -> None:
        """Put a value under a key."""
        data = _bytes(value)
        self.change(lambda table: table.__setitem__(key, data))

    def get(self, key: str) -> bytes:
        """The value under a key, once there is one.

        Raises:
            DistStoreError: it does not come in time.
        """
        self.wait([key])
        found: bytes = self.change(lambda table: table[key])
        return found

    def add(self, key: str, amount: int) -> int:
        """Add to the number under a key, 0 where there is none; returns the sum."""

        def act(table: dict[str, bytes]) -> int:
            total = int(table.get(key, b"0")) + amount
            table[key] = str(total).encode()
            return total

        found: int = self.change(act)
        return found

    def append(self, key: str, value: str | bytes) -> None:
        """Put bytes behind the value under a key."""
        data = _bytes(value)
        self.change(lambda table: table.__setitem__(key, table.get(key, b"") + data))

    def compare_set(self, key: str, expected_value: str | bytes, desired_value: str | bytes) -> bytes:
        """Put the desired value where the expected one stands, or where there is none and the expected one is empty;
        returns what stands there then.
        """
        expected, desired = _bytes(expected_value), _bytes(desired_value)

        def act(table: dict[str, bytes]) -> bytes:
            if key in table:
                if table[key] == expected:
                    table[key] = desired
            elif expected:
                return expected
            else:
                table[key] = desired
            return table[key]

        found: bytes = self.change(act)
        return found

    def check(self, keys: Sequence[str]) -> bool:
        """Whether all keys have values."""
        return bool(self.change(lambda table: all(k in table for k in keys)))

    def delete_key(self, key: str) -> bool:
        """Remove a key; whether it was there."""
        return self.change(lambda table: table.pop(key, None)) is not None

    def num_keys(self) -> int:
        """How many keys there are."""
        found: int = self.change(len)
        return found

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        """The values under keys."""
        return [self.get(k) for k in keys]

    def multi_set(self, keys: Sequence[str], values: Sequence[str | bytes]) -> None:
        """Put values under keys."""
        for k, v in zip(keys, values, strict=True):
            self.set(k, v)

    def has_extended_api(self) -> bool:
        """Whether `append`, `multi_get` and `multi_set` work: yes."""
        return True

    def wait(self, keys: Sequence[str], timeout: datetime.timedelta | None = None) -> None:
        """Return once all keys have values.

        Raises:
            DistStoreError: they do not in time.
        """
        end = time.monotonic() + (self._timeout if timeout is None else timeout).total_seconds()
        pause = 0.0005
        while not self.check(keys):
            if time.monotonic() > end:
                raise DistStoreError(
                    f"wait timeout: the store has no {', '.join(k for k in keys if not self.check([k]))}"
                )
            time.sleep(pause)
            pause = min(2 * pause, 0.05)


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


class HashStore(Store):
    """A store of this process."""

    def __init__(self) -> None:
        super().__init__()
        self._lock, self._table = threading.RLock(), dict[str, bytes]()

    def change(self, act: Callable[[dict[str, bytes]], Any]) -> Any:
        """What `act` makes of the table."""
        with self._lock:
            return act(self._table)


class TCPStore(HashStore):
    """The store of a host and a port. It lives in the process that says `is_master`; there are no sockets here, so that
    only stores of that process find it.

    Args:
        port: 0 for a free number.

    Raises:
        NotImplementedError: for a store of another process.
    """

    _open: dict[tuple[str, int], TCPStore] = {}

    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: datetime.timedelta = _DEFAULT,
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        master_listen_fd: int | None = None,
        use_libuv: bool = True,
    ) -> None:
        super().__init__()
        self._timeout, self._host = timeout, host_name
        if is_master:
            self._port = port or 1 + max((p for _, p in self._open), default=49151)
            if (host_name, self._port) in self._open and not multi_tenant:
                raise DistStoreError(f"TCPStore(): 'port' must be free; {host_name}:{port} has a store")
            self._open.setdefault((host_name, self._port), self)
        else:
            self._port = port
        found = self._open.get((host_name, self._port))
        if found is None or wait_for_workers and (world_size or 1) > 1 and is_master:
            raise NotImplementedError(
                "TCPStore(): rushlight lacks communication between processes; the store must be opened in this "
                "process, "
                "with is_master=True and world_size=1"
            )
        self._lock, self._table = found._lock, found._table

    host = reads("_host", str, "The name of the host.")
    port = reads("_port", int, "The number of the port.")

    def close(self) -> None:
        """Let the port be free again."""
        if self._open.get((self._host, self._port)) is self:
            del self._open[self._host, self._port]


class FileStore(Store):
    """A store in a file, which processes of one machine share: everything that was set, one record behind the other.

    Args:
        file_name: made where it is not there.
        world_size: how many processes use it, which nothing is done with.
    """

    def __init__(self, file_name: str, world_size: int = -1) -> None:
        super().__init__()
        self._path = file_name
        with open(file_name, "ab"):
            pass

    @property
    def path(self) -> str:
        """The file."""
        return self._path

    def change(self, act: Callable[[dict[str, bytes]], Any]) -> Any:
        """What `act` makes of the table; what it has changed is written behind the rest."""
        with open(self._path, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # released when the file is closed
            table = _records(file.read())
            before = dict(table)
            found = act(table)
            for key, value in table.items():
                if before.get(key) != value:
                    file.write(_record(key, value))
            for key in before.keys() - table.keys():
                file.write(_record(key, None))
            return found


def _record(key: str, value: bytes | None) -> bytes:
    name = key.encode()
    return struct.pack("<qq", len(name), -1 if value is None else len(value)) + name + (value or b"")


def _records(data: bytes) -> dict[str, bytes]:
    table: dict[str, bytes] = {}
    at = 0
    while at < len(data):
        n, size = struct.unpack_from("<qq", data, at)
        key = data[at + 16 : at + 16 + n].decode()
        at += 16 + n
        if size < 0:
            table.pop(key, None)
            continue
        table[key] = data[at : at + size]
        at += size
    return table


class PrefixStore(Store):
    """Another store, with a prefix before every key."""

    def __init__(self, prefix: str, store: Store) -> None:
        super().__init__()
        self._prefix, self.underlying_store, self._timeout = prefix, store, store.timeout

    def change(self, act: Callable[[dict[str, bytes]], Any]) -> Any:
        """What `act` makes of the part of the table whose keys have the prefix."""
        head = f"{self._prefix}/"

        def inner(table: dict[str, bytes]) -> Any:
            part = {k.removeprefix(head): v for k, v in table.items() if k.startswith(head)}
            before = dict(part)
            found = act(part)
            for k in before.keys() - part.keys():
                del table[head + k]
            table.update({head + k: v for k, v in part.items()})
            return found

        return self.underlying_store.change(inner)
