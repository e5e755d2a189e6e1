# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Function as _Function
from rushlight.multiprocessing import get_all_sharing_strategies as get_all_sharing_strategies
from rushlight.multiprocessing import get_sharing_strategy as get_sharing_strategy
from rushlight.multiprocessing import set_sharing_strategy as set_sharing_strategy
from rushlight.multiprocessing.spawn import ProcessContext as ProcessContext
from rushlight.multiprocessing.spawn import ProcessContext as _of_SpawnContext
from rushlight.multiprocessing.spawn import ProcessExitedException as ProcessExitedException
from rushlight.multiprocessing.spawn import ProcessRaisedException as ProcessRaisedException
from rushlight.multiprocessing.spawn import spawn as spawn
from rushlight.multiprocessing.spawn import start_processes as start_processes

Array: _Function
AuthenticationError: _Function
Barrier: _Function
BoundedSemaphore: _Function
BufferTooShort: _Function
Condition: _Function
JoinableQueue: _Function
Lock: _Function
Manager: _Function
Pipe: _Function
Pool: _Function
Process: _Function
ProcessError: _Function
Queue: _Function
RLock: _Function
RawArray: _Function
RawValue: _Function
Semaphore: _Function
SimpleQueue: _Function
SpawnContext = _of_SpawnContext
TimeoutError: _Function
Value: _Function
active_children: _Function
allow_connection_pickling: _Function
cpu_count: _Function
current_process: _Function
freeze_support: _Function
get_all_start_methods: _Function
get_context: _Function
get_logger: _Function
get_start_method: _Function
log_to_stderr: _Function
parent_process: _Function
set_executable: _Function
set_forkserver_preload: _Function
set_start_method: _Function
