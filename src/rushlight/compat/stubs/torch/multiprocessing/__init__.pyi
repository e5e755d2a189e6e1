# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from collections.abc import Callable
from rushlight.multiprocessing import ProcessContext as ProcessContext
from rushlight.multiprocessing import ProcessContext as _of_SpawnContext
from rushlight.multiprocessing import ProcessException as ProcessException
from rushlight.multiprocessing import ProcessExitedException as ProcessExitedException
from rushlight.multiprocessing import ProcessRaisedException as ProcessRaisedException
from rushlight.multiprocessing import get_all_sharing_strategies as get_all_sharing_strategies
from rushlight.multiprocessing import get_sharing_strategy as get_sharing_strategy
from rushlight.multiprocessing import set_sharing_strategy as set_sharing_strategy
from rushlight.multiprocessing import spawn as spawn
from rushlight.multiprocessing import start_processes as start_processes
from typing import Any

Array: Callable[..., Any]
AuthenticationError: Callable[..., Any]
Barrier: Callable[..., Any]
BoundedSemaphore: Callable[..., Any]
BufferTooShort: Callable[..., Any]
Condition: Callable[..., Any]
JoinableQueue: Callable[..., Any]
Lock: Callable[..., Any]
Manager: Callable[..., Any]
Pipe: Callable[..., Any]
Pool: Callable[..., Any]
Process: Callable[..., Any]
ProcessError: Callable[..., Any]
Queue: Callable[..., Any]
RLock: Callable[..., Any]
RawArray: Callable[..., Any]
RawValue: Callable[..., Any]
Semaphore: Callable[..., Any]
SimpleQueue: Callable[..., Any]
SpawnContext = _of_SpawnContext
TimeoutError: Callable[..., Any]
Value: Callable[..., Any]
active_children: Callable[..., Any]
allow_connection_pickling: Callable[..., Any]
cpu_count: Callable[..., Any]
current_process: Callable[..., Any]
freeze_support: Callable[..., Any]
get_all_start_methods: Callable[..., Any]
get_context: Callable[..., Any]
get_logger: Callable[..., Any]
get_start_method: Callable[..., Any]
log_to_stderr: Callable[..., Any]
parent_process: Callable[..., Any]
set_executable: Callable[..., Any]
set_forkserver_preload: Callable[..., Any]
set_start_method: Callable[..., Any]
